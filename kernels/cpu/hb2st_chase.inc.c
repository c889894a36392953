/* Task T(g,m) of hb2st for one scalar type and one instruction set; see hb2st_chase.h.
 *
 * A hop costs 12 b^2 operations (times 4 if complex) on 3/2 b^2 entries, and is made of
 *
 *   (D)  w = A v on the lower triangle, then A -= v w' + w v'
 *   (O)  w = B v; then, four columns at a time while they are in the L1 cache,
 *        x = v+' (column - w a), column -= w a + v+ x       (right and left update in one)
 *
 * Columns are read and written as whole vectors from an aligned row on (hb2st.h says why
 * that is allowed); the vectors they are combined with are zero outside the hop's rows. Four
 * columns that are not all in the hop are filled up with a column of zeros.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "hb2st_vector.inc.c"

#undef WORK
#undef COLUMNS
#undef CHUNK
/* Columns that are worked on together: their inner products are summed together. In the
 * diagonal block they must have their diagonal entries in one vector. */
#define COLUMNS 4
/* Columns whose products are all formed before they are updated: long enough to hide the
 * latency of the sums, short enough to stay in the L1 cache. */
#define CHUNK 16
enum { VN(diagonal_columns) = LANE_BYTES / sizeof(T) < COLUMNS ? LANE_BYTES / sizeof(T) : COLUMNS };

/* A(i,j) is at left[j*ld + i] where j < cut, at right[j*ld + i] elsewhere. */
typedef struct {
    R *left, *right, *zeros; /* zeros: a column of them */
    int64_t cut, ld;
} VN(band);

