/* One process of orrery-sim for each point, because SimGrid simulates one node per process.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cli/core/directory.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/record.h"
#include "src/cli/core/run.h"
#include "src/cli/simulate/graph_info.h"
#include "src/cli/simulate/simulate_report.h"
#include "src/cli/simulate/simulate_work.h"

enum { LINE_SIZE = 65536, TRUTH_WORDS = 3 + ORR_TRUTH_BIASES };

/* ---- Other programs ------------------------------------------------------------------------ */

/* 0: no memory. */
static int set_variables(const struct simulate_job *job)
{
    const struct {
        const char *name, *value;
    } all[] = {
        {"STARPU_PERF_MODEL_DIR", job->dir},
        {"STARPU_HOSTNAME", job->node.name},
        {"STARPU_HOME", job->dir},
        {"STARPU_SILENT", "1"},
        {"STARPU_NOPENCL", "0"},
        /* The machine's task.overhead takes the place of StarPU's own guesses. */
        {"STARPU_SIMGRID_TASK_SUBMIT_COST", "0"},
        {"STARPU_SIMGRID_TASK_PUSH_COST", "0"},
        {"STARPU_SIMGRID_FETCHING_INPUT_COST", "0"},
        {"STARPU_SIMGRID_SCHED_COST", "0"},
        /* StarPU keeps what it has allocated on a device: only a first call pays for it. */
        {"STARPU_SIMGRID_CUDA_MALLOC_COST", job->args.cold ? "1" : "0"},
    };
    int good = 1;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        good = good && setenv(all[k].name, all[k].value, 1) == 0;
    return good;
}

/* What is written to the other end until it is closed, cut at `size`. How long that takes already is told. */
static void read_result(const struct simulate_job *job, int end, char *out, size_t size)
{
    cli_progress progress;
    size_t n = 0;
    cli_progress_start(&progress, "simulate", 0, job->args.quiet);
    while (n + 1 < size) {
        enum { MILLISECONDS = 250 };
        struct pollfd p = {.fd = end, .events = POLLIN};
        cli_progress_update(0, 0, &progress);
        if (poll(&p, 1, MILLISECONDS) == 0)
            continue;
        const ssize_t got = read(end, out + n, size - n - 1);
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        n += got > 0 ? (size_t)got : 0;
    }
    cli_progress_end(&progress);
    out[n] = '\0';
}

/* Runs words; its standard output, cut at `size`, to out if there is one. The exit code. */
static int run_program(const struct simulate_job *job, char *const *words, char *out, size_t size)
{
    int ends[2] = {-1, -1};
    if (out && pipe(ends) != 0)
        return CLI_RUNTIME;
    fflush(NULL);
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        if (!cli_end_with(parent, SIGKILL))
            _exit(CLI_RUNTIME);
        if (out) {
            dup2(ends[1], STDOUT_FILENO);
            close(ends[0]);
            close(ends[1]);
            if (!set_variables(job))
                _exit(CLI_MEMORY);
        }
        execv(words[0], words);
        _exit(127);
    }
    if (out) {
        close(ends[1]);
        read_result(job, ends[0], out, size);
        close(ends[0]);
    }
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : CLI_RUNTIME;
}

/* ---- The graph ------------------------------------------------------------------------------- */

const char simulate_algorithms[] = "heevj|gesvj|hb2st|gb2bd|heev|gesvd|powm|pagerank";

int simulate_algorithm(const char *word) { return cli_word_index(word, simulate_algorithms) >= 0; }

int simulate_misspelt(int count, char **words)
{
    cli_guess_text guess;
    for (int k = 1; k < count; k++)
        if (*words[k] != '-' && *words[k - 1] != '-' && access(words[k], F_OK) != 0 &&
            *cli_guess(words[k], simulate_algorithms, guess)) {
            cli_say("simulate: '%s' is neither a file nor an algorithm that can be simulated%s",
                    words[k], guess);
            return 1;
        }
    return 0;
}

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

/* What orrery-sim wrote, under its name, to where it is wanted. */
static int write_schedule(const struct simulate_job *job, const char *sched)
{
    char path[PATH_SIZE + 32], by[80];
    struct orr_dag d;
    snprintf(path, sizeof path, "%s/schedule.graph", job->dir);
    snprintf(by, sizeof by, "simulate:%s", sched);
    int code = orr_dag_read(&d, path);
    if (code)
        return code;
    orr_dag_schedule_by(&d, by, job->node.name);
    code = graph_write(&d, job->args.output);
    orr_dag_free(&d);
    return code;
}

