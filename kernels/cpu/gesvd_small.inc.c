/* gesvd of one small matrix, in the caches of a core; the body for one scalar type and one
 * instruction set.
 *
 *   reduce   A, or A' if it is wide, is Q R first if it is not square, by LAPACK; the square is H B P',
 *            B real and upper bidiagonal, by Householder, rows across lanes. One pass over it does the
 *            update of the last two reflectors and the product with the next left one, another one the
 *            product with the next right one
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
#include "lanes_rotation.inc.c"
#include "lanes_elements.inc.c"
#include "lanes_transpose.inc.c"
#include "lanes_householder.inc.c"
#include "lanes_turn.inc.c"
#include "lanes_reflect.inc.c"
#include "ql_values.inc.c"
#include "lanes_rows.inc.c"

#undef UNMQR
#if IS_COMPLEX
#define UNMQR LAPACK(unmqr_)
#else
#define UNMQR LAPACK(ormqr_)
#endif

typedef struct {
    int64_t m, n, ld; /* of the matrix, upright; leading dimension of both copies */
    int transposed;
    T *A;      /* if m > n */
    R *square; /* columns; of a complex matrix the real parts of each, then the others */
    T *tau, *work;
    R *d, *e, *values, *e2; /* e2: without vectors, memory of bdsqr */
    R *first;           /* of H, complex also i times it; of H row k belongs to reflector k + 1 */
    R *H, *P;           /* their rows k have no entry before k + 1 */
    R *D[2];            /* of H, of P: phases */
    VN(turn1) *list[2]; /* of the left vectors of C, of the right ones */
    turns *sweep;
    VN(reflectors) q[2]; /* of either side; without `apart` both in the same memory */
    R *Z[2];
    int64_t *order;
    int *sweeps;
} VN(small);

/* ---- Reduction ------------------------------------------------------------------------------- */

/* Of an entry of the square; an imaginary part is ld numbers on. */
LANES_INLINE R *VN(place)(const VN(small) *w, int64_t i, int64_t j)
{
    return w->square + PARTS * j * w->ld + i;
}

/* The matrix times *scale, upright, to A or the square, scaled again so that its largest entry is of
 * order 1, which *scale then is, too. */
static void VN(load)(const orr_gesvd_direct *g, const VN(small) *w, R *scale)
{
    R largest = 0;
    for (int64_t j = 0; j < g->n; j++) {
        const R *x = (const R *)((const T *)g->a + j * g->lda);
        for (int64_t i = 0; i < PARTS * g->m; i++)
            largest = RABS(x[i] * *scale) > largest ? RABS(x[i] * *scale) : largest;
    }
    int exponent = 0;
    (void)frexp((double)largest, &exponent);
    const R again = (R)ldexp(1, largest > 0 ? -exponent : 0);
    memset(w->square, 0, sizeof(R) * (size_t)(PARTS * w->ld * w->n));
    for (int64_t j = 0; j < g->n; j++)
        for (int64_t i = 0; i < g->m; i++) {
            const T a = ((const T *)g->a)[j * g->lda + i], x = w->transposed ? CONJ(a) : a;
            const int64_t row = w->transposed ? j : i, column = w->transposed ? i : j;
            R *to = w->A ? (R *)(w->A + column * w->ld + row) : VN(place)(w, row, column);
            to[0] = REAL(x) * *scale * again;
#if IS_COMPLEX
            to[w->A ? 1 : w->ld] = IMAG(x) * *scale * again;
#endif
        }
    *scale = again;
}

#include "gesvd_small_bidiagonal.inc.c"

