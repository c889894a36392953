/* One-sided Jacobi on as many small matrices as a vector has lanes; the body for one scalar type
 * and one instruction set. Element (i,j) of all matrices is one vector (two when complex).
 *
 * The method is that of gesvj.h with blocks of one column: two QR factorizations by reflectors,
 * sweeps over the pairs of columns of X = L, tile by tile, the same rotations of J. What
 * differs from matrix to matrix is done lane by lane: which column is the pivot, the order of
 * singular values, columns for those that are zero. A lane whose matrix has converged is left
 * alone, so that nothing depends on the other matrices.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "lanes_rotation.inc.c"

typedef struct {
    const orr_gesvj_args *g;
    orr_gesvj_shape shape;
    int64_t big, n;
    E *B;           /* big x n: Q as reflectors, R above them */
    E *Q2;          /* n x n: likewise, and L' */
    E *X, *J;       /* n x n */
    E *left;        /* big x n */
    V *tau, *tau2;  /* of the reflectors */
    V *length;      /* of the columns of B that are left, squared; then of those of X */
    int32_t *pivot; /* [n][LANES] */
    int64_t *order; /* of one matrix */
    R *values;      /* likewise */
    T *scalars;     /* likewise, big x n */
    V inverse_tol, off2, sine;
    MASK active, rotated;
} VN(work);
#define WORK VN(work)

/* ---- Columns ------------------------------------------------------------------------------ */

LANES_INLINE V VN(add_square)(E x, V sum)
{
#if IS_COMPLEX
    sum = VN(fma)(x.im, x.im, sum);
#endif
    return VN(fma)(x.re, x.re, sum);
}

/* sum + conj(x) y */
LANES_INLINE E VN(add_product)(E x, E y, E sum)
{
    sum.re = VN(fma)(x.re, y.re, sum.re);
#if IS_COMPLEX
    sum.re = VN(fma)(x.im, y.im, sum.re);
    sum.im = VN(fma)(x.re, y.im, sum.im);
    sum.im = VN(fnma)(x.im, y.re, sum.im);
#endif
    return sum;
}

/* y - x w */
LANES_INLINE E VN(minus_product)(E x, E w, E y)
{
    y.re = VN(fnma)(x.re, w.re, y.re);
#if IS_COMPLEX
    y.re = VN(fma)(x.im, w.im, y.re);
    y.im = VN(fnma)(x.re, w.im, y.im);
    y.im = VN(fnma)(x.im, w.re, y.im);
#endif
    return y;
}

LANES_INLINE E VN(scaled)(E x, V f)
{
    x.re = x.re * f;
#if IS_COMPLEX
    x.im = x.im * f;
#endif
    return x;
}

LANES_INLINE E VN(real)(R x)
{
    E e = {0};
    e.re = VN(splat)(x);
    return e;
}

LANES_INLINE E VN(conjugate)(E x)
{
#if IS_COMPLEX
    x.im = -x.im;
#endif
    return x;
}

LANES_INLINE E VN(plus)(E x, E y)
{
    x.re = x.re + y.re;
#if IS_COMPLEX
    x.im = x.im + y.im;
#endif
    return x;
}

/* Where a column is so short that the square of its length has lost digits, 0. */
LANES_INLINE MASK VN(long_enough)(V length2) { return length2 > VN(splat)(SAFMIN / EPS); }

/* Two sums at a time: one would wait for itself. */
LANES_INLINE V VN(squares)(int64_t count, const E *x)
{
    V even = {0}, odd = {0};
    int64_t i = 0;
    for (; i + 2 <= count; i += 2) {
        even = VN(add_square)(x[i], even);
        odd = VN(add_square)(x[i + 1], odd);
    }
    if (i < count)
        even = VN(add_square)(x[i], even);
    return even + odd;
}

/* x'y */
LANES_INLINE E VN(dot)(int64_t count, const E *x, const E *y)
{
    E even = {0}, odd = even;
    int64_t i = 0;
    for (; i + 2 <= count; i += 2) {
        even = VN(add_product)(x[i], y[i], even);
        odd = VN(add_product)(x[i + 1], y[i + 1], odd);
    }
    if (i < count)
        even = VN(add_product)(x[i], y[i], even);
    return VN(plus)(even, odd);
}

#include "gesvj_lanes_qr.inc.c"

/* ---- Sweeps ------------------------------------------------------------------------------- */

LANES_INLINE void VN(rotate_pair)(int64_t n, E *x, E *y, ROTATION g)
{
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
        E x0 = x[i], x1 = x[i + 1], y0 = y[i], y1 = y[i + 1];
        VN(rotate)(&x0, &y0, g, 0);
        VN(rotate)(&x1, &y1, g, 0);
        x[i] = x0, x[i + 1] = x1, y[i] = y0, y[i + 1] = y1;
    }
    if (i < n)
        VN(rotate)(&x[i], &y[i], g, 0);
}

