/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/graph_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/cli.h"
#include "src/cli/simulate/graph_info.h"

typedef const struct orr_dag_task task;

/* NODES: as many memories as pictures follow. IDLE: of a kind so many workers that ran nothing have a lane. */
enum { NODES = 32, IDLE = 64 };

static const char *const kinds[ORR_DAG_COUNT] = {"CPU", "CUDA", "OpenCL", "HIP"};

static int ran(task *t) { return t->end >= t->start && t->worker >= 0; }

/* ---- Workers ------------------------------------------------------------------------------ */

static int by_lane(const void *x, const void *y)
{
    task *a = *(task *const *)x, *b = *(task *const *)y;
    return a->rank != b->rank   ? (a->rank > b->rank) - (a->rank < b->rank)
           : a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind)
                                : (a->worker > b->worker) - (a->worker < b->worker);
}

static int kind_of(int dag_kind)
{
    return dag_kind == ORR_DAG_CPU      ? ORR_KIND_CPU
           : dag_kind == ORR_DAG_CUDA   ? ORR_KIND_CUDA
           : dag_kind == ORR_DAG_OPENCL ? ORR_KIND_OPENCL
                                        : -1;
}

static struct orr_picture_worker lane_of(task *t)
{
    struct orr_picture_worker w = {.kind = kind_of(t->kind), .node = t->node};
    const char *kind = t->kind >= 0 ? kinds[t->kind] : "worker";
    if (t->rank >= 0)
        snprintf(w.name, sizeof w.name, "rank %d %s %d", t->rank, kind, t->worker);
    else
        snprintf(w.name, sizeof w.name, "%s %d", kind, t->worker);
    return w;
}

/* Workers that ran nothing: the file has their number, not their names, and not of each rank. */
static int idle(const struct orr_dag *d, int kind, const int seen[ORR_DAG_COUNT], int ranks)
{
    return ranks || d->workers[kind] <= seen[kind] ? 0 : d->workers[kind] - seen[kind];
}

/* The workers, and those of the records; `order` has the tasks that ran. Returns how many idle ones are left out, -1:
 * no memory. */
static int find_lanes(graph_picture *g, const struct orr_dag *d, task **order)
{
    struct orr_picture *p = &g->p;
    int seen[ORR_DAG_COUNT] = {0}, ranks = 0, left_out = 0, all = IDLE * ORR_DAG_COUNT;
    int *lane = malloc((d->tasks + 1) * sizeof *lane);
    qsort(order, p->count, sizeof *order, by_lane);
    for (size_t i = 0; i < p->count; i++)
        all += i == 0 || by_lane(&order[i - 1], &order[i]);
    p->worker = calloc((size_t)all, sizeof *p->worker);
    if (!lane || !p->worker) {
        free(lane);
        return -1;
    }
    for (size_t i = 0; i < p->count; i++) {
        if (i == 0 || by_lane(&order[i - 1], &order[i])) {
            p->worker[p->workers++] = lane_of(order[i]);
            if (order[i]->kind >= 0)
                seen[order[i]->kind]++;
            ranks |= order[i]->rank >= 0;
        }
        lane[order[i] - d->task] = p->workers - 1;
    }
    for (size_t i = 0; i < p->count; i++)
        g->record[i].worker = lane[g->record[i].number];
    free(lane);
    for (int k = 0; k < ORR_DAG_COUNT; k++) {
        const int n = idle(d, k, seen, ranks);
        left_out += n > IDLE ? n - IDLE : 0;
        for (int w = 0; w < n && w < IDLE; w++) {
            struct orr_picture_worker *x = &p->worker[p->workers++];
            *x = (struct orr_picture_worker){.kind = kind_of(k), .node = -1};
            snprintf(x->name, sizeof x->name, "idle %s", kinds[k]);
        }
    }
    return left_out;
}

/* Memories, an accelerator's by its first worker's name, if every task has one that can be followed: each rank has its
 * own, of equal numbers. 0: no memory. */
static int find_nodes(struct orr_picture *p, task **order)
{
    int most = 0, named[NODES] = {0};
    for (size_t i = 0; i < p->count; i++)
        if (order[i]->node < 0 || order[i]->node >= NODES || order[i]->rank != order[0]->rank)
            most = NODES;
        else
            most = order[i]->node > most ? order[i]->node : most;
    p->nodes = most < NODES ? most + 1 : 0;
    p->node = calloc((size_t)p->nodes + 1, sizeof *p->node);
    for (int n = 0; p->node && n < p->nodes; n++)
        snprintf(p->node[n], sizeof *p->node, n ? "memory %d" : "main memory", n);
    for (int w = 0; p->node && w < p->workers; w++) {
        const int k = p->worker[w].kind, n = p->worker[w].node;
        if (most == NODES)
            p->worker[w].node = -1;
        else if (n > 0 && k > ORR_KIND_CPU && !named[n]++)
            memcpy(p->node[n], p->worker[w].name, sizeof *p->node);
    }
    return p->node != NULL;
}

