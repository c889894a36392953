/* How much larger one set of measurements is than another: the estimate of Hodges and Lehmann and the
 * interval that belongs to Wilcoxon's tests, which know no distribution. Of pairs: the median of all means
 * of two differences, and order statistics of these means; of two separate sets: the median of all
 * differences between them, and order statistics of these.
 * M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical Methods, 3rd edition, 2014, sections 3.2,
 * 3.3, 4.2, 4.3. The ranks are exact up to 50 pairs, or 2500 differences; beyond, of the normal distribution.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_INTERVAL_H
#define ORR_CLI_INTERVAL_H

typedef struct {
    double low, middle, high; /* NaN: not known */
} cli_interval;

/* 95 % and at least this many of each: of 5 pairs not even all together are sure to 95 %. */
enum { CLI_INTERVAL_LEAST = 6 };

/* Of the differences b[i] - a[i], and of b - a. All are finite. Fewer than CLI_INTERVAL_LEAST: the middle
 * alone. Without memory all are NaN. */
cli_interval cli_interval_paired(const double *a, const double *b, int n);
/* With such a share in each tail; fewer than cli_interval_least: the middle alone. */
cli_interval cli_interval_paired_at(const double *a, const double *b, int n, double tail);
int cli_interval_least(double tail);
cli_interval cli_interval_separate(const double *a, int na, const double *b, int nb);

#endif
