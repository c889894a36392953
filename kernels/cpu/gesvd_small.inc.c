/* gesvd of one small real matrix with vectors, in the caches of a core; the body for one scalar type
 * and one instruction set.
 *
 *   reduce   A, or A' if it is wide, is Q R first if it is not square; the square is H B P', B upper
 *            bidiagonal, by LAPACK's gebrd
 *   values   of T = C C', where C is B' from the bottom up, by QL without roots
 *   turns    C becomes diagonal by implicit QR from the bottom up (Golub, Kahan; Demmel, Kahan), which
 *            is QL of T: the first shift of every block is the root of the value found there before,
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
#include "lanes_turn.inc.c"
#include "lanes_reflect.inc.c"
#include "ql_values.inc.c"

typedef struct {
    int64_t m, n, ld; /* of the matrix, upright; leading dimension of both copies */
    int transposed;
    R *A, *square; /* one and the same if m = n */
    R *tau, *tau_q, *tau_p, *work;
    R *d, *e, *values, *e2;
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

/* To C; the reflectors stay in A and the square. */
static void VN(reduce)(const orr_gesvd_direct *g, const VN(small) *w)
{
    const int32_t m = (int32_t)w->m, n = (int32_t)w->n, ld = (int32_t)w->ld;
    int32_t info;
    if (m > n) {
        LAPACK(geqrf_)(&m, &n, w->A, &ld, w->tau, w->work, &g->lwork, &info);
        memset(w->square, 0, sizeof(R) * (size_t)(w->ld * w->n));
        for (int64_t j = 0; j < n; j++)
            memcpy(w->square + j * ld, w->A + j * ld, sizeof(R) * (size_t)(j + 1));
    }
    LAPACK(gebrd_)(&n, &n, w->square, &ld, w->d, w->e, w->tau_q, w->tau_p, w->work, &g->lwork,
                   &info);
    for (int64_t i = 0, k = n - 1; i < k; i++, k--) {
        const R x = w->d[i];
        w->d[i] = w->d[k], w->d[k] = x;
    }
    for (int64_t i = 0, k = n - 2; i < k; i++, k--) {
        const R x = w->e[i];
        w->e[i] = w->e[k], w->e[k] = x;
    }
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

/* u of H = I - u u' from gebrd's v and tau: count entries behind the first, `apart` apart. */
static void VN(reflector)(R tau, int64_t count, const R *v, int64_t apart, R *u)
{
    const R length = SQRT(tau);
    u[0] = length;
    for (int64_t i = 0; i < count; i++)
        u[i + 1] = length * v[i * apart];
}

/* out, n x n := P times the left vectors of C. */
static void VN(right)(VN(small) *w, const int64_t *order, R *out, int64_t ld)
{
    const int64_t n = w->n;
    for (int64_t k = 0; k < n - 2; k++)
        VN(reflector)(w->tau_p[k], n - k - 2, w->square + k + (k + 2) * w->ld, w->ld,
                      w->q.U + k * n + k + 1);
    VN(reflect_all)(&w->q, order, out, ld);
}

/* The same of H and the right vectors; H_0 has an entry that is not below the diagonal, and is
 * applied for itself. */
static void VN(left)(VN(small) *w, const int64_t *order, R *out, int64_t ld)
{
    const int64_t n = w->n;
    for (int64_t k = 0; k < n - 2; k++)
        VN(reflector)(w->tau_q[k + 1], n - k - 2, w->square + k + 2 + (k + 1) * w->ld, 1,
                      w->q.U + k * n + k + 1);
    VN(reflect_all)(&w->q, order, out, ld);
    R *u = w->q.U;
    VN(reflector)(n > 1 ? w->tau_q[0] : 0, n - 1, w->square + 1, 1, u);
    for (int64_t j = 0; j < n; j++) {
        R *x = out + j * ld, dot = 0;
#pragma omp simd reduction(+ : dot)
        for (int64_t i = 0; i < n; i++)
            dot += u[i] * x[i];
#pragma omp simd
        for (int64_t i = 0; i < n; i++)
            x[i] -= dot * u[i];
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int32_t VN(most_work)(const VN(small) *w)
{
    const int32_t m = (int32_t)w->m, n = (int32_t)w->n, ld = (int32_t)w->ld, ask = -1;
    R size[3] = {0}, none = 0;
    int32_t info;
    LAPACK(gebrd_)(&n, &n, &none, &ld, &none, &none, &none, &none, &size[0], &ask, &info);
    if (m > n) {
        LAPACK(geqrf_)(&m, &n, &none, &ld, &none, &size[1], &ask, &info);
        LAPACK(ormqr_)("L", "N", &m, &n, &n, &none, &ld, &none, &none, &m, &size[2], &ask, &info);
    }
    R most = size[0] > size[1] ? size[0] : size[1];
    most = most > size[2] ? most : size[2];
    /* in single precision the size comes back rounded, perhaps down */
    return (int32_t)((double)most * (1 + (double)EPS)) + 1;
}

/* From `memory` on, if it is not NULL; how many bytes. */
static size_t VN(lay_out)(const orr_gesvd_direct *g, VN(small) *w, char *memory)
{
    enum { LINE = 64 / sizeof(R) };
    const int transposed = g->m < g->n;
    const int64_t m = transposed ? g->n : g->m, n = transposed ? g->m : g->n;
    /* columns that lie a power of two apart would share few lines of the first cache */
    const int64_t ld = m % (8 * LINE) ? m : m + LINE;
    const int64_t count[] = {ld * n,
                             m > n ? ld * n : 0,
                             n,
                             n,
                             n,
                             g->lwork,
                             n,
                             n,
                             n,
                             n,
                             n * (n + 1) + LANES,
                             n,
                             2 * LANES * n,
                             PADDED(n) * n,
                             2 * TURNS * n * n,
                             2 * TURNS * n * n};
    R **const at[] = {
        &w->A,    &w->square, &w->tau,           &w->tau_q,        &w->tau_p, &w->work,
        &w->d,    &w->e,      &w->values,        &w->e2,           &w->q.U,   &w->q.gamma,
        &w->q.zt, &w->Z,      (R **)&w->list[0], (R **)&w->list[1]};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        *at[i] = memory && count[i] ? (R *)(memory + bytes) : NULL;
        bytes += (sizeof(R) * (size_t)count[i] + 63) / 64 * 64;
    }
    w->sweep = memory ? (turns *)(memory + bytes) : NULL;
    w->transposed = transposed;
    w->m = m;
    w->n = w->q.n = n;
    w->ld = ld;
    w->q.Z = w->Z;
    if (m == n)
        w->square = w->A;
    return bytes + (size_t)(SWEEPS * n) * sizeof(turns);
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

static orr_status VN(solve)(const orr_gesvd_direct *g, void *memory)
{
    VN(small) w;
    VN(lay_out)(g, &w, memory);
    const int64_t n = w.n;
    R scale = (R)g->scale, *s = g->s;
    int64_t order[ORR_GESVD_SMALL];
    VN(load)(g, &w, &scale);
    VN(reduce)(g, &w);
    const int sweeps = VN(find_squares)(&w) ? VN(find_turns)(&w) : -1;
    if (sweeps < 0)
        return ORR_NOCONV;
    for (int64_t i = 0; i < n; i++) { /* order: descending */
        int64_t k = i;
        for (; k > 0 && RABS(w.d[order[k - 1]]) < RABS(w.d[i]); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int64_t i = 0; i < n; i++)
        s[i] = RABS(w.d[order[i]]) * (1 / scale) * (R)(1 / g->scale);
    R *const left = w.transposed ? g->v : g->u, *const right = w.transposed ? g->u : g->v;
    const int64_t ld_left = w.transposed ? g->ldv : g->ldu;
    const int64_t ld_right = w.transposed ? g->ldu : g->ldv;
    memset(w.q.U, 0, sizeof(R) * (size_t)(n * (n + 1))); /* above, and rows without a reflector */
    if (right) {
        VN(turn_identity)((int)n, w.sweep, sweeps, w.list[0], w.Z);
        VN(right)(&w, order, right, ld_right);
    }
    if (left) {
        VN(turn_identity)((int)n, w.sweep, sweeps, w.list[1], w.Z);
        VN(left)(&w, order, left, ld_left);
        VN(finish)(g, &w, order, left, ld_left);
    }
    return ORR_OK;
}
#endif
