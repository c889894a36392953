/* Random numbers, the same on every machine. The state is not 0.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_RANDOM_H
#define ORR_TESTS_RANDOM_H

#include <stdint.h>

/* xorshift64. */
static inline uint64_t next_bits(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Of these, uniform in [-1, 1). */
static inline double next_signed(uint64_t *state)
{
    return (double)(next_bits(state) >> 11) * 0x1p-52 - 1;
}

/* xorshift64*, uniform in (-1, 1). */
static inline double next_uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(int64_t)(*state * 0x2545F4914F6CDD1Dull) * 0x1p-63;
}

#endif
