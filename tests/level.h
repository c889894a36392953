/* For tests of kernels with versions for several instruction sets, which include the kernel's source behind this:
 * `level` says which is taken at most, and #undef lanes_level ends it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_LEVEL_H
#define ORR_TESTS_LEVEL_H

#include "kernels/cpu/lanes.h"

static int level = 4;
static int forced_level(void)
{
    const int has = lanes_level();
    return level < has ? level : has;
}
#define lanes_level forced_level

#endif
