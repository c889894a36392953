/* Which rotations of a list a sweep of QL has; shared by lanes_turn.inc.c of all types.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_LANES_TURN_H
#define ORR_CPU_LANES_TURN_H

/* Not unrolled, arrays of vectors would live in memory. */
#define UNROLL _Pragma("GCC unroll 8")

typedef struct {
    int lo, hi, at; /* rotations lo <= i < hi of a sweep are list[at + i] */
} turns;

#endif
