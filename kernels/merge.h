/* A merge of divide and conquer, of heev (heev_merge.h) and of gesvd (gesvd_merge.h), in pieces that tasks
 * can share. Rows first .. first+n-1 are torn into an upper half of n1 rows and a lower one from row `cut`
 * on; both are done. With the vectors X of both halves, one side of them or two,
 *
 *     M = S diag(d) S'      M: the values of the halves and a correction z, of k columns that count
 *     X S                   vectors of these rows
 *
 * In this order, each piece when the one before is done of all parts: deflate; arrange; secular; weigh;
 * coefficients; product, of each side. A part is columns first .. first+count-1 of S. `leaf` does rows
 * that are not torn; after the outermost merge, order.
 *
 * Vectors of a large merge may be on devices (`apart`). Then deflate and weigh run on a CPU all the same,
 * and what they and the device tell each other is in small arrays of the tree.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_MERGE_H
#define ORR_KERNELS_MERGE_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

/* What a device is told, as many of each as there are columns: reals, ... */
enum { ORR_MERGE_POLES, ORR_MERGE_ZK, ORR_MERGE_COS, ORR_MERGE_SIN, ORR_MERGE_TOLD };
/* ... and numbers. AT: which pole and value an arranged column is. Of a column of the halves, TO: the
 * arranged one that it becomes; NEXT: -1, or the column that it is rotated with, by COS and SIN, before
 * that goes on; LED: 1, another column is rotated with it. */
enum { ORR_MERGE_AT, ORR_MERGE_TO, ORR_MERGE_NEXT, ORR_MERGE_LED, ORR_MERGE_INDEX };

/* Of the whole matrix; arrays of the real type. Rows work in their own parts of all of them. Where merges
 * are apart x has only what the others need: a block of rows and columns from `first` on begins at entry
 * first * (ld + 1), and there ld is the most rows and columns of a block. It comes with zeros then. */
typedef struct {
    int sides; /* heev 1; gesvd 2, U and V */
    int64_t n;
    int64_t ld;                                    /* of x; n where nothing is apart */
    void *x[2];                                    /* n columns, in the end in the order `order` */
    void *x2[2];                                   /* [n * ld] */
    void *value, *sorted, *z, *pole, *zk, *weight; /* [n] */
    void *ends; /* [2 * (n + 1)] first and last entry of each vector of a half, of the last side */
    void *told; /* [ORR_MERGE_TOLD * n] */
    int32_t *order;  /* [n] from 1: ascending; of gesvd after `order`: descending */
    int32_t *column; /* [n] of the halves, by ascending values */
    int32_t *from;   /* [n] column of the halves that an arranged one is */
    int32_t *row;    /* [n] which pole and value that is */
    int32_t *type, *chosen;
    int32_t *index; /* [ORR_MERGE_INDEX * n] */
} orr_merge_tree;

/* One merge. */
typedef struct {
    int sides; /* as of the tree */
    int64_t first, n;
    int64_t n1, cut; /* rows of the upper half; where the lower one begins: n1, of gesvd n1 + 1 */
    int64_t k;       /* columns that are not deflated: */
    int64_t upper,
        both;         /* with entries in the upper half only, in both, and then in the lower only */
    int apart;        /* 1: its vectors are on devices */
    double norm, rho; /* values are divided by norm; the weight of z z' */
    double join[2];   /* of gesvd: by which the orthogonal vectors of both halves are rotated */
} orr_merge;

/* Memory for everything but x and x2: one array that begins with value, one that begins with `order`.
 * Returns 0, and nothing to free, without memory. */
static inline int64_t orr_merge_tree_reals(int64_t n) { return (8 + ORR_MERGE_TOLD) * n + 2; }
enum { ORR_MERGE_TREE_INTEGERS = 6 + ORR_MERGE_INDEX }; /* of a row */
int orr_merge_tree_make(orr_merge_tree *, int sides, int64_t n, int64_t element);
void orr_merge_tree_free(orr_merge_tree *);

