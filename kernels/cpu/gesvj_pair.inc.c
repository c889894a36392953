/* The arithmetic of one pair of blocks of gesvj, for one scalar type and instruction set:
 * eigenvectors of H by Jacobi, and for real types the products X'X and X G too.
 *
 * In the Jacobi part the entries of a column are lanes. Rows and columns of H stand in the
 * order in which the circle method pairs them: the round's pairs are (i, half+i), so that
 * rows p and rows q of a column are whole vectors, and so are the angles. After a round,
 * rows and columns move one seat on as they are stored; G's columns stay where they are
 * and `seat` says whose they are.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "lanes_rotation.inc.c"

typedef struct {
    int64_t order, half, ld, plane; /* the imaginary parts follow `plane` numbers later */
    R *h[2], *g;                    /* h[now] without its diagonal, h[!now] being written */
    R *d, *d_next, *inverse;
    ROTATION *angle;
    int *seat;
    V inverse_tol, sine;
} VN(evd_work);
#define WORK VN(evd_work)

LANES_INLINE E VN(get)(const WORK *w, const R *x)
{
    E e;
    (void)w;
    memcpy(&e.re, x, sizeof e.re);
#if IS_COMPLEX
    memcpy(&e.im, x + w->plane, sizeof e.im);
#endif
    return e;
}

LANES_INLINE void VN(put)(const WORK *w, R *x, E e)
{
    (void)w;
    memcpy(x, &e.re, sizeof e.re);
#if IS_COMPLEX
    memcpy(x + w->plane, &e.im, sizeof e.im);
#endif
}

LANES_INLINE void VN(put_lane)(const WORK *w, R *x, E e, int64_t lane)
{
    (void)w;
    x[0] = e.re[lane];
#if IS_COMPLEX
    x[w->plane] = e.im[lane];
#endif
}

LANES_INLINE void VN(put_zero)(const WORK *w, R *x)
{
    (void)w;
    x[0] = 0;
#if IS_COMPLEX
    x[w->plane] = 0;
#endif
}

/* Where the circle method moves who sits at i. */
LANES_INLINE int64_t VN(next_seat)(int64_t half, int64_t i)
{
    if (i == 0)
        return 0;
    if (i < half)
        return i == half - 1 ? 2 * half - 1 : i + 1;
    return i == half ? 1 : i - 1;
}

LANES_INLINE V VN(load)(const R *x)
{
    V v;
    memcpy(&v, x, sizeof v);
    return v;
}
LANES_INLINE void VN(store)(R *x, V v) { memcpy(x, &v, sizeof v); }

/* |f a|^2 / (dp dq), the test's two sides as a quotient, by the inverses of d: a product
 * of two squared norms may be out of range. No inverse is kept of a negligible d. */
LANES_INLINE V VN(quotient)(E a, V inverse_p, V inverse_q, V f)
{
    const V re = a.re * f;
    V x = (re * inverse_p) * (re * inverse_q);
#if IS_COMPLEX
    const V im = a.im * f;
    x = x + (im * inverse_p) * (im * inverse_q);
#endif
    return x;
}

/* Inverses of the diagonal; 0, so that nothing is rotated, where a column is so short that
 * the square of its length has lost digits. */
LANES_INLINE void VN(invert_diagonal)(WORK *w)
{
    const V least = VN(splat)(SAFMIN / EPS), one = VN(splat)(1);
    for (int64_t i = 0; i < w->order; i += LANES) {
        const V d = VN(load)(w->d + i);
        VN(store)(w->inverse + i, (V)((MASK)(one / d) & (d > least)));
    }
}

/* The square of the largest entry, in units of what the test allows. */
static R VN(evd_off2)(WORK *w, const R *h)
{
    V worst = {0};
    VN(invert_diagonal)(w);
    for (int64_t j = 0; j < w->order; j++) {
        const V of_j = VN(splat)(w->inverse[j]);
        for (int64_t i = 0; i < w->order; i += LANES)
            worst = VN(larger)(VN(quotient)(VN(get)(w, h + j * w->ld + i),
                                            VN(load)(w->inverse + i), of_j, w->inverse_tol),
                               worst);
    }
    R largest = 0;
    for (int64_t lane = 0; lane < LANES; lane++)
        largest = worst[lane] > largest ? worst[lane] : largest;
    return largest;
}

