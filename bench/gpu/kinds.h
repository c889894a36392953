/* The scalar types of the kernels: orr_type and real type of each.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_BENCH_KINDS_H
#define ORR_BENCH_KINDS_H

#include "program.h"

#include "kernels/kernel.h"

typedef std::complex<float> cc;

template <class T> struct kind;
template <> struct kind<float> {
    static constexpr orr_type type = ORR_S;
    typedef float real;
};
template <> struct kind<double> {
    static constexpr orr_type type = ORR_D;
    typedef double real;
};
template <> struct kind<cc> {
    static constexpr orr_type type = ORR_C;
    typedef float real;
};
template <> struct kind<zz> {
    static constexpr orr_type type = ORR_Z;
    typedef double real;
};
template <class T> constexpr bool is_complex = sizeof(T) != sizeof(typename kind<T>::real);

#endif
