/* heev: divide and conquer of a real symmetric tridiagonal matrix by the pieces of merge.h. Rows
 * first .. first+n-1 of T, of norm 1, are torn into halves of n1 and n - n1 rows and a correction of rank
 * one,
 *
 *     T = diag(T1, T2) + rho u u'        Ti = Qi Di Qi'        z = diag(Q1, Q2)' u
 *     D + rho z z' = S diag(d) S'        vectors of T: diag(Q1, Q2) S
 *
 * Sources: J. J. M. Cuppen, Numer. Math. 36, 177-195, 1981; M. Gu, S. Eisenstat, SIAM J. Matrix
 * Anal. Appl. 16(1), 172-191, 1995; LAPACK's laed1 to laed4.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HEEV_MERGE_H
#define ORR_KERNELS_HEEV_MERGE_H

#include "kernels/merge.h"
#ifdef __cplusplus
extern "C" {
#endif

extern orr_merge_leaf_fn *const orr_heev_leaf_cpu[ORR_NTYPES]; /* part: not used */
extern orr_merge_ends_fn *const orr_heev_ends_cpu[ORR_NTYPES];
extern orr_merge_deflate_fn *const orr_heev_deflate_cpu[ORR_NTYPES];
extern orr_merge_arrange_fn *const orr_heev_arrange_cpu[ORR_NTYPES];
extern orr_merge_secular_fn *const orr_heev_secular_cpu[ORR_NTYPES];
extern orr_merge_weigh_fn *const orr_heev_weigh_cpu[ORR_NTYPES];
extern orr_merge_coefficients_fn *const orr_heev_coefficients_cpu[ORR_NTYPES];
extern orr_merge_product_fn *const orr_heev_product_cpu[ORR_NTYPES];
extern orr_merge_order_fn *const orr_heev_order_cpu[ORR_NTYPES]; /* ascending */

/* x2: the rows of one half, [rows * m.n]: of columns that are kept and have entries there, then of those
 * that are deflated. */
typedef orr_status orr_heev_arrange_apart_fn(orr_stream, const orr_merge *, int half,
                                             const orr_merge_columns *, const void *told,
                                             const int32_t *index, void *x2);
extern orr_heev_arrange_apart_fn *const orr_heev_arrange_apart_cpu[ORR_NTYPES];
extern orr_heev_arrange_apart_fn *const orr_heev_arrange_apart_cuda[ORR_NTYPES];
extern orr_merge_secular_apart_fn *const orr_heev_secular_apart_cpu[ORR_NTYPES];
extern orr_merge_secular_apart_fn *const orr_heev_secular_apart_cuda[ORR_NTYPES];
extern orr_merge_product_apart_fn *const orr_heev_product_apart_cpu[ORR_NTYPES];
extern orr_merge_product_apart_fn *const orr_heev_product_apart_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
