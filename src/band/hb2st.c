/* hb2st: a Hermitian band matrix becomes tridiagonal by bulge chasing, T = Q' A Q.
 *
 * Sweep s = 0, 1, ... clears column s below its subdiagonal with a reflector; that makes a
 * bulge b rows further down, whose first column the next reflector clears, and so on down
 * the band: hops t = 0, 1, ... Hop (s,t) owns the columns J = s+1+tb .. s+(t+1)b. It updates
 * the diagonal block there from both sides (D) and the block below it from the right (O),
 * makes the next reflector from the first column of that block and applies it from the left:
 *
 *                   J
 *              . .
 *              . . .                     A reflector on its way from one hop to the next is
 *               |D     |                 all that passes from column to column of one sweep.
 *               |D D   |                 Sweep s+1 comes behind, one row and column further:
 *               |D D D |                 its hop t may start when hop t+1 of sweep s is done,
 *               |O O O |.                so many sweeps are in the band at once.
 *               |0 O O |. .
 *               |0 O O |. . .
 *
 * One hop is too small for a task. The band is cut into blocks H[m] of D columns, the sweeps
 * into groups of G, and task T(g,m) runs every hop of group g that ends at or before a
 * bound, which for each further sweep of the group lies b-1 columns further left:
 *
 *             H[m-1]                    H[m]
 *      +----------------------+----------------------+
 *      |   sweep gG    ######################........|     last column <= (m+1)D - 1
 *      |   sweep gG+1  ##################............|                 <= (m+1)D - 1 - (b-1)
 *      |   sweep gG+2  ##############................|                 <= ...     - 2(b-1)
 *      |       ^ where T(g,m-1) stopped              |
 *      +----------------------+----------------------+     D >= (G-1)(b-1) + b: it fits
 *
 * The slope is what keeps the hops of a sweep behind those of the sweep before, and thus
 *
 *     T(g,m)   reads and writes   H[m-1], H[m], the carry of group g, the reflectors V[g]
 *
 * is all that there is to say: from these accesses StarPU derives that T(g,m) follows
 * T(g,m-1) and T(g-1,m+1), and that T(g,m) and T(g-1,m+2) run side by side. Any order that
 * respects this gives the same result bit for bit (docs/algorithms/hb2st.md has the proof).
 *
 * The sweeps that begin in the last two blocks would only follow each other: they are the `rest`,
 * one group and one task (choose_rest). Those before may go through blocks of half the columns
 * (choose_tail).
 *
 * Q = H(0,0) H(0,1) ... is formed, or applied to a matrix, by src/band/hb2st_product.c.
 *
 * The graph is submit_reduction: load the blocks, chase, store d and e. Each orr_insert_hb2st_...
 * submits a task; codelets/band/hb2st.h lists its data and access modes.
 *
 * Sources: C. Bischof, B. Lang, X. Sun, ACM Trans. Math. Softw. 26(4), 581-601, 2000 (SBR);
 * A. Haidar, H. Ltaief, J. Dongarra, SC 2011 (column tasks); the compact 2b x n band is that
 * of the patent on GPU bulge chasing in docs/algorithms/hb2st.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "codelets/core/least.h"
#include "src/band/band_plan.h"
#include "src/band/hb2st.h"
#include "src/band/hb2st_grid.h"
#include "src/core/range.h"

struct hb2st {
    orr_context *ctx;
    orr_request *req;
    orr_hb2st_opts o;
    struct orr_hb2st_band user; /* the caller's band; d, e: and his results */
    void *d, *e;
    struct orr_hb2st_grid head, tail; /* tail.r.D 0: there is none, head does all sweeps */
    struct orr_band_plan plan;
    int64_t hops;             /* all of them */
    int64_t narrow;           /* 0, or the bandwidth of one that one task reduces */
    double scale, unscale;    /* what entries are multiplied by for blocks, and divided by for T */
    orr_hb2st_factor *factor; /* the reflectors, if they are kept */
    struct orr_hb2st_part part; /* if heev's second stage (orr_hb2st_attach); else zero */
};

/* ---- Planning ------------------------------------------------------------------------------ */

static int keeps_reflectors(const orr_hb2st_opts *o) { return o->vect == 'Q' || o->vect == 'V'; }

