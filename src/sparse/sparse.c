/* Sparse matrices, from coordinates or compressed rows to blocks (sparse_blocks.c) and back to
 * nothing; what is to be known of the whole matrix is found on the way (sparse_values.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/device.h"
#include "codelets/core/least.h"
#include "src/core/ranks.h"
#include "src/sparse/sparse.h"

/* ---- Names --------------------------------------------------------------------------------- */

static const char *const format_names[ORR_NFORMATS] = {"auto", "csr", "ell",   "gpu-ell",
                                                       "sell", "bsr", "merge", "tiles"};

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

/* ---- Life ---------------------------------------------------------------------------------- */

void orr_sparse_free(orr_sparse *A)
{
    if (!A || orr_forked())
        return;
    const int moves = A->ctx->info.cuda + A->ctx->info.opencl > 0;
    if (moves) /* unregistering may bring data home */
        orr_context_enter(A->ctx);
    for (int64_t b = 0; A->A && b < A->info.blocks; b++)
        if (A->A[b])
            starpu_data_unregister(A->A[b]);
    orr_powm_devices_drop(A->devices);
    if (moves)
        orr_context_leave(A->ctx);
    orr_unpin(&A->pins);
    for (int64_t b = 0; A->block && b < A->info.blocks; b++)
        free(A->block[b]);
    free(A->block);
    free(A->A);
    free(A->first);
    free(A->bytes);
    free(A->need);
    free(A->need_at);
    free(A->wanted);
    free(A->owner);
    free(A->degree);
    free(A->given);
    free(A->column_shift);
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
    if (o->graph && orr_is_complex(*t)) {
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
    if (!orr_csr_finite(c)) {
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
    if (A->info.duplicates > 0 && !orr_csr_finite(c)) {
        snprintf(message, 256, "duplicates of an entry sum to more than a double can hold");
        return ORR_E_NONFINITE;
    }
    A->info.rows = c->rows;
    A->info.cols = c->cols;
    A->info.nnz = c->nnz;
    A->info.graph = o->graph;
    A->info.by_degree = A->given != NULL;
    if (symmetry == 2 && !o->graph)
        st = orr_csr_symmetry(c, &symmetry);
    if (st != ORR_OK)
        return st;
    A->info.hermitian = symmetry == 1;
    A->info.skew = symmetry == -1;
    A->info.acyclic = c->rows == c->cols && !o->graph && symmetry != 1 && c->rows > 0 &&
                      orr_csr_acyclic(c, &A->source);
    A->shift = o->graph ? 0 : orr_csr_scale(c, A->info.type);
    st = orr_csr_measure(c, A);
    if (st == ORR_OK && o->graph)
        st = orr_csr_scale_columns(c, A->info.type, &A->column_shift);
    if (st == ORR_OK && o->graph)
        st = orr_sparse_degrees(A, c, message);
    if (st != ORR_OK)
        return st;
    *values = orr_csr_values(c, o->full);
    A->info.blocks = orr_sparse_blocks(A, c, *values, o->blocks);
    return orr_sparse_cut(A, c);
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
    A->owner = calloc((size_t)P, sizeof *A->owner);
    if (!A->A || !A->block || !A->bytes || !A->owner)
        return ORR_E_NOMEM;
    if (ctx->info.ranks > 1 && A->col_first) {
        A->wanted = orr_powm_wanted(ctx, P, P, A->need, A->need_at);
        if (!A->wanted)
            return ORR_E_NOMEM;
    }
    if (orr_powm_devices_make(&A->devices) != ORR_OK)
        return ORR_E_NOMEM;
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
                                    .owner = A->owner,
                                    .wanted = A->wanted,
                                    .devices = A->devices};
    if (o->format == ORR_FORMAT_TILES && ctx->info.cuda > 0) {
        snprintf(message, 256, "format tiles is for CPUs only, and there is a CUDA device");
        return ORR_E_ARG;
    }
    const orr_status st = orr_sparse_build(A, c, o, values);
    if (st == ORR_E_NOMEM && o->format)
        snprintf(message, 256, "the padding of format %s is too much for this matrix",
                 orr_format_name(o->format));
    return st;
}

/* What a matrix is made from, one of the two. */
struct given {
    const orr_mtx *m;
    const struct orr_csr_given *rows;
    const char *wrong; /* unless there are coordinates; NULL: nothing */
};

static const char *wrong_coordinates(const orr_mtx *m, const orr_sparse_opts *o)
{
    const char *wrong = wrong_sizes(m->rows, m->cols, o);
    if (!wrong && (orr_device_of(m->row) || orr_device_of(m->col) || orr_device_of(m->val)))
        wrong = "row, col and val are in main memory";
    return wrong ? wrong : orr_mtx_wrong(m);
}

static orr_status read_coordinates(orr_context *ctx, const orr_mtx *m, const orr_sparse_opts *o,
                                   struct orr_csr *c, orr_sparse **A, int *values, char *say)
{
    const orr_status st = orr_csr_from_mtx(m, o->transpose != o->graph, o->unweighted, c);
    if (st != ORR_OK)
        return st;
    const int real_mirror = m->symmetry == ORR_MTX_SYMMETRIC && !c->complex_values;
    const int known = real_mirror || m->symmetry == ORR_MTX_HERMITIAN                       ? 1
                      : m->symmetry == ORR_MTX_SKEW && !c->complex_values && !o->unweighted ? -1
                                                                                            : 2;
    return survey(ctx, c, o, known, A, values, say);
}

static orr_status read_given(orr_context *ctx, const struct given *g, const orr_sparse_opts *o,
                             struct orr_csr *c, orr_sparse **A, int *values, char *say)
{
    const char *wrong = g->m ? wrong_coordinates(g->m, o) : g->wrong;
    if (wrong) {
        snprintf(say, 256, "%s", wrong);
        return ORR_E_ARG;
    }
    if (g->m)
        return read_coordinates(ctx, g->m, o, c, A, values, say);
    const orr_status st = orr_csr_from_rows(g->rows, o->transpose != o->graph, o->unweighted, c);
    return st == ORR_OK ? survey(ctx, c, o, 2, A, values, say) : st;
}

/* The context, or where to put the matrix. */
static orr_status missing(const orr_context *ctx, char *say)
{
    snprintf(say, 256, "%s", ctx ? "no place for the matrix" : "the context is NULL");
    return ORR_E_ARG;
}

/* given: of rank 0. out may be NULL on one of several ranks, which is refused on all. */
static orr_status make(orr_context *ctx, const struct given *given, const orr_sparse_opts *opts,
                       orr_sparse **out, char *say)
{
    orr_sparse_opts o = opts ? *opts : (orr_sparse_opts){0};
    struct orr_csr c = {0};
    orr_sparse *A = NULL;
    orr_status st = out ? ORR_OK : missing(ctx, say);
    int values = 0;
    if (ctx->info.rank == 0 && st == ORR_OK)
        st = read_given(ctx, given, &o, &c, &A, &values, say);
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
    if (out)
        *out = A;
    return st;
}

static orr_status barred(char *say)
{
    snprintf(say, 256, "%s", orr_why(orr_barred()));
    return orr_barred();
}

orr_status orr_sparse_from_mtx(orr_context *ctx, const orr_mtx *m, const orr_sparse_opts *opts,
                               orr_sparse **out, char message[256])
{
    char unused[256], *say = message ? message : unused;
    say[0] = 0;
    if (out)
        *out = NULL;
    if (!ctx)
        return missing(ctx, say);
    if (orr_barred() != ORR_OK)
        return barred(say);
    return make(ctx, &(struct given){.m = m, .wrong = m ? NULL : "the coordinates are NULL"}, opts,
                out, say);
}

static const char *wrong_rows(const struct orr_csr_given *g, const orr_sparse_opts *o)
{
    const char *wrong = wrong_sizes(g->rows, g->cols, o);
    if (wrong || g->rows == 0)
        return wrong;
    if (g->ptr[0] < 0)
        return "ptr begins below zero";
    for (int64_t i = 0; i < g->rows; i++) /* all, before index is looked at */
        if (g->ptr[i + 1] < g->ptr[i])
            return "ptr does not ascend";
    int outside = 0;
    for (int64_t k = g->ptr[0]; k < g->ptr[g->rows]; k++)
        outside |= (g->index[k] < 0) | (g->index[k] >= g->cols);
    return outside ? "a column index is out of range" : NULL;
}

orr_status orr_sparse_from_csr(orr_context *ctx, int64_t rows, int64_t cols, const int64_t *ptr,
                               const int64_t *index, const double *val, int complex_values,
                               const orr_sparse_opts *opts, orr_sparse **out, char message[256])
{
    char unused[256], *say = message ? message : unused;
    const orr_sparse_opts o = opts ? *opts : (orr_sparse_opts){0};
    say[0] = 0;
    if (out)
        *out = NULL;
    if (!ctx)
        return missing(ctx, say);
    if (orr_barred() != ORR_OK)
        return barred(say);
    const struct orr_csr_given all = {rows, cols, ptr, index, val, complex_values};
    struct given given = {.rows = &all};
    if (ctx->info.rank > 0)
        return make(ctx, &given, &o, out, say);
    if (orr_device_of(ptr) || orr_device_of(index) || orr_device_of(val))
        given.wrong = "ptr, index and val are in main memory";
    else if (!ptr)
        given.wrong = "ptr is NULL";
    else if (rows > 0 && !index && ptr[rows] > ptr[0])
        given.wrong = "index is NULL";
    else
        given.wrong = wrong_rows(&all, &o);
    return make(ctx, &given, &o, out, say);
}

void orr_sparse_query(const orr_sparse *A, orr_sparse_info *out)
{
    if (out)
        *out = A ? A->info : (orr_sparse_info){0};
}
