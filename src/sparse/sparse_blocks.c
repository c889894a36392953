/* Sparse matrices: blocks of rows of about equal size in bytes, each packed in the format that
 * suits its rows and registered with StarPU as one read-only piece.
 *
 * Which parts of x a block needs is found once, so that a product of a banded matrix waits
 * for its neighbours only, and moves only those to another memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "src/sparse/sparse.h"

enum {
    BLOCKS_PER_WORKER = 2, /* so that an uneven one is made up for */
    ALIGN_ROWS = 96,       /* cuts at multiples of the slices of sell and the blocks of bsr */
    MOST_BLOCKS = 256,
    DEVICE_BLOCKS = 8, /* of threads, for each processor of a device */
    DEVICE_THREADS = 256
};
static const int64_t LEAST_BLOCK = 1 << 19; /* bytes; a task of less costs more than it does */
/* bytes; the tasks of a step wait for each other for as long as one core needs for half of it. Measured on
 * two cores of a Zen 5 */
static const int64_t LEAST_TO_CUT = 1 << 21;
static const int64_t LEAST_FOR_DEVICE =
    10000000;                              /* bytes; less is done before a device has begun */
static const int64_t MOST_BLOCK = 1 << 30; /* entries; 32-bit offsets within a block */

/* A block of a device has a thread for each row, or several, and as many as fill its processors. */
static int64_t device_rows(const orr_context *ctx)
{
    return (int64_t)DEVICE_BLOCKS * DEVICE_THREADS * ctx->device.processors;
}

int64_t orr_sparse_blocks(const orr_sparse *A, const struct orr_csr *c, int values, int64_t asked)
{
    const int64_t size = (int64_t)orr_type_size(A->info.type);
    const int64_t value = values == 2 ? 0 : values == 1 && size > 4 ? size / 2 : size;
    const int64_t bytes = c->nnz * (4 + value) + 4 * c->rows;
    const int64_t cpus = A->ctx->info.ranks > 1 ? A->ctx->cpus_of_all : A->ctx->info.cpu;
    int64_t n = (cpus > 1 ? cpus : 1) * BLOCKS_PER_WORKER;
    if (asked > 0)
        n = asked;
    else if (n > bytes / LEAST_BLOCK || bytes < LEAST_TO_CUT)
        n = bytes < LEAST_TO_CUT ? 1 : bytes / LEAST_BLOCK;
    if (asked <= 0 && A->ctx->info.cuda > 0 && bytes >= LEAST_FOR_DEVICE &&
        n > c->rows / device_rows(A->ctx))
        n = c->rows / device_rows(A->ctx);
    if (n < (c->nnz + MOST_BLOCK - 1) / MOST_BLOCK)
        n = (c->nnz + MOST_BLOCK - 1) / MOST_BLOCK;
    if (n > c->rows)
        n = c->rows;
    return n < 1 ? 1 : n > MOST_BLOCKS ? MOST_BLOCKS : n;
}

int orr_sparse_is_small(const orr_sparse *A)
{
    const orr_context_info *i = &A->ctx->info;
    return i->cpu > 0 && i->cuda + i->opencl == 0 && i->ranks == 1 && A->info.blocks == 1 &&
           A->info.bytes <= 2 * LEAST_TO_CUT; /* with padding */
}

/* Cuts after each share of the bytes; a row weighs a few entries of its own. */
static void cut(const struct orr_csr *c, int64_t blocks, int64_t *first)
{
    enum { ROW_WEIGHT = 3 };
    const double all = (double)(c->nnz + ROW_WEIGHT * c->rows);
    const int align = c->rows >= 8 * ALIGN_ROWS * blocks;
    int64_t row = 0;
    first[0] = 0;
    for (int64_t b = 1; b < blocks; b++) {
        const double share = all * (double)b / (double)blocks;
        while (row < c->rows && (double)(c->ptr[row] + ROW_WEIGHT * row) < share)
            row++;
        int64_t at = align ? (row + ALIGN_ROWS / 2) / ALIGN_ROWS * ALIGN_ROWS : row;
        if (at < first[b - 1] + 1)
            at = first[b - 1] + 1;
        if (at > c->rows - (blocks - b))
            at = c->rows - (blocks - b);
        first[b] = at;
        row = row > at ? row : at;
    }
    first[blocks] = c->rows;
}

/* Which parts of x each block reads; its own always. */
static orr_status find_needs(orr_sparse *A, const struct orr_csr *c)
{
    const int64_t P = A->info.blocks;
    char *used = calloc((size_t)(P * P) + 1, 1);
    int32_t *owner = malloc(((size_t)c->cols + 1) * sizeof *owner);
    A->need = malloc((size_t)(P * P + 1) * sizeof *A->need);
    A->need_at = malloc((size_t)(P + 1) * sizeof *A->need_at);
    if (!used || !owner || !A->need || !A->need_at) {
        free(used);
        free(owner);
        return ORR_E_NOMEM;
    }
    for (int64_t b = 0; b < P; b++)
        for (int64_t j = A->col_first[b]; j < A->col_first[b + 1]; j++)
            owner[j] = (int32_t)b;
#pragma omp parallel for schedule(dynamic, 1) if (P > 1)
    for (int64_t b = 0; b < P; b++) {
        used[b * P + b] = 1;
        for (int64_t k = c->ptr[A->first[b]]; P > 1 && k < c->ptr[A->first[b + 1]]; k++)
            used[b * P + owner[c->index[k]]] = 1;
    }
    int64_t at = 0;
    for (int64_t b = 0; b < P; b++) {
        A->need_at[b] = at;
        for (int64_t s = 0; s < P; s++)
            if (used[b * P + s])
                A->need[at++] = (int32_t)s;
    }
    A->need_at[P] = at;
    free(used);
    free(owner);
    return ORR_OK;
}

