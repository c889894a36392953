/* StarPU's start. There is one StarPU in a process: all this is called by one thread at a time.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_START_H
#define ORR_SRC_START_H

#include "src/core/ranks.h"

/* Whom to tell that the start waits for another process; NULL: nobody. */
struct orr_start_wait {
    void (*tell)(const char *what, void *arg);
    void *arg;
};

/* Starts StarPU as the options, the environment and the other ranks here want it, and notes models and
 * policy in the context. ORR_E_ARG, ORR_E_FILE: with a message; ORR_E_SCHED; ORR_E_NOWORKER; ORR_E_NOMEM. */
orr_status orr_start(orr_context *, const orr_context_opts *, struct orr_ranks_place,
                     const struct orr_start_wait *);
/* After StarPU has ended: removes what was only for it. */
void orr_start_clean(void);

/* Waits until no other process of this user starts StarPU. A descriptor that is closed when StarPU has
 * started; -1: after a minute, or without a place for the lock, it goes on. */
int orr_start_lock(const char *model_dir, const struct orr_start_wait *);

/* ORR_E_ARG, with a message unless that is NULL: StarPU would end the process for a variable of the
 * environment. */
orr_status orr_environment_wrong(char *message);
/* The devices that STARPU_WORKERS_CUDAID names, room for STARPU_NMAXWORKERS. Returns how many, 0: all. */
int orr_environment_cudas(unsigned *id);

#endif
