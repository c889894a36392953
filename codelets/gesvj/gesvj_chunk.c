/* gesvj of whole small matrices as a task, and the check of any.
 *
 *   chunk   A R; s RW; U, V RW if wanted; info W; where a CUDA device may take it, scratch
 *   check   A, s, U, V R; info RW
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/device.h"
#include "codelets/core/task.h"
#include "codelets/gesvj/gesvj_args.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_gesvj_args kernel;
};

static void chunk(void **buf, void *arg)
{
    struct args *a = arg;
    int next = 2;
    if (orr_request_failed(a->task.req))
        return;
    void *u = a->kernel.left ? ORR_PTR(next++) : NULL;
    void *v = a->kernel.right ? ORR_PTR(next++) : NULL;
    orr_status st = orr_gesvj_cpu[a->type](&a->kernel, ORR_PTR(0), ORR_PTR(1), u, v, ORR_PTR(next));
    orr_task_check(a, st, "gesvj_chunk");
}

#ifdef ORR_WITH_CUDA
static void chunk_cuda(void **buf, void *arg)
{
    struct args *a = arg;
    int next = 2;
    if (orr_request_failed(a->task.req))
        return;
    void *u = a->kernel.left ? ORR_PTR(next++) : NULL;
    void *v = a->kernel.right ? ORR_PTR(next++) : NULL;
    orr_matrix_info *info = ORR_PTR(next++);
    orr_status st = orr_gesvj_cuda[a->type](ORR_STREAM(), &a->kernel, ORR_PTR(0), ORR_PTR(1), u, v,
                                            ORR_PTR(next), info);
    orr_task_check(a, st, "gesvj_chunk");
}
#endif

static void check(void **buf, void *arg)
{
    struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    orr_status st = orr_gesvj_check_cpu[a->type](&a->kernel, ORR_PTR(0), ORR_PTR(1), ORR_PTR(2),
                                                 ORR_PTR(3), ORR_PTR(4));
    orr_task_check(a, st, "gesvj_check");
}

ORR_CODELETS(chunk, "gesvj_chunk", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(check, "gesvj_check", ORR_SDCZ, ORR_CPU, STARPU_R, STARPU_R, STARPU_R, STARPU_R,
             STARPU_RW);

/* ---- Accelerators -------------------------------------------------------------------------- */

static int cuda_workers(void)
{
#ifdef ORR_WITH_CUDA
    return (int)starpu_cuda_worker_get_count();
#else
    return 0;
#endif
}

static int opencl_workers(void)
{
#ifdef ORR_OPENCL_ON_CPU
    return (int)starpu_opencl_worker_get_count();
#else
    return 0;
#endif
}

int orr_gesvj_accelerators(void) { return cuda_workers() + opencl_workers(); }

int orr_gesvj_accelerator_max_nb(orr_type type)
{
#ifdef ORR_WITH_CUDA
    if (cuda_workers() > 0)
        return orr_gesvj_cuda_max_nb(type, orr_device_look().shared);
#endif
    (void)type;
    return 64;
}

int orr_gesvj_accelerator_has(const struct orr_gesvj_chunk *c)
{
    return orr_gesvj_values(c) <= 2 * orr_gesvj_accelerator_max_nb(c->type);
}

int64_t orr_gesvj_accelerator_pairs(void)
{
#ifdef ORR_WITH_CUDA
    if (cuda_workers() > 0)
        return orr_gesvj_cuda_pairs();
#endif
    return 64; /* of no consequence: other devices belong to tests */
}

int64_t orr_gesvj_chunk_scratch(orr_type type, const orr_gesvj_args *g)
{
#ifdef ORR_WITH_CUDA
    if (cuda_workers() > 0)
        return orr_gesvj_cuda_work(type, g);
#endif
    (void)type;
    (void)g;
    return 0;
}

/* The two matrices that a device works on for each; NULL where none of them can come. */
static starpu_data_handle_t scratch(const struct args *a, enum orr_where where)
{
    starpu_data_handle_t work = NULL;
    const int64_t bytes = where == ORR_ON_CPU ? 0 : orr_gesvj_chunk_scratch(a->type, &a->kernel);
    const uint32_t size = orr_element_size(a->type);
    if (bytes > 0)
        starpu_vector_data_register(&work, -1, 0, (uint32_t)(bytes / size), size);
    return work;
}

/* ---- Insertion ----------------------------------------------------------------------------- */

static struct args *make_args(struct orr_request *req, const struct orr_gesvj_chunk *c,
                              enum orr_where where, int64_t parts)
{
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (!a)
        return NULL;
    a->task.cpu_only |= !orr_gesvj_accelerator_has(c);
    a->task.parts = parts;
    a->task.tag = c->tag;
    a->type = c->type;
    a->kernel = orr_gesvj_kernel_args(c);
    return a;
}

/* The pivoted QR, then some eight sweeps over X and, where it is kept, over J. A matrix costs as
 * much as 3e5 before its first: the calls of LAPACK for it; as a lane of vectors none is called. */
static double chunk_work(const orr_gesvj_args *g)
{
    const orr_gesvj_shape s = orr_gesvj_shape_of(g);
    const int64_t swept = s.rows + (s.accumulate ? s.small : 0);
    const int64_t each = s.small * s.small * ((g->precondition ? s.big : 0) + 8 * swept);
    return (double)g->count * (double)(each + (g->lanes ? 2000 : 300000));
}

int orr_insert_gesvj_chunk(struct orr_request *req, int prio, const struct orr_gesvj_chunk *c,
                           enum orr_where where, int64_t parts)
{
    struct args *a = make_args(req, c, where, parts);
    if (!a)
        return 0;
    struct starpu_data_descr buffers[6] = {{c->A, STARPU_R}, {c->s, orr_gesvj_written_s(c)}};
    const starpu_data_handle_t work = scratch(a, where);
    int count = 2;
    if (c->U)
        buffers[count++] = (struct starpu_data_descr){c->U, orr_gesvj_written_u(c)};
    if (c->V)
        buffers[count++] = (struct starpu_data_descr){c->V, orr_gesvj_written_v(c)};
    buffers[count++] = (struct starpu_data_descr){c->info, STARPU_W};
    if (work)
        buffers[count++] = (struct starpu_data_descr){work, STARPU_SCRATCH};
    orr_cost(&a->task, chunk_work(&a->kernel), c->m, c->n, c->count,
             2 * a->kernel.left + a->kernel.right, a->kernel.precondition);
    const int accepted = orr_submit(a, sizeof *a, &chunk_codelet[c->type], prio,
                                    STARPU_DATA_MODE_ARRAY, buffers, count);
    if (work)
        starpu_data_unregister_submit(work);
    return accepted;
}

void orr_insert_gesvj_check(struct orr_request *req, int prio, const struct orr_gesvj_chunk *c,
                            int64_t parts)
{
    struct args *a = make_args(req, c, ORR_ON_CPU, parts);
    if (!a)
        return;
    const int64_t l = c->m < c->n ? c->m : c->n;
    orr_cost(&a->task, (double)(c->count * c->m * c->n) * (double)(l + 64), c->m, c->n, c->count);
    orr_submit(a, sizeof *a, &check_codelet[c->type], prio, STARPU_R, c->A, STARPU_R, c->s,
               STARPU_R, c->U, STARPU_R, c->V, STARPU_RW, c->info);
}
