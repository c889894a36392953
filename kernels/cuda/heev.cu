/* heev_place on a device; see kernels/heev.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev.h"

#include "kernels/cuda/copy.cuh"
#include "kernels/cuda/scalar.cuh"

using namespace orr;

/* Threads are rows, and the columns of a launch are those of e. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    place_kernel(int64_t n, const int32_t *order, int64_t first, int64_t k, orr_heev_pieces s, T *e,
                 int64_t lde)
{
    for (int64_t c = blockIdx.x; c < k; c += gridDim.x) {
        const int64_t j = order ? order[first + c] - 1 : first + c;
        const real_of<T> *from = (const real_of<T> *)s.at[j / s.width] + j % s.width * n;
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
            e[c * lde + i] = make<T>(from[i]);
    }
}

template <class T>
static orr_status place(orr_stream stream, int64_t n, const int32_t *order, int64_t first,
                        int64_t k, const orr_heev_pieces *s, void *e, int64_t lde)
{
    const dim3 grid((unsigned)std::min<int64_t>(k, 1 << 20));
    if (n == 0 || k == 0)
        return ORR_OK;
    return launch(place_kernel<T>, {grid, dim3(copy_threads), 0}, stream, n, order, first, k, *s,
                  (T *)e, lde);
}

extern "C" {
orr_heev_place_fn *const orr_heev_place_cuda[ORR_NTYPES] = {
    place<float>, place<double>, place<complex<float>>, place<complex<double>>};
}
