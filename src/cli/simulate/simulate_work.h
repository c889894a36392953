/* The points of `orrery simulate`, from a graph file or from an algorithm that is recorded first.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SIMULATE_WORK_H
#define ORR_CLI_SIMULATE_WORK_H

#include "src/cli/simulate/simulate_report.h"

extern const char simulate_algorithms[];
int simulate_algorithm(const char *word); /* 1: it is one of them */

/* words: the algorithm and its options, or one graph file. machine: the path of its description.
 * Exit code, the reason told. */
int simulate_work(struct simulate_job *, const char *machine, int count, char **words);

#endif
