/* Kernel bodies included after this line are compiled for half precision, which is stored
 * as 16 bits (kernels/cpu/gb2bd_half.h) and computed with in R = float. No include guard.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/as_none.h"
#define T          uint16_t
#define R          float
#define FN(name)   name##_h
#define EPS        0x1p-10f
#define SAFMIN     0x1p-14f
#define IS_COMPLEX 0
