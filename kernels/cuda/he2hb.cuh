/* The part of he2hb on a device that no product of matrices is: sums of the pieces of M, and
 * copies of columns (kernels/he2hb.h). Both are limited by memory and short beside the products.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HE2HB_CUH
#define ORR_CUDA_HE2HB_CUH

#include <algorithm>

#include "kernels/cuda/scalar.cuh"
#include "kernels/he2hb.h"

namespace orr
{

constexpr int he2hb_threads = 256, he2hb_most_parts = 64;

/* Some of the pieces, w^2 entries each. */
template <class T> struct he2hb_parts {
    const T *part[he2hb_most_parts];
    int count;
};

inline shape he2hb_shape(int64_t entries)
{
    const int64_t blocks = (entries + he2hb_threads - 1) / he2hb_threads;
    return {dim3((unsigned)std::max<int64_t>(1, std::min<int64_t>(blocks, 4096))),
            dim3(he2hb_threads), 0};
}

/* m := -1/2 of their sum, or more of it if some are in m. */
template <class T>
__global__ void __launch_bounds__(he2hb_threads)
    he2hb_sum_kernel(he2hb_parts<T> all, int64_t entries, bool more, T *m)
{
    typedef real_of<T> R;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < entries; k += step) {
        T sum = more ? m[k] : make<T>(0);
        for (int i = 0; i < all.count; i++)
            sum = mad_real((R)-0.5, all.part[i][k], sum);
        m[k] = sum;
    }
}

/* to := from, rows x columns. */
template <class T>
__global__ void __launch_bounds__(he2hb_threads)
    he2hb_copy_kernel(int64_t rows, int64_t columns, const T *from, int64_t ld_from, T *to,
                      int64_t ld_to)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < rows * columns; k += step)
        to[k / rows * ld_to + k % rows] = from[k / rows * ld_from + k % rows];
}

} // namespace orr

#endif
