/* From a chunk to the arguments of its kernels. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_HEEVJ_ARGS_H
#define ORR_HEEVJ_ARGS_H

#include "codelets/heevj/heevj.h"
#include "kernels/heevj.h"

static inline orr_heevj_args orr_heevj_kernel_args(const struct orr_heevj_chunk *c)
{
    return (orr_heevj_args){.n = c->n,
                            .count = c->count,
                            .ld = c->ld,
                            .stride = c->stride,
                            .ldw = c->ldw,
                            .vectors = c->vectors,
                            .upper = c->upper,
                            .max_sweeps = c->max_sweeps,
                            .tol = c->tol};
}

#endif
