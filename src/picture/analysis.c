/* What is known of a run by its tasks: bounds, idle time, acceleration.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/picture/picture.h"

typedef struct orr_trace_record record;

/* Its tasks in the order of their submission, and who ran them. */
struct run {
    const struct orr_picture_worker *worker;
    int workers;
    const record *r;
    size_t n;
};

static int kind_of(const struct run *x, const record *r) { return x->worker[r->worker].kind; }

/* ---- Tasks of the same cost ---------------------------------------------------------------- */

/* Tasks of one codelet, performance model and footprint. */
struct cost {
    const record *first;
    int64_t tasks[ORR_NKINDS];
    double seconds[ORR_NKINDS];
};

struct costs {
    struct cost *v;
    size_t n;
    uint32_t *of; /* [tasks] */
};

static int same_cost(const record *a, const record *b)
{
    return a->name == b->name && a->symbol == b->symbol && a->footprint == b->footprint;
}

static int by_cost(const void *x, const void *y)
{
    const record *a = *(const record *const *)x, *b = *(const record *const *)y;
    if (a->name != b->name)
        return (uintptr_t)a->name < (uintptr_t)b->name ? -1 : 1;
    if (a->symbol != b->symbol)
        return (uintptr_t)a->symbol < (uintptr_t)b->symbol ? -1 : 1;
    return (a->footprint > b->footprint) - (a->footprint < b->footprint);
}

/* 0: out of memory. */
static int costs_make(struct costs *c, const struct run *x)
{
    const record *r = x->r;
    const size_t n = x->n;
    const record **order = malloc((n + 1) * sizeof *order);
    *c = (struct costs){.v = calloc(n + 1, sizeof *c->v), .of = calloc(n + 1, sizeof *c->of)};
    const int ok = order && c->v && c->of;
    for (size_t i = 0; ok && i < n; i++)
        order[i] = &r[i];
    if (ok)
        qsort(order, n, sizeof *order, by_cost);
    for (size_t i = 0; ok && i < n; i++) {
        if (i == 0 || !same_cost(order[i], order[i - 1]))
            c->v[c->n++].first = order[i];
        struct cost *cost = &c->v[c->n - 1];
        const int k = kind_of(x, order[i]);
        c->of[order[i] - r] = (uint32_t)(c->n - 1);
        cost->tasks[k]++;
        cost->seconds[k] += 1e-6 * (order[i]->end - order[i]->start);
    }
    free(order);
    return ok;
}

static void costs_free(struct costs *c)
{
    free(c->v);
    free(c->of);
}

/* ---- Bounds ------------------------------------------------------------------------------------
 */

/* A task counts as it ran on the kind where it ran, so that the run itself is a schedule that the
 * bounds allow, and as the mean of its like on the others. */
static void durations(struct orr_graph *g, const int *kind, const struct run *run,
                      const struct costs *c)
{
    for (size_t i = 0; i < g->tasks; i++)
        for (int k = 0; k < g->kinds; k++) {
            const struct cost *x = &c->v[c->of[i]];
            double *t = &g->t[i * (size_t)g->kinds + (size_t)k];
            if (kind_of(run, &run->r[i]) == kind[k])
                *t = 1e-6 * (run->r[i].end - run->r[i].start);
            else
                *t = x->tasks[kind[k]] ? x->seconds[kind[k]] / (double)x->tasks[kind[k]] : INFINITY;
        }
}

int orr_record_edges(struct orr_graph *g, const struct orr_trace_record *r, size_t n,
                     const struct orr_trace_access *access)
{
    struct orr_uses *uses = malloc((n + 1) * sizeof *uses);
    for (size_t i = 0; uses && i < n; i++)
        uses[i] = (struct orr_uses){r[i].first, r[i].accesses};
    const int ok = uses && orr_graph_edges(g, uses, n, access);
    free(uses);
    return ok;
}

