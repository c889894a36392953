/* hbev: eigenvalues and eigenvectors of a Hermitian band matrix, one graph:
 *
 *     A  --hb2st-->  T tridiagonal  --solver-->  w, S         Z = Q S
 *        src/band/hb2st.c           src/dense/heev_graph.c
 *
 * LAPACK's hbevd multiplies Q out, 2 n^3 operations on vectors and more; here the reflectors that Q
 * is made of are applied to panels of S, as products of matrices.
 *
 * Sources: docs/algorithms/hb2st.md, docs/algorithms/heev.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"
#include "codelets/core/numbers.h"
#include "src/band/band_plan.h"
#include "src/core/pieces.h"
#include "src/dense/dense_plan.h"
#include "src/dense/heev_graph.h"

/* Of this order and more the band pays: a smaller dense matrix is reduced in one task, in cache,
 * before bulge chasing's tasks have begun. all: vectors are wanted. Measured on a Zen 5. */
static int64_t two_stages_from(int64_t b, int all, int workers)
{
    if (b <= 1)
        return 96;
    if (!all)
        return b < 4 ? 144 : 208;
    return workers > 1 ? 136 : 176;
}

enum { MOST_DENSE = 46000 }; /* LAPACK counts the square in 32 bits */

static const char *check_arguments(orr_type type, char uplo, int64_t n, int64_t b, const void *ab,
                                   int64_t ldab, const void *w, const void *z, int64_t ldz,
                                   const orr_heev_opts *o)
{
    const char *wrong = orr_hb2st_wrong_band(type, uplo, n, b, ab, ldab);
    if (wrong)
        return wrong;
    if (n > 0 && !w)
        return "w is NULL";
    if ((int)o->method < 0 || o->method >= ORR_NDENSE)
        return "method is auto, two-stage or lapack";
    if (o->method == ORR_DENSE_LAPACK && (n > MOST_DENSE || o->place == ORR_PLACE_GPU))
        return "method lapack has n at most 46000, and runs on a CPU";
    return orr_heev_wrong_part(type, n, z, ldz, o);
}

static void print_plan(const struct heev *h, int64_t b, double scale, char *plan, size_t room)
{
    const locale_t locale = orr_numbers_begin();
    snprintf(plan, room, "\"method\":\"%s\",\"from\":\"%s\",\"b\":%lld,\"scale\":%.17g",
             h->direct ? "lapack" : "two-stage",
             h->o.method || h->o.place == ORR_PLACE_GPU ? "asked" : "measured", (long long)b,
             scale);
    orr_numbers_end(locale);
}

static void print_seconds(const struct heev *h, char *plan, size_t room)
{
    const size_t at = strlen(plan);
    if (h->direct) {
        snprintf(plan + at, room - at, ",\"seconds\":{\"lapack\":%.6g}", h->solved - h->begun);
        return;
    }
    snprintf(plan + at, room - at, ",\"seconds\":{\"hb2st\":%.6g,\"solver\":%.6g,\"back\":%.6g}",
             h->begun - h->req->begun, h->solved - h->begun, h->req->ended - h->solved);
}

/* The band as a dense matrix, of which the same triangle is there. */
static void fill(char *a, const struct orr_hb2st_part *p)
{
    const int64_t b = p->band.width, n = p->n;
    const size_t size = orr_type_size(p->type);
    for (int64_t j = 0; j < n; j++) {
        const int64_t first = !p->band.upper ? j : j > b ? j - b : 0;
        const int64_t last = p->band.upper ? j : j + b < n ? j + b : n - 1;
        const int64_t from = p->band.upper ? b - (j - first) : 0;
        memcpy(a + (size_t)(j * n + first) * size,
               (const char *)p->band.ab + (size_t)(j * p->band.ldab + from) * size,
               (size_t)(last - first + 1) * size);
    }
}

static void submit_direct(struct heev *h, const struct orr_hb2st_part *p)
{
    const int64_t n = p->n;
    const size_t size = orr_type_size(p->type), bytes = (size_t)(n * n) * size;
    h->s = orr_own_memory(h->req, ORR_ON_CPU, 0, bytes, "hbev");
    if (!h->s)
        return;
    orr_plan_bytes(h->req, orr_heev_direct_memory(h));
    const starpu_data_handle_t A =
        h->req->here ? NULL : orr_request_matrix(h->req, h->s, n, n, n, size);
    if (!h->req->plan) {
        memset(h->s, 0, bytes);
        fill(h->s, p);
    }
    orr_insert_heev_direct(h->req, &h->t, p->band.upper, A, h->s, n, h->z, h->ldz);
}

static void submit_graph(struct heev *h, const struct orr_hb2st_part *chase)
{
    struct orr_hb2st_part part = *chase;
    orr_heev_make_tridiagonal(h);
    if (orr_request_failed(h->req))
        return;
    part.d = h->t.d;
    part.e = h->t.e;
    part.into = h->t.T;
    h->chase = orr_hb2st_attach(h->ctx, h->req, &part);
    orr_heev_submit_results(h);
}

