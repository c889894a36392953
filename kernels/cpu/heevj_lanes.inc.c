/* Tridiagonalisation and QL on as many Hermitian matrices as GROUPS vectors have lanes; the body
 * for one scalar type and one instruction set.
 *
 *   tridiagonal   A = Q T Q' by Householder, a matrix per lane: no sums across lanes, no branches
 *   QL, values    the eigenvalues of T without roots (Pal, Walker, Kahan), a matrix per lane
 *   QL, rotations the first shift of every block is the eigenvalue found there before: half as
 *                 many rotations as with Wilkinson's shifts alone. Each lane rotates its own
 *                 block; they are kept in a list
 *   turn          per matrix, rows across lanes: Z := I times its rotations, two sweeps at a time
 *   reflect       per matrix, columns across lanes: Q Z, columns in the order of the values
 *
 * The first half works on (i,j) of LANES matrices as one vector (complex: two). T stands from the
 * bottom up, row i of T is n-1-i of A: graded matrices need fewer rotations. An entry e of T counts
 * as zero if |e| <= eps/2 (|d_i| + |d_i+1|) + 4 eps sqrt(|T|_F^2 / n).
 *
 * Sources: J. H. Wilkinson, C. Reinsch, Handbook for Automatic Computation II, 1971 (tred, tql);
 * B. N. Parlett, The Symmetric Eigenvalue Problem, 1980, section 8-15 (Pal, Walker, Kahan).
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "lanes_rotation.inc.c"
#include "lanes_elements.inc.c"
#include "lanes_transpose.inc.c"
#include "lanes_turn.inc.c"
#include "lanes_reflect.inc.c"

#undef M
#undef IS_SINGLE
#undef OF
#undef OF_INT
#undef WORDS
#undef BITS_PER_WORD
#undef LEAST_FLOOR
#undef LEAST_P
#undef TINY_PAIR
#undef TINY_ENTRY
#undef TINY_COLUMN
#define IS_SINGLE    (sizeof(R) == sizeof(float))
#define M            (GROUPS * (int)LANES)
#define OF(x, m)     (((R *)(x))[m]) /* the number of matrix m in a row */
#define OF_INT(x, m) (((LANE_INT *)(x))[m])

/* Squares of a column, of an entry, of a pair below these have lost digits; the matrix is of order
 * 1, or as large as a denormal one could be made. The least p of QL without roots is the last. */
#define TINY_COLUMN ((R)(IS_SINGLE ? 0x1p-80 : 0x1p-900))
#define TINY_ENTRY  ((R)(IS_SINGLE ? 0x1p-110 : 0x1p-960))
#define TINY_PAIR   ((R)(IS_SINGLE ? 0x1p-110 : 0x1p-960))
#define LEAST_P     ((R)(IS_SINGLE ? 0x1p-90 : 0x1p-600))
#define LEAST_FLOOR ((R)(IS_SINGLE ? 0x1p-45 : 0x1p-300))

/* Bits for the entries of e, in integers as wide as the numbers. */
#define BITS_PER_WORD ((int)(8 * sizeof(R)))
#define WORDS         (NMAX / BITS_PER_WORD)

typedef V VN(row)[GROUPS]; /* one number of each of M matrices */
typedef struct {
    VN(row) c, s;
} VN(turn); /* of columns i and i+1 */
typedef struct {
    MASK lo[GROUPS], hi[GROUPS];
    int64_t first, last, at;
} VN(window);

typedef struct {
    VN(row) d[NMAX], e[NMAX], values[NMAX], e2[NMAX];
    VN(row) floor; /* an e below is zero */
    bits small[M]; /* bit i: e[i] is negligible; from n-1 on always */
    int64_t sweeps;
    VN(window) sweep[SWEEPS]; /* each lane rotates lo <= i < hi, by list[at + i]; lo = hi: idle */
    VN(turn) list[TURNS];
} VN(ql);

/* For one chunk. */
typedef struct {
    int64_t n, ld; /* of A: n + 1, columns in different sets of the cache */
    E *A[GROUPS];
    E (*D)[NMAX]; /* the phases that make e real */
    VN(ql) *q;
    VN(turn1) *list;   /* of TOGETHER matrices, TURNS each */
    all_turns *turned; /* of each of them, by that list */
    R *Z, *U, *zt;     /* of one matrix; some columns */
    R scale[M];
} VN(small);

LANES_INLINE V VN(root)(V x) { return LANE(sqrt)(x); }
LANES_INLINE V VN(with_sign)(V x, V s) /* x >= 0 */
{
    return (V)((MASK)x | ((MASK)s & (MASK)VN(splat)((R)-0.0)));
}

#include "heevj_lanes_ql.inc.c"
#include "heevj_lanes_reflect.inc.c"

/* ---- A chunk --------------------------------------------------------------------------------- */

/* Scaled matrix k of the chunk becomes lane `lane` of A; zero if it is not finite. */
static R VN(gather)(const VN(small) *w, const orr_heevj_args *g, const T *a, E *A, int64_t lane,
                    orr_matrix_info *info)
{
    const FN(screened) s = FN(screen)(g, a);
    FN(info_start)(info, s, ORR_METHOD_LANES);
    info->off = NAN;
    for (int64_t j = 0; j < g->n; j++) {
        R *x = (R *)(A + j * w->ld) + lane;
        for (int64_t i = j; i < g->n; i++) {
            const T y = s.scale != 0 ? FN(lower_entry)(g, a, i, j) * s.scale : 0;
            x[i * PARTS * LANES] = REAL(y);
#if IS_COMPLEX
            x[(i * PARTS + 1) * LANES] = IMAG(y);
#endif
        }
    }
    return s.scale;
}

