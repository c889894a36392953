/* Graphs that are read more than once, by several programs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GRAPH_FILE_H
#define ORR_CLI_GRAPH_FILE_H

/* CLI_OK, also where nothing is there; CLI_FILE with the reason told: it can be read only once. */
int graph_lasts(const char *path);

#endif
