/* orrery record: runs a program that uses StarPU and keeps its graph (src/record).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cli/core/outputs.h"
#include "src/cli/core/places.h"
#include "src/cli/core/record.h"
#include "src/cli/core/run.h"
#include "src/cli/core/start.h"
#include "src/graph/dag.h"

enum { PATH_SIZE = 4096, LONG_NAME = 200 };

struct args {
    const char *output, *json;
    int quiet;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Options"},
    {"output", 'o', OPT_FILE, "FILE", "the graph (default: run.graph)", NULL, AT(output)},
    {"json", 0, OPT_FILE, "FILE", "append a JSON object", NULL, AT(json)},
    {"quiet", 'q', OPT_FLAG, NULL, "do not say what was recorded", NULL, AT(quiet)},
    {.kind = OPT_END},
};

static int find_library(char *path)
{
    static const char *const places[] = {"/orrery_record.so", ORR_MODULES "/orrery_record.so",
                                         NULL};
    if (place_find("ORRERY_RECORD_LIBRARY", places, "", path, PATH_SIZE))
        return CLI_OK;
    cli_say(
        "record: there is no orrery_record.so in $ORRERY_RECORD_LIBRARY or, if that is not set, near "
        "this orrery");
    return CLI_SKIPPED;
}

/* Whole, since the program may go elsewhere; of a link, that of the file it leads to. */
static int whole_path(const char *path, char out[PATH_SIZE])
{
    char here[PATH_SIZE] = "", *target = output_target(path);
    const int relative = target && *target != '/';
    const int fits =
        target && (!relative || getcwd(here, sizeof here)) &&
        snprintf(out, PATH_SIZE, "%s%s%s", here, relative ? "/" : "", target) < PATH_SIZE;
    free(target);
    return fits;
}

static void become(const char *library, const char *graph, const char *note, char **words)
{
    const char *before = getenv("LD_PRELOAD");
    char *all = malloc(strlen(library) + (before ? strlen(before) : 0) + 2);
    cli_blas_core_forget();
    if (all) {
        sprintf(all, "%s%s%s", library, before && *before ? ":" : "", before ? before : "");
        if (setenv("LD_PRELOAD", all, 1) == 0 && setenv("ORRERY_RECORD", graph, 1) == 0 &&
            setenv("ORRERY_RECORD_NOTE", note, 1) == 0 && setenv("STARPU_PROFILING", "1", 1) == 0)
            execvp(words[0], words);
    }
    cli_say("record: %s: %s", words[0], strerror(all ? errno : ENOMEM));
    _exit(errno == ENOENT ? 127 : 126);
}

/* ld.so ends a name at a blank or a colon. link becomes "", or a name for such a library: in a new
 * directory, to be removed with it. Returns the name to preload, or NULL. */
static const char *nameable(const char *library, char link[PATH_SIZE])
{
    const char *place = getenv("TMPDIR");
    link[0] = '\0';
    if (!strpbrk(library, " :"))
        return library;
    if (!place || *place != '/' || strpbrk(place, " :")) /* the program may go elsewhere */
        place = "/tmp";
    char directory[PATH_SIZE - 20], *whole = realpath(library, NULL);
    const int made = whole &&
                     snprintf(directory, sizeof directory, "%s/orrery-record.XXXXXX", place) <
                         (int)sizeof directory &&
                     mkdtemp(directory);
    if (made)
        snprintf(link, PATH_SIZE, "%s/orrery_record.so", directory);
    const int linked = made && symlink(whole, link) == 0;
    if (made && !linked)
        rmdir(directory);
    free(whole);
    return linked ? link : NULL;
}

static void remove_link(char *link)
{
    if (link[0]) {
        unlink(link);
        *strrchr(link, '/') = '\0';
        rmdir(link);
    }
}

/* ---- Signals ----------------------------------------------------------------------------------- */

static volatile sig_atomic_t program;

/* Those of a terminal the program has, too: they come from the kernel, to all of the group. */
static void pass_on(int sig, siginfo_t *from, void *context)
{
    (void)context;
    if (program > 0 && from->si_code <= 0)
        kill((pid_t)program, sig);
}

static void signals_to_pass(sigset_t *set)
{
    static const int all[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    sigemptyset(set);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        sigaddset(set, all[k]);
}

/* The program decides what they mean. */
static void pass_signals(const sigset_t *passed)
{
    struct sigaction old, action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int sig = 1; sig <= SIGTERM; sig++)
        if (sigismember(passed, sig) == 1 && sigaction(sig, NULL, &old) == 0 &&
            old.sa_handler != SIG_IGN) /* as under nohup */
            sigaction(sig, &action, NULL);
}

/* ---- The program ------------------------------------------------------------------------------- */

/* The program's own exit status, 128 and the signal that ended it. Signals to pass are blocked, and were as `before`
 * says. */
