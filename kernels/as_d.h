/* Kernel bodies included after this line are compiled for double: the scalar type
 * is T, its real type R. No include guard: that is the point.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/as_none.h"
#define T          double
#define R          double
#define FN(name)   name##_d
#define CONJ(x)    (x)
#define REAL(x)    (x)
#define IMAG(x)    ((R)0)
#define ABS(x)     (fabs(x))
#define RABS(x)    (fabs(x))
#define SQRT(x)    (sqrt(x))
#define EPS        DBL_EPSILON
#define SAFMIN     DBL_MIN
#define IS_COMPLEX 0
