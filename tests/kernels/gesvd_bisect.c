/* Bisection of gesvd, without StarPU, for every instruction set.
 *
 *   values     max |w - s| / s / (n eps)  <= 8 with s by LAPACK's bdsqr; matrices that are graded, too
 *   toeplitz   the same against 2 cos(k pi / (2n + 1)), the smallest near pi / 2n: <= 4
 *   range      the same bits whatever the range
 *   piece      the same in all four types (without n in single precision), divided by scale; values
 *              that bisection refuses
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's source, to reach its version for every instruction set. */
#include "level.h"
#include "kernels/cpu/gesvd_bisect.c"
#include "kernels/gesvd.h"
#include "canary.h"
#include "check.h"
#include "larger.h"
#include "numbers.h"
#undef lanes_level

void dbdsqr_(const char *, const int *, const int *, const int *, const int *, double *, double *,
             double *, const int *, double *, const int *, double *, const int *, double *, int *);

static const double LIMIT = 8, TOEPLITZ_LIMIT = 4;

enum kind {
    RANDOM,
    GAUSSIAN,
    GRADED,
    UPWARDS,
    STEEP,
    NOISE,
    ZEROS,
    NO_DIAGONAL,
    DIAGONAL,
    CLUSTERS,
    HUGE_ENTRIES,
    TINY,
    ZERO,
    KINDS
};

static void fill(int kind, int64_t n, double *a, double *b)
{
    uint64_t state = 12345 + (uint64_t)n;
    for (int64_t i = 0; i < n; i++) {
        a[i] = next_uniform(&state);
        b[i] = next_uniform(&state);
        switch (kind) {
        case GAUSSIAN: /* the size of what a random matrix becomes */
            a[i] = sqrt((double)(n - i)) + a[i];
            b[i] = sqrt((double)(n - i)) + b[i];
            break;
        case GRADED: /* to 1e-100 */
            a[i] *= exp2(-330. * (double)i / (double)n);
            b[i] *= exp2(-330. * (double)i / (double)n);
            break;
        case UPWARDS:
            a[i] *= exp2(-330. * (double)(n - i) / (double)n);
            b[i] *= exp2(-330. * (double)(n - i) / (double)n);
            break;
        case STEEP: a[i] = b[i] = exp2(-(double)(i % 390)); break;
        case NOISE: /* a matrix of half the rank */
            if (i > n / 2)
                a[i] *= 1e-17, b[i] *= 1e-17;
            break;
        case ZEROS: /* blocks with and without a zero on the diagonal */
            if (i % 7 == 3)
                a[i] = 0;
            if (i % 5 == 4)
                b[i] = 0;
            break;
        case NO_DIAGONAL: a[i] = 0; break;
        case DIAGONAL: b[i] = 0; break;
        case CLUSTERS: /* nearly the same values in all blocks of 11 */
            a[i] = 1 + (double)(i % 11);
            b[i] = i % 11 == 10 ? 1e-13 : 1;
            break;
        case HUGE_ENTRIES: a[i] *= 1e300, b[i] *= 1e300; break;
        case TINY: a[i] *= 1e-290, b[i] *= 1e-290; break;
        case ZERO: a[i] = b[i] = 0; break;
        default: break;
        }
    }
}

/* Ascending against descending; what is 0 must be 0. */
static double error(int64_t n, const double *w, const double *s)
{
    double worst = 0;
    for (int64_t i = 0; i < n; i++) {
        const double ref = fabs(s[n - 1 - i]), off = fabs(w[i] - ref);
        worst = larger(worst, off == 0 ? 0 : off / ref / DBL_EPSILON);
    }
    return worst / (double)n;
}

static double one(int kind, int64_t n)
{
    const int zero = 0, one = 1, n_ = (int)n;
    double *a = allocate((size_t)n * sizeof *a), *b = allocate((size_t)n * sizeof *b);
    double *w = allocate((size_t)n * sizeof *w), *s = allocate((size_t)n * sizeof *s);
    double *off = allocate((size_t)n * sizeof *off), *part = allocate((size_t)n * sizeof *part);
    double *work = allocate((size_t)(4 * n) * sizeof *work), none;
    int info;
    fill(kind, n, a, b);
    memcpy(s, a, (size_t)n * sizeof *a);
    memcpy(off, b, (size_t)n * sizeof *b);
    dbdsqr_("U", &n_, &zero, &zero, &zero, s, off, &none, &one, &none, &one, &none, &one, work,
            &info);
    const orr_status st = orr_bisect_singular(n, a, b, DBL_EPSILON, 0, n, w);
    const int exact = kind == ZEROS || kind == NO_DIAGONAL; /* bdsqr leaves some rounding */
    if (exact)
        for (int64_t i = 0; i < n; i++)
            s[i] = fabs(s[i]) < 1e-14 * fabs(s[0]) ? 0 : s[i];
    const double worst = error(n, w, s);
    CHECK(st == ORR_OK && info == 0 && worst <= LIMIT, "kind %d n %lld: status %d, info %d, %g",
          kind, (long long)n, st, info, worst);
    CHECK(untouched((char *)(w + n), PAST), "kind %d n %lld: past the end", kind, (long long)n);
    for (int64_t i = 1; i < n; i++)
        CHECK(w[i] >= w[i - 1] * (1 - 4 * DBL_EPSILON), "kind %d n %lld: order at %lld", kind,
              (long long)n, (long long)i);

    const int64_t first = n / 3, count = (n + 3) / 4;
    orr_bisect_singular(n, a, b, DBL_EPSILON, first, count, part);
    CHECK(!memcmp(part, w + first, (size_t)count * sizeof *w) &&
              untouched((char *)(part + count), (size_t)(n - count) * sizeof *w),
          "kind %d n %lld: values %lld..%lld", kind, (long long)n, (long long)first,
          (long long)(first + count - 1));
    free(a), free(b), free(w), free(s), free(off), free(part), free(work);
    return worst;
}

