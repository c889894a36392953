/* The vector work and the small problems of a Krylov iteration as tasks.
 *
 *   dot        state, x, y R; V RW; part W
 *   update     state, V R; y RW; part W
 *   reduce     state RW; the parts R
 *   rayleigh   state RW                       (CPU: LAPACK)
 *   restart    state R; V RW
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>

#include "codelets/core/least.h"
#include "codelets/sparse/powm_args.h"
#include "kernels/powm_krylov.h"

struct args {
    struct orr_task task;
    orr_type type;
    orr_krylov_args kernel;
    int64_t blocks;
    int columns, last; /* rayleigh */
};

static int idle(struct args *a, const orr_krylov_state *s)
{
    a->task.idle = !orr_krylov_active(s, a->kernel.j, a->kernel.fresh);
    return orr_request_failed(a->task.req) || a->task.idle;
}

static void dot(void **buf, void *arg)
{
    struct args *a = arg;
    if (!idle(a, ORR_PTR(0)))
        orr_task_check(a,
                       orr_krylov_dot_cpu[a->type](&a->kernel, ORR_PTR(0), ORR_PTR(3), ORR_PTR(1),
                                                   ORR_PTR(2), ORR_PTR(4)),
                       "krylov_dot");
}

static void update(void **buf, void *arg)
{
    struct args *a = arg;
    if (!idle(a, ORR_PTR(0)))
        orr_task_check(a,
                       orr_krylov_update_cpu[a->type](&a->kernel, ORR_PTR(0), ORR_PTR(1),
                                                      ORR_PTR(2), ORR_PTR(3)),
                       "krylov_update");
}

static void reduce(void **buf, void *arg)
{
    const struct args *a = arg;
    const double eps = a->type == ORR_S || a->type == ORR_C ? FLT_EPSILON : DBL_EPSILON;
    const void **parts = malloc((size_t)a->blocks * sizeof *parts);
    if (!parts)
        orr_task_check(a, ORR_E_NOMEM, "krylov_reduce");
    for (int64_t b = 0; parts && b < a->blocks; b++)
        parts[b] = ORR_PTR(1 + b);
    if (parts && !orr_request_failed(a->task.req))
        orr_krylov_reduce(&a->kernel, eps, parts, a->blocks, ORR_PTR(0));
    free(parts);
}

static void rayleigh(void **buf, void *arg)
{
    const struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        orr_task_check(a, orr_krylov_rayleigh(a->columns, a->last, ORR_PTR(0)), "krylov_rayleigh");
}

static void restart(void **buf, void *arg)
{
    const struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        orr_task_check(a, orr_krylov_restart_cpu[a->type](a->kernel.rows, ORR_PTR(0), ORR_PTR(1)),
                       "krylov_restart");
}

/* ---- Codelets ------------------------------------------------------------------------------ */

ORR_CODELETS(dot, "krylov_dot", ORR_SDCZ, ORR_CPU_OPENCL, STARPU_R, STARPU_R, STARPU_R, STARPU_RW,
             STARPU_W);
ORR_CODELETS(update, "krylov_update", ORR_SDCZ, ORR_CPU_OPENCL, STARPU_R, STARPU_R, STARPU_RW,
             STARPU_W);
ORR_CODELETS(restart, "krylov_restart", ORR_SDCZ, ORR_CPU_OPENCL, STARPU_R, STARPU_RW);
ORR_CODELETS(reduce, "krylov_reduce", ORR_UNTYPED, ORR_CPU_OPENCL);
ORR_CODELETS(rayleigh, "krylov_rayleigh", ORR_UNTYPED, ORR_CPU, STARPU_RW);

static struct args *make(struct orr_request *req, enum orr_where where, orr_type type, int64_t rows,
                         int j)
{
    struct args *a = orr_task_args(req, sizeof *a, where);
    if (a) {
        a->type = type;
        a->kernel.rows = rows;
        a->kernel.j = j;
        /* the basis vectors up to this one; x, y and the task itself cost as much as ten more */
        orr_cost(&a->task, rows * (j + 10), rows, orr_cost_class(j + 10));
    }
    return a;
}

void orr_insert_krylov_dot(struct orr_request *req, int prio, const struct orr_krylov_block *b,
                           int j, starpu_data_handle_t state, starpu_data_handle_t x,
                           starpu_data_handle_t y, starpu_data_handle_t part)
{
    struct args *a = make(req, ORR_ANYWHERE, b->type, b->rows, j);
    if (a)
        orr_submit(a, sizeof *a, &dot_codelet[b->type], prio, STARPU_R, state, STARPU_R, x,
                   STARPU_R, y, STARPU_RW, b->V, STARPU_W, part);
}

