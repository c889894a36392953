/* orrery simulate: a graph, recorded now or before, on nodes that SimGrid simulates.
 *
 * The simulation itself is another program, orrery-sim, which is built with the SimGrid flavour
 * of StarPU: one process per point, because SimGrid simulates one node per process.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cli/core/outputs.h"
#include "src/cli/core/places.h"
#include "src/cli/core/record.h"
#include "src/cli/core/run.h"
#include "src/cli/simulate/simulate_report.h"

enum { LINE_SIZE = 65536 };

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
    {"plot", 0, OPT_FILE, "FILE", "write a picture of the speedups, .svg", NULL, AT(plot)},
    {"recorded", 0, OPT_FLAG, NULL, "recorded times even if the machine has models", NULL,
     AT(recorded)},
    {"cold", 0, OPT_FLAG, NULL, "the first call: devices allocate their memory", NULL, AT(cold)},
    {"quiet", 'q', OPT_FLAG, NULL, "no table", NULL, AT(quiet)},
    {.kind = OPT_INCLUDE, .include = truth_options, AT(truth)},
    {.kind = OPT_END},
};

enum { TRUTH_WORDS = 3 + ORR_TRUTH_BIASES };

/* ---- Where things are --------------------------------------------------------------------- */

static int find_machine(struct simulate_job *job, char *path)
{
    static const char *const places[] = {"./perfmodels", "/../../perfmodels",
                                         "/../share/orrery/perfmodels", NULL};
    char name[256];
    const char *given = job->args.machine;
    if (strchr(given, '/')) {
        snprintf(path, PATH_SIZE, "%s", given);
        return CLI_OK;
    }
    snprintf(name, sizeof name, "%s.machine", given);
    if (place_find(job->self, "ORRERY_PERFMODELS", places, name, path, PATH_SIZE))
        return CLI_OK;
    if (node_find_starpu(given, path, PATH_SIZE))
        return CLI_OK;
    cli_say(
        "--machine: there is no perfmodels/%s here, in $ORRERY_PERFMODELS or where orrery is "
        "installed, nor has StarPU measured a machine of this name; docs/simulation.md tells how "
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
    if (place_find(job->self, "ORRERY_SIM", places, "", job->program, sizeof job->program))
        return CLI_OK;
    cli_say("there is no orrery-sim in $ORRERY_SIM or, if that is not set, near this orrery. To "
            "build it:");
    cli_say("  scripts/starpu simgrid && cmake --preset simgrid && "
            "cmake --build --preset simgrid --target orrery_sim");
    return CLI_SKIPPED;
}

/* ---- Other programs ------------------------------------------------------------------------ */

/* Runs words; its standard output, cut at `size`, to out if there is one. The exit code. */
static int run_program(const struct simulate_job *job, char *const *words, char *out, size_t size)
{
    int ends[2] = {-1, -1};
    if (out && pipe(ends) != 0)
        return CLI_RUNTIME;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        if (out) {
            dup2(ends[1], STDOUT_FILENO);
            close(ends[0]);
            close(ends[1]);
            setenv("STARPU_PERF_MODEL_DIR", job->dir, 1);
            setenv("STARPU_HOSTNAME", job->node.name, 1);
            setenv("STARPU_HOME", job->dir, 1);
            setenv("STARPU_SILENT", "1", 1);
            setenv("STARPU_NOPENCL", "0", 1);
            /* The machine's task.overhead takes the place of StarPU's own guesses. */
            setenv("STARPU_SIMGRID_TASK_SUBMIT_COST", "0", 1);
            setenv("STARPU_SIMGRID_TASK_PUSH_COST", "0", 1);
            setenv("STARPU_SIMGRID_FETCHING_INPUT_COST", "0", 1);
            setenv("STARPU_SIMGRID_SCHED_COST", "0", 1);
            /* StarPU keeps what it has allocated on a device: only a first call pays for it. */
            setenv("STARPU_SIMGRID_CUDA_MALLOC_COST", job->args.cold ? "1" : "0", 1);
        }
        execv(words[0], words);
        _exit(127);
    }
    size_t n = 0;
    if (out) {
        close(ends[1]);
        for (ssize_t got; n + 1 < size && (got = read(ends[0], out + n, size - n - 1)) != 0;)
            if (got > 0)
                n += (size_t)got;
            else if (errno != EINTR)
                break;
        out[n] = '\0';
        close(ends[0]);
    }
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : CLI_RUNTIME;
}

/* ---- The graph ------------------------------------------------------------------------------- */

static const char algorithms[] = "heevj|gesvj|hb2st|gb2bd|heev|gesvd|powm|pagerank";

static int is_algorithm(const char *word) { return cli_word_index(word, algorithms) >= 0; }

