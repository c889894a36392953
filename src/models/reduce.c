/* From tasks of one shape to an entry: what such a task takes on a quiet machine.
 *
 * Times scatter to one side, and at every scale. An interrupt lengthens one task; a neighbour on
 * the host takes memory bandwidth for milliseconds or minutes, and all tasks of a run, or of most
 * runs, are slower by a half. Tasks of one shape may also differ by nature, where work depends on
 * the data; but every run of a case has the same data, so the same tasks.
 *
 *   run 1   t(1) <= t(2) <= ... <= t(K)
 *   run 2   t(1) <= t(2) <= ... <= t(K)
 *   ...       |       |              |
 *   fast    f(1)    f(2)    ...    f(K)     f(k): mean of the fastest of column k
 *
 * The mean of f is what the group, the runs of one case, says; the entry is the mean of its groups,
 * weighed by the tasks of a run: the same shape takes longer where its data are not in the cache,
 * and runs of other groups say nothing about that. A slow task among quick ones of its kind counts
 * as long as it is slow in every run; one that was disturbed does not, even if most of the runs
 * were. Outliers, by the median absolute deviation (MAD: Rousseeuw, Croux, JASA 88, 1993), are
 * counted, and left out where there are too few runs to compare.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "src/models/internal.h"

static const double OUTLIER_MADS = 4, OUTLIER_LEAST = 0.05, MAD_TO_SD = 1.4826;
/* Disturbances only lengthen: of short tasks only what cannot be is an outlier. Of long ones, what
 * no task can be is left out before the runs are compared. */
static const double OUTLIER_SHORT = 0.5, NEVER = 3;
/* Of fewer runs columns are too short; of fewer tasks a median may be a disturbed one, and
 * what is this near to the shortest is kept. */
enum { FEW_TASKS = 5, FEW_RUNS = 5 };
static const double FEW_NEAR = 0.25;
/* Of a column so many are the fastest: one may be a freak of the clock, of many not all. */
static const double FASTEST = 0.15;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort(double *x, int64_t n) { qsort(x, (size_t)n, sizeof *x, by_value); }

double orr_median(double *x, int64_t n)
{
    sort(x, n);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* The tasks that are no outliers; nothing takes longer than `never`. */
struct range {
    double from, to, never;
};

static struct range without_outliers(const orr_sample *s, int64_t n, double *work)
{
    for (int64_t i = 0; i < n; i++)
        work[i] = s[i].us;
    const double median = orr_median(work, n);
    if (n < FEW_TASKS)
        return (struct range){work[0], (1 + FEW_NEAR) * work[0], (1 + FEW_NEAR) * work[0]};
    for (int64_t i = 0; i < n; i++)
        work[i] = fabs(s[i].us - median);
    const double mad = MAD_TO_SD * orr_median(work, n);
    const double far = fmax(OUTLIER_MADS * mad, OUTLIER_LEAST * median);
    return (struct range){.from = median - fmax(far, OUTLIER_SHORT * median),
                          .to = median + far,
                          .never = median + fmax(far, NEVER * median)};
}

static int keeps(const struct range *r, double us) { return us >= r->from && us <= r->to; }

/* Runs one after another, the times of each in order. Run r is t[at[r] .. at[r + 1]). */
struct runs {
    int64_t runs, *at;
    double *t;
};

static int64_t count_runs(const orr_sample *s, int64_t n)
{
    int64_t runs = 0;
    for (int64_t i = 0; i < n; i++)
        runs += i == 0 || s[i].run != s[i - 1].run;
    return runs;
}

static void sort_runs(const orr_sample *s, int64_t n, const struct range *kept, struct runs *r)
{
    int64_t tasks = 0;
    r->runs = 0;
    for (int64_t i = 0, end; i < n; i = end) {
        const int64_t first = tasks;
        for (end = i; end < n && s[end].run == s[i].run; end++)
            if (keeps(kept, s[end].us))
                r->t[tasks++] = s[end].us;
        sort(r->t + first, tasks - first);
        if (tasks > first)
            r->at[r->runs++] = first;
    }
    r->at[r->runs] = tasks;
}

/* How many tasks a run has: the median. */
static int64_t tasks_of_a_run(const struct runs *r, double *work)
{
    for (int64_t k = 0; k < r->runs; k++)
        work[k] = (double)(r->at[k + 1] - r->at[k]);
    return (int64_t)orr_median(work, r->runs);
}

/* f(k) of `ranks`; a run with more or fewer tasks gives the one at that part of its order. */
static double fastest_of_rank(const struct runs *r, int64_t k, int64_t ranks, double *work)
{
    const int64_t count = (int64_t)fmax(1, FASTEST * (double)r->runs + 0.5);
    double sum = 0;
    for (int64_t i = 0; i < r->runs; i++) {
        const int64_t tasks = r->at[i + 1] - r->at[i];
        work[i] = r->t[r->at[i] + (2 * k + 1) * tasks / (2 * ranks)];
    }
    sort(work, r->runs);
    for (int64_t i = 0; i < count; i++)
        sum += work[i];
    return sum / (double)count;
}

static double undisturbed(const struct runs *r, int64_t ranks, double *work)
{
    double sum = 0;
    for (int64_t k = 0; k < ranks; k++)
        sum += fastest_of_rank(r, k, ranks, work);
    return sum / (double)ranks;
}

/* What one group says. */
struct part {
    double mean, sum, squares; /* of the tasks that are kept, the last two */
    int64_t ranks, kept;
};

/* r and work: room for n tasks. */
static struct part reduce_group(const orr_sample *s, int64_t n, struct runs *r, double *work)
{
    struct part p = {.mean = 0};
    const struct range kept = without_outliers(s, n, work);
    const int few = count_runs(s, n) < FEW_RUNS;
    sort_runs(s, n, &(struct range){.from = kept.from, .to = few ? kept.to : kept.never}, r);
    p.ranks = tasks_of_a_run(r, work);
    p.mean = undisturbed(r, p.ranks, work);
    for (int64_t i = 0; i < n; i++)
        if (keeps(&kept, s[i].us)) {
            p.sum += s[i].us;
            p.squares += s[i].us * s[i].us;
            p.kept++;
        }
    return p;
}

orr_status orr_model_reduce(const orr_sample *s, int64_t n, orr_model_entry *e)
{
    double *work = malloc((size_t)n * sizeof *work), sizes = 0;
    struct runs r = {.at = malloc((size_t)(n + 1) * sizeof *r.at),
                     .t = malloc((size_t)n * sizeof *r.t)};
    const int good = work && r.at && r.t;
    struct part all = {.mean = 0};
    *e = (orr_model_entry){.key = s[0].key};
    for (int64_t i = 0, end; good && i < n; i = end) {
        for (end = i; end < n && s[end].group == s[i].group; end++)
            sizes += s[end].size;
        const struct part p = reduce_group(s + i, end - i, &r, work);
        all.mean += (double)p.ranks * p.mean;
        all.ranks += p.ranks;
        all.sum += p.sum;
        all.squares += p.squares;
        all.kept += p.kept;
    }
    if (good) {
        const double mean = e->mean = all.mean / (double)all.ranks, kept = (double)all.kept;
        e->sd = sqrt(fmax(0, (all.squares - 2 * mean * all.sum) / kept + mean * mean));
        e->size = sizes / (double)n; /* one key may stand for a class of sizes */
        e->n = all.kept;
        e->outliers = n - e->n;
    }
    free(work);
    free(r.at);
    free(r.t);
    return good ? ORR_OK : ORR_E_NOMEM;
}
