/* hb2st of a narrow band by rotations, LAPACK's ?sbtrd: without vectors they take some n^2 b ns, less than the
 * reflectors of bulge chasing up to b = 5.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HB2ST_NARROW_H
#define ORR_KERNELS_HB2ST_NARROW_H

#include "kernels/hb2st_io.h"

/* d (n) and e (n-1), of the real type: the tridiagonal matrix of the user's band, of which the off-diagonals beyond
 * b < n are zero; entries are scaled by `scale` first, and results divided by `unscale`, both powers of two.
 * 0: no memory. */
typedef int orr_hb2st_narrow_fn(int64_t n, int64_t b, const orr_hb2st_user *, double scale,
                                double unscale, void *d, void *e);
extern orr_hb2st_narrow_fn *const orr_hb2st_narrow_cpu[ORR_NTYPES];

#endif
