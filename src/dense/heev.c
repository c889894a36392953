/* heev: eigenvalues and eigenvectors of a dense Hermitian matrix in two stages, one graph:
 *
 *     A  --he2hb-->  band of width b  --hb2st-->  T tridiagonal  --solver-->  w, S
 *        src/dense/he2hb.c                 src/band/hb2st.c
 *
 *     Z = Q1 Q2 S: the reflectors of hb2st on panels of columns of S, then those of he2hb
 *
 * A direct reduction to tridiagonal form spends half of its 4/3 n^3 operations in products of a
 * matrix and a vector, which run at the speed of memory; here the first stage has products of
 * matrices only, and the second, 6 n^2 b operations, works in cache. Nothing waits for a whole
 * stage: the band's first columns go on while its last ones are made.
 *
 * A small matrix is in cache anyway, and is reduced directly: by one task, or, where several workers
 * can share it, dense to tridiagonal in one stage, and then the same solver.
 *
 * The user's array is where the first stage works, tile by tile; no copy of it is made.
 *
 * Sources: docs/algorithms/heev.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"
#include "codelets/core/numbers.h"
#include "src/core/owners.h"
#include "src/dense/dense_plan.h"
#include "src/dense/heev_graph.h"

/* ---- What the caller may ask for ------------------------------------------------------------ */

static const char *check_arguments(orr_type type, char uplo, int64_t n, const void *a, int64_t lda,
                                   const void *w, const void *z, int64_t ldz,
                                   const orr_heev_opts *o)
{
    if ((int)type < 0 || type >= ORR_NTYPES)
        return "the type is none of s, d, c, z";
    if (uplo != 'L' && uplo != 'U')
        return "uplo is not 'L' or 'U'";
    if (n < 0)
        return "n is negative";
    if (lda < n)
        return "lda is less than n";
    if (n > 0 && !a)
        return "a is NULL";
    if (n > 0 && !w)
        return "w is NULL";
    if (o->band < 0 || o->band == 1 || o->tile < 0)
        return "band is less than 2, or tile is negative";
    if (o->band > 4096 || o->tile > 65536)
        return "band is more than 4096, or tile more than 65536";
    if (o->tile && (!o->band || o->tile % o->band || o->tile < 16))
        return "tile needs a band, and is a multiple of it and at least 16";
    if (o->tile && n / o->tile > ORR_MOST_TILES)
        return "tile is less than n / 8192";
    if ((int)o->method < 0 || o->method >= ORR_NDENSE)
        return "method is auto, two-stage or lapack";
    if (o->method == ORR_DENSE_LAPACK && (o->band || o->place == ORR_PLACE_GPU))
        return "method lapack has no band, and runs on a CPU";
    return orr_heev_wrong_part(type, n, z, ldz, o);
}

enum { MOST_STEDC = 46000 }; /* LAPACK counts the square in 32 bits */

/* What no memory would help; a plan goes on. */
static const char *too_large(int64_t n, int64_t lda, const void *z, int64_t ldz,
                             const orr_heev_opts *o)
{
    const int64_t count = o->il ? o->iu - o->il + 1 : n;
    if (n > INT32_MAX / 16 || lda > INT32_MAX)
        return "the matrix is larger than the address space";
    if (z && count == n && n > MOST_STEDC && o->method == ORR_DENSE_LAPACK)
        return "n is more than 46000, too many for LAPACK's divide and conquer";
    return orr_heev_too_many(n, z, ldz, o);
}

const char *orr_heev_wrong(orr_type type, char uplo, int64_t n, const void *a, int64_t lda,
                           const void *w, const void *z, int64_t ldz, const orr_heev_opts *o,
                           int plans)
{
    const char *wrong = check_arguments(type, uplo, n, a, lda, w, z, ldz, o);
    return wrong || plans ? wrong : too_large(n, lda, z, ldz, o);
}

/* ---- Planning -------------------------------------------------------------------------------- */

static void print_plan(const struct heev *h, char *plan, size_t room)
{
    const struct orr_he2hb *r = &h->reduction.r;
    const orr_heev_opts *o = &h->o;
    char from[ORR_FROM];
    orr_heev_direct_from(h->ctx, r->type, r->n, h->z != NULL, o, from);
    const locale_t locale = orr_numbers_begin();
    int at = snprintf(plan, room, "\"method\":\"%s\",\"from\":\"%s\",\"scale\":%.17g",
                      h->direct ? "lapack" : "two-stage", from, h->reduction.scale);
    orr_numbers_end(locale);
    if (!h->direct)
        snprintf(plan + at, room - (size_t)at,
                 ",\"band\":%lld,\"tile\":%lld,\"tiles\":%lld,\"steps\":%lld,\"updates\":\"%s\"",
                 (long long)r->b, (long long)r->T, (long long)r->tiles, (long long)r->steps,
                 r->whole ? "accelerators" : orr_place_told(h->ctx, o->place));
}

