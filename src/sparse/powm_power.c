/* Power iteration, alone or seen through span{w, A w}.
 *
 *   step k, block b     spmv      A_b, x_k, sc[k-2] --> x_{k+1,b}, partial_b
 *   step k              combine   partial_1..P, sc[k-1] --> sc[k] --> is it good enough?
 *
 * Two generations of x take turns; sc is a ring. The question is asked of every step and
 * answered while the next ones run: this thread only keeps `lookahead` steps submitted. Steps
 * behind the last needed find the state in sc[k-2] and do nothing, so of them exactly one is
 * carried out: the answer is one step better than what was tested. A matrix of one block is small:
 * there one task makes several steps (codelets/sparse/powm_steps.c).
 *
 * Source: Wang, Chen, Zeng, Yu, Tan, J. Frontiers of CS&T 6(2):118-124, 2012.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"
#include "codelets/core/plan.h"
#include "src/sparse/powm.h"

/* LOOK: steps that look for a pair where power iteration has not converged */
enum { RING = 4, LOOKAHEAD = 8, LOOK = 8 };

/* The vectors of the answer, from the two last iterates. */
struct iterates {
    const char *x, *y; /* y = s A x */
    double s;
};

static double complex combined(const struct powm *p, const struct iterates *it,
                               double complex other, int64_t i)
{
    return orr_powm_get(p->type, it->y, i) / it->s - other * orr_powm_get(p->type, it->x, i);
}

/* u = y/s - other x, an eigenvector if `other` is the other eigenvalue of the pair; for a
 * complex pair of a real matrix real and imaginary part go to two columns. */
static void ritz_vector(struct powm *p, const struct iterates *it, double complex other, int column,
                        int two)
{
    const int is_complex = orr_is_complex(p->type);
    double sum = 0, most = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double complex u = combined(p, it, other, i);
        sum += creal(u) * creal(u) + (is_complex || two ? cimag(u) * cimag(u) : 0);
        most = fmax(most, fmax(fabs(creal(u)), fabs(cimag(u))));
    }
    /* about 1; where squares say nothing, the largest part */
    const double scale = sum > 1e-200 && sum < 1e200 ? 1 / sqrt(sum) : most > 0 ? 1 / most : 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double complex u = scale * combined(p, it, other, i);
        orr_powm_set(p->type, p->X[column].data, i, u);
        if (two)
            orr_powm_set(p->type, p->X[column + 1].data, i, cimag(u));
    }
}

/* 2: the Ritz values of a real matrix are a complex pair; 1: two of equal modulus; 0: neither. */
static int equal_pair(const struct powm *p, const struct orr_powm_seen *s)
{
    const double complex t1 = CMPLX(s->t1[0], s->t1[1]), t2 = CMPLX(s->t2[0], s->t2[1]);
    if (powm_real(p->type) && fabs(cimag(t1)) > 1e-12 * cabs(t1))
        return 2;
    return cabs(t1) - cabs(t2) <= 1e-8 * cabs(t1);
}

static orr_status take_answer(struct powm *p, const struct orr_powm_seen *s,
                              const struct iterates *it)
{
    const int real_type = powm_real(p->type);
    const double complex t1 = CMPLX(s->t1[0], s->t1[1]), t2 = CMPLX(s->t2[0], s->t2[1]);
    if (!s->by_ritz || p->o.method == ORR_POWM_METHOD_POWER) {
        orr_status st = orr_powm_columns(p, 1);
        if (st != ORR_OK)
            return st;
        memcpy(p->values[0], s->theta, sizeof s->theta);
        ritz_vector(p, it, 0, 0, 0);
        return ORR_OK;
    }
    /* Both of a pair of equal modulus, the first alone otherwise. */
    const int both = equal_pair(p, s), conjugate = both == 2;
    orr_status st = orr_powm_columns(p, both ? 2 : 1);
    if (st != ORR_OK)
        return st;
    const double complex first = conjugate && cimag(t1) < 0 ? conj(t1) : t1;
    const double complex second = conjugate ? conj(first) : t2;
    p->values[0][0] = creal(first);
    p->values[0][1] = real_type && !conjugate ? 0 : cimag(first);
    ritz_vector(p, it, second, 0, conjugate);
    if (both) {
        p->values[1][0] = creal(second);
        p->values[1][1] = real_type && !conjugate ? 0 : cimag(second);
        if (!conjugate)
            ritz_vector(p, it, first, 1, 0);
    }
    return ORR_OK;
}

/* What the steps of a run share. sc: scalars, or pairs of them if a task makes `per` steps. */
struct run {
    struct orr_powm_rule rule;
    int64_t per;
    starpu_data_handle_t *partial, sc[RING];
};

