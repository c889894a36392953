/* heev of a part of the spectrum: values by their numbers, and in intervals.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/heev_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canary.h"
#include "check.h"
#include "larger.h"
#include "matgen.h"

/* Values il .. iu alone: as LAPACK has them, and their vectors; nothing behind them is written. */
static void range(orr_context *ctx, int kind, orr_type t, char uplo, int64_t n, int64_t il,
                  int64_t iu, int vectors, orr_dense_method method, struct heev_worst *worst)
{
    char what[128];
    const int64_t k = iu - il + 1, columns = vectors ? k : 0;
    snprintf(what, sizeof what, "%c n %lld range %lld:%lld %s", orr_type_letter(t), (long long)n,
             (long long)il, (long long)iu, orr_matgen_name(kind));
    struct heev_problem p = heev_make(kind, t, uplo, n, n + 1, 9);
    double *ref = allocate((size_t)n * sizeof *ref);
    orr_report rep;
    reference_values(t, uplo, n, p.a0, p.lda, ref);
    const orr_heev_opts o = {.il = il, .iu = iu, .method = method};
    const orr_status st = heev_solve(ctx, &p, o, vectors, &rep);
    char *w_end = p.w + (size_t)k * p.real, *z_end = p.z + (size_t)(columns * p.ldz) * p.size;
    const size_t w_rest = (size_t)(n - k) * p.real;
    const size_t z_rest = (size_t)((n - columns) * p.ldz) * p.size;
    CHECK(untouched(w_end, w_rest) && untouched(z_end, z_rest), "%s: behind w or z", what);
    memset(w_end, 0, w_rest);
    memset(z_end, 0, z_rest);

    const double top = fmax(fabs(ref[0]), fabs(ref[n - 1]));
    const int exact = top * orr_type_eps(t) >= 4 * orr_type_denormal(t);
    double e = 0;
    for (int64_t i = 0; i < k; i++)
        e = larger(e, fabs(creal(get(orr_type_real(t), p.w, i)) - ref[il - 1 + i]));
    e = exact ? e / top / (double)n / orr_type_eps(t) : 0;
    CHECK(st == ORR_OK && e <= LIMIT, "%s: status %d %s, values %g", what, st, rep.message, e);
    worst->values = fmax(worst->values, e);
    if (vectors)
        heev_check_vectors(&p, k, top, exact, what, worst);
    free(ref);
    heev_drop(&p);
}

void heev_ranges(orr_context *ctx, int step)
{
    static const int64_t r[][3] = {{1, 1, 1},       {7, 3, 5},      {40, 40, 40},  {97, 1, 13},
                                   {128, 2, 128},   {129, 1, 128},  {150, 75, 75}, {150, 30, 119},
                                   {200, 190, 200}, {200, 1, 200},  {65, 1, 64},   {180, 82, 99},
                                   {221, 1, 22},    {150, 140, 150}};
    static const orr_dense_method method_of[] = {ORR_DENSE_TWO_STAGE, ORR_DENSE_LAPACK};
    struct heev_worst worst = {0};
    for (int kind = 0; kind < orr_matgen_kinds(); kind += step)
        for (int upper = 0; upper < 2; upper++) /* few of them: inverse iteration, clusters too */
            range(ctx, kind, (orr_type)(kind % ORR_NTYPES), 'L', 161, 1 + 144 * upper,
                  16 + 144 * upper, 1, method_of[upper], &worst);
    for (int t = 0; t < ORR_NTYPES; t += step)
        range(ctx, t, (orr_type)t, t % 2 ? 'U' : 'L', 270, 100, t < 2 ? 110 : 200, 1,
              ORR_DENSE_LAPACK, &worst); /* shared */
    for (int i = 0; i < (int)(sizeof r / sizeof *r); i += step)
        for (int t = 0; t < ORR_NTYPES; t++)
            range(ctx, (i + t) % orr_matgen_kinds(), (orr_type)t, i % 2 ? 'U' : 'L', r[i][0],
                  r[i][1], r[i][2], (i + t) % 3 != 0, method_of[i % 3 == 2], &worst);
    printf("ranges: worst values %.2f, residual %.2f, orthogonality %.2f (limit %g)\n",
           worst.values, worst.residual, worst.orthogonality, LIMIT);
}

/* LAPACK's own selection, in double precision: how many, and the number of the first. */
void dsyevx_(const char *, const char *, const char *, const int32_t *, double *, const int32_t *,
             const double *, const double *, const int32_t *, const int32_t *, const double *,
             int32_t *, double *, double *, const int32_t *, double *, const int32_t *, int32_t *,
             int32_t *, int32_t *);
void zheevx_(const char *, const char *, const char *, const int32_t *, double complex *,
             const int32_t *, const double *, const double *, const int32_t *, const int32_t *,
             const double *, int32_t *, double *, double complex *, const int32_t *,
             double complex *, const int32_t *, double *, int32_t *, int32_t *, int32_t *);

