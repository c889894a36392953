/* What `orrery graph info` tells of a graph.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GRAPH_SHOW_H
#define ORR_CLI_GRAPH_SHOW_H

#include "src/cli/core/record.h"

/* Tasks, edges, bounds and the times of each codelet of a file, to the table and as a line of JSON.
 * cpus, gpus: negative, those of the recording. Exit code, the reason told. */
int graph_show(const char *path, int64_t cpus, int64_t gpus, cli_sink *);

#endif
