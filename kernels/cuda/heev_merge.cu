/* Launchers and tables of heev_merge.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/heev_merge.cuh"

#include "kernels/cuda/merge.cuh"

using namespace orr;

/* Columns of a part that are kept. */
static int64_t kept_of(const orr_heev_merge *m, int64_t first, int64_t count)
{
    return std::max<int64_t>(0, std::min<int64_t>(first + count, m->k) - first);
}

template <class T>
static orr_status arrange(orr_stream stream, const orr_heev_merge *m, int half,
                          const orr_heev_columns *have, const void *told_, const int32_t *index,
                          void *q2)
{
    const int64_t n = m->n, columns = half ? n - m->n1 : m->n1;
    const T *const told = (const T *)told_;
    const heev_arrange_task<T> a = {n,
                                    columns,
                                    half ? m->n1 : 0,
                                    columns,
                                    half ? m->upper : 0,
                                    m->both + (half ? m->lower : m->upper),
                                    m->k,
                                    *have,
                                    told + ORR_HEEV_COS * n,
                                    told + ORR_HEEV_SIN * n,
                                    index + ORR_HEEV_TO * n,
                                    index + ORR_HEEV_NEXT * n,
                                    index + ORR_HEEV_LED * n,
                                    (T *)q2};
    return launch(heev_arrange_kernel<T>, heev_arrange_shape(n, columns), stream, a);
}

template <class T>
static orr_status secular_part(orr_stream stream, const orr_heev_merge *m, int64_t first,
                               int64_t count, const void *told_, void *q, int64_t ldq, void *part,
                               void *root)
{
    const T *const told = (const T *)told_;
    const int64_t columns = kept_of(m, first, count);
    const secular<T> f = {m->k, told + ORR_HEEV_POLES * m->n, told + ORR_HEEV_ZK * m->n, (T)m->rho};
    orr_status st = ORR_OK;
    if (columns > 0)
        st = launch(heev_root_kernel<T>, heev_root_shape(columns), stream, f, first, columns,
                    (T *)q, ldq, (T *)root);
    if (f.k > 0 && st == ORR_OK) /* without columns all are one */
        st = launch(heev_factor_kernel<T>, heev_factor_shape(f.k), stream, f, first, columns,
                    (const T *)q, ldq, (T *)part);
    return st;
}

/* The vectors of columns that are kept. */
template <class T>
static orr_status products(orr_stream stream, const orr_heev_merge *m, int64_t columns,
                           const int32_t *index, const T *weight, const T *const q2[2], T *q,
                           int64_t ldq, T *work)
{
    const int64_t n1 = m->n1, n2 = m->n - n1, k = m->k;
    const orr_status st =
        launch(heev_coefficients_kernel<T>, heev_coefficients_shape(columns), stream, k,
               index + ORR_HEEV_AT * m->n, weight, (const T *)q, ldq, work);
    return st == ORR_OK
               ? merge_product<T>(stream, k, columns, {n1, m->upper + m->both, 0, q2[0], n1},
                                  {n2, m->both + m->lower, m->upper, q2[1], n2}, work, q, ldq)
               : st;
}

/* Columns from .. from+count-1 of the merge, which are deflated. */
template <class T>
static orr_status put_back(orr_stream stream, const orr_heev_merge *m, int64_t from, int64_t count,
                           const T *const q2[2], T *q, int64_t ldq)
{
    const int64_t n1 = m->n1, n2 = m->n - n1, at = from - m->k;
    const orr_status st =
        copy<T>(stream, n1, count, q2[0] + (m->upper + m->both + at) * n1, n1, q, ldq);
    return st == ORR_OK
               ? copy<T>(stream, n2, count, q2[1] + (m->both + m->lower + at) * n2, n2, q + n1, ldq)
               : st;
}

template <class T>
static orr_status product(orr_stream stream, const orr_heev_merge *m, int64_t first, int64_t count,
                          const int32_t *index, const void *weight, const void *const q2_[2],
                          void *q_, int64_t ldq, void *work, void *ends)
{
    const T *const q2[2] = {(const T *)q2_[0], (const T *)q2_[1]};
    const int64_t columns = kept_of(m, first, count);
    T *const q = (T *)q_;
    orr_status st = ORR_OK;
    if (columns > 0)
        st = products<T>(stream, m, columns, index, (const T *)weight, q2, q, ldq, (T *)work);
    if (columns < count && st == ORR_OK)
        st = put_back<T>(stream, m, first + columns, count - columns, q2, q + columns * ldq, ldq);
    if (ends && st == ORR_OK)
        st = launch(heev_ends_kernel<T>, heev_ends_shape(count), stream, m->n, count, (const T *)q,
                    ldq, (T *)ends);
    return st;
}

#define TABLE(f)                                                                                   \
    {                                                                                              \
        f<float>, f<double>, f<float>, f<double>                                                   \
    }

extern "C" {
orr_heev_arrange_apart_fn *const orr_heev_arrange_apart_cuda[ORR_NTYPES] = TABLE(arrange);
orr_heev_secular_apart_fn *const orr_heev_secular_apart_cuda[ORR_NTYPES] = TABLE(secular_part);
orr_heev_product_apart_fn *const orr_heev_product_apart_cuda[ORR_NTYPES] = TABLE(product);
}
