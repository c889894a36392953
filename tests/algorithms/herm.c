/* See herm.h. SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/herm.h"
#include "larger.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void zheevd_(const char *, const char *, const int *, double complex *, const int *, double *,
             double complex *, const int *, double *, const int *, int *, const int *, int *);

double rng_uniform(rng *r) { return next_uniform(&r->state); }

int64_t rng_below(rng *r, int64_t bound)
{
    int64_t x = (int64_t)((rng_uniform(r) + 1) * 0.5 * (double)bound);
    return x < bound ? x : bound - 1;
}

void random_hermitian(rng *r, orr_type t, char uplo, int64_t n, void *a, int64_t ld)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < ld; i++) {
            int stored = i < n && (uplo == 'L' ? i >= j : i <= j);
            double re = rng_uniform(r), im = i == j ? 0 : rng_uniform(r);
            put(t, a, j * ld + i, stored ? re + I * im : NAN);
        }
}

/* Entry (i,j) of the matrix of which only a triangle is stored. */
static double complex entry(orr_type t, char uplo, const void *a, int64_t ld, int64_t i, int64_t j)
{
    int stored = uplo == 'L' ? i >= j : i <= j;
    double complex x = stored ? get(t, a, j * ld + i) : conj(get(t, a, i * ld + j));
    return i == j ? creal(x) : x;
}

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) {
        fprintf(stderr, "out of memory in a test\n");
        exit(99);
    }
    return p;
}

void reference_values(orr_type t, char uplo, int64_t n, const void *a, int64_t ld, double *w)
{
    if (n == 0)
        return;
    int ni = (int)n, one = 1, lwork = ni + 1, lrwork = ni + 1, info;
    double complex *z = allocate((size_t)(n * n) * sizeof *z);
    double complex *work = allocate((size_t)lwork * sizeof *work);
    double *rwork = allocate((size_t)lrwork * sizeof *rwork);
    int iwork;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            z[j * n + i] = entry(t, uplo, a, ld, i, j);
    zheevd_("N", "L", &ni, z, &ni, w, work, &lwork, rwork, &lrwork, &iwork, &one, &info);
    if (info != 0) {
        fprintf(stderr, "zheevd: info %d\n", info);
        exit(99);
    }
    free(z);
    free(work);
    free(rwork);
}

double value_error(orr_type t, int64_t n, const void *w, const double *ref)
{
    double top = 0, worst = 0;
    for (int64_t i = 0; i < n; i++)
        top = fmax(top, fabs(ref[i]));
    for (int64_t i = 0; i < n; i++) {
        double e = fabs(creal(get(orr_type_real(t), w, i)) - ref[i]);
        worst = larger(worst, e);
    }
    return top > 0 ? worst / ((double)n * orr_type_eps(t) * top) : worst;
}

double residual(orr_type t, char uplo, int64_t n, const void *a, int64_t lda, const void *q,
                int64_t ldq, const void *w)
{
    double sum = 0, norm = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double complex x = -creal(get(orr_type_real(t), w, j)) * get(t, q, j * ldq + i);
            for (int64_t k = 0; k < n; k++)
                x += entry(t, uplo, a, lda, i, k) * get(t, q, j * ldq + k);
            sum += creal(x * conj(x));
            norm += pow(cabs(entry(t, uplo, a, lda, i, j)), 2);
        }
    return n && norm > 0 ? sqrt(sum / norm) / ((double)n * orr_type_eps(t)) : 0;
}

double orthogonality_of(orr_type t, int64_t n, int64_t columns, const void *q, int64_t ldq)
{
    double sum = 0;
    for (int64_t i = 0; i < columns; i++)
        for (int64_t j = 0; j < columns; j++) {
            double complex x = i == j ? -1 : 0;
            for (int64_t k = 0; k < n; k++)
                x += conj(get(t, q, i * ldq + k)) * get(t, q, j * ldq + k);
            sum += creal(x * conj(x));
        }
    return n ? sqrt(sum) / ((double)n * orr_type_eps(t)) : 0;
}

double orthogonality(orr_type t, int64_t n, const void *q, int64_t ldq)
{
    return orthogonality_of(t, n, n, q, ldq);
}
