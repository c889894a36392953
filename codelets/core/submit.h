/* The one place where tasks enter StarPU: counted in their request, throttled, reported
 * when done, and turned into a failure of the request if no worker can run them.
 *
 *   struct my_args *a = orr_task_args(req, sizeof *a, where);   (NULL: the request has failed)
 *   orr_submit(a, sizeof *a, &codelet, prio, STARPU_RW, h, STARPU_W, g)
 *
 * The value is 1 if the task was accepted, else 0 (and the request has failed). The
 * arguments belong to StarPU afterwards, and `a` is NULL. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SUBMIT_H
#define ORR_SUBMIT_H

#include "codelets/core/numbers.h"
#include "codelets/core/plan.h"

/* Zeroed arguments whose first member is a struct orr_task. NULL if the request has
 * failed already or memory ran out: there is nothing to submit then. */
void *orr_task_args(struct orr_request *, size_t size, enum orr_where);

/* What a CUDA device works in, if this task may go to one; NULL: nothing. For orr_request_forget when the
 * task is submitted. */
starpu_data_handle_t orr_task_scratch(struct orr_request *, const struct orr_task *,
                                      int64_t elements, size_t element_size);

/* A statement expression, because the order matters: the task must be counted, and the
 * request be known, before StarPU has the arguments, which may be gone when it returns. */
#define orr_submit(args, size, cl, prio, ...)                                                      \
    __extension__({                                                                                \
        struct orr_request *request_ = orr_submit_begin(args);                                     \
        const locale_t locale_ = orr_numbers_begin(); /* StarPU may read a model */                \
        struct starpu_codelet *codelet_ = cl;         /* may be chosen by a member of args */      \
        int rc_ = request_->plan ? orr_plan_task(request_, codelet_, args)                         \
                  : request_->here                                                                 \
                      ? orr_task_here(request_, starpu_task_build(codelet_, STARPU_CL_ARGS, args,  \
                                                                  size, __VA_ARGS__, 0))           \
                      : starpu_task_insert(                                                        \
                            codelet_, STARPU_PRIORITY, prio, STARPU_CL_ARGS, args, size,           \
                            __VA_ARGS__, STARPU_PROLOGUE_CALLBACK_POP, orr_task_taken(request_),   \
                            STARPU_CALLBACK_WITH_ARG_NFREE, orr_task_done, request_, 0);           \
        orr_numbers_end(locale_);                                                                  \
        args = NULL; /* whoever reads them from here on fails every time, not now and then */      \
        orr_submit_end(request_, rc_, codelet_);                                                   \
    })

/* Where the request is `here`: the task in this thread, by the first CPU implementation that may run
 * it. In the order of submission, which accesses allow. An error as of starpu_task_insert. */
int orr_task_here(struct orr_request *, struct starpu_task *);
/* The same of a task that has no data. Frees the arguments. */
void orr_run_here(void *args, void (*cpu)(void **, void *));

struct orr_request *orr_submit_begin(void *args);
void orr_sample_take(struct orr_samples *, struct starpu_task *); /* of a task that is done */
int orr_submit_end(struct orr_request *, int rc, const struct starpu_codelet *);
void orr_task_done(void *request); /* the callback of every task */
/* What is called when a worker takes a task of this request; NULL: nothing. */
static inline void (*orr_task_taken(const struct orr_request *r))(void *)
{
    return r->trace ? orr_trace_data : NULL;
}

/* The can_execute of every codelet: the task's own mask of implementations, and the
 * memory of the node (a task larger than the device would wait for ever). */
int orr_can_execute(unsigned worker, struct starpu_task *, unsigned impl);

/* ---- What a task costs ------------------------------------------------------------------ */

/* Every codelet has a performance model per type (or one, where the type does not matter). A
 * task says when it is made what its time depends on:
 *
 *   orr_cost(&a->task, work, n, count, ...)
 *
 * work: of every implementation, near to proportional to the time, so that a work^b + c fits
 * all shapes; the integers: the shape, tasks of equal shape share one history. Where the second
 * CPU implementation scales otherwise, orr_cost_second says how, afterwards. Of a task that runs in
 * this thread nobody asks. */
#define orr_cost(task, work, ...)                                                                  \
    orr_cost_set(task, (double)(work), (task)->req->here ? 0 : orr_cost_shape(__VA_ARGS__))
#define orr_cost_shape(...)                                                                        \
    starpu_hash_crc32c_be_n((const int64_t[]){__VA_ARGS__},                                        \
                            sizeof((const int64_t[]){__VA_ARGS__}), 0)
void orr_cost_set(struct orr_task *, double work, uint32_t shape);
void orr_cost_second(struct orr_task *, double work);

/* The four leading bits: shapes within an eighth of each other share one history. */
static inline int64_t orr_cost_class(int64_t x)
{
    int drop = 0;
    while (x >> drop >= 16)
        drop++;
    return x >> drop << drop;
}

/* The fields of every performance model: StarPU asks these for the shape and the work. */
uint32_t orr_cost_key(struct starpu_task *);
size_t orr_cost_size(struct starpu_task *, unsigned impl);

#endif
