/* Launchers and tables of panel.cuh and panel_cluster.cuh. A panel whose rows do not fit in shared memory is cut into narrower
 * ones, with cuBLAS between them, as geqrf does it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/panel_cluster.cuh"

#include "kernels/cuda/blas.h"
#include "kernels/cuda/copy.cuh"
#include "kernels/cuda/resident.h"
#include "kernels/cuda/stream_memory.h"
#include "kernels/panel.h"

using namespace orr;

/* Launches by cluster that tasks take rather than those apart. None: nobody has timed it yet, though by
 * estimate it should be 2 (docs/gpu-status.md). */
constexpr int64_t most_cluster_launches = 0;

/* As many columns as blocks of so many rows have room for, in launches of equal width. */
template <class T, template <class> class Others>
static orr_panel_cut cut_of(int64_t m, int64_t b, int64_t rows, int64_t blocks, size_t room)
{
    orr_panel_cut c = {0, blocks, rows, std::min<int64_t>(b, panel_most_columns)};
    while (c.columns > 0 && panel_bytes<T, Others>(rows, (int)c.columns, (int)blocks) > room)
        c.columns--;
    if (c.columns > 0) {
        const int64_t pieces = (b + c.columns - 1) / c.columns;
        c.columns = (b + pieces - 1) / pieces;
        c.launches = (std::min(m, b) + c.columns - 1) / c.columns;
    }
    return c;
}

template <class T> static orr_panel_cut apart_cut(int64_t m, int64_t b)
{
    int64_t processors = 0;
    size_t room = 0;
    if (!device_room(&processors, &room))
        return {};
    const int64_t wanted = std::max((m + processors - 1) / processors, panel_least_rows);
    const int64_t rows = std::min(wanted, m);
    return cut_of<T, panel_apart>(m, b, rows, (m + rows - 1) / rows, room);
}

/* As few blocks as leave no more than the least rows to each or, where these leave no room for all
 * columns, more. */
template <class T> static orr_panel_cut cluster_cut(int64_t m, int64_t b)
{
    int64_t processors = 0, blocks = 1;
    size_t room = 0;
    orr_panel_cut c = {};
    if (!device_room(&processors, &room))
        return c;
    const shape largest = {dim3(1), dim3(panel_threads), room};
    const int64_t most = most_cluster(panel_cluster_kernel<T>, largest);
    if (most == 1)
        return c;
    while (blocks < most && m > blocks * panel_least_cluster_rows)
        blocks *= 2;
    for (; c.launches != 1 && blocks <= most; blocks *= 2)
        c = cut_of<T, panel_cluster>(m, b, (m + blocks - 1) / blocks, blocks, room);
    return c;
}

template <class T>
static orr_status above(orr_stream stream, int64_t rows, int64_t columns, T *q, int64_t ldq, T *r,
                        int64_t ldr)
{
    return rows > 0 && columns > 0 ? launch(panel_above_kernel<T>, copy_shape(rows * columns),
                                            stream, rows, columns, q, ldq, r, ldr)
                                   : ORR_OK;
}

/* Columns at .. end-1 are done: those behind them become Q' times themselves, y is room for it; and
 * S gets what is to the right of the columns before, -S1 V1' V2 S2. */
template <class T>
static orr_status carry_on(orr_stream stream, int64_t m, int64_t b, int64_t at, int64_t end, T *q,
                           T *s, T *y)
{
    const int64_t w = std::min(m, b), behind = b - end, rows = m - at;
    const int64_t have = std::min(end, w) - at;
    const T *const v = q + at + at * m, *const own = s + at + at * w;
    T *const rest = q + at + end * m, *const beside = s + at * w;
    blas<T> on(stream);
    on.multiply('C', 'N', have, behind, rows, 1, v, m, rest, m, 0, y, have);
    on.times_triangle('L', 'C', have, behind, own, w, y, have);
    on.multiply('N', 'N', rows, behind, have, -1, v, m, y, have, 1, rest, m);
    on.multiply('C', 'N', at, have, rows, -1, q + at, m, v, m, 0, beside, w);
    on.times_triangle('L', 'N', at, have, s, w, beside, w);
    on.times_triangle('R', 'N', at, have, own, w, beside, w);
    return on.status;
}

