/* PageRank: x = alpha P'x + (what is not handed on) p, by iteration.
 *
 *   step k, block b   pagerank_step   A_b, z_k, sc[k-1] --> z_{k+1,b}, partial_b
 *   step k            combine         partial_1..P, sc[k-1] --> sc[k] --> change small enough?
 *
 * z_j = x_j / (weight of the links out of j), so that the product needs no values. The sum over
 * nodes without links enters the step behind it through sc[k-1]; this thread reads sc[k] while
 * later steps run. Each step shrinks the distance to the answer in the 1-norm by alpha at
 * least, which gives the bound alpha/(1-alpha) |x_{k+1} - x_k|_1 whatever x_k is: also where it
 * comes from an extrapolation of the iterates before (kernels/pagerank_extrapolate.h).
 *
 * Source: Brin, Page, Computer Networks 30, 1998; the bound: Langville, Meyer, Internet
 * Mathematics 1(3), 2004.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/device.h"
#include "codelets/core/plan.h"
#include "src/sparse/powm.h"

enum { RING = 4, LOOKAHEAD = 8, PERIOD = 10 };

struct rank {
    orr_request *req;
    const orr_sparse *G;
    orr_pagerank_opts o;
    struct orr_pagerank_rule rule;
    struct orr_powm_vector z[4], d, p;
    int64_t generations; /* of z: 2, and 4 for extrapolation */
    int extrapolate;
    int64_t steps;
    struct orr_powm_seen seen;
    double rate; /* by which a step shrinks the change */
};

const char *orr_pagerank_wrong(const orr_sparse *G, const orr_pagerank_opts *o, const void *scores,
                               const orr_pagerank_result *r)
{
    if (!G || !r || (!scores && G->info.rows > 0))
        return !G ? "graph is NULL" : !r ? "result is NULL" : "scores is NULL";
    if (!G->info.graph)
        return "the matrix was not made for PageRank (orr_sparse_opts.graph)";
    if (!(o->alpha >= 0 && o->alpha < 1))
        return "alpha is not in [0, 1)";
    if (!(o->tol >= 0) || o->max_steps < 0 || o->fixed_steps < 0 || o->lookahead < 0)
        return "a negative option";
    if (!orr_forked() && orr_device_of(o->personal))
        return "the personalisation is in main memory";
    if (o->steps_per_task < 0 || (o->extrapolate && !strchr("yn", o->extrapolate)))
        return "steps_per_task is negative, or extrapolate none of 'y', 'n'";
    if (o->dangling && !strchr("pun", o->dangling))
        return "dangling is none of 'p', 'u', 'n'";
    double most = 0;
    for (int64_t i = 0; o->personal && i < G->info.rows; i++) {
        if (!(o->personal[i] >= 0) || !isfinite(o->personal[i]))
            return "a weight of the personalisation is negative or not finite";
        most = fmax(most, o->personal[i]);
    }
    if (o->personal && G->info.rows > 0 && most == 0)
        return "the personalisation is all zero";
    return NULL;
}

/* Of what all ranks have to be given alike. */
static uint64_t hashed(const orr_sparse *G, const orr_pagerank_opts *o)
{
    const double reals[] = {o->alpha, o->tol};
    const int64_t whole[] = {o->max_steps,      o->fixed_steps, o->dangling,        o->extrapolate,
                             o->lookahead,      G->info.rows,   G->info.nnz,        G->info.blocks,
                             o->steps_per_task, G->info.type,   o->personal != NULL};
    const uint64_t hash =
        orr_sparse_hash(orr_sparse_hash(0, reals, sizeof reals), whole, sizeof whole);
    return o->personal && G->ctx->info.ranks > 1
               ? orr_sparse_hash(hash, o->personal, (size_t)G->info.rows * sizeof *o->personal)
               : hash;
}

