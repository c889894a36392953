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

#define BODY "multiply.inc.c"
#include "each_type.inc.c"

#define BODY "heev_back.inc.c"
#include "each_isa.inc.c"

static orr_heev_back_fn *const best[5][ORR_NTYPES] = LANES_LEVELS(back);

orr_status orr_heev_back_cpu(const orr_heev_reduction *g, int64_t k, void *e, int64_t lde)
{
    return best[lanes_level()][g->type](g, k, e, lde);
}
