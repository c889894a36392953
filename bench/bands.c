/* hb2st and gb2bd, values only, double precision: what the graph costs, what a second worker gains,
 * and how the time grows. Seconds are those of the call, unless they are said to be the graph's: from
 * submission to the end of its last task.
 *
 *   bench_bands cost [repeats [n,...]]     for b = 32, 64, 128: seconds of the call on one worker
 *       and of its graph alone, of the same kernels in the same order in a plain loop in one thread,
 *       ratio of graph to loop, seconds on two workers, and one worker's over two workers'. Runs
 *       alternate; medians. Graph and loop must agree bit for bit.
 *   bench_bands growth [repeats [n,...]]   seconds on all workers for every n and b, and the p and
 *       q of the least squares fit of seconds = c n^p b^q (the operations are n^2 b)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gb2bd.h"
#include "kernels/hb2st_chase.h"
#include "kernels/hb2st_io.h"
#include "measure.h"
#include "orrery/orrery.h"

enum { MOST = 101, MOST_SIZES = 16 };
static const int64_t bands[] = {32, 64, 128};
enum { BANDS = sizeof bands / sizeof *bands };

static void *lines(int64_t doubles)
{
    void *p = aligned_alloc(64, (size_t)(doubles / 8 + 1) * 64);
    if (!p)
        exit(5);
    memset(p, 0, (size_t)(doubles / 8 + 1) * 64);
    return p;
}

/* A band and its tridiagonal or bidiagonal form. */
struct problem {
    int64_t n, b;
    double *ab, *d, *e;
    double *work, *carry; /* of the loop */
};

static struct problem make(int64_t n, int64_t b)
{
    struct problem p = {.n = n, .b = b, .ab = lines((b + 1) * n), .d = lines(n), .e = lines(n)};
    for (int64_t k = 0; k < (b + 1) * n; k++)
        p.ab[k] = 2.0 * rand() / RAND_MAX - 1;
    return p;
}

static void drop(struct problem *p)
{
    free(p->ab);
    free(p->d);
    free(p->e);
    free(p->work);
    free(p->carry);
}

/* The number behind "key": in a plan, from *at on, which moves there; -1: there is none. */
static int64_t number(const char **at, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = strstr(*at, quoted);
    if (!found)
        return -1;
    *at = found + strlen(quoted);
    return atoll(*at);
}

/* ---- hb2st --------------------------------------------------------------------------------- */

static void hb2st(orr_context *ctx, const struct problem *p, orr_report *rep)
{
    if (orr_hb2st(ctx, ORR_D, 'L', p->n, p->b, p->ab, p->b + 1, p->d, p->e, NULL, rep) != ORR_OK)
        exit(6);
}

static void hb2st_loop(struct problem *p, const char *plan)
{
    const int64_t D = number(&plan, "D"), G = number(&plan, "G");
    const orr_hb2st_shape a = {.n = p->n,
                               .b = p->b,
                               .D = D,
                               .G = G,
                               .ldh = orr_hb2st_ldh(8, p->b),
                               .lead = orr_hb2st_lead(8),
                               .sweeps = orr_hb2st_sweeps(0, p->n, p->b),
                               .late = orr_hb2st_chase_cpu_late(ORR_D, p->b)};
    const orr_hb2st_user user = {.ab = p->ab, .ldab = p->b + 1, .width = p->b};
    const int64_t blocks = orr_hb2st_blocks(&a), length = (orr_hb2st_elements(&a) + 7) / 8 * 8;
    if (!p->work)
        p->work = lines(blocks * length);
    if (!p->carry)
        p->carry = lines(G * (p->b + 1));
    for (int64_t m = 0; m < blocks; m++)
        orr_hb2st_load_cpu[ORR_D](&a, m, &user, 1, p->work + m * length);
    for (int64_t g = 0; g < orr_hb2st_groups(&a); g++)
        for (int64_t m = g * G / D; m < blocks; m++)
            orr_hb2st_chase_cpu[ORR_D](&a, g, m, m ? p->work + (m - 1) * length : NULL,
                                       p->work + m * length, p->carry, NULL);
    for (int64_t m = 0; m < blocks; m++)
        orr_hb2st_store_cpu[ORR_D](&a, m, p->work + m * length, 1, p->d, p->e);
}

