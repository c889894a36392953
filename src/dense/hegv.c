/* hegv as a call: two graphs of its own (hegv_graph.c) around that of heev, and scales.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/dense/hegv.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"
#include "src/core/range.h"
#include "src/dense/dense_plan.h"

/* ---- One call --------------------------------------------------------------------------------- */

enum {
    MOST_TILE = 384, /* as of heev */
    LEAST_TILE = 128,
    ROWS = 3
};

static int64_t choose_tile(const orr_context *ctx, orr_type type, int64_t n, const orr_heev_opts *o)
{
    if (o->tile)
        return o->tile;
    if (o->method == ORR_DENSE_LAPACK || n <= orr_hegv_whole(type))
        return orr_most(n, 1);
    if (orr_place_devices(ctx, o->place))
        return orr_place_tile(n, orr_type_size(type), orr_owners_look().count, 0);
    return orr_least(orr_most(n / (ROWS * orr_most(ctx->info.cpu, 1)), LEAST_TILE), MOST_TILE);
}

/* Progress of a graph as a part of that of the call, in millionths. */
struct share {
    const orr_heev_opts *o;
    double from, to;
};

static void tell(int64_t done, int64_t total, void *arg)
{
    const struct share *s = arg;
    const double part = total > 0 ? (double)done / (double)total : 1;
    s->o->progress((int64_t)(1e6 * (s->from + (s->to - s->from) * part)), 1000000,
                   s->o->progress_arg);
}

struct call {
    orr_context *ctx;
    unsigned entered;
    orr_type type;
    int64_t n;
    int problem;
    int64_t tile;
    orr_heev_opts o;
    struct orr_dense a, b;
    void *w, *z;
    int64_t ldz;
    int z_on;                   /* StarPU's number of the memory that z is in */
    int a_exponent, b_exponent; /* what is solved is A and B times these powers of 2; b's is even */
    double entry;               /* the largest of the reduced matrix, if one of them is not 0 */
    struct share share;
    double seconds[3]; /* of the graphs */
    int64_t tasks;
    orr_report last;
    int64_t minor;
    orr_status status;
    double ended;
    orr_request *outer;
    pthread_t thread;
    int apart; /* there is such a thread */
    int here;  /* all graphs are done by the thread that calls */
};

static struct orr_he2hb_stage stage_of(const struct call *c, const struct orr_dense *user,
                                       int exponent, enum orr_where where)
{
    struct orr_he2hb_stage x = {
        .user = *user,
        .scale = ldexp(1, exponent),
        .r = {.type = c->type, .n = c->n, .b = c->tile, .T = c->tile, .where = where}};
    orr_he2hb_shape_of(&x.r);
    return x;
}

static orr_status finish(orr_request *req)
{
    (void)req;
    return ORR_OK;
}

/* A request for one of our graphs; NULL: no memory. */
static orr_request *begin(struct call *c, struct orr_hegv *h, int64_t parts)
{
    const enum orr_where where = orr_place_where(c->ctx, c->o.place);
    orr_request *req = orr_context_request(c->ctx, c->entered);
    *h = (struct orr_hegv){.ctx = c->ctx,
                           .req = req,
                           .problem = c->problem,
                           .where = where,
                           .A = stage_of(c, &c->a, c->a_exponent, where),
                           .B = stage_of(c, &c->b, c->b_exponent, where)};
    if (!req)
        return NULL;
    req->finish = finish;
    req->parts_total = parts;
    if (c->here)
        orr_request_here(req);
    if (c->o.progress) {
        req->progress = tell;
        req->progress_arg = &c->share;
    }
    orr_place_check(c->ctx, c->o.place, req, "hegv");
    return req;
}

static orr_status end(struct call *c, struct orr_hegv *h, double *seconds)
{
    const orr_status st = orr_wait(h->req, &c->last);
    *seconds = c->last.seconds;
    c->tasks += c->last.tasks;
    c->minor = h->minor;
    free(h->A.r.A);
    free(h->B.r.A);
    free(h->Z);
    return st;
}

