/* gb2bd as a graph: five types, awkward sizes, every route, hard matrices, against LAPACK.
 *
 *   values   max |s - s_lapack| / (n eps max s)  <= 20, s the singular values of (d, e) by
 *            LAPACK bdsqr, s_lapack those of the band by gesvd, both in double, n = min(m, n)
 *   half     the same without the n, against n, for half precision (input rounded):
 *            max |s - s_lapack| / (eps max s)    <= 0.1 sqrt(n)
 *   order    200 runs of random shape and blocks (20 with OpenCL) give d and e bit for bit as
 *            one block does
 *
 * Arguments: "opencl" runs a part of it with an OpenCL worker as a second memory node; "few" a part;
 * "order N" only the last part, N times.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/gb2bd_case.h"
#include "algorithms/open.h"
#include "check.h"
#include "larger.h"

void zgesvd_(const char *, const char *, const int *, const int *, double complex *, const int *,
             double *, double complex *, const int *, double complex *, const int *,
             double complex *, const int *, double *, int *);
void dgesdd_(const char *, const int *, const int *, double *, const int *, double *, double *,
             const int *, double *, const int *, double *, const int *, int *, int *);
void dbdsqr_(const char *, const int *, const int *, const int *, const int *, double *, double *,
             double *, const int *, double *, const int *, double *, const int *, double *, int *);

static const double LIMIT = 20;
static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Those of A times `scale`, descending. */
static double *reference_values(const band *a, double scale)
{
    const int m = (int)a->m, n = (int)a->n, least = m < n ? m : n, one = 1;
    const int lwork = 70 * (m + n + 1);
    int info = 0;
    const int complex_type = a->type == ORR_C || a->type == ORR_Z;
    double *s = allocate((size_t)(least + 1) * sizeof *s), none;
    /* OpenBLAS 0.3.21's zgemv reads a column beyond a matrix, here and in the workspace */
    double complex *z = calloc((size_t)m * (size_t)(n + 1) + 1, sizeof *z), *work, znone;
    double *d = (double *)z, *rwork = allocate((size_t)(8 * least + 8) * sizeof *rwork);
    int *iwork = allocate((size_t)(8 * least + 8) * sizeof *iwork);
    work = allocate((size_t)(lwork + m + n) * sizeof *work);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j > a->ku ? j - a->ku : 0; i < m && i <= j + a->kl; i++) {
            const double complex x = get(a->type, a->ab, j * a->ld + a->ku + i - j) * scale;
            if (complex_type)
                z[j * m + i] = x;
            else
                d[j * m + i] = creal(x);
        }
    if (least > 0 && complex_type)
        zgesvd_("N", "N", &m, &n, z, &m, s, &znone, &one, &znone, &one, work, &lwork, rwork, &info);
    else if (least > 0)
        dgesdd_("N", &m, &n, d, &m, s, &none, &one, &none, &one, (double *)work, &lwork, iwork,
                &info);
    if (info)
        exit(98);
    free(z);
    free(work);
    free(rwork);
    free(iwork);
    return s;
}

static double *bidiagonal_values(orr_type t, int64_t order, const void *d, const void *e,
                                 double scale)
{
    const int n = (int)order, zero = 0, one = 1;
    int info = 0;
    double none, *work = allocate((size_t)(4 * n + 4) * sizeof *work);
    double *s = allocate((size_t)(n + 1) * sizeof *s), *ee = allocate((size_t)(n + 1) * sizeof *ee);
    for (int64_t i = 0; i < n; i++) {
        s[i] = creal(get(result_type(t), d, i)) * scale;
        if (i + 1 < n)
            ee[i] = creal(get(result_type(t), e, i)) * scale;
    }
    if (n > 0)
        dbdsqr_("U", &n, &zero, &zero, &zero, s, ee, &none, &one, &none, &one, &none, &one, work,
                &info);
    if (info)
        for (int64_t i = 0; i < n; i++)
            s[i] = NAN;
    qsort(s, (size_t)n, sizeof *s, descending);
    free(work);
    free(ee);
    return s;
}

/* ---- Values -------------------------------------------------------------------------- */

