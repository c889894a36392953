/* Launcher and table of gesvj_chunk.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/gesvj_chunk.cuh"

using namespace orr;

/* As the kernel sees it. */
static orr_gesvj_args unconditioned(const orr_gesvj_args *g)
{
    orr_gesvj_args x = *g;
    x.precondition = 0;
    return x;
}

template <class T, int Order>
static orr_status chunk_of(orr_stream stream, const orr_gesvj_args &g, const void *a, void *s,
                           void *u, void *v, void *work, orr_matrix_info *info)
{
    const orr_type type = sizeof(real_of<T>) == sizeof(float) ? ORR_S : ORR_D;
    return launch(gesvj_chunk_kernel<T, Order>,
                  {dim3((unsigned)g.count), dim3(gesvj_threads), gesvj_tile<T, Order>::evd_bytes()},
                  stream, g, (real_of<T>)orr_gesvj_tolerance(type, &g), (const T *)a,
                  (real_of<T> *)s, (T *)u, (T *)v, (T *)work, info);
}

template <class T>
static orr_status chunk(orr_stream stream, const orr_gesvj_args *args, const void *a, void *s,
                        void *u, void *v, void *work, orr_matrix_info *info)
{
    const orr_gesvj_args g = unconditioned(args);
    const int64_t small = orr_gesvj_shape_of(&g).small;
    if (small > gesvj_max_order)
        return ORR_E_ARG;
    if (g.count == 0 || small == 0)
        return ORR_OK;
    return (small <= 32 ? chunk_of<T, 32> : chunk_of<T, 64>)(stream, g, a, s, u, v, work, info);
}

extern "C" {
orr_gesvj_cuda_fn *const orr_gesvj_cuda[ORR_NTYPES] = {
    chunk<float>,
    chunk<double>,
    chunk<complex<float>>,
    chunk<complex<double>>,
};

int64_t orr_gesvj_cuda_max_small(orr_type type, int64_t shared)
{
    return gesvj_largest_order(type, shared);
}

int64_t orr_gesvj_cuda_work(orr_type type, const orr_gesvj_args *args)
{
    static const int64_t bytes[ORR_NTYPES] = {4, 8, 8, 16};
    const orr_gesvj_args g = unconditioned(args);
    return bytes[type] * g.count * gesvj_chunk_work(orr_gesvj_shape_of(&g));
}
}
