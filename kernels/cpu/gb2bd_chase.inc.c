/* The steps of gb2bd on adjacent rows, for one type and one instruction set; see
 * kernels/gb2bd.h for what a step is. Rows here are of R, also for half precision.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gb2bd_reflect.inc.c"

/* (i,j), wherever the two blocks begin. */
LANES_INLINE R *VN(at)(const orr_gb2bd_args *g, R *rows, int64_t i, int64_t j)
{
    return rows + (i - g->first) * g->band.ld + g->band.low + (j - i);
}

/* How far column j is behind a multiple of the vector length: low and ld-1 are multiples. */
LANES_INLINE int64_t VN(shift)(int64_t j) { return j & (LANES - 1); }

/* Vectors that hold columns [from, to]. */
LANES_INLINE int64_t VN(span)(int64_t from, int64_t to)
{
    return to / LANES - from / LANES + 1;
}

enum { VN(HEAD) = 16 }; /* carry: tau at 0, v from here, at its shift */

/* Where the reflector of sweep s that begins in row or column j is kept; NULL: it is not. */
LANES_INLINE R *VN(kept)(const orr_gb2bd_args *g, void *all, int64_t s, int64_t j)
{
    return all ? (R *)all + (1 + IS_COMPLEX) * orr_gb2bd_kept(g, s, j) : NULL;
}

/* x, as made by reflector(), as a column with tau in the place of its leading 1. `sign` is -1
 * if x is a row, whose adjoint is that column. */
static void VN(keep)(R *to, int64_t len, const R *x, R tau, int sign)
{
    (void)sign;
    for (int64_t i = 1; to && i < len; i++) {
        to[(1 + IS_COMPLEX) * i] = x[i];
#if IS_COMPLEX
        to[2 * i + 1] = (R)sign * x[VN(ROOM) + i];
#endif
    }
    for (int p = 0; to && p <= IS_COMPLEX; p++)
        to[p] = p ? 0 : tau;
}

/* v from columns [j0, j1] of row i, into the carry and to `kept`; the row becomes (beta, 0,
 * ...). */
static void VN(annihilate_row)(const orr_gb2bd_args *g, R *rows, int64_t i, int64_t j0, int64_t j1,
                               R *carry, int64_t v_plane, R *kept)
{
    const int64_t plane = g->band.plane, len = j1 - j0 + 1, shift = VN(shift)(j0);
    R x[(1 + IS_COMPLEX) * VN(ROOM)] __attribute__((aligned(64))), im;
    R *a = VN(at)(g, rows, i, j0), *v = carry + VN(HEAD);
    memset(x + len, 0, LANES * sizeof(R));
    memcpy(x, a, (size_t)len * sizeof(R));
    memset(a, 0, (size_t)len * sizeof(R));
#if IS_COMPLEX
    memset(x + VN(ROOM) + len, 0, LANES * sizeof(R));
    memcpy(x + VN(ROOM), a + plane, (size_t)len * sizeof(R));
    memset(a + plane, 0, (size_t)len * sizeof(R));
#endif
    a[0] = VN(reflector)(len, x, VN(ROOM), carry, &im);
    VN(keep)(kept, len, x, carry[0], -1);
    (void)plane;
    for (int p = 0; p <= IS_COMPLEX; p++) {
        memset(v + p * v_plane, 0, LANES * sizeof(R));
        memset(v + p * v_plane + (shift + len) / LANES * LANES, 0, LANES * sizeof(R));
        memcpy(v + p * v_plane + shift, x + p * VN(ROOM), (size_t)len * sizeof(R));
    }
#if IS_COMPLEX
    a[plane] = im;
#endif
}

/* u from rows [i0, i1] of column j, which becomes (beta, 0, ...), and to `kept`; applied to
 * columns up to j1. Columns before j are zero in these rows. */
static void VN(annihilate_column)(const orr_gb2bd_args *g, R *rows, int64_t i0, int64_t i1,
                                  int64_t j, int64_t j1, R *kept)
{
    const int64_t plane = g->band.plane, down = g->band.ld - 1, len = i1 - i0 + 1;
    R u[(1 + IS_COMPLEX) * VN(ROOM)] __attribute__((aligned(64))), tau, re, im;
    R *a = VN(at)(g, rows, i0, j);
    for (int p = 0; p <= IS_COMPLEX; p++) {
        for (int64_t i = 0; i < len; i++)
            u[p * VN(ROOM) + i] = a[p * plane + i * down];
        memset(u + p * VN(ROOM) + len, 0, LANES * sizeof(R));
    }
    re = VN(reflector)(len, u, VN(ROOM), &tau, &im);
    VN(keep)(kept, len, u, tau, 1);
    if (tau != 0)
        VN(left)(len, VN(span)(j, j1), a - VN(shift)(j), down, plane, u, VN(ROOM), tau);
    for (int64_t i = 0; i < len; i++)
        a[i * down] = 0;
    a[0] = re;
#if IS_COMPLEX
    for (int64_t i = 0; i < len; i++)
        a[plane + i * down] = 0;
    a[plane] = im;
#endif
}

