/* heevj_check on CPUs; see heevj_check.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heevj_check.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lapack.h"

#define BODY "heevj_common.inc.c"
#include "each_type.inc.c"
#define BODY "heevj_check.inc.c"
#include "each_type.inc.c"

orr_heevj_check_fn *const orr_heevj_check_cpu[ORR_NTYPES] = {
    orr_heevj_check_cpu_s,
    orr_heevj_check_cpu_d,
    orr_heevj_check_cpu_c,
    orr_heevj_check_cpu_z,
};
