/* Householder reflectors on rows of a band, for one real type R, real or complex entries, and
 * one instruction set; see gb2bd_chase.c.
 *
 * A reflector is H = I - tau v v', v_0 = 1, tau = 2/|v|^2 real, so H = H'. From x it takes
 *
 *   v = x / (phase (|x_0| + |x|)),  tau = 1 + |x_0|/|x|,  H x = -phase |x| e_0,  phase = sgn x_0
 *
 * which cannot divide by zero unless x is zero behind x_0: then tau = 0 and H = I.
 *
 * Vectors that multiply rows are laid out like the rows, column c at offset c modulo the
 * vector length and zeros around it, so that every load and store of the band is aligned. The
 * columns before and after the reflector's are then multiplied by zero, or are zero.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#undef V
#undef MASK
#undef LANES
#undef E
typedef R VN(vec) __attribute__((vector_size(LANE_BYTES)));
typedef R VN(loose) __attribute__((vector_size(LANE_BYTES), aligned(sizeof(R)), may_alias));
typedef LANE_INT VN(mask) __attribute__((vector_size(LANE_BYTES)));
#define V     VN(vec)
#define MASK  VN(mask)
#define LANES ((int64_t)(LANE_BYTES / sizeof(R)))

typedef struct {
    V re;
#if IS_COMPLEX
    V im;
#endif
} VN(elem);
#define E VN(elem)

LANES_INLINE V VN(splat)(R x) { return x - (V){0}; }

LANES_INLINE E VN(load)(const R *p, int64_t plane)
{
    (void)plane;
    return (E)
    {
        *(const VN(loose) *)p,
#if IS_COMPLEX
            *(const VN(loose) *)(p + plane)
#endif
    };
}

LANES_INLINE void VN(store)(R *p, int64_t plane, E x)
{
    (void)plane;
    *(VN(loose) *)p = x.re;
#if IS_COMPLEX
    *(VN(loose) *)(p + plane) = x.im;
#endif
}

LANES_INLINE E VN(broadcast)(const R *p, int64_t plane)
{
    (void)plane;
    return (E)
    {
        VN(splat)(p[0]),
#if IS_COMPLEX
            VN(splat)(p[plane])
#endif
    };
}

/* s + a conj(b), s - a b, and x scaled by a real */
LANES_INLINE E VN(add_conj)(E s, E a, E b)
{
#if IS_COMPLEX
    s.im = LANE(fma)(a.im, b.re, s.im);
    s.im = LANE(fma)(-a.re, b.im, s.im);
    s.re = LANE(fma)(a.im, b.im, s.re);
#endif
    s.re = LANE(fma)(a.re, b.re, s.re);
    return s;
}
LANES_INLINE E VN(subtract)(E s, E a, E b)
{
#if IS_COMPLEX
    s.im = LANE(fma)(-a.im, b.re, s.im);
    s.im = LANE(fma)(-a.re, b.im, s.im);
    s.re = LANE(fma)(a.im, b.im, s.re);
#endif
    s.re = LANE(fma)(-a.re, b.re, s.re);
    return s;
}
LANES_INLINE E VN(scaled)(E x, V by)
{
    x.re *= by;
#if IS_COMPLEX
    x.im *= by;
#endif
    return x;
}

/* Lane l: x + its neighbour at distance `half` where bit `half` of l is clear, y where set. */
LANES_INLINE V VN(fold)(V x, V y, int half)
{
    MASK keep, swap;
    for (int l = 0; l < LANES; l++) {
        keep[l] = l & half ? LANES + l : l;
        swap[l] = (l & half ? LANES : 0) + (l ^ half);
    }
    return __builtin_shuffle(x, y, keep) + __builtin_shuffle(x, y, swap);
}

/* Lane l of the result: the sum of the lanes of x[l]. */
LANES_INLINE V VN(sums)(V *x)
{
#pragma GCC unroll 8
    for (int half = 1; half < LANES; half *= 2)
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i += 2 * half)
            x[i] = VN(fold)(x[i], x[i + half], half);
    return x[0];
}

