/* A case (an algorithm at one size and type) is visited in each of several passes, so that a time
 * in which the machine was slower falls on a part of its runs only. The samples of a visit go to
 * the journal; when all passes are done the models are made, written beside their final place,
 * tried on runs that they were not made from, and moved there.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/calibrate/calibrate_codelets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/calibrate/calibrate_measure.h"
#include "src/cli/calibrate/calibrate_report.h"
#include "src/cli/core/directory.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/run.h"
#include "src/cli/core/start.h"

struct job {
    const cal_job *a;
    cal_journal journal;
    cal_cases cases;
    cli_progress progress;
    int done, unsure; /* visits; shapes whose mean is less certain than asked for */
    orr_calibration about;
};

/* ---- All cases ------------------------------------------------------------------------------ */

enum { PASSES = 10, VERIFY_PASSES = 5 };
enum { DATA = 1, OTHER_DATA = 77 }; /* seeds, of verification the second */

/* CPUs alone with work stealing; devices with one CPU and a policy that asks no models. */
static int open_context(const struct job *job, int where, const char *model_dir, int samples,
                        orr_context **ctx, orr_context_info *info)
{
    const cal_job *a = job->a;
    char message[ORR_MESSAGE] = "";
    const orr_context_opts o = {
        .cpus = where == CAL_ON_DEVICES ? 1
                : a->cpus > 0           ? (int)a->cpus
                                        : 0,
        .cudas = where == CAL_ON_CPUS || a->cudas == 0 ? -1
                 : a->cudas > 0                        ? (int)a->cudas
                                                       : 0,
        .opencls = where == CAL_ON_CPUS ? 0 : (int)a->opencls,
        .sched = where == CAL_ON_CPUS ? "lws" : "eager",
        .model_dir = model_dir,
        .samples = samples,
        .message = message,
    };
    const orr_status st = cli_start(&o, cli_progress_shown(a->verbose, a->quiet), ctx);
    if (st != ORR_OK) {
        cli_say("%s%s%s", orr_strerror(st), *message ? ": " : "", message);
        return cli_exit_code(st, 0);
    }
    orr_context_query(*ctx, info);
    return CLI_OK;
}

/* A visit that the journal has already is not made again. */
static int visit(struct job *job, orr_context *ctx, cal_where where, const cal_case *c, int pass)
{
    const cal_job *a = job->a;
    const cal_effort effort = {.cv = a->cv,
                               .seconds = a->budget / PASSES,
                               .most = (a->repeat + PASSES - 1) / PASSES,
                               .first_run = job->done * (a->repeat + 10),
                               .seed = DATA};
    char name[96];
    cal_samples all = {0};
    int64_t unsure = 0;
    snprintf(name, sizeof name, "%s%s", c->name, where == CAL_ON_CPUS ? "" : "-device");
    if (journal_has(&job->journal, name, pass))
        return CLI_OK;
    int code = CLI_OK;
    for (int p = 1; p < pass && code == CLI_OK; p++)
        code = journal_get(&job->journal, name, p, &all);
    const size_t before = all.n;
    if (code == CLI_OK)
        code = cal_visit(ctx, where, c, &effort, &all, &unsure);
    if (code == CLI_OK)
        code = journal_put(&job->journal, name, pass, all.v + before, all.n - before);
    if (a->verbose && code == CLI_OK)
        cli_say("%s, pass %d: %zu tasks; %lld shape%s less certain than asked for", name, pass,
                all.n - before, (long long)unsure, unsure == 1 ? " is" : "s are");
    if (pass == PASSES)
        job->unsure += (int)unsure;
    cal_samples_free(&all);
    return code;
}

static int measure_all(struct job *job, int where, int last)
{
    char dir[1024];
    orr_context *ctx = NULL;
    orr_context_info info;
    snprintf(dir, sizeof dir, "%s/starpu", job->journal.dir);
    int code = open_context(job, where, dir, 1, &ctx, &info);
    if (code != CLI_OK)
        return code;
    snprintf(job->about.starpu, sizeof job->about.starpu, "%s", info.starpu);
    snprintf(job->about.blas, sizeof job->about.blas, "%s", info.blas);
    if (where == CAL_ON_DEVICES && info.cuda + info.opencl == 0) {
        if (job->a->cudas > 0 || job->a->opencls > 0) {
            cli_say("no %s worker is there", job->a->cudas > 0 ? "CUDA" : "OpenCL");
            code = CLI_RUNTIME;
        }
        orr_close(ctx);
        return code;
    }
    for (int pass = 1; code == CLI_OK && pass <= PASSES; pass++)
        for (int64_t k = 0; code == CLI_OK && k < job->cases.n; k++) {
            code = visit(job, ctx, where, &job->cases.v[k], pass);
            cli_progress_update(++job->done, last, &job->progress);
        }
    orr_close(ctx);
    return code;
}

