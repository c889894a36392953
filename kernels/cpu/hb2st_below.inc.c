/* hb2st, part (O) of a hop: the block below the diagonal block, from the right and from the left, and
 * the next reflector, for one scalar type and one instruction set; see hb2st_chase.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

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

/* x = v+' column for the columns of B, m of them, from c on. */
LANES_INLINE void VN(left_products)(const int64_t count, const WORK *k, const PADDED *next,
                                    int64_t m, int64_t j, int64_t row, int64_t c)
{
    const VN(band) band = k->band;
    const PADDED v = *next;
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

LANES_INLINE void VN(step_products)(const int64_t count, const WORK *k, const PADDED *next,
                                    int64_t m, int64_t j, int64_t row, int64_t c)
{
    VN(left_products)(count, k, next, m, j, row, c);
    for (int64_t i = c + COLUMNS; i < c + VN(STEP); i += COLUMNS)
        VN(left_products)(count, k, next, m, j, row, i);
}

/* All of them; vw = v+' w, factor = -conj(tau+). The products of the next columns come before
 * the update of these, which hides the latency of the sums. */
LANES_INLINE void VN(all_columns)(const int64_t count, WORK *k, int64_t j, int64_t row, T vw,
                                  T factor)
{
    const int64_t m = k->v.m;
    VN(step_products)(count, k, &k->next, m, j, row, 0);
    for (int64_t c = 0; c < m; c += VN(STEP)) {
        if (c + VN(STEP) < m)
            VN(step_products)(count, k, &k->next, m, j, row, c + VN(STEP));
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

/* k->next, *next_tau := H+ from the first column of B H, bv = B v, a0 = -tau; the column is then done.
 * B has columns from j on, rows r .. r+mm-1. */
static void VN(reflect)(WORK *k, int64_t j, int64_t r, int64_t mm, T a0, T *next_tau)
{
    PADDED *v = &k->next;
    R *first = VN(column)(&k->band, r - k->bv.shift, j);
    const VN(scalar) a = VN(scalar_of)(a0);
    VN(place)(v, r, mm);
    for (int64_t q = 0; q < v->count; q++)
        v->x[q] = VN(add)(VN(load)(first + q * LANES), VN(piece_of)(&k->bv, q), a);
    VN(trim)(v, v->x);
    const T beta = VN(reflector)(v, 0, next_tau);
    VN(store_first)(v, first, beta);
}

/* a := -tau v' */
LANES_INLINE void VN(from_right)(const WORK *k, T tau)
{
    const T *v = VN(at)(k->v.x) + k->v.shift, minus_tau = -tau;
    for (int64_t c = 0; c < k->v.m; c++)
        k->a[c] = VN(times)(minus_tau, CONJ(v[c]));
}

/* bv := B v, a := -tau v' */
static void VN(product_below)(WORK *k, int64_t j, int64_t r, int64_t mm, T tau)
{
    PADDED *w = &k->bv;
    VN(place)(w, r, mm);
    if (tau != 0) {
        VN(from_right)(k, tau);
        VN(product)(k, j, r);
    } else {
        memset(k->a, 0, (size_t)k->v.m * sizeof(T));
        memset(w->x, 0, (size_t)w->count * sizeof(V));
        VN(turn)(w);
    }
}

/* The other columns of B := H+' B H. Not inlined: its loops would lose registers. */
static
    __attribute__((noinline)) void VN(block_below)(WORK *k, int64_t j, int64_t r, T tau, T next_tau)
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
