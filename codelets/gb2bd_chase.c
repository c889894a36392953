/* gb2bd_chase and gb2bd_qr as tasks. Each works on two adjacent blocks of rows, which lie
 * one behind the other in main memory; on another node the kernel is given two addresses.
 *
 *   chase   carry RW, H[m-1] RW, H[m] RW      (m = 0: without H[m-1])
 *   qr      H[m] RW, H[m+1] RW                (last block: without H[m+1])
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/gb2bd.h"
#include "codelets/gb2bd_args.h"
#include "codelets/submit.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_gb2bd_args kernel;
};

/* ---- Functions ----------------------------------------------------------------------- */

static void check(const struct args *a, orr_status st, const char *who)
{
    if (st != ORR_OK)
        orr_request_fail(a->task.req, st, who);
}

static unsigned buffers(void) { return STARPU_TASK_GET_NBUFFERS(starpu_task_get_current()); }

static void chase(void **buf, void *arg)
{
    const struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        check(a,
              orr_gb2bd_chase_cpu[a->type](&a->kernel, ORR_PTR(1),
                                           buffers() > 2 ? ORR_PTR(2) : NULL, ORR_PTR(0)),
              "gb2bd_chase");
}
ORR_OPENCL(chase)

#ifdef ORR_WITH_CUDA
static void chase_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        check(a,
              orr_gb2bd_chase_cuda[a->type](ORR_STREAM(), &a->kernel, ORR_PTR(1),
                                            buffers() > 2 ? ORR_PTR(2) : NULL, ORR_PTR(0)),
              "gb2bd_chase");
}
#endif

static void qr(void **buf, void *arg)
{
    const struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        check(a,
              orr_gb2bd_qr_cpu[a->type](&a->kernel, ORR_PTR(0), buffers() > 1 ? ORR_PTR(1) : NULL,
                                        NULL),
              "gb2bd_qr");
}
ORR_OPENCL(qr)

/* ---- Codelets ------------------------------------------------------------------------ */

/* The handles tell neither the bandwidth of the stage nor the sweeps. */
static uint32_t footprint(struct starpu_task *task)
{
    const struct args *a = task->cl_arg;
    uint32_t what[4] = {(uint32_t)a->kernel.b, (uint32_t)a->kernel.tw, (uint32_t)a->kernel.sweeps,
                        (uint32_t)a->kernel.count};
    return starpu_hash_crc32c_be_n(what, sizeof what, 0);
}

static struct starpu_perfmodel chase_model[ORR_GB2BD_NTYPES] = {
    [ORR_S] = {.type = STARPU_HISTORY_BASED, .symbol = "gb2bd_chase_s", .footprint = footprint},
    [ORR_D] = {.type = STARPU_HISTORY_BASED, .symbol = "gb2bd_chase_d", .footprint = footprint},
    [ORR_C] = {.type = STARPU_HISTORY_BASED, .symbol = "gb2bd_chase_c", .footprint = footprint},
    [ORR_Z] = {.type = STARPU_HISTORY_BASED, .symbol = "gb2bd_chase_z", .footprint = footprint},
    [ORR_H] = {.type = STARPU_HISTORY_BASED, .symbol = "gb2bd_chase_h", .footprint = footprint},
};
static struct starpu_perfmodel qr_model[ORR_GB2BD_NTYPES] = {
    [ORR_S] = {.type = STARPU_HISTORY_BASED, .symbol = "gb2bd_qr_s", .footprint = footprint},
    [ORR_D] = {.type = STARPU_HISTORY_BASED, .symbol = "gb2bd_qr_d", .footprint = footprint},
    [ORR_C] = {.type = STARPU_HISTORY_BASED, .symbol = "gb2bd_qr_c", .footprint = footprint},
    [ORR_Z] = {.type = STARPU_HISTORY_BASED, .symbol = "gb2bd_qr_z", .footprint = footprint},
    [ORR_H] = {.type = STARPU_HISTORY_BASED, .symbol = "gb2bd_qr_h", .footprint = footprint},
};

/* qr has no CUDA function. */
#define CUDA_chase ORR_CUDA_FUNC(chase_cuda)
#define CUDA_qr

#define CODELET(f, t)                                                                              \
    {                                                                                              \
        .name = "gb2bd_" #f, .model = &f##_model[t], .nbuffers = STARPU_VARIABLE_NBUFFERS,         \
        .cpu_funcs = {f}, CUDA_##f ORR_OPENCL_FUNC(f) ORR_CODELET_COMMON                           \
    }
#define FIVE(f) {CODELET(f, 0), CODELET(f, 1), CODELET(f, 2), CODELET(f, 3), CODELET(f, 4)}

static struct starpu_codelet chase_codelet[ORR_GB2BD_NTYPES] = FIVE(chase);
static struct starpu_codelet qr_codelet[ORR_GB2BD_NTYPES] = FIVE(qr);

/* ---- Insertion ----------------------------------------------------------------------- */

static struct args *make_args(struct orr_request *req, const struct orr_gb2bd *r, int64_t parts)
{
    struct args *a = orr_task_args(req, sizeof *a);
    if (!a)
        return NULL;
    a->task.parts = parts;
    a->type = r->type;
    a->kernel.band = orr_gb2bd_kernel_band(r);
    a->kernel.count = r->D;
    return a;
}

void orr_insert_gb2bd_qr(struct orr_request *req, int prio, const struct orr_gb2bd *r, int64_t m,
                         starpu_data_handle_t here, starpu_data_handle_t below)
{
    struct args *a = make_args(req, r, 0);
    if (!a)
        return;
    a->kernel.first = a->kernel.sweep = m * r->D;
    a->kernel.sweeps = r->order - m * r->D < r->D ? r->order - m * r->D : r->D;
    a->kernel.b = r->low;
    a->kernel.tw = r->b - r->low;
    if (below)
        orr_submit(a, sizeof *a, &qr_codelet[r->type], prio, STARPU_RW, here, STARPU_RW, below);
    else
        orr_submit(a, sizeof *a, &qr_codelet[r->type], prio, STARPU_RW, here);
}

void orr_insert_gb2bd_chase(struct orr_request *req, int prio, const struct orr_gb2bd *r,
                            const struct orr_gb2bd_group *g, int64_t m, starpu_data_handle_t above,
                            starpu_data_handle_t here, starpu_data_handle_t carry, int64_t parts)
{
    struct args *a = make_args(req, r, parts);
    if (!a)
        return;
    const int64_t end = (m + 1) * r->D;
    a->kernel.first = above ? (m - 1) * r->D : 0;
    a->kernel.b = g->b;
    a->kernel.tw = g->tw;
    a->kernel.sweep = g->sweep;
    a->kernel.sweeps = g->count;
    a->kernel.from = m * r->D - 1;
    a->kernel.to = end < r->order ? end - 1 : INT64_MAX / 2;
    if (above)
        orr_submit(a, sizeof *a, &chase_codelet[r->type], prio, STARPU_RW, carry, STARPU_RW, above,
                   STARPU_RW, here);
    else
        orr_submit(a, sizeof *a, &chase_codelet[r->type], prio, STARPU_RW, carry, STARPU_RW, here);
}
