/* The Fortran BLAS and LAPACK routines that the kernels call, with 32-bit integers.
 * Hidden lengths of character arguments are left out, as callers in C commonly do:
 * every such argument is one character, and BLAS and LAPACK look at nothing more.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_LAPACK_H
#define ORR_CPU_LAPACK_H

#include <complex.h>
#include <stdint.h>

/* C := alpha op(A) op(B) + beta C */
void sgemm_(const char *, const char *, const int32_t *, const int32_t *, const int32_t *,
            const float *, const float *, const int32_t *, const float *, const int32_t *,
            const float *, float *, const int32_t *);
void dgemm_(const char *, const char *, const int32_t *, const int32_t *, const int32_t *,
            const double *, const double *, const int32_t *, const double *, const int32_t *,
            const double *, double *, const int32_t *);
void cgemm_(const char *, const char *, const int32_t *, const int32_t *, const int32_t *,
            const float _Complex *, const float _Complex *, const int32_t *, const float _Complex *,
            const int32_t *, const float _Complex *, float _Complex *, const int32_t *);
void zgemm_(const char *, const char *, const int32_t *, const int32_t *, const int32_t *,
            const double _Complex *, const double _Complex *, const int32_t *,
            const double _Complex *, const int32_t *, const double _Complex *, double _Complex *,
            const int32_t *);

/* jobz, uplo, n, a, lda, w, work, lwork, [rwork, lrwork,] iwork, liwork, info */
void ssyevd_(const char *, const char *, const int32_t *, float *, const int32_t *, float *,
             float *, const int32_t *, int32_t *, const int32_t *, int32_t *);
void dsyevd_(const char *, const char *, const int32_t *, double *, const int32_t *, double *,
             double *, const int32_t *, int32_t *, const int32_t *, int32_t *);
void cheevd_(const char *, const char *, const int32_t *, float _Complex *, const int32_t *,
             float *, float _Complex *, const int32_t *, float *, const int32_t *, int32_t *,
             const int32_t *, int32_t *);
void zheevd_(const char *, const char *, const int32_t *, double _Complex *, const int32_t *,
             double *, double _Complex *, const int32_t *, double *, const int32_t *, int32_t *,
             const int32_t *, int32_t *);

/* The routine for the scalar type of the last kernels/as_?.h: LAPACK(gemm_) is dgemm_
 * after as_d.h, and heevd goes by the name syevd where the type is real. */
#define LAPACK_PASTE(t, name) t##name
#define LAPACK_s(name)        LAPACK_PASTE(s, name)
#define LAPACK_d(name)        LAPACK_PASTE(d, name)
#define LAPACK_c(name)        LAPACK_PASTE(c, name)
#define LAPACK_z(name)        LAPACK_PASTE(z, name)
#define LAPACK(name)          FN(LAPACK)(name)

#endif
