/* Block reflectors of consecutive steps joined to one, I - V S V' with V = (V1 V2 ...) and
 *
 *     S = ( S1  -S1 V1' V2 S2 )      and so on.
 *         (           S2      )
 *
 * A step changes E in two products whose inner side is the band, so memory limits a device; with
 * joined steps E is read and written once for all of them.
 *
 * Source: R. Schreiber, C. Van Loan, SIAM J. Sci. Stat. Comput. 10(1), 53-57, 1989.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_JOIN_H
#define ORR_KERNELS_JOIN_H

#include <stdint.h>

/* Reflectors together, of so many steps at most. Of more the triangles take what the products gain, and a
 * task, which has V of all its steps, must fit a device. */
enum { ORR_JOINED_REFLECTORS = 256, ORR_JOINED_STEPS = 4 };

/* Steps of b reflectors that are joined, of `all` in a row: about as many each time. */
static inline int64_t orr_joined_steps(int64_t b, int64_t all)
{
    int64_t most = ORR_JOINED_REFLECTORS / b;
    if (most > ORR_JOINED_STEPS)
        most = ORR_JOINED_STEPS;
    if (most < 1)
        most = 1;
    const int64_t times = (all + most - 1) / most;
    return times > 0 ? (all + times - 1) / times : 1;
}

#endif
