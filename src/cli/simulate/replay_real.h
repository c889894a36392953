/* Runs of a graph by orrery-real, a program of its own, since the command knows no StarPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_REPLAY_REAL_H
#define ORR_CLI_REPLAY_REAL_H

#include "src/cli/simulate/truth.h"

#define REAL_KERNELS "spin|sleep"

typedef struct {
    double *makespan, *busy; /* seconds of each run; room for all is the caller's */
    int workers;
    char starpu[32];
    double joules;    /* of the processors in a run; NaN: not known */
    char energy[512]; /* by which counters, or why not */
} real_result;

/* CLI_OK, or CLI_SKIPPED with the reason told: it was not built. path: of PATH_MAX bytes. */
int real_find(char *path, size_t size);
/* The exit code of the program, which tells its reasons. repeat 0: whether there are so many workers. */
int real_replay(const char *program, const char *graph, const char *sched, int cpus, int64_t repeat,
                const char *kernel, const truth_args *, uint64_t seed, real_result *);

#endif
