/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "src/cli/core/outputs.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/ranks.h"
#include "src/cli/core/run.h"
#include "src/cli/core/start.h"
#include "src/cli/core/units.h"

#include <orrery/models.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define AT(field) .at = offsetof(cli_run, field)

const cli_option cli_run_options[] = {
    {.kind = OPT_GROUP, .help = "Where it runs"},
    {"sched", 's', OPT_WORDS, "S", "StarPU policies to use, e.g. lws,dmdas", NULL, AT(sched),
     .complete = "sched"},
    {"cpus", 0, OPT_INT, "N", "CPU workers, 0 for none (default: all)", NULL, AT(cpus), 0, 4096},
    {"cudas", 0, OPT_INT, "N", "CUDA devices, 0 for none (default: all)", NULL, AT(cudas), 0, 64},
    {"opencls", 0, OPT_INT, "N", "OpenCL devices, for tests (default: none)", NULL, AT(opencls), 0,
     64},
    {"model-dir", 0, OPT_FILE, "DIR", "performance models of StarPU", NULL, AT(model_dir)},
    {"max-memory", 0, OPT_INT, "BYTES", "refuse work that needs more (default: free memory)", NULL,
     AT(max_memory), 1},
    {"in-process", 0, OPT_FLAG, NULL, "no child process (for debuggers)", NULL, AT(in_process)},
    {.kind = OPT_GROUP, .help = "What it reports"},
    {"repeat", 'r', OPT_INT, "R", "timed runs, of which the median is reported", NULL, AT(repeat),
     1, 1000000},
    {"seed", 0, OPT_INT, "K", "of random matrices (default: 1)", NULL, AT(seed), 0, INT64_MAX},
    {"json", 0, OPT_FILE, "FILE", "append a JSON line per run (- is stdout)", NULL, AT(json)},
    {"csv", 0, OPT_FILE, "FILE", "append a CSV line per run (- is stdout)", NULL, AT(csv)},
    {"trace", 0, OPT_FILE, "FILE", "every task: .html, .svg, .json, .paje, .csv, .graph",
     "html|svg|json|paje|csv|graph", AT(trace)},
    {"explain", 0, OPT_FLAG, NULL, "show the plan and its cost, compute nothing", NULL,
     AT(explain)},
    {"verbose", 'v', OPT_FLAG, NULL, "say more on stderr", NULL, AT(verbose)},
    {"quiet", 'q', OPT_FLAG, NULL, "no results, no table, no progress", NULL, AT(quiet)},
    {.kind = OPT_END},
};

const cli_option cli_check_options[] = {
    {"check", 'c', OPT_FLAG, NULL, "verify the results; exit 1 if they are wrong", NULL, AT(check)},
    {.kind = OPT_END},
};

const cli_option cli_file_options[] = {
    {"all", 0, OPT_FLAG, NULL, "print all values of FILE, however many", NULL, AT(all)},
    {"bench", 0, OPT_FLAG, NULL, "print the times instead of the results", NULL, AT(bench)},
    {.kind = OPT_END},
};

cli_run cli_run_defaults(void)
{
    return (cli_run){
        .cpus = -1, .cudas = -1, .opencls = -1, .repeat = -1, .seed = 1, .max_memory = -1};
}

void cli_command_line(cli_text *t, int argc, char **argv)
{
    cli_put(t, "orrery");
    for (int k = 0; k < argc; k++) {
        cli_put(t, " ");
        cli_put_shell(t, argv[k]);
    }
}

/* ---- The child ------------------------------------------------------------------------ */

static volatile sig_atomic_t child;
static volatile int *cudas; /* that the child has; shared with it */

static void forward(int signal_number)
{
    if (child > 0)
        kill((pid_t)child, signal_number);
}

static int is_request(int signal_number)
{
    return signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP ||
           signal_number == SIGQUIT || signal_number == SIGPIPE;
}

/* The shell is to see that we, too, ended by this signal. */
static void die_of(int signal_number)
{
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* StarPU aborts when a device is of no use any more: a kernel that stood still says why. */
static void on_abort(int signal_number)
{
    char text[300];
    if (orr_device_stall(text, sizeof text))
        cli_say("%s", text);
    die_of(signal_number);
}

int cli_end_with(pid_t parent, int signal_number)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, signal_number);
#else
    (void)signal_number;
#endif
    return getppid() == parent;
}

