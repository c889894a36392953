/* Two-sided Jacobi on as many Hermitian matrices as a vector has lanes; the body for one
 * scalar type and one instruction set.
 *
 * Storage: element (i,j) of all the matrices is one vector (two when complex). A is the
 * strict lower triangle, packed by rows, and the real diagonal d; Q is cut into panels
 * of ROWS rows, column major within a panel.
 *
 * A sweep is m-1 rounds (m = n rounded up to even) of m/2 disjoint pairs, by the circle
 * method. In a round, first every pair's rotation is found from d and A (independent, so
 * that the divisions and roots overlap), then each 2 x 2 block of A where two pairs meet
 * is rotated from both sides in registers. Q waits: the rotations are kept in a list, and
 * applied once per sweep to one panel after the other, each of which fits the L1 cache.
 *
 * A lane that need not rotate gets the identity, which changes nothing but the signs of
 * zeros; those decide nothing and are cleared on output.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "lanes_rotation.inc.c"

/* Rows per panel of Q: as many as the registers hold. */
#define ROWS ((IS_COMPLEX ? 4 : 8) / (LANE_BYTES == 64 ? 1 : 2))

typedef struct {
    int64_t n;
    E *A;          /* (i,j), i > j, at row[i] + j */
    V *d;          /* the diagonal */
    E *Q;          /* NULL: values only */
    ROTATION *rot; /* the rotations that Q has not seen yet */
    pair *rot_pair;
    int64_t nrot, max_rot;
    pair *pairs; /* of all rounds; alone[round]: who has no partner, or -1 */
    int64_t *alone;
    int64_t *place; /* of this round's rotations in the list; -1: no lane rotates */
    int64_t *row;
    R *values; /* of one matrix */
    int64_t *order;
    MASK sign[2]; /* no bit; the sign bit */
    V inverse_tol, tol2;
    V floor; /* LEAST, or floor_indefinite where a matrix proved indefinite */
    V floor_indefinite;
} VN(work);
#define WORK VN(work)

/* Where the largest component is brought, as far as that takes no more than one power of two, and
 * the floor of definite matrices: what is between has room for 400 decades, 40 in single precision,
 * of graded entries, whose products and squares would have left the range. */
#define TOP_EXPONENT (sizeof(R) == sizeof(float) ? 40 : 400)
#define LEAST        (SAFMIN / EPS)

/* The two sides of the test of heevj.h, |a/tol|^2 and max(|dd|, floor^2) with dd = d_p d_q, all
 * divided by the square of one power of two, that below the larger of sqrt|d_p d_q| and floor. */
typedef struct {
    V b2, dd, limit;
} VN(sides);

LANES_INLINE VN(sides) VN(compare)(const WORK *w, E a, V dp, V dq)
{
    const MASK exponent = (MASK)VN(splat)((R)INFINITY), lowest = (MASK)VN(splat)(SAFMIN);
    const V p = VN(binade)(dp), q = VN(binade)(dq), one = VN(splat)(1);
    const UMASK sum = (UMASK)p + (UMASK)q; /* of the exponents; half of it may lose a factor of 2 */
    const V odd = (V)((MASK)one + ((MASK)sum & lowest)), half = (V)((MASK)(sum >> 1) & exponent);
    const V power = VN(larger)(half, VN(binade)(w->floor)), inverse = VN(inverse_binade)(power);
    const V shrink = half * inverse, floor = w->floor * inverse;
    VN(sides) s;
    s.dd = dp * VN(inverse_binade)(p) * (dq * VN(inverse_binade)(q)) * odd * shrink * shrink;
    s.limit = VN(larger)(VN(magnitude)(s.dd), floor * floor);
    a.re *= inverse;
#if IS_COMPLEX
    a.im *= inverse;
#endif
    s.b2 = VN(abs2_scaled)(a, w->inverse_tol);
    return s;
}

/* Which lanes rotate (p,q), in the sense of heevj.h. */
LANES_INLINE MASK VN(rotates)(WORK *w, E a, V dp, V dq)
{
    VN(sides) s = VN(compare)(w, a, dp, dq);
    const MASK raise = (s.b2 * w->tol2 > s.dd) & (w->floor < w->floor_indefinite);
    if (LANE(any)((V)raise)) {
        w->floor = VN(select)(raise, w->floor_indefinite, w->floor);
        s = VN(compare)(w, a, dp, dq);
    }
    return s.b2 > s.limit;
}

LANES_INLINE E VN(load)(const E *e, MASK sign)
{
    E x = *e;
#if IS_COMPLEX
    x.im = (V)((MASK)x.im ^ sign);
#else
    (void)sign;
#endif
    return x;
}