/* D, G and where. NULL, or what is wrong with those that the caller asks for. */
static const char *choose_blocks(struct orr_hb2st *r, const orr_hb2st_opts *o, orr_context *ctx,
                                 struct orr_band_plan *plan)
{
    r->D = orr_most(r->n, 1);
    r->G = 1;
    orr_hb2st_shape_of(r);
    const char *wrong = orr_plan_hb2st(r, o, ctx, plan);
    orr_hb2st_shape_of(r);
    return wrong;
}

/* The caller says how to chase. */
static int asks(const orr_hb2st_opts *o) { return o->D || o->G || o->tail || o->split; }

/* The bandwidth of a band that LAPACK's rotations reduce sooner on one core than all workers chase bulges; 0: it is
 * chased. One worker with AVX-512 takes 7.8 n^2 ns for a band of up to 8 diagonals (complex 12), OpenBLAS 1.05 b n^2
 * (2.4). */
static int64_t narrow(const struct orr_hb2st *r, int64_t b, const orr_hb2st_opts *o,
                      const orr_context *ctx)
{
    const int cpus = o->place == ORR_PLACE_AUTO || o->place == ORR_PLACE_CPU;
    const double alone = orr_is_complex(r->type) ? 12 / 2.4 : 7.8 / 1.05;
    return b > 1 && cpus && !asks(o) && !keeps_reflectors(o) && ctx->info.cpu > 0 &&
                   (double)b * orr_band_gain(ctx, r->n) < alone
               ? b
               : 0;
}

/* A tail and a rest are for CPUs alone. Kept reflectors lie by groups of one size, which those of a
 * tail and a rest are not. */
static int may_regroup(const orr_context *ctx, const orr_hb2st_opts *o)
{
    return ctx->info.cuda + ctx->info.opencl == 0 && !keeps_reflectors(o);
}

/* The last sweeps are short: fewer blocks, fewer tasks side by side. With blocks of half the
 * columns there are as many again. head: all sweeps; loses those of the tail, if there is one. */
static void choose_tail(struct hb2st *h)
{
    struct orr_hb2st *head = &h->head.r;
    if (h->o.tail == 0 || !may_regroup(h->ctx, &h->o) || head->b < 2 || head->D >= head->n ||
        head->D % 2 || head->D / 2 < head->b)
        return;
    struct orr_hb2st r = *head;
    r.D = head->D / 2;
    r.G = orr_plan_most_sweeps(r.D, r.b);
    orr_hb2st_shape_of(&r);
    const int64_t group = orr_most(r.sweeps - h->o.tail, 0) / r.G, sweep = group * r.G;
    h->tail = (struct orr_hb2st_grid){
        .r = r, .first_group = group, .first_block = orr_most(sweep / head->D * 2 - 1, 0)};
    head->sweeps = sweep;
    head->groups = (sweep + head->G - 1) / head->G;
}

/* Where only two blocks are left, T(g,m) follows T(g-1,m+1), which follows T(g-1,m): nothing runs
 * side by side, so one task does what is left. */
static void choose_rest(struct hb2st *h)
{
    struct orr_hb2st_grid *x = h->tail.r.D ? &h->tail : &h->head;
    struct orr_hb2st *r = &x->r;
    const int64_t group = orr_most(((r->blocks - 2) * r->D + r->G - 1) / r->G, x->first_group);
    if (r->blocks < 2 || group * r->G >= r->sweeps || !may_regroup(h->ctx, &h->o))
        return;
    r->rest = r->sweeps - group * r->G;
    r->groups = group + 1;
}

/* Wide bands on CPUs: a hop leaves its updates to the next sweep, but the tail's first sweep begins anew. */
static void choose_late(struct hb2st *h)
{
    struct orr_hb2st *head = &h->head.r, *tail = &h->tail.r;
    head->late = tail->late = h->plan.place == ORR_PLACE_CPU && orr_hb2st_late(head->type, head->b);
    tail->first = head->sweeps;
}

