/* heev's merges on a device, by merge.cuh; see kernels/heev_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_merge.h"

#include "kernels/cuda/merge.cuh"

using namespace orr;

/* Rows of q2 of a half: the vectors that have entries there begin at arranged column `from`. */
template <class T> static merge_half<T> half_of(const orr_heev_merge *m, int half, const void *q2)
{
    return {half ? m->n - m->n1 : m->n1, m->both + (half ? m->lower : m->upper),
            half ? m->upper : 0, (const T *)q2};
}

template <class T>
static orr_status arrange(orr_stream stream, const orr_heev_merge *m, int half,
                          const orr_merge_columns *have, const void *told_, const int32_t *index,
                          void *q2)
{
    const merge_half<T> h = half_of<T>(m, half, q2);
    const T *const told = (const T *)told_;
    return merge_arrange<T>(stream, {m->n,
                                     h.rows,
                                     half ? m->n1 : 0,
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
                                     (T *)q2});
}

template <class T>
static orr_status roots(orr_stream stream, const orr_heev_merge *m, int64_t first, int64_t count,
                        const void *told_, void *q, int64_t ldq, void *part, void *root)
{
    const T *const told = (const T *)told_;
    const secular<T, false> f = {m->k, told + ORR_MERGE_POLES * m->n, told + ORR_MERGE_ZK * m->n,
                                 (T)m->rho};
    return merge_roots<T, false>(stream, f, first, merge_kept(m->k, first, count), (T *)q, ldq,
                                 nullptr, 0, (T *)part, (T *)root);
}

template <class T>
static orr_status product(orr_stream stream, const orr_heev_merge *m, int64_t first, int64_t count,
                          const int32_t *index, const void *weight, const void *const q2[2],
                          void *q_, int64_t ldq, void *work_, void *ends)
{
    const merge_half<T> upper = half_of<T>(m, 0, q2[0]), lower = half_of<T>(m, 1, q2[1]);
    const int64_t k = m->k, columns = merge_kept(k, first, count);
    T *const q = (T *)q_, *const work = (T *)work_;
    orr_status st = ORR_OK;
    if (columns > 0)
        st = merge_coefficients<T>(stream, k, columns, index + ORR_MERGE_AT * m->n,
                                   (const T *)weight, nullptr, q, ldq, work);
    if (columns > 0 && st == ORR_OK)
        st = merge_product<T>(stream, k, columns, upper, lower, work, q, ldq);
    if (columns < count && st == ORR_OK)
        st = merge_put_back<T>(stream, first + columns - k, count - columns, upper, lower,
                               q + columns * ldq, ldq);
    return ends && st == ORR_OK ? merge_ends<T>(stream, m->n, count, q, ldq, (T *)ends) : st;
}

#define TABLE(f)                                                                                   \
    {                                                                                              \
        f<float>, f<double>, f<float>, f<double>                                                   \
    }

extern "C" {
orr_heev_arrange_apart_fn *const orr_heev_arrange_apart_cuda[ORR_NTYPES] = TABLE(arrange);
orr_heev_secular_apart_fn *const orr_heev_secular_apart_cuda[ORR_NTYPES] = TABLE(roots);
orr_heev_product_apart_fn *const orr_heev_product_apart_cuda[ORR_NTYPES] = TABLE(product);
}
