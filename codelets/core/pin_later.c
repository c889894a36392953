/* Page-locking as a task (request.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "codelets/core/task.h"

struct args {
    struct orr_task task;
    const void *memory;
    size_t bytes;
};

static void pin(void **buf, void *arg)
{
    const struct args *a = arg;
    (void)buf;
    if (!orr_request_failed(a->task.req))
        orr_request_pin(a->task.req, a->memory, a->bytes, 0);
}

ORR_CODELETS(pin, "pin", ORR_UNTYPED, ORR_CPU);

void orr_insert_pin(struct orr_request *req, const void *memory, size_t bytes, size_t least,
                    starpu_data_handle_t after, const starpu_data_handle_t *of, int64_t count)
{
    struct starpu_data_descr *data = malloc((size_t)(1 + count) * sizeof *data);
    struct args *a = data && bytes >= least ? orr_task_args(req, sizeof *a, ORR_ON_CPU) : NULL;
    if (!data)
        orr_request_fail(req, ORR_E_NOMEM, "pin");
    if (a) {
        a->memory = memory;
        a->bytes = bytes;
        orr_cost(&a->task, bytes, orr_cost_class((int64_t)bytes));
        data[0] = (struct starpu_data_descr){after, STARPU_R};
        for (int64_t i = 0; i < count; i++)
            data[1 + i] = (struct starpu_data_descr){of[i], STARPU_RW};
        orr_submit(a, sizeof *a, &pin_codelet[0], 0, STARPU_DATA_MODE_ARRAY, data,
                   (int)(1 + count));
    }
    free(data);
}
