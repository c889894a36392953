/* Householder tridiagonalisation of a Hermitian matrix by a thread block, n > 1; heevj_lanes.cuh says
 * for what. The lower triangle is in shared memory where that has room for it, or else in global memory.
 *
 * Step k takes column k to a multiple of e_1 by H = I - u u', and A := H A H = A - u q' - q u' with
 * q = y - u (u'y) / 2, y = A u. One pass over A does the update of step k-1 and the product of
 * step k:
 *
 *            columns, four at a time, by warps in turn
 *       .
 *       .  x                    row i of a tile is in lane i mod 32 always; a warp adds up
 *       .  x  x                 its part of y by rows, as it goes, and by columns when it
 *       .  x  x  x              is through with four
 *       u  x  x  x  x
 *
 * The parts of the warps are added in their order. Four barriers to a step.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HEEVJ_LANES_REDUCE_CUH
#define ORR_CUDA_HEEVJ_LANES_REDUCE_CUH

#include "kernels/cuda/heevj_lanes.cuh"

namespace orr
{

/* Squares of a column, of an entry, below these have lost digits; the matrix is of order 1, or as
 * large as a denormal one could be made. */
template <class R> __host__ __device__ constexpr R lanes_tiny_column()
{
    return sizeof(R) == sizeof(float) ? (R)0x1p-80 : (R)0x1p-900;
}
template <class R> __host__ __device__ constexpr R lanes_tiny_entry()
{
    return sizeof(R) == sizeof(float) ? (R)0x1p-110 : (R)0x1p-960;
}

constexpr int lanes_columns = 4; /* of a warp, together */

/* A processor that has room for one triangle only has all its threads in one block, as long as their parts of y have
 * room. */
template <class T> constexpr int lanes_reduce_threads(int64_t n)
{
    constexpr int64_t half = 100 << 10; /* of its shared memory, without vectors */
    return n <= 64 ? 128 : n * (n + 1) / 2 * (int64_t)sizeof(T) <= half ? 256 : 512;
}

/* Blocks that a processor shall hold: 128 registers per thread, 64 in single precision. */
template <class T> constexpr int lanes_reduce_resident(int threads)
{
    return (sizeof(T) == 4 ? 1024 : 512) / threads;
}

/* u of this step and the last, y, q, and a part of y for each warp; the triangle behind them. */
template <class T> size_t lanes_reduce_bytes(int64_t n, int threads, bool triangle)
{
    const int64_t vectors = 4 + threads / 32;
    return (size_t)(vectors * n + (triangle ? n * (n + 1) / 2 : 0)) * sizeof(T);
}
template <class T> shape lanes_reduce_shape(const orr_heevj_args &g, int threads, bool triangle)
{
    return {dim3((unsigned)g.count), dim3((unsigned)threads),
            lanes_reduce_bytes<T>(g.n, threads, triangle)};
}

/* x := sum over the warp, or over each part of it, everybody's. */
template <int Size = 32, class R> ORR_DEV R lanes_warp_sum(R x)
{
    ORR_UNROLL
    for (int far = Size / 2; far > 0; far /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, far);
    return x;
}

/* Of all threads, by warps in their order; everybody gets it. One barrier: `part` may be written
 * again after the next. */
template <int Threads, class R> ORR_DEV R lanes_block_sum(R x, R *part)
{
    x = lanes_warp_sum(x);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    R sum = 0;
    ORR_UNROLL
    for (int i = 0; i < Threads / 32; i++)
        sum += part[i];
    return sum;
}

/* Lane l gets the sum over the warp of x[b], b = (l - first) mod 32, if that is below 4. Half of
 * what a lane has goes away with every exchange. */
