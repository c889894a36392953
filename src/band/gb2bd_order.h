/* The tasks T(g,m) of gb2bd's stages, and the order in which they are submitted.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_GB2BD_ORDER_H
#define ORR_SRC_GB2BD_ORDER_H

#include "src/band/band_plan.h"

struct orr_gb2bd_stages {
    const struct orr_gb2bd *r; /* order, D */
    int64_t count;
    struct orr_band_stage stage[ORR_MOST_STAGES];
    int has_rest; /* 1: they have one */
};

int64_t orr_gb2bd_sweeps(const struct orr_gb2bd_stages *, int64_t k);
/* The group of stage k's rest, a sweep of which begins in the last two blocks; or that after the last. */
int64_t orr_gb2bd_rest(const struct orr_gb2bd_stages *, int64_t k);
/* Blocks that columns begin in; in those below qr leaves nothing. */
int64_t orr_gb2bd_column_blocks(const struct orr_gb2bd *);

/* T(g,m) of stage k, and how many tasks must come before it, one after the other. */
struct orr_gb2bd_chase {
    int32_t k, m, depth;
    int64_t g;
};

/* Calls visit(arg, task) for every task: for the stages, for g, for m. This order is that of the plain
 * loop over sweeps as far as two tasks have a block or a carry in common. Returns how many. */
int64_t orr_gb2bd_each_chase(orr_request *, const struct orr_gb2bd_stages *,
                             void (*visit)(void *arg, struct orr_gb2bd_chase *), void *arg);

/* All tasks in order of depth, to be freed, with a ring of so many carries. Two that share data keep
 * their order, so it says the same to StarPU as the order of sweeps; but the first tasks of the next
 * stage come as early as they can run, not behind the last of this one. NULL: a plan, in which an order
 * changes nothing, or the request has failed. */
struct orr_gb2bd_chase *orr_gb2bd_by_depth(orr_request *, const struct orr_gb2bd_stages *,
                                           int64_t carries, int64_t *count);

#endif
