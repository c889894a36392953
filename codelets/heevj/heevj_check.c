/* heevj_copy and heevj_check as tasks: keep the matrices, and compare them with the result.
 * CPU only: the check shares no processor and no implementation with what it checks.
 *
 *   copy    A R, copy W
 *   check   before R, A R, w R, info RW
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heevj_check.h"

#include <string.h>

#include "codelets/core/task.h"
#include "codelets/heevj/heevj.h"
#include "codelets/heevj/heevj_args.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_heevj_args kernel;
};

static void copy(void **buf, void *arg)
{
    struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        memcpy(ORR_PTR(1), ORR_PTR(0),
               (size_t)STARPU_VECTOR_GET_NX(buf[0]) * STARPU_VECTOR_GET_ELEMSIZE(buf[0]));
}

static void check(void **buf, void *arg)
{
    struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    orr_status st =
        orr_heevj_check_cpu[a->type](&a->kernel, ORR_PTR(0), ORR_PTR(1), ORR_PTR(2), ORR_PTR(3));
    orr_task_check(a, st, "heevj_check");
}

ORR_CODELETS(copy, "heevj_copy", ORR_SDCZ, ORR_CPU, STARPU_R, STARPU_W);
ORR_CODELETS(check, "heevj_check", ORR_SDCZ, ORR_CPU, STARPU_R, STARPU_R, STARPU_R, STARPU_RW);

static struct args *make_args(struct orr_request *req, const struct orr_heevj_chunk *c,
                              int64_t parts)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return NULL;
    a->task.parts = parts;
    a->type = c->type;
    a->kernel = orr_heevj_kernel_args(c);
    return a;
}

void orr_insert_heevj_copy(struct orr_request *req, int prio, const struct orr_heevj_chunk *c,
                           starpu_data_handle_t copy)
{
    struct args *a = make_args(req, c, 0);
    if (!a)
        return;
    orr_cost(&a->task, c->count * c->stride, c->count * c->stride);
    orr_submit(a, sizeof *a, &copy_codelet[c->type], prio, STARPU_R, c->A, STARPU_W, copy);
}

void orr_insert_heevj_check(struct orr_request *req, int prio, const struct orr_heevj_chunk *c,
                            starpu_data_handle_t before, int64_t parts)
{
    struct args *a = make_args(req, c, parts);
    if (!a)
        return;
    orr_cost(&a->task, (double)c->count * (double)(c->n * c->n * (c->n + 64) + 12000), c->n,
             c->count);
    orr_submit(a, sizeof *a, &check_codelet[c->type], prio, STARPU_R, before, STARPU_R, c->A,
               STARPU_R, c->w, STARPU_RW, c->info);
}
