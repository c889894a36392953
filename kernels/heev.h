/* heev: the tridiagonal matrix in the middle of the two-stage solver.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HEEV_H
#define ORR_KERNELS_HEEV_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

/* d: the diagonal, in; its eigenvalues divided by scale, ascending, out. e: the n-1 off-diagonal
 * entries, destroyed. Both of the real type. Returns ORR_OK or ORR_NOCONV. */
typedef orr_status orr_heev_values_fn(int64_t n, double scale, void *d, void *e);
extern orr_heev_values_fn *const orr_heev_values_cpu[ORR_NTYPES];

/* Also the eigenvectors, columns of s: n x n of the real type, without gaps. By divide and conquer.
 * ORR_E_NOMEM: it needs workspace of n^2 + 4n + 1 numbers. */
typedef orr_status orr_heev_vectors_fn(int64_t n, double scale, void *d, void *e, void *s);
extern orr_heev_vectors_fn *const orr_heev_vectors_cpu[ORR_NTYPES];

/* Columns first .. first+k-1 of s into the k columns of e, of the type, leading dimension lde. */
typedef void orr_heev_place_fn(int64_t n, int64_t first, int64_t k, const void *s, void *e,
                               int64_t lde);
extern orr_heev_place_fn *const orr_heev_place_cpu[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
