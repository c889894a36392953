/* What every file of the command shares: exit codes, messages, and the description of a
 * sub-command. A sub-command is one file cmd_X.c that defines one `cli_command` (its texts,
 * its option table, its function) and one line in the command table of main.c; help, man
 * page and completion follow from the table.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_H
#define ORR_CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <orrery/orrery.h>

/* Exit codes, the same for all commands; docs/cli.md and the man page list them. */
enum {
    CLI_OK = 0,
    CLI_CHECK = 1,   /* a check failed */
    CLI_USAGE = 2,   /* the command line makes no sense */
    CLI_FILE = 3,    /* a file is unreadable, malformed, not finite, or not writable */
    CLI_NOCONV = 4,  /* not converged */
    CLI_MEMORY = 5,  /* not enough memory, or more than --max-memory */
    CLI_RUNTIME = 6, /* StarPU, CUDA or a device failed */
    CLI_SKIPPED = 77 /* what was asked for cannot run on this machine */
};

int cli_flush(FILE *);                       /* CLI_OK, or CLI_FILE with the reason told */
int cli_worse(int a, int b);                 /* the exit code that says more about a failure */
int cli_exit_code(orr_status, int had_file); /* ORR_E_ARG is the file's fault if there is one */

/* One line on stderr, "orrery: ...", control bytes (a hostile file name) made visible. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_said(void);            /* how many lines */
void cli_said_elsewhere(void); /* by a child process, which counts its own: one more */
/* What is wrong with the command line, and where to find examples; CLI_USAGE. */
int cli_usage(const char *command, const char *message);

struct cli_option;

typedef struct cli_command {
    const char *name;
    const char *aliases;  /* "syevj|evj", or NULL */
    const char *summary;  /* half a line, no full stop */
    const char *synopsis; /* what follows the name: "[options] FILE..." */
    const char *files;    /* suffixes of file arguments for completion: "npy|mtx" */
    const char *about;    /* a paragraph for the man page */
    const struct cli_option *options;
    const char *examples;                                          /* lines, each a command */
    int (*run)(const struct cli_command *, int argc, char **argv); /* argv[0] is the name */
    const char *words;    /* what the first argument may be: "list|show", or NULL */
    const char *complete; /* of --complete: what the arguments after it may be */
    const void *family;   /* of algorithms/family.h, or NULL */
} cli_command;

const cli_command *cli_command_named(const char *name); /* or an alias; NULL: there is none */

double cli_now(void); /* monotonic seconds */

/* What follows the noun of n things. */
static inline const char *cli_plural(int64_t n) { return n == 1 ? "" : "s"; }

#endif
