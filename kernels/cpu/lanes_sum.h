/* Operations across the lanes of vectors: sum4, s[0..4) := the sums of the lanes of a, b, c, d,
 * for inner products of four columns with one vector; sum8, the same of eight (AVX-512 only);
 * swap, which exchanges neighbours (the parts of complex numbers).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_LANES_SUM_H
#define ORR_CPU_LANES_SUM_H

#include "lanes.h"

#ifdef LANES_X86
LANES_TARGET_V3
LANES_INLINE void sum4_v3_double(__m256d a, __m256d b, __m256d c, __m256d d, double *s)
{
    const __m256d ab = _mm256_add_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
    const __m256d cd = _mm256_add_pd(_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
    _mm256_storeu_pd(s, _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20),
                                      _mm256_permute2f128_pd(ab, cd, 0x31)));
}

LANES_INLINE __m256d swap_v3_double(__m256d a) { return _mm256_permute_pd(a, 5); }
LANES_INLINE __m256 swap_v3_float(__m256 a) { return _mm256_permute_ps(a, 0xb1); }

/* [a b c d | a b c d], each the sum of its 128 bits */
LANES_INLINE __m256 quads_v3_float(__m256 a, __m256 b, __m256 c, __m256 d)
{
    const __m256d ab = (__m256d)_mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
    const __m256d cd = (__m256d)_mm256_add_ps(_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
    return _mm256_add_ps((__m256)_mm256_unpacklo_pd(ab, cd), (__m256)_mm256_unpackhi_pd(ab, cd));
}

LANES_INLINE void sum4_v3_float(__m256 a, __m256 b, __m256 c, __m256 d, float *s)
{
    const __m256 q = quads_v3_float(a, b, c, d);
    _mm_storeu_ps(s, _mm_add_ps(_mm256_castps256_ps128(q), _mm256_extractf128_ps(q, 1)));
}
LANES_TARGET_END

LANES_TARGET_V4
LANES_INLINE __m512d swap_v4_double(__m512d a) { return _mm512_permute_pd(a, 0x55); }
LANES_INLINE __m512 swap_v4_float(__m512 a) { return _mm512_permute_ps(a, 0xb1); }
LANES_INLINE __m256d halves_v4_double(__m512d x)
{
    return _mm256_add_pd(_mm512_castpd512_pd256(x), _mm512_extractf64x4_pd(x, 1));
}
LANES_INLINE __m256 halves_v4_float(__m512 x)
{
    return _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
}

LANES_INLINE void sum4_v4_double(__m512d a, __m512d b, __m512d c, __m512d d, double *s)
{
    const __m256d ab =
        halves_v4_double(_mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)));
    const __m256d cd =
        halves_v4_double(_mm512_add_pd(_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d)));
    _mm256_storeu_pd(s, _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20),
                                      _mm256_permute2f128_pd(ab, cd, 0x31)));
}

LANES_INLINE __m512d pairs_v4_double(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
}

/* Neighbouring quarters added: those of a, then those of b. */
LANES_INLINE __m512d quarters_v4_double(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
}

LANES_INLINE void sum8_v4_double(const __m512d *x, double *s)
{
    const __m512d a = quarters_v4_double(pairs_v4_double(x[0], x[1]), pairs_v4_double(x[2], x[3]));
    const __m512d b = quarters_v4_double(pairs_v4_double(x[4], x[5]), pairs_v4_double(x[6], x[7]));
    _mm512_storeu_pd(s, quarters_v4_double(a, b));
}

LANES_INLINE void sum4_v4_float(__m512 a, __m512 b, __m512 c, __m512 d, float *s)
{
    const __m512d ab = (__m512d)_mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    const __m512d cd = (__m512d)_mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
    const __m256 q = halves_v4_float(
        _mm512_add_ps((__m512)_mm512_unpacklo_pd(ab, cd), (__m512)_mm512_unpackhi_pd(ab, cd)));
    _mm_storeu_ps(s, _mm_add_ps(_mm256_castps256_ps128(q), _mm256_extractf128_ps(q, 1)));
}

LANES_INLINE void sum8_v4_float(const __m512 *x, float *s)
{
    sum4_v4_float(x[0], x[1], x[2], x[3], s);
    sum4_v4_float(x[4], x[5], x[6], x[7], s + 4);
}
LANES_TARGET_END
#endif

LANES_INLINE lanes_double swap_v0_double(lanes_double a) { return (lanes_double){a[1], a[0]}; }
LANES_INLINE lanes_float swap_v0_float(lanes_float a)
{
    return (lanes_float){a[1], a[0], a[3], a[2]};
}

LANES_INLINE void sum4_v0_double(lanes_double a, lanes_double b, lanes_double c, lanes_double d,
                                 double *s)
{
    s[0] = a[0] + a[1];
    s[1] = b[0] + b[1];
    s[2] = c[0] + c[1];
    s[3] = d[0] + d[1];
}

LANES_INLINE void sum4_v0_float(lanes_float a, lanes_float b, lanes_float c, lanes_float d,
                                float *s)
{
    s[0] = (a[0] + a[1]) + (a[2] + a[3]);
    s[1] = (b[0] + b[1]) + (b[2] + b[3]);
    s[2] = (c[0] + c[1]) + (c[2] + c[3]);
    s[3] = (d[0] + d[1]) + (d[2] + d[3]);
}

#endif
