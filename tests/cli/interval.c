/* Intervals of `orrery compare`: ranks against printed tables, order statistics against sorted lists, and
 * how often the interval holds the truth: log-normal times of spread 8 % with a drift of 10 % that both
 * share, in pairs, and without drift in separate sets. 2000 trials: the figure's own error is 0.5 %.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/cli/simulate/interval.h"

static int failures;

static void check(int good, const char *what, double seen)
{
    if (!good)
        printf("FAIL: %s: %.17g\n", what, seen);
    failures += !good;
}

static uint64_t state = 20261122;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { MOST = 60 };

/* Values whose order statistics tell their ranks. Ranks at 2.5 %: Wilcoxon's tables (Hollander, Wolfe,
 * Chicken, table A.4 has P(T+ >= t); here c - 1 is the largest t with P(T+ <= t) <= 0.025). */
static void tables(void)
{
    static const struct {
        int n, c;
    } paired[] = {{6, 1}, {8, 4}, {10, 9}, {15, 26}, {20, 53}, {25, 90}};
    static const struct {
        int m, n, c;
    } separate[] = {{6, 6, 6}, {7, 6, 7}, {8, 8, 14}, {10, 10, 24}, {20, 20, 128}, {20, 10, 56}};
    for (size_t k = 0; k < sizeof paired / sizeof *paired; k++) {
        const int n = paired[k].n;
        double a[MOST] = {0}, b[MOST], all[MOST * MOST];
        size_t count = 0;
        for (int i = 0; i < n; i++)
            b[i] = normal();
        for (int i = 0; i < n; i++)
            for (int j = i; j < n; j++)
                all[count++] = (b[i] + b[j]) / 2;
        qsort(all, count, sizeof *all, ascending);
        const cli_interval r = cli_interval_paired(a, b, n);
        check(r.low == all[paired[k].c - 1], "lower end of pairs", n);
        check(r.high == all[count - (size_t)paired[k].c], "upper end of pairs", n);
        check(fabs(r.middle - 0.5 * (all[(count - 1) / 2] + all[count / 2])) < 1e-15,
              "middle of pairs", n);
    }
    for (size_t k = 0; k < sizeof separate / sizeof *separate; k++) {
        const int m = separate[k].m, n = separate[k].n;
        double a[MOST], b[MOST], all[MOST * MOST];
        for (int i = 0; i < m; i++)
            a[i] = normal();
        for (int j = 0; j < n; j++)
            b[j] = normal();
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                all[i * n + j] = b[j] - a[i];
        qsort(all, (size_t)(m * n), sizeof *all, ascending);
        const cli_interval r = cli_interval_separate(a, m, b, n);
        check(r.low == all[separate[k].c - 1], "lower end of sets", 100 * m + n);
        check(r.high == all[m * n - separate[k].c], "upper end of sets", 100 * m + n);
    }
}

/* Percent of trials whose interval holds the truth. */
static double coverage(int n, int paired, double shift)
{
    enum { TRIALS = 2000 };
    int held = 0;
    for (int t = 0; t < TRIALS; t++) {
        double a[MOST], b[MOST];
        for (int i = 0; i < n; i++) {
            const double drift = paired ? 0.1 * i / n : 0;
            a[i] = 0.08 * normal() + drift;
            b[i] = 0.08 * normal() + drift + shift;
        }
        const cli_interval r =
            paired ? cli_interval_paired(a, b, n) : cli_interval_separate(a, n, b, n);
        held += r.low <= shift && shift <= r.high;
    }
    return 100.0 * held / TRIALS;
}

int main(void)
{
    static const int sizes[] = {7, 10, 20, 30, 60};
    tables();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int paired = 0; paired < 2; paired++) {
            const double percent = coverage(sizes[k], paired, log(1.05));
            printf("%2d of each, %s: the interval holds the truth in %.2f %% (93 to 97)\n",
                   sizes[k], paired ? "pairs with drift" : "separate", percent);
            check(percent > 93 && percent < 97, "coverage", percent);
        }
    const double five[] = {1, 2, 3, 4, 5}, same[] = {3, 3, 3, 3, 3, 3, 3};
    check(isnan(cli_interval_paired(five, five, 5).low), "five pairs are too few", 5);
    check(isnan(cli_interval_separate(five, 5, same, 7).low), "five are too few", 5);
    check(cli_interval_paired(same, same, 7).high == 0, "pairs of equals", 0);
    check(cli_interval_separate(same, 7, same, 7).low == 0, "sets of equals", 0);
    printf("%d failures\n", failures);
    return failures != 0;
}
