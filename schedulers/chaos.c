/* chaos: random order, random places, random delays; for tests.
 *
 * Idea. A graph is right if every order that respects its dependences gives the same result.
 * This policy goes through unlikely orders: each ready task is given to a random worker of
 * those that can run it, at a random place in that worker's queue; now and then a task comes
 * late, begins late or ends late. Data moves between memories as often as it can, priorities
 * mean nothing.
 *
 * ORR_CHAOS_SEED, any text, chooses the random numbers ("1" if it is not set). The same seed
 * gives the same numbers in the same order of calls; with several workers the order of calls
 * is the machine's, so that a run cannot be repeated exactly, only its kind.
 *
 * Limits. Delays are at most 2 ms. Slow on purpose.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "schedulers/core.h"

#include <stdlib.h>

struct chaos {
    struct orr_core core;
    uint64_t state;
    struct orr_deck deck[STARPU_NMAXWORKERS]; /* by worker; key: random */
};

/* Any text to a number other than 0 (FNV-1a). */
static uint64_t seed(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h ? h : 1;
}

static void init(unsigned ctx)
{
    struct chaos *s = orr_core_new(ctx, sizeof *s);
    const char *text = getenv("ORR_CHAOS_SEED");
    s->state = seed(text ? text : "1");
}

static void deinit(unsigned ctx)
{
    struct chaos *s = starpu_sched_ctx_get_policy_data(ctx);
    for (int w = 0; w < STARPU_NMAXWORKERS; w++)
        orr_deck_free(&s->deck[w]);
    orr_core_free(ctx);
}

/* xorshift64*; under the lock. */
static uint32_t number(struct chaos *s)
{
    s->state ^= s->state >> 12;
    s->state ^= s->state << 25;
    s->state ^= s->state >> 27;
    return (uint32_t)((s->state * 0x2545f4914f6cdd1du) >> 32);
}

static uint32_t below(struct chaos *s, uint32_t n) { return number(s) % n; }

/* us: mostly none, sometimes some, rarely long. */
static float delay(struct chaos *s)
{
    const uint32_t what = below(s, 256);
    return what == 0 ? (float)below(s, 2000) : what < 16 ? (float)below(s, 100) : 0;
}

static void dawdle(struct chaos *s)
{
    orr_core_lock(&s->core);
    const float us = delay(s);
    orr_core_unlock(&s->core);
    if (us > 0)
        starpu_usleep(us);
}

static int random_worker(struct chaos *s, struct starpu_task *task)
{
    int able[STARPU_NMAXWORKERS], n = 0;
    for (int i = 0; i < s->core.workers; i++)
        if (orr_can_run(s->core.worker[i], task))
            able[n++] = s->core.worker[i];
    STARPU_ASSERT_MSG(n, "a task that no worker of this context can run");
    return able[below(s, (uint32_t)n)];
}

static int push(struct starpu_task *task)
{
    struct chaos *s = orr_core_of_task(task);
    dawdle(s);
    orr_core_lock(&s->core);
    const int w = random_worker(s, task);
    if (s->core.several_nodes && starpu_get_prefetch_flag() && below(s, 2))
        starpu_prefetch_task_input_for(task, (unsigned)w);
    orr_deck_add(&s->deck[w], (struct orr_entry){.key = number(s), .task = task});
    return orr_core_pushed(&s->core, task, w);
}

static struct starpu_task *pop(unsigned ctx)
{
    struct chaos *s = starpu_sched_ctx_get_policy_data(ctx);
    const int w = starpu_worker_get_id_check();
    if (!orr_core_ask(&s->core, w))
        return NULL;
    struct orr_deck *d = &s->deck[w];
    return orr_core_answer(&s->core, w, orr_deck_count(d) ? orr_deck_take(d, 0) : NULL);
}

static void late(struct starpu_task *task, unsigned ctx)
{
    (void)task;
    dawdle(starpu_sched_ctx_get_policy_data(ctx));
}

struct starpu_sched_policy orr_sched_chaos = {
    .init_sched = init,
    .deinit_sched = deinit,
    ORR_CORE_POLICY ORR_SENDS_AHEAD,
    .push_task = push,
    .pop_task = pop,
    .pre_exec_hook = late,
    .post_exec_hook = late,
    .policy_name = "chaos",
    .policy_description = "random order, places and delays, for tests; $ORR_CHAOS_SEED",
};
