/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/graph_info.h"

#include <math.h>
#include <stdlib.h>

#include "src/cli/core/outputs.h"

void graph_workers(const struct orr_dag *d, int64_t cpus, int64_t gpus, int workers[ORR_DAG_COUNT])
{
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        workers[k] = d->workers[k];
    if (cpus >= 0)
        workers[ORR_DAG_CPU] = (int)cpus;
    if (gpus >= 0)
        workers[ORR_DAG_CUDA] = (int)gpus;
}

int graph_costs_make(graph_costs *c, struct orr_dag *d, const int workers[ORR_DAG_COUNT],
                     const char *path)
{
    char why[512];
    *c = (graph_costs){.stuck = 0};
    const int rc = orr_dag_edges(d, &c->g, why, sizeof why);
    if (rc == 3)
        cli_say("%s: %s", path, why);
    if (rc)
        return rc == 3 ? CLI_FILE : CLI_MEMORY;
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        if (workers[k] > 0) {
            c->workers[c->g.kinds] = workers[k];
            c->kind[c->g.kinds++] = k;
        }
    c->g.workers = c->workers;
    double *all = orr_dag_times(d);
    const size_t kinds = (size_t)c->g.kinds;
    c->g.t = malloc((d->tasks * kinds + 1) * sizeof *c->g.t);
    for (size_t i = 0; all && c->g.t && i < d->tasks; i++) {
        unsigned can = 0;
        for (size_t k = 0; k < kinds; k++) {
            c->g.t[i * kinds + k] = 1e-6 * all[i * ORR_DAG_COUNT + (size_t)c->kind[k]];
            can |= isfinite(c->g.t[i * kinds + k]) ? 1u << c->kind[k] : 0;
        }
        if (!can && !c->stuck)
            c->stuck = i + 1;
        const unsigned wanted = orr_wanted(orr_dag_wants(d, &d->task[i]), can);
        for (size_t k = 0; k < kinds; k++)
            if (!(wanted >> c->kind[k] & 1))
                c->g.t[i * kinds + k] = INFINITY;
    }
    const int ok = all && c->g.t;
    free(all);
    if (!ok)
        graph_costs_free(c);
    return ok ? CLI_OK : CLI_MEMORY;
}

void graph_costs_free(graph_costs *c)
{
    orr_graph_free(&c->g);
    free(c->g.t);
    c->g.t = NULL;
}

void graph_put_bound(cli_text *t, double area, double critical_path, double lp)
{
    cli_put(t, ",\"bound\":{");
    cli_member_number(t, "area", area);
    cli_member_number(t, "critical_path", critical_path);
    cli_member_number(t, "lp", lp);
    cli_put(t, "}");
}

int graph_write(const struct orr_dag *d, const char *path)
{
    cli_text t = {0};
    const size_t beyond = orr_dag_beyond(d);
    if (beyond) {
        cli_say("%s: not written: times of task %zu (%s) are beyond those of a graph", path, beyond,
                d->task[beyond - 1].name);
        return CLI_FILE;
    }
    FILE *f = open_memstream(&t.s, &t.n);
    int ok = f && orr_dag_write(d, f);
    ok = f && fclose(f) == 0 && ok;
    const int code = ok ? output_text(path, &t) : CLI_MEMORY;
    if (!ok)
        cli_say("not enough memory to write %s", path);
    cli_text_free(&t);
    return code;
}
