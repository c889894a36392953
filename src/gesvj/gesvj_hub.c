/* What matrices of gesvj that are in flight together share where there are accelerators: those that
 * a device gets meet in bundles, one for each device and shape, whose data stay there. A bundle
 * holds a few more than it sweeps, and the next ones go to whichever has finished one: so a
 * device gets as many as it can solve. With the place auto, CPUs and devices draw matrices by what
 * they have finished so far (src/core/share.h). CPUs take each matrix by itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "codelets/core/owner.h"
#include "src/core/share.h"
#include "src/gesvj/gesvj.h"

enum {
    AHEAD = 2,          /* bundles that are full: one is swept, one is being started */
    CPUS_A_MATRIX = 8,  /* that one keeps busy: order 512 has as many pairs */
    PAIRS_A_MATRIX = 8, /* likewise */
    KNOWN = 16          /* shapes whose room is kept */
};

struct orr_gesvj_hub {
    orr_context *ctx;
    struct orr_request *req;
    orr_gesvj_opts o;
    int draws; /* 1: CPUs, too */
    atomic_int users;
    starpu_pthread_mutex_t lock; /* of what follows */
    struct orr_gesvj_bundle *bundles;
    struct orr_share *share;
    struct orr_gesvj_matrix *first, **last; /* nobody has drawn them yet */
    struct orr_gesvj_matrix *queue, **end;  /* drawn for devices, but their bundles have enough */
    unsigned made;                          /* bundles, so far */
    unsigned shapes;                        /* likewise; the last ones: */
    struct {
        struct orr_gesvj_chunk shape;
        struct orr_gesvj_room room;
    } known[KNOWN];
};

static const struct orr_gesvj_places places[ORR_SHARE_KINDS] = {
    [ORR_SHARE_DEVICE] = {.angle = ORR_ON_ACCELERATOR, .update = ORR_ON_ACCELERATOR},
    [ORR_SHARE_CPU] = {.angle = ORR_ON_CPU, .update = ORR_ON_CPU}};

struct orr_gesvj_hub *orr_gesvj_hub_open(orr_context *ctx, struct orr_request *req,
                                         const orr_gesvj_opts *o)
{
    struct orr_gesvj_places
        unused; /* a type whose blocks may be wide: of others there is no room (look) */
    if ((o->place != ORR_PLACE_GPU && o->place != ORR_PLACE_AUTO) || o->bundle < 0 ||
        o->bundle > ORR_GESVJ_MAX_BUNDLE || orr_gesvj_accelerators() == 0 ||
        orr_gesvj_place(o, ORR_D, &unused) != o->place)
        return NULL;
    struct orr_gesvj_hub *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->ctx = ctx;
    h->req = req;
    h->o = *o;
    h->draws = o->place == ORR_PLACE_AUTO && ctx->info.cpu > 0;
    h->last = &h->first;
    h->end = &h->queue;
    atomic_init(&h->users, 1);
    STARPU_PTHREAD_MUTEX_INIT(&h->lock, NULL);
    return h;
}

static void drop(struct orr_gesvj_hub *h)
{
    if (atomic_fetch_sub(&h->users, 1) > 1)
        return;
    STARPU_PTHREAD_MUTEX_DESTROY(&h->lock);
    free(h);
}

void orr_gesvj_hub_close(struct orr_gesvj_hub *h)
{
    if (!h)
        return;
    if (h->share)
        orr_share_close(h->share);
    drop(h);
}

int orr_gesvj_hub_draws(const struct orr_gesvj_hub *h) { return h->draws; }

int64_t orr_gesvj_hub_fill(const struct orr_gesvj_hub *h)
{
    const int64_t most = (orr_gesvj_accelerator_pairs() + PAIRS_A_MATRIX - 1) / PAIRS_A_MATRIX;
    return AHEAD * orr_gesvj_accelerators() * (h->o.bundle ? h->o.bundle : most);
}

static int same_shape(const struct orr_gesvj_chunk *a, const struct orr_gesvj_chunk *b)
{
    return a->type == b->type && a->m == b->m && a->n == b->n && a->nb == b->nb &&
           a->left == b->left && a->right == b->right;
}

/* What a task that starts or finishes several has for all of them. */
static int same_layout(const struct orr_gesvj_chunk *a, const struct orr_gesvj_chunk *b)
{
    return a->ld == b->ld && a->ldu == b->ldu && a->ldv == b->ldv;
}

/* ---- Room ----------------------------------------------------------------------------------- */

