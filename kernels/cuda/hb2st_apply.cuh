/* orr_hb2st_apply_cuda: reflectors of hb2st applied to some columns of a matrix E from the left
 * (kernels/hb2st_apply.h).
 *
 * A thread block takes a few columns of E, a warp per column, and applies reflectors one at a
 * time: of a group hop by hop, the first hop first, and within a hop the last sweep first (the
 * CPU kernel explains why this order is allowed); the other way round for Q'. The rows that a
 * strip of sweeps touches in a hop, b and one more for each further sweep, are in shared memory
 * meanwhile.
 *
 * A reflector is 2b operations for each b entries of v that come from memory, but all warps of
 * the block use the same v at about the same time, so it comes from the cache.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HB2ST_APPLY_CUH
#define ORR_CUDA_HB2ST_APPLY_CUH

#include <algorithm>

#include "kernels/cuda/chase.cuh"
#include "kernels/hb2st_apply.h"

namespace orr
{

constexpr int apply_most_groups = 16, apply_most_warps = 16;
constexpr size_t apply_room = 160 * 1024;

template <class T> struct apply_task {
    orr_hb2st_shape shape;
    int64_t g, k, lde;
    T *e;
    const T *v[apply_most_groups]; /* of group g+i */
    int groups, adjoint, warps;
};

/* Sweeps of a strip, and the rows they touch. */
__host__ __device__ inline int64_t apply_strip(const orr_hb2st_shape &s)
{
    return orr_hb2st_least(s.b > 32 ? s.b : 32, orr_hb2st_least(s.G, s.sweeps));
}
__host__ __device__ inline int64_t apply_rows(const orr_hb2st_shape &s)
{
    return s.b + apply_strip(s) - 1;
}

/* Warps of a block: as many columns as fit; 0: not even one does. */
template <class T> int apply_warps(const orr_hb2st_shape &s)
{
    return (int)std::min<int64_t>((int64_t)(apply_room / ((size_t)apply_rows(s) * sizeof(T))),
                                  apply_most_warps);
}

template <class T> shape apply_shape(const apply_task<T> &a)
{
    return {dim3((unsigned)((a.k + a.warps - 1) / a.warps)), dim3((unsigned)(32 * a.warps)),
            (size_t)apply_rows(a.shape) * (size_t)a.warps * sizeof(T)};
}

/* H x or H'x on `count` entries of x; v has tau in the place of its 1. */
template <class T> ORR_DEV void apply_one(const T *v, int count, int adjoint, T *x)
{
    const int lane = (int)threadIdx.x % 32;
    const T tau = adjoint ? conj(v[0]) : v[0];
    if (is_zero(tau))
        return;
    T dot = make<T>(0);
    for (int i = lane; i < count; i += 32)
        dot = mad_conj(i == 0 ? make<T>(1) : v[i], x[i], dot);
    const T by = negative(times(tau, warp_sum(dot)));
    for (int i = lane; i < count; i += 32)
        x[i] = mad(i == 0 ? make<T>(1) : v[i], by, x[i]);
    __syncwarp();
}

template <class T>
__global__ void __launch_bounds__(apply_most_warps * 32, 1) hb2st_apply_kernel(apply_task<T> a)
{
    ORR_DYN_SHARED(shared);
    const orr_hb2st_shape &s = a.shape;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int64_t column = (int64_t)blockIdx.x * a.warps + warp, b = s.b;
    const int64_t width = apply_strip(s);
    if (column >= a.k)
        return;
    T *const x = (T *)shared + warp * apply_rows(s), *const e = a.e + column * a.lde;
    for (int step = 0; step < a.groups; step++) {
        const int which = a.adjoint ? step : a.groups - 1 - step;
        const int64_t s0 = (a.g + which) * s.G, s1 = orr_hb2st_least(s0 + s.G, s.sweeps);
        if (s0 >= s1)
            continue;
        const T *const v = a.v[which];
        const int64_t hops = orr_hb2st_hops(&s, s0), strips = (s1 - s0 + width - 1) / width;
        for (int64_t turn = 0; turn < hops * strips; turn++) {
            const int64_t order = a.adjoint ? hops * strips - 1 - turn : turn;
            const int64_t t = order / strips, from = s0 + (strips - 1 - order % strips) * width;
            const int64_t count = orr_hb2st_least(width, s1 - from), first = from + 1 + t * b;
            const int64_t rows = orr_hb2st_least(b + count - 1, s.n - first);
            for (int64_t i = lane; i < rows; i += 32)
                x[i] = e[first + i];
            __syncwarp();
            for (int64_t i = 0; i < count; i++) {
                const int64_t q = a.adjoint ? i : count - 1 - i;
                if (t >= orr_hb2st_hops(&s, from + q))
                    continue; /* the later sweeps are shorter */
                const T *packed =
                    v + orr_hb2st_v_offset(&s, from + q) - orr_hb2st_v_offset(&s, s0) + t * b;
                apply_one(packed, (int)orr_hb2st_least(b, rows - q), a.adjoint, x + q);
            }
            for (int64_t i = lane; i < rows; i += 32)
                e[first + i] = x[i];
            __syncwarp();
        }
    }
}

/* b = 1: row s+1 times 1 - tau. */
template <class T> __global__ void hb2st_apply_phases_kernel(apply_task<T> a)
{
    const int64_t s0 = a.g * a.shape.G;
    const int64_t s1 = orr_hb2st_least((a.g + a.groups) * a.shape.G, a.shape.sweeps);
    for (int64_t c = blockIdx.x; c < a.k; c += gridDim.x)
        for (int64_t s = s0 + threadIdx.x; s < s1; s += blockDim.x) {
            const int64_t g = s / a.shape.G;
            const T phase = minus(make<T>(1), a.v[g - a.g][s - g * a.shape.G]);
            T *x = a.e + c * a.lde + s + 1;
            *x = times(a.adjoint ? conj(phase) : phase, *x);
        }
}

} // namespace orr

#endif
