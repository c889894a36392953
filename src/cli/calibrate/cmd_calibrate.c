/* orrery calibrate: measures every codelet on this machine and freezes the models.
 *
 * A case (an algorithm at one size and type) is visited in each of several passes, so that a time
 * in which the machine was slower falls on a part of its runs only. The samples of a visit go to
 * the journal; when all passes are done the models are made, written beside their final place,
 * tried on runs that they were not made from, and moved there.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/cli/calibrate/calibrate_lapack.h"
#include "src/cli/calibrate/calibrate_measure.h"
#include "src/cli/calibrate/calibrate_report.h"
#include "src/cli/core/directory.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/run.h"
#include "src/cli/core/start.h"

struct args {
    const char *machine, *out;
    cli_words type;
    cli_sizes n;
    double cv, budget;
    int64_t repeat, cpus, cudas, opencls;
    int quick, force, verbose, quiet, in_process;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "What is written"},
    {"machine", 'M', OPT_TEXT, "NAME", "name of this machine (default: the host's)", NULL,
     AT(machine)},
    {"out", 'o', OPT_FILE, "DIR", "directory for NAME (default: where runs look)", NULL, AT(out)},
    {"force", 0, OPT_FLAG, NULL, "replace NAME, forget an unfinished one", NULL, AT(force)},
    {.kind = OPT_GROUP, .help = "What is measured"},
    {"quick", 0, OPT_FLAG, NULL, "few sizes, little time for each", NULL, AT(quick)},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z,h (default: all)", "s|d|c|z|h", AT(type)},
    {"n", 'n', OPT_SIZES, "SIZES", "other sizes than usual, of the one ALGO given", NULL, AT(n), 4,
     65536},
    {"cv", 0, OPT_REAL, "X", "goal: sd/mean/sqrt(runs) of a shape (default: 0.02)", NULL, AT(cv)},
    {"repeat", 'r', OPT_INT, "R", "most runs of a case (default: 60, quick 15)", NULL, AT(repeat),
     2, 100000},
    {"budget", 0, OPT_REAL, "S", "most seconds of a case (default: 4, quick 0.6)", NULL,
     AT(budget)},
    {.kind = OPT_GROUP, .help = "Where it runs"},
    {"cpus", 0, OPT_INT, "N", "CPU workers (default: all)", NULL, AT(cpus), 1, 4096},
    {"cudas", 0, OPT_INT, "N", "CUDA devices, 0 for none (default: all)", NULL, AT(cudas), 0, 64},
    {"opencls", 0, OPT_INT, "N", "OpenCL devices, for tests (default: none)", NULL, AT(opencls), 0,
     64},
    {"verbose", 'v', OPT_FLAG, NULL, "a line per case on stderr", NULL, AT(verbose)},
    {"quiet", 'q', OPT_FLAG, NULL, "no table, no progress", NULL, AT(quiet)},
    {"in-process", 0, OPT_FLAG, NULL, "no child process (for debuggers)", NULL, AT(in_process)},
    {.kind = OPT_END},
};

struct job {
    struct args *a;
    const char *machine, *command;
    cli_files algos;
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
    const struct args *a = job->a;
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
    const orr_status st = cli_start(&o, ctx);
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
    const struct args *a = job->a;
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
        cli_say("%s, pass %d: %zu tasks; %lld shapes are less certain than asked for", name, pass,
                all.n - before, (long long)unsure);
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
    const time_t now = time(NULL);
    snprintf(c->name, sizeof c->name, "%s", job->machine);
    snprintf(c->orrery, sizeof c->orrery, "%s %s", orr_version(), cli_git());
    snprintf(c->command, sizeof c->command, "%s", job->command);
    strftime(c->date, sizeof c->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
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
    code = told(orr_models_write(to, job->machine, models, message), message);
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
    if (!cal_cases_make(&cases, &job->algos, &job->a->type, 2, &none))
        return CLI_MEMORY;
    int code = told(orr_models_read(dir, job->machine, &m, message), message);
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
        printf("%lld models of '%s' in %s\n", (long long)models.count, job->machine,
               job->journal.final);
    cli_text_free(&t);
    verify_free(&v);
    orr_models_free(&models);
    return code;
}

static int work(void *arg)
{
    struct job *job = arg;
    const struct args *a = job->a;
    const int devices = a->cudas != 0 || a->opencls > 0;
    const int last = PASSES * (int)job->cases.n * (1 + devices);
    setenv("STARPU_HOSTNAME", job->machine, 1); /* the files' names */
    unsetenv("STARPU_PERF_MODEL_DIR");
    unsetenv("STARPU_CALIBRATE");
    cli_progress_start(&job->progress, "calibrate", a->verbose, a->quiet);
    int code = measure_all(job, CAL_ON_CPUS, last);
    if (code == CLI_OK && devices)
        code = measure_all(job, CAL_ON_DEVICES, last);
    cli_progress_end(&job->progress);
    if (job->unsure && !a->quiet)
        cli_say("%d shapes are less certain than --cv %g: few runs, a busy machine, or work that "
                "depends on the data",
                job->unsure, a->cv);
    return code == CLI_OK ? finish(job) : code;
}

