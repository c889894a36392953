/* orrery study: runs that answer a question, planned, made in randomised complete blocks, reported.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <unistd.h>

#include "src/cli/core/options.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/places.h"
#include "src/cli/study/store.h"
#include "src/cli/study/work.h"

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

/* A plan that comes with the command has a name without suffix. */
static const char *find_plan(const char *name, char *out, size_t size)
{
    static const char *const places[] = {"/../../examples/studies", "/../share/orrery/studies",
                                         NULL};
    char file[256];
    snprintf(file, sizeof file, "%.200s.yaml", name);
    return !strpbrk(name, "./") && access(name, F_OK) != 0 &&
                   place_find("ORRERY_STUDIES", places, file, out, size)
               ? out
               : name;
}

typedef int with_plan(const study_plan *, const study_how *, cli_sink *);

static int act(const struct args *a, const cli_files *rest, with_plan *action)
{
    const study_how how = {.out = a->out, .most = a->runs, .quiet = a->quiet};
    cli_sink sink = {0};
    study_plan p;
    char found[4096];
    if (rest->n != 1)
        return cli_usage("study", "one plan is needed: orrery study ACTION PLAN");
    const char *path = find_plan(rest->v[0], found, sizeof found);
    if (path != found && strcmp(path, "-") != 0 && !strpbrk(path, "./") &&
        access(path, F_OK) != 0) {
        cli_say("%s: neither a file nor a plan that comes with Orrery; docs/studies.md lists these",
                path);
        return CLI_FILE;
    }
    int code = CLI_OK;
    if (a->json && strcmp(a->json, "-"))
        code = output_spares(a->json, &(cli_files){(char *[]){(char *)path}, 1});
    if (code == CLI_OK)
        code = plan_read(&p, path);
    if (code != CLI_OK)
        return code;
    if (a->json && strcmp(a->json, "-"))
        code = store_spares(&p, a->out, a->json);
    if (code == CLI_OK)
        code = cli_sink_open(&sink, a->json, NULL, 0, a->quiet);
    if (code == CLI_OK)
        code = action(&p, &how, &sink);
    cli_sink_close(&sink);
    plan_free(&p);
    return code;
}

/* What it finds is in results.jsonl. */
static int make_runs(const study_plan *p, const study_how *how, cli_sink *sink)
{
    (void)sink;
    return study_run(p, how);
}

static int plan(void *args, const cli_files *rest) { return act(args, rest, study_plan_tell); }
static int runs(void *args, const cli_files *rest) { return act(args, rest, make_runs); }
static int status(void *args, const cli_files *rest) { return act(args, rest, study_status); }
static int report(void *args, const cli_files *rest) { return act(args, rest, study_report); }

static const cli_action actions[] = {{"plan", plan, "out|json|quiet"},
                                     {"run", runs, "out|runs|quiet"},
                                     {"status", status, "out|json|quiet"},
                                     {"report", report, "out|json|quiet"},
                                     {0}};

static int run(const cli_command *command, int argc, char **argv)
{
    struct args a = {0};
    return cli_act(command, argc, argv, &a, actions, NULL);
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
        "describes plans, and those that come with Orrery: zhou, heteroprio, bulge, bulge-hb2st, bulge-grain, zhou-simgrid, "
        "bulge-simgrid, heteroprio-simgrid.",
    .options = options,
    .examples = "orrery study plan policies.yaml\n"
                "orrery study run policies.yaml\n"
                "orrery study run policies.yaml --runs 10 -o /scratch/policies\n"
                "orrery study status policies.yaml --json -\n"
                "orrery study run heteroprio && orrery study report heteroprio",
    .run = run,
    .words = "plan|run|status|report",
};