static struct orr_gesvj_room look(const struct orr_gesvj_hub *h, const struct orr_gesvj_chunk *c)
{
    const int64_t nb = c->nb, k = c->m < c->n ? c->m : c->n;
    const int64_t pairs = (k + 2 * nb - 1) / (2 * nb);
    struct orr_gesvj_room room = {0};
    int64_t most = (orr_gesvj_accelerator_pairs() + pairs - 1) / pairs;
    if (h->o.bundle)
        most = h->o.bundle;
    room.capacity =
        orr_gesvj_room_whole(c, most < ORR_GESVJ_MAX_BUNDLE ? most : ORR_GESVJ_MAX_BUNDLE);
    if (room.capacity == 0)
        room.pairs = orr_gesvj_room_pairs(c, 0, ORR_GESVJ_MAX_PAIRS);
    room.ends = room.capacity > 0 &&
                (!h->draws ||
                 orr_gesvj_ends_pay(c, room.capacity, h->ctx->info.cpu, orr_gesvj_accelerators()));
    return room;
}

struct orr_gesvj_room orr_gesvj_hub_room(struct orr_gesvj_hub *h, const struct orr_gesvj_chunk *c)
{
    STARPU_PTHREAD_MUTEX_LOCK(&h->lock);
    const unsigned all = h->shapes < KNOWN ? h->shapes : KNOWN;
    unsigned i = 0;
    while (i < all && !(same_shape(&h->known[i].shape, c) && same_layout(&h->known[i].shape, c)))
        i++;
    if (i == all) {
        i = h->shapes++ % KNOWN;
        h->known[i].shape = *c;
        h->known[i].room = look(h, c);
    }
    const struct orr_gesvj_room room = h->known[i].room;
    STARPU_PTHREAD_MUTEX_UNLOCK(&h->lock);
    return room;
}

/* ---- Who takes it --------------------------------------------------------------------------- */

/* One that does not fit as a whole goes there in blocks, by itself. */
struct orr_gesvj_bundle *orr_gesvj_hub_make(struct orr_gesvj_hub *h,
                                            const struct orr_gesvj_chunk *c,
                                            const struct orr_gesvj_room *room)
{
    return orr_gesvj_bundle_make(h->ctx, h, c, &places[ORR_SHARE_DEVICE], room);
}

static int belongs(const struct orr_gesvj_bundle *b, const struct orr_gesvj_chunk *c)
{
    return same_shape(&b->shape, c) && (!b->ends || same_layout(&b->shape, c));
}

/* Matrices of this shape on a device; -1: it has no bundle of them. */
static int64_t members_on(const struct orr_gesvj_hub *h, const struct orr_gesvj_chunk *c, int owner)
{
    for (struct orr_gesvj_bundle *b = h->bundles; b; b = b->next)
        if (b->rounds.owner == owner && belongs(b, c))
            return b->members;
    return -1;
}

/* Of the devices without a bundle of this shape the one whose turn it is, or 0. */
static int free_owner(const struct orr_gesvj_hub *h, const struct orr_gesvj_chunk *c)
{
    const struct orr_owners all = orr_owners_look();
    for (int k = 0; k < all.count; k++) {
        const int owner = all.node[(h->made + (unsigned)k) % (unsigned)all.count];
        if (members_on(h, c, owner) < 0)
            return owner;
    }
    return 0;
}

/* The emptiest one of this shape, or a new one: as many as there are devices. NULL: no memory.
 * Under the lock. */
static struct orr_gesvj_bundle *device_bundle(struct orr_gesvj_hub *h,
                                              const struct orr_gesvj_matrix *m)
{
    struct orr_gesvj_bundle *best = NULL;
    const struct orr_gesvj_chunk *c = &m->b.chunk;
    const int64_t capacity = m->room.capacity;
    const int owner = capacity > 0 ? free_owner(h, c) : 0;
    for (struct orr_gesvj_bundle *b = h->bundles; b; b = b->next)
        if (belongs(b, c))
            best = !best || b->members < best->members ? b : best;
    if (best && capacity > 0 && !owner)
        return best;
    struct orr_gesvj_bundle *b = orr_gesvj_hub_make(h, c, &m->room);
    if (b && capacity > 0) {
        h->made++;
        b->rounds.owner = owner;
        b->next = h->bundles;
        h->bundles = b;
    }
    return b;
}

static int is_full(const struct orr_gesvj_bundle *b)
{
    return b->members >= AHEAD * b->rounds.capacity;
}

/* The matrix goes with its hold on the request and on the hub. */
static void forget(struct orr_gesvj_hub *h, struct orr_gesvj_matrix *m)
{
    orr_request *req = m->g->req;
    free(m);
    drop(h);
    orr_request_release(req);
}

static void send(struct orr_gesvj_hub *h, struct orr_gesvj_matrix *m, int kind)
{
    m->kind = kind;
    STARPU_PTHREAD_MUTEX_LOCK(&h->lock);
    struct orr_gesvj_bundle *b =
        kind == ORR_SHARE_DEVICE
            ? device_bundle(h, m)
            : orr_gesvj_bundle_make(h->ctx, h, &m->b.chunk, &places[ORR_SHARE_CPU],
                                    &(struct orr_gesvj_room){0});
    const int later = b && is_full(b);
    if (later) {
        *h->end = m;
        h->end = &m->next;
    } else if (b) {
        b->members++;
    }
    STARPU_PTHREAD_MUTEX_UNLOCK(&h->lock);
    if (later)
        return;
    if (b) {
        orr_gesvj_bundle_start(b, m);
        return;
    }
    orr_request_fail(m->g->req, ORR_E_NOMEM, "gesvj");
    if (h->draws)
        orr_share_done(h->share, kind, 1);
    forget(h, m);
}

