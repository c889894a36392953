/* Tridiagonal matrices: sterf, and values of stev and stevd, by orr_sterf.
 *
 * LAPACK's way, QL, costs the square of the orders of the blocks into which a matrix falls where
 * off-diagonal entries vanish; bisection that of the whole order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/lapack/shim.h"

/* Where arguments stand; d and e follow n. z: 0: there is none, and no job. */
struct places {
    int n, z;
};

static const char *take(struct orr_call *);

static const struct places alone = {.n = 0}, after_job = {.n = 1, .z = 4};

const struct orr_family orr_args_sterf = {take, {0}, &alone};
const struct orr_family orr_args_stev = {take, {0}, &after_job};
const struct orr_family orr_args_stevd = {take, {7, 9}, &after_job};

struct problem {
    orr_type type;
    int64_t n;
    void *d, *e;
};

static double get(orr_type t, const void *x, int64_t i)
{
    return t == ORR_S ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/* Certainly what LAPACK accepts, of values. */
static int valid(const struct orr_call *c, const struct places *at)
{
    const int *length = c->routine->family->length;
    int ok = orr_integer(c, at->n) >= 0;
    if (at->z)
        ok &=
            (orr_letter(c, 0) == 'N' || orr_letter(c, 0) == 'V') && orr_integer(c, at->z + 1) >= 1;
    for (int k = 0; k < ORR_LENGTHS && length[k]; k++)
        ok &= orr_integer(c, length[k]) >= 1;
    return ok;
}

/* NULL, or why bisection is not the way. */
static const char *unsuitable(const struct problem *p)
{
    double largest = 0, work = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double x = fabs(get(p->type, p->d, i)),
                     y = i + 1 < p->n ? fabs(get(p->type, p->e, i)) : 0;
        if (!isfinite(x) || !isfinite(y))
            return "the matrix has NaN or infinite entries";
        largest = fmax(largest, fmax(x, y));
    }
    const double eps = p->type == ORR_S ? FLT_EPSILON : DBL_EPSILON, n = (double)p->n;
    for (int64_t i = 0, first = 0; i < p->n; i++)
        if (i + 1 == p->n || fabs(get(p->type, p->e, i)) <= eps * largest) {
            const double block = (double)(i + 1 - first);
            work += block * block;
            first = i + 1;
        }
    return work < n * n / 4 ? "it falls into blocks" : NULL;
}

static const char *compute(struct orr_call *c, const struct problem *p, void *w)
{
    const orr_status st = orr_do_sterf(p->type, p->n, p->d, p->e, w);
    if (st != ORR_OK)
        return orr_said(st);
    c->wrong = orr_checking() && orr_verify_values(p->type, p->n, p->d, p->e, w, c->why);
    return c->wrong ? c->why : NULL;
}

static const char *solve(struct orr_call *c, const struct problem *p)
{
    const size_t bytes = (size_t)p->n * orr_bytes(p->type);
    void *w = malloc(bytes);
    const char *why = w ? compute(c, p, w) : "out of memory";
    if (!why) {
        memcpy(p->d, w, bytes);
        orr_put_integer(c, c->routine->args - 1, 0, 0);
    }
    free(w);
    return why;
}

/* Seconds of LAPACK. */
static double estimate(int64_t n) { return 20e-9 * (double)n * (double)n; }

static const char *take(struct orr_call *c)
{
    const struct places *at = c->routine->family->places;
    const struct problem p = {.type = c->routine->type,
                              .n = orr_integer(c, at->n),
                              .d = c->arg[at->n + 1],
                              .e = c->arg[at->n + 2]};
    if (!valid(c, at))
        return "LAPACK checks its arguments";
    snprintf(c->what, sizeof c->what, "%c n=%lld", at->z ? orr_letter(c, 0) : 'N', (long long)p.n);
    if (at->z && orr_letter(c, 0) == 'V')
        return "vectors of a tridiagonal matrix";
    if (p.n <= 1)
        return "there is nothing to do";
    const int64_t from = orr_threshold(c->routine, 0);
    if (p.n < from) {
        snprintf(c->why, sizeof c->why, "n is less than %lld", (long long)from);
        return c->why;
    }
    const char *why = unsuitable(&p);
    if (!why && c->routine->family->length[0] && !orr_accepted(c))
        why = "LAPACK checks its arguments";
    if (!why && !(why = orr_begin(c, estimate(p.n)))) {
        why = solve(c, &p);
        orr_end();
    }
    return why;
}