LANES_INLINE void VN(store)(E *e, E x, MASK sign) { *e = VN(load)(&x, sign); }

/* The block of A in the rows of pair x and the columns of pair y, where y.q < x.q; g and
 * f are their rotations, NULL if there is none. */
LANES_INLINE void VN(rotate_block)(const WORK *w, const pair *x, const pair *y, const ROTATION *g,
                                   const ROTATION *f)
{
    E *rowp = w->A + w->row[x->p], *rowq = w->A + w->row[x->q];
    E *e00 = x->p > y->p ? rowp + y->p : w->A + w->row[y->p] + x->p;
    E *e01 = x->p > y->q ? rowp + y->q : w->A + w->row[y->q] + x->p;
    E *e10 = rowq + y->p, *e11 = rowq + y->q;
    const MASK s0 = w->sign[x->p < y->p], s1 = w->sign[x->p < y->q];
    E b00 = VN(load)(e00, s0), b01 = VN(load)(e01, s1), b10 = *e10, b11 = *e11;
    if (f) {
        VN(rotate)(&b00, &b01, *f, 0);
        VN(rotate)(&b10, &b11, *f, 0);
    }
    if (g) {
        VN(rotate)(&b00, &b10, *g, 1);
        VN(rotate)(&b01, &b11, *g, 1);
    }
    VN(store)(e00, b00, s0);
    VN(store)(e01, b01, s1);
    *e10 = b10;
    *e11 = b11;
}

/* Column k of A, which has no partner this round, in the rows of pair x. */
LANES_INLINE void VN(rotate_single)(const WORK *w, const pair *x, int64_t k, const ROTATION *g)
{
    E *e0 = w->A + (x->p > k ? w->row[x->p] + k : w->row[k] + x->p);
    E *e1 = w->A + (x->q > k ? w->row[x->q] + k : w->row[k] + x->q);
    const MASK s0 = w->sign[x->p < k], s1 = w->sign[x->q < k];
    E b0 = VN(load)(e0, s0), b1 = VN(load)(e1, s1);
    VN(rotate)(&b0, &b1, *g, 1);
    VN(store)(e0, b0, s0);
    VN(store)(e1, b1, s1);
}

LANES_INLINE void VN(rotate_rows)(const WORK *w, E *panel, int64_t rows)
{
    for (int64_t k = 0; k < w->nrot; k++) {
        const ROTATION g = w->rot[k];
        E *x = panel + w->rot_pair[k].p * rows, *y = panel + w->rot_pair[k].q * rows;
        for (int64_t r = 0; r < rows; r++)
            VN(rotate)(&x[r], &y[r], g, 0);
    }
}

/* Q := Q times the rotations in the list. */
static void VN(apply_list)(WORK *w)
{
    E *panel = w->Q;
    int64_t left = w->Q ? w->n : 0;
    for (; left >= ROWS; left -= ROWS, panel += w->n * ROWS)
        VN(rotate_rows)(w, panel, ROWS);
    if (left >= 4) {
        VN(rotate_rows)(w, panel, 4);
        left -= 4;
        panel += w->n * 4;
    }
    if (left >= 2) {
        VN(rotate_rows)(w, panel, 2);
        left -= 2;
        panel += w->n * 2;
    }
    if (left == 1)
        VN(rotate_rows)(w, panel, 1);
    w->nrot = 0;
}

/* Q(i,j) of all lanes: the panels of apply_list. */
LANES_INLINE E *VN(q_at)(const WORK *w, int64_t i, int64_t j)
{
    int64_t first = i / ROWS * ROWS, rows = w->n - first;
    if (rows >= ROWS)
        rows = ROWS;
    else
        for (int64_t size = ROWS / 2; size >= 1; size /= 2)
            if (rows >= size) {
                if (i < first + size) {
                    rows = size;
                    break;
                }
                first += size;
                rows -= size;
            }
    return w->Q + first * w->n + j * rows + (i - first);
}

