/* libFuzzer: bytes as a graph that another program wrote: StarPU's tasks.rec, StarVZ's tables, WfFormat. What
 * is accepted has accesses to data of its own, and tasks that take some time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "files.h"
#include "src/cli/simulate/graph_import.h"

static int said;

void cli_say(const char *format, ...) { said += format != NULL; }
int cli_usage(const char *command, const char *message)
{
    said += command && message;
    return CLI_USAGE;
}
/* Orrery's own are those of fuzz_graph. */
int graph_import_own(struct orr_dag *d, const char *path, graph_found *found)
{
    said += d && path && found;
    return CLI_FILE;
}
int cli_worse(int a, int b) { return a ? a : b; }

static void check(const struct orr_dag *d)
{
    for (size_t k = 0; k < d->tasks; k++) {
        const struct orr_dag_task *t = &d->task[k];
        if (!(t->t[t->kind] > 0) || t->first + t->accesses > d->accesses)
            abort();
        for (unsigned i = 0; i < t->accesses; i++)
            if (d->access[t->first + i].data < 1 || d->access[t->first + i].data > d->all_data)
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[80];
    char *name = path;
    struct orr_dag d;
    graph_found found;
    strcpy(path, fuzz_save("a.rec", data, n));
    said = 0;
    const int code = graph_import(&d, &(cli_files){&name, 1}, &found);
    if (code == CLI_OK) {
        check(&d);
        orr_dag_free(&d);
    } else if (!said) {
        abort();
    }
    return 0;
}
