/* Launcher and table of gb2bd_chase.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/gb2bd_chase.cuh"
#include "kernels/cuda/gb2bd_half.h"

using namespace orr;

template <class T>
static orr_status gb2bd_chase(orr_stream stream, orr_type type, const orr_gb2bd_args *args,
                              void *top, void *bottom, void *carry)
{
    typedef real_of<T> R;
    if (args->sweeps <= 0)
        return ORR_OK;
    gb2bd_task<T> a = {{*args, (R *)top, (R *)bottom},      (R *)carry,
                       orr_gb2bd_carry(type, args->tw),     orr_gb2bd_carry_lanes(type),
                       gb2bd_windows<T>(args->b, args->tw), orr_stall_record()};
    if (a.windows < 0)
        return ORR_E_ARG;
    const orr_status st = launch(gb2bd_clear_kernel<T>, chase_clear_shape(args->sweeps), stream, a);
    if (st != ORR_OK)
        return st;
    return launch(a.windows > 0 ? gb2bd_chase_kernel<true, T> : gb2bd_chase_kernel<false, T>,
                  gb2bd_launch_shape(a), stream, a);
}

static orr_status orr_gb2bd_chase_cuda_s(orr_stream stream, const orr_gb2bd_args *a, void *top,
                                         void *bottom, void *carry)
{
    return gb2bd_chase<float>(stream, ORR_S, a, top, bottom, carry);
}
static orr_status orr_gb2bd_chase_cuda_d(orr_stream stream, const orr_gb2bd_args *a, void *top,
                                         void *bottom, void *carry)
{
    return gb2bd_chase<double>(stream, ORR_D, a, top, bottom, carry);
}
static orr_status orr_gb2bd_chase_cuda_c(orr_stream stream, const orr_gb2bd_args *a, void *top,
                                         void *bottom, void *carry)
{
    return gb2bd_chase<complex<float>>(stream, ORR_C, a, top, bottom, carry);
}
static orr_status orr_gb2bd_chase_cuda_z(orr_stream stream, const orr_gb2bd_args *a, void *top,
                                         void *bottom, void *carry)
{
    return gb2bd_chase<complex<double>>(stream, ORR_Z, a, top, bottom, carry);
}

static orr_status orr_gb2bd_chase_cuda_h(orr_stream stream, const orr_gb2bd_args *a, void *top,
                                         void *bottom, void *carry)
{
    return through_float(stream, a, top, bottom, [&](float *rows, float *below) {
        return gb2bd_chase<float>(stream, ORR_H, a, rows, below, carry);
    });
}

extern "C" {
orr_gb2bd_cuda_fn *const orr_gb2bd_chase_cuda[ORR_GB2BD_NTYPES] = {
    orr_gb2bd_chase_cuda_s, orr_gb2bd_chase_cuda_d, orr_gb2bd_chase_cuda_c,
    orr_gb2bd_chase_cuda_z, orr_gb2bd_chase_cuda_h,
};
}
