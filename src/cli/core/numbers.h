/* Numbers of arrays whose type is known when the program runs: s, d, c or z.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_NUMBERS_H
#define ORR_CLI_NUMBERS_H

#include <complex.h>
#include <stdint.h>

#include <orrery/types.h>

static inline int number_is_complex(orr_type t) { return t == ORR_C || t == ORR_Z; }

/* Operations of complex numbers over those of real ones. */
static inline double number_cost(orr_type t) { return number_is_complex(t) ? 4 : 1; }

/* Of a real type. */
static inline double number_real(orr_type t, const void *a, int64_t i)
{
    return t == ORR_S ? (double)((const float *)a)[i] : ((const double *)a)[i];
}

static inline double complex number_get(orr_type t, const void *a, int64_t i)
{
    switch (t) {
    case ORR_S: return ((const float *)a)[i];
    case ORR_D: return ((const double *)a)[i];
    case ORR_C: return ((const float complex *)a)[i];
    default: return ((const double complex *)a)[i];
    }
}

/* Of a real type the imaginary part is left out. */
static inline void number_put(orr_type t, void *a, int64_t i, double complex x)
{
    switch (t) {
    case ORR_S: ((float *)a)[i] = (float)creal(x); break;
    case ORR_D: ((double *)a)[i] = creal(x); break;
    case ORR_C: ((float complex *)a)[i] = (float complex)x; break;
    default: ((double complex *)a)[i] = x;
    }
}

#endif