/* ---- gb2bd --------------------------------------------------------------------------------- */

static void gb2bd(orr_context *ctx, const struct problem *p, orr_report *rep)
{
    if (orr_gb2bd(ctx, ORR_D, p->n, p->n, 0, p->b, p->ab, p->b + 1, p->d, p->e, NULL, rep) !=
        ORR_OK)
        exit(6);
}

/* The tasks of one stage, group by group. */
static void gb2bd_stage(struct problem *p, orr_gb2bd_args a, int64_t G)
{
    const int64_t D = a.count, length = D * a.band.ld, blocks = (p->n + D - 1) / D;
    const int64_t all = p->n - 1 - (a.b - a.tw);
    for (a.sweep = 0; a.sweep < all; a.sweep += G)
        for (int64_t m = a.sweep / D; m < blocks; m++) {
            double *here = p->work + m * length;
            a.sweeps = all - a.sweep < G ? all - a.sweep : G;
            a.first = m ? (m - 1) * D : 0;
            a.from = m * D - 1;
            a.to = m + 1 < blocks ? (m + 1) * D - 1 : INT64_MAX / 2;
            orr_gb2bd_chase_cpu[ORR_D](&a, m ? here - length : here, m ? here : NULL, p->carry);
        }
}

static void gb2bd_loop(struct problem *p, const char *plan)
{
    const int64_t D = number(&plan, "rows");
    int64_t b, tw = 0, most_tw = 0, most_G = 1;
    for (const char *at = plan; number(&at, "band") > 0;) {
        tw = number(&at, "tw");
        most_tw = tw > most_tw ? tw : most_tw;
        const int64_t G = number(&at, "sweeps");
        most_G = G > most_G ? G : most_G;
    }
    const orr_gb2bd_band band = orr_gb2bd_layout(ORR_D, p->n, p->n, 0, p->b, most_tw);
    const orr_gb2bd_source source = {
        .ab = p->ab, .m = p->n, .n = p->n, .ku = p->b, .ldab = p->b + 1, .scale = 1};
    const int64_t blocks = (p->n + D - 1) / D, length = D * band.ld;
    if (!p->work)
        p->work = lines(blocks * length);
    if (!p->carry)
        p->carry = lines(most_G * orr_gb2bd_carry(ORR_D, most_tw));
    for (int64_t m = 0; m < blocks; m++)
        orr_gb2bd_load_cpu[ORR_D](&band, &source, m * D, D, p->work + m * length);
    while ((b = number(&plan, "band")) > 0) {
        tw = number(&plan, "tw");
        int64_t times = number(&plan, "times");
        const int64_t G = number(&plan, "sweeps");
        for (; times > 0; times--, b -= tw)
            gb2bd_stage(p, (orr_gb2bd_args){.band = band, .count = D, .b = b, .tw = tw}, G);
    }
    for (int64_t m = 0; m < blocks; m++)
        orr_gb2bd_store_cpu[ORR_D](&band, 1, 0, m * D, D, p->work + m * length, p->d, p->e);
}

/* ---- Both ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*graph)(orr_context *, const struct problem *, orr_report *);
    void (*loop)(struct problem *, const char *plan);
} operations[] = {{"hb2st", hb2st, hb2st_loop}, {"gb2bd", gb2bd, gb2bd_loop}};

static orr_context *open_with(int workers)
{
    orr_context *ctx;
    if (orr_open(&(orr_context_opts){.cpus = workers}, &ctx) != ORR_OK)
        exit(6);
    return ctx;
}

/* The loop's d must be the graph's. */
static void compare(int op, const struct problem *p, const double *d)
{
    if (memcmp(p->d, d, (size_t)p->n * sizeof *d) == 0)
        return;
    fprintf(stderr, "%s: graph and loop differ\n", operations[op].name);
    exit(1);
}

/* Medians of the call, its graph, and the loop. */
struct seconds {
    double call, graph, loop;
};

