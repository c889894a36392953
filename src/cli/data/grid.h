/* What check figures are made of: where results are subnormal they are rounded to a grid, and nothing is
 * lost that is not a number.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "orrery/types.h"

/* The least positive number of the type of d, e, w or s; those of half precision are single. */
static inline double cli_grid(orr_type t)
{
    return t == ORR_D || t == ORR_Z ? 0x1p-1074 : 0x1p-149;
}

/* The larger of two errors; NaN if one of them is. */
static inline double cli_larger(double x, double y) { return x >= y || x != x ? x : y; }

#endif
