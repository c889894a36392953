/* The line of progress as a function of what is known; and that the parts of heev and gesvd add up
 * to their total, whatever the stages.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <orrery/orrery.h>

#include "src/cli/core/cli.h"
#include "src/cli/core/progress.h"

double cli_now(void) { return 0; }

static int failures;

static void line(const char *wanted, const char *stage, int64_t done, int64_t total, double spent,
                 double left)
{
    char got[160];
    cli_progress_render(got, sizeof got, "heev", stage, done, total, spent, left);
    if (strcmp(got, wanted)) {
        printf("'%s', not '%s'\n", got, wanted);
        failures++;
    }
}

static void lines(void)
{
    line("heev: 3 s", "", 0, 0, 2.4, -1);
    line("heev: dense to band, 1 %, 3 s", "dense to band", 1, 100, 3, -1);
    line("heev: dense to band, 25 %, 9 s left", "dense to band", 105413791, 421655164, 3, 9);
    line("heev: vectors, 99 %, 1 s left", "vectors", 999, 1000, 60, 0.2);
    line("heev: 100 %, 0 s left", "", 1005, 1000, 60, 0);
    line("heev: 50 %, 45 s left", "", 1, 2, 60, 41);
    line("heev: 50 %, 2 min left", "", 1, 2, 60, 110);
    line("heev: 50 %, 2 h 10 min left", "", 1, 2, 60, 7900);
}

/* A steady run counts down; a stage that is twice as slow raises the time by steps, not with every
 * call; the last word is 0. */
static void estimates(void)
{
    cli_estimate e = {0};
    double last = INFINITY;
    int rises = 0;
    if (cli_progress_left(&e, 1, 1000, 1) >= 0 || cli_progress_left(&e, 5, 0, 1) >= 0) {
        printf("an estimate from nothing\n");
        failures++;
    }
    for (int k = 100; k <= 1000; k++) { /* 0.1 s each, jittering */
        const double left = cli_progress_left(&e, k, 1000, 0.1 * k + 0.3 * sin(k));
        rises += left > last;
        last = left;
    }
    if (rises > 0 || last > 0.5) {
        printf("a steady run: %d rises, %g s at the end\n", rises, last);
        failures++;
    }
    e = (cli_estimate){0};
    last = INFINITY;
    rises = 0;
    double spent = 0;
    for (int k = 30; k <= 1000; k++) {
        spent += k < 500 ? 0.1 : 0.2;
        const double left = cli_progress_left(&e, k, 1000, spent);
        rises += left > last;
        last = left;
    }
    if (rises > 8 || last > 1) {
        printf("a run in two paces: %d rises, %g s at the end\n", rises, last);
        failures++;
    }
}

struct count {
    int64_t done, total, calls, beyond, back, at_once;
    atomic_int inside;
};

static void counted(int64_t done, int64_t total, void *arg)
{
    struct count *c = arg;
    const struct timespec nap = {.tv_nsec = 20000};
    c->at_once += atomic_fetch_add(&c->inside, 1) != 0;
    c->back += done < c->done;
    c->done = done > c->done ? done : c->done;
    c->total = total;
    c->calls++;
    c->beyond += done > total;
    nanosleep(&nap, NULL);
    atomic_fetch_sub(&c->inside, 1);
}

static void ends_at_total(const char *what, const struct count *c, int64_t n)
{
    if (c->done == c->total && c->beyond == 0 && c->calls > 0 && c->back == 0 && c->at_once == 0)
        return;
    printf("%s, n = %lld: %lld of %lld, %lld beyond, %lld less than before, %lld at once\n", what,
           (long long)n, (long long)c->done, (long long)c->total, (long long)c->beyond,
           (long long)c->back, (long long)c->at_once);
    failures++;
}

/* Values, and vectors. */
static void gesvd(orr_context *ctx, const char *what, orr_type type, int64_t m, int64_t n,
                  orr_place place)
{
    const int64_t k = m < n ? m : n;
    const size_t all = (size_t)(m * n) * 2;
    double *a = malloc(all * sizeof *a), *s = malloc((size_t)k * sizeof *s);
    double *u = malloc((size_t)(m * k) * 2 * sizeof *u),
           *v = malloc((size_t)(n * k) * 2 * sizeof *v);
    for (int vectors = 0; vectors < 2; vectors++) {
        struct count c = {0};
        const orr_gesvd_opts o = {.place = place, .progress = counted, .progress_arg = &c};
        for (size_t i = 0; i < all; i++)
            a[i] = sin((double)(i * i % 1009));
        orr_gesvd(ctx, type, m, n, a, m, s, vectors ? u : NULL, m, vectors ? v : NULL, n, &o, NULL);
        ends_at_total(what, &c, n);
    }
    free(a);
    free(s);
    free(u);
    free(v);
}

static void runs(orr_context *ctx, orr_type type, int64_t n)
{
    const size_t all = (size_t)(n * n) * 2;
    double *a = malloc(all * sizeof *a), *u = malloc(all * sizeof *u);
    double *w = malloc((size_t)n * sizeof *w);
    for (int vectors = 0; vectors < 3; vectors++) {
        struct count c = {0};
        const orr_heev_opts o = {.progress = counted,
                                 .progress_arg = &c,
                                 .il = vectors == 2,
                                 .iu = vectors == 2 ? n / 3 + 1 : 0};
        for (size_t k = 0; k < all; k++)
            a[k] = sin((double)(k * k % 1009));
        orr_heev(ctx, type, 'L', n, a, n, w, vectors ? u : NULL, n, &o, NULL);
        ends_at_total(vectors == 0 ? "heev" : vectors == 1 ? "heev V" : "heev some", &c, n);
    }
    for (int64_t m = n; m >= n / 3; m -= n / 3 + 1)
        gesvd(ctx, "gesvd", type, n, m, ORR_PLACE_AUTO);
    free(a);
    free(u);
    free(w);
}

/* Few columns: by one part, by several, and their triangles by two; or few rows. */
static void narrow(orr_context *ctx)
{
    static const int64_t shape[][2] = {{9000, 1}, {40000, 10}, {10, 40000}, {22000, 41}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        gesvd(ctx, "gesvd, narrow", ORR_D, shape[i][0], shape[i][1], ORR_PLACE_CPU);
}

int main(void)
{
    orr_context *ctx;
    lines();
    estimates();
    if (orr_open(NULL, &ctx) != ORR_OK)
        return 77;
    static const int64_t n[] = {5, 131, 300, 517};
    for (size_t k = 0; k < sizeof n / sizeof *n; k++)
        runs(ctx, k % 2 ? ORR_Z : ORR_D, n[k]);
    narrow(ctx);
    orr_close(ctx);
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures > 0;
}
