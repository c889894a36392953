/* gb2bd: a band matrix to upper bidiagonal form, by bulge chasing as dependent tasks.
 *
 * One stage takes an upper band of width b to b - tw; stages follow until the width is 1
 * (successive band reduction). Sweep s makes row s short by a reflector from the right, which
 * leaves a bulge below the diagonal; a reflector from the left removes its first column and
 * makes a bulge on the right, b columns on; and so on to the end of the matrix:
 *
 *     row s        * * * [o o]             v_1  from row s, columns J(1)
 *                    . . . . .
 *     J(1) {                *[. .]. . .[. .]         u_1  from the first column of rows J(1)
 *          {                o . . . . . . .]         v_2  from the first of these rows, J(2)
 *          {                o . . . . . . .]
 *                                 . . . . .[. .]
 *     J(2) {                              *[. .] . . .       u_2, v_3, ...
 *
 *     J(t) = [s+tb-tw, s+tb]          W(s,t) = [s+(t-1)b+1, s+tb], the rows of step t
 *
 * A step reads and writes the rows of its window only, if the pending reflector v_t travels in
 * a carry. Step t of sweep s+1 must wait for step t+1 of sweep s, for nothing else. So the
 * band is cut into blocks H[m] of D rows, and G sweeps make a group. For D >= G(b-1),
 *
 *     T(g,m): every step of sweep gG+i, i = 0 .. G-1, not done yet,
 *             whose last row is at most (m+1)D-1 - i(b-1)      (all that are left if m is last)
 *
 * finds all its rows in two adjacent blocks:   RW H[m-1], RW H[m], RW carry(g)
 *
 * and if the tasks are submitted for g, for m, these modes alone make StarPU find the true
 * dependencies: T(g,m) after T(g,m-1) and T(g-1,m+1), beside T(g-1,m+2).
 *
 *     blocks   0  1  2  3  4  5          carry(g) is one of a ring of max_blocks buffers:
 *     g = 0    a  c  e  g  i  k          so many groups are under way at most, and again only
 *     g = 1          e  g  i  k  m       the access mode says so.
 *     g = 2                i  k  ...     (same letter: may run at the same time)
 *
 * The sweeps of a stage that begin in the last two blocks would only follow each other: they are
 * its `rest`, one group and one task. The next stage is cut into the same blocks, and begins where
 * the last sweeps have passed.
 * The proofs are in docs/algorithms/gb2bd.md. Sources: Ringoot, Alomairy, Edelman, 2025
 * (arXiv 2510.12705); C. Bischof, B. Lang, X. Sun, ACM TOMS 26(4), 2000.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "codelets/core/least.h"
#include "src/band/band_plan.h"
#include "src/band/gb2bd.h"
#include "src/band/gb2bd_order.h"
#include "src/core/pieces.h"
#include "src/core/range.h"

enum {
    MAX_BAND = 512,
    LINE = 64 /* bytes */
};

/* What is measured to be fastest on CPUs: reflectors of four 64-byte lines, in real types. */
static const int64_t default_tw[] = {
    [ORR_S] = 64, [ORR_D] = 32, [ORR_C] = 64, [ORR_Z] = 32, [ORR_H] = 64};

struct gb2bd {
    struct orr_gb2bd r;
    orr_request *req;
    struct orr_gb2bd_stages stages;
    int64_t blocks;  /* of rows: column_blocks, and those below */
    int64_t carries; /* groups that may be under way */
    const orr_context *ctx;
    struct orr_band_plan plan;
    void *band, *carry; /* memory behind the handles */
    starpu_data_handle_t *H, *ring;
    struct orr_gb2bd_vectors x;
    orr_gb2bd_opts o;
    struct orr_gb2bd_part part;   /* of another operation; else zero */
    struct orr_gb2bd_chase *task; /* all of them, in the order of submission */
    int64_t tasks;
    int narrow; /* 1: one task does it all */
};

/* ---- What the caller may ask for ----------------------------------------------------- */

static int64_t ceiling(int64_t x, int64_t y) { return (x + y - 1) / y; }

