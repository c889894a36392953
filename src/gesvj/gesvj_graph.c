/* gesvj of matrices as graphs. A matrix is cut into blocks of columns, X (what becomes U or V
 * times the singular values) and J (the rotations so far), one handle per block:
 *
 *   A --> start --> X[0..b), J[0..b)          callback: is J to be accumulated?
 *
 *   for every sweep, for every round, for every pair (p,q) of the round:
 *
 *      X[p] X[q] --> angle --> G --> update --> X[p] X[q]      the critical path
 *                              |
 *                              +---> update_v --> J[p] J[q]    only if J cannot be solved
 *                                                              for; may lag a few rounds
 *
 *   X, J --> finish --> s, U, V
 *
 * The pairs of a round are disjoint and nothing waits for a round to end: a pair waits for
 * the two pairs before that its blocks were in. What the angles of a sweep found joins in a
 * measure; a callback reads it and submits the sweep after next, or the end. So there is
 * always a sweep in the graph that nobody has to wait for, and matrices of a batch fill
 * each other's gaps.
 *
 * That is a bundle of one matrix, for CPUs. A device has room for more pairs than one matrix has,
 * so there the sweeps of a bundle of matrices are submitted together: a task has one round of all
 * of them, and X and J are one handle each. A step of the bundle is a sweep of every matrix that
 * needs one at that moment: one whose start is done comes in, however many sweeps the others have
 * had, and one that has converged leaves for its finish. What becomes of a matrix does not depend
 * on those that it meets. Where the device starts and finishes them as well, a start has those that
 * came while the one before was under way, and a finish those that leave at a time.
 *
 * Source: Zhou, Dai, Yuan, Chen, Parallelized singular value decomposition method with
 * collaborative computing of CPU-GPU (angle and rotation as stages of a pipeline of several
 * matrices); Drmac, Veselic, New fast and accurate Jacobi SVD algorithm (preconditioning).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/gesvj/gesvj.h"

enum {
    MAX_SWEEPS = 30,
    LOOKAHEAD = 1, /* steps submitted before the last measure is known */
    CPU_PAIRS = 4
};

/* ---- A step: a sweep of every matrix that needs one ----------------------------------------- */

typedef void insert_fn(int prio, const struct orr_gesvj_pairs *, enum orr_where);

/* Pairs of a round per task: a device is filled by many; CPUs share them, of narrow blocks some
 * together, because one takes less time than the runtime should be asked to handle. */
static int64_t together(const struct orr_gesvj_bundle *b, enum orr_where where)
{
    const int cpus = b->ctx->info.cpu;
    const int64_t pairs = b->rounds.blocks / 2, share = pairs / (cpus > 0 ? cpus : 1);
    int64_t most = b->rounds.whole ? pairs : b->pairs;
    if (where == ORR_ON_CPU)
        most = b->shape.nb < 64 && share > 1 ? share < CPU_PAIRS ? share : CPU_PAIRS : 1;
    return pairs < most ? pairs : most;
}

static void submit_stage(const struct orr_gesvj_bundle *b, struct orr_gesvj_pairs *x,
                         insert_fn *insert, int prio, enum orr_where where)
{
    const int64_t pairs = b->rounds.blocks / 2, step = together(b, where);
    for (x->first = 0; x->first < pairs; x->first += step) {
        x->count = pairs - x->first < step ? pairs - x->first : step;
        insert(prio, x, where);
    }
}

static int accumulates(const struct orr_gesvj_pairs *x)
{
    int any = 0;
    for (int64_t k = 0; k < x->matrices; k++)
        any |= x->matrix[k]->accumulate;
    return any;
}

void orr_gesvj_submit_round(const struct orr_gesvj_bundle *b, struct orr_gesvj_pairs *x)
{
    const struct orr_gesvj_places *w = &b->where;
    if (w->apart) {
        submit_stage(b, x, orr_insert_gesvj_gram, 3, w->update);
        submit_stage(b, x, orr_insert_gesvj_evd, 3, w->angle);
    } else {
        submit_stage(b, x, orr_insert_gesvj_angle, 3, w->angle);
    }
    submit_stage(b, x, orr_insert_gesvj_update, 2, w->update);
    if (accumulates(x))
        submit_stage(b, x, orr_insert_gesvj_update_v, 1, w->update);
}

static int wants_sweep(const struct orr_gesvj_bundle *b, const struct orr_gesvj_matrix *m)
{
    return !m->settled && m->submitted < (b->shape.max_sweeps ? b->shape.max_sweeps : MAX_SWEEPS) &&
           !orr_request_failed(m->g->req);
}

