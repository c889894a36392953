/* heevj_block as tasks: one-sided block Jacobi of a chunk, a task per sweep and a task per
 * convergence test, each with a CPU and a CUDA function.
 *
 *   start     A R;  G, Q, scale, active, info W
 *   sweep     G, Q, active, info RW
 *   compact   active, info RW; left W
 *   finish    G, Q, scale R;  A, w, info RW
 *
 * Of several accelerators the one that runs start runs them all: G and Q stay there.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heevj_block.h"

#include <math.h>
#include <string.h>

#include "codelets/core/device.h"
#include "codelets/core/task.h"
#include "codelets/heevj/heevj.h"
#include "codelets/heevj/heevj_args.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_heevj_args kernel;
};

/* ---- CPU -------------------------------------------------------------------------------- */

static void start(void **buf, void *arg)
{
    struct args *a = arg;
    orr_task_settle(&a->task);
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       orr_heevj_block_start_cpu[a->type](&a->kernel, ORR_PTR(0), ORR_PTR(1),
                                                          ORR_PTR(2), ORR_PTR(3), ORR_PTR(4),
                                                          ORR_PTR(5)),
                       "heevj_block_start");
}

static void sweep(void **buf, void *arg)
{
    struct args *a = arg;
    a->task.idle = *(const int32_t *)ORR_PTR(2) == 0; /* no matrix is active any more */
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       orr_heevj_block_sweep_cpu[a->type](&a->kernel, ORR_PTR(0), ORR_PTR(1),
                                                          ORR_PTR(2), ORR_PTR(3)),
                       "heevj_block_sweep");
}

static void compact(void **buf, void *arg)
{
    struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    orr_task_check(a, orr_heevj_block_compact_cpu[a->type](&a->kernel, ORR_PTR(0), ORR_PTR(1)),
                   "heevj_block_compact");
    *(int32_t *)ORR_PTR(2) = *(const int32_t *)ORR_PTR(0);
}

static void finish(void **buf, void *arg)
{
    struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       orr_heevj_block_finish_cpu[a->type](&a->kernel, ORR_PTR(0), ORR_PTR(1),
                                                           ORR_PTR(2), ORR_PTR(3), ORR_PTR(4),
                                                           ORR_PTR(5)),
                       "heevj_block_finish");
}

/* ---- CUDA ------------------------------------------------------------------------------- */

#ifdef ORR_WITH_CUDA
static void start_cuda(void **buf, void *arg)
{
    struct args *a = arg;
    orr_task_settle(&a->task);
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       orr_heevj_block_start_cuda[a->type](ORR_STREAM(), &a->kernel, ORR_PTR(0),
                                                           ORR_PTR(1), ORR_PTR(2), ORR_PTR(3),
                                                           ORR_PTR(4), ORR_PTR(5)),
                       "heevj_block_start");
}

static void sweep_cuda(void **buf, void *arg)
{
    struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       orr_heevj_block_sweep_cuda[a->type](ORR_STREAM(), &a->kernel, ORR_PTR(0),
                                                           ORR_PTR(1), ORR_PTR(2), ORR_PTR(3)),
                       "heevj_block_sweep");
}

static void compact_cuda(void **buf, void *arg)
{
    struct args *a = arg;
    if (orr_request_failed(a->task.req))
        return;
    orr_task_check(
        a, orr_heevj_block_compact_cuda[a->type](ORR_STREAM(), &a->kernel, ORR_PTR(0), ORR_PTR(1)),
        "heevj_block_compact");
    if (cudaMemcpyAsync(ORR_PTR(2), ORR_PTR(0), sizeof(int32_t), cudaMemcpyDeviceToDevice,
                        starpu_cuda_get_local_stream()) != cudaSuccess) {
        orr_device_forget();
        orr_task_check(a, ORR_E_DEVICE, "heevj_block_compact");
    }
}

static void finish_cuda(void **buf, void *arg)
{
    struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        orr_task_check(a,
                       orr_heevj_block_finish_cuda[a->type](ORR_STREAM(), &a->kernel, ORR_PTR(0),
                                                            ORR_PTR(1), ORR_PTR(2), ORR_PTR(3),
                                                            ORR_PTR(4), ORR_PTR(5)),
                       "heevj_block_finish");
}
#endif

/* ---- Codelets --------------------------------------------------------------------------- */

ORR_CODELETS(start, "heevj_block_start", ORR_SDCZ, ORR_CPU_CUDA, STARPU_R, STARPU_W, STARPU_W,
             STARPU_W, STARPU_W, STARPU_W);
ORR_CODELETS(sweep, "heevj_block_sweep", ORR_SDCZ, ORR_CPU_CUDA, STARPU_RW, STARPU_RW, STARPU_RW,
             STARPU_RW);
