/* See hermband.h. SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/hermband.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void zheevd_(const char *, const char *, const int *, double complex *, const int *, double *,
             double complex *, const int *, double *, const int *, int *, const int *, int *);
void dsterf_(const int *, double *, double *, int *);

enum {
    RANDOM,
    ZERO,
    DIAGONAL,
    TRIDIAGONAL,
    BLOCKS,
    RANK_ONE,
    GRADED,
    LAPLACE,
    HUGE_,
    TINY_,
    DENORMAL,
    KINDS
};
static const char *const names[KINDS] = {[RANDOM] = "random",     [ZERO] = "zero",
                                         [DIAGONAL] = "diagonal", [TRIDIAGONAL] = "tridiagonal",
                                         [BLOCKS] = "blocks",     [RANK_ONE] = "rank one",
                                         [GRADED] = "graded",     [LAPLACE] = "laplace",
                                         [HUGE_] = "huge",        [TINY_] = "tiny",
                                         [DENORMAL] = "denormal"};

int band_kinds(void) { return KINDS; }
const char *band_kind_name(int kind) { return names[kind]; }

static int is_single(orr_type t) { return t == ORR_S || t == ORR_C; }

static double complex entry(rng *r, int kind, orr_type t, int64_t n, int64_t b, int64_t i,
                            int64_t j)
{
    const double x = rng_uniform(r), y = rng_uniform(r);
    const double complex z = is_complex(t) && i != j ? x + I * y : x;
    switch (kind) {
    case ZERO: return 0;
    case DIAGONAL: return i == j ? z : 0;
    case TRIDIAGONAL: return i - j <= 1 ? z : 0;
    case BLOCKS: /* of b rows, which is also what a hop owns */
        return i / (b > 1 ? b : 2) == j / (b > 1 ? b : 2) ? z : 0;
    case RANK_ONE: /* of ones where the band is */ return 1;
    case GRADED:
        return z * pow(10, -(is_single(t) ? 20.0 : 120.0) * (double)(i + j) / (double)(2 * n));
    case LAPLACE: /* many equal eigenvalues and exact zeros */
        return i == j ? 4 : i - j == 1 || i - j == b ? -1 : 0;
    case HUGE_: return z * (is_single(t) ? 1e34 : 1e300);
    case TINY_: return z * (is_single(t) ? 1e-34 : 1e-300);
    case DENORMAL: return z * (is_single(t) ? 1e-39 : 1e-311);
    default: return z;
    }
}

void band_fill(rng *r, int kind, orr_type t, int64_t n, int64_t b, double complex *a)
{
    for (int64_t i = 0; i < n * n; i++)
        a[i] = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n && i <= j + b; i++) {
            double complex z = 0;
            put(t, &z, 0, entry(r, kind, t, n, b, i, j));
            z = get(t, &z, 0);
            a[j * n + i] = z;
            a[i * n + j] = conj(z);
        }
}

void band_pack(orr_type t, char uplo, int64_t n, int64_t b, const double complex *a, void *ab,
               int64_t ldab)
{
    for (int64_t k = 0; k < ldab * n; k++)
        put(t, ab, k, NAN + I * NAN);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = uplo == 'L' ? i - j : b + i - j;
            if (i - j > b || j - i > b || (uplo == 'L' ? i < j : i > j))
                continue;
            double complex z = a[j * n + i];
            if (i == j)
                z = CMPLX(creal(z), NAN);
            put(t, ab, j * ldab + at, z);
        }
}

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p)
        exit(99);
    return p;
}

void band_values(int64_t n, const double complex *a, double *w)
{
    if (n == 0)
        return;
    int ni = (int)n, one = 1, lwork = ni + 1, lrwork = ni + 1, info, iwork;
    double complex *z = allocate((size_t)(n * n) * sizeof *z);
    double complex *work = allocate((size_t)lwork * sizeof *work);
    double *rwork = allocate((size_t)lrwork * sizeof *rwork);
    for (int64_t i = 0; i < n * n; i++)
        z[i] = a[i];
    zheevd_("N", "L", &ni, z, &ni, w, work, &lwork, rwork, &lrwork, &iwork, &one, &info);
    free(z);
    free(work);
    free(rwork);
}

void tridiagonal_values(orr_type t, int64_t n, const void *d, const void *e, double *w)
{
    double *off = allocate((size_t)n * sizeof *off);
    int ni = (int)n, info;
    for (int64_t i = 0; i < n; i++)
        w[i] = creal(get(orr_type_real(t), d, i));
    for (int64_t i = 0; i + 1 < n; i++)
        off[i] = creal(get(orr_type_real(t), e, i));
    if (n > 0)
        dsterf_(&ni, w, off, &info);
    free(off);
}

double band_residual(orr_type t, int64_t n, const double complex *a, const void *d, const void *e,
                     const void *q, int64_t ldq)
{
    /* in units of the largest entry, so that squares neither over- nor underflow */
    double top = 0, sum = 0, norm = 0;
    for (int64_t i = 0; i < n * n; i++)
        top = fmax(top, cabs(a[i]));
    const double unit = top > 0 ? top : 1;
    const orr_type rt = orr_type_real(t);
    for (int64_t j = 0; j < n; j++) {
        const double dj = creal(get(rt, d, j)) / unit;
        const double before = j > 0 ? creal(get(rt, e, j - 1)) / unit : 0;
        const double after = j + 1 < n ? creal(get(rt, e, j)) / unit : 0;
        for (int64_t i = 0; i < n; i++) {
            double complex x = -dj * get(t, q, j * ldq + i);
            if (j > 0)
                x -= before * get(t, q, (j - 1) * ldq + i);
            if (j + 1 < n)
                x -= after * get(t, q, (j + 1) * ldq + i);
            for (int64_t k = 0; k < n; k++)
                if (a[k * n + i] != 0)
                    x += a[k * n + i] / unit * get(t, q, j * ldq + k);
            sum += creal(x * conj(x));
            norm += pow(cabs(a[j * n + i]) / unit, 2);
        }
    }
    return n ? sqrt(sum / (norm > 0 ? norm : 1)) / ((double)n * orr_type_eps(t)) : 0;
}