/* As the merge of these rows begins. */
static inline orr_merge orr_merge_of(int sides, int64_t first, int64_t n)
{
    const orr_merge m = {sides, first, n, n / 2, n / 2 + (sides == 2), 0, 0, 0, 0, 1, 0, {0, 0}};
    return m;
}
static inline int64_t orr_merge_told(const orr_merge *m) { return ORR_MERGE_TOLD * m->first; }
static inline int64_t orr_merge_index(const orr_merge *m) { return ORR_MERGE_INDEX * m->first; }
/* Rows of vectors of n rows of the matrix: as many, but in V one more unless they are the last ones. */
static inline int64_t orr_merge_rows(const orr_merge_tree *t, int64_t first, int64_t n, int side)
{
    return n + (side == 1 && first + n < t->n);
}
/* Where x2 has the vectors that merge m multiplies, [rows * m.n]: of the upper half and of both, the
 * upper `cut` rows; of both and of the lower half, the rows below; then those that are deflated. */
static inline int64_t orr_merge_arranged(const orr_merge_tree *t, const orr_merge *m)
{
    return m->first * t->ld;
}

/* d, e: the matrix as it was given, in; also below. part: [n], for work. ORR_NOCONV, ORR_E_NOMEM. */
typedef orr_status orr_merge_leaf_fn(orr_merge_tree *, int64_t first, int64_t n, const void *d,
                                     const void *e, void *part);
/* The ends of the vectors of these rows, of the last side, for a merge that is apart. */
typedef void orr_merge_ends_fn(orr_merge_tree *, int64_t first, int64_t n);
/* apart: z is made of `ends`, and the device is told. */
typedef void orr_merge_deflate_fn(orr_merge_tree *, orr_merge *, const void *d, const void *e);
/* Copies vectors to where the products read them. */
typedef void orr_merge_arrange_fn(orr_merge_tree *, const orr_merge *, int64_t first,
                                  int64_t count);
/* Roots of the secular equation; part: [n] their factors of the weights. What is deflated goes back
 * to its columns. ORR_NOCONV. */
typedef orr_status orr_merge_secular_fn(orr_merge_tree *, const orr_merge *, int64_t first,
                                        int64_t count, void *part);
/* part: [parts * n], apart: then all roots, [n]; the order of the values, too. ORR_NOCONV: a root is no
 * number. */
typedef orr_status orr_merge_weigh_fn(orr_merge_tree *, const orr_merge *, const void *part,
                                      int64_t parts);
/* These columns of S, k rows, in the place of what `secular` left there. ORR_E_NOMEM. */
typedef orr_status orr_merge_coefficients_fn(orr_merge_tree *, const orr_merge *, int64_t first,
                                             int64_t count);
/* Of one side, these columns of the merge, S in, vectors out. ORR_E_NOMEM. */
typedef orr_status orr_merge_product_fn(orr_merge_tree *, const orr_merge *, int side,
                                        int64_t first, int64_t count);
/* All values in their order, divided by scale; they may replace d. */
typedef void orr_merge_order_fn(orr_merge_tree *, double scale, const void *d, const void *e,
                                void *values);

/* ---- Merges that are apart ----------------------------------------------------------------------- */

/* Vectors of a half, by parts of `width` columns. */
enum { ORR_MERGE_MOST_PARTS = 64 };
typedef struct {
    int64_t width;
    const void *part[ORR_MERGE_MOST_PARTS];
    int64_t ld[ORR_MERGE_MOST_PARTS];
} orr_merge_columns;

/* x: of each side columns first .., from each root its distances to the poles, of gesvd those of the
 * squares; or what is to weights as they are. part: [n] factors of the weights; root: [count].
 * ORR_NOCONV, ORR_E_NOMEM: not on a device, which bisects. */
typedef orr_status orr_merge_secular_apart_fn(orr_stream, const orr_merge *, int64_t first,
                                              int64_t count, const void *told, void *const x[2],
                                              const int64_t ldx[2], void *part, void *root);
/* x: of a side, of `rows` rows, that in, vectors out; weight: [k]; x2: of each half, its rows of the
 * columns that have entries there, then of those that are deflated; work: [k * count]; ends: [2 * count]
 * of these columns, or NULL. */
typedef orr_status orr_merge_product_apart_fn(orr_stream, const orr_merge *, int side, int64_t rows,
                                              int64_t first, int64_t count, const void *told,
                                              const int32_t *index, const void *weight,
                                              const void *const x2[2], void *x, int64_t ldx,
                                              void *work, void *ends);

#ifdef __cplusplus
}
#endif
#endif
