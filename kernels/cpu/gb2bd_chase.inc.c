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
LANES_INLINE int64_t VN(span)(int64_t from, int64_t to) { return to / LANES - from / LANES + 1; }

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

/* A J(t) of one column has no reflector: tau = 0. It is written first, because elsewhere
 * its place is that of a last entry. */
LANES_INLINE void VN(keep_none)(R *u, R *v)
{
    for (int p = 0; u && p <= IS_COMPLEX; p++)
        u[p] = 0;
    for (int p = 0; v && p <= IS_COMPLEX; p++)
        v[p] = 0;
}

enum { VN(PARTS) = 1 + IS_COMPLEX };

/* A reflector from the right and one from the left, of a step. */
typedef struct {
    R v[VN(PARTS) *VN(ROOM)] __attribute__((aligned(64)));
    R u[VN(PARTS) *VN(ROOM)] __attribute__((aligned(64)));
    R w[VN(PARTS) *VN(LONG)] __attribute__((aligned(64))); /* tau u' times the rows */
    R d[VN(PARTS) *VN(ROOM)] __attribute__((aligned(64))); /* tau times the rows times v' */
    R tau_v, tau_u;
} VN(pair);

/* LANES entries, one in a row, of which `count` are there; zeros for the others. */
LANES_INLINE V VN(entries)(int64_t count, const R *a, int64_t down)
{
    V x = {0};
#pragma GCC unroll 16
    for (int l = 0; l < LANES; l++) {
        MASK only = VN(lane)();
        only[l] = LANES;
        if (l < count)
            x = __builtin_shuffle(x, VN(splat)(a[l * down]), only);
    }
    return x;
}

/* x := a - c, a one in a row, and zeros up to a whole vector. c may be NULL. */
LANES_INLINE void VN(column)(int64_t len, const R *a, int64_t down, int64_t plane, const R *c, R *x)
{
    for (int p = 0; p <= IS_COMPLEX; p++)
        for (int64_t i = 0; i == 0 || i < len; i += LANES) {
            const R *from = a + p * plane + i * down;
            V y =
                len - i < LANES ? VN(entries)(len - i, from, down) : VN(entries)(LANES, from, down);
            if (c)
                y -= *(const V *)(c + p * VN(ROOM) + i);
            if (len - i < LANES)
                y = VN(kept_lanes)(y, VN(lane)() < (LANE_INT)(len - i));
            *(V *)(x + p * VN(ROOM) + i) = y;
        }
}

/* v from columns [j0, j1] of row i, to `kept` also; the row becomes (beta, 0, ...). */
static void VN(annihilate_row)(const orr_gb2bd_args *g, R *rows, int64_t i, int64_t j0, int64_t j1,
                               VN(pair) *to, R *kept)
{
    const int64_t plane = g->band.plane, shift = VN(shift)(j0), vectors = VN(span)(j0, j1);
    const MASK mine = VN(from)(shift);
    R *a = VN(at)(g, rows, i, j0), *first = a - shift, im;
    for (int64_t k = 0; k < vectors; k++) {
        const E x = VN(load)(first + k * LANES, plane);
        VN(store)(to->v + k * LANES, VN(ROOM), k == 0 ? VN(masked)(x, mine) : x);
        VN(store)(first + k * LANES, plane, k == 0 ? VN(masked)(x, ~mine) : (E){0});
    }
    a[0] = VN(reflector)(vectors, shift, to->v, VN(ROOM), &to->tau_v, &im);
#if IS_COMPLEX
    a[plane] = im;
#endif
    VN(keep)(kept, j1 - j0 + 1, to->v + shift, to->tau_v, -1);
}

/* u from rows [i0, i1] of column j, which becomes (beta, 0, ...), and to `kept`; applied to
 * columns up to j1. Columns before j are zero in these rows. */
static void VN(annihilate_column)(const orr_gb2bd_args *g, R *rows, int64_t i0, int64_t i1,
                                  int64_t j, int64_t j1, R *kept)
{
    const int64_t plane = g->band.plane, down = g->band.ld - 1, len = i1 - i0 + 1;
    const int64_t shift = VN(shift)(j), vectors = VN(span)(j, j1);
    R u[VN(PARTS) *VN(ROOM)] __attribute__((aligned(64))), tau, re, im;
    R w[VN(PARTS) *VN(LONG)] __attribute__((aligned(64)));
    R *a = VN(at)(g, rows, i0, j), *first = a - shift;
    VN(column)(len, a, down, plane, NULL, u);
    re = VN(reflector)((len + LANES - 1) / LANES, 0, u, VN(ROOM), &tau, &im);
    VN(keep)(kept, len, u, tau, 1);
    VN(from_the_left)(len, vectors, first, down, plane, VN(behind)(shift), u, tau, w);
    a[0] = re;
#if IS_COMPLEX
    a[plane] = im;
#endif
}

