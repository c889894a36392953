/* The products of heev's divide and conquer on a device, by cuBLAS; see kernels/heev_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_merge.h"

#include "kernels/cuda/merge.cuh"

using namespace orr;

template <class T>
static orr_status product(orr_stream stream, const orr_heev_merge *m, int64_t first, int64_t count,
                          const void *q2, void *q, int64_t ldq, void *work)
{
    const int64_t n1 = m->n1, n2 = m->n - m->n1, k = m->k;
    const int64_t columns = std::min<int64_t>(first + count, k) - first;
    const int64_t upper = m->upper + m->both, lower = m->both + m->lower;
    return merge_product<T>(stream, k, columns, {n1, upper, 0, (const T *)q2, n1},
                            {n2, lower, m->upper, (const T *)q2 + n1 * upper, n2}, (T *)q, ldq,
                            (T *)work);
}

extern "C" {
orr_heev_product_fn *const orr_heev_product_cuda[ORR_NTYPES] = {product<float>, product<double>,
                                                                product<float>, product<double>};
}
