/* Steps of PageRank as tasks.
 *
 *   step     A, before R; partial W; znew RW; d R; [p R]; the parts of z R
 *   steps    A, before R; out W; z, znew RW; d R; [p R]: several steps on the only block
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/sparse/powm_args.h"
#include "kernels/powm_combine.h"

struct args {
    struct orr_task task;
    struct orr_powm_place place;
    struct orr_pagerank_rule rule;
    int p; /* 1: there is a buffer for it */
    int64_t steps;
    orr_powm_combine_args combine;
};

static orr_pagerank_rule kernel_rule(const struct orr_pagerank_rule *r)
{
    return (orr_pagerank_rule){
        .alpha = r->alpha, .dangling = r->dangling, .personal = r->personal, .n = r->n};
}

static void step(void **buf, void *arg)
{
    struct args *a = arg;
    const orr_powm_scalars *before = ORR_PTR(1);
    void *copy;
    if (orr_request_failed(a->task.req))
        return;
    if (before->state != ORR_POWM_RUN) {
        a->task.idle = 1;
        memset(ORR_PTR(2), 0, sizeof(orr_powm_partial));
        return;
    }
    const orr_pagerank_rule rule = kernel_rule(&a->rule);
    const orr_pagerank_step_args g = orr_pagerank_next_step(&rule, before);
    const void *z = orr_powm_whole(&a->place, buf + 5 + a->p, &copy);
    const orr_status st =
        z ? orr_pagerank_step_cpu[a->place.type](&g, ORR_PTR(0), z, ORR_PTR(4),
                                                 a->p ? ORR_PTR(5) : NULL, ORR_PTR(3), ORR_PTR(2))
          : ORR_E_NOMEM;
    orr_task_check(a, st, "pagerank_step");
    free(copy);
}

#ifdef ORR_WITH_CUDA
static void step_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    const orr_pagerank_rule rule = kernel_rule(&a->rule);
    orr_powm_pieces z;
    if (orr_request_failed(a->task.req))
        return;
    const orr_powm_there here = orr_powm_here(&a->place, ORR_PTR(0));
    void *arrays = orr_powm_pieces_make(&a->place, buf + 5 + a->p, &z);
    const orr_status st = arrays ? orr_pagerank_step_cuda[a->place.type](
                                       &here, &rule, ORR_PTR(1), &z, ORR_PTR(4),
                                       a->p ? ORR_PTR(5) : NULL, ORR_PTR(3), ORR_PTR(2))
                                 : ORR_E_NOMEM;
    orr_task_check(a, st, "pagerank_step");
    free(arrays);
}
#endif

/* The same steps as one by one, bit for bit: the scalars stay in this task. CPUs want the vectors
 * in main memory, where zeros stand behind them. */
static void steps(void **buf, void *arg)
{
    const struct args *a = arg;
    orr_powm_scalars *out = ORR_PTR(2), s[2];
    void *z[2] = {ORR_PTR(3), ORR_PTR(4)};
    const orr_pagerank_rule rule = kernel_rule(&a->rule);
    orr_status st = ORR_OK;
    int64_t k = 0;
    s[0] = *(const orr_powm_scalars *)ORR_PTR(1);
    for (; k < a->steps && s[k % 2].state == ORR_POWM_RUN && st == ORR_OK; k++) {
        const orr_pagerank_step_args g = orr_pagerank_next_step(&rule, &s[k % 2]);
        orr_powm_partial part;
        const orr_powm_partial *const parts[1] = {&part};
        if (orr_request_failed(a->task.req))
            s[k % 2].state = ORR_POWM_BAD;
        st = orr_pagerank_step_cpu[a->place.type](&g, ORR_PTR(0), z[k % 2], ORR_PTR(5),
                                                  a->p ? ORR_PTR(6) : NULL, z[(k + 1) % 2], &part);
        if (st != ORR_OK)
            orr_request_fail(a->task.req, st, "pagerank_steps");
        else
            orr_powm_combine(&a->combine, parts, 1, &s[k % 2], &s[(k + 1) % 2]);
    }
    *out = s[k % 2];
    if (st != ORR_OK)
        out->state = ORR_POWM_BAD;
}

