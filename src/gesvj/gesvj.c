/* gesvj: singular value decomposition of a batch of matrices by one-sided block Jacobi. Small
 * matrices go through whole, in chunks, a task each; a larger one is a graph of its own
 * (src/gesvj/gesvj_graph.c), and those of a batch fill each other's gaps.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/gesvj/gesvj.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/range.h"

enum {
    EIGEN_K = 1024,  /* up to here sweeps begin with eigenvectors, which are one task */
    WHOLE_K = 64,    /* up to here a matrix is one task */
    ALONE_K = 16,    /* up to here even one by itself is best solved as a lane of vectors */
    MOST_LANES = 16, /* from so many in a batch on all sizes up to WHOLE_K are */
    BLOCKS = 8       /* of threads, for each processor of a device */
};

/* Long against the cost of a task; a device takes hundreds of matrices at a time. */
static const double chunk_seconds[] = {
    [ORR_ON_CPU] = 2e-3, [ORR_ANYWHERE] = 2e-2, [ORR_ON_ACCELERATOR] = 2e-1};

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- Planning ----------------------------------------------------------------------------- */

static int needs_accelerator(const struct orr_gesvj_places *w)
{
    return w->whole == ORR_ON_ACCELERATOR || w->angle == ORR_ON_ACCELERATOR ||
           w->update == ORR_ON_ACCELERATOR;
}

/* auto without accelerators, or with blocks that are too wide for them, is cpu. */
orr_place orr_gesvj_place(const orr_gesvj_opts *o, struct orr_gesvj_places *w)
{
    static const struct orr_gesvj_places table[ORR_NPLACES] = {
        [ORR_PLACE_AUTO] = {.whole = ORR_ANYWHERE, .angle = ORR_ANYWHERE, .update = ORR_ANYWHERE},
        [ORR_PLACE_CPU] = {.whole = ORR_ON_CPU, .angle = ORR_ON_CPU, .update = ORR_ON_CPU},
        [ORR_PLACE_GPU] = {.whole = ORR_ON_ACCELERATOR,
                           .angle = ORR_ON_ACCELERATOR,
                           .update = ORR_ON_ACCELERATOR},
        [ORR_PLACE_PIPELINE] = {.angle = ORR_ON_ACCELERATOR, .update = ORR_ON_CPU, .staged = 1},
        [ORR_PLACE_MIRROR] = {.angle = ORR_ON_CPU,
                              .update = ORR_ON_ACCELERATOR,
                              .apart = 1,
                              .staged = 1},
    };
    orr_place p = o->place;
    if (p == ORR_PLACE_AUTO &&
        (orr_gesvj_accelerators() == 0 || o->block > orr_gesvj_accelerator_max_nb()))
        p = ORR_PLACE_CPU;
    *w = table[p];
    return p;
}

/* Of 32 columns, because the H of a pair then fits the L1 cache of a CPU and a thread block of a
 * device. Where the blocks of a pair are far longer, wide ones pass over them less often. */
static int choose_block(const struct orr_gesvj *g, int64_t k)
{
    if (k <= WHOLE_K)
        return 16;
    if (g->o.block)
        return g->o.block;
    if (g->place != ORR_PLACE_CPU)
        return 32;
    return k >= 2048 && k / 128 >= g->ctx->info.cpu ? 64 : 32;
}

/* Eigenvectors take a CPU as long as all else that is one task there. A device would wait for them,
 * so where one takes part nobody uses them: results do not depend on who gets a matrix. */
static int precondition(const struct orr_gesvj *g, int64_t k)
{
    if (g->o.precondition != 0)
        return g->o.precondition > 0;
    return k > WHOLE_K && k <= EIGEN_K && g->place == ORR_PLACE_CPU ? 2 : 1;
}

/* From the shape and the batch, not the chunk: results do not depend on the workers. */
static int by_lanes(const struct orr_gesvj *g, int64_t k)
{
    return k <= ALONE_K || (k <= WHOLE_K && !g->A.as && g->A.batch >= MOST_LANES);
}

