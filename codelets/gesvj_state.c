/* gesvj of matrices as graphs: what comes before and after the pairs of blocks, on CPUs, and the
 * handles.
 *
 *   start     A R; factors, head W; info W; X[*], J[*] W
 *   measure   measure W; seen[*] of one step R
 *   finish    factors, head R; s RW; U, V RW if wanted; info RW; X[*], J[*] R
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "codelets/gesvj_args.h"
#include "codelets/submit.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_gesvj_args kernel;
    int32_t whole;                  /* X and J are one buffer each */
    int32_t status, sweeps, device; /* for info */
    double off;
    int64_t matrices; /* of a measure */
};

/* The addresses of the blocks of X and, if it may be needed, of J, whose buffers begin with `from`;
 * NULL (and a failed request) without memory. */
static void **addresses(const struct args *a, void **buf, int64_t from)
{
    const orr_gesvj_shape s = orr_gesvj_shape_of(&a->kernel);
    const int64_t nb = a->kernel.nb, count = s.blocks * (1 + (s.accumulate != 0));
    void **x = malloc(sizeof *x * (size_t)(count + 1));
    for (int64_t i = 0; x && i < count; i++) {
        const int64_t rows = i < s.blocks ? s.rows : s.small;
        if (a->whole)
            x[i] = (char *)ORR_PTR(from + i / s.blocks) +
                   i % s.blocks * rows * nb * orr_gesvj_element_bytes[a->type];
        else
            x[i] = ORR_PTR(from + i);
    }
    if (!x)
        orr_request_fail(a->task.req, ORR_E_NOMEM, "gesvj");
    return x;
}

static void start(void **buf, void *arg)
{
    struct args *a = arg;
    const orr_gesvj_shape s = orr_gesvj_shape_of(&a->kernel);
    if (orr_request_failed(a->task.req))
        return;
    void **blocks = addresses(a, buf, 4);
    if (!blocks)
        return;
    orr_status st =
        orr_gesvj_start_cpu[a->type](&a->kernel, ORR_PTR(0), ORR_PTR(1), ORR_PTR(2), blocks,
                                     s.accumulate ? blocks + s.blocks : NULL, ORR_PTR(3));
    if (st != ORR_OK)
        orr_request_fail(a->task.req, st, "gesvj_start");
    free(blocks);
}

static void measure(void **buf, void *arg)
{
    const struct args *a = arg;
    const orr_gesvj_shape s = orr_gesvj_shape_of(&a->kernel);
    const int64_t pairs = s.blocks / 2;
    struct orr_gesvj_measure *out = ORR_PTR(0);
    for (int64_t k = 0; k < a->matrices; k++) {
        orr_gesvj_seen all = {0};
        for (int64_t i = 0; i < pairs && !orr_request_failed(a->task.req); i++)
            orr_gesvj_join(&all, a->whole ? (const orr_gesvj_seen *)ORR_PTR(1) + k * pairs + i
                                          : ORR_PTR(1 + i));
        out[k] = (struct orr_gesvj_measure){
            .off = all.off,
            .rotated = all.rotated,
            .settled = orr_gesvj_settled(&all, s.small, orr_gesvj_tolerance(a->type, &a->kernel))};
    }
}

static void finish(void **buf, void *arg)
{
    const struct args *a = arg;
    const orr_gesvj_shape s = orr_gesvj_shape_of(&a->kernel);
    if (orr_request_failed(a->task.req))
        return;
    int next = 3;
    void *u = a->kernel.left ? ORR_PTR(next++) : NULL;
    void *v = a->kernel.right ? ORR_PTR(next++) : NULL;
    orr_matrix_info *info = ORR_PTR(next++);
    void **blocks = addresses(a, buf, next);
    if (!blocks)
        return;
    orr_status st =
        orr_gesvj_finish_cpu[a->type](&a->kernel, ORR_PTR(0), ORR_PTR(1), blocks,
                                      s.accumulate ? blocks + s.blocks : NULL, ORR_PTR(2), u, v);
    if (st != ORR_OK)
        orr_request_fail(a->task.req, st, "gesvj_finish");
    if (info->status == ORR_OK) {
        info->status = a->status;
        info->sweeps = a->sweeps;
        info->off = a->off;
        info->device = a->device;
    }
    free(blocks);
}