static int64_t by_lapack(const struct heev_problem *p, double vl, double vu)
{
    const int32_t n = (int32_t)p->n, lwork = 40 * n, one = 1;
    const int wide = p->type == ORR_C || p->type == ORR_Z;
    if (n == 0)
        return 0;
    /* OpenBLAS 0.3.21's zgemv reads a column beyond a matrix, here and in the workspace */
    char *a = allocate((size_t)(n * (n + 1)) * 16), *w = allocate((size_t)n * 8);
    char *work = allocate((size_t)(lwork + n) * 16), *rwork = allocate((size_t)n * 7 * 8);
    int32_t *iwork = malloc((size_t)n * 6 * sizeof *iwork + 1), found = -1, info;
    const double tol = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            put(wide ? ORR_Z : ORR_D, a, j * n + i, get(p->type, p->a0, j * p->lda + i));
    if (wide)
        zheevx_("N", "V", &p->uplo, &n, (void *)a, &n, &vl, &vu, &one, &one, &tol, &found,
                (void *)w, NULL, &one, (void *)work, &lwork, (void *)rwork, iwork, iwork, &info);
    else
        dsyevx_("N", "V", &p->uplo, &n, (void *)a, &n, &vl, &vu, &one, &one, &tol, &found,
                (void *)w, NULL, &one, (void *)work, &lwork, iwork, iwork, &info);
    CHECK(info == 0, "LAPACK's syevx: info %d", info);
    free(a);
    free(w);
    free(work);
    free(rwork);
    free(iwork);
    return found;
}

/* The values in (vl, vu]: as many as LAPACK's heevx finds but for those that rounding puts on either
 * side of an end (`ties`), all within it, those of the whole spectrum, and their vectors. */
static void interval(orr_context *ctx, struct heev_problem *p, const double *ref, double vl,
                     double vu, int vectors, orr_dense_method method, int exact_count,
                     struct heev_worst *worst)
{
    char what[128];
    int64_t found[2] = {-7, -7}, ties = 0;
    snprintf(what, sizeof what, "%c n %lld (%g, %g] %s", orr_type_letter(p->type), (long long)p->n,
             vl, vu, method == ORR_DENSE_LAPACK ? "lapack" : "two-stage");
    const int64_t n = p->n;
    const double top = n ? fmax(fabs(ref[0]), fabs(ref[n - 1])) : 0;
    const double slack = LIMIT * (double)n * orr_type_eps(p->type) * top;
    orr_report rep;
    const orr_heev_opts o = {.vl = vl, .vu = vu, .found = found, .method = method};
    memset(p->w, CANARY, (size_t)n * p->real);
    memset(p->z, CANARY, (size_t)(n * p->ldz) * p->size);
    const orr_status st = heev_solve(ctx, p, o, vectors, &rep);
    const int64_t k = found[1] - found[0] + 1, first = found[0] - 1;
    CHECK(st == ORR_OK && k >= 0 && first >= 0 && first + k <= n, "%s: status %d %s, %lld to %lld",
          what, st, rep.message, (long long)found[0], (long long)found[1]);
    if (st != ORR_OK || k < 0 || first < 0 || first + k > n)
        return;
    for (int64_t i = 0; i < n; i++)
        ties += fabs(ref[i] - vl) <= slack || fabs(ref[i] - vu) <= slack;
    const int64_t expected = by_lapack(p, vl, vu);
    CHECK(exact_count ? k == expected : llabs(k - expected) <= ties,
          "%s: %lld found, %lld by LAPACK, %lld at the ends", what, (long long)k,
          (long long)expected, (long long)ties);
    char told[64];
    snprintf(told, sizeof told, "\"found\":%lld,\"first\":%lld", (long long)k,
             (long long)first + 1);
    CHECK(strstr(rep.plan, told), "%s: %s", what, rep.plan);
    double e = 0;
    for (int64_t i = 0; i < k; i++) {
        const double x = creal(get(orr_type_real(p->type), p->w, i));
        CHECK(x > vl && x <= vu, "%s: value %lld, %.17g, is outside", what, (long long)i, x);
        e = larger(e, fabs(x - ref[first + i]));
    }
    e = top > 0 ? e / top / (double)n / orr_type_eps(p->type) : e;
    CHECK(e <= LIMIT, "%s: values %g", what, e);
    const int64_t columns = vectors ? k : 0;
    CHECK(untouched(p->w + (size_t)k * p->real, (size_t)(n - k) * p->real) &&
              untouched(p->z + (size_t)(columns * p->ldz) * p->size,
                        (size_t)((n - columns) * p->ldz) * p->size),
          "%s: behind w or z", what);
    memset(p->w + (size_t)k * p->real, 0, (size_t)(n - k) * p->real);
    memset(p->z + (size_t)(columns * p->ldz) * p->size, 0,
           (size_t)((n - columns) * p->ldz) * p->size);
    worst->values = fmax(worst->values, e);
    if (vectors && top > 0)
        heev_check_vectors(p, k, top, 1, what, worst);
}

