/* gesvd of few columns, or few rows, by TSQR, judged by gesvd_judge.h; and large matrices whose pieces are
 * looked at for entries that are not finite.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/open.h"
#include "check.h"
#include "gesvd_judge.h"
#include "svdgen.h"

/* Stages that follow each other, within the time of the call. */
static void check_seconds(const orr_report *rep)
{
    const char *at = strstr(rep->plan, "\"seconds\"");
    double qr = -1, solver = -1, back = -1;
    if (at)
        sscanf(at, "\"seconds\":{\"qr\":%lf,\"solver\":%lf,\"back\":%lf}", &qr, &solver, &back);
    CHECK(qr >= 0 && solver >= 0 && back >= 0 &&
              qr + solver + back <= rep->seconds * (1 + 1e-4) + 1e-6,
          "seconds %g, %g and %g of %g: %s", qr, solver, back, rep->seconds, rep->plan);
}

/* Few columns, or few rows: one part, several, and triangles that are parts of a second level; of the last
 * shape these are two. */
static void narrow(orr_context *ctx, int step)
{
    static const int64_t shape[][2] = {{17000, 1},  {3, 40001},  {70000, 3}, {1700, 10},
                                       {16384, 8},  {17, 5000},  {9001, 33}, {64, 7000},
                                       {1300, 125}, {2000, 200}, {22000, 41}};
    struct worst worst = {0};
    for (int i = 0; i < (int)(sizeof shape / sizeof *shape); i++)
        for (int t = i % step; t < ORR_NTYPES; t += step) {
            const orr_gesvd_opts o = {.place = ORR_PLACE_CPU};
            struct problem p = make(0, (orr_type)t, shape[i][0], shape[i][1], 1);
            orr_report rep;
            const orr_status st = solve(ctx, &p, &o, 0, &rep);
            CHECK(st == ORR_OK && strstr(rep.plan, "\"method\":\"tsqr\""),
                  "%lld x %lld: status %d, %s", (long long)shape[i][0], (long long)shape[i][1], st,
                  rep.plan);
            check_seconds(&rep);
            drop(&p);
            one(ctx, (3 * i + t) % svdgen_kinds(), (orr_type)t, shape[i][0], shape[i][1], o,
                (i + t) % 4, &worst);
        }
    printf("narrow: worst values %.2f, residual %.2f, orthogonality %.2f (limit %g)\n",
           worst.values, worst.residual, worst.orthogonality, LIMIT);
}

static const int64_t shape[][2] = {{20011, 3}, {3, 20011}, {8192, 4}, {300, 200}};
enum { SHAPES = sizeof shape / sizeof *shape };

/* Nothing but (3, 4) 10^300 in a column, whose squares are beyond a double, wherever the pieces of a large
 * matrix end. */
static void far_entries(orr_context *ctx)
{
    for (int i = 0; i < SHAPES; i++) {
        const int64_t m = shape[i][0], n = shape[i][1], count = m * n;
        const int64_t at[] = {0, 8192, count / 8192 * 8192 - 1, count - 1};
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            double *a = calloc((size_t)count, sizeof *a),
                   *s = calloc((size_t)(m > n ? m : n), sizeof *s);
            orr_report rep;
            a[at[k]] = 3e300, a[at[k] % m ? at[k] - 1 : at[k] + 1] = 4e300;
            const orr_status st =
                orr_gesvd(ctx, ORR_D, m, n, a, m, s, NULL, 0, NULL, 0, NULL, &rep);
            CHECK(st == ORR_OK && fabs(s[0] / 5e300 - 1) < 1e-12 && fabs(s[1]) < 1e288,
                  "%lld x %lld, %lld: status %d, values %g %g, %s", (long long)m, (long long)n,
                  (long long)at[k], st, s[0], s[1], rep.message);
            free(a), free(s);
        }
    }
}

