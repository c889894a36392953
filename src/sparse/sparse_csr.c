/* From coordinates to compressed rows: expansion of symmetric storage, sorting, sums of
 * duplicates, and what can be told about the whole matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/sparse/sparse.h"

void orr_csr_free(struct orr_csr *c)
{
    free(c->ptr);
    free(c->index);
    free(c->val);
    *c = (struct orr_csr){0};
}

/* ---- Coordinates -> rows ------------------------------------------------------------------- */

struct entry {
    int64_t row, col;
    double re, im;
};

/* 1: one of the numbers is none of 0 .. n - 1. */
static int outside(const int64_t *number, int64_t count, int64_t n)
{
    int out = 0;
#pragma omp parallel for reduction(| : out) if (count > ORR_WORTH_THREADS)
    for (int64_t k = 0; k < count; k++)
        out |= (number[k] < 0) | (number[k] >= n);
    return out;
}

const char *orr_mtx_wrong(const orr_mtx *m)
{
    int64_t bytes;
    if (m->rows < 0 || m->cols < 0)
        return "a size is negative";
    if (m->entries < 0 || __builtin_mul_overflow(m->entries, 32, &bytes))
        return "a negative number of entries, or more than memory can hold";
    if ((int)m->symmetry < 0 || m->symmetry > ORR_MTX_HERMITIAN)
        return "no such symmetry";
    if ((int)m->field < 0 || m->field > ORR_MTX_PATTERN)
        return "no such field";
    if (m->symmetry != ORR_MTX_GENERAL && m->rows != m->cols)
        return "a symmetric, skew or Hermitian matrix is square";
    if (m->entries > 0 && (!m->row || !m->col))
        return m->row ? "col is NULL" : "row is NULL";
    if (m->entries > 0 && !m->val && m->field != ORR_MTX_PATTERN)
        return "val is NULL, and the field is not pattern";
    if (outside(m->row, m->entries, m->rows))
        return "a row index is out of range";
    if (outside(m->col, m->entries, m->cols))
        return "a column index is out of range";
    return NULL;
}

static struct entry entry_of(const orr_mtx *m, int64_t k, int transpose, int unweighted)
{
    struct entry e = {.row = m->row[k], .col = m->col[k], .re = 1};
    if (m->val && !unweighted) {
        const int complex_values = m->field == ORR_MTX_COMPLEX;
        e.re = m->val[complex_values ? 2 * k : k];
        e.im = complex_values ? m->val[2 * k + 1] : 0;
    }
    if (transpose) {
        int64_t r = e.row;
        e.row = e.col;
        e.col = r;
    }
    return e;
}

/* The entry that symmetric storage leaves out; 0 if there is none. */
static int mirror(const orr_mtx *m, int unweighted, struct entry *e)
{
    if (m->symmetry == ORR_MTX_GENERAL || e->row == e->col)
        return 0;
    const int64_t r = e->row;
    e->row = e->col;
    e->col = r;
    if (!unweighted && m->symmetry == ORR_MTX_SKEW) {
        e->re = -e->re;
        e->im = -e->im;
    } else if (!unweighted && m->symmetry == ORR_MTX_HERMITIAN) {
        e->im = -e->im;
    }
    return 1;
}

static void put(struct orr_csr *c, const struct entry *e)
{
    const int64_t at = c->ptr[e->row]++;
    c->index[at] = (int32_t)e->col;
    if (c->val && c->complex_values) {
        c->val[2 * at] = e->re;
        c->val[2 * at + 1] = e->im;
    } else if (c->val) {
        c->val[at] = e->re;
    }
}

/* Lengths of rows in ptr[i + 1] -> where the rows begin, and room for them. */
static orr_status begin_rows(struct orr_csr *c, int values)
{
    for (int64_t i = 0; i < c->rows; i++)
        c->ptr[i + 1] += c->ptr[i];
    c->nnz = c->ptr[c->rows];
    c->index = malloc(((size_t)c->nnz + 1) * sizeof *c->index);
    if (values)
        c->val = malloc(((size_t)c->nnz + 1) * sizeof *c->val * (c->complex_values ? 2 : 1));
    return c->index && (c->val || !values) ? ORR_OK : ORR_E_NOMEM;
}

