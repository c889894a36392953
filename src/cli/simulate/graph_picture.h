/* The run that a graph holds, recorded or replayed, as src/picture draws one that has just ended.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GRAPH_PICTURE_H
#define ORR_CLI_GRAPH_PICTURE_H

#include "src/cli/simulate/graph_draw.h"
#include "src/picture/picture.h"

typedef struct {
    struct orr_picture p;
    struct orr_trace_record *record; /* of the tasks that ran */
    orr_analysis known;
} graph_picture;

/* Of a graph ready to be drawn, which stays in use. CLI_OK, CLI_FILE if it does not say when and where its tasks ran,
 * or CLI_MEMORY, the reason told. */
int graph_picture_make(graph_picture *, const graph_drawn *, const char *path);
void graph_picture_free(graph_picture *);

#endif
