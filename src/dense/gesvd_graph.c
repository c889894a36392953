/* gesvd in two stages, one graph:
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
 * The user's array is where the first stage works, tile by tile, unless its adjoint is needed: in main
 * memory, or that of a device, and then the tiles of the adjoint are nowhere else either.
 *
 * Sources: docs/algorithms/gesvd.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/dense/gesvd_graph.h"

#include <stdlib.h>

#include "codelets/core/least.h"
#include "src/core/owners.h"
#include "src/core/pieces.h"
#include "src/dense/dense_plan.h"

enum { SPLIT = 128 }; /* above this order divide and conquer is several tasks */

static int splits(const struct gesvd *h) { return orr_gesvd_wants_vectors(h) && h->n > SPLIT; }

const char *orr_gesvd_solver(const struct gesvd *h)
{
    if (!orr_gesvd_wants_vectors(h))
        return h->pieces ? "bisection" : "bdsqr";
    return splits(h) ? "merges" : "bdsdc";
}

/* ---- Before the first task ------------------------------------------------------------------ */

/* The diagonal of B, in s until the values replace it, unless these come by pieces; what is above it; the
 * vectors, if one task makes them. */
static void make_bidiagonal(struct gesvd *h)
{
    const size_t real = orr_type_size(orr_type_real(h->user.type));
    const int vectors = orr_gesvd_wants_vectors(h) && !splits(h) ? 2 : 0;
    h->b.e = h->e = orr_own_memory(h->req, ORR_ON_CPU, 0, (size_t)h->n * real + 1, "gesvd");
    if (h->pieces)
        h->b.d = h->d = orr_own_memory(h->req, ORR_ON_CPU, 0, (size_t)h->n * real, "gesvd");
    for (int i = 0; i < vectors; i++)
        h->x[i] = orr_own_memory(h->req, ORR_ON_CPU, 0, (size_t)(h->n * h->n) * real, "gesvd");
    if (orr_request_failed(h->req))
        return;
    h->b.B = orr_request_vector(h->req, h->b.d, h->n, real);
    for (int i = 0; i < vectors; i++)
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
    x->lda = orr_most(rows, 1);
    if (x->on) {
        x->a = NULL;
        x->on = -1;
        return;
    }
    *own = x->a = orr_own_memory(h->req, ORR_ON_CPU, 0, (size_t)(rows * h->n) * size + 1, "gesvd");
}

static void make_reductions(struct gesvd *h)
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

static int64_t solver_parts(const struct gesvd *h)
{
    const double n = (double)h->n;
    return (int64_t)(orr_gesvd_wants_vectors(h) ? 2 * n * n * n / (double)h->band.r.b : 2 * n * n);
}

void orr_gesvd_make_stages(struct gesvd *h)
{
    h->qr = orr_gesvd_has_qr(&h->o, h->m, h->n);
    h->pieces = !orr_gesvd_wants_vectors(h) && orr_gesvd_has_pieces(h->ctx, h->n);
    make_reductions(h);
    make_bidiagonal(h);
    h->b.parts = solver_parts(h);
}

void orr_gesvd_free_stages(struct gesvd *h)
{
    orr_merge_drop(h->tasks);
    orr_gb2bd_detach(h->chase);
    orr_ge2gb_free(&h->band);
    orr_tall_free(&h->triangle);
    free(h->copy);
    free(h->square);
    free(h->d);
    free(h->e);
    free(h->x[0]);
    free(h->x[1]);
}

/* ---- The reduction -------------------------------------------------------------------------- */

/* Progress counts in units of what the reduction does for an entry of the rest of the matrix, 4 b
 * operations; these say what other stages take, with the kernels of docs/algorithms. */
enum { SWEEP = 2 }; /* times n, of a sweep of the second stage */
enum { BACK = 2 };  /* of an entry that both stages' reflectors are applied to */

