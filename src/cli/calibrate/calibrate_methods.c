/* Each job is done directly and in two stages, in turn, at growing or shrinking orders until the other
 * way is the faster one; between the last two orders the ratio of times is taken for a power of the
 * order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/calibrate/calibrate_methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <orrery/orrery.h>

#include "src/cli/calibrate/orders_file.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/run.h"
#include "src/cli/core/sorted.h"

enum { LEAST_ORDER = 64, MOST_ORDER = 32000, LEAST_PAIRS = 3, MOST_PAIRS = 99, PART = 10 };

/* Steps from order to order: a quarter of an order costs little, wherever the limit is. */
static const double step = 1.25;

/* What is measured. first: an order near the outcome on the machines that we know. */
static const struct work {
    const char *algorithm;
    char job; /* N: values, P: vectors of a tenth of them, V: all vectors */
    int64_t first;
} works[] = {
    {"heev", 'N', 600},  {"heev", 'P', 800},  {"heev", 'V', 1200},
    {"gesvd", 'N', 300}, {"gesvd", 'V', 300},
};
enum { WORKS = sizeof works / sizeof *works, ROWS = 2 * 4 * WORKS };

struct row {
    const struct work *work;
    orr_type type;
    int workers;   /* 1, or 2 for all of them */
    int64_t order; /* the outcome: directly below it */
    int beyond;    /* or at least up to it */
};

struct job {
    const cal_job *o;
    char path[CAL_PATH];
    struct row row[ROWS];
    int rows, total; /* so far; progress */
};

/* ---- A call ---------------------------------------------------------------------------------- */

struct input {
    orr_type type;
    int64_t n;
    void *a, *copy, *values, *left, *right; /* left, right: NULL without vectors */
};

