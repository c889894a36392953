/* Sparse matrices over several ranks. Rank 0 reads the matrix, finds what is to be known of all of
 * it, cuts it into blocks as it would alone, and sends each rank its rows; each packs its own.
 *
 *   block    0 1 2 | 3 4 | 5 6 7     each rank has some in a row
 *   rank       0      1      2
 *
 * A vector has room for all its entries on every rank, so that column numbers are the same
 * everywhere; of an iterate a rank receives the blocks that its rows refer to. What is decided
 * from sums over all blocks is decided by rank 0, so that ranks cannot disagree, and in the order
 * of the blocks, so that the answer does not depend on how many ranks there are.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/ranks.h"
#include "src/sparse/sparse.h"

/* ---- From rank 0 to all -------------------------------------------------------------------- */

/* What is of fixed size. */
struct whole {
    orr_sparse_info info;
    orr_sparse_opts opts;
    int64_t dangling, source;
    double value, norm, norm_singular;
    int shift;
    int values, complex_values, has_values, has_degrees, has_given, has_shifts, is_square;
};

static struct whole whole_of(const orr_sparse *A, const struct orr_csr *c, const orr_sparse_opts *o,
                             int values)
{
    return (struct whole){.info = A->info,
                          .opts = *o,
                          .dangling = A->dangling,
                          .source = A->source,
                          .value = c->value,
                          .norm = A->norm,
                          .norm_singular = A->norm_singular,
                          .shift = A->shift,
                          .values = values,
                          .complex_values = c->complex_values,
                          .has_values = c->val != NULL,
                          .has_degrees = A->degree != NULL,
                          .has_given = A->given != NULL,
                          .has_shifts = A->column_shift != NULL,
                          .is_square = A->col_first != NULL};
}

/* Room for what rank 0 has already. */
static orr_status prepare(const struct whole *w, orr_sparse *A, struct orr_csr *c)
{
    const size_t P = (size_t)w->info.blocks, n = (size_t)w->info.cols;
    A->info = w->info;
    A->dangling = w->dangling;
    A->source = w->source;
    A->norm = w->norm;
    A->norm_singular = w->norm_singular;
    A->shift = w->shift;
    A->first = malloc((P + 1) * sizeof *A->first);
    A->col_first = w->is_square ? A->first : NULL;
    A->need = malloc((P * P + 1) * sizeof *A->need);
    A->need_at = calloc(P + 1, sizeof *A->need_at);
    A->degree = w->has_degrees ? malloc((n + 1) * sizeof *A->degree) : NULL;
    A->given = w->has_given ? malloc((n + 1) * sizeof *A->given) : NULL;
    A->column_shift = w->has_shifts ? malloc((n + 1) * sizeof *A->column_shift) : NULL;
    *c = (struct orr_csr){.rows = w->info.rows,
                          .cols = w->info.cols,
                          .value = w->value,
                          .complex_values = w->complex_values};
    return A->first && A->need && A->need_at && (A->degree || !w->has_degrees) &&
                   (A->given || !w->has_given) && (A->column_shift || !w->has_shifts)
               ? ORR_OK
               : ORR_E_NOMEM;
}

