/* Start of gesvj on a device, for matrices too large for a thread block (kernels/gesvj.h).
 *
 *   largest, load    B := 2^shift A or A', lengths of its columns
 *   B P = Q R        of a panel of 32 columns, for each of them (LAPACK's laqps)
 *     pivot            one thread block: the longest column comes to the front, gets what the
 *                      panel's reflectors so far would have done to it, and its own
 *     rows             a warp for every column behind: F := B' v tau, its entry of this row of R,
 *                      and the length of what is left
 *     trailing       then  B := B - V F'  behind the panel
 *   flip             Q2 := R', and its QR (gesvj_reflect.cuh)
 *   bounds           J := L^-1 with rows of L brought to one length; norms of both
 *   begin            X := L; J := I if the condition of L says that J has to be rotated
 *
 * A length is taken off what R's rows take away, as LAPACK does. Where that has cost half the
 * digits LAPACK ends the panel; here the warp forms what is left of its column from B - V F' and
 * measures that, so all matrices of a launch have panels of the same columns. A step of the
 * factorization costs two launches, and B is read once for it, written once in 32 of them.
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
        here.r.norm[j] = here.r.exact[j] = (R)length;
        here.m.head[ORR_GESVJ_PIVOTS + j] = (int32_t)j + 1;
    }
}

/* ---- B P = Q R --------------------------------------------------------------------------------
 */

/* The longest of the columns k .. n, of equal ones the first. */
template <class R> ORR_DEV int64_t gesvj_longest(int64_t k, int64_t n, const R *norm)
{
    ORR_SHARED(R, value, gesvj_threads);
    ORR_SHARED(int64_t, place, gesvj_threads);
    R most = -1;
    int64_t at = n;
    for (int64_t j = k + threadIdx.x; j < n; j += gesvj_threads)
        if (norm[j] > most) {
            most = norm[j];
            at = j;
        }
    value[threadIdx.x] = most;
    place[threadIdx.x] = at;
    for (int half = gesvj_threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < half) {
            const R other = value[threadIdx.x + (unsigned)half];
            const int64_t there = place[threadIdx.x + (unsigned)half];
            if (other > most || (other == most && there < at)) {
                value[threadIdx.x] = most = other;
                place[threadIdx.x] = at = there;
            }
        }
    }
    __syncthreads();
    return place[0] < n ? place[0] : k;
}

template <class T> ORR_DEV void gesvj_swap(T &x, T &y)
{
    const T z = x;
    x = y;
    y = z;
}

/* Columns k and p of everything change places; F has `before` columns. */
template <class T>
ORR_DEV void gesvj_swap_columns(const gesvj_here<T> &here, int64_t k, int64_t p, int before)
{
    T *const B = here.first();
    const int64_t ld = here.s.big;
    for (int64_t i = threadIdx.x; i < ld; i += gesvj_threads)
        gesvj_swap(B[k * ld + i], B[p * ld + i]);
    if ((int)threadIdx.x < before)
        gesvj_swap(here.r.F[threadIdx.x * here.n + k], here.r.F[threadIdx.x * here.n + p]);
    if (threadIdx.x == 0) {
        here.r.norm[p] = here.r.norm[k];
        here.r.exact[p] = here.r.exact[k];
        gesvj_swap(here.m.head[ORR_GESVJ_PIVOTS + k], here.m.head[ORR_GESVJ_PIVOTS + p]);
    }
}

template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1)
    gesvj_pivot_kernel(gesvj_members all, int64_t k, int64_t first)
{
    ORR_SHARED(T, alpha, 1);
    ORR_SHARED(T, f, gesvj_panel);
    const gesvj_here<T> here(all, blockIdx.y);
    if (!here.finite())
        return;
    const int64_t ld = here.s.big, rows = ld - k;
    const int before = (int)(k - first), lane = (int)threadIdx.x % 32;
    T *const B = here.first(), *const V = B + first * ld + k, *const x = B + k * ld + k;
    const int64_t p = gesvj_longest(k, here.n, here.r.norm);
    if (p != k)
        gesvj_swap_columns(here, k, p, before);
    __syncthreads();
    if ((int)threadIdx.x < before)
        f[threadIdx.x] = here.r.F[threadIdx.x * here.n + k];
    __syncthreads();
    double squares = 0;
    for (int64_t i = threadIdx.x; i < rows; i += gesvj_threads) { /* x := x - V f' */
        T y = x[i];
        for (int l = 0; l < before; l++)
            y = nmad_conj(f[l], V[l * ld + i], y);
        x[i] = y;
        if (i > 0)
            squares += square_of(y);
        else
            *alpha = y;
    }
    const T tau = gesvj_reflector(rows, x, squares, alpha);
    if (threadIdx.x == 0)
        here.operand(GESVJ_FIRST).tau[k] = tau;
    __syncthreads();
    for (int l = (int)threadIdx.x / 32; l < before; l += gesvj_warps) { /* aux := V'x */
        T dot = make<T>(0);
        for (int64_t i = lane; i < rows; i += 32)
            dot = mad_conj(V[l * ld + i], i > 0 ? x[i] : make<T>(1), dot);
        dot = warp_sum(dot);
        if (lane == 0)
            here.r.aux[l] = dot;
    }
}

/* The length of rows k+1 .. of column j of B - V F', by a warp whose lane l has F(j,l). */
template <class T>
ORR_DEV double gesvj_what_is_left(const gesvj_here<T> &here, int64_t j, int64_t k, int64_t first,
                                  T f)
{
    const int64_t ld = here.s.big;
    const T *const B = here.first();
    const int lane = (int)threadIdx.x % 32, known = (int)(k - first) + 1;
    double squares = 0;
    for (int64_t row = k + 1; row < ld; row += 32) {
        const int64_t i = row + lane;
        T y = i < ld ? B[j * ld + i] : make<T>(0);
        for (int l = 0; l < known; l++) {
            const T fl =
                make<T>(__shfl_sync(0xffffffffu, real(f), l), __shfl_sync(0xffffffffu, imag(f), l));
            y = nmad_conj(fl, i < ld ? B[(first + l) * ld + i] : make<T>(0), y);
        }
        squares += square_of(y);
    }
    return std::sqrt(warp_sum(squares));
}