/* As the first one did, whose task it was. */
static void fail_all(orr_request *const *user, int64_t count)
{
    for (int64_t k = 1; k < count; k++)
        orr_request_fail(user[k], (orr_status)atomic_load(&user[0]->status), user[0]->culprit);
}

/* 0: no matrix wants a sweep, or the runtime did not take it, and the requests have failed. */
static int submit_step(struct orr_gesvj_bundle *b)
{
    struct orr_gesvj_pairs x = {.rounds = &b->rounds, .step = b->steps};
    struct orr_gesvj_matrix **in = b->step[b->steps % 2];
    for (struct orr_gesvj_matrix *m = b->active; m; m = m->next)
        if (wants_sweep(b, m)) {
            in[x.matrices] = m;
            x.matrix[x.matrices] = &m->b;
            x.user[x.matrices++] = m->g->req;
        }
    if (x.matrices == 0)
        return 0;
    for (x.round = 0; x.round < b->rounds.blocks - 1; x.round++) {
        x.turn = b->steps * (b->rounds.blocks - 1) + x.round;
        orr_gesvj_submit_round(b, &x);
    }
    if (!orr_insert_gesvj_measure(4, &x)) {
        fail_all(x.user, x.matrices);
        return 0;
    }
    for (int64_t k = 0; k < x.matrices; k++)
        in[k]->submitted++;
    b->step_size[b->steps++ % 2] = x.matrices;
    return 1;
}

/* A step's measure has come. */
static void read_measure(struct orr_gesvj_bundle *b)
{
    const int64_t turn = b->read++ % 2;
    for (int64_t k = 0; k < b->step_size[turn]; k++) {
        struct orr_gesvj_matrix *m = b->step[turn][k];
        m->read++;
        m->sweeps += b->came[k].rotated > 0;
        m->off = b->came[k].off;
        m->settled |= b->came[k].settled;
    }
}

/* ---- Coming and going ----------------------------------------------------------------------- */

static struct orr_gesvj_outcome outcome_of(const struct orr_gesvj_matrix *m)
{
    return (struct orr_gesvj_outcome){
        .off = m->off, .status = m->settled ? ORR_OK : ORR_NOCONV, .sweeps = m->sweeps};
}

/* What is left to be done for it, but for its hold on the request. */
static void finish_matrix(struct orr_gesvj_matrix *m)
{
    struct orr_gesvj *g = m->g;
    const struct orr_gesvj_ends one = {
        .matrices = 1, .matrix = {&m->b}, .user = {g->req}, .outcome = {outcome_of(m)}};
    if (m->b.blocks == 0) /* there was no memory for it */
        return;
    orr_insert_gesvj_finish(2, &one, ORR_ON_CPU, g->o.check ? 0 : 1);
    orr_gesvj_submit_check(g, &m->b.chunk);
    orr_gesvj_block_unregister_submit(&m->b);
}

static void append(struct orr_gesvj_matrix **list, struct orr_gesvj_matrix *m)
{
    while (*list)
        list = &(*list)->next;
    *list = m;
}

static void drive(struct orr_gesvj_bundle *, struct orr_gesvj_matrix **list,
                  struct orr_gesvj_matrix *, int arrived);

/* Its request does not have the task, and is held until here. */
static void on_finish(void *arg)
{
    struct orr_gesvj_matrix *m = arg;
    starpu_data_release(m->b.chunk.info);
    if (!m->g->o.check)
        orr_request_did(m->g->req, 1);
    drive(m->bundle, &m->bundle->finished, m, 0);
}

/* The matrices that leave, by one task; those whose requests have failed are gone. */
static void finish_together(struct orr_gesvj_bundle *b, struct orr_gesvj_matrix *leaving,
                            struct orr_gesvj_matrix **gone)
{
    struct orr_gesvj_ends e = {.owner = b->rounds.owner};
    struct orr_gesvj_matrix *in[ORR_GESVJ_MAX_BUNDLE];
    for (struct orr_gesvj_matrix *m = leaving, *next; m; m = next) {
        next = m->next;
        m->next = NULL;
        if (orr_request_failed(m->g->req)) {
            if (m->b.blocks)
                orr_gesvj_block_unregister_submit(&m->b);
            append(gone, m);
            continue;
        }
        in[e.matrices] = m;
        e.matrix[e.matrices] = &m->b;
        e.user[e.matrices] = m->g->req;
        e.outcome[e.matrices++] = outcome_of(m);
    }
    if (e.matrices == 0)
        return;
    const int accepted = orr_insert_gesvj_finish(2, &e, b->where.update, 0);
    if (!accepted)
        fail_all(e.user, e.matrices);
    for (int64_t k = 0; k < e.matrices; k++) {
        struct orr_gesvj_matrix *m = in[k];
        orr_gesvj_block_unregister_submit(&m->b);
        if (accepted) {
            orr_gesvj_submit_check(m->g, &m->b.chunk);
            starpu_data_acquire_cb(m->b.chunk.info, STARPU_R, on_finish, m);
        } else {
            append(gone, m);
        }
    }
}

