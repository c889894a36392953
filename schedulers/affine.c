/* affine: CPUs and accelerators take tasks from opposite ends of one queue.
 *
 * Idea. Ready tasks are sorted by their acceleration factor, the time on a CPU over the time
 * on an accelerator as the performance models tell it. Accelerators take from the end where
 * they gain most, CPUs from the other, so that each works at what it is comparatively best
 * at; tasks that only one kind can run lie at its end. Within equal factors the highest
 * priority comes first. Two refinements:
 *   - of the first tasks that are equal in factor and priority, a worker takes the one of
 *     whose data most bytes lie in its own memory already;
 *   - a worker leaves a task alone if a worker of the other kind will be done with it sooner,
 *     all that is queued before it included. Without this a CPU picks up a large task just
 *     before the end, and everything waits for it.
 *
 * Source. E. Agullo, B. Bramas, O. Coulaud, E. Darve, M. Messner, T. Takahashi, Task-based
 * FMM for heterogeneous architectures, Concurrency Comput. Pract. Exper. 28(9), 2016
 * (HeteroPrio); O. Beaumont, L. Eyraud-Dubois, S. Kumar, Approximation proofs of a fast and
 * efficient list scheduling algorithm for task-based runtime systems on multicores and GPUs,
 * IPDPS 2017. They stop a running task and start it anew on the faster kind; StarPU cannot,
 * therefore the second refinement.
 *
 * Limits. All accelerators count as one kind, and so do all CPUs. Where no model knows a task
 * its like have been measured in this run, waiting for data included; until each kind has run
 * two of them the factor is taken to be 1. What is left of the running tasks is not counted.
 * Without an accelerator only priorities and data remain.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "schedulers/core.h"

enum { LOOK = 8 }; /* tasks among which the nearest data are looked for */

struct affine {
    struct orr_core core;
    struct orr_deck deck;   /* key: acceleration, second: priority, cost: by kind */
    double work[ORR_KINDS]; /* queued tasks that this kind does faster, us */
    struct orr_measured measured;
};

static void init(unsigned ctx) { orr_core_new(ctx, sizeof(struct affine)); }

static void deinit(unsigned ctx)
{
    struct affine *s = starpu_sched_ctx_get_policy_data(ctx);
    orr_deck_free(&s->deck);
    orr_core_free(ctx);
}

/* ---- The queue ---------------------------------------------------------------------- */

static int faster_kind(const struct orr_entry *e) { return e->key > 1 ? ORR_ACCELERATOR : ORR_CPU; }

/* Does the queue, with this sign, hold the entry's work? Unknown and impossible count 0. */
static void count_work(struct affine *s, const struct orr_entry *e, int sign)
{
    const int kind = faster_kind(e);
    if (isfinite(e->cost[kind]))
        s->work[kind] += sign * e->cost[kind];
    if (orr_deck_count(&s->deck) == 0) /* no rounding errors pile up */
        s->work[ORR_CPU] = s->work[ORR_ACCELERATOR] = 0;
}

static int two_kinds(const struct affine *s)
{
    return s->core.of_kind[ORR_CPU] > 0 && s->core.of_kind[ORR_ACCELERATOR] > 0;
}

/* us on this kind of worker. Where there is no choice no model is asked. */
static double expected(const struct affine *s, int kind, struct starpu_task *task)
{
    if (!two_kinds(s))
        return s->core.of_kind[kind] ? NAN : INFINITY;
    const double us = orr_length(s->core.first[kind], task);
    return isnan(us) ? orr_measured_length(&s->measured, kind, task) : us;
}

static struct orr_entry appraise(const struct affine *s, struct starpu_task *task)
{
    struct orr_entry e = {.key = 1, .second = task->priority, .task = task};
    for (int kind = 0; kind < ORR_KINDS; kind++)
        e.cost[kind] = expected(s, kind, task);
    if (isinf(e.cost[ORR_CPU]))
        e.key = INFINITY;
    else if (isinf(e.cost[ORR_ACCELERATOR]))
        e.key = 0;
    else if (!isnan(e.cost[ORR_CPU]) && !isnan(e.cost[ORR_ACCELERATOR]))
        e.key = e.cost[ORR_CPU] / e.cost[ORR_ACCELERATOR];
    return e;
}

