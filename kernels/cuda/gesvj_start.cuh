/* Start of gesvj on a device, for matrices too large for a thread block (kernels/gesvj.h).
 *
 *   largest, load       B := 2^shift A or A', lengths of its columns
 *   B P = Q R, R' = Q2 L'                                                 (gesvj_qr.cuh)
 *   row_lengths, sums   J := L^-1 with rows of L brought to one length; norms of both
 *   decide, begin       X := L; J := I if the condition of L says that J has to be rotated
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_GESVJ_START_CUH
#define ORR_CUDA_GESVJ_START_CUH

#include "kernels/cuda/gesvj_chunk.cuh"
#include "kernels/cuda/gesvj_reflect.cuh"

namespace orr
{

/* Where the largest component is brought: as on CPUs, which may go on with what was started. */
template <class R> struct gesvj_start_top {
    static constexpr int exponent = sizeof(R) == 4 ? 40 : 400;
};

template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1) gesvj_largest_kernel(gesvj_members all)
{
    const gesvj_here<T> here(all, blockIdx.y);
    double most = 0;
    for (int64_t e = blockIdx.x * (int64_t)gesvj_threads + threadIdx.x; e < here.g.m * here.g.n;
         e += gesvj_parts * gesvj_threads) {
        const double part =
            (double)max_part(((const T *)here.m.a)[e / here.g.m * here.g.ld + e % here.g.m]);
        most = most != most || most > part ? most : part;
    }
    most = gesvj_block_max(most);
    if (threadIdx.x == 0)
        here.r.part[blockIdx.x] = most;
}

/* A warp for every column of B. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1) gesvj_load_kernel(gesvj_members all)
{
    typedef real_of<T> R;
    constexpr double huge = sizeof(R) == 4 ? (double)FLT_MAX : DBL_MAX;
    const gesvj_here<T> here(all, blockIdx.y);
    const int lane = (int)threadIdx.x % 32;
    const double top = gesvj_block_max(threadIdx.x < gesvj_parts ? here.r.part[threadIdx.x] : 0);
    const bool finite = top <= huge;
    int exponent = 0;
    if (finite && top > 0)
        (void)std::frexp(top, &exponent);
    const int shift = top > 0 ? gesvj_start_top<R>::exponent - exponent : 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        orr_matrix_info out = {};
        out.status = finite ? ORR_OK : ORR_NONFINITE;
        out.method = ORR_METHOD_BLOCK;
        out.residual = out.orthogonality = quiet_nan<double>();
        out.off = out.norm = finite ? 0 : quiet_nan<double>();
        *here.m.info = out;
        here.m.head[ORR_GESVJ_FINITE] = finite;
        here.m.head[ORR_GESVJ_SHIFT] = shift;
        here.m.head[ORR_GESVJ_ACCUMULATES] = 0;
        here.m.head[ORR_GESVJ_DIRECT] = 0;
    }
    if (blockIdx.x == 0)
        here.clear_words();
    const int64_t j = (int64_t)blockIdx.x * gesvj_warps + threadIdx.x / 32;
    if (!finite || j >= here.n)
        return;
    T *const x = here.first() + j * here.s.big;
    for (int64_t i = lane; i < here.s.big; i += 32)
        x[i] =
            scale2(gesvj_entry(here.g, here.s.transposed != 0, (const T *)here.m.a, i, j), shift);
    const double length = gesvj_length(here.s.big, [&](int64_t i) { return x[i]; });
    if (lane == 0) {
        here.r.length[j] = length;
        here.m.head[ORR_GESVJ_PIVOTS + j] = (int32_t)j + 1;
    }
}

/* ---- X and J ----------------------------------------------------------------------------------
 */

