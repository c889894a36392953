/* The Fortran LAPACK routines of gesvd. See lapack.h for the conventions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_GESVD_LAPACK_H
#define ORR_CPU_GESVD_LAPACK_H

#include "lapack.h"
#include "merge_lapack.h"

/* bdsqr: uplo, n, ncvt, nru, ncc, d, e, vt, ldvt, u, ldu, c, ldc, work, info
 * bdsdc: uplo, compq, n, d, e, u, ldu, vt, ldvt, q, iq, work, iwork, info */
#define ORR_BIDIAGONAL_ROUTINES(T, bdsqr, bdsdc)                                                   \
    void bdsqr(const char *, const int32_t *, const int32_t *, const int32_t *, const int32_t *,   \
               T *, T *, T *, const int32_t *, T *, const int32_t *, T *, const int32_t *, T *,    \
               int32_t *);                                                                         \
    void bdsdc(const char *, const char *, const int32_t *, T *, T *, T *, const int32_t *, T *,   \
               const int32_t *, T *, int32_t *, T *, int32_t *, int32_t *)
ORR_BIDIAGONAL_ROUTINES(float, sbdsqr_, sbdsdc_);
ORR_BIDIAGONAL_ROUTINES(double, dbdsqr_, dbdsdc_);

/* Divide and conquer. lasdq: uplo, sqre, n, ncvt, nru, ncc, d, e, vt, ldvt, u, ldu, c, ldc, work,
 * info; lasd4: n, i, d, z, delta, rho, sigma, work, info; rot: n, x, incx, y, incy, c, s */
#define ORR_GESVD_MERGE_ROUTINES(T, lasdq, lasd4, rot)                                             \
    void lasdq(const char *, const int32_t *, const int32_t *, const int32_t *, const int32_t *,   \
               const int32_t *, T *, T *, T *, const int32_t *, T *, const int32_t *, T *,         \
               const int32_t *, T *, int32_t *);                                                   \
    void lasd4(const int32_t *, const int32_t *, const T *, const T *, T *, const T *, T *, T *,   \
               int32_t *);                                                                         \
    void rot(const int32_t *, T *, const int32_t *, T *, const int32_t *, const T *, const T *)
ORR_GESVD_MERGE_ROUTINES(float, slasdq_, slasd4_, srot_);
ORR_GESVD_MERGE_ROUTINES(double, dlasdq_, dlasd4_, drot_);

#endif
