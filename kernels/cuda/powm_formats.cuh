/* The products of powm_spmv, a kernel per format (kernels/powm_spmv.h has the contracts).
 *
 *   csr               a warp per 32 rows, or fewer of long ones. Their entries lie side by side: the
 *                     warp walks over them, whatever rows they are of, leaves the products in shared
 *                     memory, and each lane adds those of its row; of long rows all lanes together
 *   ell, gpu-ell      a thread per row, columns side by side: all loads but x's are coalesced
 *   sell              a warp per slice, a lane per row; before them long rows, a block each
 *   bsr               a thread per row
 *   merge             a block per piece of equal rows + entries, 2^k threads per row; what a piece
 *                     has of a row that ends in a later one is its carry, added when all are known
 *
 * Entries are read once and pushed out of the caches first: x stays there.
 *
 * Methods: Greathouse, Daga, SC14 (products in shared memory); Merrill, Garland, SC16; Kreutzer et
 * al., SIAM J. Sci. Comput. 36(5), 2014.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_POWM_FORMATS_CUH
#define ORR_CUDA_POWM_FORMATS_CUH

#include "kernels/cuda/powm_spmv.cuh"

namespace orr
{

/* Columns of slots: an index each, or a piece of a diagonal each, where this may be no lane of it.
 * Slots are fewer than 2^31, and so is whatever counts them. */
struct powm_indices {
    const int32_t *index;
    unsigned step;
    ORR_MEMBER int32_t column(unsigned s) const { return read_once(index + s * step); }
};
struct powm_diagonals {
    const int32_t *run;
    unsigned lane;
    ORR_MEMBER int32_t column(unsigned s) const
    {
        const uint32_t there = (uint32_t)read_only(run + 2 * s + 1);
        return there >> lane & 1 ? read_only(run + 2 * s) + (int32_t)lane : -1;
    }
};

/* The sum of n slots, whose values are k, k + step, ... of the array at val; several at a time,
 * first all their loads. */
template <class T, class V, class C>
ORR_DEV acc_of<T> walk(const powm_task &t, const C &columns, int64_t val, unsigned k, unsigned step,
                       unsigned n)
{
    constexpr int U = powm_entries<T>;
    acc_of<T> sum = acc_of<T>();
    for (unsigned s = 0; s < n; s += U) {
        int32_t j[U];
        value<T, V> v[U];
        acc_of<T> x[U];
        ORR_UNROLL
        for (unsigned u = 0; u < U; u++) {
            j[u] = -1;
            if (s + u < n) {
                j[u] = columns.column(s + u);
                v[u].load(t, val, k + (s + u) * step);
            }
        }
        ORR_UNROLL
        for (int u = 0; u < U; u++)
            x[u] = entry_of<T>(t, j[u]);
        ORR_UNROLL
        for (int u = 0; u < U; u++)
            sum = v[u].plus(x[u], sum);
    }
    return sum;
}

/* Lane 0 of every `lanes` neighbours has their sum. All threads of the warp. */
template <class A> ORR_DEV A shared_sum(A sum, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2)
        sum = add(sum, from_lane_above(sum, d));
    return sum;
}

/* ---- csr ----------------------------------------------------------------------------------- */

/* Products of a warp. A gap behind every 16 keeps lanes apart whose rows have equal lengths. */
template <class T> struct powm_chunk {
    static constexpr unsigned entries = 32 * powm_entries<T>, room = entries + entries / 16;
    acc_of<T> *at;
    ORR_MEMBER acc_of<T> &operator[](unsigned k) const { return at[k + k / 16]; }
};

