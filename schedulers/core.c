/* See core.h. SPDX-License-Identifier: BSD-3-Clause */
#include "schedulers/core.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lock, workers, waiting --------------------------------------------------------- */

void *orr_core_new(unsigned sched_ctx, size_t size)
{
    struct orr_core *c = calloc(1, size);
    STARPU_ASSERT_MSG(c, "no memory for a scheduling policy");
    STARPU_PTHREAD_MUTEX_INIT(&c->lock, NULL);
    atomic_store(&c->changes, 1);
    starpu_sched_ctx_set_policy_data(sched_ctx, c);
    if (starpu_sched_ctx_min_priority_is_set(sched_ctx) == 0)
        starpu_sched_ctx_set_min_priority(sched_ctx, INT_MIN);
    if (starpu_sched_ctx_max_priority_is_set(sched_ctx) == 0)
        starpu_sched_ctx_set_max_priority(sched_ctx, INT_MAX);
    return c;
}

void orr_core_free(unsigned sched_ctx)
{
    struct orr_core *c = starpu_sched_ctx_get_policy_data(sched_ctx);
    STARPU_PTHREAD_MUTEX_DESTROY(&c->lock);
    free(c);
}

static void look_at_workers(struct orr_core *c)
{
    c->several_nodes = c->of_kind[ORR_CPU] = c->of_kind[ORR_ACCELERATOR] = 0;
    for (int i = 0; i < c->workers; i++) {
        const int w = c->worker[i], kind = orr_kind(w);
        if (c->of_kind[kind]++ == 0)
            c->first[kind] = w;
        c->several_nodes |= starpu_worker_get_memory_node((unsigned)w) !=
                            starpu_worker_get_memory_node((unsigned)c->worker[0]);
    }
}

/* Of core->worker; -1: not among them. */
static int position_of(const struct orr_core *c, int worker)
{
    for (int i = 0; i < c->workers; i++)
        if (c->worker[i] == worker)
            return i;
    return -1;
}

void orr_core_add_workers(unsigned sched_ctx, int *ids, unsigned n)
{
    struct orr_core *c = starpu_sched_ctx_get_policy_data(sched_ctx);
    orr_core_lock(c);
    for (unsigned i = 0; i < n; i++)
        if (position_of(c, ids[i]) < 0)
            c->worker[c->workers++] = ids[i];
    look_at_workers(c);
    orr_core_unlock(c);
}

void orr_core_remove_workers(unsigned sched_ctx, int *ids, unsigned n)
{
    struct orr_core *c = starpu_sched_ctx_get_policy_data(sched_ctx);
    orr_core_lock(c);
    for (unsigned i = 0; i < n; i++) {
        const int at = position_of(c, ids[i]);
        if (at < 0)
            continue;
        c->workers--;
        memmove(&c->worker[at], &c->worker[at + 1], (size_t)(c->workers - at) * sizeof *c->worker);
    }
    look_at_workers(c);
    orr_core_unlock(c);
}

void *orr_core_of_task(struct starpu_task *task)
{
    return starpu_sched_ctx_get_policy_data(task->sched_ctx);
}

/* While it waits for the lock, a worker lets others look at its state (StarPU's rule). */
void orr_core_lock(struct orr_core *c)
{
    starpu_worker_relax_on();
    STARPU_PTHREAD_MUTEX_LOCK(&c->lock);
    starpu_worker_relax_off();
}

void orr_core_unlock(struct orr_core *c) { STARPU_PTHREAD_MUTEX_UNLOCK(&c->lock); }

/* The k-th worker near this position: k = 0 is itself, then one up, one down, two up, ... */
static int neighbour(const struct orr_core *c, int position, int k)
{
    const int step = (k + 1) / 2;
    const int at = k % 2 ? position + step : position - step;
    return c->worker[(at + c->workers) % c->workers];
}

