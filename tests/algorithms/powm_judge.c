/* powm: what is said of a vector. Matrices whose values are known exactly:
 *
 *   direction    the largest entry, of several the first, is real and positive
 *   intervals    low <= exact <= high, and not much wider than rounding
 *   residual     of singular pairs |A'u - sigma v|, u = A v / sigma: to 1e-3
 *   dominance    said only where a norm of the matrix, or Collatz and Wielandt, proves it
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/open.h"
#include "algorithms/powm_case.h"
#include "check.h"
#include "larger.h"

enum { MOST = 13 };

struct judged {
    orr_status st;
    orr_powm_result r;
    orr_eigenpair e[MOST + 1];
    double complex v[MOST * (MOST + 1)];
};

/* blocks 0: as the library chooses. */
static struct judged judge_blocks(orr_context *ctx, const orr_mtx *m, orr_type t, orr_powm_opts o,
                                  int singular, int64_t blocks)
{
    struct judged x = {.st = ORR_E_ARG};
    orr_sparse *A = NULL, *At = NULL;
    char v[sizeof x.v];
    const orr_sparse_opts opts = {.type = "sdcz"[t], .blocks = blocks},
                          transposed = {.type = "sdcz"[t], .transpose = 1};
    CHECK(orr_sparse_from_mtx(ctx, m, &opts, &A, NULL) == ORR_OK, "A");
    if (singular)
        CHECK(orr_sparse_from_mtx(ctx, m, &transposed, &At, NULL) == ORR_OK, "A'");
    o.transposed = At;
    if (A && (At || !singular))
        x.st = orr_powm(ctx, A, &o, x.e, v, &x.r, NULL);
    CHECK(x.st >= 0, "status %d", x.st);
    for (int64_t i = 0; i < m->cols * x.r.found && x.st >= 0; i++)
        x.v[i] = get(t, v, i);
    orr_sparse_free(A);
    orr_sparse_free(At);
    return x;
}

static struct judged judge(orr_context *ctx, const orr_mtx *m, orr_type t, orr_powm_opts o,
                           int singular)
{
    return judge_blocks(ctx, m, t, o, singular, 0);
}

static orr_mtx full(int64_t rows, int64_t cols, double value)
{
    static int64_t row[MOST * MOST], col[MOST * MOST];
    static double val[MOST * MOST];
    for (int64_t k = 0; k < rows * cols; k++) {
        row[k] = k / cols;
        col[k] = k % cols;
        val[k] = value;
    }
    return (orr_mtx){.rows = rows,
                     .cols = cols,
                     .entries = rows * cols,
                     .field = ORR_MTX_REAL,
                     .row = row,
                     .col = col,
                     .val = val};
}

/* ---- Direction ------------------------------------------------------------------------------ */

static void first_of_the_largest(const char *what, const double complex *v, int64_t n, double eps)
{
    double most = 0;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++)
        most = larger(most, cabs(v[i]));
    while (cabs(v[at]) < most * (1 - 4 * eps))
        at++;
    CHECK(creal(v[at]) > 0 && fabs(cimag(v[at])) <= eps, "%s: entry %lld is %g %+gi", what,
          (long long)at, creal(v[at]), cimag(v[at]));
}

/* Complex matrices, and rings with weights -1: all entries of their vector have one size, and the
 * signs alternate. */
