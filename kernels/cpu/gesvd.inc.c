/* Bodies of gesvd's bidiagonal stage for one real type; see gesvd.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* LAPACK makes -0 of a zero. */
static void FN(divide)(int64_t n, double scale, T *d)
{
    for (int64_t i = 0; i < n; i++)
        d[i] = RABS(d[i]) * (T)(1 / scale);
}

static orr_status FN(orr_gesvd_values_cpu)(int64_t n, double scale, void *d, void *e)
{
    const int32_t n_ = (int32_t)n, none = 0, one = 1;
    int32_t info = 0;
    T unused, *work = malloc((size_t)(4 * n) * sizeof *work + 1);
    if (!work)
        return ORR_E_NOMEM;
    LAPACK(bdsqr_)("U", &n_, &none, &none, &none, d, e, &unused, &one, &unused, &one, &unused, &one,
                   work, &info);
    free(work);
    FN(divide)(n, scale, d);
    return info == 0 ? ORR_OK : ORR_NOCONV;
}

/* All values, of which `count` are kept. */
static orr_status FN(by_qd)(int64_t n, const T *d, const T *e, int64_t first, int64_t count, T *w)
{
    T *x = malloc((size_t)(2 * n) * sizeof *x);
    if (!x)
        return ORR_E_NOMEM;
    memcpy(x, d, (size_t)n * sizeof *x);
    memcpy(x + n, e, (size_t)(n - 1) * sizeof *x);
    const orr_status st = FN(orr_gesvd_values_cpu)(n, 1, x, x + n);
    memcpy(w, x + first, (size_t)count * sizeof *x);
    free(x);
    return st;
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
    const orr_status st = orr_bisect_singular(n, x, x + n, EPS, n - first - count, count, values);
    for (int64_t i = 0; i < count && st == ORR_OK; i++)
        w[i] = (T)values[count - 1 - i];
    free(x);
    return st;
}

static orr_status FN(orr_gesvd_piece_cpu)(int64_t n, double scale, const void *d, const void *e,
                                          int64_t first, int64_t count, void *w)
{
    orr_status st = FN(by_bisection)(n, d, e, first, count, w);
    if (st == ORR_RANGE)
        st = FN(by_qd)(n, d, e, first, count, w);
    if (st == ORR_OK)
        FN(divide)(count, scale, w);
    return st;
}

static void FN(orr_gesvd_descend_cpu)(int64_t count, void *w_)
{
    T *w = w_;
    for (int64_t i = 1; i < count; i++)
        for (int64_t k = i; k > 0 && w[k] > w[k - 1]; k--) {
            const T x = w[k];
            w[k] = w[k - 1];
            w[k - 1] = x;
        }
}

static orr_status FN(orr_gesvd_vectors_cpu)(int64_t n, double scale, void *d, void *e, void *u,
                                            void *vt)
{
    const int32_t n_ = (int32_t)n;
    int32_t info = 0, unused_too;
    T unused, *work = malloc((size_t)(3 * n * n + 4 * n) * sizeof *work);
    int32_t *iwork = malloc((size_t)(8 * n) * sizeof *iwork);
    if (work && iwork)
        LAPACK(bdsdc_)("U", "I", &n_, d, e, u, &n_, vt, &n_, &unused, &unused_too, work, iwork,
                       &info);
    const orr_status st = !work || !iwork ? ORR_E_NOMEM : info == 0 ? ORR_OK : ORR_NOCONV;
    free(work);
    free(iwork);
    FN(divide)(n, scale, d);
    return st;
}
