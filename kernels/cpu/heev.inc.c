/* Bodies of heev's tridiagonal stage for one real type; see heev.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* Also makes 0 of -0. */
static void FN(divide)(int64_t n, double scale, T *d)
{
    for (int64_t i = 0; i < n; i++)
        d[i] = d[i] * (T)(1 / scale) + (T)0;
}

/* All values, of which `count` are kept. */
static orr_status FN(by_ql)(int64_t n, const T *d, const T *e, int64_t first, int64_t count, T *w)
{
    const int32_t n_ = (int32_t)n;
    int32_t info = 0;
    T x[2 * ORR_HEEV_QL];
    memcpy(x, d, (size_t)n * sizeof *x);
    memcpy(x + n, e, (size_t)(n - 1) * sizeof *x);
    LAPACK(sterf_)(&n_, x, x + n, &info);
    memcpy(w, x + first, (size_t)count * sizeof *x);
    return info == 0 ? ORR_OK : ORR_NOCONV;
}

static orr_status FN(by_bisection)(int64_t n, const T *d, const T *e, int64_t first, int64_t count,
                                   T *w)
{
    double *x = malloc((size_t)(2 * n + count) * sizeof *x), *values = x + 2 * n;
    if (!x)
        return ORR_E_NOMEM;
    for (int64_t i = 0; i < n; i++) {
        x[i] = d[i];
        x[n + i] = i < n - 1 ? e[i] : 0;
    }
    const orr_status st = orr_bisect_values(n, x, x + n, EPS, first, count, values);
    for (int64_t i = 0; i < count && st == ORR_OK; i++)
        w[i] = (T)values[i];
    free(x);
    return st;
}

static orr_status FN(orr_heev_values_cpu)(int64_t n, double scale, const void *d, const void *e,
                                          int64_t first, int64_t count, void *w)
{
    orr_status st = ORR_OK;
    if (count > 0)
        st = (n <= ORR_HEEV_QL ? FN(by_ql) : FN(by_bisection))(n, d, e, first, count, w);
    if (st == ORR_OK)
        FN(divide)(count, scale, w);
    return st;
}

/* Eigenvalues that are at most x, as LAPACK's laebz counts them. */
static int64_t FN(at_most)(int64_t n, const T *d, const T *e, double x)
{
    double least = 1, q = 1;
    int64_t count = 0;
    for (int64_t i = 0; i + 1 < n; i++)
        least = fmax(least, (double)e[i] * (double)e[i]);
    least *= DBL_MIN;
    for (int64_t i = 0; i < n; i++) {
        const double off = i ? (double)e[i - 1] : 0;
        q = d[i] - off * off / q - x;
        if (fabs(q) < least)
            q = -least;
        count += q <= 0;
    }
    return count;
}

static void FN(orr_heev_count_cpu)(int64_t n, double scale, const void *d, const void *e,
                                   double low, double high, int64_t *first, int64_t *count)
{
    *first = FN(at_most)(n, d, e, low * scale);
    const int64_t found = FN(at_most)(n, d, e, high * scale) - *first;
    *count = found > 0 ? found : 0;
}

static void FN(orr_heev_confine_cpu)(int64_t count, double low, double high, void *w_)
{
    T *w = w_;
    const T least = sizeof(T) == sizeof(float) ? (T)nextafterf((float)low, INFINITY)
                                               : (T)nextafter(low, INFINITY);
    for (int64_t i = 0; i < count; i++) {
        if (isfinite(low) && w[i] <= (T)low)
            w[i] = least;
        if (w[i] > (T)high)
            w[i] = (T)high;
    }
}

static void FN(orr_heev_ascend_cpu)(int64_t count, void *w_)
{
    T *w = w_;
    for (int64_t i = 1; i < count; i++)
        for (int64_t k = i; k > 0 && w[k] < w[k - 1]; k--) {
            const T x = w[k];
            w[k] = w[k - 1];
            w[k - 1] = x;
        }
}

static orr_status FN(orr_heev_vectors_cpu)(int64_t n, double scale, void *d, void *e, void *w,
                                           void *s)
{
    const int32_t n_ = (int32_t)n, liwork = 3 + 5 * n_;
    const int64_t lwork = 1 + 4 * n + n * n;
    const int32_t lwork_ = lwork > INT32_MAX ? INT32_MAX : (int32_t)lwork;
    int32_t info = 0;
    if (lwork > INT32_MAX) /* LAPACK counts in 32 bits */
        return ORR_E_NOMEM;
    T *work = malloc((size_t)lwork * sizeof *work);
    int32_t *iwork = malloc((size_t)liwork * sizeof *iwork);
    if (work && iwork)
        LAPACK(stedc_)("I", &n_, d, e, s, &n_, work, &lwork_, iwork, &liwork, &info);
    const orr_status st = !work || !iwork ? ORR_E_NOMEM : info == 0 ? ORR_OK : ORR_NOCONV;
    free(work);
    free(iwork);
    memcpy(w, d, (size_t)n * sizeof(T));
    FN(divide)(n, scale, w);
    return st;
}

/* 1: done; 0: it fails. */
static int FN(by_inverse_iteration)(int64_t n, const T *d, const T *e, int64_t first, int64_t count,
                                    T *w, T *s)
{
    const int32_t n_ = (int32_t)n, count_ = (int32_t)count;
    T *work = malloc((size_t)(5 * n) * sizeof *work);
    int32_t *iwork = malloc((size_t)(n + 2 * count) * sizeof *iwork), info = -1;
    int32_t *block = iwork + n, *failed = block + count;
    for (int64_t i = 0; iwork && i < count; i++)
        block[i] = 1; /* all in one */
    if (work && iwork && FN(by_bisection)(n, d, e, first, count, w) == ORR_OK) {
        FN(orr_heev_ascend_cpu)(count, w);
        LAPACK(stein_)(&n_, d, e, &count_, w, block, &n_, s, &n_, work, iwork, failed, &info);
    }
    free(work);
    free(iwork);
    for (int64_t i = 0; i < n * count && info == 0; i++)
        info = !isfinite(s[i]);
    return info == 0;
}

static orr_status FN(by_all)(int64_t n, T *d, T *e, int64_t first, int64_t count, T *w, T *s)
{
    T *all = malloc((size_t)(n * (n + 1)) * sizeof *all);
    const orr_status st =
        all ? FN(orr_heev_vectors_cpu)(n, 1, d, e, all + n * n, all) : ORR_E_NOMEM;
    if (st == ORR_OK) {
        memcpy(w, all + n * n + first, (size_t)count * sizeof *w);
        memcpy(s, all + first * n, (size_t)(n * count) * sizeof *s);
    }
    free(all);
    return st;
}

static orr_status FN(orr_heev_some_cpu)(int64_t n, double scale, void *d, void *e, int64_t first,
                                        int64_t count, void *w, void *s)
{
    orr_status st = ORR_OK;
    if (count * ORR_HEEV_FEW > n || !FN(by_inverse_iteration)(n, d, e, first, count, w, s))
        st = FN(by_all)(n, d, e, first, count, w, s);
    if (st == ORR_OK)
        FN(divide)(count, scale, w);
    return st;
}
