/* Quadratic extrapolation of PageRank as tasks; see kernels/pagerank_extrapolate.h.
 *
 *   dots      four blocks of z, d R; dots W
 *   mixing    all dots, scalars of z_1 and z_2 R; scalars of z_3, mixing RW
 *   mix       mixing, z_1, z_2 R; z_3 RW
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/sparse/powm_args.h"
#include "kernels/pagerank_extrapolate.h"

struct args {
    struct orr_task task;
    orr_type type;
    int64_t rows, blocks;
    double alpha;
    int period;
};

static void dots(void **buf, void *arg)
{
    const struct args *a = arg;
    const void *z[4] = {ORR_PTR(0), ORR_PTR(1), ORR_PTR(2), ORR_PTR(3)};
    if (!orr_request_failed(a->task.req))
        orr_pagerank_dots_cpu[a->type](a->rows, z, ORR_PTR(4), ORR_PTR(5));
}

static void mixing(void **buf, void *arg)
{
    const struct args *a = arg;
    const double(**all)[ORR_PAGERANK_DOTS] = malloc((size_t)a->blocks * sizeof *all);
    const orr_powm_scalars *const s[2] = {ORR_PTR(0), ORR_PTR(1)};
    if (!all)
        orr_request_fail(a->task.req, ORR_E_NOMEM, "pagerank_mixing");
    for (int64_t b = 0; all && b < a->blocks; b++)
        all[b] = ORR_PTR(4 + b);
    if (all && !orr_request_failed(a->task.req))
        orr_pagerank_mixing_find(all, a->blocks, a->alpha, a->period, s, ORR_PTR(2), ORR_PTR(3));
    free(all);
}

static void mix(void **buf, void *arg)
{
    const struct args *a = arg;
    const orr_pagerank_mixing *m = ORR_PTR(0);
    if (!orr_request_failed(a->task.req) && (m->b[0] != 0 || m->b[1] != 0))
        orr_pagerank_mix_cpu[a->type](a->rows, m, ORR_PTR(1), ORR_PTR(2), ORR_PTR(3));
}

ORR_CODELETS(dots, "pagerank_dots", ORR_UNTYPED, ORR_CPU_OPENCL, STARPU_R, STARPU_R, STARPU_R,
             STARPU_R, STARPU_R, STARPU_W);
ORR_CODELETS(mixing, "pagerank_mixing", ORR_UNTYPED, ORR_CPU_OPENCL);
ORR_CODELETS(mix, "pagerank_mix", ORR_UNTYPED, ORR_CPU_OPENCL, STARPU_R, STARPU_R, STARPU_R,
             STARPU_RW);

size_t orr_pagerank_mixing_size(void) { return sizeof(orr_pagerank_mixing); }
size_t orr_pagerank_dots_size(void) { return ORR_PAGERANK_DOTS * sizeof(double); }

void orr_insert_pagerank_dots(struct orr_request *req, int prio, orr_type type, int64_t rows,
                              const starpu_data_handle_t z[4], starpu_data_handle_t d,
                              starpu_data_handle_t out)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ANYWHERE);
    if (!a)
        return;
    a->type = type;
    a->rows = rows;
    orr_cost(&a->task, rows, rows, type);
    orr_submit(a, sizeof *a, dots_codelet, prio, STARPU_R, z[0], STARPU_R, z[1], STARPU_R, z[2],
               STARPU_R, z[3], STARPU_R, d, STARPU_W, out);
}

void orr_insert_pagerank_mixing(struct orr_request *req, int prio, double alpha, int period,
                                const starpu_data_handle_t *all, int64_t blocks,
                                const starpu_data_handle_t s[3], starpu_data_handle_t mixed)
{
    struct orr_buffers d;
    struct args *a = orr_task_args(req, sizeof *a, ORR_ANYWHERE);
    if (!a)
        return;
    if (!orr_buffers_make(req, &d, blocks + 4)) {
        free(a);
        return;
    }
    a->blocks = blocks;
    orr_cost(&a->task, blocks, blocks);
    a->alpha = alpha;
    a->period = period;
    orr_buffers_add(&d, s[0], STARPU_R);
    orr_buffers_add(&d, s[1], STARPU_R);
    orr_buffers_add(&d, s[2], STARPU_RW);
    orr_buffers_add(&d, mixed, STARPU_RW);
    for (int64_t b = 0; b < blocks; b++)
        orr_buffers_add(&d, all[b], STARPU_R);
    orr_submit(a, sizeof *a, mixing_codelet, prio, STARPU_DATA_MODE_ARRAY, d.d, d.n);
    free(d.d);
}

void orr_insert_pagerank_mix(struct orr_request *req, int prio, orr_type type, int64_t rows,
                             starpu_data_handle_t mixed, const starpu_data_handle_t z[3])
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ANYWHERE);
    if (!a)
        return;
    a->type = type;
    a->rows = rows;
    orr_cost(&a->task, rows, rows, type);
    orr_submit(a, sizeof *a, mix_codelet, prio, STARPU_R, mixed, STARPU_R, z[0], STARPU_R, z[1],
               STARPU_RW, z[2]);
}
