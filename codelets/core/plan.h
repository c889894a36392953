/* A plan: the graph of an operation that is counted instead of run. The builders in src are the
 * same ones, so what a plan says is what a run submits: a request that has a plan takes no task to
 * StarPU, registers no data and allocates no arrays; it adds up what it is given.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_PLAN_H
#define ORR_CODELETS_PLAN_H

#include "codelets/core/request.h"
#include "orrery/plan.h"

struct orr_planner;

struct orr_planner *orr_planner_make(void); /* NULL: no memory */
void orr_planner_free(struct orr_planner *);
/* What has been counted so far, the rows in the order of their first tasks. */
void orr_planner_result(const struct orr_planner *, orr_plan *);

/* In place of starpu_task_insert: 0, and the arguments are freed. */
int orr_plan_task(struct orr_request *, struct starpu_codelet *, void *args);
/* The next task stands for those of i .. to-1, which are alike, if i is one of from .. to-1 and this
 * is a plan. Returns how many; else 1. Two in a row: rows times columns. */
int64_t orr_plan_alike(struct orr_request *, int64_t i, int64_t from, int64_t to);
/* In a plan each task from here on stands for so many. */
void orr_plan_group(struct orr_request *, int64_t times);
/* What the counts assume. */
void orr_plan_note(struct orr_request *, const char *note);
/* Memory that tasks take for themselves. */
void orr_plan_bytes(struct orr_request *, double bytes);
/* Why a run would be refused, or NULL; the first reason counts. most: the largest order that would
 * not be, 0: not known. */
void orr_plan_refuse(struct orr_request *, const char *why, int64_t most);
/* A stage whose tasks wait for each other takes this long, whatever the workers. */
void orr_plan_wall(struct orr_request *, const char *codelet, double seconds);

starpu_data_handle_t orr_plan_handle(struct orr_request *); /* in place of any other */

/* Memory for tasks to work in, for free(); NULL: none. A plan counts it, and hands out a byte
 * that free() takes. `alignment` 0, or a power of two that divides the bytes. */
void *orr_request_memory(struct orr_request *, size_t alignment, size_t bytes);
/* A matrix in main memory, or in that of StarPU's number `node`, as orr_request_vector a vector; NULL:
 * the request has failed. */
starpu_data_handle_t orr_request_matrix(struct orr_request *, const void *memory, int64_t ld,
                                        int64_t rows, int64_t columns, size_t element_size);
starpu_data_handle_t orr_request_matrix_on(struct orr_request *, int node, const void *memory,
                                           int64_t ld, int64_t rows, int64_t columns,
                                           size_t element_size);
/* A vector that StarPU allocates where a task first writes it, and its end after the tasks
 * submitted so far. */
starpu_data_handle_t orr_request_temporary(struct orr_request *, int64_t elements,
                                           size_t element_size);
/* The same of a matrix. */
starpu_data_handle_t orr_request_temporary_matrix(struct orr_request *, int64_t rows,
                                                  int64_t columns, size_t element_size);
void orr_request_forget(struct orr_request *, starpu_data_handle_t);

#endif
