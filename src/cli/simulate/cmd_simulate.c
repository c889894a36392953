/* orrery simulate: a graph, recorded now or before, on nodes that SimGrid simulates.
 *
 * The simulation itself is another program, orrery-sim, which is built with the SimGrid flavour
 * of StarPU: one process per point, because SimGrid simulates one node per process.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <orrery/models.h>

#include "src/cli/core/outputs.h"
#include "src/cli/core/places.h"
#include "src/cli/core/record.h"
#include "src/cli/core/run.h"
#include "src/cli/simulate/graph_file.h"
#include "src/cli/simulate/replay_list.h"
#include "src/cli/simulate/simulate_report.h"
#include "src/cli/simulate/simulate_work.h"

#define AT(field) .at = offsetof(struct simulate_args, field)

static const cli_option options[] = {
    {"machine", 'M', OPT_TEXT, "NAME", "perfmodels/NAME.machine, or StarPU's; or a path", NULL,
     AT(machine)},
    {"cpus", 0, OPT_SIZES, "LIST", "CPU workers (default: the machine's cores)", NULL, AT(cpus), 0,
     64},
    {"gpus", 0, OPT_SIZES, "LIST", "CUDA devices (default: 0)", NULL, AT(gpus), 0, 8},
    {"sched", 's', OPT_WORDS, "S", "policies (default: dmdas)", NULL, AT(sched),
     .complete = "sched"},
    {"json", 0, OPT_FILE, "FILE", "append a JSON line per point (- is stdout)", NULL, AT(json)},
    {"output", 'o', OPT_FILE, "FILE", "the schedule of the point as a graph", NULL, AT(output)},
    {"plot", 0, OPT_FILE, "FILE", "write a picture of the speedups, .svg", NULL, AT(plot)},
    {"recorded", 0, OPT_FLAG, NULL, "recorded times even if the machine has models", NULL,
     AT(recorded)},
    {"cold", 0, OPT_FLAG, NULL, "the first call: devices allocate their memory", NULL, AT(cold)},
    {"quiet", 'q', OPT_FLAG, NULL, "no table", NULL, AT(quiet)},
    {.kind = OPT_INCLUDE, .include = truth_options, AT(truth)},
    {.kind = OPT_END},
};

/* ---- Where things are --------------------------------------------------------------------- */

/* Where `orrery calibrate` keeps models there may be a description beside them. 0: there is none; models: the
 * directory of models of such a machine, or "". */
static int find_beside_models(const char *given, char *path, char *models)
{
    char place[512];
    *models = '\0';
    for (int k = 0; orr_models_place(k, place, sizeof place); k++) {
        snprintf(path, PATH_SIZE, "%s/%s.machine", place, given);
        if (*place && access(path, F_OK) == 0)
            return 1;
        snprintf(path, PATH_SIZE, "%s/%s/calibration", place, given);
        if (*place && !*models && access(path, F_OK) == 0)
            snprintf(models, PATH_SIZE, "%s/%s", place, given);
    }
    return 0;
}

static int find_machine(struct simulate_job *job, char *path)
{
    static const char *const places[] = {"./perfmodels", "/../../perfmodels",
                                         "/../share/orrery/perfmodels", NULL};
    char name[256];
    const char *given = job->args.machine;
    char models[PATH_SIZE];
    struct stat st;
    if (strchr(given, '/')) {
        snprintf(path, PATH_SIZE, "%s", given);
        if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
            return CLI_OK;
        cli_say(
            "--machine: %s is a directory; the description of a machine is a file, such as %.*s.machine beside it "
            "(docs/simulation.md)",
            given, (int)(strlen(given) - (given[strlen(given) - 1] == '/')), given);
        return CLI_FILE;
    }
    snprintf(name, sizeof name, "%s.machine", given);
    if (place_find("ORRERY_PERFMODELS", places, name, path, PATH_SIZE))
        return CLI_OK;
    if (find_beside_models(given, path, models) || node_find_starpu(given, path, PATH_SIZE))
        return CLI_OK;
    if (*models)
        cli_say("%s has models, but nothing describes the machine: write %s.machine", models,
                models);
    cli_say(
        "--machine: there is no perfmodels/%s here, in $ORRERY_PERFMODELS, where orrery is "
        "installed or calibrate keeps models, nor has StarPU measured a machine of this name; docs/simulation.md tells how "
        "to write one",
        name);
    return CLI_FILE;
}

