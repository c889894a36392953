/* Preloaded: a BLAS whose products have one wrong entry, unless they are small, and whose eigenvectors have one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>

typedef void dgemm_function(const char *, const char *, const int *, const int *, const int *,
                            const double *, const double *, const int *, const double *,
                            const int *, const double *, double *, const int *);

dgemm_function dgemm_;

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc)
{
    static dgemm_function *right;
    if (!right)
        *(void **)&right = dlsym(RTLD_NEXT, "dgemm_");
    right(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (*m > 3 && *n > 3)
        c[1] += 1e-3;
}

typedef void dsyevd_function(const char *, const char *, const int *, double *, const int *,
                             double *, double *, const int *, int *, const int *, int *);

dsyevd_function dsyevd_;

void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info)
{
    static dsyevd_function *right;
    if (!right)
        *(void **)&right = dlsym(RTLD_NEXT, "dsyevd_");
    right(jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info);
    if (*lwork > 0 && *jobz == 'V' && *n > 3)
        a[1] += 1e-6;
}
