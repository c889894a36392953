/* Launcher and table of gb2bd_chase.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/gb2bd_chase.cuh"
#include "kernels/cuda/gb2bd_half.h"
#include "kernels/cuda/resident.h"

using namespace orr;

/* The kernels; the first one that fits is taken. */
template <class T> struct gb2bd_choice {
    bool staged;
    int64_t b, tw; /* 0: any */
    void (*kernel)(gb2bd_task<T>);
};
/* The first stage of b = 64, values only, is 63 or 32 wide. */
template <class T> constexpr int wide = sizeof(real_of<T>) == 4 ? 63 : 32;
template <class T>
static const gb2bd_choice<T> gb2bd_choices[] = {
    {true, 32, 31, gb2bd_chase_kernel<true, 128, 32, 31, T>},
    {true, 64, wide<T>, gb2bd_chase_kernel<true, 256, 64, wide<T>, T>},
    {true, 0, 0, gb2bd_chase_kernel<true, 256, 0, 0, T>},
    {false, 0, 0, gb2bd_chase_kernel<false, 256, 0, 0, T>},
};

/* By_b: also those for one b and tw. */
template <class T, bool By_b>
static orr_status gb2bd_chase(orr_stream stream, orr_type type, const orr_gb2bd_args *args,
                              void *top, void *bottom, void *carry)
{
    typedef real_of<T> R;
    int64_t processors = 0;
    size_t room = 0;
    if (args->sweeps <= 0)
        return ORR_OK;
    if (!device_room(&processors, &room))
        return ORR_E_DEVICE;
    gb2bd_task<T> a = {{*args, (R *)top, (R *)bottom},
                       (R *)carry,
                       orr_gb2bd_carry(type, args->tw),
                       orr_gb2bd_carry_lanes(type, args->b),
                       gb2bd_windows<T>(args->b, args->tw, room),
                       orr_stall_record()};
    if (a.windows < 0)
        return ORR_E_ARG;
    const orr_status st = launch(gb2bd_clear_kernel<T>, chase_clear_shape(args->sweeps), stream, a);
    if (st != ORR_OK)
        return st;
    for (const gb2bd_choice<T> &k : gb2bd_choices<T>)
        if (k.staged == (a.windows > 0) &&
            (k.b == 0 || (By_b && k.b == args->b && k.tw == args->tw)))
            return launch(k.kernel, gb2bd_launch_shape(a), stream, a);
    return ORR_E_ARG;
}

template <class T, orr_type Type, bool By_b>
static orr_status of_type(orr_stream stream, const orr_gb2bd_args *a, void *top, void *bottom,
                          void *carry)
{
    return gb2bd_chase<T, By_b>(stream, Type, a, top, bottom, carry);
}
template <bool By_b>
static orr_status of_half(orr_stream stream, const orr_gb2bd_args *a, void *top, void *bottom,
                          void *carry)
{
    return through_float(stream, a, top, bottom, [&](float *rows, float *below) {
        return gb2bd_chase<float, By_b>(stream, ORR_H, a, rows, below, carry);
    });
}

template <class T> static int64_t largest_tw()
{
    return (int64_t)(least_room / (4 * sizeof(T))) - 1;
}

extern "C" {
orr_gb2bd_cuda_fn *const orr_gb2bd_chase_cuda[ORR_GB2BD_NTYPES] = {
    of_type<float, ORR_S, true>,
    of_type<double, ORR_D, true>,
    of_type<complex<float>, ORR_C, true>,
    of_type<complex<double>, ORR_Z, true>,
    of_half<true>,
};
orr_gb2bd_cuda_fn *const orr_gb2bd_chase_cuda_any_b[ORR_GB2BD_NTYPES] = {
    of_type<float, ORR_S, false>,
    of_type<double, ORR_D, false>,
    of_type<complex<float>, ORR_C, false>,
    of_type<complex<double>, ORR_Z, false>,
    of_half<false>,
};

int64_t orr_gb2bd_chase_cuda_max_tw(orr_type t)
{
    static int64_t (*const largest[ORR_GB2BD_NTYPES])() = {
        largest_tw<float>, largest_tw<double>, largest_tw<complex<float>>,
        largest_tw<complex<double>>, largest_tw<float>};
    return largest[t]();
}
}
