/* The eigenvectors of a pair's matrix H by Jacobi, for one scalar type and instruction set.
 *
 * The entries of a column are lanes. Rows and columns of H stand in seats: a round's pairs
 * are (i, half+i), so that rows p and rows q of a column are whole vectors, and so are the
 * angles. After a round, rows and columns move to other seats as they are stored; G's
 * columns stay where they are and `seat` says whose they are. There are two dances:
 *
 *   all pairs     seats move one on around the circle (Brent, Luk), order-1 rounds
 *   across        the second half moves round by itself, half rounds: every pair of a column
 *                 of one block with one of the other. Enough for a first sweep where the
 *                 blocks themselves are diagonal, and it moves less.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "lanes_rotation.inc.c"

typedef struct {
    int64_t order, half, ld, plane; /* the imaginary parts follow `plane` numbers later */
    R *h[2], *g;                    /* h[now] without its diagonal, h[!now] being written */
    R *d, *inverse;
    ROTATION *angle; /* of this round; those of a whole sweep follow each other */
    int *seat;       /* whose column of G is in seat i */
    V inverse_tol, sine;
} VN(evd_work);
#define WORK VN(evd_work)

/* A cache line more than the order, so that columns do not share the places of one set. */
LANES_INLINE int64_t VN(evd_ld)(int64_t half) { return 2 * half + 64 / (int64_t)sizeof(R); }

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

/* Where who sits at i moves to. */
LANES_INLINE int64_t VN(next_seat)(int64_t half, int across, int64_t i)
{
    if (across)
        return i < half ? i : i == half ? 2 * half - 1 : i - 1;
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
            worst = VN(larger)(VN(quotient)(VN(get)(w, h + j * w->ld + i), VN(load)(w->inverse + i),
                                            of_j, w->inverse_tol),
                               worst);
    }
    R largest = 0;
    for (int64_t lane = 0; lane < LANES; lane++)
        largest = worst[lane] > largest ? worst[lane] : largest;
    return largest;
}

/* The rotations of a round; moves the diagonal to the next seats. */
LANES_INLINE void VN(evd_angles)(WORK *w, const R *h, int across)
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
        const MASK on =
            VN(quotient)(a, VN(load)(w->inverse + first), VN(load)(w->inverse + half + first),
                         w->inverse_tol) > VN(splat)(1);
        const ROTATION g = VN(find_rotation)(a, &dp, &dq, on);
        w->angle[first / LANES] = g;
        w->sine = VN(larger)(VN(magnitude)(g.s), w->sine);
        VN(store)(w->d + first, dp);
        VN(store)(w->d + half + first, dq);
    }
    if (across) {
        const R round = w->d[half];
        memmove(w->d + half, w->d + half + 1, sizeof(R) * (size_t)(half - 1));
        w->d[2 * half - 1] = round;
        return;
    }
    const R last = w->d[half - 1], from_q = w->d[half];
    memmove(w->d + 2, w->d + 1, sizeof(R) * (size_t)(half - 2));
    memmove(w->d + half, w->d + half + 1, sizeof(R) * (size_t)(half - 1));
    w->d[1] = from_q;
    w->d[2 * half - 1] = last;
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

/* Lanes of a and b as one row, from the last of a, or from the second of a: what moved by a
 * seat is stored where vectors are aligned, since stores across cache lines cost twice. */
LANES_INLINE V VN(from_last)(V a, V b)
{
#if defined(__clang__)
    V x;
    for (int lane = 0; lane < LANES; lane++)
        x[lane] = lane ? b[lane - 1] : a[LANES - 1];
    return x;
#else
    return __builtin_shuffle(a, b, VN(lane_numbers)() + (LANE_INT)(LANES - 1));
#endif
}

LANES_INLINE V VN(from_second)(V a, V b)
{
#if defined(__clang__)
    V x;
    for (int lane = 0; lane < LANES; lane++)
        x[lane] = lane + 1 < LANES ? a[lane + 1] : b[0];
    return x;
#else
    return __builtin_shuffle(a, b, VN(lane_numbers)() + 1);
#endif
}

LANES_INLINE E VN(entries_from_last)(E a, E b)
{
    a.re = VN(from_last)(a.re, b.re);
#if IS_COMPLEX
    a.im = VN(from_last)(a.im, b.im);
#endif
    return a;
}

LANES_INLINE E VN(entries_from_second)(E a, E b)
{
    a.re = VN(from_second)(a.re, b.re);
#if IS_COMPLEX
    a.im = VN(from_second)(a.im, b.im);
#endif
    return a;
}

/* Columns p and q of H, seats i and half+i, by rotation g from the right and all from the
 * left, to columns to_p and to_q of the next H. */
