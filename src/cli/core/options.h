/* Option tables. One table per command drives parsing, --help, the man page and the bash
 * completion, so that none of them can forget an option. A row says where its value goes by
 * an offset into the command's own struct:
 *
 *     struct args { cli_run run; int64_t chunk; const char *values; };
 *     static const cli_option options[] = {
 *         { .kind = OPT_GROUP, .help = "Output" },
 *         { "values", 'w', OPT_FILE, "FILE", "values", .at = offsetof(struct args, values) },
 *         { .kind = OPT_INCLUDE, .include = cli_run_options, .at = offsetof(struct args, run) },
 *         { .kind = OPT_END } };
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_OPTIONS_H
#define ORR_CLI_OPTIONS_H

#include "src/cli/core/cli.h"
#include "src/cli/core/option_values.h"
#include "src/cli/core/text.h"
#include "src/cli/core/words.h"

typedef enum {
    OPT_END,
    OPT_GROUP,   /* a heading: .help */
    OPT_INCLUDE, /* the rows of another table, .at added to theirs */
    OPT_FLAG,    /* int: how often it was given */
    OPT_INT,     /* int64_t: 12, 1e3, 4k, 2Gi */
    OPT_REAL,    /* double */
    OPT_TEXT,    /* const char * */
    OPT_FILE,    /* const char *, completed as a file name */
    OPT_CHOICE,  /* int: index into .choices */
    OPT_SIZES,   /* cli_sizes: 8,16,32:64:16 */
    OPT_WORDS    /* cli_words: s,d; each in .choices if there are any */
} cli_kind;

typedef struct cli_option {
    const char *name;
    char letter; /* 0: no short form */
    cli_kind kind;
    const char *arg; /* what --help calls the value */
    const char *help;
    const char *choices; /* "auto|jacobi|lapack" */
    size_t at;
    int64_t min, max; /* of numbers; both 0: any */
    const struct cli_option *include;
    int libraries;        /* words may be paths of shared libraries as well */
    const char *complete; /* a word of `orrery --complete`: asked for when completing */
    int above;            /* a number is above min, not min itself */
} cli_option;

/* What is left when the options are gone. */
typedef struct {
    char **v;
    int n;
} cli_files;

/* Fills args (defaults are there already) and `files`. Returns 1 to go on, or 0 with the
 * exit code: help was printed (0) or the line is wrong (2, and the reason told). argv is
 * permuted. */
int cli_parse(const cli_command *, int argc, char **argv, void *args, cli_files *, int *code);
/* The same; *given, to be freed, are the names of the options in the line, with a bar behind each. */
int cli_parse_given(const cli_command *, int argc, char **argv, void *args, cli_files *, int *code,
                    cli_text *given);
/* One of a command's `words`, which its first argument is. */
typedef struct {
    const char *name;
    int (*run)(void *args, const cli_files *rest);
    const char *options; /* that mean something to it: "machine|output" */
} cli_action;

/* The `run` of a command with actions, ended by one without a name; `otherwise` is done where none is
 * asked for, NULL: that is an error. */
int cli_act(const cli_command *, int argc, char **argv, void *args, const cli_action *,
            const char *otherwise);

/* The same of a command that takes no FILE. */
int cli_parse_alone(const cli_command *, int argc, char **argv, void *args, int *code);
void cli_release(const cli_command *, void *args); /* the lists */

/* Where the value of the option of this name is among the args. */
void *cli_option_value(const cli_command *, const char *name, void *args);

/* Calls visit(option, base offset, arg) for every row, included tables flattened. */
void cli_each_option(const cli_option *, size_t base,
                     void (*visit)(const cli_option *, size_t base, void *arg), void *arg);

/* help.c: --help; orrery(1), the index; orrery-COMMAND(1). */
void cli_help(const cli_command *, FILE *);
void cli_man(const cli_command *const *, FILE *);
void cli_man_command(const cli_command *, FILE *);
extern const cli_option cli_help_options[]; /* --help, which no table names */

/* completion.c: of one of cli_shells, and the words that it asks for while one types. */
#define CLI_SHELLS "bash|zsh|fish"
#define CLI_WORDS  "sched|models|machines"
void cli_completion(const cli_command *const *, int shell, FILE *);
void cli_complete(int words, FILE *);
/* cmd_models.c: visit for every model of this machine; every machine that has models. */
void cli_each_model(void (*visit)(const char *name, void *), void *);
void cli_each_machine(void (*visit)(const char *name, void *), void *);

/* main.c: -V, --man ... and the table itself, for help.c. */
extern const cli_option cli_main_options[];

#endif
