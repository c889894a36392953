/* powm_combine as a task: the partial sums of all blocks, in their order, become the scalars
 * of the step. Buffers: before R, out W, the partials R.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/sparse/powm_args.h"
#include "kernels/powm_scalars.h"

struct args {
    struct orr_task task;
    orr_powm_combine_args rule;
    int64_t blocks;
};

static void combine(void **buf, void *arg)
{
    const struct args *a = arg;
    const orr_powm_partial **parts = malloc((size_t)a->blocks * sizeof *parts);
    if (!parts)
        orr_request_fail(a->task.req, ORR_E_NOMEM, "powm_combine");
    for (int64_t b = 0; parts && b < a->blocks; b++)
        parts[b] = ORR_PTR(2 + b);
    if (parts && !orr_request_failed(a->task.req))
        orr_powm_combine(&a->rule, parts, a->blocks, ORR_PTR(0), ORR_PTR(1));
    else /* whoever reads it must not find a running iteration */
        *(orr_powm_scalars *)ORR_PTR(1) = (orr_powm_scalars){.state = ORR_POWM_BAD};
    free(parts);
}

ORR_CODELETS(combine, "powm_combine", ORR_UNTYPED, ORR_CPU_OPENCL);

int orr_insert_powm_combine(struct orr_request *req, int prio, const struct orr_powm_rule *rule,
                            const starpu_data_handle_t *partials, int64_t blocks,
                            starpu_data_handle_t before, starpu_data_handle_t out)
{
    struct orr_buffers d;
    struct args *a = orr_task_args(req, sizeof *a, ORR_ANYWHERE);
    if (!a)
        return 0;
    if (!orr_buffers_make(req, &d, blocks + 2)) {
        free(a);
        return 0;
    }
    a->task.parts = 1;
    a->blocks = blocks;
    orr_cost(&a->task, blocks, blocks, rule->ritz, rule->pagerank);
    a->rule = (orr_powm_combine_args){
        .tol = rule->tol, .ritz = rule->ritz, .pagerank = rule->pagerank, .steps = rule->steps};
    orr_buffers_add(&d, before, STARPU_R);
    orr_buffers_add(&d, out, STARPU_W);
    for (int64_t b = 0; b < blocks; b++)
        orr_buffers_add(&d, partials[b], STARPU_R);
    const int accepted =
        orr_submit(a, sizeof *a, combine_codelet, prio, STARPU_DATA_MODE_ARRAY, d.d, d.n);
    free(d.d);
    return accepted;
}

/* ---- What the host sees -------------------------------------------------------------------- */

size_t orr_powm_scalars_size(void) { return sizeof(orr_powm_scalars); }
size_t orr_powm_partial_size(void) { return sizeof(orr_powm_partial); }

void orr_powm_first_scalars(void *scalars, double bound) { orr_powm_scalars_start(scalars, bound); }

void orr_powm_first_rank(void *scalars, double dangling)
{
    orr_powm_scalars_start(scalars, 1);
    ((orr_powm_scalars *)scalars)->dangling = dangling;
}

_Static_assert((int)ORR_SEEN_RUNNING == ORR_POWM_RUN &&
                   (int)ORR_SEEN_CONVERGED == ORR_POWM_CONVERGED &&
                   (int)ORR_SEEN_ZERO == ORR_POWM_ZERO && (int)ORR_SEEN_LOST == ORR_POWM_BAD,
               "states are those of kernels/powm_scalars.h");

struct orr_powm_seen orr_powm_look(const void *scalars)
{
    const orr_powm_scalars *s = scalars;
    struct orr_powm_seen o = {.step = s->step,
                              .state = (enum orr_powm_seen_state)s->state,
                              .by_ritz = s->by_ritz,
                              .used = s->used,
                              .next = s->next[0],
                              .residual = s->residual,
                              .mass = s->mass};
    memcpy(o.theta, s->theta, sizeof o.theta);
    orr_powm_ritz_values(s, o.t1, o.t2);
    return o;
}

struct orr_powm_sums orr_powm_sum_partials(const void *partials, int64_t blocks)
{
    const orr_powm_partial *p = partials;
    struct orr_powm_sums s = {.low = p->low, .high = p->high};
    for (int64_t b = 0; b < blocks; b++) {
        s.r1 += p[b].r1;
        s.xx += p[b].xx;
        s.xy[0] += p[b].xy[0];
        s.xy[1] += p[b].xy[1];
        s.low = p[b].low < s.low ? p[b].low : s.low;
        s.high = p[b].high > s.high ? p[b].high : s.high;
    }
    return s;
}