/* Fills the shape. NULL, or what is wrong. */
static const char *check_arguments(struct orr_gb2bd *r, const orr_gb2bd_opts *o)
{
    if ((int)r->type < 0 || r->type > ORR_H)
        return "type is none of s, d, c, z, h";
    if (r->m < 0 || r->n < 0)
        return "m or n is negative";
    if (r->kl < 0 || r->ku < 0)
        return "kl or ku is negative";
    if (r->kl > INT32_MAX || r->ku > INT32_MAX || r->ldab < r->kl + r->ku + 1)
        return "ldab is smaller than kl + ku + 1";
    if (r->m > INT32_MAX || r->n > INT32_MAX || r->ldab > INT64_MAX / 16 / orr_most(r->n, 1))
        return "the matrix is larger than the address space";
    r->order = orr_least(r->m, r->n);
    if (!r->ab && r->order > 0)
        return "ab is NULL";
    if (!r->d && r->order > 0)
        return "d is NULL";
    if (!r->e && r->order > 1)
        return "e is NULL";
    if (o->u && (o->ldu < r->m || o->ldu > orr_product_most_ld()))
        return "u needs m <= ldu < 2^24";
    if (o->v && (o->ldv < r->n || o->ldv > orr_product_most_ld()))
        return "v needs n <= ldv < 2^24";
    if ((int)o->place < 0 || (o->place > ORR_PLACE_GPU && o->place != ORR_PLACE_SPLIT))
        return "no such place";
    if (o->split < 0)
        return "split is negative";
    if (o->tw < 0 || o->rows < 0 || o->sweeps < 0 || o->max_blocks < 0)
        return "tw, rows, sweeps or max_blocks is negative";

    /* The taller of A and A', or of two equal ones that which has no subdiagonals, if either. */
    const int64_t kl = orr_least(r->kl, orr_most(r->m - 1, 0)),
                  ku = orr_least(r->ku, orr_most(r->n - 1, 0));
    r->transposed = r->m < r->n || (r->m == r->n && ku == 0 && kl > 0);
    r->low = r->transposed ? ku : kl;
    r->rows = orr_least(orr_most(r->m, r->n), r->order + r->low);
    r->b = orr_least(kl + ku, orr_most(r->order - 1, 0));
    if (kl + ku > MAX_BAND)
        return "kl + ku is larger than 512";
    if ((o->u || o->v) && o->tw && o->tw < r->b - 1)
        return "singular vectors need one stage: tw = 0, or at least kl + ku - 1";
    if (!o->tw)
        r->b = orr_band_chased(r->b, r->order, o->place);
    return NULL;
}

/* ---- Planning: stages ---------------------------------------------------------------- */

/* Equal stages if the library chooses, as wide as asked for if not; one with vectors, since
 * each would cost as much to apply as the first one. */
static void choose_stages(struct gb2bd *h)
{
    int64_t b = h->r.b;
    h->stages.r = &h->r;
    const int vectors = h->o.u || h->o.v;
    const int64_t wish = h->o.tw ? h->o.tw : vectors ? orr_most(b - 1, 1) : default_tw[h->r.type];
    h->r.tw = 0;
    while (b > 1) {
        int64_t tw = wish;
        if (!h->o.tw) {
            const int64_t left = orr_most((b - 1 + wish / 2) / wish, 1);
            tw = ceiling(b - 1, left);
        }
        tw = orr_least(tw, b - 1);
        h->stages.stage[h->stages.count++] = (struct orr_band_stage){.b = b, .tw = tw};
        h->r.tw = orr_most(h->r.tw, tw);
        b -= tw;
    }
}

/* Who gets the products of reflectors from the left and from the right. */
static void choose_vectors(struct gb2bd *h, int u_on, int v_on)
{
    struct orr_gb2bd_side *u = h->r.transposed ? &h->x.right : &h->x.left;
    struct orr_gb2bd_side *v = h->r.transposed ? &h->x.left : &h->x.right;
    u->E = h->o.u;
    u->keep = u->E != NULL;
    u->rows = h->r.m;
    u->ld = h->o.ldu;
    u->on = u_on;
    v->E = h->o.v;
    v->keep = v->E != NULL;
    v->rows = h->r.n;
    v->ld = h->o.ldv;
    v->on = v_on;
}

