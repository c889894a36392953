/* From a reduction to what its kernels know, and to whom its tasks belong.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_GE2GB_ARGS_H
#define ORR_GE2GB_ARGS_H

#include "codelets/dense/ge2gb.h"
#include "kernels/ge2gb.h"

static inline orr_ge2gb_step orr_ge2gb_kernel_step(const struct orr_ge2gb *r, int side, int64_t k)
{
    return (orr_ge2gb_step){.m = r->m,
                            .n = r->n,
                            .b = r->b,
                            .tile = r->T,
                            .k = k,
                            .right = side == ORR_RIGHT,
                            .stacked = r->stacked};
}

/* V or S of step k. */
static inline starpu_data_handle_t orr_ge2gb_kept(const struct orr_ge2gb_side *x,
                                                  starpu_data_handle_t *h, int64_t k)
{
    return h[k % x->kept];
}

/* The memory of the owner of tile column j, for a task of his; 0: there are no owners. */
static inline int orr_ge2gb_node_of(const struct orr_ge2gb *r, int64_t j)
{
    return r->owners.count ? r->owners.node[orr_owner_of(&r->owners, j)] : 0;
}

#endif
