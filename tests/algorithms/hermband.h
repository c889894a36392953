/* Hermitian band matrices of several kinds, and the error measures of hb2st: everything in
 * double complex, whatever the type under test.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TEST_HERMBAND_H
#define ORR_TEST_HERMBAND_H

#include "algorithms/herm.h"

/* A kind: "random", "zero", "diagonal", "tridiagonal", "blocks", "rank one", "graded",
 * "laplace", "huge", "tiny", "denormal". */
int band_kinds(void);
const char *band_kind_name(int kind);

/* a: dense n x n, both triangles, entries representable in the type. */
void band_fill(rng *, int kind, orr_type, int64_t n, int64_t b, double complex *a);

/* Into LAPACK's band storage; what is not part of the matrix, and padding, is NaN. The
 * imaginary part of the diagonal is NaN too. */
void band_pack(orr_type, char uplo, int64_t n, int64_t b, const double complex *a, void *ab,
               int64_t ldab);

/* Eigenvalues, ascending: of a by zheevd, of T by dsterf (d and e of the real type). */
void band_values(int64_t n, const double complex *a, double *w);
void tridiagonal_values(orr_type, int64_t n, const void *d, const void *e, double *w);

/* |A Q - Q T|_F / (n eps |A|_F); 0 if A is zero and the rest too. */
double band_residual(orr_type, int64_t n, const double complex *a, const void *d, const void *e,
                     const void *q, int64_t ldq);

#endif
