/* The body of powm_scalars.h, one source for hosts and devices: from the sums over all rows to the
 * scalars of a step, and from scalars to the arguments of a later one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_POWM_COMBINE_H
#define ORR_KERNELS_POWM_COMBINE_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/powm_scalars.h"

/* ---- Complex numbers, in C and in C++ ------------------------------------------------------ */

typedef struct {
    double re, im;
} orr_number;

static inline ORR_BOTH orr_number orr_number_of(const double v[2])
{
    const orr_number a = {v[0], v[1]};
    return a;
}
static inline ORR_BOTH void orr_number_put(double v[2], orr_number a)
{
    v[0] = a.re;
    v[1] = a.im;
}
/* a + s b */
static inline ORR_BOTH orr_number orr_number_add(orr_number a, double s, orr_number b)
{
    const orr_number c = {a.re + s * b.re, a.im + s * b.im};
    return c;
}
static inline ORR_BOTH orr_number orr_number_scaled(double s, orr_number a)
{
    const orr_number c = {s * a.re, s * a.im};
    return c;
}
static inline ORR_BOTH orr_number orr_number_conj(orr_number a)
{
    const orr_number c = {a.re, -a.im};
    return c;
}
static inline ORR_BOTH orr_number orr_number_times(orr_number a, orr_number b)
{
    const orr_number c = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return c;
}
static inline ORR_BOTH double orr_number_square(orr_number a) { return a.re * a.re + a.im * a.im; }
static inline ORR_BOTH double orr_number_abs(orr_number a) { return hypot(a.re, a.im); }
/* b is not zero. */
static inline ORR_BOTH orr_number orr_number_over(orr_number a, orr_number b)
{
    const double most = fmax(fabs(b.re), fabs(b.im));
    const orr_number unit = orr_number_scaled(1 / most, orr_number_conj(b));
    return orr_number_scaled(1 / orr_number_square(unit) / most, orr_number_times(a, unit));
}
static inline ORR_BOTH orr_number orr_number_sqrt(orr_number a)
{
    const double t = sqrt(0.5 * (fabs(a.re) + orr_number_abs(a)));
    orr_number c = {t, 0};
    if (t > 0)
        c.im = 0.5 * a.im / t;
    if (a.re < 0) {
        const orr_number other = {fabs(c.im), copysign(t, a.im)};
        c = other;
    }
    return c;
}

/* ---- Of a step ----------------------------------------------------------------------------- */

/* The power of two that brings x near 1. */
static inline ORR_BOTH double orr_power_of_two(double x)
{
    const double root_of_half = 0.70710678118654752;
    int e;
    if (!(x > 0) || !isfinite(x))
        return 1;
    const double m = frexp(x, &e);
    e = m < root_of_half ? 1 - e : -e;
    return ldexp(1.0, e > 900 ? 900 : e < -900 ? -900 : e);
}

/* What step before->step + 2 is given. */
static inline ORR_BOTH orr_powm_step_args orr_powm_next_step(const orr_powm_scalars *before,
                                                             int ritz)
{
    orr_powm_step_args g;
    const double one = before->next[1], two = before->next[0] * before->next[1];
    const orr_number theta = orr_number_of(before->theta), p = orr_number_of(before->p);
    /* the same polynomial about another point */
    const orr_number d = orr_number_add(orr_number_of(before->shift), -1, theta);
    const orr_number q =
        orr_number_add(orr_number_of(before->q), -1, orr_number_times(d, orr_number_add(p, 1, d)));
    memset(&g, 0, sizeof g);
    g.scale = one;
    g.ritz = ritz;
    orr_number_put(g.theta, orr_number_scaled(one, theta));
    orr_number_put(g.before, orr_number_scaled(before->next[0], theta));
    orr_number_put(g.P, orr_number_scaled(one, orr_number_add(p, 2, d)));
    orr_number_put(g.Q, orr_number_scaled(two, q));
    return g;
}

/* What is not handed on along links: 1 - alpha (mass - dangling) keeps the sum at 1 whatever
 * rounding did before. */
static inline ORR_BOTH orr_pagerank_step_args orr_pagerank_next_step(const orr_pagerank_rule *r,
                                                                     const orr_powm_scalars *before)
{
    orr_pagerank_step_args g;
    double personal = 1 - r->alpha * (before->mass - before->dangling), spread = 0;
    if (r->dangling == 1) {
        spread = r->alpha * before->dangling;
        personal -= spread;
    } else if (r->dangling == 2) {
        personal = 1 - r->alpha;
    }
    g.alpha = r->alpha;
    g.personal = r->personal ? personal : 0;
    g.constant = (r->personal ? spread : spread + personal) * (1.0 / (double)r->n);
    return g;
}

/* The roots of t^2 - p t - q: p/2 +- sqrt(p^2/4 + q), the larger first, the other by the
 * product -q where that is the more accurate. */
static inline ORR_BOTH void orr_powm_roots(orr_number p, orr_number q, orr_number *a, orr_number *b)
{
    const orr_number half = orr_number_scaled(0.5, p);
    const orr_number d = orr_number_sqrt(orr_number_add(q, 1, orr_number_times(half, half)));
    const orr_number more = orr_number_add(half, 1, d), less = orr_number_add(half, -1, d);
    *a = orr_number_abs(more) >= orr_number_abs(less) ? more : less;
    if ((a->re != 0 || a->im != 0) && orr_number_abs(d) > 1e-3 * orr_number_abs(half))
        *b = orr_number_scaled(-1, orr_number_over(q, *a));
    else
        *b = orr_number_add(p, -1, *a);
}

