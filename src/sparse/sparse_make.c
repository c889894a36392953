/* Matrices and graphs by name, for benchmarks and tests. Nothing depends on the number of
 * threads: random numbers come from a counter.
 *
 * Sources: Chakrabarti, Zhan, Faloutsos, SDM 2004 (R-MAT; the parameters are Graph500's);
 * Holland, Laskey, Leinhardt, Social Networks 5, 1983 (stochastic block model).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/numbers.h"
#include "src/sparse/sparse.h"

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static uint64_t draw(uint64_t seed, uint64_t i, uint64_t j)
{
    return mix(mix(seed * 0xd1342543de82ef95u + i * 0x9e3779b97f4a7c15u + 1) +
               (j + 1) * 0x9e3779b97f4a7c15u);
}
static double unit(uint64_t z) { return ((double)(z >> 11) + 0.5) * 0x1p-53; }

static orr_status allocate(orr_mtx *m, int64_t entries, int values)
{
    m->entries = entries;
    m->row = malloc(((size_t)entries + 1) * sizeof *m->row);
    m->col = malloc(((size_t)entries + 1) * sizeof *m->col);
    m->val = values ? malloc(((size_t)entries + 1) * sizeof *m->val * (size_t)values) : NULL;
    if (m->row && m->col && (!values || m->val))
        return ORR_OK;
    orr_mtx_free(m);
    return ORR_E_NOMEM;
}

static orr_status laplace3d(int64_t N, orr_mtx *m)
{
    const int64_t n = N * N * N, off[3] = {1, N, N * N};
    *m = (orr_mtx){.rows = n, .cols = n, .symmetry = ORR_MTX_SYMMETRIC, .field = ORR_MTX_REAL};
    if (allocate(m, n + 3 * (N - 1) * N * N, 1) != ORR_OK)
        return ORR_E_NOMEM;
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at[3] = {i % N, i / N % N, i / N / N};
        for (int d = 2; d >= 0; d--)
            if (at[d] > 0) {
                m->row[k] = i;
                m->col[k] = i - off[d];
                m->val[k++] = -1;
            }
        m->row[k] = m->col[k] = i;
        m->val[k++] = 6;
    }
    return ORR_OK;
}

/* Each link falls down the quadrants with probabilities .57 .19 .19 .05. */
static orr_status rmat(int64_t scale, int64_t degree, uint64_t seed, orr_mtx *m)
{
    const int64_t n = (int64_t)1 << scale;
    *m = (orr_mtx){.rows = n, .cols = n, .symmetry = ORR_MTX_GENERAL, .field = ORR_MTX_PATTERN};
    if (allocate(m, n * degree, 0) != ORR_OK)
        return ORR_E_NOMEM;
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < n * degree; e++) {
        int64_t i = 0, j = 0;
        for (int64_t level = 0; level < scale; level++) {
            const double u = unit(draw(seed, (uint64_t)e, (uint64_t)level));
            i = 2 * i + (u >= 0.76);
            j = 2 * j + ((u >= 0.57 && u < 0.76) || u >= 0.95);
        }
        m->row[e] = i;
        m->col[e] = j;
    }
    return ORR_OK;
}

/* Node i is of community i mod K. As many links as the mean degrees say, at random places. */
static orr_status sbm(int64_t n, int64_t K, double inside, double outside, uint64_t seed,
                      orr_mtx *m)
{
    const int64_t in = (int64_t)llround((double)n * inside / 2);
    const int64_t out = K > 1 ? (int64_t)llround((double)n * outside / 2) : 0;
    int64_t kept = 0;
    *m = (orr_mtx){.rows = n, .cols = n, .symmetry = ORR_MTX_SYMMETRIC, .field = ORR_MTX_PATTERN};
    if (allocate(m, in + out, 0) != ORR_OK)
        return ORR_E_NOMEM;
    for (int64_t e = 0; e < in + out; e++) {
        const int64_t i = (int64_t)(draw(seed, (uint64_t)e, 0) % (uint64_t)n);
        const int64_t far = (int64_t)(draw(seed, (uint64_t)e, 1) % (uint64_t)n);
        int64_t community = i % K;
        if (e >= in) /* any other one */
            community =
                (community + 1 + (int64_t)(draw(seed, (uint64_t)e, 2) % (uint64_t)(K - 1))) % K;
        const int64_t j = far / K * K + community;
        if (j >= n || i == j)
            continue;
        m->row[kept] = i > j ? i : j;
        m->col[kept++] = i > j ? j : i;
    }
    m->entries = kept;
    return ORR_OK;
}

