/* Generalised eigenvalue problems: see verify.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/lapack/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A and B have scales of their own, the values that of A/B (problem 1) or A B, the vectors that which
 * keeps them normalized. */
struct pencil {
    struct check c; /* of A, and the values */
    const struct orr_matrix *b, *z;
    const void *l;
    int itype;
    double b_scale, b_norm, z_scale, z_norm, z_longest;
    double largest; /* of all values, a bound */
};

static double product_trace(const struct pencil *p)
{
    number *of_b = p->c.q;
    double sum = 0;
    for (int64_t j = 0; j < p->b->n; j++) {
        int64_t first, count;
        check_rows(p->b, j, &first, &count);
        check_column(p->c.a, j, p->c.scale, p->c.column);
        check_column(p->b, j, p->b_scale, of_b);
        for (int64_t i = first; i < first + count; i++)
            sum += (i != j ? 2 : 1) * creal(p->c.column[i] * conj(of_b[i]));
    }
    return sum;
}

/* Column j of L. */
static void load_factor(const struct pencil *p, int64_t j, number *column)
{
    const int64_t n = p->b->n;
    check_load(p->b->type, p->l, j + j * n, n - j, sqrt(p->b_scale), column + j);
}

static void measure(struct pencil *p)
{
    const int64_t n = p->b->n;
    struct check of_b = p->c;
    double unused, pivot = INFINITY;
    of_b.a = p->b;
    of_b.scale = p->b_scale = check_scale(p->b, p->c.column);
    p->b_norm = check_frobenius(&of_b, &unused);
    p->z_scale = p->itype == 3 ? sqrt(p->b_scale) : 1 / sqrt(p->b_scale);
    for (int64_t i = 0; i < p->c.k; i++) {
        p->c.w[i] = p->itype == 1 ? p->c.w[i] / p->b_scale : p->c.w[i] * p->b_scale;
        p->largest = fmax(p->largest, fabs(p->c.w[i]));
    }
    for (int64_t j = 0; j < n; j++) {
        load_factor(p, j, p->c.column);
        pivot = fmin(pivot, check_square(p->c.column[j]));
    }
    p->largest = fmax(p->largest, p->itype == 1 ? p->c.norm / pivot : 0);
    for (int64_t j = 0; p->z && j < p->c.k; j++) {
        double sum = 0;
        check_column(p->z, j, p->z_scale, p->c.column);
        for (int64_t i = 0; i < n; i++)
            sum += check_square(p->c.column[i]);
        p->z_norm += sum;
        p->z_longest = fmax(p->z_longest, sqrt(sum));
    }
    p->z_norm = sqrt(p->z_norm);
}

/* L (L' x) against B x. */
static int judge_factor(struct pencil *p, char why[ORR_WHY])
{
    struct check *c = &p->c;
    const int64_t n = p->b->n;
    check_draw(c, n);
    check_multiply(c, p->b, p->b_scale, c->x, c->q);
    memset(c->p, 0, (size_t)n * sizeof *c->p);
    for (int64_t j = 0; j < n; j++) {
        number sum = 0;
        load_factor(p, j, c->column);
        for (int64_t i = j; i < n; i++)
            sum += conj(c->column[i]) * c->x[i];
        for (int64_t i = j; i < n; i++)
            c->p[i] += c->column[i] * sum;
    }
    return check_judge("the residual of the factor over |B|",
                       check_distance(n, c->p, c->q) / p->b_norm, check_for_residual(c), why);
}

