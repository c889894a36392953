/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/study/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/sorted.h"
#include "src/cli/study/looks.h"
#include "src/cli/study/points.h"

/* ---- Which ---------------------------------------------------------------------------------- */

static int values(const study_plan *p)
{
    return p->compare < 0 ? 0 : p->factor[p->compare].label.n;
}
static int cases(const study_plan *p) { return values(p) ? points_count(p) / values(p) : 0; }
static int pairs_of_values(const study_plan *p)
{
    const int v = values(p);
    return p->baseline >= 0 ? v - 1 : v * (v - 1) / 2;
}

int effects_count(const study_plan *p)
{
    const int n = cases(p);
    return p->compare < 0 ? 0 : pairs_of_values(p) * (n + (n > 1));
}

/* The share of one tail of each interval at a look (looks.h), so that all of them hold together in
 * 95 %. Bonferroni's: the comparisons of one block depend on each other. */
static double tail(const study_plan *p, int look)
{
    const int n = effects_count(p);
    return 0.025 * looks_share(p, look) / (n > 1 ? n : 1);
}

int effects_least(const study_plan *p, int look) { return cli_interval_least(tail(p, look)); }

/* The k-th pair of values. */
static void pair_at(const study_plan *p, int k, int *a, int *b)
{
    *a = *b = 0;
    if (p->baseline >= 0) {
        *a = p->baseline;
        *b = k + (k >= p->baseline);
        return;
    }
    for (*a = 0; k >= values(p) - 1 - *a; ++*a)
        k -= values(p) - 1 - *a;
    *b = *a + 1 + k;
}

/* The point of value v in case c. */
static int point_of(const study_plan *p, int c, int v)
{
    int at[STUDY_FACTORS];
    for (int k = p->factors - 1; k >= 0; k--) {
        const int n = p->factor[k].label.n;
        at[k] = k == p->compare ? v : c % n;
        c /= k == p->compare ? 1 : n;
    }
    return points_find(p, at);
}

/* ---- What rows tell ------------------------------------------------------------------------- */

/* Logarithms of measures, [block * points + point]; NaN: none. 1 in tried: there is a row. */
static int table(const study_plan *p, const study_rows *rows, double **logs)
{
    const int points = points_count(p);
    const size_t n = (size_t)p->blocks * (size_t)points;
    double *v = *logs = malloc(n * sizeof *v);
    for (size_t k = 0; v && k < n; k++)
        v[k] = NAN;
    for (int k = 0; v && k < rows->n; k++)
        if (rows->v[k].ok)
            v[(size_t)(rows->v[k].block - 1) * (size_t)points + (size_t)rows->v[k].point] =
                log(rows->v[k].value);
    return v != NULL;
}

/* Logarithms of a and b of the effect in a block; 0: one of them is lacking, or was not run at all (*tried 0). */
static int in_block(const study_plan *p, const study_rows *rows, const double *logs, int block,
                    const study_effect *e, double *x, double *y, int *tried)
{
    const int n = cases(p), points = points_count(p);
    int good = 1;
    *x = *y = 0;
    *tried = 1;
    for (int c = 0; c < n; c++) {
        const int a = point_of(p, c, e->a), b = point_of(p, c, e->b);
        if (e->point >= 0 && e->point != a)
            continue;
        const size_t at = (size_t)block * (size_t)points, share = e->point >= 0 ? 1 : (size_t)n;
        *x += logs[at + (size_t)a] / (double)share;
        *y += logs[at + (size_t)b] / (double)share;
        *tried &= rows->done[at + (size_t)a] && rows->done[at + (size_t)b];
        good &= isfinite(logs[at + (size_t)a]) && isfinite(logs[at + (size_t)b]);
    }
    return good;
}

static void judge(const study_plan *p, study_effect *e)
{
    e->verdict = COMPARE_UNDECIDED;
    if (e->note)
        return;
    if (e->lacking)
        e->note = "a run was not ok";
    else if (!e->pairs)
        e->note = "no block has both";
    else if (isnan(e->ratio.low))
        e->note = "too few blocks";
    else
        e->verdict = compare_judge(&e->ratio, p->margin, &e->note);
}

/* What both have in common, with the estimate of the second. */
static cli_interval both(cli_interval a, cli_interval b)
{
    return (cli_interval){fmax(a.low, b.low), b.middle, fmin(a.high, b.high)};
}

