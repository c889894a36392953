/* ge2gb_apply on CPUs; see ge2gb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ge2gb.h"
#include "reflectors.h"

#define BODY "multiply.inc.c"
#include "each_type.inc.c"

#define BODY "ge2gb_apply.inc.c"
#include "each_isa.inc.c"

static orr_ge2gb_apply_fn *const best[5][ORR_NTYPES] = LANES_LEVELS(apply);

#define OF_TYPE(type, t)                                                                           \
    static orr_status apply_##t(orr_stream stream, const orr_ge2gb_step *x, const void *const *v,  \
                                const void *const *s, int joined, int64_t c, void *e, int64_t lde, \
                                void *work)                                                        \
    {                                                                                              \
        return best[lanes_level()][type](stream, x, v, s, joined, c, e, lde, work);                \
    }
OF_TYPE(ORR_S, s)
OF_TYPE(ORR_D, d)
OF_TYPE(ORR_C, c)
OF_TYPE(ORR_Z, z)
orr_ge2gb_apply_fn *const orr_ge2gb_apply_cpu[ORR_NTYPES] = {apply_s, apply_d, apply_c, apply_z};
