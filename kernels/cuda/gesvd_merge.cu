/* gesvd's merges on a device, by merge.cuh; see kernels/gesvd_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_merge.h"

#include "kernels/cuda/merge.cuh"

using namespace orr;

/* Rows of x2 of a half: the vectors that have entries there begin at arranged column `from`. */
template <class T>
static merge_half<T> half_of(const orr_gesvd_merge *m, int64_t rows, int half, const void *x2)
{
    const int64_t upper = m->n1 + 1;
    return {half ? rows - upper : upper, half ? m->k - m->upper : m->upper + 1 + m->both,
            half ? m->upper : 0, (const T *)x2};
}

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
static orr_status arrange(orr_stream stream, const orr_gesvd_merge *m, int side, int64_t rows,
                          const orr_merge_columns have[2], const void *const extra[2],
                          const void *told_, const int32_t *index, void *const x2[2], void *last,
                          void *corner)
{
    const int64_t n = m->n, upper = m->n1 + 1;
    const T c = (T)m->join[0], s = (T)m->join[1], *const told = (const T *)told_;
    orr_status st = ORR_OK;
    for (int half = 0; half < 2 && st == ORR_OK; half++) {
        const merge_half<T> h = half_of<T>(m, rows, half, x2[half]);
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

template <class T>
static orr_status roots(orr_stream stream, const orr_gesvd_merge *m, int64_t first, int64_t count,
                        const void *told_, void *const x[2], const int64_t ldx[2], void *part,
                        void *root)
{
    const T *const told = (const T *)told_;
    const secular<T, true> f = {m->k, told + ORR_MERGE_POLES * m->n, told + ORR_MERGE_ZK * m->n,
                                (T)m->rho};
    return merge_roots<T, true>(stream, f, first, merge_kept(m->k, first, count), (T *)x[0], ldx[0],
                                (T *)x[1], ldx[1], (T *)part, (T *)root);
}

template <class T>
static orr_status product(orr_stream stream, const orr_gesvd_merge *m, int side, int64_t rows,
                          int64_t first, int64_t count, const void *told, const int32_t *index,
                          const void *weight, const void *const x2[2], void *x_, int64_t ldx,
                          void *work_, void *ends)
{
    const merge_half<T> upper = half_of<T>(m, rows, 0, x2[0]),
                        lower = half_of<T>(m, rows, 1, x2[1]);
    const int64_t k = m->k, columns = merge_kept(k, first, count);
    const T *const pole = side == 0 ? (const T *)told + ORR_MERGE_POLES * m->n : nullptr;
    T *const x = (T *)x_, *const work = (T *)work_;
    orr_status st = ORR_OK;
    if (columns > 0)
        st = merge_coefficients<T>(stream, k, columns, index + ORR_MERGE_AT * m->n,
                                   (const T *)weight, pole, x, ldx, work);
    if (columns > 0 && st == ORR_OK)
        st = merge_product<T>(stream, k, columns, upper, lower, work, x, ldx);
    if (columns < count && st == ORR_OK)
        st = merge_put_back<T>(stream, first + columns - k, count - columns, upper, lower,
                               x + columns * ldx, ldx);
    return ends && st == ORR_OK ? merge_ends<T>(stream, rows, count, x, ldx, (T *)ends) : st;
}

#define TABLE(f)                                                                                   \
    {                                                                                              \
        f<float>, f<double>, f<float>, f<double>                                                   \
    }

extern "C" {
orr_gesvd_arrange_apart_fn *const orr_gesvd_arrange_apart_cuda[ORR_NTYPES] = TABLE(arrange);
orr_gesvd_secular_apart_fn *const orr_gesvd_secular_apart_cuda[ORR_NTYPES] = TABLE(roots);
orr_gesvd_product_apart_fn *const orr_gesvd_product_apart_cuda[ORR_NTYPES] = TABLE(product);
}
