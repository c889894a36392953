/* Launchers and tables of gb2bd_qr.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/gb2bd_qr.cuh"
#include "kernels/cuda/gb2bd_half.h"
#include "kernels/cuda/resident.h"

using namespace orr;

template <class T>
static orr_status gb2bd_qr(orr_stream stream, const orr_gb2bd_args *args, void *top, void *bottom)
{
    typedef real_of<T> R;
    int64_t processors = 0;
    size_t room = 0;
    if (args->sweeps <= 0)
        return ORR_OK;
    if (!device_room(&processors, &room))
        return ORR_E_DEVICE;
    gb2bd_qr_task<T> a = {{*args, (R *)top, (R *)bottom}, 0, orr_stall_record()};
    a.width = gb2bd_qr_width(a, room);
    if (a.width == 0)
        return ORR_E_ARG;
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

template <class T> static int fits(int64_t kl, int64_t ku)
{
    gb2bd_qr_task<T> a = {};
    a.g.b = kl;
    a.g.tw = ku;
    return gb2bd_qr_width(a, least_room) > 0;
}

extern "C" {
orr_gb2bd_cuda_fn *const orr_gb2bd_qr_cuda[ORR_GB2BD_NTYPES] = {
    orr_gb2bd_qr_cuda_s, orr_gb2bd_qr_cuda_d, orr_gb2bd_qr_cuda_c,
    orr_gb2bd_qr_cuda_z, orr_gb2bd_qr_cuda_h,
};

int orr_gb2bd_qr_cuda_fits(orr_type t, int64_t kl, int64_t ku)
{
    static int (*const all[ORR_GB2BD_NTYPES])(int64_t, int64_t) = {
        fits<float>, fits<double>, fits<complex<float>>, fits<complex<double>>, fits<float>};
    return all[t](kl, ku);
}
}