/* LAPACK's rotations reduce a narrow band sooner on one core than all workers chase bulges. One worker with AVX-512
 * takes 9.3 n^2 ns for a band of up to 8 diagonals (complex 18), OpenBLAS (1.6 + b) n^2 (3 b and more). */
static int is_narrow(const struct gb2bd *h, const orr_context *ctx)
{
    const orr_gb2bd_opts *o = &h->o;
    const struct orr_gb2bd *r = &h->r;
    const int asked = o->u || o->v || o->tw || o->rows || o->sweeps || o->max_blocks || o->split ||
                      (o->place != ORR_PLACE_AUTO && o->place != ORR_PLACE_CPU);
    const int is_complex = orr_is_complex(r->type);
    const double b = (double)(r->kl + r->ku), gain = orr_band_gain(ctx, r->order);
    return b > 1 && !asked && r->type != ORR_H && ctx->info.cpu > 0 && r->order > 2 &&
           (is_complex ? b < 5 / gain : b < 9.3 / gain - 1.6);
}

static void print_plan(const struct gb2bd *h, char *plan, size_t room)
{
    if (h->narrow) {
        snprintf(plan, room, "\"method\":\"lapack\"");
        return;
    }
    int at = snprintf(plan, room,
                      "\"rows\":%lld,\"blocks\":%lld,\"max_blocks\":%lld,"
                      "\"route\":\"%s%s%s\"",
                      (long long)h->r.D, (long long)h->blocks, (long long)h->carries,
                      h->r.transposed ? "transpose" : "", h->r.transposed && h->r.low ? " " : "",
                      h->r.low ? "qr" : "");
    at += orr_plan_print(&h->plan, plan + at, room - (size_t)at);
    at += snprintf(plan + at, room - (size_t)at, ",\"stages\":[");
    /* stages of one width are told once */
    const struct orr_band_stage *stage = h->stages.stage;
    for (int64_t k = 0, run; k < h->stages.count && (size_t)at + 80 < room; k += run) {
        for (run = 1; k + run < h->stages.count && stage[k + run].tw == stage[k].tw; run++)
            ;
        at += snprintf(plan + at, room - (size_t)at,
                       "%s{\"band\":%lld,\"tw\":%lld,\"times\":%lld,\"sweeps\":%lld}", k ? "," : "",
                       (long long)stage[k].b, (long long)stage[k].tw, (long long)run,
                       (long long)stage[k].G);
    }
    snprintf(plan + at, room - (size_t)at, "]");
}

/* ---- The graph ----------------------------------------------------------------------- */

static void submit_chase(void *arg, struct orr_gb2bd_chase *t)
{
    struct gb2bd *h = arg;
    const struct orr_gb2bd *r = &h->r;
    const struct orr_band_stage *st = &h->stages.stage[t->k];
    const int64_t left = orr_gb2bd_sweeps(&h->stages, t->k) - t->g * st->G;
    const int is_rest = t->g == orr_gb2bd_rest(&h->stages, t->k);
    const struct orr_gb2bd_group group = {.number = t->g,
                                          .b = st->b,
                                          .tw = st->tw,
                                          .sweep = t->g * st->G,
                                          .count = is_rest ? left : orr_least(st->G, left),
                                          .portion = is_rest ? st->G : 0,
                                          .u = h->x.left.keep ? h->x.left.r.V[t->g] : NULL,
                                          .v = h->x.right.keep ? h->x.right.r.V[t->g] : NULL};
    const int last = t->m == orr_gb2bd_column_blocks(r) - 1;
    orr_insert_gb2bd_chase(h->req, h->part.first_priority - t->depth, r, &group, t->m,
                           t->m ? h->H[t->m - 1] : NULL, h->H[t->m], h->ring[t->g % h->carries],
                           last ? group.count * orr_most(h->part.weight, 1) : 0,
                           orr_plan_where(&h->plan, t->m));
}

