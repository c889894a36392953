/* Eigenvectors from the rotations and reflectors of heevj_lanes_ql.cuh and heevj_lanes_reduce.cuh.
 *
 * turn: rows of Z are independent, a thread has one, and matrices of small order share a block.
 * lanes_wave sweeps of QL go through it together, each a column behind the one before, so that an entry
 * is read and written once for as many rotations:
 *
 *      column   i    i+1  i+2  i+3        sweep 0 turns i and i+1,
 *               y    x0   x1   x2 ..      sweep 1 then i+1 and i+2, ...
 *                                         out comes column i + lanes_wave
 *
 * x stays in registers, Z in global memory, the rotations of a wave in shared memory, filled up with
 * (c, s) = (1, 0) where a sweep has none. Z begins as I: before sweep k row r has nothing right of
 * column r + k.
 *
 * back: columns of Q Z are independent, a block has some, in shared memory; of small matrices a thread
 * has one (heevj_lanes_rows.cuh). Some reflectors are applied together, (I - u_0 u_0') ... (I - u_b u_b')
 * = I - U S U', where S^-1 is the upper triangle of U'U with ones on its diagonal.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HEEVJ_LANES_VECTORS_CUH
#define ORR_CUDA_HEEVJ_LANES_VECTORS_CUH

#include "kernels/cuda/heevj_lanes_reduce.cuh"

namespace orr
{

/* ---- Z times the rotations ------------------------------------------------------------------- */

constexpr int lanes_ahead = 4; /* columns that are read ahead */

inline int64_t lanes_slices(int64_t n, int64_t size) { return (n + size - 1) / size; }

/* Some more, so that two parts of a warp do not read from the same banks. */
static __host__ __device__ __forceinline__ int lanes_turn_table(int n)
{
    return (n + lanes_wave) * lanes_wave + 2;
}

template <class R, int Team> shape lanes_turn_shape(const orr_heevj_args &g)
{
    constexpr int teams = lanes_block / Team;
    const int64_t slices = g.count * lanes_slices(g.n, Team);
    return {dim3((unsigned)lanes_slices(slices, teams)), dim3(lanes_block),
            (size_t)(teams * lanes_turn_table((int)g.n)) * sizeof(turn<R>)};
}

/* Steps from..to, descending, on a row of Z; column i at z[(i + lanes_wave) ld]. table: the rotations
 * of step `top` first. */
template <class R>
ORR_DEV void lanes_turn_row(R *z, int64_t ld, const turn<R> *table, int top, int from, int to)
{
    R x[lanes_wave], next[lanes_ahead];
    z += lanes_wave * ld;
    ORR_UNROLL
    for (int j = 0; j < lanes_wave; j++)
        x[j] = z[(from + 1 + j) * ld];
    ORR_UNROLL
    for (int b = 0; b < lanes_ahead; b++)
        next[b] = from - b >= to ? z[(from - b) * ld] : (R)0;
    for (int i = from; i >= to; i -= lanes_ahead) {
        R now[lanes_ahead];
        ORR_UNROLL
        for (int b = 0; b < lanes_ahead; b++) {
            const int column = i - lanes_ahead - b;
            now[b] = next[b];
            next[b] = column >= to ? z[column * ld] : (R)0;
        }
        ORR_UNROLL
        for (int b = 0; b < lanes_ahead; b++) {
            if (i - b < to)
                break;
            const turn<R> *const t = table + (top - i + b) * lanes_wave;
            R y = now[b];
            ORR_UNROLL
            for (int j = 0; j < lanes_wave; j++) {
                const turn<R> r = t[j];
                const R out = std::fma(r.c, x[j], r.s * y);
                x[j] = std::fma(r.c, y, -(r.s * x[j]));
                y = out;
            }
            z[(i - b + lanes_wave) * ld] = y;
        }
    }
    ORR_UNROLL
    for (int j = 0; j < lanes_wave; j++)
        z[(to + j) * ld] = x[j];
}

