/* See family.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/family.h"

#include <stdlib.h>
#include <string.h>

#include "src/cli/core/answer.h"
#include "src/cli/core/outputs.h"

static const double FAMILY_LIMIT = 20; /* of check figures */
const int64_t family_first[1 + FAMILY_AXES];

enum { BENCH_RUNS = 5 };

orr_place family_place(int choice)
{
    static const orr_place place[] = {ORR_PLACE_AUTO, ORR_PLACE_CPU, ORR_PLACE_GPU,
                                      ORR_PLACE_SPLIT};
    return place[choice];
}

orr_dense_method family_method(int choice)
{
    static const orr_dense_method method[] = {ORR_DENSE_AUTO, ORR_DENSE_TWO_STAGE,
                                              ORR_DENSE_LAPACK};
    return method[choice];
}

static const cli_family *family_of(const cli_job *job) { return job->of->family; }

static const void *value_of(const cli_job *job, const char *option)
{
    return cli_option_value(job->of, option, job->args);
}

/* ---- A case ---------------------------------------------------------------------------------- */

static int64_t *value_at(family_case *c, size_t to) { return (int64_t *)((char *)c + to); }

int family_case_begin(family_case *c, cli_job *job, const int64_t *at)
{
    const cli_family *f = family_of(job);
    const cli_words *types = value_of(job, "type");
    *c = (family_case){.job = job, .type = ORR_D, .m = -1, .n = -1, .band = -1};
    c->state = calloc(1, f->state_size);
    if (!c->state) {
        cli_say("out of memory");
        return CLI_MEMORY;
    }
    if (types->n)
        orr_type_parse(types->v[at[0]], &c->type);
    for (int k = 0; k < FAMILY_AXES && f->axis[k].option; k++) {
        const cli_sizes *list = value_of(job, f->axis[k].option);
        *value_at(c, f->axis[k].to) = list->n ? list->v[at[k + 1]] : f->axis[k].otherwise;
    }
    f->options(c);
    return CLI_OK;
}

void family_case_end(family_case *c)
{
    const cli_family *f = family_of(c->job);
    if (c->state)
        f->drop(c);
    free(c->state);
}

/* ---- Plan -------------------------------------------------------------------------------------- */

/* The case of a plan, whose sizes may be others. */
static family_case of_plan(const cli_planned *p)
{
    family_case c = *(const family_case *)p->args;
    c.type = p->type;
    c.m = p->m;
    c.n = p->n;
    c.band = p->band;
    c.planned = 1;
    return c;
}

static orr_status plan_call(const cli_planned *p, orr_report *report)
{
    const cli_family *f = family_of(p->job);
    family_case c = of_plan(p);
    return f->call(&c, NULL, report);
}

static double plan_needs(const cli_planned *p)
{
    const cli_family *f = family_of(p->job);
    const family_case c = of_plan(p);
    return f->bytes(&c);
}

static double plan_holds(const cli_planned *p)
{
    const cli_family *f = family_of(p->job);
    const family_case c = of_plan(p);
    return f->holds(&c);
}

static int explain(family_case *c, const orr_context_info *info)
{
    return cli_explain(&(cli_planned){.job = c->job,
                                      .context = c->context,
                                      .info = info,
                                      .algo = c->job->of->name,
                                      .type = c->type,
                                      .m = c->m,
                                      .n = c->n,
                                      .band = c->band,
                                      .batch = -1,
                                      .vectors = c->vectors,
                                      .args = c,
                                      .call = plan_call,
                                      .needs = plan_needs,
                                      .holds = plan_holds});
}

/* ---- A run ------------------------------------------------------------------------------------- */

static int failed(const family_case *c, orr_status st, const orr_report *r)
{
    const cli_files *files = &c->job->files;
    const int second =
        files->n > 1 && (st == ORR_E_DEFINITE || (r->culprit && !strcmp(r->culprit, "b")));
    const char *what = files->n ? files->v[second] : c->job->of->name;
    if (st == ORR_E_NONFINITE && c->columns)
        cli_say("%s: entry (%lld, %lld), counted from 0, is NaN or infinite", what,
                (long long)(r->index / c->columns), (long long)(r->index % c->columns));
    else
        cli_say("%s: %s", what, r->message[0] ? r->message : orr_strerror(st));
    /* ORR_E_ARG is an option's fault: what is wrong with a file was told when it was read */
    return st == ORR_E_NONFINITE || st == ORR_E_DEFINITE ? CLI_FILE : cli_exit_code(st, 0);
}