/* n n k, a third of all numbers at most: orders whose count does not fit can only be planned. */
static int64_t times(int64_t n, int64_t k)
{
    return (double)n * (double)n * (double)k < 0x1p63 / 3 ? n * n * k : INT64_MAX / 3;
}

static orr_status reduce(struct call *c)
{
    struct orr_hegv h;
    const int64_t n = c->n;
    const int64_t cube = times(n, n);
    if (!begin(c, &h, cube / 3 + cube * 2))
        return ORR_E_NOMEM;
    orr_he2hb_make_tiles(h.req, &h.A, 1);
    orr_he2hb_make_tiles(h.req, &h.B, 1);
    if (!orr_request_failed(h.req))
        orr_hegv_submit_reduction(&h);
    return end(c, &h, &c->seconds[0]);
}

static orr_status transform(struct call *c, void *z, int64_t ldz, int64_t columns)
{
    struct orr_hegv h;
    if (!begin(c, &h, times(c->n, columns)))
        return ORR_E_NOMEM;
    h.columns = columns;
    h.B.user.upper = 0; /* L */
    orr_he2hb_make_tiles(h.req, &h.B, 1);
    orr_he2hb_lock_tiles(h.req, &h.B);
    orr_hegv_make_panels(&h, z, ldz, c->z_on);
    if (!orr_request_failed(h.req))
        orr_hegv_submit_vectors(&h);
    return end(c, &h, &c->seconds[2]);
}

/* ---- Scales ------------------------------------------------------------------------------------- */

static double real_at(orr_type t, const void *x, int64_t i)
{
    return t == ORR_S || t == ORR_C ? ((const float *)x)[i] : ((const double *)x)[i];
}

/* x := 2^exponent x, of reals. */
static void scale_reals(orr_type t, int64_t count, void *x, int exponent)
{
    for (int64_t i = 0; exponent && i < count; i++)
        if (t == ORR_S || t == ORR_C)
            ((float *)x)[i] = ldexpf(((float *)x)[i], exponent);
        else
            ((double *)x)[i] = ldexp(((double *)x)[i], exponent);
}

/* Columns, or a lower triangle. */
static void scale_matrix(orr_type t, int64_t n, int64_t columns, int triangle, void *x, int64_t ld,
                         int exponent)
{
    const int64_t parts = orr_is_complex(t) ? 2 : 1;
    for (int64_t j = 0; exponent && j < columns; j++) {
        const int64_t first = triangle ? j : 0;
        scale_reals(t, (n - first) * parts, (char *)x + (size_t)(first + j * ld) * orr_type_size(t),
                    exponent);
    }
}

/* The user's values are those of the scaled problem times 2 to this. */
static int value_exponent(const struct call *c)
{
    return c->problem == 1 ? c->b_exponent - c->a_exponent : -c->a_exponent - c->b_exponent;
}

/* The same interval of the scaled problem; not empty, and finite. */
static void scale_interval(const struct call *c, orr_heev_opts *o)
{
    const int exponent = -value_exponent(c);
    if (o->il || (o->vl == 0 && o->vu == 0) || !exponent)
        return;
    const double vl = ldexp(o->vl, exponent), vu = ldexp(o->vu, exponent);
    o->vl = isinf(o->vl) ? o->vl : fmin(fmax(vl, -DBL_MAX), DBL_MAX / 2);
    o->vu = isinf(o->vu) ? o->vu : fmin(fmax(vu, -DBL_MAX / 2), DBL_MAX);
    if (!(o->vl < o->vu))
        o->vu = nextafter(o->vl, INFINITY);
}

/* Of the reduced matrix: at most the largest of all its values, of which some may be asked for. */
static double largest_entry(const struct call *c)
{
    const int64_t parts = orr_is_complex(c->type) ? 2 : 1;
    double largest = 0;
    for (int64_t j = 0; j < c->n; j++)
        for (int64_t k = (j + j * c->a.lda) * parts; k < (c->n + j * c->a.lda) * parts; k++)
            largest = fmax(largest, fabs(real_at(c->type, c->a.a, k)));
    return largest;
}

