/* From a reduction to the shape its kernels know. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_HB2ST_ARGS_H
#define ORR_HB2ST_ARGS_H

#include "codelets/band/hb2st.h"
#include "codelets/core/submit.h"
#include "kernels/hb2st.h"

/* Every buffer of these codelets is a StarPU vector. */
#define ORR_PTR(i) ((void *)STARPU_VECTOR_GET_PTR(buf[i]))

/* An implementation that no CPU has: tasks that only accelerators may run. */
#define ORR_NO_CPU (1u << 31)

static inline size_t orr_hb2st_element(orr_type t)
{
    static const size_t bytes[ORR_NTYPES] = {[ORR_S] = 4, [ORR_D] = 8, [ORR_C] = 8, [ORR_Z] = 16};
    return bytes[t];
}

static inline orr_hb2st_shape orr_hb2st_kernel_shape(const struct orr_hb2st *r)
{
    return (orr_hb2st_shape){.n = r->n,
                             .b = r->b,
                             .D = r->D,
                             .G = r->G,
                             .ldh = orr_hb2st_ldh(orr_hb2st_element(r->type), r->b),
                             .lead = orr_hb2st_lead(orr_hb2st_element(r->type)),
                             .sweeps = r->sweeps,
                             .rest = r->rest};
}

static inline void orr_hb2st_place(struct orr_task *t, enum orr_where where)
{
    t->cpu_only = where == ORR_ON_CPU;
    t->cpu_impls = where == ORR_ON_ACCELERATOR ? ORR_NO_CPU : 0;
}

#endif
