/* One problem from the command line to its record: what the commands for one large matrix share. A
 * command describes its family in a table of functions,
 *
 *     read or random -> make -> [prepare -> call]... -> verify -> deliver -> drop
 *
 * and the driver owns one FILE or lists of sizes, policies, the limit of memory, warm-up, peers in
 * turn, the clock, progress, plans (--explain), checks and records.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_FAMILY_H
#define ORR_CLI_FAMILY_H

#include "src/cli/algorithms/explain.h"
#include "src/cli/core/clock.h"
#include "src/cli/core/job.h"
#include "src/cli/core/progress.h"

enum { FAMILY_AXES = 5, FAMILY_OUTPUTS = 5 };

typedef struct family_case {
    cli_job *job;
    orr_context *context;
    orr_type type;
    int64_t m, n, band; /* -1: there is no such thing */
    int64_t shape[2];   /* of the algorithm, 0: it chooses */
    int vectors;        /* some are wanted */
    int complete;       /* all that a residual needs */
    int keeps;          /* there will be other runs, each on a copy */
    int planned;        /* nothing is computed, arrays are any address */
    /* of the user's matrix, whose rows are the library's columns; 0: it is not dense */
    int64_t columns;
    double taken;        /* bytes that were there when memory is checked */
    const void *problem; /* of the peers; set by make */
    void *state;         /* of the command, zero at first */
} family_case;

/* An option with a list of sizes. */
typedef struct {
    const char *option; /* "band" */
    size_t to;          /* the int64_t of the case that it sets */
    int64_t otherwise;  /* if it is not given */
    int bench;          /* 1: it has no meaning with a FILE */
} family_axis;

/* The command's option table has what is named here, and --n, --type and --ref. */
typedef struct {
    int files;                /* 1 or 2 */
    int bench_type;           /* --type has no meaning with a FILE */
    const char *bench_choice; /* NULL, or a choice, -1 if not made, that has none either */
    size_t state_size, args_size;
    const void *defaults;               /* of the args, which begin with a cli_run */
    family_axis axis[FAMILY_AXES];      /* the first varies slowest, after --type */
    const char *output[FAMILY_OUTPUTS]; /* options that name FILEs */
    const char *unit;                   /* of check figures */
    /* NULL, or what is wrong with the command line, besides what the driver sees. */
    const char *(*wrong)(cli_job *);
    /* What the options say of the case, before a FILE is read and for each combination of sizes. */
    void (*options)(family_case *);
    /* Reads FILE: the input and the sizes, and what is `taken`. Exit code, the reason told. */
    int (*read)(family_case *);
    /* NULL, or the sizes only, so that --explain need not read all. Likewise. */
    int (*look)(family_case *, const orr_shape *);
    int (*random)(family_case *, uint64_t seed);
    /* NULL, or whether the options suit the sizes: of a FILE, and of each combination before the first
     * is made. CLI_USAGE, told. */
    int (*fits)(const family_case *);
    /* Bytes of all of it, and of what the command itself holds; of the sizes only. */
    double (*bytes)(const family_case *);
    double (*holds)(const family_case *);
    /* Results and copies, and `problem`. Exit code, the reason told. */
    int (*make)(family_case *);
    /* NULL, or what a run needs that is no part of the call: a copy of the matrix. */
    void (*prepare)(family_case *);
    /* The library's call, with the progress of a run or, planned, NULL. */
    orr_status (*call)(family_case *, cli_progress *, orr_report *);
    double (*operations)(const family_case *);
    /* NULL, or what else there is in a record. */
    void (*describe)(const family_case *, cli_record *);
    /* Check figures: values, and with vectors residual and orthogonality. */
    void (*verify)(const family_case *, int threads, cli_record *);
    /* With a FILE: prints and writes the results, and puts them into the record. Exit code. */
    int (*deliver)(const family_case *, cli_text *results);
    void (*drop)(family_case *);
    /* Routines 0 .. peers-1 of each LAPACK, see clock.h. */
    int peers;
    cli_peer_run *peer;
    const char *(*peer_name)(const void *problem, int which);
} cli_family;

/* What the choices of --place (auto|cpu|gpu|split) and --method (auto|two-stage|lapack) stand for. */
orr_place family_place(int choice);
orr_dense_method family_method(int choice);

/* The `run` of a command that has a family. */
int family_run(const cli_command *, int argc, char **argv);

/* Parts of the driver. A job with its args as they are before the command line is read, the caller's
 * to free; a case of word at[0] of --type and numbers at[1], ... of the axes. Exit codes. */
int family_begin(cli_job *, const cli_command *);
int family_case_begin(family_case *, cli_job *, const int64_t *at);
void family_case_end(family_case *);
extern const int64_t family_first[1 + FAMILY_AXES]; /* all 0 */

#endif