/* Runs the algorithm here, for real, and keeps its last run as a graph. */
static int record_graph(struct simulate_job *job, int count, char **words)
{
    char **line = calloc((size_t)count + 6, sizeof *line);
    int n = 0;
    if (!line)
        return CLI_MEMORY;
    snprintf(job->graph, sizeof job->graph, "%.*s/run.graph", PATH_SIZE - 16, job->dir);
    line[n++] = job->self;
    for (int k = 0; k < count; k++)
        line[n++] = words[k];
    line[n++] = "--trace";
    line[n++] = job->graph;
    line[n++] = "-q";
    const int code = run_program(job, line, NULL, 0);
    free(line);
    if (code != CLI_OK && code != CLI_NOCONV)
        cli_say("simulate: the run that was to be recorded ended with exit code %d", code);
    return code == CLI_NOCONV ? CLI_OK : code;
}

/* ---- A point ----------------------------------------------------------------------------------
 */

static int remember(struct simulate_job *job, const struct point *p)
{
    struct point *more = realloc(job->point, (size_t)(job->points + 1) * sizeof *more);
    if (!more)
        return CLI_MEMORY;
    job->point = more;
    job->point[job->points++] = *p;
    return CLI_OK;
}

static int simulate(struct simulate_job *job, char *sched, int cpus, int gpus)
{
    static char result[LINE_SIZE], truth[TRUTH_WORDS][128];
    char counts[2][16], costs[NODE_VALUES][96], seed[32];
    char *words[10 + NODE_VALUES + TRUTH_WORDS];
    int n = 0;
    snprintf(counts[0], sizeof counts[0], "%d", cpus);
    snprintf(counts[1], sizeof counts[1], "%d", gpus);
    words[n++] = job->program;
    words[n++] = job->graph;
    words[n++] = sched;
    words[n++] = counts[0];
    words[n++] = counts[1];
    for (int k = 0; k < NODE_VALUES; k++)
        if (node_is_cost(k) && job->node.v[k].line) {
            snprintf(costs[k], sizeof costs[k], "%s=%.17g", node_key(k), job->node.v[k].value);
            words[n++] = costs[k];
        }
    if (job->models)
        words[n++] = "models=1";
    for (int k = 0; k < TRUTH_WORDS && truth_word(&job->args.truth, k, truth[k], sizeof truth[k]);
         k++)
        words[n++] = truth[k];
    snprintf(seed, sizeof seed, "seed=%llu", (unsigned long long)job->truth.seed);
    words[n++] = seed;
    words[n++] = "--log=root.thres:error";
    words[n] = NULL;
    int code = *job->node.sampled ? node_lend_bus(&job->node, job->dir)
                                  : node_write_bus(&job->node, job->dir, cpus > 0 ? cpus : 1, gpus);
    if (code == CLI_OK)
        code = run_program(job, words, result, sizeof result);
    if (code == CLI_SKIPPED) {
        cli_say("%d CPUs, %d GPUs: cannot run there", cpus, gpus);
        return code;
    }
    if (code != CLI_OK || !strchr(result, '{') || !(simulate_number(result, "", "makespan") >= 0)) {
        cli_say("%d CPUs, %d GPUs, %s: the simulation failed (exit code %d)", cpus, gpus, sched,
                code);
        return code == CLI_USAGE || code == CLI_FILE || code == CLI_MEMORY ? code : CLI_RUNTIME;
    }
    if (!(job->first > 0))
        job->first = simulate_number(result, "", "makespan");
    const struct point p = {sched, cpus, gpus, simulate_number(result, "", "makespan"),
                            job->truth.seed};
    code = remember(job, &p);
    if (code == CLI_OK && job->table)
        simulate_table_row(job, strchr(result, '{'), &p);
    return code == CLI_OK && job->json >= 0 ? simulate_json_line(job, result, &p) : code;
}

static int all_points(struct simulate_job *job)
{
    static char dmdas[] = "dmdas";
    static char *sched_default[] = {dmdas};
    int64_t cores = (int64_t)job->node.v[NODE_CPU_CORES].value, none = 0;
    const struct simulate_args *a = &job->args;
    const cli_sizes cpus = a->cpus.n ? a->cpus : (cli_sizes){&cores, 1};
    const cli_sizes gpus = a->gpus.n ? a->gpus : (cli_sizes){&none, 1};
    const cli_words sched = a->sched.n ? a->sched : (cli_words){sched_default, 1};
    const int64_t counts[] = {sched.n, cpus.n, gpus.n, a->truth.seeds.n ? a->truth.seeds.n : 1};
    int64_t at[4] = {0};
    int code = CLI_OK;
    if (job->table)
        simulate_table_head(job);
    do {
        const int c = (int)cpus.v[at[1]], g = (int)gpus.v[at[2]];
        if (c + g == 0)
            continue;
        if (a->truth.seeds.n)
            job->truth.seed = (uint64_t)a->truth.seeds.v[at[3]];
        code = cli_worse(code, simulate(job, sched.v[at[0]], c, g));
    } while (code != CLI_RUNTIME && cli_next(at, counts, 4));
    return code;
}

/* ---- The command line -------------------------------------------------------------------- */

static int usage(const char *message) { return cli_usage("simulate", message); }

