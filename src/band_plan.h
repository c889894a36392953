/* How hb2st and gb2bd cut a band into tasks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_BAND_PLAN_H
#define ORR_SRC_BAND_PLAN_H

#include "src/internal.h"

/* A stage takes the bandwidth from b to b - tw, in groups of G sweeps. */
struct orr_band_stage {
    int64_t b, tw, G;
};

/* The most sweeps that a group may have with blocks of D columns. */
int64_t orr_plan_most_sweeps(int64_t D, int64_t b);

/* Fills D and G of r, whose n, b and sweeps are known. NULL, or what is wrong with the caller's
 * own D and G. */
const char *orr_plan_hb2st(struct orr_hb2st *r, const orr_hb2st_opts *, const orr_context *);

/* Fills D of r and G of the stages. */
void orr_plan_gb2bd(struct orr_gb2bd *r, struct orr_band_stage *, int64_t stages,
                    const orr_gb2bd_opts *, const orr_context *);

#endif
