/* The body of hb2st_narrow, once per type. SPDX-License-Identifier: BSD-3-Clause */

/* The band as a lower one of b + 1 rows. */
static void FN(copy_band)(int64_t n, int64_t b, const orr_hb2st_user *u, double scale, T *to)
{
    const R s = (R)scale;
    for (int64_t j = 0; j < n; j++, to += b + 1) {
        const T *column = (const T *)u->ab + (u->upper ? u->width : 0) + j * u->ldab;
        to[0] = REAL(column[0]) * s;
        for (int64_t k = 1; k <= orr_least(b, n - 1 - j); k++)
            to[k] = (u->upper ? CONJ(column[k * (u->ldab - 1)]) : column[k]) * s;
    }
}

static int FN(orr_hb2st_narrow_cpu)(int64_t n, int64_t b, const orr_hb2st_user *u, double scale,
                                    double unscale, void *d_, void *e_)
{
    const int32_t order = (int32_t)n, width = (int32_t)b, ld = width + 1, one = 1;
    const R s = (R)(1 / unscale);
    R *d = d_, *e = e_;
    int32_t info;
    T *a = calloc((size_t)(n * (b + 2)), sizeof(T)), *work = a + n * (b + 1), q;
    if (!a)
        return 0;
    FN(copy_band)(n, b, u, scale, a);
    LAPACK(sbtrd_)("N", "L", &order, &width, a, &ld, d, e, &q, &one, work, &info);
    free(a);
    for (int64_t i = 0; i < n; i++)
        d[i] *= s;
    for (int64_t i = 0; i < n - 1; i++)
        e[i] *= s;
    return 1;
}
