/* gesvj of small matrices, one per lane; see gesvj_lanes.inc.c. Included once per type:
 * gesvj_order.inc.c, gesvj_scale.inc.c and gesvj_basis.inc.c; once per type and instruction set:
 * gesvj_lanes.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gesvj_lanes.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gesvj_lapack.h"
#include "lanes.h"
#include "lapack.h"

double orr_gesvj_tolerance(orr_type type, const orr_gesvj_args *g)
{
    const double eps = type == ORR_S || type == ORR_C ? (double)FLT_EPSILON : DBL_EPSILON;
    const int64_t rows = orr_gesvj_shape_of(g).rows;
    return g->tol > 0 ? g->tol : sqrt((double)(rows > 0 ? rows : 1)) * eps;
}

int orr_gesvj_by_lanes(const orr_gesvj_args *g)
{
    const orr_gesvj_shape s = orr_gesvj_shape_of(g);
    return g->lanes && g->precondition && s.small > 0 && s.big * s.small <= 4 * 64 * 64;
}

#define BODY "gesvj_order.inc.c"
#include "each_type.inc.c"
#define BODY "gesvj_scale.inc.c"
#include "each_type.inc.c"
#define BODY "gesvj_basis.inc.c"
#include "each_type.inc.c"

/* Rounds of disjoint pairs of columns, of two tiles and of one. */
enum { TILE = 4 };
typedef struct {
    int64_t p, q;
} pair;
static const pair across[TILE * TILE] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {1, 2},
                                         {2, 3}, {3, 0}, {0, 2}, {1, 3}, {2, 0}, {3, 1},
                                         {0, 3}, {1, 0}, {2, 1}, {3, 2}};
static const pair inside[TILE * (TILE - 1) / 2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}};

#define BODY "gesvj_lanes.inc.c"
#include "each_isa.inc.c"

#define ALL_TYPES(isa)                                                                             \
    {                                                                                              \
        solve_##isa##_s, solve_##isa##_d, solve_##isa##_c, solve_##isa##_z                         \
    }
/* By lanes_level(). */
static orr_gesvj_fn *const solve[5][ORR_NTYPES] = {
    [0] = ALL_TYPES(v0),
#ifdef LANES_X86
    [3] = ALL_TYPES(v3),
    [4] = LANES_V4_ROW(ALL_TYPES(v4)),
#endif
};

orr_gesvj_fn *orr_gesvj_lanes_cpu(orr_type type) { return solve[lanes_level()][type]; }
