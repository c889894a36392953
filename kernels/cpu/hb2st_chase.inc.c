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
enum { VN(STEP) = LANE_BYTES / sizeof(R) > COLUMNS ? LANE_BYTES / sizeof(R) : COLUMNS };
enum { VN(diagonal_columns) = LANE_BYTES / sizeof(T) < COLUMNS ? LANE_BYTES / sizeof(T) : COLUMNS };

/* A(i,j) is at left[j*ld + i] where j < cut, at right[j*ld + i] elsewhere. */
typedef struct {
    R *left, *right, *zeros; /* zeros: a column of them */
    int64_t cut, ld;
} VN(band);

typedef struct {
    const orr_hb2st_shape *shape;
    VN(band) band;
    PADDED v, next, w, bv;
    V *by_im; /* complex: w = (what is in w) + i (what is here), until they are added */
    T *dots, *a, *x;
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

/* ---- (O): the block below ------------------------------------------------------------------ */

/* w := B v of ns vectors of rows from vector q on, two columns at a time. */
LANES_INLINE void VN(product_strip)(const int ns, WORK *k, int64_t j, int64_t r, int64_t q)
{
    const VN(band) band = k->band;
    const T *v = VN(at)(k->v.x) + k->v.shift;
    const int64_t m = k->v.m, row = r - k->bv.shift + q * WIDTH;
    V s0[STRIP], s1[STRIP];
#if IS_COMPLEX
    V i0[STRIP], i1[STRIP];
#endif
#pragma GCC unroll 5
    for (int u = 0; u < ns; u++) {
        s0[u] = s1[u] = (V){0};
#if IS_COMPLEX
        i0[u] = i1[u] = (V){0};
#endif
    }
    for (int64_t c = 0; c < m; c += 2) {
        const R *p0 = VN(column)(&band, row, j + c);
        const R *p1 = VN(column_if)(c + 1 < m, &band, row, j + c + 1);
        const V r0 = VN(all)(REAL(v[c])), r1 = VN(all)(REAL(v[c + 1]));
#if IS_COMPLEX
        const V m0 = VN(all)(IMAG(v[c])), m1 = VN(all)(IMAG(v[c + 1]));
#endif
#pragma GCC unroll 5
        for (int u = 0; u < ns; u++) {
            const V x0 = VN(load)(p0 + u * LANES), x1 = VN(load)(p1 + u * LANES);
            s0[u] = VN(fma)(x0, r0, s0[u]);
            s1[u] = VN(fma)(x1, r1, s1[u]);
#if IS_COMPLEX
            i0[u] = VN(fma)(x0, m0, i0[u]);
            i1[u] = VN(fma)(x1, m1, i1[u]);
#endif
        }
    }
#pragma GCC unroll 5
    for (int u = 0; u < ns; u++) {
        V x = s0[u] + s1[u];
#if IS_COMPLEX
        x += VN(times_i)(i0[u] + i1[u]);
#endif
        k->bv.x[q + u] = x;
    }
}

static void VN(product)(WORK *k, int64_t j, int64_t r)
{
    const int64_t count = k->bv.count, strips = (count + STRIP - 1) / STRIP;
    for (int64_t i = 0, q = 0, next; i < strips; i++, q = next) {
        next = (i + 1) * count / strips;
        switch (next - q) {
        case 1: VN(product_strip)(1, k, j, r, q); break;
        case 2: VN(product_strip)(2, k, j, r, q); break;
        case 3: VN(product_strip)(3, k, j, r, q); break;
#if LANE_BYTES == 64
        case 4: VN(product_strip)(4, k, j, r, q); break;
        case 5: VN(product_strip)(5, k, j, r, q); break;
#endif
        }
    }
    VN(trim)(&k->bv, k->bv.x);
    VN(turn)(&k->bv);
}

/* x = v+' column for the columns of B from c on. */
LANES_INLINE void VN(left_products)(const int64_t count, const WORK *k, int64_t j, int64_t row,
                                    int64_t c)
{
    const VN(band) band = k->band;
    const PADDED v = k->next;
    const int64_t m = k->v.m;
    R *p[COLUMNS];
    V dot[COLUMNS] = {{0}};
#if IS_COMPLEX
    V dot_i[COLUMNS] = {{0}};
#else
    const V *dot_i = NULL;
#endif
    VN(columns)(COLUMNS, p, &band, row, j + c, j + 1, j + m);
    for (int64_t q = 0; q < count; q++) {
        const V vq = v.x[q];
#if IS_COMPLEX
        const V ivq = v.ix[q];
#endif
#pragma GCC unroll 8
        for (int u = 0; u < COLUMNS; u++) {
            const V y = VN(load)(p[u] + q * LANES);
            dot[u] = VN(fma)(y, vq, dot[u]);
#if IS_COMPLEX
            dot_i[u] = VN(fma)(y, ivq, dot_i[u]);
#endif
        }
    }
#if IS_COMPLEX
    R d[COLUMNS], di[COLUMNS];
    VN(finish_dots)(COLUMNS, dot, dot_i, d, di);
#pragma GCC unroll 8
    for (int u = 0; u < COLUMNS; u++)
        k->x[c + u] = VN(number)(d[u], di[u]);
#else
    VN(finish_dots)(COLUMNS, dot, dot_i, k->x + c, NULL);
#endif
}

/* Those columns += w a + v+ x, except column 0. */
LANES_INLINE void VN(left_right)(const int64_t count, const WORK *k, int64_t j, int64_t row,
                                 int64_t c)
{
    const VN(band) band = k->band;
    const PADDED v = k->next, w = k->bv;
    const int64_t m = k->v.m;
    R *p[COLUMNS];
    VN(scalar) x[COLUMNS], a[COLUMNS];
    VN(columns)(COLUMNS, p, &band, row, j + c, j + 1, j + m);
#pragma GCC unroll 8
    for (int u = 0; u < COLUMNS; u++) {
        a[u] = VN(scalar_of)(k->a[c + u]);
        x[u] = VN(scalar_of)(k->x[c + u]);
    }
    for (int64_t q = 0; q < count; q++)
        VN(add_two)(COLUMNS, p, q * LANES, VN(piece_of)(&w, q), a, VN(piece_of)(&v, q), x);
}

/* x of STEP columns becomes factor (x + vw a). */
LANES_INLINE void VN(scale)(const WORK *k, int64_t c, T vw, T factor)
{
#if IS_COMPLEX
    for (int64_t i = c; i < c + VN(STEP); i++)
        k->x[i] = VN(times)(factor, k->x[i] + VN(times)(vw, k->a[i]));
#else
    for (int64_t i = c; i < c + VN(STEP); i += LANES)
        VN(store)(k->x + i,
                  VN(all)(factor) * VN(fma)(VN(load)(k->a + i), VN(all)(vw), VN(load)(k->x + i)));
#endif
}

LANES_INLINE void VN(step_products)(const int64_t count, const WORK *k, int64_t j, int64_t row,
                                    int64_t c)
{
    VN(left_products)(count, k, j, row, c);
    for (int64_t i = c + COLUMNS; i < c + VN(STEP); i += COLUMNS)
        VN(left_products)(count, k, j, row, i);
}

/* All of them; vw = v+' w, factor = -conj(tau+). The products of the next columns come before
 * the update of these, which hides the latency of the sums. */
LANES_INLINE void VN(all_columns)(const int64_t count, WORK *k, int64_t j, int64_t row, T vw,
                                  T factor)
{
    const int64_t m = k->v.m;
    VN(step_products)(count, k, j, row, 0);
    for (int64_t c = 0; c < m; c += VN(STEP)) {
        if (c + VN(STEP) < m)
            VN(step_products)(count, k, j, row, c + VN(STEP));
        VN(scale)(k, c, vw, factor);
        if (c == 0)
            k->a[0] = k->x[0] = 0; /* it is done, and stands for a column of zeros */
        VN(left_right)(count, k, j, row, c);
        for (int64_t i = c + COLUMNS; i < c + VN(STEP); i += COLUMNS)
            VN(left_right)(count, k, j, row, i);
    }
}

/* The column at `first` becomes (beta, 0, ...) in the rows of v. Whole vectors, since what is
 * stored in parts takes long to be loaded again. */
LANES_INLINE void VN(store_first)(const PADDED *v, R *first, T beta)
{
    const int64_t last = v->count - 1, end = v->shift + v->m - last * WIDTH;
    V x[2] = {VN(load)(first), VN(load)(first + last * LANES)};
    x[0] = (V)((MASK)x[0] & ~VN(from)(VN(from_lane), v->shift));
    x[1] = VN(keep_from)(x[1], end);
    if (last == 0)
        x[0] += x[1];
    VN(store)(first + last * LANES, x[1]);
    VN(store)(first, VN(put)(x[0], v->shift, beta));
    for (int64_t q = 1; q < last; q++)
        VN(store)(first + q * LANES, (V){0});
}

/* bv := B v; k->next, *next_tau := H+ from the first column of B H, which is then done. B has
 * columns j .. j+m-1, rows r .. r+mm-1. */
static void VN(next_reflector)(WORK *k, int64_t j, int64_t r, int64_t mm, T tau, T *next_tau)
{
    PADDED *v = &k->next, *w = &k->bv;
    const int64_t m = k->v.m;
    VN(place)(w, r, mm);
    VN(place)(v, r, mm);
    if (tau != 0) {
        const T *f = VN(at)(k->v.x) + k->v.shift, minus_tau = -tau;
        for (int64_t c = 0; c < m; c++)
            k->a[c] = VN(times)(minus_tau, CONJ(f[c]));
        VN(product)(k, j, r);
    } else {
        memset(k->a, 0, (size_t)m * sizeof(T));
        memset(w->x, 0, (size_t)w->count * sizeof(V));
        VN(turn)(w);
    }
    const VN(scalar) a0 = VN(scalar_of)(k->a[0]);
    R *first = VN(column)(&k->band, r - v->shift, j);
    for (int64_t q = 0; q < v->count; q++)
        v->x[q] = VN(add)(VN(load)(first + q * LANES), VN(piece_of)(w, q), a0);
    VN(trim)(v, v->x);
    const T beta = VN(reflector)(v, 0, next_tau);
    VN(store_first)(v, first, beta);
}

/* The other columns of B := H+' B H. */
static void VN(block_below)(WORK *k, int64_t j, int64_t r, T tau, T next_tau)
{
    const PADDED *v = &k->next;
    const int64_t m = k->v.m, row = r - k->next.shift;
    if (tau == 0 && next_tau == 0)
        return;
    const T vw = VN(dot)(v, k->bv.x), factor = -CONJ(next_tau);
    for (int64_t c = m; c < m + VN(STEP); c++)
        k->a[c] = k->x[c] = 0; /* columns of zeros stay so */
    switch (SPECIAL(v->count)) {
    case 4: VN(all_columns)(4, k, j, row, vw, factor); break;
    case 5: VN(all_columns)(5, k, j, row, vw, factor); break;
    default: VN(all_columns)(v->count, k, j, row, vw, factor);
    }
}

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

static void VN(sweep)(WORK *k, int64_t s, int64_t t0, int64_t t1, T *carry, T *packed)
{
    const int64_t n = k->shape->n, b = k->shape->b, hops = orr_hb2st_hops(k->shape, s);
    const int both_fit = 3 * b * b * (int64_t)sizeof(T) / 2 <= L1_BYTES;
    T tau;
    if (t0 == 0) {
        VN(first_reflector)(k, s, &tau);
        VN(keep)(k, 0, tau, packed);
    } else {
        const int64_t j = s + 1 + t0 * b;
        VN(take)(k, j, orr_least(b, n - j), carry);
        VN(turn)(&k->v);
        tau = carry[b];
    }
    for (int64_t t = t0; t < t1; t++) {
        const int64_t j = s + 1 + t * b, r = j + b;
        if (tau != 0) {
            VN(diagonal_product)(k, j);
            VN(finish_w)(k, tau);
            if (!both_fit)
                VN(diagonal_update)(k, j);
        }
        T next_tau = 0;
        if (t + 1 < hops)
            VN(next_reflector)(k, j, r, orr_least(b, n - r), tau, &next_tau);
        if (tau != 0 && both_fit)
            VN(diagonal_update)(k, j);
        if (t + 1 == hops)
            return;
        VN(block_below)(k, j, r, tau, next_tau);
        const PADDED v = k->v;
        k->v = k->next;
        k->next = v;
        tau = next_tau;
        VN(keep)(k, t + 1, tau, packed);
    }
    memcpy(carry, VN(at)(k->v.x) + k->v.shift, (size_t)k->v.m * sizeof(T));
    carry[b] = tau;
}

static orr_status VN(chase)(const orr_hb2st_shape *a, int64_t g, int64_t m, void *h0, void *h1,
                            void *carry, void *packed)
{
    enum { ARRAYS = IS_COMPLEX ? 13 : 8 };
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
    k.bv.x = memory + 7 * room;
#if IS_COMPLEX
    k.v.ix = memory + 8 * room;
    k.next.ix = memory + 9 * room;
    k.w.ix = memory + 10 * room;
    k.bv.ix = memory + 11 * room;
    k.by_im = memory + 12 * room;
#endif
    const int64_t s0 = g * a->G, s1 = orr_hb2st_group_end(a, g);
    for (int64_t s = s0; s < s1; s++) {
        const int64_t t0 = m > 0 ? orr_hb2st_done(a, s, m - 1) : 0, t1 = orr_hb2st_done(a, s, m);
        if (t0 < t1)
            VN(sweep)(&k, s, t0, t1, (T *)carry + (s - s0) * (a->b + 1),
                      packed ? (T *)packed + orr_hb2st_v_offset(a, s) - orr_hb2st_v_offset(a, s0)
                             : NULL);
    }
    free(memory);
    return ORR_OK;
}
