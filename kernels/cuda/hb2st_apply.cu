/* Launcher and table of hb2st_apply.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/hb2st_apply.cuh"

using namespace orr;

template <class T>
static orr_status hb2st_apply(orr_stream stream, const orr_hb2st_shape *shape, int64_t g,
                              int64_t groups, const void *const *v, int adjoint, int64_t k, void *e,
                              int64_t lde)
{
    const int64_t s0 = g * shape->G, s1 = orr_hb2st_least((g + groups) * shape->G, shape->sweeps);
    if (s0 >= s1 || k == 0)
        return ORR_OK;
    if (groups > apply_most_groups)
        return ORR_E_ARG;
    apply_task<T> a = {*shape,      g,       k,
                       lde,         (T *)e,  {},
                       (int)groups, adjoint, shape->b > 1 ? apply_warps<T>(*shape) : 0};
    for (int64_t i = 0; i < groups; i++)
        a.v[i] = (const T *)v[i];
    if (shape->b == 1)
        return launch(hb2st_apply_phases_kernel<T>,
                      {dim3((unsigned)std::min<int64_t>(k, 1024)), dim3(128), 0}, stream, a);
    if (a.warps < 1)
        return ORR_E_ARG;
    return launch(hb2st_apply_kernel<T>, apply_shape(a), stream, a);
}

static orr_status orr_hb2st_apply_cuda_s(orr_stream stream, const orr_hb2st_shape *a, int64_t g,
                                         int64_t groups, const void *const *v, int adjoint,
                                         int64_t k, void *e, int64_t lde)
{
    return hb2st_apply<float>(stream, a, g, groups, v, adjoint, k, e, lde);
}
static orr_status orr_hb2st_apply_cuda_d(orr_stream stream, const orr_hb2st_shape *a, int64_t g,
                                         int64_t groups, const void *const *v, int adjoint,
                                         int64_t k, void *e, int64_t lde)
{
    return hb2st_apply<double>(stream, a, g, groups, v, adjoint, k, e, lde);
}
static orr_status orr_hb2st_apply_cuda_c(orr_stream stream, const orr_hb2st_shape *a, int64_t g,
                                         int64_t groups, const void *const *v, int adjoint,
                                         int64_t k, void *e, int64_t lde)
{
    return hb2st_apply<complex<float>>(stream, a, g, groups, v, adjoint, k, e, lde);
}
static orr_status orr_hb2st_apply_cuda_z(orr_stream stream, const orr_hb2st_shape *a, int64_t g,
                                         int64_t groups, const void *const *v, int adjoint,
                                         int64_t k, void *e, int64_t lde)
{
    return hb2st_apply<complex<double>>(stream, a, g, groups, v, adjoint, k, e, lde);
}

extern "C" {
orr_hb2st_apply_cuda_fn *const orr_hb2st_apply_cuda[ORR_NTYPES] = {
    orr_hb2st_apply_cuda_s,
    orr_hb2st_apply_cuda_d,
    orr_hb2st_apply_cuda_c,
    orr_hb2st_apply_cuda_z,
};

int orr_hb2st_apply_cuda_fits(orr_type t, const orr_hb2st_shape *a)
{
    static int (*const warps[ORR_NTYPES])(const orr_hb2st_shape &) = {
        apply_warps<float>, apply_warps<double>, apply_warps<complex<float>>,
        apply_warps<complex<double>>};
    return a->b == 1 || warps[t](*a) > 0;
}
}
