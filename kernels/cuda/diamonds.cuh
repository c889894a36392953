/* Products of reflectors as I - V S V', many of them in one launch: what hb2st_apply.cuh and gb2bd_qr_apply.cu
 * make of reflectors, however those are kept. Each one, a diamond, is of `width` reflectors, V(:,q)
 * beginning in row above(d) + q. A Source has
 *
 *   number                      the type
 *   width, V, S                 sweeps or columns together; the matrices, one diamond after the other
 *   rows(), above(d)            of every V, enough for each reflector; of zeros above those of diamond d
 *   reflector(d, q, length)     number q of diamond d, tau in the place of its 1; NULL: it is I
 *
 * Source: R. Schreiber, C. Van Loan, SIAM J. Sci. Stat. Comput. 10(1), 53-57, 1989; LAPACK's larft.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_DIAMONDS_CUH
#define ORR_CUDA_DIAMONDS_CUH

#include "kernels/cuda/blas.h"
#include "kernels/cuda/chase.cuh"
#include "kernels/hb2st_apply.h"

namespace orr
{

constexpr int diamond_pack_threads = 256;

/* V of each diamond: a block to a diamond, a warp to a column. */
template <class Source>
__global__ void __launch_bounds__(diamond_pack_threads) diamond_pack_kernel(Source a)
{
    typedef typename Source::number T;
    const int64_t rows = a.rows();
    T *const V = a.V + (int64_t)blockIdx.x * rows * a.width;
    for (int q = (int)threadIdx.x / 32; q < a.width; q += (int)blockDim.x / 32) {
        int64_t length = 0;
        const T *const v = a.reflector(blockIdx.x, q, length);
        if (!v)
            length = 0;
        for (int64_t i = (int)threadIdx.x % 32; i < rows; i += 32) {
            const int64_t k = i - a.above(blockIdx.x) - q;
            V[q * rows + i] = k < 0 || k >= length ? make<T>(0) : k == 0 ? make<T>(1) : v[k];
        }
    }
}

template <class T> shape diamond_factor_shape(int width, int64_t diamonds)
{
    return {dim3((unsigned)diamonds), dim3((unsigned)(width + 31) / 32 * 32),
            (size_t)(width * (width + 2)) * sizeof(T)};
}

/* S of each diamond in the place of V'V: S(:,i) = -tau_i S V(:,0..i-1)' v_i, S(i,i) = tau_i. A block to
 * a diamond, a thread to a row. */
template <class Source>
__global__ void __launch_bounds__(ORR_HB2ST_MOST_DIAMOND) diamond_factor_kernel(Source a)
{
    typedef typename Source::number T;
    ORR_DYN_SHARED(shared);
    const int w = a.width, p = (int)threadIdx.x;
    T *const S = (T *)shared, *const tau = S + w * w, *const dots = tau + w;
    T *const VV = a.S + (int64_t)blockIdx.x * w * w;
    if (p < w) {
        int64_t length = 0;
        const T *const v = a.reflector(blockIdx.x, p, length);
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

/* V and S of so many diamonds. */
template <class Source, class T>
orr_status factor_diamonds(orr_stream stream, blas<T> &on, const Source &a, int64_t count)
{
    const int64_t w = a.width, rows = a.rows();
    const shape pack = {dim3((unsigned)count), dim3(diamond_pack_threads), 0};
    orr_status st = launch(diamond_pack_kernel<Source>, pack, stream, a);
    on.multiply_batch('C', 'N', w, w, rows, 1, a.V, rows, rows * w, a.V, rows, rows * w, 0, a.S, w,
                      w * w, count);
    if (st == ORR_OK)
        st = launch(diamond_factor_kernel<Source>, diamond_factor_shape<T>(a.width, count), stream,
                    a);
    return st;
}

/* And V S or, adjoint, V S'. */
template <class Source, class T>
orr_status make_diamonds(orr_stream stream, blas<T> &on, const Source &a, int64_t count,
                         int adjoint, T *VS)
{
    const int64_t w = a.width, rows = a.rows();
    const orr_status st = factor_diamonds(stream, on, a, count);
    on.multiply_batch('N', adjoint ? 'C' : 'N', rows, w, w, 1, a.V, rows, rows * w, a.S, w, w * w,
                      0, VS, rows, rows * w, count);
    return st;
}

} // namespace orr

#endif