/* Rows [i0, i1], columns [j0, j1], times the reflector in the carry. */
LANES_INLINE void VN(from_the_right)(const orr_gb2bd_args *g, R *rows, int64_t i0, int64_t i1,
                                     int64_t j0, int64_t j1, const R *carry, int64_t v_plane)
{
    if (carry[0] != 0)
        VN(right)(i1 - i0 + 1, VN(span)(j0, j1), VN(at)(g, rows, i0, j0) - VN(shift)(j0),
                  g->band.ld - 1, g->band.plane, carry + VN(HEAD), v_plane, carry[0]);
}

/* A J(t) of one column has no reflector: tau = 0. It is written first, because elsewhere
 * its place is that of a last entry. */
LANES_INLINE void VN(keep_none)(R *u, R *v)
{
    for (int p = 0; u && p <= IS_COMPLEX; p++)
        u[p] = 0;
    for (int p = 0; v && p <= IS_COMPLEX; p++)
        v[p] = 0;
}

static void VN(step)(const orr_gb2bd_args *g, R *rows, int64_t s, int64_t t, R *carry,
                     int64_t v_plane)
{
    const int64_t b = g->b, tw = g->tw, end = g->band.n - 1;
    const int64_t j0 = s + t * b - tw, j1 = j0 + tw < end ? j0 + tw : end;    /* J(t) */
    const int64_t k0 = j0 + b, k1 = k0 + tw < end ? k0 + tw : end;            /* J(t+1) */
    if (t == 0) {
        VN(keep_none)(VN(kept)(g, g->u, s, end), VN(kept)(g, g->v, s, end));
        VN(annihilate_row)(g, rows, s, k0, k1, carry, v_plane, VN(kept)(g, g->v, s, k0));
        return;
    }
    VN(from_the_right)(g, rows, j0 + tw - b + 1, j1, j0, j1, carry, v_plane);
    VN(annihilate_column)(g, rows, j0, j1, j0, k1, VN(kept)(g, g->u, s, j0));
    if (k0 < k1) {
        VN(annihilate_row)(g, rows, j0, k0, k1, carry, v_plane, VN(kept)(g, g->v, s, k0));
        VN(from_the_right)(g, rows, j0 + 1, j1, k0, k1, carry, v_plane);
    }
}

/* Steps with s+tb <= limit, at least none. */
LANES_INLINE int64_t VN(steps)(int64_t s, int64_t b, int64_t limit)
{
    return limit < s ? 0 : (limit - s) / b + 1;
}

static void VN(chase)(const orr_gb2bd_args *g, R *rows, R *carry)
{
    const int64_t each = orr_gb2bd_carry(IS_COMPLEX ? ORR_C : ORR_S, g->tw);
    const int64_t v_plane = (each - VN(HEAD)) / (1 + IS_COMPLEX);
    for (int64_t i = 0; i < g->sweeps; i++) {
        const int64_t s = g->sweep + i, lead = i * (g->b - 1);
        /* J(t) has two columns at least */
        const int64_t all = VN(steps)(s, g->b, g->band.n - 2 + g->tw);
        const int64_t stop = VN(steps)(s, g->b, g->to - lead);
        for (int64_t t = VN(steps)(s, g->b, g->from - lead); t < stop && t < all; t++)
            VN(step)(g, rows, s, t, carry + i * each, v_plane);
    }
}

static void VN(qr)(const orr_gb2bd_args *g, R *rows, R *carry)
{
    (void)carry;
    const int64_t kl = g->b, ku = g->tw, n = g->band.n, m = g->band.rows;
    for (int64_t j = g->sweep; j < g->sweep + g->sweeps; j++) {
        const int64_t i1 = j + kl < m ? j + kl : m - 1;
        const int64_t j1 = j + kl + ku < n ? j + kl + ku : n - 1;
        R *const kept = g->u ? (R *)g->u + (1 + IS_COMPLEX) * (j - g->sweep) * (kl + 1) : NULL;
        if (j < i1)
            VN(annihilate_column)(g, rows, j, i1, j, j1, kept);
        else
            VN(keep_none)(kept, NULL);
    }
}
