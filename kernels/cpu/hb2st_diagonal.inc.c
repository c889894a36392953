/* hb2st, part (D) of a hop: the diagonal block from both sides, for one scalar type and one
 * instruction set; see hb2st_chase.inc.c. Only the lower triangle is kept, so that the columns
 * of a vector of rows give w their own product and, through inner products, that of the rows
 * above the diagonal.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* w += (lower triangle) v and dots = v' (strictly lower triangle), the columns whose diagonal
 * entries are lanes c .. of vector a of `count`. Row 0 of a column is row `top` of the matrix.
 * late, real types: first A += lv lw' + lw lv'. */
LANES_INLINE void VN(multiply_columns)(const int late, const int64_t count, const WORK *k,
                                       const V *lv, const V *lw, int64_t top, int64_t a, int64_t c)
{
    enum { nc = VN(diagonal_columns) };
    const VN(band) band = k->band;
    const V *v = k->v.x;
    V *w = k->w.x;
    const int64_t first = k->v.shift, end = first + k->v.m;
    const int64_t row = top + a * WIDTH;
    const T *vc = VN(at)(k->v.x) + a * WIDTH + c;
    R *p[nc];
    V re[nc], dot[nc], sum = {0}, lvc[nc], lwc[nc];
#if IS_COMPLEX
    const V *iv = k->v.ix;
    V *by_im = k->by_im, im[nc], dot_i[nc], sum_i = {0};
#else
    const V *dot_i = NULL;
#endif
    VN(columns)(nc, p, &band, row, row + c, top + first, top + end);
#pragma GCC unroll 8
    for (int u = 0; u < nc; u++) {
        V x = VN(load)(p[u]);
        if (late) {
            lvc[u] = VN(all)(REAL(((const T *)lv)[a * WIDTH + c + u]));
            lwc[u] = VN(all)(REAL(((const T *)lw)[a * WIDTH + c + u]));
            x = VN(fma)(lw[a], lvc[u], VN(fma)(lv[a], lwc[u], x));
            x = VN(keep_diagonal)(x, c + u);
            VN(store)(p[u], x);
        }
        const V below = VN(keep_from)(x, c + u + 1);
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
#pragma GCC unroll 8
        for (int u = 0; u < nc; u++) {
            V x = VN(load)(p[u] + (q - a) * LANES);
            if (late) {
                x = VN(fma)(lw[q], lvc[u], VN(fma)(lv[q], lwc[u], x));
                VN(store)(p[u] + (q - a) * LANES, x);
            }
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
    R d[nc], di[nc];
    if (!IS_COMPLEX) {
        VN(finish_dots)(nc, dot, dot_i, (R *)(k->dots + a * WIDTH + c), NULL);
        return;
    }
    VN(finish_dots)(nc, dot, dot_i, d, di);
#pragma GCC unroll 8
    for (int u = 0; u < nc; u++)
        k->dots[a * WIDTH + c + u] = VN(number)(d[u], -di[u]); /* conj(v' x) = x' v */
}

/* A += v w' + w v', the same columns. */
LANES_INLINE void VN(rank2_columns)(const int64_t count, const WORK *k, int64_t top, int64_t a,
                                    int64_t c)
{
    enum { nc = VN(diagonal_columns) };
    const VN(band) band = k->band;
    const PADDED v = k->v, w = k->w;
    const int64_t first = v.shift, end = first + v.m, row = top + a * WIDTH;
    R *p[nc];
    VN(scalar) vc[nc], wc[nc];
    VN(columns)(nc, p, &band, row, row + c, top + first, top + end);
#pragma GCC unroll 8
    for (int u = 0; u < nc; u++) {
        const int64_t i = a * WIDTH + c + u;
        vc[u] = VN(scalar_of)(CONJ(VN(at)(v.x)[i]));
        wc[u] = VN(scalar_of)(CONJ(VN(at)(w.x)[i]));
    }
    const VN(piece) va = VN(piece_of)(&v, a), wa = VN(piece_of)(&w, a);
    V x[nc];
#pragma GCC unroll 8
    for (int u = 0; u < nc; u++) {
        x[u] = VN(add)(VN(add)(VN(load)(p[u]), va, wc[u]), wa, vc[u]);
        x[u] = VN(keep_diagonal)(x[u], c + u);
    }
#pragma GCC unroll 8
    for (int u = 0; u < nc; u++)
        VN(store)(p[u], x[u]);
    for (int64_t q = a + 1; q < count; q++)
        VN(add_two)(nc, p, (q - a) * LANES, VN(piece_of)(&v, q), wc, VN(piece_of)(&w, q), vc);
}

/* w := -tau (w + dots), then w - (1/2) tau (w' v) v. */
LANES_INLINE void VN(finish_w)(WORK *k, T tau)
{
    const PADDED v = k->v, w = k->w;
    const V tau_re = VN(all)(-REAL(tau));
    V re = {0};
#if IS_COMPLEX
    const V tau_im = VN(all)(-IMAG(tau));
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
    const VN(scalar) s = VN(scalar_of)(VN(number)(-REAL(half) / 2, -IMAG(half) / 2));
    for (int64_t q = 0; q < v.count; q++)
        w.x[q] = VN(add)(w.x[q], VN(piece_of)(&v, q), s);
    VN(trim)(&w, w.x);
    VN(turn)(&k->w);
}

/* With a count known to the compiler there are no loops left. */
LANES_INLINE void VN(multiply)(const int64_t count, const WORK *k, int64_t top)
{
#pragma GCC unroll 5
    for (int64_t a = 0; a < count; a++)
#pragma GCC unroll 4
        for (int64_t c = 0; c < WIDTH; c += VN(diagonal_columns))
            VN(multiply_columns)(0, count, k, NULL, NULL, top, a, c);
}

LANES_INLINE void VN(rank2)(const int64_t count, const WORK *k, int64_t top)
{
#pragma GCC unroll 5
    for (int64_t a = 0; a < count; a++)
#pragma GCC unroll 4
        for (int64_t c = 0; c < WIDTH; c += VN(diagonal_columns))
            VN(rank2_columns)(count, k, top, a, c);
}

/* w + dots := A v */
static void VN(diagonal_product)(WORK *k, int64_t j)
{
    const int64_t top = j - k->v.shift, end = k->v.shift + k->v.m;
    const int64_t first = k->v.shift / VN(diagonal_columns) *VN(diagonal_columns);
    VN(place)(&k->w, j, k->v.m);
    memset(k->w.x, 0, (size_t)k->v.count * sizeof(V));
#if IS_COMPLEX
    memset(k->by_im, 0, (size_t)k->v.count * sizeof(V));
#endif
    switch (SPECIAL(k->v.count)) {
    case 4: VN(multiply)(4, k, top); break;
    case 5: VN(multiply)(5, k, top); break;
    default:
        for (int64_t c = first; c < end; c += VN(diagonal_columns))
            VN(multiply_columns)(0, k->v.count, k, NULL, NULL, top, c / WIDTH, c % WIDTH);
    }
}

/* A += v w' + w v' */
static void VN(diagonal_update)(WORK *k, int64_t j)
{
    const int64_t top = j - k->v.shift, end = k->v.shift + k->v.m;
    const int64_t first = k->v.shift / VN(diagonal_columns) *VN(diagonal_columns);
    switch (SPECIAL(k->v.count)) {
    case 4: VN(rank2)(4, k, top); break;
    case 5: VN(rank2)(5, k, top); break;
    default:
        for (int64_t c = first; c < end; c += VN(diagonal_columns))
            VN(rank2_columns)(k->v.count, k, top, c / WIDTH, c % WIDTH);
    }
}
