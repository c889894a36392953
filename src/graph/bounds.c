/* See bounds.h.
 *
 * The dual of the LP: prices y_k >= 0 of a second of kind k and a flow w >= 0 from the first
 * tasks to the last, with sum_k P_k y_k + (value of the flow) = 1, give the lower bound
 *
 *   L(y, w) = sum_i min_k t_ik (y_k + w_i)
 *
 * The best prices are a mixture of corners: all price on one kind, or the whole flow along one
 * chain. They are found by fictitious play: the assignment answers the average prices so far,
 * the prices answer the average assignment with the corner that is tightest for it. Each step
 * gives a lower bound (L) and an upper bound of the LP (the tightest corner), and costs one
 * look at each task and edge. With one kind of worker the first step is exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/graph/bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Longest chains ------------------------------------------------------------------------ */

/* Length of the longest chain with durations d; end[i] is that of the longest ending with i,
 * and *last its last task. */
static double longest(const struct orr_graph *g, const double *d, double *end, size_t *last)
{
    double most = 0;
    *last = 0;
    for (size_t i = 0; i < g->tasks; i++) {
        double start = 0;
        for (size_t e = g->before_at[i]; e < g->before_at[i + 1]; e++)
            start = fmax(start, end[g->before[e]]);
        end[i] = start + d[i];
        if (end[i] > most) {
            most = end[i];
            *last = i;
        }
    }
    return most;
}

/* w += step along the longest chain that ends with `last`. */
static void flow_along(const struct orr_graph *g, const double *end, size_t last, double step,
                       double *w)
{
    for (size_t i = last;;) {
        w[i] += step;
        const size_t first = g->before_at[i], stop = g->before_at[i + 1];
        if (first == stop)
            return;
        size_t from = g->before[first];
        for (size_t e = first; e < stop; e++)
            if (end[g->before[e]] > end[from])
                from = g->before[e];
        i = from;
    }
}

/* ---- Fictitious play --------------------------------------------------------------------------
 */

enum { MOST_KINDS = 8, MOST_STEPS = 4000 };
static const double close_enough = 0.005, most_work = 3e8; /* tasks and edges looked at */

struct play {
    double y[MOST_KINDS], load[MOST_KINDS]; /* prices; average seconds per worker of the kind */
    double *w;                              /* flow through each task */
    double *d, *end;                        /* average durations, ends of chains */
};

/* The assignment that is cheapest at the present prices enters the averages with weight
 * `step`. The value is L. */
static double answer(const struct orr_graph *g, struct play *p, double step)
{
    double L = 0;
    for (int k = 0; k < g->kinds; k++)
        p->load[k] *= 1 - step;
    for (size_t i = 0; i < g->tasks; i++) {
        const double *t = g->t + i * (size_t)g->kinds;
        int best = -1;
        double cost = INFINITY;
        for (int k = 0; k < g->kinds; k++)
            if (t[k] * (p->y[k] + p->w[i]) < cost || (best < 0 && isfinite(t[k]))) {
                best = k;
                cost = t[k] * (p->y[k] + p->w[i]);
            }
        L += cost;
        p->load[best] += step * t[best] / g->workers[best];
        p->d[i] = (1 - step) * p->d[i] + step * t[best];
    }
    return L;
}

static double play(const struct orr_graph *g, int with_edges, struct play *p)
{
    double lower = 0;
    const double work = (double)g->tasks * g->kinds +
                        (with_edges ? (double)(g->tasks + g->before_at[g->tasks]) : 0);
    double upper = INFINITY;
    for (int k = 0; k < g->kinds; k++)
        p->y[k] = 1.0 / (g->workers[k] * g->kinds);
    for (int n = 0; n < MOST_STEPS && (n < 2 || n * work < most_work); n++) {
        const double step = 2.0 / (n + 2); /* 1 at first; later answers count more */
        lower = fmax(lower, answer(g, p, step));
        int tight = 0;
        size_t last = 0;
        for (int k = 1; k < g->kinds; k++)
            tight = p->load[k] > p->load[tight] ? k : tight;
        const double path = with_edges ? longest(g, p->d, p->end, &last) : 0;
        upper = fmin(upper, fmax(p->load[tight], path));
        if (lower >= (1 - close_enough) * upper)
            break;
        const double next = 2.0 / (n + 3);
        for (int k = 0; k < g->kinds; k++)
            p->y[k] *= 1 - next;
        for (size_t i = 0; with_edges && i < g->tasks; i++)
            p->w[i] *= 1 - next;
        if (path > p->load[tight])
            flow_along(g, p->end, last, next, p->w);
        else
            p->y[tight] += next / g->workers[tight];
    }
    return lower;
}

