/* gesvd: divide and conquer of an upper bidiagonal matrix by the pieces of merge.h. Rows
 * first .. first+n-1 of B, and one column more than rows unless they are the last ones, are torn at
 * row first+n1 =: i into two of the same kind:
 *
 *         [ B1            ]                        alpha = B(i,i)
 *     B = [   alpha beta  ]     Bi = Ui [Si 0] Vi'   beta  = B(i,i+1)
 *         [            B2 ]
 *
 *     B = diag(U1, 1, U2) M diag(V1, V2)'          M: a row z over diag(S1, S2)
 *     M = X S Y'                                   vectors of B: diag(U1, 1, U2) X, diag(V1, V2) Y
 *
 * B2 has one column more than rows where B has; then both have a vector in V that is orthogonal to
 * all others, the last column of each, and z has two entries for them, which are rotated into one: it
 * counts as a column with entries in both halves. V is kept by columns, so both sides are alike. `tree`
 * does all of it for some rows.
 *
 * Sources: M. Gu, S. Eisenstat, SIAM J. Matrix Anal. Appl. 16(1), 79-92, 1995; LAPACK's lasd0 to
 * lasd4.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_GESVD_MERGE_H
#define ORR_KERNELS_GESVD_MERGE_H

#include "kernels/merge.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { ORR_GESVD_LEAF = 25 }; /* rows that are not torn; LAPACK's choice, too */

extern orr_merge_leaf_fn *const orr_gesvd_tree_cpu[ORR_NTYPES];
extern orr_merge_ends_fn *const orr_gesvd_ends_cpu[ORR_NTYPES];
extern orr_merge_deflate_fn *const orr_gesvd_deflate_cpu[ORR_NTYPES];
extern orr_merge_arrange_fn *const orr_gesvd_arrange_cpu[ORR_NTYPES];
extern orr_merge_secular_fn *const orr_gesvd_secular_cpu[ORR_NTYPES];
extern orr_merge_weigh_fn *const orr_gesvd_weigh_cpu[ORR_NTYPES];
extern orr_merge_coefficients_fn *const orr_gesvd_coefficients_cpu[ORR_NTYPES];
extern orr_merge_product_fn *const orr_gesvd_product_cpu[ORR_NTYPES];
extern orr_merge_order_fn *const orr_gesvd_order_cpu[ORR_NTYPES]; /* descending */

/* x2: the rows of each half, `cut` and the others of `rows`, [those * m.n]: of columns that are kept and
 * have entries there, then of those that are deflated. Of V alone, else NULL: `extra` are the vectors of
 * the halves that are orthogonal to all others, last: what they become, [rows], if there is one, and
 * corner[2] its ends. */
typedef orr_status orr_gesvd_arrange_apart_fn(orr_stream, const orr_merge *, int side, int64_t rows,
                                              const orr_merge_columns have[2],
                                              const void *const extra[2], const void *told,
                                              const int32_t *index, void *const x2[2], void *last,
                                              void *corner);
extern orr_gesvd_arrange_apart_fn *const orr_gesvd_arrange_apart_cpu[ORR_NTYPES];
extern orr_gesvd_arrange_apart_fn *const orr_gesvd_arrange_apart_cuda[ORR_NTYPES];
extern orr_merge_secular_apart_fn *const orr_gesvd_secular_apart_cpu[ORR_NTYPES];
extern orr_merge_secular_apart_fn *const orr_gesvd_secular_apart_cuda[ORR_NTYPES];
extern orr_merge_product_apart_fn *const orr_gesvd_product_apart_cpu[ORR_NTYPES];
extern orr_merge_product_apart_fn *const orr_gesvd_product_apart_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
