/* See verify.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/lapack/verify.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double check_eps(orr_type t) { return t == ORR_S || t == ORR_C ? FLT_EPSILON : DBL_EPSILON; }

void check_load(orr_type t, const void *from, int64_t first, int64_t count, double scale,
                number *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = scale * (t == ORR_S   ? ((const float *)from)[first + i]
                         : t == ORR_D ? ((const double *)from)[first + i]
                         : t == ORR_C ? ((const float _Complex *)from)[first + i]
                                      : ((const double _Complex *)from)[first + i]);
}

void check_rows(const struct orr_matrix *a, int64_t j, int64_t *first, int64_t *count)
{
    const int64_t reach = a->diagonals - 1; /* of a triangle */
    int64_t from = a->uplo == 'L' ? j : 0, to = a->uplo == 'U' ? j + 1 : a->m;
    if (a->diagonals) {
        from = check_most(from, j - (a->uplo ? reach : a->above));
        to = check_least(to, j + 1 + (a->uplo ? reach : a->below));
    }
    *first = from;
    *count = check_most(to - from, 0);
}

void check_column(const struct orr_matrix *a, int64_t j, double scale, number *column)
{
    int64_t first, count;
    check_rows(a, j, &first, &count);
    check_load(a->type, a->a, first + j * a->ld, count, scale, column + first);
    if (a->uplo)
        column[j] = creal(column[j]);
}

double check_scale(const struct orr_matrix *a, number *column)
{
    double largest = 0;
    for (int64_t j = 0; j < a->n; j++) {
        int64_t first, count;
        check_rows(a, j, &first, &count);
        check_column(a, j, 1, column);
        for (int64_t i = first; i < first + count; i++)
            largest = fmax(largest, fmax(fabs(creal(column[i])), fabs(cimag(column[i]))));
    }
    int exponent = 0;
    frexp(largest, &exponent);
    return isfinite(largest) && largest > 0 ? ldexp(1, -(exponent < -1000 ? -1000 : exponent)) : 1;
}

double check_frobenius(const struct check *c, double *trace)
{
    double sum = 0;
    *trace = 0;
    for (int64_t j = 0; j < c->a->n; j++) {
        int64_t first, count;
        check_rows(c->a, j, &first, &count);
        check_column(c->a, j, c->scale, c->column);
        for (int64_t i = first; i < first + count; i++)
            sum += (c->a->uplo && i != j ? 2 : 1) * check_square(c->column[i]);
        if (first <= j && j < first + count)
            *trace += creal(c->column[j]);
    }
    return sqrt(sum);
}

void check_multiply(const struct check *c, const struct orr_matrix *m, double scale,
                    const number *x, number *y)
{
    memset(y, 0, (size_t)m->m * sizeof *y);
    for (int64_t j = 0; j < m->n; j++) {
        int64_t first, count;
        check_rows(m, j, &first, &count);
        check_column(m, j, scale, c->column);
        for (int64_t i = first; i < first + count; i++)
            y[i] += c->column[i] * x[j];
        for (int64_t i = first; m->uplo && i < first + count; i++)
            if (i != j)
                y[j] += conj(c->column[i]) * x[i];
    }
}

void check_multiply_adjoint(const struct check *c, const struct orr_matrix *m, double scale,
                            const number *x, number *y)
{
    for (int64_t j = 0; j < m->n; j++) {
        check_column(m, j, scale, c->column);
        y[j] = 0;
        for (int64_t i = 0; i < m->m; i++)
            y[j] += conj(c->column[i]) * x[i];
    }
}

double check_distance(int64_t n, const number *x, const number *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += check_square(x[i] - y[i]);
    return sqrt(sum);
}

void check_draw(struct check *c, int64_t count)
{
    for (int64_t i = 0; i < count; i++) { /* xorshift64 */
        c->seed ^= c->seed << 13;
        c->seed ^= c->seed >> 7;
        c->seed ^= c->seed << 17;
        c->x[i] = c->seed >> 63 ? 1 : -1;
    }
}

void check_times_values(struct check *c)
{
    for (int64_t i = 0; i < c->k; i++)
        c->p[i] = c->w[i] * c->x[i];
}