static int push(struct starpu_task *task)
{
    struct affine *s = orr_core_of_task(task);
    orr_core_lock(&s->core);
    const struct orr_entry e = appraise(s, task);
    orr_deck_add(&s->deck, e);
    count_work(s, &e, 1);
    const int kind = faster_kind(&e);
    return orr_core_pushed(&s->core, task, s->core.of_kind[kind] ? s->core.first[kind] : -1);
}

/* ---- What a worker takes ------------------------------------------------------------ */

/* Will a worker of the other kind, busy now, be done with it before this one would be? If
 * so it asks again when it has finished, so that the task is not forgotten. */
static int leave_to_others(const struct affine *s, int w, const struct orr_entry *e)
{
    const int mine = orr_kind(w), other = !mine;
    if (!(e->cost[mine] > e->cost[other]) || isinf(e->cost[mine]))
        return 0;
    const double before = faster_kind(e) == other ? s->work[other] - e->cost[other] : 0;
    if (e->cost[mine] <= before / s->core.of_kind[other] + e->cost[other])
        return 0;
    for (int i = 0; i < s->core.workers; i++) {
        const int v = s->core.worker[i];
        if (orr_kind(v) == other && !s->core.waiting[v] && orr_can_run(v, e->task))
            return 1;
    }
    return 0;
}

/* Of tasks [i, end) equal to i, among the first LOOK the one with most data on w's node. */
static size_t nearest(const struct affine *s, int w, size_t i, size_t end)
{
    const unsigned node = starpu_worker_get_memory_node((unsigned)w);
    const double priority = orr_deck_at(&s->deck, i)->second;
    size_t best = i, most = orr_bytes_on(node, orr_deck_at(&s->deck, i)->task);
    for (int k = 1; k < LOOK; k++) {
        i = orr_deck_runnable(&s->deck, w, i + 1, end);
        if (i == end || orr_deck_at(&s->deck, i)->second < priority)
            break;
        const size_t bytes = orr_bytes_on(node, orr_deck_at(&s->deck, i)->task);
        if (bytes > most) {
            best = i;
            most = bytes;
        }
    }
    return best;
}

/* The queue is a row of groups of equal factor: accelerators see them in this order, CPUs
 * in the other; both see a group from its highest priority on. */
static struct starpu_task *choose(struct affine *s, int w)
{
    size_t low = 0, high = orr_deck_count(&s->deck); /* groups not yet looked at */
    while (low < high) {
        const int from_front = orr_kind(w) == ORR_ACCELERATOR;
        const double key = orr_deck_at(&s->deck, from_front ? low : high - 1)->key;
        const size_t begin = orr_deck_find(&s->deck, key, 0);
        const size_t end = orr_deck_find(&s->deck, key, 1);
        size_t i = orr_deck_runnable(&s->deck, w, begin, end);
        if (i < end) {
            if (s->core.several_nodes)
                i = nearest(s, w, i, end);
            const struct orr_entry e = *orr_deck_at(&s->deck, i);
            if (leave_to_others(s, w, &e))
                return NULL; /* what follows suits this worker even less */
            struct starpu_task *task = orr_deck_take(&s->deck, i);
            count_work(s, &e, -1);
            return task;
        }
        if (from_front)
            low = end;
        else
            high = begin;
    }
    return NULL;
}

static struct starpu_task *pop(unsigned ctx)
{
    struct affine *s = starpu_sched_ctx_get_policy_data(ctx);
    const int w = starpu_worker_get_id_check();
    if (!orr_core_ask(&s->core, w))
        return NULL;
    struct starpu_task *task = choose(s, w);
    if (task && two_kinds(s))
        orr_measured_take(&s->measured, w, task);
    return orr_core_answer(&s->core, w, task);
}

/* In the worker's thread. */
static void post_exec(struct starpu_task *task, unsigned ctx)
{
    struct affine *s = starpu_sched_ctx_get_policy_data(ctx);
    const int w = starpu_worker_get_id();
    if (w < 0 || !two_kinds(s))
        return;
    orr_core_lock(&s->core);
    orr_measured_end(&s->measured, w, task);
    orr_core_unlock(&s->core);
}

struct starpu_sched_policy orr_sched_affine = {
    .init_sched = init,
    .deinit_sched = deinit,
    ORR_CORE_POLICY,
    .push_task = push,
    .pop_task = pop,
    .post_exec_hook = post_exec,
    .policy_name = "affine",
    .policy_description = "CPUs and accelerators take from opposite ends of one queue",
};
