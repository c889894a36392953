/* The tree of divide and conquer: which rows are solved as one, what of their vectors is where, and the
 * handles that tasks use of it. It depends on n alone. Its tasks: merge.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_MERGE_TREE_H
#define ORR_MERGE_TREE_H

#include "codelets/dense/merge.h"
#include "codelets/dense/merge_handles.h"
#include "codelets/dense/solver.h"
#include "kernels/merge.h"

struct orr_merge_algorithm; /* merge_tasks.h */

/* The tridiagonal or bidiagonal matrix, in main memory. */
struct orr_merge_matrix {
    orr_type type; /* of the dense matrix */
    int64_t n;
    double scale; /* the values are those of the user's matrix times this */
    void *d, *e;
    void *values;           /* [n] divided by scale; they may replace d */
    starpu_data_handle_t M; /* of d and e */
    enum orr_where where;   /* of large products */
    int64_t parts;          /* that all tasks count as done */
    struct orr_solver solver;
};

/* Some rows. */
struct orr_merge_node {
    orr_merge m;
    int64_t parts, width; /* columns of a part */
    int below;            /* 1: of a merge that is apart */
    int kept; /* 1: apart, and nobody wants its vectors in main memory: they are StarPU's */
    const struct orr_merge_node *half[2]; /* NULL: one task does it */
    char *factor;                         /* of the weights, [parts * m.n]; then roots, [m.n] */
    starpu_data_handle_t state, *copied;  /* [parts] */
    starpu_data_handle_t *part;           /* [sides * parts], those of V behind those of U */
    starpu_data_handle_t extra; /* V's vector that is orthogonal to all others, where there is one and
                                   accelerators use it */
    /* of a merge that is apart, the last three [parts]; corner: the ends of that vector */
    starpu_data_handle_t told, index, weight, corner, *factors, *roots, *ends;
};

struct orr_merge_tasks {
    const struct orr_merge_algorithm *of;
    struct orr_merge_matrix matrix;
    orr_merge_tree t;
    int64_t nodes;
    struct orr_merge_node *node; /* halves before what they are halves of */
    struct orr_merge_handles handles;
    starpu_data_handle_t order; /* t.order */
    char *factor;               /* [t.n * factors] */
    int64_t factors;            /* of a row: parts, and roots, at most */
    int64_t entries;            /* of a side, t.x[0] and t.x[1], which follows it */
};

/* On failure the request has failed; orr_merge_drop what is returned. */
struct orr_merge_tasks *orr_merge_split(struct orr_request *, const struct orr_merge_algorithm *,
                                        const struct orr_merge_matrix *);
/* What the tasks leave, of a side. */
struct orr_merge_vectors orr_merge_vectors(const struct orr_merge_tasks *, int side);

/* 1: buffers of so many reals fit an accelerator together. */
int orr_merge_fits(const int64_t *reals, size_t count, size_t real);
enum {
    ORR_MERGE_WIDE = 1024
}; /* columns of a part of a merge that is apart, at most: a launch of
                                   them fills a device */

static inline int64_t orr_merge_up(int64_t x, int64_t y) { return (x + y - 1) / y; }
static inline int64_t orr_merge_columns_of(const struct orr_merge_node *x, int64_t part)
{
    const int64_t rest = x->m.n - part * x->width;
    return rest < x->width ? rest : x->width;
}
static inline int64_t orr_merge_rows_of(const struct orr_merge_tasks *x,
                                        const struct orr_merge_node *node, int side)
{
    return orr_merge_rows(&x->t, node->m.first, node->m.n, side);
}
/* 1: V has a vector more. */
static inline int orr_merge_has_extra(const struct orr_merge_tasks *x,
                                      const struct orr_merge_node *node)
{
    return orr_merge_rows_of(x, node, 1) > node->m.n && x->t.sides == 2;
}

#endif