/* In turn, after a run that is not counted. */
static struct seconds measure(int op, int workers, int repeats, struct problem *p, int loop)
{
    orr_context *ctx = open_with(workers);
    orr_report rep;
    double t[3][MOST], *d = lines(p->n);
    for (int r = -1; r < repeats; r++) {
        const double entry = now();
        operations[op].graph(ctx, p, &rep);
        const double call = now() - entry;
        memcpy(d, p->d, (size_t)p->n * sizeof *d);
        const double start = now();
        if (loop)
            operations[op].loop(p, rep.plan);
        if (r >= 0) {
            t[0][r] = call;
            t[1][r] = rep.seconds;
            t[2][r] = now() - start;
        }
        compare(op, p, d);
    }
    free(d);
    orr_close(ctx);
    return (struct seconds){median(t[0], repeats), median(t[1], repeats), median(t[2], repeats)};
}

static void cost(int op, int repeats, const int64_t *n, int sizes)
{
    printf("%-6s %6s %5s %10s %10s %10s %10s %10s %7s\n", "", "n", "b", "1 worker", "graph", "loop",
           "graph/loop", "2 workers", "gain");
    for (int i = 0; i < sizes * BANDS; i++) {
        struct problem p = make(n[i / BANDS], bands[i % BANDS]);
        const struct seconds one = measure(op, 1, repeats, &p, 1);
        const struct seconds two = measure(op, 2, repeats, &p, 0);
        printf("%-6s %6lld %5lld %10.4f %10.4f %10.4f %10.3f %10.4f %7.2f\n", operations[op].name,
               (long long)p.n, (long long)p.b, one.call, one.graph, one.loop, one.graph / one.loop,
               two.call, one.call / two.call);
        fflush(stdout);
        drop(&p);
    }
}

/* Least squares of y = c + p u + q v. */
static void fit(int count, const double *u, const double *v, const double *y, double *p, double *q)
{
    double mu = 0, mv = 0, my = 0, uu = 0, uv = 0, vv = 0, uy = 0, vy = 0;
    for (int k = 0; k < count; k++) {
        mu += u[k] / count;
        mv += v[k] / count;
        my += y[k] / count;
    }
    for (int k = 0; k < count; k++) {
        const double a = u[k] - mu, b = v[k] - mv, c = y[k] - my;
        uu += a * a;
        uv += a * b;
        vv += b * b;
        uy += a * c;
        vy += b * c;
    }
    const double det = uu * vv - uv * uv;
    *p = (uy * vv - vy * uv) / det;
    *q = (vy * uu - uy * uv) / det;
}

static void growth(int op, int repeats, const int64_t *n, int sizes)
{
    double u[MOST_SIZES * BANDS], v[MOST_SIZES * BANDS], y[MOST_SIZES * BANDS], p, q;
    printf("%-6s %6s", operations[op].name, "n");
    for (int j = 0; j < BANDS; j++)
        printf("    b = %-4lld", (long long)bands[j]);
    for (int i = 0; i < sizes; i++) {
        printf("\n%-6s %6lld", "", (long long)n[i]);
        for (int j = 0; j < BANDS; j++) {
            struct problem x = make(n[i], bands[j]);
            const int k = i * BANDS + j;
            const double seconds = measure(op, 0, repeats, &x, 0).call;
            printf(" %11.4f", seconds);
            fflush(stdout);
            u[k] = log((double)n[i]);
            v[k] = log((double)bands[j]);
            y[k] = log(seconds);
            drop(&x);
        }
    }
    fit(sizes * BANDS, u, v, y, &p, &q);
    printf("\nseconds = c n^%.2f b^%.2f\n", p, q);
}

int main(int argc, char **argv)
{
    const int growing = argc > 1 && !strcmp(argv[1], "growth");
    const int repeats = argc > 2 ? atoi(argv[2]) : 5;
    int64_t n[MOST_SIZES] = {2048, 4096, 8192};
    int sizes = argc > 3 ? 0 : 3;
    for (char *s = argc > 3 ? argv[3] : NULL; s && *s && sizes < MOST_SIZES; sizes++) {
        n[sizes] = strtoll(s, &s, 10);
        s += *s == ',';
    }
    for (int i = 0; i < sizes; i++)
        if (n[i] <= bands[BANDS - 1])
            sizes = 0;
    if (argc < 2 || (!growing && strcmp(argv[1], "cost")) || repeats < 1 || repeats > MOST ||
        sizes < 1 + growing) {
        fprintf(stderr, "usage: %s cost|growth [repeats [n,...]]   n above 128\n", argv[0]);
        return 2;
    }
    for (int op = 0; op < 2; op++)
        (growing ? growth : cost)(op, repeats, n, sizes);
    return 0;
}
