/* Vectors of as many numbers as a small matrix has rows, NMAX at most, real or complex; for one scalar
 * type and one instruction set. After lanes_elements.inc.c, lanes_householder.inc.c and lanes_reflect.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

typedef struct {
    V re[NMAX / (LANE_BYTES / sizeof(R))];
#if IS_COMPLEX
    V im[NMAX / (LANE_BYTES / sizeof(R))];
#endif
} VN(rows);

LANES_INLINE E VN(at)(const VN(rows) *x, int64_t i)
{
    E e = {.re = x->re[i]};
#if IS_COMPLEX
    e.im = x->im[i];
#endif
    return e;
}

LANES_INLINE void VN(set)(VN(rows) *x, int64_t i, E e)
{
    x->re[i] = e.re;
#if IS_COMPLEX
    x->im[i] = e.im;
#endif
}

LANES_INLINE E VN(spread)(const VN(rows) *x, int64_t j) /* number j in every lane */
{
    E e = {.re = VN(splat)(((const R *)x->re)[j])};
#if IS_COMPLEX
    e.im = VN(splat)(((const R *)x->im)[j]);
#endif
    return e;
}

/* out: n numbers of the type. */
LANES_INLINE void VN(keep)(const VN(rows) *x, int64_t n, R *out)
{
    for (int64_t i = 0; i < n; i++) {
        out[PARTS * i] = ((const R *)x->re)[i];
#if IS_COMPLEX
        out[2 * i + 1] = ((const R *)x->im)[i];
#endif
    }
}

#if IS_COMPLEX
/* c below entry k becomes v with H c = -phase sigma e_1, H = I - v v', |v|^2 = 2, zero above; 0 where c
 * counts as zero. Returns sigma; a c that has one entry, as the last one, has v = 0 and a phase only. D makes a chain of sigmas
 * real: *after is *before times the phase and its sign, 1 if sigma is 0. */
LANES_INLINE R VN(phased_reflector)(int64_t k, int64_t vectors, const V *re, const V *im,
                                    VN(rows) *v, const R *before, R *after)
{
    const int64_t first = (k + 1) / LANES;
    const MASK below = VN(lane_numbers)() > (MASK){0} + (LANE_INT)((k + 1) % LANES);
    V sum = VN(splat)(0);
    for (int64_t i = 0; i < first; i++)
        v->re[i] = v->im[i] = VN(splat)(0);
    for (int64_t i = first; i < vectors; i++) {
        v->re[i] = i == first ? VN(select)(below, re[i], VN(splat)(0)) : re[i];
        v->im[i] = i == first ? VN(select)(below, im[i], VN(splat)(0)) : im[i];
        sum = VN(fma)(v->im[i], v->im[i], VN(fma)(v->re[i], v->re[i], sum));
    }
    const R tr = ((const R *)re)[k + 1], ti = ((const R *)im)[k + 1], top2 = tr * tr + ti * ti;
    const R others = VN(total)(sum), square = others + top2;
    const R sigma = square > TINY_COLUMN ? SQRT(square) : 0;
    const R top = sigma > 0 && top2 > TINY_PAIR ? SQRT(top2) : 0;
    const R pr = top > 0 ? tr / top : 1, pi = top > 0 ? ti / top : 0;
    const R sign = others > 0 ? -1 : 1;
    const R dr = sign * (pr * before[0] - pi * before[1]);
    const R di = sign * (pr * before[1] + pi * before[0]);
    const R length = (3 - dr * dr - di * di) / 2; /* 1, but for rounding */
    after[0] = sigma > 0 ? dr * length : 1, after[1] = sigma > 0 ? di * length : 0;
    const R scale = sigma > 0 && others > 0 ? 1 / SQRT(sigma * (sigma + top)) : 0;
    const R v1 = (top + sigma) * scale;
    for (int64_t i = first; i < vectors; i++)
        v->re[i] *= scale, v->im[i] *= scale;
    ((R *)v->re)[k + 1] = pr * v1, ((R *)v->im)[k + 1] = pi * v1;
    return sigma;
}
#endif
