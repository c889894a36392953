/* powm_krylov on raw pointers: what a cycle leaves behind when the space closes, when there were
 * fewer steps than columns, when values have converged long before the last, and when a number is not
 * finite. The matrix is a diagonal.
 *
 *   values    |theta - exact| <= 1e-13, as many copies as there are
 *   basis     |V'V - I| <= 1e-13 after the restart
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/powm_krylov.h"
#include "kernels/powm_scalars.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { N = 7, M = 6, MOST_N = 300, MOST_M = 20 };

struct problem {
    int n;
    const double *diagonal;
    orr_krylov_state *s;
    double V[MOST_N * (MOST_M + 1)], x[MOST_N], y[MOST_N], part[MOST_M + 3];
};

static void reduce(struct problem *p, int j, int phase, int fresh)
{
    const void *parts[1] = {p->part};
    const orr_krylov_args g = {.rows = p->n, .j = j, .phase = phase, .fresh = fresh};
    orr_krylov_reduce(&g, DBL_EPSILON, parts, 1, p->s);
}

static void update(struct problem *p, int j, int pass, int fresh, double *y)
{
    const orr_krylov_args g = {.rows = p->n, .j = j, .pass = pass, .fresh = fresh};
    CHECK(orr_krylov_update_cpu[ORR_D](&g, p->s, p->V, y, p->part) == ORR_OK, "update");
    reduce(p, j, pass + 1, fresh);
}

/* A random vector orthogonal to the columns that are there becomes x. */
static void start(struct problem *p, int columns, uint64_t seed)
{
    orr_powm_random(ORR_D, 0, p->n, seed, 1, p->x);
    for (int pass = columns ? 0 : 2; pass < 3; pass++)
        update(p, columns - 1, pass, 1, p->x);
}

static void steps(struct problem *p, int from, int to)
{
    for (int j = from; j < to && orr_krylov_active(p->s, j, 0); j++) {
        const orr_krylov_args g = {.rows = p->n, .j = j};
        for (int i = 0; i < p->n; i++)
            p->y[i] = p->s->inv * p->diagonal[i] * p->x[i];
        orr_krylov_dot_cpu[ORR_D](&g, p->s, p->V, p->x, p->y, p->part);
        reduce(p, j, 1, 0);
        update(p, j, 1, 0, p->y);
        update(p, j, 2, 0, p->y);
        for (int i = 0; i < p->n; i++)
            p->x[i] = p->y[i];
    }
}

static struct problem begin_of(int n, int m, const double *diagonal, int k, uint64_t seed)
{
    struct problem p = {.n = n, .diagonal = diagonal};
    const int64_t bytes = orr_krylov_start(ORR_D, n, m, k, 1, ORR_KRYLOV_LM, 1e-10, NULL);
    p.s = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64);
    if (!p.s)
        exit(99);
    orr_krylov_start(ORR_D, n, m, k, 1, ORR_KRYLOV_LM, 1e-10, p.s);
    start(&p, 0, seed);
    return p;
}

static struct problem begin(const double *diagonal, int k, uint64_t seed)
{
    return begin_of(N, M, diagonal, k, seed);
}

static void end_cycle(struct problem *p, int columns, int last)
{
    CHECK(orr_krylov_rayleigh(columns, last, p->s) == ORR_OK, "rayleigh");
    CHECK(orr_krylov_restart_cpu[ORR_D](p->n, p->s, p->V) == ORR_OK, "restart");
    const int there = p->s->done ? p->s->columns : p->s->start;
    for (int a = 0; a < there; a++)
        for (int b = 0; b <= a; b++) {
            double dot = -(a == b);
            for (int i = 0; i < p->n; i++)
                dot += p->V[a * p->n + i] * p->V[b * p->n + i];
            CHECK(fabs(dot) <= 1e-13, "columns %d and %d: %g", a, b, dot);
        }
}

static double value(const struct problem *p, int i)
{
    return ((double *)orr_krylov_array(p->s, p->s->values))[2 * (int64_t)i];
}

/* Three values, the largest three times: each closed space has one copy more, however small its part
 * in the vector that is added. */
static int closes(uint64_t seed)
{
    static const double diagonal[N] = {2, 1, 2, 0.5, 1, 2, 0.5};
    struct problem p = begin(diagonal, 4, seed);
    int rounds = 0;
    for (; !p.s->done && rounds < 20; rounds++) {
        const int from = p.s->start;
        steps(&p, from, M);
        CHECK(p.s->stop > from && p.s->stop <= M, "round %d stops at %d", rounds, p.s->stop);
        end_cycle(&p, M, 0);
        CHECK(p.s->done || p.s->start < M, "round %d leaves no room", rounds);
        if (!p.s->done && p.s->fresh)
            start(&p, p.s->start, seed + (uint64_t)rounds + 1);
        CHECK(p.s->done || p.s->stop == M || !p.s->closed, "round %d: stop stays %d", rounds,
              p.s->stop);
    }
    CHECK(p.s->done && p.s->columns == 4, "%d rounds, %d columns", rounds, p.s->columns);
    const int seen = p.s->closed > 1; /* else the second space closed but for rounding */
    for (int i = 0; i < 4 && seen; i++)
        CHECK(fabs(value(&p, i) - (i < 3 ? 2 : 1)) <= 1e-13, "value %d: %.16g", i, value(&p, i));
    free(p.s);
    return seen;
}

/* Three steps of six, and no more. */
static void cut_short(void)
{
    static const double diagonal[N] = {7, 6, 5, 4, 3, 2, 1};
    struct problem p = begin(diagonal, 2, 1);
    steps(&p, 0, 3);
    end_cycle(&p, 3, 1);
    CHECK(p.s->done && p.s->stop == 3 && p.s->columns == 2 && p.s->converged == 0 && !p.s->fresh,
          "stop %d, %d columns, %d converged", p.s->stop, p.s->columns, p.s->converged);
    free(p.s);
}

/* The first three values converge within a cycle, the fourth takes many: in a three-term recurrence
 * alone the first would come back. */
static void stays_orthogonal(void)
{
    enum { K = 4 };
    double diagonal[MOST_N] = {1000, -900, 800};
    for (int i = 3; i < MOST_N; i++)
        diagonal[i] = 1 - i / 1e5;
    struct problem p = begin_of(MOST_N, MOST_M, diagonal, K, 1);
    int cycles = 0;
    for (; !p.s->done && cycles < 10; cycles++) {
        const int from = p.s->start;
        steps(&p, from, MOST_M);
        end_cycle(&p, MOST_M, cycles == 9);
        if (!p.s->done && p.s->fresh)
            start(&p, p.s->start, 2);
    }
    CHECK(cycles == 10, "it ended after %d cycles", cycles);
    for (int i = 0; i < 3; i++)
        CHECK(fabs(value(&p, i) - diagonal[i]) <= 1e-13 * 1000, "value %d: %.16g", i, value(&p, i));
    free(p.s);
}

static void not_finite(void)
{
    static const double diagonal[N] = {1, 2, INFINITY, 4, 5, 6, 7};
    struct problem p = begin(diagonal, 2, 1);
    steps(&p, 0, M);
    CHECK(orr_krylov_rayleigh(M, 0, p.s) == ORR_OK && p.s->done && p.s->columns == 0,
          "%d columns of what is not finite", p.s->columns);
    free(p.s);
}

int main(void)
{
    int seen = 0;
    for (uint64_t seed = 1; seed <= 50; seed++)
        seen += closes(seed);
    CHECK(seen > 40, "%d of 50 spaces close twice", seen);
    cut_short();
    stays_orthogonal();
    not_finite();
    return checked();
}
