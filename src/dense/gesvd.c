/* gesvd: singular values and vectors of a dense matrix. A small one is in cache anyway, and is reduced
 * directly, by one task or three; one of few columns, or few rows, by parts (TSQR); others in two stages,
 * gesvd_graph.c.
 *
 * Sources: docs/algorithms/gesvd.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"
#include "codelets/core/numbers.h"
#include "src/core/range.h"
#include "src/dense/dense_plan.h"
#include "src/dense/gesvd_graph.h"

/* ---- What the caller may ask for ------------------------------------------------------------ */

static const char *check_arguments(const struct gesvd_matrix *x, const void *s,
                                   const struct gesvd_side *u, const struct gesvd_side *v,
                                   const orr_gesvd_opts *o)
{
    const int64_t k = orr_least(x->m, x->n);
    if ((int)x->type < 0 || x->type >= ORR_NTYPES)
        return "the type is none of s, d, c, z";
    if (x->m < 0 || x->n < 0)
        return "m or n is negative";
    if (x->lda < x->m)
        return "lda is less than m";
    if (k > 0 && !x->a)
        return "a is NULL";
    if (k > 0 && !s)
        return "s is NULL";
    if (u->out && u->ld < x->m)
        return "u needs m <= ldu";
    if (v->out && v->ld < x->n)
        return "v needs n <= ldv";
    if (o->band < 0 || o->band == 1 || o->tile < 0)
        return "band is less than 2, or tile is negative";
    if (o->band > 512 || o->tile > 65536)
        return "band is more than 512, or tile more than 65536";
    if (o->tile && (!o->band || o->tile % o->band || o->tile < 16))
        return "tile needs a band, and is a multiple of it and at least 16";
    if (o->tile && !orr_gesvd_has_qr(o, orr_most(x->m, x->n), k) &&
        orr_most(x->m, x->n) / o->tile > ORR_MOST_TILES)
        return "tile is less than the longer side / 8192";
    if (o->qr < -1 || o->qr > 1)
        return "qr is none of -1, 0, 1";
    if (o->place != ORR_PLACE_AUTO && o->place != ORR_PLACE_CPU && o->place != ORR_PLACE_GPU)
        return "place is auto, cpu or gpu";
    if ((int)o->method < 0 || o->method >= ORR_NDENSE)
        return "method is auto, two-stage or lapack";
    if (o->method == ORR_DENSE_LAPACK && (o->band || o->qr || o->place == ORR_PLACE_GPU))
        return "method lapack has neither band nor qr, and runs on a CPU";
    return NULL;
}

enum { SMALL = 256 }; /* up to this order there is one task, and the caller's thread does it */
enum { MOST_VECTORS = 65535 }; /* StarPU counts the square in 32 bits */
enum { MOST_GESDD = 20000 };   /* its workspace fits LAPACK's 32 bits */

/* What no memory would help; a plan goes on. */
static const char *too_large(const struct gesvd_matrix *x, const struct gesvd_side *u,
                             const struct gesvd_side *v, const orr_gesvd_opts *o,
                             enum orr_gesvd_way way)
{
    const int64_t most = INT32_MAX / 16, ldu = u->out ? u->ld : 0, ldv = v->out ? v->ld : 0;
    if (orr_most(orr_most(x->n, x->lda), orr_most(ldu, ldv)) > most)
        return "m, n, lda, ldu or ldv is 2^27 or more";
    if (way == ORR_GESVD_TSQR)
        return NULL;
    if (ldu > orr_product_most_ld())
        return "u needs m <= ldu < 2^24, but for few columns or rows on CPUs";
    if (ldv > orr_product_most_ld())
        return "v needs n <= ldv < 2^24, but for few columns or rows on CPUs";
    if ((u->out || v->out) && orr_least(x->m, x->n) > MOST_VECTORS)
        return "min(m,n) is more than 65535, too many for vectors";
    if (o->method == ORR_DENSE_LAPACK && orr_least(x->m, x->n) > MOST_GESDD)
        return "min(m,n) is more than 20000, too many for LAPACK's gesdd";
    return NULL;
}

/* ---- Planning -------------------------------------------------------------------------------- */

/* 1, or the power of two that brings a matrix from the ends of the range to where products of its
 * entries neither overflow nor lose digits; TSQR has it near 1 in any case. */
