/* Singular values and vectors: see verify.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/lapack/verify.h"

#include <stdio.h>
#include <string.h>

/* A Y against X L x, for either side: A V = U S, and with the adjoint A'U = V S. */
static int probe_side(struct check *c, const struct orr_matrix *x, const struct orr_matrix *y,
                      int adjoint, char why[ORR_WHY])
{
    check_times_values(c);
    check_multiply(c, x, 1, c->p, c->y);
    memcpy(c->p, c->y, (size_t)x->m * sizeof *c->p);
    check_multiply(c, y, 1, c->x, c->y);
    if (adjoint)
        check_multiply_adjoint(c, c->a, c->scale, c->y, c->q);
    else
        check_multiply(c, c->a, c->scale, c->y, c->q);
    return check_residual(c, check_distance(x->m, c->q, c->p), why) ||
           check_orthogonality(c, y, why);
}

int orr_verify_svd(const struct orr_matrix *a, const void *s, const void *u, int64_t ldu,
                   const void *v, int64_t ldv, char why[ORR_WHY])
{
    struct check c;
    double trace;
    const int64_t k = a->m < a->n ? a->m : a->n;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!check_begin(&c, a, k, s, &trace))
        return check_end(&c, 1);
    const struct orr_matrix left = {.type = a->type, .m = a->m, .n = k, .ld = ldu, .a = u};
    const struct orr_matrix right = {.type = a->type, .m = a->n, .n = k, .ld = ldv, .a = v};
    int wrong = check_order(&c, -1, why) || check_sums(&c, trace, why);
    for (int i = 0; u && !wrong && i < PROBES; i++) {
        check_draw(&c, c.k);
        wrong = probe_side(&c, &left, &right, 0, why) || probe_side(&c, &right, &left, 1, why);
    }
    return check_end(&c, wrong);
}
