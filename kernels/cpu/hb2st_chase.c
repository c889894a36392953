/* hb2st_chase on CPUs: the body hb2st_chase.inc.c for each scalar type and each instruction
 * set, chosen at run time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/hb2st_chase.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lanes_sum.h"

/* Below this, squares of entries that matter may have underflowed. */
#define TINY (SAFMIN / (EPS * EPS))

/* Of most processors: 32 to 48 KB, less what else is in use. */
#define L1_BYTES (24 * 1024)

/* Row vectors of a block that are summed in registers at once. */
#define STRIP (LANE_BYTES == 64 ? 5 : 3)
#define BODY  "hb2st_chase.inc.c"
#include "each_isa.inc.c"

/* By level_of(), then by type. */
static orr_hb2st_chase_fn *const chase[5][ORR_NTYPES] = {
    [0] = {chase_v0_s, chase_v0_d, chase_v0_c, chase_v0_z},
#ifdef LANES_X86
    [3] = {chase_v3_s, chase_v3_d, chase_v3_c, chase_v3_z},
    [4] = LANES_V4_ROW({chase_v4_s, chase_v4_d, chase_v4_c, chase_v4_z}),
#endif
};

/* Where vectors are halved, AVX2 is faster for real types: measured, 7 to 20 % on a Zen 4. */
static int level_of(orr_type type)
{
    return lanes_halved() && (type == ORR_S || type == ORR_D) ? 3 : lanes_level();
}

/* With AVX-512 and real types, where a hop has left the L1 cache: measured (docs/algorithms/hb2st.md). */
int orr_hb2st_chase_cpu_late(orr_type type, int64_t b)
{
    const int64_t least[ORR_NTYPES] = {[ORR_S] = 112, [ORR_D] = 96};
    return least[type] > 0 && b >= least[type] && level_of(type) == 4;
}

/* b = 1, complex: multiply rows by phases. */
#include "kernels/as_c.h"
#include "hb2st_phases.inc.c"
#include "kernels/as_z.h"
#include "hb2st_phases.inc.c"

static orr_status orr_hb2st_chase_cpu_s(const orr_hb2st_shape *a, int64_t g, int64_t m, void *h0,
                                        void *h1, void *carry, void *v)
{
    return chase[level_of(ORR_S)][ORR_S](a, g, m, h0, h1, carry, v);
}

static orr_status orr_hb2st_chase_cpu_d(const orr_hb2st_shape *a, int64_t g, int64_t m, void *h0,
                                        void *h1, void *carry, void *v)
{
    return chase[level_of(ORR_D)][ORR_D](a, g, m, h0, h1, carry, v);
}

static orr_status orr_hb2st_chase_cpu_c(const orr_hb2st_shape *a, int64_t g, int64_t m, void *h0,
                                        void *h1, void *carry, void *v)
{
    if (a->b == 1)
        return phases_c(a, h1, v);
    return chase[level_of(ORR_C)][ORR_C](a, g, m, h0, h1, carry, v);
}

static orr_status orr_hb2st_chase_cpu_z(const orr_hb2st_shape *a, int64_t g, int64_t m, void *h0,
                                        void *h1, void *carry, void *v)
{
    if (a->b == 1)
        return phases_z(a, h1, v);
    return chase[level_of(ORR_Z)][ORR_Z](a, g, m, h0, h1, carry, v);
}

orr_hb2st_chase_fn *const orr_hb2st_chase_cpu[ORR_NTYPES] = {
    orr_hb2st_chase_cpu_s,
    orr_hb2st_chase_cpu_d,
    orr_hb2st_chase_cpu_c,
    orr_hb2st_chase_cpu_z,
};
