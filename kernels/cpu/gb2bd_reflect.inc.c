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

LANES_INLINE V VN(splat)(R x) { return x - (V){0}; }

LANES_INLINE E VN(load)(const R *p, int64_t plane)
{
    (void)plane;
    return (E){*(const VN(loose) *)p,
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
    return (E){VN(splat)(p[0]),
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

/* ---- Making one ---------------------------------------------------------------------- */

enum {
    VN(ROOM) = 512 + 3 * 16,
    VN(MOST_PLANE) = 3 * 512 + 4 * 16 /* of orr_gb2bd_layout */
};

/* x[0..len) becomes v; x is followed by zeros up to a whole vector. Returns what H makes of
 * x_0 (the imaginary part goes to *im). */
static R VN(reflector)(int64_t len, R *x, int64_t plane, R *tau, R *im)
{
    const R floor = SAFMIN / EPS;
    const R re0 = x[0];
    V squares = {0};
    x[0] = 0;
#if IS_COMPLEX
    R im0 = x[plane];
    x[plane] = 0;
#endif
    for (int64_t k = 0; k < len; k += LANES) {
        const E a = VN(load)(x + k, plane);
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
    for (int64_t k = 0; k < len; k += LANES) {
        E a = VN(load)(x + k, plane);
#if IS_COMPLEX
        a = VN(add_conj)((E){0}, a, by); /* times 1/phase */
#else
        a = VN(scaled)(a, VN(splat)(unit));
#endif
        VN(store)(x + k, plane, a);
    }
    x[0] = 1;
#if IS_COMPLEX
    *im = -phase_im * norm;
    return -phase_re * norm;
#else
    return re0 < 0 ? norm : -norm;
#endif
}

/* ---- From the right: a row a becomes a - tau (a v') v -------------------------------- */

/* LANES rows, each `vectors` long. */
LANES_INLINE void VN(right_lanes)(int64_t vectors, R *const *a, int64_t plane, const R *v,
                                  int64_t v_plane, R tau)
{
    V re[LANES];
#if IS_COMPLEX
    V im[LANES];
#endif
#pragma GCC unroll 16
    for (int q = 0; q < LANES; q++) {
        re[q] = (V){0};
#if IS_COMPLEX
        im[q] = (V){0};
#endif
    }
    for (int64_t k = 0; k < vectors * LANES; k += LANES) {
        const E vk = VN(load)(v + k, v_plane);
#pragma GCC unroll 16
        for (int q = 0; q < LANES; q++) {
            const E x = VN(load)(a[q] + k, plane);
            re[q] = LANE(fma)(x.re, vk.re, re[q]);
#if IS_COMPLEX
            re[q] = LANE(fma)(x.im, vk.im, re[q]);
            im[q] = LANE(fma)(x.im, vk.re, im[q]);
            im[q] = LANE(fma)(-x.re, vk.im, im[q]);
#endif
        }
    }
    R c[2 * LANES] __attribute__((aligned(64)));
    *(V *)c = VN(sums)(re) * VN(splat)(tau);
#if IS_COMPLEX
    *(V *)(c + LANES) = VN(sums)(im) * VN(splat)(tau);
#endif
    for (int64_t k = 0; k < vectors * LANES; k += LANES) {
        const E vk = VN(load)(v + k, v_plane);
#pragma GCC unroll 16
        for (int q = 0; q < LANES; q++) {
            R *x = a[q] + k;
            VN(store)(x, plane, VN(subtract)(VN(load)(x, plane), VN(broadcast)(c + q, LANES), vk));
        }
    }
}

static void VN(right)(int64_t rows, int64_t vectors, R *a, int64_t down, int64_t plane,
                      const R *v, int64_t v_plane, R tau)
{
    R zeros[IS_COMPLEX * VN(MOST_PLANE) + VN(ROOM)] __attribute__((aligned(64))), *p[LANES];
    if (rows % LANES != 0) { /* stand for the rows that the last vector lacks */
        memset(zeros, 0, (size_t)(vectors * LANES) * sizeof(R));
#if IS_COMPLEX
        memset(zeros + plane, 0, (size_t)(vectors * LANES) * sizeof(R));
#endif
    }
    for (int64_t i = 0; i < rows; i += LANES) {
        for (int q = 0; q < LANES; q++)
            p[q] = i + q < rows ? a + (i + q) * down : zeros;
        switch (vectors) { /* known to the compiler, v stays in registers */
        case 1: VN(right_lanes)(1, p, plane, v, v_plane, tau); break;
        case 2: VN(right_lanes)(2, p, plane, v, v_plane, tau); break;
        case 3: VN(right_lanes)(3, p, plane, v, v_plane, tau); break;
        case 4: VN(right_lanes)(4, p, plane, v, v_plane, tau); break;
        case 5: VN(right_lanes)(5, p, plane, v, v_plane, tau); break;
        default: VN(right_lanes)(vectors, p, plane, v, v_plane, tau);
        }
    }
}

/* ---- From the left: rows a_i become a_i - tau u_i (sum of conj(u_k) a_k) ------------- */

/* Sums that are in registers at once. */
#undef MOST_SUMS
#define MOST_SUMS (IS_COMPLEX ? 5 : 10)

LANES_INLINE void VN(left_strip)(int width, int64_t rows, R *a, int64_t down, int64_t plane,
                                 const R *u, int64_t u_plane, R tau)
{
    E w[MOST_SUMS];
#pragma GCC unroll 10
    for (int k = 0; k < width; k++)
        w[k] = (E){0};
    for (int64_t i = 0; i < rows; i++) {
        const E ui = VN(broadcast)(u + i, u_plane);
#pragma GCC unroll 10
        for (int k = 0; k < width; k++)
            w[k] = VN(add_conj)(w[k], VN(load)(a + i * down + k * LANES, plane), ui);
    }
#pragma GCC unroll 10
    for (int k = 0; k < width; k++)
        w[k] = VN(scaled)(w[k], VN(splat)(tau));
    for (int64_t i = 0; i < rows; i++) {
        const E ui = VN(broadcast)(u + i, u_plane);
#pragma GCC unroll 10
        for (int k = 0; k < width; k++) {
            R *x = a + i * down + k * LANES;
            VN(store)(x, plane, VN(subtract)(VN(load)(x, plane), ui, w[k]));
        }
    }
}

static void VN(left)(int64_t rows, int64_t vectors, R *a, int64_t down, int64_t plane, const R *u,
                     int64_t u_plane, R tau)
{
    const int64_t strips = (vectors + MOST_SUMS - 1) / MOST_SUMS;
    for (int64_t i = 0, at = 0, next; i < strips; i++, at = next) {
        R *x = a + at * LANES;
        next = (i + 1) * vectors / strips;
        switch (next - at) {
        case 1: VN(left_strip)(1, rows, x, down, plane, u, u_plane, tau); break;
        case 2: VN(left_strip)(2, rows, x, down, plane, u, u_plane, tau); break;
        case 3: VN(left_strip)(3, rows, x, down, plane, u, u_plane, tau); break;
        case 4: VN(left_strip)(4, rows, x, down, plane, u, u_plane, tau); break;
        case 5: VN(left_strip)(5, rows, x, down, plane, u, u_plane, tau); break;
#if !IS_COMPLEX
        case 6: VN(left_strip)(6, rows, x, down, plane, u, u_plane, tau); break;
        case 7: VN(left_strip)(7, rows, x, down, plane, u, u_plane, tau); break;
        case 8: VN(left_strip)(8, rows, x, down, plane, u, u_plane, tau); break;
        case 9: VN(left_strip)(9, rows, x, down, plane, u, u_plane, tau); break;
        case 10: VN(left_strip)(10, rows, x, down, plane, u, u_plane, tau); break;
#endif
        }
    }
}