static void VN(scatter)(VN(small) *w, const orr_heevj_args *g, T *a, R *values, int m)
{
    const int64_t n = g->n;
    R d[NMAX];
    int64_t order[NMAX];
    if (w->scale[m] == 0) {
        FN(fill_nan)(g, a, values);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        d[i] = OF(w->q->d[i], m);
    FN(ascending)(n, d, order);
    for (int64_t i = 0; i < n; i++)
        values[i] = d[order[i]] * (1 / w->scale[m]) + (R)0;
    if (g->vectors) {
        VN(turn_all)(w, m);
        VN(back)(w, m, order, a, g->ld);
    }
}

/* At most M matrices, start to finish. */
static void VN(solve_group)(VN(small) *w, const orr_heevj_args *g, int64_t count, T *a, R *values,
                            orr_matrix_info *info)
{
    const int64_t n = g->n;
    VN(ql) *q = w->q;
    for (int k = 0; k < GROUPS; k++) {
        if (k * LANES >= count) { /* no matrix: T = 0 */
            for (int64_t i = 0; i < n; i++)
                q->d[i][k] = q->e[i][k] = q->e2[i][k] = VN(splat)(0);
            q->floor[k] = VN(splat)(LEAST_FLOOR);
            continue;
        }
        memset(w->A[k], 0, sizeof(E) * (size_t)(w->ld * n));
        for (int64_t lane = 0, m; lane < LANES && (m = k * LANES + lane) < count; lane++)
            w->scale[m] = VN(gather)(w, g, a + m * g->stride, w->A[k], lane, info + m);
        VN(tridiagonal)(n, w->ld, w->A[k], &q->d[0][k], &q->e[0][k], w->D[k]);
        V sum = q->d[n - 1][k] * q->d[n - 1][k];
        for (int64_t i = 0; i < n - 1; i++) {
            q->e2[i][k] = q->e[i][k] * q->e[i][k];
            sum += VN(fma)(q->d[i][k], q->d[i][k], q->e2[i][k] + q->e2[i][k]);
        }
        q->floor[k] = VN(larger)(4 * EPS * VN(root)(sum / (R)n), VN(splat)(LEAST_FLOOR));
    }
    uint64_t failed;
    if (g->vectors) {
        memcpy(q->values, q->d, sizeof *q->d * (size_t)n);
        VN(find_shifts)(q, n);
        failed = VN(find_rotations)(q, n);
    } else {
        failed = VN(find_values)(q, n);
    }
    for (int m = 0; m < count; m++) {
        if (g->vectors && m % TOGETHER == 0)
            VN(take_turns)(w, m);
        VN(scatter)(w, g, a + m * g->stride, values + m * g->ldw, m);
        if (w->scale[m] != 0 && failed >> m & 1)
            info[m].status = ORR_NOCONV;
    }
}

static orr_status VN(solve)(const orr_heevj_args *g, void *a_, void *w_, orr_matrix_info *info)
{
    const int64_t n = g->n;
    if (n == 0 || g->count == 0) {
        for (int64_t k = 0; k < g->count; k++) {
            FN(info_start)(info + k, (FN(screened)){1, 0}, ORR_METHOD_LANES);
            info[k].off = NAN;
        }
        return ORR_OK;
    }
    if (n > NMAX)
        return ORR_E_ARG;
    VN(small) w = {.n = n, .ld = n + 1};
    const size_t A = sizeof(E) * (size_t)(w.ld * n), D = sizeof(E) * GROUPS * NMAX;
    const size_t z = sizeof(R) * (size_t)(PADDED(n) * n), zt = 2 * sizeof(V) * PARTS * (size_t)n;
    const size_t u = sizeof(R) * (size_t)(n * (n + 1) * PARTS);
    const size_t list = sizeof *w.list * TURNS * TOGETHER, turned = sizeof *w.turned * TOGETHER;
    const size_t bytes = sizeof *w.q + GROUPS * A + D + z + zt + list + u + turned + 64;
    char *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        return ORR_E_NOMEM;
    w.q = (VN(ql) *)memory; /* what is made of vectors first */
    w.D = (E(*)[NMAX])(w.q + 1);
    w.A[0] = (E *)(w.D + GROUPS);
    w.A[1] = w.A[0] + w.ld * n;
    w.zt = (R *)(w.A[1] + w.ld * n);
    w.Z = w.zt + zt / sizeof(R);
    w.list = (VN(turn1) *)(w.Z + z / sizeof(R));
    w.U = (R *)(w.list + TURNS * TOGETHER);
    w.turned = (all_turns *)(w.U + n * (n + 1) * PARTS);
    T *a = a_;
    R *values = w_;
    for (int64_t k = 0; k < g->count; k += M) {
        const int64_t count = g->count - k < M ? g->count - k : M;
        VN(solve_group)(&w, g, count, a + k * g->stride, values + k * g->ldw, info + k);
    }
    free(memory);
    return ORR_OK;
}
