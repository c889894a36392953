/* What a program hands to orr_sparse_from_mtx, orr_sparse_from_csr and orr_kronecker, made by itself and not read
 * from a file: each mistake is refused before anything is read or written outside the arrays, and the message says
 * which it is.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "orrery/sparse.h"

static orr_context *ctx;

/* Two entries of a matrix of 3 rows and 3 columns; each case changes something. */
static int64_t row[2], col[2];
static double val[4];

static orr_mtx two_entries(void)
{
    row[0] = 0, row[1] = 2;
    col[0] = 1, col[1] = 2;
    val[0] = 1, val[1] = 2, val[2] = 3, val[3] = 4;
    return (orr_mtx){.rows = 3,
                     .cols = 3,
                     .entries = 2,
                     .field = ORR_MTX_REAL,
                     .row = row,
                     .col = col,
                     .val = val};
}

static void refused(const char *what, const orr_mtx *m, const char *says)
{
    for (int transpose = 0; transpose < 2; transpose++) {
        char message[256] = "of before";
        orr_sparse *A = NULL;
        const orr_sparse_opts o = {.transpose = transpose};
        const orr_status st = orr_sparse_from_mtx(ctx, m, &o, &A, message);
        CHECK(st == ORR_E_ARG, "%s: status %d", what, st);
        CHECK(strstr(message, says), "%s: '%s'", what, message);
        CHECK(!A, "%s", what);
        if (st == ORR_OK)
            orr_sparse_free(A);
    }
    int64_t zero[] = {0};
    const orr_mtx fine = {
        .rows = 1, .cols = 1, .entries = 1, .field = ORR_MTX_PATTERN, .row = zero, .col = zero};
    orr_mtx out = {0};
    for (int first = 0; m && first < 2; first++) {
        const orr_status st = orr_kronecker(first ? m : &fine, first ? &fine : m, &out);
        CHECK(st == ORR_E_ARG && !out.row, "%s, a factor of a product: status %d", what, st);
        orr_mtx_free(&out);
    }
}

static void coordinates(void)
{
    orr_mtx m = two_entries();
    orr_sparse *A;
    CHECK(orr_sparse_from_mtx(ctx, &m, NULL, &A, NULL) == ORR_OK);
    orr_sparse_free(A);
    refused("no matrix", NULL, "coordinates are NULL");
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 2; k++)
            for (int below = 0; below < 2; below++) {
                m = two_entries();
                (side ? col : row)[k] = below ? -1 : 3;
                refused("an index", &m, side ? "column" : "row");
            }
    m = two_entries(), m.row = NULL;
    refused("no rows", &m, "row is NULL");
    m = two_entries(), m.col = NULL;
    refused("no columns", &m, "col is NULL");
    m = two_entries(), m.val = NULL;
    refused("no values", &m, "val");
    m = two_entries(), m.entries = -1;
    refused("entries", &m, "entries");
    m = two_entries(), m.rows = -1;
    refused("rows", &m, "negative");
    m = two_entries(), m.rows = 4, m.symmetry = ORR_MTX_SYMMETRIC;
    refused("4 x 3, symmetric", &m, "square");
    m = two_entries(), m.symmetry = (orr_mtx_symmetry)(ORR_MTX_HERMITIAN + 1);
    refused("a symmetry", &m, "symmetry");
    m = two_entries(), m.field = (orr_mtx_field)(ORR_MTX_PATTERN + 1);
    refused("a field", &m, "field");
    m = two_entries(), m.field = ORR_MTX_PATTERN, m.val = NULL;
    CHECK(orr_sparse_from_mtx(ctx, &m, NULL, &A, NULL) == ORR_OK);
    orr_sparse_free(A);
    m = (orr_mtx){.rows = 2, .cols = 3};
    CHECK(orr_sparse_from_mtx(ctx, &m, NULL, &A, NULL) == ORR_OK);
    orr_sparse_free(A);
}

static void rows_refused(const char *what, orr_status st, orr_sparse *A, const char *message)
{
    CHECK(st == ORR_E_ARG && !A && strstr(message, what), "%s: status %d, '%s'", what, st, message);
}

