/* Singular values of a real bidiagonal matrix by number, for gesvd.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_GESVD_BISECT_H
#define ORR_CPU_GESVD_BISECT_H

#include "kernels/kernel.h"

/* w[0 .. count-1] := values first .. first+count-1 (from 0), ascending but for differences of
 * rounding, each to 2 eps times itself, give or take the n roundings of a count. a: the diagonal, n
 * entries; b: n-1, above it. Returns ORR_OK; ORR_NOCONV: an entry is not finite; ORR_E_NOMEM; ORR_RANGE:
 * a value that is not zero is below 2^-400 times the largest entry, and nothing was found. */
orr_status orr_bisect_singular(int64_t n, const double *a, const double *b, double eps,
                               int64_t first, int64_t count, double *w);

#endif
