/* The body of hb2st_narrow, once per type. SPDX-License-Identifier: BSD-3-Clause */

static int FN(orr_hb2st_narrow_cpu)(int64_t n, int64_t b, const orr_hb2st_user *u, double scale,
                                    double unscale, void *d_, void *e_)
{
    const int32_t order = (int32_t)n, width = (int32_t)b, ld = width + 1, one = 1;
    const orr_hb2st_shape columns = {
        .n = n, .b = b, .D = n, .ldh = b + 1}; /* LAPACK's lower band */
    const R s = (R)(1 / unscale);
    R *d = d_, *e = e_;
    int32_t info;
    T *a = calloc((size_t)(n * (b + 2)), sizeof(T)), *work = a + n * (b + 1), q;
    if (!a)
        return 0;
    orr_hb2st_load_cpu[FN(TYPE)](&columns, 0, u, scale, a);
    LAPACK(sbtrd_)("N", "L", &order, &width, a, &ld, d, e, &q, &one, work, &info);
    free(a);
    for (int64_t i = 0; i < n; i++)
        d[i] *= s;
    for (int64_t i = 0; i < n - 1; i++)
        e[i] *= s;
    return 1;
}
