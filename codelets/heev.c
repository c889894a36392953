/* The tasks of heev that are neither he2hb's nor hb2st's. CPU only.
 *
 *   values   T RW
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev.h"

#include "codelets/heev.h"
#include "codelets/submit.h"

struct args {
    struct orr_task task;
    struct orr_tridiagonal t;
};

static void values(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct orr_tridiagonal *t = &a->t;
    (void)buf; /* d and e are in main memory */
    if (orr_request_failed(a->task.req))
        return;
    *t->begun = orr_now();
    *t->failed = orr_heev_values_cpu[t->type](t->n, t->scale, t->d, t->e) != ORR_OK;
    *t->ended = orr_now();
}

static struct starpu_perfmodel values_model[ORR_NTYPES] = ORR_MODELS("heev_values");

#define VALUES(t)                                                                                  \
    {                                                                                              \
        .name = "heev_values", .model = &values_model[t], .nbuffers = 1, .modes = {STARPU_RW},     \
        .cpu_funcs = {values}, ORR_CODELET_COMMON                                                  \
    }
static struct starpu_codelet values_codelet[ORR_NTYPES] = {VALUES(ORR_S), VALUES(ORR_D),
                                                           VALUES(ORR_C), VALUES(ORR_Z)};

void orr_insert_heev_values(struct orr_request *req, int prio, const struct orr_tridiagonal *t)
{
    struct args *a = orr_task_args(req, sizeof *a);
    if (!a)
        return;
    a->task.cpu_only = 1;
    a->t = *t;
    orr_cost(&a->task, t->n * t->n, t->n);
    orr_submit(a, sizeof *a, &values_codelet[t->type], prio, STARPU_RW, t->T);
}