static void input_free(struct input *x)
{
    void *const all[] = {x->a, x->copy, x->values, x->left, x->right};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

/* A random matrix: 0, no memory. */
static int input_make(struct input *x, const struct row *r, int64_t n)
{
    const size_t size = orr_type_size(r->type), real = orr_type_size(orr_type_real(r->type));
    const size_t bytes = size * (size_t)n * (size_t)n;
    const int vectors = r->work->job != 'N', svd = !strcmp(r->work->algorithm, "gesvd");
    *x = (struct input){.type = r->type, .n = n};
    x->a = malloc(bytes);
    x->copy = malloc(bytes);
    x->values = malloc((size_t)n * real);
    x->left = vectors ? malloc(bytes) : NULL;
    x->right = vectors && svd ? malloc(bytes) : NULL;
    if (!x->a || !x->copy || !x->values || (vectors && !x->left) || (vectors && svd && !x->right))
        return 0;
    cal_fill(r->type, x->copy, n * n, (uint64_t)n);
    return 1;
}

/* Seconds, or negative, the reason told. */
static double call(orr_context *ctx, const struct row *r, const struct input *x,
                   orr_dense_method method)
{
    const int64_t n = x->n, part = n / PART;
    orr_report report;
    orr_status st;
    memcpy(x->a, x->copy, orr_type_size(x->type) * (size_t)n * (size_t)n);
    const double begun = cli_now();
    if (!strcmp(r->work->algorithm, "heev")) {
        orr_heev_opts o = {.method = method};
        if (r->work->job == 'P')
            o.il = 1, o.iu = part;
        st = orr_heev(ctx, x->type, 'L', n, x->a, n, x->values, x->left, n, &o, &report);
    } else {
        const orr_gesvd_opts o = {.method = method};
        st =
            orr_gesvd(ctx, x->type, n, n, x->a, n, x->values, x->left, n, x->right, n, &o, &report);
    }
    const double seconds = cli_now() - begun;
    if (st == ORR_OK)
        return seconds;
    cli_say("%s of order %lld: %s", r->work->algorithm, (long long)n, report.message);
    return -1;
}

/* *ratio: two stages' time over the direct way's, median of pairs; *pair: seconds of one. An exit
 * code. */
static int compare(const struct job *job, orr_context *ctx, const struct row *r, int64_t n,
                   double seconds, double *ratio, double *pair)
{
    struct input x;
    double ratios[MOST_PAIRS];
    int count = 0, code = CLI_OK;
    const int most = job->o->repeat < MOST_PAIRS ? (int)job->o->repeat : MOST_PAIRS;
    if (!input_make(&x, r, n)) {
        input_free(&x);
        cli_say("out of memory");
        return CLI_MEMORY;
    }
    /* what is first is not timed: memory and code come to where they stay */
    double direct = call(ctx, r, &x, ORR_DENSE_LAPACK), stages = 0;
    const double begun = cli_now();
    while (direct >= 0 && stages >= 0 && count < most &&
           (count < LEAST_PAIRS || cli_now() - begun < seconds)) {
        const double pair_begun = cli_now();
        stages = call(ctx, r, &x, ORR_DENSE_TWO_STAGE);
        direct = stages < 0 ? -1 : call(ctx, r, &x, ORR_DENSE_LAPACK);
        *pair = cli_now() - pair_begun;
        ratios[count++] = stages / direct;
    }
    input_free(&x);
    if (direct < 0 || stages < 0)
        return CLI_RUNTIME;
    cli_sort(ratios, count);
    *ratio = ratios[count / 2];
    if (job->o->verbose)
        cli_say("%s %c %c, %s, order %lld: %.2f (%.2f to %.2f of %d pairs)", r->work->algorithm,
                orr_type_letter(r->type), r->work->job,
                r->workers > 1 ? "all workers" : "one worker", (long long)n, *ratio, ratios[0],
                ratios[count - 1], count);
    return code;
}

/* ---- Orders ---------------------------------------------------------------------------------- */

/* Where a power of the order that is x at `from` and y at `to` is 1, x and y on either side of it. */
static int64_t crossing(int64_t from, double x, int64_t to, double y)
{
    const double part = log(x) / (log(x) - log(y));
    return (int64_t)llround(exp(log((double)from) + part * log((double)to / (double)from)));
}

static int measure(const struct job *job, orr_context *ctx, struct row *r)
{
    const double end = cli_now() + job->o->budget;
    int64_t n = job->o->orders.n ? job->o->orders.v[0] : r->work->first, before = 0;
    double ratio = 1, last = 1, pair = 0;
    for (;;) {
        const int code = compare(job, ctx, r, n, (end - cli_now()) / 4, &ratio, &pair);
        if (code != CLI_OK)
            return code;
        if (before && (ratio >= 1) != (last >= 1)) {
            r->order = crossing(before, last, n, ratio);
            return CLI_OK;
        }
        before = n, last = ratio;
        n = llround(ratio >= 1 ? (double)n * step : (double)n / step);
        if (n < LEAST_ORDER) { /* two stages at all orders that are no batch's */
            r->order = before;
            return CLI_OK;
        }
        const double growth = n > before ? step * step * step : 1;
        if (n > MOST_ORDER || (LEAST_PAIRS + 0.5) * pair * growth > end - cli_now()) {
            r->order = before; /* directly up to here, or two stages down to here */
            r->beyond = ratio >= 1;
            return CLI_OK;
        }
    }
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void make_rows(struct job *job, int workers)
{
    static const orr_type types[] = {ORR_D, ORR_Z, ORR_S, ORR_C};
    for (int t = 0; t < 4; t++)
        for (int k = 0; k < WORKS && cal_type_wanted(&job->o->types, types[t]); k++)
            job->row[job->rows++] =
                (struct row){.work = &works[k], .type = types[t], .workers = workers};
    if (workers > 1 || !job->total)
        job->total = workers * job->rows;
}

static int write_table(const struct job *job)
{
    cli_text t = {0};
    cli_put(
        &t,
        "# Below which order heev and gesvd reduce a matrix directly on this machine: values (N),\n"
        "# vectors of a part (P), all vectors (V), with one worker, with two and more (2); \">N\": up\n"
        "# to N at least. docs/calibration.md\n");
    cal_orders_head(&t, job->o);
    for (int k = 0; k < job->rows; k++) {
        const struct row *r = &job->row[k];
        char line[64];
        snprintf(line, sizeof line, "%s %c %c %d = %s%lld", r->work->algorithm,
                 orr_type_letter(r->type), r->work->job, r->workers, r->beyond ? ">" : "",
                 (long long)r->order);
        cli_put(&t, "%s\n", line);
        if (!job->o->quiet)
            puts(line);
    }
    return cal_orders_write(job->path, &t);
}

/* Rows of all workers, at most cpus, or of one; a single worker has no rows of several. */
static int measure_all(struct job *job, int cpus, cli_progress *progress)
{
    orr_context *ctx;
    orr_context_info info;
    char message[512] = "";
    const orr_context_opts opts = {.cpus = cpus, .cudas = -1, .message = message};
    const orr_status st = orr_open(&opts, &ctx);
    if (st != ORR_OK) {
        cli_say("%s", *message ? message : orr_strerror(st));
        return CLI_RUNTIME;
    }
    orr_context_query(ctx, &info);
    int code = CLI_OK, k = job->rows;
    if (cpus == 1 || info.cpu > 1)
        make_rows(job, cpus == 1 ? 1 : 2);
    for (; k < job->rows && code == CLI_OK; k++) {
        code = measure(job, ctx, &job->row[k]);
        cli_progress_update(k + 1, job->total, progress);
    }
    orr_close(ctx);
    return code;
}

static int work(void *arg)
{
    struct job *job = arg;
    const int64_t cpus = job->o->cpus;
    cli_progress progress;
    int code = CLI_OK;
    cal_orders_busy(job->o);
    cli_progress_start(&progress, "calibrate methods", job->o->verbose, job->o->quiet);
    if (cpus != 1)
        code = measure_all(job, cpus > 0 ? (int)cpus : 0, &progress);
    if (code == CLI_OK)
        code = measure_all(job, 1, &progress);
    cli_progress_end(&progress);
    if (code == CLI_OK)
        code = write_table(job);
    if (code == CLI_OK && !job->o->quiet)
        printf("%d order%s in %s\n", job->rows, cli_plural(job->rows), job->path);
    return code;
}

int cal_methods_run(const cal_job *o)
{
    struct job job = {.o = o};
    if (o->orders.n > 1 || (o->orders.n && o->orders.v[0] < LEAST_ORDER)) {
        cli_say("methods: --n takes the order to begin with, at least %d", LEAST_ORDER);
        return CLI_USAGE;
    }
    const int code = cal_orders_path(o, ".methods", job.path);
    return code == CLI_OK ? cli_isolate(o->in_process, work, NULL, &job) : code;
}