static void print_plan(const struct hb2st *h, char *plan, size_t room)
{
    const struct orr_hb2st *r = &h->head.r, *tail = &h->tail.r;
    if (h->narrow) {
        snprintf(plan, room, "\"b\":%lld,\"method\":\"lapack\"", (long long)h->narrow);
        return;
    }
    int at =
        snprintf(plan, room,
                 "\"b\":%lld,\"D\":%lld,\"G\":%lld,\"blocks\":%lld,\"groups\":%lld,\"hops\":%lld",
                 (long long)r->b, (long long)r->D, (long long)r->G, (long long)r->blocks,
                 (long long)(r->groups + tail->groups - h->tail.first_group), (long long)h->hops);
    at += orr_plan_print(&h->plan, plan + at, room - (size_t)at);
    if (r->rest + tail->rest)
        at += snprintf(plan + at, room - (size_t)at, ",\"rest\":%lld",
                       (long long)(r->rest + tail->rest));
    if (tail->D)
        snprintf(plan + at, room - (size_t)at, ",\"tail\":{\"sweep\":%lld,\"D\":%lld,\"G\":%lld}",
                 (long long)r->sweeps, (long long)tail->D, (long long)tail->G);
}

/* ---- Data ----------------------------------------------------------------------------------- */

/* A device chases, the band being one block: nobody else sees what it passes on and keeps, which then has
 * no main memory, that would have to be page-locked while the device works. */
static int chases_alone(const struct hb2st *h)
{
    return h->plan.place == ORR_PLACE_GPU && h->head.r.blocks == 1;
}

/* Everything the tasks work on. On failure the request has failed. */
static int allocate(struct hb2st *h)
{
    const enum orr_where where = orr_place_where(h->ctx, h->o.place);
    if (h->narrow)
        return !orr_request_failed(h->req);
    orr_hb2st_grid_make(h->req, where, chases_alone(h), &h->head);
    if (h->tail.r.D)
        orr_hb2st_grid_make(h->req, where, 0, &h->tail);
    if (keeps_reflectors(&h->o)) {
        const int wanted = h->o.vect == 'V' && h->o.factor;
        h->factor =
            orr_hb2st_grid_keep(h->req, where, !wanted && chases_alone(h), wanted, &h->head);
    }
    return !orr_request_failed(h->req);
}

/* ---- The graph: from the band to the tridiagonal matrix ------------------------------------- */

/* The longest chain of tasks zig-zags along the heads of the sweeps, T(g,m) -> T(g,m+1) ->
 * T(g+1,m): two steps for a group, one for a block. The sooner on that path, the sooner. */
static int priority(const struct hb2st *h, const struct orr_hb2st *r, int64_t g, int64_t m)
{
    return (int)orr_most(h->part.first_priority - (2 * g + m) * r->G, -INT_MAX);
}

static void submit_chases(struct hb2st *h, const struct orr_hb2st_grid *x)
{
    const struct orr_hb2st *r = &x->r;
    for (int64_t g = x->first_group; g < r->groups; g++) {
        const int64_t first = g * r->G / r->D; /* the block where the group begins */
        for (int64_t m = first, now = m; m < r->blocks; now = m) {
            /* now, now+1, ...; where tasks are only counted (--explain) one stands for all in the
             * middle, which are alike but for a hop or two */
            m += orr_plan_alike(h->req, m, first + 2, r->blocks - 3);
            orr_insert_hb2st_chase(h->req, priority(h, r, g, now), r, g, now,
                                   orr_plan_where(&h->plan, now));
        }
    }
}

/* Of heev's second stage the columns of a block are ready when the first stage has written them:
 * handles `after` say so. */
static void submit_load(struct hb2st *h, const struct orr_hb2st *r, int64_t m)
{
    const int64_t first = m * r->D, count = orr_least(r->D, r->n - first);
    starpu_data_handle_t after[ORR_HB2ST_AFTER(count)];
    const int waits = h->part.after ? h->part.after(h->part.arg, first, count, after) : 0;
    orr_insert_hb2st_load(h->req, priority(h, r, 0, m), r, m, &h->user, h->scale, after, waits);
}

/* In the order of a sequential program; what may run side by side follows from the data. Without a
 * tail: load, chase, store. With one its blocks are made of the halves of head's in between. */
