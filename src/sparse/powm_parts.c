/* What the sparse iterations share: vectors in registered blocks, small handles, and
 * watching the scalars of steps from afar.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"
#include "codelets/core/plan.h"
#include "src/sparse/powm.h"

/* ---- Vectors ------------------------------------------------------------------------------- */

orr_status orr_powm_vector_make(struct orr_powm_vector *v, orr_type type, int64_t n,
                                const int64_t *first, int64_t blocks)
{
    const size_t bytes = ((size_t)n + ORR_POWM_VECTOR_PAD) * orr_type_size(type);
    *v = (struct orr_powm_vector){.blocks = blocks};
    v->data = orr_large_memory(bytes);
    v->h = calloc((size_t)blocks, sizeof *v->h);
    if (!v->data || !v->h) {
        orr_powm_vector_free(v);
        return ORR_E_NOMEM;
    }
    /* The whole of it once: pages are then there before anything is timed. */
    memset(v->data, 0, bytes);
    orr_pin(&v->pins, v->data, bytes, ORR_PIN_OURS);
    orr_powm_vector_register(v, type, first);
    return ORR_OK;
}

static orr_status outcome_of(orr_request *req) { return *(orr_status *)req->state; }

void orr_powm_begin(struct orr_request *req, int small, int64_t total,
                    void (*progress)(int64_t, int64_t, void *), void *arg, orr_status *outcome)
{
    if (small)
        orr_request_here_on(req);
    orr_request_go(req);
    req->finish = outcome_of;
    req->state = outcome;
    req->parts_total = total;
    req->progress = progress;
    req->progress_arg = arg;
}

/* One element at least, of which there is room behind: a device has no memory of no bytes. */
void orr_powm_vector_register(struct orr_powm_vector *v, orr_type type, const int64_t *first)
{
    const size_t size = orr_type_size(type);
    for (int64_t b = 0; b < v->blocks; b++)
        starpu_vector_data_register(&v->h[b], STARPU_MAIN_RAM,
                                    (uintptr_t)v->data + (size_t)first[b] * size,
                                    (uint32_t)orr_most(first[b + 1] - first[b], 1), size);
}

void orr_powm_vector_unregister(struct orr_powm_vector *v)
{
    for (int64_t b = 0; v->h && b < v->blocks; b++)
        if (v->h[b]) {
            starpu_data_unregister(v->h[b]);
            v->h[b] = NULL;
        }
}

void orr_powm_vector_free(struct orr_powm_vector *v)
{
    for (int64_t b = 0; v->h && b < v->blocks; b++)
        if (v->h[b])
            starpu_data_unregister_no_coherency(v->h[b]); /* nobody wants what a device has */
    orr_unpin(&v->pins);
    free(v->h);
    free(v->data);
    *v = (struct orr_powm_vector){0};
}

double complex orr_powm_get(orr_type t, const void *v, int64_t i)
{
    switch (t) {
    case ORR_S: return ((const float *)v)[i];
    case ORR_D: return ((const double *)v)[i];
    case ORR_C: return ((const float complex *)v)[i];
    default: return ((const double complex *)v)[i];
    }
}

void orr_powm_set(orr_type t, void *v, int64_t i, double complex z)
{
    switch (t) {
    case ORR_S: ((float *)v)[i] = (float)creal(z); break;
    case ORR_D: ((double *)v)[i] = creal(z); break;
    case ORR_C: ((float complex *)v)[i] = (float complex)z; break;
    default: ((double complex *)v)[i] = z;
    }
}

/* ---- Small handles ------------------------------------------------------------------------- */

starpu_data_handle_t *orr_powm_small(int64_t count, size_t size)
{
    starpu_data_handle_t *h = calloc((size_t)count, sizeof *h);
    for (int64_t i = 0; h && i < count; i++)
        starpu_vector_data_register(&h[i], -1, 0, (uint32_t)((size + 7) / 8), 8);
    return h;
}

void orr_powm_small_drop(starpu_data_handle_t *h, int64_t count)
{
    for (int64_t i = 0; h && i < count; i++)
        starpu_data_unregister_submit(h[i]);
    free(h);
}

/* ---- Short steps --------------------------------------------------------------------------- */

