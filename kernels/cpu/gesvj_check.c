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

#include "kernels/as_s.h"
#include "gesvj_check.inc.c"
#include "kernels/as_d.h"
#include "gesvj_check.inc.c"
#include "kernels/as_c.h"
#include "gesvj_check.inc.c"
#include "kernels/as_z.h"
#include "gesvj_check.inc.c"

orr_gesvj_check_fn *const orr_gesvj_check_cpu[ORR_NTYPES] = {
    orr_gesvj_check_cpu_s,
    orr_gesvj_check_cpu_d,
    orr_gesvj_check_cpu_c,
    orr_gesvj_check_cpu_z,
};
