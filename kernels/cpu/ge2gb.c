/* ge2gb on CPUs: BLAS, LAPACK and sums of tiles. The body is ge2gb.inc.c, once per type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/ge2gb.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heev_lapack.h"
#include "thin.h"
#include "tile_sum.h"

#define BODY "ge2gb.inc.c"
#include "each_type.inc.c"

orr_ge2gb_load_fn *const orr_ge2gb_load_cpu[ORR_NTYPES] = {
    orr_ge2gb_load_cpu_s,
    orr_ge2gb_load_cpu_d,
    orr_ge2gb_load_cpu_c,
    orr_ge2gb_load_cpu_z,
};
orr_ge2gb_stack_fn *const orr_ge2gb_stack_cpu[ORR_NTYPES] = {
    orr_ge2gb_stack_cpu_s,
    orr_ge2gb_stack_cpu_d,
    orr_ge2gb_stack_cpu_c,
    orr_ge2gb_stack_cpu_z,
};
orr_ge2gb_unstack_fn *const orr_ge2gb_unstack_cpu[ORR_NTYPES] = {
    orr_ge2gb_unstack_cpu_s,
    orr_ge2gb_unstack_cpu_d,
    orr_ge2gb_unstack_cpu_c,
    orr_ge2gb_unstack_cpu_z,
};
orr_ge2gb_panel_fn *const orr_ge2gb_panel_cpu[ORR_NTYPES] = {
    orr_ge2gb_panel_cpu_s,
    orr_ge2gb_panel_cpu_d,
    orr_ge2gb_panel_cpu_c,
    orr_ge2gb_panel_cpu_z,
};
orr_ge2gb_move_fn *const orr_ge2gb_move_cpu[ORR_NTYPES] = {
    orr_ge2gb_move_cpu_s,
    orr_ge2gb_move_cpu_d,
    orr_ge2gb_move_cpu_c,
    orr_ge2gb_move_cpu_z,
};
orr_ge2gb_product_fn *const orr_ge2gb_product_cpu[ORR_NTYPES] = {
    orr_ge2gb_product_cpu_s,
    orr_ge2gb_product_cpu_d,
    orr_ge2gb_product_cpu_c,
    orr_ge2gb_product_cpu_z,
};
orr_ge2gb_update_fn *const orr_ge2gb_update_cpu[ORR_NTYPES] = {
    orr_ge2gb_update_cpu_s,
    orr_ge2gb_update_cpu_d,
    orr_ge2gb_update_cpu_c,
    orr_ge2gb_update_cpu_z,
};
orr_ge2gb_join_fn *const orr_ge2gb_join_cpu[ORR_NTYPES] = {
    orr_ge2gb_join_cpu_s,
    orr_ge2gb_join_cpu_d,
    orr_ge2gb_join_cpu_c,
    orr_ge2gb_join_cpu_z,
};