/* Moves those of which no sweep is under way and none is wanted to the list of those who leave. */
static void dismiss(struct orr_gesvj_bundle *b, struct orr_gesvj_matrix **gone)
{
    struct orr_gesvj_matrix *together = NULL;
    for (struct orr_gesvj_matrix **at = &b->active; *at;) {
        struct orr_gesvj_matrix *m = *at;
        if (m->read < m->submitted || wants_sweep(b, m)) {
            at = &m->next;
            continue;
        }
        *at = m->next;
        b->actives--;
        m->next = NULL;
        if (b->ends) {
            append(&together, m);
            continue;
        }
        finish_matrix(m);
        append(gone, m);
    }
    finish_together(b, together, gone);
}

static void admit(struct orr_gesvj_bundle *b)
{
    while (b->waiting && b->actives < b->rounds.capacity) {
        struct orr_gesvj_matrix *m = b->waiting;
        b->waiting = m->next;
        m->next = NULL;
        append(&b->active, m);
        b->actives++;
    }
}

/* The bundle goes with the last of its matrices, and a request may be gone with its matrix: so
 * the requests come last. */
static void part(struct orr_gesvj_bundle *b, struct orr_gesvj_matrix *gone)
{
    if (!gone) /* somebody else may have freed the bundle */
        return;
    struct orr_gesvj_hub *hub = b->hub;
    if (!hub)
        orr_gesvj_bundle_free(b);
    for (struct orr_gesvj_matrix *m = gone, *next; m; m = next) {
        orr_request *req = m->g->req;
        next = m->next;
        if (hub)
            orr_gesvj_hub_left(hub, b, m->kind);
        free(m);
        orr_request_release(req);
    }
}

/* ---- The driver ----------------------------------------------------------------------------- */

/* The measure was acquired in main memory; the thread that runs the callback may be the
 * worker of a device, whose "local" memory is another one. */
static void on_measure(void *arg)
{
    struct orr_gesvj_bundle *b = arg;
    for (int64_t k = 0; k < b->step_size[b->read % 2]; k++)
        b->came[k] = orr_gesvj_measured(&b->rounds, b->read, k);
    starpu_data_release(b->rounds.measure[b->read % 2]);
    drive(b, NULL, NULL, 1);
}

/* A step after those that are under way, unless their matrices are settled; and waits, without a
 * thread, for the measure that comes next. */
static void advance(struct orr_gesvj_bundle *b, struct orr_gesvj_matrix **gone)
{
    dismiss(b, gone);
    do {
        admit(b);
        while (b->steps - b->read <= LOOKAHEAD && submit_step(b)) {
        }
        dismiss(b, gone); /* those with NaN, and what has failed: there may be room again */
    } while (b->waiting && b->actives < b->rounds.capacity);
    if (b->read < b->steps && b->asked == b->read) {
        b->asked++;
        starpu_data_acquire_cb(b->rounds.measure[b->read % 2], STARPU_R, on_measure, b);
    }
}

static void on_start(void *arg)
{
    struct orr_gesvj_matrix *m = arg;
    const int failed = orr_request_failed(m->g->req);
    const struct orr_gesvj_started x =
        failed ? (struct orr_gesvj_started){0} : orr_gesvj_started(&m->b);
    starpu_data_release(m->b.head);
    m->b.accumulate = x.accumulate;
    m->settled = !x.finite;
    if (m->b.on_device && x.finite)
        orr_gesvj_block_prefetch(&m->b, m->bundle->rounds.owner);
    drive(m->bundle, &m->bundle->ready, m, 0);
}

/* Without memory it has no blocks. */
static int make_handles(struct orr_gesvj_matrix *m)
{
    if (orr_gesvj_block_register(&m->b) == ORR_OK)
        return 1;
    orr_request_fail(m->g->req, ORR_E_NOMEM, "gesvj");
    m->b.blocks = 0;
    return 0;
}

