/* hb2st_apply on CPUs: reflectors in registers (hb2st_apply_rows.inc.c, for each scalar type and
 * each instruction set, chosen at run time), or products of matrices by BLAS (hb2st_apply.inc.c)
 * where that was measured to be as fast: narrow bands, wide complex ones, and complex types
 * without AVX2.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/hb2st_apply.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lapack.h"
#include "reflectors.h"

/* The most sweeps that are combined. */
#define ORR_STRIP 64

#define BODY "hb2st_apply.inc.c"
#include "each_type.inc.c"

#define BODY "hb2st_apply_rows.inc.c"
#include "each_isa.inc.c"

enum { LEAST_B = 8, MOST_COMPLEX_B = 96 };

/* By lanes_level(), then by type. */
static orr_hb2st_apply_fn *const rows[5][ORR_NTYPES] = {
    [0] = {apply_v0_s, apply_v0_d, apply_v0_c, apply_v0_z},
#ifdef LANES_X86
    [3] = {apply_v3_s, apply_v3_d, apply_v3_c, apply_v3_z},
    [4] = LANES_V4_ROW({apply_v4_s, apply_v4_d, apply_v4_c, apply_v4_z}),
#endif
};

static orr_hb2st_apply_fn *const products[ORR_NTYPES] = {products_s, products_d, products_c,
                                                         products_z};

static orr_hb2st_apply_fn *choose(orr_type t, int64_t b)
{
    const int level = lanes_level(), is_complex = t == ORR_C || t == ORR_Z;
    if (b < LEAST_B || (is_complex && (b > MOST_COMPLEX_B || level == 0)))
        return products[t];
    return rows[level][t];
}

static orr_status orr_hb2st_apply_cpu_s(const orr_hb2st_shape *a, int64_t g, int64_t groups,
                                        const void *const *v, int adjoint, int64_t k, void *e,
                                        int64_t lde)
{
    return choose(ORR_S, a->b)(a, g, groups, v, adjoint, k, e, lde);
}

static orr_status orr_hb2st_apply_cpu_d(const orr_hb2st_shape *a, int64_t g, int64_t groups,
                                        const void *const *v, int adjoint, int64_t k, void *e,
                                        int64_t lde)
{
    return choose(ORR_D, a->b)(a, g, groups, v, adjoint, k, e, lde);
}

static orr_status orr_hb2st_apply_cpu_c(const orr_hb2st_shape *a, int64_t g, int64_t groups,
                                        const void *const *v, int adjoint, int64_t k, void *e,
                                        int64_t lde)
{
    return choose(ORR_C, a->b)(a, g, groups, v, adjoint, k, e, lde);
}

static orr_status orr_hb2st_apply_cpu_z(const orr_hb2st_shape *a, int64_t g, int64_t groups,
                                        const void *const *v, int adjoint, int64_t k, void *e,
                                        int64_t lde)
{
    return choose(ORR_Z, a->b)(a, g, groups, v, adjoint, k, e, lde);
}

orr_hb2st_apply_fn *const orr_hb2st_apply_cpu[ORR_NTYPES] = {
    orr_hb2st_apply_cpu_s,
    orr_hb2st_apply_cpu_d,
    orr_hb2st_apply_cpu_c,
    orr_hb2st_apply_cpu_z,
};
orr_hb2st_unit_fn *const orr_hb2st_unit_cpu[ORR_NTYPES] = {
    orr_hb2st_unit_cpu_s,
    orr_hb2st_unit_cpu_d,
    orr_hb2st_unit_cpu_c,
    orr_hb2st_unit_cpu_z,
};