/* Values, vectors and the factor of the user's matrices. ORR_RANGE: the largest value has none, or not
 * all, of its digits. A smaller one may be subnormal: so is its error. */
static orr_status unscale(const struct call *c, int64_t count, void *w, void *z, int64_t ldz,
                          orr_report *report)
{
    const orr_type real = orr_type_real(c->type);
    const double least_normal = real == ORR_S ? FLT_MIN : DBL_MIN;
    const int half = c->b_exponent / 2;
    double before = 0, largest = ldexp(c->entry, value_exponent(c));
    for (int64_t i = 0; i < count; i++)
        before = fmax(before, fabs(real_at(real, w, i)));
    scale_reals(real, count, w, value_exponent(c));
    for (int64_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(real_at(real, w, i)));
    if (z)
        scale_matrix(c->type, c->n, count, 0, z, ldz, c->problem == 3 ? -half : half);
    scale_matrix(c->type, c->n, c->n, 1, c->b.a, c->b.lda, -half);
    const int64_t beyond = orr_beyond(real, count, w);
    if (beyond < 0 && (before == 0 || largest >= least_normal))
        return ORR_OK;
    report->index = orr_most(beyond, 0);
    snprintf(report->message, sizeof report->message,
             "number %lld of w is beyond the range of %s precision; scale the matrices",
             (long long)report->index, real == ORR_S ? "single" : "double");
    return ORR_RANGE;
}

/* ---- What a caller is told ---------------------------------------------------------------------- */

static void tell_definite(const struct call *c, orr_report *report)
{
    report->index = c->minor;
    if (c->minor)
        snprintf(report->message, sizeof report->message,
                 "B is not positive definite: its leading minor of order %lld (LAPACK: info = "
                 "%lld = n + %lld)",
                 (long long)c->minor, (long long)(c->n + c->minor), (long long)c->minor);
    else
        snprintf(report->message, sizeof report->message,
                 "B is too close to a singular matrix: the reduced problem is beyond the range");
}

static const char *check_arguments(const void *b, int64_t ldb, int64_t n, const orr_hegv_opts *o)
{
    if (o->problem < 0 || o->problem > 3)
        return "problem is 1, 2 or 3";
    if (ldb < n || ldb > INT32_MAX)
        return "ldb is less than n, or larger than the address space";
    return n > 0 && !b ? "b is NULL" : NULL;
}

static orr_status solve(struct call *c)
{
    void *const w = c->w, *const z = c->z;
    const int64_t ldz = c->ldz;
    int64_t found[2] = {1, c->n};
    orr_heev_opts o = c->o;
    o.found = found;
    scale_interval(c, &o);
    if (o.progress) {
        o.progress = tell;
        o.progress_arg = &c->share;
    }
    const double vectors = z ? 0.6 : 0.5;
    c->share = (struct share){&c->o, 0, 1 - vectors - (z ? 0.1 : 0)};
    orr_status st = reduce(c);
    if (st != ORR_OK)
        return st;
    if (c->a_exponent || c->b_exponent)
        c->entry = largest_entry(c);
    c->share = (struct share){&c->o, c->share.to, z ? 0.9 : 1};
    st = orr_heev_entered(c->ctx, c->entered, c->type, 'L', c->n, c->a.a, c->a.lda, w, z, ldz, &o,
                          &c->last);
    c->seconds[1] = c->last.seconds;
    c->tasks += c->last.tasks;
    if (c->o.found)
        memcpy(c->o.found, found, sizeof found);
    if (st == ORR_E_NONFINITE)
        return ORR_E_DEFINITE;
    const orr_status of_values = st;
    orr_report kept = c->last;
    const int64_t columns = c->ctx->planner && o.il ? o.iu - o.il + 1 : found[1] - found[0] + 1;
    if (z && columns > 0 && (st == ORR_OK || st == ORR_RANGE)) {
        c->share = (struct share){&c->o, 0.9, 1};
        st = transform(c, z, ldz, columns);
        if (st != ORR_OK)
            return st;
    }
    c->last = kept;
    if (of_values < 0 || (!c->a_exponent && !c->b_exponent))
        return of_values;
    const orr_status range = unscale(c, orr_most(columns, 0), w, z, ldz, &kept);
    if (of_values == ORR_OK)
        c->last = kept;
    return of_values == ORR_OK ? range : of_values;
}

