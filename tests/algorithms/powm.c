/* powm and pagerank on small matrices with known answers, and on random ones against plain
 * loops; every format, type and method; awkward cases of sparse.md's list.
 *
 *   values     |lambda - exact| / |exact|                     <= 1e-9 (s, c: 2e-4)
 *   residual   |A v - lambda v| / |lambda|, computed here     <= 2 tol
 *   pagerank   |x - dense solution|_1                         <= 1e-12
 *
 * Products: powm_products.c; the same bits in every way: powm_bits.c; pagerank: powm_ranks.c.
 * Arguments: "opencl": a part of it with an OpenCL worker as a second memory node; "few": a part.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/powm_case.h"
#include "algorithms/open.h"
#include "check.h"

/* ---- Eigenpairs with known answers --------------------------------------------------------- */

orr_powm_result solve(orr_context *ctx, const orr_mtx *m, const orr_powm_opts *o, char type,
                      int64_t blocks, orr_eigenpair *e, orr_status *status)
{
    orr_sparse *A;
    char message[256];
    orr_powm_result r = {0};
    orr_status st = orr_sparse_from_mtx(ctx, m, &(orr_sparse_opts){.type = type, .blocks = blocks},
                                        &A, message);
    CHECK(st == ORR_OK, "%s", message);
    if (st != ORR_OK)
        return r;
    orr_type t;
    const char letter[2] = {type ? type : m->field == ORR_MTX_COMPLEX ? 'z' : 'd', 0};
    orr_type_parse(letter, &t);
    const int k = o->k ? o->k : 1;
    char *v = calloc((size_t)(m->cols + 1) * (size_t)(k + 1), orr_type_size(t));
    orr_report rep;
    *status = orr_powm(ctx, A, o, e, v, &r, &rep);
    CHECK(*status >= 0, "%s", rep.message);
    /* What it says of the residual is true. */
    double complex *x = calloc((size_t)m->cols + 1, sizeof *x);
    double complex *y = calloc((size_t)m->rows + 1, sizeof *y);
    for (int c = 0; c < r.found && *status >= 0; c++) {
        const int pair = (t == ORR_S || t == ORR_D) && e[c].im != 0;
        double sum = 0, length = 0;
        for (int64_t i = 0; i < m->cols; i++) {
            x[i] = get(t, v, c * m->cols + i);
            if (pair)
                x[i] += I * get(t, v, (c + 1) * m->cols + i);
        }
        mtx_product(m, x, y);
        for (int64_t i = 0; i < m->cols; i++) {
            const double complex d = y[i] - CMPLX(e[c].re, e[c].im) * x[i];
            sum += creal(d) * creal(d) + cimag(d) * cimag(d);
            length += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
        }
        const double eps = orr_type_eps(t), size = hypot(e[c].re, e[c].im);
        CHECK(fabs(length - 1) < 100 * eps * (double)(m->cols + 1), "|v|^2 = %g", length);
        CHECK(fabs(sqrt(sum) - e[c].residual) <= 1e-3 * e[c].residual + 1e3 * eps * (size + 1),
              "residual %g, said %g", sqrt(sum), e[c].residual);
        c += pair;
    }
    free(x);
    free(y);
    free(v);
    orr_sparse_free(A);
    return r;
}

struct exact {
    const char *what;
    int64_t n, entries;
    const int64_t *at; /* (row, col) pairs from 0 */
    const double *val;
    double re, im;
    const char *name[3]; /* power, ritz, krylov */
};

static const int64_t cycle_at[] = {0, 1, 1, 2, 2, 3, 3, 0};
static const int64_t chain_at[] = {0, 1, 1, 2, 2, 3};
static const int64_t path_at[] = {0, 1, 1, 0, 1, 2, 2, 1};
static const int64_t turn_at[] = {0, 1, 1, 0, 2, 2};
static const double turn_val[] = {-2, 2, 0.5};
static const int64_t diagonal_at[] = {0, 0, 1, 1, 2, 2, 3, 3};
static const double diagonal_val[] = {-3, 2, 1, 0.5};
static const int64_t one_at[] = {0, 0};
static const double one_val[] = {2.5};
static const int64_t square_at[] = {0, 0, 0, 1, 1, 0, 1, 1};
static const double square_val[] = {1, -1, 1, -1};
static const int64_t equal_at[] = {0, 0, 1, 1, 2, 2};

