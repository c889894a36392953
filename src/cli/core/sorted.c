/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/sorted.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void cli_sort(double *v, int64_t n)
{
    if (n > 0)
        qsort(v, (size_t)n, sizeof *v, ascending);
}

double cli_middle(const double *v, int64_t n) { return 0.5 * (v[(n - 1) / 2] + v[n / 2]); }

double cli_median(double *v, int64_t n)
{
    cli_sort(v, n);
    return cli_middle(v, n);
}
