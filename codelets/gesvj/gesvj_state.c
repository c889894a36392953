/* gesvj of matrices as graphs: what comes before and after the pairs of blocks, and the handles.
 *
 *   start     of every matrix: A R; factors, head W; info W; X[*], J[*] W
 *   measure   measure W; seen[*] of one step R
 *   finish    of every matrix: factors, head R; s, U, V as a chunk has them; info RW; X[*], J[*] R
 *
 * Start and finish are of one matrix on CPUs. On a device they are of a bundle, since one does not
 * fill it; then X and J are whole, and a CUDA device gets scratch, the last of all buffers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "codelets/core/task.h"
#include "codelets/gesvj/gesvj_args.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_gesvj_args kernel;
    int32_t whole;          /* X and J are one buffer each */
    int32_t device;         /* for info */
    int64_t matrices, each; /* of the task; buffers of each */
    struct orr_gesvj_users users;
    struct orr_gesvj_outcome outcome[ORR_GESVJ_MAX_BUNDLE];
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
                   i % s.blocks * rows * nb * orr_element_size(a->type);
        else
            x[i] = ORR_PTR(from + i);
    }
    if (!x)
        orr_gesvj_check(&a->users, ORR_E_NOMEM, "gesvj");
    return x;
}

static void start_one(const struct args *a, void **buf)
{
    const orr_gesvj_shape s = orr_gesvj_shape_of(&a->kernel);
    void **blocks = addresses(a, buf, 4);
    if (!blocks)
        return;
    orr_status st =
        orr_gesvj_start_cpu[a->type](&a->kernel, ORR_PTR(0), ORR_PTR(1), ORR_PTR(2), blocks,
                                     s.accumulate ? blocks + s.blocks : NULL, ORR_PTR(3));
    orr_gesvj_check(&a->users, st, "gesvj_start");
    free(blocks);
}

static void start(void **buf, void *arg)
{
    const struct args *a = arg;
    for (int64_t k = 0; k < a->matrices && orr_gesvj_usable(&a->users); k++)
        start_one(a, buf + k * a->each);
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

static void finish_one(const struct args *a, void **buf, const struct orr_gesvj_outcome *outcome)
{
    const orr_gesvj_shape s = orr_gesvj_shape_of(&a->kernel);
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
    orr_gesvj_check(&a->users, st, "gesvj_finish");
    if (info->status == ORR_OK) {
        info->status = (orr_status)outcome->status;
        info->sweeps = outcome->sweeps;
        info->off = outcome->off;
        info->device = a->device;
    }
    free(blocks);
}

static void finish(void **buf, void *arg)
{
    const struct args *a = arg;
    for (int64_t k = 0; k < a->matrices && orr_gesvj_usable(&a->users); k++)
        finish_one(a, buf + k * a->each, &a->outcome[k]);
}

#ifdef ORR_WITH_CUDA
static void start_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    orr_gesvj_member member[ORR_GESVJ_MAX_BUNDLE];
    void *const work = ORR_PTR(a->matrices * a->each);
    for (int64_t k = 0; k < a->matrices; k++, buf += a->each)
        member[k] = (orr_gesvj_member){.a = ORR_PTR(0),
                                       .factors = ORR_PTR(1),
                                       .head = ORR_PTR(2),
                                       .info = ORR_PTR(3),
                                       .X = ORR_PTR(4),
                                       .J = a->each > 5 ? ORR_PTR(5) : NULL};
    if (orr_gesvj_usable(&a->users))
        orr_gesvj_check(
            &a->users,
            orr_gesvj_start_cuda[a->type](ORR_STREAM(), &a->kernel, a->matrices, member, work),
            "gesvj_start");
}

static void finish_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    orr_gesvj_member member[ORR_GESVJ_MAX_BUNDLE];
    void *const work = ORR_PTR(a->matrices * a->each);
    for (int64_t k = 0; k < a->matrices; k++, buf += a->each) {
        orr_gesvj_member *m = &member[k];
        int next = 3;
        *m = (orr_gesvj_member){.factors = ORR_PTR(0),
                                .head = ORR_PTR(1),
                                .s = ORR_PTR(2),
                                .off = a->outcome[k].off,
                                .status = a->outcome[k].status,
                                .sweeps = a->outcome[k].sweeps};
        m->u = a->kernel.left ? ORR_PTR(next++) : NULL;
        m->v = a->kernel.right ? ORR_PTR(next++) : NULL;
        m->info = ORR_PTR(next++);
        m->X = ORR_PTR(next++);
        m->J = next < a->each ? ORR_PTR(next) : NULL;
    }
    if (orr_gesvj_usable(&a->users))
        orr_gesvj_check(
            &a->users,
            orr_gesvj_finish_cuda[a->type](ORR_STREAM(), &a->kernel, a->matrices, member, work),
            "gesvj_finish");
}
#endif

