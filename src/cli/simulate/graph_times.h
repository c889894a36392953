/* Times given to the tasks of a graph. Words that make no sense are told: CLI_USAGE; files: CLI_FILE.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GRAPH_TIMES_H
#define ORR_CLI_GRAPH_TIMES_H

#include "src/cli/core/options.h"
#include "src/graph/dag.h"

/* Two positive numbers "X" or "X:Y", the second NaN where it is not there. 0: it is something else. */
int graph_two_numbers(const char *, double[2]);

/* Every task: us on a CPU and, unless NaN, on a GPU. What is known of a recorded run is forgotten. */
void graph_set_all(struct orr_dag *, double cpu, double cuda);
/* --time: CODELET=US[:US], or CODELET=:US, a time on GPUs besides what is known. */
int graph_set_times(struct orr_dag *, const cli_words *);
/* --model: CODELET=FILE[@SIZE], a model of StarPU: its mean for that size, by default the bytes of the codelet's
 * data; on GPUs that of the fastest. */
int graph_set_models(struct orr_dag *, const cli_words *);
/* CLI_OK, or CLI_USAGE with the reason told: the output is one of those files. */
int graph_spares_models(const cli_words *, const char *output);
/* --sync: the workers of accelerators wait for the tasks of these codelets. */
int graph_set_sync(struct orr_dag *, const cli_words *);
/* Operations at so many Gflop/s, for tasks that say how many they have. */
void graph_set_rates(struct orr_dag *, const double gflops[2]);
/* Each task's times by one lognormal factor of mean 1. */
void graph_spread(struct orr_dag *, int64_t seed, double cv);

#endif
