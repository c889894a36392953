/* What the merges of divide and conquer of heev and gesvd share on a device: the product of vectors that
 * have entries in the upper rows, in the lower ones, or in both, with the coefficients of some columns.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_MERGE_CUH
#define ORR_CUDA_MERGE_CUH

#include <algorithm>

#include "kernels/cuda/blas.h"
#include "kernels/cuda/copy.cuh"

namespace orr
{

/* rows x inner of the vectors; their coefficients begin in row `from`. */
template <class T> struct merge_half {
    int64_t rows, inner, from;
    const T *a;
    int64_t lda;
};

/* x: the upper rows and below them the lower ones; s: coefficients, k rows. */
template <class T>
orr_status merge_product(orr_stream stream, int64_t k, int64_t columns, const merge_half<T> &upper,
                         const merge_half<T> &lower, const T *s, T *x, int64_t ldx)
{
    blas<T> on(stream); /* without columns of a half its product is zero: beta is */
    on.multiply('N', 'N', upper.rows, columns, upper.inner, 1, upper.a, upper.lda, s + upper.from,
                k, 0, x, ldx);
    on.multiply('N', 'N', lower.rows, columns, lower.inner, 1, lower.a, lower.lda, s + lower.from,
                k, 0, x + upper.rows, ldx);
    return on.status;
}

} // namespace orr

#endif
