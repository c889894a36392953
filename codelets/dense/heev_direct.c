/* heev as one task. CPU only.
 *
 *   direct    A RW (w and z are in main memory)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_direct.h"

#include "codelets/core/task.h"
#include "codelets/dense/heev.h"

struct args {
    struct orr_task task;
    struct orr_tridiagonal t;
    orr_heev_direct g;
};

static void direct(void **buf, void *arg)
{
    const struct args *a = arg;
    (void)buf; /* A is in main memory */
    if (orr_request_failed(a->task.req))
        return;
    struct orr_spare *spare = a->task.req->here ? a->task.req->spare : NULL;
    void *memory = orr_spare_take(spare, orr_heev_direct_bytes(&a->g));
    orr_solver_begin(&a->t.solver);
    orr_solver_end(&a->t.solver, a->task.req,
                   memory ? orr_heev_direct_cpu[a->g.type](&a->g, memory) : ORR_E_NOMEM,
                   "heev_direct");
    orr_spare_give(spare, memory);
}

ORR_CODELETS(direct, "heev_direct", ORR_SDCZ, ORR_CPU, STARPU_RW);

/* Units of n^3, about what values take: up to some hundreds products of a matrix and a vector
 * decide, whose calls cost as much as hundreds of rows. */
static double work(const struct orr_tridiagonal *t, int vectors)
{
    enum { CALLS = 900 };
    const double n = (double)t->n, part = vectors ? (double)t->count / (double)t->n : 0;
    return (1 + part) * n * n * (n + CALLS);
}

void orr_insert_heev_direct(struct orr_request *req, const struct orr_tridiagonal *t, int upper,
                            starpu_data_handle_t A, const void *a_, int64_t lda, void *z,
                            int64_t ldz)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return;
    a->task.parts = t->parts;
    a->t = *t;
    a->g = (orr_heev_direct){.type = t->type,
                             .upper = upper,
                             .n = t->n,
                             .lda = lda,
                             .first = t->first,
                             .count = t->count,
                             .ldz = ldz,
                             .scale = t->scale,
                             .low = t->low,
                             .high = t->high,
                             .found = t->found,
                             .a = a_,
                             .w = t->w,
                             .z = z};
    orr_cost(&a->task, work(t, z != NULL), t->n, z ? t->count : 0);
    if (req->here)
        orr_run_here(a, direct);
    else
        orr_submit(a, sizeof *a, &direct_codelet[t->type], 0, STARPU_RW, A);
}
