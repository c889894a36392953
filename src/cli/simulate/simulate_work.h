/* The points of `orrery simulate`, from a graph file or from an algorithm that is recorded first.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SIMULATE_WORK_H
#define ORR_CLI_SIMULATE_WORK_H

#include "src/cli/simulate/simulate_report.h"

extern const char simulate_algorithms[];
int simulate_algorithm(const char *word); /* 1: it is one of them */
/* 1: a word of a command line that has none of them is no file, but nearly one of them; told. */
int simulate_misspelt(int count, char **words);

/* words: the algorithm and its options, or one graph file. machine: the path of its description.
 * Exit code, the reason told. */
int simulate_work(struct simulate_job *, const char *machine, int count, char **words);

#endif
