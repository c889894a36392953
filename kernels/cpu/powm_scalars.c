/* See powm_scalars.h. SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/powm_scalars.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Below this part of |A w|^2 the Ritz vector is what rounding has left of it: w is then an
 * eigenvector itself, and its own residual is the one to look at. */
static const double RITZ_VANISHES = 1e-12;

static double complex number(const double v[2]) { return CMPLX(v[0], v[1]); }
static void store(double v[2], double complex c)
{
    v[0] = creal(c);
    v[1] = cimag(c);
}
static double square(double complex c) { return creal(c) * creal(c) + cimag(c) * cimag(c); }

static double power_of_two(double x)
{
    if (!(x > 0) || !isfinite(x))
        return 1;
    double e = -round(log2(x));
    return ldexp(1, (int)fmax(fmin(e, 900), -900));
}

void orr_powm_scalars_start(orr_powm_scalars *s, double bound)
{
    const double scale = power_of_two(bound);
    *s = (orr_powm_scalars){.step = -1,
                            .next = {scale, scale},
                            .norm = 1,
                            .growth = bound,
                            .used = scale,
                            .residual = INFINITY,
                            .mass = 1};
}

orr_powm_step_args orr_powm_next_step(const orr_powm_scalars *b, int ritz)
{
    orr_powm_step_args g = {.scale = b->next[1], .ritz = ritz};
    const double complex theta = number(b->theta);
    /* the same polynomial about another point */
    const double complex d = number(b->shift) - theta;
    const double complex p = number(b->p) + 2 * d;
    const double complex q = number(b->q) - d * number(b->p) - d * d;
    store(g.theta, theta * b->next[1]);
    store(g.before, theta * b->next[0]);
    store(g.P, p * b->next[1]);
    store(g.Q, q * b->next[0] * b->next[1]);
    return g;
}

/* The roots of t^2 - p t - q: p/2 +- sqrt(p^2/4 + q), the larger first, the other by the
 * product -q where that is the more accurate. */
static void roots(double complex p, double complex q, double complex *a, double complex *b)
{
    const double complex half = p / 2, d = csqrt(half * half + q);
    *a = cabs(half + d) >= cabs(half - d) ? half + d : half - d;
    *b = *a != 0 && cabs(d) > 1e-3 * cabs(half) ? -q / *a : p - *a;
}

void orr_powm_ritz_values(const orr_powm_scalars *s, double t1[2], double t2[2])
{
    double complex a, b;
    roots(number(s->p), number(s->q), &a, &b);
    a += number(s->shift);
    b += number(s->shift);
    store(t1, cabs(a) >= cabs(b) ? a : b);
    store(t2, cabs(a) >= cabs(b) ? b : a);
}

static orr_powm_partial sum(const orr_powm_partial *const *parts, int64_t blocks)
{
    orr_powm_partial s = {.low = INFINITY, .high = -INFINITY};
    for (int64_t b = 0; b < blocks; b++) {
        const orr_powm_partial *a = parts[b];
        s.xx += a->xx;
        s.yy += a->yy;
        s.ww += a->ww;
        s.ee += a->ee;
        for (int i = 0; i < 2; i++) {
            s.xy[i] += a->xy[i];
            s.we[i] += a->we[i];
            s.wg[i] += a->wg[i];
            s.eg[i] += a->eg[i];
        }
        s.r1 += a->r1;
        s.r2 += a->r2;
        s.low = fmin(s.low, a->low);
        s.high = fmax(s.high, a->high);
        s.change += a->change;
        s.mass += a->mass;
        s.dangling += a->dangling;
    }
    return s;
}

/* g = P e + Q w + something orthogonal to w and e; p and q from there. `before` is the scale
 * of the step before. */
static void solve_ritz(const orr_powm_partial *s, double before, orr_powm_scalars *out)
{
    const double complex we = number(s->we), wg = number(s->wg), eg = number(s->eg);
    const double det = s->ee * s->ww - square(we);
    if (!(det > 1e-15 * s->ee * s->ww) || !(s->ee > 0)) /* w is an eigenvector */
        return;
    store(out->p, (s->ww * eg - conj(we) * wg) / det / out->used);
    store(out->q, (s->ee * wg - we * eg) / det / (out->used * before));
    out->has_ritz = 1;
}

