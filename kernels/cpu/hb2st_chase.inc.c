/* Task T(g,m) of hb2st for one scalar type and one instruction set; see hb2st_chase.h.
 *
 * A hop costs 12 b^2 operations (times 4 if complex) on 3/2 b^2 entries, and is made of
 *
 *   (D)  w = -tau A v on the lower triangle, w += alpha v, then A += v w' + w v'
 *   (O)  w = B v; then, some columns at a time,
 *        x = -conj(tau+) v+' (column + w a), column += w a + v+ x, with a = -tau conj(v):
 *        the update from the right and that from the left in one
 *
 * If both blocks fit the L1 cache, A is updated after v+ is made, so that the roots and
 * divisions of v+ overlap with it.
 * Late (hb2st_chase.h) it is hb2st_late.inc.c that makes a hop.
 *
 * Columns are read and written as whole vectors from an aligned row on (hb2st.h says why
 * that is allowed); the vectors they are combined with are zero outside the hop's rows. Four
 * columns that are not all in the hop are filled up with a column of zeros.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "hb2st_vector.inc.c"
#include "hb2st_reflector.inc.c"

#undef WORK
#undef COLUMNS
/* Columns that are worked on together: their inner products are summed together. In the
 * diagonal block they must have their diagonal entries in one vector. */
#if LANE_BYTES == 64 && !IS_COMPLEX
#define COLUMNS 8
#else
#define COLUMNS 4
#endif
/* Counts of vectors for which there is code without loops: bands of about 32 doubles. */
#undef SPECIAL
#define SPECIAL(count) (LANE_BYTES == 64 && !IS_COMPLEX ? (count) : 0)
#undef LATE
/* Where an instruction set and a type have hb2st_late.inc.c: where it was faster. */
#define LATE (LANE_BYTES == 64 && !IS_COMPLEX)
enum { VN(STEP) = LANE_BYTES / sizeof(R) > COLUMNS ? LANE_BYTES / sizeof(R) : COLUMNS };
enum { VN(diagonal_columns) = LANE_BYTES / sizeof(T) < COLUMNS ? LANE_BYTES / sizeof(T) : COLUMNS };

/* A(i,j) is at left[j*ld + i] where j < cut, at right[j*ld + i] elsewhere. */
typedef struct {
    R *left, *right, *zeros; /* zeros: a column of them */
    int64_t cut, ld;
} VN(band);

/* What a hop has left: its v, w, B v, v+ (hb2st_late.inc.c). */
typedef struct {
    PADDED v, w, bv, next;
    T tau, next_tau;
} VN(left);

typedef struct {
    const orr_hb2st_shape *shape;
    VN(band) band;
    PADDED v, next, w, bv;
    V *by_im; /* complex: w = (what is in w) + i (what is here), until they are added */
    T *dots, *a, *x;
    /* late: the slots of the two blocks, what the sweep before has left, v one column further right */
    R *slots_left, *slots_right;
    VN(left) left;
    T *f;
} VN(work);
#define WORK VN(work)

/* A(i,j), or zeros */
LANES_INLINE R *VN(column)(const VN(band) *k, int64_t i, int64_t j)
{
    return (j < k->cut ? k->left : k->right) + PARTS * (j * k->ld + i);
}

LANES_INLINE R *VN(column_if)(int inside, const VN(band) *k, int64_t i, int64_t j)
{
    return inside ? VN(column)(k, i, j) : k->zeros;
}

/* p[u] := A(i,j+u), or zeros for columns outside first .. end-1. */
LANES_INLINE void VN(columns)(const int nc, R **p, const VN(band) *k, int64_t i, int64_t j,
                              int64_t first, int64_t end)
{
    if (j >= first && j + nc <= end && (j >= k->cut || j + nc <= k->cut)) {
        p[0] = VN(column)(k, i, j);
#pragma GCC unroll 8
        for (int u = 1; u < nc; u++)
            p[u] = p[0] + u * PARTS * k->ld;
        return;
    }
#pragma GCC unroll 8
    for (int u = 0; u < nc; u++)
        p[u] = VN(column_if)(j + u >= first && j + u < end, k, i, j + u);
}

/* A scalar in all lanes. */
typedef struct {
    V re;
#if IS_COMPLEX
    V im;
#endif
} VN(scalar);

LANES_INLINE VN(scalar) VN(scalar_of)(T s)
{
    VN(scalar) r;
    r.re = VN(all)(REAL(s));
#if IS_COMPLEX
    r.im = VN(all)(IMAG(s));
#endif
    return r;
}