/* The rotations of a round; moves the diagonal to the next seats. */
LANES_INLINE void VN(evd_angles)(WORK *w, const R *h)
{
    const int64_t half = w->half;
    VN(invert_diagonal)(w);
    for (int64_t first = 0; first < half; first += LANES) {
        _Alignas(64) R pq[1 + IS_COMPLEX][LANE_BYTES / sizeof(R)];
        for (int64_t lane = 0; lane < LANES; lane++) {
            const R *x = h + (first + lane) * w->ld + half + first + lane;
            pq[0][lane] = x[0];
#if IS_COMPLEX
            pq[1][lane] = x[w->plane];
#endif
        }
        E a;
        memcpy(&a, pq, sizeof a);
        V dp = VN(load)(w->d + first), dq = VN(load)(w->d + half + first);
        const MASK on = VN(quotient)(a, VN(load)(w->inverse + first),
                                     VN(load)(w->inverse + half + first), w->inverse_tol) >
                        VN(splat)(1);
        const ROTATION g = VN(find_rotation)(a, &dp, &dq, on);
        w->angle[first / LANES] = g;
        w->sine = VN(larger)(VN(magnitude)(g.s), w->sine);
        /* seats first.. move to first+1.., seats half+first.. to half+first-1.. */
        VN(store)(w->d_next + first + 1, dp);
        if (first == 0)
            w->d_next[0] = dp[0];
        if (first + LANES == half)
            w->d_next[2 * half - 1] = dp[LANES - 1];
        VN(store)(w->inverse + half + first, dq);
    }
    for (int64_t i = 1; i < half; i++)
        w->d_next[half + i - 1] = w->inverse[half + i];
    w->d_next[1] = w->inverse[half];
    R *const swap = w->d;
    w->d = w->d_next;
    w->d_next = swap;
}

LANES_INLINE ROTATION VN(one_rotation)(const ROTATION *g, int64_t i)
{
    const int64_t h = i / LANES, lane = i % LANES;
    ROTATION r = {.s = VN(splat)(g[h].s[lane]), .tau = VN(splat)(g[h].tau[lane])};
#if IS_COMPLEX
    r.ur = VN(splat)(g[h].ur[lane]);
    r.ui = VN(splat)(g[h].ui[lane]);
#endif
    return r;
}

/* Columns p and q of H, seats i and half+i, by rotation g from the right and all from the
 * left, to columns to_p and to_q of the next H. */
LANES_INLINE void VN(rotate_columns)(const WORK *w, const R *p, const R *q, ROTATION g, R *to_p,
                                     R *to_q)
{
    const int64_t half = w->half;
    E pp0 = {0}, qp0 = pp0, pq0 = pp0, qq0 = pp0, pp, qp, pq, qq;
    for (int64_t k = 0; k < half; k += LANES) {
        const ROTATION left = w->angle[k / LANES];
        pp = VN(get)(w, p + k), qp = VN(get)(w, p + half + k);
        pq = VN(get)(w, q + k), qq = VN(get)(w, q + half + k);
        VN(rotate)(&pp, &pq, g, 0);
        VN(rotate)(&qp, &qq, g, 0);
        VN(rotate)(&pp, &qp, left, 1);
        VN(rotate)(&pq, &qq, left, 1);
        if (k == 0)
            pp0 = pp, qp0 = qp, pq0 = pq, qq0 = qq;
        VN(put)(w, to_p + k + 1, pp);
        VN(put)(w, to_q + k + 1, pq);
        VN(put)(w, to_p + half + k - 1, qp);
        VN(put)(w, to_q + half + k - 1, qq);
    }
    /* The ends of the circle, where the vectors overlap. */
    VN(put_lane)(w, to_p, pp0, 0);
    VN(put_lane)(w, to_q, pq0, 0);
    VN(put_lane)(w, to_p + 1, qp0, 0);
    VN(put_lane)(w, to_q + 1, qq0, 0);
    VN(put_lane)(w, to_p + half, qp0, 1);
    VN(put_lane)(w, to_q + half, qq0, 1);
    VN(put_lane)(w, to_p + half - 1, pp, LANES - 2);
    VN(put_lane)(w, to_q + half - 1, pq, LANES - 2);
    VN(put_lane)(w, to_p + 2 * half - 1, pp, LANES - 1);
    VN(put_lane)(w, to_q + 2 * half - 1, pq, LANES - 1);
}

