/* Bodies of heev's tridiagonal stage for one real type; see heev.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static void FN(divide)(int64_t n, double scale, T *d)
{
    for (int64_t i = 0; i < n; i++)
        d[i] *= (T)(1 / scale);
}

static orr_status FN(orr_heev_values_cpu)(int64_t n, double scale, void *d_, void *e)
{
    const int32_t n_ = (int32_t)n;
    int32_t info = 0;
    if (n > 0)
        LAPACK(sterf_)(&n_, d_, e, &info);
    FN(divide)(n, scale, d_);
    return info == 0 ? ORR_OK : ORR_NOCONV;
}

static orr_status FN(orr_heev_vectors_cpu)(int64_t n, double scale, void *d, void *e, void *s)
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
    FN(divide)(n, scale, d);
    return st;
}
