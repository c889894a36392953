/* Vectors of `lanes`, for code that solves many small problems at once, one per lane.
 * Arithmetic, comparison and bit operations are GCC's and Clang's vector extensions;
 * this header adds what those lack: fused multiply-add (fma: ab+c, fnma: c-ab), square root
 * and "is any lane of this mask set", for AVX-512 (v4), AVX2 (v3) and the compiler's baseline.
 *
 * A body is compiled for one instruction set between LANES_TARGET_V? and
 * LANES_TARGET_END, and chosen at run time by lanes_level().
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_LANES_H
#define ORR_CPU_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define LANES_INLINE static inline __attribute__((always_inline, unused))

/* Integers as wide as the lanes; comparisons yield vectors of them. */
typedef int32_t int_lane_float;
typedef int64_t int_lane_double;
typedef uint32_t bits_lane_float; /* the same, unsigned */
typedef uint64_t bits_lane_double;

#if defined(__x86_64__)
#include <immintrin.h>
#define LANES_X86 1
#if defined(__clang__)
#define LANES_PRAGMA(x) _Pragma(#x)
#define LANES_TARGET(isa)                                                                          \
    LANES_PRAGMA(clang attribute push(__attribute__((target(isa))), apply_to = function))
#define LANES_TARGET_V4  LANES_TARGET("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,bmi,bmi2")
#define LANES_TARGET_V3  LANES_TARGET("avx2,fma,bmi,bmi2")
#define LANES_TARGET_END _Pragma("clang attribute pop")
#else
#define LANES_TARGET_V4  _Pragma("GCC push_options") _Pragma("GCC target(\"arch=x86-64-v4\")")
#define LANES_TARGET_V3  _Pragma("GCC push_options") _Pragma("GCC target(\"arch=x86-64-v3\")")
#define LANES_TARGET_END _Pragma("GCC pop_options")
#endif
/* What a table by lanes_level() has at 4, a function or a row of them. ORR_NO_AVX512: a build that only
 * runs on processors without, and need not compile what these do not have. */
#ifndef ORR_NO_AVX512
#define LANES_X86_V4      1
#define LANES_V4(f)       f
#define LANES_V4_ROW(...) __VA_ARGS__
#else
#define LANES_V4(f) NULL
#define LANES_V4_ROW(...)                                                                          \
    {                                                                                              \
        NULL                                                                                       \
    }
#endif