/* The start is where one jumps to: x_0 = p. */
static orr_status make_vectors(struct rank *r, double *dangling)
{
    const orr_sparse *G = r->G;
    const orr_type t = G->info.type;
    const int64_t n = G->info.rows;
    double sum = 0, most = 0;
    int e; /* the weights are brought near 1, so that their sum is finite */
    orr_status st = ORR_OK;
    for (int64_t i = 0; i < r->generations && st == ORR_OK; i++)
        st = orr_powm_vector_make(&r->z[i], t, n, G->first, G->info.blocks);
    if (st == ORR_OK)
        st = orr_powm_vector_make(&r->d, t, n, G->first, G->info.blocks);
    if (st == ORR_OK && r->o.personal)
        st = orr_powm_vector_make(&r->p, t, n, G->first, G->info.blocks);
    if (st != ORR_OK)
        return st;
    for (int64_t i = 0; r->o.personal && i < n; i++)
        most = fmax(most, r->o.personal[i]);
    frexp(most, &e);
    for (int64_t i = 0; r->o.personal && i < n; i++)
        sum += ldexp(r->o.personal[i], -e);
    *dangling = 0;
    for (int64_t i = 0; i < n; i++) {
        const double x = r->o.personal ? ldexp(r->o.personal[orr_sparse_given(G, i)], -e) / sum
                                       : 1.0 / (double)n;
        if (r->o.personal)
            orr_powm_set(t, r->p.data, i, x);
        orr_powm_set(t, r->d.data, i, G->degree[i]);
        orr_powm_set(t, r->z[0].data, i, x / fabs(G->degree[i]));
        *dangling += G->degree[i] < 0 ? x : 0;
    }
    return ORR_OK;
}

/* What the steps of a run share. */
struct run {
    struct orr_powm_rule rule;
    int64_t per; /* steps of a task */
    starpu_data_handle_t *partial, *dots, mixing, sc[RING];
};

/* Steps k .. k + count - 1 by task number `t`; the handle that tells how it went, or NULL. */
static starpu_data_handle_t submit_steps(struct rank *r, struct run *u, int64_t t, int64_t k,
                                         int64_t count)
{
    const orr_sparse *G = r->G;
    starpu_data_handle_t before = u->sc[(t + RING - 1) % RING], out = u->sc[t % RING];
    const struct orr_powm_vector *z = &r->z[k % r->generations];
    const struct orr_powm_vector *next = &r->z[(k + 1) % r->generations];
    if (u->per > 1)
        return orr_insert_pagerank_steps(r->req, 0, &G->m, &r->rule, &u->rule, count, before,
                                         z->h[0], r->d.h[0], r->p.h ? r->p.h[0] : NULL, next->h[0],
                                         out)
                   ? out
                   : NULL;
    for (int64_t b = G->m.mine; b < G->m.mine_end; b++)
        orr_insert_pagerank_step(r->req, 0, &G->m, b, &r->rule, before, z->h, r->d.h[b],
                                 r->p.h ? r->p.h[b] : NULL, next->h[b], u->partial[b]);
    orr_powm_share(G->ctx, r->req, &G->m, next->h);
    orr_powm_collect(G->ctx, r->req, u->partial, G->info.blocks);
    if (G->ctx->info.rank == 0 &&
        !orr_insert_powm_combine(r->req, 1, &u->rule, u->partial, G->info.blocks, before, out))
        return NULL;
    orr_powm_tell(G->ctx, r->req, out);
    return out;
}

/* z_{k+1} := the extrapolation of z_{k-2} .. z_{k+1}, which step k has completed. */
static void submit_extrapolation(struct rank *r, struct run *u, int64_t k)
{
    const orr_sparse *G = r->G;
    const orr_type t = G->info.type;
    const int64_t mine = G->m.mine, end = G->m.mine_end;
    starpu_data_handle_t z[4];
    for (int64_t b = mine; b < end; b++) {
        for (int64_t i = 0; i < 4; i++)
            z[i] = r->z[(k + 2 + i) % 4].h[b];
        orr_insert_pagerank_dots(r->req, 0, t, G->first[b + 1] - G->first[b], z, r->d.h[b],
                                 u->dots[b]);
    }
    const starpu_data_handle_t s[3] = {u->sc[(k + RING - 2) % RING], u->sc[(k + RING - 1) % RING],
                                       u->sc[k % RING]};
    orr_powm_collect(G->ctx, r->req, u->dots, G->info.blocks);
    if (G->ctx->info.rank == 0)
        orr_insert_pagerank_mixing(r->req, 1, r->o.alpha, PERIOD, u->dots, G->info.blocks, s,
                                   u->mixing);
    orr_powm_tell(G->ctx, r->req, u->mixing);
    orr_powm_tell(G->ctx, r->req, s[2]);
    for (int64_t b = mine; b < end; b++) {
        for (int64_t i = 0; i < 4; i++)
            z[i] = r->z[(k + 2 + i) % 4].h[b];
        orr_insert_pagerank_mix(r->req, 0, t, G->first[b + 1] - G->first[b], u->mixing, z + 1);
    }
    orr_powm_share(G->ctx, r->req, &G->m, r->z[(k + 1) % 4].h);
}