LANES_INLINE R VN(sum)(V x)
{
#pragma GCC unroll 8
    for (int half = 1; half < LANES; half *= 2)
        x = VN(fold)(x, x, half);
    return x[0];
}

/* ---- Lanes of the first vector -------------------------------------------------------- */

LANES_INLINE MASK VN(lane)(void)
{
    MASK m = {0};
    for (int l = 0; l < LANES; l++)
        m[l] = l;
    return m;
}
LANES_INLINE MASK VN(from)(int64_t shift) { return VN(lane)() >= (LANE_INT)shift; }
LANES_INLINE MASK VN(behind)(int64_t shift) { return VN(lane)() > (LANE_INT)shift; }
LANES_INLINE V VN(kept_lanes)(V x, MASK m) { return (V)((MASK)x & m); }
LANES_INLINE E VN(masked)(E x, MASK m)
{
    x.re = VN(kept_lanes)(x.re, m);
#if IS_COMPLEX
    x.im = VN(kept_lanes)(x.im, m);
#endif
    return x;
}

/* ---- Making one ---------------------------------------------------------------------- */

/* Reals of a vector that multiplies rows: the longest is as long as a row of a band of 512. */
enum { VN(ROOM) = 512 + 3 * 16, VN(LONG) = 2 * 512 + 4 * 16 };

/* x, `vectors` long with x_0 in lane `shift` and zeros around it, becomes v. Returns what H makes
 * of x_0 (the imaginary part goes to *im). */
LANES_INLINE R VN(reflector)(int64_t vectors, int64_t shift, R *x, int64_t plane, R *tau, R *im)
{
    const R floor = SAFMIN / EPS;
    const R re0 = x[shift];
    const MASK tail_lanes = VN(behind)(shift);
    V squares = {0};
#if IS_COMPLEX
    const R im0 = x[plane + shift];
#endif
    for (int64_t k = 0; k < vectors; k++) {
        E a = VN(load)(x + k * LANES, plane);
        if (k == 0)
            a = VN(masked)(a, tail_lanes);
        squares = LANE(fma)(a.re, a.re, squares);
#if IS_COMPLEX
        squares = LANE(fma)(a.im, a.im, squares);
#endif
    }
    const R tail = VN(sum)(squares);
    *tau = 0;
    *im = 0;
    /* So small a tail is zero for a matrix scaled to 1; its square is not accurate. */
    if (!(tail >= floor)) {
        for (int64_t k = 0; k < vectors; k++)
            VN(store)(x + k * LANES, plane, (E){0});
#if IS_COMPLEX
        *im = im0;
#endif
        return re0;
    }
#if IS_COMPLEX
    R head = re0 * re0 + im0 * im0, phase_re = 1, phase_im = 0;
    if (head < SAFMIN) { /* nothing next to the tail, and its phase would be inaccurate */
        head = 0;
    } else {
        const R size = SQRT(head);
        phase_re = re0 / size;
        phase_im = im0 / size;
    }
    const R size = SQRT(head), norm = SQRT(head + tail), unit = 1 / (size + norm);
    const E by = {VN(splat)(phase_re * unit), VN(splat)(phase_im * unit)};
#else
    const R size = RABS(re0), norm = SQRT(re0 * re0 + tail);
    const R unit = (re0 < 0 ? -1 : 1) / (size + norm);
#endif
    *tau = (size + norm) / norm;
    for (int64_t k = 0; k < vectors; k++) {
        E a = VN(load)(x + k * LANES, plane);
#if IS_COMPLEX
        a = VN(add_conj)((E){0}, a, by); /* times 1/phase */
#else
        a = VN(scaled)(a, VN(splat)(unit));
#endif
        if (k == 0) {
            a = VN(masked)(a, tail_lanes);
            a.re += VN(kept_lanes)(VN(splat)(1), VN(from)(shift) & ~tail_lanes);
        }
        VN(store)(x + k * LANES, plane, a);
    }
#if IS_COMPLEX
    *im = -phase_im * norm;
    return -phase_re * norm;
#else
    return re0 < 0 ? norm : -norm;
#endif
}

