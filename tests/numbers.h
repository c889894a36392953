/* Random numbers, and entries of any type, half precision among them, as double complex.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_NUMBERS_H
#define ORR_TESTS_NUMBERS_H

#include <complex.h>
#include <stdint.h>

#include "kernels/cpu/gb2bd_half.h"
#include "orrery/types.h"
#include "random.h"

static inline int is_complex(orr_type t) { return t == ORR_C || t == ORR_Z; }

static inline double complex get(orr_type t, const void *a, int64_t i)
{
    switch (t) {
    case ORR_S: return ((const float *)a)[i];
    case ORR_D: return ((const double *)a)[i];
    case ORR_C: return ((const float complex *)a)[i];
    case ORR_H: return orr_half_to_float(((const uint16_t *)a)[i]);
    default: return ((const double complex *)a)[i];
    }
}

static inline void put(orr_type t, void *a, int64_t i, double complex x)
{
    switch (t) {
    case ORR_S: ((float *)a)[i] = (float)creal(x); break;
    case ORR_D: ((double *)a)[i] = creal(x); break;
    case ORR_C: ((float complex *)a)[i] = (float complex)x; break;
    case ORR_H: ((uint16_t *)a)[i] = orr_float_to_half((float)creal(x)); break;
    default: ((double complex *)a)[i] = x;
    }
}

#endif