orr_status orr_sparse_cut(orr_sparse *A, const struct orr_csr *c)
{
    A->first = malloc((size_t)(A->info.blocks + 1) * sizeof *A->first);
    if (!A->first)
        return ORR_E_NOMEM;
    cut(c, A->info.blocks, A->first);
    A->col_first = c->rows == c->cols ? A->first : NULL;
    return A->col_first ? find_needs(A, c) : ORR_OK;
}

/* ---- Formats -------------------------------------------------------------------------------- */

static struct orr_powm_source rows_of(const orr_sparse *A, const struct orr_csr *c, int64_t b)
{
    return (struct orr_powm_source){.first = A->first[b],
                                    .rows = A->first[b + 1] - A->first[b],
                                    .cols = c->cols,
                                    .ptr = c->ptr + (A->first[b] - c->before),
                                    .index = c->index,
                                    .val = c->val,
                                    .value = c->value,
                                    .complex_values = c->complex_values};
}

/* The format that is fastest for all the blocks that were timed; AUTO: none was tried in all. */
static orr_format common_format(const struct orr_powm_built *built, int64_t from, int64_t end)
{
    orr_format best = ORR_FORMAT_AUTO;
    double least = 0;
    for (int f = 1; f < ORR_NFORMATS; f++) {
        double sum = 0;
        int all = 1;
        for (int64_t b = from; b < end; b++) {
            const double *s = built[b].seconds;
            sum += s[f];
            all &= s[f] > 0 || s[built[b].format] == 0;
        }
        if (all && sum > 0 && (best == ORR_FORMAT_AUTO || sum < least)) {
            best = (orr_format)f;
            least = sum;
        }
    }
    return best;
}

/* One time of one block may be wrong; their sums are less so. A block keeps a format of its own
   where that gains more than times vary. */
static void agree(const orr_sparse *A, const struct orr_csr *c, int values,
                  struct orr_powm_built *built, int64_t from, int64_t end)
{
    const double varies = 1.1;
    const orr_format common = common_format(built, from, end);
#pragma omp parallel for schedule(dynamic, 1) if (end - from > 1)
    for (int64_t b = from; b < end; b++) {
        const struct orr_powm_built *now = &built[b];
        const double of_common = now->seconds[common], of_own = now->seconds[now->format];
        if (of_common == 0 || now->format == common || varies * of_own < of_common)
            continue;
        const struct orr_powm_source s = rows_of(A, c, b);
        struct orr_powm_built again = {0};
        if (orr_powm_build(&s, A->info.type, common, values, NULL, 0, &again) != ORR_OK)
            continue; /* no memory for two: what is there will do */
        free(now->block);
        built[b] = again;
    }
}

orr_status orr_sparse_build(orr_sparse *A, const struct orr_csr *c, const orr_sparse_opts *o,
                            int values)
{
    const int64_t P = A->info.blocks, from = A->m.mine, end = A->m.mine_end;
    const size_t size = orr_type_size(A->info.type);
    const int timing = !o->rule_only && o->format == ORR_FORMAT_AUTO;
    const size_t bytes = ((size_t)c->cols + ORR_POWM_VECTOR_PAD) * size;
    struct orr_powm_built *built = calloc((size_t)P, sizeof *built);
    char *x = timing ? orr_large_memory(bytes) : NULL;
    orr_status st = built && (x || !timing) ? ORR_OK : ORR_E_NOMEM;
    if (st != ORR_OK) {
        free(built);
        free(x);
        return st;
    }
    if (x)
        memset(x, 0, bytes);
    /* As many at a time as will multiply at a time, so that timings see the same memory. */
    const int cpus = A->ctx->info.cpu > 0 ? A->ctx->info.cpu : 1;
    const int threads = timing && cpus < omp_get_max_threads() ? cpus : omp_get_max_threads();
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (end - from > 1)
    for (int64_t b = from; b < end; b++) {
        const struct orr_powm_source s = rows_of(A, c, b);
        const orr_status one = orr_powm_build(&s, A->info.type, o->format, values, x,
                                              A->ctx->info.cuda > 0, &built[b]);
#pragma omp critical
        if (one != ORR_OK)
            st = one;
    }
    free(x);
    if (st == ORR_OK)
        agree(A, c, values, built, from, end);
    for (int64_t b = from; b < end; b++) {
        A->block[b] = built[b].block;
        A->bytes[b] = built[b].bytes;
        A->info.slots += built[b].slots;
        A->info.bytes += built[b].bytes;
        A->info.by_format[built[b].format]++;
        A->info.narrow += built[b].values == 1;
        A->info.pattern += built[b].values == 2;
    }
    free(built);
    for (int64_t b = from; st == ORR_OK && b < end; b++)
        if (A->bytes[b] > (int64_t)UINT32_MAX * 64)
            st = ORR_E_NOMEM;
    /* Vectors count elements in 32 bits: blocks are counted in lines of 64 bytes. */
    for (int64_t b = from; st == ORR_OK && b < end; b++) {
        orr_pin(&A->pins, A->block[b], (size_t)A->bytes[b], ORR_PIN_OURS);
        starpu_vector_data_register(&A->A[b], STARPU_MAIN_RAM, (uintptr_t)A->block[b],
                                    (uint32_t)(A->bytes[b] / 64), 64);
    }
    if (st == ORR_OK)
        st = orr_sparse_deal(A);
    return st;
}
