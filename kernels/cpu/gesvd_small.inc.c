/* gesvd of one small real matrix, in the caches of a core; the body for one scalar type and one
 * instruction set.
 *
 *   reduce   A, or A' if it is wide, is Q R first if it is not square, by LAPACK; the square is H B P',
 *            B upper bidiagonal, by Householder, rows across lanes. One pass over it does the update of
 *            the last two reflectors and the product with the next left one, another one the product
 *            with the next right one
 *
 * Values alone are those of B by LAPACK's bdsqr. With vectors:
 *
 *   squares  the eigenvalues of T = C C', where C is B' from the bottom up, by QL without roots
 *   turns    C becomes diagonal by implicit QR from the bottom up (Golub, Kahan; Demmel, Kahan), which
 *            is QL of T: the first shift of every block is the root of the square found there before,
 *            half as many rotations as with shifts of the block alone; those of both sides are kept
 *   turn, reflect   X := I times the rotations, H X or P X: as for heev_small.inc.c
 *
 * C is upper bidiagonal, d_i = B(n-1-i, n-1-i), e_i = C(i, i+1) = B(n-2-i, n-1-i). Its left vectors
 * are B's right ones. An entry e of C counts as zero if
 * |e| <= eps/2 (|d_i| + |d_i+1|) + 4 eps sqrt(|C|_F^2 / n): singular values are found to eps |A|.
 *
 * Sources: Golub, Kahan, Calculating the singular values and pseudo-inverse of a matrix, SIAM J.
 * Numer. Anal. B 2 (1965); Demmel, Kahan, Accurate singular values of bidiagonal matrices, SIAM J.
 * Sci. Stat. Comput. 11 (1990).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#if !IS_COMPLEX

#include "lanes_rotation.inc.c"
#include "lanes_transpose.inc.c"
#include "lanes_householder.inc.c"
#include "lanes_turn.inc.c"
#include "lanes_reflect.inc.c"
#include "ql_values.inc.c"

#undef COLUMNS
#define COLUMNS 4 /* that a pass takes at once */

typedef struct {
    int64_t m, n, ld; /* of the matrix, upright; leading dimension of both copies */
    int transposed;
    R *A, *square; /* one and the same if m = n */
    R *tau, *work;
    R *d, *e, *values, *e2; /* e2: without vectors, memory of bdsqr */
    R *first; /* of H; those of row k + 1 of H and row k of P have no entry before k + 1 */
    R *H, *P;
    VN(turn1) *list[2]; /* of the left vectors of C, of the right ones */
    turns *sweep;
    VN(reflectors) q;
    R *Z;
} VN(small);

/* ---- Reduction ------------------------------------------------------------------------------- */

/* A := the matrix times *scale, upright, scaled again so that its largest entry is of order 1, which
 * *scale then is, too. */
static void VN(load)(const orr_gesvd_direct *g, const VN(small) *w, R *scale)
{
    R largest = 0;
    memset(w->A, 0, sizeof(R) * (size_t)(w->ld * w->n));
    for (int64_t j = 0; j < g->n; j++)
        for (int64_t i = 0; i < g->m; i++) {
            const R x = ((const R *)g->a)[j * g->lda + i] * *scale;
            w->A[w->transposed ? i * w->ld + j : j * w->ld + i] = x;
            largest = RABS(x) > largest ? RABS(x) : largest;
        }
    int exponent = 0;
    (void)frexp((double)largest, &exponent);
    *scale = (R)ldexp(1, largest > 0 ? -exponent : 0);
    for (int64_t j = 0; j < w->n; j++)
        for (int64_t i = 0; i < w->m; i++)
            w->A[j * w->ld + i] *= *scale;
}

/* count columns from a on, vectors first .. last-1 of their rows: a_j -= u q_j + p v_j, z_j := a_j' x. */
LANES_INLINE void VN(update)(int64_t ld, R *a, const int count, int64_t first, int64_t last,
                             const V *u, const V *p, const R *q, const R *v, const V *x, R *z)
{
    V sum[COLUMNS];
    UNROLL for (int c = 0; c < count; c++) sum[c] = VN(splat)(0);
    for (int64_t i = first; i < last; i++)
        UNROLL for (int c = 0; c < count; c++)
        {
            V *y = (V *)(a + c * ld) + i;
            *y = VN(fnma)(u[i], VN(splat)(q[c]), VN(fnma)(p[i], VN(splat)(v[c]), *y));
            sum[c] = VN(fma)(*y, x[i], sum[c]);
        }
    UNROLL for (int c = 0; c < count; c++) z[c] = VN(total)(sum[c]);
}