static void direction(orr_context *ctx)
{
    for (uint64_t seed = 0; seed < 12; seed++)
        for (int method = 1; method <= 3; method++)
            for (orr_type t = ORR_C; t <= ORR_Z; t++) {
                const int64_t n = 7 + (int64_t)seed % 5;
                orr_mtx m = random_mtx(n, n, n * n, 3, seed);
                const struct judged x =
                    judge(ctx, &m, t,
                          (orr_powm_opts){.method = (orr_powm_method)method, .seed = seed}, 0);
                if (x.st == ORR_OK)
                    first_of_the_largest("random", x.v, n, orr_type_eps(t));
                CHECK(x.st != ORR_OK || !strcmp(x.r.name, "simple"), "a complex value is a '%s'",
                      x.r.name);
                orr_mtx_free(&m);
            }
    for (int64_t n = 3; n <= MOST; n += 2)
        for (uint64_t seed = 0; seed < 12; seed++) {
            int64_t at[4 * MOST];
            double val[2 * MOST];
            for (int64_t i = 0; i < n - 1; i++) /* n - 1 is even; the last one is alone */
                for (int both = 0; both < 2; both++) {
                    const int64_t next = (i + 1) % (n - 1);
                    at[4 * i + 2 * both] = both ? i : next;
                    at[4 * i + 2 * both + 1] = both ? next : i;
                    val[2 * i + both] = n == 3 ? -0.5 : -1;
                }
            at[4 * (n - 1)] = at[4 * (n - 1) + 1] = n - 1;
            val[2 * (n - 1)] = 0.25;
            orr_mtx m = given_mtx(n, 2 * n - 1, at, val);
            for (orr_type t = ORR_S; t < ORR_NTYPES; t++) {
                const struct judged x =
                    judge(ctx, &m, t, (orr_powm_opts){.which = ORR_POWM_LA, .seed = seed}, 0);
                const double off = larger(creal(x.v[0]), 0) - 1 / sqrt((double)(n - 1));
                CHECK(x.st == ORR_OK && fabs(off) <= (t % 2 ? 1e-9 : 1e-4),
                      "ring of %d, seed %d: begins with %g", (int)n - 1, (int)seed, creal(x.v[0]));
            }
            orr_mtx_free(&m);
        }
}

/* ---- Intervals ------------------------------------------------------------------------------ */

