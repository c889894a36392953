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
    return (FN(reflectors)){.v = (const T *)g->b + first * (g->ld + 1) + 1,
                            .tau = (const T *)g->tau + first,
                            .ld = (int32_t)g->ld,
                            .rows = (int32_t)left,
                            .count = (int32_t)(left < at_once(n) ? left : at_once(n))};
}

/* B := op(A) B with a triangle A of order m. */
static void FN(times)(const char *uplo, const char *ta, const char *diag, int32_t m, int32_t n,
                      const T *a, int32_t lda, T *b, int32_t ldb)
{
    const T one = 1;
    LAPACK(trmm_)("L", uplo, ta, diag, &m, &n, &one, a, &lda, b, &ldb);
}

/* S, leading dimension `count`, upper triangular: of FEW reflectors by LAPACK, then joined. */
static void FN(make_S)(const FN(reflectors) *x, T *S)
{
    const int32_t lds = x->count;
    for (int32_t from = 0; from < x->count; from += FEW) {
        const int32_t few = x->count - from < FEW ? x->count - from : FEW, rows = x->rows - from;
        LAPACK(larft_)("F", "C", &rows, &few, x->v + (int64_t)from * (x->ld + 1), &x->ld,
                       x->tau + from, S + (int64_t)from * (lds + 1), &lds);
        if (from > 0)
            FN(join)(x->rows, x->ld, x->v, from, few, S, lds);
    }
}

/* e: the row of the first one's leading 1; W: count x k. */
static void FN(apply_all)(const FN(reflectors) *x, const T *S, int32_t k, T *e, int32_t lde, T *W)
{
    const int32_t w = x->count, below = x->rows - w, ldw = w;
    const T *V2 = x->v + w;
    for (int64_t c = 0; c < k; c++)
        memcpy(W + c * ldw, e + c * lde, (size_t)w * sizeof *W);
    FN(times)("L", "C", "U", w, k, x->v, x->ld, W, ldw);
    FN(multiply)("C", "N", w, k, below, 1, V2, x->ld, e + w, lde, 1, W, ldw);
    FN(times)("U", "N", "N", w, k, S, w, W, ldw);
    FN(multiply)("N", "N", below, k, w, -1, V2, x->ld, W, ldw, 1, e + w, lde);
    FN(times)("L", "N", "U", w, k, x->v, x->ld, W, ldw);
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
    for (int64_t first = (g->n - 2) / most * most; first < g->n - 1 && first >= 0 && !stopped(g);
         first -= most) {
        const FN(reflectors) x = FN(reflectors_of)(g, first);
        FN(make_S)(&x, S);
        FN(apply_all)(&x, S, (int32_t)k, (T *)e + first + 1, (int32_t)lde, S + most * most);
    }
    free(S);
    return ORR_OK;
}
