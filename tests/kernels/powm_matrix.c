/* See powm_matrix.h. SPDX-License-Identifier: BSD-3-Clause */
#include "powm_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "numbers.h"

static uint64_t state = 88172645463325252u;
static uint64_t random_bits(void) { return next_bits(&state); }
double uniform(void) { return next_signed(&state); }

void *allocate(size_t bytes)
{
    void *p = aligned_alloc(64, bytes / 64 * 64 + 64);
    if (!p)
        exit(99);
    memset(p, 0, bytes / 64 * 64 + 64);
    return p;
}

static const char *const shape_name[] = {"short",     "edges",  "empty", "one long",
                                         "some long", "blocks", "grid"};

static int64_t length_of(int shape, int64_t i, int64_t rows, int64_t cols)
{
    static const int edge[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65};
    int64_t n = 0;
    switch (shape) {
    case SHORT_ROWS: n = (int64_t)(random_bits() % 8); break;
    case EDGES: n = edge[random_bits() % (sizeof edge / sizeof *edge)]; break;
    case EMPTY: n = i == rows / 2; break;
    case ONE_LONG: n = i == rows / 3 ? cols : (int64_t)(random_bits() % 4); break;
    case SOME_LONG: n = i % 17 == 16 ? 600 + (int64_t)(random_bits() % 9000) : i % 3; break;
    default: n = 6;
    }
    return n < cols ? n : cols;
}

/* The neighbours of point i of a grid 11 wide, and itself: pieces of five diagonals. */
static int64_t grid_row(int64_t i, int64_t cols, int32_t *out)
{
    enum { WIDE = 11 };
    const int64_t at[] = {i - WIDE, i % WIDE > 0 ? i - 1 : -1, i, i % WIDE < WIDE - 1 ? i + 1 : -1,
                          i + WIDE};
    int64_t n = 0;
    for (int k = 0; k < 5; k++)
        if (at[k] >= 0 && at[k] < cols)
            out[n++] = (int32_t)at[k];
    return n;
}

/* Row i: n ascending columns, spread evenly with an offset; of `blocks` those of 2 x 3 blocks. */
static void fill_row(struct matrix *m, int shape, int64_t i, int64_t at, int64_t n)
{
    const int64_t cols = m->rows.cols, gap = n ? cols / n : 0;
    const int64_t shift = n && cols > gap * (n - 1) + 1
                              ? (int64_t)(random_bits() % (uint64_t)(cols - gap * (n - 1)))
                              : 0;
    for (int64_t k = 0; k < n; k++)
        m->index[at + k] =
            (int32_t)(shape == BLOCKS ? (i / 2 * 3 + k) % (cols - n + 1) + k : shift + k * gap);
    for (int64_t k = 1; shape == BLOCKS && k < n; k++)
        m->index[at + k] = m->index[at] + (int32_t)k;
}

void make_matrix(struct matrix *m, int shape, int64_t first, int64_t rows, int64_t cols,
                 int complex_values)
{
    enum { BASE = 5 };
    const int w = complex_values ? 2 : 1;
    *m = (struct matrix){.name = shape_name[shape], .ptr = allocate((size_t)(rows + 1) * 8)};
    m->rows = (orr_powm_rows){
        .first = first, .rows = rows, .cols = cols, .complex_values = complex_values};
    m->ptr[0] = BASE;
    int32_t row[5];
    for (int64_t i = 0; i < rows; i++)
        m->ptr[i + 1] = m->ptr[i] + (shape == GRID ? grid_row(first + i, cols, row)
                                                   : length_of(shape, i, rows, cols));
    m->index = allocate((size_t)m->ptr[rows] * 4);
    m->val = allocate((size_t)(m->ptr[rows] * w) * 8);
    for (int64_t i = 0; i < rows; i++)
        if (shape == GRID)
            grid_row(first + i, cols, m->index + m->ptr[i]);
        else
            fill_row(m, shape, i, m->ptr[i], m->ptr[i + 1] - m->ptr[i]);
    m->rows.ptr = m->ptr;
    m->rows.index = m->index;
}

void set_values(struct matrix *m, int kind, orr_type t)
{
    const int64_t n = m->ptr[m->rows.rows] * (m->rows.complex_values ? 2 : 1);
    for (int64_t k = 0; k < n; k++) {
        const double v = uniform();
        m->val[k] = kind == ORR_VALUES_NARROW || t == ORR_S || t == ORR_C ? (double)(float)v : v;
    }
    m->rows.val = kind == ORR_VALUES_PATTERN ? NULL : m->val;
    m->rows.value = 0.75;
}

void free_matrix(struct matrix *m)
{
    free(m->ptr);
    free(m->index);
    free(m->val);
}

static exact entry(const orr_powm_rows *r, int64_t k)
{
    if (!r->val)
        return r->value;
    return r->complex_values ? CMPLXL(r->val[2 * k], r->val[2 * k + 1]) : r->val[k];
}

struct product multiply_rows(const orr_powm_rows *r, orr_type t, const void *x)
{
    struct product p = {allocate((size_t)r->rows * sizeof *p.sum),
                        allocate((size_t)r->rows * sizeof *p.size)};
    for (int64_t i = 0; i < r->rows; i++)
        for (int64_t k = r->ptr[i]; k < r->ptr[i + 1]; k++) {
            const exact term = entry(r, k) * (exact)get(t, x, r->index[k]);
            p.sum[i] += term;
            p.size[i] += cabsl(term);
        }
    return p;
}

void free_product(struct product *p)
{
    free(p->sum);
    free(p->size);
}
