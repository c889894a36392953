/* The tridiagonal stage of heev on CPUs, by LAPACK and heev_bisect.c: it is real, whatever the
 * type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heev_bisect.h"
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
orr_heev_count_fn *const orr_heev_count_cpu[ORR_NTYPES] = {
    orr_heev_count_cpu_s,
    orr_heev_count_cpu_d,
    orr_heev_count_cpu_s,
    orr_heev_count_cpu_d,
};
orr_heev_confine_fn *const orr_heev_confine_cpu[ORR_NTYPES] = {
    orr_heev_confine_cpu_s,
    orr_heev_confine_cpu_d,
    orr_heev_confine_cpu_s,
    orr_heev_confine_cpu_d,
};
orr_heev_ascend_fn *const orr_heev_ascend_cpu[ORR_NTYPES] = {
    orr_heev_ascend_cpu_s,
    orr_heev_ascend_cpu_d,
    orr_heev_ascend_cpu_s,
    orr_heev_ascend_cpu_d,
};
orr_heev_vectors_fn *const orr_heev_vectors_cpu[ORR_NTYPES] = {
    orr_heev_vectors_cpu_s,
    orr_heev_vectors_cpu_d,
    orr_heev_vectors_cpu_s,
    orr_heev_vectors_cpu_d,
};
orr_heev_some_fn *const orr_heev_some_cpu[ORR_NTYPES] = {
    orr_heev_some_cpu_s,
    orr_heev_some_cpu_d,
    orr_heev_some_cpu_s,
    orr_heev_some_cpu_d,
};
