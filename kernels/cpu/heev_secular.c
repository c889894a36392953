/* Roots of the secular equation; see heev_secular.h. A root is counted from the nearer pole, so that its
 * distances to all of them are exact to a few roundings. Each step puts a pole on either side in the
 * place of the sum, as in LAPACK's laed4: the sums over all poles are what takes time, and they are made
 * in the lanes of vectors, where laed4's wait for each other. A step that leaves the bracket is a
 * bisection; what takes too many is left to laed4.
 *
 * Source: R.-C. Li, Solving secular equations stably and efficiently, LAPACK Working Note 89, 1994.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "heev_secular.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lanes.h"
#include "lanes_turn.h" /* UNROLL */

enum { MOST_STEPS = 24 };

#include "kernels/as_s.h"
#define TYPES "heev_secular.inc.c"
#include "each_isa.inc.c"
#include "kernels/as_d.h"
#define TYPES "heev_secular.inc.c"
#include "each_isa.inc.c"

#ifdef LANES_X86
#define BY_LEVEL(t)                                                                                \
    {                                                                                              \
        [0] = root_v0_##t, [3] = root_v3_##t, [4] = LANES_V4(root_v4_##t)                          \
    }
#else
#define BY_LEVEL(t)                                                                                \
    {                                                                                              \
        [0] = root_v0_##t                                                                          \
    }
#endif

int orr_secular_s(int64_t k, int64_t j, const float *pole, const float *z, float rho, float *delta,
                  float *value, float *part)
{
    static int (*const root[5])(int64_t, int64_t, const float *, const float *, float, float *,
                                float *, float *) = BY_LEVEL(s);
    return root[lanes_level()](k, j, pole, z, rho, delta, value, part);
}

int orr_secular_d(int64_t k, int64_t j, const double *pole, const double *z, double rho,
                  double *delta, double *value, double *part)
{
    static int (*const root[5])(int64_t, int64_t, const double *, const double *, double, double *,
                                double *, double *) = BY_LEVEL(d);
    return root[lanes_level()](k, j, pole, z, rho, delta, value, part);
}
