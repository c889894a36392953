/* heev: divide and conquer of a real symmetric tridiagonal matrix, in pieces that tasks can share.
 * Rows first .. first+n-1 of T, of norm 1, are torn into halves of n1 and n - n1 rows and a correction
 * of rank one,
 *
 *     T = diag(T1, T2) + rho u u'        Ti = Qi Di Qi'        z = diag(Q1, Q2)' u
 *     D + rho z z' = S diag(d) S'        vectors of T: diag(Q1, Q2) S
 *
 * `leaf` does rows that are not torn. Or, when both halves are done: deflate; arrange of every part;
 * secular of every part; weigh; coefficients and product of every part. A part is columns first ..
 * first+count-1 of S. After the outermost merge, order.
 *
 * Vectors of a large merge may be on devices (`apart`). Then deflate and weigh run on a CPU all the
 * same, and what they and the device tell each other is in small arrays of the tree.
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

/* Of the whole matrix; arrays of the real type. Rows work in their own parts of all of them. Where merges
 * are apart q has only what the others need: a block of rows and columns from `first` on begins at entry
 * first * (ld + 1), and there ld is the most rows of a block. It comes with zeros then. */
typedef struct {
    int64_t n;
    int64_t ld;                        /* of q; n where nothing is apart */
    void *q;                           /* n columns, the vectors in the end, in the order `order` */
    void *q2;                          /* [n * ld] */
    void *d, *z, *poles, *zk, *weight; /* [n] */
    void *ends;                        /* [2 * n] first and last entry of each vector of a half */
    void *told;                        /* [ORR_MERGE_TOLD * n] */
    int32_t *order;                    /* [n] from 1: ascending */
    int32_t *sorted, *at, *chosen, *type; /* [n] */
    int32_t *index;                       /* [ORR_MERGE_INDEX * n] */
} orr_heev_tree;

/* One merge. */
typedef struct {
    int64_t first, n, n1;
    int64_t upper, both,
        lower; /* columns that are not deflated: with entries in T1, in both, in T2 */
    int32_t k; /* all of these */
    int apart; /* 1: its vectors are on devices */
    double rho;
} orr_heev_merge;

static inline int64_t orr_heev_told(const orr_heev_merge *m) { return ORR_MERGE_TOLD * m->first; }
static inline int64_t orr_heev_index(const orr_heev_merge *m) { return ORR_MERGE_INDEX * m->first; }

/* Memory for everything but q and q2: one array that begins with d, one that begins with `order`.
 * Returns 0, and nothing to free, without memory. */
enum { ORR_HEEV_TREE_REALS = 7 + ORR_MERGE_TOLD, ORR_HEEV_TREE_INTEGERS = 5 + ORR_MERGE_INDEX };
int orr_heev_tree_make(orr_heev_tree *, int64_t n, int64_t element);
void orr_heev_tree_free(orr_heev_tree *);

/* As the merge of these rows begins. */
orr_heev_merge orr_heev_merge_of(int64_t first, int64_t n);
/* Where q2 has the vectors that merge m multiplies, [m.n * m.n]: those of T1 and of both, n1 rows each;
 * those of both and of T2, n - n1 rows each; then those that are deflated. */
static inline int64_t orr_heev_arranged(const orr_heev_tree *t, const orr_heev_merge *m)
{
    return m->first * t->ld;
}

/* d, e: T as it was given, in; also below. ORR_NOCONV, ORR_E_NOMEM. */
typedef orr_status orr_heev_leaf_fn(orr_heev_tree *, int64_t first, int64_t n, const void *d,
                                    const void *e);
extern orr_heev_leaf_fn *const orr_heev_leaf_cpu[ORR_NTYPES];
/* The ends of the vectors of these rows, for a merge that is apart. */
typedef void orr_heev_ends_fn(orr_heev_tree *, int64_t first, int64_t n);
extern orr_heev_ends_fn *const orr_heev_ends_cpu[ORR_NTYPES];
/* apart: z is made of `ends`, and the device is told. */
typedef void orr_heev_deflate_fn(orr_heev_tree *, orr_heev_merge *, const void *d, const void *e);
extern orr_heev_deflate_fn *const orr_heev_deflate_cpu[ORR_NTYPES];
/* Copies vectors to where the products read them. */
typedef void orr_heev_arrange_fn(orr_heev_tree *, const orr_heev_merge *, int64_t first,
                                 int64_t count);
