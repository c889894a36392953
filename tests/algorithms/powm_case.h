/* Small sparse matrices for tests, and dense answers. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TEST_POWM_CASE_H
#define ORR_TEST_POWM_CASE_H

#include <complex.h>

#include <orrery/sparse.h>

#include "numbers.h"

/* kind: 0 pattern, 1 small integers, 2 real, 3 complex; every (row, col) at most once. */
orr_mtx random_mtx(int64_t rows, int64_t cols, int64_t entries, int kind, uint64_t seed);
orr_mtx given_mtx(int64_t n, int64_t entries, const int64_t *at, const double *val);
void symmetric_in_full(orr_mtx *);                                             /* becomes general */
void mtx_product(const orr_mtx *, const double complex *x, double complex *y); /* y := A x */
double largest_singular_value(const orr_mtx *);
/* x = alpha P'x + (1 - alpha) p solved by elimination; malloc'ed. */
double *dense_pagerank(const orr_mtx *, double alpha, char dangling, const double *personal);

/* powm.c: by a matrix made of m, and each pair checked. */
orr_powm_result solve(orr_context *ctx, const orr_mtx *m, const orr_powm_opts *o, char type,
                      int64_t blocks, orr_eigenpair *e, orr_status *status);
/* powm_products.c */
void products(orr_context *);
/* powm_bits.c */
void repeatable(orr_context *);
void steps_of_a_task(orr_context *);
void submitted(orr_context *);
/* powm_ranks.c */
void extrapolation(orr_context *);
void orders(orr_context *);
void ranks(orr_context *);

#endif