static struct starpu_perfmodel start_model[ORR_NTYPES] = ORR_MODELS("gesvj_start");
static struct starpu_perfmodel finish_model[ORR_NTYPES] = ORR_MODELS("gesvj_finish");
static struct starpu_perfmodel measure_model = ORR_MODEL("gesvj_measure");

#define CODELET(f, t)                                                                              \
    {                                                                                              \
        .name = "gesvj_" #f, .model = &f##_model[t], .nbuffers = STARPU_VARIABLE_NBUFFERS,         \
        .cpu_funcs = {f}, ORR_CODELET_COMMON                                                       \
    }
#define FOUR(f)                                                                                    \
    {                                                                                              \
        CODELET(f, ORR_S), CODELET(f, ORR_D), CODELET(f, ORR_C), CODELET(f, ORR_Z)                 \
    }
static struct starpu_codelet start_codelet[ORR_NTYPES] = FOUR(start);
static struct starpu_codelet finish_codelet[ORR_NTYPES] = FOUR(finish);
static struct starpu_codelet measure_codelet = {.name = "gesvj_measure",
                                                .model = &measure_model,
                                                .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                .cpu_funcs = {measure},
                                                ORR_CODELET_COMMON};

/* ---- Handles ------------------------------------------------------------------------------ */

static starpu_data_handle_t temporary(int64_t elements, size_t size)
{
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, -1, 0, (uint32_t)elements, size);
    return handle;
}

static starpu_data_handle_t *pool(int64_t count, int64_t elements, size_t size)
{
    starpu_data_handle_t *h = malloc(sizeof *h * (size_t)count);
    for (int64_t i = 0; h && i < count; i++)
        h[i] = temporary(elements, size);
    return h;
}

static void drop_pool(starpu_data_handle_t *h, int64_t count)
{
    for (int64_t i = 0; h && i < count; i++)
        starpu_data_unregister_submit(h[i]);
    free(h);
}

int64_t orr_gesvj_block_bytes(const struct orr_gesvj_chunk *c)
{
    const orr_gesvj_args g = orr_gesvj_kernel_args(c);
    const orr_gesvj_shape s = orr_gesvj_shape_of(&g);
    const int64_t size = orr_gesvj_element_bytes[c->type];
    return s.blocks * g.nb * (s.rows + (s.accumulate ? s.small : 0)) * size +
           s.blocks / 2 * orr_gesvj_rotation_bytes(g.nb, size);
}

orr_status orr_gesvj_block_register(struct orr_gesvj_block *b)
{
    const orr_gesvj_args g = orr_gesvj_kernel_args(&b->chunk);
    const orr_gesvj_shape s = orr_gesvj_shape_of(&g);
    const size_t size = orr_gesvj_element_bytes[b->chunk.type];
    const int64_t handles = b->whole ? 1 : s.blocks, columns = s.blocks / handles * g.nb;
    b->blocks = s.blocks;
    b->factors = temporary(orr_gesvj_factors(&g), size);
    b->head = temporary(ORR_GESVJ_PIVOTS + s.small, sizeof(int32_t));
    b->X = pool(handles, s.rows * columns, size);
    b->J = s.accumulate ? pool(handles, s.small * columns, size) : NULL;
    if (b->X && (b->J || !s.accumulate))
        return ORR_OK;
    orr_gesvj_block_unregister_submit(b);
    return ORR_E_NOMEM;
}

void orr_gesvj_block_unregister_submit(struct orr_gesvj_block *b)
{
    const int64_t handles = b->whole ? 1 : b->blocks;
    starpu_data_unregister_submit(b->factors);
    starpu_data_unregister_submit(b->head);
    drop_pool(b->X, handles);
    drop_pool(b->J, handles);
}

void orr_gesvj_block_prefetch(const struct orr_gesvj_block *b)
{
    for (unsigned w = 0; orr_gesvj_accelerators() == 1 && w < starpu_worker_get_count(); w++) {
        const unsigned node = starpu_worker_get_memory_node(w);
        if (starpu_worker_get_type((int)w) == STARPU_CPU_WORKER)
            continue;
        for (int64_t i = 0; i < (b->whole ? 1 : b->blocks); i++)
            starpu_data_prefetch_on_node(b->X[i], node, 1);
        for (int64_t i = 0; b->accumulate && i < (b->whole ? 1 : b->blocks); i++)
            starpu_data_prefetch_on_node(b->J[i], node, 1);
    }
}