/* ---- Products with rows and columns --------------------------------------------------- */

/* The sum of the lanes of x_i conj(y_i): to[0], to[plane]. */
LANES_INLINE void VN(inner)(int64_t vectors, const R *x, int64_t x_plane, const R *y,
                            int64_t y_plane, R *to, int64_t plane)
{
    E sum = {0};
    for (int64_t k = 0; k < vectors * LANES; k += LANES)
        sum = VN(add_conj)(sum, VN(load)(x + k, x_plane), VN(load)(y + k, y_plane));
    (void)plane;
    to[0] = VN(sum)(sum.re);
#if IS_COMPLEX
    to[plane] = VN(sum)(sum.im);
#endif
}

/* y := y - s x, s one number. */
LANES_INLINE void VN(less)(int64_t vectors, const R *s, int64_t s_plane, const R *x,
                           int64_t x_plane, R *y, int64_t y_plane)
{
    const E by = VN(broadcast)(s, s_plane);
    for (int64_t k = 0; k < vectors * LANES; k += LANES)
        VN(store)(y + k, y_plane,
                  VN(subtract)(VN(load)(y + k, y_plane), by, VN(load)(x + k, x_plane)));
}

/* LANES rows, each `vectors` long, times v'; those from `count` on stand for the last of these. */
LANES_INLINE E VN(dots_lanes)(int64_t vectors, int64_t count, const R *a, int64_t down,
                              int64_t plane, const R *v, int64_t v_plane)
{
    const R *p[LANES];
    V re[LANES];
#if IS_COMPLEX
    V im[LANES];
#endif
#pragma GCC unroll 16
    for (int q = 0; q < LANES; q++) {
        p[q] = q == 0 ? a : q < count ? p[q - 1] + down : p[q - 1];
        re[q] = (V){0};
#if IS_COMPLEX
        im[q] = (V){0};
#endif
    }
    for (int64_t k = 0; k < vectors * LANES; k += LANES) {
        const E vk = VN(load)(v + k, v_plane);
#pragma GCC unroll 16
        for (int q = 0; q < LANES; q++) {
            const E x = VN(load)(p[q] + k, plane);
            re[q] = LANE(fma)(x.re, vk.re, re[q]);
#if IS_COMPLEX
            re[q] = LANE(fma)(x.im, vk.im, re[q]);
            im[q] = LANE(fma)(x.im, vk.re, im[q]);
            im[q] = LANE(fma)(-x.re, vk.im, im[q]);
#endif
        }
    }
    return (E)
    {
        VN(sums)(re),
#if IS_COMPLEX
            VN(sums)(im)
#endif
    };
}

/* c_i := tau (row i times v'). Up to a whole vector, c is that of the last row. */
LANES_INLINE void VN(dots_wide)(int64_t vectors, int64_t rows, const R *a, int64_t down,
                                int64_t plane, const R *v, int64_t v_plane, R tau, R *c)
{
    const V by = VN(splat)(tau);
    int64_t i = 0;
    for (; i + LANES <= rows; i += LANES)
        VN(store)(
            c + i, VN(ROOM),
            VN(scaled)(VN(dots_lanes)(vectors, LANES, a + i * down, down, plane, v, v_plane), by));
    if (i < rows)
        VN(store)(
            c + i, VN(ROOM),
            VN(scaled)(VN(dots_lanes)(vectors, rows - i, a + i * down, down, plane, v, v_plane),
                       by));
}

static void VN(dots)(int64_t rows, int64_t vectors, const R *a, int64_t down, int64_t plane,
                     const R *v, int64_t v_plane, R tau, R *c)
{
    switch (vectors) { /* known to the compiler, v stays in registers */
    case 1: VN(dots_wide)(1, rows, a, down, plane, v, v_plane, tau, c); break;
    case 2: VN(dots_wide)(2, rows, a, down, plane, v, v_plane, tau, c); break;
    case 3: VN(dots_wide)(3, rows, a, down, plane, v, v_plane, tau, c); break;
    case 4: VN(dots_wide)(4, rows, a, down, plane, v, v_plane, tau, c); break;
    case 5: VN(dots_wide)(5, rows, a, down, plane, v, v_plane, tau, c); break;
    default: VN(dots_wide)(vectors, rows, a, down, plane, v, v_plane, tau, c);
    }
}

