/* Vectors for hb2st, for one scalar type and one instruction set: columns of a matrix cut at
 * rows that are multiples of WIDTH, and the few operations that all of hb2st is made of.
 *
 * A complex vector register holds re, im, re, im, ... What is multiplied by complex scalars
 * is kept twice, as x and as ix = i x; then
 *
 *     x s    =  x re(s) + ix im(s)
 *     x' y   =  sum(x * y) + i sum(ix * y)        (* and sum: of real lanes)
 *
 * need no shuffles, and a complex operation is a real one done twice.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#undef V
#undef U
#undef MASK
#undef LANES
#undef WIDTH
#undef PARTS
#undef PADDED
typedef R VN(vec) __attribute__((vector_size(LANE_BYTES)));
typedef R VN(anywhere) __attribute__((vector_size(LANE_BYTES), aligned(sizeof(R)), may_alias));
typedef LANE_INT VN(mask) __attribute__((vector_size(LANE_BYTES)));
typedef LANE_INT VN(mask_anywhere)
    __attribute__((vector_size(LANE_BYTES), aligned(sizeof(R)), may_alias));
#define V     VN(vec)
#define U     VN(anywhere)
#define MASK  VN(mask)
#define LANES ((int64_t)(LANE_BYTES / sizeof(R)))
#define WIDTH ((int64_t)(LANE_BYTES / sizeof(T)))
#define PARTS (1 + IS_COMPLEX)

/* Rows first .. first+m-1 of a column as `count` vectors, zeros before and after; ix is i x
 * in the complex types and not there in the real ones. Entry k is at(x)[shift + k]. */
typedef struct {
    V *x;
#if IS_COMPLEX
    V *ix;
#endif
    int64_t shift, m, count;
} VN(padded);
#define PADDED VN(padded)

LANES_INLINE T *VN(at)(V *x) { return (T *)x; }

LANES_INLINE void VN(place)(PADDED *p, int64_t first, int64_t m)
{
    p->shift = first % WIDTH;
    p->m = m;
    p->count = (p->shift + m + WIDTH - 1) / WIDTH;
}

LANES_INLINE V VN(all)(R s) { return s - (V){0}; }
LANES_INLINE V VN(fma)(V a, V b, V c) { return LANE(fma)(a, b, c); }
LANES_INLINE V VN(load)(const R *p) { return *(const U *)p; }
LANES_INLINE void VN(store)(R *p, V x) { *(U *)p = x; }

/* All ones from lane LANES on; a load k lanes earlier is a mask of the lanes from k on. */
static const LANE_INT VN(from_lane)[2 * LANE_BYTES / sizeof(R)] = {
    [LANE_BYTES / sizeof(R)... 2 * LANE_BYTES / sizeof(R) - 1] = -1};
/* The same for a column of a Hermitian diagonal block: its real diagonal entry and below. */
static const LANE_INT VN(from_diagonal)[2 * LANE_BYTES / sizeof(R) + 2] = {
    [LANE_BYTES / sizeof(R)] = -1,
    [LANE_BYTES / sizeof(R) + PARTS... 2 * LANE_BYTES / sizeof(R) + 1] = -1};

LANES_INLINE MASK VN(from)(const LANE_INT *window, int64_t element)
{
    return *(const VN(mask_anywhere) *)(window + LANES - PARTS * element);
}

LANES_INLINE V VN(keep_from)(V x, int64_t element)
{
    return (V)((MASK)x & VN(from)(VN(from_lane), element));
}

LANES_INLINE V VN(keep_diagonal)(V x, int64_t element)
{
    return (V)((MASK)x & VN(from)(VN(from_diagonal), element));
}

/* x with s as entry number `element`. */
LANES_INLINE V VN(put)(V x, int64_t element, T s)
{
    const MASK here = VN(from)(VN(from_lane), element) & ~VN(from)(VN(from_lane), element + 1);
    V y = VN(all)(REAL(s));
#if IS_COMPLEX
    static const LANE_INT odd[16] = {0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1};
    const MASK im = *(const VN(mask_anywhere) *)odd;
    y = (V)(((MASK)y & ~im) | ((MASK)VN(all)(IMAG(s)) & im));
#endif
    return (V)(((MASK)x & ~here) | ((MASK)y & here));
}

/* Zero the lanes of the first and last vector that are not rows of p. */
LANES_INLINE void VN(trim)(const PADDED *p, V *x)
{
    const int64_t last = p->count - 1, end = p->shift + p->m - last * WIDTH;
    x[0] = VN(keep_from)(x[0], p->shift);
    x[last] = (V)((MASK)x[last] & ~VN(from)(VN(from_lane), end));
}

#if IS_COMPLEX
/* i x */
LANES_INLINE V VN(times_i)(V x)
{
    static const R sign[16] = {-1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1};
    return LANE(swap)(x) * VN(load)(sign);
}
#endif

/* ix := i x */
LANES_INLINE void VN(turn)(PADDED *p)
{
#if IS_COMPLEX
    V *x = p->x, *ix = p->ix;
    for (int64_t k = 0; k < p->count; k++)
        ix[k] = VN(times_i)(x[k]);
#else
    (void)p;
#endif
}

LANES_INLINE R VN(sum)(V x)
{
    R s[4];
    LANE(sum4)(x, (V){0}, (V){0}, (V){0}, s);
    return s[0];
}

LANES_INLINE T VN(number)(R re, R im)
{
#if IS_COMPLEX
    return __builtin_complex(re, im);
#else
    (void)im;
    return re;
#endif
}

/* a b without C's treatment of infinities. */
LANES_INLINE T VN(times)(T a, T b)
{
    return VN(number)(REAL(a) * REAL(b) - IMAG(a) * IMAG(b), REAL(a) * IMAG(b) + IMAG(a) * REAL(b));
}

/* x' y */
LANES_INLINE T VN(dot)(const PADDED *p, const V *y)
{
    V re = {0}, im = {0};
    for (int64_t k = 0; k < p->count; k++) {
        re = VN(fma)(p->x[k], y[k], re);
#if IS_COMPLEX
        im = VN(fma)(p->ix[k], y[k], im);
#endif
    }
    return VN(number)(VN(sum)(re), IS_COMPLEX ? VN(sum)(im) : 0);
}
