/* orrery: the table of commands, and what concerns all of them.
 *
 * A new command: write cmd_X.c, which defines `const cli_command cmd_X`, and add one line to
 * COMMANDS. Parsing, help, man page and completion follow from its option table.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "src/cli/core/ranks.h"
#include "src/cli/core/simd.h"
#include "src/cli/machine/machine.h"

#define COMMANDS(ROW)                                                                              \
    ROW(cmd_heev)                                                                                  \
    ROW(cmd_hegv)                                                                                  \
    ROW(cmd_heevj)                                                                                 \
    ROW(cmd_powm)                                                                                  \
    ROW(cmd_pagerank)                                                                              \
    ROW(cmd_gesvd)                                                                                 \
    ROW(cmd_gesvj)                                                                                 \
    ROW(cmd_hbev)                                                                                  \
    ROW(cmd_hb2st)                                                                                 \
    ROW(cmd_gb2bd)                                                                                 \
    ROW(cmd_sched)                                                                                 \
    ROW(cmd_calibrate)                                                                             \
    ROW(cmd_models)                                                                                \
    ROW(cmd_info)                                                                                  \
    ROW(cmd_doctor)                                                                                \
    ROW(cmd_compare)                                                                               \
    ROW(cmd_record)                                                                                \
    ROW(cmd_graph)                                                                                 \
    ROW(cmd_replay)                                                                                \
    ROW(cmd_simulate)                                                                              \
    ROW(cmd_study)

#define DECLARE(command) extern const cli_command command;
#define ADDRESS(command) &command,
COMMANDS(DECLARE)
static const cli_command *const commands[] = {COMMANDS(ADDRESS) NULL};

/* clang-format off */
const cli_option cli_main_options[] = {
    { .name = "help", .letter = 'h', .kind = OPT_FLAG, .help = "list the commands" },
    { .name = "version", .letter = 'V', .kind = OPT_FLAG, .help = "print the version" },
    { .name = "man", .kind = OPT_FLAG,
      .help = "print the man page, or that of a command: orrery --man=heev | man -l -" },
    { .name = "completion", .kind = OPT_CHOICE, .choices = CLI_SHELLS,
      .help = "print completions: source <(orrery --completion bash)" },
    { .name = "complete", .kind = OPT_CHOICE, .choices = CLI_WORDS,
      .help = "print the words that completions ask for" },
    { .kind = OPT_END },
};
/* clang-format on */

/* ---- Shared with the commands (cli.h) ------------------------------------------------ */

static int lines_said;

int cli_said(void) { return lines_said; }

void cli_said_elsewhere(void) { lines_said++; }

