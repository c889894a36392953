/* Eigenvectors of one Hermitian matrix H of order PAIR_N = 2 nb, for heevj_block: Jacobi
 * with the entries of a column as lanes. The body for one type and instruction set.
 *
 * The rows and columns of H stand in the order in which the circle method pairs them:
 * the round's pairs are (i, half+i), so that rows p and rows q of a column are whole
 * vectors, and so are the 16 rotations. After a round, rows and columns move one seat
 * on, as they are stored; J's columns stay where they are and `seat` says whose they are.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "lanes_rotation.inc.c"

enum { VN(half_vectors) = PAIR_N / 2 / (LANE_BYTES / sizeof(R)) };
#define HALF_VECTORS VN(half_vectors)

/* Columns of numbers, real and imaginary parts apart. */
typedef struct {
    _Alignas(64) R re[PAIR_N][PAIR_N];
#if IS_COMPLEX
    _Alignas(64) R im[PAIR_N][PAIR_N];
#endif
} VN(columns);

typedef struct {
    VN(columns) H[2], J; /* H[now] without its diagonal, H[!now] being written */
    _Alignas(64) R d[PAIR_N], d_next[PAIR_N];
    ROTATION g[PAIR_N / 2 / (LANE_BYTES / sizeof(R))];
    int seat[PAIR_N];
    V inverse_tol, floor2;
} VN(pair_work);
#define PAIR_WORK VN(pair_work)

LANES_INLINE E VN(get)(const VN(columns) *c, int64_t j, int64_t i)
{
    E x;
    memcpy(&x.re, &c->re[j][i], sizeof x.re);
#if IS_COMPLEX
    memcpy(&x.im, &c->im[j][i], sizeof x.im);
#endif
    return x;
}

LANES_INLINE void VN(put)(VN(columns) *c, int64_t j, int64_t i, E x)
{
    memcpy(&c->re[j][i], &x.re, sizeof x.re);
#if IS_COMPLEX
    memcpy(&c->im[j][i], &x.im, sizeof x.im);
#endif
}

LANES_INLINE void VN(put_lane)(VN(columns) *c, int64_t j, int64_t i, E x, int64_t lane)
{
    c->re[j][i] = x.re[lane];
#if IS_COMPLEX
    c->im[j][i] = x.im[lane];
#endif
}

/* Where the circle method moves who sits at i. */
LANES_INLINE int VN(next_seat)(int i)
{
    const int half = PAIR_N / 2;
    if (i == 0)
        return 0;
    if (i < half)
        return i == half - 1 ? PAIR_N - 1 : i + 1;
    return i == half ? 1 : i - 1;
}

/* Column j of the next H: the rows of p and q, moved one seat on. */
LANES_INLINE void VN(put_moved)(VN(columns) *c, int64_t j, const E *p, const E *q)
{
    const int half = PAIR_N / 2;
    const E first = p[0], last = p[HALF_VECTORS - 1];
    for (int64_t h = 0; h < HALF_VECTORS; h++)
        VN(put)(c, j, h * LANES + 1, p[h]);
    for (int64_t h = 0; h < HALF_VECTORS; h++)
        VN(put)(c, j, half + h * LANES - 1, q[h]);
    VN(put_lane)(c, j, 0, first, 0);
    VN(put_lane)(c, j, 1, q[0], 0);
    VN(put_lane)(c, j, half - 1, last, LANES - 2);
    VN(put_lane)(c, j, PAIR_N - 1, last, LANES - 1);
}

/* The square of the largest entry, in units of what the test allows. */
static R VN(pair_off2)(const PAIR_WORK *w, const VN(columns) *H)
{
    V worst = {0};
    for (int64_t j = 0; j < PAIR_N; j++)
        for (int64_t i = 0; i < PAIR_N; i += LANES) {
            V d;
            memcpy(&d, &w->d[i], sizeof d);
            const V ratio =
                VN(excess)(VN(get)(H, j, i), d, VN(splat)(w->d[j]), w->inverse_tol, w->floor2);
            worst = VN(larger)(ratio, worst);
        }
    R largest = 0;
    for (int64_t lane = 0; lane < LANES; lane++)
        largest = worst[lane] > largest ? worst[lane] : largest;
    return largest;
}

