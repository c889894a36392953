/* The products of heev's divide and conquer on a device, by cuBLAS; see kernels/heev_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_merge.h"

#include "kernels/cuda/blas.h"
#include "kernels/cuda/copy.cuh"

using namespace orr;

template <class T>
static orr_status product(orr_stream stream, const orr_heev_merge *m, int64_t first, int64_t count,
                          const void *q2_, void *q_, int64_t ldq, void *work)
{
    const int64_t n1 = m->n1, n2 = m->n - m->n1, k = m->k;
    const int64_t columns = std::min<int64_t>(first + count, k) - first;
    const int64_t upper = m->upper + m->both, lower = m->both + m->lower;
    const T *const q2 = (const T *)q2_;
    T *const q = (T *)q_, *const s = (T *)work;
    if (columns <= 0)
        return ORR_OK;
    const orr_status st = copy<T>(stream, k, columns, q, ldq, s, k);
    if (st != ORR_OK)
        return st;
    blas<T> on(stream); /* without columns of a half its product is zero: beta is */
    on.multiply('N', 'N', n1, columns, upper, 1, q2, n1, s, k, 0, q, ldq);
    on.multiply('N', 'N', n2, columns, lower, 1, q2 + n1 * upper, n2, s + m->upper, k, 0, q + n1,
                ldq);
    return on.status;
}

extern "C" {
orr_heev_product_fn *const orr_heev_product_cuda[ORR_NTYPES] = {product<float>, product<double>,
                                                                product<float>, product<double>};
}
