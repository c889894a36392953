/* Values of a tridiagonal matrix: see verify.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/lapack/verify.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* T, its values, and how many of these are below so many points: pivots of T - x that are negative. */
enum { POINTS = 16 };
static void count_below(const struct check *c, const double *d, const double *e2, const double *x,
                        int64_t *below)
{
    double pivot[POINTS];
    for (int p = 0; p < POINTS; p++) {
        pivot[p] = 1;
        below[p] = 0;
    }
    for (int64_t i = 0; i < c->k; i++)
        for (int p = 0; p < POINTS; p++) {
            const double q = d[i] - x[p] - e2[i] / pivot[p];
            pivot[p] = fabs(q) < DBL_MIN / DBL_EPSILON ? -DBL_MIN / DBL_EPSILON : q;
            below[p] += pivot[p] < 0;
        }
}

/* Value i has at most i values below w_i - tolerance, and at least i + 1 below w_i + tolerance. */
static int judge_counts(const struct check *c, const double *d, const double *e2, double tolerance,
                        char why[ORR_WHY])
{
    for (int64_t i = 0; i < c->k; i += POINTS / 2) {
        double x[POINTS] = {0};
        int64_t below[POINTS];
        const int64_t count = check_least(POINTS / 2, c->k - i);
        for (int64_t p = 0; p < count; p++) {
            x[p] = c->w[i + p] - tolerance;
            x[p + POINTS / 2] = c->w[i + p] + tolerance;
        }
        count_below(c, d, e2, x, below);
        for (int64_t p = 0; p < count; p++)
            if (below[p] > i + p || below[p + POINTS / 2] <= i + p) {
                snprintf(why, ORR_WHY, "check: value %lld is not within %.2g of its place",
                         (long long)(i + p) + 1, tolerance);
                return 1;
            }
    }
    return 0;
}

static double at(orr_type t, const void *x, int64_t i)
{
    return t == ORR_S ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

int orr_verify_values(orr_type type, int64_t n, const void *d, const void *e, const void *w,
                      char why[ORR_WHY])
{
    struct check c = {.k = n, .w = malloc(3 * (size_t)n * sizeof *c.w)};
    double *diagonal = c.w + n, *e2 = diagonal + n, largest = 0, norm = 0, before = 0;
    int exponent;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!c.w)
        return 1;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fmax(fabs(at(type, d, i)), i + 1 < n ? fabs(at(type, e, i)) : 0));
    frexp(largest, &exponent);
    c.scale = ldexp(1, -(exponent < -1000 ? -1000 : exponent));
    for (int64_t i = 0; i < n; i++) {
        const double after = i + 1 < n ? fabs(c.scale * at(type, e, i)) : 0;
        diagonal[i] = c.scale * at(type, d, i);
        e2[i] = before * before;
        norm = fmax(norm, before + fabs(diagonal[i]) + after);
        c.w[i] = c.scale * at(type, w, i);
        before = after;
    }
    const double grid = type == ORR_S ? FLT_TRUE_MIN : DBL_TRUE_MIN; /* of subnormal results */
    const double tolerance = SLACK * check_eps(type) * (norm > 0 ? norm : 1) + c.scale * grid;
    const int wrong = check_order(&c, 1, why) || judge_counts(&c, diagonal, e2, tolerance, why);
    return check_end(&c, wrong);
}
