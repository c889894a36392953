/* After the sweeps of gesvj, for one scalar type T (real type R); see gesvj.h.
 *
 * After gesvj_start.inc.c. SPDX-License-Identifier: BSD-3-Clause */

/* A column of X after the sweeps. */
typedef struct {
    int64_t block, at; /* columns of X[block], J[block] */
    double norm;
    int padding;
} FN(column);

static int FN(by_norm)(const void *a, const void *b)
{
    const FN(column) *x = a, *y = b;
    if (x->padding != y->padding)
        return x->padding - y->padding;
    if (x->norm != y->norm)
        return x->norm < y->norm ? 1 : -1;
    const int64_t i = x->block - y->block, j = x->at - y->at;
    return i ? (i > 0) - (i < 0) : (j > 0) - (j < 0);
}

/* Padding columns are zero in X; in J too, where the others are unit vectors rotated. */
static int FN(is_zero)(int64_t rows, const T *x)
{
    for (int64_t i = 0; i < rows; i++)
        if (x[i] != 0)
            return 0;
    return 1;
}

static FN(column) *FN(sorted_columns)(const orr_gesvj_args *g, const orr_gesvj_shape *s,
                                      void *const *X, void *const *J)
{
    FN(column) *c = malloc(sizeof *c * (size_t)(s->blocks * g->nb));
    if (!c)
        return NULL;
    for (int64_t b = 0, k = 0; b < s->blocks; b++)
        for (int64_t j = 0; j < g->nb; j++, k++)
            c[k] =
                (FN(column)){.block = b,
                             .at = j,
                             .norm = FN(norm)(s->rows, (const T *)X[b] + j * s->rows),
                             .padding = J && FN(is_zero)(s->small, (const T *)J[b] + j * s->small)};
    qsort(c, (size_t)(s->blocks * g->nb), sizeof *c, FN(by_norm));
    return c;
}

/* W, rows x small: the columns of X normalised, completed where they are too short. */
static T *FN(normalised)(const orr_gesvj_shape *s, void *const *X, const FN(column) *c)
{
    const double least = FN(least_length)();
    T *W = malloc(sizeof(T) * (size_t)(s->rows * s->small));
    int64_t rank = 0;
    for (; W && rank < s->small && c[rank].norm > least; rank++) {
        const T *x = (const T *)X[c[rank].block] + c[rank].at * s->rows;
        for (int64_t i = 0; i < s->rows; i++)
            W[rank * s->rows + i] = x[i] / (R)c[rank].norm;
    }
    if (W && rank < s->small && FN(complete)(s->rows, s->small, rank, W) != ORR_OK) {
        free(W);
        return NULL;
    }
    return W;
}

/* out := P M: row i of M to row pivot[i]. */
static void FN(put_permuted)(int64_t n, const int32_t *pivot, const T *M, T *out, int64_t ld)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            out[j * ld + pivot[i] - 1] = M[j * n + i];
}

/* out := Q out, with the reflectors of an m x n matrix. */
static orr_status FN(apply_q)(int64_t m_, int64_t n_, const T *reflectors, const T *scalars, T *out,
                              int64_t ld)
{
    const int32_t m = (int32_t)m_, n = (int32_t)n_, l = (int32_t)ld, query = -1;
    int32_t info;
    T answer;
#if IS_COMPLEX
#define UNMQR LAPACK(unmqr_)
#else
#define UNMQR LAPACK(ormqr_)
#endif
    UNMQR("L", "N", &m, &n, &n, reflectors, &m, scalars, out, &l, &answer, &query, &info);
    const int32_t size = FN(size_of_work)(answer);
    T *work = malloc(sizeof(T) * (size_t)size);
    if (work)
        UNMQR("L", "N", &m, &n, &n, reflectors, &m, scalars, out, &l, work, &size, &info);
#undef UNMQR
    free(work);
    return work ? ORR_OK : ORR_E_NOMEM;
}

/* small x small: columns of `blocks`, one below the other, in the order of c. */
static T *FN(gathered)(const orr_gesvj_shape *s, void *const *blocks, const FN(column) *c)
{
    T *M = malloc(sizeof(T) * (size_t)(s->small * s->small));
    for (int64_t j = 0; M && j < s->small; j++)
        memcpy(M + j * s->small, (const T *)blocks[c[j].block] + c[j].at * s->small,
               sizeof(T) * (size_t)s->small);
    return M;
}

