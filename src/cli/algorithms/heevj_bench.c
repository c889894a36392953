/* orrery heevj --n: batches of random matrices, measured and compared.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/cli/algorithms/heevj_job.h"

enum { METHOD, CHUNK, TYPE, N, BATCH, AXES };

static orr_type type_at(const struct heevj_args *a, const int64_t *at)
{
    const int word = cli_type_word(&a->type, at[TYPE]);
    return word < 0 ? ORR_D : (orr_type)word;
}

static int64_t batch_at(const struct heevj_args *a, const int64_t *at)
{
    return a->batch.n ? a->batch.v[at[BATCH]] : 100;
}

static heevj_setup setup_at(const cli_job *job, const int64_t *at)
{
    const struct heevj_args *a = job->args;
    heevj_setup setup = heevj_setup_of(job);
    setup.repeat = a->run.repeat > 0 ? a->run.repeat : 5;
    setup.warm_up = 1;
    setup.what = "batch";
    setup.method = heevj_method_of(&a->method, at[METHOD]);
    setup.chunk = a->chunk.n ? a->chunk.v[at[CHUNK]] : 0;
    return setup;
}

/* A batch without its matrices, for which there is memory. Its orders are all n[0], or, --mixed, cycle
 * through the list. */
static int lay_out(cli_stack *s, const heevj_setup *setup, const struct heevj_args *a,
                   const int64_t *at)
{
    const orr_type type = type_at(a, at);
    const int64_t *n = &a->n.v[at[N]], orders = a->mixed ? a->n.n : 1, batch = batch_at(a, at);
    char what[96];
    double mean = 0; /* bytes of a matrix */
    for (int64_t k = 0; k < orders; k++)
        mean += (double)(n[k] * n[k]) * (double)orr_type_size(type) / (double)orders;
    snprintf(what, sizeof what, "type %c, n %lld, batch %lld", orr_type_letter(type),
             (long long)n[orders - 1], (long long)batch);
    int code = cli_check_memory(&a->run, (double)batch * (mean + 6 * sizeof *n), what);
    if (code != CLI_OK)
        return code;
    code = stack_layout(s, type, batch, n, orders);
    if (code == CLI_OK && (code = heevj_check_memory(setup, s, what)) != CLI_OK)
        stack_free(s);
    return code;
}

static int bench_fits(cli_job *job, const int64_t *at)
{
    const heevj_setup setup = setup_at(job, at);
    cli_stack s;
    const int code = lay_out(&s, &setup, job->args, at);
    if (code == CLI_OK)
        stack_free(&s);
    return code;
}

static int bench_case(cli_job *job, orr_context *context, const orr_context_info *info,
                      const int64_t *at)
{
    const struct heevj_args *a = job->args;
    const heevj_setup setup = setup_at(job, at);
    heevj_result r;
    cli_stack s;
    if (a->run.explain)
        return heevj_explain(job, context, info, &setup, type_at(a, at), a->n.v[at[N]],
                             batch_at(a, at));
    int code = lay_out(&s, &setup, a, at);
    if (code != CLI_OK)
        return code;
    s.a = malloc(stack_room(&s));
    if (!s.a) {
        stack_free(&s);
        return CLI_MEMORY;
    }
    stack_fill(&s, a->kind, (uint64_t)a->run.seed);
    code = heevj_case(context, info, &setup, &s, &r);
    if (r.w) {
        heevj_tell(&r, NULL, 0);
        code = cli_worse(code, heevj_report(job, &r));
        heevj_result_free(&r);
    }
    stack_free(&s);
    return code;
}

int heevj_bench(cli_job *job)
{
    const struct heevj_args *a = job->args;
    const int64_t counts[AXES] = {
        [METHOD] = a->method.n ? a->method.n : 1, [CHUNK] = a->chunk.n ? a->chunk.n : 1,
        [TYPE] = a->type.n ? a->type.n : 1,       [N] = a->mixed ? 1 : a->n.n,
        [BATCH] = a->batch.n ? a->batch.n : 1,
    };
    return cli_bench(job, counts, AXES, bench_fits, bench_case);
}
