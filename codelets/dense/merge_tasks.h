/* What heev's and gesvd's divide and conquer tell merge.c, which submits the tasks of both; and what their
 * own tasks need of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_MERGE_TASKS_H
#define ORR_MERGE_TASKS_H

#include "codelets/dense/merge_tree.h"

/* Address and leading dimension of a buffer that is a StarPU matrix. */
#define ORR_MATRIX(i) ((void *)STARPU_MATRIX_GET_PTR(buf[i]))
#define ORR_LD(i)     ((int64_t)STARPU_MATRIX_GET_LD(buf[i]))

struct orr_merge_args {
    struct orr_task task;
    struct orr_merge_tasks *x;
    struct orr_merge_node *node;
    int64_t which; /* part, or half */
    int side;
};

/* What has been submitted. */
struct orr_merge_submission {
    struct orr_request *req;
    struct orr_merge_tasks *x;
    struct orr_buffers b; /* of the next task; room for those of any */
    int64_t parts;        /* that count as done */
};

/* An algorithm: its sides, sizes, codelets by type, kernels and what only it does. */
struct orr_merge_algorithm {
    const char *name;
    int sides;
    int64_t rows, columns; /* of one task; of a part of a node whose vectors are on CPUs; at most */
    int replaces;          /* 1: the values may replace d */
    struct starpu_codelet *leaf, *deflate, *arrange, *secular, *weigh, *coefficients, *product,
        *order;
    struct {
        orr_merge_leaf_fn *const *leaf;
        orr_merge_ends_fn *const *ends;
        orr_merge_deflate_fn *const *deflate;
        orr_merge_arrange_fn *const *arrange;
        orr_merge_secular_fn *const *secular;
        orr_merge_weigh_fn *const *weigh;
        orr_merge_coefficients_fn *const *coefficients;
        orr_merge_product_fn *const *product;
        orr_merge_order_fn *const *order;
        orr_merge_secular_apart_fn *const *secular_apart;
        orr_merge_product_apart_fn *const *product_apart;
    } cpu;
    /* 1: what the tasks of n rows need fits an accelerator */
    int (*fits)(int64_t n, size_t real);
    double (*deflation)(double n); /* work, as orr_cost takes it */
    /* Of a merge that is apart: the task that arranges, on CPUs; and all of those. x2: of the halves of
     * each side, W. */
    void (*arrange_apart)(void **buf, struct orr_merge_args *);
    void (*insert_arrange_apart)(struct orr_merge_submission *, struct orr_merge_node *,
                                 const starpu_data_handle_t *x2);
};

/* The functions of the tasks, for an algorithm's codelets. */
void orr_merge_leaf(void **buf, void *arg);
void orr_merge_deflate(void **buf, void *arg);
void orr_merge_arrange(void **buf, void *arg);
void orr_merge_secular(void **buf, void *arg);
void orr_merge_weigh(void **buf, void *arg);
void orr_merge_coefficients(void **buf, void *arg);
void orr_merge_product(void **buf, void *arg);
void orr_merge_order(void **buf, void *arg);
/* ... of a merge that is apart */
void orr_merge_secular_by(void **buf, void *arg, orr_merge_secular_apart_fn *const *,
                          orr_stream stream);
void orr_merge_product_by(void **buf, void *arg, orr_merge_product_apart_fn *const *,
                          orr_stream stream);

/* 1: there is nothing to do any more. */
int orr_merge_stopped(const struct orr_merge_args *);
void orr_merge_check(const struct orr_merge_args *, orr_status, const struct starpu_codelet *who);
/* Parts of a half's vectors, of a side, which are buf[at ..]. */
orr_merge_columns orr_merge_have(void **buf, const struct orr_merge_node *half);

/* The buffers of a new task, of which this is the first; more; and the task, with those that are there;
 * work: as orr_cost takes it. */
void orr_merge_begin(struct orr_merge_submission *, starpu_data_handle_t,
                     enum starpu_data_access_mode);
void orr_merge_add(struct orr_merge_submission *, const starpu_data_handle_t *, int64_t count,
                   enum starpu_data_access_mode);
void orr_merge_insert(struct orr_merge_submission *, struct starpu_codelet *, enum orr_where,
                      struct orr_merge_node *, int64_t which, int side, double work, int64_t parts);

#endif