static void print_plan(const struct call *c, const char *inner, char *plan, size_t room)
{
    int at = snprintf(plan, room, "\"problem\":%d,\"tile\":%lld,\"tiles\":%lld,\"updates\":\"%s\"",
                      c->problem, (long long)c->tile, (long long)((c->n + c->tile - 1) / c->tile),
                      orr_place_told(c->ctx, c->o.place));
    if (!c->ctx->planner)
        at += snprintf(plan + at, room - (size_t)at,
                       ",\"seconds\":{\"reduction\":%.6g,\"heev\":%.6g,\"vectors\":%.6g}",
                       c->seconds[0], c->seconds[1], c->seconds[2]);
    const char before[] = ",\"heev\":{", after[] = "}";
    if ((size_t)at + strlen(inner) + sizeof before + sizeof after <= room) {
        strcat(plan, before);
        strcat(plan, inner);
        strcat(plan, after);
    }
}

/* ---- The operation --------------------------------------------------------------------------------- */

static void compute(struct call *c)
{
    struct orr_pins *pins = NULL; /* for its three graphs */
    const int devices = !c->ctx->planner && orr_place_devices(c->ctx, c->o.place);
    for (int k = 0; k < 2 && devices; k++) {
        const struct orr_dense *x = k ? &c->b : &c->a;
        if (!x->on)
            orr_pin(&pins, x->a, orr_pin_bytes(c->n, c->n, x->lda, orr_type_size(c->type)),
                    ORR_PIN_USERS);
    }
    c->status = solve(c);
    orr_unpin(&pins);
    if (c->status == ORR_E_DEFINITE)
        tell_definite(c, &c->last);
    c->ended = orr_now();
}

/* A graph's data come home, and what becomes of them is settled, by the thread that waits for it; so
 * a thread waits for one graph after the other: the caller's, or one of its own. The request has no
 * tasks, and is done when that is done. */
static void *wait_for_graphs(void *arg)
{
    struct call *c = arg;
    compute(c);
    orr_request_release(c->outer);
    return NULL;
}

static orr_status finish_outer(orr_request *req)
{
    struct orr_operation *op = orr_operation_of(req);
    struct call *c = req->state;
    const orr_status st = c->status;
    if (c->apart)
        pthread_join(c->thread, NULL);
    op->index = c->last.index;
    req->culprit = c->last.culprit;
    req->ended = c->ended;
    atomic_store(&req->tasks, c->tasks);
    memcpy(op->message, c->last.message, sizeof op->message);
    print_plan(c, st < 0 ? "" : c->last.plan, op->plan, sizeof op->plan);
    free(c);
    return st;
}

