/* See rcm.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/data/rcm.h"

#include <stdlib.h>

struct graph {
    const int64_t *start, *at;
    int64_t *level; /* of a node in the last search; -1: not reached, -2: ordered already */
};

static int64_t degree(const struct graph *g, int64_t i) { return g->start[i + 1] - g->start[i]; }

/* Nodes in the order in which a breadth-first search from `root` meets them; returns how many,
 * and sets levels. With `sorted` the new neighbours of a node come by ascending degree. */
static int64_t search(const struct graph *g, int64_t root, int sorted, int64_t *queue)
{
    int64_t count = 0;
    queue[count++] = root;
    g->level[root] = 0;
    for (int64_t head = 0; head < count; head++) {
        const int64_t i = queue[head], first = count;
        for (int64_t k = g->start[i]; k < g->start[i + 1]; k++) {
            const int64_t j = g->at[k];
            if (g->level[j] != -1)
                continue;
            g->level[j] = g->level[i] + 1;
            int64_t to = count++;
            for (; sorted && to > first && degree(g, queue[to - 1]) > degree(g, j); to--)
                queue[to] = queue[to - 1];
            queue[to] = j;
        }
    }
    return count;
}

static void forget(const struct graph *g, const int64_t *queue, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        g->level[queue[k]] = -1;
}

/* A node from which the component of `root` is deep: repeatedly, a node of least degree in the
 * last level of the search from the one before. */
static int64_t far_away(const struct graph *g, int64_t root, int64_t *queue)
{
    int64_t depth = -1;
    for (;;) {
        const int64_t count = search(g, root, 0, queue);
        const int64_t last = g->level[queue[count - 1]];
        int64_t best = queue[count - 1];
        for (int64_t k = count - 1; k >= 0 && g->level[queue[k]] == last; k--)
            if (degree(g, queue[k]) < degree(g, best))
                best = queue[k];
        forget(g, queue, count);
        if (last <= depth)
            return root;
        depth = last;
        root = best;
    }
}

int cli_rcm(int64_t n, const int64_t *start, const int64_t *at, int64_t *order)
{
    struct graph g = {.start = start, .at = at, .level = malloc((size_t)(n + 1) * sizeof *g.level)};
    if (!g.level)
        return 0;
    for (int64_t i = 0; i < n; i++)
        g.level[i] = -1;
    int64_t done = 0;
    for (int64_t i = 0; i < n; i++)
        if (g.level[i] == -1) /* a component that was not met yet */
            done += search(&g, far_away(&g, i, order + done), 1, order + done);
    for (int64_t k = 0; k < n / 2; k++) {
        const int64_t other = order[n - 1 - k];
        order[n - 1 - k] = order[k];
        order[k] = other;
    }
    free(g.level);
    return 1;
}
