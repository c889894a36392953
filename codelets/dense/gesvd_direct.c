/* gesvd as one task. CPU only.
 *
 *   direct    A RW (s, u and v are in main memory)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_direct.h"

#include "codelets/core/task.h"
#include "codelets/dense/gesvd.h"

struct args {
    struct orr_task task;
    struct orr_bidiagonal b;
    orr_gesvd_direct g;
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

ORR_CODELETS(direct, "gesvd_direct", ORR_SDCZ, ORR_CPU, STARPU_RW);

/* Units of k^2 max(m, n), about what values take: products of a matrix and a vector decide, whose
 * calls cost as much as hundreds of rows. */
static double work(int64_t m, int64_t n, int vectors)
{
    enum { CALLS = 500 };
    const double k = (double)(m < n ? m : n), most = (double)(m < n ? n : m);
    return (vectors ? 3 : 1) * k * k * (most + CALLS);
}

void orr_insert_gesvd_direct(struct orr_request *req, const struct orr_bidiagonal *b,
                             const struct orr_gesvd_user *x)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return;
    a->task.parts = b->parts;
    a->b = *b;
    a->g = (orr_gesvd_direct){.type = b->type,
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
    orr_cost(&a->task, work(x->m, x->n, x->u || x->v), x->m, x->n, x->u || x->v);
    if (req->here)
        orr_run_here(a, direct);
    else
        orr_submit(a, sizeof *a, &direct_codelet[b->type], 0, STARPU_RW, x->A);
}