/* Ten sweeps of 12 big small^2 operations. */
static double chunk_work(const struct orr_gesvj *g, int64_t m, int64_t n)
{
    return 120 * (g->A.type >= ORR_C ? 4.0 : 1.0) * (double)m * (double)n * (double)smaller(m, n);
}

/* On a CPU, as was measured for d (AVX-512): 5 us and 1.7 ns m n min(m, n), as lanes of vectors 1.2 ns. */
static double seconds_of_one(const struct orr_gesvj *g, int64_t m, int64_t n)
{
    const double work = chunk_work(g, m, n);
    return by_lanes(g, smaller(m, n)) ? work / 1e11 : 5e-6 + work / 7e10;
}

/* One core's work for a moment, which no device may do, and of which no matrix is a graph. */
static int is_small(const struct orr_gesvj *g)
{
    const int64_t shapes = g->A.as ? g->A.batch : smaller(g->A.batch, 1);
    double seconds = 0;
    for (int64_t i = 0; i < shapes && seconds <= ORR_HERE_SECONDS; i++) {
        const struct orr_view a = orr_view_of(&g->A, i, 0);
        if (g->A_on || g->U_on || g->V_on || g->where.whole != ORR_ON_CPU || g->where.staged ||
            smaller(a.m, a.n) > WHOLE_K)
            return 0;
        seconds += seconds_of_one(g, a.m, a.n) * (double)(g->A.batch / shapes);
    }
    return seconds <= ORR_HERE_SECONDS;
}

/* The widest array of a task counts elements in 32 bits; a device has two matrices of its own for
 * each. */
static int64_t widest_of(const struct orr_gesvj *g)
{
    int64_t widest = 2 * g->A.stride;
    widest = g->left && g->U.stride > widest ? g->U.stride : widest;
    return g->right && g->V.stride > widest ? g->V.stride : widest;
}

/* Matrices first .. first+count, which have one shape, without handles. */
static struct orr_gesvj_chunk layout(const struct orr_gesvj *g, int64_t first, int64_t count)
{
    const struct orr_view a = orr_view_of(&g->A, first, 0);
    const int64_t k = smaller(a.m, a.n);
    return (struct orr_gesvj_chunk){.type = g->A.type,
                                    .m = a.m,
                                    .n = a.n,
                                    .count = count,
                                    .left = g->left,
                                    .right = g->right,
                                    .nb = choose_block(g, k),
                                    .ld = a.ld,
                                    .stride = g->A.stride,
                                    .lds = g->s.stride,
                                    .ldu = g->left ? orr_view_of(&g->U, first, a.m).ld : 0,
                                    .strideu = g->U.stride,
                                    .ldv = g->right ? orr_view_of(&g->V, first, a.n).ld : 0,
                                    .stridev = g->V.stride,
                                    .precondition = precondition(g, k),
                                    .lanes = by_lanes(g, k),
                                    .max_sweeps = g->o.max_sweeps,
                                    .tol = g->o.tol,
                                    .tag = g->tag + first};
}

/* Matrices, each a thread block, that fill a device ... */
static int64_t device_chunk(const struct orr_gesvj *g)
{
    return BLOCKS * g->ctx->device.processors;
}

/* ... and those that it can hold, of a uniform batch. */
static int64_t device_room(struct orr_gesvj *g)
{
    if (g->room < 0) {
        const struct orr_gesvj_chunk c = layout(g, 0, 1);
        g->room = orr_gesvj_room_chunk(&c, g->A.batch);
    }
    return g->room;
}

/* As many as run for a while on a CPU, more for a device, but not so many that a worker sits idle at
 * the end. */
