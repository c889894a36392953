/* The phases that make a complex bidiagonal matrix real (gb2bd_vectors), of entries of all sizes, down to the
 * smallest numbers and zeros, by one task or several.
 *
 *   |left_i| = |right_i| = 1                                       to 4 eps
 *   d_i = left_i |d_i| conj(right_i), e_i = left_i |e_i| conj(right_i+1)   to 8 eps and a grid step
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "kernels/gb2bd.h"
#include "larger.h"
#include "numbers.h"

enum { N = 37 };

static orr_type real_of(orr_type t) { return t == ORR_C ? ORR_S : ORR_D; }

static double complex entry(orr_type t, const orr_gb2bd_band *g, const void *block, int64_t i,
                            int64_t above)
{
    const orr_type real = real_of(t);
    const int64_t at = i * g->ld + g->low + above;
    return CMPLX(creal(get(real, block, at)), creal(get(real, block, at + g->plane)));
}

/* |x - unit |x||, in units of its size and of the smallest number. */
static double off(orr_type t, double complex x, double complex unit)
{
    const double size = hypot(creal(x), cimag(x)),
                 grid = real_of(t) == ORR_S ? 0x1p-149 : 0x1p-1074;
    const double complex by = CMPLX(creal(unit) * size, cimag(unit) * size);
    const double apart = hypot(creal(x) - creal(by), cimag(x) - cimag(by));
    return fmax(apart - 2 * grid, 0) / fmax(size, grid);
}

static void one(orr_type t, int kind, int64_t count)
{
    const orr_gb2bd_band g = orr_gb2bd_layout(t, N, N, 0, 4, 4);
    const int least = real_of(t) == ORR_S ? -149 : -1074;
    const size_t real = t == ORR_C ? sizeof(float) : sizeof(double);
    char *block = aligned_alloc(64, ((size_t)(N * g.ld) * real + 63) / 64 * 64);
    double complex left[N], right[N];
    uint64_t state = 5 + (uint64_t)kind;
    const double eps = t == ORR_C ? FLT_EPSILON : DBL_EPSILON;
    double units = 0, entries = 0;
    for (int64_t i = 0; i < N * g.ld; i++) {
        const double x = next_signed(&state);
        const int power = kind == 0   ? 0
                          : kind == 1 ? least + 1 + (int)(i % 70)
                                      : (int)(i % 5) * least / 5;
        put(real_of(t), block, i, kind == 3 && i % 3 ? 0 : ldexp(x, power));
    }
    for (int64_t i = 0; i < N; i += count)
        orr_gb2bd_phases_cpu[t](&g, i, count, block + (size_t)(i * g.ld) * real, left, right);
    for (int64_t i = 0; i < N; i++) {
        const double complex l = get(t, left, i), r = get(t, right, i);
        units = larger(units, larger(fabs(cabs(l) - 1), fabs(cabs(r) - 1)));
        entries = larger(entries, off(t, entry(t, &g, block, i, 0), l * conj(r)));
        if (i + 1 < N)
            entries =
                larger(entries, off(t, entry(t, &g, block, i, 1), l * conj(get(t, right, i + 1))));
    }
    /* products of units on end: N of them */
    CHECK(units <= 4 * N * eps && entries <= 8 * N * eps,
          "type %d, kind %d, %d at a time: units %g eps, entries %g eps", (int)t, kind, (int)count,
          units / eps, entries / eps);
    free(block);
}

int main(void)
{
    for (orr_type t = ORR_C; t <= ORR_Z; t++)
        for (int kind = 0; kind < 4; kind++)
            for (int64_t count = 1; count <= N; count += 12)
                one(t, kind, count);
    return checked();
}