LANES_TARGET_V4
LANES_INLINE __m512d fma_v4_double(__m512d a, __m512d b, __m512d c)
{
    return _mm512_fmadd_pd(a, b, c);
}
LANES_INLINE __m512 fma_v4_float(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
LANES_INLINE __m512d fnma_v4_double(__m512d a, __m512d b, __m512d c)
{
    return _mm512_fnmadd_pd(a, b, c);
}
LANES_INLINE __m512 fnma_v4_float(__m512 a, __m512 b, __m512 c)
{
    return _mm512_fnmadd_ps(a, b, c);
}
LANES_INLINE __m512d sqrt_v4_double(__m512d a) { return _mm512_sqrt_pd(a); }
LANES_INLINE __m512 sqrt_v4_float(__m512 a) { return _mm512_sqrt_ps(a); }
LANES_INLINE int any_v4_double(__m512d m)
{
    return _mm512_test_epi64_mask((__m512i)m, (__m512i)m) != 0;
}
LANES_INLINE int any_v4_float(__m512 m)
{
    return _mm512_test_epi32_mask((__m512i)m, (__m512i)m) != 0;
}
LANES_TARGET_END

LANES_TARGET_V3
LANES_INLINE __m256d fma_v3_double(__m256d a, __m256d b, __m256d c)
{
    return _mm256_fmadd_pd(a, b, c);
}
LANES_INLINE __m256 fma_v3_float(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
LANES_INLINE __m256d fnma_v3_double(__m256d a, __m256d b, __m256d c)
{
    return _mm256_fnmadd_pd(a, b, c);
}
LANES_INLINE __m256 fnma_v3_float(__m256 a, __m256 b, __m256 c)
{
    return _mm256_fnmadd_ps(a, b, c);
}
LANES_INLINE __m256d sqrt_v3_double(__m256d a) { return _mm256_sqrt_pd(a); }
LANES_INLINE __m256 sqrt_v3_float(__m256 a) { return _mm256_sqrt_ps(a); }
LANES_INLINE int any_v3_double(__m256d m) { return _mm256_movemask_pd(m) != 0; }
LANES_INLINE int any_v3_float(__m256 m) { return _mm256_movemask_ps(m) != 0; }
LANES_TARGET_END
#endif

typedef double lanes_double __attribute__((vector_size(16)));
typedef float lanes_float __attribute__((vector_size(16)));
typedef int64_t lanes_int __attribute__((vector_size(16)));

/* Not fused where the baseline has no such instruction: a call to libm would cost
 * a hundred times more than the rounding is worth. */
LANES_INLINE lanes_double fma_v0_double(lanes_double a, lanes_double b, lanes_double c)
{
    return a * b + c;
}
LANES_INLINE lanes_float fma_v0_float(lanes_float a, lanes_float b, lanes_float c)
{
    return a * b + c;
}
LANES_INLINE lanes_double fnma_v0_double(lanes_double a, lanes_double b, lanes_double c)
{
    return c - a * b;
}
LANES_INLINE lanes_float fnma_v0_float(lanes_float a, lanes_float b, lanes_float c)
{
    return c - a * b;
}
LANES_INLINE lanes_double sqrt_v0_double(lanes_double a)
{
    return (lanes_double){sqrt(a[0]), sqrt(a[1])};
}
LANES_INLINE lanes_float sqrt_v0_float(lanes_float a)
{
    return (lanes_float){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
}
LANES_INLINE int any_v0_double(lanes_double m)
{
    return (((lanes_int)m)[0] | ((lanes_int)m)[1]) != 0;
}
LANES_INLINE int any_v0_float(lanes_float m)
{
    return (((lanes_int)m)[0] | ((lanes_int)m)[1]) != 0;
}

/* Within a body: LANE(fma) is fma_v4_double where ISA is v4 and R double, LANE_INT its
 * integer, and VN(name) the name of what the body defines for that ISA and type. */
#define LANE_(op, isa, r)   op##_##isa##_##r
#define LANE_OF(op, isa, r) LANE_(op, isa, r)
#define LANE(op)            LANE_OF(op, ISA, R)
#define LANE_INT            LANE_OF(int, lane, R)
#define LANE_BITS           LANE_OF(bits, lane, R)
#define VN_(name, isa)      FN(name##_##isa)
#define VN_OF(name, isa)    VN_(name, isa)
#define VN(name)            VN_OF(name, ISA)

/* The widest instruction set that this processor and this build have: 4, 3 or 0. */
LANES_INLINE int lanes_level(void)
{
#ifdef LANES_X86_V4
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return 4;
#endif
#ifdef LANES_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return 3;
#endif
    return 0;
}

/* Whether AVX-512's vectors are two of AVX2's to the processor (AMD's Zen 4): what loads and stores
 * more than it computes may then be slower with them. */
LANES_INLINE int lanes_halved(void)
{
#ifdef LANES_X86_V4
    return lanes_level() == 4 && __builtin_cpu_is("amdfam19h");
#else
    return 0;
#endif
}

/* VN(f) of all types, by lanes_level(), then by type. */
#define LANES_TYPES(f, isa)                                                                        \
    {                                                                                              \
        f##_##isa##_s, f##_##isa##_d, f##_##isa##_c, f##_##isa##_z                                 \
    }
#ifdef LANES_X86
#define LANES_LEVELS(f)                                                                            \
    {                                                                                              \
        [0] = LANES_TYPES(f, v0), [3] = LANES_TYPES(f, v3), [4] = LANES_V4_ROW(LANES_TYPES(f, v4)) \
    }
#else
#define LANES_LEVELS(f)                                                                            \
    {                                                                                              \
        [0] = LANES_TYPES(f, v0)                                                                   \
    }
#endif

#endif
