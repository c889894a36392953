/* QL with rotations by a warp, many sweeps at once; heevj_lanes.cuh says for what.
 *
 * The shifts of a block are known before (heevj_lanes_values.cuh), so a sweep need not wait for the end
 * of the one before: a wave is up to 32 of them, a lane for each, two rows behind each other.
 *
 *      rows   lo ...   r   r+1  r+2  r+3  ...  hi
 *      lane 0          d,e                           takes row r, gives row r+1 to
 *      lane 1                   d,e                  lane 1, which will take it next, ...
 *
 * Lane 0 takes rows from shared memory, the last lane gives them back. A sweep ends where the one
 * before has: a row further down if that left no e. If it did leave one, the rest of the wave is in
 * vain, though no harm: values, in the next round, or QL with Wilkinson's shifts, in the last ones,
 * begin with what is there.
 *
 * An e at the end of a sweep counts as zero up to 16 eps |T|_F; a few eps |T| are what it is in general.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HEEVJ_LANES_WAVES_CUH
#define ORR_CUDA_HEEVJ_LANES_WAVES_CUH

#include "kernels/cuda/heevj_lanes_ql.cuh"

namespace orr
{

/* In the first half of the rounds values are found and waves made. */
static __host__ __device__ __forceinline__ bool lanes_in_waves(const orr_heevj_rounds &rounds,
                                                               int round)
{
    return round < rounds.rounds / 2;
}

template <class R> shape lanes_waves_shape(const orr_heevj_args &g)
{
    return {dim3((unsigned)g.count), dim3(32), 2 * sizeof(R) * (size_t)g.n};
}

/* `count` sweeps on the block, of which lane l stores those of shift values[lo + l] from
 * list[used + l (hi - lo)] on. Returns how many found a value: lo is as much larger. */
template <class R>
ORR_DEV int lanes_wave_of(lanes_tridiagonal<R> &t, int count, const R *values, R most, int used,
                          turn<R> *list, lanes_sweep *sweep)
{
    const int lane = (int)threadIdx.x, lo = t.lo, hi = t.hi;
    const int at = used + lane * (hi - lo) - lo;
    const R shift = lane < count ? values[lo + lane] : (R)0;
    lanes_rotation<R> chain = {};
    R d = 0, e = 0; /* the row that was given */
    int next = lo;  /* where the next sweep ends, as far as is known */
    bool active = lane < count;
    for (int k = 0; k <= hi - lo + count || __any_sync(0xffffffffu, active); k++) {
        const int row = hi + 2 * lane - k;
        R d_row = __shfl_up_sync(0xffffffffu, d, 1), e_row = __shfl_up_sync(0xffffffffu, e, 1);
        const int end_before = __shfl_up_sync(0xffffffffu, next, 1);
        const int end = lane == 0 ? lo : end_before;
        __syncwarp(); /* what the last lane wrote is there, what lane 0 read may be written */
        if (!active || row > hi)
            continue;
        if (lane == 0 && row >= lo) {
            d_row = t.at_d(row);
            e_row = t.at_e(row);
        }
        next = end;
        bool give = lane == count - 1;
        if (row == hi) {
            chain.begin(d_row, shift);
            continue;
        }
        if (row >= end) {
            const turn<R> r = chain.step(d_row, e_row, &d, &e);
            list[at + row] = r;
        } else {
            const R above = d;
            d = chain.d - chain.p;
            e = chain.g;
            const bool nil = std::fabs(e) <=
                             std::fma(machine<R>::eps / 2, std::fabs(d) + std::fabs(above), most);
            next = nil ? end + 1 : end;
            e = nil ? (R)0 : e;
            sweep[lane] = {end, hi, at};
            give = give || nil;
            active = false;
        }
        if (give) {
            t.at_d(row + 1) = d;
            t.at_e(row + 1) = row + 1 < hi ? e : (R)0;
        }
    }
    __syncwarp();
    t.lo = __shfl_sync(0xffffffffu, next, count - 1);
    return t.lo - lo;
}

/* Waves for each block. Returns whether something is left. */
template <class T>
ORR_DEV bool lanes_make_waves(lanes_tridiagonal<real_of<T>> &t, const lanes_memory<T> &m,
                              const orr_heevj_rounds &rounds, lanes_state *state)
{
    typedef real_of<T> R;
    const R most = 4 * std::sqrt((R)t.n) * t.floor;
    int used = 0, sweeps = 0;
    bool left = false, more = t.template find_block<LANES_ROTATIONS>(0);
    while (more) {
        const int rows = t.hi - t.lo, fit = (rounds.rotations - used) / rows;
        int count = rows < 32 ? rows : 32;
        count = count < fit ? count : fit;
        count = count < rounds.sweeps - sweeps ? count : rounds.sweeps - sweeps;
        const int found =
            count > 0 ? lanes_wave_of(t, count, m.values, most, used, m.list, m.sweep + sweeps) : 0;
        used += count * rows;
        sweeps += count;
        const bool vain = found < count || count == 0;
        left = left || vain;
        if (vain || t.lo == t.hi)
            more = t.template find_block<LANES_ROTATIONS>(t.hi + 1);
    }
    if (threadIdx.x == 0)
        state->sweeps = sweeps;
    return left;
}

template <class T>
__global__ void __launch_bounds__(32)
    heevj_lanes_waves_kernel(orr_heevj_args g, orr_heevj_rounds rounds, int round,
                             unsigned char *work)
{
    typedef real_of<T> R;
    ORR_DYN_SHARED(shared);
    const int n = (int)g.n, lane = (int)threadIdx.x;
    const lanes_memory<T> m = lanes_memory_of<T>(work, g, rounds, blockIdx.x);
    const bool over = m.state->over;
    __syncwarp();
    if (over) {
        if (lane == 0)
            m.state->sweeps = 0;
        return;
    }
    lanes_tridiagonal<R> t = {(R *)shared, (R *)shared + n, n, 1, 0, 0, 0};
    R sum = 0;
    for (int i = lane; i < n; i += 32) {
        const R d = m.d[i], e = i < n - 1 ? m.e[i] : (R)0;
        t.at_d(i) = d;
        t.at_e(i) = e;
        sum = std::fma(d, d, std::fma(2 * e, e, sum));
    }
    t.floor = lanes_floor(lanes_warp_sum(sum), n);
    __syncwarp();
    if (lanes_in_waves(rounds, round)) {
        const bool left = lanes_make_waves(t, m, rounds, m.state);
        if (lane == 0)
            m.state->over = !left;
    } else if (lane == 0) {
        lanes_find_rotations(t, m, rounds, round == rounds.rounds / 2, round == rounds.rounds - 1,
                             (const R *)nullptr, m.state);
    }
    __syncwarp();
    for (int i = lane; i < n; i += 32) {
        m.d[i] = t.at_d(i);
        if (i < n - 1)
            m.e[i] = t.at_e(i);
    }
}

} // namespace orr

#endif