/* The last step that may be needed if each shrinks the change as the last known ones did: by alpha
 * at least, unless an extrapolation comes between. One more than that, for changes tend to shrink
 * less and less. */
static int64_t last_needed(const struct rank *r)
{
    if (r->o.fixed_steps > 0 || r->seen.step < 0 || !(r->seen.residual > r->o.tol))
        return INT64_MAX;
    const double steps = ceil(log(r->o.tol / r->seen.residual) / log(r->rate)) + 1;
    return steps < 1e15 ? r->seen.step + (int64_t)fmax(steps, 1) : INT64_MAX;
}

static void look(struct rank *r, struct orr_powm_watch *watch, int64_t behind)
{
    const struct orr_powm_seen before = r->seen;
    r->seen = orr_powm_watch_wait(watch, behind);
    const int64_t steps = r->seen.step - before.step;
    if (before.step >= 0 && steps > 0)
        r->rate = fmin(r->o.alpha, pow(r->seen.residual / before.residual, 1 / (double)steps));
}

/* Until step k may be submitted: at most `ahead` answers are missing, and it is needed by what is
 * known, or nothing is missing. A step that is not needed does nothing, but what it reads goes to
 * its device. Several ranks submit the same steps, whatever each of them knows. */
static void wait_to_submit(struct rank *r, struct orr_powm_watch *watch, int64_t k, int64_t ahead)
{
    const int64_t fewest = r->G->ctx->info.ranks == 1 ? 0 : ahead;
    look(r, watch, ahead);
    for (int64_t behind = ahead;
         behind > fewest && r->seen.state == ORR_SEEN_RUNNING && k > last_needed(r);)
        look(r, watch, --behind);
}

static void run_steps(struct rank *r, struct run *u)
{
    const int64_t most = r->o.fixed_steps > 0 ? r->o.fixed_steps
                         : r->req->plan       ? orr_powm_plan_steps(r->req, r->o.max_steps)
                                              : r->o.max_steps;
    const int64_t ahead = ((r->o.lookahead > 0 ? r->o.lookahead : LOOKAHEAD) + u->per - 1) / u->per;
    struct orr_powm_watch watch;
    orr_powm_watch_start(&watch, r->req);
    /* Several ranks: as many steps behind the last as a rank that has not heard of the end may
       have begun, for each waits for all others. */
    const int alone = r->G->ctx->info.ranks == 1;
    for (int64_t t = 0, k = 0; k < most && !orr_request_failed(r->req); t++) {
        if (r->seen.state != ORR_SEEN_RUNNING && (alone || k > r->seen.step + ahead))
            break;
        const int64_t count = most - k < u->per ? most - k : u->per;
        const starpu_data_handle_t out = submit_steps(r, u, t, k, count);
        if (!out)
            break;
        orr_powm_watch_ask(&watch, out);
        if (r->extrapolate && k % PERIOD == PERIOD - 1 && (k + 1 < most || r->req->plan))
            submit_extrapolation(r, u, k);
        k += count;
        wait_to_submit(r, &watch, k, ahead);
    }
    orr_ranks_check(r->G->ctx, r->req);
    r->seen = orr_powm_watch_wait(&watch, 0);
    orr_powm_watch_end(&watch);
    orr_request_drain(r->req, 1);
    r->steps = r->seen.step + 1; /* steps behind it found that all was done */
}

