/* See vectors.h. SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/vectors.h"

#include <complex.h>

#define BODY "vectors.inc.c"
#include "each_type.inc.c"

orr_vectors_place_fn *const orr_vectors_place_cpu[ORR_NTYPES] = {
    orr_vectors_place_cpu_s,
    orr_vectors_place_cpu_d,
    orr_vectors_place_cpu_c,
    orr_vectors_place_cpu_z,
};
