/* hb2st and gb2bd, values only, double precision: is the chosen cut of the band a good one?
 *
 *   bench_band_plan [-v] [repeats [n,... [b,... [workers,...]]]]
 *
 * For every n, b and number of workers the chosen blocks and a range of others run in turn, each
 * time in another order, after a run that is not counted. A line tells the chosen D, its seconds
 * (median; of the graph alone, which is what is predicted), those predicted, the best D and its seconds, and the regret: by how much the chosen one
 * is slower than the best. The last lines tell the median and the worst of regret and error of
 * prediction. -v: all blocks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "orrery/orrery.h"

enum { MOST_REPEATS = 101, MOST_SIZES = 8, MOST_CASES = 512 };

/* 0: chosen */
static const int64_t wide[] = {0, 128, 192, 256, 320, 384, 448, 512, 640, 768, 1024};
enum { CUTS = sizeof wide / sizeof *wide };

struct problem {
    int64_t n, b;
    double *ab, *d, *e;
};

static void *memory(int64_t doubles)
{
    void *p = calloc((size_t)doubles + 1, sizeof(double));
    if (!p)
        exit(5);
    return p;
}

static orr_status hb2st(orr_context *ctx, const struct problem *p, int64_t D, orr_report *rep)
{
    const int64_t G = D ? (D - p->b) / (p->b - 1) + 1 : 0;
    const orr_hb2st_opts o = {.D = D ? ((G - 1) * (p->b - 1) + p->b + 15) / 16 * 16 : 0};
    return orr_hb2st(ctx, ORR_D, 'L', p->n, p->b, p->ab, p->b + 1, p->d, p->e, &o, rep);
}

static orr_status gb2bd(orr_context *ctx, const struct problem *p, int64_t D, orr_report *rep)
{
    const orr_gb2bd_opts o = {.rows = D / (p->b - 1) * (p->b - 1)};
    return orr_gb2bd(ctx, ORR_D, p->n, p->n, 0, p->b, p->ab, p->b + 1, p->d, p->e, &o, rep);
}

