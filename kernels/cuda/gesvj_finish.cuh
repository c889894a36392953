/* Finish of gesvj on a device (kernels/gesvj.h): X = W diag(sigma).
 *
 *   lengths, rank    of the columns of X, descending; how many there are that have one
 *   gather_left      s; the columns of W to their places on the left, and a copy if some have no
 *                    length: the QR of those that have completes them to an orthonormal set
 *   Q W              (gesvj_qr.cuh, gesvj_reflect.cuh)
 *   gather_right     M := J, or X of which L J = X is solved for;  M := Q2 M;  P M to the right
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_GESVJ_FINISH_CUH
#define ORR_CUDA_GESVJ_FINISH_CUH

#include "kernels/cuda/gesvj_reflect.cuh"

namespace orr
{

/* A warp for every column; padding, which is zero in J too, comes out shorter than zero. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1) gesvj_lengths_kernel(gesvj_members all)
{
    const gesvj_here<T> here(all, blockIdx.y);
    const int64_t j = (int64_t)blockIdx.x * gesvj_warps + threadIdx.x / 32, rows = here.s.rows;
    if (blockIdx.x == 0)
        here.clear_words();
    if (!here.finite() || j >= here.s.blocks * here.g.nb)
        return;
    const T *const x = (const T *)here.m.X + j * rows;
    double length = gesvj_length(rows, [&](int64_t i) { return x[i]; });
    if (here.accumulates() && here.m.J) {
        const T *const y = (const T *)here.m.J + j * here.n;
        double most = 0;
        for (int64_t i = threadIdx.x % 32; i < here.n; i += 32)
            most = std::fmax(most, (double)max_part(y[i]));
        length = warp_max(most) > 0 ? length : -1;
    }
    if (threadIdx.x % 32 == 0)
        here.r.length[j] = length;
}

/* rank[j]: where column j comes by descending length, equal ones in their order. Of the first
 * `columns`, or of all of X. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1)
    gesvj_rank_kernel(gesvj_members all, int64_t most)
{
    const gesvj_here<T> here(all, blockIdx.y);
    if (!here.finite())
        return;
    const int64_t j = (int64_t)blockIdx.x * gesvj_threads + threadIdx.x;
    const double *const length = here.r.length;
    for (int64_t i = 0, before = 0; j < most && i <= most; i++) {
        if (i == most)
            here.r.rank[j] = (int32_t)before;
        else
            before += length[i] > length[j] || (length[i] == length[j] && i < j);
    }
    if (blockIdx.x != 0)
        return;
    double count = 0;
    for (int64_t i = threadIdx.x; i < most; i += gesvj_threads)
        count += length[i] > gesvj_least<real_of<T>>();
    count = gesvj_block_sum(count);
    if (threadIdx.x == 0)
        *here.r.count = (int32_t)count;
}

/* NaN in column j of an output. */
template <class T> ORR_DEV void gesvj_put_nan(int64_t rows, T *x)
{
    const real_of<T> nan = quiet_nan<real_of<T>>();
    for (int64_t i = threadIdx.x % 32; i < rows; i += 32)
        x[i] = make<T>(nan, nan);
}

/* s, info and W, a warp for every column of X; where it has no length, a unit vector. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1) gesvj_gather_left_kernel(gesvj_members all)
{
    typedef real_of<T> R;
    const gesvj_here<T> here(all, blockIdx.y);
    const int64_t j = (int64_t)blockIdx.x * gesvj_warps + threadIdx.x / 32, rows = here.s.rows;
    const int lane = (int)threadIdx.x % 32;
    R *const values = (R *)here.m.s;
    T *const left = here.left();
    if (blockIdx.x == 0 && threadIdx.x == 0 && here.m.info->status == ORR_OK) {
        here.m.info->status = (orr_status)here.m.status;
        here.m.info->sweeps = here.m.sweeps;
        here.m.info->off = here.m.off;
        here.m.info->device = 1;
    }
    if (j >= here.s.blocks * here.g.nb)
        return;
    if (!here.finite()) {
        if (j < here.n && lane == 0)
            values[j] = quiet_nan<R>();
        if (left && j < here.n)
            gesvj_put_nan(here.s.big, left + j * here.ld_left());
        return;
    }
    const int64_t to = here.r.rank[j];
    const double length = here.r.length[j];
    if (to >= here.n)
        return;
    if (lane == 0)
        values[to] = (R)std::ldexp(length, -here.m.head[ORR_GESVJ_SHIFT]);
    if (!left)
        return;
    const bool good = to < *here.r.count, copied = good && *here.r.count < here.n;
    const R size = (R)length;
    const T *const x = (const T *)here.m.X + j * rows;
    T *const w = left + to * here.ld_left();
    for (int64_t i = lane; i < here.s.big; i += 32) {
        T y = make<T>(!good && i == to);
        if (good && i < rows)
            y = make<T>(real(x[i]) / size, imag(x[i]) / size);
        w[i] = y;
        if (copied && i < rows)
            here.r.M[to * rows + i] = y;
    }
}

template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1) gesvj_gather_right_kernel(gesvj_members all)
{
    const gesvj_here<T> here(all, blockIdx.y);
    const int64_t j = (int64_t)blockIdx.x * gesvj_warps + threadIdx.x / 32, n = here.n;
    if (!here.finite() || j >= here.s.blocks * here.g.nb || here.r.rank[j] >= n)
        return;
    const T *const x = (const T *)(here.accumulates() ? here.m.J : here.m.X) + j * n;
    for (int64_t i = threadIdx.x % 32; i < n; i += 32)
        here.r.M[here.r.rank[j] * n + i] = x[i];
}

/* right := P M, the columns of M made as long as they should be if they were solved for. */
template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1) gesvj_put_right_kernel(gesvj_members all)
{
    typedef real_of<T> R;
    const gesvj_here<T> here(all, blockIdx.y);
    const int64_t j = (int64_t)blockIdx.x * gesvj_warps + threadIdx.x / 32, n = here.n;
    if (j >= n)
        return;
    T *const to = here.right() + j * here.ld_right();
    if (!here.finite()) {
        gesvj_put_nan(n, to);
        return;
    }
    const T *const x = here.r.M + j * n;
    R inverse = 1;
    if (!here.accumulates())
        inverse = (R)(1 / gesvj_length(n, [&](int64_t i) { return x[i]; }));
    for (int64_t i = threadIdx.x % 32; i < n; i += 32)
        to[here.m.head[ORR_GESVJ_PIVOTS + i] - 1] = mad_real(inverse, x[i], make<T>(0));
}

} // namespace orr

#endif
