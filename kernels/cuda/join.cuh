/* S of block reflectors that are joined (kernels/join.h), from V'V and the S of each.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_JOIN_CUH
#define ORR_CUDA_JOIN_CUH

#include "kernels/cuda/blas.h"
#include "kernels/cuda/copy.cuh"
#include "kernels/join.h"

namespace orr
{

/* S of each part, b columns but for the last one. */
template <class T> struct joined_parts {
    const T *s[ORR_JOINED_STEPS];
};

/* s, w x w := the parts' on its diagonal, -V'V above them, zeros below. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    join_kernel(joined_parts<T> part, int64_t b, int64_t w, const T *vv, T *s)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < w * w; e += step) {
        const int64_t p = e / w / b, from = p * b, i = e % w - from, j = e / w - from;
        const int64_t count = w - from < b ? w - from : b;
        if (i < 0)
            s[e] = make<T>(-real(vv[e]), -imag(vv[e]));
        else
            s[e] = i < count ? in_global(part.s[p])[i + j * count] : make<T>(0);
    }
}

/* The same, S; vv is V'V, and then in use. */
template <class T>
orr_status join_parts(orr_stream stream, blas<T> &on, const void *const *part, int64_t b, int64_t w,
                      T *vv, T *s)
{
    joined_parts<T> all = {};
    for (int64_t p = 0; p * b < w; p++)
        all.s[p] = (const T *)part[p];
    const orr_status st =
        launch(join_kernel<T>, copy_shape(w * w), stream, all, b, w, (const T *)vv, s);
    for (int64_t from = b; from < w && st == ORR_OK; from += b) {
        const int64_t count = std::min(b, w - from);
        T *const beside = s + from * w, *const y = vv + from * w;
        on.multiply('N', 'N', from, count, count, 1, beside, w, beside + from, w, 0, y, w);
        on.multiply('N', 'N', from, count, from, 1, s, w, y, w, 0, beside, w);
    }
    return st == ORR_OK ? on.status : st;
}

} // namespace orr

#endif
