/* Launchers and table of heevj_lanes.cuh: which kernels, in which order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/heevj_lanes_rows.cuh"
#include "kernels/cuda/heevj_lanes_values.cuh"
#include "kernels/cuda/heevj_lanes_waves.cuh"
#include "kernels/cuda/resident.h"

using namespace orr;

/* Static shared memory of reduce, at most. */
static size_t fixed_bytes(int threads) { return 3 * (size_t)threads * sizeof(double); }

template <class T, int Threads>
static orr_status reduce_with(orr_stream stream, size_t room, const orr_heevj_args &g,
                              const orr_heevj_rounds &rounds, const T *a, orr_matrix_info *info,
                              unsigned char *work)
{
    const bool shared = lanes_reduce_bytes<T>(g.n, Threads, true) + fixed_bytes(Threads) <= room;
    return launch(shared ? heevj_lanes_reduce_kernel<T, Threads, true>
                         : heevj_lanes_reduce_kernel<T, Threads, false>,
                  lanes_reduce_shape<T>(g, Threads, shared), stream, g, rounds, a, work, info);
}

template <class T>
static orr_status reduce(orr_stream stream, size_t room, const orr_heevj_args &g,
                         const orr_heevj_rounds &rounds, const T *a, orr_matrix_info *info,
                         unsigned char *work)
{
    int threads = lanes_reduce_threads<T>(g.n);
    while (threads > 128 &&
           lanes_reduce_bytes<T>(g.n, threads, false) + fixed_bytes(threads) > room)
        threads /= 2;
    return (threads == 128   ? reduce_with<T, 128>
            : threads == 256 ? reduce_with<T, 256>
                             : reduce_with<T, 512>)(stream, room, g, rounds, a, info, work);
}

/* Values, and rotations of one round. */
template <class T, bool In_rows>
static orr_status find(orr_stream stream, const orr_heevj_args &g, const orr_heevj_rounds &rounds,
                       int round, unsigned char *work)
{
    typedef real_of<T> R;
    if constexpr (In_rows)
        return launch(heevj_lanes_ql_kernel<T>, lanes_ql_shape<R>(g), stream, g, rounds, round,
                      work);
    orr_status s = ORR_OK;
    if (!g.vectors || lanes_in_waves(rounds, round))
        s = launch(heevj_lanes_values_kernel<T>, lanes_values_shape<R>(g), stream, g, rounds, work);
    if (s == ORR_OK && g.vectors)
        s = launch(heevj_lanes_waves_kernel<T>, lanes_waves_shape<R>(g), stream, g, rounds, round,
                   work);
    return s;
}

/* Team: threads of a matrix in turn and order. Small ones have as many in all kernels but ql. */
template <class T, int Team>
static orr_status solve_with(orr_stream stream, const orr_heevj_args &g,
                             const orr_heevj_rounds &rounds, T *a, real_of<T> *w,
                             orr_matrix_info *info, unsigned char *work)
{
    typedef real_of<T> R;
    constexpr bool in_rows = Team <= lanes_rows_most;
    int64_t processors = 0;
    size_t room = 0;
    orr_status s;
    if (!device_room(&processors, &room))
        return ORR_E_DEVICE;
    if constexpr (in_rows)
        s = launch(heevj_lanes_rows_kernel<T, Team>, lanes_rows_shape<T, Team>(g), stream, g,
                   rounds, (const T *)a, work, info);
    else
        s = reduce<T>(stream, room, g, rounds, a, info, work);
    if (g.n == 0)
        return s;
    for (int round = 0; s == ORR_OK && round < (g.vectors ? rounds.rounds : 1); round++) {
        s = find<T, in_rows>(stream, g, rounds, round, work);
        if (s == ORR_OK && g.vectors)
            s = launch(heevj_lanes_turn_kernel<T, Team>, lanes_turn_shape<R, Team>(g), stream, g,
                       rounds, round, work);
    }
    if (s == ORR_OK)
        s = launch(heevj_lanes_order_kernel<T, Team>, lanes_order_shape<R, Team>(g), stream, g,
                   rounds, work, a, w, info);
    if (s != ORR_OK || !g.vectors)
        return s;
    if constexpr (in_rows)
        return launch(heevj_lanes_columns_kernel<T, Team>, lanes_rows_shape<T, Team>(g), stream, g,
                      rounds, work, a);
    else {
        const int columns = lanes_back_columns<T>(g.n, room);
        return launch(heevj_lanes_back_kernel<T>, lanes_back_shape<T>(g, columns), stream, g,
                      rounds, columns, work, a);
    }
}

template <class T>
static orr_status solve(orr_stream stream, const orr_heevj_args *g, const orr_heevj_rounds *rounds,
                        void *a, void *w, orr_matrix_info *info, void *work)
{
    if (g->n > ORR_HEEVJ_LANES_CUDA_MAX_N)
        return ORR_E_ARG;
    if (g->count == 0)
        return ORR_OK;
    return (g->n <= 16                ? solve_with<T, 16>
            : g->n <= lanes_rows_most ? solve_with<T, lanes_rows_most>
                                      : solve_with<T, lanes_block>)(stream, *g, *rounds, (T *)a,
                                                                    (real_of<T> *)w, info,
                                                                    (unsigned char *)work);
}

template <class T> static int64_t bytes(const orr_heevj_args *g, const orr_heevj_rounds *rounds)
{
    return g->count * (int64_t)lanes_memory<T>(nullptr, *g, *rounds).bytes;
}

extern "C" {
orr_heevj_lanes_cuda_fn *const orr_heevj_lanes_cuda[ORR_NTYPES] = {
    solve<float>,
    solve<double>,
    solve<complex<float>>,
    solve<complex<double>>,
};

int64_t orr_heevj_lanes_cuda_work(orr_type type, const orr_heevj_args *g,
                                  const orr_heevj_rounds *rounds)
{
    switch (type) {
    case ORR_S: return bytes<float>(g, rounds);
    case ORR_D: return bytes<double>(g, rounds);
    case ORR_C: return bytes<complex<float>>(g, rounds);
    default: return bytes<complex<double>>(g, rounds);
    }
}
}