/* start(a): a launch of the kernel. */
template <class T, class Start>
static orr_status factor(orr_stream stream, int64_t m, int64_t b, const orr_panel_cut &c, T *q,
                         T *r, T *s, T *y, Start start)
{
    typedef real_of<T> R;
    const int64_t w = std::min(m, b), reals = w * w * (int64_t)(sizeof(T) / sizeof(R));
    orr_status st = ORR_OK;
    if (c.launches > 1)
        st = launch(chase_clear_kernel<R>, chase_clear_shape(reals), stream, (R *)s, reals);
    int64_t end = 0;
    for (int64_t at = 0; at < w && st == ORR_OK; at = end) {
        panel_task<T> a = {};
        end = std::min(at + c.columns, b);
        a.m = m - at;
        a.columns = (int)(end - at);
        a.reflectors = (int)(std::min(end, w) - at);
        a.blocks = (int)c.blocks;
        a.rows = (int)c.rows;
        a.parts = panel_parts(a.columns);
        a.q = q + at + at * m;
        a.ldq = m;
        a.r = r + at + at * b;
        a.ldr = b;
        a.s = s + at + at * w;
        a.lds = w;
        st = start(a);
        if (st == ORR_OK)
            st = above(stream, at, end - at, q + at * m, m, r + at * b, b);
        if (st == ORR_OK && (at > 0 || end < b))
            st = carry_on(stream, m, b, at, end, q, s, y);
    }
    return st == ORR_OK ? above(stream, w, b - end, q + end * m, m, r + end * b, b) : st;
}

template <class T>
static orr_status apart(orr_stream stream, int64_t m, int64_t b, void *q, void *r, void *s)
{
    if (m <= 0 || b <= 0)
        return ORR_OK;
    const orr_panel_cut c = apart_cut<T>(m, b);
    if (c.launches == 0)
        return ORR_E_ARG;
    const int64_t count = c.launches * (c.blocks + 1);
    const int64_t elements = 2 * c.blocks * (c.columns + 1) + 2 * c.columns + c.columns * b;
    T *const memory =
        (T *)stream_alloc(stream, (size_t)elements * sizeof(T) + (size_t)count * sizeof(int));
    if (!memory)
        return ORR_E_NOMEM;
    T *const row = memory + 2 * c.blocks * (c.columns + 1), *const y = row + 2 * c.columns;
    int *words = (int *)(memory + elements);
    orr_status st = launch(chase_clear_kernel<int>, chase_clear_shape(count), stream, words, count);
    if (st == ORR_OK)
        st = factor(stream, m, b, c, (T *)q, (T *)r, (T *)s, y, [&](panel_task<T> a) {
            a.blocks = (int)((a.m + a.rows - 1) / a.rows);
            a.sums = memory;
            a.row = row;
            a.words = words;
            a.told = orr_stall_record();
            words += c.blocks + 1;
            return launch_resident(panel_kernel<T>,
                                   {dim3((unsigned)a.blocks), dim3(panel_threads),
                                    panel_bytes<T, panel_apart>(a.rows, a.columns, a.blocks)},
                                   stream, a);
        });
    stream_free(stream, memory);
    return st;
}

template <class T>
static orr_status cluster(orr_stream stream, int64_t m, int64_t b, void *q, void *r, void *s)
{
    if (m <= 0 || b <= 0)
        return ORR_OK;
    const orr_panel_cut c = cluster_cut<T>(m, b);
    if (c.launches == 0)
        return ORR_E_ARG;
    T *const y = (T *)stream_alloc(stream, (size_t)(c.columns * b) * sizeof(T));
    if (!y)
        return ORR_E_NOMEM;
    const orr_status st =
        factor(stream, m, b, c, (T *)q, (T *)r, (T *)s, y, [&](const panel_task<T> &a) {
            const unsigned blocks = (unsigned)a.blocks;
            return launch(panel_cluster_kernel<T>,
                          {dim3(blocks), dim3(panel_threads),
                           panel_bytes<T, panel_cluster>(a.rows, a.columns, a.blocks), blocks},
                          stream, a);
        });
    stream_free(stream, y);
    return st;
}

template <class T>
static orr_status panel(orr_stream stream, int64_t m, int64_t b, void *q, void *r, void *s)
{
    const bool in_cluster = orr_panel_cuda_prefers_cluster(orr_type_of<T>, m, b);
    return in_cluster ? cluster<T>(stream, m, b, q, r, s) : apart<T>(stream, m, b, q, r, s);
}

extern "C" {
orr_panel_fn *const orr_panel_cuda_apart[ORR_NTYPES] = ORR_FOUR(apart);
orr_panel_cut_fn *const orr_panel_cuda_apart_cut[ORR_NTYPES] = ORR_FOUR(apart_cut);
orr_panel_fn *const orr_panel_cuda_cluster[ORR_NTYPES] = ORR_FOUR(cluster);
orr_panel_cut_fn *const orr_panel_cuda_cluster_cut[ORR_NTYPES] = ORR_FOUR(cluster_cut);
orr_panel_fn *const orr_panel_cuda[ORR_NTYPES] = ORR_FOUR(panel);

int orr_panel_cuda_prefers_cluster(orr_type t, int64_t m, int64_t b)
{
    if (most_cluster_launches == 0)
        return 0;
    const orr_panel_cut c = orr_panel_cuda_cluster_cut[t](m, b);
    return c.launches > 0 && c.launches <= most_cluster_launches;
}
}
