/* Page-locking, and its end, as tasks (request.h).
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

static void unpin(void **buf, void *arg)
{
    const struct args *a = arg;
    (void)buf;
    orr_unpin_array(&a->task.req->pins, a->memory);
}

ORR_CODELETS(pin, "pin", ORR_UNTYPED, ORR_CPU);
ORR_CODELETS(unpin, "unpin", ORR_UNTYPED, ORR_CPU);

static struct args *make_args(struct orr_request *req, const void *memory, size_t bytes)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return NULL;
    a->memory = memory;
    a->bytes = bytes;
    orr_cost(&a->task, bytes, orr_cost_class((int64_t)bytes));
    return a;
}

void orr_insert_pin(struct orr_request *req, const void *memory, size_t bytes, size_t least,
                    struct orr_gate *gate, starpu_data_handle_t after,
                    const starpu_data_handle_t *of, int64_t count)
{
    struct starpu_data_descr *data = malloc((size_t)(1 + count) * sizeof *data);
    struct args *a = data && bytes >= least ? make_args(req, memory, bytes) : NULL;
    if (!data)
        orr_request_fail(req, ORR_E_NOMEM, "pin");
    if (a) {
        for (int64_t i = 0; i < count; i++)
            data[i] = (struct starpu_data_descr){of[i], STARPU_RW};
        data[count] = (struct starpu_data_descr){after, STARPU_R};
        orr_submit(a, sizeof *a, &pin_codelet[0], 0, ORR_AFTER_GATE(gate), STARPU_DATA_MODE_ARRAY,
                   data, (int)(count + !orr_gate_opens(gate)));
    }
    free(data);
}

void orr_insert_unpin(struct orr_request *req, const void *memory, size_t bytes,
                      struct orr_gate *gate)
{
    struct args *a = orr_gate_opens(gate) ? make_args(req, memory, bytes) : NULL;
    if (a)
        orr_submit(a, sizeof *a, &unpin_codelet[0], 0, ORR_AFTER_GATE(gate));
}