static const struct operation {
    const char *name, *D;
    orr_status (*run)(orr_context *, const struct problem *, int64_t D, orr_report *);
} operations[] = {{"hb2st", "\"D\":", hb2st}, {"gb2bd", "\"rows\":", gb2bd}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* The number behind the key; -1: there is none. */
static double number(const char *plan, const char *key)
{
    const char *at = strstr(plan, key);
    return at ? atof(at + strlen(key)) : -1;
}

/* ---- One case ------------------------------------------------------------------------------ */

struct cut {
    int64_t wanted; /* 0: chosen */
    double D, seconds, predicted, t[MOST_REPEATS];
};

static void run(const struct operation *op, orr_context *ctx, const struct problem *p,
                struct cut *cut, int repeat)
{
    orr_report rep;
    if (op->run(ctx, p, cut->wanted, &rep) != ORR_OK)
        exit(6);
    if (repeat >= 0)
        cut->t[repeat] = rep.seconds;
    cut->D = number(rep.plan, op->D);
    cut->predicted = number(rep.plan, "\"predicted\":");
}

/* Runs each width once; those that come to the same D are one. Returns how many there are. */
static int warm_up(const struct operation *op, orr_context *ctx, const struct problem *p,
                   struct cut *cut)
{
    int count = 0;
    for (int k = 0; k < CUTS; k++) {
        if (wide[k] && (wide[k] < 2 * p->b || wide[k] >= p->n))
            continue;
        cut[count].wanted = wide[k];
        run(op, ctx, p, &cut[count], -1);
        int same = 0;
        while (cut[same].D != cut[count].D)
            same++;
        count += same == count;
    }
    return count;
}

/* In another order each time: what ran before makes a difference. */
static int measure(const struct operation *op, orr_context *ctx, const struct problem *p,
                   int repeats, struct cut *cut)
{
    const int count = warm_up(op, ctx, p, cut);
    int order[CUTS];
    for (int k = 0; k < count; k++)
        order[k] = k;
    for (int r = 0; r < repeats; r++) {
        for (int k = count - 1; k > 0; k--) {
            const int other = rand() % (k + 1), mine = order[k];
            order[k] = order[other];
            order[other] = mine;
        }
        for (int k = 0; k < count; k++)
            run(op, ctx, p, &cut[order[k]], r);
    }
    for (int k = 0; k < count; k++)
        cut[k].seconds = median(cut[k].t, repeats);
    return count;
}

struct score {
    double regret[MOST_CASES], error[MOST_CASES];
    int count;
};

static void one_case(const struct operation *op, orr_context *ctx, const struct problem *p,
                     int workers, int repeats, int all, struct score *s)
{
    struct cut cut[CUTS], *best = cut;
    const int count = measure(op, ctx, p, repeats, cut);
    for (int k = 1; k < count; k++)
        if (cut[k].seconds < best->seconds)
            best = &cut[k];
    const double regret = cut->seconds / best->seconds - 1;
    const double error = cut->predicted / cut->seconds - 1;
    printf("%-6s %6lld %5lld %7d %7.0f %8.2f %9.2f %6.0f %8.2f %7.1f\n", op->name, (long long)p->n,
           (long long)p->b, workers, cut->D, 1e3 * cut->seconds, 1e3 * cut->predicted, best->D,
           1e3 * best->seconds, 100 * regret);
    for (int k = 1; all && k < count; k++)
        printf("%-6s %6lld %5lld %7d %7.0f %8.2f %9.2f\n", op->name, (long long)p->n,
               (long long)p->b, workers, cut[k].D, 1e3 * cut[k].seconds, 1e3 * cut[k].predicted);
    fflush(stdout);
    if (s->count < MOST_CASES) {
        s->regret[s->count] = regret;
        s->error[s->count++] = fabs(error);
    }
}

/* ---- All of them --------------------------------------------------------------------------- */

struct list {
    int64_t v[MOST_SIZES];
    int n;
};

static void parse(struct list *list, char *s)
{
    for (list->n = 0; s && *s && list->n < MOST_SIZES; list->n++) {
        list->v[list->n] = strtoll(s, &s, 10);
        s += *s == ',';
    }
}

static int bad(const struct list *list, int64_t min)
{
    for (int i = 0; i < list->n; i++)
        if (list->v[i] < min)
            return 1;
    return list->n == 0;
}

static struct problem make(int64_t n, int64_t b)
{
    struct problem p = {.n = n, .b = b, .ab = memory((b + 1) * n), .d = memory(n), .e = memory(n)};
    for (int64_t k = 0; k < (b + 1) * n; k++)
        p.ab[k] = 2.0 * rand() / RAND_MAX - 1;
    return p;
}

static void with_workers(int workers, int repeats, int all, const struct list *n,
                         const struct list *b, struct score *s)
{
    orr_context *ctx;
    if (orr_open(&(orr_context_opts){.cpus = workers}, &ctx) != ORR_OK)
        exit(6);
    for (int op = 0; op < OPERATIONS; op++)
        for (int i = 0; i < n->n * b->n; i++) {
            struct problem p = make(n->v[i / b->n], b->v[i % b->n]);
            one_case(&operations[op], ctx, &p, workers, repeats, all, s);
            free(p.ab);
            free(p.d);
            free(p.e);
        }
    orr_close(ctx);
}

static void tell(const char *what, double *x, int count)
{
    const double middle = median(x, count);
    printf("%s: median %.1f %%, worst %.1f %%\n", what, 100 * middle, 100 * x[count - 1]);
}

int main(int argc, char **argv)
{
    const int all = argc > 1 && !strcmp(argv[1], "-v");
    struct list n = {{1024, 2048, 4096}, 3}, b = {{32, 64, 128}, 3}, workers = {{1, 2}, 2};
    struct score s = {.count = 0};
    argc -= all;
    argv += all;
    const int repeats = argc > 1 ? atoi(argv[1]) : 5;
    if (argc > 2)
        parse(&n, argv[2]);
    if (argc > 3)
        parse(&b, argv[3]);
    if (argc > 4)
        parse(&workers, argv[4]);
    if (repeats < 1 || repeats > MOST_REPEATS || bad(&b, 3) || bad(&n, 520) || bad(&workers, 1)) {
        fprintf(stderr, "usage: bench_band_plan [-v] [repeats [n,... [b,... [workers,...]]]]   "
                        "n from 520, b from 3 to 512\n");
        return 2;
    }
    printf("%-6s %6s %5s %7s %7s %8s %9s %6s %8s %7s\n", "", "n", "b", "workers", "chosen", "ms",
           "predicted", "best", "ms", "regret");
    for (int w = 0; w < workers.n; w++)
        with_workers((int)workers.v[w], repeats, all, &n, &b, &s);
    tell("regret", s.regret, s.count);
    tell("error of prediction", s.error, s.count);
    return 0;
}
