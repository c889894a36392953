/* orrery study: runs that answer a question, planned, made in randomised complete blocks, reported.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <unistd.h>

#include "src/cli/core/options.h"
#include "src/cli/core/places.h"
#include "src/cli/study/work.h"

#define ACTIONS "plan|run|status|report"

struct args {
    const char *out, *json;
    int64_t runs;
    int quiet;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Options"},
    {"out", 'o', OPT_FILE, "DIR", "of the study (default: NAME.study)", NULL, AT(out)},
    {"runs", 0, OPT_INT, "N", "run: start so many now, the rest later", NULL, AT(runs), 1,
     STUDY_RUNS},
    {"json", 0, OPT_FILE, "FILE", "append a JSON line; report: for each comparison", NULL,
     AT(json)},
    {"quiet", 'q', OPT_FLAG, NULL, "no table, no progress", NULL, AT(quiet)},
    {.kind = OPT_END},
};

static int act(const char *what, const study_plan *p, const struct args *a)
{
    const study_how how = {.out = a->out, .most = a->runs, .quiet = a->quiet};
    cli_sink sink = {.json = -1, .csv = -1};
    if (!strcmp(what, "run"))
        return study_run(p, &how);
    int code = cli_sink_open(&sink, a->json, NULL, 0, a->quiet);
    if (code == CLI_OK)
        code = !strcmp(what, "plan")     ? study_plan_tell(p, &how, &sink)
               : !strcmp(what, "status") ? study_status(p, &how, &sink)
                                         : study_report(p, &how, &sink);
    cli_sink_close(&sink);
    return code;
}

static int check(const cli_files *rest, const struct args *a)
{
    char word[16], near[16];
    int k = 0;
    if (!rest->n)
        return cli_usage("study", "what is to be done? One of " ACTIONS);
    while (cli_bar_word(ACTIONS, k, word, sizeof word) && strcmp(word, rest->v[0]))
        k++;
    if (!cli_bar_word(ACTIONS, k, word, sizeof word)) {
        const char *guess = cli_nearest(rest->v[0], ACTIONS, near, sizeof near);
        cli_say("study: '%s' is none of " ACTIONS "%s%s%s", rest->v[0],
                guess ? "; did you mean '" : "", guess ? guess : "", guess ? "'?" : "");
        return CLI_USAGE;
    }
    if (rest->n != 2)
        return cli_usage("study", "one plan is needed: orrery study ACTION PLAN");
    if (a->json && !strcmp(word, "run"))
        return cli_usage("study", "--json means nothing to run: what it finds is in results.jsonl");
    if (a->runs && strcmp(word, "run") != 0)
        return cli_usage("study", "--runs is for run");
    return CLI_OK;
}

/* A plan that comes with the command has a name without suffix. */
static const char *find_plan(const char *name, char *out, size_t size)
{
    static const char *const places[] = {"/../../examples/studies", "/../share/orrery/studies",
                                         NULL};
    char self[4096], file[256];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    snprintf(file, sizeof file, "%.200s.yaml", name);
    return !strpbrk(name, "./") && access(name, F_OK) != 0 &&
                   place_find(self, "ORRERY_STUDIES", places, file, out, size)
               ? out
               : name;
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args a = {0};
    cli_files rest;
    study_plan p;
    char found[4096];
    int code;
    if (!cli_parse(command, argc, argv, &a, &rest, &code))
        return code;
    code = check(&rest, &a);
    if (code == CLI_OK) {
        code = plan_read(&p, find_plan(rest.v[1], found, sizeof found));
        if (code == CLI_OK) {
            code = act(rest.v[0], &p, &a);
            plan_free(&p);
        }
    }
    cli_release(command, &a);
    return code;
}

const cli_command cmd_study = {
    .name = "study",
    .summary = "many runs that answer a question: plan, run, status, report",
    .synopsis = "plan|run|status|report PLAN.yaml [options]",
    .files = "yaml|yml|json",
    .about =
        "A plan (YAML or JSON) has a command with {placeholders}, the values that stand for them and how often each "
        "is run. plan: checks it, tells how many runs there are, how long they take and which difference they can "
        "find; nothing is written. run: every combination once in each block, in an order of its own for each block; "
        "what has ended is a line of NAME.study/results.jsonl. If it is killed at any moment, the same command goes on from "
        "there and repeats at most one run. status: how far the study is, and which runs failed. Exit status: 1 if a run failed, 3 "
        "if the plan is wrong (file and line are told), or the plan or one of its programs has changed since the "
        "study began, 6 if another runner is at work there, 77 if it is YAML and this orrery has no libfyaml. docs/studies.md "
        "describes plans. zhou, heteroprio and bulge are plans that come with Orrery.",
    .options = options,
    .examples = "orrery study plan policies.yaml\n"
                "orrery study run policies.yaml\n"
                "orrery study run policies.yaml --runs 10 -o /scratch/policies\n"
                "orrery study status policies.yaml --json -\n"
                "orrery study run heteroprio && orrery study report heteroprio",
    .run = run,
    .words = ACTIONS,
};
