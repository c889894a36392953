/* The Fortran BLAS and LAPACK routines of heev. See lapack.h for the conventions; SYRK's relatives
 * are the Hermitian ones where the type is complex.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_HEEV_LAPACK_H
#define ORR_CPU_HEEV_LAPACK_H

#include "gesvj_lapack.h"
#include "lapack.h"
#include "merge_lapack.h"

#define ORR_HEEV_ROUTINES(T, R, symm, syr2k, trmm, larft)                                          \
    void symm(const char *, const char *, const int32_t *, const int32_t *, const T *, const T *,  \
              const int32_t *, const T *, const int32_t *, const T *, T *, const int32_t *);       \
    void syr2k(const char *, const char *, const int32_t *, const int32_t *, const T *, const T *, \
               const int32_t *, const T *, const int32_t *, const R *, T *, const int32_t *);      \
    void trmm(const char *, const char *, const char *, const char *, const int32_t *,             \
              const int32_t *, const T *, const T *, const int32_t *, T *, const int32_t *);       \
    void larft(const char *, const char *, const int32_t *, const int32_t *, const T *,            \
               const int32_t *, const T *, T *, const int32_t *)
ORR_HEEV_ROUTINES(float, float, ssymm_, ssyr2k_, strmm_, slarft_);
ORR_HEEV_ROUTINES(double, double, dsymm_, dsyr2k_, dtrmm_, dlarft_);
ORR_HEEV_ROUTINES(float _Complex, float, chemm_, cher2k_, ctrmm_, clarft_);
ORR_HEEV_ROUTINES(double _Complex, double, zhemm_, zher2k_, ztrmm_, zlarft_);

/* QR by blocks of columns: m, n, nb, a, lda, t, ldt, work, info */
void sgeqrt_(const int32_t *, const int32_t *, const int32_t *, float *, const int32_t *, float *,
             const int32_t *, float *, int32_t *);
void dgeqrt_(const int32_t *, const int32_t *, const int32_t *, double *, const int32_t *, double *,
             const int32_t *, double *, int32_t *);

/* All eigenvalues of a tridiagonal matrix: n, d, e, info */
void ssterf_(const int32_t *, float *, float *, int32_t *);
void dsterf_(const int32_t *, double *, double *, int32_t *);
/* ... and vectors: compz, n, d, e, z, ldz, work, lwork, iwork, liwork, info */
void sstedc_(const char *, const int32_t *, float *, float *, float *, const int32_t *, float *,
             const int32_t *, int32_t *, const int32_t *, int32_t *);
void dstedc_(const char *, const int32_t *, double *, double *, double *, const int32_t *, double *,
             const int32_t *, int32_t *, const int32_t *, int32_t *);
/* Vectors of given values by inverse iteration: n, d, e, m, w, iblock, isplit, z, ldz, work, iwork,
 * ifail, info */
void sstein_(const int32_t *, const float *, const float *, const int32_t *, const float *,
             const int32_t *, const int32_t *, float *, const int32_t *, float *, int32_t *,
             int32_t *, int32_t *);
void dstein_(const int32_t *, const double *, const double *, const int32_t *, const double *,
             const int32_t *, const int32_t *, double *, const int32_t *, double *, int32_t *,
             int32_t *, int32_t *);

/* Divide and conquer. laed4: n, i, d, z, delta, rho, dlam, info; rot: n, x, incx, y, incy, c, s */
#define ORR_HEEV_MERGE_ROUTINES(T, laed4, rot)                                                     \
    void laed4(const int32_t *, const int32_t *, const T *, const T *, T *, const T *, T *,        \
               int32_t *);                                                                         \
    void rot(const int32_t *, T *, const int32_t *, T *, const int32_t *, const T *, const T *)
ORR_HEEV_MERGE_ROUTINES(float, slaed4_, srot_);
ORR_HEEV_MERGE_ROUTINES(double, dlaed4_, drot_);

#endif