/* The first entry that is not finite is named there. */
static void named(orr_context *ctx)
{
    for (int i = 0; i < SHAPES; i++) {
        const int64_t m = shape[i][0], n = shape[i][1], count = m * n;
        const int64_t at[] = {0, 8191, 8192, count / 8192 * 8192 - 1, count / 2, count - 1};
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            double *a = calloc((size_t)count, sizeof *a), *s = calloc((size_t)n + 1, sizeof *s);
            char entry[64];
            orr_report rep;
            a[at[k]] = NAN, a[count - 1] = INFINITY;
            snprintf(entry, sizeof entry, "(%lld, %lld)", (long long)(at[k] % m),
                     (long long)(at[k] / m));
            const orr_status st =
                orr_gesvd(ctx, ORR_D, m, n, a, m, s, NULL, 0, NULL, 0, NULL, &rep);
            CHECK(st == ORR_E_NONFINITE && rep.index == at[k] && strstr(rep.message, entry),
                  "%lld x %lld, %lld: status %d, index %lld, %s", (long long)m, (long long)n,
                  (long long)at[k], st, (long long)rep.index, rep.message);
            free(a), free(s);
        }
    }
}

/* Of a matrix that several threads look at the first column counts. */
static void nonfinite_large(orr_context *ctx)
{
    enum { M = 2100, N = 1100, ROW = 1700, COLUMN = 77, LATER = 1000 };
    double *a = calloc((size_t)M * N, sizeof *a), s[N];
    orr_report rep;
    CHECK(a, "no memory");
    if (!a)
        return;
    a[(size_t)COLUMN * M + ROW] = NAN;
    a[(size_t)LATER * M + LATER] = INFINITY;
    const orr_status st = orr_gesvd(ctx, ORR_D, M, N, a, M, s, NULL, 1, NULL, 1, NULL, &rep);
    CHECK(st == ORR_E_NONFINITE && rep.index == (int64_t)COLUMN * M + ROW &&
              strstr(rep.message, "(1700, 77)"),
          "status %d index %lld '%s'", st, (long long)rep.index, rep.message);
    free(a);
}

/* More rows than vectors have on other ways, 2^24: three entries, at the end among them, whose values and products
 * are known. */
static void longest(orr_context *ctx)
{
    enum { M = (1 << 24) + 5, N = 2 };
    for (int lies = 0; lies < 2; lies++) {
        float *a = calloc((size_t)M * N, sizeof *a), *u = calloc((size_t)M * N, sizeof *u);
        float s[N], v[N * N];
        const int64_t row = lies ? N : 1, column = lies ? 1 : M; /* strides of the upright one */
        orr_report rep;
        CHECK(a && u, "no memory");
        if (a && u) {
            a[(M - 1) * row] = 3, a[(M - 1) * row + column] = 4, a[7 * row + column] = 2;
            const orr_gesvd_opts o = {.place = ORR_PLACE_CPU};
            const orr_status st = lies ? orr_gesvd(ctx, ORR_S, N, M, a, N, s, v, N, u, M, &o, &rep)
                                       : orr_gesvd(ctx, ORR_S, M, N, a, M, s, u, M, v, N, &o, &rep);
            CHECK(st == ORR_OK && strstr(rep.plan, "\"tsqr\""), "status %d, %s, %s", st,
                  rep.message, rep.plan);
            /* A'A = (9 12; 12 20) */
            const double root = sqrt(5.5 * 5.5 + 144), top = sqrt(14.5 + root),
                         low = sqrt(14.5 - root);
            CHECK(fabs(s[0] - top) < 1e-5 && fabs(s[1] - low) < 1e-5, "values %g %g, not %g %g",
                  s[0], s[1], top, low);
            const int64_t at[] = {7, M - 1, M / 2};
            const double expected[][N] = {{0, 2}, {3, 4}, {0, 0}};
            for (int k = 0; k < 3; k++)
                for (int j = 0; j < N; j++) {
                    double x = 0;
                    for (int i = 0; i < N; i++)
                        x += (double)u[at[k] + i * (int64_t)M] * s[i] * v[j + i * N];
                    CHECK(fabs(x - expected[k][j]) < 1e-5, "(%lld, %d): %g, not %g",
                          (long long)at[k], j, x, expected[k][j]);
                }
        }
        free(a), free(u);
    }
}

int main(int argc, char **argv)
{
    variant(argc, argv);
    orr_context *ctx = open_context(0);
    const int part = one_in > 1 || SANITIZED;
    narrow(ctx, part ? 4 : 1);
    far_entries(ctx);
    named(ctx);
    nonfinite_large(ctx);
    if (!part)
        longest(ctx);
    orr_close(ctx);
    return checked();
}
