/* Preloaded: a BLAS whose products have one wrong entry, unless they are small.
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