static int64_t chunk_size(struct orr_gesvj *g, enum orr_where where, int64_t m, int64_t n,
                          int64_t left)
{
    const int lanes = by_lanes(g, smaller(m, n));
    int64_t workers = where == ORR_ON_ACCELERATOR ? orr_gesvj_accelerators() : g->ctx->info.cpu;
    workers = workers > 0 ? workers : 1;
    int64_t size = (int64_t)(chunk_seconds[where] / seconds_of_one(g, m, n));
    const int64_t fair = left / (2 * workers), widest = widest_of(g);
    if (g->o.chunk)
        size = g->o.chunk;
    else if (g->req->here)
        size = left;
    else if (size > fair)
        size = fair;
    if (!g->o.chunk && lanes) /* no lane in vain */
        size = (size + MOST_LANES - 1) / MOST_LANES * MOST_LANES;
    if (!g->o.chunk && where == ORR_ON_ACCELERATOR)
        size = smaller(size > device_chunk(g) ? size : device_chunk(g), device_room(g));
    if (widest > 0)
        size = smaller(size, UINT32_MAX / widest);
    return smaller(size > 1 ? size : 1, left);
}

/* ---- The whole batch ---------------------------------------------------------------------- */

/* The user's memory, until the request ends. */
static starpu_data_handle_t users(struct orr_gesvj *g, int node, void *memory, int64_t elements,
                                  size_t size)
{
    if (g->A.as && g->place != ORR_PLACE_CPU) /* no array of others */
        orr_request_pin(g->req, memory, (size_t)elements * size, ORR_PIN_USERS);
    return orr_request_vector_on(g->req, node, memory, elements, size);
}

/* Matrices first .. first+count, which have one shape, with the handles of their data. */
static struct orr_gesvj_chunk make_chunk(struct orr_gesvj *g, int64_t first, int64_t count)
{
    size_t size = orr_type_size(g->A.type), real = orr_type_size(g->s.type);
    struct orr_gesvj_chunk c = layout(g, first, count);
    struct orr_view a = orr_view_of(&g->A, first, 0);
    struct orr_view s = orr_view_of(&g->s, first, smaller(a.m, a.n));
    struct orr_view u = g->left ? orr_view_of(&g->U, first, a.m) : (struct orr_view){0};
    struct orr_view v = g->right ? orr_view_of(&g->V, first, a.n) : (struct orr_view){0};
    int64_t k = smaller(a.m, a.n);
    atomic_fetch_add(&g->chunks, 1);
    if (orr_request_failed(g->req))
        return c;
    /* not past the last element of the last matrix: that may be the end of the array */
    c.A = users(g, g->A_on, a.a, (count - 1) * c.stride + (a.n - 1) * a.ld + a.m, size);
    c.s = users(g, STARPU_MAIN_RAM, s.a, (count - 1) * c.lds + k, real);
    if (g->left)
        c.U = users(g, g->U_on, u.a, (count - 1) * c.strideu + (k - 1) * u.ld + a.m, size);
    if (g->right)
        c.V = users(g, g->V_on, v.a, (count - 1) * c.stridev + (k - 1) * v.ld + a.n, size);
    c.info = users(g, STARPU_MAIN_RAM, g->info + first, count, sizeof *g->info);
    return c;
}

/* Waits for the records of a chunk, to tell somebody. */
struct watch {
    orr_request *req;
    starpu_data_handle_t info;
    struct orr_gesvj_way way;
};

static void on_solved(void *arg)
{
    const struct watch w = *(struct watch *)arg;
    free(arg);
    starpu_data_release(w.info);
    w.way.solved(w.way.arg);
    orr_request_release(w.req);
}

static void tell(struct orr_gesvj *g, const struct orr_gesvj_chunk *c,
                 const struct orr_gesvj_way *way, int accepted)
{
    struct watch *w = accepted ? malloc(sizeof *w) : NULL;
    if (w) {
        *w = (struct watch){.req = g->req, .info = c->info, .way = *way};
        orr_request_hold(g->req);
        starpu_data_acquire_cb(c->info, STARPU_R, on_solved, w);
        return;
    }
    if (accepted)
        orr_request_fail(g->req, ORR_E_NOMEM, "gesvj");
    way->solved(way->arg);
}

void orr_gesvj_submit_chunk(struct orr_gesvj *g, int64_t first, int64_t count,
                            const struct orr_gesvj_way *way)
{
    const struct orr_gesvj_chunk c = make_chunk(g, first, count);
    const int accepted = !orr_request_failed(g->req) &&
                         orr_insert_gesvj_chunk(g->req, 0, &c, way->where, g->o.check ? 0 : count);
    if (accepted)
        orr_gesvj_submit_check(g, &c);
    if (way->solved)
        tell(g, &c, way, accepted);
}

