/* Replays the wavefront: task T(g,m) of depth 2g + m works on blocks m-1 and m. In order of depth
 * each goes to the worker of its kind that is free first, and starts when both its blocks are. The
 * groups of all stages follow each other, so the next stage is only more groups.
 *
 *     blocks   0  1  2  3  4  5
 *     g = 0    0  1  2  3  4  5       depth: tasks of one depth share no block
 *     g = 1       3  4  5  6  7       (here group 1 begins in block 1)
 *     g = 2          6  7  8  9
 *
 * Hops are counted as columns over b, parts of a hop too. A block that was last on another memory
 * node is moved first.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/band/band_wave.h"

#include <math.h>
#include <stdlib.h>

#include "codelets/core/least.h"

static double later(double x, double y) { return x > y ? x : y; }

struct group {
    const struct orr_wave_stage *stage;
    int64_t sweep, count; /* its first, and how many */
    int rest;             /* 1: one task, in the last block */
};

struct block {
    double free; /* when its last task ends */
    int kind;    /* where it was */
};

struct replay {
    const struct orr_wave *w;
    int64_t blocks, groups;
    struct group *group;
    struct block *block;
    double *free[ORR_WAVE_KINDS]; /* when each worker is: a heap */
};

static int64_t groups_of(const struct orr_wave_stage *s) { return (s->sweeps + s->G - 1) / s->G; }

/* Columns that sweep i of the group has passed when block m is done. */
static int64_t passed(const struct replay *r, const struct group *g, int64_t i, int64_t m)
{
    const int64_t bound = (m + 1) * r->w->D - i * (g->stage->b - 1);
    return m == r->blocks - 1 ? r->w->n : orr_most(orr_least(bound, r->w->n), g->sweep + i);
}

static double hops(const struct replay *r, const struct group *g, int64_t m)
{
    const int64_t last = g->count - 1, b = g->stage->b, D = r->w->D;
    int64_t columns = 0;
    if (g->rest)
        columns = m < r->blocks - 1 ? 0 : g->count * (r->w->n - g->sweep) - g->count * last / 2;
    else if (m + 1 < r->blocks && (m + 1) * D <= r->w->n &&
             m * D - last * (b - 1) > g->sweep + last)
        columns = g->count * D; /* inside: as many in every sweep */
    else
        for (int64_t i = 0; i <= last; i++)
            columns += passed(r, g, i, m) - (m > 0 ? passed(r, g, i, m - 1) : g->sweep + i);
    return (double)columns / (double)b;
}

/* The first of `free` is the least, and each no more than the two after it, 2 i + 1 and 2 i + 2:
 * put the first where it belongs. */
static void sift(double *free, int64_t count)
{
    const double x = free[0];
    int64_t i = 0, child;
    while ((child = 2 * i + 1) < count) {
        child += child + 1 < count && free[child + 1] < free[child];
        if (free[child] >= x)
            break;
        free[i] = free[child];
        i = child;
    }
    free[i] = x;
}

/* The moment from which the block can be used by a worker of this kind. */
static double arrival(const struct replay *r, const struct block *b, int kind)
{
    return b->free + (b->kind != kind ? r->w->move : 0);
}

static void run_task(struct replay *r, const struct group *g, int64_t m)
{
    const double count = hops(r, g, m);
    if (count <= 0)
        return;
    const int kind = m < r->w->split ? ORR_WAVE_DEVICE : ORR_WAVE_CPU;
    struct block *here = &r->block[m], *before = m > 0 ? here - 1 : here;
    double *worker = r->free[kind];
    const double ready = later(arrival(r, here, kind), arrival(r, before, kind));
    const double end = later(*worker, ready) + r->w->overhead + g->stage->hop[kind] * count;
    *here = *before = (struct block){.free = end, .kind = kind};
    *worker = end;
    sift(worker, r->w->workers[kind]);
}

static void run_all(struct replay *r)
{
    for (int64_t depth = 0; depth < 2 * r->groups + r->blocks - 2; depth++) {
        const int64_t last = orr_least(depth / 2, r->groups - 1);
        for (int64_t g = orr_most((depth - r->blocks + 2) / 2, 0); g <= last; g++)
            if (depth - 2 * g >= r->group[g].sweep / r->w->D)
                run_task(r, &r->group[g], depth - 2 * g);
    }
}

