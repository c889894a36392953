/* Thick-restart Lanczos and Krylov-Schur: one graph for both, and for A'A.
 *
 *   step j   product    x --> y          (two products for A'A)
 *            dot        x, y --> V_j, parts       reduce
 *            update     y -= V h                  reduce     (classical Gram-Schmidt,
 *            update     y -= V h                  reduce      twice)
 *   m steps make a cycle; then
 *            rayleigh   H --> Ritz values, rotation      restart    V := V Q
 *
 * When all that is wanted of a Hermitian matrix has been found, a random vector orthogonal to it
 * looks for copies of multiple eigenvalues.
 *
 * The small state passes through every task of a step, so nothing is read by this thread but
 * once per cycle: how many columns the next one starts from.
 *
 * Sources: Wu, Simon, SIAM J. Matrix Anal. Appl. 22(2), 2000; Stewart, ibid. 23(3), 2002.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"
#include "codelets/core/plan.h"
#include "src/sparse/powm.h"

struct run {
    struct powm *p;
    int m;
    int64_t P;                      /* blocks of the vectors */
    struct orr_krylov_block *block; /* [P] */
    char **V;                       /* [P] their memory */
    struct orr_powm_vector g[2], t; /* x and y take turns; t: A x of singular pairs */
    starpu_data_handle_t *part, state;
    char *state_home;
};

/* Of several pairs closer than asked for: those that come later are orthogonal to the first, which
 * are exact to this only. */
static double inner_tol(const struct powm *p)
{
    const double tol = p->o.tol, rounding = 8 * orr_type_eps(p->type);
    return p->hermitian && p->o.k > 1 ? fmax(tol / 4, fmin(tol, rounding)) : tol;
}

static orr_status make(struct run *r)
{
    struct powm *p = r->p;
    const size_t size = orr_type_size(p->type);
    const int complex_numbers = orr_is_complex(p->type);
    orr_status st = ORR_OK;
    const size_t bytes = orr_powm_krylov_bytes(p->type, p->n, r->m, p->o.k);
    r->block = calloc((size_t)r->P, sizeof *r->block);
    r->V = calloc((size_t)r->P, sizeof *r->V);
    r->part = orr_powm_small(r->P, (size_t)(r->m + 3) * (complex_numbers ? 16 : 8));
    r->state_home = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!r->block || !r->V || !r->part || !r->state_home)
        return ORR_E_NOMEM;
    for (int64_t b = p->op.mine; b < p->op.mine_end; b++) {
        const int64_t rows = p->op.first[b + 1] - p->op.first[b];
        const size_t all = (size_t)rows * (size_t)(r->m + 1) * size;
        if (rows * (r->m + 1) > (int64_t)UINT32_MAX)
            return ORR_E_NOMEM;
        r->V[b] = orr_large_memory(all + 64);
        if (!r->V[b])
            return ORR_E_NOMEM;
        r->block[b] = (struct orr_krylov_block){.type = p->type, .rows = rows};
        orr_plan_bytes(p->req, (double)all);
        starpu_vector_data_register(&r->block[b].V, STARPU_MAIN_RAM, (uintptr_t)r->V[b],
                                    (uint32_t)(rows * (r->m + 1)), size);
    }
    orr_plan_bytes(p->req,
                   (double)(bytes + size * (size_t)(2 * p->n + (p->At ? p->inner.rows : 0))));
    for (int i = 0; i < 2 && st == ORR_OK; i++)
        st = orr_powm_vector_make(&r->g[i], p->type, p->n, p->op.first, r->P);
    if (st == ORR_OK && p->At)
        st = orr_powm_vector_make(&r->t, p->type, p->inner.rows, p->inner.first, p->inner.blocks);
    if (st != ORR_OK)
        return st;
    orr_powm_krylov_first(p->type, p->n, r->m, p->o.k, p->hermitian, p->o.which, inner_tol(p),
                          r->state_home);
    starpu_vector_data_register(&r->state, STARPU_MAIN_RAM, (uintptr_t)r->state_home,
                                (uint32_t)(bytes / 8), 8);
    return ORR_OK;
}

static void unregister(struct run *r)
{
    for (int64_t b = 0; r->block && b < r->P; b++)
        if (r->block[b].V) {
            starpu_data_unregister(r->block[b].V);
            r->block[b].V = NULL;
        }
    if (r->state)
        starpu_data_unregister(r->state);
    r->state = NULL;
}

static void destroy(struct run *r)
{
    unregister(r);
    for (int64_t b = 0; r->V && b < r->P; b++)
        free(r->V[b]);
    orr_powm_small_drop(r->part, r->P);
    for (int i = 0; i < 2; i++)
        orr_powm_vector_free(&r->g[i]);
    orr_powm_vector_free(&r->t);
    free(r->block);
    free(r->V);
    free(r->state_home);
}