/* The matrix that nobody has drawn for the longest time; NULL: there is none. */
static struct orr_gesvj_matrix *take(struct orr_gesvj_hub *h)
{
    STARPU_PTHREAD_MUTEX_LOCK(&h->lock);
    struct orr_gesvj_matrix *m = h->first;
    if (m) {
        h->first = m->next;
        h->last = h->first ? h->last : &h->first;
        m->next = NULL;
    }
    STARPU_PTHREAD_MUTEX_UNLOCK(&h->lock);
    return m;
}

/* Pieces are one matrix each, in the order in which they came. */
static void hand(void *hub, int kind, int64_t first, int64_t count)
{
    (void)first;
    for (; count > 0; count--)
        send(hub, take(hub), kind);
}

/* Where a request has failed some were never drawn. */
static void over(void *hub)
{
    for (struct orr_gesvj_matrix *m = take(hub); m; m = take(hub))
        forget(hub, m);
    drop(hub);
}

static struct orr_share *open_share(struct orr_gesvj_hub *h, int64_t capacity)
{
    const struct orr_share_kind kinds[ORR_SHARE_KINDS] = {
        [ORR_SHARE_DEVICE] = {.pieces =
                                  AHEAD * orr_gesvj_accelerators() * (capacity > 0 ? capacity : 1),
                              .most = 1,
                              .first = 1},
        [ORR_SHARE_CPU] = {.pieces = 1 + h->ctx->info.cpu / CPUS_A_MATRIX, .most = 1, .first = 1}};
    struct orr_share *s = orr_share_open(h->req, 0, kinds, hand, over, h);
    if (s)
        atomic_fetch_add(&h->users, 1);
    return s;
}

void orr_gesvj_hub_add(struct orr_gesvj_hub *h, struct orr_gesvj_matrix *m)
{
    atomic_fetch_add(&h->users, 1);
    if (h->draws && !h->share)
        h->share = open_share(h, m->room.capacity);
    if (h->draws && !h->share) {
        orr_request_fail(m->g->req, ORR_E_NOMEM, "gesvj");
        forget(h, m);
        return;
    }
    if (!h->draws) {
        send(h, m, ORR_SHARE_DEVICE);
        return;
    }
    STARPU_PTHREAD_MUTEX_LOCK(&h->lock);
    *h->last = m;
    h->last = &m->next;
    STARPU_PTHREAD_MUTEX_UNLOCK(&h->lock);
    orr_share_add(h->share, 1);
}

/* The next from the queue that this bundle may have, and those before it whose requests have
 * failed. Under the lock. */
static struct orr_gesvj_matrix *next_for(struct orr_gesvj_hub *h, const struct orr_gesvj_bundle *b,
                                         struct orr_gesvj_matrix **failed)
{
    for (struct orr_gesvj_matrix **at = &h->queue; *at;) {
        struct orr_gesvj_matrix *m = *at;
        const int lost = orr_request_failed(m->g->req);
        if (!lost && !belongs(b, &m->b.chunk)) {
            at = &m->next;
            continue;
        }
        *at = m->next;
        h->end = *at ? h->end : at;
        m->next = lost ? *failed : NULL;
        if (!lost)
            return m;
        *failed = m;
    }
    return NULL;
}

void orr_gesvj_hub_left(struct orr_gesvj_hub *h, struct orr_gesvj_bundle *b, int kind)
{
    struct orr_gesvj_matrix *failed = NULL;
    STARPU_PTHREAD_MUTEX_LOCK(&h->lock);
    struct orr_gesvj_matrix *next = kind == ORR_SHARE_DEVICE ? next_for(h, b, &failed) : NULL;
    b->members -= next == NULL;
    const int last = b->members == 0;
    for (struct orr_gesvj_bundle **at = &h->bundles; last && *at; at = &(*at)->next)
        if (*at == b) {
            *at = b->next;
            break;
        }
    STARPU_PTHREAD_MUTEX_UNLOCK(&h->lock);
    if (next)
        orr_gesvj_bundle_start(b, next);
    if (last)
        orr_gesvj_bundle_free(b);
    for (struct orr_gesvj_matrix *m = failed; m; m = failed) {
        failed = m->next;
        if (h->draws)
            orr_share_done(h->share, kind, 1);
        forget(h, m);
    }
    if (h->draws)
        orr_share_done(h->share, kind, 1);
    drop(h);
}