/* ---- Models --------------------------------------------------------------------------------- */

static void describe(struct job *job)
{
    orr_calibration *c = &job->about;
    char utc[32];
    snprintf(c->name, sizeof c->name, "%s", job->a->machine);
    snprintf(c->orrery, sizeof c->orrery, "%s %s", orr_version(), cli_git());
    snprintf(c->command, sizeof c->command, "%s", job->a->command);
    snprintf(c->date, sizeof c->date, "%s", cli_utc(utc));
    orr_machine_query(&c->machine);
}

static int told(orr_status st, const char *message)
{
    if (st != ORR_OK)
        cli_say("%s", message);
    return cli_exit_code(st, 1);
}

/* From the journal to a frozen directory `to`. */
static int write_models(struct job *job, const char *to, orr_models *models)
{
    char message[ORR_MESSAGE] = "", from[1024], bus[1100];
    cal_samples all;
    int code = journal_all(&job->journal, &all);
    if (code == CLI_OK && all.n == 0) {
        cli_say("nothing was measured");
        code = CLI_RUNTIME;
    }
    if (code == CLI_OK && orr_models_make(all.v, all.n, models) != ORR_OK)
        code = CLI_MEMORY;
    cal_samples_free(&all);
    if (code != CLI_OK)
        return code;
    cli_remove_tree(to);
    code = told(orr_models_write(to, job->a->machine, models, message), message);
    /* StarPU measured the bus when it started */
    snprintf(from, sizeof from, "%s/starpu/bus", job->journal.dir);
    snprintf(bus, sizeof bus, "%s/bus", to);
    if (code == CLI_OK && rename(from, bus) != 0) {
        cli_say("%s: StarPU did not write its bus files", from);
        code = CLI_RUNTIME;
    }
    return code == CLI_OK ? told(orr_calibration_write(to, &job->about, message), message) : code;
}

/* Cases between the sizes of the grid, in passes as those of the grid are: a run in each. */
static int hold_out(const struct job *job, orr_context *ctx, cal_where where,
                    const cal_cases *cases, cal_samples *all)
{
    int code = CLI_OK;
    for (int pass = 1; code == CLI_OK && pass <= VERIFY_PASSES; pass++)
        for (int64_t k = 0; code == CLI_OK && k < cases->n; k++) {
            const cal_effort effort = {
                .cv = job->a->cv, .most = 1, .group = k, .first_run = pass, .seed = OTHER_DATA};
            cal_samples visit = {0};
            int64_t unsure;
            code = cal_visit(ctx, where, &cases->v[k], &effort, &visit, &unsure);
            for (size_t i = 0; code == CLI_OK && i < visit.n; i++)
                code = cal_samples_add(all, &visit.v[i]) ? CLI_OK : CLI_MEMORY;
            cal_samples_free(&visit);
        }
    return code;
}

/* Against what the files just written predict, by StarPU's rule. StarPU itself has them but is not
 * asked: after the first shape that it does not know it learns, and would then know the answers. */
static int verify_models(struct job *job, const char *dir, verification *v)
{
    char message[ORR_MESSAGE] = "";
    cal_samples all = {0};
    cal_cases cases;
    orr_models m;
    const cli_sizes none = {0};
    orr_context *ctx = NULL;
    orr_context_info info;
    if (!cal_cases_make(&cases, job->a->algos, &job->a->types, 2, &none))
        return CLI_MEMORY;
    int code = told(orr_models_read(dir, job->a->machine, &m, message), message);
    for (int where = CAL_ON_CPUS; where <= CAL_ON_DEVICES && code == CLI_OK; where++) {
        code = open_context(job, where, dir, 1, &ctx, &info);
        if (code != CLI_OK)
            break;
        if (where == CAL_ON_CPUS || info.cuda + info.opencl > 0)
            code = hold_out(job, ctx, (cal_where)where, &cases, &all);
        orr_close(ctx);
    }
    if (code == CLI_OK && !verify(&m, all.v, all.n, v))
        code = CLI_MEMORY;
    orr_models_free(&m);
    cal_samples_free(&all);
    cal_cases_free(&cases);
    return code;
}