static double choose_scale(orr_type type, enum orr_gesvd_way way, double largest)
{
    const int single = orr_type_real(type) == ORR_S;
    const double range = single ? 0x1p24 : 0x1p200, end = single ? 0x1p126 : 0x1p1022;
    const int far = largest < 1 / range || largest > range;
    if (largest == 0 || (!far && way != ORR_GESVD_TSQR))
        return 1;
    const double scale = orr_gb2bd_scale(largest);
    return scale > end ? end : scale < 1 / end ? 1 / end : scale;
}

static void print_plan(const struct gesvd *h, char *plan, size_t room)
{
    const struct orr_ge2gb *r = &h->band.r;
    static const char *const name[] = {"two-stage", "lapack", "tsqr"};
    char from[ORR_FROM];
    orr_gesvd_way_from(h->ctx, h->user.type, h->m, h->n, orr_gesvd_wants_vectors(h), &h->o, from);
    const locale_t locale = orr_numbers_begin();
    int at = snprintf(plan, room, "\"method\":\"%s\",\"from\":\"%s\",\"scale\":%.17g", name[h->way],
                      from, h->scale);
    orr_numbers_end(locale);
    if (h->way == ORR_GESVD_TSQR)
        snprintf(plan + at, room - (size_t)at, ",\"parts\":%lld", (long long)h->parts[0]);
    if (h->way == ORR_GESVD_STAGES)
        snprintf(plan + at, room - (size_t)at,
                 ",\"band\":%lld,\"tile\":%lld,\"tiles\":%lld,\"steps\":%lld,\"leaves\":%lld,"
                 "\"route\":\"%s%s%s\",\"updates\":\"%s\",\"solver\":\"%s\"",
                 (long long)r->b, (long long)r->T, (long long)r->tile_columns,
                 (long long)r->side[ORR_LEFT].steps, (long long)h->triangle.leaves,
                 h->adjoint ? "adjoint" : "", h->adjoint && h->qr ? " " : "", h->qr ? "qr" : "",
                 r->whole ? "accelerators" : orr_place_told(h->ctx, h->o.place),
                 orr_gesvd_solver(h));
}

/* Stages overlap: each is told from the end of the one before. */
static void print_seconds(const struct gesvd *h, char *plan, size_t room)
{
    const size_t at = strlen(plan);
    const double start = h->req->begun, tall = h->tall > 0 ? h->tall : start;
    const double reduced = h->reduced > 0 ? h->reduced : tall;
    if (h->way == ORR_GESVD_DIRECT) {
        snprintf(plan + at, room - at, ",\"seconds\":{\"lapack\":%.6g}", h->req->ended - h->begun);
        return;
    }
    if (h->way == ORR_GESVD_TSQR) {
        snprintf(plan + at, room - at, ",\"seconds\":{\"qr\":%.6g,\"solver\":%.6g,\"back\":%.6g}",
                 h->begun - start, h->solved - h->begun, h->req->ended - h->solved);
        return;
    }
    snprintf(plan + at, room - at,
             ",\"seconds\":{\"qr\":%.6g,\"ge2gb\":%.6g,\"gb2bd\":%.6g,\"solver\":%.6g,"
             "\"back\":%.6g}",
             tall - start, reduced - tall, h->begun - reduced, h->solved - h->begun,
             h->req->ended - h->solved);
}

/* ---- The operation --------------------------------------------------------------------------- */

static orr_status finish(orr_request *req)
{
    struct gesvd *h = req->state;
    struct orr_operation *op = orr_operation_of(req);
    orr_status st = ORR_OK;
    if (!orr_request_failed(req) && h->n > 0 && !req->plan) {
        print_seconds(h, op->plan, sizeof op->plan);
        if (!h->failed) {
            if (h->pieces)
                orr_gesvd_descend(&h->b);
            st = orr_judge_range(op, orr_type_real(h->user.type), h->n, h->b.s, "s");
        } else {
            st = ORR_NOCONV;
            snprintf(op->message, sizeof op->message, "the bidiagonal solver did not converge");
        }
    }
    orr_gesvd_apart_drop(h->apart);
    orr_gesvd_tsqr_drop(h->tsqr);
    orr_gesvd_free_stages(h);
    free(h);
    return st;
}

