/* The tree of gesvd's divide and conquer: which rows are solved as one, what of their vectors is where,
 * and the handles that tasks use of it. It depends on n alone. Its tasks: gesvd_merge.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_GESVD_TREE_H
#define ORR_GESVD_TREE_H

#include "codelets/dense/gesvd.h"
#include "codelets/dense/merge.h"
#include "kernels/gesvd_merge.h"

/* Some rows. */
struct orr_gesvd_node {
    orr_gesvd_merge m;
    int64_t parts, width; /* columns of a part */
    int below;            /* 1: of a merge that is apart */
    int kept; /* 1: apart, and nobody wants its vectors in main memory: they are StarPU's */
    const struct orr_gesvd_node *half[2]; /* NULL: one task does it */
    char *factor;                         /* of the weights, [parts * m.n]; then roots, [m.n] */
    starpu_data_handle_t state, *copied;  /* [parts] */
    starpu_data_handle_t *part;           /* [2 * parts], those of V behind those of U */
    starpu_data_handle_t extra;           /* where accelerators use it */
    /* of a merge that is apart, the last three [parts] */
    starpu_data_handle_t told, index, weight, corner, *factors, *roots, *ends;
};

struct orr_gesvd_tasks {
    orr_gesvd_tree t;
    int64_t nodes;
    struct orr_gesvd_node *node; /* halves before what they are halves of */
    struct orr_merge_handles handles;
    starpu_data_handle_t order; /* t.order */
    char *factor;               /* [t.n * factors] */
    int64_t factors;            /* of a row: parts, and roots, at most */
    int64_t entries;            /* of t.x[0] and of t.x[1], which follows it */
};

/* Columns of a part of a node whose vectors are on CPUs, at most. */
enum { ORR_GESVD_COLUMNS = 128 };

static inline int64_t orr_gesvd_columns_of(const struct orr_gesvd_node *x, int64_t part)
{
    const int64_t rest = x->m.n - part * x->width;
    return rest < x->width ? rest : x->width;
}
static inline int64_t orr_gesvd_rows_of(const struct orr_gesvd_tasks *x,
                                        const struct orr_gesvd_node *node, int side)
{
    return orr_gesvd_rows(&x->t, node->m.first, node->m.n, side);
}
/* 1: V has a vector more. */
static inline int orr_gesvd_has_extra(const struct orr_gesvd_tasks *x,
                                      const struct orr_gesvd_node *node)
{
    return orr_gesvd_rows_of(x, node, 1) > node->m.n;
}

#endif
