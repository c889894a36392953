/* The median of a stream that never ends, in the memory that it began with: exact while all are
 * kept, then close to it whatever order they come in.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>

#include "check.h"
#include "src/core/latency.h"

enum { MOST = 1000003 };

/* Number i of n: rising, falling, or mixed up (7919 is prime to the n tested). */
static double number(int order, int64_t i, int64_t n)
{
    const int64_t k = order == 0 ? i : order == 1 ? n - 1 - i : i * 7919 % n;
    return (double)k / (double)n;
}

int main(void)
{
    static const int64_t counts[] = {0, 1, 2, 7, 4095, 4096, 4097, 8191, 8193, 65537, 262143, MOST};
    static struct orr_latencies l;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int order = 0; order < 3; order++) {
            const int64_t n = counts[c];
            l = (struct orr_latencies){0};
            for (int64_t i = 0; i < n; i++)
                orr_latencies_add(&l, number(order, i, n));
            const double exact = n ? (double)(n / 2) / (double)n : 0;
            const double most = n ? (double)(n - 1) / (double)n : 0;
            const double off = fabs(orr_latencies_median(&l) - exact);
            CHECK(n <= ORR_LATENCIES ? off == 0 : off < 0.03, "%lld numbers, order %d: off by %g",
                  (long long)n, order, off);
            CHECK(l.largest == most && l.count == n && l.n <= ORR_LATENCIES,
                  "%lld numbers, order %d: largest %g", (long long)n, order, l.largest);
        }
    return checked();
}
