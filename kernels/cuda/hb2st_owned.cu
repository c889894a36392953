/* Launcher and table of hb2st_owned.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/hb2st_owned.cuh"
#include "kernels/cuda/resident.h"

using namespace orr;

template <class T>
static orr_status hb2st_owned(orr_stream stream, const orr_hb2st_shape *shape, int64_t g, int64_t m,
                              void *h0, void *h1, void *carry, void *v, void *scratch)
{
    const int64_t sweeps = orr_hb2st_least(shape->G, shape->sweeps - g * shape->G);
    int64_t most_blocks = 0;
    size_t room = 0;
    if (sweeps <= 0)
        return ORR_OK;
    if (shape->b < 2)
        return ORR_E_ARG;
    if (!device_room(&most_blocks, &room))
        return ORR_E_DEVICE;
    chase_task<T> a = {*shape,
                       g,
                       m,
                       nullptr,
                       (T *)h1 + shape->lead,
                       (T *)carry,
                       (T *)v,
                       (int *)scratch,
                       0,
                       orr_stall_record()};
    if (h0)
        a.h0 = (T *)h0 + shape->lead;
    const owned_task<T> o = owned_plan(a, most_blocks, room);
    if (o.blocks == 0)
        return ORR_E_ARG;
    const int64_t words = chase_words(sweeps);
    const orr_status st =
        launch(chase_clear_kernel<int>, chase_clear_shape(words), stream, a.words, words);
    if (st != ORR_OK)
        return st;
    return launch_resident(hb2st_owned_kernel<T>,
                           {dim3((unsigned)o.blocks), dim3((unsigned)(o.warps * 32)),
                            owned_bytes<T>(shape->b, o.C, o.warps)},
                           stream, o);
}

static orr_status orr_hb2st_owned_cuda_s(orr_stream stream, const orr_hb2st_shape *a, int64_t g,
                                         int64_t m, void *h0, void *h1, void *carry, void *v,
                                         void *scratch)
{
    return hb2st_owned<float>(stream, a, g, m, h0, h1, carry, v, scratch);
}
static orr_status orr_hb2st_owned_cuda_d(orr_stream stream, const orr_hb2st_shape *a, int64_t g,
                                         int64_t m, void *h0, void *h1, void *carry, void *v,
                                         void *scratch)
{
    return hb2st_owned<double>(stream, a, g, m, h0, h1, carry, v, scratch);
}
static orr_status orr_hb2st_owned_cuda_c(orr_stream stream, const orr_hb2st_shape *a, int64_t g,
                                         int64_t m, void *h0, void *h1, void *carry, void *v,
                                         void *scratch)
{
    return hb2st_owned<complex<float>>(stream, a, g, m, h0, h1, carry, v, scratch);
}
static orr_status orr_hb2st_owned_cuda_z(orr_stream stream, const orr_hb2st_shape *a, int64_t g,
                                         int64_t m, void *h0, void *h1, void *carry, void *v,
                                         void *scratch)
{
    return hb2st_owned<complex<double>>(stream, a, g, m, h0, h1, carry, v, scratch);
}

extern "C" {
orr_hb2st_chase_cuda_fn *const orr_hb2st_owned_cuda[ORR_NTYPES] = {
    orr_hb2st_owned_cuda_s,
    orr_hb2st_owned_cuda_d,
    orr_hb2st_owned_cuda_c,
    orr_hb2st_owned_cuda_z,
};
}
