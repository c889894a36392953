/* Roots of the secular equation: the equation itself in more precision, distances to all poles, factors
 * of the weights; and laed4's root. Poles are apart as after a deflation, by more than some eps, and the
 * entries of z are as small as it leaves them; numbers of poles are odd to vectors.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "kernels/cpu/heev_secular.h"
#include "numbers.h"

void slaed4_(const int32_t *, const int32_t *, const float *, const float *, float *, const float *,
             float *, int32_t *);
void dlaed4_(const int32_t *, const int32_t *, const double *, const double *, double *,
             const double *, double *, int32_t *);

enum kind { EVEN, CLOSE, GRADED, TINY, FALLING, PAIRS, NEGATIVE, KINDS };
static const char *const kind_name[KINDS] = {"even",    "close", "graded",  "tiny z",
                                             "falling", "pairs", "negative"};
enum { MOST = 301 };

/* Poles that ascend, each by some eps of its size at least, and |z| = 1. */
static double make(enum kind kind, int64_t k, double eps, uint64_t *state, double *pole, double *z)
{
    double at = kind == NEGATIVE ? -1 : 0, length = 0;
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
        pole[i] = kind == CLOSE ? 1 + at : at;
        if (fabs(z[i]) < 10 * eps)
            z[i] = 10 * eps;
        length += z[i] * z[i];
    }
    for (int64_t i = 0; i < k; i++)
        z[i] /= sqrt(length);
    return kind == TINY ? 1e-3 : kind == FALLING ? 10 : 1;
}

struct tally {
    double worst,
        apart; /* of bounds, by the equation; from laed4, in eps of the nearer distance's terms */
    long roots, left;
};

/* |1/rho + sum z^2 / delta| over what rounding and the last step may leave of it. */
static double residual(int64_t k, const double *z, double rho, const double *delta, double near,
                       double eps)
{
    long double f = 1 / (long double)rho, size = f, slope = 0;
    for (int64_t i = 0; i < k; i++) {
        const long double t = (long double)z[i] / delta[i];
        f += z[i] * t;
        size += fabsl(z[i] * t);
        slope += t * t;
    }
    return (double)(fabsl(f) / ((8 + (double)k / 8) * size + 4 * fabs(near) * slope) / eps);
}

static void check_root(const char *what, int64_t k, int64_t j, const double *pole, const double *z,
                       double rho, double eps, const double *delta, double value,
                       const double *part, struct tally *tally)
{
    const int64_t near = fabs(delta[j]) < fabs(delta[j + 1]) ? j : j + 1;
    CHECK(delta[j] < 0 && delta[j + 1] > 0, "%s, k %ld: root %ld is not between its poles", what,
          (long)k, (long)j);
    CHECK(fabs(value - (pole[near] - delta[near])) <= 2 * eps * fabs(value), "%s: value %ld", what,
          (long)j);
    for (int64_t i = 0; i < k; i++) {
        const long double want = (long double)pole[i] - pole[near] + delta[near];
        const long double of = i == j ? want : want / ((long double)pole[i] - pole[j]);
        CHECK(fabsl(delta[i] - want) <= 4 * eps * fabsl(want),
              "%s, k %ld: root %ld, pole %ld: %g, not %g", what, (long)k, (long)j, (long)i,
              delta[i], (double)want);
        CHECK(fabsl(part[i] - 3 * of) <= 16 * eps * fabsl(3 * of), "%s: factor %ld of root %ld",
              what, (long)i, (long)j);
    }
    const double r = residual(k, z, rho, delta, delta[near], eps);
    tally->worst = r > tally->worst ? r : tally->worst;
    CHECK(r <= 1, "%s, k %ld: root %ld leaves %g of the bound", what, (long)k, (long)j, r);
}

/* One routine, numbers of type T; all is compared in double. */
#define RUN(T, eps, secular, laed4)                                                                \
    do {                                                                                           \
        T p[MOST], y[MOST], delta[MOST], part[MOST], theirs[MOST], value = 0, other = 0;           \
        double p_[MOST], y_[MOST], delta_[MOST], part_[MOST];                                      \
        const T r = (T)rho;                                                                        \
        for (int64_t i = 0; i < k; i++) {                                                          \
            p_[i] = p[i] = (T)pole[i];                                                             \
            y_[i] = y[i] = (T)z[i];                                                                \
        }                                                                                          \
        for (int64_t j = 0; j + 1 < k; j++) {                                                      \
            const int32_t k_ = (int32_t)k, j_ = (int32_t)j + 1;                                    \
            int32_t info = 0;                                                                      \
            for (int64_t i = 0; i < k; i++) {                                                      \
                part[i] = 3;                                                                       \
                delta[i] = -7;                                                                     \
            }                                                                                      \
            tally.roots++;                                                                         \
            if (!secular(k, j, p, y, r, delta, &value, part)) {                                    \
                tally.left++;                                                                      \
                CHECK(part[j] == 3 && delta[j] == -7, "%s: changed without a root", what);         \
                continue;                                                                          \
            }                                                                                      \
            for (int64_t i = 0; i < k; i++) {                                                      \
                delta_[i] = delta[i];                                                              \
                part_[i] = part[i];                                                                \
            }                                                                                      \
            check_root(what, k, j, p_, y_, r, eps, delta_, value, part_, &tally);                  \
            laed4(&k_, &j_, p, y, theirs, &r, &other, &info);                                      \
            CHECK(info == 0 && fabs((double)value - (double)other) <=                              \
                                   8 * eps * (fabs((double)p[j]) + fabs((double)p[j + 1])),        \
                  "%s, k %ld: root %ld is %.17g, laed4's %.17g", what, (long)k, (long)j,           \
                  (double)value, (double)other);                                                   \
        }                                                                                          \
    } while (0)

static void run(int single, enum kind kind)
{
    static const int64_t counts[] = {3, 4, 5, 8, 15, 16, 17, 31, 33, 64, 65, 130, MOST};
    const double eps = single ? FLT_EPSILON : DBL_EPSILON;
    char what[64];
    struct tally tally = {0};
    uint64_t state = 11 + (uint64_t)kind;
    snprintf(what, sizeof what, "%c %s", single ? 's' : 'd', kind_name[kind]);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        double pole[MOST], z[MOST];
        const int64_t k = counts[c];
        const double rho = make(kind, k, eps, &state, pole, z);
        if (single)
            RUN(float, eps, orr_secular_s, slaed4_);
        else
            RUN(double, eps, orr_secular_d, dlaed4_);
    }
    CHECK(tally.left * 50 <= tally.roots, "%s: %ld of %ld roots were left to laed4", what,
          tally.left, tally.roots);
    printf("%-12s %ld roots, %ld left to laed4, %.2f of the bound\n", what, tally.roots, tally.left,
           tally.worst);
}

int main(void)
{
    for (int single = 0; single < 2; single++)
        for (enum kind kind = 0; kind < KINDS; kind++)
            run(single, kind);
    return checked();
}
