/* How hb2st and gb2bd cut a band into tasks, and where these run.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_BAND_PLAN_H
#define ORR_SRC_BAND_PLAN_H

#include "codelets/core/least.h"
#include "src/core/internal.h"

enum { ORR_MOST_STAGES = 512 };

/* A stage takes the bandwidth from b to b - tw, in groups of G sweeps. */
struct orr_band_stage {
    int64_t b, tw, G;
};

/* What was chosen besides D and G. Seconds are negative where nobody knows. */
struct orr_band_plan {
    orr_place place;    /* auto: the scheduler decides, task by task */
    int64_t split;      /* with split: blocks of the accelerator */
    double seconds;     /* predicted, of all tasks but those for vectors */
    double compared[3]; /* auto had a choice: on CPUs, on devices, on both; else negative */
    char from[160];     /* from what */
};

/* The most sweeps that a group may have with blocks of D columns. */
int64_t orr_plan_most_sweeps(int64_t D, int64_t b);

/* Fills D and G of r, whose n, b and sweeps are known. NULL, or what is wrong with the caller's
 * own D and G. */
const char *orr_plan_hb2st(struct orr_hb2st *r, const orr_hb2st_opts *, orr_context *,
                           struct orr_band_plan *);

/* Fills D of r and G of the stages. */
void orr_plan_gb2bd(struct orr_gb2bd *r, struct orr_band_stage *, int64_t stages,
                    const orr_gb2bd_opts *, orr_context *, struct orr_band_plan *);

/* Where the tasks T(g,m) may run. With split the first blocks belong to an accelerator, the others to
 * CPUs: a group crosses once, with its carry; T(g,split) fetches the border block H[split-1], and
 * the next group takes it back. Nothing else of the band moves. */
enum orr_where orr_plan_where(const struct orr_band_plan *, int64_t m);

/* The plan as members of a JSON object, with a comma before each. Returns their length. */
int orr_plan_print(const struct orr_band_plan *, char *text, size_t room);

/* 1: so few operations on numbers of the type that waking workers would cost more than they save. */
int orr_plan_small(const orr_context *, orr_type, double operations);

/* How many times as fast as one CPU worker all of them chase the bulges of a narrow band: two 1.5 times at n = 1000, 1.7
 * times at 2000. */
static inline double orr_band_gain(const orr_context *ctx, int64_t n)
{
    const double fed = (double)orr_most(n, 650) / 650, busy = 0.85 * ctx->info.cpu;
    return busy < 1 ? 1 : fed < busy ? fed : busy;
}

/* The bandwidth as which a band of b diagonals, of order n, is chased. There are n^2 / 2b hops, and one costs a CPU as
 * much up to some 8 diagonals; so a narrower band gets diagonals of zeros. What a device makes of that is not known. */
static inline int64_t orr_band_chased(int64_t b, int64_t n, orr_place place)
{
    const int cpus = place == ORR_PLACE_AUTO || place == ORR_PLACE_CPU;
    return b < 2 || !cpus ? b : orr_most(b, orr_least(8, n - 1));
}

#endif