static void tell_all(orr_context *ctx, const struct whole *w, orr_sparse *A)
{
    const size_t P = (size_t)w->info.blocks, n = (size_t)w->info.cols;
    orr_ranks_bcast(ctx, 0, A->first, (P + 1) * sizeof *A->first);
    if (w->is_square) {
        orr_ranks_bcast(ctx, 0, A->need_at, (P + 1) * sizeof *A->need_at);
        orr_ranks_bcast(ctx, 0, A->need, (size_t)A->need_at[P] * sizeof *A->need);
    }
    if (w->has_degrees)
        orr_ranks_bcast(ctx, 0, A->degree, n * sizeof *A->degree);
    if (w->has_given)
        orr_ranks_bcast(ctx, 0, A->given, n * sizeof *A->given);
    if (w->has_shifts)
        orr_ranks_bcast(ctx, 0, A->column_shift, n * sizeof *A->column_shift);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void send_rows(orr_context *ctx, const orr_sparse *A, const struct orr_csr *c, int to)
{
    const int64_t first = A->first[orr_ranks_first(ctx, to, A->info.blocks)];
    const int64_t end = A->first[orr_ranks_first(ctx, to + 1, A->info.blocks)];
    const int64_t at = c->ptr[first], nnz = c->ptr[end] - at;
    const int w = c->complex_values ? 2 : 1;
    orr_ranks_send(ctx, to, c->ptr + first, (size_t)(end - first + 1) * sizeof *c->ptr);
    orr_ranks_send(ctx, to, c->index + at, (size_t)nnz * sizeof *c->index);
    if (c->val)
        orr_ranks_send(ctx, to, c->val + at * w, (size_t)(nnz * w) * sizeof *c->val);
}

/* at: where the entries of each rank's rows begin. */
static orr_status make_room(const orr_sparse *A, const int64_t *at, int has_values,
                            struct orr_csr *c)
{
    const orr_context *ctx = A->ctx;
    const int rank = ctx->info.rank, w = c->complex_values ? 2 : 1;
    const int64_t end = A->first[orr_ranks_first(ctx, rank + 1, A->info.blocks)];
    c->before = A->first[orr_ranks_first(ctx, rank, A->info.blocks)];
    c->nnz = at[rank + 1] - at[rank];
    c->ptr = malloc((size_t)(end - c->before + 1) * sizeof *c->ptr);
    c->index = malloc((size_t)(c->nnz + 1) * sizeof *c->index);
    c->val = has_values ? malloc((size_t)(c->nnz * w + 1) * sizeof *c->val) : NULL;
    return c->ptr && c->index && (c->val || !has_values) ? ORR_OK : ORR_E_NOMEM;
}

static void receive_rows(const orr_sparse *A, struct orr_csr *c)
{
    orr_context *ctx = A->ctx;
    const int64_t end = A->first[orr_ranks_first(ctx, ctx->info.rank + 1, A->info.blocks)];
    const int64_t rows = end - c->before;
    const int w = c->complex_values ? 2 : 1;
    orr_ranks_receive(ctx, 0, c->ptr, (size_t)(rows + 1) * sizeof *c->ptr);
    const int64_t base = c->ptr[0];
    for (int64_t i = 0; i <= rows; i++)
        c->ptr[i] -= base;
    orr_ranks_receive(ctx, 0, c->index, (size_t)c->nnz * sizeof *c->index);
    if (c->val)
        orr_ranks_receive(ctx, 0, c->val, (size_t)(c->nnz * w) * sizeof *c->val);
}

orr_status orr_sparse_spread(orr_context *ctx, orr_status st, orr_sparse **A, struct orr_csr *c,
                             orr_sparse_opts *o, int *values, char *message)
{
    struct whole w = {0};
    if (ctx->info.ranks == 1)
        return st;
    st = orr_ranks_agree(ctx, st, message);
    if (st != ORR_OK)
        return st;
    if (ctx->info.rank == 0)
        w = whole_of(*A, c, o, *values);
    orr_ranks_bcast(ctx, 0, &w, sizeof w);
    *o = w.opts;
    *values = w.values;
    if (ctx->info.rank > 0) {
        *A = calloc(1, sizeof **A);
        st = *A ? ORR_OK : ORR_E_NOMEM;
        if (*A) {
            (*A)->ctx = ctx;
            st = prepare(&w, *A, c);
        }
    }
    int64_t *at = calloc((size_t)ctx->info.ranks + 1, sizeof *at);
    st = orr_ranks_agree(ctx, at ? st : ORR_E_NOMEM, NULL);
    if (st == ORR_OK) {
        tell_all(ctx, &w, *A);
        for (int r = 0; ctx->info.rank == 0 && r <= ctx->info.ranks; r++)
            at[r] = c->ptr[(*A)->first[orr_ranks_first(ctx, r, w.info.blocks)]];
        orr_ranks_bcast(ctx, 0, at, (size_t)(ctx->info.ranks + 1) * sizeof *at);
        if (ctx->info.rank > 0)
            st = make_room(*A, at, w.has_values, c);
        st = orr_ranks_agree(ctx, st, NULL);
    }
    free(at);
    if (st != ORR_OK)
        return st;
    for (int r = 1; ctx->info.rank == 0 && r < ctx->info.ranks; r++)
        send_rows(ctx, *A, c, r);
    if (ctx->info.rank > 0)
        receive_rows(*A, c);
    return ORR_OK;
}

void orr_sparse_count(orr_sparse *A)
{
    orr_sparse_info *o = &A->info;
    orr_ranks_sum(A->ctx, &o->slots, 1);
    orr_ranks_sum(A->ctx, &o->bytes, 1);
    orr_ranks_sum(A->ctx, &o->narrow, 1);
    orr_ranks_sum(A->ctx, &o->pattern, 1);
    orr_ranks_sum(A->ctx, o->by_format, ORR_NFORMATS);
}

/* ---- Arguments ----------------------------------------------------------------------------- */

uint64_t orr_sparse_hash(uint64_t hash, const void *p, size_t bytes)
{
    hash = hash ? hash : 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)p)[i]) * 1099511628211u;
    return hash;
}

