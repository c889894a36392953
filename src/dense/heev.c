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

#include "codelets/core/device.h"
#include "codelets/core/numbers.h"
#include "src/band/hb2st.h"
#include "src/core/range.h"
#include "src/dense/dense_plan.h"
#include "src/dense/he2hb.h"
#include "src/dense/heev.h"
#include "src/core/owners.h"

struct heev {
    orr_context *ctx;
    orr_request *req;
    orr_heev_opts o;
    int direct; /* there are no stages: one task, or ... */
    int shared; /* ... several on all workers */
    struct orr_reduction *one_stage;
    struct orr_he2hb_stage reduction;
    struct hb2st *chase;
    struct orr_tridiagonal t;
    struct orr_merge *merge; /* NULL: the solver is one task */
    void *z;
    int64_t ldz;
    int z_on; /* StarPU's number of the memory that z is in */
    void *d, *e, *s;
    int64_t found[2];  /* first value, from 0, and number; of an interval all until known */
    atomic_int failed; /* the solver gave up */
    double reduced;    /* times of orr_now(); 0: not yet */
    _Atomic double begun, solved;
};

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t most(int64_t x, int64_t y) { return x > y ? x : y; }

/* ---- What the caller may ask for ------------------------------------------------------------ */

/* As LAPACK takes it: in the precision of the matrix. */
static double in_type(orr_type type, double x)
{
    return orr_type_real(type) == ORR_S ? (double)(float)x : x;
}

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
    if (lda < n || lda < 1)
        return "lda is less than n";
    if (n > 0 && (!a || !w))
        return "an array is NULL";
    if (z && (ldz < n || ldz < 1))
        return "z needs n <= ldz";
    if (o->band < 0 || o->band == 1 || o->tile < 0)
        return "band is less than 2, or tile is negative";
    if (o->band > 4096 || o->tile > 65536)
        return "band is more than 4096, or tile more than 65536";
    if (o->tile && (!o->band || o->tile % o->band || o->tile < 16))
        return "tile needs a band, and is a multiple of it and at least 16";
    if (o->il || o->iu ? o->il < 1 || o->iu < o->il || o->iu > n : 0)
        return "il and iu are not 1 <= il <= iu <= n";
    if (orr_heev_has_interval(o) && !(in_type(type, o->vl) < in_type(type, o->vu)))
        return "vl and vu are not vl < vu, in the precision of the matrix";
    if (orr_heev_has_interval(o) && o->il)
        return "il and iu, or vl and vu";
    if (o->place != ORR_PLACE_AUTO && o->place != ORR_PLACE_CPU && o->place != ORR_PLACE_GPU)
        return "place is auto, cpu or gpu";
    if ((int)o->method < 0 || o->method >= ORR_NDENSE)
        return "method is auto, two-stage or lapack";
    if (o->method == ORR_DENSE_LAPACK && (o->band || o->place == ORR_PLACE_GPU))
        return "method lapack has no band, and runs on a CPU";
    return NULL;
}

enum { MOST_STEDC = 46000 };   /* LAPACK counts the square in 32 bits */
enum { MOST_VECTORS = 65535 }; /* and StarPU in 32 bits without sign */