/* A waiting worker that can run the task, or -1. */
static int waiting_worker(struct orr_core *c, struct starpu_task *task, int preferred)
{
    int at = preferred < 0 ? 0 : position_of(c, preferred);
    for (int k = 0; k < c->workers; k++) {
        const int w = neighbour(c, at < 0 ? 0 : at, k);
        if (c->waiting[w] && orr_can_run(w, task))
            return w;
    }
    return -1;
}

int orr_core_pushed(struct orr_core *c, struct starpu_task *task, int preferred)
{
    starpu_push_task_end(task);
    const int w = waiting_worker(c, task, preferred);
    if (w >= 0)
        c->waiting[w] = 0;
    atomic_fetch_add(&c->changes, 1);
    orr_core_unlock(c);
    if (w >= 0)
        orr_core_wake(w);
    return 0;
}

/* Workers that poll need no call. */
void orr_core_wake(int worker)
{
#if !defined(STARPU_NON_BLOCKING_DRIVERS) || defined(STARPU_SIMGRID)
    starpu_wake_worker_relax_light(worker);
#else
    (void)worker;
#endif
}

int orr_core_ask(struct orr_core *c, int worker)
{
    if (atomic_load(&c->seen[worker]) == atomic_load(&c->changes))
        return 0;
    orr_core_lock(c);
    c->waiting[worker] = 0;
    return 1;
}

struct starpu_task *orr_core_answer(struct orr_core *c, int worker, struct starpu_task *task)
{
    unsigned impl = 0;
    if (!task) {
        c->waiting[worker] = 1;
        atomic_store(&c->seen[worker], atomic_load(&c->changes));
    } else if (starpu_worker_can_execute_task_first_impl((unsigned)worker, task, &impl)) {
        starpu_task_set_implementation(task, impl);
    }
    orr_core_unlock(c);
    return task;
}

/* ---- A sorted array of tasks -------------------------------------------------------- */

static int before(const struct orr_entry *a, const struct orr_entry *b)
{
    return a->key > b->key || (a->key == b->key && a->second > b->second);
}

/* Room at both ends, what is there in the middle. */
static void make_room(struct orr_deck *d)
{
    const size_t n = orr_deck_count(d), room = n < 32 ? 128 : 4 * n, first = (room - n) / 2;
    struct orr_entry *e = malloc(room * sizeof *e);
    STARPU_ASSERT_MSG(e, "no memory for a scheduling policy");
    if (n)
        memcpy(e + first, d->entry + d->first, n * sizeof *e);
    free(d->entry);
    *d = (struct orr_deck){.entry = e, .first = first, .end = first + n, .room = room};
}

void orr_deck_add(struct orr_deck *d, struct orr_entry x)
{
    if (d->first == 0 || d->end == d->room)
        make_room(d);
    size_t low = d->first, high = d->end; /* the place is in [low, high] */
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (before(&x, &d->entry[mid]))
            high = mid;
        else
            low = mid + 1;
    }
    if (low - d->first < d->end - low) {
        memmove(&d->entry[d->first - 1], &d->entry[d->first], (low - d->first) * sizeof *d->entry);
        d->first--;
        low--;
    } else {
        memmove(&d->entry[low + 1], &d->entry[low], (d->end - low) * sizeof *d->entry);
        d->end++;
    }
    d->entry[low] = x;
}

struct starpu_task *orr_deck_take(struct orr_deck *d, size_t i)
{
    const size_t at = d->first + i;
    struct starpu_task *task = d->entry[at].task;
    if (i < d->end - 1 - at) {
        memmove(&d->entry[d->first + 1], &d->entry[d->first], i * sizeof *d->entry);
        d->first++;
    } else {
        memmove(&d->entry[at], &d->entry[at + 1], (d->end - 1 - at) * sizeof *d->entry);
        d->end--;
    }
    return task;
}