ORR_CODELETS(start, "gesvj_start", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(finish, "gesvj_finish", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(measure, "gesvj_measure", ORR_UNTYPED, ORR_CPU);

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

int64_t orr_gesvj_ends_scratch(orr_type type, const orr_gesvj_args *g)
{
#ifdef ORR_WITH_CUDA
    if (starpu_cuda_worker_get_count() > 0)
        return orr_gesvj_cuda_member_work(type, g);
#endif
    (void)type;
    (void)g;
    return 0;
}

int64_t orr_gesvj_block_bytes(const struct orr_gesvj_chunk *c)
{
    const orr_gesvj_args g = orr_gesvj_kernel_args(c);
    const orr_gesvj_shape s = orr_gesvj_shape_of(&g);
    const int64_t size = orr_element_size(c->type);
    const int64_t columns = s.blocks * g.nb * (s.rows + (s.accumulate ? s.small : 0));
    const int64_t u = g.left ? s.small * c->ldu : 0, v = g.right ? s.small * c->ldv : 0;
    const int64_t ends = orr_gesvj_factors(&g) + (u + v > c->n * c->ld ? u + v : c->n * c->ld);
    const int64_t with_ends = ends * size + orr_gesvj_ends_scratch(c->type, &g);
    const int64_t rotations = s.blocks / 2 * orr_gesvj_rotation_bytes(g.nb, size);
    return columns * size + (with_ends > rotations ? with_ends : rotations);
}

orr_status orr_gesvj_block_register(struct orr_gesvj_block *b)
{
    const orr_gesvj_args g = orr_gesvj_kernel_args(&b->chunk);
    const orr_gesvj_shape s = orr_gesvj_shape_of(&g);
    const size_t size = orr_element_size(b->chunk.type);
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

void orr_gesvj_block_prefetch(const struct orr_gesvj_block *b, int owner)
{
    for (int64_t i = 0; owner && i < (b->whole ? 1 : b->blocks); i++) {
        starpu_data_prefetch_on_node(b->X[i], (unsigned)owner, 1);
        if (b->accumulate)
            starpu_data_prefetch_on_node(b->J[i], (unsigned)owner, 1);
    }
}

/* Handles of each kind for a turn. */
static int64_t handles_of(const struct orr_gesvj_rounds *r) { return r->whole ? 1 : r->blocks / 2; }

orr_status orr_gesvj_rounds_register(struct orr_gesvj_rounds *r, const struct orr_gesvj_chunk *c,
                                     int apart)
{
    const orr_gesvj_args g = orr_gesvj_kernel_args(c);
    const size_t size = orr_element_size(c->type);
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
                              enum orr_where where, int64_t parts)
{
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (!a)
        return NULL;
    a->task.parts = parts;
    a->task.tag = b->chunk.tag;
    a->whole = b->whole;
    a->type = b->chunk.type;
    a->kernel = orr_gesvj_kernel_args(&b->chunk);
    a->matrices = a->users.count = 1;
    a->users.user[0] = req;
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

/* Room for the buffers of `matrices` like this one. */
static struct starpu_data_descr *descriptions(struct orr_request *req,
                                              const struct orr_gesvj_block *b, int64_t matrices)
{
    const int64_t handles = b->whole ? 1 : b->blocks;
    struct starpu_data_descr *d = malloc(sizeof *d * (size_t)(matrices * (8 + 2 * handles) + 1));
    if (!d)
        orr_request_fail(req, ORR_E_NOMEM, "gesvj");
    return d;
}

/* The buffers of one matrix; returns how many. */
typedef int add_fn(const struct orr_gesvj_block *, struct starpu_data_descr *);

static int add_start(const struct orr_gesvj_block *b, struct starpu_data_descr *d)
{
    int count = 0;
    d[count++] = (struct starpu_data_descr){b->chunk.A, STARPU_R};
    d[count++] = (struct starpu_data_descr){b->factors, STARPU_W};
    d[count++] = (struct starpu_data_descr){b->head, STARPU_W};
    d[count++] = (struct starpu_data_descr){b->chunk.info, STARPU_W};
    return count + add_blocks(b, d + count, STARPU_W);
}

static int add_finish(const struct orr_gesvj_block *b, struct starpu_data_descr *d)
{
    int count = 0;
    d[count++] = (struct starpu_data_descr){b->factors, STARPU_R};
    d[count++] = (struct starpu_data_descr){b->head, STARPU_R};
    d[count++] = (struct starpu_data_descr){b->chunk.s, orr_gesvj_written_s(&b->chunk)};
    if (b->chunk.U)
        d[count++] = (struct starpu_data_descr){b->chunk.U, orr_gesvj_written_u(&b->chunk)};
    if (b->chunk.V)
        d[count++] = (struct starpu_data_descr){b->chunk.V, orr_gesvj_written_v(&b->chunk)};
    d[count++] = (struct starpu_data_descr){b->chunk.info, STARPU_RW};
    return count + add_blocks(b, d + count, STARPU_R);
}

/* NULL where no CUDA device can come. */
static starpu_data_handle_t scratch(const struct args *a)
{
    const int64_t bytes = a->task.cpu_only ? 0 : orr_gesvj_ends_scratch(a->type, &a->kernel);
    return bytes ? temporary(a->matrices * (bytes / 64), 64) : NULL;
}

static int insert(int prio, const struct orr_gesvj_ends *e, struct starpu_codelet *codelet,
                  add_fn *add, struct args *a)
{
    struct starpu_data_descr *d = descriptions(e->user[0], e->matrix[0], e->matrices);
    int count = 0, accepted = 0;
    a->task.owner = e->owner;
    a->matrices = a->users.count = e->matrices;
    for (int64_t k = 0; k < e->matrices; k++) {
        a->users.user[k] = e->user[k];
        a->outcome[k] = e->outcome[k];
        if (d)
            count += add(e->matrix[k], d + count);
    }
    a->each = count / e->matrices;
    if (d) {
        const starpu_data_handle_t work = scratch(a);
        if (work)
            d[count++] = (struct starpu_data_descr){work, STARPU_SCRATCH};
        accepted = orr_submit(a, sizeof *a, codelet, prio, STARPU_DATA_MODE_ARRAY, d, count);
        if (work)
            starpu_data_unregister_submit(work);
    } else {
        free(a);
    }
    free(d);
    return accepted;
}

/* In the last number of a shape: that of one matrix is as it always was. */
static int64_t with_matrices(int64_t last, const struct orr_gesvj_ends *e)
{
    return last + 2 * (e->matrices - 1);
}

int orr_insert_gesvj_start(int prio, const struct orr_gesvj_ends *e, enum orr_where where)
{
    struct args *a = make_args(e->user[0], e->matrix[0], where, 0);
    if (!a)
        return 0;
    const orr_gesvj_shape s = orr_gesvj_shape_of(&a->kernel);
    const int64_t work = s.small * s.small * (a->kernel.precondition ? s.big : 1);
    orr_cost(&a->task, (double)e->matrices * (double)work, a->kernel.m, a->kernel.n,
             with_matrices(a->kernel.precondition, e));
    return insert(prio, e, &start_codelet[a->type], add_start, a);
}

int orr_insert_gesvj_finish(int prio, const struct orr_gesvj_ends *e, enum orr_where where,
                            int64_t parts)
{
    struct args *a = make_args(e->user[0], e->matrix[0], where, parts);
    if (!a)
        return 0;
    const orr_gesvj_shape s = orr_gesvj_shape_of(&a->kernel);
    const int64_t rows = s.rows + (a->kernel.left ? s.big : 0) + (a->kernel.right ? s.small : 0);
    orr_cost(&a->task, (double)e->matrices * (double)(s.small * s.small) * (double)rows,
             a->kernel.m, a->kernel.n, 2 * a->kernel.left + a->kernel.right,
             with_matrices(a->kernel.precondition, e));
    a->device = e->matrix[0]->on_device;
    return insert(prio, e, &finish_codelet[a->type], add_finish, a);
}

int orr_insert_gesvj_measure(int prio, const struct orr_gesvj_pairs *x)
{
    const struct orr_gesvj_rounds *r = x->rounds;
    const int64_t handles = handles_of(r);
    struct orr_request *req = x->user[0];
    struct starpu_data_descr *d = descriptions(req, x->matrix[0], 1);
    struct args *a = d ? make_args(req, x->matrix[0], ORR_ON_CPU, 0) : NULL;
    int accepted = 0;
    if (a) {
        int count = 0;
        a->matrices = x->matrices;
        orr_cost(&a->task, x->matrices * r->blocks, x->matrices * r->blocks);
        d[count++] = (struct starpu_data_descr){r->measure[x->step % 2], STARPU_W};
        for (int64_t i = 0; i < handles; i++)
            d[count++] = (struct starpu_data_descr){r->seen[x->step % 2 * handles + i], STARPU_R};
        accepted =
            orr_submit(a, sizeof *a, measure_codelet, prio, STARPU_DATA_MODE_ARRAY, d, count);
    }
    free(d);
    return accepted;
}
