/* Eigenvalues of a real symmetric tridiagonal matrix by number, for heev.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_HEEV_BISECT_H
#define ORR_CPU_HEEV_BISECT_H

#include "kernels/kernel.h"

/* What its lanes see: a matrix of norm 1/4 to 1/2; e2[i] is the square of the entry before d[i]. */
typedef struct {
    int64_t n;
    const double *d, *e2;
    double bound, tol; /* of |value|; of the width of a bracket */
} orr_bisect;

/* w[0 .. count-1] := values first .. first+count-1 (from 0), ascending but for differences
 * of rounding, to eps times the norm, give or take the n roundings of a minor. d: n entries,
 * e: n-1. ORR_NOCONV: an entry is not finite. ORR_E_NOMEM. */
orr_status orr_bisect_values(int64_t n, const double *d, const double *e, double eps, int64_t first,
                             int64_t count, double *w);

#endif
