/* powm_spmv, powm_product and powm_residual as tasks: one pass over a block of rows.
 *
 *   spmv       A, lagged R; partial W; y RW; the parts of x R
 *   product    A, [state] R; y RW; the parts of x R
 *   residual   A R; partial W; [z] R; the parts of x R
 *   random     x W
 *
 * y is read-write although it is written: spmv reads what stood there (the iterate before), and
 * a task of a finished iteration must leave it as it is.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/sparse/powm_args.h"
#include "kernels/powm_krylov.h"
#include "kernels/powm_combine.h"

_Static_assert((int)ORR_POWM_VECTOR_PAD == (int)ORR_POWM_PAD, "padding of vectors");

/* ---- Shared: powm_args.h ------------------------------------------------------------------- */

static int side_by_side(const struct orr_powm_place *p, void **buf, size_t size)
{
    const char *base = (char *)ORR_PTR(0) - p->col_first[p->need[0]] * size;
    if (starpu_worker_get_local_memory_node() != STARPU_MAIN_RAM)
        return 0;
    for (int64_t i = 1; i < p->parts; i++)
        if ((char *)ORR_PTR(i) - p->col_first[p->need[i]] * size != base)
            return 0;
    return 1;
}

const void *orr_powm_whole(const struct orr_powm_place *p, void **buf, void **copy)
{
    const size_t size = orr_element_size(p->type);
    *copy = NULL;
    if (p->parts > 0 && side_by_side(p, buf, size))
        return (char *)ORR_PTR(0) - p->col_first[p->need[0]] * size;
    char *x = calloc((size_t)p->cols + ORR_POWM_PAD, size);
    for (int64_t i = 0; x && i < p->parts; i++) {
        const int64_t first = p->col_first[p->need[i]], end = p->col_first[p->need[i] + 1];
        memcpy(x + first * size, ORR_PTR(i), (size_t)(end - first) * size);
    }
    return *copy = x;
}

#ifdef ORR_WITH_CUDA
void *orr_powm_pieces_make(const struct orr_powm_place *p, void **buf, orr_powm_pieces *x)
{
    const size_t n = (size_t)p->parts;
    int64_t *first = malloc((n + 1) * (2 * sizeof *first + sizeof(void *)));
    if (!first)
        return NULL;
    int64_t *count = first + n;
    const void **at = (const void **)(count + n);
    for (int64_t i = 0; i < p->parts; i++) {
        first[i] = p->col_first[p->need[i]];
        count[i] = p->col_first[p->need[i] + 1] - first[i];
        at[i] = ORR_PTR(i);
    }
    *x = (orr_powm_pieces){.parts = p->parts, .at = at, .first = first, .count = count};
    return first;
}
#endif

void orr_powm_buffers_add_x(struct orr_buffers *d, const struct orr_powm_matrix *m, int64_t b,
                            const starpu_data_handle_t *x)
{
    for (int64_t i = m->need_at[b]; i < m->need_at[b + 1]; i++)
        orr_buffers_add(d, x[m->need[i]], STARPU_R);
}

/* ---- Functions ----------------------------------------------------------------------------- */

struct args {
    struct orr_task task;
    struct orr_powm_place place;
    int ritz, j, state, scaled, z;
    orr_powm_residual_args residual;
};

static void settle(const struct args *a, orr_status st, const char *name, void *copy)
{
    if (st != ORR_OK)
        orr_request_fail(a->task.req, st, name);
    free(copy);
}

static void spmv(void **buf, void *arg)
{
    struct args *a = arg;
    const orr_powm_scalars *lagged = ORR_PTR(1);
    void *copy;
    if (orr_request_failed(a->task.req))
        return;
    if (lagged->state != ORR_POWM_RUN) {
        a->task.idle = 1;
        memset(ORR_PTR(2), 0, sizeof(orr_powm_partial));
        return;
    }
    const orr_powm_step_args g = orr_powm_next_step(lagged, a->ritz);
    const void *x = orr_powm_whole(&a->place, buf + 4, &copy);
    const orr_status st =
        x ? orr_powm_step_cpu[a->place.type](&g, ORR_PTR(0), x, ORR_PTR(3), ORR_PTR(2))
          : ORR_E_NOMEM;
    settle(a, st, "powm_spmv", copy);
}

