/* orrery heevj --n: batches of random matrices, measured and compared.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/cli/algorithms/heevj_job.h"

/* Orders of a batch: all n[0], or cycling through n[0 .. count). */
static int make_stack(cli_stack *s, const heevj_setup *setup, const struct heevj_args *a,
                      orr_type type, const int64_t *n, int64_t count, int64_t batch)
{
    char what[96];
    double mean = 0; /* bytes of a matrix */
    for (int64_t k = 0; k < count; k++)
        mean += (double)(n[k] * n[k]) * (double)orr_type_size(type) / (double)count;
    snprintf(what, sizeof what, "type %c, n %lld, batch %lld", orr_type_letter(type),
             (long long)n[count - 1], (long long)batch);
    int code = cli_check_memory(&a->run, (double)batch * (mean + 6 * sizeof *n), what);
    if (code != CLI_OK)
        return code;
    code = stack_layout(s, type, batch, n, count);
    if (code != CLI_OK)
        return code;
    code = heevj_check_memory(setup, s, what);
    if (code == CLI_OK && !(s->a = malloc(stack_room(s)))) {
        cli_say("%s: out of memory", what);
        code = CLI_MEMORY;
    }
    if (code != CLI_OK)
        stack_free(s);
    else
        stack_fill(s, a->kind, (uint64_t)a->run.seed);
    return code;
}

enum { METHOD, CHUNK, TYPE, N, BATCH, AXES };

static int bench_case(cli_job *job, orr_context *context, const orr_context_info *info,
                      const int64_t *at)
{
    const struct heevj_args *a = job->args;
    const int word = cli_type_word(&a->type, at[TYPE]);
    const orr_type type = word < 0 ? ORR_D : (orr_type)word;
    const int64_t batch = a->batch.n ? a->batch.v[at[BATCH]] : 100, *n = &a->n.v[at[N]];
    heevj_setup setup = heevj_setup_of(job);
    heevj_result r;
    cli_stack s;
    setup.repeat = a->run.repeat > 0 ? a->run.repeat : 5;
    setup.warm_up = 1;
    setup.what = "batch";
    setup.method = heevj_method_of(&a->method, at[METHOD]);
    setup.chunk = a->chunk.n ? a->chunk.v[at[CHUNK]] : 0;
    if (a->run.explain)
        return heevj_explain(job, context, info, &setup, type, *n, batch);
    int code = make_stack(&s, &setup, a, type, n, a->mixed ? a->n.n : 1, batch);
    if (code != CLI_OK)
        return code;
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
    return cli_bench(job, counts, AXES, bench_case);
}