/* put() has moved the beginning of each row on to its end. */
static void end_rows(struct orr_csr *c)
{
    memmove(c->ptr + 1, c->ptr, (size_t)c->rows * sizeof *c->ptr);
    c->ptr[0] = 0;
}

orr_status orr_csr_from_mtx(const orr_mtx *m, int transpose, int unweighted, struct orr_csr *c)
{
    *c = (struct orr_csr){.rows = transpose ? m->cols : m->rows,
                          .cols = transpose ? m->rows : m->cols,
                          .value = 1,
                          .complex_values = m->field == ORR_MTX_COMPLEX && !unweighted};
    c->ptr = calloc((size_t)c->rows + 2, sizeof *c->ptr);
    if (!c->ptr)
        return ORR_E_NOMEM;
    for (int64_t k = 0; k < m->entries; k++) {
        struct entry e = entry_of(m, k, transpose, unweighted);
        c->ptr[e.row + 1]++;
        if (mirror(m, unweighted, &e))
            c->ptr[e.row + 1]++;
    }
    if (begin_rows(c, m->val && !unweighted) != ORR_OK)
        return ORR_E_NOMEM;
    for (int64_t k = 0; k < m->entries; k++) {
        struct entry e = entry_of(m, k, transpose, unweighted);
        put(c, &e);
        if (mirror(m, unweighted, &e))
            put(c, &e);
    }
    end_rows(c);
    return ORR_OK;
}

/* ---- Rows of the caller -> rows ------------------------------------------------------------ */

static void copy_rows(const struct orr_csr_given *g, struct orr_csr *c)
{
    const int64_t base = g->rows > 0 ? g->ptr[0] : 0, w = c->complex_values ? 2 : 1;
#pragma omp parallel for if (c->nnz > ORR_WORTH_THREADS)
    for (int64_t k = 0; k < c->nnz; k++)
        c->index[k] = (int32_t)g->index[base + k];
    if (c->val)
        memcpy(c->val, g->val + base * w, (size_t)(c->nnz * w) * sizeof *c->val);
}

static void transpose_rows(const struct orr_csr_given *g, struct orr_csr *c)
{
    const int w = c->complex_values ? 2 : 1;
    for (int64_t i = 0; i < g->rows; i++)
        for (int64_t k = g->ptr[i]; k < g->ptr[i + 1]; k++) {
            const int64_t at = c->ptr[g->index[k]]++;
            c->index[at] = (int32_t)i;
            if (c->val)
                c->val[at * w] = g->val[k * w];
            if (c->val && w == 2)
                c->val[2 * at + 1] = g->val[2 * k + 1];
        }
    end_rows(c);
}

orr_status orr_csr_from_rows(const struct orr_csr_given *g, int transpose, int unweighted,
                             struct orr_csr *c)
{
    const int64_t first = g->rows > 0 ? g->ptr[0] : 0, end = g->rows > 0 ? g->ptr[g->rows] : 0;
    *c = (struct orr_csr){.rows = transpose ? g->cols : g->rows,
                          .cols = transpose ? g->rows : g->cols,
                          .value = 1,
                          .complex_values = g->val && g->complex_values && !unweighted};
    c->ptr = calloc((size_t)c->rows + 2, sizeof *c->ptr);
    if (!c->ptr)
        return ORR_E_NOMEM;
    for (int64_t k = first; transpose && k < end; k++)
        c->ptr[g->index[k] + 1]++;
    for (int64_t i = 0; !transpose && i < g->rows; i++)
        c->ptr[i + 1] = g->ptr[i + 1] - g->ptr[i];
    if (begin_rows(c, g->val && !unweighted) != ORR_OK)
        return ORR_E_NOMEM;
    if (transpose)
        transpose_rows(g, c);
    else
        copy_rows(g, c);
    return ORR_OK;
}

/* ---- Order within rows --------------------------------------------------------------------- */

struct place {
    int32_t col;
    int32_t at; /* within the row: duplicates are summed in the order of the file */
};

static int by_column(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->col != y->col ? (x->col > y->col) - (x->col < y->col)
                            : (x->at > y->at) - (x->at < y->at);
}

