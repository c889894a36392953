/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/graph/dag_random.h"

#include <math.h>

/* The finalizer of SplitMix64: G. Steele, D. Lea, C. Flood, OOPSLA 2014. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t orr_random_bits(uint64_t seed, uint64_t a, uint64_t b)
{
    return mix(mix(mix(seed) ^ a) ^ b);
}

static double uniform(uint64_t bits) { return ((double)(bits >> 12) + 0.5) * 0x1p-52; }

double orr_random_uniform(uint64_t seed, uint64_t a, uint64_t b)
{
    return uniform(orr_random_bits(seed, a, b));
}

double orr_random_spread(uint64_t seed, uint64_t a, uint64_t b, double cv)
{
    const double pi = 3.14159265358979323846, variance = log1p(cv * cv);
    if (!(cv > 0))
        return 1;
    const uint64_t bits = orr_random_bits(seed, a, b);
    const double normal = sqrt(-2 * log(uniform(bits))) * cos(2 * pi * uniform(mix(bits)));
    return exp(sqrt(variance) * normal - variance / 2);
}
