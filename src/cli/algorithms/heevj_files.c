/* orrery heevj FILE...: one batch from all files, and where its results go.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "src/cli/algorithms/heevj_divided.h"
#include "src/cli/algorithms/heevj_job.h"
#include "src/cli/core/answer.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/ranks.h"

/* ---- Results ---------------------------------------------------------------------------- */

static const char *status_name(const orr_matrix_info *m)
{
    static const char *const name[] = {[ORR_OK] = "ok",
                                       [ORR_NOCONV] = "not converged",
                                       [ORR_NONFINITE] = "not finite",
                                       [ORR_RANGE] = "out of range"};
    return m->status >= 0 && m->status <= ORR_RANGE ? name[m->status] : "unknown";
}

/* The figures per matrix, one CSV for all files. */
static int write_info(const char *path, const cli_stack *s, const orr_matrix_info *info,
                      const cli_input *inputs, int files)
{
    cli_text t = {0};
    cli_put(&t, "file,matrix,n,status,sweeps,method,device,off,residual,orthogonality,norm\n");
    for (int f = 0; f < files; f++)
        for (int64_t k = inputs[f].first; k < inputs[f].first + inputs[f].count; k++) {
            const orr_matrix_info *m = &info[k];
            const double real[] = {m->off, m->residual, m->orthogonality, m->norm};
            cli_put_csv(&t, inputs[f].path);
            cli_put(&t, ",%lld,%lld,%s,%d,%s,%s", (long long)(k - inputs[f].first),
                    (long long)s->n[k], status_name(m), m->sweeps, heevj_method_name(m->method),
                    m->device ? "cuda" : "cpu");
            for (int j = 0; j < 4; j++)
                cli_put(&t, isfinite(real[j]) ? ",%.9g" : ",", real[j]);
            cli_put(&t, "\n");
        }
    const int code = output_text(path, &t);
    cli_text_free(&t);
    return code;
}

/* The part of file f, with its name in the pattern. */
static int write_array(FILE *out, const char *pattern, int vectors, const cli_stack *s,
                       const void *data, const cli_input *in, int f)
{
    char path[4096];
    const orr_type type = vectors ? s->type : orr_type_real(s->type);
    const size_t first = vectors ? s->at[in->first] : s->w_at[in->first];
    if (!pattern)
        return CLI_OK;
    output_name(path, sizeof path, pattern, in->path, f);
    return answer_write(out, vectors ? "eigenvectors" : "eigenvalues", path, type,
                        in->ndim - !vectors, in->shape, 0,
                        (const char *)data + first * orr_type_size(type));
}

static answer_values values_of(const cli_stack *s, const heevj_result *r, const cli_input *in)
{
    const orr_type real = orr_type_real(s->type);
    return (answer_values){.what = "eigenvalues",
                           .order = "ascending",
                           .type = real,
                           .batch = in->ndim > 2,
                           .count = in->count,
                           .columns = in->shape[in->ndim - 1],
                           .v = (const char *)r->w + s->w_at[in->first] * orr_type_size(real)};
}

/* Files of results, and what is printed of them; with room for `values` of each file. */
static int deliver(cli_job *job, cli_stack *s, heevj_result *r, const cli_input *inputs,
                   answer_values *values)
{
    const struct heevj_args *a = job->args;
    FILE *out = job->table;
    int code = CLI_OK;
    if (a->vectors)
        stack_adopt_vectors(s, r->q);
    for (int f = 0; f < job->files.n; f++) {
        const cli_input *in = &inputs[f];
        values[f] = values_of(s, r, in);
        answer_print(out, &a->run, in->path, &values[f]);
        code = cli_worse(code, write_array(out, a->values, 0, s, r->w, in, f));
        code = cli_worse(code, write_array(out, a->vectors, 1, s, r->q, in, f));
    }
    if (a->info)
        code = cli_worse(code, write_info(a->info, s, r->info, inputs, job->files.n));
    answer_check(out, &r->record, "n eps |A|", heevj_check_limit);
    return code;
}

/* ---- The batch -------------------------------------------------------------------------- */

static int solve_files(cli_job *job, cli_stack *s, const cli_input *inputs)
{
    struct heevj_args *a = job->args;
    heevj_setup setup = heevj_setup_of(job);
    setup.method = heevj_method_of(&a->method, 0);
    setup.warm_up = setup.repeat > 1 || a->ref.n > 0;
    setup.what = "heevj";
    orr_context *context = NULL;
    orr_context_info info;
    int code = cli_ranks() > 1 ? CLI_OK : heevj_check_memory(&setup, s, "the batch");
    if (code != CLI_OK)
        return code;
    code = cli_open(&a->run, cli_policy(&a->run), &context, &info);
    if (code != CLI_OK)
        return code;
    heevj_result r;
    code = (info.ranks > 1 ? heevj_divided : heevj_case)(context, &info, &setup, s, &r);
    if (r.w) {
        heevj_tell(&r, inputs, job->files.n);
        answer_values *values = calloc((size_t)job->files.n, sizeof *values);
        cli_text results = {0};
        code = cli_worse(code, values ? deliver(job, s, &r, inputs, values) : CLI_MEMORY);
        if (values)
            answer_json(&results, &a->run, "eigenvalues", values, job->files.n);
        r.record.results = results.s;
        code = cli_worse(code, heevj_report(job, &r));
        cli_text_free(&results);
        free(values);
        heevj_result_free(&r);
    } else if (code == CLI_USAGE) {
        code = CLI_FILE; /* what the library refuses came from the file */
    }
    return cli_worse(code, cli_close(&a->run, context));
}

int heevj_solve_files(cli_job *job)
{
    const struct heevj_args *a = job->args;
    cli_stack s = {0};
    cli_input *inputs = calloc((size_t)job->files.n, sizeof *inputs);
    if (!inputs)
        return CLI_MEMORY;
    int code = cli_job_ranks(job, "check|jobz|vectors");
    if (code == CLI_OK && cli_rank() == 0)
        code = stack_read(&s, job->run, job->files.v, job->files.n, cli_type_word(&a->type, 0),
                          HEEVJ_MAX_N, inputs);
    if (code == CLI_OK && cli_rank() == 0)
        hermitian_prepare(&s, &a->hermitian, inputs, job->files.n);
    code = cli_ranks_code(code);
    if (code == CLI_OK)
        code = heevj_share_layout(&s);
    if (code == CLI_OK) {
        code = cli_ranks_code(solve_files(job, &s, inputs));
        stack_free(&s);
    }
    cli_ranks_end();
    free(inputs);
    return code;
}
