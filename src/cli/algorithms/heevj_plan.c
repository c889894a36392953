/* orrery heevj --explain.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/explain.h"
#include "src/cli/algorithms/heevj_job.h"

static orr_status plan_call(const cli_planned *p, orr_report *report)
{
    static char any[1];
    const heevj_setup *setup = p->args;
    const orr_batch A = {.type = p->type, .batch = p->batch, .m = p->n, .n = p->n, .a = any};
    const orr_batch w = {
        .type = orr_type_real(p->type), .batch = p->batch, .m = p->n, .n = 1, .a = any};
    const orr_heevj_opts opts = {.jobz = setup->jobz,
                                 .uplo = stack_uplo(setup->uplo),
                                 .method = setup->method,
                                 .chunk = setup->chunk,
                                 .max_sweeps = setup->max_sweeps,
                                 .tol = setup->tol,
                                 .accuracy = setup->accuracy};
    return orr_heevj(p->context, &A, &w, &opts, NULL, report);
}

/* The stack, its copy where the input is still wanted, values and records. */
static double plan_holds(const cli_planned *p)
{
    const heevj_setup *setup = p->args;
    const int copy = setup->repeat > 1 || setup->warm_up || setup->run->check;
    const double n = (double)p->n;
    return (double)p->batch * (n * n * (1 + copy) * (double)orr_type_size(p->type) + 8 * n +
                               (double)sizeof(orr_matrix_info) + 32);
}

int heevj_explain(cli_job *job, orr_context *ctx, const orr_context_info *info,
                  const heevj_setup *setup, orr_type type, int64_t n, int64_t batch)
{
    return cli_explain(&(cli_planned){.job = job,
                                      .context = ctx,
                                      .info = info,
                                      .algo = "heevj",
                                      .type = type,
                                      .n = n,
                                      .m = -1,
                                      .band = -1,
                                      .batch = batch,
                                      .vectors = setup->jobz == 'V',
                                      .args = setup,
                                      .call = plan_call,
                                      .needs = plan_holds,
                                      .holds = plan_holds});
}

/* Of the first file; others of other orders are batches of their own. */
int heevj_explain_files(cli_job *job)
{
    struct heevj_args *a = job->args;
    heevj_setup setup = heevj_setup_of(job);
    orr_context *ctx = NULL;
    orr_context_info info;
    setup.method = heevj_method_of(&a->method, 0);
    setup.warm_up = setup.repeat > 1 || a->ref.n > 0;
    int code = cli_open(&a->run, cli_policy(&a->run), &ctx, &info);
    for (int f = 0; ctx && code == CLI_OK && f < job->files.n; f++) {
        orr_shape s;
        int64_t batch = 1;
        const int type = cli_type_word(&a->type, 0);
        code = cli_shape_read(job->files.v[f], &s);
        for (int d = 0; code == CLI_OK && d < s.ndim - 2; d++)
            batch *= s.shape[d];
        if (code == CLI_OK && (s.ndim < 2 || s.shape[s.ndim - 1] != s.shape[s.ndim - 2])) {
            cli_say("%s: not a batch of square matrices", job->files.v[f]);
            code = CLI_FILE;
        }
        if (code == CLI_OK)
            code = heevj_explain(job, ctx, &info, &setup, type < 0 ? s.type : (orr_type)type,
                                 s.shape[s.ndim - 1], batch);
    }
    if (ctx)
        orr_close(ctx);
    return code;
}
