/* powm: which eigenvalues, and every copy of multiple ones, which a Krylov space does not have.
 *
 *   values     |lambda - exact| / max|exact|                     <= 1e-8 (s, c: 1e-3)
 *   vectors    |V'V - I|_max of a Hermitian matrix               <= 1e-6 (s, c: 1e-2)
 *   residual   relative <= tol for each pair, and relative = residual / largest
 *
 * Exact: a closed form, or LAPACK's geev of the same matrix.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/open.h"
#include "algorithms/powm_case.h"
#include "check.h"
#include "larger.h"

void zgeev_(const char *, const char *, const int32_t *, double complex *, const int32_t *,
            double complex *, double complex *, const int32_t *, double complex *, const int32_t *,
            double complex *, const int32_t *, double *, int32_t *);

enum { MOST_K = 8 };

static double rank(orr_powm_which which, double complex w)
{
    return which == ORR_POWM_LM ? cabs(w) : which == ORR_POWM_LA ? creal(w) : -creal(w);
}

static orr_powm_which sorted_by;
static int by_rank(const void *a, const void *b)
{
    const double x = rank(sorted_by, *(const double complex *)a);
    const double y = rank(sorted_by, *(const double complex *)b);
    return (x < y) - (x > y);
}

struct found {
    orr_status st;
    orr_powm_result r;
    orr_eigenpair e[MOST_K + 1];
    void *v;
};

static struct found solve_which(orr_context *ctx, const orr_mtx *m, char type, int64_t blocks,
                                orr_powm_opts o)
{
    struct found f = {.st = ORR_E_ARG};
    char message[256];
    orr_sparse *A;
    const orr_sparse_opts s = {.type = type, .blocks = blocks};
    const orr_status st = orr_sparse_from_mtx(ctx, m, &s, &A, message);
    CHECK(st == ORR_OK, "%s", message);
    if (st != ORR_OK)
        return f;
    f.v = calloc((size_t)m->cols * (MOST_K + 1), 16);
    f.st = orr_powm(ctx, A, &o, f.e, f.v, &f.r, NULL);
    orr_sparse_free(A);
    return f;
}

static double worst_angle(orr_type t, const struct found *f, int64_t n)
{
    double worst = 0;
    for (int a = 0; a < f->r.found; a++)
        for (int b = 0; b <= a; b++) {
            double complex sum = a == b ? -1 : 0;
            for (int64_t i = 0; i < n; i++)
                sum += conj(get(t, f->v, a * n + i)) * get(t, f->v, b * n + i);
            worst = larger(worst, cabs(sum));
        }
    return worst;
}

/* exact: all eigenvalues, which are sorted here. */
static void one(orr_context *ctx, const char *what, const orr_mtx *m, char type, int64_t blocks,
                orr_powm_which which, int k, uint64_t seed, double complex *exact)
{
    const char letter[2] = {type, 0};
    orr_type t;
    orr_type_parse(letter, &t);
    const int single = orr_type_real(t) == ORR_S;
    struct found f =
        solve_which(ctx, m, type, blocks, (orr_powm_opts){.which = which, .k = k, .seed = seed});
    double most = 0, largest = 0;
    sorted_by = which;
    qsort(exact, (size_t)m->rows, sizeof *exact, by_rank);
    for (int64_t i = 0; i < m->rows; i++)
        most = larger(most, cabs(exact[i]));
    CHECK(f.st == ORR_OK && f.r.found >= k, "%s %c, which %d, k %d, seed %d: %d, %d found: %s",
          what, type, (int)which, k, (int)seed, f.st, f.r.found, f.r.note);
    for (int i = 0; i < f.r.found && i < k; i++) {
        const double off = fabs(rank(which, CMPLX(f.e[i].re, f.e[i].im)) - rank(which, exact[i]));
        CHECK(off <= (single ? 1e-3 : 1e-8) * most,
              "%s %c, which %d, k %d, seed %d: value %d of %.10g is off by %g", what, type,
              (int)which, k, (int)seed, i, creal(exact[i]), off);
        const double by = which == ORR_POWM_LM ? hypot(f.e[i].re, f.e[i].im) : f.r.largest;
        CHECK(fabs(f.e[i].relative * by - f.e[i].residual) <= 1e-12 * f.e[i].residual,
              "%s: relative %g of %g is not %g", what, f.e[i].relative, by, f.e[i].residual);
        largest = larger(largest, cabs(exact[i]));
    }
    CHECK(f.r.largest >= largest * (1 - 1e-4) && f.r.largest <= most * 2, "%s: largest %g of %g",
          what, f.r.largest, most);
    if (m->symmetry != ORR_MTX_GENERAL) {
        const double angle = worst_angle(t, &f, m->rows);
        CHECK(angle <= (single ? 1e-2 : 1e-6), "%s %c, which %d, k %d: V'V - I has %g", what, type,
              (int)which, k, angle);
    }
    free(f.v);
}

