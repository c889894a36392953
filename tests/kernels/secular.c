/* Roots of secular equations, of poles and of their squares: the equation itself in more precision,
 * distances to all poles, factors of the weights; and the roots of laed4 and lasd4. Poles are apart as
 * after a deflation, by more than some eps, and the entries of z are as small as it leaves them; numbers
 * of poles are odd to vectors.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "kernels/cpu/secular.h"
#include "numbers.h"

void slaed4_(const int32_t *, const int32_t *, const float *, const float *, float *, const float *,
             float *, int32_t *);
void dlaed4_(const int32_t *, const int32_t *, const double *, const double *, double *,
             const double *, double *, int32_t *);
void slasd4_(const int32_t *, const int32_t *, const float *, const float *, float *, const float *,
             float *, float *, int32_t *);
void dlasd4_(const int32_t *, const int32_t *, const double *, const double *, double *,
             const double *, double *, double *, int32_t *);

enum kind { EVEN, CLOSE, GRADED, TINY, FALLING, PAIRS, NEGATIVE, KINDS };
static const char *const kind_name[KINDS] = {"even",    "close", "graded",  "tiny z",
                                             "falling", "pairs", "negative"};
enum { MOST = 301 };

/* Poles that ascend, each by some eps of its size at least, and |z| = 1. Of squares the first one is 0, and none
 * below zero. */
static double make(enum kind kind, int64_t k, int squares, double eps, uint64_t *state,
                   double *pole, double *z)
{
    double at = kind == NEGATIVE && !squares ? -1 : 0, length = 0;
    for (int64_t i = 0; i < k; i++) {
        const double u = 0.5 + 0.5 * fabs(next_uniform(state)), v = next_uniform(state);
        double gap = u / (double)k;
        z[i] = v;
        switch (kind) {
        case CLOSE: gap = 20 * eps * u; break;
        case GRADED: gap = pow(eps, (double)(k - i) / (double)k) * u; break;
        case TINY: z[i] = i % 3 ? v * 10 * eps : v; break;
        case FALLING: z[i] = pow(eps, (double)i / (double)k) * u; break;
        case PAIRS: gap = i % 2 ? 20 * eps : gap; break;
        default: break;
        }
        at += gap;
        pole[i] = squares && i == 0 ? 0 : kind == CLOSE ? 1 + at : at;
        if (fabs(z[i]) < 10 * eps)
            z[i] = 10 * eps;
        length += z[i] * z[i];
    }
    for (int64_t i = 0; i < k; i++)
        z[i] /= sqrt(length);
    return kind == TINY ? 1e-3 : kind == FALLING ? 10 : 1;
}

struct tally {
    double worst; /* of what the equation may leave */
    long roots, left;
};

/* One problem and what was made of its root j; plus: NULL, or poles and roots are squares of these. */
struct root {
    const char *what;
    int64_t k, j;
    double rho, eps, value;
    const double *pole, *z, *minus, *plus, *part;
};

/* pole - x or, of squares, their difference */
static long double distance(const struct root *x, int64_t i)
{
    return x->plus ? (long double)x->minus[i] * x->plus[i] : x->minus[i];
}

static long double apart(const struct root *x, int64_t i, int64_t from)
{
    const long double d = x->pole[i], p = x->pole[from];
    return x->plus ? (d - p) * (d + p) : d - p;
}

/* |1/rho + sum z^2 / distance| over what rounding and the last step may leave of it. */
static double residual(const struct root *x, int64_t near)
{
    long double f = 1 / (long double)x->rho, size = f, slope = 0;
    for (int64_t i = 0; i < x->k; i++) {
        const long double t = x->z[i] / distance(x, i);
        f += x->z[i] * t;
        size += fabsl(x->z[i] * t);
        slope += t * t;
    }
    const long double last = 4 * fabsl(distance(x, near)) * slope;
    return (double)(fabsl(f) / ((8 + (long double)x->k / 8) * size + last) / x->eps);
}

