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

#include "kernels/cuda/chase.cuh"
#include "kernels/cuda/copy.cuh"
#include "kernels/hb2st_apply.h"

namespace orr
{

constexpr int apply_most_groups = 16, apply_pack_threads = 256;

/* Sweeps from .. end-1 in diamonds of `width` sweeps and a hop, number j hops + t. */
template <class T> struct apply_diamonds {
    orr_hb2st_shape shape;
    const T *v[apply_most_groups]; /* of the groups g, g+1, .. of the reduction */
    int64_t g, from, end, hops;    /* hops: of sweep `from` */
    int width;
    T *V, *S;
};

/* The reflector of sweep s and hop t, NULL: it is I. */
template <class T>
ORR_DEV const T *apply_reflector(const apply_diamonds<T> &a, int64_t s, int64_t t)
{
    if (s >= a.end || t >= orr_hb2st_hops(&a.shape, s))
        return nullptr;
    const int64_t of = s / a.shape.G;
    const T *const v = a.v[of - a.g] + orr_hb2st_v_offset(&a.shape, s) -
                       orr_hb2st_v_offset(&a.shape, of * a.shape.G) + t * a.shape.b;
    return is_zero(v[0]) ? nullptr : v;
}

/* V of each diamond, b + width rows, the last one zero: a block to a diamond, a warp to a column. */
template <class T>
__global__ void __launch_bounds__(apply_pack_threads) hb2st_pack_kernel(apply_diamonds<T> a)
{
    const int64_t t = blockIdx.x % a.hops, first = a.from + blockIdx.x / a.hops * a.width;
    const int64_t rows = a.shape.b + a.width;
    T *const V = a.V + (int64_t)blockIdx.x * rows * a.width;
    for (int q = (int)threadIdx.x / 32; q < a.width; q += (int)blockDim.x / 32) {
        const T *const v = apply_reflector(a, first + q, t);
        const int64_t left = a.shape.n - 1 - (first + q) - t * a.shape.b;
        const int64_t length = v ? orr_hb2st_least(a.shape.b, left) : 0;
        for (int64_t i = (int)threadIdx.x % 32; i < rows; i += 32) {
            const int64_t k = i - q;
            V[q * rows + i] = k < 0 || k >= length ? make<T>(0) : k == 0 ? make<T>(1) : v[k];
        }
    }
}

template <class T> shape apply_factor_shape(int width, int64_t diamonds)
{
    return {dim3((unsigned)diamonds), dim3((unsigned)(width + 31) / 32 * 32),
            (size_t)(width * (width + 2)) * sizeof(T)};
}

/* S of each diamond in the place of V'V: S(:,i) = -tau_i S V(:,0..i-1)' v_i, S(i,i) = tau_i. A block to
 * a diamond, a thread to a row. */
template <class T>
__global__ void __launch_bounds__(ORR_HB2ST_MOST_DIAMOND) hb2st_factor_kernel(apply_diamonds<T> a)
{
    ORR_DYN_SHARED(shared);
    const int w = a.width, p = (int)threadIdx.x;
    T *const S = (T *)shared, *const tau = S + w * w, *const dots = tau + w;
    T *const VV = a.S + (int64_t)blockIdx.x * w * w;
    if (p < w) {
        const T *const v =
            apply_reflector(a, a.from + blockIdx.x / a.hops * w + p, blockIdx.x % a.hops);
        tau[p] = v ? v[0] : make<T>(0);
    }
    for (int i = 0; i < w; i++) {
        __syncthreads(); /* the last ones were read */
        if (p < i)
            dots[p] = VV[i * w + p];
        __syncthreads();
        if (p < i) {
            T sum = make<T>(0);
            for (int q = p; q < i; q++)
                sum = mad(S[q * w + p], dots[q], sum);
            S[i * w + p] = negative(times(tau[i], sum));
        } else if (p < w) {
            S[i * w + p] = p == i ? tau[i] : make<T>(0);
        }
    }
    for (int i = 0; p < w && i < w; i++)
        VV[i * w + p] = S[i * w + p];
}

/* X := some rows of E, and zeros below; a column for each y. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    hb2st_take_kernel(int64_t rows, int64_t columns, const T *e, int64_t lde, T *x, int64_t ldx)
{
    for (int64_t c = blockIdx.y; c < columns; c += gridDim.y)
        for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < ldx;
             i += (int64_t)gridDim.x * blockDim.x)
            x[c * ldx + i] = i < rows ? e[c * lde + i] : make<T>(0);
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