static orr_status submit(struct orr_call *call, orr_type type, char uplo, int64_t n, void *a,
                         int64_t lda, void *b, int64_t ldb, void *w, void *z, int64_t ldz,
                         const orr_hegv_opts *opts, orr_request **out)
{
    const orr_hegv_opts o = opts ? *opts : (orr_hegv_opts){0};
    orr_context *ctx = call->ctx;
    const int plans = ctx && ctx->planner;
    const char *wrong = orr_heev_wrong(type, uplo, n, a, lda, w, z, ldz, &o.heev, plans);
    if (orr_call_refused(call, out, wrong ? wrong : check_arguments(b, ldb, n, &o)))
        return call->status;
    const int64_t count = o.heev.il ? o.heev.iu - o.heev.il + 1 : n;
    const size_t size = orr_type_size(type), real = orr_type_size(orr_type_real(type));
    const int some =
        orr_heev_has_interval(&o.heev) ? ORR_IN : 0; /* what it does not hold is kept */
    const int stay = !orr_heev_is_direct(ctx, type, n, z != NULL, &o.heev) &&
                     orr_place_devices(ctx, o.heev.place);
    struct orr_dense matrix[] = {{.a = a, .lda = lda, .upper = uplo == 'U'},
                                 {.a = b, .lda = ldb, .upper = uplo == 'U'}};
    int z_on = 0;
    struct orr_array arrays[] = {
        orr_stays(orr_array(&matrix[0].a, n, n, lda, size, ORR_IN), stay, &matrix[0].on),
        orr_stays(orr_array(&matrix[1].a, n, n, ldb, size, ORR_IN | ORR_OUT), stay, &matrix[1].on),
        orr_array(&w, count, 1, count, real, ORR_OUT | some),
        orr_stays(orr_array(&z, z ? n : 0, count, ldz, size, ORR_OUT | some), stay, &z_on)};
    if (orr_call_overlaps(call, arrays, 4) || orr_call_home(call, arrays, 4))
        return call->status;
    int exponent[2] = {0};
    for (int k = 0; k < 2 && !plans; k++) {
        const struct orr_dense_look look = orr_he2hb_screen(type, n, &matrix[k]);
        if (look.status != ORR_OK)
            return orr_call_refuse(call, look.status, -1, NULL);
        if (look.column >= 0) {
            call->who = k ? "b" : "a";
            return orr_call_refuse(call, ORR_E_NONFINITE, look.column * matrix[k].lda + look.row,
                                   "entry (%lld, %lld) of %c (counted from 0) is NaN or infinite",
                                   (long long)look.row, (long long)look.column, "AB"[k]);
        }
        exponent[k] = ilogb(look.scale);
    }
    if (exponent[0] || exponent[1]) { /* CPUs scale what there is between the graphs */
        matrix[0].on = matrix[1].on = z_on = 0;
        for (int k = 0; k < 4; k++)
            arrays[k].on = NULL;
        if (orr_call_home(call, arrays, 4))
            return call->status;
    }
    struct call *c = orr_call_begin(call, sizeof *c, finish_outer, out);
    if (!c)
        return call->status;
    *c = (struct call){.ctx = ctx,
                       .entered = call->entered,
                       .type = type,
                       .n = n,
                       .problem = o.problem ? o.problem : 1,
                       .tile = choose_tile(ctx, type, n, &o.heev),
                       .o = o.heev,
                       .a = matrix[0],
                       .b = matrix[1],
                       .w = w,
                       .z = z,
                       .ldz = ldz,
                       .z_on = z_on,
                       .a_exponent = exponent[0],
                       .b_exponent =
                           exponent[1] - exponent[1] % 2, /* its root is a power of 2, too */
                       .here = call->waits && n <= orr_hegv_whole(type) && !o.heev.tile &&
                               ctx->info.cpu > 0 && !orr_place_devices(ctx, o.heev.place),
                       .outer = *out};
    orr_request *req = *out;
    req->cancels = NULL; /* its graphs are cancelled, and wake the workers */
    req->go = req->idle = NULL;
    orr_operation_of(req)->left = 1;
    if (!call->waits && !plans) {
        orr_request_hold(req);
        c->apart = pthread_create(&c->thread, NULL, wait_for_graphs, c) == 0;
        if (!c->apart)
            orr_request_release(req);
    }
    if (!c->apart)
        compute(c);
    return ORR_OK;
}

orr_status orr_submit_hegv(orr_context *ctx, orr_type type, char uplo, int64_t n, void *a,
                           int64_t lda, void *b, int64_t ldb, void *w, void *z, int64_t ldz,
                           const orr_hegv_opts *opts, orr_request **out)
{
    struct orr_call call = orr_call_enter(ctx, "hegv");
    return submit(&call, type, uplo, n, a, lda, b, ldb, w, z, ldz, opts, out);
}

orr_status orr_hegv(orr_context *ctx, orr_type type, char uplo, int64_t n, void *a, int64_t lda,
                    void *b, int64_t ldb, void *w, void *z, int64_t ldz, const orr_hegv_opts *opts,
                    orr_report *report)
{
    struct orr_call call = orr_call_enter_and_wait(ctx, "hegv");
    orr_request *req;
    const orr_status st = submit(&call, type, uplo, n, a, lda, b, ldb, w, z, ldz, opts, &req);
    return orr_call_end(&call, st, &req, report);
}
