/* See rates.h. What the tasks of traces took on one core of a Zen 5 with AVX-512 and with AVX2, two
 * cores at work: bench/explained.py --codelets shows how far off these are. Those that the traces did
 * not have (block Jacobi, copies for accelerators, ...) are of an older processor.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/rates.h"

#include <string.h>

#include "codelets/core/processor.h"
#include "kernels/least.h"

/* Operations of a unit, in real types; seconds of a billion units for s, d, c, z; and how many times
 * as long it takes without AVX-512. */
static const struct rate {
    const char *codelet;
    double flops, seconds[ORR_NTYPES], narrower;
} rates[] = {
    {"he2hb_load", 0, {0.78, 1.9, 3, 4.6}, 1},
    {"he2hb_panel", 2, {0.061, 0.11, 0.2, 0.4}, 1.6},
    {"he2hb_move", 0, {0.1, 0.2, 0.2, 0.4}, 1},
    {"he2hb_spread", 0, {0.2, 0.4, 0.4, 0.8}, 1},
    {"he2hb_product", 2, {0.011, 0.021, 0.039, 0.077}, 2},
    {"he2hb_middle", 2, {0.048, 0.083, 0.11, 0.17}, 1},
    {"he2hb_factor", 2, {0.023, 0.032, 0.052, 0.11}, 1.5},
    {"he2hb_update", 4, {0.02, 0.038, 0.059, 0.14}, 1.7},
    {"he2hb_join", 2, {0.011, 0.021, 0.039, 0.077}, 2},
    {"he2hb_apply", 4, {0.031, 0.062, 0.12, 0.23}, 1.4},
    {"hb2st_load", 0, {0.6, 1.3, 0.7, 2.1}, 1},
    {"hb2st_chase", 12, {0.18, 0.26, 0.098, 0.17}, 1.4},
    {"hb2st_narrow", 6, {1.4, 1.05, 1.9, 2.2}, 1},
    {"hb2st_halve", 0, {0.10, 0.23, 0.25, 0.54}, 1},
    {"hb2st_store", 0, {0.032, 0.051, 0.067, 0.083}, 1},
    {"hb2st_unit", 0, {0.15, 0.3, 0.31, 0.6}, 1},
    {"hb2st_apply", 1.8, {0.0076, 0.014, 0.026, 0.045}, 1.7},
    {"hegv_potrf", 1, {0.03, 0.045, 0.06, 0.095}, 1},
    {"hegv_gst", 1, {0.04, 0.051, 0.098, 0.12}, 1},
    {"hegv_triangle", 1, {0.021, 0.034, 0.059, 0.081}, 1},
    {"hegv_multiply", 1, {0.0056, 0.013, 0.021, 0.048}, 1.5},
    {"hegv_hermitian", 1, {0.0057, 0.013, 0.021, 0.047}, 1.5},
    {"hegv_update", 1, {0.0042, 0.0099, 0.016, 0.037}, 1.6},
    {"heev_count", 8, {18, 18, 18, 18}, 1},
    {"heev_values", 20, {1.9, 2.4, 1.8, 2.2}, 2},
    {"heev_vectors", 1.3, {0.83, 0.9, 0.82, 0.89}, 1.1},
    {"heev_direct", 1.3, {0.0078, 0.016, 0.013, 0.023}, 1.3},
    {"heev_reduce", 1.3, {0.011, 0.016, 0.024, 0.046}, 1.3},
    {"heev_rest", 0, {1.1e5, 1.6e5, 2.2e5, 3.9e5}, 1.3},
    {"heev_back", 2, {0.011, 0.019, 0.04, 0.076}, 1.8},
    {"heev_leaf", 1.3, {0.17, 0.29, 0.2, 0.4}, 1.2},
    {"heev_deflate", 0, {26, 30, 29, 33}, 1},
    {"heev_arrange", 0, {0.6, 1.3, 0.6, 1.3}, 1.2},
    {"heev_secular", 4, {0.67, 1.3, 0.72, 1.3}, 1.2},
    {"heev_weigh", 2, {0.96, 1.3, 1.1, 1.3}, 1},
    {"heev_coefficients", 3, {0.95, 1.3, 0.95, 1.2}, 1},
    {"heev_product", 1, {0.0036, 0.008, 0.0037, 0.0081}, 1.8},
    {"heev_order", 0, {2.2, 3.6, 2.4, 3.3}, 1},
    {"heev_place", 0, {0.38, 0.86, 0.51, 1.3}, 1},
    {"ge2gb_load", 0, {4, 3.3, 5.3, 5.9}, 1},
    {"ge2gb_stack", 0, {0.8, 1.6, 1.7, 3.4}, 1},
    {"ge2gb_unstack", 0, {0.41, 0.77, 1.2, 1.7}, 1},
    {"ge2gb_panel", 2, {0.061, 0.09, 0.19, 0.43}, 1.3},
    {"ge2gb_move", 0, {0.1, 0.2, 0.2, 0.4}, 1},
    {"ge2gb_product", 2, {0.011, 0.022, 0.041, 0.083}, 1.9},
    {"ge2gb_update", 2, {0.01, 0.02, 0.039, 0.1}, 1.7},
    {"ge2gb_join", 2, {0.011, 0.022, 0.041, 0.083}, 1.9},
    {"ge2gb_apply", 4, {0.02, 0.039, 0.074, 0.14}, 1.9},
    {"gb2bd_load", 0, {0.34, 1.2, 1.2, 2.4}, 1},
    {"gb2bd_qr", 4, {0.21, 0.21, 0.33, 0.38}, 1},
    {"gb2bd_chase", 8, {0.13, 0.2, 0.093, 0.16}, 1.1},
    {"gb2bd_narrow", 8, {1.8, 2.4, 3.1, 3.3}, 1},
    {"gb2bd_store", 0, {0.047, 0.051, 0.15, 0.18}, 1},
    {"gb2bd_phases", 0, {0, 0, 48, 49}, 1},
    {"gb2bd_qr_apply", 4, {0.020, 0.039, 0.074, 0.14}, 1.9},
    {"gesvd_values", 20, {8.0, 12, 7.8, 11}, 1},
    {"gesvd_piece", 180, {2.8, 3.4, 2.7, 3.1}, 1.5},
    {"gesvd_vectors", 2.7, {0.10, 0.18, 0.11, 0.19}, 1},
    {"gesvd_tree", 2.7, {0.3, 0.37, 0.3, 0.37}, 1.4},
    {"gesvd_deflate", 1, {0.028, 0.034, 0.026, 0.034}, 1},
    {"gesvd_arrange", 0, {0.34, 0.73, 0.31, 0.73}, 1},
    {"gesvd_secular", 8, {1.1, 1.7, 1.3, 1.7}, 1},
    {"gesvd_weigh", 2, {1.6, 2, 1.9, 2.1}, 1},
    {"gesvd_coefficients", 8, {2.2, 3, 2.1, 3.1}, 1},
    {"gesvd_product", 1, {0.004, 0.0081, 0.0041, 0.0081}, 1.7},
    {"gesvd_order", 0, {3.5, 3.6, 3.6, 4}, 1},
    {"gesvd_direct", 2.7, {0.024, 0.042, 0.04, 0.062}, 1.5},
    {"gesvd_begin", 2.7, {0.024, 0.042, 0.04, 0.062}, 1.5},
    {"gesvd_side", 2.7, {0.024, 0.042, 0.04, 0.062}, 1.5},
    {"gesvd_factor", 2, {0.045, 0.08, 0.12, 0.22}, 1.4},
    {"gesvd_top", 2.7, {0.2, 0.3, 0.27, 0.3}, 1.4},
    {"gesvd_apply", 2, {0.034, 0.06, 0.083, 0.14}, 1.4},
    {"gesvd_place", 0, {0.39, 0.68, 0.87, 1.3}, 1},
    {"heevj_chunk", 9, {0.23, 0.39, 0.38, 0.68}, 1.2},
    {"heevj_block_start", 0, {2.2, 3.0, 3.6, 4.4}, 1},
    {"heevj_block_sweep", 9, {0.28, 0.55, 0.83, 1.7}, 1},
    {"heevj_block_compact", 0, {100, 100, 100, 100}, 1},
    {"heevj_block_finish", 0, {0.86, 1.0, 1.5, 2.6}, 1},
    {"heevj_check", 2, {0.052, 0.049, 0.10, 0.11}, 1},
    {"heevj_copy", 0, {0.084, 0.19, 0.20, 0.59}, 1},
    {"heevj_gather", 0, {0.035, 0.035, 0.035, 0.035}, 1},
    {"gesvj_start", 9, {0.11, 0.2, 0.35, 0.78}, 1.2},
    {"gesvj_gram", 2, {0.022, 0.018, 0.050, 0.089}, 1},
    {"gesvj_evd", 2, {0.022, 0.018, 0.050, 0.089}, 1},
    {"gesvj_angle", 2, {0.013, 0.032, 0.038, 0.087}, 1.4},
    {"gesvj_update", 8, {0.0025, 0.0063, 0.012, 0.035}, 1.6},
    {"gesvj_update_v", 8, {0.003, 0.0071, 0.013, 0.036}, 1.5},
    {"gesvj_measure", 0, {45, 45, 45, 45}, 1},
    {"gesvj_finish", 4, {0.0011, 0.0017, 0.0025, 0.0042}, 1},
    {"gesvj_chunk", 12, {0.2, 0.29, 0.37, 0.64}, 1.2},
    {"gesvj_check", 4, {0.16, 0.15, 0.32, 0.31}, 1},
    {"heevj_scatter", 0, {0.047, 0.047, 0.047, 0.047}, 1},
    /* sparse: a unit is a byte or an entry of a vector, and operations are not what takes time;
     * laplace3d:60 and rmat:16:16 in double precision, other types in proportion */
    {"powm_random", 0, {2.3, 2.8, 2.0, 2.3}, 1},
    {"powm_product", 0, {0.066, 0.049, 0.073, 0.056}, 1},
    {"powm_spmv", 0, {0.06, 0.045, 0.075, 0.048}, 1},
    {"powm_steps", 0, {0.12, 0.064, 0.23, 0.16}, 1},
    {"powm_residual", 0, {0.09, 0.07, 0.11, 0.07}, 1},
    {"powm_combine", 0, {530, 530, 530, 530}, 1},
    {"krylov_dot", 0, {0.057, 0.088, 0.08, 0.18}, 1},
    {"krylov_update", 0, {0.052, 0.1, 0.096, 0.26}, 1},
    {"krylov_reduce", 0, {32, 35, 35, 37}, 1},
    {"krylov_rayleigh", 0, {1.2e5, 1.2e5, 1.5e5, 1.5e5}, 1},
    {"krylov_restart", 0, {0.2, 0.8, 1, 2.4}, 1},
    {"pagerank_step", 0, {0.11, 0.057, 0, 0}, 1},
    {"pagerank_steps", 0, {0.06, 0.084, 0, 0}, 1},
    {"pagerank_dots", 0, {2.3, 1.4, 0, 0}, 1},
    {"pagerank_mixing", 0, {180, 180, 180, 180}, 1},
    {"pagerank_mix", 0, {1.0, 0.54, 0, 0}, 1},
};