static void submit_load(struct gb2bd *h, int64_t m)
{
    const struct orr_gb2bd *r = &h->r;
    const int64_t first = m * r->D, count = orr_least(r->D, r->rows - first);
    starpu_data_handle_t after[ORR_GB2BD_AFTER(count)];
    const int waits = h->part.after ? h->part.after(h->part.arg, first, count, after) : 0;
    orr_insert_gb2bd_load(h->req, h->part.first_priority, r, m, h->H[m], after, waits);
}

static void submit_all(struct gb2bd *h)
{
    const struct orr_gb2bd *r = &h->r;
    const int64_t blocks = orr_gb2bd_column_blocks(r);
    const int prio = h->part.first_priority;
    if (h->narrow) {
        orr_insert_gb2bd_narrow(h->req, r, h->req->parts_total);
        return;
    }
    for (int64_t m = 0; m < h->blocks; m++)
        submit_load(h, m);

    /* A = Q R: what is under the diagonal goes, and as many diagonals are filled above. */
    for (int64_t m = 0; r->low > 0 && m < blocks; m++)
        orr_insert_gb2bd_qr(h->req, 0, r, m, h->H[m], m + 1 < h->blocks ? h->H[m + 1] : NULL,
                            h->x.qr ? h->x.qr[m] : NULL, orr_plan_where(&h->plan, m));

    for (int64_t i = 0; i < h->tasks; i++)
        submit_chase(h, &h->task[i]);
    if (h->req->plan)
        orr_gb2bd_each_chase(h->req, &h->stages, submit_chase, h);

    for (int64_t m = 0; m < blocks; m++)
        orr_insert_gb2bd_store(h->req, prio, r, m, h->H[m], h->part.into);

    orr_gb2bd_vectors_submit(h->ctx, h->req, &h->x, h->H);
}

/* ---- Memory and handles -------------------------------------------------------------- */

static void *lines(struct gb2bd *h, int64_t reals, size_t real)
{
    const size_t bytes = ((size_t)reals * real / LINE + 1) * LINE;
    return orr_own_memory(h->req, h->x.where, LINE, bytes, "gb2bd");
}

/* Carries that only a device sees have no main memory. */
static void allocate(struct gb2bd *h)
{
    int64_t groups = 1;
    for (int64_t k = 0; k < h->stages.count; k++)
        groups = orr_most(groups, h->stages.stage[k].G);
    const size_t band_real = orr_gb2bd_band_real(h->r.type);
    const size_t carry_real = orr_gb2bd_carry_real(h->r.type);
    const int64_t block = orr_gb2bd_block_reals(&h->r);
    const int64_t carry = groups * orr_gb2bd_carry_reals(&h->r);
    h->x.apart = h->plan.place == ORR_PLACE_GPU && h->blocks == 1;
    h->band = lines(h, h->blocks * block, band_real);
    h->H = orr_own_vectors(h->req, h->band, h->blocks, block, band_real, "gb2bd");
    if (h->stages.count > 0) {
        h->carry = h->x.apart ? NULL : lines(h, h->carries * carry, carry_real);
        h->ring = orr_own_vectors(h->req, h->carry, h->carries, carry, carry_real, "gb2bd");
    }
    orr_gb2bd_vectors_make(h->req, &h->x, &h->r, h->r.b, groups);
}

void orr_gb2bd_detach(struct gb2bd *h)
{
    if (!h)
        return;
    orr_gb2bd_vectors_free(&h->x);
    free(h->H);
    free(h->ring);
    free(h->task);
    free(h->band);
    free(h->carry);
    free(h);
}

static orr_status finish(orr_request *req)
{
    struct gb2bd *h = req->state;
    struct orr_operation *op = orr_operation_of(req);
    const orr_type real = orr_type_real(h->r.type);
    orr_status st = ORR_OK;
    if (!orr_request_failed(req)) {
        st = orr_judge_range(op, real, h->r.order, h->r.d, "d");
        if (st == ORR_OK)
            st = orr_judge_range(op, real, h->r.order - 1, h->r.e, "e");
    }
    orr_gb2bd_detach(h);
    return st;
}