/* A matrix is cut for the ranks of its context. */
static int foreign(const orr_context *ctx, const orr_sparse *A)
{
    return A && A->ctx != ctx && (A->ctx->info.ranks > 1 || ctx->info.ranks > 1);
}

/* Ranks that go on while another does not would wait for it for ever. */
const char *orr_sparse_wrong(orr_context *ctx, const char *wrong, const orr_sparse *A,
                             const orr_sparse *B, uint64_t same, char *say)
{
    if (!ctx)
        return "the context is NULL";
    if (!wrong && (foreign(ctx, A) || foreign(ctx, B)))
        wrong = "the matrix was made with another context, and one of the two is of several ranks";
    if (ctx->info.ranks == 1)
        return wrong;
    if (!wrong && ctx->planner)
        wrong = "what several ranks do together cannot be planned";
    uint64_t first = same;
    orr_ranks_bcast(ctx, 0, &first, sizeof first);
    snprintf(say, 256, "%s", wrong ? wrong : "the ranks were given different arguments");
    const orr_status st = wrong || first != same ? ORR_E_ARG : ORR_OK;
    return orr_ranks_agree(ctx, st, say) == ORR_OK ? NULL : say;
}

/* ---- Iterations ---------------------------------------------------------------------------- */

char *orr_powm_wanted(const orr_context *ctx, int64_t blocks, int64_t col_blocks,
                      const int32_t *need, const int64_t *need_at)
{
    const int R = ctx->info.ranks;
    char *wanted = R > 1 ? calloc((size_t)(col_blocks * R) + 1, 1) : NULL;
    for (int64_t b = 0; wanted && b < blocks; b++)
        for (int64_t i = need_at[b]; i < need_at[b + 1]; i++)
            wanted[need[i] * R + orr_ranks_owner(ctx, b, blocks)] = 1;
    return wanted;
}

void orr_powm_share(orr_context *ctx, struct orr_request *req, const struct orr_powm_matrix *m,
                    const starpu_data_handle_t *x)
{
    const int R = ctx->info.ranks;
    for (int64_t s = 0; R > 1 && s < m->col_blocks; s++)
        for (int r = 0; r < R; r++)
            if (m->wanted[s * R + r])
                orr_ranks_move(ctx, req, x[s], orr_ranks_owner(ctx, s, m->col_blocks), r);
}

void orr_powm_collect(orr_context *ctx, struct orr_request *req, const starpu_data_handle_t *part,
                      int64_t blocks)
{
    for (int64_t b = 0; ctx->info.ranks > 1 && b < blocks; b++)
        orr_ranks_move(ctx, req, part[b], orr_ranks_owner(ctx, b, blocks), 0);
}

void orr_powm_tell(orr_context *ctx, struct orr_request *req, starpu_data_handle_t h)
{
    for (int r = 1; r < ctx->info.ranks; r++)
        orr_ranks_move(ctx, req, h, 0, r);
}

void orr_powm_complete(orr_context *ctx, orr_type type, void *vector, const int64_t *first,
                       int64_t blocks)
{
    const int64_t size = (int64_t)orr_type_size(type);
    for (int r = 0; ctx->info.ranks > 1 && r < ctx->info.ranks; r++) {
        const int64_t from = first[orr_ranks_first(ctx, r, blocks)];
        const int64_t end = first[orr_ranks_first(ctx, r + 1, blocks)];
        orr_ranks_bcast(ctx, r, (char *)vector + from * size, (size_t)((end - from) * size));
    }
}