/* What no memory would help; a plan goes on. */
static const char *too_large(int64_t n, int64_t lda, const void *z, int64_t ldz,
                             const orr_heev_opts *o)
{
    const int64_t count = o->il ? o->iu - o->il + 1 : n;
    if (n > INT32_MAX / 16 || lda > INT32_MAX)
        return "the matrix is larger than the address space";
    if (z && ldz > orr_product_most_ld())
        return "z needs ldz < 2^24";
    if (z && count == n && n > MOST_VECTORS)
        return "n is more than 65535, too many for all vectors";
    if (z && count == n && n > MOST_STEDC && o->method == ORR_DENSE_LAPACK)
        return "n is more than 46000, too many for LAPACK's divide and conquer";
    if (z && n > 0 && count > UINT32_MAX / n)
        return "z of more than 2^32 numbers";
    return NULL;
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
    const int asked = o->method != ORR_DENSE_AUTO || o->band || o->place == ORR_PLACE_GPU;
    char from[64] = "asked";
    if (!asked)
        snprintf(from, sizeof from, "measured: lapack below %lld",
                 (long long)orr_heev_direct_below(h->ctx, r->type, r->n, h->z != NULL, o));
    const locale_t locale = orr_numbers_begin();
    int at = snprintf(plan, room, "\"method\":\"%s\",\"from\":\"%s\",\"scale\":%.17g",
                      h->direct ? "lapack" : "two-stage", from, h->reduction.scale);
    orr_numbers_end(locale);
    if (!h->direct)
        snprintf(plan + at, room - (size_t)at,
                 ",\"band\":%lld,\"tile\":%lld,\"tiles\":%lld,\"steps\":%lld,\"updates\":\"%s\"",
                 (long long)r->b, (long long)r->T, (long long)r->tiles, (long long)r->steps,
                 orr_place_told(h->ctx, o->place));
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

/* What an interval turned out to hold. */
static void tell_found(const struct heev *h, char *plan, size_t room)
{
    const size_t at = strlen(plan);
    if (orr_heev_has_interval(&h->o))
        snprintf(plan + at, room - at, ",\"found\":%lld,\"first\":%lld", (long long)h->found[1],
                 (long long)h->found[0] + 1);
    if (h->o.found) {
        h->o.found[0] = h->found[0] + 1;
        h->o.found[1] = h->found[0] + h->found[1];
    }
}

/* ---- The operation --------------------------------------------------------------------------- */

static orr_status finish(orr_request *req)
{
    struct heev *h = req->state;
    struct orr_operation *op = orr_operation_of(req);
    orr_status st = ORR_OK;
    if (!orr_request_failed(req) && !req->plan) {
        print_seconds(h, op->plan, sizeof op->plan);
        if (h->failed) {
            st = ORR_NOCONV;
            snprintf(op->message, sizeof op->message, "the tridiagonal solver did not converge");
        }
    }
    if (!orr_request_failed(req) && !h->failed && !req->plan) {
        orr_heev_ascend(&h->t, h->found[1]);
        tell_found(h, op->plan, sizeof op->plan);
        st = orr_judge_range(op, orr_type_real(h->t.type), h->found[1], h->t.w, "w");
    }
    orr_heev_split_drop(h->merge);
    orr_heev_one_stage_drop(h->one_stage);
    orr_hb2st_detach(h->chase);
    orr_he2hb_free(&h->reduction);
    free(h->d);
    free(h->e);
    free(h->s);
    free(h);
    return st;
}

/* Progress counts in units of what the reduction does for an entry of the rest of the matrix, 4 b
 * operations; these say what other stages take, with the kernels of docs/algorithms. */
enum { HOP = 3 }; /* times b, of a hop of the second stage */

static int64_t solver_parts(const struct heev *h)
{
    if (h->direct)
        return h->reduction.r.n * h->reduction.r.n;
    const double n = (double)h->reduction.r.n, k = (double)h->found[1],
                 b = (double)h->reduction.r.b;
    const double values = 36 * n * k, some = 130 * n * k, all = 0.8 * n * n * n;
    return (int64_t)((!h->z ? values : k < n ? some : all) / b);
}

static void tell_solver(struct heev *h, void *w)
{
    const struct orr_he2hb *r = &h->reduction.r;
    const orr_heev_opts *o = &h->o;
    h->found[0] = o->il ? o->il - 1 : 0;
    h->found[1] = o->il ? o->iu - o->il + 1 : r->n;
    h->t = (struct orr_tridiagonal){.type = r->type,
                                    .n = r->n,
                                    .scale = h->reduction.scale,
                                    .first = h->found[0],
                                    .count = h->found[1],
                                    .low = in_type(r->type, o->vl),
                                    .high = in_type(r->type, o->vu),
                                    .found = orr_heev_has_interval(o) ? h->found : NULL,
                                    .w = w,
                                    .parts = solver_parts(h),
                                    .failed = &h->failed,
                                    .begun = &h->begun,
                                    .ended = &h->solved};
}

/* The diagonal of T, the off-diagonal. */
static void make_tridiagonal(struct heev *h)
{
    const struct orr_he2hb *r = &h->reduction.r;
    const size_t real = orr_type_size(orr_type_real(r->type));
    h->t.d = h->d = orr_request_memory(h->req, 0, (size_t)r->n * real + 1);
    h->t.e = h->e = orr_request_memory(h->req, 0, (size_t)r->n * real + 1);
    if (!h->d || !h->e)
        orr_request_fail(h->req, ORR_E_NOMEM, "heev");
    else
        h->t.T = orr_request_vector(h->req, h->d, r->n, real);
}

/* Its vectors. */
static void make_vectors(struct heev *h)
{
    const size_t real = orr_type_size(orr_type_real(h->t.type));
    const int64_t count = h->t.n * h->t.count;
    h->s = orr_request_memory(h->req, 0, (size_t)count * real + 1);
    if (!h->s)
        orr_request_fail(h->req, ORR_E_NOMEM, "heev");
    else
        h->t.S = orr_request_vector(h->req, h->s, count, real);
}

/* The band is where he2hb leaves it: LAPACK's band storage of the lower triangle of an array with
 * leading dimension lda is that array, with leading dimension lda + 1. */
static void submit_chase(struct heev *h)
{
    struct orr_he2hb_stage *x = &h->reduction;
    const int apart = x->r.band != NULL;
    const struct orr_hb2st_part part = {.type = x->r.type,
                                        .n = x->r.n,
                                        .b = least(x->r.b, x->r.n - 1),
                                        .band = {.ab = apart ? x->r.band : x->user.a,
                                                 .ldab = apart ? x->r.b + 1 : x->user.lda + 1,
                                                 .width = x->r.b},
                                        .scale = 1,
                                        .d = h->t.d,
                                        .e = h->t.e,
                                        .into = h->t.T,
                                        .keep = h->z != NULL,
                                        .place = h->o.place,
                                        .weight = HOP * x->r.b,
                                        .first_priority = orr_he2hb_least_priority(&x->r),
                                        .after = orr_he2hb_band,
                                        .arg = x};
    h->chase = orr_hb2st_attach(h->ctx, h->req, &part);
}

static void place(orr_request *req, void *arg, int64_t first, const struct orr_hb2st_panel *p)
{
    const struct heev *h = arg;
    orr_insert_heev_place(req, 0, &h->t, h->merge ? orr_heev_split_order(h->merge) : NULL, first,
                          p);
}

/* From these orders on divide and conquer is several tasks, and workers share a direct reduction that
 * is followed by it; or by values alone, when one task would be done sooner below. */
enum { SPLIT = 256, SPLIT_VALUES = 350 };
enum { BACK_PARTS = 2 }; /* of a row and column: the two products are thrice the reduction */

static void back(orr_request *req, void *arg, const struct orr_hb2st_panel *p)
{
    const struct heev *h = arg;
    orr_he2hb_submit_apply(req, &h->reduction.r, p, BACK_PARTS);
}

/* w and S. */
static void submit_solver(struct heev *h)
{
    make_vectors(h);
    if (orr_request_failed(h->req))
        return;
    if (h->t.count == h->t.n && h->t.n >= SPLIT)
        h->merge = orr_heev_split(h->req, &h->t, h->s);
    if (h->merge && !orr_request_failed(h->req))
        orr_insert_heev_merge(h->req, &h->t, h->merge);
    else
        orr_insert_heev_vectors(h->req, 0, &h->t);
}

/* Z = Q S, by a panel of columns for each worker: each makes the triangular factors anew. */
static void submit_one_panel_each(struct heev *h)
{
    enum { NARROW = 32 };
    const int64_t n = h->t.n, k = h->t.count, workers = h->ctx->info.cpu;
    const int64_t width = most((k + workers - 1) / workers, NARROW);
    const size_t size = orr_type_size(h->t.type);
    for (int64_t c = 0; c < k && !orr_request_failed(h->req); c += width) {
        struct orr_hb2st_panel p = {
            .rows = n, .k = least(width, k - c), .lde = h->ldz, .where = ORR_ON_CPU};
        p.to = p.k;
        p.E = orr_request_vector(h->req, (char *)h->z + (size_t)(c * h->ldz) * size,
                                 (p.k - 1) * h->ldz + n, size);
        place(h->req, h, c, &p);
        orr_insert_heev_back(h->req, &h->t, h->one_stage, &p, n * p.k);
    }
}

/* Z = Q S, or Q1 (Q2 S), by panels of columns. */
static void submit_vectors(struct heev *h)
{
    const struct orr_he2hb *r = &h->reduction.r;
    const struct orr_product q = {.rows = r->n,
                                  .k = h->t.count,
                                  .lde = h->ldz,
                                  .E = h->z,
                                  .on = h->z_on,
                                  .before = place,
                                  .then = back,
                                  .arg = h,
                                  .where = r->where};
    submit_solver(h);
    if (h->shared)
        submit_one_panel_each(h);
    else if (!orr_request_failed(h->req))
        orr_submit_product(h->ctx, h->req, orr_hb2st_attached(h->chase), &q);
}

/* w by pieces: the values do not wait for each other. */
static void submit_values(struct heev *h)
{
    const int64_t count = h->t.count, at_once = orr_heev_values_at_once(h->t.n);
    for (int64_t k = 0; k < count; k += at_once)
        orr_insert_heev_values(h->req, 0, &h->t, k, least(at_once, count - k));
}

/* Its copy of the matrix, the solver's vectors and its workspace. */
static double direct_bytes(const struct heev *h)
{
    const orr_type type = h->reduction.r.type;
    const double n = (double)h->t.n, count = h->z ? (double)h->t.count : 0;
    const double work = count == n ? n : 0, real = (double)orr_type_size(orr_type_real(type));
    return n * n * (double)orr_type_size(type) + n * (count + work) * real;
}

static void submit_direct(struct heev *h)
{
    const struct orr_dense *a = &h->reduction.user;
    orr_plan_bytes(h->req, direct_bytes(h));
    const starpu_data_handle_t A =
        h->req->here
            ? NULL
            : orr_request_matrix(h->req, a->a, a->lda, h->t.n, h->t.n, orr_type_size(h->t.type));
    orr_insert_heev_direct(h->req, &h->t, a->upper, A, a->a, a->lda, h->z, h->ldz);
}

static int64_t all_parts(const struct heev *h);

/* How many tasks there are depends on what the interval holds: they wait for it. A plan has it hold
 * all. */
static void wait_for_interval(struct heev *h)
{
    enum { OWN_HOLD = 1 };
    orr_insert_heev_count(h->req, 0, &h->t);
    orr_request_drain(h->req, OWN_HOLD);
    if (h->req->plan || orr_request_failed(h->req))
        return;
    h->t.first = h->found[0];
    h->t.count = h->found[1];
    h->t.parts = solver_parts(h);
    h->req->parts_total = h->t.parts + all_parts(h);
}

/* What follows from T. */
static void submit_results(struct heev *h)
{
    if (h->t.found)
        wait_for_interval(h);
    if (orr_request_failed(h->req) || h->t.count == 0)
        return;
    if (h->z)
        submit_vectors(h);
    else
        submit_values(h);
}

static void submit_shared(struct heev *h)
{
    const struct orr_dense *a = &h->reduction.user;
    make_tridiagonal(h);
    if (orr_request_failed(h->req))
        return;
    const starpu_data_handle_t A =
        orr_request_matrix(h->req, a->a, a->lda, h->t.n, h->t.n, orr_type_size(h->t.type));
    h->one_stage = orr_heev_one_stage(h->req, &h->t, a, h->ctx->info.cpu);
    if (orr_request_failed(h->req))
        return;
    orr_insert_heev_reduce(h->req, &h->t, h->one_stage, A, h->t.n * h->t.n, &h->reduced);
    submit_results(h);
}

static void submit_stages(struct heev *h)
{
    make_tridiagonal(h);
    if (orr_request_failed(h->req))
        return;
    orr_he2hb_submit(h->req, &h->reduction);
    submit_chase(h);
    submit_results(h);
}

static int64_t chase_parts(const struct orr_he2hb *r)
{
    struct orr_hb2st band = {
        .type = r->type, .n = r->n, .b = least(r->b, r->n - 1), .D = most(r->n, 1), .G = 1};
    if (r->n == 0)
        return 0;
    orr_hb2st_shape_of(&band);
    return HOP * r->b * orr_hb2st_all_hops(&band);
}

/* Of everything but the solver. */
static int64_t all_parts(const struct heev *h)
{
    const struct orr_he2hb *r = &h->reduction.r;
    const int64_t vectors = h->z ? h->found[1] : 0;
    if (h->direct)
        return h->shared ? r->n * (r->n + vectors) : 0;
    int64_t rows = 0;
    for (int64_t k = 0; vectors && k < r->steps; k++)
        rows += r->n - (k + 1) * r->b;
    return orr_he2hb_parts(r) + BACK_PARTS * vectors * rows + chase_parts(r);
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
    const int stay = !plans && !direct && orr_place_devices(ctx, o.place); /* on a device */
    const int64_t count = o.il ? o.iu - o.il + 1 : n;
    const size_t size = orr_type_size(type), real = orr_type_size(orr_type_real(type));
    const int some = orr_heev_has_interval(&o) ? ORR_IN : 0; /* what it does not hold is kept */
    const struct orr_array arrays[] = {orr_array(&w, count, 1, count, real, ORR_OUT | some),
                                       orr_array(&a, n, n, lda, size, ORR_IN),
                                       orr_array(&z, z ? n : 0, count, ldz, size, ORR_OUT | some)};
    if (orr_call_home(call, arrays, stay ? 1 : 3))
        return call->status;
    const int a_on = stay ? orr_device_of(a) : 0, z_on = stay ? orr_device_of(z) : 0;
    if (a_on < 0 || z_on < 0)
        return orr_call_refuse(call, ORR_E_ARG, -1, ORR_NOT_USED);
    const struct orr_dense user = {.a = a, .lda = lda, .upper = uplo == 'U', .on = a_on};
    const struct orr_dense_look look =
        plans ? (struct orr_dense_look){.row = -1, .column = -1, .scale = 1}
              : orr_he2hb_screen(type, n, &user);
    if (look.status != ORR_OK)
        return orr_call_refuse(call, look.status, -1, NULL);
    if (look.column >= 0)
        return orr_call_refuse(
            call, ORR_E_NONFINITE, look.column * lda + look.row,
            "entry (%lld, %lld) of the matrix (counted from 0) is NaN or infinite",
            (long long)look.row, (long long)look.column);
    orr_request *req;
    struct heev *h = orr_call_begin(call, sizeof *h, finish, &req);
    if (!h)
        return call->status;
    *h = (struct heev){.ctx = ctx,
                       .req = req,
                       .o = o,
                       .z = z,
                       .ldz = ldz,
                       .z_on = z_on,
                       .direct = direct,
                       .reduction = {.user = user,
                                     .scale = look.scale,
                                     .r = {.type = type, .n = n, .applied = z != NULL}}};
    h->reduction.r.ended = &h->reduced;
    const int64_t split = z ? SPLIT : SPLIT_VALUES;
    h->shared = h->direct && n >= split && ctx->info.cpu > 1;
    if (h->direct && n < split && call->waits)
        orr_request_here(req);
    const int64_t most_n = o.method == ORR_DENSE_LAPACK ? MOST_STEDC : MOST_VECTORS;
    orr_plan_refuse(req, too_large(n, lda, z, ldz, &o), z && !o.il ? most_n : 0);
    req->progress = o.progress;
    req->progress_arg = o.progress_arg;
    orr_place_check(ctx, o.place, req, "heev");
    if (!h->direct)
        make_stages(h);
    struct orr_operation *op = orr_operation_of(req);
    print_plan(h, op->plan, sizeof op->plan);
    tell_solver(h, w);
    req->parts_total = h->t.parts + all_parts(h);
    if (n > 0 && !orr_request_failed(req))
        (h->shared ? submit_shared : h->direct ? submit_direct : submit_stages)(h);
    orr_request_go(req);
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
