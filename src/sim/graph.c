/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/sim/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_to_cost(struct sim_cost *c, const struct orr_dag_task *t, double bytes)
{
    if (!c->tasks++) {
        snprintf(c->name, sizeof c->name, "%s", t->name);
        snprintf(c->symbol, sizeof c->symbol, "%s", t->model);
        c->footprint = t->footprint;
        c->bytes = bytes;
        c->nowhere = !t->where;
        c->has_cuda = t->where >> ORR_DAG_CUDA & 1;
        c->calibrated[0] = c->calibrated[1] = NAN;
    }
    c->accesses += t->accesses;
    if (!isnan(t->t[ORR_DAG_CPU])) {
        c->cpu += 1e-6 * t->t[ORR_DAG_CPU];
        c->cpu_tasks++;
    }
    if (!isnan(t->t[ORR_DAG_CUDA])) {
        c->cuda += 1e-6 * t->t[ORR_DAG_CUDA];
        c->cuda_tasks++;
    }
}

static void convert(struct sim_graph *g, const struct orr_dag *d)
{
    for (size_t i = 0; i < d->tasks; i++) {
        const struct orr_dag_task *t = &d->task[i];
        double bytes = 0;
        for (unsigned k = 0; k < t->accesses; k++)
            bytes += (double)g->access[t->first + k].bytes;
        g->task[i] = (struct sim_task){.cost = &g->cost[t->group],
                                       .phase = t->phase,
                                       .priority = t->priority,
                                       .wants = orr_dag_wants(d, t),
                                       .owner = t->owner,
                                       .sync = t->sync >> ORR_DAG_CUDA & 1,
                                       .cpu = 1e-6 * t->t[ORR_DAG_CPU],
                                       .pause = 1e-6 * t->pause,
                                       .first = t->first,
                                       .accesses = t->accesses,
                                       .after = t->after,
                                       .afters = t->afters};
        add_to_cost(&g->cost[t->group], t, bytes);
    }
    for (size_t i = 0; i < g->costs; i++) {
        struct sim_cost *c = &g->cost[i];
        c->accesses /= (double)c->tasks;
        c->cpu = c->cpu_tasks ? c->cpu / (double)c->cpu_tasks : NAN;
        c->cuda = c->cuda_tasks ? c->cuda / (double)c->cuda_tasks : NAN;
    }
    for (size_t i = 0; i < g->accesses; i++)
        g->ordered[i] = !(g->access[i].mode & ORR_ACCESS_UNORDERED);
    for (size_t i = 0; i < g->accesses; i++)
        g->home[i] = (g->access[i].mode & ORR_ACCESS_HOME) != 0;
    for (size_t i = 0; i < g->accesses; i++)
        g->access[i].mode &= ORR_ACCESS_OF_STARPU;
    for (size_t i = 0; i < g->accesses; i++)
        if (g->access[i].mode & ORR_ACCESS_REDUX) /* nobody is here who could join the parts */
            g->access[i].mode = ORR_ACCESS_RW | ORR_ACCESS_COMMUTE;
}

int sim_graph_read(struct sim_graph *g, const char *path)
{
    struct orr_dag d;
    *g = (struct sim_graph){.tasks = 0};
    const int rc = orr_dag_read(&d, path);
    if (rc)
        return rc;
    snprintf(g->host, sizeof g->host, "%s", d.host);
    g->cpu = d.workers[ORR_DAG_CPU];
    g->cuda = d.workers[ORR_DAG_CUDA];
    g->opencl = d.workers[ORR_DAG_OPENCL];
    char why[256];
    const int edges = d.befores ? orr_dag_edges(&d, &g->edges, why, sizeof why)
                      : orr_dag_access_edges(&d, &g->edges) ? 0
                                                            : 5;
    g->costs = orr_dag_group(&d);
    g->tasks = d.tasks;
    g->data = d.all_data;
    g->task = calloc(g->tasks + 1, sizeof *g->task);
    g->cost = g->costs == SIZE_MAX ? NULL : calloc(g->costs + 1, sizeof *g->cost);
    g->access = d.access;
    g->accesses = d.accesses;
    g->ordered = malloc(d.accesses + 1);
    g->home = malloc(d.accesses + 1);
    g->before = d.before;
    g->befores = d.befores;
    d.access = NULL;
    d.before = NULL;
    const int ok = edges == 0 && g->task && g->cost && g->ordered && g->home;
    if (ok)
        convert(g, &d);
    else
        sim_graph_free(g);
    orr_dag_free(&d);
    return ok ? 0 : 5;
}

void sim_graph_free(struct sim_graph *g)
{
    free(g->task);
    free(g->cost);
    free(g->access);
    free(g->ordered);
    free(g->home);
    free(g->before);
    orr_graph_free(&g->edges);
    *g = (struct sim_graph){.tasks = 0};
}
