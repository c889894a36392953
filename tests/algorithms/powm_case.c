/* See powm_case.h. SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/powm_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static orr_mtx make(int64_t rows, int64_t cols, int64_t entries, int values)
{
    orr_mtx m = {.rows = rows,
                 .cols = cols,
                 .field = values == 0   ? ORR_MTX_PATTERN
                          : values == 2 ? ORR_MTX_COMPLEX
                                        : ORR_MTX_REAL};
    m.row = calloc((size_t)entries + 1, sizeof *m.row);
    m.col = calloc((size_t)entries + 1, sizeof *m.col);
    m.val = values ? calloc(2 * (size_t)entries + 2, sizeof *m.val) : NULL;
    if (!m.row || !m.col || (values && !m.val))
        exit(99);
    return m;
}

static uint64_t next(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return *s >> 33;
}

orr_mtx random_mtx(int64_t rows, int64_t cols, int64_t entries, int kind, uint64_t seed)
{
    orr_mtx m = make(rows, cols, entries, kind == 0 ? 0 : kind == 3 ? 2 : 1);
    char *taken = calloc((size_t)(rows * cols) + 1, 1);
    if (!taken)
        exit(99);
    for (int64_t e = 0; e < entries; e++) {
        int64_t i = (int64_t)(next(&seed) % (uint64_t)rows),
                j = (int64_t)(next(&seed) % (uint64_t)cols);
        if (next(&seed) % 8 == 0)
            i = 0; /* one long row */
        if (taken[i * cols + j]++)
            continue;
        const int64_t k = m.entries++;
        m.row[k] = i;
        m.col[k] = j;
        if (kind == 1)
            m.val[k] = (double)(1 + next(&seed) % 9);
        if (kind >= 2)
            m.val[kind == 3 ? 2 * k : k] = (double)next(&seed) / 0x1p31 + 0.01;
        if (kind == 3)
            m.val[2 * k + 1] = (double)next(&seed) / 0x1p31 - 0.5;
    }
    free(taken);
    return m;
}

orr_mtx given_mtx(int64_t n, int64_t entries, const int64_t *at, const double *val)
{
    orr_mtx m = make(n, n, entries, val != NULL);
    m.entries = entries;
    for (int64_t k = 0; k < entries; k++) {
        m.row[k] = at[2 * k];
        m.col[k] = at[2 * k + 1];
        if (val)
            m.val[k] = val[k];
    }
    return m;
}

static double complex value(const orr_mtx *m, int64_t k)
{
    if (!m->val)
        return 1;
    return m->field == ORR_MTX_COMPLEX ? CMPLX(m->val[2 * k], m->val[2 * k + 1]) : m->val[k];
}

void symmetric_in_full(orr_mtx *m)
{
    orr_mtx f = make(m->rows, m->cols, 2 * m->entries, 1);
    for (int64_t k = 0; k < m->entries; k++)
        for (int both = 0; both < (m->row[k] == m->col[k] ? 1 : 2); both++) {
            f.row[f.entries] = both ? m->col[k] : m->row[k];
            f.col[f.entries] = both ? m->row[k] : m->col[k];
            f.val[f.entries++] = creal(value(m, k));
        }
    orr_mtx_free(m);
    *m = f;
}

void mtx_product(const orr_mtx *m, const double complex *x, double complex *y)
{
    for (int64_t i = 0; i < m->rows; i++)
        y[i] = 0;
    for (int64_t k = 0; k < m->entries; k++)
        y[m->row[k]] += value(m, k) * x[m->col[k]];
}

double largest_singular_value(const orr_mtx *m)
{
    double *x = calloc((size_t)m->cols, sizeof *x), *y = calloc((size_t)m->rows, sizeof *y);
    double sigma = 0;
    if (!x || !y)
        exit(99);
    for (int64_t i = 0; i < m->cols; i++)
        x[i] = 1;
    for (int step = 0; step < 3000; step++) {
        double norm = 0;
        memset(y, 0, (size_t)m->rows * sizeof *y);
        for (int64_t k = 0; k < m->entries; k++)
            y[m->row[k]] += creal(value(m, k)) * x[m->col[k]];
        memset(x, 0, (size_t)m->cols * sizeof *x);
        for (int64_t k = 0; k < m->entries; k++)
            x[m->col[k]] += creal(value(m, k)) * y[m->row[k]];
        for (int64_t i = 0; i < m->cols; i++)
            norm += x[i] * x[i];
        sigma = sqrt(sqrt(norm));
        for (int64_t i = 0; i < m->cols; i++)
            x[i] /= sqrt(norm);
    }
    free(x);
    free(y);
    return sigma;
}

/* Gaussian elimination with row exchanges; B is n x n by rows, x the right side and answer. */
static void eliminate(int64_t n, double *B, double *x)
{
    for (int64_t c = 0; c < n; c++) {
        int64_t p = c;
        for (int64_t i = c; i < n; i++)
            p = fabs(B[i * n + c]) > fabs(B[p * n + c]) ? i : p;
        for (int64_t j = 0; j < n; j++) {
            const double t = B[c * n + j];
            B[c * n + j] = B[p * n + j];
            B[p * n + j] = t;
        }
        const double t = x[c];
        x[c] = x[p];
        x[p] = t;
        for (int64_t i = c + 1; i < n; i++) {
            const double f = B[i * n + c] / B[c * n + c];
            for (int64_t j = c; j < n; j++)
                B[i * n + j] -= f * B[c * n + j];
            x[i] -= f * x[c];
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < n; j++)
            x[i] -= B[i * n + j] * x[j];
        x[i] /= B[i * n + i];
    }
}

double *dense_pagerank(const orr_mtx *m, double alpha, char dangling, const double *personal)
{
    const int64_t n = m->rows;
    double *B = calloc((size_t)(n * n) + 1, sizeof *B), *x = calloc((size_t)n + 1, sizeof *x);
    double *out = calloc((size_t)n + 1, sizeof *out), *p = calloc((size_t)n + 1, sizeof *p);
    double sum = 0;
    if (!B || !x || !out || !p)
        exit(99);
    for (int64_t i = 0; i < n; i++)
        sum += personal ? personal[i] : 1;
    for (int64_t i = 0; i < n; i++)
        p[i] = (personal ? personal[i] : 1) / sum;
    for (int64_t k = 0; k < m->entries; k++)
        out[m->row[k]] += creal(value(m, k));
    for (int64_t k = 0; k < m->entries; k++)
        B[m->col[k] * n + m->row[k]] -= alpha * creal(value(m, k)) / out[m->row[k]];
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; out[j] == 0 && i < n; i++)
            B[i * n + j] -=
                dangling == 'n' ? 0 : alpha * (dangling == 'u' ? 1.0 / (double)n : p[i]);
    for (int64_t i = 0; i < n; i++) {
        B[i * n + i] += 1;
        x[i] = (1 - alpha) * p[i];
    }
    eliminate(n, B, x);
    free(B);
    free(out);
    free(p);
    return x;
}