static const struct exact exacts[] = {
    {"n = 1", 1, 1, one_at, one_val, 2.5, 0, {"simple", "simple", "simple"}},
    {"negative, diagonal", 4, 4, diagonal_at, diagonal_val, -3, 0, {"simple", "simple", "simple"}},
    {"nilpotent chain", 4, 3, chain_at, NULL, 0, 0, {"nilpotent", "nilpotent", "nilpotent"}},
    {"nilpotent by cancellation",
     2,
     4,
     square_at,
     square_val,
     0,
     0,
     {"nilpotent", "nilpotent", "near zero"}},
    {"zero matrix", 3, 0, one_at, NULL, 0, 0, {"zero", "zero", "zero"}},
    {"path of three",
     3,
     4,
     path_at,
     NULL,
     1.4142135623730951,
     0,
     {"plus-minus pair", "plus-minus pair", "simple"}},
    {"rotation", 3, 3, turn_at, turn_val, 0, 2, {"complex pair", "complex pair", "complex pair"}},
    {"identity", 3, 3, equal_at, NULL, 1, 0, {"simple", "simple", "simple"}},
};

static void exact_cases(orr_context *ctx)
{
    for (size_t i = 0; i < sizeof exacts / sizeof *exacts; i++)
        for (int method = 1; method <= 3; method++) {
            const struct exact *x = &exacts[i];
            orr_mtx m = given_mtx(x->n, x->entries, x->at, x->val);
            orr_eigenpair e[3] = {{0}};
            orr_status st = ORR_OK;
            orr_powm_result r = solve(
                ctx, &m, &(orr_powm_opts){.method = (orr_powm_method)method, .max_products = 300},
                'd', 0, e, &st);
            CHECK(strcmp(r.name, x->name[method - 1]) == 0, "%s, method %d: '%s' (%s)", x->what,
                  method, r.name, r.note);
            const int pair_by_power = method == 1 && strstr(r.name, "pair") != NULL;
            const int bad = pair_by_power || strcmp(r.name, "near zero") == 0;
            CHECK(st == (bad ? ORR_NOCONV : ORR_OK), "%s, method %d: status %d: %s", x->what,
                  method, st, r.note);
            if (!pair_by_power)
                CHECK(strcmp(r.name, "near zero") == 0 ||
                          hypot(fabs(e[0].re) - fabs(x->re), e[0].im - x->im) <=
                              1e-9 * (1 + fabs(x->re)),
                      "%s, method %d: %.15g %+.15gi", x->what, method, e[0].re, e[0].im);
            orr_mtx_free(&m);
        }
    /* a cycle: all four eigenvalues have modulus 1; power iteration must not call it solved */
    orr_mtx m = given_mtx(4, 4, cycle_at, NULL);
    orr_eigenpair e[8];
    orr_status st;
    orr_powm_result r =
        solve(ctx, &m, &(orr_powm_opts){.method = ORR_POWM_METHOD_POWER, .max_products = 200}, 'd',
              0, e, &st);
    CHECK(st == ORR_NOCONV && r.converged == 0, "periodic: status %d '%s'", st, r.name);
    r = solve(ctx, &m, &(orr_powm_opts){.k = 4}, 'd', 0, e, &st);
    CHECK(st == ORR_OK && r.found == 4, "periodic, krylov: %d found", r.found);
    for (int k = 0; k < r.found; k++)
        CHECK(fabs(hypot(e[k].re, e[k].im) - 1) < 1e-9, "modulus %g", hypot(e[k].re, e[k].im));
    orr_mtx_free(&m);
}