struct turn {
    family_case *c;
    orr_report report;
};

static int turn(void *arg, int k, cli_clock *clock)
{
    struct turn *t = arg;
    family_case *c = t->c;
    const cli_family *f = family_of(c->job);
    cli_progress progress;
    (void)k;
    if (f->prepare)
        f->prepare(c);
    cli_progress_start(&progress, c->job->of->name, c->job->run->verbose, c->job->run->quiet);
    cli_clock_start(clock);
    const orr_status st = f->call(c, &progress, &t->report);
    cli_clock_stop(clock, t->report.seconds);
    cli_progress_end(&progress);
    return st == ORR_OK ? CLI_OK : failed(c, st, &t->report);
}

static int verify(const family_case *c, const orr_context_info *info, cli_record *rec)
{
    const cli_family *f = family_of(c->job);
    f->verify(c, info->cpu > 0 ? info->cpu : 1, rec);
    if (rec->values <= FAMILY_LIMIT &&
        (!c->complete || (rec->residual <= FAMILY_LIMIT && rec->orthogonality <= FAMILY_LIMIT)))
        return CLI_OK;
    char vectors[80] = "";
    if (c->complete)
        snprintf(vectors, sizeof vectors, ", residual %.3g, orthogonality %.3g", rec->residual,
                 rec->orthogonality);
    cli_say("check failed: values %.3g%s %s (limit %g)", rec->values, vectors, f->unit,
            FAMILY_LIMIT);
    rec->status = "check failed";
    return CLI_CHECK;
}

/* Solves `repeat` times, checks, writes the record. */
static int solve(family_case *c, const orr_context_info *info, int warm_up, int repeat)
{
    cli_job *job = c->job;
    const cli_family *f = family_of(job);
    const cli_run *run = job->run;
    cli_record rec = CLI_RECORD;
    struct turn t = {.c = c};
    cli_turns turns = {.run = run,
                       .context = c->context,
                       .warm_up = warm_up,
                       .repeat = repeat,
                       .ours = turn,
                       .arg = &t,
                       .peer = f->peer,
                       .problem = c->problem};
    cli_describe(&rec, job->of->name, info, job->command, job->files.n ? -1 : run->seed);
    int code = cli_turns_add_routines(&turns, &job->lapacks, f->peers, f->peer_name, info->cpu);
    if (code == CLI_OK)
        code = cli_turns_run(&turns, &rec);
    if (code != CLI_OK) {
        cli_turns_free(&turns);
        return code;
    }
    rec.gflops = f->operations(c) / rec.seconds.median * 1e-9;
    rec.type = orr_type_letter(c->type);
    rec.n = c->n;
    rec.m = c->m;
    rec.band = c->band;
    if (f->describe)
        f->describe(c, &rec);
    rec.tasks = t.report.tasks;
    rec.plan = t.report.plan;
    rec.status = "ok";
    if (run->check)
        code = verify(c, info, &rec);
    if (run->verbose)
        cli_say("plan: {%s}", t.report.plan);
    cli_text results = {0};
    if (job->files.n) {
        code = cli_worse(code, f->deliver(c, &results));
        answer_check(job->table, &rec, f->unit, FAMILY_LIMIT);
    }
    rec.results = results.s;
    code = cli_worse(code, cli_sink_write(&job->sink, &rec));
    cli_text_free(&results);
    cli_turns_free(&turns);
    return code;
}

/* ---- FILE -------------------------------------------------------------------------------------- */

static int read_sizes(family_case *c)
{
    const cli_family *f = family_of(c->job);
    const char *path = c->job->files.v[0];
    orr_shape s;
    const int code = cli_shape_read(path, &s);
    if (code != CLI_OK)
        return code;
    if (!((const cli_words *)value_of(c->job, "type"))->n)
        c->type = s.type;
    return f->look(c, &s);
}

