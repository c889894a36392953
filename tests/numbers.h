/* Random numbers, and entries of any type, half precision among them, as double complex.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_NUMBERS_H
#define ORR_TESTS_NUMBERS_H

#include <complex.h>
#include <stdint.h>

#include "kernels/cpu/gb2bd_half.h"
#include "orrery/types.h"

static inline int is_complex(orr_type t) { return t == ORR_C || t == ORR_Z; }

/* xorshift64*, uniform in (-1, 1): the same numbers on every machine. The state is not 0. */
static inline double next_uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(int64_t)(*state * 0x2545F4914F6CDD1Dull) * 0x1p-63;
}

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
