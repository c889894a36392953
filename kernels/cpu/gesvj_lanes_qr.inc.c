/* QR factorizations by reflectors of as many matrices as a vector has lanes, and products with
 * their Q: a part of gesvj_lanes.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* The reflector I - tau v v', v[0] = 1, that takes x to a multiple of its first entry; that
 * multiple and the rest of v take the place of x. Returns tau. Columns that are too short to have
 * a length stay as they are, but for the first entry taken for zero. */
LANES_INLINE V VN(reflector)(int64_t count, E *x, V length2)
{
    const V one = VN(splat)(1), length = LANE(sqrt)(length2);
    const MASK on = VN(long_enough)(length2);
    const E a = x[0];
    E unit; /* a / |a| */
#if IS_COMPLEX
    const V power = VN(binade)(VN(larger)(VN(magnitude)(a.re), VN(magnitude)(a.im)));
    const V inverse = VN(inverse_binade)(power), re = a.re * inverse, im = a.im * inverse;
    const V top = LANE(sqrt)(VN(fma)(re, re, im * im));
    const MASK some = top > (V){0};
    const V size = top * power;
    unit.re = VN(select)(some, re / top, one);
    unit.im = (V)((MASK)(im / top) & some);
#else
    const V size = VN(magnitude)(a.re);
    unit.re = (V)((MASK)one | ((MASK)a.re & (MASK)VN(splat)((R)-0.0)));
#endif
    const V shrink = (V)((MASK)(one / (size + length)) & on);
    const E f = VN(scaled)(unit, -shrink);
    const E zero = {0};
    for (int64_t i = 1; i < count; i++) /* x / (unit (size + length)) */
        x[i] = VN(conjugate)(VN(minus_product)(VN(conjugate)(x[i]), f, zero));
    const E image = VN(scaled)(unit, -length);
    x[0].re = VN(select)(on, image.re, a.re);
#if IS_COMPLEX
    x[0].im = VN(select)(on, image.im, a.im);
#endif
    return (V)((MASK)((size + length) / length) & on);
}

/* y := (I - tau v v') y */
LANES_INLINE void VN(reflect)(int64_t count, const E *v, V tau, E *y)
{
    const E w = VN(scaled)(VN(plus)(y[0], VN(dot)(count - 1, v + 1, y + 1)), tau);
    y[0] = VN(plus)(y[0], VN(scaled)(w, VN(splat)(-1)));
    for (int64_t i = 1; i < count; i++)
        y[i] = VN(minus_product)(v[i], w, y[i]);
}

LANES_INLINE void VN(swap_lane)(void *x, void *y, int64_t vectors, int64_t lane)
{
    R *p = (R *)x + lane, *q = (R *)y + lane;
    for (int64_t i = 0; i < vectors; i++, p += LANES, q += LANES) {
        const R t = *p;
        *p = *q;
        *q = t;
    }
}

/* Brings the longest of the columns from j on to place j. */
static void VN(pivot_column)(WORK *w, int64_t j)
{
    V best = w->length[j];
    MASK at = (MASK){0} + (LANE_INT)j;
    for (int64_t k = j + 1; k < w->n; k++) {
        const MASK more = w->length[k] > best;
        best = VN(select)(more, w->length[k], best);
        at = (at & ~more) | (more & (LANE_INT)k);
    }
    for (int64_t lane = 0; lane < LANES; lane++) {
        const int64_t k = at[lane];
        if (k == j)
            continue;
        VN(swap_lane)(w->B + j * w->big, w->B + k * w->big, w->big * (1 + IS_COMPLEX), lane);
        VN(swap_lane)(w->length + j, w->length + k, 1, lane);
        const int32_t was = w->pivot[j * LANES + lane];
        w->pivot[j * LANES + lane] = w->pivot[k * LANES + lane];
        w->pivot[k * LANES + lane] = was;
    }
}

/* B P = Q R in place. */
static void VN(pivoted_qr)(WORK *w)
{
    const int64_t m = w->big, n = w->n;
    for (int64_t j = 0; j < n; j++) {
        w->length[j] = VN(squares)(m, w->B + j * m);
        for (int64_t lane = 0; lane < LANES; lane++)
            w->pivot[j * LANES + lane] = (int32_t)j;
    }
    for (int64_t j = 0; j < n; j++) {
        VN(pivot_column)(w, j);
        const E *v = w->B + j * m + j;
        w->tau[j] = VN(reflector)(m - j, w->B + j * m + j, w->length[j]);
        for (int64_t k = j + 1; k < n; k++) {
            VN(reflect)(m - j, v, w->tau[j], w->B + k * m + j);
            w->length[k] = VN(squares)(m - j - 1, w->B + k * m + j + 1);
        }
    }
}

/* C, n x n, := the conjugate transpose of the upper triangle of A, m x n. */
LANES_INLINE void VN(transpose_upper)(int64_t m, int64_t n, const E *A, E *C)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            C[j * n + i] = i < j ? (E){0} : VN(conjugate)(A[i * m + j]);
}

/* X := L of R' = Q2 L'. */
static void VN(second_qr)(WORK *w)
{
    const int64_t n = w->n;
    VN(transpose_upper)(w->big, n, w->B, w->Q2);
    for (int64_t j = 0; j < n; j++) {
        E *v = w->Q2 + j * n + j;
        w->tau2[j] = VN(reflector)(n - j, v, VN(squares)(n - j, v));
        for (int64_t k = j + 1; k < n; k++)
            VN(reflect)(n - j, v, w->tau2[j], w->Q2 + k * n + j);
    }
    VN(transpose_upper)(n, n, w->Q2, w->X);
}

/* Y := Q Y, with the n reflectors of an m x n matrix. */
static void VN(apply_q)(int64_t m, int64_t n, const E *reflectors, const V *tau, E *Y)
{
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = n - 1; j >= 0; j--)
            VN(reflect)(m - j, reflectors + j * m + j, tau[j], Y + k * m + j);
}
