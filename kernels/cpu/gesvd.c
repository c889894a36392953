/* The bidiagonal stage of gesvd on CPUs, by LAPACK and gesvd_bisect.c: it is real, whatever
 * the type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gesvd_bisect.h"
#include "gesvd_lapack.h"

#include "kernels/as_s.h"
#include "gesvd.inc.c"
#include "kernels/as_d.h"
#include "gesvd.inc.c"

orr_gesvd_values_fn *const orr_gesvd_values_cpu[ORR_NTYPES] = {
    orr_gesvd_values_cpu_s,
    orr_gesvd_values_cpu_d,
    orr_gesvd_values_cpu_s,
    orr_gesvd_values_cpu_d,
};
orr_gesvd_piece_fn *const orr_gesvd_piece_cpu[ORR_NTYPES] = {
    orr_gesvd_piece_cpu_s,
    orr_gesvd_piece_cpu_d,
    orr_gesvd_piece_cpu_s,
    orr_gesvd_piece_cpu_d,
};
orr_gesvd_descend_fn *const orr_gesvd_descend_cpu[ORR_NTYPES] = {
    orr_gesvd_descend_cpu_s,
    orr_gesvd_descend_cpu_d,
    orr_gesvd_descend_cpu_s,
    orr_gesvd_descend_cpu_d,
};
orr_gesvd_vectors_fn *const orr_gesvd_vectors_cpu[ORR_NTYPES] = {
    orr_gesvd_vectors_cpu_s,
    orr_gesvd_vectors_cpu_d,
    orr_gesvd_vectors_cpu_s,
    orr_gesvd_vectors_cpu_d,
};
