/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/graph/dag.h"

/* Of main memory 0. */
static int node_of(const int workers[ORR_DAG_COUNT], const struct orr_dag_place *x)
{
    int node = x->worker + 1;
    for (int k = ORR_DAG_CPU + 1; k < x->kind; k++)
        node += workers[k];
    return x->kind == ORR_DAG_CPU ? 0 : node;
}

void orr_dag_schedule(struct orr_dag *g, const struct orr_dag_place *place,
                      const int workers[ORR_DAG_COUNT])
{
    int accelerators = 0;
    for (int k = ORR_DAG_CPU + 1; k < ORR_DAG_COUNT; k++)
        accelerators |= g->workers[k];
    for (size_t i = 0; i < g->tasks; i++) {
        const struct orr_dag_place *x = &place[i];
        struct orr_dag_task *t = &g->task[i];
        t->rank = t->node = -1;
        t->joules = NAN;
        t->submit = x->submit;
        t->ready = x->ready;
        t->start = x->start;
        t->end = x->end;
        t->kind = x->kind;
        t->worker = x->worker;
        if (!accelerators) /* there was no choice: beside accelerators it would be taken for one */
            t->wants = ORR_WANTS_ANY;
        if (x->kind < 0)
            continue;
        t->node = node_of(workers, x);
        t->where |= 1u << t->kind; /* where its like had run */
        t->t[t->kind] = x->took;
    }
    memcpy(g->workers, workers, sizeof g->workers);
}

void orr_dag_schedule_by(struct orr_dag *g, const char *by, const char *where)
{
    char host[sizeof g->host];
    const char *at = strchr(g->host, ':') ? strchr(g->host, '@') : NULL;
    const int length = snprintf(host, sizeof host, "%s@%s", by,
                                where ? where
                                : at  ? at + 1
                                      : g->host);
    if (length < 0) /* cut where there is no more room, which is a name, too */
        return;
    memcpy(g->host, host, sizeof host);
    for (char *c = g->host; *c; c++)
        if (*c <= ' ' && *c >= 0)
            *c = '_';
}
