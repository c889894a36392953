/* Launchers and tables of gesvj_pair.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/gesvj_pair.cuh"

using namespace orr;

/* f(list, pairs in it) for as many launches as the sets need. */
template <class F> static orr_status by_lists(const orr_gesvj_list *all, F f)
{
    orr_status status = ORR_OK;
    for (int64_t first = 0; status == ORR_OK && first < all->count; first += gesvj_list::most) {
        gesvj_list list = {};
        list.blocks = all->blocks;
        list.round = all->round;
        int64_t n = 0;
        for (; n < gesvj_list::most && first + n < all->count; n++)
            list.set[n] = all->set[first + n];
        status = f(list, (unsigned)(n * (all->blocks / 2)));
    }
    return status;
}

template <class T> static orr_type type_of()
{
    return sizeof(real_of<T>) == sizeof(float) ? ORR_S : ORR_D; /* of the same precision */
}

template <class T, int Order>
static orr_status gram_of(orr_stream s, const orr_gesvj_args *g, int full,
                          const orr_gesvj_list *all)
{
    const size_t shared = sizeof(T) * gesvj_tile<T, Order>::elements;
    const int64_t rows = orr_gesvj_shape_of(g).rows;
    return by_lists(all, [&](const gesvj_list &list, unsigned n) {
        return launch(gesvj_gram_kernel<T, Order>, {dim3(n), dim3(gesvj_threads), shared}, s, list,
                      rows, full);
    });
}

template <class T, int Order>
static orr_status angle_of(orr_stream s, const orr_gesvj_args *g, int full,
                           const orr_gesvj_list *all)
{
    const real_of<T> tol = (real_of<T>)orr_gesvj_tolerance(type_of<T>(), g);
    const int64_t rows = orr_gesvj_shape_of(g).rows;
    return by_lists(all, [&](const gesvj_list &list, unsigned n) {
        return launch(gesvj_angle_kernel<T, Order>,
                      {dim3(n), dim3(gesvj_threads), gesvj_tile<T, Order>::evd_bytes()}, s, list,
                      rows, full, tol);
    });
}

template <class T, int Order>
static orr_status rotate_of(orr_stream s, int64_t rows, const orr_gesvj_list *all)
{
    typedef gesvj_tile<T, Order> S;
    const unsigned tiles = gesvj_tiles<T, Order>(rows);
    return by_lists(all, [&](const gesvj_list &list, unsigned n) {
        return launch(gesvj_rotate_kernel<T, Order>,
                      {dim3(tiles * n), dim3(gesvj_threads), S::rotate_bytes()}, s, list, rows);
    });
}

/* By the order of H. */
template <class T>
static orr_status gram(orr_stream s, const orr_gesvj_args *g, int full, const orr_gesvj_list *all)
{
    if (g->nb != 16 && g->nb != 32)
        return ORR_E_ARG;
    return (g->nb == 16 ? gram_of<T, 32> : gram_of<T, 64>)(s, g, full, all);
}

template <class T>
static orr_status angle(orr_stream s, const orr_gesvj_args *g, int full, const orr_gesvj_list *all)
{
    if (g->nb != 16 && g->nb != 32)
        return ORR_E_ARG;
    return (g->nb == 16 ? angle_of<T, 32> : angle_of<T, 64>)(s, g, full, all);
}

template <class T>
static orr_status rotate(orr_stream s, const orr_gesvj_args *g, int64_t rows,
                         const orr_gesvj_list *all)
{
    if (g->nb != 16 && g->nb != 32)
        return ORR_E_ARG;
    if (rows == 0)
        return ORR_OK;
    return (g->nb == 16 ? rotate_of<T, 32> : rotate_of<T, 64>)(s, rows, all);
}

#ifdef ORR_NO_RUNTIME
static int processors(void) { return 1; }
#else
static int processors(void)
{
    int device = 0, count = 0;
    if (!went_well(cudaGetDevice(&device)) ||
        !went_well(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device)))
        count = 1;
    return count;
}
#endif

extern "C" {
orr_gesvj_gram_cuda_fn *const orr_gesvj_gram_cuda[ORR_NTYPES] = {
    gram<float>,
    gram<double>,
    gram<complex<float>>,
    gram<complex<double>>,
};
orr_gesvj_angle_cuda_fn *const orr_gesvj_angle_cuda[ORR_NTYPES] = {
    angle<float>,
    angle<double>,
    angle<complex<float>>,
    angle<complex<double>>,
};
orr_gesvj_rotate_cuda_fn *const orr_gesvj_rotate_cuda[ORR_NTYPES] = {
    rotate<float>,
    rotate<double>,
    rotate<complex<float>>,
    rotate<complex<double>>,
};

/* By registers a processor has room for two blocks of 256 threads; by shared memory as well, but
 * for pairs of 32 columns in double complex. */
int64_t orr_gesvj_cuda_pairs(void) { return 2 * (int64_t)processors(); }

int orr_gesvj_cuda_max_nb(orr_type type, int64_t shared)
{
    return (int)gesvj_largest_order(type, shared) / 2;
}
}
