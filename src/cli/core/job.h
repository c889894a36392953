/* A command that computes, from its command line to its exit code. Its function fills a job:
 *
 *     struct args args = { .run = cli_run_defaults() };
 *     cli_job job = { .args = &args, .run = &args.run, .check = check, .work = work };
 *     return cli_compute(command, argc, argv, &job);
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_JOB_H
#define ORR_CLI_JOB_H

#include "src/cli/core/lapack.h"
#include "src/cli/core/run.h"

typedef struct cli_job {
    void *args; /* of the command; `run` is a part of them */
    cli_run *run;
    int (*check)(struct cli_job *); /* refuses what makes no sense, and sets to_stdout */
    int (*work)(struct cli_job *);  /* in the child process; exit code */
    int own_table;         /* it prints results itself, and no table of records; or check says so */
    int ranks;             /* it divides its work among ranks */
    const cli_words *ref;  /* --ref, or NULL */
    const cli_command *of; /* of those that have a family */
    /* filled by cli_compute */
    cli_files files;
    const char *name;    /* of the command */
    const char *command; /* the command line */
    cli_text given;      /* names of its options, a bar behind each */
    cli_sink sink;       /* of records, open during work */
    cli_lapacks lapacks; /* of `ref`, open during work */
    FILE *table;         /* with own_table: where to print, NULL if quiet or stdout is taken */
    /* filled by check */
    int to_stdout; /* how many outputs go to standard output */
} cli_job;

int cli_compute(const cli_command *, int argc, char **argv, cli_job *);

/* cli_ranks_start; refused, on all ranks, where they were given another command, number of FILEs, --repeat or set of
 * the options a|b|c: they would wait for messages that nobody sends. */
int cli_job_ranks(const cli_job *, const char *options);

/* For check: CLI_USAGE, told, if one of the options a|b|c was given: "--b means nothing WITH". */
int cli_spared(const cli_job *, const char *command, const char *options, const char *with);

/* Of those of a command that reads dense FILEs, or measures random matrices. */
int cli_answers_spared(const cli_job *, const char *command);

/* For check: with FILEs the job prints its results, unless it measures: --bench, --repeat, or peers
 * to compare with. */
void cli_answers(cli_job *);

/* The policy of --sched where one is meant, NULL: the default. */
const char *cli_policy(const cli_run *);

/* One case of a benchmark: number at[k] of the k-th list. */
typedef int cli_bench_case(cli_job *, orr_context *, const orr_context_info *, const int64_t *at);
typedef int cli_bench_fits(cli_job *, const int64_t *at); /* is it possible, and is there memory? */
enum { CLI_AXES = 8 };
/* Every combination of lists of so many entries, with a context for each policy of --sched. The worst
 * code; CLI_RUNTIME ends a policy's. Before the first of them `fits` has seen all, but not with
 * --explain: where it says no (exit code, the reason told) none is run. */
int cli_bench(cli_job *, const int64_t *counts, int axes, cli_bench_fits *fits, cli_bench_case *);

int cli_count_stdout(const char *const *outputs, int count); /* how many are "-" */

#endif
