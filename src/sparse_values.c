/* Sparse matrices: what their values are. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/sparse.h"

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

orr_status orr_csr_measure(const struct orr_csr *c, orr_sparse_info *o)
{
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
            snprintf(message, 256, "a link has the negative weight %g", v);
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
