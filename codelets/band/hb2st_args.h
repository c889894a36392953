/* From a reduction to the shape its kernels know. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_HB2ST_ARGS_H
#define ORR_HB2ST_ARGS_H

#include "codelets/band/hb2st.h"
#include "codelets/core/task.h"
#include "kernels/hb2st.h"

static inline orr_hb2st_shape orr_hb2st_kernel_shape(const struct orr_hb2st *r)
{
    return (orr_hb2st_shape){.n = r->n,
                             .b = r->b,
                             .D = r->D,
                             .G = r->G,
                             .ldh = orr_hb2st_ldh(orr_element_size(r->type), r->b),
                             .lead = orr_hb2st_lead(orr_element_size(r->type)),
                             .sweeps = r->sweeps,
                             .rest = r->rest,
                             .late = r->late,
                             .first = r->first};
}

#endif