/* Vector k of a padded column. */
typedef struct {
    V x;
#if IS_COMPLEX
    V ix;
#endif
} VN(piece);

LANES_INLINE VN(piece) VN(piece_of)(const PADDED *p, int64_t k)
{
    VN(piece) r;
    r.x = p->x[k];
#if IS_COMPLEX
    r.ix = p->ix[k];
#endif
    return r;
}

/* y + x s */
LANES_INLINE V VN(add)(V y, VN(piece) x, VN(scalar) s)
{
#if IS_COMPLEX
    y = VN(fma)(x.ix, s.im, y);
#endif
    return VN(fma)(x.x, s.re, y);
}

/* Vector `lane` of some columns: += x a + y b. All are loaded before one is stored: the
 * compiler cannot know that they are different places. */
LANES_INLINE void VN(add_two)(const int nc, R *const *p, int64_t lane, VN(piece) x,
                              const VN(scalar) *a, VN(piece) y, const VN(scalar) *b)
{
    V r[COLUMNS];
#pragma GCC unroll 8
    for (int u = 0; u < nc; u++)
        r[u] = VN(add)(VN(add)(VN(load)(p[u] + lane), x, a[u]), y, b[u]);
#pragma GCC unroll 8
    for (int u = 0; u < nc; u++)
        VN(store)(p[u] + lane, r[u]);
}

/* x[u]' y for the nc vectors whose products with y and with i y are re and im. */
LANES_INLINE void VN(finish_dots)(const int nc, const V *re, const V *im, R *d, R *di)
{
#if LANE_BYTES == 64
    if (nc == 8) {
        LANE(sum8)(re, d);
        return;
    }
#endif
    if (nc == 4) {
        LANE(sum4)(re[0], re[1], re[2], re[3], d);
        if (IS_COMPLEX)
            LANE(sum4)(im[0], im[1], im[2], im[3], di);
        return;
    }
#pragma GCC unroll 8
    for (int u = 0; u < nc; u++) {
        d[u] = VN(sum)(re[u]);
        if (IS_COMPLEX)
            di[u] = VN(sum)(im[u]);
    }
}

#include "hb2st_diagonal.inc.c"
#include "hb2st_below.inc.c"

/* ---- The task ------------------------------------------------------------------------------- */

/* The m elements at x as k->v, rows from j on. */
static void VN(take)(WORK *k, int64_t j, int64_t m, const T *x)
{
    VN(place)(&k->v, j, m);
    T *e = VN(at)(k->v.x);
    for (int64_t i = 0; i < k->v.count * WIDTH; i++)
        e[i] = i < k->v.shift || i >= k->v.shift + m ? 0 : x[i - k->v.shift];
}

/* H(s,0) from column s. */
static void VN(first_reflector)(WORK *k, int64_t s, T *tau)
{
    const int64_t m = orr_least(k->shape->b, k->shape->n - 1 - s);
    T *column = (T *)VN(column)(&k->band, s + 1, s);
    VN(take)(k, s + 1, m, column);
    column[0] = VN(reflector)(&k->v, 1, tau);
    memset(column + 1, 0, (size_t)(m - 1) * sizeof(T));
}

/* The reflector in k->v to the place of hop t in the packed column, tau first. */
static void VN(keep)(const WORK *k, int64_t t, T tau, T *packed)
{
    if (!packed)
        return;
    T *to = packed + t * k->shape->b;
    memcpy(to, VN(at)(k->v.x) + k->v.shift, (size_t)k->v.m * sizeof(T));
    to[0] = tau;
}

/* k->v := the reflector that hop t0 of sweep s begins with, whose tau is returned. */
static T VN(begin)(WORK *k, int64_t s, int64_t t0, const T *carry, T *packed)
{
    const int64_t n = k->shape->n, b = k->shape->b, j = s + 1 + t0 * b;
    T tau;
    if (t0 == 0) {
        VN(first_reflector)(k, s, &tau);
        VN(keep)(k, 0, tau, packed);
        return tau;
    }
    VN(take)(k, j, orr_least(b, n - j), carry);
    VN(turn)(&k->v);
    return carry[b];
}

/* k->v := v+, which hop t begins with. */
LANES_INLINE void VN(advance)(WORK *k, int64_t t, T tau, T *packed)
{
    const PADDED v = k->v;
    k->v = k->next;
    k->next = v;
    VN(keep)(k, t, tau, packed);
}

