/* What a traced run says of itself: times that add up, bounds below the makespan, and with a
 * second memory node (argument "opencl") bytes that were transferred.
 *
 * Formula: |busy + stalled + starved + unserved - workers makespan| <= 1e-6 workers makespan;
 * max(area, critical path) <= LP <= makespan (1 + 1e-9).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/trace.h"
#include "check.h"

static orr_place place = ORR_PLACE_CPU;

/* hb2st of a random band in narrow blocks: a graph with long chains. Its
 * report says how many tasks it had. */
static int64_t run(orr_context *c, int64_t n, int64_t b)
{
    double *ab = malloc((size_t)(n * (b + 1)) * sizeof *ab), *d = calloc((size_t)n + 1, sizeof *d);
    double *e = calloc((size_t)n + 1, sizeof *e);
    const orr_hb2st_opts opts = {.D = 4 * b, .place = place, .split = n / 2};
    orr_report rep = {0};
    for (int64_t i = 0; i < n * (b + 1); i++)
        ab[i] = (double)((i * 7919) % 1009) / 1009;
    CHECK(orr_hb2st(c, ORR_D, 'L', n, b, ab, b + 1, d, e, &opts, &rep) == ORR_OK);
    free(ab);
    free(d);
    free(e);
    return rep.tasks;
}

static void adds_up(const orr_analysis *a)
{
    for (int k = 0; k < ORR_NKINDS; k++) {
        const orr_analysis_kind *x = &a->kind[k];
        const double all = x->workers * a->makespan;
        CHECK(x->busy >= 0 && x->stalled >= 0 && x->starved >= -1e-9 && x->unserved >= -1e-9);
        CHECK(fabs(x->busy + x->stalled + x->starved + x->unserved - all) <= 1e-6 * all);
    }
}

static void one_run(orr_context *c)
{
    orr_analysis a;
    run(c, 100, 5);
    orr_trace_mark(c, 0); /* the run before does not count */
    const int64_t tasks = run(c, 333, 17);
    int64_t counted = 0, of_codelets = 0;
    CHECK(orr_trace_analyse(c, &a) == ORR_OK);
    CHECK(a.tasks == tasks && a.edges >= tasks - 1 && a.lost == 0);
    for (int k = 0; k < ORR_NKINDS; k++) {
        counted += a.kind[k].tasks;
        for (int i = 0; i < a.codelets; i++)
            of_codelets += a.codelet[i].tasks[k];
    }
    CHECK(counted == tasks && of_codelets == tasks);
    CHECK(a.area > 0 && a.critical_path > 0);
    CHECK(a.lp >= a.area && a.lp >= a.critical_path && a.lp <= a.makespan * (1 + 1e-9));
    CHECK(a.codelets > 0 && strncmp(a.codelet[0].name, "hb2st_", 6) == 0);
    adds_up(&a);
}

static void nothing(void)
{
    orr_context *c;
    orr_analysis a;
    CHECK(orr_open(&(orr_context_opts){.trace = 1}, &c) == ORR_OK);
    CHECK(orr_trace_analyse(c, &a) == ORR_OK && a.tasks == 0 && a.makespan == 0);
    orr_trace_enable(c, 0);
    run(c, 50, 3);
    CHECK(orr_trace_analyse(c, &a) == ORR_OK && a.tasks == 0);
    orr_trace_enable(c, 1);
    const int64_t tasks = run(c, 50, 3);
    CHECK(orr_trace_analyse(c, &a) == ORR_OK && a.tasks == tasks);
    orr_trace_mark(c, 1);
    CHECK(orr_trace_analyse(c, &a) == ORR_OK && a.tasks == 0);
    orr_close(c);
    CHECK(orr_open(NULL, &c) == ORR_OK);
    orr_trace_mark(c, 1);
    CHECK(orr_trace_analyse(c, &a) == ORR_E_ARG);
    orr_close(c);
}

/* Both kinds have had tasks of the same cost: their ratio is told, and only for codelets that ran
 * on both. */
static void factor(const orr_analysis *a)
{
    int factors = 0;
    for (int i = 0; i < a->codelets; i++) {
        const orr_analysis_codelet *x = &a->codelet[i];
        const int both = x->tasks[ORR_KIND_CPU] && x->tasks[ORR_KIND_OPENCL];
        CHECK(isnan(x->factor) || (both && x->factor > 0));
        factors += x->factor > 0;
    }
    CHECK(factors > 0);
}

/* Half of the columns on the device. */
static int second_node(void)
{
    orr_context *c;
    orr_context_info info;
    orr_analysis a;
    if (orr_open(&(orr_context_opts){.trace = 1, .cpus = 1, .opencls = 1}, &c) != ORR_OK)
        return 77;
    orr_context_query(c, &info);
    if (info.opencl == 0) {
        orr_close(c);
        return 77;
    }
    place = ORR_PLACE_SPLIT;
    one_run(c);
    orr_trace_mark(c, 1);
    run(c, 333, 17);
    CHECK(orr_trace_analyse(c, &a) == ORR_OK);
    int64_t there = 0, back = 0;
    for (int i = 0; i < a.links; i++) {
        there += strncmp(a.link[i].to, "OpenCL", 6) == 0 ? a.link[i].bytes : 0;
        back += strncmp(a.link[i].from, "OpenCL", 6) == 0 ? a.link[i].bytes : 0;
        CHECK(a.link[i].bytes > 0 && a.link[i].transfers > 0);
    }
    printf("analysis: %lld bytes to the device, %lld from it, %lld tasks there\n", (long long)there,
           (long long)back, (long long)a.kind[ORR_KIND_OPENCL].tasks);
    CHECK(a.kind[ORR_KIND_OPENCL].tasks > 0 && there > 0 && back > 0);
    factor(&a);
    orr_close(c);
    return 0;
}

/* Data that are gone as soon as their last task is: a late callback must not look at them. The
 * policy makes callbacks late. */
static void data_gone(void)
{
    enum { N = 100, BATCH = 10, RUNS = 20 };
    static float a[BATCH * N * N], sigma[BATCH * N];
    const orr_batch A = {
        .type = ORR_S, .batch = BATCH, .m = N, .n = N, .ld = N, .stride = N * N, .a = a};
    const orr_batch S = {
        .type = ORR_S, .batch = BATCH, .m = N, .n = 1, .ld = N, .stride = N, .a = sigma};
    orr_context *c;
    for (int64_t i = 0; i < BATCH * N * N; i++)
        a[i] = (float)((i * 7919) % 1009) / 1009;
    CHECK(orr_open(&(orr_context_opts){.trace = 1, .sched = "chaos"}, &c) == ORR_OK);
    for (int k = 0; k < RUNS; k++) {
        orr_analysis x;
        orr_report rep = {0};
        orr_trace_mark(c, 1);
        CHECK(orr_gesvj(c, &A, &S, NULL, NULL, NULL, NULL, &rep) == ORR_OK);
        CHECK(orr_trace_analyse(c, &x) == ORR_OK && x.tasks == rep.tasks && x.lost == 0);
    }
    orr_close(c);
}

int main(int argc, char **argv)
{
    int skipped = 0;
    if (argc > 1 && strcmp(argv[1], "opencl") == 0) {
        skipped = second_node();
    } else {
        orr_context *c;
        nothing();
        CHECK(orr_open(&(orr_context_opts){.trace = 1}, &c) == ORR_OK);
        one_run(c);
        orr_close(c);
        data_gone();
    }
    printf("analysis: %d failed\n", failures);
    return failures ? 1 : skipped;
}