/* max |s - s_lapack| / (eps max s); NaN if anything is. `unscale` brings the numbers near 1. */
static double error_of(orr_context *ctx, const band *a, const orr_gb2bd_opts *o, double unscale)
{
    const int64_t order = a->m < a->n ? a->m : a->n;
    const size_t real = orr_type_size(result_type(a->type));
    const size_t bytes = (size_t)(a->ld * a->n) * orr_type_size(a->type);
    char *d = allocate((size_t)order * real), *e = allocate((size_t)order * real);
    void *before = allocate(bytes);
    memcpy(before, a->ab, bytes);
    orr_report rep;
    const orr_status st =
        orr_gb2bd(ctx, a->type, a->m, a->n, a->kl, a->ku, a->ab, a->ld, d, e, o, &rep);
    CHECK(st == ORR_OK && rep.status == ORR_OK, "status %d: %s", st, rep.message);
    CHECK(memcmp(before, a->ab, bytes) == 0, "the input was changed");
    int canaries = 0;
    for (int i = 0; i < 16; i++) {
        canaries += d[(size_t)order * real + (size_t)i] != 0x5a;
        canaries += e[(size_t)(order ? order - 1 : 0) * real + (size_t)i] != 0x5a;
    }
    CHECK(canaries == 0, "%d bytes behind d or e were changed", canaries);

    double *s = bidiagonal_values(a->type, order, d, e, unscale);
    double *ref = reference_values(a, unscale);
    double worst = 0;
    for (int64_t i = 0; i < order; i++) {
        const double diff = fabs(s[i] - ref[i]);
        const double x = diff == 0 ? 0 : diff / (orr_type_eps(a->type) * ref[0]);
        worst = larger(worst, x);
    }
    free(d);
    free(e);
    free(s);
    free(ref);
    free(before);
    return worst;
}

static double worst[ORR_NTYPES + 1];

static void values(orr_context *ctx, orr_type t, enum kind k, double scale, int64_t m, int64_t n,
                   int64_t kl, int64_t ku, orr_gb2bd_opts o)
{
    if (left_out())
        return;
    band a = make(t, k, scale, m, n, kl, ku, (m + ku) % 3);
    const int64_t order = m < n ? m : n;
    const double e = error_of(ctx, &a, &o, 1 / scale) / (double)(order ? order : 1);
    CHECK(e <= LIMIT, "%c %s scale %g %lldx%lld kl %lld ku %lld tw %lld rows %lld: %g",
          orr_type_letter(t), kind_name[k], scale, (long long)m, (long long)n, (long long)kl,
          (long long)ku, (long long)o.tw, (long long)o.rows, e);
    worst[t] = larger(worst[t], e);
    free(a.ab);
}

static void all_values(orr_context *ctx, orr_type t)
{
    static const int64_t ns[] = {0, 1, 2, 3, 32, 33, 101};
    static const int64_t bs[] = {0, 1, 2, 3, 5, 8, 31, 32, 33, 100};
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
        for (size_t j = 0; j < sizeof bs / sizeof *bs; j++)
            for (int64_t tw = 0; tw <= 32; tw = 3 * tw + 1)
                values(ctx, t, RANDOM, 1, ns[i], ns[i], 0, bs[j],
                       (orr_gb2bd_opts){.tw = tw, .rows = j % 2 ? 1 : 0});
    for (int k = 0; k < KINDS; k++)
        for (int64_t b = 0; b <= 21; b += 3) {
            const orr_gb2bd_opts o = {.rows = 16, .tw = b % 4, .max_blocks = b % 3};
            values(ctx, t, (enum kind)k, 1, 90, 90, 0, b, o);
            values(ctx, t, (enum kind)k, 1, 90, 90, b, 0, o);
            values(ctx, t, (enum kind)k, 1, 70, 75, b / 2, b - b / 2, o);
            values(ctx, t, (enum kind)k, 1, 75, 70, b / 3, b - b / 3, o);
        }
    /* scales at which squares overflow or vanish; halves reach from 2^-24 to 65504 */
    const double large = t == ORR_H ? 0x1p15 : t == ORR_S || t == ORR_C ? 1e37 : 1e300;
    const double small = t == ORR_H ? 0x1p-12 : t == ORR_S || t == ORR_C ? 1e-30 : 1e-290;
    for (int k = 0; k < KINDS; k++) {
        values(ctx, t, (enum kind)k, large, 60, 60, 0, 9, (orr_gb2bd_opts){.rows = 16});
        values(ctx, t, (enum kind)k, small, 60, 60, 3, 6, (orr_gb2bd_opts){.rows = 16});
        if (t != ORR_H) {
            const double half = t == ORR_D || t == ORR_Z ? 1e150 : 1e18;
            values(ctx, t, (enum kind)k, half, 60, 60, 0, 9, (orr_gb2bd_opts){.rows = 16});
            values(ctx, t, (enum kind)k, 1 / half, 60, 60, 2, 9, (orr_gb2bd_opts){.rows = 16});
        }
    }
    values(ctx, t, RANDOM, 1, 600, 600, 0, 512, (orr_gb2bd_opts){.tw = 0});
    values(ctx, t, RANDOM, 1, 530, 530, 256, 256, (orr_gb2bd_opts){.tw = 511});
    printf("%c: values %.3g (limit %g)\n", orr_type_letter(t), worst[t], LIMIT);
    fflush(stdout);
}