static double bound(const struct orr_graph *g, int with_edges)
{
    if (g->tasks == 0)
        return 0;
    struct play p = {.w = calloc(g->tasks, sizeof *p.w),
                     .d = calloc(g->tasks, sizeof *p.d),
                     .end = calloc(g->tasks, sizeof *p.end)};
    const double T = p.w && p.d && p.end ? play(g, with_edges, &p) : NAN;
    free(p.w);
    free(p.d);
    free(p.end);
    return T;
}

/* ---- The three bounds -------------------------------------------------------------------------
 */

struct choice {
    double t[2], ratio;
};

static int by_ratio(const void *x, const void *y)
{
    const double a = ((const struct choice *)x)->ratio, b = ((const struct choice *)y)->ratio;
    return (a > b) - (a < b);
}

/* Of two kinds, exactly: in the order of a / b, seconds over the workers of each kind, the first tasks run on kind 0, the
 * last on kind 1, and one is split so that both end at once. c has room for all tasks. */
static double area_of_two(const struct orr_graph *g, struct choice *c)
{
    double load[2] = {0, 0};
    size_t n = 0;
    for (size_t i = 0; i < g->tasks; i++) {
        const double a = g->t[2 * i] / g->workers[0], b = g->t[2 * i + 1] / g->workers[1];
        if (!isfinite(b))
            load[0] += a;
        else if (!isfinite(a))
            load[1] += b;
        else if (a > 0 && b > 0)
            c[n++] = (struct choice){{a, b}, a / b};
    }
    qsort(c, n, sizeof *c, by_ratio);
    for (size_t i = 0; i < n; i++)
        load[1] += c[i].t[1];
    for (size_t i = 0; i < n && load[0] < load[1]; i++) {
        const double part = fmin(1, (load[1] - load[0]) / (c[i].t[0] + c[i].t[1]));
        load[0] += part * c[i].t[0];
        load[1] -= part * c[i].t[1];
    }
    return fmax(load[0], load[1]);
}

/* A corner of the prices for each set of kinds: work that only they can do. The play comes close to these only. */
static double area_of_sets(const struct orr_graph *g)
{
    double most = 0;
    for (unsigned set = 1; set < 1u << g->kinds; set++) {
        double work = 0;
        int workers = 0;
        for (int k = 0; k < g->kinds; k++)
            workers += set >> k & 1 ? g->workers[k] : 0;
        for (size_t i = 0; i < g->tasks; i++) {
            double least = INFINITY;
            for (int k = 0; k < g->kinds; k++)
                if (isfinite(g->t[i * (size_t)g->kinds + (size_t)k]))
                    least = fmin(least, set >> k & 1 ? g->t[i * (size_t)g->kinds + (size_t)k] : 0);
            work += least;
        }
        most = fmax(most, work / workers);
    }
    return most;
}

double orr_bound_area(const struct orr_graph *g)
{
    if (g->kinds > 2)
        return fmax(bound(g, 0), area_of_sets(g));
    if (g->kinds == 2) {
        struct choice *c = malloc((g->tasks + 1) * sizeof *c);
        const double T = c ? area_of_two(g, c) : NAN;
        free(c);
        return T;
    }
    double work = 0;
    for (size_t i = 0; i < g->tasks; i++)
        work += g->t[i];
    return work / g->workers[0];
}

double orr_bound_path(const struct orr_graph *g)
{
    double *d = malloc((2 * g->tasks + 1) * sizeof *d);
    size_t last;
    if (!d)
        return NAN;
    for (size_t i = 0; i < g->tasks; i++) {
        d[i] = INFINITY;
        for (int k = 0; k < g->kinds; k++)
            d[i] = fmin(d[i], g->t[i * (size_t)g->kinds + (size_t)k]);
    }
    const double T = longest(g, d, d + g->tasks, &last);
    free(d);
    return T;
}

double orr_bound_lp(const struct orr_graph *g)
{
    const double simple = fmax(orr_bound_area(g), orr_bound_path(g));
    return g->kinds > 1 ? fmax(simple, bound(g, 1)) : simple;
}

/* ---- Edges from accesses ------------------------------------------------------------------------
 */

struct list {
    uint32_t *v;
    size_t n, room;
};

