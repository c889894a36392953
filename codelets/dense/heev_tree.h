/* The tree of heev's divide and conquer: which rows are solved as one, what of their vectors is where,
 * and the handles that tasks use of it. It depends on n alone. Its tasks: heev_merge.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_HEEV_TREE_H
#define ORR_HEEV_TREE_H

#include "codelets/dense/heev.h"
#include "codelets/dense/merge.h"
#include "kernels/heev_merge.h"

/* Some rows. */
struct orr_heev_node {
    orr_heev_merge m;
    int64_t parts, width; /* columns of a part */
    int below;            /* 1: of a merge that is apart */
    int kept; /* 1: apart, and nobody wants its vectors in main memory: they are StarPU's */
    const struct orr_heev_node *half[2]; /* NULL: one task does it */
    char *factor;                        /* of the weights, [parts * m.n]; then roots, [m.n] */
    starpu_data_handle_t state, *part, *copied; /* [parts] */
    /* of a merge that is apart, the last three [parts] */
    starpu_data_handle_t told, index, weight, *factors, *roots, *ends;
};

struct orr_heev_tasks {
    orr_heev_tree t;
    int64_t nodes;
    struct orr_heev_node *node; /* halves before what they are halves of */
    struct orr_merge_handles handles;
    starpu_data_handle_t order; /* t.order */
    char *factor;               /* [t.n * factors] */
    int64_t factors;            /* of a row: parts, and roots, at most */
    int64_t entries;            /* of t.q */
};

/* Columns of a part of a node whose vectors are on CPUs, at most. */
enum { ORR_HEEV_COLUMNS = 160 };

static inline int64_t orr_heev_columns_of(const struct orr_heev_node *x, int64_t part)
{
    const int64_t rest = x->m.n - part * x->width;
    return rest < x->width ? rest : x->width;
}

#endif