static void bounds(orr_analysis *a, const struct run *x, const struct orr_trace_access *access,
                   const struct costs *c)
{
    int kind[ORR_NKINDS], workers[ORR_NKINDS];
    struct orr_graph g = {.workers = workers};
    for (int k = 0; k < ORR_NKINDS; k++)
        if (a->kind[k].tasks) {
            kind[g.kinds] = k;
            workers[g.kinds++] = a->kind[k].workers;
        }
    a->area = a->critical_path = a->lp = NAN;
    if (x->n == 0 || a->lost || !orr_record_edges(&g, x->r, x->n, access))
        return;
    g.t = malloc(x->n * (size_t)g.kinds * sizeof *g.t);
    if (g.t) {
        durations(&g, kind, x, c);
        a->edges = (int64_t)g.before_at[x->n];
        a->area = orr_bound_area(&g);
        a->critical_path = orr_bound_path(&g);
        a->lp = orr_bound_lp(&g);
    }
    free(g.t);
    orr_graph_free(&g);
}

/* ---- Where the workers' time went
 * ---------------------------------------------------------------- */

/* When at least one task was ready and not taken: disjoint intervals in order, and the time
 * they cover up to the end of each. */
struct ready {
    double *from, *to, *covered;
    size_t n;
};

static int by_ready(const void *x, const void *y)
{
    const record *a = *(const record *const *)x, *b = *(const record *const *)y;
    return (a->ready > b->ready) - (a->ready < b->ready);
}

static int by_worker(const void *x, const void *y)
{
    const record *a = *(const record *const *)x, *b = *(const record *const *)y;
    if (a->worker != b->worker)
        return a->worker < b->worker ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

static void ready_make(struct ready *q, const record **order, size_t n)
{
    q->n = 0;
    qsort(order, n, sizeof *order, by_ready);
    for (size_t i = 0; i < n; i++) {
        const double from = order[i]->ready, to = order[i]->acquire;
        if (to <= from)
            continue;
        if (q->n && from <= q->to[q->n - 1]) {
            q->to[q->n - 1] = fmax(q->to[q->n - 1], to);
        } else {
            q->from[q->n] = from;
            q->to[q->n++] = to;
        }
    }
    for (size_t i = 0; i < q->n; i++)
        q->covered[i] = q->to[i] - q->from[i] + (i ? q->covered[i - 1] : 0);
}

/* Microseconds before t during which a task was ready. */
static double ready_until(const struct ready *q, double t)
{
    size_t low = 0, high = q->n; /* the intervals that begin before t are [0, low) */
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (q->from[mid] < t)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == 0)
        return 0;
    return q->covered[low - 1] - fmax(0, q->to[low - 1] - t);
}

static void idle(orr_analysis_kind *k, const struct ready *q, double from, double to)
{
    if (to <= from)
        return;
    const double served = 1e-6 * (ready_until(q, to) - ready_until(q, from));
    k->unserved += served;
    k->starved += 1e-6 * (to - from) - served;
}

/* One worker, its tasks order[0 .. n) by their starts. */
static void worker_time(orr_analysis_kind *k, const struct ready *q, const record **order, size_t n,
                        double begin, double end)
{
    double free_at = begin;
    for (size_t i = 0; i < n; i++) {
        const record *r = order[i];
        const double taken = fmin(fmax(r->acquire, free_at), r->start);
        idle(k, q, free_at, taken);
        k->stalled += 1e-6 * (r->start - fmax(taken, free_at));
        k->busy += 1e-6 * (r->end - r->start);
        free_at = fmax(free_at, r->end);
    }
    idle(k, q, free_at, end);
}

/* 0: out of memory. */
static int times(orr_analysis *a, const struct run *x, double begin, double end)
{
    const record *r = x->r;
    const size_t n = x->n;
    const record **order = malloc((n + 1) * sizeof *order);
    double *room = malloc((3 * n + 1) * sizeof *room);
    const int ok = order && room;
    struct ready q = {.from = room, .to = room + n, .covered = room + 2 * n};
    for (size_t i = 0; ok && i < n; i++)
        order[i] = &r[i];
    if (ok) {
        ready_make(&q, order, n);
        qsort(order, n, sizeof *order, by_worker);
    }
    size_t first = 0;
    for (int w = 0; ok && w < x->workers; w++) {
        size_t stop = first;
        while (stop < n && order[stop]->worker == w)
            stop++;
        worker_time(&a->kind[x->worker[w].kind], &q, order + first, stop - first, begin, end);
        first = stop;
    }
    free(order);
    free(room);
    return ok;
}