static void VN(reduce)(const orr_gesvd_direct *g, const VN(small) *w)
{
    const int32_t m = (int32_t)w->m, n = (int32_t)w->n, ld = (int32_t)w->ld;
    if (m > n) {
        int32_t info;
        LAPACK(geqrf_)(&m, &n, w->A, &ld, w->tau, w->work, &g->lwork, &info);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i <= j; i++) {
                const T x = w->A[j * ld + i];
                VN(place)(w, i, j)[0] = REAL(x);
#if IS_COMPLEX
                VN(place)(w, i, j)[ld] = IMAG(x);
#endif
            }
    }
    if (w->H) { /* rows without a reflector */
        const int64_t zero = n > 2 ? n - 2 : 0;
        memset(w->H + PARTS * zero * n, 0, sizeof(R) * (size_t)(PARTS * (n + 1 - zero) * n));
        memset(w->P + PARTS * zero * n, 0, sizeof(R) * (size_t)(PARTS * (n + 1 - zero) * n));
        memset(w->first, 0, sizeof(R) * (size_t)(PARTS * n));
    }
    VN(bidiagonal)(w);
    for (int64_t i = 0; IS_COMPLEX && w->H && i < n; i++) {
        R *turned = w->first + PARTS * n;
        turned[2 * i] = -w->first[2 * i + 1], turned[2 * i + 1] = w->first[2 * i];
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

/* c^2 + s^2 := 1, one Newton step. What rounds them depends on f and g alone: where all singular values
 * are about the same, all rotations of a sweep and of the next ones would shrink columns alike. */
static void VN(unit_length)(int64_t count, VN(turn1) *g)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        const R c = g[i].c, s = g[i].s, half = (R)0.5 * ((1 - RABS(c)) * (1 + RABS(c)) - s * s);
        g[i].c = c + c * half, g[i].s = s + s * half;
    }
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
        VN(unit_length)(hi - lo, w->list[0] + used);
        VN(unit_length)(hi - lo, w->list[1] + used);
        used += hi - lo;
        tried = lo;
    }
    return sweeps;
}

/* ---- Vectors --------------------------------------------------------------------------------- */

