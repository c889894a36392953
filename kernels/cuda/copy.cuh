/* A copy of some rows and columns, in the order of a stream.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_COPY_CUH
#define ORR_CUDA_COPY_CUH

#include <algorithm>

#include "kernels/cuda/device.cuh"

namespace orr
{

constexpr int copy_threads = 256;

/* Entries over blocks that stride. */
inline shape copy_shape(int64_t entries)
{
    const int64_t blocks = (entries + copy_threads - 1) / copy_threads;
    return {dim3((unsigned)std::max<int64_t>(1, std::min<int64_t>(blocks, 4096))),
            dim3(copy_threads), 0};
}

/* to := from, rows x columns. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    copy_kernel(int64_t rows, int64_t columns, const T *from, int64_t ld_from, T *to, int64_t ld_to)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < rows * columns; k += step)
        to[k / rows * ld_to + k % rows] = from[k / rows * ld_from + k % rows];
}

template <class T>
orr_status copy(orr_stream stream, int64_t rows, int64_t columns, const T *from, int64_t ld_from,
                T *to, int64_t ld_to)
{
    return launch(copy_kernel<T>, copy_shape(rows * columns), stream, rows, columns, from, ld_from,
                  to, ld_to);
}

} // namespace orr

#endif