/* y += the sum of a_j v_j. */
LANES_INLINE void VN(product)(int64_t ld, const R *a, const int count, int64_t first, int64_t last,
                              const R *v, V *y)
{
    for (int64_t i = first; i < last; i++) {
        V sum = y[i];
        UNROLL for (int c = 0; c < count; c++) sum =
            VN(fma)(((const V *)(a + c * ld))[i], VN(splat)(v[c]), sum);
        y[i] = sum;
    }
}

/* The square to C and the reflectors H and P, with u of I - u u' in row k of each. */
static void VN(bidiagonal)(const VN(small) *w)
{
    enum { MOST = ORR_GESVD_SMALL };
    const int64_t n = w->n, ld = w->ld, vectors = (n + LANES - 1) / LANES;
    V buffer[9][MOST / (LANE_BYTES / sizeof(R))];
    V *u = buffer[0], *p = buffer[1], *u_next = buffer[2], *p_next = buffer[3]; /* by rows */
    V *q = buffer[4], *v = buffer[5], *q_next = buffer[6], *v_next = buffer[7]; /* by columns */
    V *row = buffer[8];
    memset(buffer, 0, sizeof buffer);
    for (int64_t k = 0; k < n; k++) {
        V *c = (V *)(w->square + k * ld);
        const V qk = VN(splat)(((R *)q)[k]), vk = VN(splat)(((R *)v)[k]);
        for (int64_t i = k / LANES; i < vectors; i++)
            c[i] = VN(fnma)(u[i], qk, VN(fnma)(p[i], vk, c[i]));
        if (k == n - 1) {
            w->d[0] = ((R *)c)[k];
            break;
        }
        w->d[n - 1 - k] = VN(reflector)(k - 1, vectors, c, u_next);
        if (w->H)
            memcpy(k ? w->H + (k - 1) * n : w->first, u_next, sizeof(R) * (size_t)n);
        int64_t j = k + 1;
#define UPDATE(count)                                                                              \
    VN(update)(ld, w->square + j * ld, count, k / LANES, vectors, u, p, (R *)q + j, (R *)v + j,    \
               u_next, (R *)q_next + j)
        for (; j + COLUMNS <= n; j += COLUMNS)
            UPDATE(COLUMNS);
        for (; j < n; j++)
            UPDATE(1);
#undef UPDATE
        const R uk = ((R *)u_next)[k];
        for (j = k + 1; j < n; j++)
            ((R *)row)[j] = w->square[j * ld + k] - uk * ((R *)q_next)[j];
        const int last = k == n - 2;
        if (last) {
            w->e[0] = ((R *)row)[n - 1];
            memset(v_next, 0, sizeof(V) * (size_t)vectors);
        } else {
            w->e[n - 2 - k] = VN(reflector)(k, vectors, row, v_next);
            if (w->P)
                memcpy(w->P + k * n, v_next, sizeof(R) * (size_t)n);
        }
        const int64_t first = (k + 1) / LANES;
        R dot = 0;
        memset(p_next, 0, sizeof(V) * (size_t)vectors);
        for (j = k + 1; j + COLUMNS <= n && !last; j += COLUMNS)
            VN(product)(ld, w->square + j * ld, COLUMNS, first, vectors, (R *)v_next + j, p_next);
        for (; j < n && !last; j++)
            VN(product)(ld, w->square + j * ld, 1, first, vectors, (R *)v_next + j, p_next);
        for (j = k + 1; j < n; j++)
            dot += ((R *)q_next)[j] * ((R *)v_next)[j];
        const MASK below = VN(lane_numbers)() >= (MASK){0} + (LANE_INT)((k + 1) % LANES);
        for (int64_t i = first; i < vectors; i++) /* p = (A - u q') v */
            p_next[i] = VN(fnma)(u_next[i], VN(splat)(dot), p_next[i]);
        p_next[first] =
            VN(select)(below, p_next[first], VN(splat)(0)); /* A has old numbers above */
        V *t;
        t = u, u = u_next, u_next = t;
        t = p, p = p_next, p_next = t;
        t = q, q = q_next, q_next = t;
        t = v, v = v_next, v_next = t;
    }
}