static void submit_reduction(struct hb2st *h)
{
    const struct orr_hb2st *r = &h->head.r, *tail = &h->tail.r;

    if (h->narrow) {
        orr_insert_hb2st_narrow(h->req, r->type, r->n, h->narrow, &h->user, h->scale, h->unscale,
                                h->d, h->e, h->part.into, orr_most(r->weight, 1) * h->hops);
        return;
    }
    for (int64_t m = 0; m < r->blocks; m++)
        submit_load(h, r, m);

    submit_chases(h, &h->head);
    for (int64_t m = h->tail.first_block; m < tail->blocks; m++)
        orr_insert_hb2st_halve(h->req, priority(h, tail, h->tail.first_group, m), tail, m, r);
    if (tail->D)
        submit_chases(h, &h->tail);

    /* the first block of the tail is only there because a task takes two; it does not change */
    const int64_t halved = tail->D ? (h->tail.first_block + 1) / 2 : r->blocks;
    for (int64_t m = 0; m < halved; m++)
        orr_insert_hb2st_store(h->req, priority(h, r, r->groups, m), r, m, h->unscale, h->d, h->e,
                               h->part.into);
    for (int64_t m = 2 * halved; m < tail->blocks; m++)
        orr_insert_hb2st_store(h->req, priority(h, tail, tail->groups, m), tail, m, h->unscale,
                               h->d, h->e, h->part.into);
}

/* Data, and all tasks but those of Q. 0: the request has failed. */
static int submit_all(struct hb2st *h)
{
    if (!allocate(h))
        return 0;
    submit_reduction(h);
    if (!h->narrow)
        orr_plan_wall(h->req, "hb2st_chase", h->plan.seconds);
    return 1;
}

/* ---- The operation -------------------------------------------------------------------------- */

void orr_hb2st_detach(struct hb2st *h)
{
    if (!h)
        return;
    orr_hb2st_drop(h->factor);
    free(h->head.r.V);
    orr_hb2st_grid_free(&h->head);
    orr_hb2st_grid_free(&h->tail);
    free(h);
}

static orr_status finish(orr_request *req)
{
    struct hb2st *h = req->state;
    struct orr_operation *op = orr_operation_of(req);
    const int64_t n = h->head.r.n;
    const orr_type real = orr_type_real(h->head.r.type);
    orr_status st = ORR_OK;
    if (!orr_request_failed(req)) {
        if (h->o.vect == 'V') {
            *h->o.factor = h->factor;
            h->factor = NULL;
        }
        st = orr_judge_range(op, real, n, h->d, "d");
        if (st == ORR_OK)
            st = orr_judge_range(op, real, n - 1, h->e, "e");
    }
    orr_hb2st_detach(h);
    return st;
}

const struct orr_hb2st *orr_hb2st_attached(const struct hb2st *h) { return &h->head.r; }

struct hb2st *orr_hb2st_attach(orr_context *ctx, orr_request *req,
                               const struct orr_hb2st_part *part)
{
    const orr_hb2st_opts o = {.vect = part->keep ? 'V' : 'N', .place = part->place};
    struct orr_band_plan plan;
    struct orr_hb2st r = {.type = part->type, .n = part->n, .b = part->b, .weight = part->weight};
    choose_blocks(&r, &o, ctx, &plan); /* nothing was asked for */
    struct hb2st *h = calloc(1, sizeof *h);
    if (!h) {
        orr_request_fail(req, ORR_E_NOMEM, "hb2st");
        return NULL;
    }
    *h = (struct hb2st){.ctx = ctx,
                        .req = req,
                        .o = o,
                        .user = part->band,
                        .d = part->d,
                        .e = part->e,
                        .head = {.r = r},
                        .hops = orr_hb2st_all_hops(&r),
                        .scale = part->scale,
                        .unscale = 1,
                        .plan = plan,
                        .narrow = part->after ? 0 : narrow(&r, part->width, &o, ctx),
                        .part = *part};
    choose_rest(h);
    choose_late(h);
    if (chases_alone(h))
        h->head.r.launched = orr_request_gate(req);
    submit_all(h);
    return h;
}

/* Q, in the caller's array, which is in memory `on`. */
static void submit_q(const struct hb2st *h, int on)
{
    const int64_t n = h->head.r.n;
    struct orr_product q = {.rows = n,
                            .k = n,
                            .E = h->o.q,
                            .lde = h->o.ldq,
                            .on = on,
                            .unit = 1,
                            .where = orr_place_where(h->ctx, h->o.place)};
    orr_submit_product(h->ctx, h->req, &h->head.r, &q);
}

