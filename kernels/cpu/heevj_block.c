/* heevj_block on CPUs; see heevj_block.h for the method. The inner products and the
 * updates are BLAS 3 (heevj_block.inc.c, once per type); the eigenvectors of a pair of
 * blocks are heevj_pair.inc.c, once per type and instruction set.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heevj_block.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/heevj_block_nb.h"
#include "lanes.h"
#include "lapack.h"

#define PAIR_N (2 * ORR_HEEVJ_NB)

/* Sweeps within a pair of blocks. Its matrix fits the L1 cache while the blocks do not,
 * so several there are cheaper than one more sweep over the blocks. */
#ifndef INNER_SWEEPS
#define INNER_SWEEPS 2
#endif

#define BODY "heevj_common.inc.c"
#include "each_type.inc.c"

#define BODY "heevj_pair.inc.c"
#include "each_isa.inc.c"

/* By lanes_level(). */
typedef int pair_fn_s(const float *, float, float, int, const char *, float *, double *);
static pair_fn_s *const pair_evd_s[5] = {
    [0] = pair_evd_v0_s,
#ifdef LANES_X86
    [3] = pair_evd_v3_s,
    [4] = LANES_V4(pair_evd_v4_s),
#endif
};

typedef int pair_fn_d(const double *, double, double, int, const char *, double *, double *);
static pair_fn_d *const pair_evd_d[5] = {
    [0] = pair_evd_v0_d,
#ifdef LANES_X86
    [3] = pair_evd_v3_d,
    [4] = LANES_V4(pair_evd_v4_d),
#endif
};

typedef int pair_fn_c(const float _Complex *, float, float, int, const char *, float _Complex *,
                      double *);
static pair_fn_c *const pair_evd_c[5] = {
    [0] = pair_evd_v0_c,
#ifdef LANES_X86
    [3] = pair_evd_v3_c,
    [4] = LANES_V4(pair_evd_v4_c),
#endif
};

typedef int pair_fn_z(const double _Complex *, double, double, int, const char *, double _Complex *,
                      double *);
static pair_fn_z *const pair_evd_z[5] = {
    [0] = pair_evd_v0_z,
#ifdef LANES_X86
    [3] = pair_evd_v3_z,
    [4] = LANES_V4(pair_evd_v4_z),
#endif
};

int64_t orr_heevj_block_padded(orr_type type, int64_t n)
{
    (void)type;
    return orr_heevj_block_round_up(n);
}

/* The same for all types: looks at flags only. */
static orr_status orr_heevj_block_compact_any(const orr_heevj_args *g, int32_t *active,
                                              orr_matrix_info *info)
{
    const int32_t *rotated = active + 2 + g->count;
    const int32_t max_sweeps = g->max_sweeps > 0 ? g->max_sweeps : 30;
    const int32_t done = ++active[1];
    int32_t kept = 0;
    for (int32_t i = 0; i < active[0]; i++) {
        const int32_t k = active[2 + i];
        if (!rotated[k])
            continue;
        if (done >= max_sweeps)
            info[k].status = ORR_NOCONV;
        else
            active[2 + kept++] = k;
    }
    active[0] = kept;
    return ORR_OK;
}

#define BODY "heevj_block.inc.c"
#include "each_type.inc.c"

orr_heevj_block_start_fn *const orr_heevj_block_start_cpu[ORR_NTYPES] = {
    orr_heevj_block_start_cpu_s,
    orr_heevj_block_start_cpu_d,
    orr_heevj_block_start_cpu_c,
    orr_heevj_block_start_cpu_z,
};
orr_heevj_block_sweep_fn *const orr_heevj_block_sweep_cpu[ORR_NTYPES] = {
    orr_heevj_block_sweep_cpu_s,
    orr_heevj_block_sweep_cpu_d,
    orr_heevj_block_sweep_cpu_c,
    orr_heevj_block_sweep_cpu_z,
};
orr_heevj_block_compact_fn *const orr_heevj_block_compact_cpu[ORR_NTYPES] = {
    orr_heevj_block_compact_any,
    orr_heevj_block_compact_any,
    orr_heevj_block_compact_any,
    orr_heevj_block_compact_any,
};
orr_heevj_block_finish_fn *const orr_heevj_block_finish_cpu[ORR_NTYPES] = {
    orr_heevj_block_finish_cpu_s,
    orr_heevj_block_finish_cpu_d,
    orr_heevj_block_finish_cpu_c,
    orr_heevj_block_finish_cpu_z,
};
orr_heevj_fn *const orr_heevj_block_cpu[ORR_NTYPES] = {
    orr_heevj_block_cpu_s,
    orr_heevj_block_cpu_d,
    orr_heevj_block_cpu_c,
    orr_heevj_block_cpu_z,
};
