/* Batches of random Hermitian matrices of any type, for tests of the graphs: the entries
 * are read and written as double complex whatever the type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TEST_HERM_H
#define ORR_TEST_HERM_H

#include <complex.h>
#include <stdint.h>

#include "numbers.h"
#include "orrery/orrery.h"

typedef struct {
    uint64_t state;
} rng;
double rng_uniform(rng *);               /* in (-1, 1) */
int64_t rng_below(rng *, int64_t bound); /* 0 .. bound-1 */

/* A random Hermitian matrix: only the triangle `uplo` is set, the other one and the padding
 * below row n are NaN. */
void random_hermitian(rng *, orr_type, char uplo, int64_t n, void *a, int64_t ld);

/* Eigenvalues of the triangle by LAPACK zheevd in double precision, ascending. */
void reference_values(orr_type, char uplo, int64_t n, const void *a, int64_t ld, double *w);

/* max_i |w_i - ref_i| / (n eps max|ref|); w is of the real type of `type`. */
double value_error(orr_type, int64_t n, const void *w, const double *ref);

/* |A Q - Q diag(w)|_F / (n eps |A|_F) and |Q'Q - I|_F / (n eps), in double. */
double residual(orr_type, char uplo, int64_t n, const void *a, int64_t lda, const void *q,
                int64_t ldq, const void *w);
double orthogonality(orr_type, int64_t n, const void *q, int64_t ldq);
double orthogonality_of(orr_type, int64_t n, int64_t columns, const void *q, int64_t ldq);

#endif
