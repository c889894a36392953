/* gesvd: singular values and vectors of a dense matrix in two stages, one graph:
 *
 *     A  --ge2gb-->  upper band of width b  --gb2bd-->  B bidiagonal  --solver-->  s, X, Y
 *        src/dense/ge2gb.c                        src/band/gb2bd.c
 *
 *     U = Q1 Q2 X, V = P1 P2 Y: the reflectors of gb2bd on panels of columns of X and Y, then those
 *     of ge2gb
 *
 * A direct reduction to bidiagonal form spends half of its operations in products of a matrix and
 * a vector, which run at the speed of memory; here the first stage has products of matrices only,
 * and the second works in cache. Nothing waits for a whole stage: the band's first rows go on
 * while its last ones are made. A tall matrix is A = Q R first, and R is reduced (Chan, 1982); of
 * one with m < n it is the adjoint.
 *
 * A small matrix is in cache anyway, and is reduced directly, by one task.
 *
 * The user's array is where the first stage works, tile by tile, unless its adjoint is needed: in main
 * memory, or that of a device, and then the tiles of the adjoint are nowhere else either.
 *
 * Sources: docs/algorithms/gesvd.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/device.h"
#include "codelets/core/numbers.h"
#include "src/band/gb2bd.h"
#include "src/core/range.h"
#include "src/dense/dense_plan.h"
#include "src/dense/ge2gb.h"
#include "src/core/owners.h"
#include "src/dense/tall.h"

/* The user's m x n matrix. */
struct matrix {
    orr_type type;
    int64_t m, n;
    char *a;
    int64_t lda;
    int on; /* StarPU's number of the memory that it is in */
};

/* What becomes of one side's vectors. */
struct side {
    struct gesvd *h;
    int which; /* ORR_LEFT, ORR_RIGHT */
    void *out; /* rows x n, leading dimension ld; NULL: not wanted */
    int64_t rows, ld;
    int on; /* as above */
};

struct gesvd {
    orr_context *ctx;
    orr_request *req;
    orr_gesvd_opts o;
    struct matrix user;
    int64_t m, n;    /* of the matrix that is reduced, m >= n */
    int direct;      /* one task: there are no stages */
    int adjoint, qr; /* it is the user's adjoint; it is made a triangle first */
    double largest, scale;
    struct orr_tall triangle;
    struct orr_ge2gb_stage band;
    void *copy, *square; /* the adjoint, the triangle */
    struct gb2bd *chase;
    struct orr_bidiagonal b;
    struct side side[2];
    void *d, *e, *x[2];            /* d: NULL, it is the user's s */
    int pieces;                    /* the solver of values is several tasks */
    struct orr_gesvd_tasks *tasks; /* of vectors; NULL: the solver is one task */
    atomic_int failed;             /* the solver gave up */
    double tall, reduced;          /* times of orr_now(); 0: not yet */
    _Atomic double begun, solved;
};

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t most(int64_t x, int64_t y) { return x > y ? x : y; }

/* ---- What the caller may ask for ------------------------------------------------------------ */

