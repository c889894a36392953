/* Body of gesvd_direct for one scalar type T (real type R); see gesvd_direct.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* Every matrix has a column of zeros behind it: OpenBLAS 0.3.21's zgemv reads one beyond it. The
 * workspace, where matrices are, too, has room for one. */
typedef struct {
    int32_t m, n, k, lda, ldvt; /* ldvt: of vt; lda: of the others */
    T *a, *u, *vt, *work;
    R *rwork;
    int32_t *iwork;
} FN(space);

/* Columns that lie a power of two apart would share few lines of the first cache: 256 x 256 doubles
 * take up to a fifth longer. */
static int32_t FN(apart)(int64_t rows)
{
    const int64_t line = 64 / (int64_t)sizeof(T);
    return (int32_t)(rows % (8 * line) ? rows : rows + line);
}

/* From `memory` on, if it is not NULL; how many bytes. */
static size_t FN(lay_out)(const orr_gesvd_direct *g, FN(space) *x, char *memory)
{
    const int64_t m = g->m, n = g->n, k = m < n ? m : n, most = m < n ? n : m;
    const int vectors = g->u || g->v;
    const int32_t lda = FN(apart)(m), ldvt = FN(apart)(k);
    const int64_t real = vectors ? 5 * k * k + 5 * k + 2 * most * k + 2 * k * k + k : 7 * k;
    const struct {
        void *at;
        int64_t bytes;
    } part[] = {{&x->a, lda * (n + 1) * (int64_t)sizeof(T)},
                {&x->u, vectors * lda * (k + 1) * (int64_t)sizeof(T)},
                {&x->vt, vectors * ldvt * (n + 1) * (int64_t)sizeof(T)},
                {&x->work, (g->lwork + most) * (int64_t)sizeof(T)},
                {&x->rwork, IS_COMPLEX * real * (int64_t)sizeof(R)},
                {&x->iwork, 8 * k * (int64_t)sizeof(int32_t)}};
    size_t bytes = 0;
    *x = (FN(space)){.m = (int32_t)m, .n = (int32_t)n, .k = (int32_t)k, .lda = lda, .ldvt = ldvt};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        char *here = memory && part[i].bytes ? memory + bytes : NULL;
        memcpy(part[i].at, &here, sizeof here);
        bytes += (size_t)(part[i].bytes + 63) / 64 * 64;
    }
    return bytes;
}

static int32_t FN(gesdd)(const orr_gesvd_direct *g, FN(space) *x, T *work, int32_t lwork)
{
    const char *jobz = g->u || g->v ? "S" : "N";
    int32_t info;
    LAPACK(gesdd_)(jobz, &x->m, &x->n, x->a, &x->lda, g->s, x->u, &x->lda, x->vt, &x->ldvt, work,
                   &lwork,
#if IS_COMPLEX
                   x->rwork,
#endif
                   x->iwork, &info);
    return info;
}

static size_t FN(bytes)(orr_gesvd_direct *g)
{
    FN(space) x;
    T size = 0;
    FN(lay_out)(g, &x, NULL);
    FN(gesdd)(g, &x, &size, -1);
    /* in single precision the size comes back rounded, perhaps down */
    g->lwork = (int32_t)((double)REAL(size) * (1 + (double)EPS)) + 1;
    return FN(lay_out)(g, &x, NULL);
}

static void FN(deliver)(const orr_gesvd_direct *g, const FN(space) *x)
{
    T *u = g->u, *v = g->v;
    R *s = g->s;
    for (int32_t i = 0; i < x->k; i++)
        s[i] = RABS(s[i]) * (R)orr_gesvd_back(g); /* no -0 */
    for (int32_t j = 0; u && j < x->k; j++)
        memcpy(u + j * g->ldu, x->u + (int64_t)j * x->lda, (size_t)x->m * sizeof *u);
    for (int32_t j = 0; v && j < x->k; j++)
        for (int32_t i = 0; i < x->n; i++)
            v[j * g->ldv + i] = CONJ(x->vt[(int64_t)i * x->ldvt + j]);
}

static orr_status FN(orr_gesvd_direct_cpu)(const orr_gesvd_direct *g, void *memory)
{
    if (orr_gesvd_small_takes(g))
        return orr_gesvd_small(g, memory);
    FN(space) x;
    FN(lay_out)(g, &x, memory);
    const int64_t m = x.m, n = x.n, k = x.k;
    const R *a = g->a;
    const int parts = 1 + IS_COMPLEX;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < parts * m; i++)
            ((R *)x.a)[parts * j * x.lda + i] = a[parts * j * g->lda + i] * (R)g->scale;
    memset(x.a + x.lda * n, 0, (size_t)m * sizeof(T));
    if (x.u) {
        memset(x.u + x.lda * k, 0, (size_t)m * sizeof(T));
        memset(x.vt + x.ldvt * n, 0, (size_t)k * sizeof(T));
    }
    const orr_status st = FN(gesdd)(g, &x, x.work, g->lwork) == 0 ? ORR_OK : ORR_NOCONV;
    FN(deliver)(g, &x);
    return st;
}