static int finish(struct job *job)
{
    char dir[1024], path[1100];
    orr_models models = {0};
    verification v = {0};
    cli_text t = {0};
    snprintf(dir, sizeof dir, "%s/out", job->journal.dir);
    describe(job);
    int code = write_models(job, dir, &models);
    if (code == CLI_OK)
        code = verify_models(job, dir, &v);
    if (code == CLI_OK) {
        models_json(&t, &job->about, &models, &v);
        snprintf(path, sizeof path, "%s/models.json", dir);
        code = t.failed ? CLI_MEMORY : output_text(path, &t);
    }
    if (code == CLI_OK && !job->a->quiet) {
        verify_print(&v);
        devices_print(&models);
    }
    if (code == CLI_OK)
        code = journal_finish(&job->journal, dir);
    if (code == CLI_OK && !job->a->quiet)
        printf("%lld model%s of '%s' in %s\n", (long long)models.count, cli_plural(models.count),
               job->a->machine, job->journal.final);
    cli_text_free(&t);
    verify_free(&v);
    orr_models_free(&models);
    return code;
}

static int work(void *arg)
{
    struct job *job = arg;
    const cal_job *a = job->a;
    const int devices = a->cudas != 0 || a->opencls > 0;
    const int last = PASSES * (int)job->cases.n * (1 + devices);
    if (setenv("STARPU_HOSTNAME", job->a->machine, 1) != 0) /* the files' names */
        return CLI_MEMORY;
    unsetenv("STARPU_PERF_MODEL_DIR");
    unsetenv("STARPU_CALIBRATE");
    cli_progress_start(&job->progress, "calibrate", a->verbose, a->quiet);
    int code = measure_all(job, CAL_ON_CPUS, last);
    if (code == CLI_OK && devices)
        code = measure_all(job, CAL_ON_DEVICES, last);
    cli_progress_end(&job->progress);
    if (job->unsure && !a->quiet)
        cli_say("%d shape%s less certain than --cv %g: few runs, a busy machine, or work that "
                "depends on the data",
                job->unsure, job->unsure == 1 ? " is" : "s are", a->cv);
    return code == CLI_OK ? finish(job) : code;
}

/* What two runs must have in common for the second to go on with the first. */
static void agreement(const struct job *job, cli_text *t)
{
    orr_machine here;
    orr_machine_query(&here);
    cli_put(t,
            "%s, %d cores; quick %d, cv %g, repeat %lld, budget %g, cpus %lld, cudas %lld, "
            "opencls %lld, %lld cases in %d passes:",
            here.cpu, here.cores, job->a->quick, job->a->cv, (long long)job->a->repeat,
            job->a->budget, (long long)job->a->cpus, (long long)job->a->cudas,
            (long long)job->a->opencls, (long long)job->cases.n, PASSES);
    for (int i = 0; i < job->a->algos->n; i++)
        cli_put(t, " %s", job->a->algos->v[i]);
    for (int64_t i = 0; i < job->a->types.n; i++)
        cli_put(t, " %s", job->a->types.v[i]);
    for (int64_t i = 0; i < job->a->orders.n; i++)
        cli_put(t, " %lld", (long long)job->a->orders.v[i]);
}

static const char *algos_said(const cal_job *a)
{
    return a->algos->n == 1 ? a->algos->v[0] : "what is";
}

int cal_codelets_run(const cal_job *a)
{
    struct job job = {.a = a};
    cli_text same = {0};
    int resumed = 0;
    if (!cal_cases_make(&job.cases, a->algos, &a->types, !a->quick, &a->orders))
        return CLI_MEMORY;
    if (!job.cases.n) {
        cli_say("%s of such types and orders is not measured", algos_said(a));
        return CLI_USAGE;
    }
    agreement(&job, &same);
    int code = same.failed
                   ? CLI_MEMORY
                   : journal_open(&job.journal, a->place, a->machine, same.s, a->force, &resumed);
    cli_text_free(&same);
    if (code == CLI_OK && resumed && !a->quiet)
        cli_say("going on with %s: %d visits to cases are done", job.journal.dir, resumed);
    if (code == CLI_OK)
        code = cli_isolate(a->in_process, work, NULL, &job);
    cal_cases_free(&job.cases);
    journal_close(&job.journal);
    return code;
}