/* The Ritz values, |t1| >= |t2|. */
static inline ORR_BOTH void orr_powm_ritz_pair(const orr_powm_scalars *s, orr_number *t1,
                                               orr_number *t2)
{
    orr_number a, b;
    orr_powm_roots(orr_number_of(s->p), orr_number_of(s->q), &a, &b);
    a = orr_number_add(a, 1, orr_number_of(s->shift));
    b = orr_number_add(b, 1, orr_number_of(s->shift));
    *t1 = orr_number_abs(a) >= orr_number_abs(b) ? a : b;
    *t2 = orr_number_abs(a) >= orr_number_abs(b) ? b : a;
}

/* g = P e + Q w + something orthogonal to w and e; p and q from there. `before` is the scale
 * of the step before. */
static inline ORR_BOTH void orr_powm_solve_ritz(const orr_powm_partial *s, double before,
                                                orr_powm_scalars *out)
{
    const orr_number we = orr_number_of(s->we), wg = orr_number_of(s->wg);
    const orr_number eg = orr_number_of(s->eg);
    const double det = s->ee * s->ww - orr_number_square(we);
    if (!(det > 1e-15 * s->ee * s->ww) || !(s->ee > 0)) /* w is an eigenvector */
        return;
    const orr_number p =
        orr_number_add(orr_number_scaled(s->ww, eg), -1, orr_number_times(orr_number_conj(we), wg));
    const orr_number q = orr_number_add(orr_number_scaled(s->ee, wg), -1, orr_number_times(we, eg));
    for (int i = 0; i < 2; i++) {
        out->p[i] = (i ? p.im : p.re) / det / out->used;
        out->q[i] = (i ? q.im : q.re) / det / (out->used * before);
    }
    out->has_ritz = 1;
}

/* The relative residual of the Ritz vector u = B w - (t2 - shift) w, or infinity. r2 is of p and
 * q of step k-2; the length of u is taken from those of step k-1, which differ as little as
 * the iteration still moves. */
static inline ORR_BOTH double orr_powm_ritz_residual(const orr_powm_partial *s,
                                                     const orr_powm_scalars *before,
                                                     const orr_powm_scalars *now)
{
    /* Below this part of |A w|^2 the Ritz vector is what rounding has left of it: w is then an
     * eigenvector itself, and its own residual is the one to look at. */
    const double ritz_vanishes = 1e-12;
    orr_number t1, t2;
    if (!before->has_ritz)
        return INFINITY;
    orr_powm_ritz_pair(before, &t1, &t2);
    const double a = 1 / before->used, size = orr_number_abs(t1);
    const orr_number shift = orr_number_of(now->shift), mu = orr_number_add(t2, -1, shift);
    const double whole = a * a * s->ee + orr_number_square(mu) * s->ww;
    const double u2 =
        whole - 2 * a * orr_number_times(orr_number_conj(mu), orr_number_of(s->we)).re;
    if (!(u2 > ritz_vanishes * (whole + orr_number_square(shift) * s->ww)) || size == 0)
        return INFINITY;
    return sqrt(s->r2) / (now->used * before->used) / (size * sqrt(u2));
}

/* The scalars of a step from the sums over all rows and the scalars of the step before. */
static inline ORR_BOTH void orr_powm_combine_sums(const orr_powm_combine_args *g,
                                                  const orr_powm_partial *s,
                                                  const orr_powm_scalars *before,
                                                  orr_powm_scalars *out)
{
    if (before->state != ORR_POWM_RUN) {
        *out = *before;
        return;
    }
    memset(out, 0, sizeof *out);
    out->step = before->step + 1;
    out->used = before->next[0];
    out->next[0] = before->next[1];
    out->next[1] = 1;
    const int may_stop = out->step >= g->steps;
    if (g->pagerank) {
        out->change = out->residual = s->change;
        out->mass = s->mass;
        out->dangling = s->dangling;
        out->next[0] = out->used = 1;
        if (!isfinite(s->mass))
            out->state = ORR_POWM_BAD;
        else if (may_stop && s->change <= g->tol)
            out->state = ORR_POWM_CONVERGED;
        return;
    }
    const double used = out->used, x = sqrt(s->xx);
    out->norm = sqrt(s->yy);
    if (!isfinite(s->yy) || !isfinite(s->xx)) {
        out->state = ORR_POWM_BAD;
        return;
    }
    if (s->yy == 0 || s->xx == 0) {
        out->state = ORR_POWM_ZERO;
        return;
    }
    out->growth = out->norm / (used * x);
    out->next[1] = orr_power_of_two(out->growth * out->next[0] * out->growth * out->norm);
    for (int i = 0; i < 2; i++) {
        out->theta[i] = s->xy[i] / (used * s->xx);
        out->theta_before[i] = before->theta[i];
    }
    /* theta of a plus-minus pair is near 0: the residual is then relative to the growth */
    const double size = orr_number_abs(orr_number_of(out->theta));
    out->residual = before->step >= 0 ? sqrt(s->r1) / (used * x) / fmax(size, DBL_MIN) : INFINITY;
    if (g->ritz && before->step >= 0) {
        for (int i = 0; i < 2; i++)
            out->shift[i] = before->theta_before[i];
        const double ritz = orr_powm_ritz_residual(s, before, out);
        orr_powm_solve_ritz(s, before->used, out);
        if (ritz < out->residual) {
            out->residual = ritz;
            out->by_ritz = 1;
        }
    }
    if (may_stop && before->step >= 1 && out->residual <= g->tol)
        out->state = ORR_POWM_CONVERGED;
}

#endif