/* n entries of the block from `from` on, at most a chunk, side by side in the lanes. */
template <class T, class V>
ORR_DEV void fill(const powm_task &t, unsigned from, unsigned n, const powm_chunk<T> &chunk)
{
    constexpr int U = powm_entries<T>;
    const int32_t *index = array<int32_t>(t, t.b.index) + from;
    const unsigned lane = threadIdx.x % 32;
    int32_t j[U];
    value<T, V> v[U];
    ORR_UNROLL
    for (unsigned u = 0; u < U; u++) {
        const unsigned k = 32 * u + lane;
        j[u] = -1;
        if (k < n) {
            j[u] = read_once(index + k);
            v[u].load(t, t.b.val, from + k);
        }
    }
    ORR_UNROLL
    for (unsigned u = 0; u < U; u++)
        chunk[32 * u + lane] = v[u].times(entry_of<T>(t, j[u]));
}

/* sum + products [from, to) of the chunk, which each lane has of its row. */
template <class T>
ORR_DEV acc_of<T> add_rows(const powm_chunk<T> &chunk, unsigned from, unsigned to, acc_of<T> sum)
{
    const int few = powm_entries<T> / 2; /* rows; more have less to add than lanes to meet */
    const unsigned lane = threadIdx.x % 32;
    unsigned rows = __ballot_sync(0xffffffffu, from < to);
    if (__popc(rows) > few) {
        for (unsigned k = from; k < to; k++)
            sum = add(sum, chunk[k]);
        return sum;
    }
    for (; rows != 0; rows &= rows - 1) {
        const int l = __ffs((int)rows) - 1;
        const unsigned first = __shfl_sync(0xffffffffu, from, l);
        const unsigned last = __shfl_sync(0xffffffffu, to, l);
        acc_of<T> part = acc_of<T>();
        for (unsigned k = first + lane; k < last; k += 32)
            part = add(part, chunk[k]);
        part = from_lane(shared_sum(part, 32), 0);
        if (lane == (unsigned)l)
            sum = add(sum, part);
    }
    return sum;
}

template <class T, class V>
__global__ void __launch_bounds__(powm_threads, powm_resident) powm_csr_kernel(powm_task t)
{
    typedef powm_chunk<T> chunk_of;
    ORR_SHARED(acc_of<T>, products, powm_warps * chunk_of::room);
    const int32_t *ptr = array<int32_t>(t, t.b.ptr);
    const chunk_of chunk = {products + threadIdx.x / 32 * chunk_of::room};
    const unsigned rows = (unsigned)t.b.rows, tile = (unsigned)t.tile, lane = threadIdx.x % 32;
    powm_work s = begin<T>(t);
    if (!s.args->run)
        return;
    for (unsigned first = (blockIdx.x * powm_warps + threadIdx.x / 32) * tile; first < rows;
         first += gridDim.x * powm_warps * tile) {
        /* lanes without a row are behind the last */
        const unsigned end_row = first + tile < rows ? first + tile : rows;
        const unsigned r = first + lane < end_row ? first + lane : end_row;
        const unsigned from = (unsigned)read_only(ptr + r);
        const unsigned to = (unsigned)read_only(ptr + (r < end_row ? r + 1 : r));
        const unsigned last = __shfl_sync(0xffffffffu, to, 31);
        acc_of<T> sum = acc_of<T>();
        for (unsigned c = __shfl_sync(0xffffffffu, from, 0); c < last; c += chunk_of::entries) {
            const unsigned n = last - c < chunk_of::entries ? last - c : chunk_of::entries;
            const unsigned end = to > c ? to - c : 0;
            fill<T, V>(t, c, n, chunk);
            __syncwarp();
            sum = add_rows<T>(chunk, from > c ? from - c : 0, end < n ? end : n, sum);
            __syncwarp();
        }
        if (r < end_row)
            row_done<T>(t, r, sum, s);
    }
    end<T>(t);
}

/* ---- ell, sell, bsr ------------------------------------------------------------------------ */

