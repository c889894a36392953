/* gesvj: singular value decomposition of a batch of matrices by one-sided block Jacobi.
 *
 * Small matrices go through the graph whole, in chunks. A larger one is cut into blocks of
 * columns, X (what becomes U or V times the singular values) and J (the rotations so far),
 * one handle per block:
 *
 *   A --> start --> X[0..b), J[0..b)
 *
 *   for every sweep, for every round, for every pair (p,q) of the round:
 *
 *      X[p] X[q] --> angle --> G --> update --> X[p] X[q]      the critical path
 *                              |
 *                              +---> update_v --> J[p] J[q]    may lag a few rounds
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
#include "src/gesvj.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_K = 8192, /* of min(m,n) */
    WHOLE_K = 64, /* up to here a matrix is one task */
    MAX_SWEEPS = 30,
    LOOKAHEAD = 1 /* sweeps submitted before the last measure is known */
};
static const double CHUNK_SECONDS = 2e-3; /* long against the cost of a task */

/* Where each stage of the graph runs. */
struct places {
    enum orr_gesvj_where whole, angle, update;
    int apart; /* 1: gram where update is, evd on CPUs */
};

struct gesvj {
    orr_context *ctx;
    orr_request *req;
    orr_batch A, s, U, V;
    int left, right; /* U, V are wanted */
    orr_gesvj_opts o;
    orr_place place; /* what o.place came to */
    struct places where;
    orr_matrix_info *info;
    int own_info;
    int64_t tag;
    int64_t chunks;
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- What the caller may ask for ---------------------------------------------------------- */

/* Matrix k of a batch. */
struct view {
    char *a;
    int64_t m, n, ld;
};

/* rows: of a matrix of mixed sizes whose ms is not given. */
static struct view view_of(const orr_batch *b, int64_t k, int64_t rows)
{
    if (!b->as)
        return (struct view){(char *)b->a + (size_t)(k * b->stride) * orr_type_size(b->type), b->m,
                             b->n, b->ld};
    int64_t m = b->ms ? b->ms[k] : rows;
    return (struct view){b->as[k], m, b->ns ? b->ns[k] : -1, b->lds ? b->lds[k] : m};
}

static const char *check_uniform(const orr_batch *b, int64_t rows, int64_t cols)
{
    int64_t ld = b->ld ? b->ld : rows, one, all;
    if (b->m != rows || b->n != cols)
        return "an array does not have the shape that A's asks for";
    if (ld < rows || __builtin_mul_overflow(ld, cols, &one))
        return "leading dimension is smaller than the number of rows, or far too large";
    int64_t stride = b->stride ? b->stride : one;
    if (b->batch > 1 && stride < one)
        return "stride is smaller than one matrix";
    if (__builtin_mul_overflow(stride, b->batch, &all) || all > INT64_MAX / 16)
        return "the batch is larger than the address space";
    if (one > UINT32_MAX)
        return "one matrix spans more than 2^32 elements";
    return b->a || all == 0 ? NULL : "array is NULL";
}

static const char *check_shape(int64_t m, int64_t n)
{
    if (m < 0 || n < 0)
        return "a matrix has a negative size";
    if (smaller(m, n) > MAX_K || m > INT32_MAX || n > INT32_MAX || (n > 0 && m > INT32_MAX / n))
        return "a matrix is larger than min(m,n) = 8192 or m*n = 2^31";
    return NULL;
}

static const char *check_mixed(const orr_batch *A, const orr_batch *s, const orr_batch *U,
                               const orr_batch *V)
{
    for (int64_t k = 0; k < A->batch; k++) {
        struct view a = view_of(A, k, -1);
        const char *wrong = check_shape(a.m, a.n);
        if (wrong)
            return wrong;
        int64_t l = smaller(a.m, a.n);
        if (l == 0)
            continue;
        if (a.ld < a.m || !a.a || !s->as[k])
            return "a matrix has a NULL array or too small a leading dimension";
        if (a.ld > UINT32_MAX / a.n)
            return "one matrix spans more than 2^32 elements";
        const orr_batch *vectors[2] = {U, V};
        const int64_t rows[2] = {a.m, a.n};
        for (int i = 0; i < 2; i++) {
            if (!vectors[i])
                continue;
            struct view x = view_of(vectors[i], k, rows[i]);
            if (!x.a || x.m != rows[i] || x.ld < rows[i] || x.ld > UINT32_MAX / l)
                return "U or V has a matrix of a wrong shape, or a NULL one";
        }
    }
    return NULL;
}

/* NULL, or what is wrong. */
static const char *check_arguments(const orr_batch *A, const orr_batch *s, const orr_batch *U,
                                   const orr_batch *V, const orr_gesvj_opts *o)
{
    if (!A || !s)
        return "A or s is NULL";
    if ((int)A->type < 0 || A->type >= ORR_NTYPES)
        return "A has no type of s, d, c, z";
    if (s->type != orr_type_real(A->type))
        return "s is not of the real type of A";
    if ((U && U->type != A->type) || (V && V->type != A->type))
        return "U or V is not of the type of A";
    if (A->batch < 0 || s->batch != A->batch || (U && U->batch != A->batch) ||
        (V && V->batch != A->batch))
        return "the arrays are not batches of the same size";
    if (o->max_sweeps < 0 || o->chunk < 0 || !(o->tol >= 0) || o->tol >= 1)
        return "max_sweeps, chunk or tol is out of range";
    if (o->block != 0 && o->block != 16 && o->block != 32 && o->block != 64)
        return "block is not 16, 32 or 64";
    if ((int)o->place < 0 || o->place >= ORR_NPLACES)
        return "no such place";
    if (o->check && !(U && V))
        return "check needs U and V";
    if (A->batch > 0 && (!A->as != !s->as || (U && !A->as != !U->as) || (V && !A->as != !V->as)))
        return "the arrays are not all of mixed sizes";
    if (A->as && A->batch > 0)
        return A->ms && A->ns ? check_mixed(A, s, U, V) : "ms or ns is NULL";
    const char *wrong = check_shape(A->m, A->n);
    int64_t l = smaller(A->m, A->n);
    if (!wrong)
        wrong = check_uniform(A, A->m, A->n);
    if (!wrong)
        wrong = check_uniform(s, l, 1);
    if (!wrong && U)
        wrong = check_uniform(U, A->m, l);
    if (!wrong && V)
        wrong = check_uniform(V, A->n, l);
    return wrong;
}

/* ---- Planning ----------------------------------------------------------------------------- */

static orr_place choose_place(const orr_gesvj_opts *o, struct places *w)
{
    static const struct places table[ORR_NPLACES] = {
        [ORR_PLACE_AUTO] = {ORR_GESVJ_ANYWHERE, ORR_GESVJ_ANYWHERE, ORR_GESVJ_ANYWHERE, 0},
        [ORR_PLACE_CPU] = {ORR_GESVJ_ON_CPU, ORR_GESVJ_ON_CPU, ORR_GESVJ_ON_CPU, 0},
        [ORR_PLACE_GPU] = {ORR_GESVJ_ON_ACCELERATOR, ORR_GESVJ_ON_ACCELERATOR,
                           ORR_GESVJ_ON_ACCELERATOR, 0},
        [ORR_PLACE_PIPELINE] = {ORR_GESVJ_ANYWHERE, ORR_GESVJ_ON_ACCELERATOR, ORR_GESVJ_ON_CPU, 0},
        [ORR_PLACE_MIRROR] = {ORR_GESVJ_ANYWHERE, ORR_GESVJ_ON_CPU, ORR_GESVJ_ON_ACCELERATOR, 1},
    };
    orr_place p = orr_gesvj_accelerators() > 0 ? o->place : ORR_PLACE_CPU;
    *w = table[p];
    return p;
}

/* Wide blocks make few, long tasks and take fewer sweeps, as long as a round has a pair for
 * every worker. */
static int choose_block(const struct gesvj *g, int64_t k)
{
    if (k <= WHOLE_K)
        return 16;
    if (g->o.block)
        return g->o.block;
    return k >= 256 && k / 128 >= g->ctx->info.cpu ? 64 : 32;
}

/* As many as run for a while, but not so many that a worker sits idle at the end. Ten sweeps
 * of 12 big small^2 operations at 5 GFlop/s, and twenty microseconds for the call. */
static int64_t chunk_size(const struct gesvj *g, int64_t m, int64_t n, int64_t left)
{
    double k = (double)smaller(m, n), factor = g->A.type >= ORR_C ? 4 : 1;
    double seconds = 2e-5 + 120 * factor * (double)m * (double)n * k / 5e9;
    int64_t workers = g->ctx->info.cpu > 0 ? g->ctx->info.cpu : 1;
    int64_t size = (int64_t)(CHUNK_SECONDS / seconds), fair = left / (2 * workers);
    int64_t widest = g->A.stride;
    widest = g->left && g->U.stride > widest ? g->U.stride : widest;
    widest = g->right && g->V.stride > widest ? g->V.stride : widest;
    if (g->o.chunk)
        size = g->o.chunk;
    else if (size > fair)
        size = fair;
    if (widest > 0)
        size = smaller(size, UINT32_MAX / widest);
    return smaller(size > 1 ? size : 1, left);
}

/* ---- The graph of one matrix -------------------------------------------------------------- */

/* It goes on submitting from callbacks. A callback asks for the next measure when it has
 * submitted all it had to, so they come one at a time and sweeps enter in order. */
struct run {
    struct gesvj *g;
    struct orr_gesvj_block b;
    int64_t submitted; /* sweeps */
    int64_t read;      /* measures that have come */
    int settled;
    int32_t sweeps; /* that rotated something */
    double off;
};

static void submit_pair(struct run *r, const struct orr_gesvj_pair *x)
{
    const struct places *w = &r->g->where;
    orr_request *req = r->g->req;
    if (w->apart) {
        orr_insert_gesvj_gram(req, 3, &r->b, x, w->update);
        orr_insert_gesvj_evd(req, 3, &r->b, x, w->angle);
    } else {
        orr_insert_gesvj_angle(req, 3, &r->b, x, w->angle);
    }
    orr_insert_gesvj_update(req, 2, &r->b, x, w->update);
    if (r->b.J)
        orr_insert_gesvj_update_v(req, 1, &r->b, x, w->update);
}

static void submit_sweep(struct run *r)
{
    if (r->submitted >= (r->g->o.max_sweeps ? r->g->o.max_sweeps : MAX_SWEEPS))
        return;
    for (int64_t round = 0; round < r->b.blocks - 1; round++)
        for (int64_t i = 0; i < r->b.blocks / 2; i++) {
            struct orr_gesvj_pair x = orr_gesvj_pair_of(&r->b, r->submitted, round, i);
            submit_pair(r, &x);
        }
    /* Not accepted: the request has failed, and nobody will write the measure. */
    r->submitted += orr_insert_gesvj_measure(r->g->req, 4, &r->b, r->submitted);
}

static void submit_check(struct gesvj *g, const struct orr_gesvj_chunk *c)
{
    if (g->o.check)
        orr_insert_gesvj_check(g->req, 0, c, c->count);
}

static void end_run(struct run *r)
{
    struct gesvj *g = r->g;
    orr_insert_gesvj_finish(g->req, 2, &r->b, r->settled ? ORR_OK : ORR_NOCONV, r->sweeps, r->off,
                            g->o.check ? 0 : 1);
    submit_check(g, &r->b.chunk);
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

static void submit_graph(struct gesvj *g, const struct orr_gesvj_chunk *c)
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
    orr_insert_gesvj_start(g->req, 0, &r->b);
    for (int i = 0; i <= LOOKAHEAD; i++)
        submit_sweep(r);
    read_next(r);
}

/* ---- The whole batch ---------------------------------------------------------------------- */

/* The user's memory, until the request ends. NULL (and a failed request) without memory. */
static starpu_data_handle_t users(struct gesvj *g, void *base, int64_t elements, size_t size)
{
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)base, (uint32_t)elements,
                                size);
    if (orr_request_keep(g->req, handle) == ORR_OK)
        return handle;
    starpu_data_unregister(handle);
    return NULL;
}