/* J := L^-1 X, its columns made as long as they should be. Q2: L' in the upper triangle. */
static void FN(solve_j)(int64_t small, const T *Q2, T *J)
{
    const int32_t n = (int32_t)small;
    const T one = 1;
    LAPACK(trsm_)("L", "U", "C", "N", &n, &n, &one, Q2, &n, J, &n);
    for (int64_t j = 0; j < small; j++) {
        const R inverse = (R)(1 / FN(norm)(small, J + j * small));
        for (int64_t i = 0; i < small; i++)
            J[j * small + i] *= inverse;
    }
}

/* The vectors on B's left, with preconditioning Q [W; 0], else, or directly of a
 * square B, W. */
static orr_status FN(put_left)(const orr_gesvj_args *g, const orr_gesvj_shape *s, const T *factors,
                               const int32_t *head, void *const *X, const FN(column) *c, T *left,
                               int64_t ld)
{
    const int plain = !g->precondition || (head[ORR_GESVJ_DIRECT] && s->big == s->small);
    T *W = FN(normalised)(s, X, c);
    if (!W)
        return ORR_E_NOMEM;
    for (int64_t j = 0; j < s->small; j++) {
        memcpy(left + j * ld, W + j * s->rows, sizeof(T) * (size_t)s->rows);
        memset(left + j * ld + s->rows, 0, sizeof(T) * (size_t)(s->big - s->rows));
    }
    free(W);
    return plain ? ORR_OK
                 : FN(apply_q)(s->big, s->small, factors, factors + s->big * s->small, left, ld);
}

/* Those on its right, P Q2 J or P J. */
static orr_status FN(put_right)(const orr_gesvj_args *g, const orr_gesvj_shape *s, const T *factors,
                                const int32_t *head, void *const *X, void *const *J,
                                const FN(column) *c, T *right, int64_t ld)
{
    const T *Q2 = factors + (s->big + 1) * s->small;
    T *M = FN(gathered)(s, head[ORR_GESVJ_ACCUMULATES] ? J : X, c);
    orr_status status = M ? ORR_OK : ORR_E_NOMEM;
    if (M && !head[ORR_GESVJ_ACCUMULATES])
        FN(solve_j)(s->small, Q2, M);
    if (M && g->precondition && !head[ORR_GESVJ_DIRECT])
        status = FN(apply_q)(s->small, s->small, Q2, Q2 + s->small * s->small, M, s->small);
    if (status == ORR_OK)
        FN(put_permuted)(s->small, head + ORR_GESVJ_PIVOTS, M, right, ld);
    free(M);
    return status;
}

static orr_status FN(orr_gesvj_finish_cpu)(const orr_gesvj_args *g, const void *factors,
                                           const int32_t *head, void *const *X, void *const *J,
                                           void *s_, void *u_, void *v_)
{
    const orr_gesvj_shape s = orr_gesvj_shape_of(g);
    R *values = s_;
    T *U = g->left ? u_ : NULL, *V = g->right ? v_ : NULL;
    if (!head[ORR_GESVJ_FINITE]) {
        FN(all_nan)(g, values, U, V);
        return ORR_OK;
    }
    if (s.small == 0)
        return ORR_OK;
    FN(column) *c = FN(sorted_columns)(g, &s, X, head[ORR_GESVJ_ACCUMULATES] ? J : NULL);
    if (!c)
        return ORR_E_NOMEM;
    for (int64_t i = 0; i < s.small; i++)
        values[i] = (R)ldexp(c[i].norm, -head[ORR_GESVJ_SHIFT]);

    /* B = left S right' */
    T *left = s.transposed ? V : U, *right = s.transposed ? U : V;
    const int64_t ld_left = s.transposed ? g->ldv : g->ldu;
    const int64_t ld_right = s.transposed ? g->ldu : g->ldv;
    orr_status status = ORR_OK;
    if (left)
        status = FN(put_left)(g, &s, factors, head, X, c, left, ld_left);
    if (right && status == ORR_OK)
        status = FN(put_right)(g, &s, factors, head, X, J, c, right, ld_right);
    free(c);
    return status;
}
