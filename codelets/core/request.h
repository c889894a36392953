/* One operation in flight. A request counts its own tasks, so that waiting for it never
 * waits for the tasks of anyone else who uses the same StarPU; the first failure wins, and
 * later tasks of the request return at once. To be cancelled is a failure that whoever asks
 * for failures finds first.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_REQUEST_H
#define ORR_REQUEST_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <starpu.h>

#include "codelets/core/gate.h"
#include "codelets/core/pin.h"
#include "codelets/core/spare.h"
#include "codelets/core/trace.h"
#include "orrery/types.h"

/* ---- Samples: how long each task took, for calibration ------------------------------ */

struct orr_samples {
    starpu_pthread_mutex_t lock;
    orr_sample *sample;
    size_t count, room, lost; /* lost: dropped because memory ran out */
    int predict;              /* 1: ask StarPU's models too */
};

/* ---- Request ------------------------------------------------------------------------ */

struct orr_kept {
    starpu_data_handle_t handle;
    int spent; /* 1: nobody wants its data any more */
};

/* Data that the thread of a request that runs `here` has acquired for one task and keeps for the next. */
struct orr_held {
    starpu_data_handle_t handle;
    enum starpu_data_access_mode mode; /* NONE: not acquired yet; R or RW */
};

/* On which accelerator a chain of tasks began: its data stay there. */
struct orr_home {
    atomic_int worker; /* its number plus one; 0: none yet, or a CPU */
    struct orr_home *next;
};

struct orr_request {
    atomic_int status;          /* 0, or the first negative orr_status */
    const char *culprit;        /* who set it: static, NULL: the user; valid once status is seen
                                negative */
    const atomic_uint *cancels; /* NULL, or how often operations were cancelled, and ... */
    unsigned since;             /* ... how often before this one began */
    atomic_llong pending;       /* tasks in flight, plus one per hold */
    atomic_llong tasks;         /* tasks submitted */
    int64_t parts_done, parts_total;
    starpu_pthread_mutex_t telling; /* of progress: in order, one call at a time */
    int64_t in_flight;              /* the submitting thread waits when more are pending */
    starpu_pthread_mutex_t lock;    /* StarPU's, so that SimGrid can wait on it */
    starpu_pthread_cond_t changed;
    int waiters;         /* threads in orr_request_drain ... */
    int64_t wake;        /* ... and the largest count that one of them waits for */
    double begun, ended; /* seconds of the monotonic clock */
    _Atomic(const char *)
        too_large;               /* NULL, or the codelet, or operation, whose data are too large for
                                        an accelerator */
    struct orr_trace *trace;     /* NULL: not recorded */
    struct orr_samples *samples; /* likewise */
    struct orr_spare *spare;     /* memory for a task that runs here */
    int here;                    /* 1: see orr_request_here */
    int keeps_data;              /* 1: see orr_request_here_on */
    struct orr_held *held;       /* likewise */
    size_t holds, hold_room;
    struct orr_planner *plan; /* not NULL: nothing runs, all is counted (codelets/core/plan.h) */
    void (*progress)(int64_t done, int64_t total, void *arg);
    void *progress_arg;
    /* NULL, or called once by orr_request_go while something is pending, with the lock, ... */
    void (*go)(struct orr_request *);
    int gone; /* ... and then this is 1 */
    /* NULL, or called once, after go, when nothing is pending any more, by whoever did the last task. */
    void (*idle)(struct orr_request *);

    struct orr_home *homes; /* freed at the end, ... */
    struct orr_gate *gates; /* ... and these */
    struct orr_kept *kept;  /* handles of registered arrays, unregistered at the end */
    size_t handles, handle_room;
    struct orr_pins *pins; /* arrays that are page-locked until the end */

    /* Filled by the algorithm: what remains to be done in the waiting thread, once all
     * tasks are done and the user's arrays are back. */
    orr_status (*finish)(struct orr_request *);
    void *state;
};

/* Where a task may run; ORR_ON_ACCELERATOR_IF_FITS: anywhere if its data fit no accelerator. */
enum orr_where { ORR_ANYWHERE, ORR_ON_CPU, ORR_ON_ACCELERATOR, ORR_ON_ACCELERATOR_IF_FITS };

/* Bytes of data that a task may have to run on any accelerator; INT64_MAX if not known. */
int64_t orr_accelerator_room(void);

struct orr_need; /* codelets/core/room.h */
/* Bytes of a buffer that is not there yet, as StarPU will say. */
size_t orr_buffer_bytes(int64_t elements, size_t element_size);
/* 1: a task with such buffers can run on every accelerator. */
int orr_accelerators_fit(const struct orr_need *);

/* 1: thread blocks of a CUDA kernel waited for each other too long, which ended the use of the
 * device: the sentence about it. */
int orr_device_stalled(char *text, size_t room);

enum { ORR_ACCEL_IF_FITS = 2 };