static void sort_row(struct place *s, int64_t n)
{
    enum { SHORT = 32 };
    if (n > SHORT) {
        qsort(s, (size_t)n, sizeof *s, by_column);
        return;
    }
    for (int64_t k = 1; k < n; k++) { /* stable */
        const struct place e = s[k];
        int64_t to = k;
        for (; to > 0 && s[to - 1].col > e.col; to--)
            s[to] = s[to - 1];
        s[to] = e;
    }
}

struct tidy {
    int keep_zeros;
    int merge; /* 0: only sort, and count duplicates */
    int64_t duplicates, zeros;
};

/* 1: in ascending order already, without duplicates, and without zeros that are to go. */
static int is_tidy(const struct orr_csr *c, int64_t i, const struct tidy *t)
{
    const int w = c->complex_values ? 2 : 1;
    for (int64_t k = c->ptr[i]; k < c->ptr[i + 1]; k++) {
        if (k > c->ptr[i] && c->index[k] <= c->index[k - 1])
            return 0;
        if (c->val && !t->keep_zeros && c->val[k * w] == 0 && (w == 1 || c->val[k * w + 1] == 0))
            return 0;
    }
    return 1;
}

/* Sorts row i by way of scratch; returns the entries left. */
static int64_t tidy_row(struct orr_csr *c, int64_t i, struct place *s, double *v, struct tidy *t)
{
    const int64_t from = c->ptr[i], n = c->ptr[i + 1] - from;
    const int w = c->complex_values ? 2 : 1;
    int64_t left = 0;
    if (is_tidy(c, i, t))
        return n;
    for (int64_t k = 0; k < n; k++)
        s[k] = (struct place){c->index[from + k], (int32_t)k};
    sort_row(s, n);
    if (c->val)
        memcpy(v, c->val + from * w, (size_t)(n * w) * sizeof *v);
    for (int64_t k = 0; k < n; k++) {
        double re = c->val ? v[s[k].at * w] : 0, im = c->val && w == 2 ? v[s[k].at * w + 1] : 0;
        if (!t->merge)
            t->duplicates += k + 1 < n && s[k + 1].col == s[k].col;
        for (; t->merge && k + 1 < n && s[k + 1].col == s[k].col; k++) {
            re += c->val ? v[s[k + 1].at * w] : 0;
            im += c->val && w == 2 ? v[s[k + 1].at * w + 1] : 0;
            t->duplicates++;
        }
        if (c->val && re == 0 && im == 0 && !t->keep_zeros) {
            t->zeros++;
            continue;
        }
        c->index[from + left] = s[k].col;
        if (c->val) {
            c->val[(from + left) * w] = re;
            if (w == 2)
                c->val[(from + left) * w + 1] = im;
        }
        left++;
    }
    return left;
}

/* Moves the rows together again. */
static void close_gaps(struct orr_csr *c, const int64_t *left)
{
    const int w = c->complex_values ? 2 : 1;
    int64_t to = 0;
    for (int64_t i = 0; i < c->rows; i++) {
        const int64_t from = c->ptr[i];
        if (to != from) {
            memmove(c->index + to, c->index + from, (size_t)left[i] * sizeof *c->index);
            if (c->val)
                memmove(c->val + to * w, c->val + from * w, (size_t)(left[i] * w) * sizeof *c->val);
        }
        c->ptr[i] = to;
        to += left[i];
    }
    c->ptr[c->rows] = c->nnz = to;
}

static orr_status tidy_rows(struct orr_csr *c, struct tidy *t)
{
    const int w = c->complex_values ? 2 : 1;
    int64_t longest = 0, duplicates = 0, zeros = 0;
    int no_memory = 0;
    int64_t *left = malloc(((size_t)c->rows + 1) * sizeof *left);
    for (int64_t i = 0; i < c->rows; i++)
        longest = c->ptr[i + 1] - c->ptr[i] > longest ? c->ptr[i + 1] - c->ptr[i] : longest;
    if (!left)
        return ORR_E_NOMEM;
#pragma omp parallel reduction(+ : duplicates, zeros) reduction(| : no_memory)                    \
    if (c->nnz > ORR_WORTH_THREADS)
    {
        struct tidy mine = {.keep_zeros = t->keep_zeros, .merge = t->merge};
        struct place *s = malloc(((size_t)longest + 1) * sizeof *s);
        double *v = malloc(((size_t)(longest * w) + 1) * sizeof *v);
        no_memory = !s || !v;
#pragma omp for schedule(dynamic, 1024)
        for (int64_t i = 0; i < c->rows; i++)
            if (!no_memory)
                left[i] = tidy_row(c, i, s, v, &mine);
        free(s);
        free(v);
        duplicates += mine.duplicates;
        zeros += mine.zeros;
    }
    if (!no_memory)
        close_gaps(c, left);
    free(left);
    t->duplicates = duplicates;
    t->zeros = zeros;
    return no_memory ? ORR_E_NOMEM : ORR_OK;
}

