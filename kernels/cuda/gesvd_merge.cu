/* The products of gesvd's divide and conquer on a device, by cuBLAS; see kernels/gesvd_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_merge.h"

#include "kernels/cuda/merge.cuh"

using namespace orr;

template <class T>
static orr_status product(orr_stream stream, const orr_gesvd_merge *m, int64_t rows, int64_t first,
                          int64_t count, const void *x2_, int64_t ldx2, void *x, int64_t ldx,
                          void *work)
{
    const T *const x2 = (const T *)x2_;
    const int64_t k = m->k, columns = std::min<int64_t>(first + count, k) - first;
    const int64_t upper = m->n1 + 1;
    if (columns <= 0)
        return ORR_OK;
    const orr_status st = copy<T>(stream, k, columns, (const T *)x, ldx, (T *)work, k);
    return st == ORR_OK
               ? merge_product<T>(
                     stream, k, columns, {upper, m->upper + 1 + m->both, 0, x2, ldx2},
                     {rows - upper, k - m->upper, m->upper, x2 + upper + m->upper * ldx2, ldx2},
                     (const T *)work, (T *)x, ldx)
               : st;
}

extern "C" {
orr_gesvd_product_fn *const orr_gesvd_product_cuda[ORR_NTYPES] = {product<float>, product<double>,
                                                                  product<float>, product<double>};
}