static int is_of_starpu(const char *path)
{
    const size_t n = strlen(path), suffix = strlen(".config");
    return n > suffix && !strcmp(path + n - suffix, ".config");
}

static int find_program(struct simulate_job *job)
{
    static const char *const places[] = {"/orrery-sim", "/../simgrid/orrery-sim",
                                         "/../libexec/orrery/orrery-sim", NULL};
    if (place_find("ORRERY_SIM", places, "", job->program, sizeof job->program))
        return CLI_OK;
    cli_say("there is no orrery-sim in $ORRERY_SIM or, if that is not set, near this orrery. To "
            "build it:");
    cli_say("  scripts/starpu simgrid && cmake --preset simgrid && "
            "cmake --build --preset simgrid --target orrery_sim");
    return CLI_SKIPPED;
}

/* ---- The command line -------------------------------------------------------------------- */

static int usage(const char *message) { return cli_usage("simulate", message); }

/* 1: a list is given and all of it is zero. */
static int only_zeros(const cli_sizes *list)
{
    for (int64_t k = 0; k < list->n; k++)
        if (list->v[k])
            return 0;
    return list->n > 0;
}

static int check_sizes(const struct simulate_job *job)
{
    const node *n = &job->node;
    if (only_zeros(&job->args.cpus) && (!job->args.gpus.n || only_zeros(&job->args.gpus)))
        return usage("neither --cpus nor --gpus has a worker");
    for (int64_t k = 0; k < job->args.cpus.n; k++)
        if ((double)job->args.cpus.v[k] > n->v[NODE_CPU_CORES].value) {
            cli_say("%s has %g cores, not %lld", n->name, n->v[NODE_CPU_CORES].value,
                    (long long)job->args.cpus.v[k]);
            return CLI_USAGE;
        }
    for (int64_t k = 0; k < job->args.gpus.n; k++)
        if ((double)job->args.gpus.v[k] > n->v[NODE_GPU_COUNT].value) {
            cli_say("%s has %g GPUs, not %lld", n->name, n->v[NODE_GPU_COUNT].value,
                    (long long)job->args.gpus.v[k]);
            return CLI_USAGE;
        }
    return CLI_OK;
}

/* None is the graph or the machine, and they are different files. */
static int check_outputs(const struct simulate_job *job, const cli_files *inputs, char *machine)
{
    const char *const names[] = {job->args.json, job->args.plot, job->args.output};
    static const char *const options_of[] = {"--json", "--plot", "--output"};
    const cli_files described = {&machine, 1};
    int code = CLI_OK;
    for (int k = 0; k < 3 && code == CLI_OK; k++)
        if (names[k] && strcmp(names[k], "-") &&
            (code = output_spares(names[k], inputs)) == CLI_OK &&
            (code = output_spares(names[k], &described)) == CLI_OK)
            code = output_check(names[k]);
    if (code == CLI_OK && names[1])
        code = output_is_svg("--plot", names[1]);
    if (code == CLI_OK && names[2])
        code = output_is_graph("--output", names[2]);
    for (int k = 1; k < 3; k++)
        for (int j = 0; j < k && code == CLI_OK; j++)
            if (names[j] && names[k] && output_same(names[j], names[k])) {
                cli_say("%s and %s name the same file", options_of[j], options_of[k]);
                code = CLI_USAGE;
            }
    return code;
}