template <class T, class V>
__global__ void __launch_bounds__(powm_threads, powm_resident) powm_ell_kernel(powm_task t)
{
    const int32_t *index = array<int32_t>(t, t.b.index);
    const int32_t *len = t.b.len ? array<int32_t>(t, t.b.len) : nullptr;
    const unsigned rows = (unsigned)t.b.rows;
    powm_work s = begin<T>(t);
    if (!s.args->run)
        return;
    for (unsigned r = blockIdx.x * powm_threads + threadIdx.x; r < rows;
         r += gridDim.x * powm_threads) {
        const unsigned n = (unsigned)(len ? len[r] : t.b.width);
        const powm_indices columns = {index + r, rows};
        row_done<T>(t, r, walk<T, V>(t, columns, t.b.val, r, rows, n), s);
    }
    end<T>(t);
}

/* All threads of the block; the first has the sum. */
template <class T, class V>
ORR_DEV acc_of<T> long_row(const powm_task &t, unsigned from, unsigned to)
{
    ORR_SHARED(acc_of<T>, of_warp, powm_warps);
    const unsigned first = from + threadIdx.x;
    const unsigned mine = first < to ? (to - first + powm_threads - 1) / powm_threads : 0;
    const powm_indices columns = {array<int32_t>(t, t.b.long_index) + first, powm_threads};
    acc_of<T> sum = shared_sum(walk<T, V>(t, columns, t.b.long_val, first, powm_threads, mine), 32);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    for (int w = 1; w < powm_warps && threadIdx.x == 0; w++)
        sum = add(sum, of_warp[w]);
    __syncthreads();
    return sum;
}

template <class T, class V>
__global__ void __launch_bounds__(powm_threads, powm_resident) powm_sell_kernel(powm_task t)
{
    constexpr unsigned C = ORR_POWM_SLICE;
    static_assert(C == 32, "a lane per row of a slice");
    const int32_t *ptr = array<int32_t>(t, t.b.ptr), *perm = array<int32_t>(t, t.b.perm);
    const int32_t *index = array<int32_t>(t, t.b.index), *at = array<int32_t>(t, t.b.at);
    const unsigned lane = threadIdx.x % 32, slices = (unsigned)t.b.slices;
    powm_work s = begin<T>(t);
    if (!s.args->run)
        return;
    for (unsigned i = blockIdx.x; i < (unsigned)t.b.longs; i += gridDim.x) {
        const int32_t *from = array<int32_t>(t, t.b.long_ptr) + i;
        const acc_of<T> sum = long_row<T, V>(t, (unsigned)from[0], (unsigned)from[1]);
        if (threadIdx.x == 0)
            row_done<T>(t, array<int32_t>(t, t.b.long_id)[i], sum, s);
    }
    for (unsigned c = blockIdx.x * powm_warps + threadIdx.x / 32; c < slices;
         c += gridDim.x * powm_warps) {
        const unsigned first = (unsigned)read_only(ptr + c);
        const unsigned slots = ((unsigned)read_only(ptr + c + 1) - first) / C;
        const int32_t begins = read_only(at + c), row = read_only(perm + c * C + lane);
        const powm_indices columns = {index + begins + lane, C};
        const powm_diagonals diagonals = {index + ~begins, lane};
        const acc_of<T> sum = begins < 0 ? walk<T, V>(t, diagonals, t.b.val, first + lane, C, slots)
                                         : walk<T, V>(t, columns, t.b.val, first + lane, C, slots);
        if (row >= 0)
            row_done<T>(t, row, sum, s);
    }
    end<T>(t);
}