/* |f a|^2 / (dp dq); 0 where one of them is too short. */
LANES_INLINE V VN(quotient)(E a, V dp, V dq, V f)
{
    const V one = VN(splat)(1), p = one / dp, q = one / dq;
    const V re = a.re * f;
    V x = (re * p) * (re * q);
#if IS_COMPLEX
    const V im = a.im * f;
    x = x + (im * p) * (im * q);
#endif
    return (V)((MASK)x & VN(long_enough)(dp) & VN(long_enough)(dq));
}

/* Of the Gram matrix of two columns. */
typedef struct {
    V p, q;
    E qp;
} VN(entries);

LANES_INLINE VN(entries) VN(add_entries)(E xp, E xq, VN(entries) sum)
{
    sum.qp = VN(add_product)(xq, xp, sum.qp);
    sum.p = VN(add_square)(xp, sum.p);
    sum.q = VN(add_square)(xq, sum.q);
    return sum;
}

/* The rotation of columns p and q of X. Returns 0 if no lane has one. */
LANES_INLINE int VN(find_pair)(WORK *w, int64_t p, int64_t q, ROTATION *g)
{
    const int64_t n = w->n;
    const E *xp = w->X + p * n, *xq = w->X + q * n;
    VN(entries) even = {0}, odd = even;
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
        even = VN(add_entries)(xp[i], xq[i], even);
        odd = VN(add_entries)(xp[i + 1], xq[i + 1], odd);
    }
    if (i < n)
        even = VN(add_entries)(xp[i], xq[i], even);
    const E aqp = VN(plus)(even.qp, odd.qp);
    V dp = even.p + odd.p, dq = even.q + odd.q;
    const V off2 = VN(quotient)(aqp, dp, dq, w->inverse_tol);
    const MASK on = (off2 > VN(splat)(1)) & w->active;
    w->off2 = VN(larger)((V)((MASK)off2 & w->active), w->off2);
    if (!LANE(any)((V)on))
        return 0;
    *g = VN(find_rotation)(aqp, &dp, &dq, on);
    w->sine = VN(larger)(VN(magnitude)(g->s), w->sine);
    w->rotated |= on;
    return 1;
}

/* The pairs of a column from `first` on with one from `second` on, TILE of each, or of those with
 * each other, in rounds of pairs that are disjoint: the angles of a round do not wait for each
 * other. J follows when the tile is done, so that the columns of one of the two stay in the L1
 * cache. */
static void VN(tile)(WORK *w, int64_t first, int64_t second)
{
    ROTATION g[TILE * TILE];
    pair of[TILE * TILE];
    const int64_t n = w->n;
    int64_t count = 0;
    const pair *at = first == second ? inside : across;
    const int rounds = first == second ? TILE - 1 : TILE;
    const int each = first == second ? TILE / 2 : TILE;
    for (int r = 0; r < rounds; r++, at += each) {
        const int64_t before = count;
        for (int i = 0; i < each; i++) {
            const pair x = {first + at[i].p, second + at[i].q};
            if (x.q < n && VN(find_pair)(w, x.p, x.q, &g[count]))
                of[count++] = x;
        }
        for (int64_t i = before; i < count; i++)
            VN(rotate_pair)(n, w->X + of[i].p * n, w->X + of[i].q * n, g[i]);
    }
    for (int64_t i = 0; w->J && i < count; i++)
        VN(rotate_pair)(n, w->J + of[i].p * n, w->J + of[i].q * n, g[i]);
}

/* Until no lane has anything to rotate, each with the rule of its own. */
static void VN(sweeps)(WORK *w, int64_t count, orr_matrix_info *info)
{
    const int32_t most = w->g->max_sweeps > 0 ? w->g->max_sweeps : 30;
    const double tol = 1 / (double)w->inverse_tol[0];
    MASK settled = {0};
    for (int32_t k = 0; k < most && LANE(any)((V)w->active); k++) {
        const MASK last = settled;
        w->off2 = w->sine = (V){0};
        w->rotated = (MASK){0};
        for (int64_t p = 0; p < w->n; p += TILE)
            for (int64_t q = p; q < w->n; q += TILE)
                VN(tile)(w, p, q);
        for (int64_t lane = 0; lane < count; lane++) {
            if (!w->active[lane])
                continue;
            const orr_gesvj_seen seen = {.off = tol * sqrt((double)w->off2[lane]),
                                         .sine = (double)w->sine[lane],
                                         .rotated = w->rotated[lane] != 0};
            info[lane].sweeps += seen.rotated > 0;
            info[lane].off = seen.off;
            settled[lane] |= orr_gesvj_settled(&seen, w->n, tol) ? -1 : 0;
            if (last[lane] || seen.rotated == 0)
                w->active[lane] = 0;
        }
    }
    for (int64_t lane = 0; lane < count; lane++)
        if (info[lane].status == ORR_OK && !settled[lane])
            info[lane].status = ORR_NOCONV;
}