template <class R> ORR_DEV R lanes_sum_of_four(const R *x, int first)
{
    const int lane = (int)threadIdx.x % 32, upper = lane & 16, odd = lane & 8;
    R keep0 = upper ? x[2] : x[0], keep1 = upper ? x[3] : x[1];
    keep0 += __shfl_xor_sync(0xffffffffu, upper ? x[0] : x[2], 16);
    keep1 += __shfl_xor_sync(0xffffffffu, upper ? x[1] : x[3], 16);
    R sum = odd ? keep1 : keep0;
    sum += __shfl_xor_sync(0xffffffffu, odd ? keep0 : keep1, 8);
    for (int far = 4; far > 0; far /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, far);
    const int b = (lane - first) & 31;
    return __shfl_sync(0xffffffffu, sum, (b & 2) * 8 + (b & 1) * 8);
}
template <class R> ORR_DEV complex<R> lanes_sum_of_four(const complex<R> *x, int first)
{
    const R re[4] = {x[0].re, x[1].re, x[2].re, x[3].re};
    const R im[4] = {x[0].im, x[1].im, x[2].im, x[3].im};
    const R sum = lanes_sum_of_four(re, first);
    return {sum, lanes_sum_of_four(im, first)};
}

template <class T> ORR_DEV T add(T x, T y) { return make<T>(real(x) + real(y), imag(x) + imag(y)); }

/* x - u conj(q) - w conj(v) */
template <class T> ORR_DEV T lanes_update(T x, T u, T q, T w, T v)
{
    return nmad_conj(v, w, nmad_conj(q, u, x));
}

/* Of a matrix with entries below 2^e, `squares` what is left of |A|_F^2 after that. */
ORR_DEV void lanes_begin(lanes_state *state, orr_matrix_info *info, bool finite, int e,
                         double squares)
{
    const double nan = quiet_nan<double>();
    orr_matrix_info out;
    out.status = finite ? ORR_OK : ORR_NONFINITE;
    out.sweeps = 0;
    out.method = ORR_METHOD_LANES;
    out.device = 1;
    out.off = out.residual = out.orthogonality = nan;
    out.norm = finite ? std::ldexp(std::sqrt(squares), e) : nan;
    *info = out;
    lanes_state begun = {};
    begun.finite = finite;
    begun.exponent = e;
    begun.over = !finite;
    *state = begun;
}

/* Screens matrix a and copies its lower triangle, scaled, to A. */
template <int Threads, class T>
ORR_DEV bool lanes_load(const orr_heevj_args &g, const T *a, T *A, lanes_state *state,
                        orr_matrix_info *info)
{
    typedef real_of<T> R;
    ORR_SHARED(R, scratch, Threads);
    const team<Threads> me;
    const int n = (int)g.n, warp = me.rank() / 32, lane = me.rank() % 32;
    bool finite;
    const int e = clamp_exponent<R>(screen(me, a, n, g.ld, g.upper != 0, true, scratch, &finite));
    double squares = 0;
    for (int c = warp; finite && c < n; c += Threads / 32) /* a column of a, as it is stored */
        for (int r = (g.upper ? 0 : c) + lane; r < (g.upper ? c + 1 : n); r += 32) {
            T x = scale2(a[c * g.ld + r], -e);
            x = r == c ? make<T>(real(x)) : g.upper ? conj(x) : x;
            A[g.upper ? lanes_column(n, r) + c : lanes_column(n, c) + r] = x;
            const double re = (double)real(x), im = (double)imag(x);
            squares += (r == c ? 1 : 2) * std::fma(re, re, im * im);
        }
    squares = block_sum<Threads>(squares); /* A is there for everybody */
    if (me.rank() == 0)
        lanes_begin(state, info, finite, e, squares);
    return finite;
}

/* What step k makes of column x: u = (x + phase sigma e_1) times scale. */
template <class T> struct lanes_reflector {
    typedef real_of<T> R;
    R sigma, scale;
    T phase, head; /* head: the first entry of u */

    /* squares: |x|^2; first: x_{k+1} */
    __device__ lanes_reflector(R squares, T first)
    {
        const bool some = squares > lanes_tiny_column<R>();
        const R re = real(first), im = imag(first), square = std::fma(re, re, im * im);
        const bool turned = some && square > lanes_tiny_entry<R>();
        const R size = scalar<T>::is_complex ? std::sqrt(square) : std::fabs(re);
        const R a = turned ? size : (R)0, by_a = inverse(turned ? size : (R)1);
        sigma = some ? std::sqrt(squares) : (R)0;
        scale = some ? inverse_root(sigma * (sigma + a)) : (R)0;
        if (scalar<T>::is_complex)
            phase = turned ? make<T>(re * by_a, im * by_a) : make<T>((R)1);
        else
            phase = make<T>(re < 0 ? (R)-1 : (R)1);
        head = mad_real((a + sigma) * scale, phase, make<T>((R)0));
    }

    /* The entry of T, made real; D: the product of the phases so far becomes that with this one. */
    __device__ R entry(T first, bool last, T *D) const
    {
        if (!scalar<T>::is_complex)
            return !last ? -real(phase) * sigma : sigma > 0 ? real(first) : (R)0;
        const T turned = mad(*D, phase, make<T>(0));
        *D = last ? turned : make<T>(-real(turned), -imag(turned));
        return sigma;
    }
};

