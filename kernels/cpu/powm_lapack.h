/* The Fortran BLAS and LAPACK routines of powm_krylov. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_POWM_LAPACK_H
#define ORR_CPU_POWM_LAPACK_H

#include "lapack.h"

/* y := alpha op(A) x + beta y */
void sgemv_(const char *, const int32_t *, const int32_t *, const float *, const float *,
            const int32_t *, const float *, const int32_t *, const float *, float *,
            const int32_t *);
void dgemv_(const char *, const int32_t *, const int32_t *, const double *, const double *,
            const int32_t *, const double *, const int32_t *, const double *, double *,
            const int32_t *);
void cgemv_(const char *, const int32_t *, const int32_t *, const float _Complex *,
            const float _Complex *, const int32_t *, const float _Complex *, const int32_t *,
            const float _Complex *, float _Complex *, const int32_t *);
void zgemv_(const char *, const int32_t *, const int32_t *, const double _Complex *,
            const double _Complex *, const int32_t *, const double _Complex *, const int32_t *,
            const double _Complex *, double _Complex *, const int32_t *);

/* Schur form: jobvs, sort, select, n, a, lda, sdim, w..., vs, ldvs, work, lwork, [rwork,]
 * bwork, info */
void dgees_(const char *, const char *, int32_t (*)(const double *, const double *),
            const int32_t *, double *, const int32_t *, int32_t *, double *, double *, double *,
            const int32_t *, double *, const int32_t *, int32_t *, int32_t *);
void zgees_(const char *, const char *, int32_t (*)(const double _Complex *), const int32_t *,
            double _Complex *, const int32_t *, int32_t *, double _Complex *, double _Complex *,
            const int32_t *, double _Complex *, const int32_t *, double *, int32_t *, int32_t *);
/* Moves a diagonal block: compq, n, t, ldt, q, ldq, ifst, ilst, [work,] info */
void dtrexc_(const char *, const int32_t *, double *, const int32_t *, double *, const int32_t *,
             int32_t *, int32_t *, double *, int32_t *);
void ztrexc_(const char *, const int32_t *, double _Complex *, const int32_t *, double _Complex *,
             const int32_t *, const int32_t *, const int32_t *, int32_t *);
/* Eigenvectors of a Schur form: side, howmny, select, n, t, ldt, vl, ldvl, vr, ldvr, mm, m,
 * work, [rwork,] info */
void dtrevc_(const char *, const char *, const int32_t *, const int32_t *, const double *,
             const int32_t *, double *, const int32_t *, double *, const int32_t *, const int32_t *,
             int32_t *, double *, int32_t *);
void ztrevc_(const char *, const char *, const int32_t *, const int32_t *, double _Complex *,
             const int32_t *, double _Complex *, const int32_t *, double _Complex *,
             const int32_t *, const int32_t *, int32_t *, double _Complex *, double *, int32_t *);

#endif
