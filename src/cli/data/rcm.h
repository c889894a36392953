/* Reverse Cuthill-McKee: an order of the rows of a symmetric sparse matrix in which its
 * entries are near the diagonal (E. Cuthill, J. McKee, 24th ACM conference, 1969; start node:
 * A. George, J. Liu, ACM Trans. Math. Softw. 5(3), 1979).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_RCM_H
#define ORR_CLI_RCM_H

#include <stdint.h>

/* The neighbours of node i are at[start[i] .. start[i+1]), every edge in both directions; i
 * itself and repetitions do no harm. order[k] := the node that comes k-th. 0 without memory. */
int cli_rcm(int64_t n, const int64_t *start, const int64_t *at, int64_t *order);

#endif
