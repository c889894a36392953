/* What the policies share: a lock, the workers and which of them wait for a task, a sorted
 * array of tasks, a memory for hints, and what is known of a task's cost.
 *
 * The life of a policy in StarPU's hands:
 *
 *   push_task   a task has become ready: file it          (a worker, or whoever submits)
 *   pop_task    a worker asks; NULL: nothing for it now   (that worker)
 *
 * and here, with `struct mine { struct orr_core core; ... }`:
 *
 *   static int push(struct starpu_task *task)
 *   {
 *       struct mine *s = orr_core_of_task(task);
 *       orr_core_lock(&s->core);
 *       ... file the task ...
 *       return orr_core_pushed(&s->core, task, preferred);     unlocks, wakes a worker
 *   }
 *
 *   static struct starpu_task *pop(unsigned ctx)
 *   {
 *       struct mine *s = starpu_sched_ctx_get_policy_data(ctx);
 *       const int w = starpu_worker_get_id_check();
 *       if (!orr_core_ask(&s->core, w))                        locks, unless nothing is new
 *           return NULL;
 *       ... task = one that orr_can_run(w, task), or NULL ...
 *       return orr_core_answer(&s->core, w, task);             unlocks
 *   }
 *
 * A task must not be touched after the unlock: it may have run and be gone.
 * A worker that got NULL may sleep until orr_core_pushed or orr_core_wake names it; so a
 * policy that keeps a task from a waiting worker must be sure that another one will ask.
 *
 * One lock serves a whole node: simple, and good for some hundred thousand tasks a second.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SCHED_CORE_H
#define ORR_SCHED_CORE_H

#include <math.h>
#include <stdatomic.h>
#include <starpu.h>
#include <starpu_scheduler.h>

/* ---- Lock, workers, waiting --------------------------------------------------------- */

enum { ORR_CPU, ORR_ACCELERATOR, ORR_KINDS };

struct orr_core {
    starpu_pthread_mutex_t lock;
    int workers, worker[STARPU_NMAXWORKERS];   /* StarPU's numbers of this policy's workers */
    int of_kind[ORR_KINDS], first[ORR_KINDS];  /* how many, and the first one */
    int several_nodes;                         /* 1: some worker has a memory of its own */
    unsigned char waiting[STARPU_NMAXWORKERS]; /* by worker: got NULL, was not woken since */
    atomic_uint changes;                       /* grows when a waiting worker may get a task */
    atomic_uint seen[STARPU_NMAXWORKERS];      /* by worker: changes when it got NULL */
};

/* For init_sched: zeroed memory of a policy whose first member is its core, attached to the
 * context. Without memory StarPU's way: the process ends. */
void *orr_core_new(unsigned sched_ctx, size_t size);
void orr_core_free(unsigned sched_ctx);
/* For add_workers and remove_workers, called from a policy's own or, by ORR_CORE_POLICY in its table,
 * alone. */
void orr_core_add_workers(unsigned sched_ctx, int *ids, unsigned n);
void orr_core_remove_workers(unsigned sched_ctx, int *ids, unsigned n);
#define ORR_CORE_POLICY                                                                            \
    .add_workers = orr_core_add_workers, .remove_workers = orr_core_remove_workers,                \
    .worker_type = STARPU_WORKER_LIST

/* Follows a member of a policy that sends data ahead: StarPU 1.4 does so for the others, and stops
 * the process where both do. */
#if STARPU_MAJOR_VERSION > 1 || STARPU_MINOR_VERSION > 3
#define ORR_SENDS_AHEAD , .prefetches = 1
#else
#define ORR_SENDS_AHEAD
#endif

void *orr_core_of_task(struct starpu_task *);
void orr_core_lock(struct orr_core *);
void orr_core_unlock(struct orr_core *);

/* Under the lock, which it gives up: the task is filed. Wakes one waiting worker that can
 * run it: `preferred`, or else the next ones in both directions. Returns 0. */