/* The relative residual of the Ritz vector u = B w - (t2 - shift) w, or infinity. r2 is of p and
 * q of step k-2; the length of u is taken from those of step k-1, which differ as little as
 * the iteration still moves. */
static double ritz_residual(const orr_powm_partial *s, const orr_powm_scalars *before,
                            const orr_powm_scalars *now)
{
    double t1[2], t2[2];
    if (!before->has_ritz)
        return INFINITY;
    orr_powm_ritz_values(before, t1, t2);
    const double a = 1 / before->used;
    const double complex mu = number(t2) - number(now->shift);
    const double whole = a * a * s->ee + square(mu) * s->ww;
    const double u2 = whole - 2 * a * creal(conj(mu) * number(s->we));
    const double size = cabs(number(t1));
    if (!(u2 > RITZ_VANISHES * (whole + square(number(now->shift)) * s->ww)) || size == 0)
        return INFINITY;
    return sqrt(s->r2) / (now->used * before->used) / (size * sqrt(u2));
}

void orr_powm_combine(const orr_powm_combine_args *g, const orr_powm_partial *const *parts,
                      int64_t blocks, const orr_powm_scalars *before, orr_powm_scalars *out)
{
    if (before->state != ORR_POWM_RUN) {
        *out = *before;
        return;
    }
    const orr_powm_partial s = sum(parts, blocks);
    *out = (orr_powm_scalars){
        .step = before->step + 1, .used = before->next[0], .next = {before->next[1], 1}};
    const int may_stop = out->step >= g->steps;
    if (g->pagerank) {
        out->change = out->residual = s.change;
        out->mass = s.mass;
        out->dangling = s.dangling;
        out->next[0] = out->used = 1;
        if (!isfinite(s.mass))
            out->state = ORR_POWM_BAD;
        else if (may_stop && s.change <= g->tol)
            out->state = ORR_POWM_CONVERGED;
        return;
    }
    const double used = out->used, x = sqrt(s.xx);
    out->norm = sqrt(s.yy);
    if (!isfinite(s.yy) || !isfinite(s.xx)) {
        out->state = ORR_POWM_BAD;
        return;
    }
    if (s.yy == 0 || s.xx == 0) {
        out->state = ORR_POWM_ZERO;
        return;
    }
    out->growth = out->norm / (used * x);
    out->next[1] = power_of_two(out->growth * out->next[0] * out->growth * out->norm);
    store(out->theta, number(s.xy) / (used * s.xx));
    memcpy(out->theta_before, before->theta, sizeof out->theta_before);
    /* theta of a plus-minus pair is near 0: the residual is then relative to the growth */
    const double size = cabs(number(out->theta));
    out->residual = before->step >= 0 ? sqrt(s.r1) / (used * x) / fmax(size, DBL_MIN) : INFINITY;
    if (g->ritz && before->step >= 0) {
        memcpy(out->shift, before->theta_before, sizeof out->shift);
        const double ritz = ritz_residual(&s, before, out);
        solve_ritz(&s, before->used, out);
        if (ritz < out->residual) {
            out->residual = ritz;
            out->by_ritz = 1;
        }
    }
    if (may_stop && before->step >= 1 && out->residual <= g->tol)
        out->state = ORR_POWM_CONVERGED;
}

/* ---- Start vectors ------------------------------------------------------------------------- */

/* splitmix64 of a counter: any part of the vector can be made anywhere. */
static double uniform(uint64_t seed, uint64_t i)
{
    uint64_t z = seed * 0xd1342543de82ef95u + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

void orr_powm_random(orr_type type, int64_t first, int64_t rows, uint64_t seed, int symmetric,
                     void *x)
{
    for (int64_t i = 0; i < rows; i++) {
        double u = uniform(seed, (uint64_t)(first + i));
        u = symmetric ? 2 * u - 1 : u;
        switch (type) {
        case ORR_S: ((float *)x)[i] = (float)u; break;
        case ORR_D: ((double *)x)[i] = u; break;
        case ORR_C: ((float complex *)x)[i] = (float complex)u; break;
        default: ((double complex *)x)[i] = u;
        }
    }
}
