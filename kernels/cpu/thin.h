/* Products of real matrices of which one side is short, as the width of a band is: C has few columns
 * or rows, or the sum few terms. A BLAS first copies both operands into the order in which its inner
 * loop reads them, which takes as long as the little that is then done with a number; here only
 * 24 rows (in single precision 48) of A are copied at a time, or nothing.
 *
 * A sum is in an order that depends on its number of terms only.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_THIN_H
#define ORR_CPU_THIN_H

#include <stdint.h>

/* C := alpha op(A) op(B) + beta C, as gemm. Returns 0, and has done nothing, where a BLAS is as fast:
 * another shape, or a processor without AVX-512. */
int orr_thin_s(int ta, int tb, int64_t m, int64_t n, int64_t k, float alpha, const float *a,
               int64_t lda, const float *b, int64_t ldb, float beta, float *c, int64_t ldc);
int orr_thin_d(int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
               int64_t lda, const double *b, int64_t ldb, double beta, double *c, int64_t ldc);

#endif
