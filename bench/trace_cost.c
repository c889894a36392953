/* What recording every task costs: heevj with tasks of about 100 us, in one context, runs with
 * and without recording in turn; medians.
 *
 *   trace_cost [repeats [microseconds]]   seconds of both calls, and the ratio (1.03 at most is asked)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "orrery/trace.h"

enum { N = 8, BATCH = 200000, MOST = 1001 };

struct work {
    orr_context *ctx;
    double *a0, *a, *w;
    int64_t batch, chunk, tasks;
};

static double run(struct work *x)
{
    orr_report rep;
    const orr_batch A = {.type = ORR_D, .batch = x->batch, .m = N, .n = N, .a = x->a};
    const orr_batch W = {.type = ORR_D, .batch = x->batch, .m = N, .n = 1, .a = x->w};
    const orr_heevj_opts o = {.chunk = x->chunk, .method = ORR_METHOD_JACOBI};
    memcpy(x->a, x->a0, (size_t)(x->batch * N * N) * sizeof *x->a);
    const double start = now();
    if (orr_heevj(x->ctx, &A, &W, &o, NULL, &rep) != ORR_OK) {
        fprintf(stderr, "heevj: %s\n", rep.message);
        exit(6);
    }
    const double seconds = now() - start;
    x->tasks = rep.tasks;
    return seconds;
}

int main(int argc, char **argv)
{
    const int repeats = argc > 1 ? atoi(argv[1]) : 21;
    const double wanted = argc > 2 ? atof(argv[2]) : 100;
    struct work x = {.batch = 2000, .chunk = 20};
    double with[MOST], without[MOST];
    orr_analysis seen;
    if (repeats < 1 || repeats > MOST || !(wanted > 0) ||
        orr_open(&(orr_context_opts){.trace = 1}, &x.ctx) != ORR_OK)
        return 2;
    x.a0 = malloc((size_t)BATCH * N * N * sizeof *x.a0);
    x.a = malloc((size_t)BATCH * N * N * sizeof *x.a);
    x.w = malloc((size_t)BATCH * N * sizeof *x.w);
    if (!x.a0 || !x.a || !x.w)
        return 5;
    for (int64_t i = 0; i < (int64_t)BATCH * N * N; i++)
        x.a0[i] = (double)rand() / RAND_MAX - 0.5;
    run(&x);
    orr_trace_mark(x.ctx, 1);
    run(&x);
    orr_trace_analyse(x.ctx, &seen);
    const double each = seen.kind[ORR_KIND_CPU].busy / (double)x.batch; /* seconds of a matrix */
    x.chunk = (int64_t)(1e-6 * wanted / each) > 0 ? (int64_t)(1e-6 * wanted / each) : 1;
    x.batch = BATCH;
    for (int k = -1; k < repeats; k++)
        for (int on = 0; on < 2; on++) {
            orr_trace_enable(x.ctx, on);
            orr_trace_mark(x.ctx, 1);
            const double t = run(&x);
            if (k >= 0)
                (on ? with : without)[k] = t;
        }
    orr_trace_analyse(x.ctx, &seen);
    const double a = median(without, repeats), b = median(with, repeats);
    printf("%lld tasks of %.1f us: %.6f s without, %.6f s with recording, ratio %.4f\n",
           (long long)x.tasks, 1e6 * seen.kind[ORR_KIND_CPU].busy / (double)seen.tasks, a, b,
           b / a);
    orr_close(x.ctx);
    free(x.a0);
    free(x.a);
    free(x.w);
    return 0;
}