static void VN(end)(const WORK *k, T tau, T *carry)
{
    memcpy(carry, VN(at)(k->v.x) + k->v.shift, (size_t)k->v.m * sizeof(T));
    carry[k->shape->b] = tau;
}

/* Hops t0 .. t1-1 of sweep s. */
static void VN(sweep)(WORK *k, int64_t s, int64_t t0, int64_t t1, T *carry, T *packed)
{
    const int64_t n = k->shape->n, b = k->shape->b, hops = orr_hb2st_hops(k->shape, s);
    const int both_fit = 3 * b * b * (int64_t)sizeof(T) / 2 <= L1_BYTES;
    T tau = VN(begin)(k, s, t0, carry, packed);
    for (int64_t t = t0; t < t1; t++) {
        const int64_t j = s + 1 + t * b, r = j + b;
        if (tau != 0) {
            VN(diagonal_product)(k, j);
            VN(finish_w)(k, tau);
            if (!both_fit)
                VN(diagonal_update)(k, j);
        }
        T next_tau = 0;
        if (t + 1 < hops) {
            const int64_t mm = orr_least(b, n - r);
            VN(product_below)(k, j, r, mm, tau);
            VN(reflect)(k, j, r, mm, k->a[0], &next_tau);
        }
        if (tau != 0 && both_fit)
            VN(diagonal_update)(k, j);
        if (t + 1 == hops)
            return;
        VN(block_below)(k, j, r, tau, next_tau);
        VN(advance)(k, t + 1, next_tau, packed);
        tau = next_tau;
    }
    VN(end)(k, tau, carry);
}

#if LATE
#include "hb2st_late.inc.c"
#endif

static orr_status VN(chase)(const orr_hb2st_shape *a, int64_t g, int64_t m, void *h0, void *h1,
                            void *carry, void *packed)
{
    enum { ARRAYS = 13 };
    const int64_t room = a->b / WIDTH + 4 + COLUMNS; /* vectors of an array, with what is added */
    V *memory = aligned_alloc(64, ((size_t)(ARRAYS * room) * sizeof(V) + 63) / 64 * 64);
    if (!memory)
        return ORR_E_NOMEM;
    memset(memory, 0, (size_t)(ARRAYS * room) * sizeof(V));
    const int64_t ld = a->ldh - 1, cut = m * a->D;
    WORK k = {.shape = a, .band = {.cut = cut, .ld = ld}};
    k.band.right = (R *)((T *)h1 + a->lead - cut * a->ldh);
    k.band.left = h0 ? (R *)((T *)h0 + a->lead - (cut - a->D) * a->ldh) : k.band.right;
    k.band.zeros = (R *)memory;
    k.v.x = memory + room;
    k.next.x = memory + 2 * room;
    k.w.x = memory + 3 * room;
    k.dots = (T *)(memory + 4 * room);
    k.a = (T *)(memory + 5 * room);
    k.x = (T *)(memory + 6 * room);
    k.bv.x = memory + 7 * room + 1; /* late: one before */
#if IS_COMPLEX
    k.v.ix = memory + 8 * room;
    k.next.ix = memory + 9 * room;
    k.w.ix = memory + 10 * room;
    k.bv.ix = memory + 11 * room;
    k.by_im = memory + 12 * room;
#endif
#if LATE
    k.f = (T *)(memory + 8 * room);
    k.left.v.x = memory + 9 * room;
    k.left.w.x = memory + 10 * room;
    k.left.bv.x = memory + 11 * room;
    k.left.next.x = memory + 12 * room;
    k.slots_right = (R *)h1 + orr_hb2st_slots_at(a);
    k.slots_left = h0 ? (R *)h0 + orr_hb2st_slots_at(a) : k.slots_right;
    void (*const sweep)(WORK *, int64_t, int64_t, int64_t, T *, T *) =
        a->late ? VN(sweep_late) : VN(sweep);
#else
    void (*const sweep)(WORK *, int64_t, int64_t, int64_t, T *, T *) = VN(sweep);
#endif
    const int64_t s0 = g * a->G, s1 = orr_hb2st_group_end(a, g);
    for (int64_t s = s0; s < s1; s++) {
        const int64_t t0 = m > 0 ? orr_hb2st_done(a, s, m - 1) : 0, t1 = orr_hb2st_done(a, s, m);
        if (t0 < t1)
            sweep(&k, s, t0, t1, (T *)carry + (s - s0) * (a->b + 1),
                  packed ? (T *)packed + orr_hb2st_v_offset(a, s) - orr_hb2st_v_offset(a, s0)
                         : NULL);
    }
    free(memory);
    return ORR_OK;
}