/* Returns the lanes that rotated. */
static MASK VN(sweep)(WORK *w)
{
    const int64_t rounds = w->n + w->n % 2 - 1, npair = w->n / 2;
    MASK rotated = {0};
    for (int64_t round = 0; round < rounds; round++) {
        const pair *pairs = w->pairs + round * npair;
        const int64_t alone = w->alone[round];
        if (w->nrot + npair > w->max_rot)
            VN(apply_list)(w);
        const int64_t before = w->nrot;
        for (int64_t i = 0; i < npair; i++) {
            const pair x = pairs[i];
            E *e = w->A + w->row[x.q] + x.p;
            w->place[i] = -1;
            const MASK on = VN(rotates)(w, *e, w->d[x.p], w->d[x.q]);
            if (!LANE(any)((V)on))
                continue;
            const int64_t k = w->place[i] = w->nrot++;
            w->rot[k] = VN(find_rotation)(*e, &w->d[x.p], &w->d[x.q], on);
            w->rot_pair[k] = x;
            e->re = (V)((MASK)e->re & ~on);
#if IS_COMPLEX
            e->im = (V)((MASK)e->im & ~on);
#endif
            rotated |= on;
        }
        if (w->nrot == before)
            continue;
        for (int64_t i = 0; i < npair; i++) {
            const pair *x = pairs + i;
            const ROTATION *g = w->rot + w->place[i];
            for (int64_t j = 0; j < i; j++) {
                const ROTATION *f = w->rot + w->place[j];
                if (w->place[i] >= 0 && w->place[j] >= 0)
                    VN(rotate_block)(w, x, pairs + j, g, f);
                else if (w->place[i] >= 0)
                    VN(rotate_block)(w, x, pairs + j, g, NULL);
                else if (w->place[j] >= 0)
                    VN(rotate_block)(w, x, pairs + j, NULL, f);
            }
            if (alone >= 0 && w->place[i] >= 0)
                VN(rotate_single)(w, x, alone, g);
        }
        if (!w->Q)
            w->nrot = 0;
    }
    VN(apply_list)(w);
    return rotated;
}

/* The square of the largest off-diagonal entry left, in units of what the test allows. */
static V VN(off_left)(WORK *w)
{
    V worst = {0};
    for (int64_t q = 1; q < w->n; q++)
        for (int64_t p = 0; p < q; p++) {
            const VN(sides) s = VN(compare)(w, w->A[w->row[q] + p], w->d[p], w->d[q]);
            worst = VN(larger)(s.b2 / s.limit, worst);
        }
    return worst;
}

/* The scale of a matrix that `screen` would bring to 1: more, as long as it is one number. */
LANES_INLINE R VN(raised)(R scale)
{
    const int limit = sizeof(R) == sizeof(float) ? 126 : 1022;
    int e;
    frexp((double)scale, &e); /* scale is 2^(e-1) */
    e += TOP_EXPONENT - 1;
    return (R)ldexp(1.0, e > limit ? limit : e);
}

/* Scaled matrix k of the chunk becomes lane `lane`; zero if it is not finite. Returns the scale. */
static R VN(gather)(WORK *w, const orr_heevj_args *g, const T *a, int64_t lane,
                    orr_matrix_info *info)
{
    const FN(screened) s = FN(screen)(g, a);
    FN(info_start)(info, s, ORR_METHOD_JACOBI);
    const R scale = s.scale != 0 ? VN(raised)(s.scale) : 0;
    for (int64_t i = 0; i < g->n; i++) {
        R *row = (R *)(w->A + w->row[i]) + lane;
        for (int64_t j = 0; j < i; j++) {
            const T x = scale != 0 ? FN(lower_entry)(g, a, i, j) * scale : 0;
            row[j * (1 + IS_COMPLEX) * LANES] = REAL(x);
#if IS_COMPLEX
            row[(2 * j + 1) * LANES] = IMAG(x);
#endif
        }
        ((R *)(w->d + i))[lane] = scale != 0 ? REAL(a[i * g->ld + i]) * scale : 0;
    }
    const R floor = scale != 0 ? (R)(s.norm / (double)g->n) * (scale / s.scale) : 0;
    w->floor[lane] = LEAST;
    w->floor_indefinite[lane] = floor > LEAST ? floor : LEAST;
    return scale;
}

