/* hb2st_io on CPUs: copies. The body is hb2st_io.inc.c, once per type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/hb2st_io.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define BODY "hb2st_io.inc.c"
#include "each_type.inc.c"

orr_hb2st_screen_fn *const orr_hb2st_screen_cpu[ORR_NTYPES] = {
    orr_hb2st_screen_cpu_s,
    orr_hb2st_screen_cpu_d,
    orr_hb2st_screen_cpu_c,
    orr_hb2st_screen_cpu_z,
};
orr_hb2st_load_fn *const orr_hb2st_load_cpu[ORR_NTYPES] = {
    orr_hb2st_load_cpu_s,
    orr_hb2st_load_cpu_d,
    orr_hb2st_load_cpu_c,
    orr_hb2st_load_cpu_z,
};
orr_hb2st_halve_fn *const orr_hb2st_halve_cpu[ORR_NTYPES] = {
    orr_hb2st_halve_cpu_s,
    orr_hb2st_halve_cpu_d,
    orr_hb2st_halve_cpu_c,
    orr_hb2st_halve_cpu_z,
};
orr_hb2st_store_fn *const orr_hb2st_store_cpu[ORR_NTYPES] = {
    orr_hb2st_store_cpu_s,
    orr_hb2st_store_cpu_d,
    orr_hb2st_store_cpu_c,
    orr_hb2st_store_cpu_z,
};
