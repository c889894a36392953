/* heev and gesvd give the same bits whether their caller waits, which has small matrices computed in
 * the calling thread, submits and waits, or records a trace; they count the same tasks, and what is
 * wrong with a call is told alike. Nor do empty matrices need anything.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "orrery/orrery.h"
#include "orrery/trace.h"

enum { MOST = 350, WAYS = 3 }; /* waits, submits, waits and records */

static double a[MOST * MOST], work[MOST * MOST], out[WAYS][3 * MOST * MOST];
static orr_context *context[WAYS];
static orr_report report[WAYS];

static void fill(int64_t n)
{
    unsigned x = (unsigned)n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            x = x * 1664525u + 1013904223u;
            a[i + j * n] = a[j + i * n] = (double)x / 4294967296.0 - 0.5;
        }
}

static orr_status heev(int way, int64_t n, int vectors)
{
    double *w = out[way], *z = vectors ? w + n : NULL;
    orr_request *req;
    memcpy(work, a, sizeof *a * (size_t)(n * n));
    if (way != 1)
        return orr_heev(context[way], ORR_D, 'L', n, work, n, w, z, n, NULL, &report[way]);
    const orr_status st =
        orr_submit_heev(context[way], ORR_D, 'L', n, work, n, w, z, n, NULL, &req);
    return st == ORR_OK ? orr_wait(req, &report[way]) : st;
}

