/* heevj by tridiagonalisation and QL, a matrix per SIMD lane; see heevj_lanes.inc.c for the method.
 * The body is compiled for each scalar type and each instruction set.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heevj.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"
#include "lanes_turn.h"

enum {
    NMAX = ORR_HEEVJ_LANES_MAX_N,
    TOGETHER = 4,      /* matrices whose rotations are taken from the list in one pass over it */
    GROUPS = 2,        /* of lanes, side by side in QL, whose chain of root and division waits */
    SWEEPS = 6 * NMAX, /* of QL; 1.3 n in general */
    TURNS = 3 * NMAX * NMAX /* rotations; n^2 in general */
};

/* What QL is for: eigenvalues to serve as shifts, rotations, or eigenvalues to be told. */
enum { SHIFTS, ROTATIONS, VALUES };

/* Of one matrix. */
typedef struct {
    int count;
    turns sweep[SWEEPS];
} all_turns;

/* Bits 0 .. NMAX-1. */
typedef struct {
    uint64_t word[NMAX / 64];
} bits;

/* The first bit from `from` on that is not as in `flip`; NMAX if there is none. */
static inline int64_t next_bit(const bits *b, uint64_t flip, int64_t from)
{
    for (; from < NMAX; from = (from | 63) + 1) {
        const uint64_t word = (b->word[from / 64] ^ flip) >> from % 64;
        if (word)
            return from + __builtin_ctzll(word);
    }
    return NMAX;
}

/* Of word i, the bits below bit k of all. */
static inline uint64_t below(int64_t k, int i)
{
    k -= 64 * i;
    return k <= 0 ? 0 : k >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << k) - 1;
}

typedef orr_status solve_fn(const orr_heevj_args *, void *a, void *w, orr_matrix_info *info);

#define BODY "heevj_common.inc.c"
#include "each_type.inc.c"

#define BODY "heevj_lanes.inc.c"
#include "each_isa.inc.c"

/* By lanes_level(), then by type. */
static solve_fn *const solve[5][ORR_NTYPES] = LANES_LEVELS(solve);

static orr_status orr_heevj_lanes_cpu_s(const orr_heevj_args *g, void *a, void *w,
                                        orr_matrix_info *info)
{
    return solve[lanes_level()][ORR_S](g, a, w, info);
}

static orr_status orr_heevj_lanes_cpu_d(const orr_heevj_args *g, void *a, void *w,
                                        orr_matrix_info *info)
{
    return solve[lanes_level()][ORR_D](g, a, w, info);
}

static orr_status orr_heevj_lanes_cpu_c(const orr_heevj_args *g, void *a, void *w,
                                        orr_matrix_info *info)
{
    return solve[lanes_level()][ORR_C](g, a, w, info);
}

static orr_status orr_heevj_lanes_cpu_z(const orr_heevj_args *g, void *a, void *w,
                                        orr_matrix_info *info)
{
    return solve[lanes_level()][ORR_Z](g, a, w, info);
}

orr_heevj_fn *const orr_heevj_lanes_cpu[ORR_NTYPES] = {
    orr_heevj_lanes_cpu_s,
    orr_heevj_lanes_cpu_d,
    orr_heevj_lanes_cpu_c,
    orr_heevj_lanes_cpu_z,
};
