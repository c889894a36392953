/* The part of he2hb on a device that no product of matrices is, nor a copy: the sum of the pieces of
 * M (kernels/he2hb.h). Limited by memory, and short beside the products.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HE2HB_CUH
#define ORR_CUDA_HE2HB_CUH

#include "kernels/cuda/copy.cuh"
#include "kernels/cuda/scalar.cuh"
#include "kernels/he2hb.h"

namespace orr
{

constexpr int he2hb_most_parts = 64;

/* Some of the pieces, w^2 entries each. */
template <class T> struct he2hb_parts {
    const T *part[he2hb_most_parts];
    int count;
};

/* m := -1/2 of their sum, or more of it if some are in m. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
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

} // namespace orr

#endif