#ifdef ORR_WITH_CUDA
/* Scalars are looked at on the device: nobody waits for them. */
static void spmv_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    orr_powm_pieces x;
    if (orr_request_failed(a->task.req))
        return;
    const orr_powm_there here = orr_powm_here(&a->place, ORR_PTR(0));
    void *arrays = orr_powm_pieces_make(&a->place, buf + 4, &x);
    const orr_status st = arrays ? orr_powm_step_cuda[a->place.type](&here, a->ritz, ORR_PTR(1), &x,
                                                                     ORR_PTR(3), ORR_PTR(2))
                                 : ORR_E_NOMEM;
    settle(a, st, "powm_spmv", arrays);
}
#endif

static void product(void **buf, void *arg)
{
    struct args *a = arg;
    const orr_krylov_state *state = a->state ? ORR_PTR(1) : NULL;
    const int fixed = a->state ? 3 : 2;
    void *copy;
    a->task.idle = state && !orr_krylov_active(state, a->j, 0);
    if (orr_request_failed(a->task.req) || a->task.idle)
        return;
    const void *x = orr_powm_whole(&a->place, buf + fixed, &copy);
    const orr_status st = x ? orr_powm_product_cpu[a->place.type](a->scaled ? state->inv : 1,
                                                                  ORR_PTR(0), x, ORR_PTR(fixed - 1))
                            : ORR_E_NOMEM;
    settle(a, st, "powm_product", copy);
}

#ifdef ORR_WITH_CUDA
static void product_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    orr_powm_pieces x;
    if (orr_request_failed(a->task.req))
        return;
    const orr_powm_there here = orr_powm_here(&a->place, ORR_PTR(0));
    void *arrays = orr_powm_pieces_make(&a->place, buf + 2, &x);
    const orr_status st =
        arrays ? orr_powm_product_cuda[a->place.type](&here, 1, &x, ORR_PTR(1)) : ORR_E_NOMEM;
    settle(a, st, "powm_product", arrays);
}
#endif

static void residual(void **buf, void *arg)
{
    const struct args *a = arg;
    void *copy;
    if (orr_request_failed(a->task.req))
        return;
    const void *x = orr_powm_whole(&a->place, buf + 2 + a->z, &copy);
    const orr_status st = x ? orr_powm_residual_cpu[a->place.type](
                                  &a->residual, ORR_PTR(0), x, a->z ? ORR_PTR(2) : NULL, ORR_PTR(1))
                            : ORR_E_NOMEM;
    settle(a, st, "powm_residual", copy);
}

#ifdef ORR_WITH_CUDA
static void residual_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    orr_powm_pieces x;
    if (orr_request_failed(a->task.req))
        return;
    const orr_powm_there here = orr_powm_here(&a->place, ORR_PTR(0));
    void *arrays = orr_powm_pieces_make(&a->place, buf + 2 + a->z, &x);
    const orr_status st =
        arrays ? orr_powm_residual_cuda[a->place.type](&here, &a->residual, &x,
                                                       a->z ? ORR_PTR(2) : NULL, ORR_PTR(1))
               : ORR_E_NOMEM;
    settle(a, st, "powm_residual", arrays);
}
#endif

ORR_CODELETS(spmv, "powm_spmv", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(residual, "powm_residual", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(product, "powm_product", ORR_SDCZ, ORR_CPU_CUDA);
/* a Krylov step's: its other tasks run on CPUs */
#define KRYLOV(f) ORR_CPU_OPENCL(product)
#define KRYLOV_ALSO(f)
ORR_CODELETS_LIKE(product, krylov, "powm_product", ORR_SDCZ, KRYLOV);

/* Arguments and room for the buffers, or NULL: the request has failed. */
static struct args *begin(struct orr_request *req, const struct orr_powm_matrix *m, int64_t b,
                          struct orr_buffers *d)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ANYWHERE);
    if (!a)
        return NULL;
    a->place = orr_powm_place_of(m, b);
    orr_powm_cost(&a->task, &a->place, 1);
    a->task.owner = a->place.owner;
    if (!orr_buffers_make(req, d, a->place.parts + 4)) {
        free(a);
        return NULL;
    }
    return a;
}

