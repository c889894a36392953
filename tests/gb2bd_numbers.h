/* Reals of the five types of gb2bd, in tests of its kernels (C and C++).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_GB2BD_NUMBERS_H
#define ORR_TESTS_GB2BD_NUMBERS_H

#include <float.h>
#include <stdint.h>

#include "kernels/cpu/gb2bd_half.h"
#include "kernels/gb2bd.h"

static const size_t real_size[] = {4, 8, 4, 8, 2};
static const double epsilon[] = {FLT_EPSILON, DBL_EPSILON, FLT_EPSILON, DBL_EPSILON, 0x1p-10};

static void put(orr_type t, void *a, int64_t at, double x)
{
    if (t == ORR_H)
        ((uint16_t *)a)[at] = orr_float_to_half((float)x);
    else if (real_size[t] == 4)
        ((float *)a)[at] = (float)x;
    else
        ((double *)a)[at] = x;
}

static double get(orr_type t, const void *a, int64_t at)
{
    return t == ORR_H          ? orr_half_to_float(((const uint16_t *)a)[at])
           : real_size[t] == 4 ? ((const float *)a)[at]
                               : ((const double *)a)[at];
}

#endif
