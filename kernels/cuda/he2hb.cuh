/* The parts of he2hb on a device that no product of matrices is, nor a copy, nor a panel (panel.cuh):
 * the reflectors of a panel where products want them, its columns of the band, and the sum of the
 * pieces of M (kernels/he2hb.h). Limited by memory, and short beside the products.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HE2HB_CUH
#define ORR_CUDA_HE2HB_CUH

#include "kernels/cuda/square.cuh"
#include "kernels/he2hb.h"

namespace orr
{

constexpr int he2hb_most_parts = 64;

/* largest[j]: of the components in column j of the part, not finite if one is not; the imaginary part of
 * a triangle's diagonal is not one. A column for each block, by turns. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    he2hb_largest_kernel(int64_t m, int64_t n, int part, const T *a, int64_t lda,
                         real_of<T> *largest)
{
    typedef real_of<T> R;
    ORR_SHARED(R, found, copy_threads);
    for (int64_t j = blockIdx.x; j < n; j += gridDim.x) {
        const T *const column = a + j * lda;
        const int64_t first = part == ORR_LOWER ? j : 0, end = part == ORR_UPPER ? j + 1 : m;
        const int64_t real_row = part == ORR_WHOLE ? -1 : j;
        R top = 0;
        for (int64_t i = first + threadIdx.x; i < end; i += blockDim.x) {
            const R x = i == real_row ? std::fabs(real(column[i])) : max_part(column[i]);
            top = x > top || x != x ? x : top; /* NaN stays */
        }
        found[threadIdx.x] = top;
        for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half) {
                const R x = found[threadIdx.x + half];
                if (x > found[threadIdx.x] || x != x)
                    found[threadIdx.x] = x;
            }
        }
        if (threadIdx.x == 0)
            largest[j] = found[0];
        __syncthreads();
    }
}

/* A square of `load_side` for each block, by turns; blocks of another one above a diagonal have nothing to
 * do. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    he2hb_load_kernel(orr_he2hb_loading x, const T *from, int64_t ldf, T *to, int64_t ldt)
{
    typedef real_of<T> R;
    ORR_SHARED(T, square, load_side * load_ld);
    const int64_t down = (x.rows + load_side - 1) / load_side;
    const int64_t squares = down * ((x.columns + load_side - 1) / load_side);
    const int c0 = threadIdx.x / load_side, r = threadIdx.x % load_side;
    const R scale = (R)x.scale;
    for (int64_t k = blockIdx.x; k < squares; k += gridDim.x) {
        const int64_t row = k % down * load_side, column = k / down * load_side;
        if (x.diagonal && row < column)
            continue;
        load_square<T>(from, ldf, x.upper, row, column, x.rows, x.columns, square);
        for (int c = c0; c < load_side; c += copy_threads / load_side) {
            const int64_t below = row + r - (column + c); /* the diagonal */
            if (row + r >= x.rows || column + c >= x.columns || (x.diagonal && below < 0))
                continue;
            const T y = square[c * load_ld + r];
            const R re = real(y) * scale, im = x.diagonal && below == 0 ? (R)0 : imag(y) * scale;
            to[(column + c) * ldt + row + r] = make<T>(re, im);
        }
        __syncthreads();
    }
}

/* Some of the pieces, w^2 entries each. */
template <class T> struct he2hb_parts {
    const T *part[he2hb_most_parts];
    int count;
};

/* m := -1/2 of their sum, or more of it if some are in m. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    he2hb_sum_kernel(he2hb_parts<T> all, int64_t entries, bool more, T *m)
{
    typedef real_of<T> R;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < entries; k += step) {
        T sum = more ? m[k] : make<T>(0);
        for (int i = 0; i < all.count; i++)
            sum = mad_real((R)-0.5, all.part[i][k], sum);
        m[k] = sum;
    }
}

/* Rows begin .. end-1 of a tile row. */
template <class T> struct he2hb_piece {
    const T *q;
    int64_t ld;
    T *x;
    int begin, end;
};
template <class T> struct he2hb_spreads {
    he2hb_piece<T> piece[he2hb_most_parts];
    int count;
};

/* x := q, w columns, and again 2w columns further; a tile row for each y. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    he2hb_spread_kernel(he2hb_spreads<T> all, int64_t w, int64_t tile)
{
    const he2hb_piece<T> p = all.piece[blockIdx.y];
    const int64_t rows = p.end - p.begin, step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < rows * w; k += step) {
        const int64_t c = k / rows, r = p.begin + k % rows;
        const T v = p.q[c * p.ld + r];
        p.x[c * tile + r] = v;
        p.x[(2 * w + c) * tile + r] = v;
    }
}

/* Ones on the diagonal of v, w x w, and zeros above it. */
template <class T>
__global__ void __launch_bounds__(copy_threads) he2hb_lower_kernel(int64_t w, T *v)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < w * w; k += step)
        if (k % w <= k / w)
            v[k] = make<T>(k % w == k / w);
}

/* Columns of the band, b + 1 entries each, the first at ab, from what is left of them in a tile column
 * and, from row `row` of it on, from r (NULL: all is there). */
template <class T> struct he2hb_columns {
    const T *here, *below; /* row 0 of the tile row of the first one's diagonal, and of the next */
    int64_t ld_here, ld_below;
    int64_t first; /* row of its diagonal entry in that tile row */
    const T *r;
    int64_t ldr, row;
    int64_t columns, rows; /* rows: of the matrix from that tile row on */
    int64_t b, tile;
};

template <class T>
__global__ void __launch_bounds__(copy_threads) he2hb_band_kernel(he2hb_columns<T> x, T *ab)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < x.columns * (x.b + 1);
         e += step) {
        const int64_t c = e / (x.b + 1), i = x.first + c + e % (x.b + 1);
        if (i >= x.rows)
            continue;
        if (x.r && i >= x.row)
            ab[e] = x.r[i - x.row + c * x.ldr];
        else
            ab[e] = i < x.tile ? x.here[i + c * x.ld_here] : x.below[i - x.tile + c * x.ld_below];
    }
}

} // namespace orr

#endif
