/* The products of powm_spmv, a kernel per format (kernels/powm_spmv.h has the contracts).
 *
 *   csr, bsr          2^k threads per row, about as many as a row has entries; one per row
 *   ell, gpu-ell      a thread per row, columns side by side: all loads but x's are coalesced
 *   sell              a warp per slice, a lane per row; long rows a block each, beforehand
 *   merge             a block per piece of equal rows + entries; what a piece has of a row that
 *                     ends in a later one is its carry, added when all are known
 *
 * Methods: Bell, Garland, SC09 (threads per row); Merrill, Garland, SC16; Kreutzer et al., SIAM J.
 * Sci. Comput. 36(5), 2014.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_POWM_FORMATS_CUH
#define ORR_CUDA_POWM_FORMATS_CUH

#include "kernels/cuda/powm_spmv.cuh"

namespace orr
{

/* Entries [from, to) shared by t.sub neighbouring threads of a warp; lane 0 of them has the sum.
 * All threads of the warp take part. */
template <class T, class V>
ORR_DEV acc_of<T> shared_sum(const powm_task &t, int64_t from, int64_t to)
{
    const int32_t *index = array<int32_t>(t, t.b.index);
    acc_of<T> sum = acc_of<T>();
    for (int64_t k = from + (int)threadIdx.x % t.sub; k < to; k += t.sub)
        sum = slot<T, V>::plus(t, k, index[k], sum);
    for (int d = t.sub / 2; d > 0; d /= 2)
        sum = add(sum, from_lane_above(sum, d));
    return sum;
}

template <class T, class V>
__global__ void __launch_bounds__(powm_threads, scalar<T>::is_complex ? 2 : 3)
    powm_csr_kernel(powm_task t)
{
    const int32_t *ptr = array<int32_t>(t, t.b.ptr);
    const int64_t at = ((int64_t)blockIdx.x * powm_threads + threadIdx.x) / t.sub;
    const int64_t step = (int64_t)gridDim.x * powm_threads / t.sub;
    orr_powm_partial s = nothing();
    if (!t.scratch->run)
        return;
    /* whole warps leave the loop together */
    for (int64_t r = at; r - (int)threadIdx.x % 32 / t.sub < t.b.rows; r += step) {
        const int has = r < t.b.rows;
        const acc_of<T> sum = shared_sum<T, V>(t, has ? ptr[r] : 0, has ? ptr[r + 1] : 0);
        if (has && (int)threadIdx.x % t.sub == 0)
            row_done<T>(t, r, sum, s);
    }
    join_block(t, s);
}

template <class T, class V>
__global__ void __launch_bounds__(powm_threads, powm_resident<T>) powm_ell_kernel(powm_task t)
{
    const int32_t *index = array<int32_t>(t, t.b.index);
    const int32_t *len = t.b.len ? array<int32_t>(t, t.b.len) : nullptr;
    orr_powm_partial s = nothing();
    if (!t.scratch->run)
        return;
    for (int64_t r = (int64_t)blockIdx.x * powm_threads + threadIdx.x; r < t.b.rows;
         r += (int64_t)gridDim.x * powm_threads) {
        const int64_t n = len ? len[r] : t.b.width;
        acc_of<T> sum = acc_of<T>();
        for (int64_t k = 0; k < n; k++)
            sum = slot<T, V>::plus(t, k * t.b.rows + r, index[k * t.b.rows + r], sum);
        row_done<T>(t, r, sum, s);
    }
    join_block(t, s);
}

template <class T, class V>
__global__ void __launch_bounds__(powm_threads, powm_resident<T>) powm_sell_kernel(powm_task t)
{
    constexpr int C = ORR_POWM_SLICE;
    static_assert(C == 32, "a lane per row of a slice");
    const int32_t *ptr = array<int32_t>(t, t.b.ptr), *perm = array<int32_t>(t, t.b.perm);
    const int32_t *index = array<int32_t>(t, t.b.index), *at = array<int32_t>(t, t.b.at);
    const int lane = (int)threadIdx.x % 32;
    orr_powm_partial s = nothing();
    if (!t.scratch->run)
        return;
    for (int64_t c = (int64_t)blockIdx.x * powm_warps + threadIdx.x / 32; c < t.b.slices;
         c += (int64_t)gridDim.x * powm_warps) {
        acc_of<T> sum = acc_of<T>();
        if (at[c] < 0) { /* pieces of diagonals */
            const int32_t *run = index + ~at[c];
            for (int64_t k = ptr[c] + lane; k < ptr[c + 1]; k += C, run += 2)
                if ((uint32_t)run[1] >> lane & 1)
                    sum = slot<T, V>::plus(t, k, run[0] + lane, sum);
        } else {
            const int32_t *column = index + at[c] + lane;
            for (int64_t k = ptr[c] + lane; k < ptr[c + 1]; k += C, column += C)
                sum = slot<T, V>::plus(t, k, *column, sum);
        }
        if (perm[c * C + lane] >= 0)
            row_done<T>(t, perm[c * C + lane], sum, s);
    }
    join_block(t, s);
}