void cli_say(const char *format, ...)
{
    char line[2048], text[2000];
    va_list list;
    if (cli_ranks_hushed())
        return;
    lines_said++;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const int input = !strncmp(text, "-: ", 3); /* FILE; outputs are called standard output */
    snprintf(line, sizeof line - 1, "orrery: %s%s", input ? "standard input" : "", text + input);
    for (char *c = line; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?';
    const size_t n = strlen(line);
    line[n] = '\n';
    /* One write, so that lines of several processes do not mix. */
    if (write(STDERR_FILENO, line, n + 1) < 0)
        return;
}

int cli_usage(const char *command, const char *message)
{
    cli_say("%s: %s", command, message);
    cli_say("'orrery %s --help' shows examples", command);
    return CLI_USAGE;
}

int cli_flush(FILE *f)
{
    errno = 0;
    if (fflush(f) == 0 && !ferror(f))
        return CLI_OK;
    if (!errno) { /* a piece before the last one failed: the next one says why */
        fputc('\n', f);
        fflush(f);
    }
    cli_say("%s: cannot write%s%s", f == stdout ? "standard output" : "standard error",
            errno ? ": " : "", errno ? strerror(errno) : "");
    clearerr(f); /* told once */
    return CLI_FILE;
}

double cli_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int cli_worse(int a, int b)
{
    static const int order[] = {CLI_RUNTIME, CLI_MEMORY, CLI_USAGE,  CLI_FILE,
                                CLI_NOCONV,  CLI_CHECK,  CLI_SKIPPED};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        if (a == order[k] || b == order[k])
            return order[k];
    return CLI_OK;
}

int cli_exit_code(orr_status status, int had_file)
{
    switch (status) {
    case ORR_OK: return CLI_OK;
    case ORR_NOCONV: return CLI_NOCONV;
    case ORR_NONFINITE:
    case ORR_RANGE: return CLI_FILE;
    case ORR_E_ARG: return had_file ? CLI_FILE : CLI_USAGE;
    case ORR_E_SCHED: return CLI_USAGE;
    case ORR_E_FILE: return CLI_FILE;
    case ORR_E_NOMEM: return CLI_MEMORY;
    default: return CLI_RUNTIME;
    }
}

/* ---- The command line of orrery itself -------------------------------------------------- */

static void general_help(FILE *f)
{
    fprintf(f, "Usage: orrery COMMAND [options] [FILE...]\n"
               "Eigenvalues and singular values on CPUs and GPUs\n\nCommands:\n");
    for (int k = 0; commands[k]; k++)
        fprintf(f, "  %-12s %s\n", commands[k]->name, commands[k]->summary);
    fprintf(f, "\nOptions:\n");
    for (const cli_option *o = cli_main_options; o->kind != OPT_END; o++)
        fprintf(f, "  --%-12s %s\n", o->name, o->help);
    fprintf(f, "\nExamples:\n"
               "  orrery heev a.txt                   eigenvalues of a symmetric matrix\n"
               "  orrery gesvd a.csv --values s.npy   singular values, written to a file\n"
               "  orrery heev --n 1000 --ref lapack   a benchmark beside LAPACK\n"
               "  orrery COMMAND --help               options and examples of a command\n"
               "  orrery doctor                       is this machine set up well?\n");
}

const cli_command *cli_command_named(const char *name)
{
    for (int k = 0; commands[k]; k++)
        if (!strcmp(name, commands[k]->name) || cli_word_index(name, commands[k]->aliases) >= 0)
            return commands[k];
    return NULL;
}

/* What NumPy, SciPy, LAPACK and MATLAB call it. */
static const struct {
    const char *theirs, *about, *ours;
} foreign[] = {
    {"eigh", "eigenvalues of a Hermitian matrix", "orrery heev"},
    {"eigvalsh", "eigenvalues of a Hermitian matrix", "orrery heev"},
    {"syevr|heevr|syevx|heevx", "some eigenvalues of a Hermitian matrix", "orrery heev --range"},
    {"svdvals", "singular values", "orrery gesvd; of batches: orrery gesvj"},
    {"svds|sparsesvd", "a few singular values of a sparse matrix", "orrery powm --singular"},
    {"eigsh", "a few eigenvalues of a sparse Hermitian matrix", "orrery powm"},
    {"eigs", "a few eigenvalues of a sparse matrix", "orrery powm"},
    {"eig_banded|eigvals_banded", "eigenvalues of a band matrix", "orrery hbev"},
    {"eigh_tridiagonal|eigvalsh_tridiagonal|sterf|steqr|stedc|stemr|stev|stevd|stevr|stevx",
     "eigenvalues of a tridiagonal matrix", "orrery hbev, as a band of two rows"},
    {"eig|eigvals|geev", "eigenvalues of a general matrix",
     "there is none; of a Hermitian one: orrery heev; a few of a sparse one: orrery powm"},
    {"pca|prcomp|princomp", "principal components", "orrery gesvd, of columns without their means"},
    {"sbtrd|hbtrd", "a band matrix made tridiagonal", "orrery hb2st"},
    {"gbbrd", "a band matrix made bidiagonal", "orrery gb2bd"},
};

static int told_foreign(const char *name)
{
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++)
        if (cli_word_index(name, foreign[k].theirs) >= 0) {
            cli_say("no command '%s'; %s: %s", name, foreign[k].about, foreign[k].ours);
            return 1;
        }
    return 0;
}

static int unknown_command(const char *name)
{
    char all[1024] = "help";
    cli_guess_text guess;
    if (told_foreign(name))
        return CLI_USAGE;
    for (int k = 0; commands[k]; k++) {
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "|%s%s%s", commands[k]->name,
                 commands[k]->aliases ? "|" : "", commands[k]->aliases ? commands[k]->aliases : "");
    }
    if (access(name, F_OK) == 0)
        cli_say("'%s' is a file: the command comes first, orrery heev FILE for example", name);
    else
        cli_say("'%s' is not a command%s", name, cli_guess(name, all, guess));
    cli_say("'orrery --help' lists the commands");
    return CLI_USAGE;
}

