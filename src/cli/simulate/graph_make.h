/* Graphs of families, for `orrery graph make`.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GRAPH_MAKE_H
#define ORR_CLI_GRAPH_MAKE_H

#include "src/cli/core/cli.h"
#include "src/graph/dag.h"

#define GRAPH_FAMILIES "chain|independent|fork-join|layered|cholesky|lu|qr|bulge|jacobi"

typedef struct {
    int64_t size, depth, degree; /* negative: the family's own */
    int64_t tile;                /* order of a tile, of families that have them */
    double operations;           /* of the type, over those of real numbers */
    size_t bytes;                /* of a piece of data */
    int64_t seed;
} graph_recipe;

/* family: an index of GRAPH_FAMILIES. Tasks have no times yet. Sets what was negative. CLI_OK, CLI_USAGE with the reason told, or
 * CLI_MEMORY. */
int graph_make(struct orr_dag *, int family, graph_recipe *);

/* Whether the family has tiles, and so operations and bytes. */
int graph_has_tiles(int family);

#endif