/* Matrices first .. first+count, which have one shape. */
static void submit_chunk(struct gesvj *g, int64_t first, int64_t count)
{
    size_t size = orr_type_size(g->A.type), real = orr_type_size(g->s.type);
    struct view a = view_of(&g->A, first, 0), s = view_of(&g->s, first, smaller(a.m, a.n));
    struct view u = g->left ? view_of(&g->U, first, a.m) : (struct view){0};
    struct view v = g->right ? view_of(&g->V, first, a.n) : (struct view){0};
    int64_t k = smaller(a.m, a.n);
    struct orr_gesvj_chunk c = {.type = g->A.type,
                                .m = a.m,
                                .n = a.n,
                                .count = count,
                                .nb = choose_block(g, k),
                                .ld = a.ld,
                                .stride = g->A.stride,
                                .lds = g->s.stride,
                                .ldu = u.ld,
                                .strideu = g->U.stride,
                                .ldv = v.ld,
                                .stridev = g->V.stride,
                                .precondition = g->o.precondition >= 0,
                                .max_sweeps = g->o.max_sweeps,
                                .tol = g->o.tol,
                                .tag = g->tag + first};
    g->chunks++;
    if (orr_request_failed(g->req))
        return;
    /* not past the last element of the last matrix: that may be the end of the array */
    c.A = users(g, a.a, (count - 1) * c.stride + (a.n - 1) * a.ld + a.m, size);
    c.s = users(g, s.a, (count - 1) * c.lds + k, real);
    c.U = g->left ? users(g, u.a, (count - 1) * c.strideu + (k - 1) * u.ld + a.m, size) : NULL;
    c.V = g->right ? users(g, v.a, (count - 1) * c.stridev + (k - 1) * v.ld + a.n, size) : NULL;
    c.info = users(g, g->info + first, count, sizeof *g->info);
    if (orr_request_failed(g->req))
        return;
    if (k <= WHOLE_K) {
        orr_insert_gesvj_chunk(g->req, 0, &c, g->where.whole, g->o.check ? 0 : count);
        submit_check(g, &c);
    } else {
        submit_graph(g, &c);
    }
}