typedef struct {
    const orr_hb2st_shape *shape;
    VN(band) band;
    PADDED v, next, w;
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

/* -s, as broadcast parts */
typedef struct {
    V re;
#if IS_COMPLEX
    V im;
#endif
} VN(minus);

LANES_INLINE VN(minus) VN(negative)(T s)
{
    VN(minus) r;
    r.re = VN(all)(-REAL(s));
#if IS_COMPLEX
    r.im = VN(all)(-IMAG(s));
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

/* y - x s */
LANES_INLINE V VN(subtract)(V y, VN(piece) x, VN(minus) s)
{
#if IS_COMPLEX
    y = VN(fma)(x.ix, s.im, y);
#endif
    return VN(fma)(x.x, s.re, y);
}

/* Four columns, vector by vector: -= x a + y b. What is subtracted is loaded before anything
 * is stored: the compiler cannot know that they are different places. */
LANES_INLINE void VN(rank2)(const int nc, R *const *p, int64_t lane, VN(piece) x,
                            const VN(minus) *a, VN(piece) y, const VN(minus) *b)
{
    V r[COLUMNS];
#pragma GCC unroll 4
    for (int u = 0; u < nc; u++)
        r[u] = VN(subtract)(VN(subtract)(VN(load)(p[u] + lane), x, a[u]), y, b[u]);
#pragma GCC unroll 4
    for (int u = 0; u < nc; u++)
        VN(store)(p[u] + lane, r[u]);
}

/* x[u]' y for the nc vectors whose products with y and with i y are re and im. */
LANES_INLINE void VN(finish_dots)(const int nc, const V *re, const V *im, R *d, R *di)
{
    if (nc == 4) {
        LANE(sum4)(re[0], re[1], re[2], re[3], d);
        if (IS_COMPLEX)
            LANE(sum4)(im[0], im[1], im[2], im[3], di);
        return;
    }
#pragma GCC unroll 4
    for (int u = 0; u < nc; u++) {
        d[u] = VN(sum)(re[u]);
        if (IS_COMPLEX)
            di[u] = VN(sum)(im[u]);
    }
}

/* ---- Reflectors ------------------------------------------------------------------------- */

/* The norm of y without its first entry, squared. */
LANES_INLINE R VN(tail2)(const PADDED *y)
{
    V even = VN(keep_from)(y->x[0], y->shift + 1), odd = {0};
    if (y->shift + 1 == WIDTH)
        even = (V){0};
    even *= even;
    int64_t k = 1;
    for (; k + 1 < y->count; k += 2) {
        odd = VN(fma)(y->x[k], y->x[k], odd);
        even = VN(fma)(y->x[k + 1], y->x[k + 1], even);
    }
    if (k < y->count)
        odd = VN(fma)(y->x[k], y->x[k], odd);
    return VN(sum)(even + odd);
}

/* Scales y, all of it tiny, to order 1, and returns the exponent that was taken out; the
 * tail of y is zero: *zero := 1 and nothing is done. */
static int VN(normalize)(PADDED *y, int *zero)
{
    R *part = (R *)(VN(at)(y->x) + y->shift), top = 0;
    int exponent = 0;
    for (int64_t i = PARTS; i < y->m * PARTS; i++)
        top = RABS(part[i]) > top ? RABS(part[i]) : top;
    *zero = top == 0;
    for (int64_t i = 0; i < PARTS; i++)
        top = RABS(part[i]) > top ? RABS(part[i]) : top;
    if (top == 0)
        return 0;
    frexp((double)top, &exponent);
    for (int64_t i = 0; i < y->m * PARTS; i++)
        part[i] = (R)ldexp((double)part[i], -exponent);
    return exponent;
}

/* Column y becomes v, with (I - conj(tau) v v') y = beta e1. real_beta: also where nothing is
 * to be annihilated, beta shall be real. Returns beta. */
LANES_INLINE T VN(reflector)(PADDED *y, int real_beta, T *tau)
{
    T *e = VN(at)(y->x) + y->shift;
    T alpha = e[0];
    int exponent = 0;
    R tail = VN(tail2)(y);
    if (!(tail > TINY)) { /* zero, or squares that underflow */
        int zero;
        exponent = VN(normalize)(y, &zero);
        if (zero && !(IS_COMPLEX && real_beta && IMAG(alpha) != 0)) {
            *tau = 0;
            memset(y->x, 0, (size_t)y->count * sizeof(V));
            e[0] = 1;
            VN(turn)(y);
            return alpha;
        }
        alpha = e[0];
        tail = VN(tail2)(y);
    }
    const R norm = SQRT(REAL(alpha) * REAL(alpha) + IMAG(alpha) * IMAG(alpha) + tail);
    const R beta = REAL(alpha) > 0 ? -norm : norm;
    *tau = VN(number)((beta - REAL(alpha)) / beta, -IMAG(alpha) / beta);
    /* times 1 / (alpha - beta): the real parts add up, nothing cancels */
    const R re = REAL(alpha) - beta, im = IMAG(alpha);
    const T s = IS_COMPLEX ? VN(number)(re / (re * re + im * im), -im / (re * re + im * im))
                           : VN(number)(1 / re, 0);
    for (int64_t k = 0; k < y->count; k++) {
        V x = y->x[k] * VN(all)(REAL(s));
#if IS_COMPLEX
        x = VN(fma)(VN(times_i)(y->x[k]), VN(all)(IMAG(s)), x);
#endif
        y->x[k] = x;
    }
    e[0] = 1;
    VN(turn)(y);
    return exponent ? (R)ldexp((double)beta, exponent) : beta;
}

/* ---- (D): the diagonal block from both sides -------------------------------------------- */

/* w += (lower triangle) v and dots = v' (strictly lower triangle), the columns whose diagonal
 * entries are lanes c .. of vector a. Row 0 of a column is row `top` of the matrix. */
LANES_INLINE void VN(multiply_columns)(const WORK *k, int64_t top, int64_t a, int64_t c)
{
    enum { nc = VN(diagonal_columns) };
    const VN(band) band = k->band;
    const V *v = k->v.x;
    V *w = k->w.x;
    const int64_t first = k->v.shift, end = first + k->v.m, count = k->v.count;
    const T *vc = VN(at)(k->v.x) + a * WIDTH + c;
    const R *p[nc];
    V re[nc], dot[nc], sum = {0};
#if IS_COMPLEX
    const V *iv = k->v.ix;
    V *by_im = k->by_im, im[nc], dot_i[nc], sum_i = {0};
#else
    const V *dot_i = NULL;
#endif
#pragma GCC unroll 4
    for (int u = 0; u < nc; u++) {
        const int64_t i = a * WIDTH + c + u;
        p[u] = VN(column_if)(i >= first && i < end, &band, top + a * WIDTH, top + i);
        const V x = VN(load)(p[u]), below = VN(keep_from)(x, c + u + 1);
        re[u] = VN(all)(REAL(vc[u]));
        dot[u] = v[a] * below;
        sum = VN(fma)(x, re[u], sum);
#if IS_COMPLEX
        im[u] = VN(all)(IMAG(vc[u]));
        dot_i[u] = iv[a] * below;
        sum_i = VN(fma)(x, im[u], sum_i);
#endif
    }
    w[a] += sum;
#if IS_COMPLEX
    by_im[a] += sum_i;
#endif
    for (int64_t q = a + 1; q < count; q++) {
        const V vq = v[q];
        V s = {0};
#if IS_COMPLEX
        const V ivq = iv[q];
        V si = {0};
#endif
#pragma GCC unroll 4
        for (int u = 0; u < nc; u++) {
            const V x = VN(load)(p[u] + (q - a) * LANES);
            s = VN(fma)(x, re[u], s);
            dot[u] = VN(fma)(x, vq, dot[u]);
#if IS_COMPLEX
            si = VN(fma)(x, im[u], si);
            dot_i[u] = VN(fma)(x, ivq, dot_i[u]);
#endif
        }
        w[q] += s;
#if IS_COMPLEX
        by_im[q] += si;
#endif
    }
    R d[4], di[4] = {0};
    VN(finish_dots)(nc, dot, dot_i, d, di);
#pragma GCC unroll 4
    for (int u = 0; u < nc; u++)
        k->dots[a * WIDTH + c + u] = VN(number)(d[u], -di[u]); /* conj(v' x) = x' v */
}

/* A -= v w' + w v', the same columns. */
LANES_INLINE void VN(rank2_columns)(const WORK *k, int64_t top, int64_t a, int64_t c)
{
    enum { nc = VN(diagonal_columns) };
    const VN(band) band = k->band;
    const PADDED v = k->v, w = k->w;
    const int64_t first = v.shift, end = first + v.m, count = v.count;
    R *p[nc];
    VN(minus) vc[nc], wc[nc];
#pragma GCC unroll 4
    for (int u = 0; u < nc; u++) {
        const int64_t i = a * WIDTH + c + u;
        p[u] = VN(column_if)(i >= first && i < end, &band, top + a * WIDTH, top + i);
        vc[u] = VN(negative)(CONJ(VN(at)(v.x)[i]));
        wc[u] = VN(negative)(CONJ(VN(at)(w.x)[i]));
    }
    const VN(piece) va = VN(piece_of)(&v, a), wa = VN(piece_of)(&w, a);
    V x[nc];
#pragma GCC unroll 4
    for (int u = 0; u < nc; u++) {
        x[u] = VN(subtract)(VN(subtract)(VN(load)(p[u]), va, wc[u]), wa, vc[u]);
        x[u] = VN(keep_diagonal)(x[u], c + u);
    }
#pragma GCC unroll 4
    for (int u = 0; u < nc; u++)
        VN(store)(p[u], x[u]);
    for (int64_t q = a + 1; q < count; q++)
        VN(rank2)(nc, p, (q - a) * LANES, VN(piece_of)(&v, q), wc, VN(piece_of)(&w, q), vc);
}

/* w := tau (w + dots), then w - (1/2) tau (w' v) v. */
LANES_INLINE void VN(finish_w)(const WORK *k, T tau)
{
    const PADDED v = k->v, w = k->w;
    const V tau_re = VN(all)(REAL(tau));
    V re = {0};
#if IS_COMPLEX
    const V tau_im = VN(all)(IMAG(tau));
    V im = {0};
#endif
    for (int64_t q = 0; q < v.count; q++) {
        V x = w.x[q] + VN(load)((const R *)k->dots + q * LANES);
#if IS_COMPLEX
        x += VN(times_i)(k->by_im[q]);
        x = VN(fma)(x, tau_re, VN(times_i)(x) * tau_im);
#else
        x *= tau_re;
#endif
        w.x[q] = x;
        re = VN(fma)(x, v.x[q], re);
#if IS_COMPLEX
        im = VN(fma)(x, v.ix[q], im); /* v' w, the conjugate of w' v */
#endif
    }
    T dot = VN(sum)(re);
#if IS_COMPLEX
    dot = VN(number)(REAL(dot), -VN(sum)(im));
#endif
    const T half = VN(times)(tau, dot);
    const VN(minus) s = VN(negative)(VN(number)(REAL(half) / 2, IMAG(half) / 2));
    for (int64_t q = 0; q < v.count; q++)
        w.x[q] = VN(subtract)(w.x[q], VN(piece_of)(&v, q), s);
    VN(trim)(&w, w.x);
}

static void VN(both_sides)(WORK *k, int64_t j, T tau)
{
    const int64_t top = j - k->v.shift, end = k->v.shift + k->v.m;
    const int64_t first = k->v.shift / VN(diagonal_columns) * VN(diagonal_columns);
    VN(place)(&k->w, j, k->v.m);
    memset(k->w.x, 0, (size_t)k->v.count * sizeof(V));
#if IS_COMPLEX
    memset(k->by_im, 0, (size_t)k->v.count * sizeof(V));
#endif
    for (int64_t c = first; c < end; c += VN(diagonal_columns))
        VN(multiply_columns)(k, top, c / WIDTH, c % WIDTH);
    VN(finish_w)(k, tau);
    VN(turn)(&k->w);
    for (int64_t c = first; c < end; c += VN(diagonal_columns))
        VN(rank2_columns)(k, top, c / WIDTH, c % WIDTH);
}

/* ---- (O): the block below ------------------------------------------------------------------ */

/* w := B v of ns vectors of rows from vector q on, two columns at a time. */
LANES_INLINE void VN(product_strip)(const int ns, WORK *k, int64_t j, int64_t r, int64_t q)
{
    const VN(band) band = k->band;
    const T *v = VN(at)(k->v.x) + k->v.shift;
    const int64_t m = k->v.m, row = r - k->w.shift + q * WIDTH;
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
        k->w.x[q + u] = x;
    }
}

static void VN(product)(WORK *k, int64_t j, int64_t r)
{
    const int64_t count = k->w.count, strips = (count + STRIP - 1) / STRIP;
    for (int64_t i = 0, q = 0, next; i < strips; i++, q = next) {
        next = (i + 1) * count / strips;
        switch (next - q) {
        case 1: VN(product_strip)(1, k, j, r, q); break;
        case 2: VN(product_strip)(2, k, j, r, q); break;
        case 3: VN(product_strip)(3, k, j, r, q); break;
#if STRIP > 3
        case 4: VN(product_strip)(4, k, j, r, q); break;
        case 5: VN(product_strip)(5, k, j, r, q); break;
#endif
        }
    }
    VN(trim)(&k->w, k->w.x);
    VN(turn)(&k->w);
}

/* x = conj(tau) v+' (column - w a), with vw = v+' w known, of columns c .. c+3 of B. */
LANES_INLINE void VN(left_products)(const WORK *k, int64_t j, int64_t row, T vw, T conj_tau,
                                    int64_t c)
{
    const VN(band) band = k->band;
    const PADDED v = k->next;
    const int64_t m = k->v.m, count = v.count;
    const T *a = k->a;
    T *x = k->x;
    const R *p[COLUMNS];
    V dot[COLUMNS] = {{0}};
#if IS_COMPLEX
    V dot_i[COLUMNS] = {{0}};
#else
    const V *dot_i = NULL;
#endif
#pragma GCC unroll 4
    for (int u = 0; u < COLUMNS; u++)
        p[u] = VN(column_if)(c + u < m, &band, row, j + c + u);
    for (int64_t q = 0; q < count; q++) {
        const V vq = v.x[q];
#if IS_COMPLEX
        const V ivq = v.ix[q];
#endif
#pragma GCC unroll 4
        for (int u = 0; u < COLUMNS; u++) {
            const V y = VN(load)(p[u] + q * LANES);
            dot[u] = VN(fma)(y, vq, dot[u]);
#if IS_COMPLEX
            dot_i[u] = VN(fma)(y, ivq, dot_i[u]);
#endif
        }
    }
    R d[COLUMNS], di[COLUMNS] = {0};
    VN(finish_dots)(COLUMNS, dot, dot_i, d, di);
#pragma GCC unroll 4
    for (int u = 0; u < COLUMNS; u++)
        x[c + u] = VN(times)(conj_tau, VN(number)(d[u], di[u]) - VN(times)(vw, a[c + u]));
}

/* Those columns -= w a + v+ x, except column 0. */
LANES_INLINE void VN(left_right)(const WORK *k, int64_t j, int64_t row, int64_t c)
{
    const VN(band) band = k->band;
    const PADDED v = k->next, w = k->w;
    const int64_t m = k->v.m, count = v.count;
    R *p[COLUMNS];
    VN(minus) x[COLUMNS], a[COLUMNS];
#pragma GCC unroll 4
    for (int u = 0; u < COLUMNS; u++) {
        p[u] = VN(column_if)(c + u > 0 && c + u < m, &band, row, j + c + u);
        a[u] = VN(negative)(k->a[c + u]);
        x[u] = VN(negative)(k->x[c + u]);
    }
    for (int64_t q = 0; q < count; q++)
        VN(rank2)(COLUMNS, p, q * LANES, VN(piece_of)(&w, q), a, VN(piece_of)(&v, q), x);
}

/* B := H+' B H, columns j .. j+m-1, rows r .. r+mm-1; k->next, *next_tau := H+. */
static void VN(block_below)(WORK *k, int64_t j, int64_t r, int64_t mm, T tau, T *next_tau)
{
    PADDED *v = &k->next, *w = &k->w;
    const int64_t m = k->v.m;
    VN(place)(w, r, mm);
    VN(place)(v, r, mm);
    if (tau != 0) {
        const T *f = VN(at)(k->v.x) + k->v.shift;
        for (int64_t c = 0; c < m; c++)
            k->a[c] = VN(times)(tau, CONJ(f[c]));
        VN(product)(k, j, r);
    } else {
        memset(k->a, 0, (size_t)m * sizeof(T));
        memset(w->x, 0, (size_t)w->count * sizeof(V));
        VN(turn)(w);
    }

    const int64_t row = r - v->shift;
    const VN(minus) a0 = VN(negative)(k->a[0]);
    R *first = VN(column)(&k->band, row, j);
    for (int64_t q = 0; q < v->count; q++)
        v->x[q] = VN(subtract)(VN(load)(first + q * LANES), VN(piece_of)(w, q), a0);
    VN(trim)(v, v->x);
    T *b = (T *)first + v->shift;
    b[0] = VN(reflector)(v, 0, next_tau);
    memset(b + 1, 0, (size_t)(mm - 1) * sizeof(T));

    if (tau == 0 && *next_tau == 0)
        return;
    const T vw = VN(dot)(v, w->x), conj_tau = CONJ(*next_tau);
    for (int64_t c = m; c < m + COLUMNS; c++)
        k->a[c] = 0; /* columns of zeros stay so */
    for (int64_t from = 0, to; from < m; from = to) {
        to = orr_hb2st_least(from + CHUNK, m);
        for (int64_t c = from; c < to; c += COLUMNS)
            VN(left_products)(k, j, row, vw, conj_tau, c);
        if (from == 0)
            k->a[0] = k->x[0] = 0; /* it is done, and stands for a column of zeros */
        for (int64_t c = from; c < to; c += COLUMNS)
            VN(left_right)(k, j, row, c);
    }
}

/* ---- The task ----------------------------------------------------------------------------------- */

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
    const int64_t m = orr_hb2st_least(k->shape->b, k->shape->n - 1 - s);
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
    T tau;
    if (t0 == 0) {
        VN(first_reflector)(k, s, &tau);
        VN(keep)(k, 0, tau, packed);
    } else {
        const int64_t j = s + 1 + t0 * b;
        VN(take)(k, j, orr_hb2st_least(b, n - j), carry);
        VN(turn)(&k->v);
        tau = carry[b];
    }
    for (int64_t t = t0; t < t1; t++) {
        const int64_t j = s + 1 + t * b, r = j + b;
        if (tau != 0)
            VN(both_sides)(k, j, tau);
        if (t + 1 == hops)
            return;
        T next_tau;
        VN(block_below)(k, j, r, orr_hb2st_least(b, n - r), tau, &next_tau);
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
    enum { ARRAYS = IS_COMPLEX ? 11 : 7 };
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
#if IS_COMPLEX
    k.v.ix = memory + 7 * room;
    k.next.ix = memory + 8 * room;
    k.w.ix = memory + 9 * room;
    k.by_im = memory + 10 * room;
#endif
    const int64_t s0 = g * a->G, s1 = orr_hb2st_least(s0 + a->G, a->sweeps);
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
