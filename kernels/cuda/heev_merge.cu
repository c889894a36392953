/* heev's merges on a device, by merge.cuh; see kernels/heev_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_merge.h"

#include "kernels/cuda/merge.cuh"

using namespace orr;

template <class T>
static orr_status arrange(orr_stream stream, const orr_merge *m, int half,
                          const orr_merge_columns *have, const void *told_, const int32_t *index,
                          void *x2)
{
    const merge_half<T> h = merge_half_of<T>(m, m->n, half, x2);
    const T *const told = (const T *)told_;
    return merge_arrange<T>(stream, {m->n,
                                     h.rows,
                                     half ? m->cut : 0,
                                     h.rows,
                                     h.rows,
                                     h.from,
                                     h.inner,
                                     m->k,
                                     *have,
                                     {-1, -1, nullptr, 0},
                                     told + ORR_MERGE_COS * m->n,
                                     told + ORR_MERGE_SIN * m->n,
                                     index + ORR_MERGE_TO * m->n,
                                     index + ORR_MERGE_NEXT * m->n,
                                     index + ORR_MERGE_LED * m->n,
                                     (T *)x2});
}

extern "C" {
orr_heev_arrange_apart_fn *const orr_heev_arrange_apart_cuda[ORR_NTYPES] = {
    arrange<float>, arrange<double>, arrange<float>, arrange<double>};
orr_merge_secular_apart_fn *const orr_heev_secular_apart_cuda[ORR_NTYPES] = {
    merge_secular<float, false>, merge_secular<double, false>, merge_secular<float, false>,
    merge_secular<double, false>};
orr_merge_product_apart_fn *const orr_heev_product_apart_cuda[ORR_NTYPES] = {
    merge_vectors<float>, merge_vectors<double>, merge_vectors<float>, merge_vectors<double>};
}
