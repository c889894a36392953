/* Launcher and table of hb2st_chase.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/hb2st_chase.cuh"

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
    const int64_t sweeps = orr_hb2st_least(shape->G, shape->sweeps - g * shape->G);
    if (sweeps <= 0)
        return ORR_OK;
    chase_task<T> a = {*shape,
                       g,
                       m,
                       nullptr,
                       (T *)h1 + shape->lead,
                       (T *)carry,
                       (T *)v,
                       (int *)scratch,
                       hb2st_chase_windows<T>(shape->b),
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

template <class T> static int64_t largest_b()
{
    int64_t b = 1;
    while (hb2st_chase_windows<T>(b + 1) >= 0)
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