/* Eigenvalues of the Laplacian on a cube: sums of three, so that most come three or six times. */
static void laplacians(orr_context *ctx)
{
    enum { SIDE = 7, N = SIDE * SIDE * SIDE };
    char name[32], message[256];
    double complex exact[N];
    orr_mtx m;
    snprintf(name, sizeof name, "laplace3d:%d", SIDE);
    CHECK(orr_generate(name, 0, &m, message) == ORR_OK, "%s", message);
    for (int i = 0; i < N; i++) {
        exact[i] = 0;
        for (int d = 0, left = i; d < 3; d++, left /= SIDE)
            exact[i] += 2 - 2 * cos(acos(-1) * (left % SIDE + 1) / (SIDE + 1));
    }
    for (int which = 0; which < ORR_NPOWM_WHICH; which++)
        for (int k = 1; k <= MOST_K; k++)
            one(ctx, name, &m, "dzdsdcdd"[k - 1], k % 3, (orr_powm_which)which, k, (uint64_t)k,
                exact);
    orr_mtx_free(&m);
}

static void all_values(const orr_mtx *m, double complex *w)
{
    const int32_t n = (int32_t)m->rows, lwork = 4 * n, ld = 1;
    double complex *a = calloc((size_t)n * (size_t)n, sizeof *a), *work = calloc(4 * (size_t)n, 16);
    double complex *x = calloc((size_t)n, sizeof *x);
    double *rwork = calloc(2 * (size_t)n, sizeof *rwork);
    int32_t info;
    for (int j = 0; j < n; j++) {
        memset(x, 0, (size_t)n * sizeof *x);
        x[j] = 1;
        mtx_product(m, x, a + (size_t)j * (size_t)n);
    }
    zgeev_("N", "N", &n, a, &n, w, NULL, &ld, NULL, &ld, work, &lwork, rwork, &info);
    CHECK(info == 0, "zgeev: %d", info);
    free(a);
    free(work);
    free(x);
    free(rwork);
}

/* Blocks on the diagonal, each the same symmetric matrix. */
static void repeated(orr_context *ctx, int trial)
{
    enum { SIZE = 60, MOST = 4 };
    static const int64_t at[] = {0, 0, 1, 1, 2, 2, 3, 3};
    double complex exact[SIZE * MOST];
    const int copies = 1 + trial % MOST;
    orr_mtx part = random_mtx(SIZE, SIZE, 150, 2, (uint64_t)trial), m, unit;
    for (int64_t i = 0; i < part.entries; i++) { /* of the lower triangle */
        const int64_t row = part.row[i], col = part.col[i];
        part.row[i] = row > col ? row : col;
        part.col[i] = row > col ? col : row;
    }
    symmetric_in_full(&part);
    unit = given_mtx(copies, copies, at, (const double[]){1, 1, 1, 1});
    CHECK(orr_kronecker(&unit, &part, &m) == ORR_OK, "the Kronecker product");
    all_values(&m, exact);
    one(ctx, "repeated", &m, 'd', 0, (orr_powm_which)(trial % 3), 2 + trial % 5, (uint64_t)trial,
        exact);
    orr_mtx_free(&m);
    orr_mtx_free(&unit);
    orr_mtx_free(&part);
}

/* Not Hermitian: by the real part. */
static void general(orr_context *ctx, int trial)
{
    enum { N = 70 };
    double complex exact[N];
    orr_mtx m = random_mtx(N, N, 900, trial % 2 ? 3 : 2, 40 + (uint64_t)trial);
    all_values(&m, exact);
    one(ctx, "general", &m, trial % 2 ? 'z' : 'd', trial % 2, (orr_powm_which)(trial % 3),
        1 + trial % 4, 1, exact);
    orr_mtx_free(&m);
}

/* The Laplacian of a ring of four nodes and of two lonely ones: the smallest value is 0, thrice. */
static void nothing(orr_context *ctx)
{
    static const int64_t at[] = {0, 0, 1, 1, 2, 2, 3, 3, 0, 1, 1, 0, 1, 2,
                                 2, 1, 2, 3, 3, 2, 3, 0, 0, 3, 4, 5, 5, 4};
    static const double val[] = {2, 2, 2, 2, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0};
    double complex exact[] = {0, 2, 2, 4, 0, 0};
    orr_mtx m = given_mtx(6, 14, at, val);
    for (int k = 1; k <= 6; k++)
        one(ctx, "ring", &m, 'd', 0, ORR_POWM_SA, k, 3, exact);
    orr_mtx_free(&m);
}

static void refused(orr_context *ctx)
{
    static const int64_t at[] = {0, 0, 1, 1};
    orr_mtx m = given_mtx(2, 2, at, (const double[]){1, 2});
    const orr_powm_opts wrong[] = {
        {.which = (orr_powm_which)3},
        {.which = (orr_powm_which)-1},
        {.which = ORR_POWM_SA, .method = ORR_POWM_METHOD_POWER},
        {.which = ORR_POWM_LA, .method = ORR_POWM_METHOD_RITZ},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct found f = solve_which(ctx, &m, 'd', 0, wrong[i]);
        CHECK(f.st == ORR_E_ARG, "wrong options %zu: %d", i, f.st);
        free(f.v);
    }
    orr_mtx_free(&m);
}

int main(void)
{
    orr_context *ctx = open_context(0);
    laplacians(ctx);
    nothing(ctx);
    for (int trial = 0; trial < 60; trial++)
        repeated(ctx, trial);
    for (int trial = 0; trial < 24; trial++)
        general(ctx, trial);
    refused(ctx);
    orr_close(ctx);
    return checked();
}
