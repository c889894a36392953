/* Graphs of tasks that other programs wrote.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GRAPH_IMPORT_H
#define ORR_CLI_GRAPH_IMPORT_H

#include "src/cli/core/options.h"
#include "src/graph/dag.h"

typedef struct {
    const char *format;
    size_t edges, implied; /* between tasks in the files; of these the accesses imply so many */
} graph_found;

/* CLI_OK, CLI_USAGE, CLI_FILE or CLI_MEMORY, and the reason told. */
int graph_import(struct orr_dag *, const cli_files *, graph_found *);
/* graph_starpu.c: StarPU's and StarVZ's tables. */
int graph_import_starpu(struct orr_dag *, const cli_files *, graph_found *);
/* graph_wf.c: one file. */
int graph_import_wf(struct orr_dag *, const char *path, graph_found *);
/* graph_own.c: one FILE.graph. */
int graph_import_own(struct orr_dag *, const char *path, graph_found *);

/* Adds edges, pairs of "task, waits for", numbered from 0 in any order: those that accesses do not
 * imply become explicit. The graph has none yet. 0: no memory. */
int graph_add_edges(struct orr_dag *, const uint32_t (*)[2], size_t, graph_found *);

/* Words numbered in the order in which they came. */
typedef struct {
    char **word; /* by hash */
    size_t *number;
    size_t slots, count;
} graph_words;

/* The number of a word, from 0; SIZE_MAX: it is new and `add` is 0, or there is no memory. */
size_t graph_word(graph_words *, const char *, int add);
void graph_words_free(graph_words *);

#endif
