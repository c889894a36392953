/* The median of numbers that keep coming, in bounded memory: every step-th of them is kept, and
 * when there is no more room every second of those is dropped and the step doubles. Exact up to
 * ORR_LATENCIES numbers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_LATENCY_H
#define ORR_LATENCY_H

#include <stdint.h>

enum { ORR_LATENCIES = 4096 }; /* even */

struct orr_latencies { /* zero is empty */
    double kept[ORR_LATENCIES], largest;
    int64_t count, step; /* numbers that came; 0: every one is kept */
    int n;
};

void orr_latencies_add(struct orr_latencies *, double);
/* Sorts; 0 if nothing came. */
double orr_latencies_median(struct orr_latencies *);

#endif