/* Laplacian of a grid: eigenvalues known; all types and methods; certificates hold. */
static void laplacian(orr_context *ctx)
{
    const int N = one_in > 1 ? 4 : 9; /* converges four times as fast */
    orr_mtx m;
    orr_status st = orr_generate(one_in > 1 ? "laplace3d:4" : "laplace3d:9", 1, &m, NULL);
    CHECK(st == ORR_OK, "laplace3d");
    symmetric_in_full(&m);
    const double pi = acos(-1), exact = 6 + 6 * cos(pi / (N + 1));
    for (int t = 0; t < 4; t++)
        for (int method = 1; method <= 3; method++)
            for (int64_t blocks = 1; blocks <= 5; blocks += 4) {
                if (left_out())
                    continue;
                orr_eigenpair e[8];
                const int k = method == 3 ? 6 : 1;
                orr_powm_result r = solve(
                    ctx, &m, &(orr_powm_opts){.method = (orr_powm_method)method, .k = k, .seed = 3},
                    "sdcz"[t], blocks, e, &st);
                const double tol = t % 2 ? 1e-9 : 2e-4;
                CHECK(st == ORR_OK, "laplacian %c method %d: %d %s", "sdcz"[t], method, st, r.note);
                CHECK(fabs(e[0].re - exact) <= tol * exact,
                      "laplacian %c method %d: %.12g, not %.12g", "sdcz"[t], method, e[0].re,
                      exact);
                CHECK(e[0].low <= exact && exact <= e[0].high, "%.15g not in [%.15g, %.15g]", exact,
                      e[0].low, e[0].high);
                if (method == 3) /* the next is threefold */
                    for (int c = 1; c < 4 && r.found > 3; c++)
                        CHECK(fabs(e[c].re - (6 + 4 * cos(pi / (N + 1)) +
                                              2 * cos(2 * pi / (N + 1)))) <= tol * exact,
                              "value %d: %g", c, e[c].re);
            }
    orr_mtx_free(&m);
}

static void singular(orr_context *ctx)
{
    orr_mtx m = random_mtx(40, 25, 300, 2, 9);
    orr_sparse *A, *At;
    orr_eigenpair e[2];
    orr_powm_result r;
    orr_report rep;
    CHECK(orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.blocks = 3}, &A, NULL) == ORR_OK, "A");
    CHECK(orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.blocks = 2, .transpose = 1}, &At,
                              NULL) == ORR_OK,
          "A'");
    CHECK(orr_powm(ctx, A, NULL, e, NULL, &r, &rep) == ORR_E_ARG && strstr(rep.message, "singular"),
          "rectangular: '%s'", rep.message);
    orr_status st = orr_powm(ctx, A, &(orr_powm_opts){.transposed = At}, e, NULL, &r, &rep);
    const double want = largest_singular_value(&m);
    CHECK(st == ORR_OK && fabs(e[0].re - want) <= 1e-9 * want,
          "singular value %.12g, not %.12g (%d %s)", e[0].re, want, st, rep.message);
    orr_sparse_free(A);
    orr_sparse_free(At);
    orr_mtx_free(&m);
    m = random_mtx(0, 5, 0, 2, 9); /* vectors without an element, also on a device */
    CHECK(orr_sparse_from_mtx(ctx, &m, NULL, &A, NULL) == ORR_OK, "A");
    CHECK(orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.transpose = 1}, &At, NULL) == ORR_OK,
          "A'");
    st = orr_powm(ctx, A, &(orr_powm_opts){.transposed = At}, e, NULL, &r, &rep);
    CHECK(st == ORR_OK && r.found == 1 && e[0].re == 0, "no rows: %d %s", st, rep.message);
    orr_sparse_free(A);
    orr_sparse_free(At);
    orr_mtx_free(&m);
}

/* ---- Files that hold a triangle ------------------------------------------------------------ */

enum { ORDER = 3 };
static const int64_t lower_row[] = {0, 1, 2, 2}, lower_col[] = {0, 0, 1, 2};
static const double lower_val[] = {0, 0, 1, 2, 3, -1, 0, 0};

