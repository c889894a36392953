/* The four scalar types in device code. cuda::std::complex is not used: its product tests for
 * NaN, and hot loops want the four multiply-adds spelled.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_SCALAR_CUH
#define ORR_CUDA_SCALAR_CUH

#include <cfloat>
#include <cmath>

#include "kernels/cuda/device.cuh"

namespace orr
{

/* Laid out as C's _Complex, and aligned so that one instruction moves it. */
template <class R> struct alignas(2 * sizeof(R)) complex {
    R re, im;
};

template <class T> struct scalar {
    typedef T real;
    static constexpr bool is_complex = false;
};
template <class R> struct scalar<complex<R>> {
    typedef R real;
    static constexpr bool is_complex = true;
};
template <class T> using real_of = typename scalar<T>::real;
/* What C calls a type. */
template <class T>
constexpr orr_type orr_type_of = scalar<T>::is_complex ? (sizeof(T) == 8 ? ORR_C : ORR_Z)
                                                       : (sizeof(T) == 4 ? ORR_S : ORR_D);

template <class R> struct machine;
template <> struct machine<float> {
    static constexpr float eps = FLT_EPSILON, safmin = FLT_MIN;
    static constexpr float tiny = 0x1p-50f, grow = 0x1p70f, shrink = 0x1p-70f;
    static constexpr int min_exponent = -148, max_exponent = 128;
};
template <> struct machine<double> {
    static constexpr double eps = DBL_EPSILON, safmin = DBL_MIN;
    /* x < tiny: square x * grow instead, whose square is normal; x > 1/tiny: x * shrink. */
    static constexpr double tiny = 0x1p-400, grow = 0x1p600, shrink = 0x1p-600;
    static constexpr int min_exponent = -1073, max_exponent = 1024;
};

#define ORR_DEV    static __device__ __forceinline__
#define ORR_MEMBER __device__ __forceinline__ /* of an object */

ORR_DEV float real(float x) { return x; }
ORR_DEV double real(double x) { return x; }
template <class R> ORR_DEV R real(complex<R> x) { return x.re; }
ORR_DEV float imag(float) { return 0; }
ORR_DEV double imag(double) { return 0; }
template <class R> ORR_DEV R imag(complex<R> x) { return x.im; }
ORR_DEV float conj(float x) { return x; }
ORR_DEV double conj(double x) { return x; }
template <class R> ORR_DEV complex<R> conj(complex<R> x) { return {x.re, -x.im}; }

/* A scalar of type T from its parts; the imaginary one is dropped for a real T. */
template <class T> struct make_scalar {
    ORR_DEV T from(T re, T) { return re; }
};
template <class R> struct make_scalar<complex<R>> {
    ORR_DEV complex<R> from(R re, R im) { return {re, im}; }
};
template <class T> ORR_DEV T make(real_of<T> re, real_of<T> im = 0)
{
    return make_scalar<T>::from(re, im);
}

/* c + a b, c + conj(a) b, c - conj(a) b, c + s a with real s. */
template <class R> ORR_DEV R mad(R a, R b, R c) { return std::fma(a, b, c); }
template <class R> ORR_DEV complex<R> mad(complex<R> a, complex<R> b, complex<R> c)
{
    return {std::fma(-a.im, b.im, std::fma(a.re, b.re, c.re)),
            std::fma(a.im, b.re, std::fma(a.re, b.im, c.im))};
}
template <class R> ORR_DEV R mad_conj(R a, R b, R c) { return std::fma(a, b, c); }
template <class R> ORR_DEV complex<R> mad_conj(complex<R> a, complex<R> b, complex<R> c)
{
    return {std::fma(a.im, b.im, std::fma(a.re, b.re, c.re)),
            std::fma(-a.im, b.re, std::fma(a.re, b.im, c.im))};
}
template <class R> ORR_DEV R nmad_conj(R a, R b, R c) { return std::fma(-a, b, c); }
template <class R> ORR_DEV complex<R> nmad_conj(complex<R> a, complex<R> b, complex<R> c)
{
    return {std::fma(-a.im, b.im, std::fma(-a.re, b.re, c.re)),
            std::fma(a.im, b.re, std::fma(-a.re, b.im, c.im))};
}
template <class R> ORR_DEV R mad_real(R s, R a, R c) { return std::fma(s, a, c); }
template <class R> ORR_DEV complex<R> mad_real(R s, complex<R> a, complex<R> c)
{
    return {std::fma(s, a.re, c.re), std::fma(s, a.im, c.im)};
}

/* x 2^e, exact unless the result is denormal; e may be past the range of a power of two. */
template <class R> ORR_DEV R scale2(R x, int e) { return std::ldexp(x, e); }
template <class R> ORR_DEV complex<R> scale2(complex<R> x, int e)
{
    return {std::ldexp(x.re, e), std::ldexp(x.im, e)};
}

/* 1 / sqrt(x), one instruction and its refinement on a device, x > 0; and 1 / x to the last digit or
 * two, x normal and not so large that the result is denormal. */
#ifdef ORR_SIMT
template <class R> R inverse_root(R x) { return (R)1 / std::sqrt(x); }
template <class R> R inverse(R x) { return (R)1 / x; }
#else
ORR_DEV float inverse_root(float x) { return rsqrtf(x); }
ORR_DEV double inverse_root(double x) { return rsqrt(x); }
ORR_DEV float inverse(float x) { return __fdividef(1, x); }
ORR_DEV double inverse(double x)
{
    double y; /* 20 bits of it, then three times as many */
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double off = fma(-x, y, 1.0);
    return fma(fma(off, off, off), y, y);
}
#endif

template <class R> ORR_DEV R abs_of(R x) { return std::fabs(x); }

/* The larger of the parts, NaN if one is NaN. */
template <class R> ORR_DEV R max_part(R x) { return std::fabs(x); }
template <class R> ORR_DEV R max_part(complex<R> x)
{
    const R a = std::fabs(x.re), b = std::fabs(x.im);
    return a > b || a != a ? a : b;
}

/* |x| and the unit x / |x|, without over- or underflow of the squares. x is not zero. */
template <class R> ORR_DEV R modulus(R x, R &unit)
{
    unit = x < 0 ? (R)-1 : (R)1;
    return std::fabs(x);
}
template <class R> ORR_DEV R modulus(complex<R> x, complex<R> &unit)
{
    const R most = max_part(x);
    const bool small = most<machine<R>::tiny, large = most> 1 / machine<R>::tiny;
    const R scale = small ? machine<R>::grow : large ? machine<R>::shrink : (R)1;
    const R re = x.re * scale, im = x.im * scale;
    const R r = std::sqrt(std::fma(re, re, im * im)), inverse = (R)1 / r;
    unit = {re * inverse, im * inverse};
    return small ? r * machine<R>::shrink : large ? r * machine<R>::grow : r;
}

template <class R> ORR_DEV R quiet_nan() { return (R)NAN; }

} // namespace orr

#endif