void orr_insert_powm_spmv(struct orr_request *req, int prio, const struct orr_powm_matrix *m,
                          int64_t b, int ritz, starpu_data_handle_t lagged,
                          const starpu_data_handle_t *x, starpu_data_handle_t y,
                          starpu_data_handle_t partial)
{
    struct orr_buffers d;
    struct args *a = begin(req, m, b, &d);
    if (!a)
        return;
    a->ritz = ritz;
    orr_buffers_add(&d, m->A[b], STARPU_R);
    orr_buffers_add(&d, lagged, STARPU_R);
    orr_buffers_add(&d, partial, STARPU_W);
    orr_buffers_add(&d, y, STARPU_RW);
    orr_powm_buffers_add_x(&d, m, b, x);
    orr_submit(a, sizeof *a, &spmv_codelet[m->type], prio, STARPU_DATA_MODE_ARRAY, d.d, d.n);
    free(d.d);
}

void orr_insert_powm_product(struct orr_request *req, int prio, const struct orr_powm_matrix *m,
                             int64_t b, starpu_data_handle_t state, int j, int scaled,
                             const starpu_data_handle_t *x, starpu_data_handle_t y)
{
    struct orr_buffers d;
    struct args *a = begin(req, m, b, &d);
    if (!a)
        return;
    a->state = state != NULL;
    a->j = j;
    a->scaled = scaled;
    orr_buffers_add(&d, m->A[b], STARPU_R);
    if (state)
        orr_buffers_add(&d, state, STARPU_R);
    orr_buffers_add(&d, y, STARPU_RW);
    orr_powm_buffers_add_x(&d, m, b, x);
    orr_submit(a, sizeof *a, state ? &krylov_codelet[m->type] : &product_codelet[m->type], prio,
               STARPU_DATA_MODE_ARRAY, d.d, d.n);
    free(d.d);
}

void orr_insert_powm_residual(struct orr_request *req, int prio, const struct orr_powm_matrix *m,
                              int64_t b, double theta, double omega, int bounds,
                              const starpu_data_handle_t *x, starpu_data_handle_t z,
                              starpu_data_handle_t partial)
{
    struct orr_buffers d;
    struct args *a = begin(req, m, b, &d);
    if (!a)
        return;
    a->z = z != NULL;
    a->residual = (orr_powm_residual_args){.theta = theta, .omega = omega, .bounds = bounds};
    orr_buffers_add(&d, m->A[b], STARPU_R);
    orr_buffers_add(&d, partial, STARPU_W);
    if (z)
        orr_buffers_add(&d, z, STARPU_R);
    orr_powm_buffers_add_x(&d, m, b, x);
    orr_submit(a, sizeof *a, &residual_codelet[m->type], prio, STARPU_DATA_MODE_ARRAY, d.d, d.n);
    free(d.d);
}

/* ---- Start vectors ------------------------------------------------------------------------- */

struct random_args {
    struct orr_task task;
    orr_type type;
    int64_t first, rows;
    uint64_t seed;
    int symmetric;
};

static void random_start(void **buf, void *arg)
{
    const struct random_args *a = arg;
    if (!orr_request_failed(a->task.req))
        orr_powm_random(a->type, a->first, a->rows, a->seed, a->symmetric, ORR_PTR(0));
}

ORR_CODELETS(random_start, "powm_random", ORR_UNTYPED, ORR_CPU_OPENCL, STARPU_W);

void orr_insert_powm_random(struct orr_request *req, int prio, orr_type type, int64_t first,
                            int64_t rows, uint64_t seed, int symmetric, starpu_data_handle_t x)
{
    struct random_args *a = orr_task_args(req, sizeof *a, ORR_ANYWHERE);
    if (!a)
        return;
    a->type = type;
    a->first = first;
    a->rows = rows;
    a->seed = seed;
    a->symmetric = symmetric;
    orr_cost(&a->task, rows, rows);
    orr_submit(a, sizeof *a, random_start_codelet, prio, STARPU_W, x);
}