static void half_against_n(orr_context *ctx)
{
    for (int64_t n = 64; n <= 1024; n *= 2) {
        band a = make(ORR_H, RANDOM, 1, n, n, 0, 32, 0);
        const double e = error_of(ctx, &a, NULL, 1), limit = 0.1 * sqrt((double)n);
        printf("h: n %5lld band 32: values %.3g eps max s (limit %.3g)\n", (long long)n, e, limit);
        CHECK(e <= limit, "half precision, n %lld: %g", (long long)n, e);
        free(a.ab);
    }
}

/* ---- Order --------------------------------------------------------------------------- */

static void order(orr_context *ctx, int runs)
{
    int differ = 0;
    for (int k = 0; k < runs; k++) {
        const orr_type t = (orr_type)below(ORR_NTYPES); /* halves depend on the blocks */
        const int64_t n = 2 + below(300), kl = below(3) ? 0 : below(4), ku = 1 + below(30);
        const size_t bytes = (size_t)n * orr_type_size(result_type(t));
        const int64_t tw = below(ku + kl + 1);
        band a = make(t, RANDOM, 1, n, n, kl, ku, 0);
        char *x = calloc(2, bytes), *y = calloc(2, bytes);
        const orr_gb2bd_opts one = {.tw = tw, .rows = n};
        const orr_gb2bd_opts many = {
            .tw = tw, .rows = 1 + below(40), .sweeps = below(4), .max_blocks = below(4)};
        orr_status st = orr_gb2bd(ctx, t, n, n, kl, ku, a.ab, a.ld, x, x + bytes, &one, NULL);
        if (st == ORR_OK)
            st = orr_gb2bd(ctx, t, n, n, kl, ku, a.ab, a.ld, y, y + bytes, &many, NULL);
        differ += st != ORR_OK || memcmp(x, y, 2 * bytes) != 0;
        free(x);
        free(y);
        free(a.ab);
    }
    CHECK(differ == 0, "%d of %d runs differ from one block", differ, runs);
    printf("order: %d runs, %d differ (0 allowed)\n", runs, differ);
}

/* Reflectors of A = QR longer than the matrix is wide: a task has their rows in its two blocks, whatever
 * is chosen, so that none before or behind them need be loaded, and results are those of one block. */
static void long_reflectors(orr_context *ctx)
{
    static const int64_t shape[][4] = {
        {600, 16, 500, 0}, {15, 129, 5, 32}, {191, 6, 33, 3}, {300, 2, 200, 1}, {400, 100, 300, 7}};
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++)
        for (int t = 0; t <= ORR_H; t++) {
            const int64_t m = shape[k][0], n = shape[k][1], kl = shape[k][2], ku = shape[k][3];
            const int64_t low = m < n ? ku : kl;
            double d[128], e[128];
            band a = make((orr_type)t, RANDOM, 1, m, n, kl, ku, 0);
            orr_report rep;
            const orr_status st =
                orr_gb2bd(ctx, a.type, m, n, kl, ku, a.ab, a.ld, d, e, NULL, &rep);
            long long rows = 0;
            CHECK(st == ORR_OK && sscanf(rep.plan, "\"rows\":%lld", &rows) == 1 && rows >= low,
                  "%c %lldx%lld kl %lld ku %lld: blocks of %lld rows", orr_type_letter(a.type),
                  (long long)m, (long long)n, (long long)kl, (long long)ku, rows);
            free(a.ab);
            for (int run = 0; run < 5; run++)
                values(ctx, (orr_type)t, RANDOM, 1, m, n, kl, ku, (orr_gb2bd_opts){0});
        }
}

/* Blocks, groups and stages are what was asked for. */
static void as_asked(orr_context *ctx)
{
    static const char *const told[] = {"\"rows\":32,", "\"max_blocks\":2,", "{\"band\":9,\"tw\":3,",
                                       "\"sweeps\":2}"};
    const orr_gb2bd_opts o = {.tw = 3, .rows = 32, .sweeps = 2, .max_blocks = 2};
    double d[300], e[300];
    orr_report rep;
    band a = make(ORR_D, RANDOM, 1, 300, 300, 0, 9, 0);
    CHECK(orr_gb2bd(ctx, ORR_D, 300, 300, 0, 9, a.ab, a.ld, d, e, &o, &rep) == ORR_OK, "%s",
          rep.message);
    for (size_t k = 0; k < sizeof told / sizeof *told; k++)
        CHECK(strstr(rep.plan, told[k]), "%s lacks %s", rep.plan, told[k]);
    free(a.ab);
}

