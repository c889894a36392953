/* One product of a sparse matrix with a vector. SPDX-License-Identifier: BSD-3-Clause */
#include "src/sparse/powm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is stored is the matrix times powers of two: x is divided by them. */
static void unscale(const orr_sparse *A, void *x)
{
    const orr_type t = A->info.type;
    for (int64_t j = 0; (A->shift || A->column_shift) && j < A->info.cols; j++) {
        const int by = -(A->column_shift ? A->column_shift[j] : A->shift);
        const double complex v = orr_powm_get(t, x, j);
        orr_powm_set(t, x, j, CMPLX(ldexp(creal(v), by), ldexp(cimag(v), by)));
    }
}

/* The caller's x in the order of what is stored, and y back. */
static void take(const orr_sparse *A, const void *x, char *to)
{
    const int64_t size = (int64_t)orr_type_size(A->info.type);
    for (int64_t i = 0; A->given && i < A->info.cols; i++)
        memcpy(to + i * size, (const char *)x + A->given[i] * size, (size_t)size);
    if (!A->given && x)
        memcpy(to, x, (size_t)(A->info.cols * size));
    unscale(A, to);
}

static void give(const orr_sparse *A, const char *from, char *y)
{
    const int64_t size = (int64_t)orr_type_size(A->info.type);
    for (int64_t i = 0; A->given && i < A->info.rows; i++)
        memcpy(y + A->given[i] * size, from + i * size, (size_t)size);
    if (!A->given)
        memcpy(y, from, (size_t)(A->info.rows * size));
}

orr_status orr_sparse_multiply(orr_context *ctx, const orr_sparse *A, const void *x, void *y,
                               orr_report *report)
{
    const unsigned entered = orr_context_entered(ctx);
    const char *missing = !A                       ? "A is NULL"
                          : !x && A->info.cols > 0 ? "x is NULL"
                          : !y && A->info.rows > 0 ? "y is NULL"
                                                   : NULL;
    char say[256];
    const char *wrong = orr_sparse_wrong(ctx, missing, A, NULL,
                                         missing ? 0 : orr_sparse_hash(0, &A->info.nnz, 8), say);
    if (wrong)
        return orr_refused(ORR_E_ARG, "powm", wrong, report);
    if (orr_barred() != ORR_OK)
        return orr_refused(orr_barred(), "powm", NULL, report);
    const int64_t all[2] = {0, A->info.cols};
    struct orr_powm_matrix m = A->m;
    struct orr_powm_vector vx = {0}, vy = {0};
    if (A->info.rows == 0)
        return orr_refused(ORR_OK, "powm", "", report);
    int64_t *need_at = calloc((size_t)m.blocks + 1, sizeof *need_at);
    int32_t *need = calloc((size_t)m.blocks + 1, sizeof *need);
    orr_request *req = need && need_at ? orr_context_request(ctx, entered) : NULL;
    orr_status st = req ? ORR_OK : ORR_E_NOMEM;
    if (st == ORR_OK && orr_sparse_is_small(A))
        orr_request_here(req);
    if (st == ORR_OK) /* x in one piece */
        st = orr_powm_vector_make(&vx, A->info.type, A->info.cols, all, 1);
    if (st == ORR_OK)
        st = orr_powm_vector_make(&vy, A->info.type, A->info.rows, A->first, m.blocks);
    if (st == ORR_OK) {
        if (!req->plan)
            take(A, x, vx.data);
        for (int64_t b = 0; b <= m.blocks; b++)
            need_at[b] = b;
        m.need = need;
        m.need_at = need_at;
        m.col_first = all;
        m.col_blocks = 1;
        for (int64_t b = m.mine; b < m.mine_end; b++)
            orr_insert_powm_product(req, 0, &m, b, NULL, 0, 0, vx.h, vy.h[b]);
        orr_ranks_check(ctx, req);
        orr_request_drain(req, 1);
        orr_powm_vector_unregister(&vy);
        orr_powm_complete(ctx, A->info.type, vy.data, A->first, m.blocks);
        if (!req->plan)
            give(A, vy.data, y);
    }
    if (req && st != ORR_OK)
        orr_request_fail(req, st, "powm");
    orr_ranks_end(ctx, st, "powm");
    orr_powm_vector_free(&vx);
    orr_powm_vector_free(&vy);
    st = req ? orr_wait(req, report) : orr_refused(st, "powm", NULL, report);
    free(need);
    free(need_at);
    return st;
}
