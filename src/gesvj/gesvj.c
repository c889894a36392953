/* gesvj: singular value decomposition of a batch of matrices by one-sided block Jacobi. Small
 * matrices go through whole, in chunks, a task each; a larger one is a graph of its own
 * (src/gesvj/gesvj_graph.c), and those of a batch fill each other's gaps.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/gesvj/gesvj.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "codelets/core/least.h"
#include "src/core/range.h"

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
    struct orr_gesvj_chunk c = orr_gesvj_layout(g, first, count);
    struct orr_view a = orr_view_of(&g->A, first, 0);
    struct orr_view s = orr_view_of(&g->s, first, orr_least(a.m, a.n));
    struct orr_view u = g->left ? orr_view_of(&g->U, first, a.m) : (struct orr_view){0};
    struct orr_view v = g->right ? orr_view_of(&g->V, first, a.n) : (struct orr_view){0};
    int64_t k = orr_least(a.m, a.n);
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
    const int64_t m = g->A.m, n = g->A.n, k = orr_least(m, n);
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

/* A matrix without rows or columns is solved by saying so. */
static orr_matrix_info nothing_to_do(const struct orr_gesvj *g)
{
    const double unknown = g->o.check ? 0 : NAN;
    return (orr_matrix_info){
        .method = ORR_METHOD_JACOBI, .residual = unknown, .orthogonality = unknown};
}

static void submit_all(struct orr_gesvj *g)
{
    pin_batch(g);
    if (orr_gesvj_is_shared(g)) {
        const struct orr_gesvj_cut cut = orr_gesvj_cut_of(g);
        g->block = orr_gesvj_layout(g, 0, 1).nb;
        orr_gesvj_share(g, &cut);
        return;
    }
    for (int64_t first = 0, count; first < g->A.batch; first += count) {
        const struct orr_gesvj_chunk c = orr_gesvj_layout(g, first, 1);
        const int64_t k = orr_least(c.m, c.n);
        count = 1;
        if (k == 0) {
            g->info[first] = nothing_to_do(g);
            continue;
        }
        g->block = c.nb > g->block ? c.nb : g->block;
        if (!orr_gesvj_is_whole(g, k)) {
            if (!g->A.as && g->req->plan)
                count = g->A.batch - first;
            submit_graphs(g, first, count);
            continue;
        }
        count = orr_gesvj_chunk_size(g, first);
        if (orr_gesvj_fits(g, first))
            orr_gesvj_submit_chunk(g, first, count,
                                   &(struct orr_gesvj_way){.where = g->where.whole});
        else
            orr_request_too_large(g->req, "gesvj");
    }
}

/* ---- The operation -------------------------------------------------------------------------- */

static const char *const place_name[ORR_NPLACES] = {"auto", "cpu", "gpu", "pipeline", "mirror"};

static void print_plan(const struct orr_gesvj *g, int64_t whole, int64_t graphs, int64_t on_device,
                       int64_t sweeps, char *plan, size_t room)
{
    snprintf(plan, room,
             "\"whole\":%lld,\"graphs\":%lld,\"chunks\":%lld,\"block\":%d,\"precondition\":%s,"
             "\"place\":\"%s\",\"place_asked\":\"%s\",\"bundle\":%lld,\"on_device\":%lld,"
             "\"ends\":\"%s\",\"sweeps\":%lld",
             (long long)whole, (long long)graphs, (long long)atomic_load(&g->chunks), g->block,
             g->o.precondition >= 0 ? "true" : "false", place_name[g->place],
             place_name[g->o.place], (long long)g->bundle, (long long)on_device,
             g->ends ? "device" : "cpu", (long long)sweeps);
}

/* Runs in the waiting thread when everything is back: what came of it, and what was chosen. */
static orr_status finish(orr_request *req)
{
    struct orr_operation *op = orr_operation_of(req);
    struct orr_gesvj *g = req->state;
    int64_t whole = req->plan ? g->A.batch - g->planned : 0, graphs = g->planned;
    int64_t devices = 0, sweeps = g->sweeps;

    for (int64_t k = 0; k < g->A.batch && !req->plan && !orr_request_failed(req); k++) {
        orr_matrix_info *i = &g->info[k];
        whole += i->method == ORR_METHOD_JACOBI;
        graphs += i->method == ORR_METHOD_BLOCK;
        devices += i->device != 0;
        sweeps = i->sweeps > sweeps ? i->sweeps : sweeps;
        const int64_t m = g->A.as ? g->A.ms[k] : g->A.m, n = g->A.as ? g->A.ns[k] : g->A.n;
        orr_judge_batch(&g->s, k, m < n ? m : n, i);
    }
    print_plan(g, whole, graphs, devices, sweeps, op->plan, sizeof op->plan);
    const orr_status st = orr_request_failed(req) ? ORR_OK : orr_judge_all(op, g->info, g->A.batch);
    if (g->own_info)
        free(g->info);
    free(g);
    return st;
}

static int needs_accelerator(const struct orr_gesvj_places *w)
{
    return w->whole == ORR_ON_ACCELERATOR || w->angle == ORR_ON_ACCELERATOR ||
           w->update == ORR_ON_ACCELERATOR;
}

/* The caller's, or those of the operation. 0: the request has failed. */
static int make_records(struct orr_gesvj *g)
{
    if (!g->info) {
        g->own_info = 1;
        g->info = calloc((size_t)orr_most(g->A.batch, 1), sizeof *g->info);
    }
    if (!g->info) {
        g->A.batch = 0;
        orr_request_fail(g->req, ORR_E_NOMEM, "gesvj");
    }
    return g->info != NULL;
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
    const orr_place place = wrong || !ctx ? ORR_PLACE_CPU : orr_gesvj_place(&o, A->type, &where);
    if (needs_accelerator(&where) && o.block > orr_gesvj_accelerator_max_nb(A->type))
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
                            .info = req->plan ? NULL : info,
                            .room = -1,
                            .tag = tag};
    req->parts_total = A->batch;
    req->progress = o.progress;
    req->progress_arg = o.progress_arg;
    if (!make_records(g))
        return orr_wait(req, NULL);
    if (A_on && !hub && place == ORR_PLACE_AUTO && orr_gesvj_devices_can(g)) {
        o.place = ORR_PLACE_GPU; /* CPUs would copy what they draw */
        g->place = orr_gesvj_place(&o, A->type, &g->where);
    }
    if (call->waits && orr_gesvj_is_small(g))
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
