/* heevj_chunk as a task: a chunk of small Hermitian matrices, start to finish.
 * Buffers: A (read-write), w (read-write: padding between columns is kept), info (write); where a
 * CUDA device may take it by lanes, scratch.
 * Implementations: CPU 0 Jacobi, CPU 1 LAPACK, CPU 2 lanes; CUDA 0 Jacobi in shared memory,
 * CUDA 1 lanes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/task.h"
#include "codelets/heevj/heevj.h"
#include "codelets/heevj/heevj_args.h"

#include <stdlib.h>

enum { IMPL_JACOBI, IMPL_LAPACK, IMPL_LANES, IMPLS };
_Static_assert((int)ORR_HEEVJ_LANES_MOST_N == (int)ORR_HEEVJ_LANES_MAX_N, "one limit");

static const struct {
    orr_method method;
    orr_heevj_fn *const *kernel;
} implementation[IMPLS] = {
    [IMPL_JACOBI] = {ORR_METHOD_JACOBI, orr_heevj_jacobi_cpu},
    [IMPL_LAPACK] = {ORR_METHOD_LAPACK, orr_heevj_lapack_cpu},
    [IMPL_LANES] = {ORR_METHOD_LANES, orr_heevj_lanes_cpu},
};

struct args {
    struct orr_task task;
    orr_type type;
    orr_heevj_args kernel;
    struct orr_heevj_rates *rates;
};

/* ---- How fast it was ------------------------------------------------------------------ */

struct orr_heevj_rates *orr_heevj_rates_make(void)
{
    struct orr_heevj_rates *r = calloc(1, sizeof *r);
    if (r)
        STARPU_PTHREAD_MUTEX_INIT(&r->lock, NULL);
    return r;
}

void orr_heevj_rates_free(struct orr_heevj_rates *r)
{
    STARPU_PTHREAD_MUTEX_DESTROY(&r->lock);
    free(r->rate);
    free(r);
}

/* The entry of (type, n, vectors), or NULL. Under the lock. */
static struct orr_heevj_rate *find(struct orr_heevj_rates *r, orr_type type, int64_t n, int vectors)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->rate[i].type == type && r->rate[i].n == n && r->rate[i].vectors == vectors)
            return &r->rate[i];
    return NULL;
}

static void rates_put(struct orr_heevj_rates *r, const struct args *a, orr_method method,
                      double seconds)
{
    STARPU_PTHREAD_MUTEX_LOCK(&r->lock);
    struct orr_heevj_rate *e = find(r, a->type, a->kernel.n, a->kernel.vectors);
    if (!e && r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 16;
        struct orr_heevj_rate *more = realloc(r->rate, room * sizeof *more);
        if (more) {
            r->rate = more;
            r->room = room;
        }
    }
    if (!e && r->count < r->room) {
        e = &r->rate[r->count++];
        *e = (struct orr_heevj_rate){
            .type = a->type, .n = a->kernel.n, .vectors = a->kernel.vectors};
    }
    if (e && (e->seconds[method] == 0 || seconds < e->seconds[method]))
        e->seconds[method] = seconds;
    STARPU_PTHREAD_MUTEX_UNLOCK(&r->lock);
}

struct orr_heevj_rate orr_heevj_rates_get(struct orr_heevj_rates *r, orr_type type, int64_t n,
                                          int vectors)
{
    struct orr_heevj_rate out = {.type = type, .n = n, .vectors = vectors};
    STARPU_PTHREAD_MUTEX_LOCK(&r->lock);
    const struct orr_heevj_rate *e = find(r, type, n, vectors);
    if (e)
        out = *e;
    STARPU_PTHREAD_MUTEX_UNLOCK(&r->lock);
    return out;
}

/* ---- Functions ------------------------------------------------------------------------- */

static void run_cpu(void **buf, struct args *a, unsigned impl)
{
    if (orr_request_failed(a->task.req))
        return;
    orr_heevj_fn *kernel = implementation[impl].kernel[a->type];
    double t = orr_now();
    orr_status st = kernel(&a->kernel, ORR_PTR(0), ORR_PTR(1), ORR_PTR(2));
    t = orr_now() - t;
    if (st != ORR_OK)
        orr_request_fail(a->task.req, st, "heevj_chunk");
    else if (a->rates && a->kernel.count > 0)
        rates_put(a->rates, a, implementation[impl].method, t / (double)a->kernel.count);
}

/* Not all of StarPU's policies ask can_execute for the implementation ("random" takes the
 * first), so the task's own mask goes before StarPU's choice. */
static unsigned allowed(uint32_t mask, unsigned impl)
{
    return mask >> impl & 1 ? impl : (unsigned)__builtin_ctz(mask);
}

static void run_allowed(void **buf, struct args *a, unsigned impl)
{
    run_cpu(buf, a, allowed(a->task.cpu_impls, impl));
}

static void jacobi(void **buf, void *arg) { run_allowed(buf, arg, IMPL_JACOBI); }

static void lapack(void **buf, void *arg) { run_allowed(buf, arg, IMPL_LAPACK); }

static void lanes(void **buf, void *arg) { run_allowed(buf, arg, IMPL_LANES); }

#ifdef ORR_OPENCL_ON_CPU
static void stand_in(void **buf, void *arg) { run_cpu(buf, arg, IMPL_JACOBI); }
#endif

enum { CUDA_JACOBI, CUDA_LANES };
enum { WORD = 16 }; /* bytes that scratch is counted in */