/* Stages overlap: each is told from the end of the one before. */
static void print_seconds(const struct heev *h, char *plan, size_t room)
{
    const size_t at = strlen(plan);
    const double start = h->req->begun, reduced = h->reduced > 0 ? h->reduced : start;
    if (h->shared) {
        snprintf(plan + at, room - at,
                 ",\"seconds\":{\"reduction\":%.6g,\"solver\":%.6g,\"back\":%.6g}", reduced - start,
                 h->solved - reduced, h->req->ended - h->solved);
        return;
    }
    if (h->direct) {
        snprintf(plan + at, room - at, ",\"seconds\":{\"lapack\":%.6g}", h->solved - h->begun);
        return;
    }
    snprintf(plan + at, room - at,
             ",\"seconds\":{\"he2hb\":%.6g,\"hb2st\":%.6g,\"solver\":%.6g,\"back\":%.6g}",
             reduced - start, h->begun - reduced, h->solved - h->begun, h->req->ended - h->solved);
}

/* ---- The operation --------------------------------------------------------------------------- */

/* The band is where he2hb leaves it: LAPACK's band storage of the lower triangle of an array with
 * leading dimension lda is that array, with leading dimension lda + 1. */
static void submit_chase(struct heev *h)
{
    struct orr_he2hb_stage *x = &h->reduction;
    const int apart = x->r.band != NULL;
    const struct orr_hb2st_part part = {.type = x->r.type,
                                        .n = x->r.n,
                                        .b = orr_least(x->r.b, x->r.n - 1),
                                        .band = {.ab = apart ? x->r.band : x->user.a,
                                                 .ldab = apart ? x->r.b + 1 : x->user.lda + 1,
                                                 .width = x->r.b},
                                        .scale = 1,
                                        .d = h->t.d,
                                        .e = h->t.e,
                                        .into = h->t.T,
                                        .keep = h->z != NULL,
                                        .place = h->o.place,
                                        .weight = ORR_HEEV_HOP * x->r.b,
                                        .first_priority = orr_he2hb_least_priority(&x->r),
                                        .after = orr_he2hb_band,
                                        .arg = x};
    h->chase = orr_hb2st_attach(h->ctx, h->req, &part);
}

static void submit_direct(struct heev *h)
{
    const struct orr_dense *a = &h->reduction.user;
    orr_plan_bytes(h->req, orr_heev_direct_memory(h));
    const starpu_data_handle_t A =
        h->req->here
            ? NULL
            : orr_request_matrix(h->req, a->a, a->lda, h->t.n, h->t.n, orr_type_size(h->t.type));
    orr_insert_heev_direct(h->req, &h->t, a->upper, A, a->a, a->lda, h->z, h->ldz);
}

static void submit_shared(struct heev *h)
{
    const struct orr_dense *a = &h->reduction.user;
    orr_heev_make_tridiagonal(h);
    if (orr_request_failed(h->req))
        return;
    const starpu_data_handle_t A =
        orr_request_matrix(h->req, a->a, a->lda, h->t.n, h->t.n, orr_type_size(h->t.type));
    h->one_stage = orr_heev_one_stage(h->req, &h->t, a, h->ctx->info.cpu);
    if (orr_request_failed(h->req))
        return;
    orr_insert_heev_reduce(h->req, &h->t, h->one_stage, A, h->t.n * h->t.n, &h->reduced);
    orr_heev_submit_results(h);
}

static void submit_stages(struct heev *h)
{
    orr_heev_make_tridiagonal(h);
    if (orr_request_failed(h->req))
        return;
    orr_he2hb_submit(h->req, &h->reduction);
    submit_chase(h);
    if (orr_request_failed(h->req))
        return;
    orr_heev_submit_results(h); /* first, for what it locks is waited for */
    orr_he2hb_unlock_tiles(h->req, &h->reduction, orr_hb2st_attached(h->chase)->launched);
}

static int64_t chase_parts(const struct orr_he2hb *r)
{
    struct orr_hb2st band = {
        .type = r->type, .n = r->n, .b = orr_least(r->b, r->n - 1), .D = orr_most(r->n, 1), .G = 1};
    if (r->n == 0)
        return 0;
    orr_hb2st_shape_of(&band);
    return ORR_HEEV_HOP * r->b * orr_hb2st_all_hops(&band);
}

enum { BACK_PARTS = 2 }; /* of a row and column: the two products are thrice the reduction */

static void tell_parts(struct heev *h)
{
    const struct orr_he2hb *r = &h->reduction.r;
    h->unit = orr_most(r->b, 1);
    if (h->direct) {
        h->parts[0] = h->shared ? r->n * r->n : 0;
        h->parts[1] = h->shared ? r->n : 0;
        return;
    }
    h->parts[0] = orr_he2hb_parts(r) + chase_parts(r);
    for (int64_t k = 0; k < r->steps; k++)
        h->parts[1] += BACK_PARTS * (r->n - (k + 1) * r->b);
}

static void back(orr_request *req, void *arg, const struct orr_hb2st_panel *p)
{
    const struct heev *h = arg;
    orr_he2hb_submit_apply(req, &h->reduction.r, p, BACK_PARTS);
}

static void make_stages(struct heev *h)
{
    struct orr_he2hb *r = &h->reduction.r;
    r->owners = orr_context_owners(h->ctx, h->o.place, "he2hb_update", r->type);
    r->where = orr_place_where(h->ctx, h->o.place);
    orr_heev_shape(h->ctx, &h->o, r);
    orr_he2hb_make(h->req, &h->reduction);
}

