/* What every command that computes has in common: its options, the child process in which
 * StarPU runs, the context, the limit of memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_RUN_H
#define ORR_CLI_RUN_H

#include "src/cli/core/options.h"
#include "src/cli/core/record.h"
#include "src/cli/core/text.h"

#include <sys/types.h>

typedef struct {
    cli_words sched;
    int64_t cpus, cudas, opencls; /* -1: not given */
    const char *model_dir;
    int64_t repeat; /* -1: not given */
    int64_t seed;
    int check;
    const char *json, *csv, *trace;
    int64_t max_memory; /* bytes; -1: what the machine has free */
    int explain, verbose, quiet, in_process;
    int all, bench; /* of results: print all of them; measure, and print a table instead */
    int stdins;     /* FILEs that are "-"; counted by cli_compute */
} cli_run;

extern const cli_option cli_run_options[];
/* --check: not of powm and pagerank, whose results tell how far they are from right. */
extern const cli_option cli_check_options[];
/* Of commands that read FILEs of dense numbers and print results: --all, --bench. */
extern const cli_option cli_file_options[];
cli_run cli_run_defaults(void);

/* The command line as one could type it again. Call before cli_parse, which permutes. */
void cli_command_line(cli_text *, int argc, char **argv);

/* Runs work(arg) in a child process and returns its exit code, because StarPU ends the
 * process when a CUDA call fails. A death by signal is told and becomes CLI_RUNTIME;
 * SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE end the caller in the same way. However work ended,
 * clean(arg) follows, unless it is NULL. in_process: no child (debuggers). Call before any thread exists. */
int cli_isolate(int in_process, int (*work)(void *), void (*clean)(void *), void *arg);

/* In a child that was just forked: it gets this signal when its parent has ended, however. 0: that it has. */
int cli_end_with(pid_t parent, int signal_number);

/* Opens the library as the options say, with policy `sched` (NULL: default), and tells with
 * -v what it got. CLI_OK, or an exit code with the reason told. */
int cli_open(const cli_run *, const char *sched, orr_context **, orr_context_info *);
/* Before each of several equal runs: the last one is recorded, if records, -v or --trace want to
 * know of it. The others run as if there were no trace (with --trace all are recorded). */
void cli_before_run(const cli_run *, orr_context *, int last);
int cli_recorded(const cli_run *); /* 1: they want to */
/* After it: fills r->analysis, and tells it with -v. */
void cli_after_run(const cli_run *, orr_context *, cli_record *r);
/* Writes the trace if one was asked for, and closes. */
int cli_close(const cli_run *, orr_context *);
/* CLI_OK, or the reason told: a suffix that orr_trace_write does not know, a directory that
 * cannot be written. */
int cli_check_trace(const cli_run *);
int cli_check_policies(const cli_words *); /* likewise: every one of them can be used */

/* Bytes that can be had without swapping: free memory, within the cgroup's limit. */
int64_t cli_free_memory(void);
/* CLI_OK if `bytes` fit into --max-memory, else CLI_MEMORY with the reason told. */
int cli_check_memory(const cli_run *, double bytes, const char *what);

/* Fills algo, sched, workers and provenance of a record. */
void cli_describe(cli_record *, const char *algo, const orr_context_info *, const char *command,
                  int64_t seed);

#endif