static orr_mtx lower_triangle(orr_mtx_symmetry symmetry)
{
    return (orr_mtx){.rows = ORDER,
                     .cols = ORDER,
                     .entries = 4,
                     .symmetry = symmetry,
                     .field = ORR_MTX_COMPLEX,
                     .row = (int64_t *)lower_row,
                     .col = (int64_t *)lower_col,
                     .val = (double *)lower_val};
}

static void expand(const orr_mtx *m, double complex a[ORDER][ORDER])
{
    memset(a, 0, sizeof(double complex[ORDER][ORDER]));
    for (int64_t k = 0; k < m->entries; k++) {
        const double complex v = CMPLX(m->val[2 * k], m->val[2 * k + 1]);
        a[m->col[k]][m->row[k]] = m->symmetry == ORR_MTX_SKEW        ? -v
                                  : m->symmetry == ORR_MTX_HERMITIAN ? conj(v)
                                                                     : v;
        a[m->row[k]][m->col[k]] = v;
    }
}

/* The matrix is what the symmetry says, and is known to be so; its transposed matrix, too. */
static void triangles(orr_context *ctx)
{
    static const double complex x[ORDER] = {1, CMPLX(0, 1), CMPLX(2, -1)};
    for (int s = ORR_MTX_SYMMETRIC; s <= ORR_MTX_HERMITIAN; s++)
        for (int transpose = 0; transpose < 2; transpose++) {
            const orr_mtx m = lower_triangle((orr_mtx_symmetry)s);
            double complex a[ORDER][ORDER], y[ORDER];
            orr_sparse *A;
            orr_sparse_info o;
            char message[256];
            expand(&m, a);
            CHECK(orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.transpose = transpose}, &A,
                                      message) == ORR_OK,
                  "%s", message);
            orr_sparse_query(A, &o);
            CHECK(o.hermitian == (s == ORR_MTX_HERMITIAN) && !o.skew && !o.nonnegative,
                  "symmetry %d", s);
            CHECK(orr_sparse_multiply(ctx, A, x, y, NULL) == ORR_OK, "multiply");
            for (int i = 0; i < ORDER; i++) {
                double complex want = 0;
                for (int j = 0; j < ORDER; j++)
                    want += (transpose ? a[j][i] : a[i][j]) * x[j];
                CHECK(y[i] == want, "symmetry %d, row %d: %g%+gi, not %g%+gi", s, i, creal(y[i]),
                      cimag(y[i]), creal(want), cimag(want));
            }
            orr_sparse_free(A);
        }
}

/* A (x) B, entry by entry. */
static void kronecker(void)
{
    for (int s = ORR_MTX_GENERAL; s <= ORR_MTX_HERMITIAN; s++) {
        const orr_mtx A = lower_triangle((orr_mtx_symmetry)s),
                      B = lower_triangle(ORR_MTX_HERMITIAN);
        double complex a[ORDER][ORDER], b[ORDER][ORDER], c[9][9] = {{0}};
        orr_mtx C;
        double worst = 0;
        expand(&A, a);
        for (int k = 0; s == ORR_MTX_GENERAL && k < 4; k++)
            if (A.row[k] != A.col[k])
                a[A.col[k]][A.row[k]] = 0;
        expand(&B, b);
        CHECK(orr_kronecker(&A, &B, &C) == ORR_OK && C.rows == 9 && C.cols == 9, "kronecker");
        for (int64_t k = 0; k < C.entries; k++)
            c[C.row[k]][C.col[k]] += CMPLX(C.val[2 * k], C.val[2 * k + 1]);
        for (int i = 0; i < 9; i++)
            for (int j = 0; j < 9; j++)
                worst = fmax(worst, cabs(c[i][j] - a[i / 3][j / 3] * b[i % 3][j % 3]));
        CHECK(worst == 0, "symmetry %d: off by %g", s, worst);
        orr_mtx_free(&C);
    }
}

