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
