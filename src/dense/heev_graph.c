/* From a tridiagonal matrix to the values and vectors of the one that it was made of.
 *
 *     T  --solver-->  w, S        Z = Q S, by panels of columns: the reflectors of hb2st, and what
 *                                 the caller lets follow
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/dense/heev_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"
#include "src/core/owners.h"
#include "src/core/pieces.h"
#include "src/core/range.h"
#include "src/dense/dense_plan.h"

/* ---- What may be asked for ------------------------------------------------------------------- */

/* As LAPACK takes it: in the precision of the matrix. */
static double in_type(orr_type type, double x)
{
    return orr_type_real(type) == ORR_S ? (double)(float)x : x;
}

const char *orr_heev_wrong_part(orr_type type, int64_t n, const void *z, int64_t ldz,
                                const orr_heev_opts *o)
{
    if (z && ldz < n)
        return "z needs n <= ldz";
    if (o->il || o->iu ? o->il < 1 || o->iu < o->il || o->iu > n : 0)
        return "il and iu are not 1 <= il <= iu <= n";
    if (orr_heev_has_interval(o) && !(in_type(type, o->vl) < in_type(type, o->vu)))
        return "vl and vu are not vl < vu, in the precision of the matrix";
    if (orr_heev_has_interval(o) && o->il)
        return "il and iu, or vl and vu";
    if (o->place != ORR_PLACE_AUTO && o->place != ORR_PLACE_CPU && o->place != ORR_PLACE_GPU)
        return "place is auto, cpu or gpu";
    return NULL;
}

const char *orr_heev_too_many(int64_t n, const void *z, int64_t ldz, const orr_heev_opts *o)
{
    const int64_t count = o->il ? o->iu - o->il + 1 : n;
    if (z && ldz > orr_product_most_ld())
        return "z needs ldz < 2^24";
    if (z && count == n && n > ORR_HEEV_MOST_VECTORS)
        return "n is more than 65535, too many for all vectors";
    if (z && n > 0 && count > UINT32_MAX / n)
        return "z of more than 2^32 numbers";
    return NULL;
}

/* ---- What is wanted -------------------------------------------------------------------------- */

static int64_t solver_parts(const struct heev *h)
{
    const double n = (double)h->t.n, k = (double)h->t.count, unit = (double)h->unit;
    const double values = 36 * n * k, some = 130 * n * k, all = 0.8 * n * n * n;
    if (h->direct)
        return h->t.n * h->t.n;
    return (int64_t)((!h->z ? values : k < n ? some : all) / unit);
}

static void tell_parts(struct heev *h)
{
    h->t.parts = solver_parts(h);
    h->req->parts_total = h->t.parts + h->parts[0] + (h->z ? h->t.count * h->parts[1] : 0);
}

void orr_heev_want(struct heev *h, orr_type type, int64_t n, double scale, void *w)
{
    const orr_heev_opts *o = &h->o;
    h->found[0] = o->il ? o->il - 1 : 0;
    h->found[1] = o->il ? o->iu - o->il + 1 : n;
    h->t = (struct orr_tridiagonal){.type = type,
                                    .n = n,
                                    .scale = scale,
                                    .first = h->found[0],
                                    .count = h->found[1],
                                    .low = in_type(type, o->vl),
                                    .high = in_type(type, o->vu),
                                    .found = orr_heev_has_interval(o) ? h->found : NULL,
                                    .where = orr_place_where(h->ctx, o->place),
                                    .w = w,
                                    .solver = {&h->failed, &h->begun, &h->solved}};
    tell_parts(h);
}

double orr_heev_direct_memory(const struct heev *h)
{
    const double n = (double)h->t.n, count = h->z ? (double)h->t.count : 0;
    const double work = count == n ? n : 0, real = (double)orr_type_size(orr_type_real(h->t.type));
    return n * n * (double)orr_type_size(h->t.type) + n * (count + work) * real;
}

/* ---- The graph ------------------------------------------------------------------------------- */

