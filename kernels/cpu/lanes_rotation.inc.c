/* Vectors of numbers and of Jacobi rotations, for one scalar type and one instruction set.
 *
 * With a_qp = r u, |u| = 1 and t = tan of the angle, column q is first multiplied by u,
 * which makes the pair real, and the real rotation is three shears (tau = tan(angle/2))
 *
 *   x := x - tau y,   y := y + s x,   x := x - tau y
 *
 * which, as Rutishauser's form of the rotation, perturb x and y by small quantities
 * only, in one multiply-add less each.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#undef V
#undef MASK
#undef LANES
#undef E
#undef ROTATION
typedef R VN(vec) __attribute__((vector_size(LANE_BYTES)));
typedef LANE_INT VN(mask) __attribute__((vector_size(LANE_BYTES)));
#define V    VN(vec)
#define MASK VN(mask)
#define LANES ((int64_t)(LANE_BYTES / sizeof(R)))

typedef struct {
    V re;
#if IS_COMPLEX
    V im;
#endif
} VN(elem);
#define E VN(elem)

typedef struct {
    V s, tau;
#if IS_COMPLEX
    V ur, ui;
#endif
} VN(rotation);
#define ROTATION VN(rotation)

LANES_INLINE V VN(splat)(R x) { return x - (V){0}; }
LANES_INLINE V VN(select)(MASK m, V a, V b) { return (V)(((MASK)a & m) | ((MASK)b & ~m)); }
LANES_INLINE V VN(magnitude)(V x) { return (V)((MASK)x & ~(MASK)VN(splat)((R)-0.0)); }
LANES_INLINE V VN(larger)(V a, V b) { return VN(select)(a > b, a, b); }
LANES_INLINE V VN(fma)(V a, V b, V c) { return LANE(fma)(a, b, c); }

/* The power of two below x > 0, and its inverse; 0 and the largest one for x = 0. */
LANES_INLINE V VN(binade)(V x) { return (V)((MASK)x & (MASK)VN(splat)((R)INFINITY)); }
LANES_INLINE V VN(inverse_binade)(V power)
{
    const MASK twice_bias = (MASK)VN(splat)((R)INFINITY) - (MASK)VN(splat)(SAFMIN);
    return (V)(twice_bias - (MASK)power);
}

LANES_INLINE V VN(abs2)(E x)
{
#if IS_COMPLEX
    return VN(fma)(x.re, x.re, x.im * x.im);
#else
    return x.re * x.re;
#endif
}

/* Columns x and y times diag(1, u), or diag(1, conj(u)), then the real rotation. */
LANES_INLINE void VN(rotate)(E *x, E *y, ROTATION g, int conjugate)
{
#if IS_COMPLEX
    const V ui = conjugate ? -g.ui : g.ui;
    const V yr = VN(fma)(-ui, y->im, g.ur * y->re);
    const V yi = VN(fma)(ui, y->re, g.ur * y->im);
    const V xr = VN(fma)(-g.tau, yr, x->re);
    const V xi = VN(fma)(-g.tau, yi, x->im);
    y->re = VN(fma)(g.s, xr, yr);
    y->im = VN(fma)(g.s, xi, yi);
    x->re = VN(fma)(-g.tau, y->re, xr);
    x->im = VN(fma)(-g.tau, y->im, xi);
#else
    (void)conjugate;
    const V xr = VN(fma)(-g.tau, y->re, x->re);
    y->re = VN(fma)(g.s, xr, y->re);
    x->re = VN(fma)(-g.tau, y->re, xr);
#endif
}

/* The rotation that makes a = a_qp zero in the lanes `on`; updates the diagonal. Squares
 * are taken of numbers scaled by powers of two, so that tiny ones do not vanish. */
LANES_INLINE ROTATION VN(find_rotation)(E a, V *dp, V *dq, MASK on)
{
    const V zero = {0}, one = VN(splat)(1);
#if IS_COMPLEX
    const V power = VN(binade)(VN(larger)(VN(magnitude)(a.re), VN(magnitude)(a.im)));
    const V inverse = VN(inverse_binade)(power);
    const V re = a.re * inverse, im = a.im * inverse;
    const V length = LANE(sqrt)(VN(fma)(re, re, im * im));
    const V r = length * power, unit = one / length;
#else
    const V r = VN(magnitude)(a.re);
#endif
    const V h = *dq - *dp, h_abs = VN(magnitude)(h);
    const V scale = VN(inverse_binade)(VN(binade)(VN(larger)(h_abs, r)));
    const V hs = h_abs * scale, rs = (r + r) * scale;
    const V root = LANE(sqrt)(VN(fma)(hs, hs, rs * rs));
    V t = rs / (hs + root);
    t = VN(select)(h >= zero, t, -t); /* sign(0) = +1 */
#if !IS_COMPLEX
    t = VN(select)(a.re >= zero, t, -t);
#endif
    t = (V)((MASK)t & on);
    const V sec2 = VN(fma)(t, t, one), sec = LANE(sqrt)(sec2);
    const V f = one / (sec + sec2);
    ROTATION g = {.s = t * (one + sec) * f, .tau = t * sec * f};
#if IS_COMPLEX
    g.ur = VN(select)(on, re * unit, one);
    g.ui = (V)((MASK)(im * unit) & on);
    const V shift = t * r;
#else
    const V shift = t * a.re;
#endif
    *dp = *dp - shift;
    *dq = *dq + shift;
    return g;
}
