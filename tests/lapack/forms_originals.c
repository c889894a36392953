/* A LAPACK whose names have the other three forms, for forms.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>

#define API __attribute__((visibility("default")))

void dsyevd_(const char *, const char *, const int32_t *, double *, const int32_t *, double *,
             double *, const int32_t *, int32_t *, const int32_t *, int32_t *);
API void scipy_dsyevd_(const char *, const char *, const int32_t *, double *, const int32_t *,
                       double *, double *, const int32_t *, int32_t *, const int32_t *, int32_t *);
API void dsyevd_64_(const char *, const char *, const int64_t *, double *, const int64_t *,
                    double *, double *, const int64_t *, int64_t *, const int64_t *, int64_t *);
API void scipy_dsyevd_64_(const char *, const char *, const int64_t *, double *, const int64_t *,
                          double *, double *, const int64_t *, int64_t *, const int64_t *,
                          int64_t *);

void scipy_dsyevd_(const char *jobz, const char *uplo, const int32_t *n, double *a,
                   const int32_t *lda, double *w, double *work, const int32_t *lwork,
                   int32_t *iwork, const int32_t *liwork, int32_t *info)
{
    dsyevd_(jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info);
}

void dsyevd_64_(const char *jobz, const char *uplo, const int64_t *n, double *a, const int64_t *lda,
                double *w, double *work, const int64_t *lwork, int64_t *iwork,
                const int64_t *liwork, int64_t *info)
{
    const int32_t narrow[] = {(int32_t)*n, (int32_t)*lda, (int32_t)*lwork, (int32_t)*liwork};
    int32_t result;
    dsyevd_(jobz, uplo, &narrow[0], a, &narrow[1], w, work, &narrow[2], (int32_t *)iwork,
            &narrow[3], &result);
    iwork[0] = *(int32_t *)iwork;
    *info = result;
}

void scipy_dsyevd_64_(const char *jobz, const char *uplo, const int64_t *n, double *a,
                      const int64_t *lda, double *w, double *work, const int64_t *lwork,
                      int64_t *iwork, const int64_t *liwork, int64_t *info)
{
    dsyevd_64_(jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info);
}