/* The value of "--name=value" or "--name value", or NULL; *mine: the word is this option. */
static const char *value_of(const char *word, const char *name, const char *next, int *mine)
{
    const size_t n = strlen(name);
    *mine = !strncmp(word, "--", 2) && !strncmp(word + 2, name, n) &&
            (word[2 + n] == '\0' || word[2 + n] == '=');
    return *mine && word[2 + n] ? word + 3 + n : next;
}

/* The index of a word in a list of choices, or -1 and told. */
static int choice_of(const char *option, const char *value, const char *choices)
{
    const int k = value ? cli_word_index(value, choices) : -1;
    if (k < 0)
        cli_say("--%s: one of %s", option, choices);
    return k;
}

static int print_man(const char *name)
{
    const cli_command *command = name ? cli_command_named(name) : NULL;
    if (name && !command)
        return unknown_command(name);
    if (command)
        cli_man_command(command, stdout);
    else
        cli_man(commands, stdout);
    return CLI_OK;
}

static int main_option(const char *word, const char *next)
{
    int mine, which;
    const char *value = value_of(word, "completion", next, &mine);
    if (mine) {
        if ((which = choice_of("completion", value, CLI_SHELLS)) >= 0)
            cli_completion(commands, which, stdout);
        return which < 0 ? CLI_USAGE : CLI_OK;
    }
    value = value_of(word, "complete", next, &mine);
    if (mine) {
        if ((which = choice_of("complete", value, CLI_WORDS)) >= 0)
            cli_complete(which, stdout);
        return which < 0 ? CLI_USAGE : CLI_OK;
    }
    value = value_of(word, "man", next, &mine);
    if (mine)
        return print_man(value);
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
        general_help(stdout);
    } else if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
        cli_version(stdout);
    } else {
        cli_guess_text guess;
        const char *meant = cli_guess(word, "help|version|man|completion", guess);
        if (*meant)
            cli_say("unknown option '%s'%s", word, meant);
        else
            cli_say("unknown option '%s'; options come after the command: orrery COMMAND %s", word,
                    word);
        return CLI_USAGE;
    }
    return CLI_OK;
}

/* The first files of a program that is started without one of the standard streams would take
 * their place: "orrery ... 2>&-" would write its messages into a result. What stands in for them
 * can be used as little as a closed one. */
static void occupy_streams(void)
{
    static const int useless[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", useless[fd]) < 0)
            return;
}

static void no_end(int signal_number) { (void)signal_number; }

/* A file beyond ulimit -f is an error like a full disk. A handler, since programs that are started would
 * inherit SIG_IGN. And who started this one may ignore SIGCHLD: no process could be waited for. */
static void prepare_signals(void)
{
    struct sigaction xfsz = {.sa_handler = no_end, .sa_flags = SA_RESTART}, was;
    sigemptyset(&xfsz.sa_mask);
    if (sigaction(SIGXFSZ, NULL, &was) == 0 && was.sa_handler != SIG_IGN)
        sigaction(SIGXFSZ, &xfsz, NULL);
    signal(SIGCHLD, SIG_DFL);
}

static int run(int argc, char **argv)
{
    int code;
    if (argc < 2) {
        general_help(stderr);
        return CLI_USAGE;
    }
    if (argv[1][0] == '-') {
        code = main_option(argv[1], argv[2]);
    } else if (!strcmp(argv[1], "help")) {
        const cli_command *command = argc > 2 ? cli_command_named(argv[2]) : NULL;
        if (argc > 2 && !command)
            return unknown_command(argv[2]);
        if (command)
            cli_help(command, stdout);
        else
            general_help(stdout);
        code = CLI_OK;
    } else {
        const cli_command *command = cli_command_named(argv[1]);
        cli_blas_core_mend(argv);
        code = command ? command->run(command, argc - 1, argv + 1) : unknown_command(argv[1]);
        /* Small pieces fail without a word. The code may be that of a recorded program. */
        if (code == CLI_MEMORY && !cli_said() && strcmp(command->name, "record") != 0)
            cli_say("out of memory");
    }
    /* A full disk or a closed pipe shows only now. */
    const int flushed = cli_flush(stdout);
    return flushed == CLI_OK ? code : cli_worse(code, flushed);
}

int main(int argc, char **argv)
{
    occupy_streams();
    prepare_signals();
    cli_ranks_hush();
    return cli_ranks_leave(run(argc, argv));
}
