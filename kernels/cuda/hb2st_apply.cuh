/* orr_hb2st_apply_cuda: reflectors of hb2st applied to some columns of a matrix E from the left
 * (kernels/hb2st_apply.h), as products of matrices.
 *
 * w neighbouring sweeps, the group j, and hop t make a diamond: a parallelogram V of b + w - 1 rows,
 * the first one in row jw + tb, counted from the first that any reflector has. Hop by hop and the last
 * group first is an order that is allowed (kernels/cpu/hb2st_apply.inc.c), so (j,t) follows only (j,t-1)
 * and (j+1,t), and those of one t - j meet neither in rows nor in order:
 *
 *     rows     | (0,1)  |  (1,2)  |  (2,3)  |       wave  t - j + groups - 1, from 0;
 *           | (0,0)  |  (1,1)  |  (2,2)  |          for Q' from the last one
 *
 * They are b + w rows apart, so a wave is one batch of equal products,
 *
 *     W := V' X        X := X - (V S) W
 *
 * X is a copy of E with zeros below, so that no diamond is cut off there, and with columns that begin
 * where cuBLAS likes them to. The sweeps are taken at_once groups at a time: their diamonds are packed, V'V
 * made, of it S, and V S or V S'; all columns of the task use them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HB2ST_APPLY_CUH
#define ORR_CUDA_HB2ST_APPLY_CUH

#include <algorithm>

#include "kernels/cuda/copy.cuh"
#include "kernels/cuda/diamonds.cuh"

namespace orr
{

/* Sweeps from .. end-1 in diamonds of `width` sweeps and a hop, number j hops + t. */
template <class T> struct apply_diamonds {
    typedef T number;
    orr_hb2st_shape shape;
    const T *v[ORR_HB2ST_MOST_GROUPS]; /* of the groups g, g+1, .. of the reduction */
    int64_t g, from, end, hops;        /* hops: of sweep `from` */
    int width;
    T *V, *S;

    /* the last row is zero */
    __host__ __device__ int64_t rows() const { return shape.b + width; }
    __device__ int64_t above(int64_t) const { return 0; }
    __device__ const T *reflector(int64_t d, int q, int64_t &length) const
    {
        const int64_t t = d % hops, s = from + d / hops * width + q;
        if (s >= end || t >= orr_hb2st_hops(&shape, s))
            return nullptr;
        const int64_t of = s / shape.G;
        const T *const x = v[of - g] + orr_hb2st_v_offset(&shape, s) -
                           orr_hb2st_v_offset(&shape, of * shape.G) + t * shape.b;
        length = orr_least(shape.b, shape.n - 1 - s - t * shape.b);
        return is_zero(x[0]) ? nullptr : x;
    }
};

/* Columns of the unit matrix, or of diag(diagonal) (kernels/hb2st_apply.h). */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    hb2st_unit_kernel(int64_t n, int64_t first, int64_t step, const T *diagonal, int64_t k, T *e,
                      int64_t lde)
{
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; x < n * k; x += stride) {
        const int64_t c = x / n, i = x % n;
        const bool one = i == first + c * step;
        e[c * lde + i] = one && diagonal ? diagonal[i] : make<T>(one ? 1 : 0);
    }
}

/* X, of `all` columns, := some rows and columns of E, and zeros below and behind; a column for each y. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    hb2st_take_kernel(int64_t rows, int64_t columns, const T *e, int64_t lde, int64_t all, T *x,
                      int64_t ldx)
{
    for (int64_t c = blockIdx.y; c < all; c += gridDim.y)
        for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < ldx;
             i += (int64_t)gridDim.x * blockDim.x)
            x[c * ldx + i] = i < rows && c < columns ? e[c * lde + i] : make<T>(0);
}

inline shape apply_take_shape(int64_t ldx, int64_t columns)
{
    shape s = copy_shape(ldx);
    s.grid.y = (unsigned)std::min<int64_t>(columns, 65535);
    return s;
}

/* b = 1: row s+1 times 1 - tau. */
template <class T>
__global__ void hb2st_apply_phases_kernel(apply_diamonds<T> a, int adjoint, int64_t k, T *e,
                                          int64_t lde)
{
    for (int64_t c = blockIdx.x; c < k; c += gridDim.x)
        for (int64_t s = a.from + threadIdx.x; s < a.end; s += blockDim.x) {
            const int64_t g = s / a.shape.G;
            const T phase = minus(make<T>(1), a.v[g - a.g][s - g * a.shape.G]);
            T *x = e + c * lde + s + 1;
            *x = times(adjoint ? conj(phase) : phase, *x);
        }
}

} // namespace orr

#endif
