/* The clock and the median of programs that measure.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_BENCH_MEASURE_H
#define ORR_BENCH_MEASURE_H

#include <stdlib.h>
#include <time.h>

/* Monotonic seconds. */
static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts t. */
static inline double median(double *t, int n)
{
    qsort(t, (size_t)n, sizeof *t, ascending);
    return n % 2 ? t[n / 2] : 0.5 * (t[n / 2 - 1] + t[n / 2]);
}

#endif