/* Sums that are in registers at once. */
#undef MOST_SUMS
#define MOST_SUMS (IS_COMPLEX ? 5 : 10)

LANES_INLINE void VN(weighted_strip)(int width, int64_t rows, const R *a, int64_t down,
                                     int64_t plane, const R *u, R tau, R *w)
{
    /* few sums: two of each, or they would wait for each other */
    enum { MOST = MOST_SUMS };
    const int apart = 2 * width <= MOST;
    E sum[2][MOST];
#pragma GCC unroll 10
    for (int k = 0; k < width; k++)
        sum[0][k] = sum[1][k] = (E){0};
    int64_t i = 0;
    for (; apart && i + 1 < rows; i += 2) {
        const E u0 = VN(broadcast)(u + i, VN(ROOM)), u1 = VN(broadcast)(u + i + 1, VN(ROOM));
#pragma GCC unroll 10
        for (int k = 0; k < width; k++) {
            const R *x = a + i * down + k * LANES;
            sum[0][k] = VN(add_conj)(sum[0][k], VN(load)(x, plane), u0);
            sum[1][k] = VN(add_conj)(sum[1][k], VN(load)(x + down, plane), u1);
        }
    }
    for (; i < rows; i++) {
        const E ui = VN(broadcast)(u + i, VN(ROOM));
#pragma GCC unroll 10
        for (int k = 0; k < width; k++)
            sum[0][k] = VN(add_conj)(sum[0][k], VN(load)(a + i * down + k * LANES, plane), ui);
    }
#pragma GCC unroll 10
    for (int k = 0; k < width; k++) {
        E total = sum[0][k];
        total.re += sum[1][k].re;
#if IS_COMPLEX
        total.im += sum[1][k].im;
#endif
        VN(store)(w + k * LANES, VN(LONG), VN(scaled)(total, VN(splat)(tau)));
    }
}

/* w := tau (sum of conj(u_i) a_i) */
static void VN(weighted)(int64_t rows, int64_t vectors, const R *a, int64_t down, int64_t plane,
                         const R *u, R tau, R *w)
{
    const int64_t strips = (vectors + MOST_SUMS - 1) / MOST_SUMS;
    for (int64_t i = 0, at = 0, next; i < strips; i++, at = next) {
        const R *x = a + at * LANES;
        R *to = w + at * LANES;
        next = (i + 1) * vectors / strips;
        switch (next - at) {
        case 1: VN(weighted_strip)(1, rows, x, down, plane, u, tau, to); break;
        case 2: VN(weighted_strip)(2, rows, x, down, plane, u, tau, to); break;
        case 3: VN(weighted_strip)(3, rows, x, down, plane, u, tau, to); break;
        case 4: VN(weighted_strip)(4, rows, x, down, plane, u, tau, to); break;
        case 5: VN(weighted_strip)(5, rows, x, down, plane, u, tau, to); break;
#if !IS_COMPLEX
        case 6: VN(weighted_strip)(6, rows, x, down, plane, u, tau, to); break;
        case 7: VN(weighted_strip)(7, rows, x, down, plane, u, tau, to); break;
        case 8: VN(weighted_strip)(8, rows, x, down, plane, u, tau, to); break;
        case 9: VN(weighted_strip)(9, rows, x, down, plane, u, tau, to); break;
        case 10: VN(weighted_strip)(10, rows, x, down, plane, u, tau, to); break;
#endif
        }
    }
}

/* ---- Rows a_i become a_i - x_i v - y_i w ----------------------------------------------- */

/* Vectors of v and w that are in registers at once. */
#undef MOST_WIDTH
#define MOST_WIDTH (IS_COMPLEX && LANE_BYTES < 64 ? 2 : 5)

