/* A square of a matrix, or of its conjugate transpose, in shared memory: global memory is read by columns
 * either way.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_SQUARE_CUH
#define ORR_CUDA_SQUARE_CUH

#include "kernels/cuda/copy.cuh"
#include "kernels/cuda/scalar.cuh"

namespace orr
{

constexpr int load_side = 32;
constexpr int load_ld = load_side + 1; /* a column is in as many banks as a row */

/* square := the rows from `row` and columns from `column` on of a, rows x columns, as far as there are
 * any; adjoint: of its conjugate transpose, which has these rows and columns. By copy_threads. */
template <class T>
__device__ __forceinline__ void load_square(const T *a, int64_t lda, bool adjoint, int64_t row,
                                            int64_t column, int64_t rows, int64_t columns,
                                            T *square)
{
    const int r = (int)threadIdx.x % load_side, c0 = (int)threadIdx.x / load_side;
    constexpr int step = copy_threads / load_side;
    if (adjoint) {
        for (int c = c0; c < load_side; c += step)
            if (column + r < columns && row + c < rows)
                square[r * load_ld + c] = conj(a[(row + c) * lda + column + r]);
    } else {
        for (int c = c0; c < load_side; c += step)
            if (row + r < rows && column + c < columns)
                square[c * load_ld + r] = a[(column + c) * lda + row + r];
    }
    __syncthreads();
}

} // namespace orr

#endif