static void VN(evd_round)(WORK *w, const R *h, R *next)
{
    const int64_t half = w->half, ld = w->ld;
    VN(evd_angles)(w, h);
    for (int64_t i = 0; i < half; i++) {
        const ROTATION g = VN(one_rotation)(w->angle, i);
        const int64_t to_p = VN(next_seat)(half, i), to_q = VN(next_seat)(half, half + i);
        VN(rotate_columns)(w, h + i * ld, h + (half + i) * ld, g, next + to_p * ld,
                           next + to_q * ld);
        VN(put_zero)(w, next + to_p * ld + to_p);
        VN(put_zero)(w, next + to_p * ld + to_q);
        VN(put_zero)(w, next + to_q * ld + to_p);
        VN(put_zero)(w, next + to_q * ld + to_q);

        R *x = w->g + w->seat[i] * ld, *y = w->g + w->seat[half + i] * ld;
        for (int64_t k = 0; k < w->order; k += LANES) {
            E a = VN(get)(w, x + k), b = VN(get)(w, y + k);
            VN(rotate)(&a, &b, g, 0);
            VN(put)(w, x + k, a);
            VN(put)(w, y + k, b);
        }
    }
    const int last = w->seat[half - 1], from_q = w->seat[half];
    memmove(w->seat + 2, w->seat + 1, sizeof(int) * (size_t)(half - 2));
    memmove(w->seat + half, w->seat + half + 1, sizeof(int) * (size_t)(half - 1));
    w->seat[1] = from_q;
    w->seat[2 * half - 1] = last;
}

/* Columns of G by descending diagonal entry. */
static void VN(evd_output)(const WORK *w, T *G)
{
    int64_t order[EVD_MAX];
    FN(descending)(w->order, w->d, order);
    for (int64_t j = 0; j < w->order; j++) {
        const R *from = w->g + order[j] * w->ld;
        R *to = (R *)(G + j * w->order);
#if IS_COMPLEX
        for (int64_t i = 0; i < w->order; i++) {
            to[2 * i] = from[i];
            to[2 * i + 1] = from[w->plane + i];
        }
#else
        memcpy(to, from, sizeof(R) * (size_t)w->order);
#endif
    }
}

/* H (lower triangle of order 2 nb) G = G diag, nearly: `sweeps` sweeps at most. Returns 0,
 * and no G, if nothing had to be rotated; ORR_E_NOMEM without memory; else 1. */
static int VN(evd)(int64_t order, const T *H, R tol, int sweeps, T *G, double *off, double *sine)
{
    const int64_t ld = order + 64 / (int64_t)sizeof(R), plane = order * ld;
    const int64_t square = (1 + IS_COMPLEX) * plane;
    const size_t bytes = (size_t)(3 * square + 3 * ld) * sizeof(R) +
                         (size_t)(order / 2) * sizeof(ROTATION);
    R *memory = aligned_alloc(64, (bytes + 127) & ~(size_t)63);
    if (!memory)
        return ORR_E_NOMEM;
    int seat[EVD_MAX];
    WORK w = {.order = order, .half = order / 2, .ld = ld, .plane = plane,
              .h = {memory, memory + square}, .g = memory + 2 * square,
              .d = memory + 3 * square, .d_next = memory + 3 * square + ld,
              .inverse = memory + 3 * square + 2 * ld, .seat = seat,
              .angle = (ROTATION *)(memory + 3 * square + 3 * ld)};
    w.inverse_tol = VN(splat)(1 / tol);
    w.sine = VN(splat)(0);
    for (int64_t j = 0; j < order; j++) {
        seat[j] = (int)j;
        w.d[j] = REAL(H[j * order + j]);
        for (int64_t i = j; i < order; i++) {
            const T x = i == j ? 0 : H[j * order + i];
            w.h[0][j * ld + i] = w.h[0][i * ld + j] = REAL(x);
            w.g[j * ld + i] = w.g[i * ld + j] = i == j;
#if IS_COMPLEX
            w.h[0][plane + j * ld + i] = IMAG(x);
            w.h[0][plane + i * ld + j] = -IMAG(x);
            w.g[plane + j * ld + i] = w.g[plane + i * ld + j] = 0;
#endif
        }
    }
    R off2 = VN(evd_off2)(&w, w.h[0]);
    const int rotated = off2 > 1;
    *off = (double)tol * sqrt((double)off2);
    *sine = 0;
    for (int k = 0, now = 0; k < sweeps && off2 > 1; k++) {
        for (int64_t round = 0; round < order - 1; round++, now = !now)
            VN(evd_round)(&w, w.h[now], w.h[!now]);
        off2 = VN(evd_off2)(&w, w.h[now]);
    }
    if (rotated) {
        VN(evd_output)(&w, G);
        for (int64_t lane = 0; lane < LANES; lane++)
            *sine = (double)w.sine[lane] > *sine ? (double)w.sine[lane] : *sine;
    }
    free(memory);
    return rotated;
}
#undef WORK

#if !IS_COMPLEX
/* ---- [p q] := [p q] G ---------------------------------------------------------------- */

/* Vectors of rows by columns that are summed up in registers. */
#undef TILE_V
#undef TILE_C
#define TILE_V 3
#define TILE_C (LANE_BYTES == 64 ? 8 : 4)

