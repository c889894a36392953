/* gb2bd_qr_apply and gb2bd_phases as tasks: what singular vectors need besides hb2st_apply.
 *
 *   qr_apply   E RW, u R; scratch for CUDA devices
 *   phases     H[m] R, left RW, right RW      on a CPU: n operations in a row, on data that the
 *                                             next task needs there
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/band/gb2bd.h"
#include "codelets/band/gb2bd_args.h"
#include "codelets/core/task.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_gb2bd_band band;
    int64_t first, count, kl; /* columns (qr_apply) or rows (phases) of block m */
    struct orr_hb2st_panel panel;
};

static void qr_apply(void **buf, void *arg)
{
    const struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    const orr_status st = orr_gb2bd_qr_apply_cpu[a->type](
        a->band.rows, a->kl, a->first, a->count, ORR_PTR(1), a->panel.k, ORR_PTR(0), a->panel.lde);
    orr_task_check(a, st, "gb2bd_qr_apply");
}

#ifdef ORR_WITH_CUDA
static void qr_apply_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    const orr_status st = orr_gb2bd_qr_apply_cuda[a->type](
        ORR_STREAM(), a->band.rows, a->kl, a->first, a->count, ORR_PTR(1), a->panel.k, ORR_PTR(0),
        a->panel.lde, ORR_PTR(2));
    orr_task_check(a, st, "gb2bd_qr_apply");
}
#endif

static void phases(void **buf, void *arg)
{
    const struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        orr_gb2bd_phases_cpu[a->type](&a->band, a->first, a->count, ORR_PTR(0), ORR_PTR(1),
                                      ORR_PTR(2));
}

/* of half precision in single */
ORR_CODELETS(qr_apply, "gb2bd_qr_apply", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(phases, "gb2bd_phases", ORR_SDCZ, ORR_CPU, STARPU_R, STARPU_RW, STARPU_RW);

static struct args *make_args(struct orr_request *req, const struct orr_gb2bd *r, int64_t m,
                              enum orr_where where)
{
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (!a)
        return NULL;
    a->type = orr_gb2bd_vector_type(r->type);
    a->band = orr_gb2bd_kernel_band(r);
    a->first = m * r->D;
    a->count = r->order - a->first < r->D ? r->order - a->first : r->D;
    a->kl = r->low;
    return a;
}

int64_t orr_gb2bd_qr_apply_bytes(const struct orr_gb2bd *r, int64_t columns)
{
    const int64_t count = r->order < r->D ? r->order : r->D;
    return (orr_gb2bd_qr_length(r) + orr_gb2bd_qr_apply_work(r->low, count, columns)) *
           (int64_t)orr_element_size(orr_gb2bd_vector_type(r->type));
}

void orr_insert_gb2bd_qr_apply(struct orr_request *req, int prio, const struct orr_gb2bd *r,
                               int64_t m, const struct orr_hb2st_panel *p, starpu_data_handle_t u)
{
    struct args *a = make_args(req, r, m, p->where);
    if (!a)
        return;
    a->panel = *p;
    a->task.home = p->home;
    orr_cost(&a->task, (double)(a->count * (a->kl + 1)) * (double)p->k, a->kl, a->count, p->k);
    const starpu_data_handle_t work = orr_task_scratch(
        req, &a->task, orr_gb2bd_qr_apply_work(a->kl, a->count, p->k), orr_element_size(a->type));
    struct starpu_data_descr data[] = {{p->E, STARPU_RW}, {u, STARPU_R}, {work, STARPU_SCRATCH}};
    orr_submit(a, sizeof *a, &qr_apply_codelet[a->type], prio, STARPU_DATA_MODE_ARRAY, data,
               2 + (work != NULL));
    if (work)
        orr_request_forget(req, work);
}

void orr_insert_gb2bd_phases(struct orr_request *req, int prio, const struct orr_gb2bd *r,
                             int64_t m, starpu_data_handle_t H, starpu_data_handle_t left,
                             starpu_data_handle_t right)
{
    struct args *a = make_args(req, r, m, ORR_ON_CPU);
    if (!a)
        return;
    orr_cost(&a->task, a->count, a->count, r->type);
    orr_submit(a, sizeof *a, &phases_codelet[a->type], prio, STARPU_R, H, STARPU_RW, left,
               STARPU_RW, right);
}