/* Stages, blocks, the order of tasks, memory. 0: the request has failed. */
static int prepare(struct gb2bd *h, orr_context *ctx)
{
    h->ctx = ctx;
    choose_stages(h);
    orr_plan_gb2bd(&h->r, h->stages.stage, h->stages.count, &h->o, ctx, &h->plan);
    /* On CPUs alone, if no reflectors are kept; not h, whose rows are rounded after each task, with vectors
     * and without. */
    h->stages.has_rest = ctx->info.cuda + ctx->info.opencl == 0 && !h->x.left.keep &&
                         !h->x.right.keep && h->r.type != ORR_H;
    h->blocks = ceiling(h->r.rows, h->r.D);
    h->carries = h->blocks / 2 + 2;
    if (h->o.max_blocks)
        h->carries = orr_least(h->carries, h->o.max_blocks);
    h->x.where = orr_place_where(ctx, h->o.place);
    if (h->narrow)
        return !orr_request_failed(h->req);
    h->task = orr_gb2bd_by_depth(h->req, &h->stages, h->carries, &h->tasks);
    if (!orr_request_failed(h->req))
        allocate(h);
    return !orr_request_failed(h->req);
}

/* ---- Entry --------------------------------------------------------------------------- */

double orr_gb2bd_scale(double largest)
{
    int e;
    if (largest == 0)
        return 1;
    frexp(largest, &e);
    return ldexp(1, -(int)orr_most(orr_least(e, 1022), -1022));
}

static orr_status submit(struct orr_call *call, struct orr_gb2bd r, const orr_gb2bd_opts *opts,
                         orr_request **out)
{
    orr_gb2bd_opts o = opts ? *opts : (orr_gb2bd_opts){0};
    orr_context *ctx = call->ctx;
    if (orr_call_refused(call, out, check_arguments(&r, &o)))
        return call->status;
    const int64_t count = orr_least(r.m, r.n);
    const int stays = orr_place_devices(ctx, o.place);
    const orr_type results = orr_gb2bd_vector_type(r.type); /* half precision has single ones */
    const size_t size = orr_type_size(r.type), of_vectors = orr_type_size(results),
                 real = orr_type_size(orr_type_real(results));
    int u_on = 0, v_on = 0;
    const struct orr_array arrays[] = {
        orr_array((void **)&r.ab, r.kl + r.ku + 1, r.n, r.ldab, size, ORR_IN),
        orr_array(&r.d, count, 1, count, real, ORR_OUT),
        orr_array(&r.e, count - 1, 1, count, real, ORR_OUT),
        orr_stays(orr_array(&o.u, o.u ? r.m : 0, count, o.ldu, of_vectors, ORR_OUT), stays, &u_on),
        orr_stays(orr_array(&o.v, o.v ? r.n : 0, count, o.ldv, of_vectors, ORR_OUT), stays, &v_on)};
    if (orr_call_overlaps(call, arrays, 5) || orr_call_home(call, arrays, 5))
        return call->status;
    int64_t row = -1, column;
    const double largest = ctx->planner ? 1 : orr_gb2bd_screen(&r, &row, &column);
    if (row >= 0)
        return orr_call_refuse(call, ORR_E_NONFINITE, column * r.ldab + r.ku + row - column,
                               "the entry in row %lld, column %lld (from 0) is NaN or infinite",
                               (long long)row, (long long)column);
    r.scale = orr_gb2bd_scale(largest);

    orr_request *req;
    struct gb2bd *h = orr_call_begin(call, sizeof *h, finish, &req);
    if (!h)
        return call->status;
    h->r = r;
    h->o = o;
    h->req = req;
    h->narrow = is_narrow(h, ctx);
    choose_vectors(h, u_on, v_on);
    if (call->waits && !h->x.left.keep && !h->x.right.keep &&
        orr_plan_small(ctx, r.type, 8 * (double)count * (double)count * (double)r.b))
        orr_request_here(req);
    req->progress = o.progress;
    req->progress_arg = o.progress_arg;
    if (!prepare(h, ctx))
        return orr_wait(req, NULL);
    for (int64_t k = 0; k < h->stages.count; k++)
        req->parts_total += orr_gb2bd_sweeps(&h->stages, k);
    struct orr_operation *op = orr_operation_of(req);
    print_plan(h, op->plan, sizeof op->plan);
    orr_place_check(ctx, o.place, req, "gb2bd");
    submit_all(h);
    if (!h->narrow)
        orr_plan_wall(req, "gb2bd_chase", h->plan.seconds);
    orr_call_submitted(call, req);
    *out = req;
    return ORR_OK;
}

