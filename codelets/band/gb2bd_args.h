/* From a reduction to the arguments of its kernels. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_GB2BD_ARGS_H
#define ORR_GB2BD_ARGS_H

#include "codelets/band/gb2bd.h"
#include "codelets/core/submit.h"
#include "kernels/gb2bd.h"

/* ORR_MODELS, with half precision. */
#define ORR_GB2BD_MODELS(stem)                                                                     \
    {                                                                                              \
        [ORR_S] = ORR_MODEL(stem "_s"), [ORR_D] = ORR_MODEL(stem "_d"),                            \
        [ORR_C] = ORR_MODEL(stem "_c"), [ORR_Z] = ORR_MODEL(stem "_z"),                            \
        [ORR_H] = ORR_MODEL(stem "_h")                                                             \
    }

/* Every buffer of these codelets is a StarPU vector. */
#define ORR_PTR(i) ((void *)STARPU_VECTOR_GET_PTR(buf[i]))

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
                              .transposed = a->transposed,
                              .scale = a->scale};
}

#endif
