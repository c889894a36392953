/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/job.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/ranks.h"

#include <string.h>

static int work(void *arg)
{
    cli_job *job = arg;
    int code = cli_lapacks_open(&job->lapacks, job->ref);
    if (code == CLI_OK)
        code = job->work(job);
    cli_lapacks_close(&job->lapacks);
    return code;
}

/* Records and results share standard output, of which there is one. */
static int open_outputs(cli_job *job)
{
    cli_run *run = job->run;
    const char *const records[] = {run->json, run->csv};
    if (job->own_table) {
        const int taken = job->to_stdout + cli_count_stdout(records, 2) > 0;
        job->table = run->quiet || taken ? NULL : stdout;
    }
    return cli_sink_open(&job->sink, run->json, run->csv, job->to_stdout,
                         job->own_table || run->quiet);
}

/* A file of records, or a trace, beside what the other options name. */
struct clash {
    const cli_job *job;
    const char *name;  /* of the file */
    const char *other; /* option that names it too; NULL: none does */
};

static void compare(const cli_option *o, size_t base, void *arg)
{
    struct clash *c = arg;
    const cli_files *inputs = &c->job->files;
    char name[4096];
    if (o->kind != OPT_FILE)
        return;
    const char *value = *(const char **)((char *)c->job->args + base + o->at);
    if (!value || value == c->name)
        return;
    for (int k = 0; k == 0 || k < inputs->n; k++) /* {} in the names of results */
        if (output_name(name, sizeof name, value, inputs->n ? inputs->v[k] : "", k) &&
            output_same(name, c->name))
            c->other = o->name;
}

/* No input is overwritten, and no output by another; the records of one file are of one kind. */
static int check_names(const cli_command *command, const cli_job *job)
{
    const cli_run *run = job->run;
    const char *const names[] = {run->json, run->csv, run->trace};
    int code = CLI_OK;
    for (int k = 0; k < 3 && code == CLI_OK; k++)
        if (names[k] && strcmp(names[k], "-"))
            code = output_spares(names[k], &job->files);
    if (code == CLI_OK && run->json && run->csv && strcmp(run->json, "-") &&
        output_same(run->json, run->csv)) {
        cli_say("--json and --csv: two kinds of records in one file");
        code = CLI_USAGE;
    }
    for (int k = 0; k < 3 && code == CLI_OK; k++) {
        struct clash c = {.job = job, .name = names[k]};
        if (names[k] && strcmp(names[k], "-"))
            cli_each_option(command->options, 0, compare, &c);
        if (c.other) {
            cli_say("%s: --%s names the same file", names[k], c.other);
            code = CLI_USAGE;
        }
    }
    return code;
}

int cli_compute(const cli_command *command, int argc, char **argv, cli_job *job)
{
    cli_text line = {0};
    int code;
    cli_command_line(&line, argc, argv);
    if (!cli_parse_given(command, argc, argv, job->args, &job->files, &code, &job->given)) {
        cli_text_free(&line);
        cli_text_free(&job->given);
        return code;
    }
    job->name = command->name;
    job->command = line.s;
    for (int k = 0; k < job->files.n; k++)
        job->run->stdins += !strcmp(job->files.v[k], "-");
    code = cli_ranks_check(job->run, job->ranks);
    if (code == CLI_OK)
        code = job->check(job);
    if (code == CLI_OK)
        code = cli_check_trace(job->run);
    if (code == CLI_OK)
        code = cli_check_policies(&job->run->sched);
    if (code == CLI_OK)
        code = check_names(command, job);
    if (code == CLI_OK)
        code = open_outputs(job);
    if (code == CLI_OK) {
        code = cli_isolate(job->run->in_process, work, NULL, job);
        cli_sink_close(&job->sink);
    }
    cli_release(command, job->args);
    cli_text_free(&line);
    cli_text_free(&job->given);
    return code;
}

int cli_job_ranks(const cli_job *job, const char *options)
{
    char work[256], option[64];
    snprintf(work, sizeof work, "%s, FILEs %d, repeat %lld", job->name, job->files.n,
             (long long)job->run->repeat);
    for (int k = 0; cli_bar_word(options, k, option, sizeof option); k++)
        if (cli_word_index(option, job->given.s) >= 0) {
            const size_t at = strlen(work);
            snprintf(work + at, sizeof work - at, ", %s", option);
        }
    return cli_ranks_start(work);
}

int cli_spared(const cli_job *job, const char *command, const char *options, const char *with)
{
    char option[64], why[128];
    for (int k = 0; cli_bar_word(job->given.s, k, option, sizeof option); k++)
        if (cli_word_index(option, options) >= 0) {
            snprintf(why, sizeof why, "--%s means nothing %s", option, with);
            return cli_usage(command, why);
        }
    return CLI_OK;
}

int cli_answers_spared(const cli_job *job, const char *command)
{
    return job->files.n
               ? cli_spared(job, command, "seed", "with a FILE, of which nothing is random")
               : cli_spared(job, command, "all", "in a benchmark, which prints no values");
}

void cli_answers(cli_job *job)
{
    job->own_table =
        job->files.n > 0 && !job->run->bench && job->run->repeat <= 1 && !(job->ref && job->ref->n);
}

const char *cli_policy(const cli_run *run) { return run->sched.n ? run->sched.v[0] : NULL; }

static int bench_policy(cli_job *job, const char *sched, const int64_t *counts, int axes,
                        cli_bench_case *one)
{
    int64_t at[CLI_AXES] = {0};
    orr_context *context = NULL;
    orr_context_info info;
    int code = cli_open(job->run, sched, &context, &info);
    if (code != CLI_OK)
        return code;
    do
        code = cli_worse(code, one(job, context, &info, at));
    while (code != CLI_RUNTIME && cli_next(at, counts, axes));
    return cli_worse(code, cli_close(job->run, context));
}

static int all_fit(cli_job *job, const int64_t *counts, int axes, cli_bench_fits *fits)
{
    int64_t at[CLI_AXES] = {0};
    int code = CLI_OK;
    do
        code = fits(job, at);
    while (code == CLI_OK && cli_next(at, counts, axes));
    return code;
}

int cli_bench(cli_job *job, const int64_t *counts, int axes, cli_bench_fits *fits,
              cli_bench_case *one)
{
    const cli_words *sched = &job->run->sched;
    int code = job->run->explain ? CLI_OK : all_fit(job, counts, axes, fits);
    if (code != CLI_OK)
        return code;
    for (int64_t k = 0; k < (sched->n ? sched->n : 1); k++)
        code = cli_worse(code, bench_policy(job, sched->n ? sched->v[k] : NULL, counts, axes, one));
    return code;
}

int cli_count_stdout(const char *const *outputs, int count)
{
    int n = 0;
    for (int k = 0; k < count; k++)
        n += outputs[k] && !strcmp(outputs[k], "-");
    return n;
}