/* Not "found > allowed", which NaN is not. */
static int exceeds(double found, double allowed) { return !(found <= allowed); }

int check_judge(const char *what, double found, double allowed, char why[ORR_WHY])
{
    if (exceeds(found, allowed))
        snprintf(why, ORR_WHY, "check: %s is %.2g, more than %.2g", what, found, allowed);
    return exceeds(found, allowed);
}

/* ---- Tolerances ------------------------------------------------------------------------------ */

static double order(const struct check *c) { return (double)check_most(c->a->m, c->a->n); }
double check_for_residual(const struct check *c)
{
    return SLACK * sqrt(order(c)) * check_eps(c->a->type);
}
double check_for_orthogonality(const struct check *c)
{
    return SLACK * order(c) * check_eps(c->a->type);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

int check_residual(const struct check *c, double residual, char why[ORR_WHY])
{
    return check_judge("the residual over |A|", c->norm > 0 ? residual / c->norm : residual,
                       check_for_residual(c), why);
}

int check_orthogonality(const struct check *c, const struct orr_matrix *z, char why[ORR_WHY])
{
    check_multiply_adjoint(c, z, 1, c->y, c->q);
    return check_judge("the loss of orthogonality", check_distance(c->k, c->q, c->x),
                       check_for_orthogonality(c), why);
}

int check_probe(struct check *c, const struct orr_matrix *z, char why[ORR_WHY])
{
    check_multiply(c, z, 1, c->p, c->y);
    memcpy(c->p, c->y, (size_t)z->m * sizeof *c->p);
    check_multiply(c, z, 1, c->x, c->y);
    check_multiply(c, c->a, c->scale, c->y, c->q);
    return check_residual(c, check_distance(z->m, c->q, c->p), why) ||
           check_orthogonality(c, z, why);
}

int check_order(const struct check *c, int sign, char why[ORR_WHY])
{
    for (int64_t i = 0; i < c->k; i++)
        if (!isfinite(c->w[i]) || (i > 0 && sign * (c->w[i] - c->w[i - 1]) < 0)) {
            snprintf(why, ORR_WHY, "check: value %lld is out of order", (long long)i + 1);
            return 1;
        }
    return 0;
}

double check_sum(const struct check *c, int power)
{
    double sum = 0;
    for (int64_t i = 0; i < c->k; i++)
        sum += power == 2 ? c->w[i] * c->w[i] : c->w[i];
    return sum;
}

int check_sums(const struct check *c, double trace, char why[ORR_WHY])
{
    const double size = c->norm > 0 ? c->norm : 1, tolerance = check_for_orthogonality(c);
    return check_judge("the sum of squares over |A|^2 less 1",
                       fabs(check_sum(c, 2) - c->norm * c->norm) / (size * size), tolerance, why) ||
           (c->a->uplo && check_judge("the sum less the trace, over |A|",
                                      fabs(check_sum(c, 1) - trace) / size, tolerance, why));
}

/* ---- Setting up ------------------------------------------------------------------------------ */

int check_begin(struct check *c, const struct orr_matrix *a, int64_t k, const void *w,
                double *trace)
{
    const size_t room = (size_t)check_most(a->m, a->n);
    *c = (struct check){.a = a,
                        .k = k,
                        .seed = 88172645463325252u,
                        .w = malloc((size_t)k * sizeof *c->w),
                        .x = malloc(5 * room * sizeof *c->x)};
    if (!c->w || !c->x)
        return 0;
    c->y = c->x + room;
    c->p = c->y + room;
    c->q = c->p + room;
    c->column = c->q + room;
    c->scale = check_scale(a, c->column);
    c->norm = check_frobenius(c, trace);
    const int single = a->type == ORR_S || a->type == ORR_C;
    for (int64_t i = 0; i < k; i++)
        c->w[i] = c->scale * (single ? ((const float *)w)[i] : ((const double *)w)[i]);
    return 1;
}

int check_end(struct check *c, int wrong)
{
    free(c->w);
    free(c->x);
    return wrong;
}
