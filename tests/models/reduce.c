/* What a shape is thought to take, of runs with planted disturbances: single spikes, most of the
 * runs slower than the others, a machine that slows down, bursts that hit every fifth task. Its
 * tasks do unequal work, which must be in the answer.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/models/internal.h"

enum { RUNS = 21, TASKS = 13, MOST = RUNS * TASKS };
static const double LIMIT = 0.05;

static int failures;

static double uniform(uint64_t *state) /* [0, 1) */
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* The work of a task: from 100 to 200 us, the mean is 150. */
static double work(int task) { return 100 + 100.0 * task / (TASKS - 1); }
static const double TRUTH = 150;

/* By how much a task of a run is slowed down. */
typedef double disturb(int run, uint64_t *state);
static double nothing(int run, uint64_t *state) { return (void)run, (void)state, 1; }
static double spikes(int run, uint64_t *state)
{
    (void)run;
    return uniform(state) < 0.04 ? 3 + 97 * uniform(state) : 1;
}
static double most_runs(int run, uint64_t *state) { return (void)state, run % 5 ? 1.4 : 1; }
static double drift(int run, uint64_t *state) { return (void)state, 1 + 0.6 * run / RUNS; }
static double bursts(int run, uint64_t *state)
{
    (void)run;
    return uniform(state) < 0.2 ? 1 + uniform(state) : 1;
}
static double together(int run, uint64_t *state)
{
    return (run % 2 ? 1.4 : 1) * spikes(run, state) * bursts(run, state);
}

/* Runs in which every task is there, or (part) two of three; TASKS 1: one in each run. */
static int64_t plant(orr_sample s[MOST], disturb *by, double part, int tasks, uint64_t seed)
{
    int64_t n = 0;
    for (int r = 0; r < RUNS; r++)
        for (int k = 0; k < tasks; k++) {
            const double slower = by(r, &seed), noise = 1 + 0.02 * (uniform(&seed) - 0.5);
            if (uniform(&seed) < part)
                s[n++] = (orr_sample){.run = 3 * r + 1,
                                      .size = 7,
                                      .us = (tasks == 1 ? TRUTH : work(k)) * slower * noise};
        }
    return n;
}

static double mean_of(const orr_sample *s, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += s[i].us;
    return sum / (double)n;
}

/* What is planted must be large enough to spoil a plain mean. */
static void case_of(const char *name, disturb *by, double part, int tasks)
{
    enum { SEEDS = 40 };
    orr_sample s[MOST];
    double worst = 0, naive = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        orr_model_entry e;
        const int64_t n = plant(s, by, part, tasks, seed);
        if (orr_model_reduce(s, n, &e) != ORR_OK || e.n + e.outliers != n || e.size != 7)
            failures++, printf("FAIL: %s: %lld tasks\n", name, (long long)n);
        worst = fmax(worst, fabs(e.mean / TRUTH - 1));
        naive += fabs(mean_of(s, n) / TRUTH - 1) / SEEDS;
    }
    const int planted = by == nothing || naive > LIMIT;
    const int good = worst <= LIMIT && planted;
    failures += !good;
    printf("%s%-40s off by %4.1f %% (limit %g %%); the plain mean by %.0f %%\n",
           good ? "" : "FAIL: ", name, 100 * worst, 100 * LIMIT, 100 * naive);
}

/* Groups whose data lie elsewhere: the entry is the mean of their tasks, not the faster group. */
static void groups(void)
{
    enum { FACTOR = 3, FEWER = 4 };
    orr_sample s[2 * MOST];
    const double truth = TRUTH * (TASKS + FACTOR * FEWER) / (TASKS + FEWER);
    double worst = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        orr_model_entry e;
        const int64_t n = plant(s, together, 1, TASKS, seed);
        int64_t all = n;
        for (int r = 0; r < RUNS; r++)
            for (int k = 0; k < FEWER; k++)
                s[all++] = (orr_sample){.group = 1, .run = r + 1, .size = 7, .us = FACTOR * TRUTH};
        if (orr_model_reduce(s, all, &e) != ORR_OK || e.n + e.outliers != all || e.sd < TRUTH / 2)
            failures++, printf("FAIL: groups: sd %g\n", e.sd);
        worst = fmax(worst, fabs(e.mean / truth - 1));
    }
    failures += worst > LIMIT;
    printf("%s%-40s off by %4.1f %% (limit %g %%)\n",
           worst <= LIMIT ? "" : "FAIL: ", "two groups, one of tasks three times longer",
           100 * worst, 100 * LIMIT);
}

