/* Launchers and tables of hb2st_chase.cuh and hb2st_numbered.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/hb2st_numbered.cuh"
#include "kernels/cuda/resident.h"

using namespace orr;

/* The kernels; the first one that fits is taken. */
template <class T> struct hb2st_choice {
    bool staged;
    int64_t b; /* 0: any */
    void (*kernel)(chase_task<T>);
};
template <class T>
static const hb2st_choice<T> hb2st_choices[] = {
    {true, 32, hb2st_chase_kernel<true, 256, 32, T>},
    {true, 64, hb2st_chase_kernel<true, 512, 64, T>},
    {true, 0, hb2st_chase_kernel<true, 512, 0, T>},
    {false, 0, hb2st_chase_kernel<false, 512, 0, T>},
};

/* By_b: also those for one b. */
template <class T, bool By_b>
static orr_status hb2st_chase(orr_stream stream, const orr_hb2st_shape *shape, int64_t g, int64_t m,
                              void *h0, void *h1, void *carry, void *v, void *scratch)
{
    const int64_t sweeps = orr_least(shape->G, shape->sweeps - g * shape->G);
    int64_t processors = 0;
    size_t room = 0;
    if (sweeps <= 0)
        return ORR_OK;
    if (!device_room(&processors, &room))
        return ORR_E_DEVICE;
    chase_task<T> a = {*shape,
                       g,
                       m,
                       nullptr,
                       (T *)h1 + shape->lead,
                       (T *)carry,
                       (T *)v,
                       (int *)scratch,
                       hb2st_chase_windows<T>(shape->b, room),
                       orr_stall_record()};
    if (h0)
        a.h0 = (T *)h0 + shape->lead;
    if (shape->b == 1)
        return launch(hb2st_phases_kernel<T>, {dim3(1), dim3(1), 0}, stream, a);
    if (a.windows < 0)
        return ORR_E_ARG;
    const int64_t words = chase_words(sweeps);
    const orr_status st =
        launch(chase_clear_kernel<int>, chase_clear_shape(words), stream, a.words, words);
    if (st != ORR_OK)
        return st;
    for (const hb2st_choice<T> &k : hb2st_choices<T>)
        if (k.staged == (a.windows > 0) && (k.b == 0 || (By_b && k.b == shape->b)))
            return launch(k.kernel, hb2st_chase_launch_shape(a), stream, a);
    return ORR_E_ARG;
}

template <class T> struct numbered_choice {
    int64_t b; /* 0: any */
    void (*kernel)(numbered_task<T>);
};
template <class T>
static const numbered_choice<T> numbered_choices[] = {
    {32, hb2st_numbered_kernel<hb2st_numbered_crew(32), hb2st_receivers<T>(32), 32, T>},
    {64, hb2st_numbered_kernel<hb2st_numbered_crew(64), hb2st_receivers<T>(64), 64, T>},
    {0, hb2st_numbered_kernel<0, hb2st_receivers<T>(0), 0, T>},
};

template <class T>
static orr_status hb2st_numbered(orr_stream stream, const orr_hb2st_shape *shape, int64_t, int64_t,
                                 void *, void *h1, void *, void *v, void *scratch)
{
    int64_t processors = 0;
    size_t room = 0;
    if (!device_room(&processors, &room))
        return ORR_E_DEVICE;
    numbered_task<T> a = {{*shape, 0, 0, nullptr, (T *)h1 + shape->lead, nullptr, (T *)v,
                           (int *)scratch, hb2st_chase_windows<T>(shape->b, room),
                           orr_stall_record()},
                          (numbered<T> *)((char *)scratch + hb2st_numbered_lead)};
    if (shape->b < 2 || a.windows < 1 || shape->D < shape->n || shape->G < shape->sweeps)
        return ORR_E_ARG;
    if (shape->sweeps == 0)
        return ORR_OK;
    orr_status st = launch(hb2st_number_kernel<T>, hb2st_number_shape(a), stream, a);
    for (const numbered_choice<T> &k : numbered_choices<T>)
        if (st == ORR_OK && (k.b == 0 || k.b == shape->b)) {
            st = launch(k.kernel, hb2st_numbered_launch_shape(a), stream, a);
            break;
        }
    return st != ORR_OK ? st : launch(hb2st_unnumber_kernel<T>, {dim3(1), dim3(4), 0}, stream, a);
}

/* On any device. */
template <class T> static int64_t largest_b()
{
    int64_t b = 1;
    while (hb2st_chase_windows<T>(b + 1, least_room) >= 0)
        b++;
    return b;
}

extern "C" {
orr_hb2st_chase_cuda_fn *const orr_hb2st_chase_cuda[ORR_NTYPES] = {
    hb2st_chase<float, true>,
    hb2st_chase<double, true>,
    hb2st_chase<complex<float>, true>,
    hb2st_chase<complex<double>, true>,
};
orr_hb2st_chase_cuda_fn *const orr_hb2st_chase_cuda_any_b[ORR_NTYPES] = {
    hb2st_chase<float, false>,
    hb2st_chase<double, false>,
    hb2st_chase<complex<float>, false>,
    hb2st_chase<complex<double>, false>,
};
orr_hb2st_chase_cuda_fn *const orr_hb2st_chase_cuda_numbered[ORR_NTYPES] = {
    hb2st_numbered<float>,
    hb2st_numbered<double>,
    hb2st_numbered<complex<float>>,
    hb2st_numbered<complex<double>>,
};

int64_t orr_hb2st_chase_cuda_numbered_scratch(orr_type t, const orr_hb2st_shape *a)
{
    static int64_t (*const bytes[ORR_NTYPES])(const orr_hb2st_shape &) = {
        hb2st_numbered_bytes<float>, hb2st_numbered_bytes<double>,
        hb2st_numbered_bytes<complex<float>>, hb2st_numbered_bytes<complex<double>>};
    return bytes[t](*a);
}

/* Sweeps that wait for a processor cost more than flags do, so all that can be under way, one for two hops,
 * should be resident: by the launch bounds four on a processor for b = 32, and one for b = 64. */
int orr_hb2st_chase_cuda_prefers_numbers(orr_type t, const orr_hb2st_shape *a, int64_t processors)
{
    const int64_t blocks = a->b == 32 ? 4 : a->b == 64 ? 1 : 0;
    return t != ORR_Z && a->D >= a->n && a->G >= a->sweeps && a->rest == 0 &&
           a->n <= 2 * a->b * blocks * processors;
}

int64_t orr_hb2st_chase_cuda_scratch(const orr_hb2st_shape *a)
{
    return chase_words(a->G) * (int64_t)sizeof(int);
}

int64_t orr_hb2st_chase_cuda_max_b(orr_type t)
{
    static int64_t (*const largest[ORR_NTYPES])() = {
        largest_b<float>, largest_b<double>, largest_b<complex<float>>, largest_b<complex<double>>};
    return largest[t]();
}
}