/* Problem 1: quotients x'A x / x'B x lie between the ends. 2 and 3: the trace of A B. */
static int judge_values(struct pencil *p, char why[ORR_WHY])
{
    struct check *c = &p->c;
    const int64_t n = p->b->n;
    const double tolerance = check_for_orthogonality(c);
    if (p->itype != 1) {
        const double size = c->norm * p->b_norm;
        return check_judge("the sum less the trace, over |A| |B|",
                           fabs(check_sum(c, 1) - product_trace(p)) / (size > 0 ? size : 1),
                           tolerance, why);
    }
    for (int probe = 0; probe < PROBES; probe++) {
        number a = 0, b = 0;
        check_draw(c, n);
        check_multiply(c, c->a, c->scale, c->x, c->p);
        check_multiply(c, p->b, p->b_scale, c->x, c->q);
        for (int64_t i = 0; i < n; i++) {
            a += conj(c->x[i]) * c->p[i];
            b += conj(c->x[i]) * c->q[i];
        }
        const double quotient = creal(a) / creal(b);
        const double beyond = fmax(c->w[0] - quotient, quotient - c->w[n - 1]);
        if (check_judge("a quotient's way beyond the values, over the largest,",
                        fmax(beyond, 0) / (p->largest > 0 ? p->largest : 1), tolerance, why))
            return 1;
    }
    return 0;
}

/* y := M y, by c->q. */
static void apply(const struct check *c, const struct orr_matrix *m, double scale, number *y)
{
    check_multiply(c, m, scale, y, c->q);
    memcpy(y, c->q, (size_t)m->m * sizeof *y);
}

static int judge_pencil_residual(struct pencil *p, char why[ORR_WHY])
{
    struct check *c = &p->c;
    const double size =
        (p->itype == 1 ? c->norm + p->b_norm * p->largest : c->norm * p->b_norm) * p->z_norm;
    check_times_values(c);
    check_multiply(c, p->z, p->z_scale, c->p, c->y);
    memcpy(c->p, c->y, (size_t)p->b->n * sizeof *c->p);
    check_multiply(c, p->z, p->z_scale, c->x, c->y);
    if (p->itype == 2)
        apply(c, p->b, p->b_scale, c->y);
    apply(c, c->a, c->scale, c->y);
    if (p->itype == 3)
        apply(c, p->b, p->b_scale, c->y);
    if (p->itype == 1)
        apply(c, p->b, p->b_scale, c->p);
    return check_judge("the residual over |A|, |B| and |Z|",
                       check_distance(p->b->n, c->y, c->p) / (size > 0 ? size : 1),
                       SLACK * check_eps(c->a->type), why);
}

/* Z'B Z = I; of problem 3 Z'A Z = L, which with the residual is the same as Z'B^-1 Z = I. */
static int judge_pencil_basis(struct pencil *p, char why[ORR_WHY])
{
    struct check *c = &p->c;
    const double longest = p->z_longest * p->z_longest;
    const double size =
        p->itype == 3 ? c->norm * longest + p->largest : fmax(1, p->b_norm * longest);
    check_multiply(c, p->z, p->z_scale, c->x, c->y);
    if (p->itype == 3)
        apply(c, c->a, c->scale, c->y);
    else
        apply(c, p->b, p->b_scale, c->y);
    check_multiply_adjoint(c, p->z, p->z_scale, c->y, c->q);
    if (p->itype == 3)
        check_times_values(c);
    else
        memcpy(c->p, c->x, (size_t)c->k * sizeof *c->p);
    return check_judge("the loss of orthogonality",
                       check_distance(c->k, c->q, c->p) / (size > 0 ? size : 1),
                       check_for_orthogonality(c), why);
}

int orr_verify_pencil(int itype, const struct orr_matrix *a, const struct orr_matrix *b,
                      const void *l, int64_t k, const void *w, const void *z, int64_t ldz,
                      char why[ORR_WHY])
{
    struct pencil p = {.b = b, .l = l, .itype = itype};
    double trace;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!check_begin(&p.c, a, k, w, &trace))
        return check_end(&p.c, 1);
    const struct orr_matrix vectors = {.type = a->type, .m = a->n, .n = k, .ld = ldz, .a = z};
    p.z = z ? &vectors : NULL;
    measure(&p);
    int wrong = check_order(&p.c, 1, why) || judge_factor(&p, why);
    if (!wrong && k == a->n)
        wrong = judge_values(&p, why);
    for (int i = 0; z && !wrong && i < PROBES; i++) {
        check_draw(&p.c, k);
        wrong = judge_pencil_residual(&p, why) || judge_pencil_basis(&p, why);
    }
    return check_end(&p.c, wrong);
}
