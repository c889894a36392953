/* Householder QR in blocks of 32 columns for start and finish of gesvj on a device, and L X = M:
 *
 *   panel      of 32 columns, one thread block a matrix:  v_j, tau_j
 *   triangle   T of  H_0 H_1 .. H_31 = I - V T V'   (Schreiber, Van Loan)
 *   reflect    C := (I - V T V') C or (I - V T' V') C, one thread block for 32 columns of C
 *   solve      M := L^-1 M, one thread block for 32 columns of M
 *
 * Matrices whose reflectors are fewer or none have thread blocks that return at once: how many
 * there are is known on the device only.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_GESVJ_REFLECT_CUH
#define ORR_CUDA_GESVJ_REFLECT_CUH

#include "kernels/cuda/gesvj_state.cuh"

namespace orr
{

constexpr int gesvj_tile_ld = gesvj_panel + 1; /* odd, against bank conflicts */
template <class T> __host__ __device__ constexpr size_t gesvj_tile_bytes()
{
    return sizeof(T) * gesvj_panel * gesvj_tile_ld;
}

/* By a block: x, whose first entry is alpha, becomes [beta; v] with H = I - tau [1; v] [1; v]',
 * H' x = beta e. squares: this thread's part of those of all entries but the first, which thread 0
 * has in *alpha, in shared memory. Returns tau; 0 if nothing has a length, and v says nothing. Ends
 * without a barrier. */
template <class T> ORR_DEV T gesvj_reflector(int64_t rows, T *x, double squares, const T *alpha)
{
    typedef real_of<T> R;
    squares = gesvj_block_sum(squares);
    const T a = *alpha;
    const double length = std::sqrt(squares + square_of(a));
    if (!(length > gesvj_least<R>()))
        return make<T>(0);
    const R beta = (R)(real(a) > 0 ? -length : length), down = real(a) - beta;
    const double size = square_of(make<T>(down, imag(a)));
    const T inverse = make<T>((R)((double)down / size), (R)(-(double)imag(a) / size));
    for (int64_t i = threadIdx.x; i < rows; i += gesvj_threads)
        x[i] = i == 0 ? make<T>(beta) : mad(inverse, x[i], make<T>(0));
    return make<T>((beta - real(a)) / beta, -imag(a) / beta);
}

/* Column j of a block of reflectors at row i, both from the block's first on. */
template <class T> ORR_DEV T gesvj_v(const T *block, int64_t ld, int64_t i, int64_t j)
{
    return i > j ? block[j * ld + i] : make<T>(i == j);
}

template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1)
    gesvj_panel_kernel(gesvj_members all, int which, int panel)
{
    ORR_SHARED(T, alpha, 1);
    const gesvj_here<T> here(all, blockIdx.y);
    if (!here.finite())
        return;
    const gesvj_operand<T> A = here.operand(which);
    const int64_t first = panel * gesvj_panel;
    const int64_t end = first + gesvj_panel < A.columns ? first + gesvj_panel : A.columns;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    for (int64_t c = first; c < end; c++) {
        T *const x = A.x + c * A.ld + c;
        const int64_t rows = A.rows - c;
        double squares = 0;
        for (int64_t i = threadIdx.x; i < rows; i += gesvj_threads)
            if (i > 0)
                squares += square_of(x[i]);
        if (threadIdx.x == 0)
            *alpha = *x;
        const T tau = gesvj_reflector(rows, x, squares, alpha);
        if (threadIdx.x == 0)
            A.tau[c] = tau;
        __syncthreads();
        for (int64_t j = c + 1 + warp; j < end; j += gesvj_warps) { /* a_j := H' a_j */
            T *const y = A.x + j * A.ld + c;
            T dot = make<T>(0);
            for (int64_t i = lane; i < rows; i += 32)
                dot = mad_conj(i > 0 ? x[i] : make<T>(1), y[i], dot);
            dot = mad(conj(tau), warp_sum(dot), make<T>(0));
            for (int64_t i = lane; i < rows; i += 32)
                y[i] = mad(i > 0 ? x[i] : make<T>(1), make<T>(-real(dot), -imag(dot)), y[i]);
        }
        __syncthreads();
    }
}