static orr_status gesvd(int way, int64_t n, int vectors)
{
    double *s = out[way], *u = vectors ? s + n : NULL, *v = vectors ? u + n * n : NULL;
    orr_request *req;
    memcpy(work, a, sizeof *a * (size_t)(n * n));
    if (way != 1)
        return orr_gesvd(context[way], ORR_D, n, n, work, n, s, u, n, v, n, NULL, &report[way]);
    const orr_status st =
        orr_submit_gesvd(context[way], ORR_D, n, n, work, n, s, u, n, v, n, NULL, &req);
    return st == ORR_OK ? orr_wait(req, &report[way]) : st;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compare(const char *what, orr_status (*call)(int, int64_t, int), int64_t n, int vectors)
{
    fill(n);
    for (int way = 0; way < WAYS; way++) {
        memset(out[way], 0, sizeof out[way]);
        report[way] = (orr_report){0};
        const double begun = now();
        CHECK(call(way, n, vectors) == ORR_OK, "%s n %d way %d", what, (int)n, way);
        const double whole = now() - begun;
        CHECK(report[way].tasks == report[0].tasks && report[way].tasks > 0,
              "%s n %d way %d: %lld tasks", what, (int)n, way, (long long)report[way].tasks);
        CHECK(!memcmp(out[way], out[0], sizeof out[0]), "%s n %d vectors %d way %d", what, (int)n,
              vectors, way);
        CHECK(!strcmp(report[way].plan, report[0].plan) || strstr(report[0].plan, "seconds"),
              "%s: %s", what, report[way].plan);
        CHECK(report[way].seconds > 0 && report[way].seconds <= whole + 1e-6, "%g of %g s",
              report[way].seconds, whole);
    }
}

static void refuse(const char *what, orr_status (*call)(int, int64_t, int))
{
    enum { N = 8 };
    fill(N);
    a[3 + 2 * N] = NAN;
    for (int way = 0; way < WAYS; way += 2) {
        CHECK(call(way, N, 1) == ORR_E_NONFINITE, "%s", what);
        CHECK(report[way].index == 3 + 2 * N && strstr(report[way].message, "(3, 2)"),
              "%s: %lld %s", what, (long long)report[way].index, report[way].message);
    }
    CHECK(call(1, N, 1) == ORR_E_NONFINITE, "%s", what);
}

/* Matrices without elements need no arrays, and the leading dimension may be 0. */
static void nothing(void)
{
    orr_context *const c = context[0];
    for (orr_type t = ORR_S; t < ORR_NTYPES; t++) {
        CHECK(orr_heev(c, t, 'L', 0, NULL, 0, NULL, NULL, 0, NULL, report) == ORR_OK, "heev: %s",
              report->message);
        CHECK(orr_heev(c, t, 'L', 0, a, 0, out, work, 0, NULL, report) == ORR_OK, "heev, z: %s",
              report->message);
        CHECK(orr_hegv(c, t, 'U', 0, NULL, 0, NULL, 0, NULL, NULL, 0, NULL, report) == ORR_OK,
              "hegv: %s", report->message);
        for (int64_t n = 0; n < 9; n += 4) {
            CHECK(orr_gesvd(c, t, 0, n, NULL, 0, NULL, NULL, 0, NULL, 0, NULL, report) == ORR_OK,
                  "gesvd 0 x %d: %s", (int)n, report->message);
            CHECK(orr_gesvd(c, t, n, 0, NULL, n, NULL, NULL, 0, NULL, 0, NULL, report) == ORR_OK,
                  "gesvd %d x 0: %s", (int)n, report->message);
            CHECK(orr_gesvd(c, t, 0, n, NULL, 0, NULL, out, 0, work, n, NULL, report) == ORR_OK,
                  "gesvd 0 x %d, vectors: %s", (int)n, report->message);
            CHECK(orr_gesvd(c, t, n, 0, NULL, n, NULL, out, n, work, 0, NULL, report) == ORR_OK,
                  "gesvd %d x 0, vectors: %s", (int)n, report->message);
        }
    }
}

static void apart(const char *what, orr_status st, orr_status expected)
{
    CHECK(st == expected && (st != ORR_E_ARG || strstr(report->message, "overlap")), "%s: %d, %s",
          what, st, report->message);
}

/* Two arrays of a call that share an entry, one of which is a result: small matrices might be fine, large
 * ones not. Arrays in the gaps of each other do not share one. */
static void overlaps(void)
{
    enum { N = 40, B = 3 };
    orr_context *const c = context[0];
    const orr_heev_opts two = {.method = ORR_DENSE_TWO_STAGE};
    double *const w = out[1], *const z = out[2], *const b = out[0];
    fill(N);
    memcpy(work, a, sizeof work);
#define HEEV(w, z, ldz) orr_heev(c, ORR_D, 'L', N, work, N, w, z, ldz, &two, report)
    apart("heev, z is a", HEEV(w, work, N), ORR_E_ARG);
    apart("heev, w in a", HEEV(work + N, z, N), ORR_E_ARG);
    apart("heev, the last entry of a", HEEV(w, work + N * N - 1, N), ORR_E_ARG);
    apart("heev, w in z", HEEV(z + 5, z, N), ORR_E_ARG);
#define HEGV(b, z) orr_hegv(c, ORR_D, 'L', N, work, N, b, N, w, z, N, NULL, report)
    apart("hegv, b is a", HEGV(work, z), ORR_E_ARG);
    apart("hegv, z is b", HEGV(b, b), ORR_E_ARG);
    apart("hegv, z is a", HEGV(b, work), ORR_E_ARG);
#define GESVD(s, u, v) orr_gesvd(c, ORR_D, N, N, work, N, s, u, N, v, N, NULL, report)
    apart("gesvd, u is a", GESVD(w, work, z), ORR_E_ARG);
    apart("gesvd, u is v", GESVD(w, z, z), ORR_E_ARG);
    apart("gesvd, s in a", GESVD(work, NULL, NULL), ORR_E_ARG);
    apart("hbev, z is ab", orr_hbev(c, ORR_D, 'L', N, B, work, N, w, work, N, NULL, report),
          ORR_E_ARG);
    apart("hb2st, e is d", orr_hb2st(c, ORR_D, 'L', N, B, work, B + 1, w, w, NULL, report),
          ORR_E_ARG);
    apart("gb2bd, d in ab", orr_gb2bd(c, ORR_D, N, N, 0, B, work, B + 1, work, w, NULL, report),
          ORR_E_ARG);
    apart("sterf, w in e", orr_sterf(c, ORR_D, N, work, work + N, work + N, NULL, report),
          ORR_E_ARG);
    apart("sterf, w beside d", orr_sterf(c, ORR_D, N, work, z, work + 1, NULL, report), ORR_E_ARG);
    CHECK(!memcmp(work, a, sizeof *a * N * N), "a refused call changed a");
    /* a in rows 0 .. N-1 of columns of 2 N + 1, z below it */
    for (int64_t i = 0; i < N * N; i++)
        z[i / N * (2 * N + 1) + i % N] = a[i];
    apart("heev, in its gaps",
          orr_heev(c, ORR_D, 'L', N, z, 2 * N + 1, w, z + N, 2 * N + 1, &two, report), ORR_OK);
    memcpy(z, work, sizeof *z * 3 * N * N);
    apart("heev, a column beyond its gap",
          orr_heev(c, ORR_D, 'L', N, z, 2 * N + 1, w, z + N + 2, 2 * N + 1, &two, report),
          ORR_E_ARG);
    apart("heev, gaps that move",
          orr_heev(c, ORR_D, 'L', N, z, 2 * N + 1, w, z + N, 2 * N + 2, &two, report), ORR_E_ARG);
    apart("sterf, e in d", orr_sterf(c, ORR_D, N, work, work + 1, z, NULL, report), ORR_OK);
    apart("sterf, w is d", orr_sterf(c, ORR_D, N, work, work + N, work, NULL, report), ORR_OK);
}

/* The same of batches. */
static void batches_overlap(void)
{
    enum { N = 6, BATCH = 20, RECORD = N * N + N };
    orr_context *const c = context[0];
    double *const A = out[0], *const W = out[1], *const U = out[2];
    for (int64_t i = 0; i < 10 * BATCH * RECORD; i++)
        A[i] = W[i] = U[i] = (double)(i * i % 37) / 37;
    memcpy(work, A, sizeof *A * 10 * BATCH * RECORD);
#define MATRICES(where, step)                                                                      \
    (&(orr_batch){.type = ORR_D, .batch = BATCH, .m = N, .n = N, .a = where, .stride = step})
#define VALUES(where, step)                                                                        \
    (&(orr_batch){.type = ORR_D, .batch = BATCH, .m = N, .n = 1, .a = where, .stride = step})
#define HEEVJ(A, w) orr_heevj(c, A, w, NULL, NULL, report)
    apart("heevj, w is A", HEEVJ(MATRICES(A, 0), VALUES(A, 0)), ORR_E_ARG);
    apart("heevj, w in A", HEEVJ(MATRICES(A, 0), VALUES(A + BATCH * N * N - 1, 0)), ORR_E_ARG);
    apart("heevj, A in w", HEEVJ(MATRICES(A + 1, 0), VALUES(A, BATCH * N * N)), ORR_E_ARG);
    apart("heevj, w too near", HEEVJ(MATRICES(A, RECORD), VALUES(A + N * N - 1, RECORD)),
          ORR_E_ARG);
    apart("heevj, the last w in A", HEEVJ(MATRICES(A, RECORD), VALUES(A + N * N, RECORD - 1)),
          ORR_E_ARG);
#define GESVJ(A, s, U, V) orr_gesvj(c, A, s, U, V, NULL, NULL, report)
    apart("gesvj, U is A", GESVJ(MATRICES(A, 0), VALUES(W, 0), MATRICES(A, 0), NULL), ORR_E_ARG);
    apart("gesvj, V is A", GESVJ(MATRICES(A, 0), VALUES(W, 0), NULL, MATRICES(A, 0)), ORR_E_ARG);
    apart("gesvj, V is U", GESVJ(MATRICES(A, 0), VALUES(W, 0), MATRICES(U, 0), MATRICES(U, 0)),
          ORR_E_ARG);
    apart("gesvj, s in V", GESVJ(MATRICES(A, 0), VALUES(U + 7, 0), NULL, MATRICES(U, 0)),
          ORR_E_ARG);
    CHECK(!memcmp(work, A, sizeof *A * 10 * BATCH * RECORD), "a refused call changed A");
    /* records of a matrix and its values; the values of all in a gap; U, V in the gaps of A's columns */
    apart("heevj, records", HEEVJ(MATRICES(A, RECORD), VALUES(A + N * N, RECORD)), ORR_OK);
    apart("heevj, one behind the other", HEEVJ(MATRICES(A, 0), VALUES(A + BATCH * N * N, 0)),
          ORR_OK);
    apart("heevj, all values in one gap", HEEVJ(MATRICES(A, 10 * RECORD), VALUES(A + N * N, 0)),
          ORR_OK);
    apart(
        "heevj, w nearer to each matrix, in the third at last",
        HEEVJ(
            (&(orr_batch){.type = ORR_D, .batch = 3, .m = N, .n = N, .a = A, .stride = 2 * RECORD}),
            (&(orr_batch){
                .type = ORR_D, .batch = 3, .m = N, .n = 1, .a = A + N * N, .stride = RECORD + N})),
        ORR_E_ARG);
    apart("heevj, w nearer to the end of each gap, in the 60th at last",
          HEEVJ((&(orr_batch){.type = ORR_D, .batch = 62, .m = N, .n = N, .a = A, .stride = 100}),
                (&(orr_batch){
                    .type = ORR_D, .batch = 62, .m = N, .n = 1, .a = A + N * N, .stride = 101})),
          ORR_E_ARG);
    /* more than there can be, in steps of a record; the sanitizer would end there */
    if (!SANITIZED)
        apart("heevj, 2^53 records",
              HEEVJ((&(orr_batch){.type = ORR_D,
                                  .batch = (int64_t)1 << 53,
                                  .m = N,
                                  .n = N,
                                  .a = A,
                                  .stride = RECORD}),
                    (&(orr_batch){.type = ORR_D,
                                  .batch = (int64_t)1 << 53,
                                  .m = N,
                                  .n = 1,
                                  .a = A + N * N,
                                  .stride = RECORD})),
              ORR_E_NOMEM);
    orr_batch rows[3];
    for (int i = 0; i < 3; i++)
        rows[i] =
            (orr_batch){.type = ORR_D, .batch = BATCH, .m = N, .n = N, .a = A + i * N, .ld = 3 * N};
    memcpy(A, work, sizeof *A * 10 * BATCH * RECORD);
    apart("gesvj, in its gaps", GESVJ(&rows[0], VALUES(W, 0), &rows[1], &rows[2]), ORR_OK);
}

/* Without a stride matrices follow each other with their gaps. */
static void strides(void)
{
    enum { N = 6, LD = 9, BATCH = 5 };
    orr_context *const c = context[0];
    double *const A[] = {out[0], out[1]}, *const W[] = {out[2], out[2] + BATCH * N};
    for (int way = 0; way < 2; way++) {
        for (int64_t i = 0; i < BATCH * LD * N; i++)
            A[way][i] = (double)(i * i % 37) / 37;
        apart("strides",
              orr_heevj(c,
                        &(orr_batch){.type = ORR_D,
                                     .batch = BATCH,
                                     .m = N,
                                     .n = N,
                                     .ld = LD,
                                     .stride = way ? LD * N : 0,
                                     .a = A[way]},
                        VALUES(W[way], 0), NULL, NULL, report),
              ORR_OK);
    }
    CHECK(!memcmp(A[0], A[1], sizeof(double) * BATCH * LD * N) &&
              !memcmp(W[0], W[1], sizeof(double) * BATCH * N),
          "other matrices without a stride");
}

static void follow(int64_t done, int64_t total, void *last)
{
    CHECK(done >= *(int64_t *)last && done <= total, "%lld of %lld after %lld", (long long)done,
          (long long)total, (long long)*(int64_t *)last);
    *(int64_t *)last = done;
    ((int64_t *)last)[1] = total;
}

/* What the calling thread computes is told, too. */
static void progress(int64_t n, int vectors)
{
    orr_context *const c = context[0];
    int64_t last[3][2] = {{0}};
    double *const z = vectors ? out[1] : NULL, *const u = vectors ? out[2] : NULL;
    fill(n);
    memcpy(work, a, sizeof *a * (size_t)(n * n));
    CHECK(orr_heev(c, ORR_D, 'L', n, work, n, out[0], z, n,
                   &(orr_heev_opts){.progress = follow, .progress_arg = last[0]}, report) == ORR_OK,
          "heev");
    memcpy(work, a, sizeof *a * (size_t)(n * n));
    CHECK(orr_gesvd(c, ORR_D, n, n, work, n, out[0], u, n, z, n,
                    &(orr_gesvd_opts){.progress = follow, .progress_arg = last[1]},
                    report) == ORR_OK,
          "gesvd");
    memcpy(work, a, sizeof *a * (size_t)(n * n)); /* n is the longer side, by A = Q R */
    const orr_gesvd_opts tall = {
        .method = ORR_DENSE_TWO_STAGE, .qr = 1, .progress = follow, .progress_arg = last[2]};
    CHECK(orr_gesvd(c, ORR_D, n, (n + 3) / 4, work, n, out[0], u, n, z, n, &tall, report) == ORR_OK,
          "gesvd, tall");
    for (int k = 0; k < 3; k++)
        CHECK(last[k][0] == last[k][1] && last[k][1] > 0, "%s of %d: %lld of %lld at the end",
              k ? "gesvd" : "heev", (int)n, (long long)last[k][0], (long long)last[k][1]);
}

int main(void)
{
    static const int64_t sizes[] = {1, 2, 31, 64, 127, 255, 256, 260, 349, 350};
    if (orr_open(NULL, &context[0]) != ORR_OK)
        return 77;
    context[1] = context[0];
    if (orr_open(&(orr_context_opts){.trace = 1}, &context[2]) != ORR_OK)
        return 77;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int vectors = 0; vectors < 2; vectors++) {
            compare("heev", heev, sizes[k], vectors);
            compare("gesvd", gesvd, sizes[k], vectors);
            progress(sizes[k], vectors);
        }
    refuse("heev", heev);
    refuse("gesvd", gesvd);
    nothing();
    overlaps();
    batches_overlap();
    strides();
    orr_close(context[2]);
    orr_close(context[0]);
    return checked();
}