template <class T, class V>
__global__ void __launch_bounds__(powm_threads, powm_resident) powm_bsr_kernel(powm_task t)
{
    constexpr unsigned most = 4;
    const int32_t *ptr = array<int32_t>(t, t.b.ptr), *index = array<int32_t>(t, t.b.index);
    const unsigned bs = (unsigned)t.b.bs;
    powm_work s = begin<T>(t);
    if (!s.args->run)
        return;
    for (unsigned r = blockIdx.x * powm_threads + threadIdx.x; r < (unsigned)t.b.rows;
         r += gridDim.x * powm_threads) {
        const unsigned I = r / bs, i = r % bs, end = (unsigned)read_only(ptr + I + 1);
        acc_of<T> sum = acc_of<T>();
        ORR_UNROLL_BY(scalar<T>::is_complex ? 1 : 2)
        for (unsigned J = (unsigned)read_only(ptr + I); J < end; J++) {
            const int32_t column = read_only(index + J);
            value<T, V> v[most];
            ORR_UNROLL
            for (unsigned j = 0; j < most; j++)
                if (j < bs)
                    v[j].load(t, t.b.val, (J * bs + i) * bs + j);
            ORR_UNROLL
            for (unsigned j = 0; j < most; j++)
                sum = v[j].plus(entry_of<T>(t, j < bs ? column + (int32_t)j : -1), sum);
        }
        row_done<T>(t, r, sum, s);
    }
    end<T>(t);
}

/* ---- merge --------------------------------------------------------------------------------- */

/* A block per piece. Stores what it has of the rows that end in it, and its carry. */
template <class T, class V>
__global__ void __launch_bounds__(powm_threads, powm_resident) powm_merge_kernel(powm_task t)
{
    const int32_t *ptr = array<int32_t>(t, t.b.ptr), *piece = array<int32_t>(t, t.b.piece);
    const unsigned sub = (unsigned)t.sub, lane = threadIdx.x % sub;
    if (!running(t))
        return;
    for (unsigned p = blockIdx.x; p < (unsigned)t.b.pieces; p += gridDim.x) {
        const int32_t *const here = piece + 2 * p;
        const unsigned first = (unsigned)here[0], last = (unsigned)here[2];
        /* last - first rows end here; number last is the carry. Whole warps leave together. */
        for (unsigned r = first + threadIdx.x / sub; r - threadIdx.x % 32 / sub <= last;
             r += powm_threads / sub) {
            unsigned from = 0, to = 0;
            if (r <= last) {
                from = (unsigned)(r == first ? here[1] : ptr[r]) + lane;
                to = (unsigned)(r == last ? here[3] : ptr[r + 1]);
            }
            const unsigned mine = from < to ? (to - from + sub - 1) / sub : 0;
            const powm_indices columns = {array<int32_t>(t, t.b.index) + from, sub};
            const acc_of<T> sum =
                shared_sum(walk<T, V>(t, columns, t.b.val, from, sub, mine), (int)sub);
            if (r <= last && lane == 0)
                (r == last ? (acc_of<T> *)t.carry + p : (acc_of<T> *)t.acc + r)[0] = sum;
        }
    }
}

/* A thread per run of pieces whose carries go to one row. */
template <class A> __global__ void powm_carry_kernel(powm_task t)
{
    const int32_t *piece = array<int32_t>(t, t.b.piece);
    const A *carry = (const A *)t.carry;
    const int64_t p = (int64_t)blockIdx.x * powm_threads + threadIdx.x;
    if (!running(t) || p >= t.b.pieces)
        return;
    const int32_t row = piece[2 * p + 2];
    if (row >= t.b.rows || (p > 0 && piece[2 * p] == row))
        return;
    A sum = A();
    for (int64_t q = p; q < t.b.pieces && piece[2 * q + 2] == row; q++)
        sum = add(sum, carry[q]);
    ((A *)t.acc)[row] = add(sum, ((A *)t.acc)[row]);
}

/* What the step does with sums that are stored. */
template <class T>
__global__ void __launch_bounds__(powm_threads, powm_resident) powm_rows_kernel(powm_task t)
{
    powm_work s = begin<T>(t);
    if (!s.args->run)
        return;
    for (int64_t r = (int64_t)blockIdx.x * powm_threads + threadIdx.x; r < t.b.rows;
         r += (int64_t)gridDim.x * powm_threads)
        row_done<T>(t, r, ((const acc_of<T> *)t.acc)[r], s);
    end<T>(t);
}

} // namespace orr

#endif