/* Entries x of n x n: n x. Of m x n: |x| sqrt(m n). What the product rounds is in no residual. */
static void intervals(orr_context *ctx)
{
    static const double values[] = {0.1, -0.1, 0.7, -1. / 3};
    for (int64_t n = 2; n <= MOST; n++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            for (orr_type t = ORR_S; t < ORR_NTYPES; t++)
                for (int method = 1; method <= 3; method++) {
                    const int single = t == ORR_S || t == ORR_C;
                    const long double entry = single ? (float)values[i] : values[i];
                    const orr_mtx m = full(n, n, values[i]);
                    const struct judged x = judge(
                        ctx, &m, t,
                        (orr_powm_opts){.method = (orr_powm_method)method, .seed = (uint64_t)n}, 0);
                    const long double exact = (long double)n * entry;
                    const double wide = 1e-6 * fabs((double)exact) * (single ? 100 : 1);
                    CHECK(x.st == ORR_OK && x.e[0].low <= exact && exact <= x.e[0].high,
                          "%d times %g, type %d, method %d: %.17Lg not in [%.17g, %.17g]", (int)n,
                          values[i], (int)t, method, exact, x.e[0].low, x.e[0].high);
                    CHECK(x.e[0].high - x.e[0].low <= wide, "%d times %g: [%g, %g]", (int)n,
                          values[i], x.e[0].low, x.e[0].high);
                    const orr_mtx r = full(n, MOST + 1 - n, values[i]);
                    if (method < 3 ||
                        is_complex(t)) /* singular pairs are of real matrices, by krylov */
                        continue;
                    const struct judged y = judge(ctx, &r, t, (orr_powm_opts){.k = 1}, 1);
                    const long double sigma =
                        fabsl(entry) * sqrtl((long double)(n * (MOST + 1 - n)));
                    CHECK(y.st == ORR_OK && y.e[0].low <= sigma && sigma <= y.e[0].high,
                          "%d x %d of %g, type %d: %.17Lg not in [%.17g, %.17g]", (int)r.rows,
                          (int)r.cols, values[i], (int)t, sigma, y.e[0].low, y.e[0].high);
                    CHECK(y.e[0].high - y.e[0].low <= (single ? 1e-3 : 1e-9) * (double)sigma,
                          "%d x %d of %g, type %d: [%.17g, %.17g]", (int)r.rows, (int)r.cols,
                          values[i], (int)t, y.e[0].low, y.e[0].high);
                }
    /* no singular value is negative */
    static const int64_t at[] = {0, 0, 1, 1};
    orr_mtx m = given_mtx(3, 2, at, (const double[]){3, 1e-9});
    const struct judged x = judge(ctx, &m, ORR_D, (orr_powm_opts){.k = 3}, 1);
    for (int c = 0; c < x.r.found; c++)
        CHECK(x.e[c].low >= 0 && x.e[c].high >= x.e[c].low, "singular value %d in [%g, %g]", c,
              x.e[c].low, x.e[c].high);
    CHECK(x.r.found >= 2, "%d singular values", x.r.found);
    orr_mtx_free(&m);
}

/* Of large and small matrices, by hand. */
static void singular_residuals(orr_context *ctx)
{
    for (int size = -5; size <= 5; size += 5) {
        enum { ROWS = 23, COLS = 11 };
        orr_mtx m = random_mtx(ROWS, COLS, 180, 2, 5);
        for (int64_t k = 0; k < m.entries; k++)
            m.val[k] *= pow(10, size);
        const struct judged x = judge(ctx, &m, ORR_D, (orr_powm_opts){.k = 2, .tol = 0.03}, 1);
        CHECK(x.st == ORR_OK && x.r.found == 2, "1e%d: status %d", size, x.st);
        for (int c = 0; c < x.r.found; c++) {
            const double complex *v = x.v + c * COLS;
            double u[ROWS] = {0}, r[COLS], length = 0;
            for (int j = 0; j < COLS; j++)
                r[j] = -x.e[c].re * creal(v[j]);
            for (int64_t k = 0; k < m.entries; k++)
                u[m.row[k]] += m.val[k] * creal(v[m.col[k]]) / x.e[c].re;
            for (int64_t k = 0; k < m.entries; k++)
                r[m.col[k]] += m.val[k] * u[m.row[k]];
            for (int j = 0; j < COLS; j++)
                length = hypot(length, r[j]);
            CHECK(fabs(length - x.e[c].residual) <= 1e-3 * length + 1e-13 * x.e[c].re &&
                      fabs(x.e[c].relative * x.e[c].re - x.e[c].residual) <= 1e-12 * length,
                  "1e%d, pair %d: residual %g, said %g, relative %g", size, c, length,
                  x.e[c].residual, x.e[c].relative);
        }
        orr_mtx_free(&m);
    }
}

/* ---- Words ---------------------------------------------------------------------------------- */

static orr_mtx diagonal(int64_t n, double first, double step)
{
    orr_mtx m = random_mtx(n, n, n * n, 2, 1); /* room */
    m.entries = n;
    for (int64_t i = 0; i < n; i++) {
        m.row[i] = m.col[i] = i;
        m.val[i] = i == 0 ? first : 1 - step * (double)i;
    }
    return m;
}

static void said(orr_context *ctx, const orr_mtx *m, orr_powm_opts o, orr_status st,
                 const char *words)
{
    const struct judged x = judge(ctx, m, ORR_D, o, 0);
    CHECK(x.st == st && strstr(x.r.note, words), "status %d, '%s', not '%s'", x.st, x.r.note,
          words);
}

static void words(orr_context *ctx)
{
    orr_mtx m = diagonal(MOST, 10, 1e-2), close = diagonal(MOST, 10, 1e-6),
            one = diagonal(MOST, 1, 0);
    said(ctx, &m, (orr_powm_opts){.k = 1, .which = ORR_POWM_SA}, ORR_OK, "no smaller one");
    said(ctx, &m, (orr_powm_opts){.k = 1, .which = ORR_POWM_LA}, ORR_OK, "of largest modulus");
    said(ctx, &close, (orr_powm_opts){.k = 2, .max_products = 4, .tol = 1e-9}, ORR_NOCONV,
         "pair 2: the residual");
    said(ctx, &one, (orr_powm_opts){.k = 3, .max_products = 1}, ORR_NOCONV,
         "1 products are too few for 3 pairs");
    orr_mtx_free(&m);
    orr_mtx_free(&close);
    orr_mtx_free(&one);
}

/* A ring: 2 cos(2 pi j / n), twice each but for +-2. Values of two copies, and of both signs, differ by what the
 * precision leaves. */
static void names(orr_context *ctx)
{
    for (int64_t n = 6; n <= 12; n += 2)
        for (orr_type t = ORR_S; t < ORR_NTYPES; t++)
            for (int without = 0; without < 2; without++) {
                int64_t at[4 * MOST];
                double val[2 * MOST];
                for (int64_t i = 0; i < n; i++)
                    for (int both = 0; both < 2; both++) {
                        at[4 * i + 2 * both] = both ? i : (i + 1) % n;
                        at[4 * i + 2 * both + 1] = both ? (i + 1) % n : i;
                        val[2 * i + both] = without && i == n - 1 ? -0.3 : 0.3;
                    }
                /* with one weight negative: 2 cos((2 j + 1) pi / n), twice each */
                orr_mtx m = given_mtx(n, 2 * n, at, val);
                const struct judged x = judge(
                    ctx, &m, t,
                    (orr_powm_opts){
                        .k = 2, .which = without ? ORR_POWM_LA : ORR_POWM_LM, .seed = (uint64_t)n},
                    0);
                CHECK(x.st == ORR_OK && !strcmp(x.r.name, without ? "multiple" : "plus-minus pair"),
                      "ring of %d, type %d: '%s', %.17g %.17g", (int)n, (int)t, x.r.name, x.e[0].re,
                      x.e[1].re);
                orr_mtx_free(&m);
            }
}

/* A basis that holds no more than the wanted pairs of conjugates, which are never split. */
static void narrow_bases(orr_context *ctx)
{
    enum { BLOCKS = 6 };
    int64_t at[8 * BLOCKS];
    double val[4 * BLOCKS];
    for (int64_t b = 0; b < BLOCKS; b++)
        for (int64_t k = 0; k < 4; k++) {
            at[2 * (4 * b + k)] = 2 * b + k / 2;
            at[2 * (4 * b + k) + 1] = 2 * b + k % 2;
            val[4 * b + k] = (k == 1 ? -1 : k == 2 ? 1 : 0.5) * ldexp(1, -2 * (int)b);
        }
    orr_mtx m = given_mtx(2 * BLOCKS, 4 * BLOCKS, at, val);
    for (int k = 1; k <= 5; k += 2)
        for (int basis = k + 1; basis <= k + 3; basis++) {
            const struct judged x = judge(
                ctx, &m, ORR_D, (orr_powm_opts){.k = k, .basis = basis, .max_products = 400}, 0);
            CHECK(x.st == ORR_OK && x.r.found == k + 1,
                  "%d of a basis of %d: status %d, %d found: %s", k, basis, x.st, x.r.found,
                  x.r.note);
            for (int c = 0; c < x.r.found && x.st == ORR_OK; c++)
                CHECK(fabs(x.e[c].re - ldexp(0.5, -2 * (c / 2))) <= 1e-8 &&
                          fabs(fabs(x.e[c].im) - ldexp(1, -2 * (c / 2))) <= 1e-8,
                      "value %d of a basis of %d: %g %+gi", c, basis, x.e[c].re, x.e[c].im);
        }
    orr_mtx_free(&m);
}

/* ---- Several blocks ------------------------------------------------------------------------- */

/* Nonnegative rows whose sums are 1: the spectral radius is 1, and quotients of all blocks bound it. After few
 * products they are far apart. */
static void bounds_of_blocks(orr_context *ctx)
{
    enum { N = 12 };
    int64_t at[4 * N];
    double val[2 * N];
    for (int64_t i = 0; i < N; i++) {
        at[4 * i] = at[4 * i + 1] = at[4 * i + 2] = i;
        at[4 * i + 3] = (i + 1) % N;
        val[2 * i] = 0.2 + 0.05 * (double)i;
        val[2 * i + 1] = 1 - val[2 * i];
    }
    orr_mtx m = given_mtx(N, 2 * N, at, val);
    for (uint64_t seed = 0; seed < 8; seed++) {
        const orr_powm_opts o = {.method = ORR_POWM_METHOD_POWER, .max_products = 3, .seed = seed};
        const struct judged one = judge_blocks(ctx, &m, ORR_D, o, 0, 1),
                            four = judge_blocks(ctx, &m, ORR_D, o, 0, 4);
        const double low = one.e[0].low, high = one.e[0].high;
        CHECK(low < 0.99 && high > 1.01 && fabs(four.e[0].low - low) < 1e-12 &&
                  fabs(four.e[0].high - high) < 1e-12,
              "seed %d: 1 in [%g, %g], by four blocks [%g, %g]", (int)seed, low, high,
              four.e[0].low, four.e[0].high);
    }
    orr_mtx_free(&m);
}

/* (0.6 + 0.8 i) times ones. */
static void complex_blocks(orr_context *ctx)
{
    for (int64_t blocks = 1; blocks <= 4; blocks += 3)
        for (int method = 1; method <= 3; method++) {
            orr_mtx m = full(MOST, MOST, 1);
            static double val[2 * MOST * MOST];
            for (int64_t k = 0; k < m.entries; k++)
                val[2 * k] = 0.6, val[2 * k + 1] = 0.8;
            m.val = val;
            m.field = ORR_MTX_COMPLEX;
            const struct judged x = judge_blocks(
                ctx, &m, ORR_Z, (orr_powm_opts){.method = (orr_powm_method)method}, 0, blocks);
            CHECK(x.st == ORR_OK && hypot(x.e[0].re - 0.6 * MOST, x.e[0].im - 0.8 * MOST) < 1e-8,
                  "%d blocks, method %d: %g %+gi", (int)blocks, method, x.e[0].re, x.e[0].im);
        }
}

/* ---- Dominance ------------------------------------------------------------------------------ */

/* [1 t; t 0]: its norms are larger than its values by t^4 / 2 at least; where t is positive, Collatz and
 * Wielandt prove more. */
static void dominance(orr_context *ctx)
{
    static const int64_t at[] = {0, 0, 0, 1, 1, 0};
    static const struct {
        double t;
        int proved;
    } cases[] = {{0, 1}, {-1e-2, 0}, {-2e-2, 0}, {1e-2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int method = 1; method <= 3; method++) {
            const double t = cases[i].t;
            orr_mtx m = given_mtx(2, 3, at, (const double[]){1, t, t});
            const struct judged x = judge(
                ctx, &m, ORR_D, (orr_powm_opts){.method = (orr_powm_method)method, .seed = 3}, 0);
            CHECK(x.st == ORR_OK && x.e[0].dominant == cases[i].proved,
                  "t = %g, method %d: status %d, dominant %d in [%g, %g]", t, method, x.st,
                  x.e[0].dominant, x.e[0].low, x.e[0].high);
            orr_mtx_free(&m);
        }
}

int main(void)
{
    orr_context *ctx = open_context(0);
    direction(ctx);
    intervals(ctx);
    singular_residuals(ctx);
    words(ctx);
    names(ctx);
    narrow_bases(ctx);
    bounds_of_blocks(ctx);
    complex_blocks(ctx);
    dominance(ctx);
    orr_close(ctx);
    return checked();
}
