/* Sparse matrices: blocks of rows of about equal size in bytes, each packed in the format that
 * suits its rows and registered with StarPU as one read-only piece.
 *
 * Which parts of x a block needs is found once, so that a product of a banded matrix waits
 * for its neighbours only, and moves only those to another memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/ranks.h"
#include "src/sparse.h"

enum {
    BLOCKS_PER_WORKER = 2, /* so that an uneven one is made up for */
    ALIGN_ROWS = 96,       /* cuts at multiples of the slices of sell and the blocks of bsr */
    MOST_BLOCKS = 256
};
static const int64_t LEAST_BLOCK = 1 << 19; /* bytes; a task of less costs more than it does */
static const int64_t MOST_BLOCK = 1 << 30;  /* entries; 32-bit offsets within a block */

/* ---- Names --------------------------------------------------------------------------------- */

static const char *const format_names[ORR_NFORMATS] = {"auto", "csr", "ell",  "gpu-ell",
                                                       "sell", "bsr", "merge"};

const char *orr_format_name(orr_format f)
{
    return (int)f >= 0 && f < ORR_NFORMATS ? format_names[f] : "?";
}

int orr_format_parse(const char *s, orr_format *out)
{
    if (s && strcmp(s, "crs") == 0)
        s = "csr";
    for (int f = 0; s && f < ORR_NFORMATS; f++)
        if (strcmp(s, format_names[f]) == 0) {
            *out = (orr_format)f;
            return 0;
        }
    return -1;
}

/* ---- What the values are ------------------------------------------------------------------- */

static int finite_values(const struct orr_csr *c)
{
    const int64_t n = c->val ? c->nnz * (c->complex_values ? 2 : 1) : 0;
    int good = 1;
#pragma omp parallel for reduction(& : good) if (n > ORR_WORTH_THREADS)
    for (int64_t k = 0; k < n; k++)
        good &= isfinite(c->val[k]) != 0;
    return good;
}

/* Values that are all equal need not be stored, and those that survive float take half. */
static int values_kind(struct orr_csr *c, int full)
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

static orr_status measure(const struct orr_csr *c, orr_sparse_info *o)
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

/* ---- Blocks -------------------------------------------------------------------------------- */

