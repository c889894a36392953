/* gesvd's merges on a device, by merge.cuh; see kernels/gesvd_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_merge.h"

#include "kernels/cuda/merge.cuh"

using namespace orr;

/* What two vectors that are orthogonal to all others become, besides the one that z sees. */
template <class T>
__global__ void __launch_bounds__(merge_threads)
    gesvd_last_kernel(int64_t upper, int64_t rows, T c, T s, const T *above, const T *below,
                      T *last)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        last[i] = i < upper ? -s * above[i] : c * below[i - upper];
}

template <class T>
static orr_status arrange(orr_stream stream, const orr_merge *m, int side, int64_t rows,
                          const orr_merge_columns have[2], const void *const extra[2],
                          const void *told_, const int32_t *index, void *const x2[2], void *last,
                          void *corner)
{
    const int64_t n = m->n, upper = m->cut;
    const T c = (T)m->join[0], s = (T)m->join[1], *const told = (const T *)told_;
    orr_status st = ORR_OK;
    for (int half = 0; half < 2 && st == ORR_OK; half++) {
        const merge_half<T> h = merge_half_of<T>(m, rows, half, x2[half]);
        const int64_t vectors = half ? n - upper : m->n1;
        st = merge_arrange<T>(stream, {n,
                                       h.rows,
                                       half ? upper : 0,
                                       vectors,
                                       side == 0 ? vectors : h.rows,
                                       h.from,
                                       h.inner,
                                       m->k,
                                       have[half],
                                       {m->n1, side == 0 && half == 0 ? m->n1 : -1,
                                        (const T *)extra[half], half ? s : c},
                                       told + ORR_MERGE_COS * n,
                                       told + ORR_MERGE_SIN * n,
                                       index + ORR_MERGE_TO * n,
                                       index + ORR_MERGE_NEXT * n,
                                       index + ORR_MERGE_LED * n,
                                       (T *)x2[half]});
    }
    if (!last || st != ORR_OK)
        return st;
    st = launch(
        gesvd_last_kernel<T>,
        {dim3((unsigned)((rows + merge_threads - 1) / merge_threads)), dim3(merge_threads), 0},
        stream, upper, rows, c, s, (const T *)extra[0], (const T *)extra[1], (T *)last);
    return st == ORR_OK ? merge_ends<T>(stream, rows, 1, (const T *)last, rows, (T *)corner) : st;
}

extern "C" {
orr_gesvd_arrange_apart_fn *const orr_gesvd_arrange_apart_cuda[ORR_NTYPES] = {
    arrange<float>, arrange<double>, arrange<float>, arrange<double>};
orr_merge_secular_apart_fn *const orr_gesvd_secular_apart_cuda[ORR_NTYPES] = {
    merge_secular<float, true>, merge_secular<double, true>, merge_secular<float, true>,
    merge_secular<double, true>};
orr_merge_product_apart_fn *const orr_gesvd_product_apart_cuda[ORR_NTYPES] = {
    merge_vectors<float>, merge_vectors<double>, merge_vectors<float>, merge_vectors<double>};
}