static void VN(reduce)(const orr_gesvd_direct *g, const VN(small) *w)
{
    const int32_t m = (int32_t)w->m, n = (int32_t)w->n, ld = (int32_t)w->ld;
    if (m > n) {
        int32_t info;
        LAPACK(geqrf_)(&m, &n, w->A, &ld, w->tau, w->work, &g->lwork, &info);
        memset(w->square, 0, sizeof(R) * (size_t)(w->ld * w->n));
        for (int64_t j = 0; j < n; j++)
            memcpy(w->square + j * ld, w->A + j * ld, sizeof(R) * (size_t)(j + 1));
    }
    if (w->H) { /* rows without a reflector */
        const int64_t zero = n > 2 ? n - 2 : 0;
        memset(w->H + zero * n, 0, sizeof(R) * (size_t)((n + 1 - zero) * n));
        memset(w->P + zero * n, 0, sizeof(R) * (size_t)((n + 1 - zero) * n));
        memset(w->first, 0, sizeof(R) * (size_t)n);
    }
    VN(bidiagonal)(w);
}

/* ---- QR of C --------------------------------------------------------------------------------- */

/* The eigenvalues of C C', in the order in which QL from the bottom finds them. */
static int VN(find_squares)(const VN(small) *w)
{
    const int64_t n = w->n;
    for (int64_t i = 0; i < n; i++) {
        const R e = i < n - 1 ? w->e[i] : 0, off = i < n - 1 ? e * w->d[i + 1] : 0;
        w->values[i] = w->d[i] * w->d[i] + e * e;
        w->e2[i] = off;
    }
    const R floor = VN(floor_of)(n, w->values, w->e2);
    for (int64_t i = 0; i < n; i++)
        w->e2[i] *= w->e2[i];
    return VN(find_values)(n, floor, w->values, w->e2);
}

/* The smaller singular value of (f g; 0 h). */
LANES_INLINE R VN(smaller)(R f, R g, R h)
{
    const R least = RABS(f) < RABS(h) ? RABS(f) : RABS(h);
    const R most = RABS(f) < RABS(h) ? RABS(h) : RABS(f);
    if (least == 0)
        return 0;
    const R plus = most + least, minus = most - least;
    return 2 * least * (most / (SQRT(plus * plus + g * g) + SQRT(minus * minus + g * g)));
}

/* (c s; -s c) (f g)' = (r 0)'. */
LANES_INLINE VN(turn1) VN(rotation_of)(R f, R g, R *r)
{
    const R t = f * f + g * g;
    if (t < TINY_PAIR) {
        *r = f;
        return (VN(turn1)){1, 0};
    }
    *r = SQRT(t);
    const R inverse = *r * (1 / t); /* beside the root, not behind it */
    return (VN(turn1)){f * inverse, g * inverse};
}

/* One sweep of a block, lo <= i <= hi, that finds the square of the shift at lo. */
static void VN(sweep)(int64_t lo, int64_t hi, R shift, R *d, R *e, VN(turn1) *left,
                      VN(turn1) *right)
{
    R f = d[hi], g = e[hi - 1], r;
    if (shift > 0)
        f = (RABS(f) - shift) * ((f < 0 ? -1 : 1) + shift / f);
    for (int64_t i = hi; i > lo; i--) {
        const VN(turn1) x = left[i - 1] = VN(rotation_of)(f, g, &r);
        if (i < hi)
            e[i] = r;
        f = x.c * d[i] + x.s * e[i - 1];
        e[i - 1] = x.c * e[i - 1] - x.s * d[i];
        g = x.s * d[i - 1];
        d[i - 1] *= x.c;
        const VN(turn1) y = right[i - 1] = VN(rotation_of)(f, g, &r);
        d[i] = r;
        f = y.c * e[i - 1] + y.s * d[i - 1];
        d[i - 1] = y.c * d[i - 1] - y.s * e[i - 1];
        g = 0;
        if (i > lo + 1) {
            g = y.s * e[i - 2];
            e[i - 2] *= y.c;
        }
    }
    e[lo] = f;
}

