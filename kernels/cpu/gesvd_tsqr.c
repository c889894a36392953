/* gesvd_tsqr on CPUs; see gesvd_tsqr.inc.c for the method. The body is compiled for each scalar type and
 * each instruction set.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_tsqr.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/least.h"
#include "lanes.h"
#include "lanes_turn.h"
#include "lapack.h"
#include "qr_lapack.h"

/* Rows of a block: the caches of a core have it, and it is at least so many times as tall as wide, so that
 * what is done for a block as a whole is little. */
static int64_t block_rows(const orr_tsqr_part *p)
{
    enum { BYTES = 64 << 10, TALL = 4, MOST = 4096, ROUND = 16 };
    static const int64_t size[ORR_NTYPES] = {4, 8, 8, 16};
    const int64_t rows = orr_most(TALL * p->n, orr_least(BYTES / (p->n * size[p->type]), MOST));
    return (rows + ROUND - 1) / ROUND * ROUND;
}

static int64_t blocks_of(const orr_tsqr_part *p)
{
    const int64_t rows = block_rows(p);
    return (p->rows - p->n + rows - 1) / rows;
}

typedef size_t bytes_fn(const orr_tsqr_part *);

#define BODY "gesvd_tsqr.inc.c"
#include "each_isa.inc.c"

static orr_tsqr_factor_fn *const factor[5][ORR_NTYPES] = LANES_LEVELS(factor);
static orr_tsqr_apply_fn *const apply[5][ORR_NTYPES] = LANES_LEVELS(apply);
static bytes_fn *const room[5][ORR_NTYPES] = LANES_LEVELS(bytes);

size_t orr_tsqr_bytes(const orr_tsqr_part *p) { return room[lanes_level()][p->type](p); }

orr_status orr_tsqr_factor(const orr_tsqr_part *p, void *s, void *r, int64_t ldr)
{
    return factor[lanes_level()][p->type](p, s, r, ldr);
}

orr_status orr_tsqr_apply(const orr_tsqr_part *p, const void *s, const void *e, int64_t lde,
                          void *u, int64_t ldu)
{
    return apply[lanes_level()][p->type](p, s, e, lde, u, ldu);
}
