/* hb2st_narrow as a task: the user's band to d and e. CPU only.
 *
 *   narrow   what stands for d and e RW (may be missing)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/hb2st_narrow.h"

#include "codelets/band/hb2st.h"
#include "codelets/core/task.h"

struct args {
    struct orr_task task;
    orr_type type;
    int64_t n, b;
    orr_hb2st_user user;
    double scale, unscale;
    void *d, *e;
};

static void narrow(void **buf, void *arg)
{
    const struct args *a = arg;
    (void)buf;
    if (!orr_request_failed(a->task.req) &&
        !orr_hb2st_narrow_cpu[a->type](a->n, a->b, &a->user, a->scale, a->unscale, a->d, a->e))
        orr_request_fail(a->task.req, ORR_E_NOMEM, "hb2st_narrow");
}

ORR_CODELETS(narrow, "hb2st_narrow", ORR_SDCZ, ORR_CPU);

void orr_insert_hb2st_narrow(struct orr_request *req, orr_type type, int64_t n, int64_t b,
                             const struct orr_hb2st_band *u, double scale, double unscale, void *d,
                             void *e, starpu_data_handle_t into, int64_t parts)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return;
    a->type = type;
    a->n = n;
    a->b = b;
    a->user = (orr_hb2st_user){.ab = u->ab, .ldab = u->ldab, .width = u->width, .upper = u->upper};
    a->scale = scale;
    a->unscale = unscale;
    a->d = d;
    a->e = e;
    a->task.parts = parts;
    a->task.span = n;
    orr_cost(&a->task, n * n * b, b);
    const struct starpu_data_descr data[] = {{into, STARPU_RW}};
    orr_submit(a, sizeof *a, &narrow_codelet[type], 0, STARPU_DATA_MODE_ARRAY, data, into ? 1 : 0);
}