/* Communities without loops, stored as a lower triangle. Of a Kronecker graph each level puts 0.24 of
 * the rows, and of the columns, into its second half. */
static void generated(void)
{
    enum { SCALE = 12, N = 1 << SCALE };
    orr_mtx m;
    char message[256];
    CHECK(orr_generate("sbm:60:4:8:2", 1, &m, message) == ORR_OK, "%s", message);
    int64_t wrong = 0, inside = 0, bits[2] = {0};
    for (int64_t k = 0; k < m.entries; k++) {
        wrong += m.row[k] <= m.col[k] || m.row[k] >= 60;
        inside += m.row[k] % 4 == m.col[k] % 4;
    }
    CHECK(wrong == 0 && inside > m.entries / 2 && inside < m.entries,
          "%lld of %lld links inside, %lld wrong", (long long)inside, (long long)m.entries,
          (long long)wrong);
    orr_mtx_free(&m);
    CHECK(orr_generate("sbm:60:4:8000:2001", 1, &m, message) == ORR_E_ARG && message[0],
          "too many");
    CHECK(orr_generate("rmat:12:16", 1, &m, message) == ORR_OK, "%s", message);
    for (int64_t k = 0; k < m.entries; k++) {
        bits[0] += __builtin_popcountll((unsigned long long)m.row[k]);
        bits[1] += __builtin_popcountll((unsigned long long)m.col[k]);
    }
    for (int k = 0; k < 2; k++) {
        const double part = (double)bits[k] / (double)(m.entries * SCALE);
        CHECK(m.entries == 16 * N && fabs(part - 0.24) < 0.003, "%g of the bits", part);
    }
    orr_mtx_free(&m);
}

/* [0 3; 4 12], or as much of it imaginary, within arrays that hold other rows, too. */
static void some_rows(orr_context *ctx)
{
    static const int64_t ptr[] = {1, 2, 4}, index[] = {9, 1, 0, 1, 9};
    const double real[] = {NAN, 3, 4, 12, NAN}, pairs[] = {NAN, NAN, 0, 3, 4, 0, 0, 12, NAN, NAN};
    for (int w = 0; w < 2; w++) {
        orr_sparse *A;
        orr_sparse_info o;
        char message[256];
        CHECK(orr_sparse_from_csr(ctx, 2, 2, ptr, index, w ? pairs : real, w, NULL, &A, message) ==
                  ORR_OK,
              "%s", message);
        orr_sparse_query(A, &o);
        CHECK(o.nnz == 3 && o.norm_fro == 13 && o.norm_1 == 15 && o.norm_inf == 16,
              "%lld entries, norms %g %g %g", (long long)o.nnz, o.norm_fro, o.norm_1, o.norm_inf);
        orr_sparse_free(A);
    }
}

/* ---- What is refused ----------------------------------------------------------------------- */

