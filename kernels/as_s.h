/* Kernel bodies included after this line are compiled for float: the scalar type
 * is T, its real type R. No include guard: that is the point.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/as_none.h"
#define T          float
#define R          float
#define FN(name)   name##_s
#define CONJ(x)    (x)
#define REAL(x)    (x)
#define IMAG(x)    ((R)0)
#define ABS(x)     (fabsf(x))
#define RABS(x)    (fabsf(x))
#define SQRT(x)    (sqrtf(x))
#define EPS        FLT_EPSILON
#define SAFMIN     FLT_MIN
#define IS_COMPLEX 0