/* ---- Without stages -------------------------------------------------------------------------- */

/* The copy of the matrix, vectors, gesdd's workspace. */
static double direct_bytes(const struct gesvd *h)
{
    const double m = (double)h->user.m, n = (double)h->user.n, k = (double)h->n;
    const double size = (double)orr_type_size(h->user.type);
    return (m * n + orr_gesvd_wants_vectors(h) * ((m + n) * k + 4 * k * k)) * size;
}

static starpu_data_handle_t whole_matrix(struct gesvd *h)
{
    return orr_request_matrix(h->req, h->user.a, h->user.lda, h->user.m, h->user.n,
                              orr_type_size(h->user.type));
}

static void submit_direct(struct gesvd *h)
{
    const struct gesvd_side *u = &h->side[h->adjoint], *v = &h->side[!h->adjoint];
    const struct orr_gesvd_user x = {.m = h->user.m,
                                     .n = h->user.n,
                                     .lda = h->user.lda,
                                     .a = h->user.a,
                                     .A = h->req->here ? NULL : whole_matrix(h),
                                     .u = u->out,
                                     .ldu = u->ld,
                                     .v = v->out,
                                     .ldv = v->ld};
    orr_plan_bytes(h->req, direct_bytes(h));
    if (h->n > SMALL && h->ctx->info.cpu > 1 && orr_gesvd_may_come_apart(&h->b, &x))
        h->apart = orr_insert_gesvd_apart(h->req, &h->b, &x);
    else
        orr_insert_gesvd_direct(h->req, &h->b, &x);
}

