/* The back-transformation of heev's direct reduction on CPUs; see heev_reduce.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/heev_reduce.h"
#include "reflectors.h"

#define BODY "heev_back.inc.c"
#include "each_isa.inc.c"

/* By lanes_level(), then by type. */
static orr_heev_back_fn *const back[5][ORR_NTYPES] = {
    [0] = {back_v0_s, back_v0_d, back_v0_c, back_v0_z},
#ifdef LANES_X86
    [3] = {back_v3_s, back_v3_d, back_v3_c, back_v3_z},
    [4] = LANES_V4_ROW({back_v4_s, back_v4_d, back_v4_c, back_v4_z}),
#endif
};

orr_status orr_heev_back_cpu(const orr_heev_reduction *g, int64_t k, void *e, int64_t lde)
{
    return back[lanes_level()][g->type](g, k, e, lde);
}
