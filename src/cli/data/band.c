/* See band.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/data/band.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/answer.h"
#include "src/cli/core/numbers.h"
#include "src/cli/data/hermitian.h"
#include "src/cli/data/rcm.h"

double complex band_mtx_value(const orr_mtx *m, int64_t k)
{
    if (m->field == ORR_MTX_PATTERN)
        return 1;
    if (m->field == ORR_MTX_COMPLEX)
        return CMPLX(m->val[2 * k], m->val[2 * k + 1]);
    return m->val[k];
}

/* ---- Arrays -------------------------------------------------------------------------------- */

int band_zeros(const cli_run *run, double bytes, int64_t entries, orr_type type, const char *what,
               void **ab)
{
    const int code = cli_check_memory(run, bytes, what);
    if (code != CLI_OK)
        return code;
    *ab = calloc((size_t)entries * orr_type_size(type) + 1, 1);
    if (!*ab)
        cli_say("%s: out of memory", what);
    return *ab ? CLI_OK : CLI_MEMORY;
}

void band_by_columns(const orr_npy *file, void *ab)
{
    const int64_t rows = file->shape[0], n = file->shape[1];
    const size_t size = orr_type_size(file->type);
    for (int64_t j = 0; j < n; j++)
        for (int64_t r = 0; r < rows; r++)
            memcpy((char *)ab + (size_t)(j * rows + r) * size,
                   (const char *)file->data + (size_t)(r * n + j) * size, size);
}

/* Does a_ij agree with conj(a_ji) but for rounding? A NaN agrees with nothing. */
static int hermitian_pair(const orr_npy *a, int64_t i, int64_t j)
{
    const int64_t n = a->shape[1];
    const double complex x = number_get(a->type, a->data, i * n + j);
    const double complex y = conj(number_get(a->type, a->data, j * n + i));
    return cabs(x / 2 - y / 2) <= hermitian_rounding(a->type, n, fmax(cabs(x / 2), cabs(y / 2)));
}

void band_tell_whole(const orr_npy *a, char uplo, int hermitian, const char *path, const char *ours)
{
    const int64_t n = a->shape[1];
    int64_t numbers = 0; /* in the corner */
    if (a->shape[0] != n || a->type >= ORR_NTYPES)
        return;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const int corner = uplo == 'L' ? i + j >= n : i + j < n - 1;
            const double size = cabs(number_get(a->type, a->data, i * n + j));
            numbers += corner && size > 0 && isfinite(size);
            if (hermitian && !hermitian_pair(a, i, j))
                return;
        }
    if (numbers)
        cli_say("%s: the array looks like a whole matrix (square%s), but is read as the %lld "
                "diagonals of a band; %s reads whole matrices, and this command does from .mtx",
                path, hermitian ? ", Hermitian" : "", (long long)n, ours);
}

void band_add(orr_type type, void *ab, int64_t at, double complex z)
{
    number_put(type, ab, at, number_get(type, ab, at) + z);
}

/* ---- Order --------------------------------------------------------------------------------- */

/* Adjacency lists of a matrix, both directions. NULL without memory. */
static int64_t *adjacency(const orr_mtx *m, int64_t **start)
{
    int64_t *begin = calloc((size_t)m->rows + 2, sizeof *begin);
    int64_t *at = malloc((size_t)(2 * m->entries + 1) * sizeof *at);
    if (!begin || !at) {
        free(begin);
        free(at);
        return NULL;
    }
    for (int64_t k = 0; k < m->entries; k++) {
        begin[m->row[k] + 2]++;
        begin[m->col[k] + 2]++;
    }
    for (int64_t i = 2; i < m->rows + 2; i++)
        begin[i] += begin[i - 1];
    for (int64_t k = 0; k < m->entries; k++) {
        at[begin[m->row[k] + 1]++] = m->col[k];
        at[begin[m->col[k] + 1]++] = m->row[k];
    }
    *start = begin; /* begin[i + 1] has moved on to the end of node i */
    return at;
}

static void bandwidths(const orr_mtx *m, const int64_t *place, int64_t *lower, int64_t *upper)
{
    *lower = *upper = 0;
    for (int64_t k = 0; k < m->entries; k++) {
        const int64_t i = place ? place[m->row[k]] : m->row[k];
        const int64_t j = place ? place[m->col[k]] : m->col[k];
        *lower = i - j > *lower ? i - j : *lower;
        *upper = j - i > *upper ? j - i : *upper;
    }
    if (m->symmetry != ORR_MTX_GENERAL)
        *lower = *upper = *lower > *upper ? *lower : *upper;
}

int band_find_order(const cli_run *run, const orr_mtx *m, const char *name, band_order *o)
{
    *o = (band_order){0};
    /* lists of neighbours, an order and its inverse, levels: of empty rows too */
    const double bytes = 8 * (2 * (double)m->entries + 4 * (double)m->rows);
    const int code = m->rows == m->cols ? cli_check_memory(run, bytes, name) : CLI_OK;
    if (code != CLI_OK)
        return code;
    bandwidths(m, NULL, &o->lower, &o->upper);
    if (m->rows != m->cols)
        return CLI_OK;
    int64_t *start = NULL, *at = adjacency(m, &start), lower, upper;
    o->place = malloc((size_t)(m->rows + 1) * sizeof *o->place);
    o->order = malloc((size_t)(m->rows + 1) * sizeof *o->order);
    const int ok = at && o->place && o->order && cli_rcm(m->rows, start, at, o->order);
    free(start);
    free(at);
    if (!ok) {
        cli_say("out of memory");
        return CLI_MEMORY;
    }
    for (int64_t k = 0; k < m->rows; k++)
        o->place[o->order[k]] = k;
    bandwidths(m, o->place, &lower, &upper);
    if (o->lower + o->upper > lower + upper) {
        o->lower = lower;
        o->upper = upper;
        return CLI_OK;
    }
    free(o->order);
    free(o->place);
    o->order = o->place = NULL;
    return CLI_OK;
}

int band_unorder(const int64_t *order, int64_t n, int64_t columns, orr_type type, void *a)
{
    const size_t size = orr_type_size(type), bytes = (size_t)n * size;
    if (!order || !a)
        return CLI_OK;
    char *column = malloc(bytes + 1);
    for (int64_t j = 0; column && j < columns; j++) {
        char *to = (char *)a + (size_t)j * bytes;
        memcpy(column, to, bytes);
        for (int64_t k = 0; k < n; k++)
            memcpy(to + (size_t)order[k] * size, column + (size_t)k * size, size);
    }
    free(column);
    return column ? CLI_OK : CLI_MEMORY;
}

/* ---- Arrays --------------------------------------------------------------------------------- */

int band_write(FILE *out, const char *what, const char *path, orr_type type, int ndim, int64_t n,
               int64_t columns, const void *data)
{
    const int64_t shape[2] = {n, columns};
    return answer_write(out, what, path, type, ndim, shape, ndim == 2, data);
}

void band_random(orr_type type, int64_t n, uint64_t seed, void *a)
{
    uint64_t x = seed * 2685821657736338717u + 88172645463325252u;
    for (int64_t k = 0; k < n; k++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        const double u = (double)(x >> 11) * 0x1p-52 - 1;
        if (type == ORR_H)
            ((uint16_t *)a)[k] = (uint16_t)((x >> 63 << 15) | (0x0400 + (x >> 20) % 0x3800));
        else if (type == ORR_S || type == ORR_C)
            ((float *)a)[k] = (float)u;
        else
            ((double *)a)[k] = u;
    }
}
