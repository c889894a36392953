/* gesvj of one matrix as a graph. The matrix is cut into blocks of columns, X (what becomes U or V
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
 * Source: Zhou, Dai, Yuan, Chen, Parallelized singular value decomposition method with
 * collaborative computing of CPU-GPU (angle and rotation as stages of a pipeline of several
 * matrices); Drmac, Veselic, New fast and accurate Jacobi SVD algorithm (preconditioning).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/gesvj.h"

enum {
    MAX_SWEEPS = 30,
    LOOKAHEAD = 1, /* sweeps submitted before the last measure is known */
    CPU_PAIRS = 4
};

/* It goes on submitting from callbacks. A callback asks for the next measure when it has
 * submitted all it had to, so they come one at a time and sweeps enter in order. */
struct run {
    struct orr_gesvj *g;
    struct orr_gesvj_block b;
    int64_t submitted; /* sweeps */
    int64_t read;      /* measures that have come */
    int accumulate;    /* J is rotated, too */
    int settled;
    int32_t sweeps; /* that rotated something */
    double off;
};

typedef void insert_fn(orr_request *, int prio, const struct orr_gesvj_block *,
                       const struct orr_gesvj_pairs *, enum orr_gesvj_where);

/* Pairs of a round per task: a device is filled by many; CPUs share them, of narrow blocks some
 * together, because one takes less time than the runtime should be asked to handle. */
static int64_t together(const struct run *r, enum orr_gesvj_where where)
{
    const int cpus = r->g->ctx->info.cpu;
    const int64_t pairs = r->b.blocks / 2, share = pairs / (cpus > 0 ? cpus : 1);
    int64_t most = ORR_GESVJ_MAX_PAIRS;
    if (where == ORR_GESVJ_ON_CPU)
        most = r->b.chunk.nb < 64 && share > 1 ? share < CPU_PAIRS ? share : CPU_PAIRS : 1;
    return pairs < most ? pairs : most;
}

static void submit_stage(struct run *r, int64_t sweep, int64_t round, insert_fn *insert, int prio,
                         enum orr_gesvj_where where)
{
    const int64_t pairs = r->b.blocks / 2, step = together(r, where);
    for (int64_t first = 0; first < pairs; first += step) {
        const struct orr_gesvj_pairs x = {.sweep = sweep,
                                          .round = round,
                                          .turn = sweep * (r->b.blocks - 1) + round,
                                          .first = first,
                                          .count = pairs - first < step ? pairs - first : step};
        insert(r->g->req, prio, &r->b, &x, where);
    }
}

static void submit_round(struct run *r, int64_t sweep, int64_t round)
{
    const struct orr_gesvj_places *w = &r->g->where;
    if (w->apart) {
        submit_stage(r, sweep, round, orr_insert_gesvj_gram, 3, w->update);
        submit_stage(r, sweep, round, orr_insert_gesvj_evd, 3, w->angle);
    } else {
        submit_stage(r, sweep, round, orr_insert_gesvj_angle, 3, w->angle);
    }
    submit_stage(r, sweep, round, orr_insert_gesvj_update, 2, w->update);
    if (r->accumulate)
        submit_stage(r, sweep, round, orr_insert_gesvj_update_v, 1, w->update);
}

static void submit_sweep(struct run *r)
{
    if (r->submitted >= (r->g->o.max_sweeps ? r->g->o.max_sweeps : MAX_SWEEPS))
        return;
    for (int64_t round = 0; round < r->b.blocks - 1; round++)
        submit_round(r, r->submitted, round);
    /* Not accepted: the request has failed, and nobody will write the measure. */
    r->submitted += orr_insert_gesvj_measure(r->g->req, 4, &r->b, r->submitted);
}

static void end_run(struct run *r)
{
    struct orr_gesvj *g = r->g;
    orr_insert_gesvj_finish(g->req, 2, &r->b, r->settled ? ORR_OK : ORR_NOCONV, r->sweeps, r->off,
                            g->o.check ? 0 : 1);
    orr_gesvj_submit_check(g, &r->b.chunk);
    orr_gesvj_block_unregister_submit(&r->b);
    orr_request_release(g->req);
    free(r);
}

static void on_measure(void *run);

/* Waits, without a thread, for the measure that comes next; or ends, if that was all. */
static void read_next(struct run *r)
{
    if (r->read < r->submitted)
        starpu_data_acquire_cb(r->b.measure[r->read % 2], STARPU_R, on_measure, r);
    else
        end_run(r);
}

/* The measure was acquired in main memory; the thread that runs the callback may be the
 * worker of a device, whose "local" memory is another one. */
static struct orr_gesvj_measure measured(starpu_data_handle_t measure)
{
    const struct starpu_variable_interface *v =
        starpu_data_get_interface_on_node(measure, STARPU_MAIN_RAM);
    return *(const struct orr_gesvj_measure *)v->ptr;
}

/* A sweep's measure has come: the sweep after the one that is under way, unless this one
 * has settled the matter. */
static void on_measure(void *arg)
{
    struct run *r = arg;
    starpu_data_handle_t measure = r->b.measure[r->read++ % 2];
    struct orr_gesvj_measure x = measured(measure);
    starpu_data_release(measure);
    r->sweeps += x.rotated > 0;
    r->off = x.off;
    r->settled |= x.settled;
    if (!r->settled && !orr_request_failed(r->g->req))
        submit_sweep(r);
    read_next(r);
}

static void on_start(void *arg)
{
    struct run *r = arg;
    const int failed = orr_request_failed(r->g->req);
    const struct orr_gesvj_started x =
        failed ? (struct orr_gesvj_started){0} : orr_gesvj_started(&r->b);
    starpu_data_release(r->b.head);
    r->accumulate = x.accumulate;
    r->settled = !x.finite;
    for (int i = 0; i <= LOOKAHEAD && x.finite; i++)
        submit_sweep(r);
    read_next(r);
}

void orr_gesvj_submit_graph(struct orr_gesvj *g, const struct orr_gesvj_chunk *c)
{
    struct run *r = calloc(1, sizeof *r);
    if (!r) {
        orr_request_fail(g->req, ORR_E_NOMEM, "gesvj");
        return;
    }
    *r = (struct run){.g = g, .b.chunk = *c};
    if (orr_gesvj_block_register(&r->b, g->where.apart) != ORR_OK) {
        orr_request_fail(g->req, ORR_E_NOMEM, "gesvj");
        free(r);
        return;
    }
    orr_request_hold(g->req);
    if (orr_insert_gesvj_start(g->req, 0, &r->b))
        starpu_data_acquire_cb(r->b.head, STARPU_R, on_start, r);
    else
        end_run(r);
}
