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
 * kept by columns, so both sides are alike. Vectors of a large merge may be on devices (`apart`), as in
 * heev_merge.h.
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

/* Of the whole matrix; arrays of the real type. Rows work in their own parts of all of them. Where merges
 * are apart x has only what the others need: a block of rows and columns from `first` on begins at entry
 * first * (ld + 1), and ld is the most rows and columns of a block. It comes with zeros then. */
typedef struct {
    int64_t n;
    int64_t ld;  /* of x and x2; n where nothing is apart */
    void *x[2];  /* U and V: n columns, the vectors in the end, in the order `order` */
    void *x2[2]; /* likewise */
    void *value, *sorted, *z, *pole, *zk, *weight; /* [n] */
    void *ends;     /* [2 * (n + 1)] first and last entry of V's columns */
    void *told;     /* [ORR_MERGE_TOLD * n] */
    int32_t *order; /* [n] from 1: ascending; after order: descending */
    int32_t *index, *column, *type, *at, *row; /* [n] */
    int32_t *numbers;                          /* [ORR_MERGE_INDEX * n] */
} orr_gesvd_tree;

/* One merge. */
typedef struct {
    int64_t first, n, n1; /* rows: of B1, alpha and beta, B2 */
    int64_t k;            /* columns that are not deflated: */
    int64_t upper, both;  /* of B1 only, one, of both halves, and then of B2 only */
    double norm, rho;     /* values are divided by norm; |z|^2 */
    int apart;            /* 1: its vectors are on devices */
    double join[2];       /* then: by which the orthogonal vectors of both halves are rotated */
} orr_gesvd_merge;

static inline int64_t orr_gesvd_told(const orr_gesvd_merge *m) { return ORR_MERGE_TOLD * m->first; }
static inline int64_t orr_gesvd_numbers(const orr_gesvd_merge *m)
{
    return ORR_MERGE_INDEX * m->first;
}

/* Memory for everything but x and x2: one array that begins with value, one that begins with `order`.
 * Returns 0, and nothing to free, without memory. */
static inline int64_t orr_gesvd_tree_reals(int64_t n) { return (8 + ORR_MERGE_TOLD) * n + 2; }
enum { ORR_GESVD_TREE_INTEGERS = 6 + ORR_MERGE_INDEX }; /* of a row */
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
/* The ends of V's vectors of these rows, for a merge that is apart. */
typedef void orr_gesvd_ends_fn(orr_gesvd_tree *, int64_t first, int64_t n);
extern orr_gesvd_ends_fn *const orr_gesvd_ends_cpu[ORR_NTYPES];
/* apart: z is made of `ends`, and the device is told. */
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
/* part: [parts * n], apart: then all roots, [n]. ORR_NOCONV: a root is no number. */
typedef orr_status orr_gesvd_weigh_fn(orr_gesvd_tree *, const orr_gesvd_merge *, const void *part,
                                      int64_t parts);
extern orr_gesvd_weigh_fn *const orr_gesvd_weigh_cpu[ORR_NTYPES];
/* These columns of X and Y, k rows, in the place of what `secular` left there. ORR_E_NOMEM. */
typedef orr_status orr_gesvd_coefficients_fn(orr_gesvd_tree *, const orr_gesvd_merge *,
                                             int64_t first, int64_t count);
extern orr_gesvd_coefficients_fn *const orr_gesvd_coefficients_cpu[ORR_NTYPES];
/* Of one side, these columns of the merge, coefficients in, vectors out. ORR_E_NOMEM. */
typedef orr_status orr_gesvd_product_fn(orr_gesvd_tree *, const orr_gesvd_merge *, int side,
                                        int64_t first, int64_t count);
extern orr_gesvd_product_fn *const orr_gesvd_product_cpu[ORR_NTYPES];
/* s: all values descending, divided by scale. d and e as above; s may be d. */
typedef void orr_gesvd_order_fn(orr_gesvd_tree *, double scale, const void *d, const void *e,
                                void *s);
extern orr_gesvd_order_fn *const orr_gesvd_order_cpu[ORR_NTYPES];

/* ---- Merges that are apart; rows: of the vectors of the side -------------------------------------- */

/* x2: the rows of each half, n1 + 1 and the others, [those * m.n]: of columns that are kept and have
 * entries there, then of those that are deflated. Of V alone, else NULL: `extra` are the vectors of the
 * halves that are orthogonal to all others, last: what they become, [rows], if there is one, and
 * corner[2] its ends. */
typedef orr_status orr_gesvd_arrange_apart_fn(orr_stream, const orr_gesvd_merge *, int side,
                                              int64_t rows, const orr_merge_columns have[2],
                                              const void *const extra[2], const void *told,
                                              const int32_t *index, void *const x2[2], void *last,
                                              void *corner);
extern orr_gesvd_arrange_apart_fn *const orr_gesvd_arrange_apart_cpu[ORR_NTYPES];
extern orr_gesvd_arrange_apart_fn *const orr_gesvd_arrange_apart_cuda[ORR_NTYPES];
/* x: of both sides columns first .., from the square of each root to those of the poles; part: [n]
 * factors of the weights; root: [count]. ORR_NOCONV, ORR_E_NOMEM: not on a device. */
typedef orr_status orr_gesvd_secular_apart_fn(orr_stream, const orr_gesvd_merge *, int64_t first,
                                              int64_t count, const void *told, void *const x[2],
                                              const int64_t ldx[2], void *part, void *root);
extern orr_gesvd_secular_apart_fn *const orr_gesvd_secular_apart_cpu[ORR_NTYPES];
extern orr_gesvd_secular_apart_fn *const orr_gesvd_secular_apart_cuda[ORR_NTYPES];
/* x: that in, vectors out; weight: [k]; x2: of each half; work: [k * count]; ends: [2 * count] of these
 * columns, or NULL. */
typedef orr_status orr_gesvd_product_apart_fn(orr_stream, const orr_gesvd_merge *, int side,
                                              int64_t rows, int64_t first, int64_t count,
                                              const void *told, const int32_t *index,
                                              const void *weight, const void *const x2[2], void *x,
                                              int64_t ldx, void *work, void *ends);
extern orr_gesvd_product_apart_fn *const orr_gesvd_product_apart_cpu[ORR_NTYPES];
extern orr_gesvd_product_apart_fn *const orr_gesvd_product_apart_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