static void refusals(orr_context *ctx)
{
    orr_mtx m = random_mtx(4, 4, 5, 2, 1), empty = given_mtx(0, 0, one_at, NULL);
    orr_sparse *A = NULL;
    char message[256];
    m.val[2] = NAN;
    CHECK(orr_sparse_from_mtx(ctx, &m, NULL, &A, message) == ORR_E_NONFINITE && message[0], "NaN");
    m.val[2] = -1;
    CHECK(orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.graph = 1}, &A, message) == ORR_E_ARG &&
              strstr(message, "negative"),
          "negative weight: '%s'", message);
    CHECK(orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.type = 'x'}, &A, message) == ORR_E_ARG,
          "type x");
    orr_mtx huge = m;
    huge.cols = (int64_t)1 << 40;
    CHECK(orr_sparse_from_mtx(ctx, &huge, NULL, &A, message) == ORR_E_ARG, "2^40 columns");
    orr_mtx wide = m, twofold = random_mtx(4, 4, 5, 3, 1);
    wide.cols = 5;
    CHECK(orr_sparse_from_mtx(ctx, &wide, &(orr_sparse_opts){.graph = 1}, &A, message) ==
                  ORR_E_ARG &&
              strstr(message, "square"),
          "4 x 5: '%s'", message);
    CHECK(orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.graph = 1, .type = 'z'}, &A, message) ==
                  ORR_E_ARG &&
              strstr(message, "real weights"),
          "a complex graph: '%s'", message);
    CHECK(orr_sparse_from_mtx(ctx, &twofold, &(orr_sparse_opts){.type = 'd'}, &A, message) ==
                  ORR_E_ARG &&
              strstr(message, "the type is real"),
          "complex values: '%s'", message);
    orr_mtx_free(&twofold);
    /* duplicates are summed and counted, stored zeros dropped and counted */
    static const int64_t at[] = {0, 0, 0, 0, 1, 1, 1, 0};
    static const double val[] = {1, 2, 4, 0};
    orr_mtx twice = given_mtx(2, 4, at, val);
    orr_sparse_info o;
    CHECK(orr_sparse_from_mtx(ctx, &twice, NULL, &A, message) == ORR_OK, "%s", message);
    orr_sparse_query(A, &o);
    CHECK(o.duplicates == 1 && o.zeros == 1 && o.nnz == 2 && o.norm_inf == 4,
          "%lld duplicates, %lld zeros", (long long)o.duplicates, (long long)o.zeros);
    orr_sparse_free(A);
    for (int negative = 0; negative < 2; negative++) { /* of the last that stands there */
        twice.val[2] = negative ? -4 : 4;
        CHECK(orr_sparse_from_mtx(ctx, &twice, NULL, &A, message) == ORR_OK, "%s", message);
        orr_sparse_query(A, &o);
        CHECK(o.nonnegative == !negative, "nonnegative %d", o.nonnegative);
        orr_sparse_free(A);
    }
    /* in the order of the file: another one has other bits; and norms of numbers that are scaled */
    const double large = 0x1p600;
    twice.col[2] = 0, twice.row[2] = 0;
    twice.val[0] = large, twice.val[1] = -large, twice.val[2] = large / 0x1p60, twice.val[3] = 0;
    CHECK(orr_sparse_from_mtx(ctx, &twice, NULL, &A, message) == ORR_OK, "%s", message);
    orr_sparse_query(A, &o);
    CHECK(o.duplicates == 2 && o.norm_fro == large / 0x1p60 && o.norm_1 == o.norm_fro &&
              o.norm_inf == o.norm_fro,
          "%lld duplicates, norms %g %g %g", (long long)o.duplicates, o.norm_fro, o.norm_1,
          o.norm_inf);
    orr_sparse_free(A);
    twice.val[0] = twice.val[1] = DBL_MAX;
    CHECK(orr_sparse_from_mtx(ctx, &twice, NULL, &A, message) == ORR_E_NONFINITE &&
              strstr(message, "duplicates"),
          "2 DBL_MAX: '%s'", message);
    orr_mtx_free(&twice);
    /* order 0 is legal */
    orr_eigenpair e[2];
    orr_powm_result r;
    CHECK(orr_sparse_from_mtx(ctx, &empty, NULL, &A, message) == ORR_OK, "%s", message);
    CHECK(orr_powm(ctx, A, NULL, e, NULL, &r, NULL) == ORR_OK && r.found == 0, "order 0");
    orr_sparse_free(A);
    orr_mtx_free(&m);
    orr_mtx_free(&empty);
}

int main(int argc, char **argv)
{
    const int opencl = variant(argc, argv);
    orr_context *ctx = open_context(opencl);
    products(ctx);
    exact_cases(ctx);
    laplacian(ctx);
    repeatable(ctx);
    singular(ctx);
    some_rows(ctx);
    triangles(ctx);
    kronecker();
    generated();
    ranks(ctx);
    submitted(ctx);
    /* many small tasks, and nothing that a policy changes */
    if (one_in == 1) {
        steps_of_a_task(ctx);
        extrapolation(ctx);
        orders(ctx);
    }
    refusals(ctx);
    orr_close(ctx);
    return checked();
}