int orr_core_pushed(struct orr_core *, struct starpu_task *, int preferred);
/* Not under the lock. */
void orr_core_wake(int worker);

/* 0: nothing has changed since this worker got NULL. Else 1, and the lock is taken. */
int orr_core_ask(struct orr_core *, int worker);
/* Gives up the lock; chooses the implementation; returns the task. */
struct starpu_task *orr_core_answer(struct orr_core *, int worker, struct starpu_task *);

static inline int orr_can_run(int worker, struct starpu_task *task)
{
    return starpu_worker_can_execute_task_first_impl((unsigned)worker, task, NULL);
}

static inline int orr_kind(int worker)
{
    return starpu_worker_get_type(worker) == STARPU_CPU_WORKER ? ORR_CPU : ORR_ACCELERATOR;
}

/* ---- A sorted array of tasks -------------------------------------------------------- */

/* Descending by key, then by second; what came first stays first among equals. Free room at
 * both ends: taking from either, and adding near either, moves little. */
struct orr_entry {
    double key, second;
    struct starpu_task *task;
    double cost[2]; /* the policy's own use */
    int mark, sent; /* likewise */
};

struct orr_deck {
    struct orr_entry *entry; /* [first, end) is in use */
    size_t first, end, room;
};

static inline size_t orr_deck_count(const struct orr_deck *d) { return d->end - d->first; }
static inline struct orr_entry *orr_deck_at(const struct orr_deck *d, size_t i)
{
    return &d->entry[d->first + i];
}
void orr_deck_add(struct orr_deck *, struct orr_entry);
struct starpu_task *orr_deck_take(struct orr_deck *, size_t i);
/* The first index whose key is at most (with `below`: less than) this one. */
size_t orr_deck_find(const struct orr_deck *, double key, int below);
/* The first index in [from, end) whose task the worker can run, or end. */
size_t orr_deck_runnable(const struct orr_deck *, int worker, size_t from, size_t end);
void orr_deck_free(struct orr_deck *);

/* ---- Hints: a number per data handle ------------------------------------------------ */

/* Forgets (two handles may fall on one place) and may answer for a handle that is gone and
 * whose address is used again: for hints only. */
enum { ORR_HINTS = 4096 };
struct orr_hints {
    struct {
        starpu_data_handle_t handle;
        long value;
    } at[ORR_HINTS];
};
long orr_hint(const struct orr_hints *, starpu_data_handle_t, long otherwise);
void orr_hint_set(struct orr_hints *, starpu_data_handle_t, long value);

/* ---- Costs -------------------------------------------------------------------------- */

/* us that the model expects on this worker; NaN: not known; infinite: it cannot run it. */
double orr_length(int worker, struct starpu_task *);
/* What tasks took in this run, by codelet, size and kind of worker, from when the worker was
 * free for them to their end: with waiting for data. The first one of its sort is left out,
 * it may have loaded a kernel. Forgets: two sorts may fall on one place. */
enum { ORR_SORTS = 1024 };
struct orr_measured {
    struct {
        const struct starpu_codelet *codelet;
        uint32_t footprint;
        int tasks[ORR_KINDS];
        double us[ORR_KINDS]; /* mean */
    } sort[ORR_SORTS];
    int in_hand[STARPU_NMAXWORKERS];  /* tasks that a worker has taken and not ended */
    double since[STARPU_NMAXWORKERS]; /* us: when it took its task, or ended the one before */
};
/* Under the lock: the worker takes a task; it has ended one. Taking sets task->predicted,
 * without which the end counts for nothing: that task was not the policy's. */
void orr_measured_take(struct orr_measured *, int worker, struct starpu_task *);
void orr_measured_end(struct orr_measured *, int worker, struct starpu_task *);
/* us on this kind; NaN: not known. */
double orr_measured_length(const struct orr_measured *, int kind, struct starpu_task *);
/* Bytes of the task's data that are on this memory node already. */
size_t orr_bytes_on(unsigned node, struct starpu_task *);

#endif