/* ---- Tasks -------------------------------------------------------------------------------- */

static double least(double a, double b) { return fmin(a, b); } /* which takes NaN for nothing */

/* When the first task was submitted, or else was ready or began. */
static double find_begin(struct orr_picture *p, const struct orr_dag *d)
{
    double submit = NAN, begin = NAN;
    int unknown = 0;
    for (size_t i = 0; i < d->tasks; i++) {
        task *t = &d->task[i];
        if (!ran(t))
            continue;
        unknown |= isnan(t->submit);
        submit = least(submit, t->submit);
        begin = least(begin, least(t->ready, t->start));
    }
    p->begin = unknown ? "when the first task could begin" : "the first submission";
    return p->t0 = least(submit, begin);
}

/* Of a task whose file does not say so: when it was submitted and what it waits for had ended, also the phases before. */
static double ready_of(task *t, double waits)
{
    return fmin(isnan(t->ready) ? fmax(waits, t->submit) : t->ready, t->start);
}

static struct orr_trace_record record_of(task *t, size_t number, double ready)
{
    return (struct orr_trace_record){.name = t->name,
                                     .impl = -1,
                                     .number = (int64_t)number,
                                     .symbol = t->model,
                                     .footprint = t->footprint,
                                     .priority = t->priority,
                                     .parts = -1,
                                     .first = t->first,
                                     .accesses = t->accesses,
                                     .submit = isnan(t->submit) ? ready : fmin(t->submit, ready),
                                     .ready = ready,
                                     .acquire = t->start,
                                     .acquired = t->start,
                                     .start = t->start,
                                     .end = t->end};
}

/* In the order of the tasks, in which none waits for a later one. done: room for all. */
static void find_records(graph_picture *g, const graph_drawn *x, task **order, double *done)
{
    const struct orr_dag *d = x->d;
    const double begin = find_begin(&g->p, d);
    double phase_done = begin, all_done = begin;
    for (size_t i = 0; i < d->tasks; i++) {
        task *t = &d->task[i];
        if (i && t->phase != t[-1].phase)
            phase_done = all_done;
        double waits = phase_done;
        for (size_t e = x->e.before_at[i]; e < x->e.before_at[i + 1]; e++)
            waits = fmax(waits, done[x->e.before[e]]);
        done[i] = isnan(t->end) ? waits : t->end;
        all_done = fmax(all_done, done[i]);
        if (ran(t)) {
            g->record[g->p.count] = record_of(t, i, ready_of(t, waits));
            order[g->p.count++] = t;
        }
    }
}

/* ---- Colours ------------------------------------------------------------------------------ */

struct codelet {
    const char *name;
    double us;
};

static int by_time(const void *x, const void *y)
{
    const struct codelet *a = x, *b = y;
    return a->us != b->us       ? (a->us < b->us) - (a->us > b->us)
           : a->name && b->name ? strcmp(a->name, b->name)
                                : (a->name == NULL) - (b->name == NULL);
}

/* Of more codelets than colours those have one that take most of the time. 0: no memory. */
static int find_names(graph_picture *g, const graph_drawn *x)
{
    struct orr_picture_names *names = &g->p.names;
    struct codelet *c = calloc(x->colours + 1, sizeof *c);
    for (size_t i = 0; c && i < g->p.count; i++) {
        const struct orr_trace_record *r = &g->record[i];
        struct codelet *of = &c[x->colour[r->number]];
        of->name = r->name;
        of->us += r->end - r->start;
    }
    if (c && x->colours > ORR_PICTURE_COLOURS) {
        qsort(c, x->colours, sizeof *c, by_time);
        for (size_t k = 0; k < x->colours && names->count < ORR_PICTURE_NAMES - 1; k++)
            if (c[k].name)
                names->name[names->count++] = c[k].name;
    }
    free(c);
    return c != NULL;
}

/* ---- What is known of the whole ----------------------------------------------------------- */

/* "recorded on HOST, 2 CPU workers"; of a schedule "replayed under heft on 2 CPU workers; recorded on HOST" or
 * "simulated under dmdas on MACHINE, 2 CPU workers". 0: no memory. */
