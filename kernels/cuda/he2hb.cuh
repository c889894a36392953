/* The parts of he2hb on a device that no product of matrices is, nor a copy, nor a panel (panel.cuh):
 * the reflectors of a panel where products want them, its columns of the band, and the sum of the
 * pieces of M (kernels/he2hb.h). Limited by memory, and short beside the products.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HE2HB_CUH
#define ORR_CUDA_HE2HB_CUH

#include "kernels/cuda/copy.cuh"
#include "kernels/cuda/scalar.cuh"
#include "kernels/he2hb.h"

namespace orr
{

constexpr int he2hb_most_parts = 64;

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
