/* hb2st_apply for every instruction set of this machine, and by BLAS, against its contract: random
 * reflectors, applied one after the other in double.
 *
 *   product    |E - H .. H E0|_F / (eps sqrt(n) |E0|_F)                                      <= 4
 *   columns    one at a time, or three: the same bits as all of them
 *   outside    rows from n on, and elements behind E, are not touched
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cpu/hb2st_apply.c"

#include <stdio.h>

#include "check.h"
#include "larger.h"
#include "numbers.h"

static const double LIMIT = 4;
static const size_t bytes_of[ORR_NTYPES] = {4, 8, 8, 16};
static const double guard = 7;

/* Reflectors of all sweeps. Every ninth one is I, with numbers that must not matter. */
static char *make_reflectors(orr_type t, const orr_hb2st_shape *a)
{
    char *v = calloc((size_t)(a->n * a->n), bytes_of[t]);
    uint64_t seed = 5;
    for (int64_t s = 0, count = 0; s < a->sweeps; s++)
        for (int64_t h = 0; h < orr_hb2st_hops(a, s); h++, count++) {
            const int64_t at = orr_hb2st_v_offset(a, s) + h * a->b;
            const int64_t have = orr_least(a->b, a->n - (s + 1 + h * a->b));
            double sum = 1;
            for (int64_t r = 1; r < have; r++) {
                put(t, v, at + r, next_uniform(&seed) + (t >= ORR_C ? I * next_uniform(&seed) : 0));
                sum += creal(get(t, v, at + r) * conj(get(t, v, at + r)));
            }
            const double complex turn = t >= ORR_C ? cexp(I * next_uniform(&seed)) : 1;
            put(t, v, at, count % 9 == 4 ? 0 : (1 + turn) / sum);
        }
    return v;
}

/* One reflector after the other. */
static void reference(orr_type t, const orr_hb2st_shape *a, int64_t s0, int64_t s1, const char *v,
                      int adjoint, int64_t k, double complex *e)
{
    for (int64_t i = 0; i < s1 - s0; i++) {
        const int64_t s = adjoint ? s0 + i : s1 - 1 - i, hops = orr_hb2st_hops(a, s);
        for (int64_t j = 0; j < hops; j++) { /* those of one sweep do not meet */
            const int64_t at = orr_hb2st_v_offset(a, s) + j * a->b, row = s + 1 + j * a->b;
            const int64_t have = orr_least(a->b, a->n - row);
            const double complex tau = get(t, v, at);
            for (int64_t c = 0; c < k; c++) {
                double complex *x = e + c * a->n + row, sum = x[0];
                for (int64_t r = 1; r < have; r++)
                    sum += conj(get(t, v, at + r)) * x[r];
                sum *= adjoint ? conj(tau) : tau;
                x[0] -= sum;
                for (int64_t r = 1; r < have; r++)
                    x[r] -= sum * get(t, v, at + r);
            }
        }
    }
}

static double check_case(orr_type t, orr_hb2st_apply_fn *f, int alone, const orr_hb2st_shape *a,
                         int64_t groups, int64_t k, const char *what)
{
    const int64_t n = a->n, lde = n + 3, size = k * lde, g = orr_hb2st_groups(a) > 2;
    const int64_t s0 = g * a->G, s1 = orr_least((g + groups) * a->G, a->sweeps);
    const double eps = t == ORR_S || t == ORR_C ? FLT_EPSILON : DBL_EPSILON;
    char *v = make_reflectors(t, a), *e0 = calloc((size_t)size, bytes_of[t]);
    char *e = malloc((size_t)size * bytes_of[t]), *one = malloc((size_t)size * bytes_of[t]);
    double complex *x = malloc((size_t)(n * k) * sizeof *x);
    const void *of[16];
    double worst = 0;
    uint64_t seed = 17;
    for (int64_t i = 0; i < groups; i++)
        of[i] = v + (size_t)orr_hb2st_v_offset(a, (g + i) * a->G) * bytes_of[t];
    for (int64_t i = 0; i < size; i++)
        put(t, e0, i,
            i % lde < n ? next_uniform(&seed) + (t >= ORR_C ? I * next_uniform(&seed) : 0) : guard);
    for (int adjoint = 0; adjoint < 2; adjoint++) {
        double error = 0, norm = 0;
        int outside = 0;
        for (int64_t i = 0; i < n * k; i++)
            x[i] = get(t, e0, i / n * lde + i % n);
        reference(t, a, s0, s1, v, adjoint, k, x);
        memcpy(e, e0, (size_t)size * bytes_of[t]);
        CHECK(f(a, g, groups, of, adjoint, k, e, lde) == ORR_OK, "%s: status", what);
        for (int64_t i = 0; i < size; i++) {
            const double complex want = i % lde < n ? x[i / lde * n + i % lde] : guard;
            const double complex d = get(t, e, i) - want;
            outside += i % lde >= n && d != 0;
            error += i % lde < n ? creal(d * conj(d)) : 0;
            norm += i % lde < n ? creal(get(t, e0, i) * conj(get(t, e0, i))) : 0;
        }
        error = sqrt(error / norm) / (eps * sqrt((double)n));
        CHECK(error <= LIMIT && !outside, "%s %s: %g, %d outside", what, adjoint ? "Q'E" : "QE",
              error, outside);
        worst = larger(worst, error);
        memcpy(one, e0, (size_t)size * bytes_of[t]);
        for (int64_t c = 0, some; alone && c < k; c += some) {
            some = orr_least(c % 2 ? 3 : 1, k - c);
            f(a, g, groups, of, adjoint, some, one + (size_t)(c * lde) * bytes_of[t], lde);
        }
        CHECK(!alone || !memcmp(one, e, (size_t)size * bytes_of[t]), "%s: columns alone differ",
              what);
    }
    free(v), free(e0), free(e), free(one), free(x);
    return worst;
}

int main(void)
{
    static const struct {
        int64_t n, b, G, groups, k;
    } cases[] = {{61, 8, 7, 9, 5},     {150, 12, 16, 7, 50},  {150, 9, 101, 1, 13},
                 {97, 33, 5, 16, 101}, {40, 39, 8, 5, 1},     {260, 16, 37, 7, 17},
                 {20, 8, 30, 1, 3},    {310, 101, 24, 4, 20}, {9, 8, 3, 2, 2}};
    double worst = 0;
    for (orr_type t = 0; t < ORR_NTYPES; t++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            orr_hb2st_shape a = {
                .n = cases[i].n, .b = cases[i].b, .D = cases[i].n, .G = cases[i].G};
            a.sweeps = orr_hb2st_sweeps(t >= ORR_C, a.n, a.b);
            const int64_t groups =
                orr_least(cases[i].groups, orr_hb2st_groups(&a) - (orr_hb2st_groups(&a) > 2));
            for (int level = -1; level <= lanes_level(); level++) {
                orr_hb2st_apply_fn *f = level < 0 ? products[t] : rows[level][t];
                char what[100];
                snprintf(what, sizeof what, "%c n %d b %d G %d k %d level %d", "sdcz"[t], (int)a.n,
                         (int)a.b, (int)a.G, (int)cases[i].k, level);
                if (f)
                    worst =
                        larger(worst, check_case(t, f, level >= 0, &a, groups, cases[i].k, what));
            }
        }
    printf("product %.2f eps sqrt(n) (limit %g)\n", worst, LIMIT);
    return checked();
}
