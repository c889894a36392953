/* What `orrery graph draw` writes: a graph of tasks, or the run that recorded it, for people.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GRAPH_DRAW_H
#define ORR_CLI_GRAPH_DRAW_H

#include "src/cli/core/options.h"
#include "src/cli/core/text.h"
#include "src/graph/dag.h"

/* The action: FILE.graph to --output, in the form that its suffix names. */
int graph_draw_action(void *args, const cli_files *files);

/* A graph that is ready to be drawn. */
typedef struct {
    struct orr_dag *d;
    struct orr_graph e; /* its edges */
    double *us; /* [tasks] as it ran, or on the kind of worker that is fastest for it; 0: none can */
    char *longest;  /* [tasks] 1: of the chain that takes longest */
    size_t *colour; /* [tasks] the number of its name, in the order of first uses */
    size_t colours;
} graph_drawn;

#endif
