/* See share.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/core/share.h"

#include <stdlib.h>
#include <string.h>

struct orr_share {
    struct orr_request *req;
    int64_t chunk;
    orr_share_hand_fn *hand;
    void (*over)(void *arg);
    void *arg;
    starpu_pthread_mutex_t lock; /* of what follows */
    struct feed {
        struct orr_share_kind kind;
        int64_t held, done; /* pieces; units */
    } feed[ORR_SHARE_KINDS];
    int64_t next, added;
    int64_t owners; /* who adds work, and every piece */
    double begun;
};

static int64_t limited(int64_t size, int64_t most)
{
    return size > most ? most : size < 1 ? 1 : size;
}

/* What a kind has done, or would have in the time of the other by the guesses; 0: nobody knows. */
static double done_by(const struct feed *f, const struct feed *other)
{
    if (f->done || other->done == 0 || f->kind.rate <= 0 || other->kind.rate <= 0)
        return (double)f->done;
    return (double)other->done * f->kind.rate / other->kind.rate;
}

/* Its part of what is left: as long as there is neither a measure nor a guess, half. */
static double part_of(const struct feed *f, const struct feed *other)
{
    const double mine = done_by(f, other), others = done_by(other, f);
    if (mine > 0 && others > 0)
        return mine / (mine + others);
    if (f->kind.rate > 0 && other->kind.rate > 0)
        return f->kind.rate / (f->kind.rate + other->kind.rate);
    return 0.5;
}

/* Units of this kind's next piece; 0: it is better left to the other. Under the lock. */
static int64_t next_size(const struct orr_share *s, const struct feed *f)
{
    const struct feed *other = f == s->feed ? f + 1 : f - 1;
    const int64_t left = s->added - s->next;
    int64_t most = f->kind.most < left ? f->kind.most : left;
    if (left == 0 || f->held >= f->kind.pieces || (s->req && orr_request_failed(s->req)))
        return 0;
    if (s->chunk)
        return limited(s->chunk, most);
    const double mine = part_of(f, other) * (double)left;
    if (f->done == 0 && f->kind.rate <= 0)
        return limited(f->kind.first, most);
    if (f->done == 0)
        return limited(f->kind.first < mine ? f->kind.first : (int64_t)mine, most);
    if (f->kind.workers) {
        const double elapsed = orr_now() - s->begun;
        const double each = elapsed * (double)f->kind.workers / (double)f->done;
        most = limited((int64_t)(f->kind.seconds / each), most);
    }
    if (mine < 0.5 && other->held > 0)
        return 0;
    const int64_t piece = (int64_t)(mine / (double)f->kind.pieces);
    return limited(piece < f->kind.least ? f->kind.least : piece, most);
}

/* Gives this kind a piece; 0: there is none for it. The caller is an owner. */
static int hand_out(struct orr_share *s, int kind)
{
    struct feed *f = &s->feed[kind];
    STARPU_PTHREAD_MUTEX_LOCK(&s->lock);
    const int64_t first = s->next, count = next_size(s, f);
    s->next += count;
    f->held += count > 0;
    s->owners += count > 0;
    STARPU_PTHREAD_MUTEX_UNLOCK(&s->lock);
    if (count > 0)
        s->hand(s->arg, kind, first, count);
    return count > 0;
}

static void leave(struct orr_share *s)
{
    STARPU_PTHREAD_MUTEX_LOCK(&s->lock);
    const int last = --s->owners == 0;
    STARPU_PTHREAD_MUTEX_UNLOCK(&s->lock);
    if (!last)
        return;
    STARPU_PTHREAD_MUTEX_DESTROY(&s->lock);
    if (s->over)
        s->over(s->arg);
    if (s->req)
        orr_request_release(s->req);
    free(s);
}

struct orr_share *orr_share_open(struct orr_request *req, int64_t chunk,
                                 const struct orr_share_kind kind[ORR_SHARE_KINDS],
                                 orr_share_hand_fn *hand, void (*over)(void *arg), void *arg)
{
    struct orr_share *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = (struct orr_share){.req = req,
                            .chunk = chunk,
                            .hand = hand,
                            .over = over,
                            .arg = arg,
                            .owners = 1,
                            .begun = orr_now()};
    for (int i = 0; i < ORR_SHARE_KINDS; i++)
        s->feed[i].kind = kind[i];
    STARPU_PTHREAD_MUTEX_INIT(&s->lock, NULL);
    if (req)
        orr_request_hold(req);
    return s;
}

/* In turn, so that a little work does not go to one kind whole. */
void orr_share_add(struct orr_share *s, int64_t count)
{
    STARPU_PTHREAD_MUTEX_LOCK(&s->lock);
    s->added += count;
    STARPU_PTHREAD_MUTEX_UNLOCK(&s->lock);
    for (int some = 1; some;) {
        some = 0;
        for (int kind = 0; kind < ORR_SHARE_KINDS; kind++)
            some |= hand_out(s, kind);
    }
}

void orr_share_done(struct orr_share *s, int kind, int64_t count)
{
    STARPU_PTHREAD_MUTEX_LOCK(&s->lock);
    s->feed[kind].done += count;
    s->feed[kind].held--;
    STARPU_PTHREAD_MUTEX_UNLOCK(&s->lock);
    hand_out(s, kind);
    leave(s); /* only now: as long as somebody is an owner, the share lives */
}

void orr_share_close(struct orr_share *s) { leave(s); }

/* ---- A batch --------------------------------------------------------------------------------- */

struct batch {
    struct orr_request *req;
    const char *who;
    struct orr_share *share;
    orr_share_submit_fn *submit;
    _Alignas(max_align_t) char arg[];
};

struct piece {
    struct orr_share *share;
    int kind;
    int64_t count;
};

static void on_piece(void *piece)
{
    const struct piece p = *(struct piece *)piece;
    free(piece);
    orr_share_done(p.share, p.kind, p.count);
}

static void hand_piece(void *arg, int kind, int64_t first, int64_t count)
{
    struct batch *b = arg;
    struct piece *p = malloc(sizeof *p);
    if (!p) {
        orr_request_fail(b->req, ORR_E_NOMEM, b->who);
        orr_share_done(b->share, kind, count);
        return;
    }
    *p = (struct piece){b->share, kind, count};
    b->submit(b->arg, kind, first, count, on_piece, p);
}

void orr_share_batch(struct orr_request *req, const char *who, int64_t chunk,
                     const struct orr_share_kind kind[ORR_SHARE_KINDS], int64_t count,
                     orr_share_submit_fn *submit, const void *arg, size_t size)
{
    struct batch *b = malloc(sizeof *b + size);
    if (b) {
        *b = (struct batch){.req = req, .who = who, .submit = submit};
        memcpy(b->arg, arg, size);
        b->share = orr_share_open(req, chunk, kind, hand_piece, free, b);
    }
    if (!b || !b->share) {
        orr_request_fail(req, ORR_E_NOMEM, who);
        free(b);
        return;
    }
    orr_share_add(b->share, count);
    orr_share_close(b->share);
}