static int run_program(const char *library, const char *graph, const char *note, char **words,
                       const sigset_t *passed, const sigset_t *before)
{
    int status = 0;
    char link[PATH_SIZE];
    library = nameable(library, link);
    if (!library) {
        cli_say("record: a link to orrery_record.so cannot be made: %s", strerror(errno));
        return CLI_FILE;
    }
    fflush(NULL);
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        if (!cli_end_with(parent, SIGTERM))
            _exit(CLI_RUNTIME);
        sigprocmask(SIG_SETMASK, before, NULL);
        become(library, graph, note, words);
    }
    program = pid;
    pass_signals(passed);
    sigprocmask(SIG_SETMASK, before, NULL);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    program = 0;
    remove_link(link);
    if (pid < 0)
        return CLI_RUNTIME;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int tell(const struct args *a, const char *path, cli_sink *sink)
{
    struct orr_dag d;
    cli_text t = {0};
    int code = orr_dag_read(&d, path);
    if (code)
        return code;
    if (!a->quiet)
        cli_say("%s: %zu tasks, %zu data, on %d CPU and %d CUDA workers", path, d.tasks, d.all_data,
                d.workers[ORR_DAG_CPU], d.workers[ORR_DAG_CUDA]);
    cli_put(&t, "{");
    cli_member_json(&t, "recorded", path);
    cli_put(&t, ",\"tasks\":%zu,\"data\":%zu}\n", d.tasks, d.all_data);
    code = cli_sink_line(sink, &t);
    orr_dag_free(&d);
    return code;
}

/* Processes that end at once take the name in turn only if it is free. 1: the file that had it has
 * the name old, cut where there is no room for more; 0: there was none; -1: errno says why not. */
static int set_aside(const char *graph, char old[PATH_SIZE + 32])
{
    const char *name = strrchr(graph, '/') + 1;
    const int keep = (int)(name - graph) + (int)strnlen(name, LONG_NAME);
    snprintf(old, PATH_SIZE + 32, "%.*s.orr-old-%ld", keep, graph, (long)getpid());
    return rename(graph, old) == 0 ? 1 : errno == ENOENT ? 0 : -1;
}

/* The exit code that the preloaded library noted where it could write no graph, 0: it did not. */
static int failure(int noted)
{
    char code = 0;
    return pread(noted, &code, 1, 0) == 1 ? code : 0;
}

static int record(const struct args *a, char **words)
{
    char library[PATH_SIZE], graph[PATH_SIZE], old[PATH_SIZE + 32];
    struct stat st;
    cli_sink sink = {0};
    if (!strcmp(a->output, "-"))
        return cli_usage("record", "standard output is the program's: --output needs a file");
    int code = output_is_graph("--output", a->output);
    if (code == CLI_OK)
        code = find_library(library);
    if (code == CLI_OK)
        code = output_check(a->output);
    if (code == CLI_OK && a->json && strcmp(a->json, "-") && output_same(a->json, a->output))
        code = cli_usage("record", "--json and --output name the same file");
    if (code == CLI_OK) /* what cannot be written is told before the program runs */
        code = cli_sink_open(&sink, a->json, NULL, 0, 1);
    if (code == CLI_OK && !whole_path(a->output, graph))
        code = CLI_FILE;
    if (code == CLI_OK && stat(graph, &st) == 0 && !S_ISREG(st.st_mode)) {
        cli_say("record: %s is no plain file", a->output);
        code = CLI_FILE;
    }
    if (code != CLI_OK)
        return code;
    sigset_t passed, before;
    signals_to_pass(&passed);
    /* until it is known to whom; what is set aside has to be put back */
    sigprocmask(SIG_BLOCK, &passed, &before);
    const int was = set_aside(graph, old);
    if (was < 0) {
        cli_say("record: %s: cannot be replaced: %s", a->output, strerror(errno));
        return CLI_FILE;
    }
    char note[64];
    const int noted = memfd_create("orrery record", MFD_CLOEXEC); /* the name of its open file: */
    snprintf(note, sizeof note, "/proc/%ld/fd/%d", (long)getpid(), noted);
    code = run_program(library, graph, note, words, &passed, &before);
    const int why = failure(noted);
    close(noted);
    if (access(graph, R_OK) == 0) {
        if (was)
            unlink(old);
        const int told = tell(a, a->output, &sink);
        cli_sink_close(&sink);
        return code ? code : told;
    }
    const int back = was && rename(old, graph) == 0;
    cli_say("record: no graph was written%s%s%s%s", back ? ", " : "", back ? a->output : "",
            back ? " is as it was" : "",
            why ? ""
                : ". If nothing above says why: the program must use StarPU and end it "
                  "(starpu_shutdown)");
    return code ? code : why ? why : CLI_RUNTIME;
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args a = {.output = "run.graph"};
    cli_files rest;
    int code;
    if (!cli_parse(command, argc, argv, &a, &rest, &code))
        return code;
    char **words = calloc((size_t)rest.n + 1, sizeof *words);
    if (!words)
        code = CLI_MEMORY;
    else if (!rest.n)
        code = cli_usage("record", "a program is needed, behind --");
    else {
        memcpy(words, rest.v, (size_t)rest.n * sizeof *words);
        code = record(&a, words);
    }
    free(words);
    cli_release(command, &a);
    return code;
}

const cli_command cmd_record = {
    .name = "record",
    .summary = "run any StarPU program and keep its graph",
    .synopsis = "[-o FILE.graph] -- PROGRAM [its arguments]",
    .about =
        "PROGRAM needs no change: a preloaded library notes its tasks, data, edges and times, and "
        "writes the graph when the program ends StarPU. The exit status is that of the "
        "program; 3 if the graph cannot be written, 6 if it used no StarPU, 77 if the library is not installed. The program's "
        "StarPU must be of the version that Orrery was built with. Signals that are sent to orrery record go to "
        "the program. If there are several processes, the first "
        "to end writes FILE and the others FILE.PID. docs/laboratory.md tells more.",
    .options = options,
    .examples = "orrery record -o run.graph -- ./my_program --size 4000\n"
                "orrery graph info run.graph",
    .run = run,
};