/* ---- One group of matrices ----------------------------------------------------------------- */

/* Matrix `lane`, scaled; returns the power of two. Zero if it is not finite. */
static int VN(gather)(WORK *w, const T *a, int64_t lane, orr_matrix_info *info)
{
    int shift = 0;
    const int finite = FN(inspect)(w->g, a, &shift, info);
    info->method = ORR_METHOD_JACOBI;
    w->active[lane] = finite ? -1 : 0;
    if (!finite)
        return 0;
    info->norm = ldexp(FN(load_scaled)(w->g, &w->shape, a, shift, w->scalars), -shift);
    R *to = (R *)w->B + lane;
    for (int64_t i = 0; i < w->big * w->n; i++, to += (1 + IS_COMPLEX) * LANES) {
        to[0] = REAL(w->scalars[i]);
#if IS_COMPLEX
        to[LANES] = IMAG(w->scalars[i]);
#endif
    }
    return shift;
}

/* One matrix's columns of M, rows x n, in their order, row i to row[i * LANES] (NULL: i). */
static void VN(scatter)(const WORK *w, int64_t rows, const E *M, int64_t lane, const int32_t *row,
                        T *out, int64_t ld)
{
    for (int64_t j = 0; j < w->n; j++) {
        const R *from = (const R *)(M + w->order[j] * rows) + lane;
        R *to = (R *)(out + j * ld);
        for (int64_t i = 0; i < rows; i++, from += (1 + IS_COMPLEX) * LANES) {
            const int64_t at = (row ? row[i * LANES] : i) * (1 + IS_COMPLEX);
            to[at] = from[0];
#if IS_COMPLEX
            to[at + 1] = from[LANES];
#endif
        }
    }
}

/* length := those of the columns of X, without a square that is out of range. */
static void VN(lengths)(WORK *w)
{
    for (int64_t j = 0; j < w->n; j++) {
        const E *x = w->X + j * w->n;
        V top = {0}, sum = {0};
        for (int64_t i = 0; i < w->n; i++) {
            top = VN(larger)(VN(magnitude)(x[i].re), top);
#if IS_COMPLEX
            top = VN(larger)(VN(magnitude)(x[i].im), top);
#endif
        }
        const V power = VN(binade)(top), inverse = VN(inverse_binade)(power);
        for (int64_t i = 0; i < w->n; i++)
            sum = VN(add_square)(VN(scaled)(x[i], inverse), sum);
        w->length[j] = LANE(sqrt)(sum) * power;
    }
}

/* The order of a lane's columns, and how many are long enough to be singular vectors. */
static int64_t VN(order_columns)(WORK *w, int64_t lane)
{
    const double least = FN(least_length)();
    int64_t rank = 0;
    for (int64_t j = 0; j < w->n; j++) {
        w->values[j] = w->length[j][lane];
        rank += (double)w->values[j] > least;
    }
    FN(descending)(w->n, w->values, w->order);
    return rank;
}

/* Columns of X := those of W, which complete the basis where they were too short. */
static orr_status VN(normalise)(WORK *w, int64_t count)
{
    const int64_t n = w->n;
    const V least = VN(splat)((R)FN(least_length)());
    for (int64_t j = 0; j < n; j++) {
        const V inverse = (V)((MASK)(VN(splat)(1) / w->length[j]) & (w->length[j] > least));
        for (int64_t i = 0; i < n; i++)
            w->X[j * n + i] = VN(scaled)(w->X[j * n + i], inverse);
    }
    for (int64_t lane = 0; lane < count; lane++) {
        const int64_t rank = VN(order_columns)(w, lane);
        if (rank == n)
            continue;
        VN(scatter)(w, n, w->X, lane, NULL, w->scalars, n);
        const orr_status status = FN(complete)(n, n, rank, w->scalars);
        if (status != ORR_OK)
            return status;
        for (int64_t j = rank; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
                R *to = (R *)(w->X + w->order[j] * n + i) + lane;
                to[0] = REAL(w->scalars[j * n + i]);
#if IS_COMPLEX
                to[LANES] = IMAG(w->scalars[j * n + i]);
#endif
            }
    }
    return ORR_OK;
}

