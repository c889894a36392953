/* Sparse matrices: what their values are. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/sparse/sparse.h"

int orr_csr_finite(const struct orr_csr *c)
{
    const int64_t n = c->val ? c->nnz * (c->complex_values ? 2 : 1) : 0;
    int good = 1;
#pragma omp parallel for reduction(& : good) if (n > ORR_WORTH_THREADS)
    for (int64_t k = 0; k < n; k++)
        good &= isfinite(c->val[k]) != 0;
    return good;
}

/* Values that are all equal need not be stored, and those that survive float take half. */
int orr_csr_values(struct orr_csr *c, int full)
{
    const int w = c->complex_values ? 2 : 1;
    int equal = 1, narrow = 1;
    if (!c->val || full)
        return c->val ? 0 : full ? 0 : 2;
#pragma omp parallel for reduction(& : equal, narrow) if (c->nnz > ORR_WORTH_THREADS)
    for (int64_t k = 0; k < c->nnz * w; k++) {
        equal &= w == 1 && c->val[k] == c->val[0];
        narrow &= (double)(float)c->val[k] == c->val[k];
    }
    if (equal && c->nnz > 0) {
        c->value = c->val[0];
        free(c->val);
        c->val = NULL;
        return 2;
    }
    return narrow ? 1 : 0;
}

/* The exponent that brings `largest` below 1; 0 where its square and that of its inverse are far
 * from the ends of the range, as a product with A'A wants it. */
static int shift_of(orr_type type, double largest)
{
    const double range = orr_type_real(type) == ORR_S ? 0x1p24 : 0x1p100;
    int e = 0;
    if (largest > 0 && (largest < 1 / range || largest > range))
        frexp(largest, &e);
    return -e;
}

int orr_csr_scale(struct orr_csr *c, orr_type type)
{
    const int64_t n = c->val ? c->nnz * (c->complex_values ? 2 : 1) : 0;
    double largest = 0;
#pragma omp parallel for reduction(max : largest) if (n > ORR_WORTH_THREADS)
    for (int64_t k = 0; k < n; k++)
        largest = fabs(c->val[k]) > largest ? fabs(c->val[k]) : largest;
    const int shift = shift_of(type, largest);
    for (int64_t k = 0; shift != 0 && k < n; k++)
        c->val[k] = ldexp(c->val[k], shift);
    return shift;
}

orr_status orr_csr_scale_columns(struct orr_csr *c, orr_type type, int16_t **shift)
{
    double least = INFINITY, most = 0;
    *shift = NULL;
    if (!c->val || c->complex_values)
        return ORR_OK;
    double *column = calloc((size_t)c->cols + 1, sizeof *column);
    if (!column)
        return ORR_E_NOMEM;
    for (int64_t k = 0; k < c->nnz; k++)
        column[c->index[k]] = fmax(column[c->index[k]], fabs(c->val[k]));
    for (int64_t j = 0; j < c->cols; j++) {
        least = column[j] > 0 ? fmin(least, column[j]) : least;
        most = fmax(most, column[j]);
    }
    const int needed = most > 0 && (shift_of(type, least) != 0 || shift_of(type, most) != 0);
    /* one for all keeps equal values equal: good where it is enough */
    const int alike = most <= 0x1p24 * least, all = shift_of(type, most);
    if (needed)
        *shift = calloc((size_t)c->cols + 1, sizeof **shift);
    for (int64_t j = 0; *shift && j < c->cols; j++)
        (*shift)[j] = (int16_t)(alike ? all : shift_of(type, column[j]));
    for (int64_t k = 0; *shift && k < c->nnz; k++)
        c->val[k] = ldexp(c->val[k], (*shift)[c->index[k]]);
    free(column);
    return needed && !*shift ? ORR_E_NOMEM : ORR_OK;
}

orr_status orr_csr_measure(const struct orr_csr *c, orr_sparse *A)
{
    orr_sparse_info *o = &A->info;
    const int w = c->complex_values ? 2 : 1;
    double *column = calloc((size_t)c->cols + 1, sizeof *column);
    long double fro = 0; /* its exponent holds the square of any double */
    if (!column)
        return ORR_E_NOMEM;
    o->nonnegative = !c->complex_values;
    for (int64_t i = 0; i < c->rows; i++) {
        const int64_t n = c->ptr[i + 1] - c->ptr[i];
        double row = 0;
        for (int64_t k = c->ptr[i]; k < c->ptr[i + 1]; k++) {
            const double v = c->val ? c->val[k * w] : c->value;
            const double a = w == 2 ? hypot(v, c->val[2 * k + 1]) : fabs(v);
            row += a;
            column[c->index[k]] += a;
            fro += (long double)a * a;
            o->nonnegative = o->nonnegative && v >= 0;
        }
        o->norm_inf = row > o->norm_inf ? row : o->norm_inf;
        o->empty_rows += n == 0;
        o->longest_row = n > o->longest_row ? n : o->longest_row;
    }
    for (int64_t j = 0; j < c->cols; j++)
        o->norm_1 = column[j] > o->norm_1 ? column[j] : o->norm_1;
    o->norm_fro = (double)sqrtl(fro);
    A->norm = fmin(o->norm_fro, fmin(o->norm_1, o->norm_inf));
    A->norm_singular = fmin(o->norm_fro, sqrt(o->norm_1) * sqrt(o->norm_inf));
    o->norm_1 = ldexp(o->norm_1, -A->shift);
    o->norm_inf = ldexp(o->norm_inf, -A->shift);
    o->norm_fro = ldexp(o->norm_fro, -A->shift);
    free(column);
    return ORR_OK;
}

/* Weights of the links out of each node: the columns of what is stored. */
orr_status orr_sparse_degrees(orr_sparse *A, const struct orr_csr *c, char *message)
{
    A->degree = calloc((size_t)c->cols + 1, sizeof *A->degree);
    if (!A->degree)
        return ORR_E_NOMEM;
    for (int64_t k = 0; k < c->nnz; k++) {
        const double v = c->val ? c->val[k] : c->value;
        if (v < 0) {
            const int by = A->column_shift ? A->column_shift[c->index[k]] : 0;
            snprintf(message, 256, "a link has the negative weight %g", ldexp(v, -by));
            return ORR_E_ARG;
        }
        A->degree[c->index[k]] += v;
    }
    for (int64_t j = 0; j < c->cols; j++)
        if (A->degree[j] == 0) {
            A->degree[j] = -1;
            A->dangling++;
        }
    return ORR_OK;
}