size_t orr_deck_find(const struct orr_deck *d, double key, int below)
{
    size_t low = 0, high = orr_deck_count(d);
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        const double k = orr_deck_at(d, mid)->key;
        if (k < key || (k == key && !below))
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

size_t orr_deck_runnable(const struct orr_deck *d, int worker, size_t from, size_t end)
{
    while (from < end && !orr_can_run(worker, orr_deck_at(d, from)->task))
        from++;
    return from;
}

void orr_deck_free(struct orr_deck *d)
{
    free(d->entry);
    *d = (struct orr_deck){0};
}

/* ---- Hints -------------------------------------------------------------------------- */

static size_t place(starpu_data_handle_t h)
{
    return (size_t)((uint64_t)(uintptr_t)h * 0x9e3779b97f4a7c15u >> 32) % ORR_HINTS;
}

long orr_hint(const struct orr_hints *t, starpu_data_handle_t h, long otherwise)
{
    const size_t i = place(h);
    return t->at[i].handle == h ? t->at[i].value : otherwise;
}

void orr_hint_set(struct orr_hints *t, starpu_data_handle_t h, long value)
{
    const size_t i = place(h);
    t->at[i].handle = h;
    t->at[i].value = value;
}

/* ---- Costs -------------------------------------------------------------------------- */

double orr_length(int worker, struct starpu_task *task)
{
    unsigned impl;
    if (!starpu_worker_can_execute_task_first_impl((unsigned)worker, task, &impl))
        return INFINITY;
    const double us = starpu_task_expected_length(
        task, starpu_worker_get_perf_archtype(worker, task->sched_ctx), impl);
    return us > 0 ? us : NAN;
}

static size_t sort_of(struct starpu_task *task, uint32_t *footprint)
{
    *footprint = starpu_task_data_footprint(task);
    return ((uintptr_t)task->cl / sizeof(void *) * 31 + *footprint) % ORR_SORTS;
}

void orr_measured_take(struct orr_measured *m, int worker, struct starpu_task *task)
{
    const double us = orr_measured_length(m, orr_kind(worker), task);
    task->predicted = isnan(us) ? 0 : us;
    if (m->in_hand[worker]++ == 0)
        m->since[worker] = starpu_timing_now();
}

void orr_measured_end(struct orr_measured *m, int worker, struct starpu_task *task)
{
    const double now = starpu_timing_now(), us = now - m->since[worker];
    const int kind = orr_kind(worker);
    uint32_t footprint;
    const size_t i = sort_of(task, &footprint);
    if (isnan(task->predicted))
        return;
    m->since[worker] = now;
    if (m->in_hand[worker] > 0)
        m->in_hand[worker]--;
    if (m->sort[i].codelet != task->cl || m->sort[i].footprint != footprint) {
        memset(&m->sort[i], 0, sizeof m->sort[i]);
        m->sort[i].codelet = task->cl;
        m->sort[i].footprint = footprint;
    }
    const int before = m->sort[i].tasks[kind]++;
    if (before > 0)
        m->sort[i].us[kind] += (us - m->sort[i].us[kind]) / before;
}

double orr_measured_length(const struct orr_measured *m, int kind, struct starpu_task *task)
{
    uint32_t footprint;
    const size_t i = sort_of(task, &footprint);
    const int known = m->sort[i].codelet == task->cl && m->sort[i].footprint == footprint &&
                      m->sort[i].tasks[kind] > 1;
    return known ? m->sort[i].us[kind] : NAN;
}

size_t orr_bytes_on(unsigned node, struct starpu_task *task)
{
    const unsigned n = STARPU_TASK_GET_NBUFFERS(task);
    size_t bytes = 0;
    for (unsigned i = 0; i < n; i++) {
        starpu_data_handle_t h = STARPU_TASK_GET_HANDLE(task, i);
        if (starpu_data_is_on_node(h, node))
            bytes += starpu_data_get_size(h);
    }
    return bytes;
}