void orr_heev_make_tridiagonal(struct heev *h)
{
    const size_t real = orr_type_size(orr_type_real(h->t.type)), bytes = (size_t)h->t.n * real + 1;
    h->t.d = h->d = orr_own_memory(h->req, ORR_ON_CPU, 0, bytes, "heev");
    h->t.e = h->e = orr_own_memory(h->req, ORR_ON_CPU, 0, bytes, "heev");
    if (h->d && h->e)
        h->t.T = orr_request_vector(h->req, h->d, h->t.n, real);
}

/* Its vectors, by one task. */
static void make_vectors(struct heev *h)
{
    const size_t real = orr_type_size(orr_type_real(h->t.type));
    const int64_t count = h->t.n * h->t.count;
    h->s = orr_own_memory(h->req, ORR_ON_CPU, 0, (size_t)count * real + 1, "heev");
    if (h->s)
        h->t.S = orr_request_vector(h->req, h->s, count, real);
}

static void place(orr_request *req, void *arg, int64_t first, const struct orr_hb2st_panel *p)
{
    const struct heev *h = arg;
    orr_insert_heev_place(req, 0, &h->t, h->merge, first, p);
}

/* w and S. */
static void submit_solver(struct heev *h)
{
    const int split = h->t.count == h->t.n && h->t.n >= ORR_HEEV_SPLIT;
    if (split)
        h->merge = orr_heev_split(h->req, &h->t);
    else
        make_vectors(h);
    if (orr_request_failed(h->req))
        return;
    if (split)
        orr_insert_merge(h->merge);
    else
        orr_insert_heev_vectors(h->req, 0, &h->t);
}

/* Z = Q S, by a panel of columns for each worker: each makes the triangular factors anew. */
static void submit_one_panel_each(struct heev *h)
{
    enum { NARROW = 32 };
    const int64_t n = h->t.n, k = h->t.count, workers = h->ctx->info.cpu;
    const int64_t width = orr_most((k + workers - 1) / workers, NARROW);
    const size_t size = orr_type_size(h->t.type);
    for (int64_t c = 0; c < k && !orr_request_failed(h->req); c += width) {
        struct orr_hb2st_panel p = {
            .rows = n, .k = orr_least(width, k - c), .lde = h->ldz, .where = ORR_ON_CPU};
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
    const struct orr_owners owners =
        orr_context_owners(h->ctx, h->o.place, "hb2st_apply", h->t.type);
    struct orr_product q = {.rows = h->t.n,
                            .k = h->t.count,
                            .lde = h->ldz,
                            .E = h->z,
                            .on = h->z_on,
                            .before = place,
                            .then = h->then,
                            .arg = h,
                            .where = orr_place_where(h->ctx, h->o.place),
                            .owners = &owners};
    const struct orr_hb2st *r = h->shared ? NULL : orr_hb2st_attached(h->chase);
    if (r) /* before the solver's tasks, which may change T */
        orr_make_panels(h->ctx, h->req, r, &q, r->launched, h->t.T);
    submit_solver(h);
    if (r)
        orr_submit_product(h->ctx, h->req, r, &q);
    else
        submit_one_panel_each(h);
    if (h->merge)
        orr_merge_forget(h->merge);
}

/* w by pieces: the values do not wait for each other. */
static void submit_values(struct heev *h)
{
    const int64_t count = h->t.count, at_once = orr_heev_values_at_once(h->t.n);
    for (int64_t k = 0; k < count; k += at_once)
        orr_insert_heev_values(h->req, 0, &h->t, k, orr_least(at_once, count - k));
}

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
    tell_parts(h);
}

void orr_heev_submit_results(struct heev *h)
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

/* ---- The end --------------------------------------------------------------------------------- */

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

orr_status orr_heev_finish(orr_request *req)
{
    struct heev *h = req->state;
    struct orr_operation *op = orr_operation_of(req);
    orr_status st = ORR_OK;
    if (!orr_request_failed(req) && !req->plan) {
        h->print_seconds(h, op->plan, sizeof op->plan);
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
    orr_merge_drop(h->merge);
    orr_heev_one_stage_drop(h->one_stage);
    orr_hb2st_detach(h->chase);
    orr_he2hb_free(&h->reduction);
    free(h->d);
    free(h->e);
    free(h->s);
    free(h);
    return st;
}
