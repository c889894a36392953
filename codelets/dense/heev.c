/* The tasks of heev that are neither he2hb's nor hb2st's.
 *
 *   count     T R (what it finds is in main memory)
 *   values    T R (d and e; w is in main memory, and each task has a part of its own)
 *   vectors   T RW, S W
 *   place     E W, S R; or E W, order R, the pieces of S R
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev.h"

#include "codelets/dense/heev.h"
#include "codelets/band/hb2st_args.h"
#include "codelets/core/task.h"
#include "codelets/dense/merge_tree.h"

struct args {
    struct orr_task task;
    struct orr_tridiagonal t;
    int64_t first, columns, lde; /* of E */
    int64_t from, count;         /* of w */
    int64_t pieces, width;       /* of the vectors in another order; 0: S has them */
};

static void count(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct orr_tridiagonal *t = &a->t;
    (void)buf;
    if (orr_request_failed(a->task.req))
        return;
    orr_solver_begin(&t->solver);
    orr_heev_count_cpu[t->type](t->n, t->scale, t->d, t->e, t->low, t->high, &t->found[0],
                                &t->found[1]);
    orr_solver_end(&t->solver, a->task.req, ORR_OK, "heev_count");
}

static void values(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct orr_tridiagonal *t = &a->t;
    (void)buf;
    if (orr_request_failed(a->task.req))
        return;
    orr_solver_begin(&t->solver);
    const size_t real = orr_real_size(t->type);
    const orr_status st =
        orr_heev_values_cpu[t->type](t->n, t->scale, t->d, t->e, t->first + a->from, a->count,
                                     (char *)t->w + (size_t)a->from * real);
    orr_solver_end(&t->solver, a->task.req, st, "heev_values");
}

static void vectors(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct orr_tridiagonal *t = &a->t;
    if (orr_request_failed(a->task.req))
        return;
    orr_solver_begin(&t->solver);
    const orr_status st =
        t->count == t->n
            ? orr_heev_vectors_cpu[t->type](t->n, t->scale, t->d, t->e, t->w, ORR_PTR(1))
            : orr_heev_some_cpu[t->type](t->n, t->scale, t->d, t->e, t->first, t->count, t->w,
                                         ORR_PTR(1));
    orr_solver_end(&t->solver, a->task.req, st, "heev_vectors");
}

static void place_by(void **buf, void *arg, orr_vectors_place_fn *const *kernel, orr_stream stream)
{
    const struct args *a = arg;
    if (orr_request_failed(a->task.req) || atomic_load(a->t.solver.failed))
        return;
    orr_task_settle(&a->task);
    if (a->first == 0)
        atomic_store(a->t.solver.ended, orr_now());
    const orr_vectors s =
        orr_merge_vectors_of(buf + (a->pieces ? 2 : 1), a->pieces, a->width, a->t.count);
    const orr_vectors_columns p = {.n = a->t.n, .rows = a->t.n, .first = a->first, .k = a->columns};
    orr_task_check(
        a,
        kernel[a->t.type](stream, &p, a->pieces ? ORR_PTR(1) : NULL, &s, NULL, ORR_PTR(0), a->lde),
        "heev_place");
}

ORR_CPU_AND_CUDA(place, orr_vectors_place_cpu, orr_vectors_place_cuda)

ORR_CODELETS(count, "heev_count", ORR_SDCZ, ORR_CPU, STARPU_R);
ORR_CODELETS(values, "heev_values", ORR_SDCZ, ORR_CPU, STARPU_R);
ORR_CODELETS(vectors, "heev_vectors", ORR_SDCZ, ORR_CPU, STARPU_RW, STARPU_W);
ORR_CODELETS(place, "heev_place", ORR_SDCZ, ORR_CPU_CUDA);

static struct args *make_args(struct orr_request *req, const struct orr_tridiagonal *t,
                              enum orr_where where)
{
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (!a)
        return NULL;
    a->t = *t;
    return a;
}

int64_t orr_heev_values_at_once(int64_t n)
{
    enum { GROUPS = 64, WORK = 100000 }; /* a multiple of what the kernel does at once */
    return n <= ORR_HEEV_QL ? n : (WORK / n + GROUPS) / GROUPS * GROUPS;
}

const char *orr_heev_values_method(int64_t n) { return n <= ORR_HEEV_QL ? "sterf" : "bisection"; }

void orr_heev_ascend(const struct orr_tridiagonal *t, int64_t count)
{
    orr_heev_ascend_cpu[t->type](count, t->w);
    if (t->found)
        orr_heev_confine_cpu[t->type](count, t->low, t->high, t->w);
}

void orr_insert_heev_count(struct orr_request *req, int prio, const struct orr_tridiagonal *t)
{
    struct args *a = make_args(req, t, ORR_ON_CPU);
    if (!a)
        return;
    orr_cost(&a->task, t->n, t->n);
    orr_submit(a, sizeof *a, &count_codelet[t->type], prio, STARPU_R, t->T);
}

void orr_insert_heev_values(struct orr_request *req, int prio, const struct orr_tridiagonal *t,
                            int64_t from, int64_t count)
{
    struct args *a = make_args(req, t, ORR_ON_CPU);
    if (!a)
        return;
    a->from = from;
    a->count = count;
    a->task.parts = t->parts * (from + count) / t->count - t->parts * from / t->count;
    orr_cost(&a->task, t->n * count, t->n, count);
    if (req->here)
        orr_run_here(a, values);
    else
        orr_submit(a, sizeof *a, &values_codelet[t->type], prio, STARPU_R, t->T);
}

void orr_insert_heev_vectors(struct orr_request *req, int prio, const struct orr_tridiagonal *t)
{
    struct args *a = make_args(req, t, ORR_ON_CPU);
    if (!a)
        return;
    const double n = (double)t->n;
    a->task.parts = t->parts;
    orr_cost(&a->task, t->count == t->n ? n * n * n : 60 * n * (double)t->count, t->n, t->count);
    orr_submit(a, sizeof *a, &vectors_codelet[t->type], prio, STARPU_RW, t->T, STARPU_W, t->S);
}

void orr_insert_heev_place(struct orr_request *req, int prio, const struct orr_tridiagonal *t,
                           const struct orr_merge_tasks *merge, int64_t first,
                           const struct orr_hb2st_panel *p)
{
    struct orr_merge_vectors s = {0};
    if (merge)
        s = orr_merge_vectors(merge, 0);
    struct starpu_data_descr data[2 + s.pieces];
    struct orr_buffers d = {.d = data};
    struct args *a = make_args(req, t, orr_merge_place(&s, p));
    if (!a)
        return;
    a->task.owner = p->owner;
    a->task.home = p->home;
    a->first = first;
    a->columns = p->k;
    a->lde = p->lde;
    a->pieces = s.pieces;
    a->width = s.width;
    orr_cost(&a->task, t->n * p->k, t->n, p->k);
    orr_buffers_add(&d, p->E, p->lde == p->rows ? STARPU_W : STARPU_RW);
    orr_buffers_add(&d, merge ? s.order : t->S, STARPU_R);
    orr_buffers_add_all(&d, s.piece, s.pieces, STARPU_R);
    orr_submit(a, sizeof *a, &place_codelet[t->type], prio, STARPU_DATA_MODE_ARRAY, d.d, d.n);
}
