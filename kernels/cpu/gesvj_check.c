/* gesvj_check on CPUs; see gesvj.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvj.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lapack.h"

#define BODY "gesvj_check.inc.c"
#include "each_type.inc.c"

orr_gesvj_check_fn *const orr_gesvj_check_cpu[ORR_NTYPES] = {
    orr_gesvj_check_cpu_s,
    orr_gesvj_check_cpu_d,
    orr_gesvj_check_cpu_c,
    orr_gesvj_check_cpu_z,
};
