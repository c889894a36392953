/* The Fortran LAPACK routines that gesvj calls: QR factorizations and their Q, triangles, Gram
 * matrices. See lapack.h for the conventions. Real types have "or" where complex ones have "un",
 * and "sy" for "he"; the last argument of the macro is what complex types have besides.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_GESVJ_LAPACK_H
#define ORR_CPU_GESVJ_LAPACK_H

#include <complex.h>
#include <stdint.h>

#define ORR_QR_ROUTINES(T, R, geqp3, geqrf, ungqr, unmqr, trsm, trcon, herk, potrf, W, ...)        \
    void geqp3(const int32_t *, const int32_t *, T *, const int32_t *, int32_t *, T *, T *,        \
               const int32_t *, __VA_ARGS__ int32_t *);                                            \
    void geqrf(const int32_t *, const int32_t *, T *, const int32_t *, T *, T *, const int32_t *,  \
               int32_t *);                                                                         \
    void ungqr(const int32_t *, const int32_t *, const int32_t *, T *, const int32_t *, const T *, \
               T *, const int32_t *, int32_t *);                                                   \
    void unmqr(const char *, const char *, const int32_t *, const int32_t *, const int32_t *,      \
               const T *, const int32_t *, const T *, T *, const int32_t *, T *, const int32_t *,  \
               int32_t *);                                                                         \
    void trsm(const char *, const char *, const char *, const char *, const int32_t *,             \
              const int32_t *, const T *, const T *, const int32_t *, T *, const int32_t *);       \
    void trcon(const char *, const char *, const char *, const int32_t *, const T *,               \
               const int32_t *, R *, T *, W *, int32_t *);                                         \
    void herk(const char *, const char *, const int32_t *, const int32_t *, const R *, const T *,  \
              const int32_t *, const R *, T *, const int32_t *);                                   \
    void potrf(const char *, const int32_t *, T *, const int32_t *, int32_t *)
ORR_QR_ROUTINES(float, float, sgeqp3_, sgeqrf_, sorgqr_, sormqr_, strsm_, strcon_, ssyrk_, spotrf_,
                int32_t, );
ORR_QR_ROUTINES(double, double, dgeqp3_, dgeqrf_, dorgqr_, dormqr_, dtrsm_, dtrcon_, dsyrk_,
                dpotrf_, int32_t, );
ORR_QR_ROUTINES(float _Complex, float, cgeqp3_, cgeqrf_, cungqr_, cunmqr_, ctrsm_, ctrcon_, cherk_,
                cpotrf_, float, float *, );
ORR_QR_ROUTINES(double _Complex, double, zgeqp3_, zgeqrf_, zungqr_, zunmqr_, ztrsm_, ztrcon_,
                zherk_, zpotrf_, double, double *, );

#endif