template <class T, int Team>
__global__ void __launch_bounds__(lanes_block)
    heevj_lanes_turn_kernel(orr_heevj_args g, orr_heevj_rounds rounds, int round,
                            unsigned char *work)
{
    typedef real_of<T> R;
    ORR_DYN_SHARED(shared);
    const team<Team> me;
    const int n = (int)g.n, slices = (n + Team - 1) / Team, rank = me.rank();
    const int local = (int)threadIdx.x / Team;
    turn<R> *const table = (turn<R> *)shared + local * lanes_turn_table(n);
    const int64_t slice = (int64_t)blockIdx.x * (lanes_block / Team) + local, k = slice / slices;
    const bool present = k < g.count;
    const lanes_memory<T> m = lanes_memory_of<T>(work, g, rounds, present ? k : 0);
    const int row = (int)(slice % slices) * Team + rank;
    const int last_row = row | (Team < 32 ? Team - 1 : 31); /* of the warp */
    const int sweeps = present && m.state->finite ? m.state->sweeps : 0;
    const int mine = rank % lanes_wave; /* sweep of a wave */
    R *const z = m.Z + row;
    const bool begins = round == 0 && present && row < n;
    for (int c = 0; begins && c < n + 2 * lanes_wave; c++)
        z[(int64_t)c * m.ldz] = c - lanes_wave == row;
    for (int first = 0; me.any(first < sweeps); first += lanes_wave) {
        const bool some = first + mine < sweeps;
        const lanes_sweep w = some ? m.sweep[first + mine] : lanes_sweep{0, 0, 0};
        int top = some ? w.hi - 1 - mine : -lanes_wave, bottom = some ? w.lo - mine : n;
        ORR_UNROLL
        for (int far = lanes_wave / 2; far > 0; far /= 2) {
            const int above = __shfl_xor_sync(0xffffffffu, top, far);
            const int below = __shfl_xor_sync(0xffffffffu, bottom, far);
            top = above > top ? above : top;
            bottom = below < bottom ? below : bottom;
        }
        me.sync();
        for (int t = rank; t < (top - bottom + 1) * lanes_wave; t += Team) {
            const int i = top - t / lanes_wave + mine;
            const turn<R> none = {(R)1, (R)0};
            table[t] = i >= w.lo && i < w.hi ? m.list[w.at + i] : none;
        }
        me.sync();
        const int filled = round == 0 && last_row + first < top ? last_row + first : top;
        if (row < n && filled >= bottom)
            lanes_turn_row(z, (int64_t)m.ldz, table, top, filled, bottom);
    }
}

/* ---- Values --------------------------------------------------------------------------------- */

/* Some bytes more: nvcc reads three or four values at once and past the last, which compute-sanitizer
 * objects to. */
template <class R> __host__ __device__ constexpr size_t lanes_order_bytes(int64_t n)
{
    return ((size_t)n * sizeof(R) + 15) / 16 * 16 + 16;
}
template <class R, int Team> shape lanes_order_shape(const orr_heevj_args &g)
{
    constexpr int teams = lanes_block / Team;
    return {dim3((unsigned)lanes_slices(g.count, teams)), dim3(lanes_block),
            teams * lanes_order_bytes<R>(g.n)};
}

template <class T, int Team>
__global__ void __launch_bounds__(lanes_block)
    heevj_lanes_order_kernel(orr_heevj_args g, orr_heevj_rounds rounds, unsigned char *work, T *a,
                             real_of<T> *w, orr_matrix_info *info)
{
    typedef real_of<T> R;
    ORR_DYN_SHARED(shared);
    const team<Team> me;
    const int n = (int)g.n, rank = me.rank(), local = (int)threadIdx.x / Team;
    R *const d = (R *)(shared + (size_t)local * lanes_order_bytes<R>(n));
    const int64_t k = (int64_t)blockIdx.x * (lanes_block / Team) + local;
    const bool present = k < g.count;
    const lanes_memory<T> m = lanes_memory_of<T>(work, g, rounds, present ? k : 0);
    const lanes_state state = *m.state;
    const R nan = quiet_nan<R>();
    for (int i = rank; present && state.finite && i < n; i += Team)
        d[i] = m.d[i];
    me.sync();
    if (!present)
        return;
    a += k * g.stride;
    w += k * g.ldw;
    if (!state.finite) {
        for (int e = rank; e < n * n; e += Team)
            a[e / n * g.ld + e % n] = make<T>(nan, nan);
        for (int i = rank; i < n; i += Team)
            w[i] = nan;
        return;
    }
    for (int i = rank; i < n; i += Team) {
        const R x = d[i];
        int before = 0; /* equal ones keep their order */
        for (int j = 0; j < n; j++)
            before += d[j] < x || (d[j] == x && j < i);
        w[before] = scale2(x, state.exponent) + (R)0;
        m.order[before] = i;
    }
    if (rank == 0 && state.failed)
        info[k].status = ORR_NOCONV;
}

/* ---- Q Z ------------------------------------------------------------------------------------- */

constexpr int lanes_threads = 256;

/* Reflectors that are applied together. */
template <class T> constexpr int lanes_group = sizeof(T) == 16 ? 4 : 8;

template <class T> size_t lanes_back_bytes(int64_t n, int64_t columns)
{
    constexpr int64_t group = lanes_group<T>;
    return (size_t)(n * (columns + 1) + n * group + lanes_threads * group + columns * group) *
           sizeof(T);
}
/* Columns of a block: of 64 KiB at most, so that a processor has two blocks or more; fewer where a block has
 * less shared memory. */