/* Lanes of the first vector that are not in `lanes` become zero. What is `ahead` of an entry is
 * wanted soon. */
LANES_INLINE void VN(update_strip)(int width, int two, int64_t rows, R *a, int64_t down,
                                   int64_t plane, MASK lanes, int64_t ahead, const R *x, const R *v,
                                   int64_t v_plane, const R *y, const R *w, int64_t w_plane)
{
    E vk[MOST_WIDTH], wk[MOST_WIDTH];
#pragma GCC unroll 5
    for (int k = 0; k < width; k++) {
        vk[k] = VN(load)(v + k * LANES, v_plane);
        if (two)
            wk[k] = VN(load)(w + k * LANES, w_plane);
    }
    for (int64_t i = 0; i < rows; i++) {
        const E xi = VN(broadcast)(x + i, VN(ROOM));
        const E yi = two ? VN(broadcast)(y + i, VN(ROOM)) : xi;
#pragma GCC unroll 5
        for (int k = 0; k < width; k++) {
            R *to = a + i * down + k * LANES;
            if (two)
                __builtin_prefetch(to + ahead);
            E t = VN(subtract)(VN(load)(to, plane), xi, vk[k]);
            if (two)
                t = VN(subtract)(t, yi, wk[k]);
            VN(store)(to, plane, k == 0 ? VN(masked)(t, lanes) : t);
        }
    }
}

LANES_INLINE void VN(update)(int two, int64_t rows, int64_t vectors, R *a, int64_t down,
                             int64_t plane, MASK lanes, int64_t ahead, const R *x, const R *v,
                             int64_t v_plane, const R *y, const R *w, int64_t w_plane)
{
    for (int64_t at = 0, next; at < vectors; at = next) {
        const int64_t c = at * LANES, left = vectors - at;
        const MASK keep = at == 0 ? lanes : ~(MASK){0};
        /* the last two are equal, about */
        next = at + (left <= MOST_WIDTH       ? left
                     : left <= 2 * MOST_WIDTH ? (left + 1) / 2
                                              : MOST_WIDTH);
#define STRIP(width)                                                                               \
    VN(update_strip)(width, two, rows, a + c, down, plane, keep, ahead, x, v + c, v_plane, y,      \
                     w + c, w_plane)
        switch (next - at) {
        case 1: STRIP(1); break;
        case 2: STRIP(2); break;
#if !(IS_COMPLEX && LANE_BYTES < 64)
        case 3: STRIP(3); break;
        case 4: STRIP(4); break;
        case 5: STRIP(5); break;
#endif
        }
#undef STRIP
    }
}

/* a_i - x_i v */
static void VN(update_one)(int64_t rows, int64_t vectors, R *a, int64_t down, int64_t plane,
                           MASK lanes, const R *x, const R *v, int64_t v_plane)
{
    VN(update)(0, rows, vectors, a, down, plane, lanes, 0, x, v, v_plane, x, v, v_plane);
}

static void VN(update_two)(int64_t rows, int64_t vectors, R *a, int64_t down, int64_t plane,
                           MASK lanes, int64_t ahead, const R *x, const R *v, int64_t v_plane,
                           const R *y, const R *w, int64_t w_plane)
{
    VN(update)(1, rows, vectors, a, down, plane, lanes, ahead, x, v, v_plane, y, w, w_plane);
}

/* H times the rows, u its reflector, so many columns at a time that they stay in the first cache.
 * w is scratch. */
static void VN(from_the_left)(int64_t rows, int64_t vectors, R *a, int64_t down, int64_t plane,
                              MASK lanes, const R *u, R tau, R *w)
{
    for (int64_t at = 0; at < vectors; at += MOST_SUMS) {
        const int64_t width = vectors - at < MOST_SUMS ? vectors - at : MOST_SUMS;
        R *x = a + at * LANES;
        VN(weighted)(rows, width, x, down, plane, u, tau, w);
        VN(update_one)(rows, width, x, down, plane, at == 0 ? lanes : ~(MASK){0}, u, w, VN(LONG));
    }
}
