/* Columns of any type with gaps between them, as tests look at them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_COLUMNS_H
#define ORR_TESTS_COLUMNS_H

#include <math.h>

#include "canary.h"
#include "numbers.h"

/* rows x n of the type, to double complex. */
static inline double complex *packed(orr_type t, int64_t rows, int64_t n, const void *x, int64_t ld)
{
    double complex *X = allocate((size_t)(rows * n) * sizeof *X);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < rows; i++)
            X[j * rows + i] = get(t, x, j * ld + i);
    return X;
}

static inline double norm_of(int64_t count, const double complex *x)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += creal(x[i] * conj(x[i]));
    return sqrt(sum);
}

/* Nothing was written between the columns, nor behind the last one. */
static inline int untouched_between(const char *x, int64_t rows, int64_t ld, int64_t n, size_t size)
{
    int fine = untouched(x + (size_t)(ld * (n - 1) + rows) * size, PAST);
    for (int64_t j = 0; j + 1 < n; j++)
        fine &= untouched(x + (size_t)(ld * j + rows) * size, (size_t)(ld - rows) * size);
    return fine;
}

#endif
