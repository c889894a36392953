/* From a reduction to the arguments of its kernels. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_GB2BD_ARGS_H
#define ORR_GB2BD_ARGS_H

#include "codelets/band/gb2bd.h"
#include "codelets/core/task.h"
#include "kernels/gb2bd.h"

static inline orr_gb2bd_band orr_gb2bd_kernel_band(const struct orr_gb2bd *a)
{
    return orr_gb2bd_layout(a->type, a->order, a->rows, a->low, a->b, a->tw);
}

static inline orr_gb2bd_source orr_gb2bd_kernel_source(const struct orr_gb2bd *a)
{
    return (orr_gb2bd_source){.ab = a->ab,
                              .m = a->m,
                              .n = a->n,
                              .kl = a->kl,
                              .ku = a->ku,
                              .ldab = a->ldab,
                              .transposed = a->transposed != a->by_rows,
                              .scale = a->scale};
}

#endif