/* ---- The graph ----------------------------------------------------------------------------- */

static void submit_product(struct run *r, int j, struct orr_powm_vector *x,
                           struct orr_powm_vector *y)
{
    struct powm *p = r->p;
    struct orr_powm_vector *last = x;
    if (p->At) {
        orr_powm_share(p->ctx, p->req, &p->inner, x->h);
        for (int64_t b = p->inner.mine; b < p->inner.mine_end; b++)
            orr_insert_powm_product(p->req, 0, &p->inner, b, r->state, j, 1, x->h, r->t.h[b]);
        last = &r->t;
    }
    orr_powm_share(p->ctx, p->req, &p->op, last->h);
    for (int64_t b = p->op.mine; b < p->op.mine_end; b++)
        orr_insert_powm_product(p->req, 0, &p->op, b, r->state, j, !p->At, last->h, y->h[b]);
}

static void submit_reduce(struct run *r, int j, int phase, int fresh)
{
    const struct powm *p = r->p;
    orr_powm_collect(p->ctx, p->req, r->part, r->P);
    if (p->ctx->info.rank == 0)
        orr_insert_krylov_reduce(p->req, 1, p->type, j, phase, fresh, r->part, r->P, r->state);
    orr_powm_tell(p->ctx, p->req, r->state);
}

static void submit_update(struct run *r, int j, int pass, int fresh, struct orr_powm_vector *y)
{
    for (int64_t b = r->p->op.mine; b < r->p->op.mine_end; b++)
        orr_insert_krylov_update(r->p->req, 0, &r->block[b], j, pass, fresh, r->state, y->h[b],
                                 r->part[b]);
    submit_reduce(r, j, pass + 1, fresh);
}

static void submit_step(struct run *r, int j)
{
    struct orr_powm_vector *x = &r->g[j % 2], *y = &r->g[(j + 1) % 2];
    submit_product(r, j, x, y);
    for (int64_t b = r->p->op.mine; b < r->p->op.mine_end; b++)
        orr_insert_krylov_dot(r->p->req, 0, &r->block[b], j, r->state, x->h[b], y->h[b],
                              r->part[b]);
    submit_reduce(r, j, 1, 0);
    submit_update(r, j, 1, 0, y);
    submit_update(r, j, 2, 0, y);
}

static void submit_random(struct run *r, uint64_t seed, int symmetric, struct orr_powm_vector *x)
{
    for (int64_t b = r->p->op.mine; b < r->p->op.mine_end; b++)
        orr_insert_powm_random(r->p->req, 0, r->p->type, r->p->op.first[b], r->block[b].rows, seed,
                               symmetric, x->h[b]);
}

/* A start vector orthogonal to the `columns` that are there. */
static void submit_fresh(struct run *r, int columns, uint64_t seed)
{
    struct orr_powm_vector *x = &r->g[columns % 2];
    submit_random(r, seed, 1, x);
    for (int pass = 0; pass < 3; pass++)
        submit_update(r, columns - 1, pass, 1, x);
}

/* ---- The cycles ---------------------------------------------------------------------------- */

struct cycle_end {
    struct run *r;
    struct orr_powm_krylov_seen seen;
    starpu_pthread_mutex_t lock;
    starpu_pthread_cond_t changed;
    int there;
};

static void on_cycle(void *arg)
{
    struct cycle_end *e = arg;
    struct orr_request *req = e->r->p->req;
    const struct starpu_vector_interface *v =
        starpu_data_get_interface_on_node(e->r->state, STARPU_MAIN_RAM);
    const struct orr_powm_krylov_seen seen = orr_powm_krylov_look((const void *)v->ptr);
    starpu_data_release(e->r->state);
    STARPU_PTHREAD_MUTEX_LOCK(&e->lock);
    e->seen = seen;
    e->there = 1;
    STARPU_PTHREAD_COND_BROADCAST(&e->changed);
    STARPU_PTHREAD_MUTEX_UNLOCK(&e->lock);
    orr_request_release(req);
}

/* Submits what ends a cycle of `columns`; returns what came of it. */
static struct orr_powm_krylov_seen end_cycle(struct run *r, struct cycle_end *e, int columns,
                                             int last)
{
    struct powm *p = r->p;
    if (p->ctx->info.rank == 0 &&
        !orr_insert_krylov_rayleigh(p->req, 1, p->type, columns, last, r->state))
        return (struct orr_powm_krylov_seen){.done = 1};
    orr_powm_tell(p->ctx, p->req, r->state);
    for (int64_t b = p->op.mine; b < p->op.mine_end; b++)
        orr_insert_krylov_restart(p->req, 0, &r->block[b], r->state);
    if (p->req->plan)
        return (struct orr_powm_krylov_seen){.stop = columns, .done = 1};
    e->there = 0;
    orr_request_let_go(p->req);
    orr_request_hold(p->req);
    starpu_data_acquire_cb(r->state, STARPU_R, on_cycle, e);
    STARPU_PTHREAD_MUTEX_LOCK(&e->lock);
    while (!e->there)
        STARPU_PTHREAD_COND_WAIT(&e->changed, &e->lock);
    STARPU_PTHREAD_MUTEX_UNLOCK(&e->lock);
    return e->seen;
}