orr_status orr_csr_tidy(struct orr_csr *c, int keep_zeros, int unweighted, int64_t *duplicates,
                        int64_t *zeros)
{
    struct tidy t = {.keep_zeros = keep_zeros, .merge = c->val != NULL};
    orr_status st = tidy_rows(c, &t);
    if (st == ORR_OK && !c->val && t.duplicates > 0) { /* a link that stands twice weighs 2 */
        if (!unweighted) {
            c->val = malloc(((size_t)c->nnz + 1) * sizeof *c->val);
            if (!c->val)
                return ORR_E_NOMEM;
            for (int64_t k = 0; k < c->nnz; k++)
                c->val[k] = c->value;
        }
        t.merge = 1;
        st = tidy_rows(c, &t);
    }
    *duplicates = t.duplicates;
    *zeros = t.zeros;
    return st;
}

/* ---- Symmetry ------------------------------------------------------------------------------ */

/* 1 if every (i,j) has (j,i) = sign * conjugate. Ends at the first that has not. The rows with an entry
 * in column j come in the order in which row j names them, if it names them all: next[j] is the entry
 * whose turn it is. */
static int mirrored(const struct orr_csr *c, int sign, int64_t *next)
{
    const int w = c->complex_values ? 2 : 1;
    memcpy(next, c->ptr, (size_t)c->rows * sizeof *next);
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t k = c->ptr[i]; k < c->ptr[i + 1]; k++) {
            const int64_t j = c->index[k], m = next[j]++;
            if (m >= c->ptr[j + 1] || c->index[m] != i)
                return 0;
            if (!c->val) {
                if (sign < 0)
                    return 0;
                continue;
            }
            if (c->val[m * w] != sign * c->val[k * w] ||
                (w == 2 && c->val[m * w + 1] != -sign * c->val[k * w + 1]))
                return 0;
        }
    return 1;
}

orr_status orr_csr_symmetry(const struct orr_csr *c, int *symmetry)
{
    int64_t *next = c->rows == c->cols ? malloc(((size_t)c->rows + 1) * sizeof *next) : NULL;
    *symmetry = 0;
    if (!next)
        return c->rows == c->cols ? ORR_E_NOMEM : ORR_OK;
    *symmetry = mirrored(c, 1, next) ? 1 : mirrored(c, -1, next) ? -1 : 0;
    free(next);
    return ORR_OK;
}

/* ---- Cycles -------------------------------------------------------------------------------- */

/* Takes away nodes that no link leads to, as long as there are any (Kahn, 1962). Ends at once
 * where every node has a link into it. */
int orr_csr_acyclic(const struct orr_csr *c, int64_t *source)
{
    const int64_t n = c->rows;
    int64_t *into = calloc((size_t)n + 1, sizeof *into), *queue = malloc(((size_t)n + 1) * 8);
    int64_t end = 0, taken = 0;
    if (!into || !queue) {
        free(into);
        free(queue);
        return 0;
    }
    for (int64_t k = 0; k < c->nnz; k++)
        into[c->index[k]]++;
    for (int64_t j = 0; j < n; j++)
        if (into[j] == 0)
            queue[end++] = j;
    *source = end > 0 ? queue[0] : -1;
    for (; taken < end; taken++)
        for (int64_t k = c->ptr[queue[taken]]; k < c->ptr[queue[taken] + 1]; k++)
            if (--into[c->index[k]] == 0)
                queue[end++] = c->index[k];
    free(into);
    free(queue);
    return taken == n;
}
