/* heev of one small matrix; see heev_small.inc.c for the method. The body is compiled for each
 * scalar type and each instruction set.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "heev_small.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/heev.h"
#include "lanes.h"
#include "lanes_sum.h"
#include "lanes_turn.h"

enum {
    NMAX = ORR_HEEV_SMALL,
    SWEEPS = 6, /* of QL, n of them; 1.3 in general */
    TURNS = 2   /* rotations, n^2 of them; 0.6 in general */
};

/* In s, d, c, z, values and vectors, on one core: of a Zen 3, which has no AVX-512, against LAPACK of OpenBLAS
 * 0.3.21, and of a Zen 5 against heev_direct's other way. A Zen 4 has the first ones; nobody looked there. */
static const int16_t orders[2][2][ORR_NTYPES] = {
    {{256, 256, 256, 256}, {256, 256, 256, 256}},
    {{500, 350, NMAX, NMAX}, {250, 350, 700, 700}},
};

int orr_heev_small_takes(const orr_heev_direct *g)
{
    return g->n >= 1 &&
           g->n <= orders[lanes_level() == 4 && !lanes_halved()][g->z != NULL][g->type] &&
           (!g->z || (g->count == g->n && !g->found));
}

typedef orr_status solve_fn(const orr_heev_direct *, void *memory);
typedef size_t bytes_fn(const orr_heev_direct *);

#define BODY "heev_small.inc.c"
#include "each_isa.inc.c"

/* By lanes_level(), then by type. */
static solve_fn *const solve[5][ORR_NTYPES] = LANES_LEVELS(solve);
static bytes_fn *const room[5][ORR_NTYPES] = LANES_LEVELS(bytes);

size_t orr_heev_small_bytes(const orr_heev_direct *g) { return room[lanes_level()][g->type](g); }

orr_status orr_heev_small(const orr_heev_direct *g, void *memory)
{
    return solve[lanes_level()][g->type](g, memory);
}