/* What every task of ours carries first in its cl_arg. */
struct orr_task {
    struct orr_request *req;
    int64_t parts;       /* counted as done when the task ends */
    uint32_t cpu_impls;  /* bit i: CPU implementation i may run it; 0: any */
    uint32_t cuda_impls; /* the same of CUDA implementations */
    uint32_t cpu_only;   /* 1: no accelerator may run it */
    uint32_t accel_only; /* 1: no CPU may run it; ORR_ACCEL_IF_FITS: unless it fits no accelerator */
    int64_t tag;         /* whose task it is, for the trace: what the algorithm numbers */
    int64_t first,
        span;        /* for pictures: the rows of the matrix that it works on; span 0: not told, */
    int64_t group;   /* and its group of sweeps, from 1; 0: none */
    int64_t number;  /* in the order of submission, if there is a trace, ... */
    size_t accesses; /* ... and the first of its accesses there; ORR_TRACE_LOST: none */
    size_t size[2];  /* for the performance model: work of implementations 0 and 1, see
                           orr_cost in submit.h */
    uint32_t key;    /* likewise: a hash of the task's shape */
    double expected; /* seconds on a CPU where no model knows; 0: by its codelet's rate */
    struct orr_home *home; /* NULL, or: no other accelerator may run it */
    int32_t owner; /* 0, or a memory node: of accelerators only those with this memory, if it
                           fits */
    uint32_t idle; /* set by the task: it had nothing to do, its time says nothing */
    struct orr_gate *opens; /* NULL, or opened by the task, when it has ended at the latest */
};

void orr_request_begin(struct orr_request *);

/* Lets the workers run. While they are paused the first tasks are submitted without having
 * to share the processor with workers that find their queues empty and poll; after some
 * tasks, before any wait, and at the end of a submission this is called. Idempotent. */
void orr_request_go(struct orr_request *);

/* For one small task, or a few, whose submitter would only wait: they run in the calling thread
 * (orr_task_here), because waking workers, and their wait for a core, would come on top. Not of a
 * plan, nor where tasks are recorded: then r->here stays 0. Before anything is submitted. */
void orr_request_here(struct orr_request *);
/* Seconds of one core's work up to which a call that waits is quicker so. Workers need 50 us to wake up, and now
 * and then the caller or one of them gets a core only when the time slice of another ends (3 ms). */
#define ORR_HERE_SECONDS 1.5e-4
/* The same for many tasks on the same few data, which the thread keeps for itself until
 * orr_request_let_go: to acquire them costs more than a small task. */
void orr_request_here_on(struct orr_request *);
/* The entry of a handle among what is held, made if there is none; NULL without memory. */
struct orr_held *orr_request_held(struct orr_request *, starpu_data_handle_t);
/* Releases what is held: before this thread reads or unregisters data of tasks that ran here.
 * orr_request_drain does. */
void orr_request_let_go(struct orr_request *);

/* First failure wins. `who` must be a static string. Any thread. */
void orr_request_fail(struct orr_request *, orr_status, const char *who);
/* What has to run on a device does not fit any; a plan says so. */
void orr_request_too_large(struct orr_request *, const char *who);

static inline int orr_request_failed(struct orr_request *r)
{
    if (atomic_load_explicit(&r->status, memory_order_acquire) < 0)
        return 1;
    if (!r->cancels || atomic_load_explicit(r->cancels, memory_order_acquire) == r->since)
        return 0;
    orr_request_fail(r, ORR_E_CANCELLED, NULL);
    return 1;
}

/* So many more of its parts are done: tells the user. Any thread. */
void orr_request_did(struct orr_request *, int64_t parts);

/* A hold keeps the request from being done while somebody may still submit. */
void orr_request_hold(struct orr_request *);
void orr_request_release(struct orr_request *);

/* Remembers a handle to unregister when the request is waited for. Without memory the request
 * fails and the handle is unregistered at once. */
orr_status orr_request_keep(struct orr_request *, starpu_data_handle_t);
/* A handle for elements in main memory, kept likewise. NULL: the request has failed; StarPU counts
 * elements in 32 bits. */
starpu_data_handle_t orr_request_vector(struct orr_request *, void *memory, int64_t elements,
                                        size_t element_size);
/* The same in memory number `node` of StarPU, where the elements will be in the end. */
starpu_data_handle_t orr_request_vector_on(struct orr_request *, int node, void *memory,
                                           int64_t elements, size_t element_size);

/* At least `bytes`, aligned to 64, with large pages where that is worth it; for free(). */
void *orr_large_memory(size_t bytes);

/* An array of the user, whole, that tasks on devices may copy: page-locked until the end if it has
 * `least` bytes (ORR_PIN_USERS). */
void orr_request_pin(struct orr_request *, const void *memory, size_t bytes, size_t least);
/* The same by a task: when the gate opens, or, of one that does not, when `after` was written; and before any
 * task that comes later uses `of`, which are in this memory. To lock it holds back launches, and to touch it
 * for the first time takes as long. On a CPU. Buffers: of[0 .. count-1] RW, after R unless the gate opens. */
void orr_insert_pin(struct orr_request *, const void *memory, size_t bytes, size_t least,
                    struct orr_gate *, starpu_data_handle_t after, const starpu_data_handle_t *of,
                    int64_t count);
/* By a task, what orr_request_pin did to `memory`, of so many bytes: nobody copies it any more when the gate
 * opens. Of one that does not it ends with the request, as ever. On a CPU. No buffers. */
void orr_insert_unpin(struct orr_request *, const void *memory, size_t bytes, struct orr_gate *);

/* Nobody wants what this handle, kept just now, holds when the request is done: it is not brought
 * home then. NULL is legal. */
void orr_request_spent(struct orr_request *, starpu_data_handle_t);

/* A home for a chain of tasks, until the request ends; NULL without memory: they go anywhere. */
struct orr_home *orr_request_home(struct orr_request *);
/* Called by the chain's first task where it runs. */
void orr_task_settle(const struct orr_task *);

/* Waits until at most `most` tasks and holds are pending. Not from a worker. */
void orr_request_drain(struct orr_request *, int64_t most);

/* Drains, unregisters the kept handles and destroys what begin made. */
orr_status orr_request_end(struct orr_request *);

/* Seconds of the clock that StarPU uses (virtual under SimGrid). */
static inline double orr_now(void) { return 1e-6 * starpu_timing_now(); }

#endif
