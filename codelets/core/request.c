/* See request.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/request.h"

#include <stdlib.h>

#include "codelets/core/plan.h"

void orr_request_begin(struct orr_request *r)
{
    atomic_store(&r->pending, 1); /* the submitter's own hold */
    r->begun = orr_now();
    if (r->in_flight <= 0)
        r->in_flight = 1000;
    STARPU_PTHREAD_MUTEX_INIT(&r->lock, NULL);
    STARPU_PTHREAD_MUTEX_INIT(&r->telling, NULL);
    STARPU_PTHREAD_COND_INIT(&r->changed, NULL);
}

void orr_request_go(struct orr_request *r)
{
    if (r->plan || r->here || !r->go)
        return;
    STARPU_PTHREAD_MUTEX_LOCK(&r->lock);
    if (!r->gone && atomic_load(&r->pending) > 0) {
        r->gone = 1;
        r->go(r);
    }
    STARPU_PTHREAD_MUTEX_UNLOCK(&r->lock);
}

void orr_request_here(struct orr_request *r) { r->here = !r->plan && !r->trace && !r->samples; }

void orr_request_here_on(struct orr_request *r)
{
    orr_request_here(r);
    r->keeps_data = r->here;
}

struct orr_held *orr_request_held(struct orr_request *r, starpu_data_handle_t handle)
{
    for (size_t i = r->holds; i-- > 0;) /* few, and the latest are wanted */
        if (r->held[i].handle == handle)
            return &r->held[i];
    if (r->holds == r->hold_room) {
        const size_t room = r->hold_room ? 2 * r->hold_room : 16;
        struct orr_held *more = realloc(r->held, room * sizeof *more);
        if (!more)
            return NULL;
        r->held = more;
        r->hold_room = room;
    }
    r->held[r->holds] = (struct orr_held){handle, STARPU_NONE};
    return &r->held[r->holds++];
}

void orr_request_let_go(struct orr_request *r)
{
    while (r->holds > 0) {
        const struct orr_held *held = &r->held[--r->holds];
        if (held->mode != STARPU_NONE)
            starpu_data_release(held->handle);
    }
}

void orr_request_fail(struct orr_request *r, orr_status s, const char *who)
{
    STARPU_PTHREAD_MUTEX_LOCK(&r->lock);
    if (atomic_load(&r->status) == 0) {
        r->culprit = who; /* before status: whoever sees the status sees the culprit */
        atomic_store_explicit(&r->status, s, memory_order_release);
    }
    STARPU_PTHREAD_MUTEX_UNLOCK(&r->lock);
}

void orr_request_too_large(struct orr_request *r, const char *who)
{
    if (r->plan) {
        orr_plan_refuse(r, "the data do not fit into the memory of the devices", 0);
        return;
    }
    atomic_store(&r->too_large, who);
    orr_request_fail(r, ORR_E_NOWORKER, who);
}

void orr_request_did(struct orr_request *r, int64_t parts)
{
    if (!r->progress)
        return;
    STARPU_PTHREAD_MUTEX_LOCK(&r->telling);
    r->parts_done += parts;
    if (!orr_request_failed(r))
        r->progress(r->parts_done, r->parts_total, r->progress_arg);
    STARPU_PTHREAD_MUTEX_UNLOCK(&r->telling);
}

void orr_request_hold(struct orr_request *r) { atomic_fetch_add(&r->pending, 1); }

void orr_request_release(struct orr_request *r)
{
    STARPU_PTHREAD_MUTEX_LOCK(&r->lock);
    const long long left = atomic_fetch_sub(&r->pending, 1) - 1;
    if (left == 0) {
        r->ended = orr_now();
        if (r->idle && r->gone)
            r->idle(r);
    }
    if (r->waiters > 0 && left <= r->wake) /* waking a thread costs as much as a small task */
        STARPU_PTHREAD_COND_BROADCAST(&r->changed);
    /* The waiter frees the request once it has seen pending == 0, which it can only see
     * under the lock: nothing of *r may be touched after this line. */
    STARPU_PTHREAD_MUTEX_UNLOCK(&r->lock);
}