static orr_status submit(struct orr_call *call, orr_type type, char uplo, int64_t n, int64_t b,
                         void *ab, int64_t ldab, void *d, void *e, const orr_hb2st_opts *opts,
                         orr_request **out)
{
    orr_hb2st_opts o = opts ? *opts : (orr_hb2st_opts){0};
    orr_context *ctx = call->ctx;
    if (ctx && !ctx->planner && o.vect == 'V' && o.factor)
        *o.factor = NULL;
    if (orr_call_refused(call, out, orr_hb2st_wrong(type, uplo, n, b, ab, ldab, d, e, &o)))
        return call->status;
    const size_t size = orr_type_size(type), real = orr_type_size(orr_type_real(type));
    int q_on = 0;
    const struct orr_array arrays[] = {
        orr_array(&ab, b + 1, n, ldab, size, ORR_IN), orr_array(&d, n, 1, n, real, ORR_OUT),
        orr_array(&e, n - 1, 1, n, real, ORR_OUT),
        orr_stays(orr_array(&o.q, o.vect == 'Q' ? n : 0, n, o.ldq, size, ORR_OUT),
                  orr_place_devices(ctx, o.place), &q_on)};
    if (orr_call_overlaps(call, arrays, 4) || orr_call_home(call, arrays, 4))
        return call->status;
    const struct orr_hb2st_band user = {.ab = ab, .ldab = ldab, .width = b, .upper = uplo == 'U'};
    struct orr_hb2st_look look;
    if (orr_hb2st_refused_entry(call, type, n, &user, &look))
        return call->status;

    struct orr_hb2st r = {
        .type = type, .n = n, .b = asks(&o) ? look.b : orr_band_chased(look.b, n, o.place)};
    struct orr_band_plan plan;
    const char *wrong = choose_blocks(&r, &o, ctx, &plan);
    if (wrong)
        return orr_call_refuse(call, ORR_E_ARG, -1, "%s", wrong);

    orr_request *req;
    struct hb2st *h = orr_call_begin(call, sizeof *h, finish, &req);
    if (!h)
        return call->status;
    *h = (struct hb2st){.ctx = ctx,
                        .req = req,
                        .o = o,
                        .user = user,
                        .d = d,
                        .e = e,
                        .head = {.r = r},
                        .hops = orr_hb2st_all_hops(&r),
                        .scale = look.scale,
                        .unscale = look.scale,
                        .plan = plan,
                        .narrow = narrow(&r, look.b, &o, ctx)};
    choose_tail(h);
    choose_rest(h);
    choose_late(h);
    if (call->waits && !keeps_reflectors(&o) &&
        orr_plan_small(ctx, type, 6 * (double)n * (double)n * (double)r.b))
        orr_request_here(req);
    req->parts_total = h->hops;
    req->progress = o.progress;
    req->progress_arg = o.progress_arg;
    struct orr_operation *op = orr_operation_of(req);
    print_plan(h, op->plan, sizeof op->plan);

    orr_place_check(ctx, o.place, req, "hb2st");
    if (submit_all(h)) {
        if (h->factor) {
            h->factor->r = r;
            h->factor->planned = req->plan != NULL;
        }
        if (o.vect == 'Q')
            submit_q(h, q_on);
    }
    orr_call_submitted(call, req);
    *out = req;
    return ORR_OK;
}

orr_status orr_submit_hb2st(orr_context *ctx, orr_type type, char uplo, int64_t n, int64_t b,
                            const void *ab, int64_t ldab, void *d, void *e,
                            const orr_hb2st_opts *opts, orr_request **out)
{
    struct orr_call call = orr_call_enter(ctx, "hb2st");
    return submit(&call, type, uplo, n, b, (void *)ab, ldab, d, e, opts, out);
}

orr_status orr_hb2st(orr_context *ctx, orr_type type, char uplo, int64_t n, int64_t b,
                     const void *ab, int64_t ldab, void *d, void *e, const orr_hb2st_opts *opts,
                     orr_report *report)
{
    struct orr_call call = orr_call_enter_and_wait(ctx, "hb2st");
    orr_request *req;
    const orr_status st = submit(&call, type, uplo, n, b, (void *)ab, ldab, d, e, opts, &req);
    return orr_call_end(&call, st, &req, report);
}
