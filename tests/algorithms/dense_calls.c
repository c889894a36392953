/* heev and gesvd give the same bits whether their caller waits, which has small matrices computed in
 * the calling thread, submits and waits, or records a trace; they count the same tasks, and what is
 * wrong with a call is told alike. Nor do empty matrices need anything.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void compare(const char *what, orr_status (*call)(int, int64_t, int), int64_t n, int vectors)
{
    fill(n);
    for (int way = 0; way < WAYS; way++) {
        memset(out[way], 0, sizeof out[way]);
        report[way] = (orr_report){0};
        CHECK(call(way, n, vectors) == ORR_OK, "%s n %d way %d", what, (int)n, way);
        CHECK(report[way].tasks == report[0].tasks && report[way].tasks > 0,
              "%s n %d way %d: %lld tasks", what, (int)n, way, (long long)report[way].tasks);
        CHECK(!memcmp(out[way], out[0], sizeof out[0]), "%s n %d vectors %d way %d", what, (int)n,
              vectors, way);
        CHECK(!strcmp(report[way].plan, report[0].plan) || strstr(report[0].plan, "seconds"),
              "%s: %s", what, report[way].plan);
        CHECK(report[way].seconds > 0 && report[way].seconds < 60, "%g", report[way].seconds);
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
        CHECK(orr_hegv(c, t, 'U', 0, NULL, 0, NULL, 0, NULL, NULL, 0, NULL, report) == ORR_OK,
              "hegv: %s", report->message);
        for (int64_t n = 0; n < 9; n += 4) {
            CHECK(orr_gesvd(c, t, 0, n, NULL, 0, NULL, NULL, 0, NULL, 0, NULL, report) == ORR_OK,
                  "gesvd 0 x %d: %s", (int)n, report->message);
            CHECK(orr_gesvd(c, t, n, 0, NULL, n, NULL, NULL, 0, NULL, 0, NULL, report) == ORR_OK,
                  "gesvd %d x 0: %s", (int)n, report->message);
        }
    }
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
        }
    refuse("heev", heev);
    refuse("gesvd", gesvd);
    nothing();
    orr_close(context[2]);
    orr_close(context[0]);
    return checked();
}
