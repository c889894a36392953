/* General matrices that are hard for one reason or another, for the four scalar types, and
 * the ratios by which a singular value decomposition is judged. After LAPACK's ddrvbd and
 * the troubles users of other solvers reported.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_SVDGEN_H
#define ORR_TESTS_SVDGEN_H

#include <complex.h>
#include <stdint.h>

#include "numbers.h"

int svdgen_kinds(void);
const char *svdgen_name(int kind);
/* The kind of this name; -1 if there is none. */
int svdgen_find(const char *name);

/* A := kind, m x n, leading dimension ld. */
void svdgen(int kind, orr_type, int64_t m, int64_t n, uint64_t seed, void *a, int64_t ld);

double svdgen_eps(orr_type);
int svdgen_size(orr_type); /* bytes of an element */
orr_type svdgen_real(orr_type);

/* LAPACK's ratios, norms being 1-norms, k = min(m,n), in double precision:
 *   residual  |A - U S V'| / (|A| max(m,n) eps)   (what rounds to denormals is allowed for)
 *   left      |I - U'U| / (m eps)     right  |I - V'V| / (n eps)
 *   sorted    1 if s is descending and not negative */
struct svd_ratios {
    double residual, left, right;
    int sorted;
};
struct svd_ratios svd_judge(orr_type, int64_t m, int64_t n, const void *a, int64_t ld,
                            const void *s, const void *u, int64_t ldu, const void *v, int64_t ldv);

/* Singular values, descending, by a plain one-sided Jacobi in long double: to high relative
 * accuracy where the matrix has it. */
void svd_reference(orr_type, int64_t m, int64_t n, const void *a, int64_t ld, double *s);

#endif
