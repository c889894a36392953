/* Options that make the true times of tasks differ from those that schedulers believe: of replay and simulate.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_TRUTH_H
#define ORR_CLI_TRUTH_H

#include "src/cli/core/options.h"
#include "src/cli/core/text.h"
#include "src/graph/dag_truth.h"

typedef struct {
    const char *noise, *spikes, *slow;
    cli_words bias;
    cli_sizes seeds;
} truth_args;

extern const cli_option truth_options[]; /* into a truth_args */

/* CLI_OK, or CLI_USAGE with the reason told. The seed is the first one. */
int truth_read(const truth_args *, struct orr_truth *);
/* The word is `key=text`, as orrery-sim takes it; 0 after the last. */
int truth_word(const truth_args *, int k, char *word, size_t size);
/* Each codelet that a bias names is in the graph; CLI_OK, or CLI_USAGE and told. */
int truth_fits(const struct orr_truth *, const struct orr_dag *);
/* A makespan over another, or over a bound; 1 where both are 0, as of a graph without tasks. */
double truth_ratio(double, double);
/* Percent of the workers' time; 0 where it took none. */
double truth_busy(double busy, double workers, double makespan);
/* ,"truth":{...}, or null where truth is what is believed. */
void truth_json(cli_text *, const struct orr_truth *);

#endif