static int simulate(struct simulate_job *job, char *sched, int cpus, int gpus)
{
    static char result[LINE_SIZE], truth[TRUTH_WORDS][128];
    char counts[2][16], costs[NODE_VALUES][96], seed[32], schedule[PATH_SIZE + 32];
    char *words[11 + NODE_VALUES + TRUTH_WORDS];
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
    snprintf(schedule, sizeof schedule, "schedule=%s/schedule.graph", job->dir);
    if (job->args.output)
        words[n++] = schedule;
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
    char *const line = code == CLI_OK ? strchr(result, '{') : NULL;
    json_text j = {0};
    if (line)
        line[strcspn(line, "\n")] = '\0';
    const json_value *v = line ? json_read(&j, line) : NULL;
    const struct point p = {sched, cpus, gpus, json_number_of(v, "makespan"), job->truth.seed};
    if (p.makespan >= 0) {
        if (!(job->first > 0))
            job->first = p.makespan;
        code = remember(job, &p);
        job->idle_gpus |= gpus > 0 && !*json_text_of(json_member(v, "times"), "cuda");
        if (code == CLI_OK && job->sink.table)
            simulate_table_row(job, v, &p);
        if (code == CLI_OK)
            code = simulate_json_line(job, line, &p);
        if (code == CLI_OK && job->args.output)
            code = write_schedule(job, sched);
    } else {
        cli_say("%d CPUs, %d GPUs, %s: the simulation failed (exit code %d)", cpus, gpus, sched,
                code);
        if (code != CLI_USAGE && code != CLI_FILE && code != CLI_MEMORY)
            code = CLI_RUNTIME;
    }
    json_free(&j);
    return code;
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
    if (job->sink.table)
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

/* ---- All of it --------------------------------------------------------------------------------- */

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

/* Once for all points, each of which would tell the same. */
static int check_graph(const struct simulate_job *job)
{
    struct orr_dag d;
    int code = orr_dag_read(&d, job->graph);
    if (code)
        return code;
    code = truth_fits(&job->truth, &d);
    orr_dag_free(&d);
    return code;
}

static void tell_idle_gpus(const struct simulate_job *job)
{
    if (job->idle_gpus)
        cli_say(
            "no task has a time on a GPU or a CUDA function that was recorded, so GPUs do nothing here; "
            "'orrery graph import FILE.graph --time CODELET=:US -o NEW.graph' gives tasks a time there");
}

struct input {
    struct simulate_job *job;
    const char *machine;
    int count;
    char **words;
};

static int work_in_directory(void *arg)
{
    const struct input *in = arg;
    struct simulate_job *job = in->job;
    char bus[PATH_SIZE + 8];
    snprintf(bus, sizeof bus, "%s/bus", job->dir);
    int code = mkdir(bus, 0777) == 0 ? CLI_OK : CLI_FILE;
    if (code == CLI_OK)
        code = lend_models(job, in->machine);
    if (code == CLI_OK && simulate_algorithm(in->words[0]))
        code = record_graph(job, in->count, in->words);
    else
        snprintf(job->graph, sizeof job->graph, "%s", in->words[0]);
    if (code == CLI_OK)
        code = check_graph(job);
    if (code == CLI_OK)
        code = all_points(job);
    tell_idle_gpus(job);
    if (job->args.plot && job->points > 0)
        code = cli_worse(code, simulate_picture(job));
    free(job->point);
    return code;
}

static void remove_directory(void *arg)
{
    const struct input *in = arg;
    cli_remove_tree(in->job->dir);
}

int simulate_work(struct simulate_job *job, const char *machine, int count, char **words)
{
    struct input in = {job, machine, count, words};
    const char *tmp = getenv("TMPDIR");
    snprintf(job->dir, sizeof job->dir, "%s/orrery-sim.XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(job->dir)) {
        cli_say("%s: %s", job->dir, strerror(errno));
        return CLI_FILE;
    }
    return cli_isolate(0, work_in_directory, remove_directory, &in);
}
