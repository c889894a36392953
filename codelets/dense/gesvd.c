/* The tasks of gesvd that are neither ge2gb's nor gb2bd's.
 *
 *   values    B RW
 *   piece     B R (d and e; s is in main memory, and each task has a part of its own)
 *   vectors   B RW, X[0] W, X[1] W
 *   place     E W, X[side] R; or E W, order R, the pieces of a side R; then phases R
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd.h"

#include "codelets/band/hb2st_args.h"
#include "codelets/core/task.h"
#include "codelets/dense/gesvd.h"
#include "codelets/dense/merge_tree.h"

struct args {
    struct orr_task task;
    struct orr_bidiagonal b;
    int64_t from, count; /* of s */
    orr_vectors_columns columns;
    int64_t lde;
    int64_t pieces, width; /* of the vectors in another order; 0: X has them */
    int phases;
};

static void values(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct orr_bidiagonal *b = &a->b;
    (void)buf; /* d and e are in main memory */
    if (orr_request_failed(a->task.req))
        return;
    orr_solver_begin(&b->solver);
    orr_solver_end(&b->solver, a->task.req,
                   orr_gesvd_values_cpu[b->type](b->n, b->scale, b->d, b->e), "gesvd_values");
}

static void piece(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct orr_bidiagonal *b = &a->b;
    (void)buf;
    if (orr_request_failed(a->task.req))
        return;
    orr_solver_begin(&b->solver);
    const orr_status st =
        orr_gesvd_piece_cpu[b->type](b->n, b->scale, b->d, b->e, a->from, a->count,
                                     (char *)b->s + (size_t)a->from * orr_real_size(b->type));
    orr_solver_end(&b->solver, a->task.req, st, "gesvd_piece");
}

static void vectors(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct orr_bidiagonal *b = &a->b;
    if (orr_request_failed(a->task.req))
        return;
    orr_solver_begin(&b->solver);
    const orr_status st =
        orr_gesvd_vectors_cpu[b->type](b->n, b->scale, b->d, b->e, ORR_PTR(1), ORR_PTR(2));
    orr_solver_end(&b->solver, a->task.req, st, "gesvd_vectors");
}

static void place_by(void **buf, void *arg, orr_vectors_place_fn *const *kernel, orr_stream stream)
{
    const struct args *a = arg;
    if (orr_request_failed(a->task.req) || atomic_load(a->b.solver.failed))
        return;
    orr_task_settle(&a->task);
    if (a->columns.first == 0)
        atomic_store(a->b.solver.ended, orr_now());
    const orr_vectors x =
        orr_merge_vectors_of(buf + (a->pieces ? 2 : 1), a->pieces, a->width, a->b.n);
    orr_task_check(a,
                   kernel[a->b.type](stream, &a->columns, a->pieces ? ORR_PTR(1) : NULL, &x,
                                     a->phases ? ORR_PTR(2 + a->pieces) : NULL, ORR_PTR(0), a->lde),
                   "gesvd_place");
}

ORR_CPU_AND_CUDA(place, orr_vectors_place_cpu, orr_vectors_place_cuda)

ORR_CODELETS(values, "gesvd_values", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(piece, "gesvd_piece", ORR_SDCZ, ORR_CPU, STARPU_R);
ORR_CODELETS(vectors, "gesvd_vectors", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(place, "gesvd_place", ORR_SDCZ, ORR_CPU_CUDA);

static struct args *make_args(struct orr_request *req, const struct orr_bidiagonal *b,
                              enum orr_where where)
{
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (!a)
        return NULL;
    a->b = *b;
    return a;
}

void orr_insert_gesvd_values(struct orr_request *req, int prio, const struct orr_bidiagonal *b)
{
    struct args *a = make_args(req, b, ORR_ON_CPU);
    if (!a)
        return;
    a->task.parts = b->parts;
    orr_cost(&a->task, b->n * b->n, b->n);
    orr_submit(a, sizeof *a, &values_codelet[b->type], prio, STARPU_RW, b->B);
}

int64_t orr_gesvd_at_once(int64_t n)
{
    enum { GROUPS = 64, WORK = 60000 }; /* a multiple of what the kernel does at once */
    return (WORK / n + GROUPS) / GROUPS * GROUPS;
}

void orr_gesvd_descend(const struct orr_bidiagonal *b)
{
    orr_gesvd_descend_cpu[b->type](b->n, b->s);
}

void orr_insert_gesvd_piece(struct orr_request *req, int prio, const struct orr_bidiagonal *b,
                            int64_t from, int64_t count)
{
    struct args *a = make_args(req, b, ORR_ON_CPU);
    if (!a)
        return;
    a->from = from;
    a->count = count;
    a->task.parts = b->parts / b->n * count + (from + count == b->n ? b->parts % b->n : 0);
    orr_cost(&a->task, b->n * count, b->n, count);
    orr_submit(a, sizeof *a, &piece_codelet[b->type], prio, STARPU_R, b->B);
}

void orr_insert_gesvd_vectors(struct orr_request *req, int prio, const struct orr_bidiagonal *b)
{
    struct args *a = make_args(req, b, ORR_ON_CPU);
    if (!a)
        return;
    a->task.parts = b->parts;
    orr_cost(&a->task, (double)b->n * (double)b->n * (double)b->n, b->n);
    orr_submit(a, sizeof *a, &vectors_codelet[b->type], prio, STARPU_RW, b->B, STARPU_W, b->X[0],
               STARPU_W, b->X[1]);
}

void orr_insert_gesvd_place(struct orr_request *req, int prio, const struct orr_bidiagonal *b,
                            int side, const struct orr_merge_tasks *tasks, int64_t first,
                            starpu_data_handle_t phases, const struct orr_hb2st_panel *p)
{
    struct orr_merge_vectors x = {0};
    if (tasks)
        x = orr_merge_vectors(tasks, side);
    struct starpu_data_descr data[3 + x.pieces];
    struct orr_buffers d = {.d = data};
    struct args *a = make_args(req, b, orr_merge_place(&x, p));
    if (!a)
        return;
    a->task.home = p->home;
    a->columns = (orr_vectors_columns){
        .n = b->n, .rows = p->rows, .first = first, .k = p->k, .by_rows = side && !tasks};
    a->lde = p->lde;
    a->pieces = x.pieces;
    a->width = x.width;
    a->phases = phases != NULL;
    orr_cost(&a->task, p->rows * p->k, b->n, p->rows, p->k, side);
    orr_buffers_add(&d, p->E, p->lde == p->rows ? STARPU_W : STARPU_RW);
    orr_buffers_add(&d, tasks ? x.order : b->X[side], STARPU_R);
    orr_buffers_add_all(&d, x.piece, x.pieces, STARPU_R);
    if (phases)
        orr_buffers_add(&d, phases, STARPU_R);
    orr_submit(a, sizeof *a, &place_codelet[b->type], prio, STARPU_DATA_MODE_ARRAY, d.d, d.n);
}
