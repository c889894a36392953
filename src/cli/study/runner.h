/* One run: a child process with a group of its own, an end, and what it took.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_STUDY_RUNNER_H
#define ORR_CLI_STUDY_RUNNER_H

#include "src/cli/study/plan.h"
#include "src/energy/energy.h"

typedef struct {
    const char *program;
    const study_words *words, *env; /* env: NAME=VALUE, besides our own */
    const char *dir;                /* where it runs */
    const char *out, *err;          /* files for what it prints */
    double timeout;                 /* seconds */
    struct orr_energy *energy;      /* NULL: joules are not counted */
} runner_job;

typedef struct {
    int started;      /* 0: no process, the reason told */
    int exit, signal; /* one of them is -1 */
    int late;         /* it was ended because its time was over */
    int interrupted;  /* the signal that we were sent meanwhile, or 0 */
    double wall, cpu; /* seconds; cpu: of all that it waited for */
    double rss;       /* bytes, the most */
    double other,
        steal; /* shares of the machine's processors that others had; NaN: too short to tell */
    double load, mhz;         /* before it began; NaN: not known */
    struct orr_joules joules; /* of the whole machine while it ran */
} runner_result;

/* Once, before the first run: signals are waited for, so that none comes between. */
void runner_prepare(void);
/* A signal that came while nothing ran, or 0. */
int runner_pending(void);
void runner_run(const runner_job *, runner_result *);
/* Ends this process as the signal would have. */
void runner_die(int signal_number);

#endif
