/* Times of tasks from calibrated models: files of StarPU, read by StarPU. Of each entry only the
 * mean of the task's own footprint is used, of the implementation that is fastest. A CUDA device that
 * the models do not know is taken for one like the fastest that they know.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <starpu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/sim/graph.h"

struct loaded {
    const char *symbol;
    struct starpu_perfmodel model;
    int found;
};

static int there_is(const char *symbol)
{
    char path[4096];
    starpu_perfmodel_get_model_path(symbol, path, sizeof path);
    return path[0] && access(path, R_OK) == 0;
}

static struct loaded *load(struct loaded *all, size_t *count, const char *symbol)
{
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(all[i].symbol, symbol))
            return &all[i];
    struct loaded *x = &all[(*count)++];
    x->symbol = symbol;
    x->found = strcmp(symbol, "-") && there_is(symbol) &&
               starpu_perfmodel_load_symbol(symbol, &x->model) == 0;
    return x;
}

/* Seconds, or NaN. */
static double mean(struct starpu_perfmodel *model, enum starpu_worker_archtype type, int device,
                   uint64_t footprint)
{
    double best = NAN;
    const int worker = starpu_worker_get_by_devid(type, device);
    if (worker < 0)
        return NAN;
    struct starpu_perfmodel_arch *arch =
        starpu_worker_get_perf_archtype(worker, STARPU_NMAX_SCHED_CTXS);
    for (unsigned impl = 0; impl < STARPU_MAXIMPLEMENTATIONS; impl++) {
        const struct starpu_perfmodel_per_arch *part =
            starpu_perfmodel_get_model_per_arch(model, arch, impl);
        for (const struct starpu_perfmodel_history_list *l = part ? part->list : NULL; l;
             l = l->next)
            if (l->entry->footprint == footprint && l->entry->nsample > 0)
                best = fmin(best, 1e-6 * l->entry->mean); /* fmin takes NaN for nothing */
    }
    return best;
}

void sim_models_read(struct sim_graph *g)
{
    size_t count = 0;
    struct loaded *all = calloc(g->costs + 1, sizeof *all);
    for (size_t i = 0; all && i < g->costs; i++) {
        struct sim_cost *c = &g->cost[i];
        struct loaded *x = load(all, &count, c->symbol);
        if (!x->found)
            continue;
        c->calibrated[0] = mean(&x->model, STARPU_CPU_WORKER, 0, c->footprint);
        for (int d = 0; d < SIM_DEVICES; d++) {
            c->later[d] = mean(&x->model, STARPU_CUDA_WORKER, d, c->footprint);
            c->calibrated[1] = fmin(c->calibrated[1], c->later[d]);
        }
        for (int d = 0; d < SIM_DEVICES; d++)
            c->later[d] = isnan(c->later[d]) ? 0 : c->later[d] - c->calibrated[1];
    }
    for (size_t i = 0; i < count; i++)
        if (all[i].found)
            starpu_perfmodel_unload_model(&all[i].model);
    free(all);
}

static starpu_pthread_rwlock_t *history; /* [costs]: of each model that of its first cost is used */
static size_t histories;

int sim_models_start(struct sim_graph *g)
{
    history = calloc(g->costs + 1, sizeof *history);
    if (!history)
        return 5;
    for (histories = 0; histories < g->costs; histories++) {
        struct sim_cost *c = &g->cost[histories];
        starpu_pthread_rwlock_init(&history[histories], NULL);
        while (strcmp(g->cost[c->history].symbol, c->symbol))
            c->history++;
    }
    return 0;
}

void sim_model_ask(const struct sim_cost *c, struct starpu_task *task,
                   struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch,
                   unsigned impl)
{
    starpu_perfmodel_arch_comb_get(arch->ndevices, arch->devices);
    starpu_task_footprint(model, task, arch, impl);
    starpu_pthread_rwlock_rdlock(&history[c->history]);
    starpu_pthread_rwlock_unlock(&history[c->history]);
}

void sim_models_end(void)
{
    while (histories > 0)
        starpu_pthread_rwlock_destroy(&history[--histories]);
    free(history);
}