/* Handles of each kind for a turn. */
static int64_t handles_of(const struct orr_gesvj_rounds *r)
{
    return r->whole ? 1 : r->blocks / 2;
}

orr_status orr_gesvj_rounds_register(struct orr_gesvj_rounds *r, const struct orr_gesvj_chunk *c,
                                     int apart)
{
    const orr_gesvj_args g = orr_gesvj_kernel_args(c);
    const size_t size = orr_gesvj_element_bytes[c->type];
    r->blocks = orr_gesvj_shape_of(&g).blocks;
    r->depth = 4;
    const int64_t handles = handles_of(r), pairs = r->capacity * (r->blocks / 2) / handles;
    for (int i = 0; i < 2; i++)
        r->measure[i] = temporary(r->capacity, sizeof(struct orr_gesvj_measure));
    r->G = pool(r->depth * handles, pairs * orr_gesvj_rotation_bytes(g.nb, (int64_t)size), 1);
    r->H = apart ? pool(r->depth * handles, pairs * 4 * g.nb * g.nb, size) : NULL;
    r->seen = pool(2 * handles, pairs, sizeof(orr_gesvj_seen));
    if (r->G && (r->H || !apart) && r->seen)
        return ORR_OK;
    orr_gesvj_rounds_unregister_submit(r);
    return ORR_E_NOMEM;
}

void orr_gesvj_rounds_unregister_submit(struct orr_gesvj_rounds *r)
{
    const int64_t handles = handles_of(r);
    starpu_data_unregister_submit(r->measure[0]);
    starpu_data_unregister_submit(r->measure[1]);
    drop_pool(r->G, r->depth * handles);
    drop_pool(r->H, r->depth * handles);
    drop_pool(r->seen, 2 * handles);
}

/* Acquired in main memory: the thread that asks may be a device's worker, whose "local" memory is
 * another one. */
struct orr_gesvj_started orr_gesvj_started(const struct orr_gesvj_block *b)
{
    const struct starpu_vector_interface *v =
        starpu_data_get_interface_on_node(b->head, STARPU_MAIN_RAM);
    const int32_t *head = (const int32_t *)v->ptr;
    return (struct orr_gesvj_started){.finite = head[ORR_GESVJ_FINITE],
                                      .accumulate = head[ORR_GESVJ_ACCUMULATES]};
}

struct orr_gesvj_measure orr_gesvj_measured(const struct orr_gesvj_rounds *r, int64_t step,
                                            int64_t k)
{
    const struct starpu_vector_interface *v =
        starpu_data_get_interface_on_node(r->measure[step % 2], STARPU_MAIN_RAM);
    return ((const struct orr_gesvj_measure *)v->ptr)[k];
}

/* ---- Insertion ---------------------------------------------------------------------------- */

static struct args *make_args(struct orr_request *req, const struct orr_gesvj_block *b,
                              int64_t parts)
{
    struct args *a = orr_task_args(req, sizeof *a);
    if (!a)
        return NULL;
    a->task.parts = parts;
    a->task.tag = b->chunk.tag;
    a->task.cpu_only = 1;
    a->whole = b->whole;
    a->type = b->chunk.type;
    a->kernel = orr_gesvj_kernel_args(&b->chunk);
    return a;
}

/* X[*] and J[*] at the end of a list of buffers. */
static int add_blocks(const struct orr_gesvj_block *b, struct starpu_data_descr *to,
                      enum starpu_data_access_mode mode)
{
    const int64_t handles = b->whole ? 1 : b->blocks;
    int count = 0;
    for (int64_t i = 0; i < handles; i++)
        to[count++] = (struct starpu_data_descr){b->X[i], mode};
    for (int64_t i = 0; b->J && i < handles; i++)
        to[count++] = (struct starpu_data_descr){b->J[i], mode};
    return count;
}