static int tell_machine(struct orr_picture *p, const struct orr_dag *d, int left_out)
{
    static const char *const by[][2] = {{"replay:", "replayed"}, {"simulate:", "simulated"}};
    const char *at = strchr(d->host, '@'), *comma = ",";
    int made = 0;
    while (made < 2 && (!at || strncmp(d->host, by[made][0], strlen(by[made][0]))))
        made++;
    cli_text t = {0};
    if (made == 2)
        cli_put(&t, "recorded on %s", d->host);
    else {
        const char *sched = d->host + strlen(by[made][0]);
        cli_put(&t, "%s under %.*s on", by[made][1], (int)(at - sched), sched);
        if (made)
            cli_put(&t, " %s", at + 1);
        else
            comma = "";
    }
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        if (d->workers[k]) {
            cli_put(&t, "%s %d %s worker%s", comma, d->workers[k], kinds[k],
                    d->workers[k] > 1 ? "s" : "");
            comma = ",";
        }
    if (left_out)
        cli_put(&t, ", of which %d ran nothing and are not drawn", left_out);
    if (!made)
        cli_put(&t, "; recorded on %s", at + 1);
    snprintf(p->machine, sizeof p->machine, "%s", t.failed ? "" : t.s);
    const int good = !t.failed;
    cli_text_free(&t);
    return good;
}

/* Not of a part: a task that did not run would be missing in the time, not in the bounds. */
static int bounds(orr_analysis *a, struct orr_dag *d, const char *path)
{
    graph_costs c;
    a->area = a->critical_path = a->lp = NAN;
    for (size_t i = 0; i < d->tasks; i++)
        if (d->task[i].where && !ran(&d->task[i]))
            return CLI_OK;
    const int code = graph_costs_make(&c, d, d->workers, path);
    if (code != CLI_OK)
        return code;
    if (c.g.kinds && !c.stuck) {
        a->edges = (int64_t)c.g.before_at[d->tasks];
        a->area = orr_bound_area(&c.g);
        a->critical_path = orr_bound_path(&c.g);
        a->lp = orr_bound_lp(&c.g);
    }
    graph_costs_free(&c);
    return CLI_OK;
}

/* Tables say where the time of all workers went, of kinds that an analysis has. */
static int analyse(graph_picture *g, const graph_drawn *x, int left_out, const char *path)
{
    struct orr_picture *p = &g->p;
    int whole = !left_out;
    double end = -INFINITY, begin = INFINITY;
    for (int w = 0; w < p->workers; w++)
        whole &= p->worker[w].kind >= 0;
    for (size_t i = 0; i < p->count; i++) {
        begin = fmin(begin, g->record[i].submit);
        end = fmax(end, g->record[i].end);
    }
    g->known.tasks = (int64_t)p->count;
    g->known.makespan = 1e-6 * (end - begin);
    if (whole) {
        g->known = (orr_analysis){0};
        p->last = &g->known;
        if (orr_analyse_times(&g->known, p->worker, p->workers, g->record, p->count) != ORR_OK)
            return CLI_MEMORY;
    }
    p->known = &g->known;
    return bounds(&g->known, x->d, path);
}

int graph_picture_make(graph_picture *g, const graph_drawn *x, const char *path)
{
    struct orr_dag *d = x->d;
    struct orr_picture *p = &g->p;
    *g = (graph_picture){.record = malloc((d->tasks + 1) * sizeof *g->record)};
    task **order = malloc((d->tasks + 1) * sizeof *order);
    double *done = malloc((d->tasks + 1) * sizeof *done);
    int code = g->record && order && done ? CLI_OK : CLI_MEMORY, left_out = 0;
    if (code == CLI_OK) {
        find_records(g, x, order, done);
        p->record = g->record;
        p->access = d->access;
        p->handles = d->all_data;
        p->longest = x->longest;
        snprintf(p->command, sizeof p->command, "%s", path);
    }
    if (code == CLI_OK && !p->count) {
        cli_say(
            "%s: it does not say when and where its tasks ran, so there is no run to draw; NAME.dot is "
            "the graph itself",
            path);
        code = CLI_FILE;
    } else if (code == CLI_OK) {
        left_out = find_lanes(g, d, order);
        code = left_out < 0 || !find_nodes(p, order) || !find_names(g, x) ? CLI_MEMORY : CLI_OK;
    }
    if (code == CLI_OK) {
        code = tell_machine(p, d, left_out) ? analyse(g, x, left_out, path) : CLI_MEMORY;
    }
    free(order);
    free(done);
    if (code == CLI_MEMORY)
        cli_say("%s: not enough memory", path);
    return code;
}

void graph_picture_free(graph_picture *g)
{
    free(g->record);
    free(g->p.worker);
    free(g->p.node);
}
