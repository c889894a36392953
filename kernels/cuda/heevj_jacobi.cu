/* Launcher and table of heevj_jacobi.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/heevj_jacobi.cuh"

using namespace orr;

template <class T>
static orr_status heevj_jacobi(orr_stream stream, const orr_heevj_args *args, void *a, void *w,
                               orr_matrix_info *info)
{
    typedef void kernel_fn(orr_heevj_args, T *, real_of<T> *, orr_matrix_info *);
    if (args->count == 0)
        return ORR_OK;
    if (args->n > heevj_jacobi_max_n)
        return ORR_E_ARG;
    kernel_fn *kernel = heevj_jacobi_kernel<T, 64>;
    switch (heevj_jacobi_rows(args->n)) {
    case 4: kernel = heevj_jacobi_kernel<T, 4>; break;
    case 8: kernel = heevj_jacobi_kernel<T, 8>; break;
    case 16: kernel = heevj_jacobi_kernel<T, 16>; break;
    case 32: kernel = heevj_jacobi_kernel<T, 32>; break;
    default: break;
    }
    return launch(kernel, heevj_jacobi_shape<T>(*args), stream, *args, (T *)a, (real_of<T> *)w,
                  info);
}

static orr_status orr_heevj_jacobi_cuda_s(orr_stream s, const orr_heevj_args *args, void *a,
                                          void *w, orr_matrix_info *info)
{
    return heevj_jacobi<float>(s, args, a, w, info);
}
static orr_status orr_heevj_jacobi_cuda_d(orr_stream s, const orr_heevj_args *args, void *a,
                                          void *w, orr_matrix_info *info)
{
    return heevj_jacobi<double>(s, args, a, w, info);
}
static orr_status orr_heevj_jacobi_cuda_c(orr_stream s, const orr_heevj_args *args, void *a,
                                          void *w, orr_matrix_info *info)
{
    return heevj_jacobi<complex<float>>(s, args, a, w, info);
}
static orr_status orr_heevj_jacobi_cuda_z(orr_stream s, const orr_heevj_args *args, void *a,
                                          void *w, orr_matrix_info *info)
{
    return heevj_jacobi<complex<double>>(s, args, a, w, info);
}

extern "C" {
orr_heevj_cuda_fn *const orr_heevj_jacobi_cuda[ORR_NTYPES] = {
    orr_heevj_jacobi_cuda_s,
    orr_heevj_jacobi_cuda_d,
    orr_heevj_jacobi_cuda_c,
    orr_heevj_jacobi_cuda_z,
};

int64_t orr_heevj_cuda_max_n(orr_type, int) { return heevj_jacobi_max_n; }
}
