/* The Fortran LAPACK routines that gesvj calls: QR factorizations and their Q. See lapack.h
 * for the conventions. Real types have "or" where complex ones have "un"; the last argument
 * of the macro is what complex types have besides.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_GESVJ_LAPACK_H
#define ORR_CPU_GESVJ_LAPACK_H

#include <complex.h>
#include <stdint.h>

#define ORR_QR_ROUTINES(T, geqp3, geqrf, ungqr, unmqr, ...)                                        \
    void geqp3(const int32_t *, const int32_t *, T *, const int32_t *, int32_t *, T *, T *,        \
               const int32_t *, __VA_ARGS__ int32_t *);                                            \
    void geqrf(const int32_t *, const int32_t *, T *, const int32_t *, T *, T *, const int32_t *,  \
               int32_t *);                                                                         \
    void ungqr(const int32_t *, const int32_t *, const int32_t *, T *, const int32_t *, const T *, \
               T *, const int32_t *, int32_t *);                                                   \
    void unmqr(const char *, const char *, const int32_t *, const int32_t *, const int32_t *,      \
               const T *, const int32_t *, const T *, T *, const int32_t *, T *, const int32_t *,  \
               int32_t *)
ORR_QR_ROUTINES(float, sgeqp3_, sgeqrf_, sorgqr_, sormqr_, );
ORR_QR_ROUTINES(double, dgeqp3_, dgeqrf_, dorgqr_, dormqr_, );
ORR_QR_ROUTINES(float _Complex, cgeqp3_, cgeqrf_, cungqr_, cunmqr_, float *, );
ORR_QR_ROUTINES(double _Complex, zgeqp3_, zgeqrf_, zungqr_, zunmqr_, double *, );

#endif
