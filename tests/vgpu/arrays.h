/* Arrays of random numbers, for programs on virtual devices.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_VGPU_ARRAYS_H
#define ORR_TESTS_VGPU_ARRAYS_H

#include <stdlib.h>

#include "numbers.h"

/* `all` numbers between -1 and 1, to be freed. */
static inline double *numbers(int64_t all, uint64_t state)
{
    double *x = malloc((size_t)(all + 1) * sizeof *x);
    if (!x)
        exit(99);
    for (int64_t i = 0; i < all; i++)
        x[i] = next_uniform(&state);
    return x;
}

#endif
