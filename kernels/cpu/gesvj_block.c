/* gesvj on CPUs; see gesvj.h for the method. Included once per type: gesvj_start.inc.c and
 * gesvj_finish.inc.c (before and after the sweeps, with gesvj_scale.inc.c, gesvj_basis.inc.c and
 * gesvj_eigen.inc.c), gesvj_block.inc.c (the pair of blocks) and gesvj_whole.inc.c (all of it);
 * once per type and instruction set: gesvj_pair.inc.c and, if real, gesvj_products.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvj.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gesvj_lanes.h"
#include "gesvj_lapack.h"
#include "heev_lapack.h"
#include "lanes.h"
#include "lapack.h"

/* Sweeps within a pair of blocks. H fits the L1 cache while the blocks do not, so several
 * there are cheaper than one more sweep over the blocks. */
#ifndef INNER_SWEEPS
#define INNER_SWEEPS 2
#endif
#define EVD_MAX 128

#define BODY "gesvj_order.inc.c"
#include "each_type.inc.c"

#define BODY "gesvj_pair.inc.c"
#include "each_isa.inc.c"

/* By lanes_level(). */
#ifdef LANES_X86
#define LEVELS(name, t)                                                                            \
    {                                                                                              \
        [0] = name##_v0_##t, [3] = name##_v3_##t, [4] = LANES_V4(name##_v4_##t)                    \
    }
#else
#define LEVELS(name, t)                                                                            \
    {                                                                                              \
        [0] = name##_v0_##t                                                                        \
    }
#endif
typedef int evd_fn_s(int64_t, int, const float *, float, int, float *, double *, double *);
typedef int evd_fn_d(int64_t, int, const double *, double, int, double *, double *, double *);
typedef int evd_fn_c(int64_t, int, const float _Complex *, float, int, float _Complex *, double *,
                     double *);
typedef int evd_fn_z(int64_t, int, const double _Complex *, double, int, double _Complex *,
                     double *, double *);
static evd_fn_s *const evd_s[5] = LEVELS(evd, s);
static evd_fn_d *const evd_d[5] = LEVELS(evd, d);
static evd_fn_c *const evd_c[5] = LEVELS(evd, c);
static evd_fn_z *const evd_z[5] = LEVELS(evd, z);

typedef void multiply_fn_s(int64_t, int64_t, const float *, float *, float *, float *);
typedef void multiply_fn_d(int64_t, int64_t, const double *, double *, double *, double *);
static multiply_fn_s *const multiply_s[5] = LEVELS(multiply, s);
static multiply_fn_d *const multiply_d[5] = LEVELS(multiply, d);

typedef void products_fn_s(int64_t, int64_t, const float *, const float *, float *, int64_t);
typedef void products_fn_d(int64_t, int64_t, const double *, const double *, double *, int64_t);
static products_fn_s *const products_s[5] = LEVELS(products, s);
static products_fn_d *const products_d[5] = LEVELS(products, d);

typedef void lengths_fn_s(int64_t, int64_t, const float *, float *, int64_t);
typedef void lengths_fn_d(int64_t, int64_t, const double *, double *, int64_t);
static lengths_fn_s *const lengths_s[5] = LEVELS(lengths, s);
static lengths_fn_d *const lengths_d[5] = LEVELS(lengths, d);

#define BODY "gesvj_block.inc.c"
#include "each_type.inc.c"
#define BODY "gesvj_scale.inc.c"
#include "each_type.inc.c"
#define BODY "gesvj_basis.inc.c"
#include "each_type.inc.c"
#define BODY "gesvj_eigen.inc.c"
#include "each_type.inc.c"
#define BODY "gesvj_start.inc.c"
#include "each_type.inc.c"
#define BODY "gesvj_finish.inc.c"
#include "each_type.inc.c"
#define BODY "gesvj_whole.inc.c"
#include "each_type.inc.c"

orr_gesvj_start_fn *const orr_gesvj_start_cpu[ORR_NTYPES] = {
    orr_gesvj_start_cpu_s,
    orr_gesvj_start_cpu_d,
    orr_gesvj_start_cpu_c,
    orr_gesvj_start_cpu_z,
};
orr_gesvj_gram_fn *const orr_gesvj_gram_cpu[ORR_NTYPES] = {
    orr_gesvj_gram_cpu_s,
    orr_gesvj_gram_cpu_d,
    orr_gesvj_gram_cpu_c,
    orr_gesvj_gram_cpu_z,
};
orr_gesvj_evd_fn *const orr_gesvj_evd_cpu[ORR_NTYPES] = {
    orr_gesvj_evd_cpu_s,
    orr_gesvj_evd_cpu_d,
    orr_gesvj_evd_cpu_c,
    orr_gesvj_evd_cpu_z,
};
orr_gesvj_angle_fn *const orr_gesvj_angle_cpu[ORR_NTYPES] = {
    orr_gesvj_angle_cpu_s,
    orr_gesvj_angle_cpu_d,
    orr_gesvj_angle_cpu_c,
    orr_gesvj_angle_cpu_z,
};
orr_gesvj_rotate_fn *const orr_gesvj_rotate_cpu[ORR_NTYPES] = {
    orr_gesvj_rotate_cpu_s,
    orr_gesvj_rotate_cpu_d,
    orr_gesvj_rotate_cpu_c,
    orr_gesvj_rotate_cpu_z,
};
orr_gesvj_finish_fn *const orr_gesvj_finish_cpu[ORR_NTYPES] = {
    orr_gesvj_finish_cpu_s,
    orr_gesvj_finish_cpu_d,
    orr_gesvj_finish_cpu_c,
    orr_gesvj_finish_cpu_z,
};
orr_gesvj_fn *const orr_gesvj_cpu[ORR_NTYPES] = {
    orr_gesvj_cpu_s,
    orr_gesvj_cpu_d,
    orr_gesvj_cpu_c,
    orr_gesvj_cpu_z,
};
