/* Body of gesvd_direct for one scalar type T (real type R); see gesvd_direct.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* Every matrix has a column of zeros behind it: OpenBLAS 0.3.21's zgemv reads one beyond it. The
 * workspace, where matrices are, too, has room for one. */
typedef struct {
    int32_t m, n, k;
    T *a, *u, *vt, *work;
    R *rwork;
    int32_t *iwork;
} FN(space);

static int FN(make)(const orr_gesvd_direct *g, FN(space) *x)
{
    const int64_t m = g->m, n = g->n, k = m < n ? m : n, most = m < n ? n : m;
    const int vectors = g->u || g->v;
    const int64_t real = vectors ? 5 * k * k + 5 * k + 2 * most * k + 2 * k * k + k : 7 * k;
    *x = (FN(space)){.m = (int32_t)m, .n = (int32_t)n, .k = (int32_t)k};
    x->a = calloc((size_t)(m * (n + 1)), sizeof *x->a);
    x->u = vectors ? calloc((size_t)(m * (k + 1)), sizeof *x->u) : NULL;
    x->vt = vectors ? calloc((size_t)(k * (n + 1)), sizeof *x->vt) : NULL;
    x->rwork = IS_COMPLEX ? malloc((size_t)real * sizeof *x->rwork) : NULL;
    x->iwork = malloc((size_t)(8 * k) * sizeof *x->iwork);
    return x->a && (!vectors || (x->u && x->vt)) && (!IS_COMPLEX || x->rwork) && x->iwork;
}

static int32_t FN(gesdd)(const orr_gesvd_direct *g, FN(space) *x, T *work, int32_t lwork)
{
    const char *jobz = x->u ? "S" : "N";
    int32_t info;
    LAPACK(gesdd_)(jobz, &x->m, &x->n, x->a, &x->m, g->s, x->u, &x->m, x->vt, &x->k, work, &lwork,
#if IS_COMPLEX
                   x->rwork,
#endif
                   x->iwork, &info);
    return info;
}

static void FN(deliver)(const orr_gesvd_direct *g, const FN(space) *x)
{
    T *u = g->u, *v = g->v;
    R *s = g->s;
    for (int32_t i = 0; i < x->k; i++)
        s[i] = RABS(s[i]) * (R)(1 / g->scale); /* no -0 */
    for (int32_t j = 0; u && j < x->k; j++)
        memcpy(u + j * g->ldu, x->u + (int64_t)j * x->m, (size_t)x->m * sizeof *u);
    for (int32_t j = 0; v && j < x->k; j++)
        for (int32_t i = 0; i < x->n; i++)
            v[j * g->ldv + i] = CONJ(x->vt[(int64_t)i * x->k + j]);
}

static orr_status FN(orr_gesvd_direct_cpu)(const orr_gesvd_direct *g)
{
    FN(space) x;
    T size = 0;
    orr_status st = ORR_E_NOMEM;
    if (FN(make)(g, &x) && FN(gesdd)(g, &x, &size, -1) == 0) {
        /* in single precision the size comes back rounded, perhaps down */
        const int32_t lwork = (int32_t)((double)REAL(size) * (1 + (double)EPS)) + 1;
        const int32_t column = x.m > x.n ? x.m : x.n;
        x.work = malloc(((size_t)lwork + (size_t)column) * sizeof *x.work);
        const R *a = g->a;
        const int parts = 1 + IS_COMPLEX;
        for (int64_t j = 0; j < g->n; j++)
            for (int64_t i = 0; i < parts * g->m; i++)
                ((R *)x.a)[parts * j * g->m + i] = a[parts * j * g->lda + i] * (R)g->scale;
        if (x.work)
            st = FN(gesdd)(g, &x, x.work, lwork) == 0 ? ORR_OK : ORR_NOCONV;
        if (x.work)
            FN(deliver)(g, &x);
        free(x.work);
    }
    free(x.a);
    free(x.u);
    free(x.vt);
    free(x.rwork);
    free(x.iwork);
    return st;
}
