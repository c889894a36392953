/* heevj by LAPACK's divide and conquer, one matrix after the other. LAPACK may loop for
 * ever on NaN and infinity, so matrices are screened first; they are scaled as in the
 * other methods, so that all of them take the same range of numbers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heevj.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lapack.h"

#define BODY "heevj_common.inc.c"
#include "each_type.inc.c"
#define BODY "heevj_lapack.inc.c"
#include "each_type.inc.c"

orr_heevj_fn *const orr_heevj_lapack_cpu[ORR_NTYPES] = {
    orr_heevj_lapack_cpu_s,
    orr_heevj_lapack_cpu_d,
    orr_heevj_lapack_cpu_c,
    orr_heevj_lapack_cpu_z,
};
