/* Results that are known, as arrays of each type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_VERIFY_CASE_H
#define ORR_TESTS_VERIFY_CASE_H

#include "src/lapack/verify.h"

enum { MOST = 130 };               /* rows */
typedef number dense[MOST * MOST]; /* as many rows as the matrix has */

static inline int is_single(orr_type t) { return t == ORR_S || t == ORR_C; }
static inline int is_complex(orr_type t) { return t == ORR_C || t == ORR_Z; }
static inline orr_type real_of(orr_type t) { return is_single(t) ? ORR_S : ORR_D; }

double next_real(void); /* in [-1, 1) */
number draw(orr_type);
void put(orr_type, void *x, int64_t i, number);

/* n x n. */
void unitary(orr_type, int64_t n, number *z);
/* a := x diag(s) y', m x n, of k terms. */
void product(int64_t m, int64_t n, int64_t k, const number *x, const double *s, const number *y,
             number *a);
double norm_of(int64_t count, const number *a);

/* All entries or a triangle of them, times a number, and NaN where nothing is to be read; to be freed. */
void *array(orr_type, int64_t m, int64_t n, const number *a, char uplo, double scale, int64_t *ld);
void *reals(orr_type, int64_t n, const double *w, double scale);

/* What verify.h allows. */
double for_residual(orr_type, int64_t n);
double for_sum(orr_type, int64_t n);
/* words: of the refusal; NULL: the result must have been accepted. */
void judged(const char *what, orr_type, int64_t n, int wrong, const char *why, const char *words);

void pencils(void);

#endif