static orr_status iterate(struct rank *r, double dangling)
{
    const int64_t P = r->G->info.blocks;
    struct run u = {
        .rule = {.tol = r->o.tol, .pagerank = 1, .steps = r->o.fixed_steps > 0 ? INT64_MAX : 0},
        .per = r->extrapolate ? 1 : orr_powm_steps_per_task(r->G, r->o.steps_per_task)};
    const size_t size = (orr_powm_scalars_size() + 7) / 8 * 8;
    const size_t mixing = (orr_pagerank_mixing_size() + 7) / 8 * 8;
    char *home = calloc(1, RING * size + mixing);
    u.partial = orr_powm_small(P, orr_powm_partial_size());
    u.dots = orr_powm_small(P, orr_pagerank_dots_size());
    if (!home || !u.partial || !u.dots) {
        orr_powm_small_drop(u.partial, u.partial ? P : 0);
        orr_powm_small_drop(u.dots, u.dots ? P : 0);
        free(home);
        return ORR_E_NOMEM;
    }
    for (int i = 0; i < RING; i++) {
        orr_powm_first_rank(home + i * size, dangling);
        starpu_vector_data_register(&u.sc[i], STARPU_MAIN_RAM, (uintptr_t)(home + i * size),
                                    (uint32_t)(size / 8), 8);
    }
    starpu_vector_data_register(&u.mixing, STARPU_MAIN_RAM, (uintptr_t)(home + RING * size),
                                (uint32_t)(mixing / 8), 8);
    run_steps(r, &u);
    for (int i = 0; i < RING; i++)
        starpu_data_unregister(u.sc[i]);
    starpu_data_unregister(u.mixing);
    orr_powm_small_drop(u.partial, P);
    orr_powm_small_drop(u.dots, P);
    free(home);
    return r->seen.state == ORR_SEEN_LOST ? ORR_E_NONFINITE : ORR_OK;
}

/* x = |d| z, with the sum put right to the last digit unless mass is lost on purpose. */
static void write_scores(struct rank *r, void *scores, orr_pagerank_result *out)
{
    const orr_type t = r->G->info.type;
    const int64_t n = r->G->info.rows;
    orr_powm_vector_unregister(&r->z[r->steps % r->generations]);
    char *z = r->z[r->steps % r->generations].data;
    orr_powm_complete(r->G->ctx, t, z, r->G->first, r->G->info.blocks);
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += fabs(r->G->degree[i]) * creal(orr_powm_get(t, z, i));
    const double scale = r->rule.dangling == 2 ? 1 : (double)(1 / sum);
    out->sum = 0;
    long double after = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t to = orr_sparse_given(r->G, i);
        orr_powm_set(t, scores, to, scale * fabs(r->G->degree[i]) * creal(orr_powm_get(t, z, i)));
        after += creal(orr_powm_get(t, scores, to));
    }
    out->sum = (double)after;
    out->steps = r->steps;
    out->change = r->seen.residual;
    out->bound = r->o.alpha / (1 - r->o.alpha) * out->change;
    out->dangling = r->G->dangling;
    out->extrapolated = r->extrapolate;
    snprintf(out->note, sizeof out->note,
             "|x - exact|_1 <= %.3g by the last change, apart from rounding%s", out->bound,
             r->rule.dangling == 2 ? "; the mass of nodes without links is lost" : "");
}

static void write_plan(const orr_sparse *G, char *plan, size_t room)
{
    snprintf(plan, room, "\"blocks\":%lld,\"order\":\"%s\",\"values\":\"%s\"",
             (long long)G->info.blocks, G->info.by_degree ? "degree" : "none",
             G->info.pattern  ? "pattern"
             : G->info.narrow ? "narrow"
                              : "full");
}

/* What the caller left to the library. */
static orr_pagerank_opts chosen(const orr_sparse *G, const orr_pagerank_opts *opts)
{
    orr_pagerank_opts o = *opts;
    o.alpha = o.alpha > 0 ? o.alpha : 0.85;
    o.tol = o.tol > 0 ? o.tol : G->info.type == ORR_S ? 1e-6 : 1e-10;
    o.max_steps = o.max_steps ? o.max_steps : 10000;
    return o;
}

