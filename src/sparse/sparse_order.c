/* The order in which the nodes of a graph are stored.
 *
 * A step of PageRank reads x at the source of every link. Where few nodes have most of the
 * links and lie scattered, nearly every read brings a line of the cache of which 8 bytes are
 * used. By degree they lie side by side: nodes go into classes by the number of their links
 * out, 2^k to 2^(k+1)-1 each, the largest first, and keep their order within a class, so that
 * what neighbourhood the given numbers have is not lost.
 *
 * Source: Faldu, Diamond, Grot, IISWC 2019 (degree-based grouping).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "src/sparse/sparse.h"

enum { CLASSES = 64, NEAR = 1 << 14 };
static const int64_t FITS = 1 << 17; /* nodes whose x fits a cache of 1 MiB: any order will do */

static int class_of(int64_t degree)
{
    return degree > 0 ? CLASSES - 1 - __builtin_clzll((unsigned long long)degree) : 0;
}

/* 1: sources are far from their targets in the given order, and few nodes have most links. */
static int worth_sorting(const struct orr_csr *c, const int64_t *degree)
{
    const int64_t mean = c->rows ? c->nnz / c->rows : 0;
    int64_t far = 0, of_large = 0;
    if (c->rows <= FITS)
        return 0;
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t k = c->ptr[i]; k < c->ptr[i + 1]; k++)
            far += c->index[k] < i - NEAR || c->index[k] > i + NEAR;
    for (int64_t j = 0; j < c->cols; j++)
        of_large += degree[j] > mean ? degree[j] : 0;
    return 2 * far > c->nnz && 3 * of_large > 2 * c->nnz;
}

/* at[j]: the new number of node j. */
static void number_nodes(const int64_t *degree, int64_t n, int32_t *at, int32_t *old)
{
    int64_t begin[CLASSES + 1] = {0};
    for (int64_t j = 0; j < n; j++)
        begin[class_of(degree[j])]++;
    for (int64_t k = CLASSES - 1, next = 0; k >= 0; k--) {
        const int64_t count = begin[k];
        begin[k] = next;
        next += count;
    }
    for (int64_t j = 0; j < n; j++) {
        at[j] = (int32_t)begin[class_of(degree[j])]++;
        old[at[j]] = (int32_t)j;
    }
}

/* c with row old[i] in place i and columns renumbered, not sorted within rows. */
static orr_status move_rows(struct orr_csr *c, const int32_t *at, const int32_t *old)
{
    const int64_t w = c->complex_values ? 2 : 1;
    struct orr_csr to = *c;
    to.ptr = malloc(((size_t)c->rows + 2) * sizeof *to.ptr);
    to.index = malloc(((size_t)c->nnz + 1) * sizeof *to.index);
    to.val = c->val ? malloc((size_t)(c->nnz * w + 1) * sizeof *to.val) : NULL;
    if (!to.ptr || !to.index || (c->val && !to.val)) {
        orr_csr_free(&to);
        return ORR_E_NOMEM;
    }
    to.ptr[0] = 0;
    for (int64_t i = 0; i < c->rows; i++)
        to.ptr[i + 1] = to.ptr[i] + c->ptr[old[i] + 1] - c->ptr[old[i]];
#pragma omp parallel for schedule(dynamic, 1024) if (c->nnz > ORR_WORTH_THREADS)
    for (int64_t i = 0; i < c->rows; i++) {
        const int64_t from = c->ptr[old[i]], n = to.ptr[i + 1] - to.ptr[i];
        for (int64_t k = 0; k < n; k++)
            to.index[to.ptr[i] + k] = at[c->index[from + k]];
        if (c->val)
            memcpy(to.val + to.ptr[i] * w, c->val + from * w, (size_t)(n * w) * sizeof *to.val);
    }
    orr_csr_free(c);
    *c = to;
    return ORR_OK;
}

orr_status orr_csr_by_degree(struct orr_csr *c, int automatic, int32_t **given)
{
    int64_t *degree = calloc((size_t)c->cols + 1, sizeof *degree);
    int32_t *at = NULL, *old = NULL;
    orr_status st = degree ? ORR_OK : ORR_E_NOMEM;
    *given = NULL;
    for (int64_t k = 0; st == ORR_OK && k < c->nnz; k++)
        degree[c->index[k]]++;
    if (st == ORR_OK && (!automatic || worth_sorting(c, degree))) {
        at = malloc(((size_t)c->rows + 1) * sizeof *at);
        old = malloc(((size_t)c->rows + 1) * sizeof *old);
        st = at && old ? ORR_OK : ORR_E_NOMEM;
        if (st == ORR_OK) {
            number_nodes(degree, c->rows, at, old);
            st = move_rows(c, at, old);
        }
    }
    if (st == ORR_OK)
        *given = old;
    else
        free(old);
    free(at);
    free(degree);
    return st;
}
