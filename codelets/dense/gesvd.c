/* The tasks of gesvd that are neither ge2gb's nor gb2bd's. CPU only.
 *
 *   values    B RW
 *   piece     B R (d and e; s is in main memory, and each task has a part of its own)
 *   vectors   B RW, X[0] W, X[1] W
 *   place     E RW, X[side] R, phases R
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd.h"

#include "codelets/band/hb2st_args.h"
#include "codelets/core/task.h"
#include "codelets/dense/gesvd.h"

struct args {
    struct orr_task task;
    struct orr_bidiagonal b;
    int64_t from, count; /* of s */
    orr_gesvd_columns columns;
    int64_t lde;
    int phases;
};

void orr_gesvd_begin(const struct orr_bidiagonal *b)
{
    double never = 0;
    atomic_compare_exchange_strong(b->begun, &never, orr_now());
}

void orr_gesvd_solved(const struct orr_bidiagonal *b, struct orr_request *req, orr_status st,
                      const char *who)
{
    if (st == ORR_NOCONV)
        atomic_store(b->failed, 1);
    if (st < 0)
        orr_request_fail(req, st, who);
    atomic_store(b->ended, orr_now());
}

static void values(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct orr_bidiagonal *b = &a->b;
    (void)buf; /* d and e are in main memory */
    if (orr_request_failed(a->task.req))
        return;
    orr_gesvd_begin(b);
    orr_gesvd_solved(b, a->task.req, orr_gesvd_values_cpu[b->type](b->n, b->scale, b->d, b->e),
                     "gesvd_values");
}

static void piece(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct orr_bidiagonal *b = &a->b;
    (void)buf;
    if (orr_request_failed(a->task.req))
        return;
    orr_gesvd_begin(b);
    const orr_status st =
        orr_gesvd_piece_cpu[b->type](b->n, b->scale, b->d, b->e, a->from, a->count,
                                     (char *)b->s + (size_t)a->from * orr_real_size(b->type));
    orr_gesvd_solved(b, a->task.req, st, "gesvd_piece");
}

static void vectors(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct orr_bidiagonal *b = &a->b;
    if (orr_request_failed(a->task.req))
        return;
    orr_gesvd_begin(b);
    const orr_status st =
        orr_gesvd_vectors_cpu[b->type](b->n, b->scale, b->d, b->e, ORR_PTR(1), ORR_PTR(2));
    orr_gesvd_solved(b, a->task.req, st, "gesvd_vectors");
}

static void place(void **buf, void *arg)
{
    const struct args *a = arg;
    if (!orr_request_failed(a->task.req) && !atomic_load(a->b.failed))
        orr_gesvd_place_cpu[a->b.type](&a->columns, ORR_PTR(1), a->phases ? ORR_PTR(2) : NULL,
                                       ORR_PTR(0), a->lde);
}

ORR_CODELETS(values, "gesvd_values", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(piece, "gesvd_piece", ORR_SDCZ, ORR_CPU, STARPU_R);
ORR_CODELETS(vectors, "gesvd_vectors", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(place, "gesvd_place", ORR_SDCZ, ORR_CPU);

static struct args *make_args(struct orr_request *req, const struct orr_bidiagonal *b)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return NULL;
    a->b = *b;
    return a;
}

void orr_insert_gesvd_values(struct orr_request *req, int prio, const struct orr_bidiagonal *b)
{
    struct args *a = make_args(req, b);
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
    struct args *a = make_args(req, b);
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
    struct args *a = make_args(req, b);
    if (!a)
        return;
    a->task.parts = b->parts;
    orr_cost(&a->task, (double)b->n * (double)b->n * (double)b->n, b->n);
    orr_submit(a, sizeof *a, &vectors_codelet[b->type], prio, STARPU_RW, b->B, STARPU_W, b->X[0],
               STARPU_W, b->X[1]);
}

void orr_insert_gesvd_place(struct orr_request *req, int prio, const struct orr_bidiagonal *b,
                            int side, const int32_t *order, int64_t first,
                            starpu_data_handle_t phases, const struct orr_hb2st_panel *p)
{
    struct args *a = make_args(req, b);
    if (!a)
        return;
    const struct starpu_data_descr data[] = {
        {p->E, STARPU_RW}, {b->X[side], STARPU_R}, {phases, STARPU_R}};
    a->columns = (orr_gesvd_columns){.n = b->n,
                                     .rows = p->rows,
                                     .first = first,
                                     .k = p->k,
                                     .order = order,
                                     .by_rows = side && !order};
    a->lde = p->lde;
    a->phases = phases != NULL;
    orr_cost(&a->task, p->rows * p->k, b->n, p->rows, p->k, side);
    orr_submit(a, sizeof *a, &place_codelet[b->type], prio, STARPU_DATA_MODE_ARRAY, data,
               phases ? 3 : 2);
}
