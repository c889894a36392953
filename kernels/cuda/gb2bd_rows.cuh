/* What the kernels of gb2bd share: rows of the two blocks of a task, reflectors, and half
 * precision.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_GB2BD_ROWS_CUH
#define ORR_CUDA_GB2BD_ROWS_CUH

#include <algorithm>

#include "kernels/cuda/chase.cuh"
#include "kernels/gb2bd.h"
#ifdef ORR_SIMT
#include "kernels/cpu/gb2bd_half.h"
#else
#include <cuda_fp16.h>
#endif

namespace orr
{

template <class T> struct gb2bd_rows {
    typedef real_of<T> R;
    orr_gb2bd_args g;
    R *top, *bottom;

    /* Entry (i,j) is row(i)[j], its imaginary part row(i)[plane + j]. */
    __device__ R *row(int64_t i) const
    {
        const int64_t k = i - g.first;
        return (k < g.count ? top + k * g.band.ld : bottom + (k - g.count) * g.band.ld) +
               g.band.low - i;
    }
    __device__ T get(int64_t i, int64_t j) const
    {
        const R *p = row(i) + j;
        return scalar<T>::is_complex ? make<T>(p[0], p[g.band.plane]) : make<T>(p[0]);
    }
    __device__ void put(int64_t i, int64_t j, T x) const
    {
        R *p = row(i) + j;
        p[0] = real(x);
        if (scalar<T>::is_complex)
            p[g.band.plane] = imag(x);
    }
};

/* H = I - tau v v', tau real, takes f to beta e_0; v = (1, f_1 scale, ...) */
template <class T> struct gb2bd_reflector {
    real_of<T> tau;
    T scale, beta;
};
template <class T> ORR_DEV T entry_of_v(const gb2bd_reflector<T> &h, const T *f, int i)
{
    return i == 0 ? make<T>(1) : times(f[i], h.scale);
}

/* By a warp. */
template <class T> ORR_DEV gb2bd_reflector<T> make_gb2bd_reflector(const T *f, int m)
{
    typedef real_of<T> R;
    R tail = 0;
    for (int i = (int)threadIdx.x % 32; i < m; i += 32)
        tail = i > 0 ? mad_square(f[i], tail) : tail;
    tail = warp_sum(tail);
    const T alpha = f[0];
    /* So small a tail is zero for a matrix scaled to 1; its square is not accurate. */
    if (!(tail >= machine<R>::safmin / machine<R>::eps))
        return {0, make<T>(0), alpha};
    R head = mad_square(alpha, (R)0);
    T phase = make<T>(real(alpha) < 0 ? -1 : 1);
    R size = std::fabs(real(alpha));
    if (scalar<T>::is_complex) {
        if (head < machine<R>::safmin) /* its phase would be inaccurate */
            head = 0;
        size = std::sqrt(head);
        phase = head > 0 ? make<T>(real(alpha) / size, imag(alpha) / size) : make<T>(1);
    }
    const R norm = std::sqrt(head + tail), unit = (R)1 / (size + norm);
    return {(size + norm) / norm, make<T>(real(phase) * unit, -imag(phase) * unit),
            make<T>(-real(phase) * norm, -imag(phase) * norm)};
}

/* ---- Half precision: rows as floats for the length of a task ------------------------- */

ORR_DEV void convert(uint16_t h, float &f)
{
#ifdef ORR_SIMT
    f = orr_half_to_float(h);
#else
    f = __half2float(__ushort_as_half(h));
#endif
}
ORR_DEV void convert(float f, uint16_t &h)
{
#ifdef ORR_SIMT
    h = orr_float_to_half(f);
#else
    h = __half_as_ushort(__float2half_rn(f));
#endif
}

template <class To, class From>
__global__ void gb2bd_convert_kernel(int64_t count, const From *from, To *to)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        convert(from[i], to[i]);
}

} // namespace orr

#endif
