/* See sparse_time.h. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* madvise */
#include "src/cli/algorithms/sparse_time.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "src/cli/core/cli.h"

double sparse_bytes(const orr_sparse_info *o)
{
    return (double)o->bytes + (double)(o->rows + o->cols) * (double)orr_type_size(o->type);
}

double sparse_crs_bytes(const orr_sparse_info *o)
{
    const double size = (double)orr_type_size(o->type), blocks = (double)o->blocks;
    const double value = size * (1 - ((double)o->pattern + (double)o->narrow / 2) / blocks);
    return (double)o->nnz * (4 + value) + 4 * (double)o->rows;
}

/* Arrays far larger than the caches, each thread's part first written by itself. */
struct triad {
    int64_t n;
    int threads;
    double *a, *b, *c;
};

static double *large(size_t bytes)
{
    void *p = aligned_alloc((size_t)2 << 20, bytes);
#ifdef MADV_HUGEPAGE
    if (p)
        madvise(p, bytes, MADV_HUGEPAGE); /* as the matrix and the vectors have them */
#endif
    return p;
}

static int triad_open(struct triad *t, int threads)
{
    *t = (struct triad){.n = (int64_t)16 << 20, .threads = threads}; /* 128 MiB each */
    const size_t bytes = (size_t)t->n * sizeof(double);
    t->a = large(bytes);
    t->b = large(bytes);
    t->c = large(bytes);
    if (!t->a || !t->b || !t->c)
        return 0;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < t->n; i++) {
        t->a[i] = 0;
        t->b[i] = 1;
        t->c[i] = 2;
    }
    return 1;
}

static void triad_close(struct triad *t)
{
    free(t->a);
    free(t->b);
    free(t->c);
}

/* Bytes per second, the best of a few passes. */
static double triad_run(const struct triad *t)
{
    enum { PASSES = 4 };
    double *restrict a = t->a;
    const double *restrict b = t->b, *restrict c = t->c;
    double best = INFINITY;
    for (int r = 0; r < PASSES; r++) {
        const double start = cli_now();
#pragma omp parallel for simd num_threads(t->threads) schedule(static)
        for (int64_t i = 0; i < t->n; i++)
            a[i] = b[i] + 3 * c[i];
        best = fmin(best, cli_now() - start);
    }
    /* Idle threads of OpenMP would spin beside StarPU's workers. */
    omp_pause_resource_all(omp_pause_soft);
    return t->a[t->n / 2] == 7 ? 24.0 * (double)t->n / best : NAN;
}

/* Seconds of `steps` steps: twice as many less so many. NaN: a run failed. */
static double more_steps(sparse_steps_fn *run, void *arg, int64_t steps)
{
    const double start = cli_now();
    int failed = run(arg, steps);
    const double middle = cli_now();
    failed |= run(arg, 2 * steps);
    return failed ? NAN : cli_now() - middle - (middle - start);
}

/* The same, again while something else on the machine took more of the first run than the steps are. */
static double steps_alone(sparse_steps_fn *run, void *arg, int64_t steps)
{
    enum { TRIES = 10 };
    double s = more_steps(run, arg, steps);
    for (int i = 1; i < TRIES && s <= 0; i++)
        s = more_steps(run, arg, steps);
    return s;
}

/* So many steps that what is not theirs, which is now more and now less, is little beside them. */
static int64_t enough_steps(sparse_steps_fn *run, void *arg, int64_t steps)
{
    enum { MOST = 1 << 20 };
    static const double ENOUGH = 0.02; /* seconds */
    double s = more_steps(run, arg, steps);
    while (s < ENOUGH && steps < MOST)
        s = more_steps(run, arg, steps *= 2);
    return steps;
}

sparse_timing sparse_time(int threads, int64_t steps, int rounds, double crs, sparse_steps_fn *run,
                          void *arg)
{
    struct triad t;
    sparse_timing result = {.step = {.median = NAN}};
    double *step = calloc(3 * (size_t)rounds, sizeof *step);
    double *triad = step + rounds, *ratio = triad + rounds;
    if (step && triad_open(&t, threads)) {
        int failed = run(arg, steps); /* warms up */
        steps = failed ? steps : enough_steps(run, arg, steps);
        for (int r = 0; r < rounds && !failed; r++) {
            triad[r] = triad_run(&t);
            step[r] = steps_alone(run, arg, steps) / (double)steps;
            ratio[r] = crs / step[r] / triad[r];
            failed = !(step[r] > 0);
            if (step[r] <= 0)
                cli_say("%lld steps took no longer than half as many: the machine is too busy",
                        (long long)(2 * steps));
        }
        if (!failed) {
            const cli_seconds all = cli_statistics(triad, rounds);
            result = (sparse_timing){.step = cli_statistics(step, rounds),
                                     .triad = all.median,
                                     .low = all.min,
                                     .high = all.max,
                                     .per_triad = cli_statistics(ratio, rounds).median};
        }
    }
    if (step)
        triad_close(&t);
    result.rounds = step;
    return result;
}
