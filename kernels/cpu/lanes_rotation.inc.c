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
#undef UMASK
#undef LANES
#undef E
#undef ROTATION
typedef R VN(vec) __attribute__((vector_size(LANE_BYTES)));
typedef LANE_INT VN(mask) __attribute__((vector_size(LANE_BYTES)));
typedef LANE_BITS VN(bits) __attribute__((vector_size(LANE_BYTES)));
#define V     VN(vec)
#define MASK  VN(mask)
#define UMASK VN(bits) /* unsigned */
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
/* 0, 1, 2 ...: a constant, and so is what follows from it. */
LANES_INLINE MASK VN(lane_numbers)(void)
{
    static const LANE_INT numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    MASK lane;
    memcpy(&lane, numbers, sizeof lane);
    return lane;
}
LANES_INLINE V VN(select)(MASK m, V a, V b) { return (V)(((MASK)a & m) | ((MASK)b & ~m)); }
LANES_INLINE V VN(magnitude)(V x) { return (V)((MASK)x & ~(MASK)VN(splat)((R)-0.0)); }
LANES_INLINE V VN(larger)(V a, V b) { return VN(select)(a > b, a, b); }
LANES_INLINE V VN(fma)(V a, V b, V c) { return LANE(fma)(a, b, c); }
LANES_INLINE V VN(fnma)(V a, V b, V c) { return LANE(fnma)(a, b, c); }

/* The power of two below x > 0, and its inverse; 0 and the largest one for x = 0. */
LANES_INLINE V VN(binade)(V x) { return (V)((MASK)x & (MASK)VN(splat)((R)INFINITY)); }
LANES_INLINE V VN(inverse_binade)(V power)
{
    const MASK twice_bias = (MASK)VN(splat)((R)INFINITY) - (MASK)VN(splat)(SAFMIN);
    return (V)(twice_bias - (MASK)power);
}

/* |f x|^2. With f = 1/tol the test of heevj.h reads |f a_pq|^2 > max(|a_pp a_qq|, floor^2),
 * and squares of negligible entries do not underflow. */
LANES_INLINE V VN(abs2_scaled)(E x, V f)
{
    const V re = x.re * f;
#if IS_COMPLEX
    const V im = x.im * f;
    return VN(fma)(re, re, im * im);
#else
    return re * re;
#endif
}

/* The two sides of that test as a quotient: rotate if it is more than 1. 0/0 is 0. */
LANES_INLINE V VN(excess)(E a, V dp, V dq, V inverse_tol, V floor2)
{
    const V b2 = VN(abs2_scaled)(a, inverse_tol);
    const V limit = VN(larger)(VN(magnitude)(dp * dq), floor2);
    return (V)((MASK)(b2 / limit) & (b2 > (V){0}));
}

/* Columns x and y times diag(1, u), or diag(1, conj(u)), then the real rotation. */
LANES_INLINE void VN(rotate)(E *x, E *y, ROTATION g, int conjugate)
{
#if IS_COMPLEX
    const V re = g.ur * y->re, im = g.ur * y->im;
    const V yr = conjugate ? VN(fma)(g.ui, y->im, re) : VN(fnma)(g.ui, y->im, re);
    const V yi = conjugate ? VN(fnma)(g.ui, y->re, im) : VN(fma)(g.ui, y->re, im);
    const V xr = VN(fnma)(g.tau, yr, x->re);
    const V xi = VN(fnma)(g.tau, yi, x->im);
    y->re = VN(fma)(g.s, xr, yr);
    y->im = VN(fma)(g.s, xi, yi);
    x->re = VN(fnma)(g.tau, y->re, xr);
    x->im = VN(fnma)(g.tau, y->im, xi);
#else
    (void)conjugate;
    const V xr = VN(fnma)(g.tau, y->re, x->re);
    y->re = VN(fma)(g.s, xr, y->re);
    x->re = VN(fnma)(g.tau, y->re, xr);
#endif
}

/* The rotation that makes a = a_qp zero in the lanes `on`; updates the diagonal. With
 * h = d_q - d_p, r = |a|, N = |h| + sqrt(h^2 + 4 r^2) and H = sqrt(N^2 + 4 r^2)
 *
 *   t = 2r / N,   s = 2r / H,   tau = 2r / (N + H)
 *
 * which puts two roots and one division one after the other, the rest beside them. Squares
 * are taken of numbers scaled by powers of two, so that tiny ones do not vanish. */
LANES_INLINE ROTATION VN(find_rotation)(E a, V *dp, V *dq, MASK on)
{
    const V zero = {0};
    const MASK sign_bit = (MASK)VN(splat)((R)-0.0);
#if IS_COMPLEX
    const V power = VN(binade)(VN(larger)(VN(magnitude)(a.re), VN(magnitude)(a.im)));
    const V inverse = VN(inverse_binade)(power);
    const V re = a.re * inverse, im = a.im * inverse;
    const V length2 = VN(fma)(re, re, im * im), length = LANE(sqrt)(length2);
#else
    const V power = VN(binade)(VN(magnitude)(a.re));
    const V length = VN(magnitude)(a.re) * VN(inverse_binade)(power), length2 = length * length;
#endif
    const V h = *dq - *dp, h_abs = VN(magnitude)(h);
    const V scale = VN(inverse_binade)(VN(binade)(VN(larger)(h_abs, power)));
    const V hs = h_abs * scale, twice = (power + power) * scale, rs = length * twice;
    const V N = hs + LANE(sqrt)(VN(fma)(hs, hs, length2 * (twice * twice)));
    const V H = LANE(sqrt)(VN(fma)(N, N, length2 * (twice * twice)));
    const MASK minus = (h < zero) & sign_bit; /* sign(0) = +1 */
    const V shift = (V)((MASK)(rs / N * (length * power)) & on);
    ROTATION g = {.s = (V)((MASK)(rs / H) & on), .tau = (V)((MASK)(rs / (N + H)) & on)};
#if IS_COMPLEX
    /* One Newton step: x * (1/x) is more often below 1 than above, and Q's columns would
     * shrink a little with every rotation. */
    const V one = VN(splat)(1), unit = one / length;
    const V ur = re * unit, ui = im * unit;
    const V half_defect = VN(splat)((R)0.5) * VN(fnma)(ur, ur, VN(fnma)(ui, ui, one));
    g.ur = VN(select)(on, VN(fma)(ur, half_defect, ur), one);
    g.ui = (V)((MASK)VN(fma)(ui, half_defect, ui) & on);
    const MASK turn = minus;
#else
    const MASK turn = minus ^ ((a.re < zero) & sign_bit);
#endif
    g.s = (V)((MASK)g.s ^ turn);
    g.tau = (V)((MASK)g.tau ^ turn);
    *dp = *dp - (V)((MASK)shift ^ minus);
    *dq = *dq + (V)((MASK)shift ^ minus);
    return g;
}