void orr_insert_krylov_update(struct orr_request *req, int prio, const struct orr_krylov_block *b,
                              int j, int pass, int fresh, starpu_data_handle_t state,
                              starpu_data_handle_t y, starpu_data_handle_t part)
{
    struct args *a = make(req, ORR_ANYWHERE, b->type, b->rows, j);
    if (!a)
        return;
    a->kernel.pass = pass;
    a->kernel.fresh = fresh;
    /* The basis is read for the products, to subtract, or for both. The second time that is
     * seldom needed: what remains is the norm. */
    const int64_t norm = orr_is_complex(b->type) ? 6 : 12;
    const int64_t vectors = norm + (pass == 1 ? 2 * j : pass == 0 || fresh ? j : 0);
    orr_cost(&a->task, b->rows * vectors, b->rows, orr_cost_class(vectors), pass, fresh);
    orr_submit(a, sizeof *a, &update_codelet[b->type], prio, STARPU_R, state, STARPU_R, b->V,
               STARPU_RW, y, STARPU_W, part);
}

void orr_insert_krylov_reduce(struct orr_request *req, int prio, orr_type type, int j, int phase,
                              int fresh, const starpu_data_handle_t *parts, int64_t blocks,
                              starpu_data_handle_t state)
{
    struct orr_buffers d;
    struct args *a = make(req, ORR_ANYWHERE, type, 0, j);
    if (!a)
        return;
    if (!orr_buffers_make(req, &d, blocks + 1)) {
        free(a);
        return;
    }
    a->task.parts = phase == 3;
    a->kernel.phase = phase;
    a->kernel.fresh = fresh;
    a->blocks = blocks;
    orr_cost(&a->task, blocks * (j + 1), orr_cost_class(blocks * (j + 1)), phase);
    orr_buffers_add(&d, state, STARPU_RW);
    for (int64_t b = 0; b < blocks; b++)
        orr_buffers_add(&d, parts[b], STARPU_R);
    orr_submit(a, sizeof *a, reduce_codelet, prio, STARPU_DATA_MODE_ARRAY, d.d, d.n);
    free(d.d);
}

int orr_insert_krylov_rayleigh(struct orr_request *req, int prio, orr_type type, int columns,
                               int last, starpu_data_handle_t state)
{
    struct args *a = make(req, ORR_ON_CPU, type, 0, 0);
    if (!a)
        return 0;
    a->columns = columns;
    a->last = last;
    return orr_submit(a, sizeof *a, rayleigh_codelet, prio, STARPU_RW, state);
}

void orr_insert_krylov_restart(struct orr_request *req, int prio, const struct orr_krylov_block *b,
                               starpu_data_handle_t state)
{
    struct args *a = make(req, ORR_ANYWHERE, b->type, b->rows, 0);
    if (a)
        orr_submit(a, sizeof *a, &restart_codelet[b->type], prio, STARPU_R, state, STARPU_RW, b->V);
}

/* ---- What the host sees -------------------------------------------------------------------- */

size_t orr_powm_krylov_bytes(orr_type type, int64_t n, int m, int k)
{
    return (size_t)orr_krylov_start(type, n, m, k, 0, 0, 0, NULL);
}

void orr_powm_krylov_first(orr_type type, int64_t n, int m, int k, int hermitian,
                           orr_powm_which which, double tol, void *state)
{
    static const enum orr_krylov_which of[] = {
        [ORR_POWM_LM] = ORR_KRYLOV_LM, [ORR_POWM_LA] = ORR_KRYLOV_LA, [ORR_POWM_SA] = ORR_KRYLOV_SA};
    orr_krylov_start(type, n, m, k, hermitian, of[which], tol, state);
}

struct orr_powm_krylov_seen orr_powm_krylov_look(const void *state)
{
    const orr_krylov_state *s = state;
    return (struct orr_powm_krylov_seen){.start = s->start,
                                         .stop = s->stop,
                                         .done = s->done,
                                         .converged = s->converged,
                                         .columns = s->columns,
                                         .fresh = s->fresh,
                                         .largest = s->largest,
                                         .values = orr_krylov_array(s, s->values),
                                         .estimates = orr_krylov_array(s, s->estimates)};
}