/* out := (I - x x') out, n x n. As real numbers a complex x is two, x and i x, at right angles. */
static void VN(reflect_one)(int64_t n, const R *x, T *out, int64_t ld)
{
    const int64_t length = PARTS * n;
    for (int64_t j = 0; j < n; j++)
        for (int part = 0; part < PARTS; part++) {
            const R *xs = x + part * length;
            R *y = (R *)(out + j * ld), dot = 0;
#pragma omp simd reduction(+ : dot)
            for (int64_t i = 0; i < length; i++)
                dot += xs[i] * y[i];
#pragma omp simd
            for (int64_t i = 0; i < length; i++)
                y[i] -= dot * xs[i];
        }
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Of LAPACK's routines. */
static int32_t VN(most_work)(const VN(small) *w)
{
    const int32_t m = (int32_t)w->m, n = (int32_t)w->n, ld = (int32_t)w->ld, ask = -1;
    T size[2] = {0}, none = 0;
    int32_t info;
    if (m == n)
        return 0;
    LAPACK(geqrf_)(&m, &n, &none, &ld, &none, &size[0], &ask, &info);
    UNMQR("L", "N", &m, &n, &n, &none, &ld, &none, &none, &m, &size[1], &ask, &info);
    /* in single precision the size comes back rounded, perhaps down */
    const R most = REAL(size[0]) > REAL(size[1]) ? REAL(size[0]) : REAL(size[1]);
    return (int32_t)((double)most * (1 + (double)EPS)) + 1;
}

/* From `memory` on, if it is not NULL; how many bytes. */
static size_t VN(lay_out)(const orr_gesvd_direct *g, VN(small) *w, char *memory)
{
    enum { LINE = 64 / sizeof(R) };
    const int transposed = g->m < g->n, vectors = g->u || g->v, apart = vectors && g->apart;
    const int64_t m = transposed ? g->n : g->m, n = transposed ? g->m : g->n;
    /* columns that lie a power of two apart would share few lines of the first cache */
    const int64_t whole = (m + LANES - 1) / LANES * LANES;
    const int64_t ld = whole % (4 * LINE) ? whole : whole + LINE;
    const struct {
        void *at;
        int64_t count;
    } part[] = {{&w->A, m > n ? PARTS * ld * n : 0},
                {&w->square, PARTS * ld * n},
                {&w->tau, PARTS * n},
                {&w->work, PARTS * g->lwork},
                {&w->d, n},
                {&w->e, n},
                {&w->values, vectors * n},
                {&w->e2, 4 * n},
                {&w->first, vectors * PARTS * PARTS * n},
                {&w->H, vectors * (PARTS * n * (n + 1) + LANES)},
                {&w->P, vectors * (PARTS * n * (n + 1) + LANES)},
                {&w->D[0], (PARTS - 1) * 2 * n},
                {&w->D[1], (PARTS - 1) * 2 * n},
                {&w->q[0].gamma, vectors * n},
                {&w->q[0].zt, vectors * 2 * LANES * PARTS * n},
                {&w->Z[0], vectors * PADDED(n) * n},
                {&w->q[1].gamma, apart * n},
                {&w->q[1].zt, apart * 2 * LANES * PARTS * n},
                {&w->Z[1], apart * PADDED(n) * n},
                {&w->list[0], vectors * 2 * TURNS * n * n},
                {&w->list[1], vectors * 2 * TURNS * n * n}};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        char *here = memory && part[i].count ? memory + bytes : NULL;
        memcpy(part[i].at, &here, sizeof here);
        bytes += (sizeof(R) * (size_t)part[i].count + 63) / 64 * 64;
    }
    w->order = memory ? (int64_t *)(memory + bytes) : NULL;
    bytes += (size_t)n * sizeof *w->order;
    w->sweeps = memory ? (int *)(memory + bytes) : NULL;
    bytes += 64;
    w->sweep = memory && vectors ? (turns *)(memory + bytes) : NULL;
    w->transposed = transposed;
    w->m = m;
    w->n = n;
    w->ld = ld;
    for (int side = LEFT; side <= RIGHT; side++) {
        if (!apart) {
            w->q[side] = w->q[0];
            w->Z[side] = w->Z[0];
        }
        w->q[side].n = n;
        w->q[side].Z = w->Z[side];
        w->q[side].U = side == LEFT ? w->H : w->P;
#if IS_COMPLEX
        w->q[side].D = w->D[side], w->q[side].apart = 1;
#endif
    }
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
static void VN(finish)(const orr_gesvd_direct *g, const VN(small) *w, T *out, int64_t ld)
{
    const int32_t m = (int32_t)w->m, n = (int32_t)w->n, lda = (int32_t)w->ld, ldo = (int32_t)ld;
    int32_t info;
    for (int64_t j = 0; j < n; j++) {
        T *x = out + j * ld;
        for (int64_t i = 0; i < n && w->d[w->order[j]] < 0; i++)
            x[i] = -x[i];
        memset(x + n, 0, sizeof(T) * (size_t)(m - n));
    }
    if (m > n)
        UNMQR("L", "N", &m, &n, &n, w->A, &lda, w->tau, out, &ldo, w->work, &g->lwork, &info);
}

/* d becomes the singular values of C, descending. */
static int VN(find_values_alone)(const VN(small) *w)
{
    const int32_t n = (int32_t)w->n, none = 0, one = 1;
    int32_t info;
    R unused;
    BDSQR("U", &n, &none, &none, &none, w->d, w->e, &unused, &one, &unused, &one, &unused, &one,
          w->e2, &info);
    return info == 0;
}

/* All but the vectors. */
static orr_status VN(begin)(const orr_gesvd_direct *g, void *memory)
{
    VN(small) w;
    VN(lay_out)(g, &w, memory);
    const int64_t n = w.n;
    R scale = (R)g->scale, *s = g->s;
    int64_t *order = w.order;
    VN(load)(g, &w, &scale);
    VN(reduce)(g, &w);
    int sweeps = 0;
    if (g->u || g->v)
        sweeps = VN(find_squares)(&w) ? VN(find_turns)(&w) : -1;
    else
        sweeps = VN(find_values_alone)(&w) ? 0 : -1;
    if (sweeps < 0)
        return ORR_NOCONV;
    *w.sweeps = sweeps;
    /* descending, equal ones as they are in B: LAPACK's testers ask for an identity of an identity */
    for (int64_t j = 0; j < n; j++) {
        const int64_t i = n - 1 - j;
        int64_t k = j;
        for (; k > 0 && RABS(w.d[order[k - 1]]) < RABS(w.d[i]); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int64_t i = 0; i < n; i++)
        s[i] = RABS(w.d[order[i]]) * (1 / scale) * (R)orr_gesvd_back(g);
    return ORR_OK;
}

/* Those of one side, if they are wanted. */
static void VN(vectors)(const orr_gesvd_direct *g, int side, void *memory)
{
    VN(small) w;
    VN(lay_out)(g, &w, memory);
    const int u = (side == LEFT) != w.transposed;
    T *const out = u ? g->u : g->v;
    const int64_t ld = u ? g->ldu : g->ldv;
    if (!out)
        return;
    /* C's left vectors are B's right ones */
    VN(turn_identity)((int)w.n, w.sweep, *w.sweeps, w.list[side == LEFT], w.Z[side]);
    VN(reflect_all)(&w.q[side], w.order, out, ld);
    if (side == LEFT) {
        VN(reflect_one)(w.n, w.first, out, ld);
        VN(finish)(g, &w, out, ld);
    }
}