static const struct rate *rate_of(const char *codelet)
{
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++)
        if (!strcmp(rates[k].codelet, codelet))
            return &rates[k];
    return NULL;
}

double orr_rate_seconds(const char *codelet, orr_type type, double work)
{
    const struct rate *rate = rate_of(codelet);
    return rate ? 1e-9 * rate->seconds[type] * (orr_has_avx512() ? 1 : rate->narrower) * work : 0;
}

double orr_rate_operations(const char *codelet, orr_type type, double work)
{
    /* a solver of real tridiagonal or bidiagonal matrices; works that count complex ones already */
    static const char *const real[] = {
        "heev_count",         "heev_values",   "heev_vectors",  "heev_leaf",         "heev_deflate",
        "heev_secular",       "heev_weigh",    "heev_product",  "heev_coefficients", "gesvd_values",
        "gesvd_vectors",      "gesvd_tree",    "gesvd_deflate", "gesvd_secular",     "gesvd_weigh",
        "gesvd_coefficients", "gesvd_product", "gesvd_piece",   "hb2st_chase",       "gb2bd_chase"};
    const struct rate *rate = rate_of(codelet);
    double times = orr_is_complex(type) ? 4 : 1;
    for (size_t k = 0; k < sizeof real / sizeof *real; k++)
        if (!strcmp(real[k], codelet))
            times = 1;
    return rate ? times * rate->flops * work : 0;
}