/* Behind the slices, which have stored zeros for these rows. t.sub is 32. */
template <class T, class V>
__global__ void __launch_bounds__(powm_threads, powm_resident<T>) powm_long_kernel(powm_task t)
{
    ORR_SHARED(acc_of<T>, of_warp, powm_warps);
    const int32_t *id = array<int32_t>(t, t.b.long_id), *ptr = array<int32_t>(t, t.b.long_ptr);
    const int warp = (int)threadIdx.x / 32;
    if (!t.scratch->run)
        return;
    t.b.index = t.b.long_index;
    t.b.val = t.b.long_val;
    for (int64_t i = blockIdx.x; i < t.b.longs; i += gridDim.x) {
        const int64_t n = ptr[i + 1] - ptr[i], share = (n + powm_warps - 1) / powm_warps;
        const int64_t from = ptr[i] + (warp * share < n ? warp * share : n);
        const int64_t to = ptr[i] + ((warp + 1) * share < n ? (warp + 1) * share : n);
        const acc_of<T> sum = shared_sum<T, V>(t, from, to);
        if (threadIdx.x % 32 == 0)
            of_warp[warp] = sum;
        __syncthreads();
        if (threadIdx.x == 0) {
            acc_of<T> all = of_warp[0];
            for (int w = 1; w < powm_warps; w++)
                all = add(all, of_warp[w]);
            ((acc_of<T> *)t.acc)[id[i]] = all;
        }
        __syncthreads();
    }
}

template <class T, class V>
__global__ void __launch_bounds__(powm_threads, powm_resident<T>) powm_bsr_kernel(powm_task t)
{
    const int32_t *ptr = array<int32_t>(t, t.b.ptr), *index = array<int32_t>(t, t.b.index);
    const int bs = t.b.bs;
    orr_powm_partial s = nothing();
    if (!t.scratch->run)
        return;
    for (int64_t r = (int64_t)blockIdx.x * powm_threads + threadIdx.x; r < t.b.rows;
         r += (int64_t)gridDim.x * powm_threads) {
        const int64_t I = r / bs, i = r % bs;
        acc_of<T> sum = acc_of<T>();
        for (int64_t J = ptr[I]; J < ptr[I + 1]; J++)
            for (int j = 0; j < bs; j++)
                sum = slot<T, V>::plus(t, (J * bs + i) * bs + j, index[J] + j, sum);
        row_done<T>(t, r, sum, s);
    }
    join_block(t, s);
}

/* A block per piece. Stores what it has of the rows that end in it, and its carry. */
template <class T, class V>
__global__ void __launch_bounds__(powm_threads, powm_resident<T>) powm_merge_kernel(powm_task t)
{
    const int32_t *ptr = array<int32_t>(t, t.b.ptr), *piece = array<int32_t>(t, t.b.piece);
    const int group = (int)threadIdx.x / t.sub, groups = powm_threads / t.sub;
    if (!t.scratch->run)
        return;
    for (int64_t p = blockIdx.x; p < t.b.pieces; p += gridDim.x) {
        const int64_t first = piece[2 * p], last = piece[2 * p + 2];
        const int64_t begin = piece[2 * p + 1], end = piece[2 * p + 3];
        /* last - first rows end here; number last is the carry */
        for (int64_t r = first + group; r - (int)threadIdx.x % 32 / t.sub <= last; r += groups) {
            int64_t from = 0, to = 0;
            if (r <= last) {
                from = r == first ? begin : ptr[r];
                to = r == last ? end : ptr[r + 1];
            }
            const acc_of<T> sum = shared_sum<T, V>(t, from, to);
            if (r <= last && (int)threadIdx.x % t.sub == 0) {
                if (r == last)
                    ((acc_of<T> *)t.carry)[p] = sum;
                else
                    ((acc_of<T> *)t.acc)[r] = sum;
            }
        }
    }
}

/* A thread per run of pieces whose carries go to one row. */
template <class T> __global__ void powm_carry_kernel(powm_task t)
{
    const int32_t *piece = array<int32_t>(t, t.b.piece);
    const acc_of<T> *carry = (const acc_of<T> *)t.carry;
    const int64_t p = (int64_t)blockIdx.x * powm_threads + threadIdx.x;
    if (!t.scratch->run || p >= t.b.pieces)
        return;
    const int32_t row = piece[2 * p + 2];
    if (row >= t.b.rows || (p > 0 && piece[2 * p] == row))
        return;
    acc_of<T> sum = acc_of<T>();
    for (int64_t q = p; q < t.b.pieces && piece[2 * q + 2] == row; q++)
        sum = add(sum, carry[q]);
    ((acc_of<T> *)t.acc)[row] = add(sum, ((acc_of<T> *)t.acc)[row]);
}

/* What the step does with sums that are stored. */
template <class T>
__global__ void __launch_bounds__(powm_threads, powm_resident<T>) powm_rows_kernel(powm_task t)
{
    orr_powm_partial s = nothing();
    if (!t.scratch->run)
        return;
    for (int64_t r = (int64_t)blockIdx.x * powm_threads + threadIdx.x; r < t.b.rows;
         r += (int64_t)gridDim.x * powm_threads)
        row_done<T>(t, r, ((const acc_of<T> *)t.acc)[r], s);
    join_block(t, s);
}

} // namespace orr

#endif
