/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/interval.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/sorted.h"

enum { EXACT_PAIRS = 50, EXACT_DIFFERENCES = 2500 };
static const double TAIL = 0.025;

/* ---- Ranks of the ends ------------------------------------------------------------------ */

/* The largest c with P(statistic < c) <= tail; p[s], s = 0 ..: its probabilities. */
static int64_t rank_exact(const double *p, double tail)
{
    int64_t c = 0;
    for (double sum = p[0]; sum <= tail; sum += p[c])
        c++;
    return c;
}

/* x with the upper tail of the normal distribution. */
static double normal(double tail)
{
    double low = 0, high = 40;
    for (int k = 0; k < 64; k++) {
        const double x = 0.5 * (low + high);
        *(0.5 * erfc(x / sqrt(2)) > tail ? &low : &high) = x;
    }
    return 0.5 * (low + high);
}

static int64_t rank_normal(double mean, double variance, double tail)
{
    const double c = floor(mean + 0.5 - normal(tail) * sqrt(variance));
    return c > 0 ? (int64_t)c : 0;
}

/* Wilcoxon's signed ranks: each of 1 ... n counts or not. -1: no memory. */
static int64_t rank_paired(int n, double tail)
{
    if (n > EXACT_PAIRS)
        return rank_normal(n * (n + 1.0) / 4, n * (n + 1.0) * (2.0 * n + 1) / 24, tail);
    const int most = n * (n + 1) / 2;
    double *p = calloc((size_t)most + 1, sizeof *p);
    if (!p)
        return -1;
    p[0] = 1;
    for (int i = 1; i <= n; i++)
        for (int s = most; s >= 0; s--)
            p[s] = 0.5 * p[s] + (s >= i ? 0.5 * p[s - i] : 0);
    const int64_t c = rank_exact(p, tail);
    free(p);
    return c;
}

/* Mann and Whitney's U of m and n: the largest of all is one of the m, and then above all n, or of the n. */
static int64_t rank_separate(int m, int n)
{
    if ((int64_t)m * n > EXACT_DIFFERENCES)
        return rank_normal(0.5 * m * n, (double)m * n * (m + n + 1.0) / 12, TAIL);
    const int most = m * n;
    double *p = calloc((size_t)(n + 1) * (size_t)(most + 1), sizeof *p);
    if (!p)
        return -1;
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++) {
            double *here = p + (size_t)j * (size_t)(most + 1), *left = here - (most + 1);
            for (int u = most; u >= 0; u--) {
                const double above = i && u >= j ? i * here[u - j] : 0;
                const double below = j ? j * left[u] : 0;
                here[u] = i + j ? (above + below) / (i + j) : u == 0;
            }
        }
    const int64_t c = rank_exact(p + (size_t)n * (size_t)(most + 1), TAIL);
    free(p);
    return c;
}

/* ---- Order statistics of all pairs ------------------------------------------------------ */

/* x and y ascend. Pairs: y[j] - x[i] of all, or (x[i] + x[j]) / 2 of i <= j if y is NULL. */
struct pairs {
    const double *x, *y;
    int nx, ny;
};

/* How many are at most t. */
static int64_t count(const struct pairs *p, double t)
{
    int64_t all = 0;
    int j = p->y ? 0 : p->nx;
    for (int i = 0; i < p->nx; i++) {
        if (p->y) {
            while (j < p->ny && p->y[j] - p->x[i] <= t)
                j++;
            all += j;
        } else {
            while (j > i && (p->x[i] + p->x[j - 1]) / 2 > t)
                j--;
            all += j > i ? j - i : 0;
        }
    }
    return all;
}

/* The k-th, from 1, by halving. */
static double kth(const struct pairs *p, int64_t k)
{
    double low = p->y ? p->y[0] - p->x[p->nx - 1] : p->x[0];
    double high = p->y ? p->y[p->ny - 1] - p->x[0] : p->x[p->nx - 1];
    if (count(p, low) >= k)
        return low;
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high))
            return high;
        if (count(p, middle) >= k)
            high = middle;
        else
            low = middle;
    }
}

static cli_interval ends(const struct pairs *p, int64_t most, int64_t c)
{
    cli_interval r = {NAN, 0.5 * (kth(p, (most + 1) / 2) + kth(p, most / 2 + 1)), NAN};
    if (c > 0) {
        r.low = kth(p, c);
        r.high = kth(p, most + 1 - c);
    }
    return r;
}

static const cli_interval unknown = {NAN, NAN, NAN};

int cli_interval_least(double tail)
{
    int n = 1;
    for (double p = 0.5; p > tail; p /= 2) /* all differences on one side */
        n++;
    return n;
}

cli_interval cli_interval_paired(const double *a, const double *b, int n)
{
    return cli_interval_paired_at(a, b, n, TAIL);
}

cli_interval cli_interval_paired_at(const double *a, const double *b, int n, double tail)
{
    double *d = n > 0 ? malloc((size_t)n * sizeof *d) : NULL;
    const int64_t c = n >= cli_interval_least(tail) ? rank_paired(n, tail) : 0;
    cli_interval r = unknown;
    for (int i = 0; d && i < n; i++)
        d[i] = b[i] - a[i];
    if (d && c >= 0) {
        cli_sort(d, n);
        r = ends(&(struct pairs){d, NULL, n, 0}, (int64_t)n * (n + 1) / 2, c);
    }
    free(d);
    return r;
}

cli_interval cli_interval_separate(const double *a, int na, const double *b, int nb)
{
    double *x = na > 0 && nb > 0 ? malloc((size_t)(na + nb) * sizeof *x) : NULL, *y = x + na;
    const int few = na < CLI_INTERVAL_LEAST || nb < CLI_INTERVAL_LEAST;
    const int64_t c = few ? 0 : na > nb ? rank_separate(na, nb) : rank_separate(nb, na);
    cli_interval r = unknown;
    if (x && c >= 0) {
        memcpy(x, a, (size_t)na * sizeof *x);
        memcpy(y, b, (size_t)nb * sizeof *y);
        cli_sort(x, na);
        cli_sort(y, nb);
        r = ends(&(struct pairs){x, y, na, nb}, (int64_t)na * nb, c);
    }
    free(x);
    return r;
}
