/* How CPUs and devices share a batch whose speed on either nobody knows beforehand: each kind
 * of processor holds a few pieces and is given the next when it has finished one, of a size
 * that follows what each has finished so far. So the division is by measured rates, transfers
 * and disturbances included, and both end together.
 *
 * Source: guided self-scheduling (Polychronopoulos and Kuck, IEEE Trans. Computers 36(12),
 * 1425-1439, 1987), weighted by rate.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/heevj.h"

enum {
    PER_WORKER = 2,       /* pieces that a worker holds: one runs, one waits */
    FIRST_FOR_DEVICE = 32 /* its first piece is this part of the batch */
};
static const double CPU_SECONDS = 2e-3; /* of a piece, or one matrix */

/* One kind of processor. */
struct feed {
    struct share *share;
    orr_method method;
    enum orr_where where;
    int64_t pieces;    /* that it may hold */
    int64_t most;      /* matrices in a piece */
    int64_t first;     /* matrices in a piece as long as its speed is not known */
    int64_t held, done;
};

struct share {
    struct orr_heevj *h;
    struct orr_heevj_bucket *b;
    starpu_pthread_mutex_t lock; /* of what follows, of b->next and of b->chunks */
    struct feed cpu, device;
    int submitter;     /* 1: the first pieces are still being handed out */
    double begun;
};

struct piece {
    struct feed *feed;
    int64_t count;
};

static int64_t limited(int64_t size, int64_t most)
{
    return size > most ? most : size < 1 ? 1 : size;
}

/* Matrices for this kind's next piece; 0: it is better left to the other. Under the lock. */
static int64_t next_size(const struct feed *f)
{
    const struct share *s = f->share;
    const struct feed *other = f == &s->cpu ? &s->device : &s->cpu;
    const int64_t left = s->b->first + s->b->count - s->b->next;
    const double elapsed = orr_now() - s->begun;
    int64_t most = f->most < left ? f->most : left;
    if (left == 0 || orr_request_failed(s->h->req))
        return 0;
    if (s->h->o.chunk)
        return limited(s->h->o.chunk, most);
    if (f->done == 0)
        return limited(f->first, most);
    if (f == &s->cpu) {
        const double each = elapsed * (double)f->pieces / PER_WORKER / (double)f->done;
        most = limited((int64_t)(CPU_SECONDS / each), most);
    }
    /* While the other has finished nothing it may be as fast. */
    const double part = other->done ? (double)f->done / (double)(f->done + other->done) : 0.5;
    const double mine = part * (double)left;
    if (mine < 0.5 && other->held > 0)
        return 0;
    return limited((int64_t)(mine / (double)f->pieces), most);
}

static void on_piece(void *arg);

/* Takes a piece and submits it; 0: there is none for this kind. */
static int hand_out(struct feed *f)
{
    struct share *s = f->share;
    struct piece *p = malloc(sizeof *p);
    if (!p) {
        orr_request_fail(s->h->req, ORR_E_NOMEM, "heevj");
        return 0;
    }
    STARPU_PTHREAD_MUTEX_LOCK(&s->lock);
    const int64_t first = s->b->next, count = next_size(f);
    s->b->next += count;
    s->b->chunks += count > 0;
    f->held += count > 0;
    STARPU_PTHREAD_MUTEX_UNLOCK(&s->lock);
    if (count == 0) {
        free(p);
        return 0;
    }
    *p = (struct piece){f, count};
    const struct orr_heevj_way way = {
        .method = f->method, .where = f->where, .solved = on_piece, .arg = p};
    orr_heevj_submit_chunk(s->h, s->b, first, count, &way);
    return 1;
}

/* Frees the share when nobody holds or hands out pieces any more. */
static void leave(struct share *s, int *holder, int64_t *held)
{
    STARPU_PTHREAD_MUTEX_LOCK(&s->lock);
    if (holder)
        *holder = 0;
    if (held)
        --*held;
    const int over = !s->submitter && s->cpu.held == 0 && s->device.held == 0;
    STARPU_PTHREAD_MUTEX_UNLOCK(&s->lock);
    if (!over)
        return;
    STARPU_PTHREAD_MUTEX_DESTROY(&s->lock);
    orr_request_release(s->h->req);
    free(s);
}

static void on_piece(void *arg)
{
    struct piece p = *(struct piece *)arg;
    struct share *s = p.feed->share;
    free(arg);
    STARPU_PTHREAD_MUTEX_LOCK(&s->lock);
    p.feed->done += p.count;
    STARPU_PTHREAD_MUTEX_UNLOCK(&s->lock);
    hand_out(p.feed);
    leave(s, NULL, &p.feed->held); /* only now: as long as a piece is held, the share lives */
}

void orr_heevj_share(struct orr_heevj *h, struct orr_heevj_bucket *b, int64_t chunk)
{
    const orr_context_info *node = &h->ctx->info;
    struct share *s = malloc(sizeof *s);
    if (!s) {
        orr_request_fail(h->req, ORR_E_NOMEM, "heevj");
        return;
    }
    *s = (struct share){.h = h, .b = b, .submitter = 1, .begun = orr_now()};
    s->cpu = (struct feed){.share = s, .method = ORR_METHOD_LAPACK, .where = ORR_ON_CPU,
                           .pieces = PER_WORKER * node->cpu, .most = INT64_MAX, .first = chunk};
    s->device = (struct feed){.share = s, .method = ORR_METHOD_BLOCK, .where = ORR_ON_ACCELERATOR,
                              .pieces = PER_WORKER * (node->cuda + node->opencl),
                              .most = orr_heevj_device_room(h, b),
                              .first = b->count / FIRST_FOR_DEVICE};
    STARPU_PTHREAD_MUTEX_INIT(&s->lock, NULL);
    orr_request_hold(h->req);
    /* In turn, so that a small batch does not go to one kind whole. */
    for (int64_t i = 0; i < s->cpu.pieces || i < s->device.pieces; i++) {
        if (i < s->device.pieces)
            hand_out(&s->device);
        if (i < s->cpu.pieces)
            hand_out(&s->cpu);
    }
    leave(s, &s->submitter, NULL);
}
