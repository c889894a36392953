/* Kernel bodies included after this line are compiled for float _Complex: the scalar type
 * is T, its real type R. No include guard: that is the point.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/as_none.h"
#define T          float _Complex
#define R          float
#define FN(name)   name##_c
#define CONJ(x)    (conjf(x))
#define REAL(x)    (crealf(x))
#define IMAG(x)    (cimagf(x))
#define ABS(x)     (cabsf(x))
#define RABS(x)    (fabsf(x))
#define SQRT(x)    (sqrtf(x))
#define EPS        FLT_EPSILON
#define SAFMIN     FLT_MIN
#define IS_COMPLEX 1
