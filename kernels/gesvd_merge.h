/* gesvd: divide and conquer of an upper bidiagonal matrix, in pieces that tasks can share. Rows
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
 * all others, the last column of each, and z has two entries for them, which are rotated into one.
 *
 * `tree` does all of it for some rows. Or a call for each of the two halves; deflate; arrange of every
 * part; secular of every part; weigh; coefficients of every part, and a product of every part and
 * side. A part is columns first .. first+count-1 of X and Y. After the outermost merge, order. V is
 * kept by columns, so both sides are alike.
 *
 * Sources: M. Gu, S. Eisenstat, SIAM J. Matrix Anal. Appl. 16(1), 79-92, 1995; LAPACK's lasd0 to
 * lasd4.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_GESVD_MERGE_H
#define ORR_KERNELS_GESVD_MERGE_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Of the whole matrix; arrays of the real type. Rows work in their own parts of all of them. */
typedef struct {
    int64_t n;
    void *x[2];  /* U and V: n x n, the vectors in the end, columns in the order `order` */
    void *x2[2]; /* [n * n] each */
    void *value, *sorted, *z, *pole, *zk, *weight; /* [n] */
    int32_t *order;                            /* [n] from 1: ascending; after order: descending */
    int32_t *index, *column, *type, *at, *row; /* [n] */
} orr_gesvd_tree;

/* One merge. */
typedef struct {
    int64_t first, n, n1; /* rows: of B1, alpha and beta, B2 */
    int64_t k;            /* columns that are not deflated: */
    int64_t upper, both;  /* of B1 only, one, of both halves, and then of B2 only */
    double norm, rho;     /* values are divided by norm; |z|^2 */
} orr_gesvd_merge;

/* Memory for everything but x and x2. Returns 0, and nothing to free, without memory. */
int orr_gesvd_tree_make(orr_gesvd_tree *, int64_t n, int64_t element);
void orr_gesvd_tree_free(orr_gesvd_tree *);

/* As the merge of these rows begins. */
orr_gesvd_merge orr_gesvd_merge_of(int64_t first, int64_t n);
/* Rows of vectors of n rows of B: in U (side 0) as many, in V one more but for the last ones. */
static inline int64_t orr_gesvd_rows(const orr_gesvd_tree *t, int64_t first, int64_t n, int side)
{
    return n + (side == 1 && first + n < t->n);
}
enum { ORR_GESVD_LEAF = 25 }; /* rows that are not torn; LAPACK's choice, too */

/* d, e: B as it was given, in. part: [n]. ORR_NOCONV, ORR_E_NOMEM. */
typedef orr_status orr_gesvd_tree_fn(orr_gesvd_tree *, int64_t first, int64_t n, const void *d,
                                     const void *e, void *part);
extern orr_gesvd_tree_fn *const orr_gesvd_tree_cpu[ORR_NTYPES];
typedef void orr_gesvd_deflate_fn(orr_gesvd_tree *, orr_gesvd_merge *, const void *d,
                                  const void *e);
extern orr_gesvd_deflate_fn *const orr_gesvd_deflate_cpu[ORR_NTYPES];
/* Copies vectors to where the products read them. */
typedef void orr_gesvd_arrange_fn(orr_gesvd_tree *, const orr_gesvd_merge *, int64_t first,
                                  int64_t count);
extern orr_gesvd_arrange_fn *const orr_gesvd_arrange_cpu[ORR_NTYPES];
/* Roots of the secular equation; part: [n] their factors of the weights. ORR_NOCONV. */
typedef orr_status orr_gesvd_secular_fn(orr_gesvd_tree *, const orr_gesvd_merge *, int64_t first,
                                        int64_t count, void *part);
extern orr_gesvd_secular_fn *const orr_gesvd_secular_cpu[ORR_NTYPES];
/* part: [parts * n] */
typedef void orr_gesvd_weigh_fn(orr_gesvd_tree *, const orr_gesvd_merge *, const void *part,
                                int64_t parts);
extern orr_gesvd_weigh_fn *const orr_gesvd_weigh_cpu[ORR_NTYPES];
/* These columns of X and Y, k rows, in the place of what `secular` left there. ORR_E_NOMEM. */
typedef orr_status orr_gesvd_coefficients_fn(orr_gesvd_tree *, const orr_gesvd_merge *,
                                             int64_t first, int64_t count);
extern orr_gesvd_coefficients_fn *const orr_gesvd_coefficients_cpu[ORR_NTYPES];
/* Of one side: x: columns first .. of the merge, coefficients in, vectors out, so many rows; x2: those
 * that `arrange` made; work: [k * count] on a device. ORR_E_NOMEM. */
typedef orr_status orr_gesvd_product_fn(orr_stream, const orr_gesvd_merge *, int64_t rows,
                                        int64_t first, int64_t count, const void *x2, int64_t ldx2,
                                        void *x, int64_t ldx, void *work);
extern orr_gesvd_product_fn *const orr_gesvd_product_cpu[ORR_NTYPES];
extern orr_gesvd_product_fn *const orr_gesvd_product_cuda[ORR_NTYPES];
/* s: all values descending, divided by scale. d and e as above; s may be d. */
typedef void orr_gesvd_order_fn(orr_gesvd_tree *, double scale, const void *d, const void *e,
                                void *s);
extern orr_gesvd_order_fn *const orr_gesvd_order_cpu[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
