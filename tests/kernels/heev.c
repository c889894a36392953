/* Bisection of heev, without StarPU, for every instruction set.
 *
 *   values     max |w - w_sterf| / (n eps |T|_inf)  <= 20, LAPACK's QL
 *   toeplitz   the same against 2 - 2 cos(k pi / (n + 1))
 *   range      the same bits whatever the range
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's source, to reach its version for every instruction set. */
#include "level.h"
#include "kernels/cpu/heev_bisect.c"
#include "canary.h"
#include "check.h"
#include "larger.h"
#include "numbers.h"
#undef lanes_level

void dsterf_(const int32_t *, double *, double *, int32_t *);

static const double LIMIT = 20;

enum kind {
    RANDOM,
    GAUSSIAN,
    WILKINSON,
    GRADED,
    DIAGONAL,
    BLOCKS,
    HUGE_ENTRIES,
    TINY,
    ZERO,
    KINDS
};

static void fill(int kind, int64_t n, double *d, double *e)
{
    uint64_t state = 12345 + (uint64_t)n;
    for (int64_t i = 0; i < n; i++) {
        d[i] = next_uniform(&state);
        e[i] = next_uniform(&state);
        switch (kind) {
        case GAUSSIAN: /* the size of what a random Hermitian matrix becomes */
            d[i] /= 30;
            e[i] = sqrt((double)(n - i) / (double)n);
            break;
        case WILKINSON: /* pairs that agree to more digits than there are */
            d[i] = fabs((double)i - (double)(n - 1) / 2);
            e[i] = 1;
            break;
        case GRADED:
            d[i] *= ldexp(1, (int)(-i / 4));
            e[i] = 1e-3 * d[i];
            break;
        case DIAGONAL: e[i] = 0; break;
        case BLOCKS: /* 21 values each, nearly the same in all of them */
            d[i] = fabs((double)(i % 21) - 10);
            e[i] = i % 21 == 20 ? 1e-13 : 1;
            break;
        case HUGE_ENTRIES: d[i] *= 1e300, e[i] *= 1e300; break;
        case TINY: d[i] *= 1e-300, e[i] *= 1e-300; break;
        case ZERO: d[i] = e[i] = 0; break;
        default: break;
        }
    }
}

static double norm(int64_t n, const double *d, const double *e)
{
    double top = 0;
    for (int64_t i = 0; i < n; i++)
        top = fmax(top, fabs(d[i]) + (i ? fabs(e[i - 1]) : 0) + (i + 1 < n ? fabs(e[i]) : 0));
    return top;
}

static double error(int64_t n, double top, const double *w, const double *ref)
{
    double worst = 0;
    for (int64_t i = 0; i < n; i++)
        worst = larger(worst, fabs(w[i] - ref[i]));
    return top > 0 ? worst / top / (double)n / DBL_EPSILON : worst;
}

static double one(int kind, int64_t n)
{
    double *d = allocate((size_t)n * sizeof *d), *e = allocate((size_t)n * sizeof *e);
    double *w = allocate((size_t)n * sizeof *w), *ref = allocate((size_t)n * sizeof *ref);
    double *off = allocate((size_t)n * sizeof *off), *part = allocate((size_t)n * sizeof *part);
    int32_t info, n_ = (int32_t)n;
    fill(kind, n, d, e);
    memcpy(ref, d, (size_t)n * sizeof *d);
    memcpy(off, e, (size_t)n * sizeof *e);
    dsterf_(&n_, ref, off, &info);
    const orr_status st = orr_bisect_values(n, d, e, DBL_EPSILON, 0, n, w);
    const double worst = error(n, norm(n, d, e), w, ref);
    CHECK(st == ORR_OK && info == 0 && worst <= LIMIT, "kind %d n %lld: status %d, %g", kind,
          (long long)n, st, worst);
    CHECK(untouched((char *)(w + n), PAST), "kind %d n %lld: past the end", kind, (long long)n);

    const int64_t first = n / 3, count = (n + 3) / 4;
    orr_bisect_values(n, d, e, DBL_EPSILON, first, count, part);
    CHECK(!memcmp(part, w + first, (size_t)count * sizeof *w) &&
              untouched((char *)(part + count), (size_t)(n - count) * sizeof *w),
          "kind %d n %lld: values %lld..%lld", kind, (long long)n, (long long)first,
          (long long)(first + count - 1));
    free(d), free(e), free(w), free(ref), free(off), free(part);
    return worst;
}

static double toeplitz(int64_t n)
{
    double *d = allocate((size_t)n * sizeof *d), *e = allocate((size_t)n * sizeof *e);
    double *w = allocate((size_t)n * sizeof *w), *ref = allocate((size_t)n * sizeof *ref);
    for (int64_t i = 0; i < n; i++) {
        d[i] = 2, e[i] = -1;
        const double s = sin((double)(i + 1) * acos(-1) / 2 / (double)(n + 1));
        ref[i] = 4 * s * s;
    }
    orr_bisect_values(n, d, e, DBL_EPSILON, 0, n, w);
    const double worst = error(n, 4, w, ref);
    CHECK(worst <= LIMIT, "toeplitz n %lld: %g", (long long)n, worst);
    free(d), free(e), free(w), free(ref);
    return worst;
}

static void refusals(void)
{
    double d[40], e[40], w[40];
    for (int bad = 0; bad < 2; bad++) {
        fill(RANDOM, 40, d, e);
        (bad ? e : d)[17] = bad ? INFINITY : NAN;
        CHECK(orr_bisect_values(40, d, e, DBL_EPSILON, 0, 40, w) == ORR_NOCONV, "bad %d", bad);
    }
}

int main(void)
{
    static const int levels[] = {0, 3, 4};
    static const int64_t n[] = {1, 2, 3, 7, 8, 9, 15, 31, 32, 33, 63, 65, 129, 300, 515};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        double worst[2] = {0};
        level = levels[k];
        if (forced_level() != level) {
            printf("instruction set v%d: not on this processor\n", level);
            continue;
        }
        for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
            for (int kind = 0; kind < KINDS; kind++)
                worst[0] = fmax(worst[0], one(kind, n[i]));
            worst[1] = fmax(worst[1], toeplitz(n[i]));
        }
        refusals();
        printf("v%d: values %.3g, toeplitz %.3g (limit %g)\n", level, worst[0], worst[1], LIMIT);
    }
    return checked();
}