/* Steps k .. k + count - 1, by task number `t`; returns the handle that tells how it went, or
 * NULL. */
static starpu_data_handle_t submit_steps(struct powm *p, struct run *r, struct orr_powm_vector x[2],
                                         int64_t t, int64_t k, int64_t count)
{
    starpu_data_handle_t before = r->sc[(t + RING - 1) % RING], out = r->sc[t % RING];
    if (r->per > 1) {
        const starpu_data_handle_t both[2] = {x[0].h[0], x[1].h[0]};
        return orr_insert_powm_steps(p->req, 0, &p->op, &r->rule, k, count, before, out, both)
                   ? out
                   : NULL;
    }
    for (int64_t b = p->op.mine; b < p->op.mine_end; b++)
        orr_insert_powm_spmv(p->req, 0, &p->op, b, r->rule.ritz, r->sc[(t + RING - 2) % RING],
                             x[k % 2].h, x[(k + 1) % 2].h[b], r->partial[b]);
    orr_powm_share(p->ctx, p->req, &p->op, x[(k + 1) % 2].h);
    orr_powm_collect(p->ctx, p->req, r->partial, p->op.blocks);
    if (p->ctx->info.rank == 0 &&
        !orr_insert_powm_combine(p->req, 1, &r->rule, r->partial, p->op.blocks, before, out))
        return NULL;
    orr_powm_tell(p->ctx, p->req, out);
    return out;
}

/* Steps that are submitted behind the last one. The first of them is always made where that converged: it is in
 * the answer. By several ranks as many as one that has not heard of the end may have begun, for each waits for all
 * others. */
static int64_t made_behind(const struct orr_powm_seen *seen, int alone, int64_t ahead)
{
    if (!alone)
        return ahead;
    return seen->state == ORR_SEEN_CONVERGED ? 1 : -1;
}

/* Runs at most `most` steps by a rule from x[0], or from a random start vector; *done is how many
 * were submitted. x ends unregistered, in main memory. */
static orr_status iterate(struct powm *p, const struct orr_powm_rule *rule, int random,
                          int64_t most, struct orr_powm_vector x[2], struct orr_powm_seen *seen,
                          int64_t *done)
{
    const int64_t P = p->op.blocks;
    const int alone = p->ctx->info.ranks == 1;
    struct run r = {.rule = *rule, .per = orr_powm_steps_per_task(p->A, p->o.steps_per_task)};
    const int64_t ahead = ((p->o.lookahead > 0 ? p->o.lookahead : LOOKAHEAD) + r.per - 1) / r.per;
    const double bound = p->A->norm;
    const size_t size = ((r.per > 1 ? orr_powm_pair_size() : orr_powm_scalars_size()) + 7) / 8 * 8;
    char *home = calloc(RING, size); /* of the ring, so that its first entries have values */
    struct orr_powm_watch watch;
    int64_t k = 0;
    r.partial = orr_powm_small(P, orr_powm_partial_size());
    if (!home || !r.partial) {
        orr_powm_small_drop(r.partial, r.partial ? P : 0);
        free(home);
        return ORR_E_NOMEM;
    }
    for (int i = 0; i < RING; i++) {
        if (r.per > 1)
            orr_powm_first_pair(home + i * size, bound);
        else
            orr_powm_first_scalars(home + i * size, bound);
        starpu_vector_data_register(&r.sc[i], STARPU_MAIN_RAM, (uintptr_t)(home + i * size),
                                    (uint32_t)(size / 8), 8);
    }
    for (int64_t b = 0; random && b < P; b++)
        orr_insert_powm_random(p->req, 0, p->type, p->op.first[b],
                               p->op.first[b + 1] - p->op.first[b], p->o.seed, 0, x[0].h[b]);
    orr_powm_watch_start(&watch, p->req);
    *seen = watch.last;
    for (int64_t t = 0; k < most && !orr_request_failed(p->req); t++) {
        if (seen->state != ORR_SEEN_RUNNING && alone)
            *seen = orr_powm_watch_wait(&watch, 0);
        if (seen->state != ORR_SEEN_RUNNING && k > seen->step + made_behind(seen, alone, ahead))
            break;
        const int64_t count = most - k < r.per ? most - k : r.per;
        const starpu_data_handle_t out = submit_steps(p, &r, x, t, k, count);
        if (!out)
            break;
        k += count;
        orr_powm_watch_ask(&watch, out);
        *seen = orr_powm_watch_wait(&watch, k < most ? ahead : 0);
    }
    orr_ranks_check(p->ctx, p->req);
    *seen = orr_powm_watch_wait(&watch, 0);
    orr_powm_watch_end(&watch);
    orr_request_drain(p->req, 1);
    for (int i = 0; i < RING; i++)
        starpu_data_unregister(r.sc[i]);
    orr_powm_small_drop(r.partial, P);
    for (int g = 0; g < 2; g++) {
        orr_powm_vector_unregister(&x[g]);
        orr_powm_complete(p->ctx, p->type, x[g].data, p->op.first, P);
    }
    free(home);
    *done = k;
    return ORR_OK;
}