/* Few tasks: the shorter ones are the measurement. */
static void few(void)
{
    const orr_sample s[] = {{.run = 1, .size = 1, .us = 10},
                            {.run = 1, .size = 1, .us = 11},
                            {.run = 2, .size = 1, .us = 900},
                            {.run = 2, .size = 1, .us = 12}};
    static const double wanted[] = {10, 10.5, 10.5};
    for (int n = 1; n <= 3; n++) {
        orr_model_entry e;
        const int good = orr_model_reduce(s, n, &e) == ORR_OK &&
                         fabs(e.mean - wanted[n - 1]) < 1e-12 && e.outliers == (n > 2);
        failures += !good;
        if (!good)
            printf("FAIL: %d tasks: %g, not %g; %lld outliers\n", n, e.mean, wanted[n - 1],
                   (long long)e.outliers);
    }
}

/* So many runs of nine tasks of 100 us and one of `last` us. */
static void one_of_ten(int runs, double last, double mean, int64_t outliers)
{
    orr_sample s[MOST] = {{0}};
    orr_model_entry e;
    int64_t n = 0;
    for (int r = 0; r < runs; r++)
        for (int k = 0; k < 10; k++)
            s[n++] = (orr_sample){.run = r, .size = k < 5 ? 6 : 9, .us = k < 9 ? 100 : last};
    double square = 0;
    const int good = orr_model_reduce(s, n, &e) == ORR_OK && fabs(e.mean - mean) < 1e-9 &&
                     e.outliers == outliers && e.n == n - outliers && fabs(e.size - 7.5) < 1e-12;
    for (int64_t i = 0; i < n; i++)
        square += outliers && s[i].us == last ? 0 : (s[i].us - e.mean) * (s[i].us - e.mean);
    const double sd = sqrt(square / (double)(n - outliers));
    failures += !good || fabs(e.sd - sd) > 1e-6;
    printf("%s%d runs, one of ten tasks takes %g us: mean %g (%g), sd %g (%g), %lld outliers\n",
           good && fabs(e.sd - sd) <= 1e-6 ? "" : "FAIL: ", runs, last, e.mean, mean, e.sd, sd,
           (long long)e.outliers);
}

/* What is an outlier counts where it is in every run, unless no task takes so long, or the runs are few. */
static void slow_tasks(void)
{
    enum { FEW = 4, ENOUGH = 5 };
    one_of_ten(ENOUGH, 104, 100.4, 0);
    one_of_ten(ENOUGH, 106, 100.6, ENOUGH);
    one_of_ten(ENOUGH, 350, 125, ENOUGH);
    one_of_ten(ENOUGH, 450, 100, ENOUGH);
    one_of_ten(FEW, 350, 100, FEW);
    one_of_ten(FEW, 104, 100.4, 0);
}

static void medians(void)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 2, 7};
    const double x = orr_median(odd, 3), y = orr_median(even, 4);
    failures += x != 2 || y != 3;
    printf("%smedians %g (2) and %g (3)\n", x == 2 && y == 3 ? "" : "FAIL: ", x, y);
}

/* Two of three are disturbed: the one that is not is the measurement. */
static void mostly_disturbed(void)
{
    const orr_sample s[] = {{.run = 1, .size = 1, .us = 900},
                            {.run = 2, .size = 1, .us = 10},
                            {.run = 3, .size = 1, .us = 950}};
    orr_model_entry e;
    const int good = orr_model_reduce(s, 3, &e) == ORR_OK && e.mean == 10 && e.outliers == 2;
    failures += !good;
    printf("%stwo of three disturbed: mean %g (10), %lld outliers\n", good ? "" : "FAIL: ", e.mean,
           (long long)e.outliers);
}

int main(void)
{
    medians();
    slow_tasks();
    mostly_disturbed();
    printf("mean of %d runs of %d tasks, |mean / truth - 1|, the worst of 40 seeds:\n", RUNS,
           TASKS);
    case_of("nothing planted", nothing, 1, TASKS);
    case_of("spikes of 3 to 100 times", spikes, 1, TASKS);
    case_of("four of five runs 40 % slower", most_runs, 1, TASKS);
    case_of("the machine slows down by 60 %", drift, 1, TASKS);
    case_of("every fifth task up to twice as long", bursts, 1, TASKS);
    case_of("half of the runs, spikes and bursts", together, 1, TASKS);
    case_of("four of five runs, one task in each", most_runs, 1, 1);
    case_of("spikes, one task in each", spikes, 1, 1);
    case_of("slow runs, nine of ten tasks known", most_runs, 0.9, TASKS);
    groups();
    few();
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