template <class T> int lanes_back_columns(int64_t n, size_t room)
{
    int columns = 32;
    while (columns > 8 && (int64_t)sizeof(T) * n * columns > 64 * 1024)
        columns /= 2;
    while (columns > 1 && lanes_back_bytes<T>(n, columns) > room)
        columns /= 2;
    return columns;
}
template <class T> shape lanes_back_shape(const orr_heevj_args &g, int columns)
{
    return {dim3((unsigned)(g.count * lanes_slices(g.n, columns))), dim3(lanes_threads),
            lanes_back_bytes<T>(g.n, columns)};
}

template <class T>
__global__ void __launch_bounds__(lanes_threads)
    heevj_lanes_back_kernel(orr_heevj_args g, orr_heevj_rounds rounds, int columns,
                            unsigned char *work, T *a)
{
    constexpr int B = lanes_group<T>;
    ORR_DYN_SHARED(shared);
    ORR_SHARED(T, gram, B * B);
    const int n = (int)g.n, tid = (int)threadIdx.x, slices = (n + columns - 1) / columns;
    const int64_t k = blockIdx.x / slices;
    const lanes_memory<T> m = lanes_memory_of<T>(work, g, rounds, k);
    if (!m.state->finite)
        return;
    const int ldz = columns + 1; /* against bank conflicts */
    T *const U = (T *)shared, *const part = U + B * n;
    T *const sum = part + B * lanes_threads, *const z = sum + B * columns;
    const int first = (int)blockIdx.x % slices * columns;
    const int count = n - first < columns ? n - first : columns;
    for (int e = tid; e < n * columns; e += lanes_threads) {
        const int i = e % n, c = e / n;
        T x = make<T>(0);
        if (c < count) {
            const int column = m.order[first + c] + lanes_wave;
            x = mad_real(m.Z[(int64_t)column * m.ldz + n - 1 - i], m.phase[i], make<T>(0));
        }
        z[i * ldz + c] = x;
    }
    const int column = tid % columns, team = tid / columns, teams = lanes_threads / columns;
    const int reflectors = n - 2, warp = tid / 32, lane = tid % 32;
    for (int l = reflectors > 0 ? (reflectors - 1) / B * B : -1; l >= 0; l -= B) {
        const int base = (l + 1) / teams * teams; /* a row is always the same team's */
        __syncthreads();
        for (int e = tid; e < (n - base) * B; e += lanes_threads) {
            const int i = base + e % (n - base), b = e / (n - base);
            const bool inside = l + b < reflectors && i > l + b;
            U[i * B + b] = inside ? m.packed[lanes_column(n, l + b) + i] : make<T>(0);
        }
        __syncthreads();
        for (int pair = warp; pair < B * B; pair += lanes_threads / 32) {
            const int b = pair / B, c = pair % B;
            if (b >= c)
                continue;
            T s = make<T>(0);
            for (int i = base + lane; i < n; i += 32)
                s = mad_conj(U[i * B + b], U[i * B + c], s);
            s = make<T>(lanes_warp_sum(real(s)), lanes_warp_sum(imag(s)));
            if (lane == 0)
                gram[pair] = s;
        }
        T p[B];
        ORR_UNROLL
        for (int b = 0; b < B; b++)
            p[b] = make<T>(0);
        for (int i = base + team; i < n; i += teams) {
            const T x = z[i * ldz + column];
            ORR_UNROLL
            for (int b = 0; b < B; b++)
                p[b] = mad_conj(U[i * B + b], x, p[b]);
        }
        ORR_UNROLL
        for (int b = 0; b < B; b++)
            part[b * lanes_threads + tid] = p[b];
        __syncthreads();
        for (int e = tid; e < B * columns; e += lanes_threads) {
            const T *const from = part + e / columns * lanes_threads + e % columns;
            T s = from[0];
            for (int t = 1; t < teams; t++)
                s = add(s, from[t * columns]);
            sum[e] = s;
        }
        __syncthreads();
        ORR_UNROLL
        for (int b = B - 1; b >= 0; b--) { /* p := -S U' z */
            T s = sum[b * columns + column];
            ORR_UNROLL
            for (int c = b + 1; c < B; c++)
                s = mad(gram[b * B + c], p[c], s);
            p[b] = make<T>(-real(s), -imag(s));
        }
        for (int i = base + team; i < n; i += teams) {
            T x = z[i * ldz + column];
            ORR_UNROLL
            for (int b = 0; b < B; b++)
                x = mad(U[i * B + b], p[b], x);
            z[i * ldz + column] = x;
        }
    }
    __syncthreads();
    a += k * g.stride + first * g.ld;
    for (int e = tid; e < n * count; e += lanes_threads)
        a[e / n * g.ld + e % n] = z[e % n * ldz + e / n];
}

} // namespace orr

#endif