LANES_INLINE void VN(rotate_columns)(const WORK *w, int64_t half, int across, const R *p,
                                     const R *q, ROTATION g, R *to_p, R *to_q)
{
    E pp0 = {0}, qp0 = pp0, pq0 = pp0, qq0 = pp0;             /* the first of each */
    E pp_was = pp0, qp_was = pp0, pq_was = pp0, qq_was = pp0; /* the one before */
    for (int64_t k = 0; k < half; k += LANES) {
        const ROTATION left = w->angle[k / LANES];
        E pp = VN(get)(w, p + k), qp = VN(get)(w, p + half + k);
        E pq = VN(get)(w, q + k), qq = VN(get)(w, q + half + k);
        VN(rotate)(&pp, &pq, g, 0);
        VN(rotate)(&qp, &qq, g, 0);
        VN(rotate)(&pp, &qp, left, 1);
        VN(rotate)(&pq, &qq, left, 1);
        if (k == 0) {
            pp0 = pp, qp0 = qp, pq0 = pq, qq0 = qq;
        } else {
            VN(put)(w, to_p + half + k - LANES, VN(entries_from_second)(qp_was, qp));
            VN(put)(w, to_q + half + k - LANES, VN(entries_from_second)(qq_was, qq));
        }
        VN(put)(w, to_p + k, across ? pp : VN(entries_from_last)(pp_was, pp));
        VN(put)(w, to_q + k, across ? pq : VN(entries_from_last)(pq_was, pq));
        pp_was = pp, qp_was = qp, pq_was = pq, qq_was = qq;
    }
    VN(put)(w, to_p + 2 * half - LANES, VN(entries_from_second)(qp_was, qp0));
    VN(put)(w, to_q + 2 * half - LANES, VN(entries_from_second)(qq_was, qq0));
    if (across)
        return;
    /* The ends of the circle. */
    VN(put_lane)(w, to_p, pp0, 0);
    VN(put_lane)(w, to_q, pq0, 0);
    VN(put_lane)(w, to_p + 1, qp0, 0);
    VN(put_lane)(w, to_q + 1, qq0, 0);
    VN(put_lane)(w, to_p + 2 * half - 1, pp_was, LANES - 1);
    VN(put_lane)(w, to_q + 2 * half - 1, pq_was, LANES - 1);
}

LANES_INLINE void VN(evd_round)(WORK *w, int64_t half, const R *h, R *next, int across)
{
    const int64_t ld = VN(evd_ld)(half);
    VN(evd_angles)(w, h, across);
    for (int64_t i = 0; i < half; i++) {
        const ROTATION g = VN(one_rotation)(w->angle, i);
        const int64_t to_p = VN(next_seat)(half, across, i);
        const int64_t to_q = VN(next_seat)(half, across, half + i);
        VN(rotate_columns)(w, half, across, h + i * ld, h + (half + i) * ld, g, next + to_p * ld,
                           next + to_q * ld);
        VN(put_zero)(w, next + to_p * ld + to_p);
        VN(put_zero)(w, next + to_p * ld + to_q);
        VN(put_zero)(w, next + to_q * ld + to_p);
        VN(put_zero)(w, next + to_q * ld + to_q);
    }
    w->angle += half / LANES;
}

/* Who sits where after a round. */
LANES_INLINE void VN(move_seats)(int *seat, int64_t half, int across)
{
    const int last = seat[half - 1], from_q = seat[half];
    memmove(seat + half, seat + half + 1, sizeof *seat * (size_t)(half - 1));
    if (across) {
        seat[2 * half - 1] = from_q;
        return;
    }
    memmove(seat + 2, seat + 1, sizeof *seat * (size_t)(half - 2));
    seat[1] = from_q;
    seat[2 * half - 1] = last;
}

/* G := G times the rotations of a sweep. Rows of G know nothing of each other, so a strip of
 * them goes through all rounds while it is in the L1 cache. */