static struct orr_gb2bd_part chase_part(const struct gesvd *h)
{
    return (struct orr_gb2bd_part){.type = h->user.type,
                                   .n = h->n,
                                   .d = h->b.d,
                                   .ku = orr_least(h->band.r.b, h->n - 1),
                                   .keep = orr_gesvd_wants_vectors(h),
                                   .weight = SWEEP * h->n};
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

static const struct orr_gb2bd_side *reflectors_of(const struct gesvd_side *x)
{
    const struct orr_gb2bd_vectors *v = orr_gb2bd_attached(x->h->chase);
    return x->which == ORR_LEFT ? &v->left : &v->right;
}

static void place(orr_request *req, void *arg, int64_t first, const struct orr_hb2st_panel *p)
{
    const struct gesvd_side *x = arg;
    const struct gesvd *h = x->h;
    orr_insert_gesvd_place(req, 0, &h->b, x->which, h->tasks, first,
                           reflectors_of(x)->phases_handle, p);
}

static void back(orr_request *req, void *arg, const struct orr_hb2st_panel *p)
{
    const struct gesvd_side *x = arg;
    orr_ge2gb_submit_apply(req, &x->h->band.r, x->which, p, BACK);
    if (x->which == ORR_LEFT && x->h->qr)
        orr_tall_submit_apply(req, &x->h->triangle, p, BACK);
}

static struct orr_gate *launched(const struct gesvd *h)
{
    return orr_gb2bd_attached(h->chase)->a->launched;
}

/* Before the solver's tasks, which change B. */
static struct orr_product make_product(struct gesvd *h, struct gesvd_side *x)
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
        orr_make_panels(h->ctx, h->req, &reflectors_of(x)->r, &q, launched(h), h->b.B);
    return q;
}

static void unlock(struct gesvd *h) { orr_ge2gb_unlock_tiles(h->req, &h->band, launched(h)); }

static void submit_vectors(struct gesvd *h, struct gesvd_side *x, struct orr_product *q)
{
    if (x->out)
        orr_submit_product(h->ctx, h->req, &reflectors_of(x)->r, q);
}

/* ---- The graph ------------------------------------------------------------------------------ */

/* s alone; by pieces, which do not wait for each other. */
static void submit_values(struct gesvd *h)
{
    const int64_t at_once = orr_gesvd_at_once(h->n);
    if (!h->pieces)
        orr_insert_gesvd_values(h->req, 0, &h->b);
    for (int64_t k = 0; h->pieces && k < h->n; k += at_once)
        orr_insert_gesvd_piece(h->req, 0, &h->b, k, orr_least(at_once, h->n - k));
}

/* s, X and Y. */
static void submit_solver(struct gesvd *h)
{
    if (splits(h)) {
        h->tasks = orr_gesvd_split(h->req, &h->b);
        if (!orr_request_failed(h->req))
            orr_insert_merge(h->tasks);
        return;
    }
    orr_plan_bytes(h->req, 3.0 * (double)h->n * (double)h->n *
                               (double)orr_type_size(orr_type_real(h->user.type)));
    orr_insert_gesvd_vectors(h->req, 0, &h->b);
}

void orr_gesvd_submit_stages(struct gesvd *h)
{
    submit_chase(h, submit_reduction(h));
    if (orr_request_failed(h->req))
        return;
    if (!orr_gesvd_wants_vectors(h)) {
        unlock(h);
        submit_values(h);
        return;
    }
    struct orr_product left = make_product(h, &h->side[ORR_LEFT]);
    struct orr_product right = make_product(h, &h->side[ORR_RIGHT]);
    unlock(h); /* after what is locked, which is waited for */
    submit_solver(h);
    submit_vectors(h, &h->side[ORR_LEFT], &left);
    submit_vectors(h, &h->side[ORR_RIGHT], &right);
    if (h->tasks)
        orr_merge_forget(h->tasks);
}

int64_t orr_gesvd_stages_parts(const struct gesvd *h)
{
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