int64_t orr_powm_steps_per_task(const orr_sparse *A, int64_t asked)
{
    enum { MOST_STEPS = 64, MOST_ASKED = 1 << 20, BYTES_PER_MS = 10000000, SMALL = 1 << 21 };
    const orr_context_info *i = &A->ctx->info;
    const int64_t vectors = 3 * A->info.rows * (int64_t)orr_type_size(A->info.type);
    /* what is not small is one block for the sake of a device, which is faster */
    const int64_t faster = i->cuda > 0 && A->info.bytes > SMALL ? 100 : 1;
    int64_t steps = faster * BYTES_PER_MS / (A->info.bytes + vectors + 1);
    if (i->ranks > 1 || A->info.blocks != 1 || A->info.rows != A->info.cols ||
        (i->cpu == 0 && i->cuda == 0))
        return 1;
    if (asked > 0)
        return asked < MOST_ASKED ? asked : MOST_ASKED;
    return steps < 1 ? 1 : steps > MOST_STEPS ? MOST_STEPS : steps;
}

int64_t orr_powm_plan_steps(struct orr_request *req, int64_t most)
{
    enum { STEPS = 10 };
    orr_plan_note(req, "of ten steps; a run makes as many as it needs");
    return most < STEPS ? most : STEPS;
}

/* ---- Watching ------------------------------------------------------------------------------ */

struct question {
    struct orr_powm_watch *watch;
    starpu_data_handle_t scalars;
};

void orr_powm_watch_start(struct orr_powm_watch *w, struct orr_request *req)
{
    *w = (struct orr_powm_watch){.req = req};
    w->last.step = -1;
    STARPU_PTHREAD_MUTEX_INIT(&w->lock, NULL);
    STARPU_PTHREAD_COND_INIT(&w->changed, NULL);
}

/* The scalars were acquired in main memory; this may run on the worker of a device. */
static void answer(void *arg)
{
    struct question *q = arg;
    struct orr_powm_watch *w = q->watch;
    const struct starpu_vector_interface *v =
        starpu_data_get_interface_on_node(q->scalars, STARPU_MAIN_RAM);
    struct orr_powm_seen s = orr_powm_look((const void *)v->ptr);
    if (orr_request_failed(w->req))
        s.state = ORR_SEEN_LOST;
    struct orr_request *req = w->req;
    starpu_data_release(q->scalars);
    free(q);
    STARPU_PTHREAD_MUTEX_LOCK(&w->lock);
    w->seen++;
    if (w->last.state == ORR_SEEN_RUNNING && (s.step > w->last.step || s.state != ORR_SEEN_RUNNING))
        w->last = s;
    STARPU_PTHREAD_COND_BROADCAST(&w->changed);
    STARPU_PTHREAD_MUTEX_UNLOCK(&w->lock); /* the watch may be gone now: the request is not */
    orr_request_release(req);
}

void orr_powm_watch_ask(struct orr_powm_watch *w, starpu_data_handle_t scalars)
{
    if (w->req->plan)
        return;
    struct question *q = malloc(sizeof *q);
    if (!q) {
        orr_request_fail(w->req, ORR_E_NOMEM, "powm");
        return;
    }
    *q = (struct question){w, scalars};
    w->asked++;
    orr_request_let_go(w->req);
    orr_request_hold(w->req);
    starpu_data_acquire_cb(scalars, STARPU_R, answer, q);
}

struct orr_powm_seen orr_powm_watch_wait(struct orr_powm_watch *w, int64_t behind)
{
    STARPU_PTHREAD_MUTEX_LOCK(&w->lock);
    while (w->asked - w->seen > behind)
        STARPU_PTHREAD_COND_WAIT(&w->changed, &w->lock);
    const struct orr_powm_seen s = w->last;
    STARPU_PTHREAD_MUTEX_UNLOCK(&w->lock);
    return s;
}

void orr_powm_watch_end(struct orr_powm_watch *w)
{
    orr_powm_watch_wait(w, 0);
    STARPU_PTHREAD_COND_DESTROY(&w->changed);
    STARPU_PTHREAD_MUTEX_DESTROY(&w->lock);
}
