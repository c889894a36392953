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
 * Sources: J. J. M. Cuppen, Numer. Math. 36, 177-195, 1981; M. Gu, S. Eisenstat, SIAM J. Matrix
 * Anal. Appl. 16(1), 172-191, 1995; LAPACK's laed1 to laed4.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HEEV_MERGE_H
#define ORR_KERNELS_HEEV_MERGE_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Of the whole matrix; arrays of the real type. Rows work in their own parts of all of them. */
typedef struct {
    int64_t n;
    void *q;  /* n x n, the vectors in the end, columns in the order `order` */
    void *q2; /* [n * n] */
    void *d, *z, *poles, *zk, *weight;    /* [n] */
    int32_t *order;                       /* [n] from 1: ascending */
    int32_t *sorted, *at, *chosen, *type; /* [n] */
} orr_heev_tree;

/* One merge. */
typedef struct {
    int64_t first, n, n1;
    int64_t upper, both,
        lower; /* columns that are not deflated: with entries in T1, in both, in T2 */
    int32_t k; /* all of these */
    double rho;
} orr_heev_merge;

/* Memory for everything but q and q2. Returns 0, and nothing to free, without memory. */
int orr_heev_tree_make(orr_heev_tree *, int64_t n, int64_t element);
void orr_heev_tree_free(orr_heev_tree *);

/* As the merge of these rows begins. */
orr_heev_merge orr_heev_merge_of(int64_t first, int64_t n);
/* Where q2 has the vectors that merge m multiplies, [m.n * m.n]: those of T1 and of both, n1 rows each;
 * those of both and of T2, n - n1 rows each; then those that are deflated. */
static inline int64_t orr_heev_arranged(const orr_heev_tree *t, const orr_heev_merge *m)
{
    return m->first * t->n;
}

/* d, e: T as it was given, in; also below. ORR_NOCONV, ORR_E_NOMEM. */
typedef orr_status orr_heev_leaf_fn(orr_heev_tree *, int64_t first, int64_t n, const void *d,
                                    const void *e);
extern orr_heev_leaf_fn *const orr_heev_leaf_cpu[ORR_NTYPES];
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
/* part: [parts * n]; the order of the values, too */
typedef void orr_heev_weigh_fn(orr_heev_tree *, const orr_heev_merge *, const void *part,
                               int64_t parts);
extern orr_heev_weigh_fn *const orr_heev_weigh_cpu[ORR_NTYPES];
/* These columns of S, k rows, in the place of what `secular` left there. ORR_E_NOMEM. */
typedef orr_status orr_heev_coefficients_fn(orr_heev_tree *, const orr_heev_merge *, int64_t first,
                                            int64_t count);
extern orr_heev_coefficients_fn *const orr_heev_coefficients_cpu[ORR_NTYPES];
/* q: columns first .. of the merge, S in, vectors out, n rows; q2: as arranged; work: [k * count]
 * on a device, where it is needed. ORR_E_NOMEM. */
typedef orr_status orr_heev_product_fn(orr_stream, const orr_heev_merge *, int64_t first,
                                       int64_t count, const void *q2, void *q, int64_t ldq,
                                       void *work);
extern orr_heev_product_fn *const orr_heev_product_cpu[ORR_NTYPES];
extern orr_heev_product_fn *const orr_heev_product_cuda[ORR_NTYPES];
/* w: all values ascending, divided by scale. */
typedef void orr_heev_order_fn(const orr_heev_tree *, double scale, const void *d, const void *e,
                               void *w);
extern orr_heev_order_fn *const orr_heev_order_cpu[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