static int solve_file(cli_job *job)
{
    const cli_family *f = family_of(job);
    const cli_run *run = job->run;
    const int repeat = run->repeat > 0 ? (int)run->repeat : 1, sizes_do = run->explain && f->look;
    family_case c;
    orr_context_info info;
    int code = family_case_begin(&c, job, family_first);
    c.keeps = repeat > 1 || run->check || job->ref->n;
    if (code == CLI_OK)
        code = sizes_do ? read_sizes(&c) : f->read(&c);
    if (code == CLI_OK && !run->explain && f->fits)
        code = f->fits(&c);
    if (code == CLI_OK && !run->explain)
        code = cli_check_memory(run, f->bytes(&c) - c.taken, job->files.v[0]);
    if (code == CLI_OK && !run->explain)
        code = f->make(&c);
    if (code == CLI_OK)
        code = cli_open(run, cli_policy(run), &c.context, &info);
    if (c.context && run->explain) {
        code = explain(&c, &info);
        orr_close(c.context);
    } else if (c.context) {
        code = solve(&c, &info, repeat > 1, repeat);
        code = cli_worse(code, cli_close(run, c.context));
    }
    family_case_end(&c);
    return code;
}

/* ---- Benchmark --------------------------------------------------------------------------------- */

static void name_case(const family_case *c, char *what, size_t room)
{
    int at = snprintf(what, room, "type %c, ", orr_type_letter(c->type));
    if (c->m >= 0)
        at +=
            snprintf(what + at, room - (size_t)at, "%lld x %lld", (long long)c->m, (long long)c->n);
    else
        at += snprintf(what + at, room - (size_t)at, "n %lld", (long long)c->n);
    if (c->band >= 0)
        snprintf(what + at, room - (size_t)at, ", band %lld", (long long)c->band);
}

static int fits_memory(const family_case *c)
{
    const cli_family *f = family_of(c->job);
    char what[96];
    name_case(c, what, sizeof what);
    return cli_check_memory(c->job->run, f->bytes(c), what);
}

static int solve_random(family_case *c, const orr_context_info *info)
{
    const cli_family *f = family_of(c->job);
    const cli_run *run = c->job->run;
    c->keeps = 1;
    if (run->explain)
        return explain(c, info);
    int code = fits_memory(c); /* others may have taken some since */
    if (code == CLI_OK)
        code = f->random(c, (uint64_t)run->seed);
    if (code == CLI_OK)
        code = f->make(c);
    return code == CLI_OK ? solve(c, info, 1, run->repeat > 0 ? (int)run->repeat : BENCH_RUNS)
                          : code;
}

static int bench_case(cli_job *job, orr_context *context, const orr_context_info *info,
                      const int64_t *at)
{
    family_case c;
    int code = family_case_begin(&c, job, at);
    c.context = context;
    if (code == CLI_OK)
        code = solve_random(&c, info);
    family_case_end(&c);
    return code;
}

static int bench_fits(cli_job *job, const int64_t *at)
{
    const cli_family *f = family_of(job);
    family_case c;
    int code = family_case_begin(&c, job, at);
    c.keeps = 1;
    if (code == CLI_OK && f->fits)
        code = f->fits(&c);
    if (code == CLI_OK)
        code = fits_memory(&c);
    family_case_end(&c);
    return code;
}

static int bench(cli_job *job)
{
    const cli_family *f = family_of(job);
    const cli_words *types = value_of(job, "type");
    int64_t counts[1 + FAMILY_AXES] = {types->n ? types->n : 1};
    int axes = 1;
    for (int k = 0; k < FAMILY_AXES && f->axis[k].option; k++) {
        const cli_sizes *list = value_of(job, f->axis[k].option);
        counts[axes++] = list->n ? list->n : 1;
    }
    return cli_bench(job, counts, axes, bench_fits, bench_case);
}

/* ---- The command line -------------------------------------------------------------------------- */

/* "--a, --b and --c". */
static void join(cli_text *t, const char *const *word, int words)
{
    for (int k = 0; k < words; k++)
        cli_put(t, "%s--%s", k == 0 ? "" : k == words - 1 ? " and " : ", ", word[k]);
}

/* "--n and --type belong to a benchmark, not to a FILE". */
static int wrong_words(const cli_job *job, const char *before, const char *const *word, int words,
                       const char *one, const char *more)
{
    cli_text t = {0};
    cli_put(&t, "%s", before);
    join(&t, word, words);
    cli_put(&t, " %s", words == 1 ? one : more);
    const int code = cli_usage(job->of->name, t.s ? t.s : more);
    cli_text_free(&t);
    return code;
}