/* The rotations that make C diagonal. Returns how many sweeps there were, -1: it does not converge. */
static int VN(find_turns)(const VN(small) *w)
{
    const int64_t n = w->n;
    R *d = w->d, *e = w->e;
    R sum = d[n - 1] * d[n - 1];
    for (int64_t i = 0; i < n - 1; i++)
        sum += d[i] * d[i] + e[i] * e[i];
    const R least = 4 * EPS * SQRT(sum / (R)n), floor = least > LEAST_FLOOR ? least : LEAST_FLOOR;
    int64_t used = 0, tried = -1;
    int sweeps = 0;
    for (int64_t lo = 0; lo < n;) {
        int64_t hi = lo;
        int singular = RABS(d[lo]) <= floor;
        while (hi < n - 1 && !(RABS(e[hi]) <= VN(negligible)(floor, d[hi], d[hi + 1])))
            singular |= RABS(d[++hi]) <= floor;
        if (hi == lo) {
            lo++;
            continue;
        }
        if (sweeps == SWEEPS * n || used + hi - lo > TURNS * n * n)
            return -1;
        const R square = w->values[lo];
        const R shift = singular     ? 0
                        : tried < lo ? (square > 0 ? SQRT(square) : 0)
                                     : VN(smaller)(d[lo], e[lo], d[lo + 1]);
        w->sweep[sweeps++] = (turns){(int)lo, (int)hi, (int)(used - lo)};
        VN(sweep)(lo, hi, shift, d, e, w->list[0] + used - lo, w->list[1] + used - lo);
        used += hi - lo;
        tried = lo;
    }
    return sweeps;
}

/* ---- Vectors --------------------------------------------------------------------------------- */

