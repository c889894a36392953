/* pipeline: each stage runs on one kind of processor, several streams are interleaved.
 *
 * Idea. A stage is a codelet, and a stream is what hangs together through data: the tasks of
 * one matrix of a batch, say. Each stage is pinned to the CPUs or to the accelerators, where
 * it stays, so that the kinds work at different stages at the same time: while the CPUs
 * rotate the columns of one matrix, the GPU computes the angles of the next. For that the
 * tasks of a stage come from its oldest streams in turn; within a stream the highest
 * priority is first. A stage is pinned when its first task appears:
 *   - to the only kind that can run it; else
 *   - to the kind on which the performance models expect it to be faster; else
 *   - to the kind that has fewer stages, first of all the accelerators.
 * A task that its stage's kind cannot run (too large for the device, say) goes to the other.
 *
 * Source. Zhou et al., one-sided Jacobi SVD on CPU and GPU: angles on one processor, updates
 * on the other, two matrices interleaved.
 *
 * Limits. Pinning is strict: a kind without a task of its own stages idles, which is what
 * the source does and rarely the fastest. Streams are recognized by data handles: a handle
 * shared by all tasks makes one stream of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "schedulers/core.h"

#include <string.h>

enum { STAGES = 128 }; /* remembered; a later one is decided anew for each task */

struct pipeline {
    struct orr_core core;
    struct orr_deck deck[ORR_KINDS]; /* key: minus the stream's number, second: priority */
    long turn[ORR_KINDS];            /* the stream that was served last */
    struct orr_hints stream;         /* of a handle */
    long streams;                    /* begun so far */
    struct {
        const char *name;
        const struct starpu_codelet *codelet;
        int kind;
    } stage[STAGES];
    int stages, pinned[ORR_KINDS];
};

static void init(unsigned ctx) { orr_core_new(ctx, sizeof(struct pipeline)); }

static void deinit(unsigned ctx)
{
    struct pipeline *s = starpu_sched_ctx_get_policy_data(ctx);
    orr_deck_free(&s->deck[ORR_CPU]);
    orr_deck_free(&s->deck[ORR_ACCELERATOR]);
    orr_core_free(ctx);
}

/* ---- Stages ------------------------------------------------------------------------- */

/* A worker of this kind that can run the task, or -1. */
static int worker_of_kind(const struct pipeline *s, int kind, struct starpu_task *task)
{
    for (int i = 0; i < s->core.workers; i++) {
        const int w = s->core.worker[i];
        if (orr_kind(w) == kind && orr_can_run(w, task))
            return w;
    }
    return -1;
}

/* The codelets of one stage for several types have one name. */
static int same_stage(const struct pipeline *s, int i, const struct starpu_codelet *cl)
{
    return s->stage[i].codelet == cl ||
           (s->stage[i].name && cl->name && strcmp(s->stage[i].name, cl->name) == 0);
}

static int pin(const struct pipeline *s, struct starpu_task *task, const int worker[ORR_KINDS])
{
    if (worker[ORR_CPU] < 0 || worker[ORR_ACCELERATOR] < 0)
        return worker[ORR_CPU] < 0 ? ORR_ACCELERATOR : ORR_CPU;
    const double cpu = orr_length(worker[ORR_CPU], task);
    const double accelerator = orr_length(worker[ORR_ACCELERATOR], task);
    if (!isnan(cpu) && !isnan(accelerator))
        return cpu < accelerator ? ORR_CPU : ORR_ACCELERATOR;
    return s->pinned[ORR_CPU] < s->pinned[ORR_ACCELERATOR] ? ORR_CPU : ORR_ACCELERATOR;
}

static int stage_kind(struct pipeline *s, struct starpu_task *task, const int worker[ORR_KINDS])
{
    for (int i = 0; i < s->stages; i++)
        if (same_stage(s, i, task->cl))
            return s->stage[i].kind;
    const int kind = pin(s, task, worker);
    if (s->stages < STAGES) {
        s->stage[s->stages].name = task->cl->name;
        s->stage[s->stages].codelet = task->cl;
        s->stage[s->stages++].kind = kind;
        s->pinned[kind]++;
    }
    return kind;
}

/* ---- Streams ------------------------------------------------------------------------ */

/* The oldest stream among the task's data, or a new one; all its data belong to it then. */
static long stream_of(struct pipeline *s, struct starpu_task *task)
{
    const unsigned n = STARPU_TASK_GET_NBUFFERS(task);
    long stream = s->streams;
    for (unsigned i = 0; i < n; i++) {
        const long known = orr_hint(&s->stream, STARPU_TASK_GET_HANDLE(task, i), s->streams);
        stream = known < stream ? known : stream;
    }
    if (stream == s->streams)
        s->streams++;
    for (unsigned i = 0; i < n; i++)
        orr_hint_set(&s->stream, STARPU_TASK_GET_HANDLE(task, i), stream);
    return stream;
}

static int push(struct starpu_task *task)
{
    struct pipeline *s = orr_core_of_task(task);
    orr_core_lock(&s->core);
    const int worker[ORR_KINDS] = {worker_of_kind(s, ORR_CPU, task),
                                   worker_of_kind(s, ORR_ACCELERATOR, task)};
    int kind = stage_kind(s, task, worker);
    if (worker[kind] < 0)
        kind = !kind;
    orr_deck_add(&s->deck[kind], (struct orr_entry){.key = -(double)stream_of(s, task),
                                                    .second = task->priority,
                                                    .task = task});
    return orr_core_pushed(&s->core, task, worker[kind]);
}

/* The streams that take turns: two, or as many as there are workers. Of the oldest that have
 * a task for w the next one after the stream that was served last, else the oldest. */
static struct starpu_task *choose(struct pipeline *s, int w)
{
    const int kind = orr_kind(w), most = s->core.of_kind[kind] > 2 ? s->core.of_kind[kind] : 2;
    struct orr_deck *d = &s->deck[kind];
    const size_t n = orr_deck_count(d);
    size_t chosen = n;
    int candidates = 0;
    for (size_t begin = 0, end; begin < n && candidates < most; begin = end) {
        const double key = orr_deck_at(d, begin)->key;
        end = orr_deck_find(d, key, 1);
        const size_t i = orr_deck_runnable(d, w, begin, end);
        if (i == end)
            continue;
        candidates++;
        if (chosen == n)
            chosen = i;
        if (-key > (double)s->turn[kind]) {
            chosen = i;
            break;
        }
    }
    if (chosen == n)
        return NULL;
    s->turn[kind] = (long)-orr_deck_at(d, chosen)->key;
    return orr_deck_take(d, chosen);
}

static struct starpu_task *pop(unsigned ctx)
{
    struct pipeline *s = starpu_sched_ctx_get_policy_data(ctx);
    const int w = starpu_worker_get_id_check();
    if (!orr_core_ask(&s->core, w))
        return NULL;
    return orr_core_answer(&s->core, w, choose(s, w));
}

struct starpu_sched_policy orr_sched_pipeline = {
    .init_sched = init,
    .deinit_sched = deinit,
    ORR_CORE_POLICY,
    .push_task = push,
    .pop_task = pop,
    .policy_name = "pipeline",
    .policy_description = "stages pinned to kinds of processors, streams interleaved",
};
