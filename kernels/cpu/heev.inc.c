/* Bodies of heev's tridiagonal stage for one real type; see heev.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static orr_status FN(orr_heev_values_cpu)(int64_t n, double scale, void *d_, void *e)
{
    const int32_t n_ = (int32_t)n;
    int32_t info = 0;
    T *d = d_;
    if (n > 0)
        LAPACK(sterf_)(&n_, d, e, &info);
    for (int64_t i = 0; i < n; i++)
        d[i] *= (T)(1 / scale);
    return info == 0 ? ORR_OK : ORR_NOCONV;
}
