/* heev: the tridiagonal matrix in the middle of the two-stage solver.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HEEV_H
#define ORR_KERNELS_HEEV_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

/* w: eigenvalues first .. first+count-1 (from 0, ascending) divided by scale; d: the diagonal, e:
 * the n-1 off-diagonal entries. All of the real type. Up to order ORR_HEEV_QL all of them are
 * computed and the others dropped; above it they come by bisection, independent of the range,
 * ascending but for differences of rounding. Returns ORR_OK, ORR_NOCONV or ORR_E_NOMEM. */
enum { ORR_HEEV_QL = 32 };
typedef orr_status orr_heev_values_fn(int64_t n, double scale, const void *d, const void *e,
                                      int64_t first, int64_t count, void *w);
extern orr_heev_values_fn *const orr_heev_values_cpu[ORR_NTYPES];

/* The eigenvalues in (low, high], infinite ends among them, are numbers *first .. *first + *count - 1
 * (from 0); they are of T divided by scale. By signs of pivots: exact where T is diagonal. */
typedef void orr_heev_count_fn(int64_t n, double scale, const void *d, const void *e, double low,
                               double high, int64_t *first, int64_t *count);
extern orr_heev_count_fn *const orr_heev_count_cpu[ORR_NTYPES];

/* Values that rounding put outside of (low, high], two numbers of the type, go to its ends. */
typedef void orr_heev_confine_fn(int64_t count, double low, double high, void *w);
extern orr_heev_confine_fn *const orr_heev_confine_cpu[ORR_NTYPES];

/* Sorts w, which nearly is. */
typedef void orr_heev_ascend_fn(int64_t count, void *w);
extern orr_heev_ascend_fn *const orr_heev_ascend_cpu[ORR_NTYPES];

/* w: all of them, and the eigenvectors, columns of s: n x n of the real type, without gaps. d and e
 * are destroyed. By divide and conquer; ORR_E_NOMEM: it needs workspace of n^2 + 4n + 1 numbers. */
typedef orr_status orr_heev_vectors_fn(int64_t n, double scale, void *d, void *e, void *w, void *s);
extern orr_heev_vectors_fn *const orr_heev_vectors_cpu[ORR_NTYPES];

/* w: values first .. first+count-1, and their eigenvectors, columns of s, n x count. d and e are
 * destroyed. Up to ORR_HEEV_FEW of n by bisection and inverse iteration, O(n count^2); more of
 * them, and if that fails, as all are found, of which the others are dropped. */
enum { ORR_HEEV_FEW = 10 }; /* a tenth */
typedef orr_status orr_heev_some_fn(int64_t n, double scale, void *d, void *e, int64_t first,
                                    int64_t count, void *w, void *s);
extern orr_heev_some_fn *const orr_heev_some_cpu[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