static int64_t choose_blocks(const orr_sparse *A, const struct orr_csr *c, int64_t asked)
{
    const int64_t bytes =
        c->nnz * (int64_t)(4 + (c->val ? orr_type_size(A->info.type) : 0)) + 4 * c->rows;
    const int64_t cpus = A->ctx->info.ranks > 1 ? A->ctx->cpus_of_all : A->ctx->info.cpu;
    int64_t n = (cpus > 1 ? cpus : 1) * BLOCKS_PER_WORKER;
    if (asked > 0)
        n = asked;
    else if (n > bytes / LEAST_BLOCK)
        n = bytes / LEAST_BLOCK;
    if (n < (c->nnz + MOST_BLOCK - 1) / MOST_BLOCK)
        n = (c->nnz + MOST_BLOCK - 1) / MOST_BLOCK;
    if (n > c->rows)
        n = c->rows;
    return n < 1 ? 1 : n > MOST_BLOCKS ? MOST_BLOCKS : n;
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
#pragma omp parallel for schedule(dynamic, 1) if (c->nnz > ORR_WORTH_THREADS)
    for (int64_t b = 0; b < P; b++) {
        used[b * P + b] = 1;
        for (int64_t k = c->ptr[A->first[b]]; k < c->ptr[A->first[b + 1]]; k++)
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

/* The blocks of this rank. */
static orr_status build_blocks(orr_sparse *A, const struct orr_csr *c, const orr_sparse_opts *o,
                               int values)
{
    const int64_t P = A->info.blocks, from = A->m.mine, end = A->m.mine_end;
    struct orr_powm_built *built = calloc((size_t)P, sizeof *built);
    orr_status st = built ? ORR_OK : ORR_E_NOMEM;
    if (st != ORR_OK)
        return st;
        /* As many at a time as will multiply at a time, so that timings see the same memory. */
#pragma omp parallel for schedule(dynamic, 1) if (c->nnz > ORR_WORTH_THREADS)
    for (int64_t b = from; b < end; b++) {
        const struct orr_powm_source s = {.first = A->first[b],
                                          .rows = A->first[b + 1] - A->first[b],
                                          .cols = c->cols,
                                          .ptr = c->ptr + (A->first[b] - c->before),
                                          .index = c->index,
                                          .val = c->val,
                                          .value = c->value,
                                          .complex_values = c->complex_values};
        const orr_status one =
            orr_powm_build(&s, A->info.type, o->format, values, !o->rule_only, &built[b]);
#pragma omp critical
        if (one != ORR_OK)
            st = one;
    }
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
    for (int64_t b = from; st == ORR_OK && b < end; b++)
        starpu_vector_data_register(&A->A[b], STARPU_MAIN_RAM, (uintptr_t)A->block[b],
                                    (uint32_t)(A->bytes[b] / 64), 64);
    return st;
}

/* Weights of the links out of each node: the columns of what is stored. */
static orr_status find_degrees(orr_sparse *A, const struct orr_csr *c, char *message)
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

/* ---- Life ---------------------------------------------------------------------------------- */

void orr_sparse_free(orr_sparse *A)
{
    if (!A)
        return;
    orr_context_enter(A->ctx); /* unregistering may have to move data */
    for (int64_t b = 0; A->A && b < A->info.blocks; b++)
        if (A->A[b])
            starpu_data_unregister(A->A[b]);
    orr_context_leave(A->ctx);
    for (int64_t b = 0; A->block && b < A->info.blocks; b++)
        free(A->block[b]);
    free(A->block);
    free(A->A);
    free(A->first);
    free(A->bytes);
    free(A->need);
    free(A->need_at);
    free(A->wanted);
    free(A->degree);
    free(A->given);
    free(A);
}

static int choose_type(const orr_sparse_opts *o, int complex_values, orr_type *t, char *message)
{
    const char letter[2] = {o->type ? o->type : complex_values ? 'z' : 'd', 0};
    if (orr_type_parse(letter, t) != 0 || *t >= ORR_NTYPES) {
        snprintf(message, 256, "type is none of s, d, c, z");
        return -1;
    }
    if (complex_values && (*t == ORR_S || *t == ORR_D)) {
        snprintf(message, 256, "the values are complex, the type is real");
        return -1;
    }
    if (o->graph && (*t == ORR_C || *t == ORR_Z)) {
        snprintf(message, 256, "a graph has real weights");
        return -1;
    }
    return 0;
}

static const char *wrong_sizes(int64_t rows, int64_t cols, const orr_sparse_opts *o)
{
    const int64_t most = INT32_MAX - 64;
    if (rows < 0 || cols < 0)
        return "a size is negative";
    if (rows > most || cols > most)
        return "more than 2^31 rows or columns";
    if (o->graph && rows != cols)
        return "a graph has a square matrix";
    if (o->order && o->order != 'n' && o->order != 'd')
        return "order is none of 'n', 'd'";
    if ((int)o->format < 0 || o->format >= ORR_NFORMATS || o->blocks < 0)
        return "no such format, or a negative number of blocks";
    return NULL;
}

/* From rows in any order to tidy ones, and what is to be known of the whole matrix. symmetry: 1, -1
 * if known, 2: find out. *values: how they are stored. *out is the caller's to free. */
static orr_status survey(orr_context *ctx, struct orr_csr *c, const orr_sparse_opts *o,
                         int symmetry, orr_sparse **out, int *values, char *message)
{
    orr_sparse *A = *out = calloc(1, sizeof *A);
    if (!A)
        return ORR_E_NOMEM;
    A->ctx = ctx;
    if (choose_type(o, c->complex_values, &A->info.type, message) != 0)
        return ORR_E_ARG;
    if (!finite_values(c)) {
        snprintf(message, 256, "a value is not finite");
        return ORR_E_NONFINITE;
    }
    orr_status st = ORR_OK;
    if (o->graph && o->order != 'n')
        st = orr_csr_by_degree(c, o->order == 0, &A->given);
    if (st == ORR_OK)
        st = orr_csr_tidy(c, o->keep_zeros, o->unweighted, &A->info.duplicates, &A->info.zeros);
    if (st != ORR_OK)
        return st;
    if (!finite_values(c)) {
        snprintf(message, 256, "duplicates of an entry sum to more than a double can hold");
        return ORR_E_NONFINITE;
    }
    A->info.rows = c->rows;
    A->info.cols = c->cols;
    A->info.nnz = c->nnz;
    A->info.graph = o->graph;
    A->info.by_degree = A->given != NULL;
    if (symmetry == 2)
        symmetry = o->graph ? 0 : orr_csr_symmetry(c);
    A->info.hermitian = symmetry == 1;
    A->info.skew = symmetry == -1;
    A->info.acyclic = c->rows == c->cols && !o->graph && symmetry != 1 && c->rows > 0 &&
                      orr_csr_acyclic(c, &A->source);
    A->info.blocks = choose_blocks(A, c, o->blocks);
    st = measure(c, &A->info);
    if (st == ORR_OK && o->graph)
        st = find_degrees(A, c, message);
    if (st != ORR_OK)
        return st;
    *values = values_kind(c, o->full);
    A->first = malloc((size_t)(A->info.blocks + 1) * sizeof *A->first);
    if (!A->first)
        return ORR_E_NOMEM;
    cut(c, A->info.blocks, A->first);
    A->col_first = c->rows == c->cols ? A->first : NULL;
    return A->col_first ? find_needs(A, c) : ORR_OK;
}

/* The blocks of this rank, whose rows c holds. */
static orr_status assemble(orr_sparse *A, const struct orr_csr *c, const orr_sparse_opts *o,
                           int values, char *message)
{
    const orr_context *ctx = A->ctx;
    const int64_t P = A->info.blocks;
    A->A = calloc((size_t)P, sizeof *A->A);
    A->block = calloc((size_t)P, sizeof *A->block);
    A->bytes = calloc((size_t)P, sizeof *A->bytes);
    if (!A->A || !A->block || !A->bytes)
        return ORR_E_NOMEM;
    if (ctx->info.ranks > 1 && A->col_first) {
        A->wanted = orr_powm_wanted(ctx, P, P, A->need, A->need_at);
        if (!A->wanted)
            return ORR_E_NOMEM;
    }
    A->m = (struct orr_powm_matrix){.type = A->info.type,
                                    .rows = A->info.rows,
                                    .cols = A->info.cols,
                                    .blocks = P,
                                    .col_blocks = P,
                                    .mine = orr_ranks_first(ctx, ctx->info.rank, P),
                                    .mine_end = orr_ranks_first(ctx, ctx->info.rank + 1, P),
                                    .first = A->first,
                                    .col_first = A->col_first,
                                    .A = A->A,
                                    .bytes = A->bytes,
                                    .block = A->block,
                                    .need = A->need,
                                    .need_at = A->need_at,
                                    .wanted = A->wanted};
    const orr_status st = build_blocks(A, c, o, values);
    if (st == ORR_E_NOMEM && o->format)
        snprintf(message, 256, "the padding of format %s is too much for this matrix",
                 orr_format_name(o->format));
    return st;
}

/* From coordinates; there are none if something is wrong with them, or for want of memory. */
static orr_status read_rows(orr_context *ctx, const orr_mtx *m, const char *wrong,
                            const orr_sparse_opts *o, struct orr_csr *c, orr_sparse **A,
                            int *values, char *say)
{
    int64_t twice;
    if (!m && !wrong)
        return ORR_E_NOMEM;
    if (!wrong)
        wrong = wrong_sizes(m->rows, m->cols, o);
    if (!wrong && (m->entries < 0 || __builtin_mul_overflow(m->entries, 32, &twice)))
        wrong = "more entries than memory can hold";
    if (wrong) {
        snprintf(say, 256, "%s", wrong);
        return ORR_E_ARG;
    }
    const orr_status st = orr_csr_from_mtx(m, o->transpose != o->graph, o->unweighted, c);
    if (st != ORR_OK)
        return st;
    const int real_mirror = m->symmetry == ORR_MTX_SYMMETRIC && !c->complex_values;
    const int known = real_mirror || m->symmetry == ORR_MTX_HERMITIAN                       ? 1
                      : m->symmetry == ORR_MTX_SKEW && !c->complex_values && !o->unweighted ? -1
                                                                                            : 2;
    return survey(ctx, c, o, known, A, values, say);
}

/* m: of rank 0. NULL: see read_rows. */
static orr_status make(orr_context *ctx, const orr_mtx *m, const char *wrong,
                       const orr_sparse_opts *opts, orr_sparse **out, char *say)
{
    orr_sparse_opts o = opts ? *opts : (orr_sparse_opts){0};
    struct orr_csr c = {0};
    orr_sparse *A = NULL;
    orr_status st = ORR_OK;
    int values = 0;
    if (ctx->info.rank == 0)
        st = read_rows(ctx, m, wrong, &o, &c, &A, &values, say);
    if (st == ORR_E_NOMEM && !say[0])
        snprintf(say, 256, "out of memory");
    st = orr_sparse_spread(ctx, st, &A, &c, &o, &values, say);
    if (st == ORR_OK) {
        st = assemble(A, &c, &o, values, say);
        if (st == ORR_E_NOMEM && !say[0])
            snprintf(say, 256, "out of memory");
        st = orr_ranks_agree(ctx, st, say);
    }
    if (st == ORR_OK)
        orr_sparse_count(A);
    if (st != ORR_OK) {
        orr_sparse_free(A);
        A = NULL;
    }
    orr_csr_free(&c);
    *out = A;
    return st;
}

orr_status orr_sparse_from_mtx(orr_context *ctx, const orr_mtx *m, const orr_sparse_opts *opts,
                               orr_sparse **out, char message[256])
{
    char unused[256], *say = message ? message : unused;
    say[0] = 0;
    if (!ctx || !out || (!m && ctx->info.rank == 0))
        return ORR_E_ARG;
    return make(ctx, m, NULL, opts, out, say);
}

orr_status orr_sparse_from_csr(orr_context *ctx, int64_t rows, int64_t cols, const int64_t *ptr,
                               const int64_t *index, const double *val, int complex_values,
                               const orr_sparse_opts *opts, orr_sparse **out, char message[256])
{
    char unused[256], *say = message ? message : unused;
    const orr_sparse_opts o = opts ? *opts : (orr_sparse_opts){0};
    say[0] = 0;
    if (ctx && out && ctx->info.rank > 0)
        return make(ctx, NULL, NULL, &o, out, say);
    if (!ctx || !ptr || !out || (rows > 0 && ptr[rows] > 0 && !index))
        return ORR_E_ARG;
    const char *wrong = wrong_sizes(rows, cols, &o);
    for (int64_t i = 0; !wrong && i < rows; i++) {
        if (ptr[i] < 0 || ptr[i + 1] < ptr[i])
            wrong = "ptr does not ascend";
        for (int64_t k = ptr[i]; !wrong && k < ptr[i + 1]; k++)
            if (index[k] < 0 || index[k] >= cols)
                wrong = "a column index is out of range";
    }
    if (wrong)
        return make(ctx, NULL, wrong, &o, out, say);
    const int64_t base = rows > 0 ? ptr[0] : 0, nnz = rows > 0 ? ptr[rows] - base : 0;
    int64_t *row = malloc(((size_t)nnz + 1) * sizeof *row);
    if (!row)
        return make(ctx, NULL, NULL, &o, out, say);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = ptr[i]; k < ptr[i + 1]; k++)
            row[k - base] = i;
    const orr_mtx m = {.rows = rows,
                       .cols = cols,
                       .entries = nnz,
                       .field = !val             ? ORR_MTX_PATTERN
                                : complex_values ? ORR_MTX_COMPLEX
                                                 : ORR_MTX_REAL,
                       .row = row,
                       .col = (int64_t *)index + base,
                       .val = val ? (double *)val + base * (complex_values ? 2 : 1) : NULL};
    const orr_status st = make(ctx, &m, NULL, &o, out, say);
    free(row);
    return st;
}

void orr_sparse_query(const orr_sparse *A, orr_sparse_info *out)
{
    *out = A->info;
}