static int check_schedule(const struct simulate_args *a)
{
    if (a->output && (a->sched.n > 1 || a->cpus.n > 1 || a->gpus.n > 1 || a->truth.seeds.n > 1))
        return usage(
            "--output is for one point: one --sched, one number of --cpus and --gpus, one of --seeds");
    return CLI_OK;
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct simulate_job job = {0};
    cli_text line = {0};
    cli_files files;
    char path[PATH_SIZE];
    int code, own = 1;
    cli_command_line(&line, argc, argv);
    job.command = line.s;
    while (own < argc && !simulate_algorithm(argv[own]))
        own++;
    if (own == argc && simulate_misspelt(argc, argv)) {
        cli_text_free(&line);
        return CLI_USAGE;
    }
    char *const rest = own < argc ? argv[own] : NULL;
    argv[own] = NULL;
    if (!cli_parse(command, own, argv, &job.args, &files, &code)) {
        cli_text_free(&line);
        return code;
    }
    argv[own] = rest;
    if (!job.args.machine)
        code = usage("--machine NAME is needed");
    else if (files.n + (own < argc) != 1)
        code = usage("an algorithm with its options is needed, or one FILE.graph");
    else if (!place_self(job.self, sizeof job.self))
        code = CLI_RUNTIME;
    else
        code = truth_read(&job.args.truth, &job.truth);
    if (code == CLI_OK)
        code = find_machine(&job, path);
    if (code == CLI_OK)
        code = is_of_starpu(path) ? node_read_starpu(&job.node, path) : node_read(&job.node, path);
    if (code == CLI_OK)
        code = check_sizes(&job);
    if (code == CLI_OK)
        code = list_check_policies(&job.args.sched);
    if (code == CLI_OK)
        code = check_schedule(&job.args);
    if (code == CLI_OK)
        code = check_outputs(&job, &files, path);
    if (code == CLI_OK && files.n)
        code = graph_lasts(files.v[0]);
    if (code == CLI_OK)
        code = find_program(&job);
    if (code == CLI_OK)
        code = cli_sink_open(&job.sink, job.args.json, NULL,
                             job.args.output && !strcmp(job.args.output, "-"), job.args.quiet);
    if (code == CLI_OK)
        code = simulate_work(&job, path, own < argc ? argc - own : 1,
                             own < argc ? argv + own : files.v);
    cli_sink_close(&job.sink);
    cli_release(command, &job.args);
    cli_text_free(&line);
    return code;
}

const cli_command cmd_simulate = {
    .name = "simulate",
    .summary = "run a recorded graph on a described node, simulated by SimGrid",
    .synopsis = "--machine NAME [options] ALGO [its options] | FILE.graph",
    .files = "graph",
    .about =
        "ALGO runs once, here and for real, and its graph (tasks, data, times of tasks) is run again\n"
        "on the simulated node, with as many iterations as that run took. A FILE.graph that an earlier\n"
        "run wrote (--trace FILE.graph) does as well. CPU tasks take their recorded times; GPU tasks\n"
        "do if they ran on a GPU, otherwise a roofline estimate, which the table calls so. The\n"
        "machine's values are marked measured, derived or assumed; the weakest mark ends each line.\n"
        "With --noise, --bias, --spikes or --slow tasks take other times than those the schedulers know.\n"
        "--output writes the schedule as a graph, which orrery graph draw draws.\n"
        "docs/simulation.md describes the file. Without orrery-sim (SimGrid) the exit code is 77.",
    .options = options,
    .examples = "orrery simulate --machine h200x8 --gpus 0,1,8 heevj --n 32 --batch 20000\n"
                "orrery hb2st --n 2048 --band 64 --cpus 1 --repeat 1 --trace run.graph\n"
                "orrery simulate --machine ci-2core --cpus 1,2 --sched lws,dmdas run.graph",
    .run = run,
    .words = simulate_algorithms,
};