static double toeplitz(int64_t n)
{
    double *a = allocate((size_t)n * sizeof *a), *b = allocate((size_t)n * sizeof *b);
    double *w = allocate((size_t)n * sizeof *w), *s = allocate((size_t)n * sizeof *s);
    for (int64_t i = 0; i < n; i++) {
        a[i] = b[i] = 1;
        /* the i-th from below, by a sine, which has all digits where it is small */
        s[n - 1 - i] = 2 * sin((double)(2 * i + 1) * acos(-1) / 2 / (double)(2 * n + 1));
    }
    orr_bisect_singular(n, a, b, DBL_EPSILON, 0, n, w);
    const double worst = error(n, w, s);
    CHECK(worst <= TOEPLITZ_LIMIT, "toeplitz n %lld: %g", (long long)n, worst);
    free(a), free(b), free(w), free(s);
    return worst;
}

static void refusals(void)
{
    double a[40], b[40], w[40];
    for (int bad = 0; bad < 4; bad++) {
        fill(RANDOM, 40, a, b);
        (bad % 2 ? b : a)[17] = bad / 2 ? INFINITY : NAN;
        CHECK(orr_bisect_singular(40, a, b, DBL_EPSILON, 0, 40, w) == ORR_NOCONV, "bad %d", bad);
    }
    fill(DIAGONAL, 40, a, b);
    a[3] = 1e-200; /* its square is below the range of squares */
    CHECK(orr_bisect_singular(40, a, b, DBL_EPSILON, 0, 9, w) == ORR_RANGE, "1e-200");
    CHECK(orr_bisect_singular(40, a, b, DBL_EPSILON, 32, 8, w) == ORR_OK, "1e-200 elsewhere");
}

/* By types: 2 B, in pieces, against bdsqr's values of B. kind 1: diagonal, with entries far below what
 * bisection takes in double precision. */
static double pieces(orr_type type, int64_t n, int kind)
{
    const int single = type == ORR_S || type == ORR_C;
    const size_t real = single ? sizeof(float) : sizeof(double);
    double *a = allocate((size_t)n * sizeof *a), *b = allocate((size_t)n * sizeof *b);
    char *d = allocate((size_t)n * real), *e = allocate((size_t)n * real);
    char *w = allocate((size_t)n * real);
    const int zero = 0, one = 1, n_ = (int)n;
    double none, *work = allocate((size_t)(4 * n) * sizeof *work), worst = 0;
    int info;
    fill(RANDOM, n, a, b);
    for (int64_t i = 0; i < n; i++) {
        if (kind == 1)
            b[i] = 0, a[i] = i % 3 ? a[i] : single ? 0x1.8p-60 : 0x1.8p-600;
        if (single)
            a[i] = (float)a[i], b[i] = (float)b[i];
        if (single)
            ((float *)d)[i] = (float)(2 * a[i]), ((float *)e)[i] = (float)(2 * b[i]);
        else
            ((double *)d)[i] = 2 * a[i], ((double *)e)[i] = 2 * b[i];
    }
    dbdsqr_("U", &n_, &zero, &zero, &zero, a, b, &none, &one, &none, &one, &none, &one, work,
            &info);
    for (int64_t k = 0; k < n; k += 50) {
        const int64_t count = n - k < 50 ? n - k : 50;
        const orr_status st = orr_gesvd_piece_cpu[type](n, 2, d, e, k, count, w + (size_t)k * real);
        CHECK(st == ORR_OK, "type %d kind %d: status %d", type, kind, st);
    }
    orr_gesvd_descend_cpu[type](n, w);
    for (int64_t i = 0; i < n; i++) {
        const double found = single ? ((float *)w)[i] : ((double *)w)[i];
        const double eps = single ? FLT_EPSILON : DBL_EPSILON, off = fabs(found - a[i]);
        worst = larger(worst, off == 0 ? 0 : off / a[i] / eps / (single ? 1 : (double)n));
    }
    CHECK(info == 0 && worst <= LIMIT, "type %d n %lld kind %d: %g", type, (long long)n, kind,
          worst);
    free(a), free(b), free(d), free(e), free(w), free(work);
    return worst;
}

int main(void)
{
    static const int levels[] = {0, 3, 4};
    static const int64_t n[] = {1, 2, 3, 7, 8, 9, 31, 32, 33, 65, 127, 200, 515, 1000};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        double worst[2] = {0};
        level = levels[k];
        if (forced_level() != level) {
            printf("instruction set v%d: not on this processor\n", level);
            continue;
        }
        for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
            for (int kind = 0; kind < KINDS; kind++)
                worst[0] = larger(worst[0], one(kind, n[i]));
            worst[1] = larger(worst[1], toeplitz(n[i]));
        }
        refusals();
        printf("v%d: values %.3g (limit %g), toeplitz %.3g (limit %g)\n", level, worst[0], LIMIT,
               worst[1], TOEPLITZ_LIMIT);
    }
    double worst = 0;
    for (int type = 0; type < ORR_NTYPES; type++)
        for (int kind = 0; kind < 2; kind++) {
            worst = larger(worst, pieces((orr_type)type, 1, kind));
            worst = larger(worst, pieces((orr_type)type, 131, kind));
        }
    printf("pieces of all types: %.3g (limit %g)\n", worst, LIMIT);
    return checked();
}
