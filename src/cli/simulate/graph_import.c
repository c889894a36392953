/* Which format files are of, and what holds for all of them. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/graph_import.h"

#include "src/cli/simulate/graph_file.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

/* The first bytes that are no blanks; 0: cannot be read, and told. */
static int first_bytes(const char *path, char out[16])
{
    char head[256] = "";
    gzFile f = gzopen(path, "rb");
    if (!f) {
        cli_say("%s: cannot open: %s", path, strerror(errno));
        return 0;
    }
    const int n = gzread(f, head, sizeof head - 1);
    gzclose(f);
    if (n < 0) {
        cli_say("%s: cannot be read: %s", path, strerror(errno));
        return 0;
    }
    snprintf(out, 16, "%s", head + strspn(head, " \t\r\n"));
    return 1;
}

int graph_import(struct orr_dag *d, const cli_files *files, graph_found *found)
{
    char head[16], why[512];
    int json = 0, own = 0;
    *found = (graph_found){.edges = 0};
    for (int k = 0; k < files->n; k++) {
        if (graph_lasts(files->v[k]) != CLI_OK || !first_bytes(files->v[k], head))
            return CLI_FILE;
        if (!strncmp(head, "%EventDef", 9)) {
            cli_say(
                "%s: Paje has no accesses, from which edges could follow; StarPU writes tasks.rec "
                "beside it",
                files->v[k]);
            return CLI_FILE;
        }
        json += *head == '{';
        own += !strncmp(head, "orrery graph", 12);
    }
    if (own && files->n > 1)
        return cli_usage("graph import", "a FILE.graph stands alone");
    if (own)
        return graph_import_own(d, files->v[0], found);
    if (json && files->n > 1)
        return cli_usage("graph import", "a WfFormat file stands alone");
    orr_dag_init(d);
    int code = json ? graph_import_wf(d, files->v[0], found) : graph_import_starpu(d, files, found);
    struct orr_graph e = {.kinds = 0};
    if (code == CLI_OK && d->failed)
        code = CLI_MEMORY;
    if (code == CLI_OK) {
        const int rc = orr_dag_edges(d, &e, why, sizeof why);
        if (rc == 3)
            cli_say("%s: %s", files->v[0], why);
        code = rc == 3 ? CLI_FILE : rc ? CLI_MEMORY : CLI_OK;
        if (!rc)
            orr_graph_free(&e);
    }
    if (code == CLI_MEMORY)
        cli_say("%s: not enough memory", files->v[0]);
    if (code != CLI_OK)
        orr_dag_free(d);
    return code;
}