/* The first matrices that wait for it, as many as a bundle has, by one task. */
static void start_together(struct orr_gesvj_bundle *b, struct orr_gesvj_matrix **fresh)
{
    struct orr_gesvj_ends e = {.owner = b->rounds.owner};
    struct orr_gesvj_matrix *in[ORR_GESVJ_MAX_BUNDLE];
    while (*fresh && e.matrices < b->rounds.capacity) {
        struct orr_gesvj_matrix *m = *fresh;
        *fresh = m->next;
        m->next = NULL;
        if (!make_handles(m) || orr_request_failed(m->g->req)) {
            append(&b->waiting, m);
            continue;
        }
        in[e.matrices] = m;
        e.matrix[e.matrices] = &m->b;
        e.user[e.matrices++] = m->g->req;
    }
    if (e.matrices == 0)
        return;
    const int accepted = orr_insert_gesvj_start(0, &e, b->where.update);
    if (!accepted)
        fail_all(e.user, e.matrices);
    for (int64_t k = 0; k < e.matrices; k++)
        if (accepted) {
            b->starting++;
            starpu_data_acquire_cb(in[k]->b.head, STARPU_R, on_start, in[k]);
        } else {
            append(&b->waiting, in[k]);
        }
}

/* One start at a time: what comes meanwhile goes with the next. */
static int can_start(const struct orr_gesvj_bundle *b) { return b->fresh && b->starting == 0; }

/* Takes over what others have left. Under the lock. */
static void look(struct orr_gesvj_bundle *b, struct orr_gesvj_matrix **fresh,
                 struct orr_gesvj_matrix **gone)
{
    for (struct orr_gesvj_matrix *m = b->ready; m; m = m->next)
        b->starting -= b->ends;
    append(&b->waiting, b->ready);
    append(gone, b->finished);
    b->ready = b->finished = NULL;
    b->arrived = 0;
    if (can_start(b)) {
        *fresh = b->fresh;
        b->fresh = NULL;
    }
}

/* A callback brings a matrix to one of the lists of news, or says that the measure has come. One
 * thread at a time is the driver and submits what follows; others leave their news with it. */
static void drive(struct orr_gesvj_bundle *b, struct orr_gesvj_matrix **list,
                  struct orr_gesvj_matrix *m, int arrived)
{
    struct orr_gesvj_matrix *gone = NULL;
    STARPU_PTHREAD_MUTEX_LOCK(&b->lock);
    if (m)
        append(list, m);
    b->arrived |= arrived;
    if (b->driven) {
        STARPU_PTHREAD_MUTEX_UNLOCK(&b->lock);
        return;
    }
    b->driven = 1;
    while (b->ready || b->arrived || b->finished || can_start(b)) {
        const int read = b->arrived;
        struct orr_gesvj_matrix *fresh = NULL;
        look(b, &fresh, &gone);
        STARPU_PTHREAD_MUTEX_UNLOCK(&b->lock);
        start_together(b, &fresh);
        if (read)
            read_measure(b);
        advance(b, &gone);
        STARPU_PTHREAD_MUTEX_LOCK(&b->lock);
        append(&fresh, b->fresh); /* those that were too many come first */
        b->fresh = fresh;
    }
    b->driven = 0;
    STARPU_PTHREAD_MUTEX_UNLOCK(&b->lock);
    part(b, gone);
}

void orr_gesvj_bundle_start(struct orr_gesvj_bundle *b, struct orr_gesvj_matrix *m)
{
    const struct orr_gesvj_ends one = {.matrices = 1, .matrix = {&m->b}, .user = {m->g->req}};
    m->bundle = b;
    m->b.whole = b->rounds.whole;
    m->b.on_device = b->where.angle == ORR_ON_ACCELERATOR && b->where.update == ORR_ON_ACCELERATOR;
    if (b->ends)
        drive(b, &b->fresh, m, 0);
    else if (make_handles(m) && orr_insert_gesvj_start(0, &one, ORR_ON_CPU))
        starpu_data_acquire_cb(m->b.head, STARPU_R, on_start, m);
    else
        drive(b, &b->ready, m, 0);
}

struct orr_gesvj_bundle *orr_gesvj_bundle_make(orr_context *ctx, struct orr_gesvj_hub *hub,
                                               const struct orr_gesvj_chunk *c,
                                               const struct orr_gesvj_places *where,
                                               const struct orr_gesvj_room *room)
{
    struct orr_gesvj_bundle *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->ctx = ctx;
    b->hub = hub;
    b->shape = *c;
    b->where = *where;
    b->pairs = room->pairs;
    b->ends = room->ends;
    b->rounds.capacity = room->capacity > 0 ? room->capacity : 1;
    b->rounds.whole = room->capacity > 0;
    if (orr_gesvj_rounds_register(&b->rounds, c, where->apart) != ORR_OK) {
        free(b);
        return NULL;
    }
    STARPU_PTHREAD_MUTEX_INIT(&b->lock, NULL);
    return b;
}

void orr_gesvj_bundle_free(struct orr_gesvj_bundle *b)
{
    orr_gesvj_rounds_unregister_submit(&b->rounds);
    STARPU_PTHREAD_MUTEX_DESTROY(&b->lock);
    free(b);
}
