/* hb2st_apply on CPUs: products of matrices by BLAS. The body is hb2st_apply.inc.c, once per
 * type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/hb2st_apply.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lapack.h"

/* The most sweeps that are combined. */
#define ORR_STRIP 64

#define BODY "hb2st_apply.inc.c"
#include "each_type.inc.c"

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