/* What is left of a step: rows a_i become a_i - x_i v - y_i w. */
typedef struct {
    int64_t rows, vectors;
    R *a;
    const R *x, *v, *y, *w;
} VN(rest);

static void VN(finish)(const orr_gb2bd_args *g, VN(rest) *r, int64_t ahead)
{
    if (r->rows > 0)
        VN(update_two)(r->rows, r->vectors, r->a, g->band.ld - 1, g->band.plane, ~(MASK){0},
                       2 * ahead, r->x, r->v, VN(ROOM), r->y, r->w, VN(LONG));
    r->rows = 0;
}

/* ahead: from an entry to the same place of the next step, 0 if that is not in this task. */
static void VN(step)(const orr_gb2bd_args *g, R *rows, int64_t s, int64_t t, int64_t ahead,
                     VN(pair) *now, VN(pair) *next, VN(rest) *rest)
{
    const int64_t b = g->b, tw = g->tw, end = g->band.n - 1;
    const int64_t plane = g->band.plane, down = g->band.ld - 1;
    const int64_t j0 = s + t * b - tw, j1 = j0 + tw < end ? j0 + tw : end; /* J(t) */
    const int64_t k0 = j0 + b, k1 = k0 + tw < end ? k0 + tw : end;         /* J(t+1) */
    R *const kept_v = VN(kept)(g, g->v, s, k0);
    if (t == 0) {
        VN(keep_none)(VN(kept)(g, g->u, s, end), VN(kept)(g, g->v, s, end));
        VN(annihilate_row)(g, rows, s, k0, k1, next, kept_v);
        return;
    }
    const int64_t above = b - tw - 1, len = j1 - j0 + 1, shift = VN(shift)(j0);
    const int64_t here = VN(span)(j0, j1), all = VN(span)(j0, k1);
    const int64_t there = k0 < k1 ? k0 / LANES - j0 / LANES : all; /* where J(t+1) begins */
    R *const a = VN(at)(g, rows, j0, j0), *const first = a - shift;
    R *const upper = first - above * down;
    R c[VN(PARTS) *VN(ROOM)] __attribute__((aligned(64)));
    R f[VN(PARTS) *VN(ROOM)] __attribute__((aligned(64))), uc[2], wv[2], re, im;
    R *const u = next->u, *const w = next->w;
    const MASK every = ~(MASK){0};

    /* c = tau (rows times v'), u from the first column less that of c v */
    VN(dots)(above, here, upper, down, plane, now->v, VN(ROOM), now->tau_v, f);
    VN(dots)(len, here, first, down, plane, now->v, VN(ROOM), now->tau_v, c);
    VN(column)(len, a, down, plane, c, u);
    const int64_t high = (len + LANES - 1) / LANES;
    re = VN(reflector)(high, 0, u, VN(ROOM), &next->tau_u, &im);
    VN(keep)(VN(kept)(g, g->u, s, j0), len, u, next->tau_u, 1);

    /* which nothing here needs */
    VN(update_one)(above, here, upper, down, plane, every, f, now->v, VN(ROOM));
    VN(finish)(g, rest, ahead);

    /* w = tau u' (rows - c v), of J(t) and of J(t+1) */
    VN(inner)(high, c, VN(ROOM), u, VN(ROOM), uc, 1);
    for (int p = 0; p <= IS_COMPLEX; p++)
        uc[p] *= next->tau_u;
    if (there > here) {
        VN(weighted)(len, here, first, down, plane, u, next->tau_u, w);
        VN(weighted)(len, all - there, first + there * LANES, down, plane, u, next->tau_u,
                     w + there * LANES);
    } else {
        VN(weighted)(len, all, first, down, plane, u, next->tau_u, w);
    }
    VN(less)(here, uc, 1, now->v, VN(ROOM), w, VN(LONG));

    /* row j0, and v from it */
    const MASK right = VN(behind)(shift);
    const int64_t rest_at = there > here ? there : here;
    VN(update_two)(1, here, first, down, plane, right, ahead, c, now->v, VN(ROOM), u, w, VN(LONG));
    VN(update_one)(1, all - rest_at, first + rest_at * LANES, down, plane, every, u,
                   w + rest_at * LANES, VN(LONG));
    a[0] = re;
#if IS_COMPLEX
    a[plane] = im;
#endif
    if (k0 < k1)
        VN(annihilate_row)(g, rows, j0, k0, k1, next, kept_v);

    /* the other rows, and between J(t) and J(t+1) all of them */
    VN(update_two)(len - 1, here, first + down, down, plane, right, ahead, c + 1, now->v, VN(ROOM),
                   u + 1, w, VN(LONG));
    if (there > here)
        VN(from_the_left)(len, there - here, first + here * LANES, down, plane, every, u,
                          next->tau_u, w + here * LANES);
    if (k0 == k1 || k0 > end)
        return;
    if (there < here) /* a vector of both J(t) and J(t+1) */
        VN(store)(w + there * LANES, VN(LONG), (E){0});

    /* d = tau (rows - u w) v' */
    R *const before = first + down + there * LANES, *const w2 = w + there * LANES;
    VN(dots)(len - 1, all - there, before, down, plane, next->v, VN(ROOM), next->tau_v, next->d);
    VN(inner)(all - there, w2, VN(LONG), next->v, VN(ROOM), wv, 1);
    for (int p = 0; p <= IS_COMPLEX; p++)
        wv[p] *= next->tau_v;
    VN(less)((len - 1 + LANES - 1) / LANES, wv, 1, u + 1, VN(ROOM), next->d, VN(ROOM));
    *rest = (VN(rest)){len - 1, all - there, before, next->d, next->v, u + 1, w2};
}

