/* orrery calibrate: measures every codelet on this machine and freezes the models.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <orrery/models.h>

#include "src/cli/calibrate/calibrate_cases.h"
#include "src/cli/calibrate/calibrate_codelets.h"
#include "src/cli/calibrate/calibrate_lapack.h"
#include "src/cli/calibrate/calibrate_methods.h"
#include "src/cli/core/job.h"
#include "src/cli/core/run.h"

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
    {"budget", 0, OPT_REAL, "S", "most seconds of a case (default: by what it is)", NULL,
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

/* What is calibrated by itself, after the algorithms. */
static const struct alone {
    const char *word, *user; /* and what uses it */
    int (*run)(const cal_job *);
    double budget, quick_budget; /* seconds of a row */
} alone[] = {
    {"lapack", "liborrery_lapack uses", cal_lapack_run, 4, 0.6},
    {"methods", "runs on this machine use", cal_methods_run, 15, 4},
};
enum { ALONE = sizeof alone / sizeof *alone };

static const struct alone *find_alone(const char *word)
{
    for (int k = 0; k < ALONE; k++)
        if (!strcmp(word, alone[k].word))
            return &alone[k];
    return NULL;
}

/* LAPACK is measured as programs call it, with the workers that the environment gives them; methods
 * with CPU workers. */
static int check_alone(const struct alone *is, const struct args *a)
{
    const int cpus_too = is->run == cal_methods_run;
    for (int64_t k = 0; k < a->type.n; k++)
        if (*a->type.v[k] == 'h') {
            cli_say("%s: types are s, d, c and z", is->word);
            return CLI_USAGE;
        }
    if (isnan(a->cv) && (cpus_too || a->cpus < 0) && a->cudas < 0 && a->opencls <= 0)
        return CLI_OK;
    cli_say("%s: --cv, %s--cudas and --opencls are for codelets", is->word,
            cpus_too ? "" : "--cpus, ");
    return CLI_USAGE;
}

static int check_arguments(struct args *a, const cli_files *algos, const char *machine)
{
    cli_guess_text guess;
    for (int i = 0; i < algos->n; i++) {
        const struct alone *is = find_alone(algos->v[i]);
        if (cli_word_index(algos->v[i], cal_algorithms) >= 0 || (is && algos->n == 1))
            continue;
        if (is) {
            cli_say("%s is calibrated by itself", is->word);
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

static void tell_use(const cal_job *job, const struct alone *is)
{
    if (is_place(job->place))
        printf("%s them from now on\n", is ? is->user : "runs on this machine use");
    else if (is)
        printf("to use them: ORRERY_PERFMODELS=%s\n", job->place);
    else
        printf("to use them: --model-dir %s/%s\n", job->place, job->machine);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args a = {.cv = NAN, .budget = NAN, .repeat = -1, .cpus = -1, .cudas = -1};
    cli_files algos;
    cli_text line = {0};
    char host[64], out[1024];
    int code;
    cli_command_line(&line, argc, argv);
    if (!cli_parse(command, argc, argv, &a, &algos, &code)) {
        cli_text_free(&line);
        return code;
    }
    const struct alone *is = algos.n == 1 ? find_alone(algos.v[0]) : NULL;
    code = is ? check_alone(is, &a) : CLI_OK;
    a.cv = isnan(a.cv) ? 0.02 : a.cv;
    if (isnan(a.budget))
        a.budget = is ? (a.quick ? is->quick_budget : is->budget) : a.quick ? 0.6 : 4;
    a.repeat = a.repeat == -1 ? (a.quick ? 15 : 60) : a.repeat;
    snprintf(host, sizeof host, "%s", cli_machine());
    host[strcspn(host, ".")] = 0;
    const cal_job job = {.place = out,
                         .machine = a.machine ? a.machine : host,
                         .command = line.s,
                         .algos = &algos,
                         .types = a.type,
                         .orders = a.n,
                         .repeat = a.repeat,
                         .budget = a.budget,
                         .cv = a.cv,
                         .cpus = a.cpus,
                         .cudas = a.cudas,
                         .opencls = a.opencls,
                         .quick = a.quick,
                         .force = a.force,
                         .verbose = a.verbose,
                         .quiet = a.quiet,
                         .in_process = a.in_process};
    if (code == CLI_OK)
        code = check_arguments(&a, &algos, job.machine);
    if (code == CLI_OK)
        code = find_out(a.out, out, sizeof out);
    if (code == CLI_OK)
        code = is ? is->run(&job) : cal_codelets_run(&job);
    if (code == CLI_OK && !a.quiet)
        tell_use(&job, is);
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
        "With the word methods: below which orders heev and gesvd had better reduce a matrix\n"
        "directly than in two stages; to DIR/NAME.methods.\n"
        "docs/calibration.md tells more.",
    .options = options,
    .examples = "orrery calibrate\n"
                "orrery calibrate --quick --machine ci-2core --out perfmodels\n"
                "orrery calibrate hb2st --type d --n 1024,2048 --machine try --out /tmp/models\n"
                "orrery calibrate lapack --quick\n"
                "orrery calibrate methods",
    .run = run,
    .words = cal_words,
};