/* What belongs to a benchmark, and what takes one value. */
static int check_with_file(const cli_family *f, const cli_job *job)
{
    const cli_words *types = value_of(job, "type");
    const char *bench[FAMILY_AXES + 2], *single[FAMILY_AXES + 2];
    int benches = 0, singles = 0, given = 0, several = job->run->sched.n > 1;
    for (int k = 0; k < FAMILY_AXES && f->axis[k].option; k++) {
        const cli_sizes *list = value_of(job, f->axis[k].option);
        const int of_bench = f->axis[k].bench;
        *(of_bench ? &bench[benches++] : &single[singles++]) = f->axis[k].option;
        given += of_bench && list->n;
        several += !of_bench && list->n > 1;
    }
    *(f->bench_type ? &bench[benches++] : &single[singles++]) = "type";
    given += f->bench_type && types->n;
    several += !f->bench_type && types->n > 1;
    if (f->bench_choice) {
        bench[benches++] = f->bench_choice;
        given += *(const int *)value_of(job, f->bench_choice) >= 0;
    }
    single[singles++] = "sched";
    const char *const files = f->files > 1 ? "files" : "a FILE";
    char with[32], not_to[64], not_all[64];
    snprintf(with, sizeof with, "with %s, ", files);
    snprintf(not_to, sizeof not_to, "belongs to a benchmark, not to %s", files);
    snprintf(not_all, sizeof not_all, "belong to a benchmark, not to %s", files);
    if (given)
        return wrong_words(job, "", bench, benches, not_to, not_all);
    return several ? wrong_words(job, with, single, singles, "takes one value", "take one value")
                   : CLI_OK;
}

static int check_files(const cli_family *f, const cli_job *job)
{
    const cli_sizes *n = value_of(job, "n");
    const int files = job->files.n;
    if (files > f->files)
        return cli_usage(job->of->name, f->files > 1 ? "two files, A and B" : "one FILE at a time");
    if (files == f->files || (files == 0 && n->n))
        return CLI_OK;
    return cli_usage(job->of->name, f->files > 1
                                        ? "two files are needed, A and B, or --n for a benchmark"
                                        : "a FILE is needed, or --n for a benchmark");
}

static int check(cli_job *job)
{
    const cli_family *f = family_of(job);
    const char *paths[FAMILY_OUTPUTS];
    int outputs = 0, given = 0;
    for (; outputs < FAMILY_OUTPUTS && f->output[outputs]; outputs++) {
        paths[outputs] = *(const char *const *)value_of(job, f->output[outputs]);
        given += paths[outputs] != NULL;
    }
    int code = check_files(f, job);
    if (code == CLI_OK && !job->files.n && given)
        return wrong_words(job, "", f->output, outputs, "belongs to a FILE, not to a benchmark",
                           f->files > 1 ? "belong to files, not to a benchmark"
                                        : "belong to a FILE, not to a benchmark");
    if (code == CLI_OK && job->files.n)
        code = check_with_file(f, job);
    const char *wrong = code == CLI_OK ? f->wrong(job) : NULL;
    if (wrong)
        code = cli_usage(job->of->name, wrong);
    if (code == CLI_OK)
        code = cli_answers_spared(job, job->of->name);
    if (code != CLI_OK)
        return code;
    job->to_stdout = cli_count_stdout(paths, outputs);
    cli_answers(job);
    return job->files.n ? outputs_check(paths, outputs, NULL, &job->files, f->files) : CLI_OK;
}

static int work(cli_job *job) { return job->files.n ? solve_file(job) : bench(job); }

int family_begin(cli_job *job, const cli_command *command)
{
    const cli_family *f = command->family;
    *job = (cli_job){.of = command, .check = check, .work = work, .args = malloc(f->args_size)};
    if (!job->args) {
        cli_say("out of memory");
        return CLI_MEMORY;
    }
    memcpy(job->args, f->defaults, f->args_size);
    job->run = job->args;
    job->ref = value_of(job, "ref");
    *job->run = cli_run_defaults();
    return CLI_OK;
}

int family_run(const cli_command *command, int argc, char **argv)
{
    cli_job job;
    int code = family_begin(&job, command);
    if (code == CLI_OK)
        code = cli_compute(command, argc, argv, &job);
    free(job.args);
    return code;
}
