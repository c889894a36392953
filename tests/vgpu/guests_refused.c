/* Arrays on a device with which a call is refused, or ends early.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "arrays.h"
#include "guests.h"

/* A NaN at that place of a matrix on the device is named. */
static void refused(int64_t n, int64_t at, orr_dense_method method)
{
    struct arrays x = {.there = 1};
    double w[N];
    orr_report report;
    void *a = array(&x, n * n);
    x.home[0][at] = NAN;
    refill(&x, 0);
    const orr_status st = orr_heev(
        ctx, ORR_D, 'L', n, a, n, w, NULL, n,
        &(orr_heev_opts){.method = method, .place = method ? place : ORR_PLACE_AUTO}, &report);
    CHECK(st == ORR_E_NONFINITE && report.index == at, "%s", report.message);
    bring_home(&x);
    free_arrays(&x);
}

/* The same of gesvd. */
static void refused_gesvd(int64_t m, int64_t n, int64_t at, double what, orr_dense_method method)
{
    struct arrays x = {.there = 1};
    double s[N];
    orr_report report;
    void *a = array(&x, m * n);
    x.home[0][at] = what;
    x.home[0][m * n - 1] = NAN; /* the first by columns counts */
    refill(&x, 0);
    const orr_status st = orr_gesvd(
        ctx, ORR_D, m, n, a, m, s, NULL, 1, NULL, 1,
        &(orr_gesvd_opts){.method = method, .place = method ? place : ORR_PLACE_AUTO}, &report);
    CHECK(st == ORR_E_NONFINITE && report.index == at, "%s", report.message);
    bring_home(&x);
    free_arrays(&x);
}

/* What has to be in main memory. */
static void refused_there(void)
{
    struct arrays x = {.there = 1};
    double s[N], *values[] = {s};
    orr_report report;
    orr_pagerank_result result;
    orr_sparse *G = path(0, &(orr_sparse_opts){.graph = 1, .rule_only = 1}), *A = NULL;
    char message[256];
    const int64_t one[] = {1}, n[] = {N}, index[] = {0};
    void *matrix[] = {array(&x, N * N)}, *at = matrix[0], *home[] = {x.home[0]};
    const orr_batch mixed = {.type = ORR_D, .batch = 1, .ms = n, .ns = n, .as = matrix};
    const orr_batch here = {.type = ORR_D, .batch = 1, .ms = n, .ns = n, .as = home};
    const orr_batch S = {
        .type = ORR_D, .batch = 1, .ms = n, .ns = one, .as = (void *const *)values};
    const orr_batch even = {.type = ORR_D, .batch = 1, .m = N, .n = N, .a = at};
    const orr_batch s1 = {.type = ORR_D, .batch = 1, .m = N, .n = 1, .a = s};
    CHECK(orr_gesvj(ctx, &mixed, &S, NULL, NULL, NULL, NULL, &report) == ORR_E_ARG &&
              strstr(report.message, "mixed sizes"),
          "%s", report.message);
    CHECK(orr_gesvj(ctx, &here, &S, NULL, &mixed, NULL, NULL, &report) == ORR_E_ARG &&
              strstr(report.message, "mixed sizes"),
          "%s", report.message);
    CHECK(orr_heevj(ctx, &mixed, &S, NULL, NULL, &report) == ORR_E_ARG &&
              strstr(report.message, "mixed sizes"),
          "%s", report.message);
    CHECK(orr_gesvj(ctx, &even, &s1, NULL, NULL, NULL, at, &report) == ORR_E_ARG &&
              strstr(report.message, "info"),
          "%s", report.message);
    CHECK(orr_pagerank(ctx, G, &(orr_pagerank_opts){.personal = at}, s, &result, &report) ==
                  ORR_E_ARG &&
              strstr(report.message, "main memory"),
          "%s", report.message);
    CHECK(orr_sparse_from_csr(ctx, 1, 1, (int64_t[]){0, 1}, index, at, 0, NULL, &A, message) ==
                  ORR_E_ARG &&
              strstr(message, "main memory"),
          "%s", message);
    orr_sparse_free(G);
    bring_home(&x);
    free_arrays(&x);
}

/* Two arrays that share an element, wherever they are. */
static void refused_overlap(void)
{
    struct arrays x = {.there = 1};
    double d[N], e[N];
    orr_report report;
    double *const q = array(&x, 2 * N * N);
    CHECK(orr_hb2st(ctx, ORR_D, 'L', N, BAND, q + N * N - 1, BAND + 1, d, e,
                    &(orr_hb2st_opts){.vect = 'Q', .q = q, .ldq = N, .place = place},
                    &report) == ORR_E_ARG &&
              strstr(report.message, "overlaps"),
          "%s", report.message);
    bring_home(&x);
    free_arrays(&x);
}

