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
#include "codelets/core/record.h"

struct orr_task;

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