static void VN(scatter)(WORK *w, const orr_heevj_args *g, T *a, R *values, int64_t lane, R scale)
{
    const int64_t n = g->n;
    if (scale == 0) {
        FN(fill_nan)(g, a, values);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        w->values[i] = w->d[i][lane];
    FN(ascending)(n, w->values, w->order);
    for (int64_t i = 0; i < n; i++)
        values[i] = w->values[w->order[i]] * (1 / scale) + (R)0;
    if (!w->Q)
        return;
    for (int64_t j = 0; j < n; j++) {
        R *column = (R *)(a + j * g->ld);
        for (int64_t i = 0; i < n; i++) {
            const R *x = (const R *)VN(q_at)(w, i, w->order[j]) + lane;
            column[i * (1 + IS_COMPLEX)] = x[0] + (R)0;
#if IS_COMPLEX
            column[2 * i + 1] = x[LANES] + (R)0;
#endif
        }
    }
}

/* At most LANES matrices, start to finish. */
static void VN(solve_group)(WORK *w, const orr_heevj_args *g, int64_t count, T *a, R *values,
                            orr_matrix_info *info)
{
    const int64_t n = g->n;
    R scale[LANE_BYTES / sizeof(R)];
    for (int64_t i = 0; i < n * (n - 1) / 2; i++)
        w->A[i] = (E){0};
    for (int64_t i = 0; i < n; i++)
        w->d[i] = (V){0};
    w->floor = w->floor_indefinite = VN(splat)(LEAST);
    for (int64_t lane = 0; lane < count; lane++)
        scale[lane] = VN(gather)(w, g, a + lane * g->stride, lane, info + lane);
    if (w->Q) {
        for (int64_t i = 0; i < n * n; i++)
            w->Q[i] = (E){0};
        for (int64_t i = 0; i < n; i++)
            VN(q_at)(w, i, i)->re = VN(splat)(1);
    }

    const int64_t max_sweeps = g->max_sweeps > 0 ? g->max_sweeps : 30;
    MASK sweeps = {0}, rotated = {0};
    for (int64_t k = 0; k < max_sweeps; k++) {
        rotated = VN(sweep)(w);
        if (!LANE(any)((V)rotated))
            break;
        sweeps -= rotated; /* a set lane is -1 */
    }
    const V off2 = VN(off_left)(w);
    const double tol = 1 / (double)w->inverse_tol[0];

    for (int64_t lane = 0; lane < count; lane++) {
        VN(scatter)(w, g, a + lane * g->stride, values + lane * g->ldw, lane, scale[lane]);
        if (scale[lane] == 0)
            continue;
        info[lane].sweeps = (int32_t)sweeps[lane];
        info[lane].off = tol * sqrt((double)off2[lane]);
        if (rotated[lane])
            info[lane].status = ORR_NOCONV;
    }
}

/* How many rotations to keep before Q sees them: a sweep's worth if that leaves room in
 * the L2 cache, and never less than a round's. */
static int64_t VN(list_length)(int64_t n)
{
    const int64_t whole = n * (n - 1) / 2, cache = (int64_t)(160 * 1024 / sizeof(ROTATION));
    const int64_t wanted = whole < cache ? whole : cache;
    return wanted > n / 2 + 1 ? wanted : n / 2 + 1;
}

static orr_status VN(solve)(const orr_heevj_args *g, void *a_, void *w_, orr_matrix_info *info)
{
    const int64_t n = g->n, list = VN(list_length)(n);
    if (n == 0 || g->count == 0) {
        for (int64_t k = 0; k < g->count; k++)
            FN(info_start)(info + k, (FN(screened)){1, 0}, ORR_METHOD_JACOBI);
        return ORR_OK;
    }
    const size_t lower = (size_t)(n * (n - 1) / 2);
    const size_t square = g->vectors ? (size_t)(n * n) : 0;
    const int64_t rounds = n + n % 2 - 1, pairs = rounds * (n / 2);
    const size_t bytes = sizeof(E) * (lower + square) + sizeof(V) * (size_t)n +
                         sizeof(ROTATION) * (size_t)list + sizeof(pair) * (size_t)(pairs + list) +
                         sizeof(int64_t) * (size_t)(rounds + n / 2 + 2 * n) + sizeof(R) * (size_t)n;
    char *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        return ORR_E_NOMEM;

    const R tol = g->tol > 0 ? (R)g->tol : EPS;
    WORK w = {.n = n, .max_rot = list, .tol2 = VN(splat)(tol * tol)};
    w.inverse_tol = VN(splat)(1 / tol);
    w.sign[1] = (MASK)VN(splat)((R)-0.0);
    w.A = (E *)memory;
    w.d = (V *)(w.A + lower);
    w.rot = (ROTATION *)(w.d + n);
    E *Q = (E *)(w.rot + list);
    w.Q = g->vectors ? Q : NULL;
    w.pairs = (pair *)(Q + square);
    w.rot_pair = w.pairs + pairs;
    w.alone = (int64_t *)(w.rot_pair + list);
    w.place = w.alone + rounds;
    w.row = w.place + n / 2;
    w.order = w.row + n;
    w.values = (R *)(w.order + n);
    for (int64_t i = 0; i < n; i++)
        w.row[i] = i * (i - 1) / 2;
    for (int64_t round = 0; round < rounds; round++)
        w.alone[round] = pairs_of_round(n, round, w.pairs + round * (n / 2));

    T *a = a_;
    R *values = w_;
    for (int64_t k = 0; k < g->count; k += LANES) {
        const int64_t count = g->count - k < LANES ? g->count - k : LANES;
        VN(solve_group)(&w, g, count, a + k * g->stride, values + k * g->ldw, info + k);
    }
    free(memory);
    return ORR_OK;
}

#undef ROWS
#undef WORK
#undef TOP_EXPONENT
#undef LEAST
