/* The one clock of the commands: a run of ours lasts from the entry of the library's function to the
 * results in the caller's memory, registration, screening, scaling and copies home included. What
 * its tasks took from submission to the end of the last is a second figure. Runs of ours and of
 * others alternate, so that all see the same machine; brief ones, of either, follow one of their own
 * that is not timed.
 *
 *     cli_clock_start(clock);
 *     status = orr_heev(..., &report);
 *     cli_clock_stop(clock, report.seconds);
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_CLOCK_H
#define ORR_CLI_CLOCK_H

#include "src/cli/core/lapack.h"
#include "src/cli/core/record.h"
#include "src/cli/core/run.h"

typedef struct {
    double call, graph; /* seconds; graph NaN: unknown */
    double start;
} cli_clock;

void cli_clock_start(cli_clock *);
void cli_clock_stop(cli_clock *, double graph);

/* Seconds of routine `which` with so many threads; negative or NaN: it failed. The LAPACK is NULL
 * where the routine is of something else. */
typedef double cli_peer_run(const void *problem, const cli_lapack *, int which, int threads);

typedef struct {
    const cli_lapack *lapack;
    int which, threads, tried; /* tried: it needs no warm-up */
    double least;              /* seconds, of the runs so far */
    char name[64];
    double *seconds, *ratio; /* [repeat] */
} cli_peer;

typedef struct {
    const cli_run *run;
    orr_context *context;
    int warm_up, repeat; /* runs */
    /* Run k of ours (negative: a warm-up), with the clock around the library's call. Exit code. */
    int (*ours)(void *arg, int k, cli_clock *);
    void *arg;
    cli_peer_run *peer;
    const void *problem;
    /* filled */
    cli_peer peers[CLI_MAX_REFS];
    int count;
    double *call, *graph; /* [repeat] */
    int analysed_apart; /* a brief run is not timed while its tasks are recorded, which costs it much */
} cli_turns;

/* A peer by its whole name, with so many threads. CLI_OK or CLI_MEMORY. */
int cli_turns_add(cli_turns *, const cli_lapack *, int which, const char *name, int threads);
/* Routines 0 .. routines-1 of each of the libraries, each with one thread or `cpus`, whichever it is
 * faster with; name(problem, which) "dsyevd", or NULL if it is not to be compared with here. What a
 * library lacks is told and left out. CLI_OK, CLI_MEMORY, or CLI_FILE: a file has none of them. */
int cli_turns_add_routines(cli_turns *, const cli_lapacks *, int routines,
                           const char *(*name)(const void *problem, int which), int cpus);
/* The warm-ups, then `repeat` times each peer and ours. Fills seconds, analysis and references of
 * the record, which point into the turns. A peer that failed is told and left out. */
int cli_turns_run(cli_turns *, cli_record *);
void cli_turns_free(cli_turns *); /* when the record has been written */

#endif