/* Columns j, j+1, ... of A, as many as lanes_columns, in a pass: A := A - u q' - q u', and A v of
 * what they are then. */
template <class T> struct lanes_strip {
    T u[lanes_columns], q[lanes_columns], v[lanes_columns], sum[lanes_columns];
    int j, left, column; /* left: columns from j on; where column j is */

    __device__ lanes_strip(int n, int j_, const T *u_, const T *q_, const T *v_)
        : j(j_), left(n - j_), column(lanes_column(n, j_))
    {
        ORR_UNROLL
        for (int b = 0; b < lanes_columns; b++) {
            const int c = b < left ? j + b : n - 1;
            u[b] = u_[c];
            q[b] = q_[c];
            v[b] = v_[c];
            sum[b] = make<T>(0);
        }
    }

    __device__ int entry(int i, int b) const { return column + b * left - b * (b + 1) / 2 + i; }

    /* Row i, which ends at or before the diagonal in some of them. Returns its part of A v. */
    __device__ T row_at_diagonal(T *A, int i, T ui, T qi, T vi)
    {
        T row = make<T>(0);
        ORR_UNROLL
        for (int b = 0; b < lanes_columns; b++) {
            if (i < j + b || b >= left)
                continue;
            T x = lanes_update(A[entry(i, b)], ui, q[b], qi, u[b]);
            if (i == j + b) {
                x = make<T>(real(x));
                row = mad_real(real(x), v[b], row);
            } else {
                row = mad(x, v[b], row);
                sum[b] = mad_conj(x, vi, sum[b]);
            }
            A[entry(i, b)] = x;
        }
        return row;
    }

    /* Another row. All loads are on their way before something is stored. */
    __device__ T row_below(T *A, int i, T ui, T qi, T vi)
    {
        T x[lanes_columns], row = make<T>(0);
        ORR_UNROLL
        for (int b = 0; b < lanes_columns; b++)
            x[b] = A[entry(i, b)];
        ORR_UNROLL
        for (int b = 0; b < lanes_columns; b++) {
            x[b] = lanes_update(x[b], ui, q[b], qi, u[b]);
            row = mad(x[b], v[b], row);
            sum[b] = mad_conj(x[b], vi, sum[b]);
        }
        ORR_UNROLL
        for (int b = 0; b < lanes_columns; b++)
            A[entry(i, b)] = x[b];
        return row;
    }
};

/* Columns k+1, ... of A := A - u q' - q u', and part := (of this warp) A v. */
template <int Threads, class T>
ORR_DEV void lanes_pass(int n, int k, T *A, const T *u, const T *q, const T *v, T *part)
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    part += warp * n;
    for (int i = (k + 1) / 32 * 32 + lane; i < n; i += 32)
        part[i] = make<T>(0);
    for (int j = k + 1 + lanes_columns * warp; j < n; j += lanes_columns * (Threads / 32)) {
        lanes_strip<T> strip(n, j, u, q, v);
        const int below =
            (j + lanes_columns + 31) / 32 * 32; /* tiles that are below the diagonal */
        int i = j / 32 * 32 + lane;
        ORR_UNROLL_BY(1)
        for (; i < n && i < below; i += 32)
            if (i >= j)
                part[i] = add(part[i], strip.row_at_diagonal(A, i, u[i], q[i], v[i]));
        ORR_UNROLL_BY(1)
        for (; i < n; i += 32)
            part[i] = add(part[i], strip.row_below(A, i, u[i], q[i], v[i]));
        const T sums = lanes_sum_of_four(strip.sum, j);
        const int b = (lane - j) & 31;
        if (b < lanes_columns && j + b < n)
            part[j + b] = add(part[j + b], sums);
    }
}