orr_status orr_request_keep(struct orr_request *r, starpu_data_handle_t h)
{
    orr_status st = ORR_OK;
    STARPU_PTHREAD_MUTEX_LOCK(&r->lock);
    if (r->handles == r->handle_room) {
        size_t room = r->handle_room ? 2 * r->handle_room : 64;
        struct orr_kept *more = realloc(r->kept, room * sizeof *more);
        if (more) {
            r->kept = more;
            r->handle_room = room;
        } else {
            st = ORR_E_NOMEM;
        }
    }
    if (st == ORR_OK)
        r->kept[r->handles++] = (struct orr_kept){h, 0};
    STARPU_PTHREAD_MUTEX_UNLOCK(&r->lock);
    if (st != ORR_OK) {
        orr_request_fail(r, st, "handles");
        starpu_data_unregister(h);
    }
    return st;
}

starpu_data_handle_t orr_request_vector(struct orr_request *r, void *memory, int64_t elements,
                                        size_t element_size)
{
    return orr_request_vector_on(r, STARPU_MAIN_RAM, memory, elements, element_size);
}

starpu_data_handle_t orr_request_vector_on(struct orr_request *r, int node, void *memory,
                                           int64_t elements, size_t element_size)
{
    starpu_data_handle_t h;
    if (elements > UINT32_MAX && r->plan)
        orr_plan_refuse(r, "a piece of the matrix has more than 2^32 elements", 0);
    if (r->plan)
        return orr_plan_handle(r);
    if (elements > UINT32_MAX) {
        orr_request_fail(r, ORR_E_NOMEM, "a piece of 2^32 elements");
        return NULL;
    }
    starpu_vector_data_register(&h, node, (uintptr_t)memory, (uint32_t)elements, element_size);
    return orr_request_keep(r, h) == ORR_OK ? h : NULL;
}

void orr_request_pin(struct orr_request *r, const void *memory, size_t bytes, size_t least)
{
    if (!r->plan)
        orr_pin(&r->pins, memory, bytes, least);
}

void orr_request_spent(struct orr_request *r, starpu_data_handle_t h)
{
    STARPU_PTHREAD_MUTEX_LOCK(&r->lock);
    for (size_t i = r->handles; i-- > 0;)
        if (r->kept[i].handle == h) {
            r->kept[i].spent = 1;
            break;
        }
    STARPU_PTHREAD_MUTEX_UNLOCK(&r->lock);
}

struct orr_home *orr_request_home(struct orr_request *r)
{
    struct orr_home *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    STARPU_PTHREAD_MUTEX_LOCK(&r->lock);
    h->next = r->homes;
    r->homes = h;
    STARPU_PTHREAD_MUTEX_UNLOCK(&r->lock);
    return h;
}

void orr_task_settle(const struct orr_task *t)
{
    const int worker = starpu_worker_get_id();
    if (t->home && starpu_worker_get_type(worker) != STARPU_CPU_WORKER)
        atomic_store(&t->home->worker, worker + 1);
}

void orr_request_drain(struct orr_request *r, int64_t most)
{
    if (r->plan)
        return;
    orr_request_let_go(r);
    orr_request_go(r);
    STARPU_PTHREAD_MUTEX_LOCK(&r->lock);
    r->waiters++;
    if (most > r->wake)
        r->wake = most;
    while (atomic_load(&r->pending) > most)
        STARPU_PTHREAD_COND_WAIT(&r->changed, &r->lock);
    if (--r->waiters == 0)
        r->wake = 0;
    STARPU_PTHREAD_MUTEX_UNLOCK(&r->lock);
}

orr_status orr_request_end(struct orr_request *r)
{
    /* The submitter's own hold goes first. A worker that is woken may take this thread's core, and
     * polls there until the end of its time slice (4 ms, seen) unless its last task ends the request. */
    orr_request_release(r);
    orr_request_drain(r, 0);
    r->cancels = NULL; /* what is done is done */
    for (size_t i = 0; i < r->handles; i++)
        if (r->kept[i].spent)
            starpu_data_unregister_no_coherency(r->kept[i].handle);
        else
            starpu_data_unregister(r->kept[i].handle);
    free(r->kept);
    r->kept = NULL;
    free(r->held);
    r->held = NULL;
    orr_unpin(&r->pins);
    for (struct orr_home *h = r->homes, *next; h; h = next) {
        next = h->next;
        free(h);
    }
    r->homes = NULL;
    orr_gates_free(r->gates);
    r->gates = NULL;
    r->handles = r->handle_room = 0;
    STARPU_PTHREAD_COND_DESTROY(&r->changed);
    STARPU_PTHREAD_MUTEX_DESTROY(&r->telling);
    STARPU_PTHREAD_MUTEX_DESTROY(&r->lock);
    return (orr_status)atomic_load(&r->status);
}
