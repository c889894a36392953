/* orrery gesvj FILE...: one batch for each file, and where its results go.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/explain.h"
#include "src/cli/algorithms/gesvj_divided.h"
#include "src/cli/algorithms/gesvj_job.h"
#include "src/cli/core/answer.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/ranks.h"
#include "src/cli/data/dense.h"

static orr_status solve(orr_context *context, const struct svd_args *a, const svd_data *d,
                        const char *label, orr_report *rep, cli_clock *clock)
{
    cli_progress progress;
    orr_gesvj_opts o = svd_options(a, a->run.check && d->x && d->y);
    o.progress = cli_progress_update;
    o.progress_arg = &progress;
    cli_progress_start(&progress, label, a->run.verbose, a->run.quiet);
    cli_clock_start(clock);
    const orr_status status = svd_solve(context, d, &o, rep);
    cli_clock_stop(clock, rep->seconds);
    cli_progress_end(&progress);
    return status;
}

static int write_one(FILE *out, const svd_data *d, char which, int batch, const char *pattern,
                     const char *input, int number)
{
    char path[4096];
    if (!pattern)
        return CLI_OK;
    output_name(path, sizeof path, pattern, input, number);
    return svd_write(out, d, which, batch, path);
}

/* Run k of a file. */
struct turn {
    orr_context *context;
    const struct svd_args *args;
    const svd_data *d;
    const char *path;
    orr_report report;
};

static int turn(void *arg, int k, cli_clock *clock)
{
    struct turn *t = arg;
    (void)k;
    const orr_status status = solve(t->context, t->args, t->d, t->path, &t->report, clock);
    if (status < 0)
        cli_say("%s: %s", t->path, t->report.message);
    return status < 0 ? cli_exit_code(status, 1) : CLI_OK;
}

static int wants_vectors(const struct svd_args *a)
{
    return a->jobz == 1 || (a->jobz < 0 && a->run.check);
}

static int read_file(const struct svd_args *a, const char *path, svd_data *d, int *batch)
{
    const int left = a->left || wants_vectors(a), right = a->right || wants_vectors(a);
    const int type = cli_type_word(&a->type, 0);
    orr_npy array;
    int code = dense_read(path, &a->run, NULL, 0, &array);
    if (code != CLI_OK)
        return code;
    *batch = array.ndim == 3;
    code = svd_check_memory(&a->run, &array, path, type, left, right);
    if (code == CLI_OK)
        return svd_adopt(d, &array, path, type, left, right);
    orr_npy_free(&array);
    return code;
}

/* What is printed and written of a file. */
static int deliver(cli_job *job, const orr_context_info *info, const svd_data *d, int batch,
                   int number, cli_record *r, int checked)
{
    const struct svd_args *a = job->args;
    const char *path = job->files.v[number];
    FILE *out = job->table;
    char ranks[32];
    cli_text results = {0};
    int code = cli_worse(svd_statuses(d->info, d->count, path), checked);
    const answer_values values = svd_values(d, batch);
    answer_print(out, &a->run, path, &values);
    answer_json(&results, &a->run, "singular_values", &values, 1);
    code = cli_worse(code, write_one(out, d, 's', batch, a->values, path, number));
    code = cli_worse(code, write_one(out, d, 'u', batch, a->left, path, number));
    code = cli_worse(code, write_one(out, d, 'v', batch, a->right, path, number));
    answer_check(out, r, "max(m,n) eps |A|", svd_check_limit);
    r->results = results.s;
    snprintf(ranks, sizeof ranks, "\"ranks\":%d", info->ranks);
    r->extra = info->ranks > 1 ? ranks : NULL;
    svd_describe(r, job, d, info, checked);
    code = cli_worse(code, svd_report(job, r));
    cli_text_free(&results);
    return code;
}

/* Rank 0 has the file, and each rank works on its part of it. */
static int solve_file(cli_job *job, orr_context *context, const orr_context_info *info, int number)
{
    const struct svd_args *a = job->args;
    const char *path = job->files.v[number];
    svd_data all = {0};
    svd_divided divided = {0};
    int batch = 0;
    int code = cli_ranks_code(cli_rank() == 0 ? read_file(a, path, &all, &batch) : CLI_OK);
    if (code == CLI_OK && info->ranks > 1)
        code = svd_divide(&divided, &all, &a->run, a->left || wants_vectors(a),
                          a->right || wants_vectors(a));
    const svd_data *d = info->ranks > 1 ? &divided.mine : &all;
    const int repeat = a->run.repeat > 0 ? (int)a->run.repeat : 1;
    struct turn t = {.context = context, .args = a, .d = d, .path = path};
    cli_turns turns = {.run = &a->run,
                       .context = context,
                       .warm_up = repeat > 1,
                       .repeat = repeat,
                       .ours = turn,
                       .arg = &t};
    cli_record r = CLI_RECORD;
    if (code == CLI_OK)
        code = cli_ranks_code(cli_turns_run(&turns, &r));
    if (code == CLI_OK) {
        r.tasks = t.report.tasks;
        r.plan = t.report.plan;
        int checked = a->run.check ? svd_verify(d, svd_threads(info), &r) : CLI_OK;
        if (info->ranks > 1) {
            svd_gather(&divided, &all);
            cli_parts_record(&r, &turns);
            checked = cli_ranks_code(checked);
        }
        if (cli_rank() == 0)
            code = deliver(job, info, &all, batch, number, &r, checked);
        code = cli_ranks_code(code);
    }
    cli_turns_free(&turns);
    svd_divided_free(&divided);
    svd_free(&all);
    return code;
}

static int explain_file(cli_job *job, orr_context *context, const orr_context_info *info,
                        const char *path)
{
    const struct svd_args *a = job->args;
    const int vectors = wants_vectors(a), type = cli_type_word(&a->type, 0);
    orr_shape s;
    const int code = cli_shape_read(path, &s);
    if (code != CLI_OK)
        return code;
    if (s.ndim != 2 && s.ndim != 3) {
        cli_say("%s: the array is neither (m, n) nor (batch, m, n)", path);
        return CLI_FILE;
    }
    const int64_t *mn = s.shape + (s.ndim == 3);
    return svd_explain(job, context, info, type < 0 ? s.type : (orr_type)type, mn[0], mn[1],
                       s.ndim == 3 ? s.shape[0] : 1, a->left || vectors, a->right || vectors);
}

static int solve_all(cli_job *job, orr_context *context, const orr_context_info *info)
{
    int code = CLI_OK;
    for (int f = 0; f < job->files.n; f++)
        code = cli_worse(code, job->run->explain ? explain_file(job, context, info, job->files.v[f])
                                                 : solve_file(job, context, info, f));
    return code;
}

int svd_solve_files(cli_job *job) { return svd_by_ranks(job, solve_all); }