/* A matrix that is a graph of its own; in a plan, `count` of them. */
static void submit_graphs(struct orr_gesvj *g, int64_t first, int64_t count)
{
    struct orr_gesvj_chunk c = make_chunk(g, first, count);
    if (orr_request_failed(g->req))
        return;
    if (g->req->plan) {
        c.count = 1;
        orr_gesvj_plan_graphs(g, &c, count);
    } else {
        orr_gesvj_submit_graph(g, &c);
    }
}

void orr_gesvj_submit_check(struct orr_gesvj *g, const struct orr_gesvj_chunk *c)
{
    if (g->o.check)
        orr_insert_gesvj_check(g->req, 0, c, c->count);
}

static size_t bytes_of(const orr_batch *x, int64_t rows, int64_t columns)
{
    const size_t size = orr_type_size(x->type), one = orr_pin_bytes(rows, columns, x->ld, size);
    return one ? (size_t)((x->batch - 1) * x->stride) * size + one : 0;
}

static void pin_batch(struct orr_gesvj *g)
{
    const int64_t m = g->A.m, n = g->A.n, k = smaller(m, n);
    if (g->place == ORR_PLACE_CPU || g->A.as || bytes_of(&g->A, m, n) < ORR_PIN_USERS)
        return;
    if (!g->A_on)
        orr_request_pin(g->req, g->A.a, bytes_of(&g->A, m, n), 0);
    orr_request_pin(g->req, g->s.a, bytes_of(&g->s, k, 1),
                    0); /* short results keep a thread as well */
    orr_request_pin(g->req, g->info, (size_t)g->A.batch * sizeof *g->info, 0);
    if (g->left && !g->U_on)
        orr_request_pin(g->req, g->U.a, bytes_of(&g->U, m, k), 0);
    if (g->right && !g->V_on)
        orr_request_pin(g->req, g->V.a, bytes_of(&g->V, n, k), 0);
}

/* CPUs and devices draw from a batch of small matrices. */
static int is_shared(struct orr_gesvj *g)
{
    return g->where.whole == ORR_ANYWHERE && !g->where.staged && !g->A.as && !g->req->plan &&
           smaller(g->A.m, g->A.n) > 0 && smaller(g->A.m, g->A.n) <= WHOLE_K && g->A.batch > 1 &&
           g->ctx->info.cpu > 0 && device_room(g) > 0;
}

/* A processor of a device does 2e10 operations a second: a guess, until it has finished a piece. */
static void share(struct orr_gesvj *g)
{
    const int64_t m = g->A.m, n = g->A.n, room = device_room(g), widest = widest_of(g);
    const int64_t most = smaller(room, widest > 0 ? UINT32_MAX / widest : room);
    g->block = choose_block(g, smaller(m, n));
    orr_gesvj_share(g, &(struct orr_gesvj_cut){
                           .at_once = by_lanes(g, smaller(m, n)) ? MOST_LANES : 1,
                           .for_cpu = chunk_size(g, ORR_ON_CPU, m, n, g->A.batch),
                           .for_device = smaller(device_chunk(g), most),
                           .most = most,
                           .cpu = 1 / seconds_of_one(g, m, n),
                           .device = 2e10 * g->ctx->device.processors / chunk_work(g, m, n)});
}

/* A small one that has to go to a device fits. */
static int fits(struct orr_gesvj *g, int64_t first)
{
    if (g->where.whole != ORR_ON_ACCELERATOR)
        return 1;
    if (!g->A.as)
        return device_room(g) > 0;
    const struct orr_gesvj_chunk c = layout(g, first, 1);
    return orr_gesvj_room_chunk(&c, 1) > 0;
}