/* out := (I - x x') out, n x n. */
static void VN(reflect_one)(int64_t n, const R *x, R *out, int64_t ld)
{
    for (int64_t j = 0; j < n; j++) {
        R *y = out + j * ld, dot = 0;
#pragma omp simd reduction(+ : dot)
        for (int64_t i = 0; i < n; i++)
            dot += x[i] * y[i];
#pragma omp simd
        for (int64_t i = 0; i < n; i++)
            y[i] -= dot * x[i];
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Of LAPACK's routines. */
static int32_t VN(most_work)(const VN(small) *w)
{
    const int32_t m = (int32_t)w->m, n = (int32_t)w->n, ld = (int32_t)w->ld, ask = -1;
    R size[2] = {0}, none = 0;
    int32_t info;
    if (m == n)
        return 0;
    LAPACK(geqrf_)(&m, &n, &none, &ld, &none, &size[0], &ask, &info);
    LAPACK(ormqr_)("L", "N", &m, &n, &n, &none, &ld, &none, &none, &m, &size[1], &ask, &info);
    /* in single precision the size comes back rounded, perhaps down */
    return (int32_t)((double)(size[0] > size[1] ? size[0] : size[1]) * (1 + (double)EPS)) + 1;
}

/* From `memory` on, if it is not NULL; how many bytes. */
static size_t VN(lay_out)(const orr_gesvd_direct *g, VN(small) *w, char *memory)
{
    enum { LINE = 64 / sizeof(R) };
    const int transposed = g->m < g->n, vectors = g->u || g->v;
    const int64_t m = transposed ? g->n : g->m, n = transposed ? g->m : g->n;
    /* columns that lie a power of two apart would share few lines of the first cache */
    const int64_t whole = (m + LANES - 1) / LANES * LANES;
    const int64_t ld = whole % (4 * LINE) ? whole : whole + LINE;
    const struct {
        R **at;
        int64_t count;
    } part[] = {{&w->A, ld * n},
                {&w->square, m > n ? ld * n : 0},
                {&w->tau, n},
                {&w->work, g->lwork},
                {&w->d, n},
                {&w->e, n},
                {&w->values, vectors * n},
                {&w->e2, 4 * n},
                {&w->first, vectors * n},
                {&w->H, vectors * (n * (n + 1) + LANES)},
                {&w->P, vectors * (n * (n + 1) + LANES)},
                {&w->q.gamma, vectors * n},
                {&w->q.zt, vectors * 2 * LANES * n},
                {&w->Z, vectors * PADDED(n) * n},
                {(R **)&w->list[0], vectors * 2 * TURNS * n * n},
                {(R **)&w->list[1], vectors * 2 * TURNS * n * n}};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *part[i].at = memory && part[i].count ? (R *)(memory + bytes) : NULL;
        bytes += (sizeof(R) * (size_t)part[i].count + 63) / 64 * 64;
    }
    w->sweep = memory && vectors ? (turns *)(memory + bytes) : NULL;
    w->transposed = transposed;
    w->m = m;
    w->n = w->q.n = n;
    w->ld = ld;
    w->q.Z = w->Z;
    if (m == n)
        w->square = w->A;
    return bytes + (size_t)(vectors * SWEEPS * n) * sizeof(turns);
}

static size_t VN(bytes)(orr_gesvd_direct *g)
{
    VN(small) w;
    VN(lay_out)(g, &w, NULL);
    g->lwork = VN(most_work)(&w);
    return VN(lay_out)(g, &w, NULL);
}

/* Column j of out, m x n, takes the sign of d; below an n x n matrix are zeros, then Q is applied. */
static void VN(finish)(const orr_gesvd_direct *g, const VN(small) *w, const int64_t *order, R *out,
                       int64_t ld)
{
    const int32_t m = (int32_t)w->m, n = (int32_t)w->n, lda = (int32_t)w->ld, ldo = (int32_t)ld;
    int32_t info;
    for (int64_t j = 0; j < n; j++) {
        R *x = out + j * ld;
        for (int64_t i = 0; i < n && w->d[order[j]] < 0; i++)
            x[i] = -x[i];
        memset(x + n, 0, sizeof(R) * (size_t)(m - n));
    }
    if (m > n)
        LAPACK(ormqr_)("L", "N", &m, &n, &n, w->A, &lda, w->tau, out, &ldo, w->work, &g->lwork,
                       &info);
}

/* d becomes the singular values of C, descending. */
static int VN(find_values_alone)(const VN(small) *w)
{
    const int32_t n = (int32_t)w->n, none = 0, one = 1;
    int32_t info;
    R unused;
    LAPACK(bdsqr_)("U", &n, &none, &none, &none, w->d, w->e, &unused, &one, &unused, &one, &unused,
                   &one, w->e2, &info);
    return info == 0;
}

static orr_status VN(solve)(const orr_gesvd_direct *g, void *memory)
{
    VN(small) w;
    VN(lay_out)(g, &w, memory);
    const int64_t n = w.n;
    R scale = (R)g->scale, *s = g->s;
    int64_t order[ORR_GESVD_SMALL];
    VN(load)(g, &w, &scale);
    VN(reduce)(g, &w);
    int sweeps = 0;
    if (g->u || g->v)
        sweeps = VN(find_squares)(&w) ? VN(find_turns)(&w) : -1;
    else
        sweeps = VN(find_values_alone)(&w) ? 0 : -1;
    if (sweeps < 0)
        return ORR_NOCONV;
    /* descending, equal ones as they are in B: LAPACK's testers ask for an identity of an identity */
    for (int64_t j = 0; j < n; j++) {
        const int64_t i = n - 1 - j;
        int64_t k = j;
        for (; k > 0 && RABS(w.d[order[k - 1]]) < RABS(w.d[i]); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int64_t i = 0; i < n; i++)
        s[i] = RABS(w.d[order[i]]) * (1 / scale) * (R)(1 / g->scale);
    R *const left = w.transposed ? g->v : g->u, *const right = w.transposed ? g->u : g->v;
    const int64_t ld_left = w.transposed ? g->ldv : g->ldu;
    const int64_t ld_right = w.transposed ? g->ldu : g->ldv;
    if (right) {
        VN(turn_identity)((int)n, w.sweep, sweeps, w.list[0], w.Z);
        w.q.U = w.P;
        VN(reflect_all)(&w.q, order, right, ld_right);
    }
    if (left) {
        VN(turn_identity)((int)n, w.sweep, sweeps, w.list[1], w.Z);
        w.q.U = w.H;
        VN(reflect_all)(&w.q, order, left, ld_left);
        VN(reflect_one)(n, w.first, left, ld_left);
        VN(finish)(g, &w, order, left, ld_left);
    }
    return ORR_OK;
}
#endif
