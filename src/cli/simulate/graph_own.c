/* A graph of Orrery's own: --time and --sync give its tasks what the recording did not know.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/graph_import.h"

int graph_import_own(struct orr_dag *d, const char *path, graph_found *found)
{
    int code = orr_dag_read(d, path);
    struct orr_graph e = {.kinds = 0};
    char why[512];
    if (code)
        return code;
    *found = (graph_found){.format = "orrery graph"};
    code = orr_dag_edges(d, &e, why, sizeof why);
    if (!code) {
        found->edges = e.before_at[d->tasks];
        orr_graph_free(&e);
        code = orr_dag_access_edges(d, &e) ? CLI_OK : CLI_MEMORY;
    }
    if (!code) {
        found->implied = e.before_at[d->tasks];
        orr_graph_free(&e);
    } else {
        orr_dag_free(d);
    }
    return code;
}
