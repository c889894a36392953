/* A pencil of hegv, its solution, and what is asked of it against LAPACK's hegvd in double precision; |.| Frobenius,
 * x the longest column of X, K = |B| |B^-1|.
 *
 *   values         max |w - w_lapack| / (n eps K max|w|)                                       <= 20
 *   residual       |A X - B X D| / (n eps (|A| + |B| max|w|) x)   A x = w B x                  <= 20
 *                  |A B X - X D|, |B A X - X D| / (n eps |A| |B| x)  the others                <= 20
 *   orthogonality  |X'B X - I| / (n eps max(1, |B| x^2)), |X'B^-1 X - I| / (n eps K) of B A x  <= 20
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_HEGV_CASE_H
#define ORR_TESTS_HEGV_CASE_H

#include <complex.h>
#include <stdint.h>

#include "orrery/orrery.h"

static const double LIMIT = 20;
typedef double complex number;

struct problem {
    orr_type type;
    char uplo;
    int64_t n, ld;
    size_t size, real;
    char *a0, *b0, *a, *b, *w, *x; /* a0, b0 as made */
    number *A, *B;                 /* the same, whole, without gaps */
    double *ref, norm_a, norm_b, cond;
};

struct worst {
    double values, residual, orthogonality;
};

/* B = D (2 + R/n) D, D from 1 down to a condition of some hundreds or 10^6. */
struct problem make(orr_type, char uplo, int64_t n);
void drop(struct problem *);

/* ref becomes LAPACK's values of problem `which`. */
void refer(struct problem *, int which);
/* Of copies of a0 and b0. */
orr_status solve(orr_context *, struct problem *, orr_hegv_opts, int vectors, orr_report *);
/* Residual and orthogonality of the first k vectors; ref has the largest value. */
void check_vectors(const struct problem *, int which, int64_t k, const char *what, struct worst *);
/* Nothing is written below row n, nor behind the k values and `columns` vectors. */
void check_surroundings(const struct problem *, int64_t k, int64_t columns, const char *what);

#endif