/* Lengths of the rows of L, which are columns of L'; J := them on a diagonal, so that L^-1 J is the
 * inverse of L with rows of length one. A warp for each. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1) gesvj_row_lengths_kernel(gesvj_members all)
{
    typedef real_of<T> R;
    const gesvj_here<T> here(all, blockIdx.y);
    const int64_t i = (int64_t)blockIdx.x * gesvj_warps + threadIdx.x / 32, n = here.n;
    if (!here.finite() || i >= n)
        return;
    const T *const row = here.second() + i * n;
    const double length = gesvj_length(i + 1, [&](int64_t j) { return row[j]; });
    for (int64_t j = threadIdx.x % 32; j < n; j += 32)
        ((T *)here.m.J)[i * n + j] = make<T>(j == i ? (R)length : (R)0);
    if (threadIdx.x % 32 == 0)
        here.r.rows[i] = length;
}

/* sum := the sums of magnitudes of the columns of that inverse. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1) gesvj_sums_kernel(gesvj_members all)
{
    const gesvj_here<T> here(all, blockIdx.y);
    const int64_t j = (int64_t)blockIdx.x * gesvj_warps + threadIdx.x / 32, n = here.n;
    if (!here.finite() || j >= n)
        return;
    double sum = 0;
    for (int64_t i = j + threadIdx.x % 32; i < n; i += 32)
        sum += std::sqrt(square_of(((const T *)here.m.J)[j * n + i]));
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        here.r.sum[j] = sum;
}

/* 1 if J = L^-1 X will be orthonormal to working accuracy: as on CPUs, but that the condition in
 * the 1-norm is computed, not estimated. All threads. */
template <class T> ORR_DEV bool gesvj_can_solve(const gesvj_here<T> &here)
{
    const double least = gesvj_least<real_of<T>>() * (double)here.n;
    const T *const Q = here.second();
    double norm = 0, inverse = 0;
    for (int64_t j = threadIdx.x; j < here.n; j += gesvj_threads) {
        double sum = std::sqrt(square_of(Q[j * here.n + j])) > least ? 0 : quiet_nan<double>();
        for (int64_t i = j; i < here.n; i++)
            sum += std::sqrt(square_of(Q[i * here.n + j])) / here.r.rows[i];
        norm = norm != norm || norm > sum ? norm : sum;
        const double other = here.r.sum[j];
        inverse = inverse != inverse || inverse > other ? inverse : other;
    }
    norm = gesvj_block_max(norm);
    inverse = gesvj_block_max(inverse);
    return norm * inverse <= (double)here.n * std::sqrt((double)here.n);
}

/* |B|_F, unscaled. All threads. */
template <class T> ORR_DEV double gesvj_norm(const gesvj_here<T> &here)
{
    constexpr int top = gesvj_start_top<real_of<T>>::exponent;
    double squares = 0;
    for (int64_t j = threadIdx.x; j < here.n; j += gesvj_threads) {
        const double x = std::ldexp(here.r.length[j], -top);
        squares = std::fma(x, x, squares);
    }
    squares = gesvj_block_sum(squares);
    return std::ldexp(std::sqrt(squares), top - here.m.head[ORR_GESVJ_SHIFT]);
}

/* One block: what it takes to begin, for head. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1) gesvj_decide_kernel(gesvj_members all)
{
    const gesvj_here<T> here(all, blockIdx.y);
    if (!here.finite())
        return;
    const double norm = gesvj_norm(here);
    const bool needed = here.s.accumulate && (!here.g.precondition || !gesvj_can_solve(here));
    if (threadIdx.x == 0) {
        here.m.info->norm = norm;
        here.m.head[ORR_GESVJ_ACCUMULATES] = needed;
    }
}

/* X := L or the columns of B by their lengths, J := I if it is rotated; padding is zero. A warp for
 * every column. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1) gesvj_begin_kernel(gesvj_members all)
{
    const gesvj_here<T> here(all, blockIdx.y);
    const int64_t j = (int64_t)blockIdx.x * gesvj_warps + threadIdx.x / 32, n = here.n;
    if (!here.finite() || j >= here.s.blocks * here.g.nb)
        return;
    const int lane = (int)threadIdx.x % 32;
    const int64_t to = here.g.precondition || j >= n ? j : here.r.rank[j], rows = here.s.rows;
    T *const x = (T *)here.m.X + to * rows;
    for (int64_t i = lane; i < rows; i += 32) {
        x[i] = make<T>(0);
        if (j < n && here.g.precondition && i >= j)
            x[i] = conj(here.second()[i * n + j]);
        if (j < n && !here.g.precondition)
            x[i] = here.first()[j * rows + i];
    }
    for (int64_t i = lane; here.accumulates() && i < n; i += 32)
        ((T *)here.m.J)[j * n + i] = make<T>(i == j);
    if (!here.g.precondition && j < n && lane == 0)
        here.m.head[ORR_GESVJ_PIVOTS + to] = (int32_t)j + 1;
}

} // namespace orr

#endif