static void check_root(const struct root *x, struct tally *tally)
{
    const int64_t j = x->j, near = fabsl(distance(x, j)) < fabsl(distance(x, j + 1)) ? j : j + 1;
    const long double from_near = x->minus[near];
    CHECK(x->minus[j] < 0 && x->minus[j + 1] > 0, "%s, k %ld: root %ld is not between its poles",
          x->what, (long)x->k, (long)j);
    CHECK(fabsl(x->value - (x->pole[near] - from_near)) <= 2 * x->eps * fabs(x->value),
          "%s: value %ld", x->what, (long)j);
    for (int64_t i = 0; i < x->k; i++) {
        const long double minus = (long double)x->pole[i] - x->pole[near] + from_near;
        const long double plus = (long double)x->pole[i] + x->pole[near] - from_near;
        const int64_t from = x->plus && i <= j ? j + 1 : j;
        const long double all = x->plus ? minus * plus : minus;
        const long double factor = 3 * (!x->plus && i == j ? all : all / apart(x, i, from));
        CHECK(fabsl(x->minus[i] - minus) <= 4 * x->eps * fabsl(minus),
              "%s, k %ld: root %ld, pole %ld: %g, not %g", x->what, (long)x->k, (long)j, (long)i,
              x->minus[i], (double)minus);
        CHECK(!x->plus || fabsl(x->plus[i] - plus) <= 4 * x->eps * fabsl(plus),
              "%s, k %ld: root %ld, pole %ld: sum %g, not %g", x->what, (long)x->k, (long)j,
              (long)i, x->plus[i], (double)plus);
        CHECK(fabsl(x->part[i] - factor) <= 20 * x->eps * fabsl(factor),
              "%s: factor %ld of root %ld", x->what, (long)i, (long)j);
    }
    const double r = residual(x, near);
    tally->worst = r > tally->worst ? r : tally->worst;
    CHECK(r <= 1, "%s, k %ld: root %ld leaves %g of the bound", x->what, (long)x->k, (long)j, r);
}

/* One problem, numbers of type T; all is compared in double. */
#define RUN(T, t)                                                                                  \
    do {                                                                                           \
        T p[MOST], y[MOST], minus[MOST], plus[MOST], part[MOST], theirs[MOST], work[MOST];         \
        double p_[MOST], y_[MOST], minus_[MOST], plus_[MOST], part_[MOST];                         \
        const T r = (T)rho;                                                                        \
        for (int64_t i = 0; i < k; i++) {                                                          \
            p_[i] = p[i] = (T)pole[i];                                                             \
            y_[i] = y[i] = (T)z[i];                                                                \
        }                                                                                          \
        for (int64_t j = 0; j + 1 < k; j++) {                                                      \
            const int32_t k_ = (int32_t)k, j_ = (int32_t)j + 1;                                    \
            int32_t info = 0;                                                                      \
            T value = 0, other = 0;                                                                \
            for (int64_t i = 0; i < k; i++)                                                        \
                part[i] = 3, minus[i] = -7;                                                        \
            const int found =                                                                      \
                squares ? orr_secular_squares_##t(k, j, p, y, r, minus, plus, &value, part)        \
                        : orr_secular_##t(k, j, p, y, r, minus, &value, part);                     \
            tally.roots++;                                                                         \
            tally.left += !found;                                                                  \
            CHECK(found || (part[j] == 3 && minus[j] == -7), "%s: changed without a root", what);  \
            if (!found)                                                                            \
                continue;                                                                          \
            for (int64_t i = 0; i < k; i++)                                                        \
                minus_[i] = minus[i], plus_[i] = squares ? plus[i] : 0, part_[i] = part[i];        \
            const struct root x = {                                                                \
                what, k, j, r, eps, (double)value, p_, y_, minus_, squares ? plus_ : NULL, part_}; \
            check_root(&x, &tally);                                                                \
            if (squares)                                                                           \
                t##lasd4_(&k_, &j_, p, y, theirs, &r, &other, work, &info);                        \
            else                                                                                   \
                t##laed4_(&k_, &j_, p, y, theirs, &r, &other, &info);                              \
            CHECK(info == 0 && fabs((double)value - (double)other) <=                              \
                                   8 * eps * (fabs((double)p[j]) + fabs((double)p[j + 1])),        \
                  "%s, k %ld: root %ld is %.17g, LAPACK's %.17g", what, (long)k, (long)j,          \
                  (double)value, (double)other);                                                   \
        }                                                                                          \
    } while (0)

static void run(int single, int squares, enum kind kind)
{
    static const int64_t counts[] = {3, 4, 5, 8, 15, 16, 17, 31, 33, 64, 65, 130, MOST};
    const double eps = single ? FLT_EPSILON : DBL_EPSILON;
    char what[64];
    struct tally tally = {0};
    uint64_t state = 11 + (uint64_t)kind;
    snprintf(what, sizeof what, "%c%s %s", single ? 's' : 'd', squares ? ", squares," : "",
             kind_name[kind]);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        double pole[MOST], z[MOST];
        const int64_t k = counts[c];
        const double rho = make(kind, k, squares, eps, &state, pole, z);
        if (single)
            RUN(float, s);
        else
            RUN(double, d);
    }
    CHECK(tally.left * 50 <= tally.roots, "%s: %ld of %ld roots were left to LAPACK", what,
          tally.left, tally.roots);
    printf("%-20s %ld roots, %ld left to LAPACK, %.2f of the bound\n", what, tally.roots,
           tally.left, tally.worst);
}

int main(void)
{
    for (int single = 0; single < 2; single++)
        for (int squares = 0; squares < 2; squares++)
            for (enum kind kind = 0; kind < KINDS; kind++)
                run(single, squares, kind);
    return checked();
}