/* Of the upright matrix: its left vectors are those of the longer side. */
static void submit_tsqr(struct gesvd *h)
{
    const struct gesvd_side *u = &h->side[ORR_LEFT], *v = &h->side[ORR_RIGHT];
    const struct orr_gesvd_user x = {.m = h->user.m,
                                     .n = h->user.n,
                                     .lda = h->user.lda,
                                     .a = h->user.a,
                                     .u = u->out,
                                     .ldu = u->ld,
                                     .v = v->out,
                                     .ldv = v->ld};
    h->tsqr = orr_insert_gesvd_tsqr(h->req, &h->b, &x, h->parts);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* s: where the singular values go. */
static void submit_all(struct gesvd *h, void *s)
{
    static void (*const submit_way[])(struct gesvd *) = {orr_gesvd_submit_stages, submit_direct,
                                                         submit_tsqr};
    h->b = (struct orr_bidiagonal){.type = h->user.type,
                                   .n = h->n,
                                   .scale = h->scale,
                                   .d = s,
                                   .s = s,
                                   .where = orr_place_where(h->ctx, h->o.place),
                                   .solver = {&h->failed, &h->begun, &h->solved}};
    if (h->n > 0 && !orr_request_failed(h->req)) {
        if (h->way == ORR_GESVD_STAGES)
            orr_gesvd_make_stages(h);
        else
            h->b.parts = h->n;
        struct orr_operation *op = orr_operation_of(h->req);
        print_plan(h, op->plan, sizeof op->plan);
    }
    h->req->parts_total = h->way == ORR_GESVD_STAGES ? orr_gesvd_stages_parts(h)
                          : h->way == ORR_GESVD_TSQR
                              ? h->b.parts + h->m * (h->side[ORR_LEFT].out ? 2 : 1)
                              : h->b.parts;
    if (h->n > 0 && !orr_request_failed(h->req))
        submit_way[h->way](h);
}

static enum orr_gesvd_way choose_way(const orr_context *ctx, const struct gesvd_matrix *x,
                                     int vectors, const orr_gesvd_opts *o)
{
    return orr_gesvd_way(ctx, x->type, orr_most(x->m, x->n), orr_least(x->m, x->n), vectors, o);
}

static orr_status submit(struct orr_call *call, orr_type type, int64_t m, int64_t n, void *a,
                         int64_t lda, void *s, void *u, int64_t ldu, void *v, int64_t ldv,
                         const orr_gesvd_opts *opts, orr_request **out)
{
    const orr_gesvd_opts o = opts ? *opts : (orr_gesvd_opts){0};
    struct gesvd_matrix user = {.type = type, .m = m, .n = n, .a = a, .lda = lda};
    struct gesvd_side left = {.out = u, .ld = ldu, .rows = m},
                      right = {.out = v, .ld = ldv, .rows = n};
    orr_context *ctx = call->ctx;
    const int plans = ctx && ctx->planner;
    const char *wrong = check_arguments(&user, s, &left, &right, &o);
    const enum orr_gesvd_way way =
        wrong || !ctx ? ORR_GESVD_STAGES : choose_way(ctx, &user, u || v, &o);
    if (!wrong && !plans)
        wrong = too_large(&user, &left, &right, &o, way);
    if (orr_call_refused(call, out, wrong))
        return call->status;
    const int64_t count = orr_least(m, n);
    const int stays = way == ORR_GESVD_STAGES && orr_place_devices(ctx, o.place);
    const size_t size = orr_type_size(type), real = orr_type_size(orr_type_real(type));
    const struct orr_array arrays[] = {
        orr_array(&s, count, 1, count, real, ORR_OUT),
        orr_stays(orr_array((void **)&user.a, m, n, lda, size, ORR_IN), stays, &user.on),
        orr_stays(orr_array(&left.out, u ? m : 0, count, ldu, size, ORR_OUT), stays, &left.on),
        orr_stays(orr_array(&right.out, v ? n : 0, count, ldv, size, ORR_OUT), stays, &right.on)};
    if (orr_call_overlaps(call, arrays, 4) || orr_call_home(call, arrays, 4))
        return call->status;
    const struct orr_dense whole = {.a = user.a, .lda = lda, .on = user.on};
    const struct orr_dense_look look = plans ? (struct orr_dense_look){.row = -1, .largest = 1}
                                             : orr_ge2gb_screen(type, m, n, &whole);
    if (look.status != ORR_OK)
        return orr_call_refuse(call, look.status, -1, NULL);
    if (look.row >= 0)
        return orr_call_refuse_entry(call, look.column * lda + look.row, look.row, look.column);
    orr_request *req;
    struct gesvd *h = orr_call_begin(call, sizeof *h, finish, &req);
    if (!h)
        return call->status;
    *h = (struct gesvd){.ctx = ctx,
                        .req = req,
                        .o = o,
                        .user = user,
                        .m = orr_most(m, n),
                        .n = orr_least(m, n),
                        .way = way,
                        .adjoint = m < n,
                        .largest = look.largest,
                        .scale = choose_scale(type, way, look.largest)};
    if (way == ORR_GESVD_TSQR)
        orr_gesvd_parts(type, h->m, h->n, h->parts);
    for (int i = 0; i < 2; i++) {
        h->side[i] = (i == ORR_LEFT) == h->adjoint ? right : left;
        h->side[i].h = h;
        h->side[i].which = i;
    }
    orr_plan_refuse(req, too_large(&user, &left, &right, &o, way),
                    o.method == ORR_DENSE_LAPACK ? MOST_GESDD
                    : u || v                     ? MOST_VECTORS
                                                 : 0);
    orr_place_check(ctx, o.place, req, "gesvd");
    if (h->way != ORR_GESVD_STAGES && h->parts[0] <= 1 && h->n <= SMALL && call->waits)
        orr_request_here(req);
    req->progress = o.progress;
    req->progress_arg = o.progress_arg;
    submit_all(h, s);
    orr_call_submitted(call, req);
    *out = req;
    return ORR_OK;
}

orr_status orr_submit_gesvd(orr_context *ctx, orr_type type, int64_t m, int64_t n, void *a,
                            int64_t lda, void *s, void *u, int64_t ldu, void *v, int64_t ldv,
                            const orr_gesvd_opts *opts, orr_request **out)
{
    struct orr_call call = orr_call_enter(ctx, "gesvd");
    return submit(&call, type, m, n, a, lda, s, u, ldu, v, ldv, opts, out);
}

orr_status orr_gesvd(orr_context *ctx, orr_type type, int64_t m, int64_t n, void *a, int64_t lda,
                     void *s, void *u, int64_t ldu, void *v, int64_t ldv,
                     const orr_gesvd_opts *opts, orr_report *report)
{
    struct orr_call call = orr_call_enter_and_wait(ctx, "gesvd");
    orr_request *req;
    const orr_status st = submit(&call, type, m, n, a, lda, s, u, ldu, v, ldv, opts, &req);
    return orr_call_end(&call, st, &req, report);
}
