/* The tridiagonal stage of heev on CPUs, by LAPACK: real types only, complex ones have the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#include "heev_lapack.h"

#include "kernels/as_s.h"
#include "heev.inc.c"
#include "kernels/as_d.h"
#include "heev.inc.c"

orr_heev_values_fn *const orr_heev_values_cpu[ORR_NTYPES] = {
    orr_heev_values_cpu_s,
    orr_heev_values_cpu_d,
    orr_heev_values_cpu_s,
    orr_heev_values_cpu_d,
};
