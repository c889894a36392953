/* LAPACK's QR factorization and its reflectors, in four types.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_QR_LAPACK_H
#define ORR_CPU_QR_LAPACK_H

#include <stdint.h>

/* geqrf: m, n, a, lda, tau, work, lwork, info
 * unmqr: side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info */
#define ROUTINES(T, geqrf, unmqr)                                                                  \
    void geqrf(const int32_t *, const int32_t *, T *, const int32_t *, T *, T *, const int32_t *,  \
               int32_t *);                                                                         \
    void unmqr(const char *, const char *, const int32_t *, const int32_t *, const int32_t *,      \
               const T *, const int32_t *, const T *, T *, const int32_t *, T *, const int32_t *,  \
               int32_t *)
ROUTINES(float, sgeqrf_, sormqr_);
ROUTINES(double, dgeqrf_, dormqr_);
ROUTINES(float _Complex, cgeqrf_, cunmqr_);
ROUTINES(double _Complex, zgeqrf_, zunmqr_);
#undef ROUTINES

#endif