/* Blocks: panels from `panel` on. T of each goes to its place in F, column major. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1)
    gesvj_triangle_kernel(gesvj_members all, int which, int panel)
{
    ORR_DYN_SHARED(shared);
    T *const G = (T *)shared, *const S = G + gesvj_panel * gesvj_tile_ld;
    const gesvj_here<T> here(all, blockIdx.y);
    if (!here.finite())
        return;
    const gesvj_operand<T> A = here.operand(which);
    const int64_t number = panel + (int64_t)blockIdx.x, first = number * gesvj_panel;
    const int64_t width = A.columns - first < gesvj_panel ? A.columns - first : gesvj_panel;
    if (width <= 0)
        return;
    const T *const V = A.x + first * A.ld + first;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    for (int64_t e = warp; e < width * width; e += gesvj_warps) { /* G := V'V, above the diagonal */
        const int64_t i = e % width, j = e / width;
        T dot = make<T>(0);
        for (int64_t k = j + lane; i < j && k < A.rows - first; k += 32)
            dot = mad_conj(gesvj_v(V, A.ld, k, i), gesvj_v(V, A.ld, k, j), dot);
        dot = warp_sum(dot);
        if (lane == 0)
            G[j * gesvj_tile_ld + i] = dot;
    }
    __syncthreads();
    if (threadIdx.x < gesvj_panel) { /* a row of T each */
        const int64_t i = threadIdx.x;
        for (int64_t j = 0; j < gesvj_panel; j++) {
            T t = make<T>(0);
            if (i < j && j < width) {
                for (int64_t l = i; l < j; l++)
                    t = mad(S[l * gesvj_tile_ld + i], G[j * gesvj_tile_ld + l], t);
                t = mad(A.tau[first + j], make<T>(-real(t), -imag(t)), make<T>(0));
            } else if (i == j && j < width) {
                t = A.tau[first + j];
            }
            S[j * gesvj_tile_ld + i] = t;
            here.r.F[number * gesvj_panel * gesvj_panel + j * gesvj_panel + i] = t;
        }
    }
}

/* h(a, b) += the sum over k of term(x(k, row), y(k, column)) for a tile of 32 x 32, two rows and
 * columns a thread. */
template <class T, class F> ORR_DEV void gesvj_tile_product(T (*h)[2], F term)
{
    const int ti = (int)threadIdx.x % 16, tj = (int)threadIdx.x / 16;
    ORR_UNROLL_BY(4)
    for (int k = 0; k < gesvj_panel; k++)
        ORR_UNROLL
    for (int a = 0; a < 2; a++)
        ORR_UNROLL
    for (int b = 0; b < 2; b++)
        h[a][b] = term(k, ti + 16 * a, tj + 16 * b, h[a][b]);
}
/* put(row, column, h) of such a tile. */
template <class T, class F> ORR_DEV void gesvj_tile_put(T (*h)[2], F put)
{
    const int ti = (int)threadIdx.x % 16, tj = (int)threadIdx.x / 16;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
            put(ti + 16 * a, tj + 16 * b, h[a][b]);
}
/* tile(row, column) := get(row, column), rows running fastest. */
template <class T, class F> ORR_DEV void gesvj_tile_load(T *tile, F get)
{
    for (int e = (int)threadIdx.x; e < gesvj_panel * gesvj_panel; e += gesvj_threads)
        tile[e / gesvj_panel * gesvj_tile_ld + e % gesvj_panel] =
            get(e % gesvj_panel, e / gesvj_panel);
}

/* Columns from `from` on of C; of LEFT and reflectors of COPY, those that they complete. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1)
    gesvj_reflect_kernel(gesvj_members all, int of, int to, int panel, int64_t from, bool adjoint)
{
    ORR_DYN_SHARED(shared);
    T *const v = (T *)shared, *const c = v + gesvj_panel * gesvj_tile_ld,
             *const w = c + gesvj_panel * gesvj_tile_ld;
    const gesvj_here<T> here(all, blockIdx.y);
    if (!here.finite())
        return;
    const gesvj_operand<T> A = here.operand(of), C = here.operand(to);
    const int64_t first = (int64_t)panel * gesvj_panel, rows = A.rows - first;
    const int64_t width = A.columns - first;
    const int64_t column =
        (of == GESVJ_COPY && to == GESVJ_LEFT ? A.columns : from) + blockIdx.x * gesvj_panel;
    if (width <= 0 || column >= C.columns)
        return;
    const T *const V = A.x + first * A.ld + first;
    const T *const t = here.r.F + (int64_t)panel * gesvj_panel * gesvj_panel;
    T *const x = C.x + column * C.ld + first;
    const int64_t columns = C.columns - column;
    const auto load_v = [&](int64_t row) {
        gesvj_tile_load(v, [&](int i, int j) {
            return row + i < rows && j < width ? gesvj_v(V, A.ld, row + i, j) : make<T>(0);
        });
    };
    T h[2][2] = {};
    for (int64_t row = 0; row < rows; row += gesvj_panel) { /* W := V'C */
        load_v(row);
        gesvj_tile_load(c, [&](int i, int j) {
            return row + i < rows && j < columns ? x[j * C.ld + row + i] : make<T>(0);
        });
        __syncthreads();
        gesvj_tile_product(h, [&](int k, int i, int j, T y) {
            return mad_conj(v[i * gesvj_tile_ld + k], c[j * gesvj_tile_ld + k], y);
        });
        __syncthreads();
    }
    gesvj_tile_put(h, [&](int i, int j, T y) { c[j * gesvj_tile_ld + i] = y; });
    gesvj_tile_load(v, [&](int i, int j) {
        return adjoint ? conj(t[i * gesvj_panel + j]) : t[j * gesvj_panel + i];
    });
    __syncthreads();
    T g[2][2] = {};
    gesvj_tile_product(g, [&](int k, int i, int j, T y) { /* -T W or -T'W */
                                                          return mad(v[k * gesvj_tile_ld + i],
                                                                     c[j * gesvj_tile_ld + k], y);
    });
    gesvj_tile_put(
        g, [&](int i, int j, T y) { w[j * gesvj_tile_ld + i] = make<T>(-real(y), -imag(y)); });
    __syncthreads();
    for (int64_t row = 0; row < rows; row += gesvj_panel) { /* C := C - V T W */
        load_v(row);
        __syncthreads();
        T y[2][2] = {};
        gesvj_tile_product(y, [&](int k, int i, int j, T z) {
            return mad(v[k * gesvj_tile_ld + i], w[j * gesvj_tile_ld + k], z);
        });
        gesvj_tile_put(y, [&](int i, int j, T z) {
            if (row + i < rows && j < columns) {
                T *const to_ = x + j * C.ld + row + i;
                *to_ = mad_real((real_of<T>)1, z, *to_);
            }
        });
        __syncthreads();
    }
}

