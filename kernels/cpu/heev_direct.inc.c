/* Body of heev_direct for one scalar type T (real type R); see heev_direct.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#if IS_COMPLEX
#define TRD LAPACK(hetrd_)
#define MTR LAPACK(unmtr_)
#else
#define TRD LAPACK(sytrd_)
#define MTR LAPACK(ormtr_)
#endif

/* b, n x n, := the named triangle of a times scale, and a column of zeros behind it: OpenBLAS
 * 0.3.21's zgemv reads a column beyond the matrix. */
static void FN(load)(const orr_heev_direct *g, T *b)
{
    const int64_t n = g->n;
    const R scale = (R)g->scale;
    for (int64_t j = 0; j < n; j++) {
        const int64_t first = g->upper ? 0 : j + 1, last = g->upper ? j : n;
        const T *a = (const T *)g->a + j * g->lda;
        for (int64_t i = first; i < last; i++)
            b[j * n + i] = a[i] * scale;
        b[j * n + j] = REAL(a[j]) * scale;
    }
    memset(b + n * n, 0, (size_t)n * sizeof *b);
}

/* The tridiagonal solver, and Z := Q S. s: n x count. */
static orr_status FN(vectors)(const orr_heev_direct *g, const T *b, const T *tau, R *d, R *e, R *s,
                              T *work, int32_t lwork)
{
    const int32_t n = (int32_t)g->n, count = (int32_t)g->count, ldz = (int32_t)g->ldz;
    const orr_status st =
        g->count == g->n
            ? orr_heev_vectors_cpu[g->type](g->n, g->scale, d, e, g->w, s)
            : orr_heev_some_cpu[g->type](g->n, g->scale, d, e, g->first, g->count, g->w, s);
    int32_t info;
    if (st < 0)
        return st;
    const orr_vectors_columns all = {.n = g->n, .rows = g->n, .k = g->count};
    const orr_vectors whole = {.width = g->count, .at = {s}};
    orr_vectors_place_cpu[g->type](NULL, &all, NULL, &whole, NULL, g->z, g->ldz);
    MTR("L", g->upper ? "U" : "L", "N", &n, &count, b, &n, tau, g->z, &ldz, work, &lwork, &info);
    return st;
}

static orr_status FN(orr_heev_direct_cpu)(const orr_heev_direct *g, void *memory)
{
    if (orr_heev_small_takes(g))
        return orr_heev_small(g, memory);
    const int64_t n = g->n;
    const int32_t n_ = (int32_t)n, lwork = NB * n_ + FACTOR;
    T *b = memory, *tau = b + n * (n + 1), *work = tau + n;
    R *d = (R *)(work + lwork), *e = d + n, *s = e + n;
    orr_heev_direct now = *g;
    int32_t info;
    FN(load)(g, b);
    TRD(g->upper ? "U" : "L", &n_, b, &n_, d, e, tau, work, &lwork, &info);
    if (g->found) {
        orr_heev_count_cpu[g->type](n, g->scale, d, e, g->low, g->high, &now.first, &now.count);
        g->found[0] = now.first;
        g->found[1] = now.count;
    }
    return g->z ? FN(vectors)(&now, b, tau, d, e, s, work, lwork)
                : orr_heev_values_cpu[g->type](n, g->scale, d, e, now.first, now.count, g->w);
}
#undef TRD
#undef MTR
