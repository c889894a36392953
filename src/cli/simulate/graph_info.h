/* What a graph of tasks is: orrery graph info, and what an import says of its result.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GRAPH_INFO_H
#define ORR_CLI_GRAPH_INFO_H

#include "src/cli/core/text.h"
#include "src/graph/dag.h"

/* Durations and edges as bounds want them, for the kinds that have workers; infinite where a task cannot run, or wants
 * to run elsewhere. */
typedef struct {
    struct orr_graph g;
    int kind[ORR_DAG_COUNT], workers[ORR_DAG_COUNT]; /* of each of g.kinds */
    size_t stuck; /* the number of a task, from 1, that no such worker can run; 0: none */
} graph_costs;

/* workers[kind]. CLI_OK, CLI_FILE with the cycle told, or CLI_MEMORY. */
int graph_costs_make(graph_costs *, struct orr_dag *, const int workers[ORR_DAG_COUNT],
                     const char *path);
void graph_costs_free(graph_costs *);
/* ,"bound":{...}, in seconds. */
void graph_put_bound(cli_text *, double area, double critical_path, double lp);
/* The workers where it was recorded, but cpus and gpus if they are not negative. */
void graph_workers(const struct orr_dag *, int64_t cpus, int64_t gpus, int workers[ORR_DAG_COUNT]);
/* Writes it to a file, "-" is stdout. CLI_OK, CLI_FILE or CLI_MEMORY, and the reason told. */
int graph_write(const struct orr_dag *, const char *path);

#endif