ORR_CODELETS(compact, "heevj_block_compact", ORR_UNTYPED, ORR_CPU_CUDA, STARPU_RW, STARPU_RW,
             STARPU_W);
ORR_CODELETS(finish, "heevj_block_finish", ORR_SDCZ, ORR_CPU_CUDA, STARPU_R, STARPU_R, STARPU_R,
             STARPU_RW, STARPU_RW, STARPU_RW);

/* ---- Insertion -------------------------------------------------------------------------- */

int64_t orr_heevj_block_bytes(const struct orr_heevj_chunk *c)
{
    const int64_t np = orr_heevj_block_padded(c->type, c->n);
    const int64_t elements = c->stride + 2 * np * np + c->n + 1;
    return elements * orr_element_size(c->type) + (int64_t)sizeof(orr_matrix_info);
}

void orr_heevj_block_register(struct orr_heevj_block *b)
{
    const struct orr_heevj_chunk *c = &b->chunk;
    int64_t np = orr_heevj_block_padded(c->type, c->n);
    uint32_t square = (uint32_t)(np * np * c->count);
    uint32_t words = (uint32_t)orr_heevj_active_words(c->count);
    starpu_vector_data_register(&b->G, -1, 0, square, orr_element_size(c->type));
    starpu_vector_data_register(&b->Q, -1, 0, square, orr_element_size(c->type));
    starpu_vector_data_register(&b->scale, -1, 0, (uint32_t)c->count, sizeof(double));
    starpu_vector_data_register(&b->active, -1, 0, words, sizeof(int32_t));
}

void orr_heevj_block_unregister_submit(struct orr_heevj_block *b)
{
    starpu_data_unregister_submit(b->G);
    starpu_data_unregister_submit(b->Q);
    starpu_data_unregister_submit(b->scale);
    starpu_data_unregister_submit(b->active);
}

static struct args *make_args(struct orr_request *req, const struct orr_heevj_block *b,
                              enum orr_where where, int64_t parts)
{
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (!a)
        return NULL;
    a->task.parts = parts;
    a->task.home = b->home;
    a->task.owner = b->chunk.owner;
    a->type = b->chunk.type;
    a->kernel = orr_heevj_kernel_args(&b->chunk);
    return a;
}

/* Per matrix np^power operations; vectors are always computed along. */
static void set_cost(struct args *a, int power)
{
    const int64_t np = orr_heevj_block_padded(a->type, a->kernel.n), count = a->kernel.count;
    orr_cost(&a->task, (double)count * pow((double)np, power), np, count);
}

void orr_insert_heevj_block_start(struct orr_request *req, int prio,
                                  const struct orr_heevj_block *b, enum orr_where where)
{
    struct args *a = make_args(req, b, where, 0);
    if (!a)
        return;
    set_cost(a, 2);
    orr_submit(a, sizeof *a, &start_codelet[b->chunk.type], prio, STARPU_R, b->chunk.A, STARPU_W,
               b->G, STARPU_W, b->Q, STARPU_W, b->scale, STARPU_W, b->active, STARPU_W,
               b->chunk.info);
}

void orr_insert_heevj_block_sweep(struct orr_request *req, int prio,
                                  const struct orr_heevj_block *b, enum orr_where where)
{
    struct args *a = make_args(req, b, where, 0);
    if (!a)
        return;
    set_cost(a, 3);
    orr_submit(a, sizeof *a, &sweep_codelet[b->chunk.type], prio, STARPU_RW, b->G, STARPU_RW, b->Q,
               STARPU_RW, b->active, STARPU_RW, b->chunk.info);
}

int orr_insert_heevj_block_compact(struct orr_request *req, int prio,
                                   const struct orr_heevj_block *b, enum orr_where where,
                                   starpu_data_handle_t left)
{
    struct args *a = make_args(req, b, where, 0);
    if (!a)
        return 0;
    set_cost(a, 0);
    return orr_submit(a, sizeof *a, compact_codelet, prio, STARPU_RW, b->active, STARPU_RW,
                      b->chunk.info, STARPU_W, left);
}

int orr_insert_heevj_block_finish(struct orr_request *req, int prio,
                                  const struct orr_heevj_block *b, enum orr_where where,
                                  int64_t parts)
{
    struct args *a = make_args(req, b, where, parts);
    if (!a)
        return 0;
    set_cost(a, 2);
    return orr_submit(a, sizeof *a, &finish_codelet[b->chunk.type], prio, STARPU_R, b->G, STARPU_R,
                      b->Q, STARPU_R, b->scale, STARPU_RW, b->chunk.A, STARPU_RW, b->chunk.w,
                      STARPU_RW, b->chunk.info);
}
