/* How fast an owner is says StarPU's model of one codelet, of the first stages of heev and gesvd their
 * updates, half of the work: the geometric mean of the time for a unit of work, which single long
 * tasks hardly change. A model is read once, so that the same call has the same owners as long as the
 * context lives.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/core/owners.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codelets/core/numbers.h"

enum { LEAST_RUNS = 10 }; /* as StarPU wants them, before it believes a mean */

struct pace {
    char symbol[32]; /* of the model */
    double unit[ORR_MOST_OWNERS];
    struct pace *next;
};

struct paces {
    starpu_pthread_mutex_t lock;
    struct pace *first;
};

static void *paces_make(void)
{
    struct paces *p = calloc(1, sizeof *p);
    if (p)
        STARPU_PTHREAD_MUTEX_INIT(&p->lock, NULL);
    return p;
}

static void paces_drop(void *arg)
{
    struct paces *p = arg;
    while (p->first) {
        struct pace *one = p->first;
        p->first = one->next;
        free(one);
    }
    STARPU_PTHREAD_MUTEX_DESTROY(&p->lock);
    free(p);
}

/* Microseconds for a unit of work by the worker that has this memory; 0: too little is known. */
static double unit_of(struct starpu_perfmodel *m, int node)
{
    unsigned w = 0;
    while (w < starpu_worker_get_count() && (int)starpu_worker_get_memory_node(w) != node)
        w++;
    if (w == starpu_worker_get_count())
        return 0;
    struct starpu_perfmodel_arch *arch =
        starpu_worker_get_perf_archtype((int)w, STARPU_NMAX_SCHED_CTXS);
    const struct starpu_perfmodel_per_arch *a = starpu_perfmodel_get_model_per_arch(m, arch, 0);
    const double runs = a ? (double)a->regression.nsample : 0;
    const double unit =
        runs >= LEAST_RUNS ? exp((a->regression.sumlny - a->regression.sumlnx) / runs) : 0;
    return isfinite(unit) ? unit : 0;
}

static void read_pace(struct pace *p, const struct orr_owners *o)
{
    char path[4096];
    struct starpu_perfmodel model = {.type = STARPU_NL_REGRESSION_BASED};
    starpu_perfmodel_get_model_path(p->symbol, path, sizeof path);
    if (!path[0] || access(path, R_OK) != 0)
        return;
    const locale_t locale = orr_numbers_begin();
    const int failed = starpu_perfmodel_load_symbol(p->symbol, &model);
    orr_numbers_end(locale);
    if (failed)
        return;
    for (int i = 0; i < o->count; i++)
        p->unit[i] = unit_of(&model, o->node[i]);
    starpu_perfmodel_unload_model(&model);
}

/* Under the lock; NULL: no memory. */
static const struct pace *pace_of(struct paces *known, const char *symbol,
                                  const struct orr_owners *o)
{
    struct pace *p = known->first;
    while (p && strcmp(p->symbol, symbol))
        p = p->next;
    if (p || !(p = calloc(1, sizeof *p)))
        return p;
    snprintf(p->symbol, sizeof p->symbol, "%s", symbol);
    p->next = known->first;
    known->first = p;
    read_pace(p, o);
    return p;
}

struct orr_owners orr_context_owners(orr_context *ctx, orr_place place, const char *codelet,
                                     orr_type type)
{
    static const struct orr_memory memory = {paces_make, paces_drop};
    struct orr_owners o = {0};
    if (orr_place_devices(ctx, place))
        o = orr_owners_look();
    struct paces *known = o.count > 1 ? orr_context_memory(ctx, &memory) : NULL;
    if (!known)
        return o;
    char symbol[32];
    snprintf(symbol, sizeof symbol, "%s_%c", codelet, orr_type_letter(type));
    STARPU_PTHREAD_MUTEX_LOCK(&known->lock);
    const struct pace *p = pace_of(known, symbol, &o);
    if (p)
        orr_owners_share(&o, p->unit);
    STARPU_PTHREAD_MUTEX_UNLOCK(&known->lock);
    return o;
}
