/* Merges of heev's divide and conquer whose vectors are on a device; see kernels/heev_merge.h. Columns
 * are copied, rotated on the way, by a thread for each row; a warp finds a root; a block makes a column
 * of coefficients. Products are cuBLAS's.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HEEV_MERGE_CUH
#define ORR_CUDA_HEEV_MERGE_CUH

#include <algorithm>

#include "kernels/cuda/secular.cuh"
#include "kernels/heev_merge.h"

namespace orr
{

constexpr int heev_merge_threads = 256, heev_merge_warps = heev_merge_threads / 32;
constexpr int64_t heev_merge_most_blocks = 4096;

inline unsigned heev_merge_blocks(int64_t work)
{
    return (unsigned)std::max<int64_t>(1, std::min<int64_t>(work, heev_merge_most_blocks));
}

/* ---- Columns of the halves ------------------------------------------------------------------------ */

/* The rows of one half. */
template <class T> struct heev_arrange_task {
    int64_t n, rows, first, columns; /* of the halves' columns, those that have entries there */
    int64_t from, kept, k;           /* arranged columns from .. from+kept-1 have entries there */
    orr_heev_columns have;
    const T *c, *s;
    const int32_t *to, *next, *led;
    T *q2;

    ORR_MEMBER T entry(int64_t column, int64_t row) const
    {
        const int64_t i = column - first;
        if (i < 0 || i >= columns)
            return 0;
        const T *part = (const T *)have.part[i / have.width];
        return part[i % have.width * have.ld[i / have.width] + row];
    }
    ORR_MEMBER void put(int64_t column, int64_t row, T x) const
    {
        const int64_t j = to[column];
        if (j >= k)
            q2[(kept + j - k) * rows + row] = x;
        else if (j >= from && j < from + kept)
            q2[(j - from) * rows + row] = x;
    }
};

/* A column, and those that are rotated after each other beginning with it. */
template <class T>
__global__ void __launch_bounds__(heev_merge_threads) heev_arrange_kernel(heev_arrange_task<T> a)
{
    const int64_t pieces = (a.rows + blockDim.x - 1) / blockDim.x;
    for (int64_t item = blockIdx.x; item < a.n * pieces; item += gridDim.x) {
        const int64_t row = item % pieces * blockDim.x + threadIdx.x;
        int64_t i = item / pieces;
        if (row >= a.rows || a.led[i])
            continue;
        T x = a.entry(i, row);
        for (int64_t j = a.next[i]; j >= 0; i = j, j = a.next[i]) {
            const T y = a.entry(j, row), c = a.c[i], s = a.s[i];
            a.put(i, row, c * x + s * y);
            x = c * y - s * x;
        }
        a.put(i, row, x);
    }
}

inline shape heev_arrange_shape(int64_t n, int64_t rows)
{
    const int64_t pieces = (rows + heev_merge_threads - 1) / heev_merge_threads;
    return {dim3(heev_merge_blocks(n * pieces)), dim3(heev_merge_threads), 0};
}

/* ---- Roots ---------------------------------------------------------------------------------------- */

/* Roots first .. first+count-1, all less than k, and their distances to the poles. */
template <class T>
__global__ void __launch_bounds__(heev_merge_threads)
    heev_root_kernel(secular<T> f, int64_t first, int64_t count, T *delta, int64_t ld, T *value)
{
    const int64_t j = (int64_t)blockIdx.x * heev_merge_warps + threadIdx.x / 32;
    if (j >= count)
        return;
    const secular_root<T> x = find_root(f, first + j);
    for (int64_t i = warp_team::lane(); i < f.k; i += 32)
        delta[j * ld + i] = (f.pole[i] - x.origin) - x.tau;
    if (warp_team::lane() == 0)
        value[j] = x.origin + x.tau;
}

inline shape heev_root_shape(int64_t count)
{
    return {dim3((unsigned)((count + heev_merge_warps - 1) / heev_merge_warps)),
            dim3(heev_merge_threads), 0};
}

/* part[i]: the product over these columns of distance i over that of the poles, which column i has
 * not. A lane has a row; warps share the columns. */
template <class T>
__global__ void __launch_bounds__(heev_merge_threads)
    heev_factor_kernel(secular<T> f, int64_t first, int64_t count, const T *delta, int64_t ld,
                       T *part)
{
    ORR_SHARED(T, shared, heev_merge_threads);
    const int lane = (int)threadIdx.x % 32;
    const int64_t i = (int64_t)blockIdx.x * 32 + lane;
    T product = 1;
    if (i < f.k) {
        const T pole = f.pole[i];
        ORR_UNROLL_BY(4)
        for (int64_t j = threadIdx.x / 32; j < count; j += heev_merge_warps) {
            const T x = delta[j * ld + i];
            product *= first + j == i ? x : x / (pole - f.pole[first + j]);
        }
    }
    shared[threadIdx.x] = product;
    __syncthreads();
    if (threadIdx.x < 32 && i < f.k) {
        for (int w = 1; w < heev_merge_warps; w++)
            product *= shared[w * 32 + lane];
        part[i] = product;
    }
}

inline shape heev_factor_shape(int64_t k)
{
    return {dim3((unsigned)((k + 31) / 32)), dim3(heev_merge_threads), 0};
}

/* ---- Coefficients --------------------------------------------------------------------------------- */

/* s: a column for each of delta, its rows as the vectors are arranged, of norm 1. */
template <class T>
__global__ void __launch_bounds__(heev_merge_threads)
    heev_coefficients_kernel(int64_t k, const int32_t *at, const T *weight, const T *delta,
                             int64_t ld, T *s)
{
    ORR_SHARED(double, shared, heev_merge_warps);
    const T *const from = delta + blockIdx.x * ld;
    T *const to = s + blockIdx.x * k;
    double sum = 0;
    ORR_UNROLL_BY(4)
    for (int64_t i = threadIdx.x; i < k; i += heev_merge_threads) {
        const int64_t row = at[i];
        const T x = weight[row] / from[row];
        to[i] = x;
        sum += (double)x * x;
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < heev_merge_warps; w++)
        sum += shared[w];
    const T scale = (T)(1 / std::sqrt(sum));
    for (int64_t i = threadIdx.x; i < k; i += heev_merge_threads)
        to[i] *= scale;
}

inline shape heev_coefficients_shape(int64_t count)
{
    return {dim3((unsigned)count), dim3(heev_merge_threads), 0};
}

/* The first and the last of `rows` entries of each column. */
template <class T>
__global__ void __launch_bounds__(heev_merge_threads)
    heev_ends_kernel(int64_t rows, int64_t count, const T *q, int64_t ldq, T *ends)
{
    const int64_t j = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= count)
        return;
    ends[2 * j] = q[j * ldq];
    ends[2 * j + 1] = q[j * ldq + rows - 1];
}

inline shape heev_ends_shape(int64_t count)
{
    return {dim3((unsigned)((count + heev_merge_threads - 1) / heev_merge_threads)),
            dim3(heev_merge_threads), 0};
}

} // namespace orr

#endif
