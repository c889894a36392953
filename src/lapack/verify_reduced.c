/* Tridiagonal and bidiagonal forms: see verify.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/lapack/verify.h"

#include <math.h>
#include <stdio.h>

/* Entry i of reals. */
static double real_entry(const struct check *c, const void *x, int64_t i)
{
    const int single = c->a->type == ORR_S || c->a->type == ORR_C;
    return c->scale * (single ? ((const float *)x)[i] : ((const double *)x)[i]);
}

/* |d|^2 + 2 or 1 times |e|^2, which a reduction keeps, and of a symmetric matrix the trace. */
static int judge_reduced(const struct check *c, const void *d, const void *e, double trace,
                         char why[ORR_WHY])
{
    const double size = c->norm > 0 ? c->norm : 1, tolerance = check_for_orthogonality(c);
    double squares = 0, sum = 0;
    for (int64_t i = 0; i < c->k; i++) {
        const double x = real_entry(c, d, i), y = i + 1 < c->k ? real_entry(c, e, i) : 0;
        squares += x * x + (c->a->uplo ? 2 : 1) * y * y;
        sum += x;
    }
    return check_judge("the sum of squares over |A|^2 less 1",
                       fabs(squares - c->norm * c->norm) / (size * size), tolerance, why) ||
           (c->a->uplo && check_judge("the sum less the trace, over |A|", fabs(sum - trace) / size,
                                      tolerance, why));
}

/* c->p := T x. */
static void times_tridiagonal(struct check *c, const void *d, const void *e)
{
    for (int64_t i = 0; i < c->k; i++) {
        c->p[i] = real_entry(c, d, i) * c->x[i];
        if (i > 0)
            c->p[i] += real_entry(c, e, i - 1) * c->x[i - 1];
        if (i + 1 < c->k)
            c->p[i] += real_entry(c, e, i) * c->x[i + 1];
    }
}

int orr_verify_tridiagonal(const struct orr_matrix *a, const void *d, const void *e, const void *q,
                           int64_t ldq, char why[ORR_WHY])
{
    struct check c;
    double trace;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!check_begin(&c, a, a->n, d, &trace))
        return check_end(&c, 1);
    const struct orr_matrix basis = {.type = a->type, .m = a->n, .n = a->n, .ld = ldq, .a = q};
    int wrong = judge_reduced(&c, d, e, trace, why);
    for (int i = 0; q && !wrong && i < PROBES; i++) {
        check_draw(&c, c.k);
        times_tridiagonal(&c, d, e);
        wrong = check_probe(&c, &basis, why);
    }
    return check_end(&c, wrong);
}

int orr_verify_bidiagonal(const struct orr_matrix *a, const void *d, const void *e,
                          char why[ORR_WHY])
{
    struct check c;
    double trace;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!check_begin(&c, a, check_least(a->m, a->n), d, &trace))
        return check_end(&c, 1);
    return check_end(&c, judge_reduced(&c, d, e, trace, why));
}
