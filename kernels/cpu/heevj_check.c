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

#include "kernels/as_s.h"
#include "heevj_common.inc.c"
#include "heevj_check.inc.c"
#include "kernels/as_d.h"
#include "heevj_common.inc.c"
#include "heevj_check.inc.c"
#include "kernels/as_c.h"
#include "heevj_common.inc.c"
#include "heevj_check.inc.c"
#include "kernels/as_z.h"
#include "heevj_common.inc.c"
#include "heevj_check.inc.c"

orr_heevj_check_fn *const orr_heevj_check_cpu[ORR_NTYPES] = {
    orr_heevj_check_cpu_s,
    orr_heevj_check_cpu_d,
    orr_heevj_check_cpu_c,
    orr_heevj_check_cpu_z,
};
