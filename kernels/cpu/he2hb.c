/* he2hb on CPUs: BLAS and LAPACK on the tiles. The body is he2hb.inc.c, once per type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/he2hb.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heev_lapack.h"
#include "thin.h"
#include "tile_sum.h"

#define BODY "he2hb_io.inc.c"
#include "each_type.inc.c"
#define BODY "he2hb.inc.c"
#include "each_type.inc.c"

orr_he2hb_load_fn *const orr_he2hb_load_cpu[ORR_NTYPES] = {
    orr_he2hb_load_cpu_s,
    orr_he2hb_load_cpu_d,
    orr_he2hb_load_cpu_c,
    orr_he2hb_load_cpu_z,
};
orr_he2hb_judge_fn *const orr_he2hb_judge_cpu[ORR_NTYPES] = {
    orr_he2hb_judge_cpu_s,
    orr_he2hb_judge_cpu_d,
    orr_he2hb_judge_cpu_c,
    orr_he2hb_judge_cpu_z,
};
orr_he2hb_bad_row_fn *const orr_he2hb_bad_row_cpu[ORR_NTYPES] = {
    orr_he2hb_bad_row_cpu_s,
    orr_he2hb_bad_row_cpu_d,
    orr_he2hb_bad_row_cpu_c,
    orr_he2hb_bad_row_cpu_z,
};
orr_he2hb_largest_of_fn *const orr_he2hb_largest_cpu[ORR_NTYPES] = {
    orr_he2hb_largest_cpu_s,
    orr_he2hb_largest_cpu_d,
    orr_he2hb_largest_cpu_c,
    orr_he2hb_largest_cpu_z,
};
orr_he2hb_panel_fn *const orr_he2hb_panel_cpu[ORR_NTYPES] = {
    orr_he2hb_panel_cpu_s,
    orr_he2hb_panel_cpu_d,
    orr_he2hb_panel_cpu_c,
    orr_he2hb_panel_cpu_z,
};
orr_he2hb_move_fn *const orr_he2hb_move_cpu[ORR_NTYPES] = {
    orr_he2hb_move_cpu_s,
    orr_he2hb_move_cpu_d,
    orr_he2hb_move_cpu_c,
    orr_he2hb_move_cpu_z,
};
orr_he2hb_panel_apart_fn *const orr_he2hb_panel_apart_cpu[ORR_NTYPES] = {
    orr_he2hb_panel_apart_cpu_s,
    orr_he2hb_panel_apart_cpu_d,
    orr_he2hb_panel_apart_cpu_c,
    orr_he2hb_panel_apart_cpu_z,
};
orr_he2hb_spread_fn *const orr_he2hb_spread_cpu[ORR_NTYPES] = {
    orr_he2hb_spread_cpu_s,
    orr_he2hb_spread_cpu_d,
    orr_he2hb_spread_cpu_c,
    orr_he2hb_spread_cpu_z,
};
orr_he2hb_product_fn *const orr_he2hb_product_cpu[ORR_NTYPES] = {
    orr_he2hb_product_cpu_s,
    orr_he2hb_product_cpu_d,
    orr_he2hb_product_cpu_c,
    orr_he2hb_product_cpu_z,
};
orr_he2hb_middle_fn *const orr_he2hb_middle_cpu[ORR_NTYPES] = {
    orr_he2hb_middle_cpu_s,
    orr_he2hb_middle_cpu_d,
    orr_he2hb_middle_cpu_c,
    orr_he2hb_middle_cpu_z,
};
orr_he2hb_factor_fn *const orr_he2hb_factor_cpu[ORR_NTYPES] = {
    orr_he2hb_factor_cpu_s,
    orr_he2hb_factor_cpu_d,
    orr_he2hb_factor_cpu_c,
    orr_he2hb_factor_cpu_z,
};
orr_he2hb_update_fn *const orr_he2hb_update_cpu[ORR_NTYPES] = {
    orr_he2hb_update_cpu_s,
    orr_he2hb_update_cpu_d,
    orr_he2hb_update_cpu_c,
    orr_he2hb_update_cpu_z,
};
orr_he2hb_join_fn *const orr_he2hb_join_cpu[ORR_NTYPES] = {
    orr_he2hb_join_cpu_s,
    orr_he2hb_join_cpu_d,
    orr_he2hb_join_cpu_c,
    orr_he2hb_join_cpu_z,
};
orr_he2hb_apply_fn *const orr_he2hb_apply_cpu[ORR_NTYPES] = {
    orr_he2hb_apply_cpu_s,
    orr_he2hb_apply_cpu_d,
    orr_he2hb_apply_cpu_c,
    orr_he2hb_apply_cpu_z,
};