/* L(i,j) = conj(Q2(j,i)), lower. Nothing if J is rotated, but for the start, which asks whether it
 * has to be. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1) gesvj_solve_kernel(gesvj_members all, int which)
{
    ORR_DYN_SHARED(shared);
    T *const q = (T *)shared, *const x = q + gesvj_panel * gesvj_tile_ld;
    const gesvj_here<T> here(all, blockIdx.y);
    if (!here.finite() || (which != GESVJ_J && here.accumulates()))
        return;
    const gesvj_operand<T> C = here.operand(which);
    const int64_t n = here.n, column = (int64_t)blockIdx.x * gesvj_panel, columns = n - column;
    const T *const Q = here.second();
    T *const M = C.x + column * C.ld;
    /* q(j,i), of which the conjugate is L(i,j) */
    const auto load_q = [&](int64_t row, int64_t at) {
        gesvj_tile_load(q, [&](int j, int i) {
            return row + i < n && at + j < n ? Q[(row + i) * n + at + j] : make<T>(i == j);
        });
    };
    for (int64_t row = 0; row < n; row += gesvj_panel) {
        T h[2][2];
        const int ti = (int)threadIdx.x % 16, tj = (int)threadIdx.x / 16;
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) {
                const int64_t i = row + ti + 16 * a, j = tj + 16 * b;
                h[a][b] = i < n && j < columns ? M[j * C.ld + i] : make<T>(0);
            }
        for (int64_t at = 0; at < row; at += gesvj_panel) {
            load_q(row, at);
            gesvj_tile_load(
                x, [&](int i, int j) { return j < columns ? M[j * C.ld + at + i] : make<T>(0); });
            __syncthreads();
            gesvj_tile_product(h, [&](int k, int i, int j, T y) {
                return nmad_conj(q[i * gesvj_tile_ld + k], x[j * gesvj_tile_ld + k], y);
            });
            __syncthreads();
        }
        load_q(row, row);
        gesvj_tile_put(h, [&](int i, int j, T y) { x[j * gesvj_tile_ld + i] = y; });
        __syncthreads();
        for (int i = 0; i < gesvj_panel; i++) {
            if (threadIdx.x < gesvj_panel) { /* x_i := x_i / conj(q_ii) */
                const T d = q[i * gesvj_tile_ld + i];
                const double size = square_of(d);
                T *const y = x + threadIdx.x * gesvj_tile_ld + i;
                *y = mad(make<T>((real_of<T>)((double)real(d) / size),
                                 (real_of<T>)((double)imag(d) / size)),
                         *y, make<T>(0));
            }
            __syncthreads();
            for (int e = (int)threadIdx.x; e < gesvj_panel * (gesvj_panel - 1 - i);
                 e += gesvj_threads) {
                const int j = e % gesvj_panel, k = i + 1 + e / gesvj_panel;
                T *const y = x + j * gesvj_tile_ld;
                y[k] = nmad_conj(q[k * gesvj_tile_ld + i], y[i], y[k]);
            }
            __syncthreads();
        }
        for (int e = (int)threadIdx.x; e < gesvj_panel * gesvj_panel; e += gesvj_threads) {
            const int i = e % gesvj_panel, j = e / gesvj_panel;
            if (row + i < n && j < columns)
                M[j * C.ld + row + i] = x[j * gesvj_tile_ld + i];
        }
        __syncthreads();
    }
}

} // namespace orr

#endif