int cli_isolate(int in_process, int (*work)(void *), void (*clean)(void *), void *arg)
{
    enum { FORWARDED = 4 };
    static const int forwarded[FORWARDED] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    if (in_process) {
        const int code = work(arg);
        if (clean)
            clean(arg);
        return code;
    }
    fflush(NULL);
    void *shared =
        mmap(NULL, sizeof *cudas, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cudas = shared == MAP_FAILED ? NULL : shared;
    const pid_t parent = getpid(), pid = fork();
    if (pid < 0) {
        cli_say("fork: %s", strerror(errno));
        if (clean)
            clean(arg);
        return CLI_RUNTIME;
    }
    if (pid == 0) {
        if (!cli_end_with(parent, SIGKILL))
            _exit(CLI_RUNTIME);
        signal(SIGABRT, on_abort);
        const int before = cli_said(), code = work(arg);
        if (code == CLI_MEMORY && cli_said() == before) /* small pieces fail without a word */
            cli_say("out of memory");
        exit(cli_worse(code, cli_flush(stdout)));
    }
    child = pid;
    struct sigaction action = {.sa_handler = forward, .sa_flags = SA_RESTART}, old[FORWARDED];
    sigemptyset(&action.sa_mask);
    for (int k = 0; k < FORWARDED; k++) {
        sigaction(forwarded[k], NULL, &old[k]);
        if (old[k].sa_handler != SIG_IGN) /* as under nohup */
            sigaction(forwarded[k], &action, NULL);
    }
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    child = 0;
    if (clean)
        clean(arg);
    for (int k = 0; k < FORWARDED; k++)
        sigaction(forwarded[k], &old[k], NULL);
    cli_said_elsewhere(); /* the child has told its reasons */
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    const int signal_number = WTERMSIG(status);
    if (is_request(signal_number))
        die_of(signal_number);
    char who[32] = "";
    if (cli_ranks_hushed()) { /* rank 0 does not know */
        snprintf(who, sizeof who, "rank %d: ", cli_rank());
        cli_ranks_speak();
    }
    cli_say(
        "%sthe computation ended by signal %d (%s)%s", who, signal_number, strsignal(signal_number),
        signal_number == SIGKILL   ? ": often the kernel, for want of memory"
        : signal_number != SIGABRT ? ""
        : cudas && *cudas > 0 ? ": StarPU or a library gave up, as StarPU does when a CUDA call "
                                "fails; what it said stands above"
                              : ": StarPU or a library gave up; what it said stands above");
    return CLI_RUNTIME;
}

/* ---- The context ---------------------------------------------------------------------- */

/* On the command line 0 is none; in the library's options 0 is all (of OpenCL: none). */
static int workers(int64_t given) { return given < 0 ? 0 : given == 0 ? -1 : (int)given; }

static int fewer(const char *what, int64_t asked, int got, const char *why)
{
    if (asked > got)
        cli_say("%lld %s workers asked for, StarPU has %d%s", (long long)asked, what, got, why);
    return asked > 0 && got == 0;
}

int cli_recorded(const cli_run *run)
{
    if (cli_ranks_comm()) /* a process sees a part of the work only */
        return 0;
    return run->trace || run->json || run->csv || run->verbose;
}

void cli_before_run(const cli_run *run, orr_context *context, int last)
{
    if (!cli_recorded(run))
        return;
    orr_trace_enable(context, last || run->trace);
    orr_trace_mark(context, run->trace == NULL);
}

void cli_after_run(const cli_run *run, orr_context *context, cli_record *r)
{
    if (!cli_recorded(run))
        return;
    r->analysed = orr_trace_analyse(context, &r->analysis) == ORR_OK;
    orr_trace_enable(context, run->trace != NULL);
    if (r->analysed && run->verbose)
        cli_say_analysis(&r->analysis);
}

/* sched: that of the command line; NULL: the environment has it. */
static void say_policies(const char *sched)
{
    const char *wrong = sched ? sched : getenv("STARPU_SCHED"), *refused = NULL;
    char all[2048] = "", near[64];
    orr_policy_info p;
    for (int k = 0; wrong && orr_policy(k, &p); k++) {
        const size_t used = strlen(all);
        if (!p.refused)
            snprintf(all + used, sizeof all - used, "%s%s", used ? "|" : "", p.name);
        else if (!strcmp(p.name, wrong))
            refused = p.refused;
    }
    if (wrong && refused)
        cli_say("StarPU's %s is not usable here: %s", wrong, refused);
    else
        cli_say("%s (%s'%s')", orr_strerror(ORR_E_SCHED),
                sched ? "" : "STARPU_SCHED=", wrong ? wrong : "");
    const char *guess = wrong ? cli_nearest(wrong, all, near, sizeof near) : NULL;
    if (guess)
        cli_say("did you mean '%s'?", guess);
    cli_say("'orrery sched' lists the policies");
}

int cli_check_policies(const cli_words *sched)
{
    for (int64_t i = 0; i < sched->n; i++) {
        orr_policy_info p;
        int usable = 0;
        for (int k = 0; !usable && orr_policy(k, &p); k++)
            usable = !p.refused && !strcmp(p.name, sched->v[i]);
        if (!usable) {
            say_policies(sched->v[i]);
            return CLI_USAGE;
        }
    }
    return CLI_OK;
}

int cli_open(const cli_run *run, const char *sched, orr_context **context, orr_context_info *info)
{
    char message[ORR_MESSAGE] = "";
    const orr_context_opts opts = {
        .cpus = workers(run->cpus),
        .cudas = workers(run->cudas),
        .opencls = run->opencls > 0 ? (int)run->opencls : 0,
        .sched = sched,
        .model_dir = run->model_dir,
        .trace = cli_recorded(run),
        .message = message,
        .mpi_comm = cli_ranks_comm(),
    };
    const orr_status status =
        cli_start(&opts, cli_progress_shown(run->verbose, run->quiet), context);
    if (*message) /* broken models, refused or passed over */
        cli_say("%s", message);
    if (status == ORR_E_FILE)
        return CLI_FILE;
    if (status != ORR_OK) {
        if (status == ORR_E_SCHED)
            say_policies(sched);
        else if (status != ORR_E_ARG || !*message)
            cli_say("%s", orr_strerror(status));
        return cli_exit_code(status, 0);
    }
    orr_context_query(*context, info);
    if (cudas)
        *cudas = info->cuda;
    char limit[64];
    snprintf(limit, sizeof limit, " (it can drive at most %d)", info->max_cpus);
    fewer("CPU", run->cpus, info->cpu, run->cpus > info->max_cpus ? limit : "");
    const int lacking = fewer("CUDA", run->cudas, info->cuda,
                              info->has_cuda ? "" : " (this orrery is built without CUDA)") ||
                        fewer("OpenCL", run->opencls, info->opencl, "");
    if (cli_ranks_code(lacking ? CLI_RUNTIME : CLI_OK) != CLI_OK) {
        orr_close(*context);
        *context = NULL;
        return CLI_RUNTIME;
    }
    if (run->verbose)
        cli_say("StarPU %s, policy %s, %d CPU, %d CUDA, %d OpenCL workers; BLAS %s; models in %s",
                info->starpu, info->sched, info->cpu, info->cuda, info->opencl, info->blas,
                *info->model_source ? info->model_source : info->model_dir);
    return CLI_OK;
}

int cli_check_trace(const cli_run *run)
{
    if (!run->trace)
        return CLI_OK;
    static const char *const known[] = {".html", ".svg", ".json", ".paje", ".csv", ".graph"};
    const char *dot = strrchr(run->trace, '.');
    for (size_t k = 0; dot && k < sizeof known / sizeof *known; k++)
        if (!strcmp(dot, known[k]))
            return output_check(run->trace);
    cli_say("--trace: '%s' ends neither in .html nor in .svg, .json, .paje, .csv or .graph",
            run->trace);
    return CLI_USAGE;
}

int cli_close(const cli_run *run, orr_context *context)
{
    int code = CLI_OK;
    if (context && run->trace) {
        const orr_status status = orr_trace_write(context, run->trace);
        if (status != ORR_OK) {
            cli_say("%s: cannot write: %s", run->trace,
                    status == ORR_E_FILE ? strerror(errno) : orr_strerror(status));
            code = cli_exit_code(status, 1);
        }
    }
    orr_close(context);
    return code;
}

/* ---- Memory --------------------------------------------------------------------------- */

static int64_t first_number(const char *path, const char *key)
{
    char line[256];
    long long value = -1;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key)) && sscanf(line + strlen(key), "%lld", &value) == 1)
            break;
    if (f)
        fclose(f);
    return value;
}