/* ---- Within another operation ------------------------------------------------------------ */

struct gb2bd *orr_gb2bd_attach(orr_context *ctx, orr_request *req, const struct orr_gb2bd_part *p)
{
    struct gb2bd *h = calloc(1, sizeof *h);
    if (!h) {
        orr_request_fail(req, ORR_E_NOMEM, "gb2bd");
        return NULL;
    }
    *h = (struct gb2bd){.r = {.type = p->type,
                              .m = p->n,
                              .n = p->n,
                              .kl = p->by_rows ? p->ku : 0,
                              .ku = p->by_rows ? 0 : p->ku,
                              .ldab = p->ldab,
                              .by_rows = p->by_rows,
                              .ab = p->ab,
                              .d = p->d,
                              .e = p->e,
                              .scale = p->scale,
                              .order = p->n,
                              .rows = p->n,
                              .b = p->ku},
                        .req = req,
                        .part = *p,
                        .x = {.left.keep = p->keep, .right.keep = p->keep},
                        /* whether there are vectors is all that a plan asks */
                        .o = {.place = p->place, .u = p->keep ? p->d : NULL}};
    if (prepare(h, ctx)) {
        h->r.launched = h->x.apart ? orr_request_gate(req) : NULL;
        submit_all(h);
    }
    orr_plan_wall(req, "gb2bd_chase", h->plan.seconds);
    return h;
}

int64_t orr_gb2bd_attached_parts(const struct orr_gb2bd_part *p)
{
    struct gb2bd h = {.r = {.type = p->type, .order = p->n, .b = p->ku},
                      .o = {.u = p->keep ? p->d : NULL},
                      .part = *p};
    int64_t sweeps = 0;
    choose_stages(&h);
    for (int64_t k = 0; k < h.stages.count; k++)
        sweeps += orr_gb2bd_sweeps(&h.stages, k);
    return sweeps * orr_most(p->weight, 1);
}

const struct orr_gb2bd_vectors *orr_gb2bd_attached(const struct gb2bd *h) { return &h->x; }

/* ---- Calls -------------------------------------------------------------------------------- */

orr_status orr_submit_gb2bd(orr_context *ctx, orr_type type, int64_t m, int64_t n, int64_t kl,
                            int64_t ku, const void *ab, int64_t ldab, void *d, void *e,
                            const orr_gb2bd_opts *opts, orr_request **out)
{
    struct orr_call call = orr_call_enter(ctx, "gb2bd");
    const struct orr_gb2bd r = {
        .type = type, .m = m, .n = n, .kl = kl, .ku = ku, .ab = ab, .ldab = ldab, .d = d, .e = e};
    return submit(&call, r, opts, out);
}

orr_status orr_gb2bd(orr_context *ctx, orr_type type, int64_t m, int64_t n, int64_t kl, int64_t ku,
                     const void *ab, int64_t ldab, void *d, void *e, const orr_gb2bd_opts *opts,
                     orr_report *report)
{
    const struct orr_gb2bd r = {
        .type = type, .m = m, .n = n, .kl = kl, .ku = ku, .ab = ab, .ldab = ldab, .d = d, .e = e};
    struct orr_call call = orr_call_enter_and_wait(ctx, "gb2bd");
    orr_request *req;
    const orr_status st = submit(&call, r, opts, &req);
    return orr_call_end(&call, st, &req, report);
}
