/* Products with the reflectors of a QR factorization, for the finish of gesvj on a device, and L X = M:
 *
 *   triangle   T of  H_0 H_1 .. H_31 = I - V T V'   (Schreiber, Van Loan), one thread block for 32 of them
 *   apply      C := Q C, by I - V T V' from the last to the first, one thread block for 32 columns of C
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

/* Column j of a block of reflectors at row i, both from the block's first on. */
template <class T> ORR_DEV T gesvj_v(const T *block, int64_t ld, int64_t i, int64_t j)
{
    return i > j ? block[j * ld + i] : make<T>(i == j);
}

/* A block for each panel. T of it goes to its place in F, column major. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1)
    gesvj_triangle_kernel(gesvj_members all, int which)
{
    ORR_DYN_SHARED(shared);
    T *const G = (T *)shared, *const S = G + gesvj_panel * gesvj_tile_ld;
    const gesvj_here<T> here(all, blockIdx.y);
    if (!here.finite())
        return;
    const gesvj_operand<T> A = here.operand(which);
    const int64_t number = blockIdx.x, first = number * gesvj_panel;
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

/* c := (I - V T V') c, 32 columns or fewer; V is panel `number` of A. Three tiles of shared memory. */
template <class T>
ORR_DEV void gesvj_reflect(const gesvj_operand<T> &A, const T *t, int64_t number, int64_t columns,
                           T *c_, int64_t ldc, T *shared)
{
    T *const v = shared, *const c = v + gesvj_panel * gesvj_tile_ld,
             *const w = c + gesvj_panel * gesvj_tile_ld;
    const int64_t first = number * gesvj_panel, rows = A.rows - first, width = A.columns - first;
    const T *const V = A.x + first * A.ld + first;
    T *const x = c_ + first;
    const auto load_v = [&](int64_t row) {
        gesvj_tile_load(v, [&](int i, int j) {
            return row + i < rows && j < width ? gesvj_v(V, A.ld, row + i, j) : make<T>(0);
        });
    };
    T h[2][2] = {};
    for (int64_t row = 0; row < rows; row += gesvj_panel) { /* W := V'C */
        load_v(row);
        gesvj_tile_load(c, [&](int i, int j) {
            return row + i < rows && j < columns ? x[j * ldc + row + i] : make<T>(0);
        });
        __syncthreads();
        gesvj_tile_product(h, [&](int k, int i, int j, T y) {
            return mad_conj(v[i * gesvj_tile_ld + k], c[j * gesvj_tile_ld + k], y);
        });
        __syncthreads();
    }
    gesvj_tile_put(h, [&](int i, int j, T y) { c[j * gesvj_tile_ld + i] = y; });
    gesvj_tile_load(v, [&](int i, int j) { return t[j * gesvj_panel + i]; });
    __syncthreads();
    T g[2][2] = {};
    gesvj_tile_product(g, [&](int k, int i, int j, T y) { /* -T W */
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
                T *const to = x + j * ldc + row + i;
                *to = mad_real((real_of<T>)1, z, *to);
            }
        });
        __syncthreads();
    }
}

/* C := Q C, a block for 32 columns; of LEFT and reflectors of COPY, for those that they complete. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1)
    gesvj_apply_kernel(gesvj_members all, int of, int to)
{
    ORR_DYN_SHARED(shared);
    const gesvj_here<T> here(all, blockIdx.y);
    if (!here.finite())
        return;
    const gesvj_operand<T> A = here.operand(of), C = here.operand(to);
    const int64_t column =
        (of == GESVJ_COPY && to == GESVJ_LEFT ? A.columns : 0) + blockIdx.x * gesvj_panel;
    if (A.columns == 0 || column >= C.columns)
        return;
    for (int64_t p = (A.columns - 1) / gesvj_panel; p >= 0; p--)
        gesvj_reflect(A, here.r.F + p * gesvj_panel * gesvj_panel, p, C.columns - column,
                      C.x + column * C.ld, C.ld, (T *)shared);
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