static struct starpu_data_descr *descriptions(struct orr_request *req,
                                              const struct orr_gesvj_block *b)
{
    struct starpu_data_descr *d = malloc(sizeof *d * (size_t)(8 + 2 * b->blocks));
    if (!d)
        orr_request_fail(req, ORR_E_NOMEM, "gesvj");
    return d;
}

int orr_insert_gesvj_start(struct orr_request *req, int prio, const struct orr_gesvj_block *b)
{
    struct starpu_data_descr *d = descriptions(req, b);
    struct args *a = d ? make_args(req, b, 0) : NULL;
    int accepted = 0;
    if (a) {
        const orr_gesvj_shape s = orr_gesvj_shape_of(&a->kernel);
        int count = 0;
        orr_cost(&a->task,
                 (double)(s.small * s.small) * (double)(a->kernel.precondition ? s.big : 1),
                 a->kernel.m, a->kernel.n, a->kernel.precondition);
        d[count++] = (struct starpu_data_descr){b->chunk.A, STARPU_R};
        d[count++] = (struct starpu_data_descr){b->factors, STARPU_W};
        d[count++] = (struct starpu_data_descr){b->head, STARPU_W};
        d[count++] = (struct starpu_data_descr){b->chunk.info, STARPU_W};
        count += add_blocks(b, d + count, STARPU_W);
        accepted = orr_submit(a, sizeof *a, &start_codelet[b->chunk.type], prio,
                              STARPU_DATA_MODE_ARRAY, d, count);
    }
    free(d);
    return accepted;
}

int orr_insert_gesvj_measure(int prio, const struct orr_gesvj_pairs *x)
{
    const struct orr_gesvj_rounds *r = x->rounds;
    const int64_t handles = handles_of(r);
    struct orr_request *req = x->user[0];
    struct starpu_data_descr *d = descriptions(req, x->matrix[0]);
    struct args *a = d ? make_args(req, x->matrix[0], 0) : NULL;
    int accepted = 0;
    if (a) {
        int count = 0;
        a->matrices = x->matrices;
        orr_cost(&a->task, x->matrices * r->blocks, x->matrices * r->blocks);
        d[count++] = (struct starpu_data_descr){r->measure[x->step % 2], STARPU_W};
        for (int64_t i = 0; i < handles; i++)
            d[count++] = (struct starpu_data_descr){r->seen[x->step % 2 * handles + i], STARPU_R};
        accepted =
            orr_submit(a, sizeof *a, &measure_codelet, prio, STARPU_DATA_MODE_ARRAY, d, count);
    }
    free(d);
    return accepted;
}

void orr_insert_gesvj_finish(struct orr_request *req, int prio, const struct orr_gesvj_block *b,
                             orr_status status, int32_t sweeps, double off, int64_t parts)
{
    struct starpu_data_descr *d = descriptions(req, b);
    struct args *a = d ? make_args(req, b, parts) : NULL;
    if (a) {
        const orr_gesvj_shape s = orr_gesvj_shape_of(&a->kernel);
        const int64_t rows =
            s.rows + (a->kernel.left ? s.big : 0) + (a->kernel.right ? s.small : 0);
        int count = 0;
        orr_cost(&a->task, (double)(s.small * s.small) * (double)rows, a->kernel.m, a->kernel.n,
                 2 * a->kernel.left + a->kernel.right, a->kernel.precondition);
        a->status = status;
        a->sweeps = sweeps;
        a->off = off;
        a->device = b->on_device;
        d[count++] = (struct starpu_data_descr){b->factors, STARPU_R};
        d[count++] = (struct starpu_data_descr){b->head, STARPU_R};
        d[count++] = (struct starpu_data_descr){b->chunk.s, STARPU_RW};
        if (b->chunk.U)
            d[count++] = (struct starpu_data_descr){b->chunk.U, STARPU_RW};
        if (b->chunk.V)
            d[count++] = (struct starpu_data_descr){b->chunk.V, STARPU_RW};
        d[count++] = (struct starpu_data_descr){b->chunk.info, STARPU_RW};
        count += add_blocks(b, d + count, STARPU_R);
        orr_submit(a, sizeof *a, &finish_codelet[b->chunk.type], prio, STARPU_DATA_MODE_ARRAY, d,
                   count);
    }
    free(d);
}
