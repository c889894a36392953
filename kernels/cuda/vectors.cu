/* vectors_place on a device; see kernels/vectors.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/vectors.h"

#include "kernels/cuda/copy.cuh"
#include "kernels/cuda/scalar.cuh"

using namespace orr;

/* Threads are rows, and the columns of a launch are those of e. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    place_kernel(orr_vectors_columns p, const int32_t *order, orr_vectors x, const T *phase, T *e,
                 int64_t lde)
{
    using R = real_of<T>;
    for (int64_t c = blockIdx.x; c < p.k; c += gridDim.x) {
        const int64_t j = order ? order[p.first + c] - 1 : p.first + c;
        const int64_t step = p.by_rows ? p.n : 1;
        const R *from =
            p.by_rows ? (const R *)x.at[0] + j : (const R *)x.at[j / x.width] + j % x.width * p.n;
        for (int64_t i = threadIdx.x; i < p.rows; i += blockDim.x) {
            const R value = i < p.n ? from[i * step] : R(0);
            e[c * lde + i] =
                phase && i < p.n ? mad_real(value, phase[i], make<T>(0)) : make<T>(value);
        }
    }
}

template <class T>
static orr_status place(orr_stream stream, const orr_vectors_columns *p, const int32_t *order,
                        const orr_vectors *x, const void *phase, void *e, int64_t lde)
{
    const dim3 grid((unsigned)std::min<int64_t>(p->k, 1 << 20));
    if (p->rows == 0 || p->k == 0)
        return ORR_OK;
    return launch(place_kernel<T>, {grid, dim3(copy_threads), 0}, stream, *p, order, *x,
                  (const T *)phase, (T *)e, lde);
}

extern "C" {
orr_vectors_place_fn *const orr_vectors_place_cuda[ORR_NTYPES] = {
    place<float>, place<double>, place<complex<float>>, place<complex<double>>};
}