#ifdef ORR_WITH_CUDA
static void run_cuda(void **buf, struct args *a, unsigned impl)
{
    const orr_heevj_rounds rounds = orr_heevj_lanes_rounds(a->kernel.n);
    if (orr_request_failed(a->task.req))
        return;
    orr_status st =
        allowed(a->task.cuda_impls, impl) == CUDA_LANES
            ? orr_heevj_lanes_cuda[a->type](ORR_STREAM(), &a->kernel, &rounds, ORR_PTR(0),
                                            ORR_PTR(1), ORR_PTR(2), ORR_PTR(3))
            : orr_heevj_jacobi_cuda[a->type](ORR_STREAM(), &a->kernel, ORR_PTR(0), ORR_PTR(1),
                                             ORR_PTR(2));
    orr_task_check(a, st, "heevj_chunk");
}

static void jacobi_cuda(void **buf, void *arg) { run_cuda(buf, arg, CUDA_JACOBI); }

static void lanes_cuda(void **buf, void *arg) { run_cuda(buf, arg, CUDA_LANES); }

int orr_heevj_device_has(orr_method method, orr_type type, int64_t n, int vectors)
{
    return method == ORR_METHOD_JACOBI  ? n <= orr_heevj_cuda_max_n(type, vectors)
           : method == ORR_METHOD_LANES ? n <= ORR_HEEVJ_LANES_CUDA_MAX_N
                                        : 0;
}

/* Bytes that lanes need on a device beside A, w and info. */
static int64_t scratch_bytes(orr_type type, const orr_heevj_args *g)
{
    const orr_heevj_rounds rounds = orr_heevj_lanes_rounds(g->n);
    return orr_heevj_lanes_cuda_work(type, g, &rounds);
}

#define CUDA_FUNCS                                                                                 \
    .cuda_funcs = {[CUDA_JACOBI] = jacobi_cuda, [CUDA_LANES] = lanes_cuda},                        \
    .cuda_flags = {STARPU_CUDA_ASYNC, STARPU_CUDA_ASYNC},
#else
int orr_heevj_device_has(orr_method method, orr_type type, int64_t n, int vectors)
{
    (void)type, (void)vectors;
    return method == ORR_METHOD_JACOBI && n <= 32; /* what an OpenCL stand-in is given */
}

static int64_t scratch_bytes(orr_type type, const orr_heevj_args *g)
{
    (void)type, (void)g;
    return 0;
}

#define CUDA_FUNCS ORR_CUDA_FUNC(jacobi_cuda)
#endif

int64_t orr_heevj_chunk_bytes(const struct orr_heevj_chunk *c, orr_method device_method)
{
    struct orr_heevj_chunk one = *c;
    one.count = 1;
    const orr_heevj_args g = orr_heevj_kernel_args(&one);
    return (c->stride + c->n) * (int64_t)orr_element_size(c->type) +
           (int64_t)sizeof(orr_matrix_info) +
           (device_method == ORR_METHOD_LANES ? scratch_bytes(c->type, &g) : 0);
}

/* ---- Codelet ------------------------------------------------------------------------------- */

#define CHUNK(f)                                                                                   \
    .cpu_funcs = {[IMPL_JACOBI] = jacobi, [IMPL_LAPACK] = lapack, [IMPL_LANES] = lanes},           \
    CUDA_FUNCS ORR_OPENCL_FUNC(stand_in)
#define CHUNK_ALSO(f) ORR_OPENCL(stand_in)
ORR_CODELETS(chunk, "heevj_chunk", ORR_SDCZ, CHUNK);

int orr_insert_heevj_chunk(struct orr_request *req, int prio, const struct orr_heevj_chunk *c,
                           orr_method cpu_method, orr_method device_method, enum orr_where where,
                           struct orr_heevj_rates *rates, int64_t parts)
{
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (!a)
        return 0;
    a->task.parts = parts;
    a->task.owner = c->owner;
    a->task.expected = c->seconds * (double)c->count;
    a->task.cpu_impls = 1u << IMPL_JACOBI | 1u << IMPL_LAPACK;
    for (int i = 0; i < IMPLS; i++)
        if (cpu_method == implementation[i].method)
            a->task.cpu_impls = 1u << i;
    const int by_lanes = device_method == ORR_METHOD_LANES;
    a->task.cuda_impls = 1u << (by_lanes ? CUDA_LANES : CUDA_JACOBI);
    a->type = c->type;
    a->kernel = orr_heevj_kernel_args(c);
    a->rates = rates;
    /* Jacobi solves eight matrices or so at a time, at one rate; LAPACK's calls cost more than
     * their operations up to n = 400. */
    const double square = (double)(c->count * c->n * c->n), n = (double)c->n;
    const double padded = (double)((c->count + 7) / 8 * 8);
    orr_cost(&a->task, padded * n * n * n * (c->vectors ? 3 : 2), c->n, c->count, c->vectors);
    orr_cost_second(&a->task, square * (n + 400) * (c->vectors ? 9 : 4));
    struct starpu_data_descr buffers[4] = {
        {c->A, STARPU_RW}, {c->w, STARPU_RW}, {c->info, STARPU_W}};
    const int64_t bytes = by_lanes && where != ORR_ON_CPU ? scratch_bytes(c->type, &a->kernel) : 0;
    starpu_data_handle_t work = NULL;
    int count = 3;
    if (bytes > 0) {
        starpu_vector_data_register(&work, -1, 0, (uint32_t)(bytes / WORD), WORD);
        buffers[count++] = (struct starpu_data_descr){work, STARPU_SCRATCH};
    }
    const int accepted = orr_submit(a, sizeof *a, &chunk_codelet[c->type], prio,
                                    STARPU_DATA_MODE_ARRAY, buffers, count);
    if (work)
        starpu_data_unregister_submit(work);
    return accepted;
}
