/* gesvd of one small matrix; see gesvd_small.inc.c for the method. The body is compiled for each
 * scalar type and each instruction set.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gesvd_small.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"
#include "lanes_turn.h"
#include "lapack.h"
#include "qr_lapack.h"

enum { LEFT, RIGHT }; /* the sides of the upright matrix */
enum {
    NMAX = ORR_GESVD_SMALL,
    SWEEPS = 12, /* of QR, n of them; 1.3 in general, 3.8 seen */
    TURNS = 6    /* rotations of a side, n^2 of them, as bdsqr has; 0.7 in general, 2.3 seen */
};

/* bdsqr: uplo, n, ncvt, nru, ncc, d, e, vt, ldvt, u, ldu, c, ldc, work, info */
#define BIDIAGONAL(R, bdsqr)                                                                       \
    void bdsqr(const char *, const int32_t *, const int32_t *, const int32_t *, const int32_t *,   \
               R *, R *, R *, const int32_t *, R *, const int32_t *, R *, const int32_t *, R *,    \
               int32_t *)
BIDIAGONAL(float, sbdsqr_);
BIDIAGONAL(double, dbdsqr_);
#define BDSQR_float  sbdsqr_
#define BDSQR_double dbdsqr_
#define BDSQR_(r)    BDSQR_##r
#define BDSQR_OF(r)  BDSQR_(r)
#define BDSQR        BDSQR_OF(R)

/* As in heev_small.c. */
static const int16_t orders[2][2][ORR_NTYPES] = {
    {{256, 256, 256, 256}, {256, 256, 256, 256}},
    {{NMAX, NMAX, NMAX, NMAX}, {600, 360, NMAX, NMAX}},
};

int orr_gesvd_small_takes(const orr_gesvd_direct *g)
{
    const int64_t k = g->m < g->n ? g->m : g->n;
    return k >= 1 && k <= orders[lanes_level() == 4 && !lanes_halved()][g->u || g->v][g->type];
}

typedef orr_status begin_fn(const orr_gesvd_direct *, void *memory);
typedef void side_fn(const orr_gesvd_direct *, int side, void *memory);
typedef size_t bytes_fn(orr_gesvd_direct *);

#define BODY "gesvd_small.inc.c"
#include "each_isa.inc.c"

/* By lanes_level(), then by type. */
static begin_fn *const begin[5][ORR_NTYPES] = LANES_LEVELS(begin);
static side_fn *const vectors[5][ORR_NTYPES] = LANES_LEVELS(vectors);
static bytes_fn *const room[5][ORR_NTYPES] = LANES_LEVELS(bytes);

size_t orr_gesvd_small_bytes(orr_gesvd_direct *g) { return room[lanes_level()][g->type](g); }

orr_status orr_gesvd_begin(const orr_gesvd_direct *g, void *memory)
{
    return begin[lanes_level()][g->type](g, memory);
}

void orr_gesvd_side(const orr_gesvd_direct *g, int side, void *memory)
{
    vectors[lanes_level()][g->type](g, side, memory);
}

orr_status orr_gesvd_small(const orr_gesvd_direct *g, void *memory)
{
    const orr_status st = orr_gesvd_begin(g, memory);
    for (int side = RIGHT; side >= LEFT && st == ORR_OK; side--)
        orr_gesvd_side(g, side, memory);
    return st;
}
