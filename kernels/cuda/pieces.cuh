/* A panel and the pieces that a graph has of it: rows of it in several arrays, or columns of its
 * conjugate transpose.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_PIECES_CUH
#define ORR_CUDA_PIECES_CUH

#include "kernels/cuda/copy.cuh"
#include "kernels/cuda/scalar.cuh"

namespace orr
{

constexpr int most_pieces = 64; /* of a launch */

template <class T> struct panel_piece {
    T *a;
    int64_t ld;
    int64_t at, rows; /* rows at .. at+rows-1 of the panel */
};
template <class T> struct panel_pieces {
    panel_piece<T> piece[most_pieces];
    int count;
};

/* q := the pieces, `columns` of them, a piece for each y; adjoint: their conjugate transposes. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    gather_kernel(panel_pieces<T> all, bool adjoint, int64_t columns, T *q, int64_t ldq)
{
    const panel_piece<T> p = all.piece[blockIdx.y];
    const int64_t inner = adjoint ? columns : p.rows, step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < columns * p.rows;
         e += step) {
        const T x = p.a[e % inner + e / inner * p.ld];
        if (adjoint)
            q[p.at + e / inner + e % inner * ldq] = conj(x);
        else
            q[p.at + e % inner + e / inner * ldq] = x;
    }
}

/* The pieces := q. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    scatter_kernel(panel_pieces<T> all, int64_t columns, const T *q, int64_t ldq)
{
    const panel_piece<T> p = all.piece[blockIdx.y];
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < columns * p.rows;
         e += step)
        p.a[e % p.rows + e / p.rows * p.ld] = q[p.at + e % p.rows + e / p.rows * ldq];
}

/* start(some pieces, the shape of their launch) for `count` of them, piece(i) the i-th. */
template <class T, class Piece, class Start>
orr_status each_piece_of(int64_t count, int64_t columns, Piece piece, Start start)
{
    orr_status st = ORR_OK;
    for (int64_t done = 0; done < count && st == ORR_OK; done += most_pieces) {
        panel_pieces<T> some = {};
        int64_t rows = 0;
        some.count = (int)std::min<int64_t>(count - done, most_pieces);
        for (int i = 0; i < some.count; i++) {
            some.piece[i] = piece(done + i);
            rows = std::max(rows, some.piece[i].rows);
        }
        shape sh = copy_shape(columns * rows);
        sh.grid.y = (unsigned)some.count;
        st = start(some, sh);
    }
    return st;
}

template <class T, class Piece>
orr_status gather(orr_stream stream, int64_t count, bool adjoint, int64_t columns, Piece piece,
                  T *q, int64_t ldq)
{
    return each_piece_of<T>(count, columns, piece, [&](const panel_pieces<T> &some, shape sh) {
        return launch(gather_kernel<T>, sh, stream, some, adjoint, columns, q, ldq);
    });
}

template <class T, class Piece>
orr_status scatter(orr_stream stream, int64_t count, int64_t columns, Piece piece, const T *q,
                   int64_t ldq)
{
    return each_piece_of<T>(count, columns, piece, [&](const panel_pieces<T> &some, shape sh) {
        return launch(scatter_kernel<T>, sh, stream, some, columns, q, ldq);
    });
}

} // namespace orr

#endif