static orr_status submit(struct orr_call *call, orr_type type, char uplo, int64_t n, int64_t b,
                         void *ab, int64_t ldab, void *w, void *z, int64_t ldz,
                         const orr_hbev_opts *opts, orr_request **out)
{
    const orr_hbev_opts given = opts ? *opts : (orr_hbev_opts){0};
    const orr_heev_opts o = {.il = given.il,
                             .iu = given.iu,
                             .vl = given.vl,
                             .vu = given.vu,
                             .found = given.found,
                             .place = given.place,
                             .method = given.method};
    orr_context *ctx = call->ctx;
    const char *wrong = check_arguments(type, uplo, n, b, ab, ldab, w, z, ldz, &o);
    const char *too_many = wrong ? NULL : orr_heev_too_many(n, z, ldz, &o);
    const int plans = ctx && ctx->planner;
    if (orr_call_refused(call, out, wrong || plans ? wrong : too_many))
        return call->status;
    const int64_t count = o.il ? o.iu - o.il + 1 : n;
    const int small = n < two_stages_from(b, z && count == n, ctx ? ctx->info.cpu : 1);
    const int direct = o.method == ORR_DENSE_LAPACK ||
                       (o.method == ORR_DENSE_AUTO && o.place != ORR_PLACE_GPU && small);
    const size_t size = orr_type_size(type), real = orr_type_size(orr_type_real(type));
    const int some = orr_heev_has_interval(&o) ? ORR_IN : 0; /* what it does not hold is kept */
    int z_on = 0;
    const struct orr_array arrays[] = {
        orr_array(&w, count, 1, count, real, ORR_OUT | some),
        orr_array(&ab, b + 1, n, ldab, size, ORR_IN),
        orr_stays(orr_array(&z, z ? n : 0, count, ldz, size, ORR_OUT | some),
                  !direct && orr_place_devices(ctx, o.place), &z_on)};
    if (orr_call_overlaps(call, arrays, 3) || orr_call_home(call, arrays, 3))
        return call->status;
    const struct orr_hb2st_band user = {.ab = ab, .ldab = ldab, .width = b, .upper = uplo == 'U'};
    struct orr_hb2st_look look;
    if (orr_hb2st_refused_entry(call, type, n, &user, &look))
        return call->status;

    orr_request *req;
    struct heev *h = orr_call_begin(call, sizeof *h, orr_heev_finish, &req);
    if (!h)
        return call->status;
    const int64_t b_chased = orr_band_chased(look.b, n, o.place), unit = orr_most(b_chased, 1);
    *h = (struct heev){.ctx = ctx,
                       .req = req,
                       .o = o,
                       .z = z,
                       .ldz = ldz,
                       .z_on = z_on,
                       .direct = direct,
                       .unit = unit,
                       .print_seconds = print_seconds};
    struct orr_hb2st shape = {.type = type, .n = n, .b = b_chased, .D = orr_most(n, 1), .G = 1};
    orr_hb2st_shape_of(&shape);
    h->parts[0] = n > 0 && !direct ? ORR_HEEV_HOP * unit * orr_hb2st_all_hops(&shape) : 0;
    if (direct && small && call->waits)
        orr_request_here(req);
    orr_plan_refuse(req, too_many, z && !o.il ? ORR_HEEV_MOST_VECTORS : 0);
    req->progress = given.progress;
    req->progress_arg = given.progress_arg;
    orr_place_check(ctx, o.place, req, "hbev");
    struct orr_operation *op = orr_operation_of(req);
    print_plan(h, look.b, look.scale, op->plan, sizeof op->plan);
    orr_heev_want(h, type, n, look.scale, w);
    const struct orr_hb2st_part chase = {.type = type,
                                         .n = n,
                                         .b = b_chased,
                                         .width = look.b,
                                         .band = user,
                                         .scale = look.scale,
                                         .keep = z != NULL,
                                         .place = o.place,
                                         .weight = ORR_HEEV_HOP * unit};
    if (n > 0 && !orr_request_failed(req))
        (direct ? submit_direct : submit_graph)(h, &chase);
    orr_call_submitted(call, req);
    *out = req;
    return ORR_OK;
}

orr_status orr_submit_hbev(orr_context *ctx, orr_type type, char uplo, int64_t n, int64_t b,
                           const void *ab, int64_t ldab, void *w, void *z, int64_t ldz,
                           const orr_hbev_opts *opts, orr_request **out)
{
    struct orr_call call = orr_call_enter(ctx, "hbev");
    return submit(&call, type, uplo, n, b, (void *)ab, ldab, w, z, ldz, opts, out);
}

orr_status orr_hbev(orr_context *ctx, orr_type type, char uplo, int64_t n, int64_t b,
                    const void *ab, int64_t ldab, void *w, void *z, int64_t ldz,
                    const orr_hbev_opts *opts, orr_report *report)
{
    struct orr_call call = orr_call_enter_and_wait(ctx, "hbev");
    orr_request *req;
    const orr_status st = submit(&call, type, uplo, n, b, (void *)ab, ldab, w, z, ldz, opts, &req);
    return orr_call_end(&call, st, &req, report);
}
