/* The body of gb2bd_narrow, once per type. SPDX-License-Identifier: BSD-3-Clause */

static int FN(orr_gb2bd_narrow_cpu)(const orr_gb2bd_source *u, void *d_, void *e_)
{
    const int64_t rows = u->kl + u->ku + 1, order = orr_least(u->m, u->n);
    const int64_t longer = orr_most(u->m, u->n);
    const int32_t m = (int32_t)u->m, n = (int32_t)u->n, kl = (int32_t)u->kl, ku = (int32_t)u->ku;
    const int32_t ld = (int32_t)rows, none = 0, one = 1;
    const R scale = (R)u->scale, back = (R)(1 / u->scale);
    R *d = d_, *e = e_;
    int32_t info;
    T *a = calloc((size_t)(rows * u->n + 2 * longer), sizeof(T)), *work = a + rows * u->n, q;
    if (!a)
        return 0;
    for (int64_t j = 0; j < u->n; j++) {
        const T *from = (const T *)u->ab + j * u->ldab + u->ku - j;
        T *to = a + j * rows + u->ku - j;
        for (int64_t i = orr_most(j - u->ku, 0); i < orr_least(j + u->kl + 1, u->m); i++)
            to[i] = from[i] * scale;
    }
#if IS_COMPLEX
    LAPACK(gbbrd_)("N", &m, &n, &none, &kl, &ku, a, &ld, d, e, &q, &one, &q, &one, &q, &one, work,
                   (R *)(work + longer), &info);
#else
    LAPACK(gbbrd_)("N", &m, &n, &none, &kl, &ku, a, &ld, d, e, &q, &one, &q, &one, &q, &one, work,
                   &info);
#endif
    free(a);
    for (int64_t i = 0; i < order; i++)
        d[i] *= back;
    for (int64_t i = 0; i < order - 1; i++)
        e[i] *= back;
    return 1;
}