static orr_status run(orr_context *ctx, struct rank *r, void *scores, orr_pagerank_result *result,
                      orr_report *report)
{
    const orr_sparse *G = r->G;
    struct orr_operation *op = orr_operation_of(r->req);
    orr_status outcome = ORR_OK;
    double dangling = 0;
    orr_powm_begin(r->req, orr_sparse_is_small(G), r->o.max_steps, r->o.progress, r->o.progress_arg,
                   &outcome);
    orr_status st = make_vectors(r, &dangling);
    if (st == ORR_OK)
        st = iterate(r, dangling);
    if (st != ORR_OK)
        orr_request_fail(r->req, st, "pagerank");
    if (st != ORR_E_NONFINITE) /* that is found by all ranks */
        orr_ranks_end(ctx, st, "pagerank");
    orr_plan_bytes(r->req, (double)(r->generations + 1 + (r->o.personal != NULL)) *
                               (double)G->info.rows * (double)orr_type_size(G->info.type));
    if (!orr_request_failed(r->req) && !r->req->plan) {
        write_scores(r, scores, result);
        if (r->seen.state == ORR_SEEN_RUNNING && r->o.fixed_steps == 0) {
            outcome = ORR_NOCONV;
            snprintf(op->message, sizeof op->message,
                     "the last change is %.3g, not %.3g, after %lld steps; |x - exact|_1 <= %.3g",
                     result->change, r->o.tol, (long long)r->steps, result->bound);
        }
    }
    write_plan(G, op->plan, sizeof op->plan);
    for (int64_t i = 0; i < r->generations; i++)
        orr_powm_vector_free(&r->z[i]);
    orr_powm_vector_free(&r->d);
    orr_powm_vector_free(&r->p);
    return orr_wait(r->req, report);
}

orr_status orr_pagerank(orr_context *ctx, const orr_sparse *G, const orr_pagerank_opts *opts,
                        void *scores, orr_pagerank_result *result, orr_report *report)
{
    return orr_pagerank_entered(ctx, orr_context_entered(ctx), G, opts, scores, result, report);
}

orr_status orr_pagerank_entered(orr_context *ctx, unsigned entered, const orr_sparse *G,
                                const orr_pagerank_opts *opts, void *scores,
                                orr_pagerank_result *result, orr_report *report)
{
    orr_pagerank_opts o = opts ? *opts : (orr_pagerank_opts){0};
    char say[256];
    const char *wrong = orr_pagerank_wrong(G, &o, scores, result);
    wrong = orr_sparse_wrong(ctx, wrong, G, NULL, wrong ? 0 : hashed(G, &o), say);
    if (wrong)
        return orr_refused(ORR_E_ARG, "pagerank", wrong, report);
    if (orr_barred() != ORR_OK)
        return orr_refused(orr_barred(), "pagerank", NULL, report);
    *result = (orr_pagerank_result){0};
    if (G->info.rows == 0)
        return orr_refused(ORR_OK, "pagerank", "", report);
    o = chosen(G, &o);
    struct rank r = {.G = G,
                     .o = o,
                     .rule = {.alpha = o.alpha,
                              .personal = o.personal != NULL,
                              .dangling = o.dangling == 'u'   ? 1
                                          : o.dangling == 'n' ? 2
                                                              : 0,
                              .n = G->info.rows}};
    r.extrapolate = o.extrapolate ? o.extrapolate == 'y' : o.alpha >= 0.9;
    r.generations = r.extrapolate ? 4 : 2;
    r.seen.step = -1;
    r.rate = o.alpha;
    struct orr_call call = orr_call_enter(ctx, "pagerank");
    const struct orr_array array =
        orr_array(&scores, G->info.rows, 1, G->info.rows, orr_type_size(G->info.type), ORR_OUT);
    if (!orr_call_home(&call, &array, 1) && !(r.req = orr_context_request(ctx, entered)))
        orr_call_refuse(&call, ORR_E_NOMEM, -1, NULL);
    if (!r.req) {
        orr_ranks_end(ctx, call.status, "pagerank");
        return orr_call_end(&call, call.status, NULL, report);
    }
    orr_operation_of(r.req)->guests = call.guests;
    return run(ctx, &r, scores, result, report);
}