#ifdef ORR_WITH_CUDA
static void steps_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    const orr_pagerank_rule rule = kernel_rule(&a->rule);
    void *const z[2] = {ORR_PTR(3), ORR_PTR(4)};
    if (orr_request_failed(a->task.req))
        return;
    const orr_powm_there here = orr_powm_here(&a->place, ORR_PTR(0));
    orr_task_check(a,
                   orr_pagerank_steps_cuda[a->place.type](&here, &rule, &a->combine, a->steps,
                                                          ORR_PTR(1), ORR_PTR(5),
                                                          a->p ? ORR_PTR(6) : NULL, z, ORR_PTR(2)),
                   "pagerank_steps");
}
#endif

ORR_CODELETS(step, "pagerank_step", ORR_SD, ORR_CPU_CUDA);
ORR_CODELETS(steps, "pagerank_steps", ORR_SD, ORR_CPU_CUDA_ONLY);

int orr_insert_pagerank_steps(struct orr_request *req, int prio, const struct orr_powm_matrix *m,
                              const struct orr_pagerank_rule *rule,
                              const struct orr_powm_rule *stop, int64_t count,
                              starpu_data_handle_t before, starpu_data_handle_t z,
                              starpu_data_handle_t dh, starpu_data_handle_t p,
                              starpu_data_handle_t znew, starpu_data_handle_t out)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ANYWHERE);
    if (!a)
        return 0;
    a->task.parts = count;
    a->place = orr_powm_place_of(m, 0);
    orr_powm_cost(&a->task, &a->place, count);
    a->rule = *rule;
    a->p = p != NULL;
    a->steps = count;
    a->combine = (orr_powm_combine_args){.tol = stop->tol, .pagerank = 1, .steps = stop->steps};
    struct starpu_data_descr d[] = {{m->A[0], STARPU_R}, {before, STARPU_R}, {out, STARPU_W},
                                    {z, STARPU_RW},      {znew, STARPU_RW},  {dh, STARPU_R},
                                    {p, STARPU_R}};
    return orr_submit(a, sizeof *a, &steps_codelet[m->type], prio, STARPU_DATA_MODE_ARRAY, d,
                      6 + (p != NULL));
}

void orr_insert_pagerank_step(struct orr_request *req, int prio, const struct orr_powm_matrix *m,
                              int64_t b, const struct orr_pagerank_rule *rule,
                              starpu_data_handle_t before, const starpu_data_handle_t *z,
                              starpu_data_handle_t dh, starpu_data_handle_t p,
                              starpu_data_handle_t znew, starpu_data_handle_t partial)
{
    struct orr_buffers d;
    struct args *a = orr_task_args(req, sizeof *a, ORR_ANYWHERE);
    if (!a)
        return;
    a->place = orr_powm_place_of(m, b);
    orr_powm_cost(&a->task, &a->place, 1);
    a->task.owner = a->place.owner;
    a->rule = *rule;
    a->p = p != NULL;
    if (!orr_buffers_make(req, &d, a->place.parts + 6)) {
        free(a);
        return;
    }
    orr_buffers_add(&d, m->A[b], STARPU_R);
    orr_buffers_add(&d, before, STARPU_R);
    orr_buffers_add(&d, partial, STARPU_W);
    orr_buffers_add(&d, znew, STARPU_RW);
    orr_buffers_add(&d, dh, STARPU_R);
    if (p)
        orr_buffers_add(&d, p, STARPU_R);
    orr_powm_buffers_add_x(&d, m, b, z);
    orr_submit(a, sizeof *a, &step_codelet[m->type], prio, STARPU_DATA_MODE_ARRAY, d.d, d.n);
    free(d.d);
}
