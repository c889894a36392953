/* gb2bd_narrow as a task: the user's band to d and e. CPU only. No buffers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gb2bd_narrow.h"

#include "codelets/band/gb2bd.h"
#include "codelets/band/gb2bd_args.h"
#include "codelets/core/task.h"

struct args {
    struct orr_task task;
    const struct orr_gb2bd *r;
};

static void narrow(void **buf, void *arg)
{
    const struct args *a = arg;
    (void)buf;
    const orr_gb2bd_source source = orr_gb2bd_kernel_source(a->r);
    if (!orr_request_failed(a->task.req) &&
        !orr_gb2bd_narrow_cpu[a->r->type](&source, a->r->d, a->r->e))
        orr_request_fail(a->task.req, ORR_E_NOMEM, "gb2bd_narrow");
}

ORR_CODELETS(narrow, "gb2bd_narrow", ORR_SDCZ, ORR_CPU);

void orr_insert_gb2bd_narrow(struct orr_request *req, const struct orr_gb2bd *r, int64_t parts)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return;
    a->r = r;
    a->task.parts = parts;
    a->task.span = r->rows;
    orr_cost(&a->task, r->order * r->order * (r->kl + r->ku), r->kl, r->ku);
    orr_submit(a, sizeof *a, &narrow_codelet[r->type], 0, STARPU_DATA_MODE_ARRAY,
               (struct starpu_data_descr *)NULL, 0);
}