static void submit_all(struct orr_gesvj *g)
{
    pin_batch(g);
    if (is_shared(g)) {
        share(g);
        return;
    }
    for (int64_t first = 0, count; first < g->A.batch; first += count) {
        struct orr_view a = orr_view_of(&g->A, first, 0);
        const int64_t k = smaller(a.m, a.n);
        const int block = choose_block(g, k), whole = !g->where.staged && k <= WHOLE_K;
        count = 1;
        if (k == 0) { /* solved by saying so */
            double unknown = g->o.check ? 0 : NAN;
            g->info[first] = (orr_matrix_info){
                .method = ORR_METHOD_JACOBI, .residual = unknown, .orthogonality = unknown};
            continue;
        }
        g->block = block > g->block ? block : g->block;
        if (!g->A.as && !whole && g->req->plan)
            count = g->A.batch - first;
        if (!g->A.as && whole)
            count = chunk_size(g, g->where.whole, a.m, a.n, g->A.batch - first);
        if (whole && !fits(g, first))
            orr_request_too_large(g->req, "gesvj");
        else if (whole)
            orr_gesvj_submit_chunk(g, first, count,
                                   &(struct orr_gesvj_way){.where = g->where.whole});
        else
            submit_graphs(g, first, count);
    }
}

static const char *const place_name[ORR_NPLACES] = {"auto", "cpu", "gpu", "pipeline", "mirror"};

/* Runs in the waiting thread when everything is back: what came of it, and what was chosen. */
static orr_status finish(orr_request *req)
{
    struct orr_operation *op = orr_operation_of(req);
    struct orr_gesvj *g = req->state;
    int64_t whole = req->plan ? g->A.batch - g->planned : 0, block = g->planned;
    int64_t devices = 0, sweeps = g->sweeps;

    for (int64_t k = 0; k < g->A.batch && !req->plan && !orr_request_failed(req); k++) {
        orr_matrix_info *i = &g->info[k];
        whole += i->method == ORR_METHOD_JACOBI;
        block += i->method == ORR_METHOD_BLOCK;
        devices += i->device != 0;
        sweeps = i->sweeps > sweeps ? i->sweeps : sweeps;
        const int64_t m = g->A.as ? g->A.ms[k] : g->A.m, n = g->A.as ? g->A.ns[k] : g->A.n;
        orr_judge_batch(&g->s, k, m < n ? m : n, i);
    }
    snprintf(op->plan, sizeof op->plan,
             "\"whole\":%lld,\"graphs\":%lld,\"chunks\":%lld,\"block\":%d,\"precondition\":%s,"
             "\"place\":\"%s\",\"place_asked\":\"%s\",\"bundle\":%lld,\"on_device\":%lld,"
             "\"ends\":\"%s\",\"sweeps\":%lld",
             (long long)whole, (long long)block, (long long)atomic_load(&g->chunks), g->block,
             g->o.precondition >= 0 ? "true" : "false", place_name[g->place],
             place_name[g->o.place], (long long)g->bundle, (long long)devices,
             g->ends ? "device" : "cpu", (long long)sweeps);
    const orr_status st = orr_request_failed(req) ? ORR_OK : orr_judge_all(op, g->info, g->A.batch);
    if (g->own_info)
        free(g->info);
    free(g);
    return st;
}

/* Devices have room for the matrices of a uniform batch. */
static int devices_can(struct orr_gesvj *g)
{
    const struct orr_gesvj_chunk c = layout(g, 0, 1);
    if (smaller(c.m, c.n) <= WHOLE_K)
        return device_room(g) > 0;
    return orr_gesvj_room_whole(&c, 1) > 0 || orr_gesvj_room_pairs(&c, 0, ORR_GESVJ_MAX_PAIRS) > 0;
}