static void submit_all(struct gesvj *g)
{
    for (int64_t first = 0, count; first < g->A.batch; first += count) {
        struct view a = view_of(&g->A, first, 0);
        count = 1;
        if (smaller(a.m, a.n) == 0) { /* solved by saying so */
            double unknown = g->o.check ? 0 : NAN;
            g->info[first] = (orr_matrix_info){
                .method = ORR_METHOD_JACOBI, .residual = unknown, .orthogonality = unknown};
            continue;
        }
        if (!g->A.as && smaller(a.m, a.n) <= WHOLE_K)
            count = chunk_size(g, a.m, a.n, g->A.batch - first);
        submit_chunk(g, first, count);
    }
}

static const char *const place_name[ORR_NPLACES] = {"auto", "cpu", "gpu", "pipeline", "mirror"};

/* Runs in the waiting thread when everything is back: what came of it, and what was chosen. */
static orr_status finish(orr_request *req)
{
    struct orr_operation *op = (struct orr_operation *)req;
    struct gesvj *g = req->state;
    int64_t whole = 0, block = 0, sweeps = 0, bad[3] = {0}, first[3] = {-1, -1, -1};
    orr_status st = ORR_OK;

    for (int64_t k = 0; k < g->A.batch && !orr_request_failed(req); k++) {
        const orr_matrix_info *i = &g->info[k];
        whole += i->method == ORR_METHOD_JACOBI;
        block += i->method == ORR_METHOD_BLOCK;
        sweeps = i->sweeps > sweeps ? i->sweeps : sweeps;
        if (i->status > 0 && i->status < 3 && bad[i->status]++ == 0)
            first[i->status] = k;
    }
    snprintf(op->plan, sizeof op->plan,
             "\"whole\":%lld,\"graphs\":%lld,\"chunks\":%lld,\"block\":%d,\"precondition\":%s,"
             "\"place\":\"%s\",\"place_asked\":\"%s\",\"sweeps\":%lld",
             (long long)whole, (long long)block, (long long)g->chunks,
             choose_block(g, block ? MAX_K : 1), g->o.precondition >= 0 ? "true" : "false",
             place_name[g->place], place_name[g->o.place], (long long)sweeps);
    static const char *const what[3] = {"", "did not converge", "have NaN or infinite entries"};
    for (int i = 1; i < 3; i++) /* the graver one is reported; info has both */
        if (bad[i]) {
            st = (orr_status)i;
            op->index = first[i];
            snprintf(op->message, sizeof op->message,
                     "%lld of %lld matrices %s, the first is number %lld", (long long)bad[i],
                     (long long)g->A.batch, what[i], (long long)first[i]);
        }
    if (g->own_info)
        free(g->info);
    free(g);
    return st;
}

