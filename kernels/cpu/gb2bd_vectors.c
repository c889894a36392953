/* What singular vectors of gb2bd need besides hb2st_apply: the reflectors of qr, and phases.
 * See kernels/gb2bd.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gb2bd.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lapack.h"

/* The most reflectors that are combined. */
#define ORR_STRIP 64

#define BODY "gb2bd_vectors.inc.c"
#include "each_type.inc.c"

orr_gb2bd_qr_apply_fn *const orr_gb2bd_qr_apply_cpu[ORR_NTYPES] = {
    orr_gb2bd_qr_apply_cpu_s,
    orr_gb2bd_qr_apply_cpu_d,
    orr_gb2bd_qr_apply_cpu_c,
    orr_gb2bd_qr_apply_cpu_z,
};
orr_gb2bd_phases_fn *const orr_gb2bd_phases_cpu[ORR_GB2BD_NTYPES] = {
    [ORR_C] = orr_gb2bd_phases_cpu_c,
    [ORR_Z] = orr_gb2bd_phases_cpu_z,
};