static int check_sizes(const struct simulate_job *job)
{
    const node *n = &job->node;
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

/* StarPU looks for models beside the bus files; those of the machine, which `orrery calibrate`
 * keeps in a directory beside its description and StarPU in one beside its own, are lent to it. */
static int lend_models(struct simulate_job *job, const char *machine)
{
    char from[PATH_SIZE + 80], to[PATH_SIZE + 16], real[PATH_SIZE];
    const char *slash = strrchr(machine, '/');
    if (job->args.recorded || !slash)
        return CLI_OK;
    if (*job->node.sampled)
        snprintf(from, sizeof from, "%.*s/../codelets", (int)(slash - machine), machine);
    else
        snprintf(from, sizeof from, "%.*s/%s/codelets", (int)(slash - machine), machine,
                 job->node.name);
    if (!realpath(from, real))
        return CLI_OK;
    snprintf(to, sizeof to, "%s/codelets", job->dir);
    job->models = symlink(real, to) == 0;
    if (!job->models)
        cli_say("%s: %s", to, strerror(errno));
    return job->models ? CLI_OK : CLI_FILE;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static int check_biases(const struct simulate_job *job)
{
    struct orr_dag d;
    int code = orr_dag_read(&d, job->graph);
    if (code)
        return code;
    code = truth_fits(&job->truth, &d);
    orr_dag_free(&d);
    return code;
}

/* words: the algorithm and its options, or one graph file. */
static int work(struct simulate_job *job, const char *machine, int count, char **words)
{
    char bus[PATH_SIZE + 8];
    const char *tmp = getenv("TMPDIR");
    snprintf(job->dir, sizeof job->dir, "%s/orrery-sim.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(job->dir)) {
        cli_say("%s: %s", job->dir, strerror(errno));
        return CLI_FILE;
    }
    snprintf(bus, sizeof bus, "%s/bus", job->dir);
    int code = mkdir(bus, 0777) == 0 ? CLI_OK : CLI_FILE;
    if (code == CLI_OK)
        code = lend_models(job, machine);
    if (code == CLI_OK && is_algorithm(words[0]))
        code = record_graph(job, count, words);
    else
        snprintf(job->graph, sizeof job->graph, "%s", words[0]);
    if (code == CLI_OK && job->truth.biases)
        code = check_biases(job);
    if (code == CLI_OK)
        code = all_points(job);
    if (job->args.plot && job->points > 0)
        code = cli_worse(code, simulate_picture(job));
    nftw(job->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return code;
}

/* Neither is the graph, and they are two files. */
static int check_outputs(const struct simulate_job *job, const cli_files *inputs)
{
    const char *const names[] = {job->args.json, job->args.plot};
    int code = CLI_OK;
    for (int k = 0; k < 2 && code == CLI_OK; k++)
        if (names[k] && strcmp(names[k], "-"))
            code = output_spares(names[k], inputs);
    if (code == CLI_OK && names[0] && names[1] && output_same(names[0], names[1])) {
        cli_say("--json and --plot name the same file");
        code = CLI_USAGE;
    }
    return code;
}

static int open_outputs(struct simulate_job *job)
{
    const char *json = job->args.json;
    const int on_stdout = json && !strcmp(json, "-");
    job->table = job->args.quiet ? NULL : on_stdout ? stderr : stdout;
    job->json = on_stdout ? STDOUT_FILENO
                : json    ? open(json, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)
                          : -1;
    if (json && job->json < 0) {
        cli_say("%s: %s", json, strerror(errno));
        return CLI_FILE;
    }
    return CLI_OK;
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct simulate_job job = {.json = -1};
    cli_text line = {0};
    cli_files files;
    char path[PATH_SIZE];
    int code, own = 1;
    cli_command_line(&line, argc, argv);
    job.command = line.s;
    while (own < argc && !is_algorithm(argv[own]))
        own++;
    char *const rest = own < argc ? argv[own] : NULL;
    argv[own] = NULL;
    if (!cli_parse(command, own, argv, &job.args, &files, &code)) {
        cli_text_free(&line);
        return code;
    }
    argv[own] = rest;
    const ssize_t n = readlink("/proc/self/exe", job.self, sizeof job.self - 1);
    if (!job.args.machine)
        code = usage("--machine NAME is needed");
    else if (files.n + (own < argc) != 1)
        code = usage("an algorithm with its options is needed, or one FILE.graph");
    else if (n < 0)
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
        code = find_program(&job);
    if (code == CLI_OK)
        code = check_outputs(&job, &files);
    if (code == CLI_OK)
        code = open_outputs(&job);
    if (code == CLI_OK)
        code = work(&job, path, own < argc ? argc - own : 1, own < argc ? argv + own : files.v);
    if (job.json > STDERR_FILENO)
        close(job.json);
    free(job.point);
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
        "docs/simulation.md describes the file. Without orrery-sim (SimGrid) the exit code is 77.",
    .options = options,
    .examples = "orrery simulate --machine h200x8 --gpus 0,1,8 heevj --n 32 --batch 20000\n"
                "orrery hb2st --n 2048 --band 64 --cpus 1 --repeat 1 --trace run.graph\n"
                "orrery simulate --machine ci-2core --cpus 1,2 --sched lws,dmdas run.graph",
    .run = run,
    .words = algorithms,
};