static void progress(int64_t done, int64_t total, void *arg)
{
    struct gesvj *g = arg;
    g->o.progress(done, total, g->o.progress_arg);
}

/* Zeros in a uniform batch's layout become what they mean. */
static orr_batch laid_out(const orr_batch *b)
{
    orr_batch x = *b;
    if (!x.as) {
        x.ld = b->ld ? b->ld : b->m;
        x.stride = b->stride ? b->stride : x.ld * b->n;
    } else {
        x.stride = 0;
    }
    return x;
}

orr_status orr_gesvj_submit(orr_context *ctx, const orr_batch *A, const orr_batch *s,
                            const orr_batch *U, const orr_batch *V, const orr_gesvj_opts *opts,
                            orr_matrix_info *info, int64_t tag, const char **wrong,
                            orr_request **out)
{
    orr_gesvj_opts o = opts ? *opts : (orr_gesvj_opts){0};
    const char *why = ctx && out ? check_arguments(A, s, U, V, &o) : "context is NULL";
    if (wrong)
        *wrong = why;
    if (why)
        return ORR_E_ARG;
    struct gesvj *g = calloc(1, sizeof *g);
    orr_request *req = g ? orr_context_request(ctx) : NULL;
    if (!req) {
        free(g);
        return ORR_E_NOMEM;
    }
    *g = (struct gesvj){.ctx = ctx,
                        .req = req,
                        .A = laid_out(A),
                        .s = laid_out(s),
                        .o = o,
                        .left = U != NULL,
                        .right = V != NULL,
                        .info = info,
                        .tag = tag};
    if (U)
        g->U = laid_out(U);
    if (V)
        g->V = laid_out(V);
    g->place = choose_place(&o, &g->where);
    if (!info) {
        g->own_info = 1;
        g->info = calloc(A->batch ? (size_t)A->batch : 1, sizeof *g->info);
    }
    req->finish = finish;
    req->state = g;
    req->parts_total = A->batch;
    if (o.progress) {
        req->progress = progress;
        req->progress_arg = g;
    }
    if (!g->info) {
        g->A.batch = 0;
        orr_request_fail(req, ORR_E_NOMEM, "gesvj");
        return orr_wait(req, NULL);
    }
    submit_all(g);
    orr_request_go(req);
    *out = req;
    return ORR_OK;
}

orr_status orr_submit_gesvj(orr_context *ctx, const orr_batch *A, const orr_batch *s,
                            const orr_batch *U, const orr_batch *V, const orr_gesvj_opts *opts,
                            orr_matrix_info *info, orr_request **out)
{
    return orr_gesvj_submit(ctx, A, s, U, V, opts, info, 0, NULL, out);
}

orr_status orr_gesvj(orr_context *ctx, const orr_batch *A, const orr_batch *s, const orr_batch *U,
                     const orr_batch *V, const orr_gesvj_opts *opts, orr_matrix_info *info,
                     orr_report *report)
{
    orr_request *req;
    const char *wrong;
    orr_status st = orr_gesvj_submit(ctx, A, s, U, V, opts, info, 0, &wrong, &req);
    if (st == ORR_OK)
        return orr_wait(req, report);
    if (report) {
        *report = (orr_report){.status = st, .culprit = "gesvj", .index = -1};
        snprintf(report->message, sizeof report->message, "%s", wrong ? wrong : orr_strerror(st));
    }
    return st;
}
