/* Kernel bodies included after this line are compiled for double _Complex: the scalar type
 * is T, its real type R. No include guard: that is the point.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/as_none.h"
#define T          double _Complex
#define R          double
#define FN(name)   name##_z
#define CONJ(x)    (conj(x))
#define REAL(x)    (creal(x))
#define IMAG(x)    (cimag(x))
#define ABS(x)     (cabs(x))
#define RABS(x)    (fabs(x))
#define SQRT(x)    (sqrt(x))
#define EPS        DBL_EPSILON
#define SAFMIN     DBL_MIN
#define IS_COMPLEX 1
