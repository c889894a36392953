/* The record of the tasks that ran: what StarPU's profiling said of each, and which data it
 * used, from which the graph can be rebuilt. Works with any StarPU, without FxT.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TRACE_H
#define ORR_TRACE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <starpu.h>

#include "codelets/core/access.h"

struct orr_task;

struct orr_trace_record {
    const char *name; /* the codelet's, static */
    int worker, impl;
    int64_t number;     /* in the order of submission */
    const char *symbol; /* of its performance model, static; NULL: none */
    uint64_t footprint; /* tasks of one model with the same footprint cost the same */
    int priority, cpu_only, accel_only;
    int owner;                     /* the memory node of the only device that may run it; 0: any */
    int cuda;                      /* the codelet has a CUDA function, in this build or another */
    int sync;                      /* its worker, of an accelerator, did nothing else meanwhile */
    int64_t parts;                 /* matrices, sweeps, rows: what the algorithm counts */
    int64_t tag, row, span, group; /* of struct orr_task; row: the first */
    int run;                       /* as orr_trace_mark separates them, from 0 */
    size_t first;                  /* its accesses: orr_trace.access[first .. first + accesses) */
    unsigned accesses;
    /* us of StarPU's clock: submitted; given to the scheduler, all it depends on being done;
     * waiting for data; has it; kernel began and ended */
    double submit, ready, acquire, acquired, start, end;
};

#define ORR_TRACE_LOST SIZE_MAX

struct orr_trace {
    starpu_pthread_mutex_t lock;
    struct orr_trace_record *record;
    size_t count, room, lost; /* lost: records dropped because memory ran out */
    struct orr_trace_access *access;
    size_t accesses, access_room;
    uint64_t handles;       /* numbered so far */
    size_t mark, mark_lost; /* count and lost when the run to analyse began */
    int run, analysed;      /* the number of the next task's run; of the last one analysed, or -1 */
    atomic_llong submitted;
};

/* Called in the thread of a worker that has just taken a task: keeps which data it uses. When
 * the task is done they may be gone (starpu_data_unregister_submit). */
void orr_trace_data(void *);
/* Adds the task whose callback this is. */
void orr_trace_add(struct orr_trace *, struct starpu_task *, const struct orr_task *);

#endif