/* What a caller may get wrong: refused at once, told what, nothing touched. */
static void arguments(orr_context *ctx)
{
    double ab[3 * 4] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2}, d[4] = {5, 6, 7, 8}, e[3] = {1, 2, 3};
    orr_report rep;
    orr_status st;
#define REFUSED(status_, why, type, m, n, kl, ku, ab, ld, d, e, ...)                               \
    st = orr_gb2bd(ctx, type, m, n, kl, ku, ab, ld, d, e, &(orr_gb2bd_opts){__VA_ARGS__}, &rep);   \
    CHECK(st == status_ && rep.status == status_ && strstr(rep.message, why), "status %d '%s'",    \
          st, rep.message)
#define WRONG(why, ...) REFUSED(ORR_E_ARG, why, __VA_ARGS__)
    WRONG("type", (orr_type)5, 4, 4, 0, 2, ab, 3, d, e, .tw = 0);
    WRONG("negative", ORR_D, -1, 4, 0, 2, ab, 3, d, e, .tw = 0);
    WRONG("negative", ORR_D, 4, 4, -1, 2, ab, 3, d, e, .tw = 0);
    WRONG("ldab", ORR_D, 4, 4, 0, 2, ab, 2, d, e, .tw = 0);
    WRONG("ldab", ORR_D, 4, 4, INT64_MAX - 1, 2, ab, 3, d, e, .tw = 0);
    WRONG("address", ORR_D, INT32_MAX + (int64_t)1, 4, 0, 2, ab, 3, d, e, .tw = 0);
    WRONG("address", ORR_D, 4, INT32_MAX + (int64_t)1, 0, 2, ab, 3, d, e, .tw = 0);
    WRONG("ab is NULL", ORR_D, 4, 4, 0, 2, NULL, 3, d, e, .tw = 0);
    WRONG("d is NULL", ORR_D, 4, 4, 0, 2, ab, 3, NULL, e, .tw = 0);
    WRONG("e is NULL", ORR_D, 2, 2, 0, 1, ab, 2, d, NULL, .tw = 0);
    WRONG("negative", ORR_D, 4, 4, 0, 2, ab, 3, d, e, .tw = -1);
    WRONG("negative", ORR_D, 4, 4, 0, 2, ab, 3, d, e, .rows = -1);
    WRONG("negative", ORR_D, 4, 4, 0, 2, ab, 3, d, e, .sweeps = -1);
    WRONG("negative", ORR_D, 4, 4, 0, 2, ab, 3, d, e, .max_blocks = -1);
    WRONG("split", ORR_D, 4, 4, 0, 2, ab, 3, d, e, .split = -1);
    WRONG("place", ORR_D, 4, 4, 0, 2, ab, 3, d, e, .place = (orr_place)7);
    WRONG("place", ORR_D, 4, 4, 0, 2, ab, 3, d, e, .place = ORR_PLACE_PIPELINE);
    WRONG("512", ORR_D, 1000, 1000, 0, 513, ab, 514, d, e, .tw = 0);
    ab[7] = INFINITY; /* row 1, column 2 */
    REFUSED(ORR_E_NONFINITE, "row 1, column 2", ORR_D, 4, 4, 0, 2, ab, 3, d, e, .tw = 0);
    CHECK(rep.index == 7, "index %lld", (long long)rep.index);
    ab[7] = NAN;
    REFUSED(ORR_E_NONFINITE, "NaN", ORR_D, 4, 4, 0, 2, ab, 3, d, e, .tw = 0);
    CHECK(d[0] == 5 && e[2] == 3, "arrays were touched");
}

int main(int argc, char **argv)
{
    const int opencl = variant(argc, argv);
    const int orders = argc > 2 && strcmp(argv[1], "order") == 0 ? atoi(argv[2]) : 0;
    orr_context *ctx = open_context(opencl);
    one_in = one_in > 1 ? 11 : 1; /* transfers make each run long */
    if (!orders) {
        arguments(ctx);
        as_asked(ctx);
        long_reflectors(ctx);
        for (int t = 0; t <= ORR_NTYPES; t++)
            all_values(ctx, (orr_type)t);
    }
    if (!orders && one_in == 1)
        half_against_n(ctx);
    order(ctx, orders ? orders : one_in > 1 ? 20 : 200);
    orr_close(ctx);
    return checked();
}
