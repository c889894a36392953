/* wavefront: columns have owners, neighbours help out.
 *
 * Idea. In bulge chasing each task works on one or two block columns of the band, and many
 * sweeps are under way at once, each a little behind the one before: a zig-zag front. A
 * column stays in the cache (or the memory) of one worker if the same worker takes all
 * tasks that write it. So a task that becomes ready because a worker has ended another one
 * is that worker's: it has just written one of the task's columns, and owns the task's
 * column, the largest buffer that it writes, from now on. Where the program's submission
 * makes a task ready it goes to the column's owner; a column seen for the first time is given
 * to a worker, two neighbouring ones at a time, round and round. A worker takes its own
 * tasks, the head of the zig-zag (the highest priority) first. When it has none it takes the
 * head of its nearest neighbour's, and the column moves to it.
 *
 * Source. Column tasks: A. Haidar, H. Ltaief, J. Dongarra, Parallel reduction to condensed
 * forms for symmetric eigenvalue problems using aggregated fine-grained and memory-aware
 * kernels, SC 2011. Stealing: R. Blumofe, C. Leiserson, J. ACM 46(5), 1999.
 *
 * Limits. It does not know how fast a worker is: on a node with GPUs a CPU steals what the
 * GPU would have finished sooner. Use it where all workers are alike. Workers may not leave
 * its scheduling context while tasks are in it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "schedulers/core.h"

enum { COLUMNS = 2 }; /* neighbouring columns given to the same worker */

struct wavefront {
    struct orr_core core;
    struct orr_hints owner;
    long columns;                             /* seen so far */
    struct orr_deck deck[STARPU_NMAXWORKERS]; /* by worker; all can be run by it */
};

static void init(unsigned ctx) { orr_core_new(ctx, sizeof(struct wavefront)); }

static void deinit(unsigned ctx)
{
    struct wavefront *s = starpu_sched_ctx_get_policy_data(ctx);
    for (int w = 0; w < STARPU_NMAXWORKERS; w++)
        orr_deck_free(&s->deck[w]);
    orr_core_free(ctx);
}

/* The position of the worker that made the task ready, else of its column's owner. */
static long owner_position(struct wavefront *s, struct starpu_task *task)
{
    starpu_data_handle_t column = orr_subject(task);
    const int self = starpu_worker_get_id();
    const long owner = column ? orr_hint(&s->owner, column, -1) : -1;
    long position = self < 0 ? -1 : orr_core_position(&s->core, self);
    if (position < 0)
        position = owner;
    if (position < 0 || position >= s->core.workers)
        position = s->columns++ / COLUMNS % s->core.workers;
    if (column && position != owner)
        orr_hint_set(&s->owner, column, position);
    return position;
}

/* That worker, or the neighbour nearest to it that can run the task. */
static int owner(struct wavefront *s, struct starpu_task *task)
{
    const long position = owner_position(s, task);
    for (int k = 0; k < s->core.workers; k++) {
        const int w = orr_core_neighbour(&s->core, (int)position, k);
        if (orr_can_run(w, task))
            return w;
    }
    return -1;
}

static int push(struct starpu_task *task)
{
    struct wavefront *s = orr_core_of_task(task);
    orr_core_lock(&s->core);
    const int w = owner(s, task);
    STARPU_ASSERT_MSG(w >= 0, "a task that no worker of this context can run");
    if (starpu_get_prefetch_flag() && s->core.several_nodes)
        starpu_prefetch_task_input_for(task, (unsigned)w);
    orr_deck_add(&s->deck[w], (struct orr_entry){.key = task->priority, .task = task});
    return orr_core_pushed(&s->core, task, w);
}

/* The head of the nearest neighbour that has something for w, w itself first. */
static struct starpu_task *head(struct wavefront *s, int w)
{
    const int position = orr_core_position(&s->core, w);
    for (int k = 0; position >= 0 && k < s->core.workers; k++) {
        struct orr_deck *d = &s->deck[orr_core_neighbour(&s->core, position, k)];
        const size_t n = orr_deck_count(d), i = orr_deck_runnable(d, w, 0, n);
        if (i == n)
            continue;
        struct starpu_task *task = orr_deck_take(d, i);
        starpu_data_handle_t column = orr_subject(task);
        if (k > 0 && column)
            orr_hint_set(&s->owner, column, position);
        return task;
    }
    return NULL;
}

static struct starpu_task *pop(unsigned ctx)
{
    struct wavefront *s = starpu_sched_ctx_get_policy_data(ctx);
    const int w = starpu_worker_get_id_check();
    if (!orr_core_ask(&s->core, w))
        return NULL;
    return orr_core_answer(&s->core, w, head(s, w));
}

struct starpu_sched_policy orr_sched_wavefront = {
    .init_sched = init,
    .deinit_sched = deinit,
    ORR_CORE_POLICY,
    .push_task = push,
    .pop_task = pop,
    .policy_name = "wavefront",
    .policy_description = "columns have owners, neighbours steal; for bulge chasing",
};
