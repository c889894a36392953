/* Numbers in order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SORTED_H
#define ORR_CLI_SORTED_H

#include <stdint.h>

/* Sorts, ascending. */
void cli_sort(double *, int64_t n);
/* The median of numbers in order, of which there is at least one. */
double cli_middle(const double *, int64_t n);
/* Of numbers that it sorts. */
double cli_median(double *, int64_t n);

#endif