extern orr_heev_arrange_fn *const orr_heev_arrange_cpu[ORR_NTYPES];
/* Roots of the secular equation; part: [n] their factors of the weights. What is deflated goes back
 * to its columns. ORR_NOCONV. */
typedef orr_status orr_heev_secular_fn(orr_heev_tree *, const orr_heev_merge *, int64_t first,
                                       int64_t count, void *part);
extern orr_heev_secular_fn *const orr_heev_secular_cpu[ORR_NTYPES];
/* part: [parts * n], apart: then all roots, [n]; the order of the values, too. ORR_NOCONV: a root is no
 * number. */
typedef orr_status orr_heev_weigh_fn(orr_heev_tree *, const orr_heev_merge *, const void *part,
                                     int64_t parts);
extern orr_heev_weigh_fn *const orr_heev_weigh_cpu[ORR_NTYPES];
/* These columns of S, k rows, in the place of what `secular` left there. ORR_E_NOMEM. */
typedef orr_status orr_heev_coefficients_fn(orr_heev_tree *, const orr_heev_merge *, int64_t first,
                                            int64_t count);
extern orr_heev_coefficients_fn *const orr_heev_coefficients_cpu[ORR_NTYPES];
/* These columns of the merge, S in, vectors out. ORR_E_NOMEM. */
typedef orr_status orr_heev_product_fn(orr_heev_tree *, const orr_heev_merge *, int64_t first,
                                       int64_t count);
extern orr_heev_product_fn *const orr_heev_product_cpu[ORR_NTYPES];
/* w: all values ascending, divided by scale. */
typedef void orr_heev_order_fn(const orr_heev_tree *, double scale, const void *d, const void *e,
                               void *w);
extern orr_heev_order_fn *const orr_heev_order_cpu[ORR_NTYPES];

/* ---- Merges that are apart ----------------------------------------------------------------------- */

/* q2: the rows of one half, [rows * m.n]: of columns that are kept and have entries there, then of those
 * that are deflated. */
typedef orr_status orr_heev_arrange_apart_fn(orr_stream, const orr_heev_merge *, int half,
                                             const orr_merge_columns *, const void *told,
                                             const int32_t *index, void *q2);
extern orr_heev_arrange_apart_fn *const orr_heev_arrange_apart_cpu[ORR_NTYPES];
extern orr_heev_arrange_apart_fn *const orr_heev_arrange_apart_cuda[ORR_NTYPES];
/* q: columns first .., from each root its distances to the poles, or what is to weights as they are;
 * part: [n] factors of the weights; root: [count]. ORR_NOCONV: not on a device, which bisects. */
typedef orr_status orr_heev_secular_apart_fn(orr_stream, const orr_heev_merge *, int64_t first,
                                             int64_t count, const void *told, void *q, int64_t ldq,
                                             void *part, void *root);
extern orr_heev_secular_apart_fn *const orr_heev_secular_apart_cpu[ORR_NTYPES];
extern orr_heev_secular_apart_fn *const orr_heev_secular_apart_cuda[ORR_NTYPES];
/* q: that in, vectors out, n rows; weight: [k]; q2: of each half; work: [k * count]; ends: [2 * count] of
 * these columns, or NULL. */
typedef orr_status orr_heev_product_apart_fn(orr_stream, const orr_heev_merge *, int64_t first,
                                             int64_t count, const int32_t *index,
                                             const void *weight, const void *const q2[2], void *q,
                                             int64_t ldq, void *work, void *ends);
extern orr_heev_product_apart_fn *const orr_heev_product_apart_cpu[ORR_NTYPES];
extern orr_heev_product_apart_fn *const orr_heev_product_apart_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