static orr_status submit(struct orr_call *call, orr_type type, char uplo, int64_t n, void *a,
                         int64_t lda, void *w, void *z, int64_t ldz, const orr_heev_opts *opts,
                         orr_request **out)
{
    const orr_heev_opts o = opts ? *opts : (orr_heev_opts){0};
    orr_context *ctx = call->ctx;
    const int plans = ctx && ctx->planner;
    if (orr_call_refused(call, out, orr_heev_wrong(type, uplo, n, a, lda, w, z, ldz, &o, plans)))
        return call->status;
    const int direct = orr_heev_is_direct(ctx, type, n, z != NULL, &o);
    const int stays = !direct && orr_place_devices(ctx, o.place);
    const int64_t count = o.il ? o.iu - o.il + 1 : n;
    const size_t size = orr_type_size(type), real = orr_type_size(orr_type_real(type));
    const int some = orr_heev_has_interval(&o) ? ORR_IN : 0; /* what it does not hold is kept */
    int a_on = 0, z_on = 0;
    const struct orr_array arrays[] = {
        orr_array(&w, count, 1, count, real, ORR_OUT | some),
        orr_stays(orr_array(&a, n, n, lda, size, ORR_IN), stays, &a_on),
        orr_stays(orr_array(&z, z ? n : 0, count, ldz, size, ORR_OUT | some), stays, &z_on)};
    if (orr_call_overlaps(call, arrays, 3) || orr_call_home(call, arrays, 3))
        return call->status;
    const struct orr_dense user = {.a = a, .lda = lda, .upper = uplo == 'U', .on = a_on};
    const struct orr_dense_look look =
        plans ? (struct orr_dense_look){.row = -1, .column = -1, .scale = 1}
              : orr_he2hb_screen(type, n, &user);
    if (look.status != ORR_OK)
        return orr_call_refuse(call, look.status, -1, NULL);
    if (look.column >= 0)
        return orr_call_refuse_entry(call, look.column * lda + look.row, look.row, look.column);
    orr_request *req;
    struct heev *h = orr_call_begin(call, sizeof *h, orr_heev_finish, &req);
    if (!h)
        return call->status;
    *h = (struct heev){.ctx = ctx,
                       .req = req,
                       .o = o,
                       .z = z,
                       .ldz = ldz,
                       .z_on = z_on,
                       .direct = direct,
                       .then = back,
                       .print_seconds = print_seconds,
                       .reduction = {.user = user,
                                     .scale = look.scale,
                                     .r = {.type = type, .n = n, .applied = z != NULL}}};
    h->reduction.r.ended = &h->reduced;
    h->shared = h->direct && orr_heev_is_shared(ctx, type, n, z != NULL, &o);
    if (h->direct && !h->shared && call->waits)
        orr_request_here(req);
    const int64_t most_n = o.method == ORR_DENSE_LAPACK ? MOST_STEDC : ORR_HEEV_MOST_VECTORS;
    orr_plan_refuse(req, too_large(n, lda, z, ldz, &o), z && !o.il ? most_n : 0);
    req->progress = o.progress;
    req->progress_arg = o.progress_arg;
    orr_place_check(ctx, o.place, req, "heev");
    if (!h->direct)
        make_stages(h);
    struct orr_operation *op = orr_operation_of(req);
    print_plan(h, op->plan, sizeof op->plan);
    tell_parts(h);
    orr_heev_want(h, type, n, look.scale, w);
    if (n > 0 && !orr_request_failed(req))
        (h->shared ? submit_shared : h->direct ? submit_direct : submit_stages)(h);
    orr_call_submitted(call, req);
    *out = req;
    return ORR_OK;
}

orr_status orr_submit_heev(orr_context *ctx, orr_type type, char uplo, int64_t n, void *a,
                           int64_t lda, void *w, void *z, int64_t ldz, const orr_heev_opts *opts,
                           orr_request **out)
{
    struct orr_call call = orr_call_enter(ctx, "heev");
    return submit(&call, type, uplo, n, a, lda, w, z, ldz, opts, out);
}

orr_status orr_heev(orr_context *ctx, orr_type type, char uplo, int64_t n, void *a, int64_t lda,
                    void *w, void *z, int64_t ldz, const orr_heev_opts *opts, orr_report *report)
{
    return orr_heev_entered(ctx, orr_context_entered(ctx), type, uplo, n, a, lda, w, z, ldz, opts,
                            report);
}

orr_status orr_heev_entered(orr_context *ctx, unsigned entered, orr_type type, char uplo, int64_t n,
                            void *a, int64_t lda, void *w, void *z, int64_t ldz,
                            const orr_heev_opts *opts, orr_report *report)
{
    struct orr_call call = orr_call_enter_and_wait(ctx, "heev");
    call.entered = entered;
    orr_request *req;
    const orr_status st = submit(&call, type, uplo, n, a, lda, w, z, ldz, opts, &req);
    return orr_call_end(&call, st, &req, report);
}
