/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/replay_output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/cli/core/outputs.h"

int replay_check_output(const struct replay_args *a, const cli_files *inputs)
{
    const char *const names[] = {a->output, a->json};
    if (!a->output)
        return CLI_OK;
    if (a->on)
        return cli_usage("replay",
                         "--output is for --on list: a real run has no schedule of its own");
    if (a->sched.n != 1 || a->cpus.n > 1 || a->gpus.n > 1 || a->truth.seeds.n > 1 || inputs->n > 1)
        return cli_usage("replay",
                         "--output is for one schedule: one FILE.graph, one --sched, one number of "
                         "--cpus and --gpus, one of --seeds");
    return outputs_check_files(names, 2, inputs);
}

/* "replay:heft@HOST", as long as there is room, also of a schedule that was made of another one. */
static void set_host(struct orr_dag *d, const char *sched)
{
    char host[sizeof d->host];
    const char *at = strncmp(d->host, "replay:", 7) ? NULL : strchr(d->host, '@');
    snprintf(host, sizeof host, "replay:%s@%s", sched, at ? at + 1 : d->host);
    memcpy(d->host, host, sizeof host);
}

/* Of main memory 0; each accelerator has its own. */
static int node_of(const struct replay_point *p, const list_place *x)
{
    int node = 1;
    for (int k = 0; k < x->kind; k++)
        node += p->c.kind[k] == ORR_DAG_CPU ? 0 : p->c.workers[k];
    return p->c.kind[x->kind] == ORR_DAG_CPU ? 0 : node + x->worker;
}

static void put_place(struct orr_dag_task *t, const struct replay_point *p, const list_place *x)
{
    t->kind = t->worker = t->node = t->rank = -1;
    t->submit = t->joules = NAN;
    t->ready = 1e6 * x->ready;
    t->start = 1e6 * x->start;
    t->end = 1e6 * x->end;
    if (x->kind < 0)
        return;
    t->kind = p->c.kind[x->kind];
    t->worker = x->worker;
    t->node = node_of(p, x);
    t->where |= 1u << t->kind; /* where its like had run */
    t->t[t->kind] = 1e6 * x->took;
}

int replay_output(struct replay_point *p, const char *sched, const char *path)
{
    int accelerators = 0;
    for (int k = ORR_DAG_CPU + 1; k < ORR_DAG_COUNT; k++)
        accelerators |= p->d.workers[k];
    for (size_t i = 0; i < p->d.tasks; i++) {
        put_place(&p->d.task[i], p, &p->place[i]);
        if (!accelerators) /* there was no choice: beside accelerators it would be taken for one */
            p->d.task[i].wants = ORR_WANTS_ANY;
    }
    memcpy(p->d.workers, p->workers, sizeof p->d.workers);
    set_host(&p->d, sched);
    return graph_write(&p->d, path);
}