/* With looks the blocks after the last one that was reached do not count yet: their number was not planned. */
static int make_one(const study_plan *p, const study_rows *rows, const double *logs, double *room,
                    study_effect *e)
{
    const int reached = p->looks ? looks_reached(p, rows) : 1;
    const int last = reached ? looks_blocks(p, reached - 1) : p->blocks;
    double *x = room, *y = room + p->blocks;
    e->ratio = (cli_interval){NAN, NAN, NAN};
    for (int block = 0, look = 0; block < last; block++) {
        int tried;
        if (in_block(p, rows, logs, block, e, &x[e->pairs], &y[e->pairs], &tried))
            e->pairs++;
        else
            e->lacking += tried;
        if (block + 1 < looks_blocks(p, look))
            continue;
        e->ratio = both(e->ratio, cli_interval_paired_at(x, y, e->pairs, tail(p, look)));
        look++;
        if (e->pairs && isnan(e->ratio.middle))
            return 0;
    }
    if (p->exact)
        e->ratio.low = e->ratio.high = e->ratio.middle;
    for (int k = 1; k < e->pairs && p->exact; k++)
        if (x[k] != x[0] || y[k] != y[0])
            e->note = "the plan says that runs are exact, but they differ";
    if (!reached)
        e->note = "the first look is still to come";
    else if (e->ratio.low > e->ratio.high)
        e->note = "the looks contradict each other";
    if (e->note && !p->exact)
        e->ratio.low = e->ratio.high = NAN;
    e->ratio.middle = fmin(fmax(e->ratio.middle, e->ratio.low), e->ratio.high);
    e->ratio = (cli_interval){exp(e->ratio.low), exp(e->ratio.middle), exp(e->ratio.high)};
    judge(p, e);
    return 1;
}

study_effect *effects_make(const study_plan *p, const study_rows *rows)
{
    const int n = effects_count(p), each = pairs_of_values(p);
    study_effect *all = n ? calloc((size_t)n, sizeof *all) : NULL;
    double *logs = NULL, *room = malloc(2 * (size_t)p->blocks * sizeof *room);
    int good = all && room && table(p, rows, &logs);
    for (int k = 0; k < n && good; k++) {
        study_effect *e = &all[k];
        pair_at(p, k % each, &e->a, &e->b);
        e->point = k / each < cases(p) ? point_of(p, k / each, e->a) : -1;
        good = make_one(p, rows, logs, room, e);
    }
    free(logs);
    free(room);
    if (good)
        return all;
    free(all);
    return NULL;
}

/* ---- What blocks can tell ------------------------------------------------------------------- */

double effects_spread(const study_plan *p, const study_rows *rows)
{
    const int points = points_count(p);
    double *logs, *mean, sum = 0;
    int blocks = 0;
    if (!table(p, rows, &logs))
        return NAN;
    mean = calloc((size_t)points, sizeof *mean);
    for (int b = 0; mean && b < p->blocks; b++) { /* whole blocks only */
        double of_block = 0;
        for (int k = 0; k < points; k++)
            of_block += logs[b * points + k] / points;
        if (!isfinite(of_block))
            continue;
        blocks++;
        for (int k = 0; k < points; k++) {
            const double x = logs[b * points + k] - of_block, delta = x - mean[k];
            mean[k] += delta / blocks;
            sum += delta * (x - mean[k]);
        }
    }
    free(mean);
    free(logs);
    return mean && blocks > 1 && points > 1 ? sqrt(sum / ((double)(blocks - 1) * (points - 1)))
                                            : NAN;
}

/* Two normal numbers by Box and Muller, of a generator that needs to be no better. */
static double normal(uint64_t *state)
{
    double u[2];
    for (int k = 0; k < 2; k++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        u[k] = (double)(*state >> 11) / 9007199254740992.0;
    }
    return sqrt(-2 * log(1 - u[0])) * cos(6.283185307179586 * u[1]);
}

/* The interval of n differences without a true one, many times: moved by so much, its lower end is beyond the margin. */
double effects_detectable(const study_plan *p, double spread)
{
    enum { STUDIES = 400 };
    const int n = p->blocks;
    double *room = calloc(2 * (size_t)n, sizeof *room), low[STUDIES], found = NAN;
    uint64_t state = 1;
    for (int s = 0; room && s < STUDIES; s++) {
        for (int k = 0; k < n; k++)
            room[n + k] = spread * sqrt(2) * normal(&state);
        low[s] = cli_interval_paired_at(room, room + n, n, tail(p, looks_count(p) - 1)).low;
    }
    if (room && !isnan(low[0])) {
        cli_sort(low, STUDIES);
        found = (1 + p->margin) * exp(-low[STUDIES / 5]) - 1;
    }
    free(room);
    return found;
}
