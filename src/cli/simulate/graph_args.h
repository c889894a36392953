/* Options of `orrery graph`, of which each action takes some, and the actions that have a file of their own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GRAPH_ARGS_H
#define ORR_CLI_GRAPH_ARGS_H

#include "src/cli/core/options.h"
#include "src/cli/core/text.h"

struct graph_args {
    int64_t cpus, gpus;
    int64_t size, depth, degree, seed, tile, bytes;
    double cv;
    const char *json, *output, *gflops;
    cli_words time, model, sync;
    int type, quiet;
};

/* CLI_OK, or the reason told: --output and --json are one file, one of the inputs, or cannot be written. */
int graph_check_outputs(const struct graph_args *, const cli_files *inputs);
/* The same where --output is a graph. */
int graph_check_graph(const struct graph_args *, const cli_files *inputs);
/* A line of JSON, if one is wanted; frees the text. */
int graph_tell(const struct graph_args *, cli_text *);

int graph_make_action(void *args, const cli_files *words);

#endif