static const char *check_arguments(const struct matrix *x, const void *s, const struct side *u,
                                   const struct side *v, const orr_gesvd_opts *o)
{
    const int64_t k = least(x->m, x->n);
    if ((int)x->type < 0 || x->type >= ORR_NTYPES)
        return "the type is none of s, d, c, z";
    if (x->m < 0 || x->n < 0)
        return "m or n is negative";
    if (x->lda < x->m || x->lda < 1)
        return "lda is less than m";
    if (k > 0 && (!x->a || !s))
        return "an array is NULL";
    if (u->out && (u->ld < x->m || u->ld < 1))
        return "u needs m <= ldu";
    if (v->out && (v->ld < x->n || v->ld < 1))
        return "v needs n <= ldv";
    if (o->band < 0 || o->band == 1 || o->tile < 0)
        return "band is less than 2, or tile is negative";
    if (o->band > 512 || o->tile > 65536)
        return "band is more than 512, or tile more than 65536";
    if (o->tile && (!o->band || o->tile % o->band || o->tile < 16))
        return "tile needs a band, and is a multiple of it and at least 16";
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

enum { SMALL = 256 };          /* up to this order the caller's thread does the one task */
enum { MOST_VECTORS = 65535 }; /* StarPU counts the square in 32 bits */
enum { MOST_GESDD = 20000 };   /* its workspace fits LAPACK's 32 bits */

/* What no memory would help; a plan goes on. */
static const char *too_large(const struct matrix *x, const struct side *u, const struct side *v,
                             const orr_gesvd_opts *o)
{
    if (x->n > INT32_MAX / 16 || x->lda > INT32_MAX / 16)
        return "the matrix is larger than the address space";
    if (u->out && u->ld > orr_product_most_ld())
        return "u needs m <= ldu < 2^24";
    if (v->out && v->ld > orr_product_most_ld())
        return "v needs n <= ldv < 2^24";
    if ((u->out || v->out) && least(x->m, x->n) > MOST_VECTORS)
        return "min(m,n) is more than 65535, too many for vectors";
    if (o->method == ORR_DENSE_LAPACK && least(x->m, x->n) > MOST_GESDD)
        return "min(m,n) is more than 20000, too many for LAPACK's gesdd";
    return NULL;
}

/* ---- Planning -------------------------------------------------------------------------------- */

static int wants_vectors(const struct gesvd *h) { return h->side[0].out || h->side[1].out; }

/* 1, or the power of two that brings a matrix from the ends of the range to where products of its
 * entries neither overflow nor lose digits. */
static double choose_scale(orr_type type, double largest)
{
    const int single = orr_type_real(type) == ORR_S;
    const double range = single ? 0x1p24 : 0x1p200, end = single ? 0x1p126 : 0x1p1022;
    if (largest == 0 || (largest >= 1 / range && largest <= range))
        return 1;
    const double scale = orr_gb2bd_scale(largest);
    return scale > end ? end : scale < 1 / end ? 1 / end : scale;
}

enum { SPLIT = 128 }; /* above this order divide and conquer is several tasks */

static int splits(const struct gesvd *h) { return wants_vectors(h) && h->n > SPLIT; }

static const char *solver_of(const struct gesvd *h)
{
    if (!wants_vectors(h))
        return h->pieces ? "bisection" : "bdsqr";
    return splits(h) ? "merges" : "bdsdc";
}

static void print_plan(const struct gesvd *h, char *plan, size_t room)
{
    const struct orr_ge2gb *r = &h->band.r;
    char from[ORR_FROM];
    orr_gesvd_direct_from(h->ctx, h->user.type, wants_vectors(h), &h->o, from);
    const locale_t locale = orr_numbers_begin();
    int at = snprintf(plan, room, "\"method\":\"%s\",\"from\":\"%s\",\"scale\":%.17g",
                      h->direct ? "lapack" : "two-stage", from, h->scale);
    orr_numbers_end(locale);
    if (!h->direct)
        snprintf(plan + at, room - (size_t)at,
                 ",\"band\":%lld,\"tile\":%lld,\"tiles\":%lld,\"steps\":%lld,\"leaves\":%lld,"
                 "\"route\":\"%s%s\",\"updates\":\"%s\",\"solver\":\"%s\"",
                 (long long)r->b, (long long)r->T, (long long)r->tile_columns,
                 (long long)r->side[ORR_LEFT].steps, (long long)h->triangle.leaves,
                 h->adjoint ? "adjoint " : "", h->qr ? "qr " : "",
                 r->whole ? "accelerators" : orr_place_told(h->ctx, h->o.place), solver_of(h));
}

/* Stages overlap: each is told from the end of the one before. */
static void print_seconds(const struct gesvd *h, char *plan, size_t room)
{
    const size_t at = strlen(plan);
    const double start = h->req->begun, tall = h->tall > 0 ? h->tall : start;
    const double reduced = h->reduced > 0 ? h->reduced : tall;
    if (h->direct) {
        snprintf(plan + at, room - at, ",\"seconds\":{\"lapack\":%.6g}", h->solved - h->begun);
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
    orr_gesvd_split_drop(h->tasks);
    orr_gb2bd_detach(h->chase);
    orr_ge2gb_free(&h->band);
    orr_tall_free(&h->triangle);
    free(h->copy);
    free(h->square);
    free(h->d);
    free(h->e);
    free(h->x[0]);
    free(h->x[1]);
    free(h);
    return st;
}

/* The diagonal of B, in s until the values replace it, unless these come by pieces; what is above it; the
 * vectors, if one task makes them. */
static void make_bidiagonal(struct gesvd *h)
{
    const size_t real = orr_type_size(orr_type_real(h->user.type));
    int made = (h->b.e = h->e = orr_request_memory(h->req, 0, (size_t)h->n * real + 1)) != NULL;
    if (h->pieces)
        made &= (h->b.d = h->d = orr_request_memory(h->req, 0, (size_t)h->n * real)) != NULL;
    for (int i = 0; i < 2 && wants_vectors(h) && !splits(h); i++)
        made &= (h->x[i] = orr_request_memory(h->req, 0, (size_t)(h->n * h->n) * real)) != NULL;
    if (!made) {
        orr_request_fail(h->req, ORR_E_NOMEM, "gesvd");
        return;
    }
    h->b.B = orr_request_vector(h->req, h->b.d, h->n, real);
    for (int i = 0; i < 2 && wants_vectors(h) && !splits(h); i++)
        h->b.X[i] = orr_request_vector(h->req, h->x[i], h->n * h->n, real);
}

/* rows x n, in the user's array or in memory that becomes *own; if the array is on a device, in none. */
static void describe(struct gesvd *h, struct orr_ge2gb_stage *x, int64_t rows, int two_sided,
                     void **own)
{
    const size_t size = orr_type_size(h->user.type);
    x->r = (struct orr_ge2gb){
        .type = h->user.type,
        .m = rows,
        .n = h->n,
        .ended = two_sided ? &h->reduced : &h->tall,
        .where = orr_place_where(h->ctx, h->o.place),
        .owners = orr_context_owners(h->ctx, h->o.place, "ge2gb_update", h->user.type)};
    orr_gesvd_shape(h->ctx, &h->o, h->m, two_sided, &x->r);
    x->two_sided = two_sided;
    x->keep[ORR_LEFT] = h->side[ORR_LEFT].out != NULL;
    x->keep[ORR_RIGHT] = h->side[ORR_RIGHT].out != NULL;
    x->a = h->user.a;
    x->lda = h->user.lda;
    x->on = h->user.on;
    if (!own)
        return;
    x->lda = most(rows, 1);
    if (x->on) {
        x->a = NULL;
        x->on = -1;
        return;
    }
    *own = x->a = orr_request_memory(h->req, 0, (size_t)(rows * h->n) * size + 1);
    if (!*own)
        orr_request_fail(h->req, ORR_E_NOMEM, "gesvd");
}

static void make_stages(struct gesvd *h)
{
    void **own = h->adjoint ? &h->copy : NULL;
    if (h->qr)
        describe(h, &h->triangle.as, h->m, 0, own);
    if (h->qr && !orr_request_failed(h->req))
        orr_tall_make(h->req, &h->triangle);
    if (!orr_request_failed(h->req))
        describe(h, &h->band, h->qr ? h->n : h->m, 1, h->qr ? &h->square : own);
    if (!orr_request_failed(h->req))
        orr_ge2gb_make(h->req, &h->band);
}

/* A, or A', to a band. Returns the priority of what comes next. */
static int submit_reduction(struct gesvd *h)
{
    const struct orr_ge2gb_source user = {.a = h->user.a,
                                          .lda = h->user.lda,
                                          .on = h->user.on,
                                          .adjoint = h->adjoint,
                                          .scale = h->scale};
    const struct orr_ge2gb_source *load = h->adjoint || h->scale != 1 ? &user : NULL;
    int prio = 0;
    if (h->qr) {
        prio = orr_tall_submit(h->req, prio, &h->triangle, load);
        const struct orr_ge2gb_source triangle = {.on = -1, .upper = 1, .scale = 1};
        orr_ge2gb_submit_load(h->req, prio, &h->band, &triangle, orr_tall_root(&h->triangle));
    } else if (load) {
        orr_ge2gb_submit_load(h->req, prio, &h->band, load, NULL);
    }
    orr_ge2gb_submit(h->req, prio, &h->band);
    return prio - orr_ge2gb_priorities(&h->band.r);
}

/* Progress counts in units of what the reduction does for an entry of the rest of the matrix, 4 b
 * operations; these say what other stages take, with the kernels of docs/algorithms. */
enum { SWEEP = 2 }; /* times n, of a sweep of the second stage */
enum { BACK = 2 };  /* of an entry that both stages' reflectors are applied to */

static struct orr_gb2bd_part chase_part(const struct gesvd *h)
{
    return (struct orr_gb2bd_part){.type = h->user.type,
                                   .n = h->n,
                                   .d = h->b.d,
                                   .ku = least(h->band.r.b, h->n - 1),
                                   .keep = wants_vectors(h),
                                   .weight = SWEEP * h->n};
}

static int64_t solver_parts(const struct gesvd *h)
{
    if (h->direct)
        return h->n;
    const double n = (double)h->n;
    return (int64_t)(wants_vectors(h) ? 2 * n * n * n / (double)h->band.r.b : 2 * n * n);
}

/* The band is where ge2gb leaves it, by rows or in the matrix itself: LAPACK's band storage of the upper
 * triangle of an array with leading dimension lda is that array from `ku` entries before its first one
 * on, with leading dimension lda + 1. */
static void submit_chase(struct gesvd *h, int prio)
{
    struct orr_ge2gb_stage *x = &h->band;
    struct orr_gb2bd_part part = chase_part(h);
    const size_t size = orr_type_size(x->r.type);
    part.by_rows = x->r.band != NULL;
    part.ab = part.by_rows ? x->r.band : (const void *)((uintptr_t)x->a - (size_t)part.ku * size);
    part.ldab = part.by_rows ? x->r.b + 1 : x->lda + 1;
    part.scale = orr_gb2bd_scale(h->largest * h->scale);
    part.e = h->b.e;
    part.into = h->b.B;
    part.place = h->o.place;
    part.first_priority = prio;
    part.after = orr_ge2gb_band;
    part.arg = x;
    h->chase = orr_gb2bd_attach(h->ctx, h->req, &part);
}

/* ---- Vectors: E = Q1 (Q2 X), by panels of columns -------------------------------------------- */

static const struct orr_gb2bd_side *reflectors_of(const struct side *x)
{
    const struct orr_gb2bd_vectors *v = orr_gb2bd_attached(x->h->chase);
    return x->which == ORR_LEFT ? &v->left : &v->right;
}

static void place(orr_request *req, void *arg, int64_t first, const struct orr_hb2st_panel *p)
{
    const struct side *x = arg;
    const struct gesvd *h = x->h;
    orr_insert_gesvd_place(req, 0, &h->b, x->which, h->tasks, first,
                           reflectors_of(x)->phases_handle, p);
}

static void back(orr_request *req, void *arg, const struct orr_hb2st_panel *p)
{
    const struct side *x = arg;
    orr_ge2gb_submit_apply(req, &x->h->band.r, x->which, p, BACK);
    if (x->which == ORR_LEFT && x->h->qr)
        orr_tall_submit_apply(req, &x->h->triangle, p, BACK);
}

/* Before the solver's tasks, which change B. */
static struct orr_product make_product(struct gesvd *h, struct side *x)
{
    struct orr_product q = {.rows = x->rows,
                            .k = h->n,
                            .lde = x->ld,
                            .E = x->out,
                            .on = x->on,
                            .before = place,
                            .then = back,
                            .arg = x,
                            .where = h->band.r.where};
    if (x->out)
        orr_make_panels(h->ctx, h->req, &reflectors_of(x)->r, &q, h->b.B);
    return q;
}

static void submit_vectors(struct gesvd *h, struct side *x, struct orr_product *q)
{
    if (x->out)
        orr_submit_product(h->ctx, h->req, &reflectors_of(x)->r, q);
}

/* The copy of the matrix, vectors, gesdd's workspace. */
static double direct_bytes(const struct gesvd *h)
{
    const double m = (double)h->user.m, n = (double)h->user.n, k = (double)h->n;
    const double size = (double)orr_type_size(h->user.type);
    return (m * n + wants_vectors(h) * ((m + n) * k + 4 * k * k)) * size;
}

static starpu_data_handle_t whole_matrix(struct gesvd *h)
{
    return orr_request_matrix(h->req, h->user.a, h->user.lda, h->user.m, h->user.n,
                              orr_type_size(h->user.type));
}

static void submit_direct(struct gesvd *h)
{
    const struct side *u = &h->side[h->adjoint], *v = &h->side[!h->adjoint];
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
    orr_insert_gesvd_direct(h->req, &h->b, &x);
}

/* s alone; by pieces, which do not wait for each other. */
static void submit_values(struct gesvd *h)
{
    const int64_t at_once = orr_gesvd_at_once(h->n);
    if (!h->pieces)
        orr_insert_gesvd_values(h->req, 0, &h->b);
    for (int64_t k = 0; h->pieces && k < h->n; k += at_once)
        orr_insert_gesvd_piece(h->req, 0, &h->b, k, least(at_once, h->n - k));
}

/* s, X and Y. */
static void submit_solver(struct gesvd *h)
{
    if (splits(h)) {
        h->tasks = orr_gesvd_split(h->req, &h->b);
        if (!orr_request_failed(h->req))
            orr_insert_gesvd_tree(h->req, &h->b, h->tasks);
        return;
    }
    orr_plan_bytes(h->req, 3.0 * (double)h->n * (double)h->n *
                               (double)orr_type_size(orr_type_real(h->user.type)));
    orr_insert_gesvd_vectors(h->req, 0, &h->b);
}

static void submit_stages(struct gesvd *h)
{
    submit_chase(h, submit_reduction(h));
    if (orr_request_failed(h->req))
        return;
    if (!wants_vectors(h)) {
        submit_values(h);
        return;
    }
    struct orr_product left = make_product(h, &h->side[ORR_LEFT]);
    struct orr_product right = make_product(h, &h->side[ORR_RIGHT]);
    submit_solver(h);
    submit_vectors(h, &h->side[ORR_LEFT], &left);
    submit_vectors(h, &h->side[ORR_RIGHT], &right);
    if (h->tasks)
        orr_gesvd_split_forget(h->req, h->tasks);
}

static int64_t all_parts(const struct gesvd *h)
{
    if (h->direct)
        return h->b.parts;
    int64_t sum = orr_ge2gb_parts(&h->band.r) + orr_tall_parts(&h->triangle);
    for (int i = 0; i < 2; i++)
        if (h->side[i].out)
            sum += BACK * (orr_ge2gb_apply_parts(&h->band.r, i, h->n) +
                           (i == ORR_LEFT ? orr_tall_apply_parts(&h->triangle, h->n) : 0));
    if (h->n > 0) {
        const struct orr_gb2bd_part part = chase_part(h);
        sum += orr_gb2bd_attached_parts(&part) + h->b.parts;
    }
    return sum;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static orr_status submit(struct orr_call *call, orr_type type, int64_t m, int64_t n, void *a,
                         int64_t lda, void *s, void *u, int64_t ldu, void *v, int64_t ldv,
                         const orr_gesvd_opts *opts, orr_request **out)
{
    const orr_gesvd_opts o = opts ? *opts : (orr_gesvd_opts){0};
    struct matrix user = {.type = type, .m = m, .n = n, .a = a, .lda = lda};
    struct side left = {.out = u, .ld = ldu, .rows = m}, right = {.out = v, .ld = ldv, .rows = n};
    orr_context *ctx = call->ctx;
    const int plans = ctx && ctx->planner;
    const char *wrong = check_arguments(&user, s, &left, &right, &o);
    if (!wrong && !plans)
        wrong = too_large(&user, &left, &right, &o);
    if (orr_call_refused(call, out, wrong))
        return call->status;
    const int direct = orr_gesvd_is_direct(ctx, type, most(m, n), least(m, n), u || v, &o);
    const int stay = !plans && !direct && orr_place_devices(ctx, o.place); /* on a device */
    const int64_t count = least(m, n);
    const size_t size = orr_type_size(type), real = orr_type_size(orr_type_real(type));
    const struct orr_array arrays[] = {orr_array(&s, count, 1, count, real, ORR_OUT),
                                       orr_array(&a, m, n, lda, size, ORR_IN),
                                       orr_array(&u, u ? m : 0, count, ldu, size, ORR_OUT),
                                       orr_array(&v, v ? n : 0, count, ldv, size, ORR_OUT)};
    if (orr_call_home(call, arrays, stay ? 1 : 4))
        return call->status;
    user.a = a, left.out = u, right.out = v;
    if (stay) {
        user.on = orr_device_of(a), left.on = orr_device_of(u), right.on = orr_device_of(v);
        if (user.on < 0 || left.on < 0 || right.on < 0)
            return orr_call_refuse(call, ORR_E_ARG, -1, ORR_NOT_USED);
    }
    const struct orr_dense whole = {.a = a, .lda = lda, .on = user.on};
    const struct orr_dense_look look = plans ? (struct orr_dense_look){.row = -1, .largest = 1}
                                             : orr_ge2gb_screen(type, m, n, &whole);
    if (look.status != ORR_OK)
        return orr_call_refuse(call, look.status, -1, NULL);
    if (look.row >= 0)
        return orr_call_refuse(
            call, ORR_E_NONFINITE, look.column * lda + look.row,
            "entry (%lld, %lld) of the matrix (counted from 0) is NaN or infinite",
            (long long)look.row, (long long)look.column);
    orr_request *req;
    struct gesvd *h = orr_call_begin(call, sizeof *h, finish, &req);
    if (!h)
        return call->status;
    *h = (struct gesvd){.ctx = ctx,
                        .req = req,
                        .o = o,
                        .user = user,
                        .m = most(m, n),
                        .n = least(m, n),
                        .direct = direct,
                        .adjoint = m < n,
                        .largest = look.largest,
                        .scale = choose_scale(type, look.largest)};
    for (int i = 0; i < 2; i++) {
        h->side[i] = (i == ORR_LEFT) == h->adjoint ? right : left;
        h->side[i].h = h;
        h->side[i].which = i;
    }
    orr_plan_refuse(req, too_large(&user, &left, &right, &o),
                    o.method == ORR_DENSE_LAPACK ? MOST_GESDD
                    : u || v                     ? MOST_VECTORS
                                                 : 0);
    orr_place_check(ctx, o.place, req, "gesvd");
    if (h->direct && h->n <= SMALL && call->waits)
        orr_request_here(req);
    h->b = (struct orr_bidiagonal){.type = type,
                                   .n = h->n,
                                   .scale = h->scale,
                                   .d = s,
                                   .s = s,
                                   .where = orr_place_where(ctx, o.place),
                                   .failed = &h->failed,
                                   .begun = &h->begun,
                                   .ended = &h->solved};
    if (h->n > 0 && !orr_request_failed(req)) {
        if (!h->direct) {
            h->qr = orr_gesvd_has_qr(&o, h->m, h->n);
            h->pieces = !wants_vectors(h) && orr_gesvd_has_pieces(ctx, h->n);
            make_stages(h);
            make_bidiagonal(h);
        }
        h->b.parts = solver_parts(h);
        struct orr_operation *op = orr_operation_of(req);
        print_plan(h, op->plan, sizeof op->plan);
    }
    req->parts_total = all_parts(h);
    req->progress = o.progress;
    req->progress_arg = o.progress_arg;
    if (h->n > 0 && !orr_request_failed(req))
        (h->direct ? submit_direct : submit_stages)(h);
    orr_request_go(req);
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
