/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/cli/simulate/graph_import.h"

struct search {
    struct orr_graph e; /* of accesses */
    size_t *seen;       /* the last task + 1 from which it was reached */
    uint32_t *stack;
};

static int by_task(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Marks what a task waits for, whether directly or not, but nothing before `least`. */
static void reach(struct search *s, size_t task, size_t least)
{
    size_t n = 0;
    s->stack[n++] = (uint32_t)task;
    while (n) {
        const size_t i = s->stack[--n];
        for (size_t k = s->e.before_at[i]; k < s->e.before_at[i + 1]; k++) {
            const size_t b = s->e.before[k];
            if (b < least || s->seen[b] == task + 1)
                continue;
            s->seen[b] = task + 1;
            s->stack[n++] = (uint32_t)b;
        }
    }
}

int graph_add_edges(struct orr_dag *d, const uint32_t (*pair)[2], size_t pairs, graph_found *found)
{
    struct search s = {.seen = calloc(d->tasks + 1, sizeof *s.seen),
                       .stack = malloc((d->tasks + 1) * sizeof *s.stack)};
    uint32_t(*p)[2] = malloc((pairs + 1) * sizeof *p);
    int ok = s.seen && s.stack && p && orr_dag_access_edges(d, &s.e);
    for (size_t k = 0; ok && k < pairs; k++) {
        p[k][0] = pair[k][0];
        p[k][1] = pair[k][1];
    }
    if (ok)
        qsort(p, pairs, sizeof *p, by_task);
    for (size_t k = 0, i = 0; ok && i < d->tasks; i++) {
        d->task[i].after = d->befores;
        if (k < pairs && p[k][0] == i)
            reach(&s, i, p[k][1]);
        for (; k < pairs && p[k][0] == i; k++) {
            if (k && p[k - 1][0] == i && p[k - 1][1] == p[k][1])
                continue;
            found->edges++;
            if (s.seen[p[k][1]] == i + 1)
                found->implied++;
            else
                orr_dag_after_of(d, i, p[k][1]);
        }
    }
    ok = ok && !d->failed;
    orr_graph_free(&s.e);
    free(s.seen);
    free(s.stack);
    free(p);
    return ok;
}