template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1)
    gesvj_rows_kernel(gesvj_members all, int64_t k, int64_t first)
{
    typedef real_of<T> R;
    const gesvj_here<T> here(all, blockIdx.y);
    const int64_t j = k + 1 + (int64_t)blockIdx.x * gesvj_warps + threadIdx.x / 32;
    if (!here.finite() || j >= here.n)
        return;
    const int64_t ld = here.s.big, n = here.n;
    const int lane = (int)threadIdx.x % 32, before = (int)(k - first);
    T *const B = here.first(), *const y = B + j * ld + k;
    const T *const x = B + k * ld + k;
    const T tau = here.operand(GESVJ_FIRST).tau[k];
    /* F(j,.) := tau (B' v - F aux) */
    T f = lane < before ? here.r.F[lane * n + j] : make<T>(0);
    T dot = make<T>(0);
    for (int64_t i = lane; i < ld - k; i += 32)
        dot = mad_conj(y[i], i > 0 ? x[i] : make<T>(1), dot);
    if (lane < before)
        dot = mad(make<T>(-real(f), -imag(f)), here.r.aux[lane], dot);
    dot = mad(tau, warp_sum(dot), make<T>(0));
    f = lane == before ? dot : f;
    /* row k of R */
    T part = make<T>(0);
    if (lane <= before)
        part = mad_conj(f, lane < before ? B[(first + lane) * ld + k] : make<T>(1), part);
    part = warp_sum(part);
    R norm = 0, size = 0;
    int lost = 0;
    if (lane == 0) {
        *y = mad_real((R)-1, part, *y);
        norm = here.r.norm[j];
        size = (R)std::sqrt(square_of(*y));
    }
    if (lane == before)
        here.r.F[before * n + j] = f;
    if (lane == 0 && norm > 0) {
        const R ratio = size / norm, less = std::fmax((R)0, (1 + ratio) * (1 - ratio));
        const R since = norm / here.r.exact[j];
        lost = less * since * since <= std::sqrt(machine<R>::eps);
        norm *= std::sqrt(less);
    }
    lost = __shfl_sync(0xffffffffu, lost, 0);
    if (lost) {
        norm = (R)gesvj_what_is_left(here, j, k, first, f);
        if (lane == 0)
            here.r.exact[j] = norm;
    }
    if (lane == 0)
        here.r.norm[j] = norm;
}

constexpr int gesvj_square = 64; /* of B, by a thread block */
template <class T> __host__ __device__ constexpr size_t gesvj_trailing_bytes()
{
    return sizeof(T) * 2 * gesvj_panel * (gesvj_square + 1);
}

/* Blocks: `down` for the rows behind the panel, times those for its columns. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1)
    gesvj_trailing_kernel(gesvj_members all, int64_t first, int down)
{
    ORR_DYN_SHARED(shared);
    constexpr int ld_tile = gesvj_square + 1, across = gesvj_square / 16;
    T *const v = (T *)shared, *const f = v + gesvj_panel * ld_tile;
    const gesvj_here<T> here(all, blockIdx.y);
    if (!here.finite())
        return;
    const int64_t end = first + gesvj_panel, ld = here.s.big, n = here.n;
    const int64_t row = end + (int64_t)(blockIdx.x % (unsigned)down) * gesvj_square;
    const int64_t column = end + (int64_t)(blockIdx.x / (unsigned)down) * gesvj_square;
    const int ti = (int)threadIdx.x % 16, tj = (int)threadIdx.x / 16;
    T *const B = here.first();
    for (int e = (int)threadIdx.x; e < gesvj_panel * gesvj_square; e += gesvj_threads) {
        const int i = e % gesvj_square, l = e / gesvj_square;
        v[l * ld_tile + i] = row + i < ld ? B[(first + l) * ld + row + i] : make<T>(0);
        f[l * ld_tile + i] = column + i < n ? here.r.F[l * n + column + i] : make<T>(0);
    }
    __syncthreads();
    T h[across][across] = {};
    for (int l = 0; l < gesvj_panel; l++)
        ORR_UNROLL
    for (int a = 0; a < across; a++)
        ORR_UNROLL
    for (int b = 0; b < across; b++)
        h[a][b] = mad_conj(f[l * ld_tile + tj + 16 * b], v[l * ld_tile + ti + 16 * a], h[a][b]);
    ORR_UNROLL
    for (int a = 0; a < across; a++)
        ORR_UNROLL
    for (int b = 0; b < across; b++) {
        const int64_t i = row + ti + 16 * a, j = column + tj + 16 * b;
        if (i < ld && j < n)
            B[j * ld + i] = mad_real((real_of<T>)-1, h[a][b], B[j * ld + i]);
    }
}

/* ---- X and J ----------------------------------------------------------------------------------
 */

/* Q2 := R', a warp for every column. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1) gesvj_flip_kernel(gesvj_members all)
{
    const gesvj_here<T> here(all, blockIdx.y);
    const int64_t j = (int64_t)blockIdx.x * gesvj_warps + threadIdx.x / 32, n = here.n;
    if (!here.finite() || j >= n)
        return;
    for (int64_t i = threadIdx.x % 32; i < n; i += 32)
        here.second()[j * n + i] = i < j ? make<T>(0) : conj(here.first()[i * here.s.big + j]);
}

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