LANES_INLINE void VN(rotate_g)(WORK *w, int64_t half, const ROTATION *angle, int64_t rounds,
                               int across)
{
    const int64_t vectors = 2 * half / LANES, strip = vectors < 4 ? vectors : 4;
    int seat[EVD_MAX];
    for (int64_t first = 0; first < 2 * half; first += strip * LANES) {
        R *const g = w->g + first;
        memcpy(seat, w->seat, sizeof *seat * (size_t)(2 * half));
        for (int64_t round = 0; round < rounds; round++) {
            const ROTATION *of_round = angle + round * (half / LANES);
            for (int64_t i = 0; i < half; i++) {
                const ROTATION one = VN(one_rotation)(of_round, i);
                R *x = g + seat[i] * VN(evd_ld)(half), *y = g + seat[half + i] * VN(evd_ld)(half);
                for (int64_t v = 0; v < strip; v++) {
                    E p = VN(get)(w, x + v * LANES), q = VN(get)(w, y + v * LANES);
                    VN(rotate)(&p, &q, one, 0);
                    VN(put)(w, x + v * LANES, p);
                    VN(put)(w, y + v * LANES, q);
                }
            }
            VN(move_seats)(seat, half, across);
        }
    }
    memcpy(w->seat, seat, sizeof *seat * (size_t)(2 * half));
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

/* Both triangles of H without its diagonal, from the lower one. */
LANES_INLINE void VN(evd_load)(const WORK *w, const T *H, R *h)
{
    for (int64_t j = 0; j < w->order; j++) {
        w->d[j] = REAL(H[j * w->order + j]);
        for (int64_t i = j + 1; i < w->order; i++) {
            const T x = H[j * w->order + i];
            h[j * w->ld + i] = h[i * w->ld + j] = REAL(x);
#if IS_COMPLEX
            h[w->plane + j * w->ld + i] = IMAG(x);
            h[w->plane + i * w->ld + j] = -IMAG(x);
#endif
        }
        VN(put_zero)(w, h + j * w->ld + j);
    }
}

LANES_INLINE void VN(sweep)(WORK *w, int64_t half, int across, int *now)
{
    const int64_t rounds = across ? half : 2 * half - 1;
    ROTATION *const first = w->angle;
    for (int64_t round = 0; round < rounds; round++, *now = !*now)
        VN(evd_round)(w, half, w->h[*now], w->h[!*now], across);
    VN(rotate_g)(w, half, first, rounds, across);
    w->angle = first;
}

/* The order as a constant, so that loops over vectors are unrolled. */
static void VN(sweep_all)(WORK *w, int *now)
{
    if (w->half == 16)
        VN(sweep)(w, 16, 0, now);
    else if (w->half == 32)
        VN(sweep)(w, 32, 0, now);
    else
        VN(sweep)(w, 64, 0, now);
}

static void VN(sweep_across)(WORK *w, int *now)
{
    if (w->half == 16)
        VN(sweep)(w, 16, 1, now);
    else if (w->half == 32)
        VN(sweep)(w, 32, 1, now);
    else
        VN(sweep)(w, 64, 1, now);
}

/* H (lower triangle of order 2 nb) G = G diag, nearly: `sweeps` sweeps at most, the first
 * one across if H consists of diagonal blocks (`full` 0). Returns 0, and no G, if nothing
 * had to be rotated; ORR_E_NOMEM without memory; else 1. */
static int VN(evd)(int64_t order, int full, const T *H, R tol, int sweeps, T *G, double *off,
                   double *sine)
{
    const int64_t ld = VN(evd_ld)(order / 2), plane = order * ld;
    const int64_t square = (1 + IS_COMPLEX) * plane;
    const size_t bytes = (size_t)(3 * square + 2 * ld) * sizeof(R) +
                         (size_t)(order / 2 * order) * sizeof(ROTATION) / (size_t)LANES;
    R *memory = aligned_alloc(64, (bytes + 127) & ~(size_t)63);
    if (!memory)
        return ORR_E_NOMEM;
    int seat[EVD_MAX], now = 0;
    WORK w = {.order = order,
              .half = order / 2,
              .ld = ld,
              .plane = plane,
              .h = {memory, memory + square},
              .g = memory + 2 * square,
              .d = memory + 3 * square,
              .inverse = memory + 3 * square + ld,
              .seat = seat,
              .angle = (ROTATION *)(memory + 3 * square + 2 * ld)};
    w.inverse_tol = VN(splat)(1 / tol);
    w.sine = VN(splat)(0);
    VN(evd_load)(&w, H, w.h[0]);
    R off2 = VN(evd_off2)(&w, w.h[0]);
    const int rotated = off2 > 1;
    *off = (double)tol * sqrt((double)off2);
    *sine = 0;
    if (rotated) {
        memset(w.g, 0, sizeof(R) * (size_t)square);
        for (int64_t j = 0; j < order; j++) {
            w.g[j * ld + j] = 1;
            seat[j] = (int)j;
        }
        for (int k = 0; k < sweeps && off2 > 1; k++) {
            if (k == 0 && !full)
                VN(sweep_across)(&w, &now);
            else
                VN(sweep_all)(&w, &now);
            if (k + 1 < sweeps)
                off2 = VN(evd_off2)(&w, w.h[now]);
        }
        VN(evd_output)(&w, G);
        for (int64_t lane = 0; lane < LANES; lane++)
            *sine = (double)w.sine[lane] > *sine ? (double)w.sine[lane] : *sine;
    }
    free(memory);
    return rotated;
}
#undef WORK

#if !IS_COMPLEX
#include "gesvj_products.inc.c"
#endif