static orr_status VN(make_left)(WORK *w, int64_t count)
{
    const orr_status status = VN(normalise)(w, count);
    if (status != ORR_OK)
        return status;
    for (int64_t j = 0; j < w->n; j++)
        for (int64_t i = 0; i < w->big; i++)
            w->left[j * w->big + i] = i < w->n ? w->X[j * w->n + i] : (E){0};
    VN(apply_q)(w->big, w->n, w->B, w->tau, w->left);
    return ORR_OK;
}

/* Matrices first .. first+count, count <= LANES, start to finish. */
static orr_status VN(group)(WORK *w, int64_t first, int64_t count, const T *a, R *s, T *u, T *v,
                            orr_matrix_info *info)
{
    const orr_gesvj_args *g = w->g;
    const int64_t n = w->n;
    int shift[LANE_BYTES / sizeof(R)];
    memset(w->B, 0, sizeof(E) * (size_t)(w->big * n));
    w->active = (MASK){0};
    info += first;
    for (int64_t lane = 0; lane < count; lane++)
        shift[lane] = VN(gather)(w, a + (first + lane) * g->stride, lane, info + lane);
    VN(pivoted_qr)(w);
    VN(second_qr)(w);
    for (int64_t i = 0; w->J && i < n * n; i++)
        w->J[i] = VN(real)(i % (n + 1) == 0);
    VN(sweeps)(w, count, info);
    VN(lengths)(w);

    /* B = left S right' */
    T *const out_left = w->shape.transposed ? v : u, *const out_right = w->shape.transposed ? u : v;
    if (out_left) {
        const orr_status status = VN(make_left)(w, count);
        if (status != ORR_OK)
            return status;
    }
    if (out_right)
        VN(apply_q)(n, n, w->Q2, w->tau2, w->J);
    for (int64_t lane = 0; lane < count; lane++) {
        const int64_t l = first + lane;
        T *const ul = u ? u + l * g->strideu : NULL, *const vl = v ? v + l * g->stridev : NULL;
        if (info[lane].status == ORR_NONFINITE) {
            FN(all_nan)(g, s + l * g->lds, ul, vl);
            continue;
        }
        VN(order_columns)(w, lane);
        for (int64_t j = 0; j < n; j++)
            s[l * g->lds + j] = (R)ldexp((double)w->values[w->order[j]], -shift[lane]);
        T *const left = w->shape.transposed ? vl : ul, *const right = w->shape.transposed ? ul : vl;
        const int64_t ld_left = w->shape.transposed ? g->ldv : g->ldu;
        const int64_t ld_right = w->shape.transposed ? g->ldu : g->ldv;
        if (left)
            VN(scatter)(w, w->big, w->left, lane, NULL, left, ld_left);
        if (right)
            VN(scatter)(w, n, w->J, lane, w->pivot + lane, right, ld_right);
    }
    return ORR_OK;
}

static orr_status VN(solve)(const orr_gesvj_args *g, const void *a, void *s, void *u, void *v,
                            orr_matrix_info *info)
{
    const orr_gesvj_shape shape = orr_gesvj_shape_of(g);
    const int64_t big = shape.big, n = shape.small;
    const int want_left = shape.transposed ? g->right : g->left;
    const int want_right = shape.transposed ? g->left : g->right;
    const size_t entries = (size_t)((1 + want_left) * big * n + (2 + want_right) * n * n);
    const size_t bytes = sizeof(E) * entries + sizeof(V) * (size_t)(3 * n) +
                         (size_t)n * (sizeof(int32_t) * (size_t)LANES + sizeof(int64_t)) +
                         sizeof(T) * (size_t)(big * n) + sizeof(R) * (size_t)n;
    char *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        return ORR_E_NOMEM;
    WORK w = {.g = g, .shape = shape, .big = big, .n = n};
    const orr_type type = sizeof(R) == sizeof(float) ? ORR_S : ORR_D;
    w.inverse_tol = VN(splat)((R)(1 / orr_gesvj_tolerance(type, g)));
    w.B = (E *)memory;
    w.Q2 = w.B + big * n;
    w.X = w.Q2 + n * n;
    E *next = w.X + n * n;
    w.J = want_right ? next : NULL;
    next += want_right ? n * n : 0;
    w.left = want_left ? next : NULL;
    next += want_left ? big * n : 0;
    w.tau = (V *)next;
    w.tau2 = w.tau + n;
    w.length = w.tau2 + n;
    w.pivot = (int32_t *)(w.length + n);
    w.order = (int64_t *)(w.pivot + n * LANES);
    w.scalars = (T *)(w.order + n);
    w.values = (R *)(w.scalars + big * n);
    orr_status status = ORR_OK;
    for (int64_t k = 0; k < g->count && status == ORR_OK; k += LANES)
        status = VN(group)(&w, k, g->count - k < LANES ? g->count - k : LANES, a, s, u, v, info);
    free(memory);
    return status;
}

#undef WORK