/* The residual vector of the cycle is where step `stop` would look for it; the next step
 * looks at `start`. */
static void move_start(struct run *r, int stop, int start)
{
    if (stop % 2 == start % 2)
        return;
    struct orr_powm_vector v = r->g[0];
    r->g[0] = r->g[1];
    r->g[1] = v;
}

static void cycles(struct run *r)
{
    struct powm *p = r->p;
    const int per_step = p->At ? 2 : 1;
    struct cycle_end e = {.r = r};
    int start = 0;
    STARPU_PTHREAD_MUTEX_INIT(&e.lock, NULL);
    STARPU_PTHREAD_COND_INIT(&e.changed, NULL);
    submit_random(r, p->o.seed, 0, &r->g[0]);
    submit_update(r, -1, 2, 1, &r->g[0]);
    for (int64_t cycle = 0; !orr_request_failed(p->req); cycle++) {
        /* as many steps as there may be products for; one at least, to have an answer */
        const int64_t left = (p->o.max_products - p->products) / per_step;
        const int most = left > 1 ? (int)(left < r->m ? left : r->m) : 1;
        const int end = start + most < r->m ? start + most : r->m;
        for (int j = start; j < end; j++)
            submit_step(r, j);
        /* cycles are counted too: each makes a product, but the end must not depend on that */
        const int spent = p->products + per_step * (end - start + 1) > p->o.max_products;
        const int last = cycle + 1 >= p->o.max_products ? 2 : spent;
        const struct orr_powm_krylov_seen seen = end_cycle(r, &e, end, last);
        p->steps += seen.stop - start;
        p->products += per_step * (seen.stop - start);
        if (seen.done) {
            p->lost = seen.columns == 0;
            p->copies = seen.fresh;
            p->columns = seen.columns;
            break;
        }
        if (seen.fresh)
            submit_fresh(r, seen.start, p->o.seed + 1 + (uint64_t)cycle);
        else
            move_start(r, seen.stop, seen.start);
        start = seen.start;
    }
    orr_ranks_check(p->ctx, p->req);
    orr_request_drain(p->req, 1);
    STARPU_PTHREAD_COND_DESTROY(&e.changed);
    STARPU_PTHREAD_MUTEX_DESTROY(&e.lock);
}

/* The answer stands in the first columns of V: to the vectors of p. */
static orr_status take_answer(struct run *r)
{
    struct powm *p = r->p;
    const size_t size = orr_type_size(p->type);
    const int columns = p->columns;
    orr_status st = orr_powm_columns(p, columns);
    const struct orr_powm_krylov_seen seen = orr_powm_krylov_look(r->state_home);
    p->largest = seen.largest;
    for (int c = 0; c < columns && st == ORR_OK; c++) {
        p->values[c][0] = seen.values[2 * c];
        p->values[c][1] = seen.values[2 * c + 1];
        for (int64_t b = p->op.mine; b < p->op.mine_end; b++) {
            const size_t bytes = (size_t)r->block[b].rows * size;
            memcpy(p->X[c].data + (size_t)p->op.first[b] * size, r->V[b] + (size_t)c * bytes,
                   bytes);
        }
        orr_powm_complete(p->ctx, p->type, p->X[c].data, p->op.first, r->P);
    }
    return st;
}

orr_status orr_powm_krylov(struct powm *p)
{
    enum { LEAST_BASIS = 20, MOST_BASIS = 400 };
    int64_t m = p->o.basis > 0 ? p->o.basis : 2 * p->o.k + 8;
    if (!p->o.basis && m < LEAST_BASIS)
        m = LEAST_BASIS;
    if (m < p->o.k + 3)
        m = p->o.k + 3;
    if (m > MOST_BASIS)
        m = MOST_BASIS;
    if (m > p->n)
        m = p->n;
    struct run r = {.p = p, .m = (int)m, .P = p->op.blocks};
    orr_status st = make(&r);
    if (st == ORR_OK) {
        orr_plan_note(
            p->req, "of one cycle; a run makes as many as it needs, shorter ones after the first");
        cycles(&r);
        unregister(&r);
        if (!orr_request_failed(p->req) && !p->req->plan)
            st = take_answer(&r);
    }
    destroy(&r);
    return st;
}
