/* gesvd without stages: as one task, or, where each side's vectors may have a worker, as three. CPU
 * only; A, s, u, v and the workspace are in main memory.
 *
 *   direct    A RW
 *
 *   begin     A RW, done W    the values, and what the vectors are made from
 *   side      done R          the vectors of one side; twice, at the same time
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_direct.h"

#include <stdlib.h>

#include "codelets/core/task.h"
#include "codelets/dense/gesvd.h"

struct args {
    struct orr_task task;
    struct orr_bidiagonal b;
    orr_gesvd_direct g;
    struct orr_gesvd_apart *apart;
    int side;
};

struct orr_gesvd_apart {
    void *memory;
    starpu_data_handle_t done;
    char unused; /* what the handle stands for */
};

static void direct(void **buf, void *arg)
{
    struct args *a = arg;
    (void)buf; /* A is in main memory */
    if (orr_request_failed(a->task.req))
        return;
    struct orr_spare *spare = a->task.req->here ? a->task.req->spare : NULL;
    void *memory = orr_spare_take(spare, orr_gesvd_direct_bytes(&a->g));
    orr_solver_begin(&a->b.solver);
    orr_solver_end(&a->b.solver, a->task.req,
                   memory ? orr_gesvd_direct_cpu[a->g.type](&a->g, memory) : ORR_E_NOMEM,
                   "gesvd_direct");
    orr_spare_give(spare, memory);
}

static void begin(void **buf, void *arg)
{
    const struct args *a = arg;
    (void)buf;
    if (orr_request_failed(a->task.req))
        return;
    orr_solver_begin(&a->b.solver);
    orr_solver_end(&a->b.solver, a->task.req, orr_gesvd_begin(&a->g, a->apart->memory),
                   "gesvd_begin");
}

static void side(void **buf, void *arg)
{
    const struct args *a = arg;
    (void)buf;
    if (!orr_request_failed(a->task.req) && !atomic_load(a->b.solver.failed))
        orr_gesvd_side(&a->g, a->side, a->apart->memory);
}

ORR_CODELETS(direct, "gesvd_direct", ORR_SDCZ, ORR_CPU, STARPU_RW);
ORR_CODELETS(begin, "gesvd_begin", ORR_SDCZ, ORR_CPU, STARPU_RW, STARPU_W);
ORR_CODELETS(side, "gesvd_side", ORR_SDCZ, ORR_CPU, STARPU_R);

/* Units of k^2 max(m, n), about what values take: products of a matrix and a vector decide, whose
 * calls cost as much as hundreds of rows. */
static double work(int64_t m, int64_t n, int vectors)
{
    enum { CALLS = 500 };
    const double k = (double)(m < n ? m : n), most = (double)(m < n ? n : m);
    return (vectors ? 3 : 1) * k * k * (most + CALLS);
}

static orr_gesvd_direct problem(const struct orr_bidiagonal *b, const struct orr_gesvd_user *x)
{
    return (orr_gesvd_direct){.type = b->type,
                              .m = x->m,
                              .n = x->n,
                              .lda = x->lda,
                              .ldu = x->ldu,
                              .ldv = x->ldv,
                              .scale = b->scale,
                              .a = x->a,
                              .s = b->d,
                              .u = x->u,
                              .v = x->v};
}

static struct args *make_args(struct orr_request *req, const struct orr_bidiagonal *b,
                              const orr_gesvd_direct *g, int64_t parts)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return NULL;
    a->task.parts = parts;
    a->b = *b;
    a->g = *g;
    return a;
}

void orr_insert_gesvd_direct(struct orr_request *req, const struct orr_bidiagonal *b,
                             const struct orr_gesvd_user *x)
{
    const orr_gesvd_direct g = problem(b, x);
    struct args *a = make_args(req, b, &g, b->parts);
    if (!a)
        return;
    orr_cost(&a->task, work(x->m, x->n, x->u || x->v), x->m, x->n, x->u || x->v);
    if (req->here)
        orr_run_here(a, direct);
    else
        orr_submit(a, sizeof *a, &direct_codelet[b->type], 0, STARPU_RW, x->A);
}

int orr_gesvd_may_come_apart(const struct orr_bidiagonal *b, const struct orr_gesvd_user *x)
{
    const orr_gesvd_direct g = problem(b, x);
    return orr_gesvd_comes_apart(&g);
}

struct orr_gesvd_apart *orr_insert_gesvd_apart(struct orr_request *req,
                                               const struct orr_bidiagonal *b,
                                               const struct orr_gesvd_user *x)
{
    orr_gesvd_direct g = problem(b, x);
    g.apart = 1;
    struct orr_gesvd_apart *apart = calloc(1, sizeof *apart);
    const size_t bytes = orr_gesvd_direct_bytes(&g);
    if (!apart || !(req->plan || (apart->memory = orr_spare_take(NULL, bytes)))) {
        orr_request_fail(req, ORR_E_NOMEM, "gesvd");
        return apart;
    }
    apart->done = orr_request_vector(req, &apart->unused, 1, 1);
    struct args *a = make_args(req, b, &g, b->parts - 2 * (b->parts / 4));
    if (!a)
        return apart;
    a->apart = apart;
    orr_cost(&a->task, work(x->m, x->n, 1) / 2, x->m, x->n);
    orr_submit(a, sizeof *a, &begin_codelet[b->type], 0, STARPU_RW, x->A, STARPU_W, apart->done);
    for (int i = 0; i < 2; i++) {
        if (!(a = make_args(req, b, &g, b->parts / 4)))
            return apart;
        a->apart = apart;
        a->side = i;
        orr_cost(&a->task, work(x->m, x->n, 1) / 4, x->m, x->n, i);
        orr_submit(a, sizeof *a, &side_codelet[b->type], 0, STARPU_R, apart->done);
    }
    return apart;
}

void orr_gesvd_apart_drop(struct orr_gesvd_apart *apart)
{
    if (apart)
        orr_spare_give(NULL, apart->memory);
    free(apart);
}