/* Steps with s+tb <= limit, at least none. */
LANES_INLINE int64_t VN(steps)(int64_t s, int64_t b, int64_t limit)
{
    return limit < s ? 0 : (limit - s) / b + 1;
}

/* tau and v, `plane` of both, from or to the carry, whose planes are v_plane apart. */
static void VN(take)(const R *carry, int64_t v_plane, VN(pair) *to)
{
    to->tau_v = carry[0];
    for (int p = 0; p <= IS_COMPLEX; p++)
        if (carry[0] != 0)
            memcpy(to->v + p * VN(ROOM), carry + VN(HEAD) + p * v_plane,
                   (size_t)v_plane * sizeof(R));
        else
            memset(to->v + p * VN(ROOM), 0, (size_t)v_plane * sizeof(R));
}

static void VN(give)(const VN(pair) *from, int64_t v_plane, R *carry)
{
    carry[0] = from->tau_v;
    for (int p = 0; p <= IS_COMPLEX; p++)
        memcpy(carry + VN(HEAD) + p * v_plane, from->v + p * VN(ROOM), (size_t)v_plane * sizeof(R));
}

static void VN(chase)(const orr_gb2bd_args *g, R *rows, R *carry)
{
    const int64_t each = orr_gb2bd_carry(IS_COMPLEX ? ORR_C : ORR_S, g->tw);
    const int64_t v_plane = (each - VN(HEAD)) / (1 + IS_COMPLEX);
    VN(pair) pair[2];
    VN(rest) rest = {0};
    for (int64_t i = 0; i < g->sweeps; i++) {
        const int64_t s = g->sweep + i, lead = i * (g->b - 1);
        /* J(t) has two columns at least */
        const int64_t all = VN(steps)(s, g->b, g->band.n - 2 + g->tw);
        const int64_t stop = VN(steps)(s, g->b, g->to - lead), last = stop < all ? stop : all;
        const int64_t begin = VN(steps)(s, g->b, g->from - lead);
        if (begin >= last)
            continue;
        if (begin > 0) /* of no step before the first one */
            VN(take)(carry + i * each, v_plane, &pair[begin % 2]);
        for (int64_t t = begin; t < last; t++)
            VN(step)(g, rows, s, t, t + 1 < last ? g->b * g->band.ld : 0, &pair[t % 2],
                     &pair[(t + 1) % 2], &rest);
        VN(finish)(g, &rest, 0);
        VN(give)(&pair[last % 2], v_plane, carry + i * each);
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