orr_status orr_generate(const char *name, uint64_t seed, orr_mtx *m, char message[256])
{
    char unused[256], rest;
    long long a = 0, b = 0;
    double in = 0, out = 0;
    char *say = message ? message : unused;
    say[0] = 0;
    if (!name || !m)
        return ORR_E_ARG;
    *m = (orr_mtx){0};
    if (sscanf(name, "laplace3d:%lld%c", &a, &rest) == 1 && a >= 1 && a <= 1200)
        return laplace3d(a, m);
    if (sscanf(name, "rmat:%lld:%lld%c", &a, &b, &rest) == 2 && a >= 0 && a <= 30 && b >= 1 &&
        b <= 1024)
        return rmat(a, b, seed, m);
    const locale_t locale = orr_numbers_begin();
    const int words = sscanf(name, "sbm:%lld:%lld:%lf:%lf%c", &a, &b, &in, &out, &rest);
    orr_numbers_end(locale);
    if (words == 4 && a >= 1 && a <= INT32_MAX && b >= 1 && b <= a && in >= 0 && out >= 0 &&
        in + out <= 10000)
        return sbm(a, b, in, out, seed, m);
    snprintf(say, 256,
             "'%.100s' is none of laplace3d:N, rmat:SCALE:DEGREE, sbm:N:K:DIN:DOUT with "
             "sensible numbers",
             name);
    return ORR_E_ARG;
}

/* ---- Kronecker products -------------------------------------------------------------------- */

/* Entries of a symmetric file in full. val: (re, im) pairs. */
struct full {
    int64_t n, *row, *col;
    double *val;
};

static orr_status expand(const orr_mtx *m, struct full *f)
{
    const size_t room = 2 * (size_t)m->entries + 1;
    *f = (struct full){.row = malloc(room * 8), .col = malloc(room * 8), .val = malloc(room * 16)};
    if (!f->row || !f->col || !f->val)
        return ORR_E_NOMEM;
    for (int64_t k = 0; k < m->entries; k++) {
        const int c = m->field == ORR_MTX_COMPLEX;
        const double re = m->val ? m->val[c ? 2 * k : k] : 1,
                     im = m->val && c ? m->val[2 * k + 1] : 0;
        const double sign = m->symmetry == ORR_MTX_SKEW ? -1 : 1;
        for (int both = 0; both < 2; both++) {
            if (both && (m->symmetry == ORR_MTX_GENERAL || m->row[k] == m->col[k]))
                break;
            f->row[f->n] = both ? m->col[k] : m->row[k];
            f->col[f->n] = both ? m->row[k] : m->col[k];
            f->val[2 * f->n] = both ? sign * re : re;
            f->val[2 * f->n + 1] = !both ? im : m->symmetry == ORR_MTX_HERMITIAN ? -im : sign * im;
            f->n++;
        }
    }
    return ORR_OK;
}

static void free_full(struct full *f)
{
    free(f->row);
    free(f->col);
    free(f->val);
}

orr_status orr_kronecker(const orr_mtx *A, const orr_mtx *B, orr_mtx *out)
{
    struct full a = {0}, b = {0};
    if (!A || !B || !out)
        return ORR_E_ARG;
    *out = (orr_mtx){0};
    if (orr_mtx_wrong(A) || orr_mtx_wrong(B))
        return ORR_E_ARG;
    orr_status st = expand(A, &a);
    if (st == ORR_OK)
        st = expand(B, &b);
    const int values = !A->val && !B->val                                           ? 0
                       : A->field == ORR_MTX_COMPLEX || B->field == ORR_MTX_COMPLEX ? 2
                                                                                    : 1;
    int64_t entries, rows, cols;
    if (st == ORR_OK &&
        (__builtin_mul_overflow(a.n, b.n, &entries) ||
         __builtin_mul_overflow(A->rows, B->rows, &rows) ||
         __builtin_mul_overflow(A->cols, B->cols, &cols) || entries > (int64_t)1 << 40))
        st = ORR_E_NOMEM;
    if (st == ORR_OK) {
        *out = (orr_mtx){.rows = rows,
                         .cols = cols,
                         .symmetry = ORR_MTX_GENERAL,
                         .field = values == 0   ? ORR_MTX_PATTERN
                                  : values == 2 ? ORR_MTX_COMPLEX
                                                : ORR_MTX_REAL};
        st = allocate(out, entries, values);
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < (st == ORR_OK ? a.n : 0); i++)
        for (int64_t j = 0; j < b.n; j++) {
            const int64_t k = i * b.n + j;
            out->row[k] = a.row[i] * B->rows + b.row[j];
            out->col[k] = a.col[i] * B->cols + b.col[j];
            if (values == 1)
                out->val[k] = a.val[2 * i] * b.val[2 * j];
            if (values == 2) {
                out->val[2 * k] = a.val[2 * i] * b.val[2 * j] - a.val[2 * i + 1] * b.val[2 * j + 1];
                out->val[2 * k + 1] =
                    a.val[2 * i] * b.val[2 * j + 1] + a.val[2 * i + 1] * b.val[2 * j];
            }
        }
    free_full(&a);
    free_full(&b);
    return st;
}
