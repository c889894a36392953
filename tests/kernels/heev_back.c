/* The back-transformation of heev's direct reduction, for every instruction set of this machine,
 * against its contract: random reflectors, applied one after the other in double.
 *
 *   product    |E - H .. H E0|_F / (eps sqrt(n) |E0|_F)                                      <= 4
 *   columns    one at a time, or three: the same bits as all of them
 *   outside    rows from n on, and columns behind E, are not touched
 *
 * SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's source, to reach its version for every instruction set. */
#include "level.h"
#include "kernels/cpu/heev_back.c"
#undef lanes_level

#include <stdio.h>

#include "canary.h"
#include "check.h"
#include "numbers.h"

static const double LIMIT = 4;
static const size_t bytes_of[ORR_NTYPES] = {4, 8, 8, 16};

static double complex number(orr_type t, uint64_t *state)
{
    const double re = next_uniform(state);
    return t >= ORR_C ? re + I * next_uniform(state) : re;
}

/* Below the diagonal, tau at its head; on and above it are numbers that must not matter. Every ninth
 * reflector is I. */
static char *make_reflectors(orr_type t, int64_t n, int64_t ld)
{
    char *b = allocate((size_t)(n * ld) * bytes_of[t]);
    uint64_t state = 5;
    for (int64_t s = 0; s < n; s++) {
        double sum = 1;
        for (int64_t r = 0; r < n; r++) {
            put(t, b, s * ld + r, number(t, &state));
            const double size = cabs(get(t, b, s * ld + r));
            sum += r > s + 1 ? size * size : 0;
        }
        const double complex turn = t >= ORR_C ? cexp(I * next_uniform(&state)) : 1;
        if (s + 1 < n)
            put(t, b, s * ld + s + 1, s % 9 == 4 ? 0 : (1 + turn) / sum);
    }
    return b;
}

/* One reflector after the other, the last one first. */
static void reference(orr_type t, int64_t n, int64_t ld, const char *b, double complex *x)
{
    for (int64_t s = n - 2; s >= 0; s--) {
        double complex sum = x[s + 1];
        for (int64_t r = s + 2; r < n; r++)
            sum += conj(get(t, b, s * ld + r)) * x[r];
        sum *= get(t, b, s * ld + s + 1);
        x[s + 1] -= sum;
        for (int64_t r = s + 2; r < n; r++)
            x[r] -= sum * get(t, b, s * ld + r);
    }
}

static double one(orr_type t, int64_t n, int64_t k)
{
    const int64_t ld = n + 1, lde = n + 3;
    const size_t bytes = (size_t)(k * lde) * bytes_of[t], column = (size_t)lde * bytes_of[t];
    const double eps = t == ORR_S || t == ORR_C ? FLT_EPSILON : DBL_EPSILON;
    char *b = make_reflectors(t, n, ld), *e = allocate(bytes), *apart = allocate(bytes);
    double complex *x = malloc((size_t)(n * k) * sizeof *x);
    uint64_t state = 17;
    for (int64_t c = 0; c < k; c++)
        for (int64_t r = 0; r < n; r++) {
            put(t, e, c * lde + r, number(t, &state));
            x[c * n + r] = get(t, e, c * lde + r);
        }
    memcpy(apart, e, bytes);
    const orr_heev_reduction g = {.type = t, .n = n, .ld = ld, .b = b};
    CHECK(orr_heev_back_cpu(&g, k, e, lde) == ORR_OK, "back");
    for (int64_t c = 0, w; c < k; c += w) {
        w = c % 2 && c + 3 <= k ? 3 : 1;
        CHECK(orr_heev_back_cpu(&g, w, apart + (size_t)c * column, lde) == ORR_OK, "back");
    }
    CHECK(!memcmp(e, apart, bytes), "type %d n %lld, %lld columns: other bits", t, (long long)n,
          (long long)k);
    double error = 0, size = 0;
    for (int64_t c = 0; c < k; c++) {
        double complex *column_c = x + c * n;
        for (int64_t r = 0; r < n; r++)
            size += creal(column_c[r] * conj(column_c[r]));
        reference(t, n, ld, b, column_c);
        for (int64_t r = 0; r < n; r++) {
            const double complex off = get(t, e, c * lde + r) - column_c[r];
            error += creal(off * conj(off));
        }
        CHECK(untouched(e + (size_t)c * column + (size_t)n * bytes_of[t], 3 * bytes_of[t]),
              "type %d n %lld: written behind column %lld", t, (long long)n, (long long)c);
    }
    CHECK(untouched(e + bytes, PAST), "type %d n %lld: written behind E", t, (long long)n);
    free(b), free(e), free(apart), free(x);
    return sqrt(error / size) / (eps * sqrt((double)n));
}

int main(void)
{
    static const int levels[] = {4, 3, 0};
    static const int64_t cases[][2] = {{1, 3},   {2, 1},   {3, 5},   {7, 7},    {8, 25},
                                       {9, 24},  {33, 48}, {96, 49}, {97, 10},  {98, 260},
                                       {193, 7}, {195, 1}, {300, 4}, {401, 33}, {257, 491}};
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        level = levels[l];
        if (forced_level() != level) {
            printf("instruction set v%d: not on this processor\n", level);
            continue;
        }
        for (int t = 0; t < ORR_NTYPES; t++) {
            double worst = 0;
            for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                const double off = one((orr_type)t, cases[i][0], cases[i][1]);
                CHECK(off <= LIMIT, "v%d %c n %lld, %lld columns: %g", level, "sdcz"[t],
                      (long long)cases[i][0], (long long)cases[i][1], off);
                worst = fmax(worst, off);
            }
            printf("v%d %c: product %.3g (limit %g)\n", level, "sdcz"[t], worst, LIMIT);
        }
    }
    return checked();
}
