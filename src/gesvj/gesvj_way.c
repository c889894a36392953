/* The way of a matrix that is a graph: into the hub, or a bundle of its own; or, in a plan, what a run would
 * submit for it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "codelets/core/plan.h"
#include "src/gesvj/gesvj.h"

struct way {
    struct orr_gesvj_hub *hub; /* NULL: by itself */
    const struct orr_gesvj_places *where;
    struct orr_gesvj_room room;
};

/* 0: it has to go to devices, none of which has room for a pair of its blocks; the request has
 * failed. */
static int find_way(struct orr_gesvj *g, const struct orr_gesvj_chunk *c, struct way *w)
{
    static const struct orr_gesvj_places on_cpus = {.angle = ORR_ON_CPU, .update = ORR_ON_CPU};
    const int devices =
        g->hub || g->where.angle == ORR_ON_ACCELERATOR || g->where.update == ORR_ON_ACCELERATOR;
    *w = (struct way){.hub = g->hub, .where = &g->where, .room.pairs = ORR_GESVJ_MAX_PAIRS};
    if (g->hub)
        w->room = orr_gesvj_hub_room(g->hub, c);
    else if (devices)
        w->room.pairs = orr_gesvj_room_pairs(c, g->where.apart, ORR_GESVJ_MAX_PAIRS);
    if (!devices || w->room.capacity > 0 || w->room.pairs > 0)
        return 1;
    if (g->hub && orr_gesvj_hub_draws(g->hub)) {
        *w = (struct way){.where = &on_cpus};
        return 1;
    }
    orr_request_too_large(g->req, "gesvj");
    return 0;
}

/* ---- A plan ----------------------------------------------------------------------------------- */

/* Of a plan: Gaussian matrices up to order 1024 take 3 from eigenvectors, and 8 to 10 from a QR. */
enum { PLAN_SWEEPS_EIGEN = 3, PLAN_SWEEPS = 8 };

void orr_gesvj_plan_graphs(struct orr_gesvj *g, const struct orr_gesvj_chunk *c, int64_t count)
{
    struct way way;
    if (!find_way(g, c, &way))
        return;
    struct orr_gesvj_bundle *b = way.hub
                                     ? orr_gesvj_hub_make(way.hub, c, &way.room)
                                     : orr_gesvj_bundle_make(g->ctx, NULL, c, way.where, &way.room);
    struct orr_gesvj_matrix m = {.g = g, .b.chunk = *c};
    if (!b || (m.b.whole = b->rounds.whole, orr_gesvj_block_register(&m.b) != ORR_OK)) {
        orr_request_fail(g->req, ORR_E_NOMEM, "gesvj");
        if (b)
            orr_gesvj_bundle_free(b);
        return;
    }
    const int64_t sweeps = c->precondition == 2 ? PLAN_SWEEPS_EIGEN : PLAN_SWEEPS;
    m.b.accumulate = c->precondition == 2 && m.b.J; /* columns of one length: V from B'B itself */
    g->planned += count;
    g->sweeps = sweeps > g->sweeps ? sweeps : g->sweeps;
    const int64_t size = b->rounds.capacity < count ? b->rounds.capacity : count;
    if (way.hub && b->rounds.capacity > g->bundle)
        g->bundle = b->rounds.capacity;
    g->ends |= b->ends;
    const int64_t bundles = (count + size - 1) / size;
    struct orr_gesvj_pairs x = {.rounds = &b->rounds, .matrices = size};
    struct orr_gesvj_ends e = {.matrices = b->ends ? size : 1};
    for (int64_t k = 0; k < size; k++) {
        x.matrix[k] = e.matrix[k] = &m.b;
        x.user[k] = e.user[k] = g->req;
    }
    orr_plan_note(g->req,
                  sweeps == PLAN_SWEEPS
                      ? "eight sweeps, as of random matrices; a run makes as many as it needs"
                      : "three sweeps, as of random matrices; a run makes as many as it needs");
    orr_plan_bytes(g->req, (double)count * (double)orr_gesvj_block_bytes(c));
    orr_plan_group(g->req, b->ends ? bundles : count);
    orr_insert_gesvj_start(0, &e, b->ends ? b->where.update : ORR_ON_CPU);
    orr_insert_gesvj_finish(2, &e, b->ends ? b->where.update : ORR_ON_CPU, 0);
    orr_plan_group(g->req, bundles * sweeps);
    for (; x.round < b->rounds.blocks - 1; x.turn = ++x.round)
        orr_gesvj_submit_round(b, &x);
    orr_insert_gesvj_measure(4, &x);
    orr_plan_group(g->req, count);
    orr_gesvj_submit_check(g, c);
    orr_plan_group(g->req, 1);
    orr_gesvj_block_unregister_submit(&m.b);
    orr_gesvj_bundle_free(b);
}

void orr_gesvj_submit_graph(struct orr_gesvj *g, const struct orr_gesvj_chunk *c)
{
    struct orr_gesvj_bundle *alone = NULL;
    struct way way;
    if (!find_way(g, c, &way))
        return;
    struct orr_gesvj_matrix *m = calloc(1, sizeof *m);
    if (m && !way.hub)
        alone = orr_gesvj_bundle_make(g->ctx, NULL, c, way.where, &way.room);
    if (!m || (!alone && !way.hub)) {
        orr_request_fail(g->req, ORR_E_NOMEM, "gesvj");
        free(m);
        return;
    }
    m->g = g;
    m->room = way.room;
    m->b.chunk = *c;
    orr_request_hold(g->req);
    if (alone) {
        orr_gesvj_bundle_start(alone, m);
    } else {
        const int64_t size = way.room.capacity;
        g->bundle = size > g->bundle ? size : g->bundle;
        g->ends |= way.room.ends;
        orr_gesvj_hub_add(way.hub, m);
    }
}