static void compressed_rows(void)
{
    const int64_t ptr[] = {0, 1, 2}, index[] = {0, 1};
    const double v[] = {1, 2};
    char message[256] = "";
    orr_sparse *A = NULL;
    rows_refused("ptr is NULL",
                 orr_sparse_from_csr(ctx, 2, 2, NULL, index, v, 0, NULL, &A, message), A, message);
    message[0] = 0;
    rows_refused("index is NULL",
                 orr_sparse_from_csr(ctx, 2, 2, ptr, NULL, v, 0, NULL, &A, message), A, message);
    message[0] = 0;
    rows_refused("context", orr_sparse_from_csr(NULL, 2, 2, ptr, index, v, 0, NULL, &A, message), A,
                 message);
    message[0] = 0;
    rows_refused("no place for the matrix",
                 orr_sparse_from_csr(ctx, 2, 2, ptr, index, v, 0, NULL, NULL, message), A, message);
}

/* y may be x. A matrix without rows succeeds, and nothing is to blame then. */
static void products(void)
{
    const int64_t ptr[] = {0, 2, 3}, index[] = {0, 1, 0};
    const double v[] = {1, 2, 3};
    double x[] = {5, 7};
    orr_report r;
    orr_sparse *A;
    CHECK(orr_sparse_from_csr(ctx, 2, 2, ptr, index, v, 0, NULL, &A, NULL) == ORR_OK);
    CHECK(orr_sparse_multiply(ctx, A, x, x, &r) == ORR_OK && x[0] == 19 && x[1] == 15, "%g %g",
          x[0], x[1]);
    CHECK(orr_sparse_multiply(ctx, A, NULL, x, &r) == ORR_E_ARG);
    CHECK(r.status == ORR_E_ARG && r.culprit && strstr(r.message, "x is NULL"), "%s", r.message);
    CHECK(orr_sparse_multiply(ctx, A, x, NULL, &r) == ORR_E_ARG);
    CHECK(strstr(r.message, "y is NULL"), "%s", r.message);
    CHECK(orr_sparse_multiply(ctx, NULL, x, x, &r) == ORR_E_ARG);
    CHECK(strstr(r.message, "A is NULL"), "%s", r.message);
    orr_sparse_free(A);
    CHECK(orr_sparse_from_csr(ctx, 0, 2, ptr, NULL, NULL, 0, NULL, &A, NULL) == ORR_OK);
    CHECK(orr_sparse_multiply(ctx, A, x, NULL, &r) == ORR_OK);
    CHECK(r.status == ORR_OK && !r.culprit && !r.message[0], "'%s'", r.message);
    orr_sparse_free(A);
}

static void solvers(void)
{
    const int64_t ptr[] = {0, 1, 2}, index[] = {0, 1};
    orr_eigenpair pair[2];
    orr_powm_result found;
    orr_pagerank_result ranked;
    double scores[2];
    orr_report r;
    orr_sparse *A, *G;
    const orr_sparse_opts graph = {.graph = 1};
    CHECK(orr_sparse_from_csr(ctx, 2, 2, ptr, index, NULL, 0, NULL, &A, NULL) == ORR_OK);
    CHECK(orr_sparse_from_csr(ctx, 2, 2, ptr, index, NULL, 0, &graph, &G, NULL) == ORR_OK);
#define NAMED(name, call)                                                                          \
    CHECK((call) == ORR_E_ARG && strstr(r.message, name " is NULL"), "'%s', not %s", r.message,    \
          name)
    NAMED("A", orr_powm(ctx, NULL, NULL, pair, NULL, &found, &r));
    NAMED("pairs", orr_powm(ctx, A, NULL, NULL, NULL, &found, &r));
    NAMED("result", orr_powm(ctx, A, NULL, pair, NULL, NULL, &r));
    NAMED("graph", orr_pagerank(ctx, NULL, NULL, scores, &ranked, &r));
    NAMED("scores", orr_pagerank(ctx, G, NULL, NULL, &ranked, &r));
    NAMED("result", orr_pagerank(ctx, G, NULL, scores, NULL, &r));
    orr_sparse_free(A);
    orr_sparse_free(G);
}

int main(void)
{
    if (orr_open(NULL, &ctx) != ORR_OK)
        return 77;
    coordinates();
    compressed_rows();
    products();
    solvers();
    orr_close(ctx);
    return checked();
}
