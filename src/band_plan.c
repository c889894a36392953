/* How hb2st and gb2bd cut a band: D columns (gb2bd: rows) to a block, G sweeps to a group.
 *
 * The graph keeps n / (4 D) tasks busy on average, and a task takes a time that goes with D^2
 * whatever the bandwidth is: 100 us on one core at D = 512, double precision.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/band_plan.h"

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t most(int64_t x, int64_t y) { return x > y ? x : y; }

enum {
    WAVES = 5,           /* D = n / (WAVES * workers), within these bounds: */
    HB2ST_LEAST_D = 256, /* below, a task is not long against its management */
    GB2BD_LEAST_D = 384,
    MOST_D = 512,        /* above, longer tasks gain nothing */
    ALIGNMENT = 16       /* of blocks: a row or column then begins at a cache line in all of them */
};

static int64_t aligned(int64_t D) { return (D + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

int64_t orr_plan_most_sweeps(int64_t D, int64_t b)
{
    return b > 1 ? (D - b) / (b - 1) + 1 : D;
}

const char *orr_plan_hb2st(struct orr_hb2st *r, const orr_hb2st_opts *o, const orr_context *ctx)
{
    const int64_t workers = most(ctx->info.cpu, 1);
    const int64_t n = r->n, b = r->b, sweeps = r->sweeps;
    r->D = o->D;
    r->G = o->G;
    if (!r->D) {
        r->D = least(most(n / (WAVES * workers), HB2ST_LEAST_D), MOST_D);
        const int64_t sweeps_of = r->G ? r->G : orr_plan_most_sweeps(most(r->D, 2 * b), b);
        r->D = b > 1 ? (sweeps_of - 1) * (b - 1) + b : r->D; /* no more than they need */
        r->D = aligned(r->D);
    }
    if (r->D >= n || b <= 1) {
        r->D = most(n, 1);
        r->G = r->G && b > 1 ? r->G : most(sweeps, 1);
        return NULL;
    }
    if (r->D < b)
        return "D is less than the bandwidth";
    if (!r->G)
        r->G = orr_plan_most_sweeps(r->D, b);
    return r->G <= orr_plan_most_sweeps(r->D, b) ? NULL : "D is less than (G-1)(b-1) + b";
}

void orr_plan_gb2bd(struct orr_gb2bd *r, struct orr_band_stage *stage, int64_t stages,
                    const orr_gb2bd_opts *o, const orr_context *ctx)
{
    const int64_t workers = most(ctx->info.cpu + ctx->info.cuda + ctx->info.opencl, 1);
    const int64_t b = r->b;
    int64_t D = o->rows;
    if (!D) {
        D = r->order / (WAVES * workers);
        D = most(most(least(D, MOST_D), GB2BD_LEAST_D), 3 * (b - 1));
        D = b > 1 ? D / (b - 1) * (b - 1) : D; /* no more than the sweeps of the first stage need */
    }
    if (o->sweeps)
        D = most(D, o->sweeps * (b - 1));
    r->D = aligned(most(D, most(most(b - 1, r->low), 1)));
    for (int64_t k = 0; k < stages; k++) {
        stage[k].G = r->D / (stage[k].b - 1);
        if (o->sweeps)
            stage[k].G = least(stage[k].G, o->sweeps);
    }
}
