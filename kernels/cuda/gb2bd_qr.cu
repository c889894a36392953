/* Launchers and tables of gb2bd_qr.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/gb2bd_qr.cuh"
#include "kernels/cuda/gb2bd_half.h"

using namespace orr;

template <class T>
static orr_status gb2bd_qr(orr_stream stream, const orr_gb2bd_args *args, void *top, void *bottom)
{
    typedef real_of<T> R;
    if (args->sweeps <= 0)
        return ORR_OK;
    gb2bd_qr_task<T> a = {{*args, (R *)top, (R *)bottom}, 0, orr_stall_record()};
    a.width = gb2bd_qr_width(a);
    const int64_t all = args->sweeps * (args->b + 1);
    orr_status st = launch(gb2bd_qr_clear_kernel<T>, chase_clear_shape(args->sweeps), stream, a, 0);
    if (st == ORR_OK)
        st = launch(gb2bd_qr_kernel<T>, gb2bd_qr_shape(a), stream, a);
    if (st == ORR_OK)
        st = launch(gb2bd_qr_clear_kernel<T>, chase_clear_shape(all), stream, a, 1);
    return st;
}

static orr_status orr_gb2bd_qr_cuda_s(orr_stream stream, const orr_gb2bd_args *a, void *top,
                                      void *bottom, void *)
{
    return gb2bd_qr<float>(stream, a, top, bottom);
}
static orr_status orr_gb2bd_qr_cuda_d(orr_stream stream, const orr_gb2bd_args *a, void *top,
                                      void *bottom, void *)
{
    return gb2bd_qr<double>(stream, a, top, bottom);
}
static orr_status orr_gb2bd_qr_cuda_c(orr_stream stream, const orr_gb2bd_args *a, void *top,
                                      void *bottom, void *)
{
    return gb2bd_qr<complex<float>>(stream, a, top, bottom);
}
static orr_status orr_gb2bd_qr_cuda_z(orr_stream stream, const orr_gb2bd_args *a, void *top,
                                      void *bottom, void *)
{
    return gb2bd_qr<complex<double>>(stream, a, top, bottom);
}
static orr_status orr_gb2bd_qr_cuda_h(orr_stream stream, const orr_gb2bd_args *a, void *top,
                                      void *bottom, void *)
{
    return through_float(stream, a, top, bottom, [&](float *rows, float *below) {
        return gb2bd_qr<float>(stream, a, rows, below);
    });
}

template <class T>
static orr_status gb2bd_qr_apply(orr_stream stream, int64_t rows, int64_t kl, int64_t first,
                                 int64_t count, const void *u, int64_t k, void *e, int64_t lde)
{
    if (count == 0 || k == 0)
        return ORR_OK;
    gb2bd_qr_apply_task<T> a = {rows, kl, first, count, k, lde, (const T *)u, (T *)e, 0};
    const size_t column = (size_t)gb2bd_qr_apply_window(a) * sizeof(T);
    a.warps = (int)std::min<size_t>(gb2bd_qr_room / column, gb2bd_qr_apply_warps);
    if (a.warps < 1)
        return ORR_E_ARG;
    return launch(gb2bd_qr_apply_kernel<T>, gb2bd_qr_apply_shape(a), stream, a,
                  gb2bd_qr_apply_window(a));
}

static orr_status orr_gb2bd_qr_apply_cuda_s(orr_stream stream, int64_t rows, int64_t kl,
                                            int64_t first, int64_t count, const void *u, int64_t k,
                                            void *e, int64_t lde)
{
    return gb2bd_qr_apply<float>(stream, rows, kl, first, count, u, k, e, lde);
}
static orr_status orr_gb2bd_qr_apply_cuda_d(orr_stream stream, int64_t rows, int64_t kl,
                                            int64_t first, int64_t count, const void *u, int64_t k,
                                            void *e, int64_t lde)
{
    return gb2bd_qr_apply<double>(stream, rows, kl, first, count, u, k, e, lde);
}
static orr_status orr_gb2bd_qr_apply_cuda_c(orr_stream stream, int64_t rows, int64_t kl,
                                            int64_t first, int64_t count, const void *u, int64_t k,
                                            void *e, int64_t lde)
{
    return gb2bd_qr_apply<complex<float>>(stream, rows, kl, first, count, u, k, e, lde);
}
static orr_status orr_gb2bd_qr_apply_cuda_z(orr_stream stream, int64_t rows, int64_t kl,
                                            int64_t first, int64_t count, const void *u, int64_t k,
                                            void *e, int64_t lde)
{
    return gb2bd_qr_apply<complex<double>>(stream, rows, kl, first, count, u, k, e, lde);
}

extern "C" {
orr_gb2bd_cuda_fn *const orr_gb2bd_qr_cuda[ORR_GB2BD_NTYPES] = {
    orr_gb2bd_qr_cuda_s, orr_gb2bd_qr_cuda_d, orr_gb2bd_qr_cuda_c,
    orr_gb2bd_qr_cuda_z, orr_gb2bd_qr_cuda_h,
};
orr_gb2bd_qr_apply_cuda_fn *const orr_gb2bd_qr_apply_cuda[ORR_NTYPES] = {
    orr_gb2bd_qr_apply_cuda_s,
    orr_gb2bd_qr_apply_cuda_d,
    orr_gb2bd_qr_apply_cuda_c,
    orr_gb2bd_qr_apply_cuda_z,
};
}