template <class T, int Threads, bool Shared>
__global__ void __launch_bounds__(Threads, (lanes_reduce_resident<T>(Threads)))
    heevj_lanes_reduce_kernel(orr_heevj_args g, orr_heevj_rounds rounds, const T *a,
                              unsigned char *work, orr_matrix_info *info)
{
    typedef real_of<T> R;
    ORR_DYN_SHARED(shared);
    ORR_SHARED(R, squares_of, Threads / 32);
    ORR_SHARED(R, dots_of, Threads / 32);
    ORR_SHARED(T, head, 1);
    ORR_SHARED(T, D, 1); /* of thread 0, which is short of registers */
    const int n = (int)g.n, tid = (int)threadIdx.x;
    const lanes_memory<T> m = lanes_memory_of<T>(work, g, rounds, blockIdx.x);
    T *const vectors = (T *)shared;
    T *const y = vectors + 2 * n, *const q = vectors + 3 * n, *const part = vectors + 4 * n;
    T *const A = Shared ? part + Threads / 32 * n : m.packed;
    for (int i = tid; i < n; i += Threads) /* nothing is pending in the first step */
        vectors[n + i] = q[i] = make<T>(0);
    if (!lanes_load<Threads>(g, a + blockIdx.x * g.stride, A, m.state, info + blockIdx.x))
        return;
    if (tid == 0)
        *D = m.phase[0] = make<T>(1);
    R half = 0; /* -u'y / 2 */
    for (int k = 0; k < n - 1; k++) {
        const bool pending = k > 0, last = k == n - 2;
        const T *const u = vectors + (k + 1) % 2 * n;
        T *const v = vectors + k % 2 * n;
        const int column = lanes_column(n, k);
        const T uk = pending ? u[k] : make<T>(0);
        const T qk = pending ? mad_real(half, uk, y[k]) : make<T>(0);
        R squares = 0;
        for (int i = k + tid; i < n; i += Threads) {
            T x = A[column + i];
            if (pending) {
                const T qi = mad_real(half, u[i], y[i]);
                q[i] = qi;
                x = lanes_update(x, u[i], qk, qi, uk);
                if (last && i == n - 1) {
                    T *const corner = A + lanes_column(n, i) + i;
                    *corner = lanes_update(*corner, u[i], qi, qi, u[i]);
                }
            }
            if (i == k) {
                m.d[n - 1 - k] = real(x);
                continue;
            }
            v[i] = x;
            squares = std::fma(real(x), real(x), std::fma(imag(x), imag(x), squares));
            if (i == k + 1)
                *head = x;
            if (last)
                m.d[0] = real(A[lanes_column(n, i) + i]);
        }
        squares = lanes_block_sum<Threads>(squares, squares_of);
        const T first = *head;
        const lanes_reflector<T> h(squares, first);
        if (tid == 0) {
            m.e[n - 2 - k] = h.entry(first, last, D);
            m.phase[k + 1] = *D;
        }
        if (last)
            break;
        for (int i = k + tid; i < n; i += Threads) {
            if (i == k)
                continue;
            const T ui = i == k + 1 ? h.head : mad_real(h.scale, v[i], make<T>(0));
            v[i] = ui;
            m.packed[column + i] = ui;
        }
        __syncthreads();
        lanes_pass<Threads>(n, k, A, u, q, v, part);
        __syncthreads();
        R dot = 0;
        for (int i = k + tid; i < n; i += Threads) {
            if (i == k)
                continue;
            T sum = part[i];
            for (int w = 1; w < Threads / 32; w++)
                sum = add(sum, part[w * n + i]);
            y[i] = sum;
            dot = std::fma(real(v[i]), real(sum), std::fma(imag(v[i]), imag(sum), dot));
        }
        half = (R)-0.5 * lanes_block_sum<Threads>(dot, dots_of);
    }
}

} // namespace orr

#endif
