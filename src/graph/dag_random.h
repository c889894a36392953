/* Numbers that look random and depend on nothing but what they are of: a seed and two numbers, such as
 * a task's and a kind's. Who asks, and in which order, does not change them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_GRAPH_DAG_RANDOM_H
#define ORR_GRAPH_DAG_RANDOM_H

#include <stdint.h>

uint64_t orr_random_bits(uint64_t seed, uint64_t a, uint64_t b);
double orr_random_uniform(uint64_t seed, uint64_t a, uint64_t b); /* above 0, below 1 */
/* Lognormal with mean 1 and coefficient of variation cv; exactly 1 if that is 0. */
double orr_random_spread(uint64_t seed, uint64_t a, uint64_t b, double cv);

#endif
