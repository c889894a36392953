/* What the graph builders share. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_INTERNAL_H
#define ORR_INTERNAL_H

#include <pthread.h>

#include "codelets/codelets.h"
#include "orrery/orrery.h"
#include "orrery/trace.h"
#include "src/core/operation.h"

struct orr_context {
    orr_context_info info;
    struct orr_ranks *with; /* other ranks; NULL: none */
    int cpus_of_all;        /* CPU workers of all ranks */
    int in_flight;
    atomic_uint cancels;         /* how often orr_cancel was called */
    struct orr_trace *trace;     /* NULL unless asked for */
    int recording;               /* new requests are traced */
    orr_analysis *last;          /* of orr_trace_analyse; NULL: not called yet */
    struct orr_samples *samples; /* likewise */
    struct orr_planner *planner; /* not NULL: calls are planned, nothing runs */
    char planned[512];           /* what the last of them chose */
    struct orr_remembered *kept; /* of orr_context_memory */
    pthread_mutex_t kept_lock;
    struct orr_spare spare;   /* of small calls */
    struct orr_device device; /* the smallest of the CUDA devices */
    int profiling_was;        /* to be restored: StarPU's profiling status */
};

/* StarPU's workers run between enter and leave and are paused otherwise. */
void orr_context_enter(orr_context *);
void orr_context_leave(orr_context *);

/* What an algorithm remembers from call to call on a context: made when it is first asked for, by
 * any thread, and dropped with the context. NULL: no memory. */
struct orr_memory {
    void *(*make)(void);
    void (*drop)(void *);
};
void *orr_context_memory(orr_context *, const struct orr_memory *);
void orr_context_forget(orr_context *); /* of orr_close */

/* 1: this process was forked from one in which StarPU ran, whose workers it does not have: nothing
 * of StarPU may be called. ORR_E_NOWORKER is then the answer to every operation. */
int orr_forked(void);
/* Why this thread can begin no operation and wait for none, or ORR_OK. ORR_E_NOWORKER: forked; ORR_E_ARG: it
 * is a worker, which would wait for itself. */
orr_status orr_barred(void);

/* Where tasks of one kind of processor go. Others than cpu and gpu: wherever they can. */
enum orr_where orr_place_where(const orr_context *, orr_place);

/* Whether accelerators take part, and the rows of a tile for so many of them: of a matrix whose longer side is
 * `length`; `least` rows of several. */
int orr_place_devices(const orr_context *, orr_place);
int64_t orr_place_tile(int64_t length, size_t element, int devices, int64_t least);
/* Products of matrices that a core does in the time of one by all CUDA devices; infinite without any. */
double orr_place_core(const orr_context *, orr_type);
/* Operations a second of one processor of such a CUDA device in them. */
double orr_place_processor(int capability, orr_type);
/* 1: such products are for accelerators alone, since that was asked for, or cores would do little of
 * them. */
int orr_place_alone(const orr_context *, orr_place, orr_type);
/* orr_place_where in words: "cpu", "any" or "accelerators". */
const char *orr_place_told(const orr_context *, orr_place);
/* Fails the request, before its first task, where a place has no worker: gpu, split. */
void orr_place_check(const orr_context *, orr_place, orr_request *, const char *who);

/* What a call asks of the context (NULL is legal) when it is entered, so that orr_cancel from then
 * on ends its requests, those too that it has not made yet. */
unsigned orr_context_entered(orr_context *);
/* A new request on this context of a call entered then, with the submitter's hold; NULL if memory
 * ran out. */
orr_request *orr_context_request(orr_context *, unsigned entered);

#endif
