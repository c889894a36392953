/* heevj by two-sided Jacobi with one matrix per SIMD lane; see heevj_jacobi.inc.c for
 * the method. The body is compiled for each scalar type and each instruction set.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heevj.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"

typedef struct {
    int32_t p, q; /* p < q */
} pair;

/* The pairs of one round by the circle method, q ascending. Returns the index that has no
 * partner (n odd), or -1. */
static int64_t pairs_of_round(int64_t n, int64_t round, pair *pairs)
{
    const int64_t ring = n + n % 2 - 1;
    int64_t count = 0, alone = -1;
    for (int64_t i = 0; i <= ring / 2; i++) {
        const int64_t a = (round + i) % ring, b = i == 0 ? ring : (round - i + ring) % ring;
        const pair x = {(int32_t)(a < b ? a : b), (int32_t)(a < b ? b : a)};
        if (x.q == n) {
            alone = x.p;
            continue;
        }
        int64_t k = count++;
        for (; k > 0 && pairs[k - 1].q > x.q; k--)
            pairs[k] = pairs[k - 1];
        pairs[k] = x;
    }
    return alone;
}

typedef orr_status solve_fn(const orr_heevj_args *, void *a, void *w, orr_matrix_info *info);

#define BODY "heevj_common.inc.c"
#include "each_type.inc.c"

#define BODY "heevj_jacobi.inc.c"
#include "each_isa.inc.c"

/* By lanes_level(), then by type. */
static solve_fn *const solve[5][ORR_NTYPES] = {
    [0] = {solve_v0_s, solve_v0_d, solve_v0_c, solve_v0_z},
#ifdef LANES_X86
    [3] = {solve_v3_s, solve_v3_d, solve_v3_c, solve_v3_z},
    [4] = LANES_V4_ROW({solve_v4_s, solve_v4_d, solve_v4_c, solve_v4_z}),
#endif
};

static orr_status orr_heevj_jacobi_cpu_s(const orr_heevj_args *g, void *a, void *w,
                                         orr_matrix_info *info)
{
    return solve[lanes_level()][ORR_S](g, a, w, info);
}

static orr_status orr_heevj_jacobi_cpu_d(const orr_heevj_args *g, void *a, void *w,
                                         orr_matrix_info *info)
{
    return solve[lanes_level()][ORR_D](g, a, w, info);
}

static orr_status orr_heevj_jacobi_cpu_c(const orr_heevj_args *g, void *a, void *w,
                                         orr_matrix_info *info)
{
    return solve[lanes_level()][ORR_C](g, a, w, info);
}

static orr_status orr_heevj_jacobi_cpu_z(const orr_heevj_args *g, void *a, void *w,
                                         orr_matrix_info *info)
{
    return solve[lanes_level()][ORR_Z](g, a, w, info);
}

orr_heevj_fn *const orr_heevj_jacobi_cpu[ORR_NTYPES] = {
    orr_heevj_jacobi_cpu_s,
    orr_heevj_jacobi_cpu_d,
    orr_heevj_jacobi_cpu_c,
    orr_heevj_jacobi_cpu_z,
};