/* The rotations of a round; moves the diagonal to the next seats. */
LANES_INLINE void VN(pair_angles)(PAIR_WORK *w, const VN(columns) *H)
{
    const int half = PAIR_N / 2;
    for (int64_t h = 0; h < HALF_VECTORS; h++) {
        const int64_t first = h * LANES;
        _Alignas(64) R pq[1 + IS_COMPLEX][LANE_BYTES / sizeof(R)];
        for (int64_t lane = 0; lane < LANES; lane++) {
            const int64_t i = first + lane;
            pq[0][lane] = H->re[i][half + i];
#if IS_COMPLEX
            pq[1][lane] = H->im[i][half + i];
#endif
        }
        E a;
        memcpy(&a, pq, sizeof a);
        V dp, dq;
        memcpy(&dp, &w->d[first], sizeof dp);
        memcpy(&dq, &w->d[half + first], sizeof dq);
        const MASK on =
            VN(abs2_scaled)(a, w->inverse_tol) > VN(larger)(VN(magnitude)(dp * dq), w->floor2);
        w->g[h] = VN(find_rotation)(a, &dp, &dq, on);
        for (int64_t lane = 0; lane < LANES; lane++) {
            w->d_next[VN(next_seat)((int)(first + lane))] = dp[lane];
            w->d_next[VN(next_seat)((int)(half + first + lane))] = dq[lane];
        }
    }
    memcpy(w->d, w->d_next, sizeof w->d);
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

static void VN(pair_round)(PAIR_WORK *w, const VN(columns) *H, VN(columns) *next)
{
    const int half = PAIR_N / 2;
    VN(pair_angles)(w, H);
    for (int i = 0; i < half; i++) {
        const ROTATION g = VN(one_rotation)(w->g, i);
        const int to_p = VN(next_seat)(i), to_q = VN(next_seat)(half + i);
        E pp[HALF_VECTORS], pq[HALF_VECTORS], qp[HALF_VECTORS], qq[HALF_VECTORS];
        for (int64_t h = 0; h < HALF_VECTORS; h++) {
            pp[h] = VN(get)(H, i, h * LANES), qp[h] = VN(get)(H, i, half + h * LANES);
            pq[h] = VN(get)(H, half + i, h * LANES), qq[h] = VN(get)(H, half + i, half + h * LANES);
            VN(rotate)(&pp[h], &pq[h], g, 0);
            VN(rotate)(&qp[h], &qq[h], g, 0);
            VN(rotate)(&pp[h], &qp[h], w->g[h], 1);
            VN(rotate)(&pq[h], &qq[h], w->g[h], 1);
        }
        VN(put_moved)(next, to_p, pp, qp);
        VN(put_moved)(next, to_q, pq, qq);
        const E zero = {0};
        VN(put_lane)(next, to_p, to_p, zero, 0);
        VN(put_lane)(next, to_p, to_q, zero, 0);
        VN(put_lane)(next, to_q, to_p, zero, 0);
        VN(put_lane)(next, to_q, to_q, zero, 0);

        const int64_t p = w->seat[i], q = w->seat[half + i];
        for (int64_t k = 0; k < PAIR_N; k += LANES) {
            E x = VN(get)(&w->J, p, k), y = VN(get)(&w->J, q, k);
            VN(rotate)(&x, &y, g, 0);
            VN(put)(&w->J, p, k, x);
            VN(put)(&w->J, q, k, y);
        }
    }
    int moved[PAIR_N];
    for (int i = 0; i < PAIR_N; i++)
        moved[VN(next_seat)(i)] = w->seat[i];
    memcpy(w->seat, moved, sizeof moved);
}

/* H (lower triangle, destroyed) J = J diag, nearly: `sweeps` sweeps at most. Columns of J
 * by descending eigenvalue, padding columns last. Returns 0, and no J, if nothing had to
 * be rotated; *off := the largest relative entry of H. */
static int VN(pair_evd)(const T *H, R tol, R floor2, int sweeps, const char *padding, T *J,
                        double *off)
{
    PAIR_WORK w;
    w.inverse_tol = VN(splat)(1 / tol);
    w.floor2 = VN(splat)(floor2);
    for (int j = 0; j < PAIR_N; j++) {
        w.seat[j] = j;
        w.d[j] = REAL(H[j * PAIR_N + j]);
        for (int i = j; i < PAIR_N; i++) {
            const T x = i == j ? 0 : H[j * PAIR_N + i];
            w.H[0].re[j][i] = w.H[0].re[i][j] = REAL(x);
            w.J.re[j][i] = w.J.re[i][j] = i == j;
#if IS_COMPLEX
            w.H[0].im[j][i] = IMAG(x);
            w.H[0].im[i][j] = -IMAG(x);
            w.J.im[j][i] = w.J.im[i][j] = 0;
#endif
        }
    }
    R off2 = VN(pair_off2)(&w, &w.H[0]);
    *off = (double)tol * sqrt((double)off2);
    if (!(off2 > 1))
        return 0;

    for (int k = 0, now = 0; k < sweeps && off2 > 1; k++) {
        for (int round = 0; round < PAIR_N - 1; round++, now = !now)
            VN(pair_round)(&w, &w.H[now], &w.H[!now]);
        off2 = VN(pair_off2)(&w, &w.H[now]);
    }
    int64_t order[PAIR_N];
    R key[PAIR_N]; /* ascending */
    for (int j = 0; j < PAIR_N; j++)
        key[j] = padding[j] ? (R)INFINITY : -w.d[j];
    FN(ascending)(PAIR_N, key, order);
    for (int64_t j = 0; j < PAIR_N; j++)
        for (int64_t i = 0; i < PAIR_N; i++) {
            R *x = (R *)(J + j * PAIR_N + i);
            x[0] = w.J.re[order[j]][i];
#if IS_COMPLEX
            x[1] = w.J.im[order[j]][i];
#endif
        }
    return 1;
}

#undef HALF_VECTORS
#undef PAIR_WORK
