/* gesvd: the bidiagonal matrix in the middle of the two-stage solver.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_GESVD_H
#define ORR_KERNELS_GESVD_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

/* d: the diagonal of an upper bidiagonal matrix, in; its singular values divided by scale,
 * descending, out. e: the n-1 entries above it, destroyed. Both of the real type.
 * Returns ORR_OK, ORR_NOCONV or ORR_E_NOMEM. */
typedef orr_status orr_gesvd_values_fn(int64_t n, double scale, void *d, void *e);
extern orr_gesvd_values_fn *const orr_gesvd_values_cpu[ORR_NTYPES];

/* Values first .. first+count-1 (from 0, the largest first) divided by scale into w[0 .. count-1],
 * descending but for differences of rounding: each by itself (cpu/gesvd_bisect.c). d and e, as above,
 * are read. Small values are found to high relative accuracy, as above. */
typedef orr_status orr_gesvd_piece_fn(int64_t n, double scale, const void *d, const void *e,
                                      int64_t first, int64_t count, void *w);
extern orr_gesvd_piece_fn *const orr_gesvd_piece_cpu[ORR_NTYPES];

/* Sorts nearly descending numbers of the real type. */
typedef void orr_gesvd_descend_fn(int64_t count, void *w);
extern orr_gesvd_descend_fn *const orr_gesvd_descend_cpu[ORR_NTYPES];

/* Also the singular vectors: columns of u, rows of vt, n x n of the real type, without gaps. By
 * divide and conquer, with workspace of 3n^2 + 4n numbers. */
typedef orr_status orr_gesvd_vectors_fn(int64_t n, double scale, void *d, void *e, void *u,
                                        void *vt);
extern orr_gesvd_vectors_fn *const orr_gesvd_vectors_cpu[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
