/* E := Q E of the reflectors that sytrd leaves below a lower triangle, for one scalar type T; see
 * heev_reduce.h. Many of them at a time are I - V S V' (LAPACK's larfb):
 *
 *     V = 1         V1, a triangle      W := V1' E1 + V2' E2        W := S W
 *         v 1                           E2 := E2 - V2 W             E1 := E1 - V1 W
 *         v v 1
 *         v v v     V2
 *         v v v
 *
 * Products have a longer inner side than with LAPACK's 32. S of so many is made of those of a few.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* `count` reflectors; the first has `rows` rows from its leading 1 on. */
typedef struct {
    const T *v, *tau;
    int32_t ld, rows, count;
} FN(reflectors);

static FN(reflectors) FN(reflectors_of)(const orr_heev_reduction *g, int64_t first)
{
    const int64_t n = g->n, left = n - 1 - first;
    return (FN(reflectors)){.v = (const T *)g->b + first * (n + 1) + 1,
                            .tau = (const T *)g->tau + first,
                            .ld = (int32_t)n,
                            .rows = (int32_t)left,
                            .count = (int32_t)(left < at_once(n) ? left : at_once(n))};
}

static void FN(gemm)(const char *ta, int32_t m, int32_t n, int32_t k, T alpha, const T *a,
                     int32_t lda, const T *b, int32_t ldb, T *c, int32_t ldc)
{
    const T one = 1;
    if (m > 0 && n > 0 && k > 0)
        LAPACK(gemm_)(ta, "N", &m, &n, &k, &alpha, a, &lda, b, &ldb, &one, c, &ldc);
}

/* B := op(A) B, or B op(A) on the right; A triangular of order n, times alpha. */
static void FN(trmm)(const char *side, const char *uplo, const char *ta, const char *diag,
                     int32_t m, int32_t n, T alpha, const T *a, int32_t lda, T *b, int32_t ldb)
{
    LAPACK(trmm_)(side, uplo, ta, diag, &m, &n, &alpha, a, &lda, b, &ldb);
}

/* S, leading dimension `count`, upper triangular: of FEW reflectors by LAPACK, and between those before
 * and these S := -S1 (V1' V2) S2. */
static void FN(make_S)(const FN(reflectors) *x, T *S)
{
    const int32_t lds = x->count;
    for (int32_t from = 0; from < x->count; from += FEW) {
        const int32_t few = x->count - from < FEW ? x->count - from : FEW, rows = x->rows - from;
        const T *v = x->v + (int64_t)from * (x->ld + 1), *before = x->v + from;
        T *own = S + (int64_t)from * (lds + 1), *s = S + (int64_t)from * lds;
        LAPACK(larft_)("F", "C", &rows, &few, v, &x->ld, x->tau + from, own, &lds);
        for (int32_t c = 0; c < few; c++)
            for (int32_t r = 0; r < from; r++)
                s[c * lds + r] = CONJ(before[(int64_t)r * x->ld + c]);
        if (from == 0)
            continue;
        FN(trmm)("R", "L", "N", "U", from, few, 1, v, x->ld, s, lds);
        FN(gemm)("C", from, few, rows - few, 1, before + few, x->ld, v + few, x->ld, s, lds);
        FN(trmm)("R", "U", "N", "N", from, few, -1, own, lds, s, lds);
        FN(trmm)("L", "U", "N", "N", from, few, 1, S, lds, s, lds);
    }
}

/* e: the row of the first one's leading 1; W: count x k. */
static void FN(apply_all)(const FN(reflectors) *x, const T *S, int32_t k, T *e, int32_t lde, T *W)
{
    const int32_t w = x->count, below = x->rows - w, ldw = w;
    const T *V2 = x->v + w;
    for (int64_t c = 0; c < k; c++)
        memcpy(W + c * ldw, e + c * lde, (size_t)w * sizeof *W);
    FN(trmm)("L", "L", "C", "U", w, k, 1, x->v, x->ld, W, ldw);
    FN(gemm)("C", w, k, below, 1, V2, x->ld, e + w, lde, W, ldw);
    FN(trmm)("L", "U", "N", "N", w, k, 1, S, w, W, ldw);
    FN(gemm)("N", below, k, w, -1, V2, x->ld, W, ldw, e + w, lde);
    FN(trmm)("L", "L", "N", "U", w, k, 1, x->v, x->ld, W, ldw);
    for (int64_t c = 0; c < k; c++)
        for (int64_t r = 0; r < w; r++)
            e[c * lde + r] -= W[c * ldw + r];
}

static orr_status FN(orr_heev_back_cpu)(const orr_heev_reduction *g, int64_t k, void *e,
                                        int64_t lde)
{
    const int64_t most = at_once(g->n);
    T *S = malloc((size_t)(most * (most + k)) * sizeof *S);
    if (!S)
        return ORR_E_NOMEM;
    for (int64_t first = (g->n - 2) / most * most; first >= 0; first -= most) {
        const FN(reflectors) x = FN(reflectors_of)(g, first);
        FN(make_S)(&x, S);
        FN(apply_all)(&x, S, (int32_t)k, (T *)e + first + 1, (int32_t)lde, S + most * most);
    }
    free(S);
    return ORR_OK;
}