orr_status orr_gesvj_submit(struct orr_call *call, const orr_batch *A, const orr_batch *s,
                            const orr_batch *U, const orr_batch *V, const orr_gesvj_opts *opts,
                            orr_matrix_info *info, struct orr_gesvj_hub *hub, int64_t tag,
                            orr_request **out)
{
    orr_gesvj_opts o = opts ? *opts : (orr_gesvj_opts){0};
    orr_context *ctx = call->ctx;
    const char *wrong = orr_gesvj_wrong(A, s, U, V, &o);
    struct orr_gesvj_places where = {0};
    const orr_place place = wrong || !ctx ? ORR_PLACE_CPU : orr_gesvj_place(&o, &where);
    if (needs_accelerator(&where) && o.block > orr_gesvj_accelerator_max_nb())
        wrong = "blocks of so many columns are too wide for this accelerator";
    const orr_batch *const batches[] = {A, s, U, V};
    if (orr_call_refused(call, out, wrong) ||
        orr_call_batches_overlap(call, batches, (const int[]){ORR_IN, ORR_OUT, ORR_OUT, ORR_OUT},
                                 4) ||
        orr_call_batches_there(call, batches, 4, info))
        return call->status;
    orr_batch matrices = orr_laid_out(A), values = orr_laid_out(s);
    orr_batch left = U ? orr_laid_out(U) : (orr_batch){0},
              right = V ? orr_laid_out(V) : (orr_batch){0};
    const int stay = place != ORR_PLACE_CPU && !where.staged;
    int A_on = 0, U_on = 0, V_on = 0;
    const struct orr_array arrays[] = {orr_stays(orr_array_of(&matrices, ORR_IN), stay, &A_on),
                                       orr_array_of(&values, ORR_OUT),
                                       orr_stays(orr_array_of(&left, ORR_OUT), stay, &U_on),
                                       orr_stays(orr_array_of(&right, ORR_OUT), stay, &V_on)};
    if (orr_call_home(call, arrays, 4))
        return call->status;
    orr_request *req;
    struct orr_gesvj *g = orr_call_begin(call, sizeof *g, finish, &req);
    if (!g)
        return call->status;
    *g = (struct orr_gesvj){.ctx = ctx,
                            .req = req,
                            .A = matrices,
                            .s = values,
                            .U = left,
                            .V = right,
                            .A_on = A_on,
                            .U_on = U_on,
                            .V_on = V_on,
                            .o = o,
                            .left = U != NULL,
                            .right = V != NULL,
                            .place = place,
                            .where = where,
                            .info = info,
                            .room = -1,
                            .tag = tag};
    if (!info) {
        g->own_info = 1;
        g->info = calloc(A->batch ? (size_t)A->batch : 1, sizeof *g->info);
    }
    req->parts_total = A->batch;
    req->progress = o.progress;
    req->progress_arg = o.progress_arg;
    if (!g->info) {
        g->A.batch = 0;
        orr_request_fail(req, ORR_E_NOMEM, "gesvj");
        return orr_wait(req, NULL);
    }
    if (A_on && !hub && place == ORR_PLACE_AUTO &&
        devices_can(g)) { /* CPUs would copy what they draw */
        o.place = ORR_PLACE_GPU;
        g->place = orr_gesvj_place(&o, &g->where);
    }
    if (call->waits && is_small(g))
        orr_request_here(req);
    struct orr_gesvj_hub *own = hub ? NULL : orr_gesvj_hub_open(ctx, req, &o);
    g->hub = hub ? hub : own;
    if (needs_accelerator(&g->where) && orr_gesvj_accelerators() == 0)
        orr_request_fail(req, ORR_E_NOWORKER, "gesvj");
    else
        submit_all(g);
    orr_gesvj_hub_close(own);
    orr_call_submitted(call, req);
    *out = req;
    return ORR_OK;
}

orr_status orr_submit_gesvj(orr_context *ctx, const orr_batch *A, const orr_batch *s,
                            const orr_batch *U, const orr_batch *V, const orr_gesvj_opts *opts,
                            orr_matrix_info *info, orr_request **out)
{
    struct orr_call call = orr_call_enter(ctx, "gesvj");
    return orr_gesvj_submit(&call, A, s, U, V, opts, info, NULL, 0, out);
}

orr_status orr_gesvj(orr_context *ctx, const orr_batch *A, const orr_batch *s, const orr_batch *U,
                     const orr_batch *V, const orr_gesvj_opts *opts, orr_matrix_info *info,
                     orr_report *report)
{
    struct orr_call call = orr_call_enter_and_wait(ctx, "gesvj");
    orr_request *req;
    const orr_status st = orr_gesvj_submit(&call, A, s, U, V, opts, info, NULL, 0, &req);
    return orr_call_end(&call, st, &req, report);
}