/* ---- The command -------------------------------------------------------------------------------
 */

/* What is calibrated by itself, after the algorithms. */
static int is_lapack(const cli_files *algos)
{
    return algos->n == 1 && strcmp(algos->v[0], "lapack") == 0;
}

/* It is measured as programs call it, with the workers that the environment gives them. */
static int check_lapack(const struct args *a)
{
    if (isnan(a->cv) && a->cpus < 0 && a->cudas < 0 && a->opencls <= 0)
        return CLI_OK;
    cli_say("lapack: --cv, --cpus, --cudas and --opencls are for codelets");
    return CLI_USAGE;
}

static int check_arguments(struct args *a, const cli_files *algos, const char *machine)
{
    cli_guess_text guess;
    for (int i = 0; i < algos->n; i++) {
        if (cli_word_index(algos->v[i], cal_algorithms) >= 0 || is_lapack(algos))
            continue;
        if (strcmp(algos->v[i], "lapack") == 0) {
            cli_say("lapack is calibrated by itself");
            return CLI_USAGE;
        }
        cli_say("'%s' cannot be calibrated%s; known: %s", algos->v[i],
                cli_guess(algos->v[i], cal_words, guess), cal_words);
        return CLI_USAGE;
    }
    if (a->n.n && algos->n != 1) {
        cli_say("--n is for one ALGO; say which");
        return CLI_USAGE;
    }
    if (strlen(machine) > 60 || !*machine ||
        strspn(machine, "abcdefghijklmnopqrstuvwxyz"
                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != strlen(machine)) {
        cli_say("--machine: a name has letters, digits, - and _ only, at most 60 ('%s')", machine);
        return CLI_USAGE;
    }
    if (!(a->cv > 0 && a->budget > 0)) {
        cli_say("--%s must be positive, not %g", a->cv > 0 ? "budget" : "cv",
                a->cv > 0 ? a->budget : a->cv);
        return CLI_USAGE;
    }
    return CLI_OK;
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
    for (int i = 0; i < job->algos.n; i++)
        cli_put(t, " %s", job->algos.v[i]);
    for (int64_t i = 0; i < job->a->type.n; i++)
        cli_put(t, " %s", job->a->type.v[i]);
    for (int64_t i = 0; i < job->a->n.n; i++)
        cli_put(t, " %lld", (long long)job->a->n.v[i]);
}

/* Where the next run looks first; "perfmodels" if there is no such place. Its parents are made. */
static int find_out(const char *asked, char *out, size_t room)
{
    struct stat there;
    *out = '\0';
    for (int k = 0; k < 2 && !*out; k++)
        if (!orr_models_place(k, out, room))
            *out = '\0';
    if (asked || !*out)
        snprintf(out, room, "%s", asked ? asked : "perfmodels");
    for (char *slash = strchr(out + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!asked && mkdir(out, 0777) != 0 && stat(out, &there) != 0) {
            cli_say("%s: cannot be made: %s; --out chooses another directory", out,
                    strerror(errno));
            return CLI_FILE;
        }
        *slash = '/';
    }
    return CLI_OK;
}

/* 1: a run looks into this directory by itself. */
static int is_place(const char *out)
{
    char place[1024];
    for (int k = 0; orr_models_place(k, place, sizeof place); k++)
        if (!strcmp(place, out))
            return 1;
    return 0;
}

static int run_lapack(const struct job *job, const char *place)
{
    const struct args *a = job->a;
    const cal_lapack o = {.place = place,
                          .machine = job->machine,
                          .command = job->command,
                          .types = a->type,
                          .orders = a->n,
                          .repeat = a->repeat,
                          .budget = a->budget,
                          .quick = a->quick,
                          .force = a->force,
                          .verbose = a->verbose,
                          .quiet = a->quiet,
                          .in_process = a->in_process};
    const int code = cal_lapack_run(&o);
    if (code == CLI_OK && !a->quiet)
        printf(is_place(place) ? "liborrery_lapack uses them from now on\n"
                               : "to use them: ORRERY_PERFMODELS=%s\n",
               place);
    return code;
}

static int run_codelets(struct job *job, const char *place)
{
    const struct args *a = job->a;
    cli_text same = {0};
    int resumed = 0;
    agreement(job, &same);
    int code = journal_open(&job->journal, place, job->machine, same.s, a->force, &resumed);
    cli_text_free(&same);
    if (code == CLI_OK && resumed && !a->quiet)
        cli_say("going on with %s: %d visits to cases are done", job->journal.dir, resumed);
    if (code == CLI_OK)
        code = cli_isolate(a->in_process, work, job);
    if (code == CLI_OK && !a->quiet && is_place(place))
        printf("runs on this machine use them from now on\n");
    else if (code == CLI_OK && !a->quiet)
        printf("to use them: --model-dir %s\n", job->journal.final);
    return code;
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args a = {.cv = NAN, .budget = NAN, .repeat = -1, .cpus = -1, .cudas = -1};
    struct job job = {.a = &a};
    cli_text line = {0};
    char host[64], out[1024];
    int code;
    cli_command_line(&line, argc, argv);
    if (!cli_parse(command, argc, argv, &a, &job.algos, &code)) {
        cli_text_free(&line);
        return code;
    }
    const int lapack = is_lapack(&job.algos);
    code = lapack ? check_lapack(&a) : CLI_OK;
    a.cv = isnan(a.cv) ? 0.02 : a.cv;
    a.budget = isnan(a.budget) ? (a.quick ? 0.6 : 4) : a.budget;
    a.repeat = a.repeat == -1 ? (a.quick ? 15 : 60) : a.repeat;
    snprintf(host, sizeof host, "%s", cli_machine());
    host[strcspn(host, ".")] = 0;
    job.machine = a.machine ? a.machine : host;
    job.command = line.s;
    if (code == CLI_OK)
        code = check_arguments(&a, &job.algos, job.machine);
    if (code == CLI_OK && !lapack &&
        !cal_cases_make(&job.cases, &job.algos, &a.type, !a.quick, &a.n))
        code = CLI_MEMORY;
    if (code == CLI_OK)
        code = find_out(a.out, out, sizeof out);
    if (code == CLI_OK)
        code = lapack ? run_lapack(&job, out) : run_codelets(&job, out);
    cal_cases_free(&job.cases);
    cli_text_free(&line);
    cli_release(command, &a);
    return code;
}

const cli_command cmd_calibrate = {
    .name = "calibrate",
    .summary = "measure every codelet on this machine and freeze the performance models",
    .synopsis = "[options] [ALGO...]",
    .about =
        "Runs heevj, gesvj, hb2st, gb2bd, heev, hegv, gesvd, powm and pagerank (or the ALGOs\n"
        "given) at a grid of sizes on every kind of processor, and writes DIR/NAME, which the\n"
        "next run finds by itself unless --out says another DIR:\n"
        "StarPU's model and bus files, models.json for people, and 'calibration', which\n"
        "freezes them. After a kill the same command goes on where it was.\n"
        "With the word lapack it measures instead from which order on the preloaded library\n"
        "liborrery_lapack is faster than LAPACK, and writes these orders to DIR/NAME.lapack.\n"
        "docs/calibration.md tells more.",
    .options = options,
    .examples = "orrery calibrate\n"
                "orrery calibrate --quick --machine ci-2core --out perfmodels\n"
                "orrery calibrate hb2st --type d --n 1024,2048 --machine try --out /tmp/models\n"
                "orrery calibrate lapack --quick",
    .run = run,
    .words = cal_words,
};
