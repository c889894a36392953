/* See latency.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/core/latency.h"

#include <stdlib.h>

void orr_latencies_add(struct orr_latencies *l, double x)
{
    const int64_t number = l->count++;
    if (number == 0)
        l->step = 1;
    l->largest = number == 0 || x > l->largest ? x : l->largest;
    if (number % l->step != 0)
        return;
    if (l->n == ORR_LATENCIES) {
        l->n /= 2;
        l->step *= 2;
        for (int i = 0; i < l->n; i++)
            l->kept[i] = l->kept[2 * i];
    }
    l->kept[l->n++] = x;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double orr_latencies_median(struct orr_latencies *l)
{
    qsort(l->kept, (size_t)l->n, sizeof *l->kept, by_value);
    return l->n ? l->kept[l->n / 2] : 0;
}