static int list_add(struct list *l, uint32_t x)
{
    if (l->n == l->room) {
        const size_t room = l->room ? 2 * l->room : 4;
        uint32_t *more = realloc(l->v, room * sizeof *more);
        if (!more)
            return 0;
        l->v = more;
        l->room = room;
    }
    l->v[l->n++] = x;
    return 1;
}

/* Of one piece of data: who wrote it last (several if they commute), whom these waited for, and
 * who has read it since. */
struct data {
    struct list writers, waited_for, readers;
    int group; /* the mode in which the writers do not wait for each other; 0: one writer */
};

/* The mode in which writers leave each other in peace, or 0. */
static int group_of(int mode)
{
    if (mode & ORR_ACCESS_REDUX)
        return ORR_ACCESS_REDUX;
    return mode & ORR_ACCESS_COMMUTE ? ORR_ACCESS_COMMUTE : 0;
}

static int add_all(struct list *to, const struct list *from, uint32_t self)
{
    int ok = 1;
    for (size_t i = 0; i < from->n; i++)
        if (from->v[i] != self)
            ok &= list_add(to, from->v[i]);
    return ok;
}

static int visit(struct data *d, uint32_t task, int mode, struct list *before)
{
    int ok = 1;
    if (mode & (ORR_ACCESS_SCRATCH | ORR_ACCESS_UNORDERED))
        return 1;
    if (!(mode & (ORR_ACCESS_W | ORR_ACCESS_REDUX)))
        return add_all(before, &d->writers, task) & list_add(&d->readers, task);
    const int group = group_of(mode);
    if (!(group && group == d->group && d->readers.n == 0)) {
        d->waited_for.n = 0;
        /* Readers waited for the writers before them. */
        ok &= add_all(&d->waited_for, d->readers.n ? &d->readers : &d->writers, task);
        d->writers.n = d->readers.n = 0;
        d->group = group;
    }
    return ok & add_all(before, &d->waited_for, task) & list_add(&d->writers, task);
}

static int by_number(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* The numbers of all data that the tasks use, each once, in order; NULL: out of memory. */
static uint64_t *data_numbers(const struct orr_uses *r, size_t tasks,
                              const struct orr_trace_access *a, size_t *count)
{
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < tasks; i++)
        n += r[i].count;
    uint64_t *v = malloc((n + 1) * sizeof *v);
    if (!v)
        return NULL;
    n = 0;
    for (size_t i = 0; i < tasks; i++)
        for (unsigned j = 0; j < r[i].count; j++)
            v[n++] = a[r[i].first + j].data;
    qsort(v, n, sizeof *v, by_number);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || v[i] != v[i - 1])
            v[kept++] = v[i];
    *count = kept;
    return v;
}

static int by_task(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* Two tasks may share several data: the edges from `first` on, each once. */
static void once(struct list *before, size_t first)
{
    size_t kept = first;
    if (before->n - first < 2)
        return;
    qsort(before->v + first, before->n - first, sizeof *before->v, by_task);
    for (size_t k = first; k < before->n; k++)
        if (k == first || before->v[k] != before->v[kept - 1])
            before->v[kept++] = before->v[k];
    before->n = kept;
}

int orr_graph_edges(struct orr_graph *g, const struct orr_uses *r, size_t tasks,
                    const struct orr_trace_access *a)
{
    size_t count = 0;
    uint64_t *number = data_numbers(r, tasks, a, &count);
    struct data *data = calloc(count + 1, sizeof *data);
    struct list before = {0};
    g->before_at = calloc(tasks + 1, sizeof *g->before_at);
    int ok = number && data && g->before_at;
    for (size_t i = 0; ok && i < tasks; i++) {
        for (unsigned j = 0; j < r[i].count; j++) {
            const struct orr_trace_access *x = &a[r[i].first + j];
            const uint64_t *at = bsearch(&x->data, number, count, sizeof *number, by_number);
            ok &= visit(&data[at - number], (uint32_t)i, x->mode, &before);
        }
        if (r[i].count > 1)
            once(&before, g->before_at[i]);
        g->before_at[i + 1] = before.n;
    }
    for (size_t h = 0; data && h < count; h++) {
        free(data[h].writers.v);
        free(data[h].waited_for.v);
        free(data[h].readers.v);
    }
    free(data);
    free(number);
    g->before = before.v;
    g->tasks = tasks;
    if (!ok)
        orr_graph_free(g);
    return ok;
}

void orr_graph_free(struct orr_graph *g)
{
    free(g->before);
    free(g->before_at);
    g->before = NULL;
    g->before_at = NULL;
}