/* Complex numbers that begin between two places for them: a kernel that loads one as a whole would stop the device. In
 * main memory that is no matter, nor where the array is copied there. */
static void refused_between(void)
{
    enum { SMALL = 8 };
    struct arrays x = {.there = 1};
    double w[SMALL];
    orr_report report;
    char *const at = array(&x, 2 * SMALL * SMALL + 1);
    orr_batch A = {.type = ORR_Z, .batch = 1, .m = SMALL, .n = SMALL, .a = at + sizeof(double)};
    const orr_batch W = {.type = ORR_D, .batch = 1, .m = SMALL, .n = 1, .a = w};
    orr_status st = orr_heevj(ctx, &A, &W, &(orr_heevj_opts){.jobz = 'N'}, NULL, &report);
    CHECK(st == ORR_E_ARG && strstr(report.message, "multiple"), "%s", report.message);
    A.a = at;
    st = orr_heevj(ctx, &A, &W, &(orr_heevj_opts){.jobz = 'N'}, NULL, &report);
    CHECK(st != ORR_E_ARG, "%s", report.message);
    bring_home(&x);
    free_arrays(&x);
}

/* What is read only is as it was after a call that ended early. */
static void cancel(int64_t done, int64_t total, void *arg)
{
    (void)done, (void)total, (void)arg;
    orr_cancel(ctx);
}
static void cancelled(void)
{
    struct arrays x = {.there = 1};
    orr_report report;
    void *d = array(&x, N), *e = array(&x, N - 1), *q = array(&x, N * N),
         *ab = array(&x, (BAND + 1) * N);
    double *before = malloc((size_t)x.length[3] * sizeof *before);
    memcpy(before, x.home[3], (size_t)x.length[3] * sizeof *before);
    const orr_status st =
        orr_hb2st(ctx, ORR_D, 'L', N, BAND, ab, BAND + 1, d, e,
                  &(orr_hb2st_opts){
                      .vect = 'Q', .q = q, .ldq = N, .place = place, .D = 10, .progress = cancel},
                  &report);
    CHECK(st == ORR_E_CANCELLED, "%s %s", orr_strerror(st), report.message);
    bring_home(&x);
    CHECK(!memcmp(before, x.home[3], (size_t)x.length[3] * sizeof *before), "the band");
    free(before);
    free_arrays(&x);
}

void guests_refused(void)
{
    refused(2, 3, ORR_DENSE_AUTO);
    refused(N, 5 * N + 9, ORR_DENSE_TWO_STAGE); /* with place gpu the device looks */
    refused_gesvd(3, 2, 1, INFINITY, ORR_DENSE_AUTO);
    refused_gesvd(M, N, 5 * M + 9, NAN, ORR_DENSE_TWO_STAGE);
    refused_gesvd(N, M, 5, -INFINITY, ORR_DENSE_TWO_STAGE);
    refused_there();
    refused_overlap();
    refused_between();
    cancelled();
}

/* Arrays on a device that the context does not use. */
void guests_unused(void)
{
    struct arrays x = {.there = 1};
    double w[N], d[N], e[N], s[N];
    orr_report report;
    void *at = array(&x, N * N);
    double *band = numbers((BAND + 1) * N, 5);
    const orr_batch A = {.type = ORR_D, .batch = 1, .m = N, .n = N, .a = at};
    const orr_batch S = {.type = ORR_D, .batch = 1, .m = N, .n = 1, .a = s};
    const orr_status st[] = {orr_heev(ctx, ORR_D, 'L', N, at, N, w, NULL, N, NULL, &report),
                             orr_hb2st(ctx, ORR_D, 'L', N, BAND, band, BAND + 1, d, e,
                                       &(orr_hb2st_opts){.vect = 'Q', .q = at, .ldq = N}, &report),
                             orr_gesvj(ctx, &A, &S, NULL, NULL, NULL, NULL, &report),
                             orr_heevj(ctx, &A, &S, NULL, NULL, &report)};
    for (size_t k = 0; k < sizeof st / sizeof *st; k++)
        CHECK(st[k] == ORR_E_ARG, "call %zu: %s", k, orr_strerror(st[k]));
    CHECK(strstr(report.message, "not used"), "%s", report.message);
    free(band);
    bring_home(&x);
    free_arrays(&x);
}