/* TILE_C columns of a panel of TILE_V vectors of rows. */
LANES_INLINE void VN(tile)(int64_t order, const R *panel, const R *G, V acc[TILE_V][8])
{
    for (int v = 0; v < TILE_V; v++)
        for (int c = 0; c < TILE_C; c++)
            acc[v][c] = VN(splat)(0);
    for (int64_t l = 0; l < order; l++) {
        V x[TILE_V];
        for (int v = 0; v < TILE_V; v++)
            x[v] = VN(load)(panel + (l * TILE_V + v) * LANES);
        for (int c = 0; c < TILE_C; c++) {
            const V g = VN(splat)(G[c * order + l]);
            for (int v = 0; v < TILE_V; v++)
                acc[v][c] = VN(fma)(x[v], g, acc[v][c]);
        }
    }
}

LANES_INLINE void VN(multiply_order)(int64_t order, int64_t rows, const R *G, R *p, R *q, R *panel)
{
    const int64_t height = TILE_V * LANES, nb = order / 2;
    for (int64_t first = 0; first < rows; first += height) {
        const int64_t here = rows - first < height ? rows - first : height;
        const size_t bytes = sizeof(R) * (size_t)here;
        for (int64_t l = 0; l < order; l++) {
            const R *from = (l < nb ? p + l * rows : q + (l - nb) * rows) + first;
            R *to = panel + l * height;
            if (here == height) {
                for (int v = 0; v < TILE_V; v++)
                    VN(store)(to + v * LANES, VN(load)(from + v * LANES));
            } else {
                memset(to, 0, sizeof(R) * (size_t)height);
                memcpy(to, from, bytes);
            }
        }
        for (int64_t j = 0; j < order; j += TILE_C) {
            V acc[TILE_V][8];
            VN(tile)(order, panel, G + j * order, acc);
            for (int c = 0; c < TILE_C; c++) {
                const int64_t l = j + c;
                R *to = (l < nb ? p + l * rows : q + (l - nb) * rows) + first;
                R column[3 * LANE_BYTES / sizeof(R)];
                if (here == height) {
                    for (int v = 0; v < TILE_V; v++)
                        VN(store)(to + v * LANES, acc[v][c]);
                } else {
                    for (int v = 0; v < TILE_V; v++)
                        VN(store)(column + v * LANES, acc[v][c]);
                    memcpy(to, column, bytes);
                }
            }
        }
    }
}

/* The order as a constant, so that the tile's addresses are. */
static void VN(multiply)(int64_t order, int64_t rows, const R *G, R *p, R *q, R *panel)
{
    if (order == 32)
        VN(multiply_order)(32, rows, G, p, q, panel);
    else if (order == 64)
        VN(multiply_order)(64, rows, G, p, q, panel);
    else
        VN(multiply_order)(128, rows, G, p, q, panel);
}

/* ---- X'Y ------------------------------------------------------------------------------- */

#undef DOT_N
#define DOT_N (LANE_BYTES == 64 ? 4 : 2)

/* H(j,i) += x(:,j)' y(:,i), DOT_N columns of each, H with leading dimension ld. */
LANES_INLINE void VN(dots)(int64_t rows, const R *x, const R *y, R *H, int64_t ld)
{
    V acc[4][4];
    for (int i = 0; i < DOT_N; i++)
        for (int j = 0; j < DOT_N; j++)
            acc[i][j] = VN(splat)(0);
    int64_t r = 0;
    for (; r + LANES <= rows; r += LANES) {
        V a[4];
        for (int j = 0; j < DOT_N; j++)
            a[j] = VN(load)(x + j * rows + r);
        for (int i = 0; i < DOT_N; i++) {
            const V b = VN(load)(y + i * rows + r);
            for (int j = 0; j < DOT_N; j++)
                acc[i][j] = VN(fma)(a[j], b, acc[i][j]);
        }
    }
    for (int i = 0; i < DOT_N; i++)
        for (int j = 0; j < DOT_N; j++) {
            R sum = 0, part[LANE_BYTES / sizeof(R)];
            VN(store)(part, acc[i][j]);
            for (int width = LANES / 2; width > 0; width /= 2)
                for (int lane = 0; lane < width; lane++)
                    part[lane] += part[lane + width];
            for (int64_t t = r; t < rows; t++)
                sum += x[j * rows + t] * y[i * rows + t];
            H[i * ld + j] = part[0] + sum;
        }
}

static void VN(products)(int64_t nb, int64_t rows, const R *x, const R *y, R *H, int64_t ld)
{
    for (int64_t i = 0; i < nb; i += DOT_N)
        for (int64_t j = 0; j < nb; j += DOT_N)
            VN(dots)(rows, x + j * rows, y + i * rows, H + i * ld + j, ld);
}
#endif