/* ---- Codelets ----------------------------------------------------------------------------- */

static double total(const orr_analysis_codelet *c)
{
    double s = 0;
    for (int k = 0; k < ORR_NKINDS; k++)
        s += c->seconds[k];
    return s;
}

static int by_time(const void *x, const void *y)
{
    const double a = total(x), b = total(y);
    return (a < b) - (a > b);
}

/* CPU seconds over accelerator seconds, task for task, of the costs that ran on both. */
static double factor_of(const struct costs *c, const char *name)
{
    double cpu = 0, accelerator = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct cost *x = &c->v[i];
        if (x->first->name != name || !x->tasks[ORR_KIND_CPU])
            continue;
        for (int k = ORR_KIND_CUDA; k < ORR_NKINDS; k++)
            if (x->tasks[k]) {
                cpu +=
                    (double)x->tasks[k] * x->seconds[ORR_KIND_CPU] / (double)x->tasks[ORR_KIND_CPU];
                accelerator += x->seconds[k];
            }
    }
    return accelerator > 0 ? cpu / accelerator : NAN;
}

static orr_analysis_codelet *find(orr_analysis *a, const char *name)
{
    for (int i = 0; i < a->codelets; i++)
        if (a->codelet[i].name == name)
            return &a->codelet[i];
    if (a->codelets == ORR_ANALYSIS_CODELETS)
        return NULL;
    a->codelet[a->codelets] = (orr_analysis_codelet){.name = name};
    return &a->codelet[a->codelets++];
}

static void codelets(orr_analysis *a, const struct run *x, const struct costs *costs)
{
    const record *r = x->r;
    const size_t n = x->n;
    for (size_t i = 0; i < n; i++) {
        orr_analysis_codelet *c = find(a, r[i].name);
        if (!c)
            continue;
        const int k = kind_of(x, &r[i]);
        c->tasks[k]++;
        c->seconds[k] += 1e-6 * (r[i].end - r[i].start);
        c->wait += 1e-6 * (r[i].start - r[i].ready);
        c->stall += 1e-6 * (r[i].acquired - r[i].acquire);
    }
    for (int i = 0; i < a->codelets; i++) {
        orr_analysis_codelet *c = &a->codelet[i];
        int64_t tasks = 0;
        for (int k = 0; k < ORR_NKINDS; k++)
            tasks += c->tasks[k];
        c->wait /= (double)tasks;
        c->stall /= (double)tasks;
        c->factor = factor_of(costs, c->name);
    }
    qsort(a->codelet, (size_t)a->codelets, sizeof *a->codelet, by_time);
}

static orr_status analyse(orr_analysis *a, const struct run *x, int bounded,
                          const struct orr_trace_access *access)
{
    const record *r = x->r;
    const size_t n = x->n;
    struct costs c;
    for (int w = 0; w < x->workers; w++)
        a->kind[x->worker[w].kind].workers++;
    double begin = INFINITY, end = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        begin = fmin(begin, r[i].submit);
        end = fmax(end, r[i].end);
        a->kind[kind_of(x, &r[i])].tasks++;
    }
    a->tasks = (int64_t)n;
    a->makespan = n ? 1e-6 * (end - begin) : 0;
    int ok = costs_make(&c, x);
    if (ok) {
        if (bounded)
            bounds(a, x, access, &c);
        codelets(a, x, &c);
        ok = times(a, x, begin, n ? end : begin);
    }
    costs_free(&c);
    return ok ? ORR_OK : ORR_E_NOMEM;
}

orr_status orr_analyse(orr_analysis *a, const struct orr_picture_worker *worker, int workers,
                       const record *r, size_t n, const struct orr_trace_access *access)
{
    return analyse(a, &(struct run){worker, workers, r, n}, 1, access);
}

orr_status orr_analyse_times(orr_analysis *a, const struct orr_picture_worker *worker, int workers,
                             const record *r, size_t n)
{
    return analyse(a, &(struct run){worker, workers, r, n}, 0, NULL);
}