/* The groups of a stage. Returns where the next stage's begin. */
static struct group *make_groups(const struct replay *r, const struct orr_wave_stage *stage,
                                 struct group *g)
{
    const int64_t two_left = r->w->rest && r->blocks > 1 ? (r->blocks - 2) * r->w->D : INT64_MAX;
    int64_t s = 0;
    for (; s < stage->sweeps && s < two_left; s += stage->G)
        *g++ = (struct group){stage, s, orr_least(stage->G, stage->sweeps - s), 0};
    if (s < stage->sweeps)
        *g++ = (struct group){stage, s, stage->sweeps - s, 1};
    return g;
}

static int make(struct replay *r)
{
    const struct orr_wave *w = r->w;
    r->blocks = orr_most((w->n + w->D - 1) / w->D, 1);
    for (int64_t k = 0; k < w->stages; k++)
        r->groups += groups_of(&w->stage[k]);
    r->group = calloc((size_t)r->groups + 1, sizeof *r->group);
    r->block = calloc((size_t)r->blocks, sizeof *r->block);
    for (int kind = 0; kind < ORR_WAVE_KINDS; kind++)
        r->free[kind] = calloc((size_t)w->workers[kind] + 1, sizeof **r->free);
    if (!r->group || !r->block || !r->free[0] || !r->free[1])
        return 0;
    struct group *g = r->group;
    for (int64_t k = 0; k < w->stages; k++)
        g = make_groups(r, &w->stage[k], g);
    r->groups = g - r->group;
    return 1;
}

/* All blocks are wanted in main memory in the end. */
static double end_of(const struct replay *r)
{
    double end = 0, back = 0;
    for (int64_t m = 0; m < r->blocks; m++) {
        end = later(end, r->block[m].free);
        back += r->block[m].kind == ORR_WAVE_DEVICE ? r->w->move : 0;
    }
    return end + back;
}

double orr_wave_seconds(const struct orr_wave *w)
{
    struct replay r = {.w = w};
    double seconds = -1;
    if (make(&r)) {
        run_all(&r);
        seconds = end_of(&r);
    }
    free(r.group);
    free(r.block);
    free(r.free[0]);
    free(r.free[1]);
    return seconds;
}

/* ---- Without a replay ------------------------------------------------------------------------ */

/* Of a stage with work per square of the columns left, on so many workers: with x columns left
 * x / (2 D) tasks run side by side, at most all workers and at least one. */
static double stage_seconds(const struct orr_wave *w, double work, double workers)
{
    const double n = (double)w->n, D = (double)w->D;
    const double one = fmin(2 * D, n), all = fmin(2 * D * workers, n);
    return work * ((n * n - all * all) / workers + 4 * D * (all - one) + one * one);
}

struct orr_wave_rough orr_wave_estimate(const struct orr_wave *w)
{
    const int64_t blocks = (w->n + w->D - 1) / w->D;
    const double on_device = w->split >= blocks && w->workers[ORR_WAVE_DEVICE] > 0 ? 1
                             : w->split > 0                                        ? 0.5
                                                                                   : 0;
    const double part[ORR_WAVE_KINDS] = {1 - on_device, on_device};
    struct orr_wave_rough sum = {0, 0};
    double workers = 0;
    for (int kind = 0; kind < ORR_WAVE_KINDS; kind++)
        workers += part[kind] > 0 ? w->workers[kind] : 0;
    for (int64_t k = 0; k < w->stages; k++) {
        const struct orr_wave_stage *s = &w->stage[k];
        const double n = (double)w->n, sweeps = (double)s->sweeps;
        const double tasks = sweeps / (double)s->G * (n / (double)w->D + 2) / 2;
        double speed = 0; /* hops per second of all workers */
        for (int kind = 0; kind < ORR_WAVE_KINDS; kind++)
            speed += part[kind] > 0 ? w->workers[kind] / s->hop[kind] : 0;
        const double hops = sweeps * (n - sweeps / 2) / (double)s->b;
        const double work = hops * workers / speed + tasks * w->overhead;
        sum.seconds += stage_seconds(w, work / (n * n), workers);
        sum.tasks += tasks;
    }
    return sum;
}