int64_t cli_free_memory(void)
{
    const int64_t available = first_number("/proc/meminfo", "MemAvailable:");
    int64_t bytes = available > 0 ? available * 1024 : -1;
    const int64_t limit = first_number("/sys/fs/cgroup/memory.max", "");
    const int64_t used = first_number("/sys/fs/cgroup/memory.current", "");
    if (limit > 0 && used >= 0 && (bytes < 0 || limit - used < bytes))
        bytes = limit > used ? limit - used : 0;
    return bytes;
}

int cli_check_memory(const cli_run *run, double bytes, const char *what)
{
    const int64_t limit = run->max_memory > 0 ? run->max_memory : cli_free_memory();
    if (limit < 0 || bytes <= (double)limit)
        return CLI_OK;
    cli_units_text need, have;
    cli_say("%s needs %s, %s %s", what, cli_units_bytes(bytes, need),
            run->max_memory > 0 ? "--max-memory allows" : "free are",
            cli_units_bytes((double)limit, have));
    return CLI_MEMORY;
}

void cli_describe(cli_record *r, const char *algo, const orr_context_info *info,
                  const char *command, int64_t seed)
{
    r->algo = algo;
    r->sched = info->sched;
    r->cpus = info->cpu;
    r->cudas = info->cuda;
    r->opencls = info->opencl;
    r->starpu = info->starpu;
    r->blas = info->blas;
    r->cuda = info->cuda_version;
    r->command = command;
    r->seed = seed;
}