static void register_both(const struct powm *p, struct orr_powm_vector x[2])
{
    for (int g = 0; g < 2; g++)
        orr_powm_vector_register(&x[g], p->type, p->op.first);
}

/* Was it a pair that power iteration could not part? The iterate is in their plane, so that a few
 * steps of the other method from there on see them. x[0] is the last iterate. */
static orr_status look_for_pair(struct powm *p, struct orr_powm_vector x[2],
                                struct orr_powm_seen *seen, int64_t *done)
{
    const struct orr_powm_rule rule = {.tol = 5e-4, .ritz = 1};
    register_both(p, x);
    orr_status st = iterate(p, &rule, 0, LOOK, x, seen, done);
    if (st == ORR_OK && seen->state == ORR_SEEN_CONVERGED && seen->by_ritz)
        p->power_pair = equal_pair(p, seen);
    return st;
}

/* A^k x = 0 was found in step k-1, and the step behind it has overwritten the iterate before:
 * the same steps again, without the last, lead back to it. */
static orr_status take_zero(struct powm *p, const struct orr_powm_rule *rule, int64_t steps,
                            struct orr_powm_vector x[2])
{
    struct orr_powm_seen seen;
    int64_t done;
    register_both(p, x);
    orr_status st = iterate(p, rule, 1, steps, x, &seen, &done);
    if (st == ORR_OK)
        st = orr_powm_columns(p, 1);
    if (st == ORR_OK) {
        const struct iterates it = {x[steps % 2].data, x[steps % 2].data, 1};
        ritz_vector(p, &it, 0, 0, 0);
    }
    return st;
}

/* The last step that was carried out. */
static int64_t last_step(const struct orr_powm_seen *seen, int64_t submitted)
{
    const int ended = seen->state != ORR_SEEN_RUNNING && seen->step + 1 < submitted;
    return ended ? seen->step + 1 : submitted - 1;
}

orr_status orr_powm_power(struct powm *p)
{
    const int measured = p->o.fixed_steps > 0;
    const int64_t all = measured       ? p->o.fixed_steps
                        : p->req->plan ? orr_powm_plan_steps(p->req, p->o.max_products)
                                       : p->o.max_products;
    const int64_t look =
        p->o.method == ORR_POWM_METHOD_POWER && !measured && all >= 4 * LOOK ? LOOK : 0;
    /* half: the answer comes from other numbers than the test, a step later */
    const struct orr_powm_rule rule = {.tol = p->o.tol / 2,
                                       .ritz = p->o.method == ORR_POWM_METHOD_RITZ,
                                       .steps = measured ? INT64_MAX : 0};
    struct orr_powm_vector x[2] = {{0}, {0}};
    struct orr_powm_seen seen;
    int64_t k = 0;
    int looked = 0;
    orr_status st = ORR_OK;
    for (int g = 0; g < 2 && st == ORR_OK; g++)
        st = orr_powm_vector_make(&x[g], p->type, p->n, p->op.first, p->op.blocks);
    orr_plan_bytes(p->req, 2.0 * (double)p->n * (double)orr_type_size(p->type));
    if (st == ORR_OK)
        st = iterate(p, &rule, 1, all - look, x, &seen, &k);
    if (p->req->plan)
        k = 0; /* nothing was seen */
    if (st == ORR_OK && !orr_request_failed(p->req) && look > 0 && seen.state == ORR_SEEN_RUNNING) {
        looked = 1;
        p->products = k;
        if (k % 2 != 0) {
            const struct orr_powm_vector v = x[0];
            x[0] = x[1];
            x[1] = v;
        }
        st = look_for_pair(p, x, &seen, &k);
    }
    if (st == ORR_OK && !orr_request_failed(p->req) && k > 0) {
        const int64_t last = last_step(&seen, k);
        const struct iterates it = {x[last % 2].data, x[(last + 1) % 2].data,
                                    last == seen.step ? seen.used : seen.next};
        p->steps = p->products += last + 1;
        p->zero = seen.state == ORR_SEEN_ZERO && !looked;
        p->lost = seen.state == ORR_SEEN_LOST;
        st = p->zero   ? take_zero(p, &rule, seen.step, x)
             : p->lost ? ORR_OK
                       : take_answer(p, &seen, &it);
    }
    orr_powm_vector_free(&x[0]);
    orr_powm_vector_free(&x[1]);
    return st;
}
