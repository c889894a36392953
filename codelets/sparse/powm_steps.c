/* Several steps of power iteration on a matrix of one block as one task: where a step takes less
 * than 100 us, starting a task would cost as much as its work.
 * Buffers: A, before R; out W; x_even, x_odd RW. CPUs want them in main memory, where zeros stand
 * behind x.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/sparse/powm_args.h"
#include "kernels/powm_combine.h"

struct args {
    struct orr_task task;
    struct orr_powm_place place;
    orr_powm_combine_args rule;
    int64_t k, count;
};

struct pair {
    orr_powm_scalars last, before;
};

static void run(void **buf, void *arg)
{
    const struct args *a = arg;
    struct pair p = *(const struct pair *)ORR_PTR(1);
    orr_status st = ORR_OK;
    for (int64_t k = a->k; k < a->k + a->count && st == ORR_OK; k++) {
        orr_powm_partial part = {0};
        const orr_powm_partial *const parts[1] = {&part};
        orr_powm_scalars now;
        if (orr_request_failed(a->task.req))
            p.last.state = ORR_POWM_BAD;
        if (p.before.state != ORR_POWM_RUN)
            break;
        const orr_powm_step_args g = orr_powm_next_step(&p.before, a->rule.ritz);
        st = orr_powm_step_cpu[a->place.type](&g, ORR_PTR(0), ORR_PTR(3 + k % 2),
                                              ORR_PTR(3 + (k + 1) % 2), &part);
        orr_powm_combine(&a->rule, parts, 1, &p.last, &now);
        p = (struct pair){now, p.last};
    }
    if (st != ORR_OK) {
        p.last.state = ORR_POWM_BAD;
        orr_request_fail(a->task.req, st, "powm_steps");
    }
    *(struct pair *)ORR_PTR(2) = p;
}

#ifdef ORR_WITH_CUDA
static void run_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct pair *before = ORR_PTR(1);
    struct pair *out = ORR_PTR(2);
    if (orr_request_failed(a->task.req))
        return;
    const orr_powm_there here = orr_powm_here(&a->place, ORR_PTR(0));
    void *const x[2] = {ORR_PTR(3 + a->k % 2), ORR_PTR(3 + (a->k + 1) % 2)};
    orr_task_check(
        a,
        orr_powm_steps_cuda[a->place.type](&here, &a->rule, a->count, &before->last, x, &out->last),
        "powm_steps");
}
#endif

ORR_CODELETS(run, "powm_steps", ORR_SDCZ, ORR_CPU_CUDA_ONLY, STARPU_R, STARPU_R, STARPU_W,
             STARPU_RW, STARPU_RW);

size_t orr_powm_pair_size(void) { return sizeof(struct pair); }

void orr_powm_first_pair(void *pair, double bound)
{
    struct pair *p = pair;
    orr_powm_first_scalars(&p->last, bound);
    p->before = p->last;
}

int orr_insert_powm_steps(struct orr_request *req, int prio, const struct orr_powm_matrix *m,
                          const struct orr_powm_rule *rule, int64_t k, int64_t count,
                          starpu_data_handle_t before, starpu_data_handle_t out,
                          const starpu_data_handle_t x[2])
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ANYWHERE);
    if (!a)
        return 0;
    a->task.parts = count;
    a->place = orr_powm_place_of(m, 0);
    a->k = k;
    a->count = count;
    orr_powm_cost(&a->task, &a->place, count);
    a->rule = (orr_powm_combine_args){.tol = rule->tol, .ritz = rule->ritz, .steps = rule->steps};
    return orr_submit(a, sizeof *a, &run_codelet[m->type], prio, STARPU_R, m->A[0], STARPU_R,
                      before, STARPU_W, out, STARPU_RW, x[0], STARPU_RW, x[1]);
}