/* A diagonal matrix of the integers of -n/2 .. in pairs: ends are eigenvalues, and counts exact. */
static void integers(struct heev_problem *p, double *ref)
{
    for (int64_t j = 0; j < p->n; j++) {
        for (int64_t i = 0; i < p->n; i++)
            put(p->type, p->a0, j * p->lda + i, 0);
        const int64_t k = (j * 7 + 3) % p->n; /* a permutation unless 7 divides n */
        put(p->type, p->a0, j * p->lda + j, (double)(k / 2 - p->n / 4));
        ref[k] = (double)(k / 2 - p->n / 4);
    }
}

/* Values 1 .. n times a unit so small, or so large, that the matrix is scaled: three in (2, 5]. */
static void scaled_interval(orr_context *ctx, orr_type t, int64_t n, double unit,
                            orr_dense_method method)
{
    struct heev_problem p = heev_make(0, t, 'L', n, n, 9);
    int64_t found[2] = {-7, -7};
    for (int64_t k = 0; k < n * n; k++)
        put(t, p.a0, k, k % (n + 1) ? 0 : unit * (double)(k / (n + 1) + 1));
    orr_report rep;
    const orr_heev_opts o = {.vl = 2 * unit, .vu = 5 * unit, .found = found, .method = method};
    const orr_status st = heev_solve(ctx, &p, o, 0, &rep);
    CHECK(st == ORR_OK && found[0] == 3 && found[1] == 5,
          "%c n %lld unit %g %s: status %d, %lld to %lld", orr_type_letter(t), (long long)n, unit,
          method == ORR_DENSE_LAPACK ? "lapack" : "two-stage", st, (long long)found[0],
          (long long)found[1]);
    for (int i = 0; i < 3; i++)
        CHECK(fabs(creal(get(orr_type_real(t), p.w, i)) / unit - 3 - i) < 1e-3, "value %d", i);
    heev_drop(&p);
}

static void scaled_intervals(orr_context *ctx)
{
    static const int64_t of[] = {7, 66, 128, 129, 150};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int t = 0; t < ORR_NTYPES; t++) {
            const int single = orr_type_real((orr_type)t) == ORR_S;
            for (int lapack = 0; lapack < 2; lapack++) {
                const orr_dense_method method = lapack ? ORR_DENSE_LAPACK : ORR_DENSE_TWO_STAGE;
                scaled_interval(ctx, (orr_type)t, of[i], orr_type_denormal((orr_type)t), method);
                scaled_interval(ctx, (orr_type)t, of[i], single ? 0x1p-130 : 0x1p-1030, method);
                scaled_interval(ctx, (orr_type)t, of[i], single ? 0x1p119 : 0x1p1015, method);
            }
        }
}

void heev_intervals(orr_context *ctx, int step)
{
    static const int64_t of[] = {0, 1, 2, 3, 33, 64, 65, 97, 129, 150, 261};
    static const orr_dense_method method_of[] = {ORR_DENSE_TWO_STAGE, ORR_DENSE_LAPACK};
    struct heev_worst worst = {0};
    for (int i = 0; i < (int)(sizeof of / sizeof *of); i += step)
        for (int t = 0; t < ORR_NTYPES; t++) {
            const int64_t n = of[i], kind = (i + 5 * t) % orr_matgen_kinds();
            const orr_dense_method method = method_of[(i + t) % 2];
            struct heev_problem p =
                heev_make((int)kind, (orr_type)t, i % 2 ? 'U' : 'L', n, n + 1, 9);
            double *ref = allocate((size_t)n * sizeof *ref);
            reference_values((orr_type)t, p.uplo, n, p.a0, p.lda, ref);
            const double top = n ? fmax(fabs(ref[0]), fabs(ref[n - 1])) : 0;
            if (top * orr_type_eps((orr_type)t) >= 4 * orr_type_denormal((orr_type)t)) {
                interval(ctx, &p, ref, -INFINITY, INFINITY, t % 2, method, 1, &worst);
                interval(ctx, &p, ref, 3 * top, INFINITY, 1, method, 1, &worst);
                interval(ctx, &p, ref, -top / 3, top / 7, 1, method, 0, &worst);
                if (n > 5) { /* ends are values, perhaps of a cluster */
                    const int real = orr_type_real((orr_type)t);
                    const double low = real == ORR_S ? (double)(float)ref[n / 4] : ref[n / 4];
                    const double high = real == ORR_S ? (double)(float)ref[n / 3] : ref[n / 3];
                    if (low < high)
                        interval(ctx, &p, ref, low, high, i % 2, method, 0, &worst);
                }
            }
            integers(&p, ref);
            interval(ctx, &p, ref, -2, 3, 1, method, 1, &worst);
            interval(ctx, &p, ref, 0, 1, t % 2, method, 1, &worst);
            interval(ctx, &p, ref, 0.25, 0.75, t % 2, method, 1, &worst);
            interval(ctx, &p, ref, -INFINITY, 0, 0, method, 1, &worst);
            free(ref);
            heev_drop(&p);
        }
    scaled_intervals(ctx);
    printf("intervals: worst values %.2f, residual %.2f, orthogonality %.2f (limit %g)\n",
           worst.values, worst.residual, worst.orthogonality, LIMIT);
}
