/* The four scalar types in tests of device code, and double complex for what is exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_SCALARS_H
#define ORR_TESTS_SCALARS_H

#include <complex>

#include "orrery/types.h"

typedef std::complex<double> zz;

template <class T> struct traits {
    typedef T real;
    static constexpr bool is_complex = false;
    static constexpr orr_type type = sizeof(T) == 4 ? ORR_S : ORR_D;
    static T from(zz x) { return (T)x.real(); }
    static zz widen(T x) { return (double)x; }
};
template <class R> struct traits<std::complex<R>> {
    typedef R real;
    static constexpr bool is_complex = true;
    static constexpr orr_type type = sizeof(R) == 4 ? ORR_C : ORR_Z;
    static std::complex<R> from(zz x) { return {(R)x.real(), (R)x.imag()}; }
    static zz widen(std::complex<R> x) { return zz(x.real(), x.imag()); }
};

#endif
