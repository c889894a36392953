/* Edges of a graph, and an order of its tasks in which none waits for a later one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "src/graph/dag.h"

/* ---- Edges ------------------------------------------------------------------------------------- */

int orr_dag_access_edges(const struct orr_dag *g, struct orr_graph *out)
{
    struct orr_uses *uses = malloc((g->tasks + 1) * sizeof *uses);
    for (size_t i = 0; uses && i < g->tasks; i++)
        uses[i] = (struct orr_uses){g->task[i].first, g->task[i].accesses};
    const int ok = uses && orr_graph_edges(out, uses, g->tasks, g->access);
    free(uses);
    return ok;
}

static int by_number(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* Sorts n numbers and keeps each once; how many are left. */
static size_t sort_unique(uint32_t *v, size_t n)
{
    size_t kept = 0;
    qsort(v, n, sizeof *v, by_number);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || v[i] != v[i - 1])
            v[kept++] = v[i];
    return kept;
}

/* Adds the explicit edges; forward[0] says whether one comes from a later task. */
static int merge(const struct orr_dag *g, struct orr_graph *e, int *forward)
{
    uint32_t *all = malloc((e->before_at[g->tasks] + g->befores + 1) * sizeof *all);
    size_t n = 0, from = 0;
    if (!all)
        return 0;
    for (size_t i = 0; i < g->tasks; i++) {
        const struct orr_dag_task *t = &g->task[i];
        const size_t begin = n, count = e->before_at[i + 1] - from;
        if (count)
            memcpy(all + n, e->before + from, count * sizeof *all);
        n += count;
        from = e->before_at[i + 1];
        for (unsigned k = 0; k < t->afters; k++) {
            all[n] = g->before[t->after + k];
            *forward |= all[n++] >= i;
        }
        n = begin + sort_unique(all + begin, n - begin);
        e->before_at[i + 1] = n;
    }
    free(e->before);
    e->before = all;
    return 1;
}

/* ---- Order ------------------------------------------------------------------------------------- */

struct heap {
    uint32_t *v;
    size_t n;
};

static void heap_put(struct heap *h, uint32_t x)
{
    size_t i = h->n++;
    for (; i > 0 && h->v[(i - 1) / 2] > x; i = (i - 1) / 2)
        h->v[i] = h->v[(i - 1) / 2];
    h->v[i] = x;
}

static uint32_t heap_take(struct heap *h)
{
    const uint32_t least = h->v[0], x = h->v[--h->n];
    size_t i = 0;
    for (size_t c; (c = 2 * i + 1) < h->n; i = c) {
        c += c + 1 < h->n && h->v[c + 1] < h->v[c];
        if (h->v[c] >= x)
            break;
        h->v[i] = h->v[c];
    }
    h->v[i] = x;
    return least;
}

/* order[k]: the task that comes k-th, the earliest of those that wait for none. How many were
 * ordered: fewer than all, and waits[] > 0 for the others, if there is a cycle. SIZE_MAX: no
 * memory. */
static size_t sort_tasks(const struct orr_graph *e, uint32_t *order, uint32_t *waits)
{
    const size_t n = e->tasks, edges = e->before_at[n];
    size_t *below_at = calloc(n + 2, sizeof *below_at), done = 0;
    uint32_t *below = malloc((edges + 1) * sizeof *below);
    struct heap h = {.v = malloc((n + 1) * sizeof *h.v)};
    if (!below_at || !below || !h.v)
        done = SIZE_MAX;
    else {
        for (size_t k = 0; k < edges; k++)
            below_at[e->before[k] + 2]++;
        for (size_t i = 1; i < n + 2; i++)
            below_at[i] += below_at[i - 1];
        for (size_t i = 0; i < n; i++) {
            waits[i] = (uint32_t)(e->before_at[i + 1] - e->before_at[i]);
            if (!waits[i])
                heap_put(&h, (uint32_t)i);
            for (size_t k = e->before_at[i]; k < e->before_at[i + 1]; k++)
                below[below_at[e->before[k] + 1]++] = (uint32_t)i;
        }
        while (h.n) {
            const uint32_t i = order[done++] = heap_take(&h);
            for (size_t k = below_at[i]; k < below_at[i + 1]; k++)
                if (--waits[below[k]] == 0)
                    heap_put(&h, below[k]);
        }
    }
    free(below_at);
    free(below);
    free(h.v);
    return done;
}

static void tell_task(const struct orr_dag *g, size_t i, char *out, size_t room)
{
    if (g->task[i].line)
        snprintf(out, room, "task %zu (%.80s, line %zu)", i + 1, g->task[i].name, g->task[i].line);
    else
        snprintf(out, room, "task %zu (%.80s)", i + 1, g->task[i].name);
}

/* Going from a task that was not ordered to one that it waits for and that was not either must
 * come round. */
static void tell_cycle(const struct orr_dag *g, const struct orr_graph *e, uint32_t *waits,
                       char *why, size_t room)
{
    char a[160], b[160];
    size_t i = 0, length = 1;
    while (!waits[i])
        i++;
    for (int round = 0; round < 2; round++) /* the first leads onto the cycle and marks it */
        for (size_t mark = round ? 0 : UINT32_MAX, begin = i;;) {
            size_t k = e->before_at[i];
            while (!waits[e->before[k]])
                k++;
            if (!round)
                waits[i] = (uint32_t)mark;
            i = e->before[k];
            if (round ? i == begin : waits[i] == UINT32_MAX)
                break;
            length += (size_t)round;
        }
    size_t k = e->before_at[i];
    while (!waits[e->before[k]])
        k++;
    tell_task(g, i, a, sizeof a);
    tell_task(g, e->before[k], b, sizeof b);
    if (length == 1)
        snprintf(why, room, "a cycle: %s waits for itself", a);
    else
        snprintf(why, room, "a cycle of %zu tasks: %s waits for %s, which waits for it", length, a,
                 b);
}

/* Puts task order[k] at place k and renames in all edges. */
static int permute(struct orr_dag *g, const uint32_t *order)
{
    struct orr_dag_task *to = malloc((g->tasks + 1) * sizeof *to);
    uint32_t *place = malloc((g->tasks + 1) * sizeof *place);
    const int ok = to && place;
    for (size_t k = 0; ok && k < g->tasks; k++) {
        to[k] = g->task[order[k]];
        place[order[k]] = (uint32_t)k;
    }
    if (ok) {
        memcpy(g->task, to, g->tasks * sizeof *to);
        for (size_t k = 0; k < g->befores; k++)
            g->before[k] = place[g->before[k]];
    }
    free(to);
    free(place);
    return ok;
}

int orr_dag_edges(struct orr_dag *g, struct orr_graph *e, char *why, size_t room)
{
    for (;;) {
        int forward = 0;
        if (!orr_dag_access_edges(g, e))
            return 5;
        if (!merge(g, e, &forward)) {
            orr_graph_free(e);
            return 5;
        }
        if (!forward)
            return 0;
        uint32_t *order = malloc((g->tasks + 1) * sizeof *order);
        uint32_t *waits = malloc((g->tasks + 1) * sizeof *waits);
        const size_t done = order && waits ? sort_tasks(e, order, waits) : SIZE_MAX;
        int rc = done == SIZE_MAX ? 5 : done < g->tasks ? 3 : permute(g, order) ? 0 : 5;
        if (rc == 3)
            tell_cycle(g, e, waits, why, room);
        free(order);
        free(waits);
        orr_graph_free(e);
        if (rc)
            return rc;
    }
}
