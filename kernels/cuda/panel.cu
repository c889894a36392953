/* Launcher and table of panel.cuh. A panel whose rows do not fit in shared memory is cut into narrower
 * ones, with cuBLAS between them, as geqrf does it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/panel.cuh"

#include "kernels/cuda/blas.h"
#include "kernels/cuda/copy.cuh"
#include "kernels/cuda/resident.h"
#include "kernels/cuda/stream_memory.h"
#include "kernels/panel.h"

using namespace orr;

/* Blocks of so many rows, and how many columns they have room for; 0: for none. */
struct cut {
    int64_t rows, blocks;
    int columns;
};

template <class T> static cut cut_of(int64_t m, int64_t b, int64_t processors, size_t room)
{
    cut c;
    c.rows = std::max((m + processors - 1) / processors, panel_least_rows);
    c.rows = std::min(c.rows, m);
    c.blocks = (m + c.rows - 1) / c.rows;
    c.columns = (int)std::min<int64_t>(b, panel_most_columns);
    while (c.columns > 0 && panel_bytes<T>(c.rows, c.columns) > room)
        c.columns--;
    if (c.columns > 0) { /* of equal width */
        const int64_t pieces = (b + c.columns - 1) / c.columns;
        c.columns = (int)((b + pieces - 1) / pieces);
    }
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

template <class T>
static orr_status factor(orr_stream stream, int64_t m, int64_t b, const cut &c, T *q, T *r, T *s,
                         T *memory, int *words)
{
    typedef real_of<T> R;
    const int64_t w = std::min(m, b), pieces = (w + c.columns - 1) / c.columns;
    T *const row = memory + 2 * c.blocks * (c.columns + 1), *const y = row + 2 * c.columns;
    const int64_t count = pieces * (c.blocks + 1), reals = w * w * (int64_t)(sizeof(T) / sizeof(R));
    orr_status st = launch(chase_clear_kernel<int>, chase_clear_shape(count), stream, words, count);
    if (pieces > 1 && st == ORR_OK)
        st = launch(chase_clear_kernel<R>, chase_clear_shape(reals), stream, (R *)s, reals);
    int64_t end = 0;
    for (int64_t at = 0; at < w && st == ORR_OK; at = end, words += c.blocks + 1) {
        panel_task<T> a = {};
        end = std::min(at + c.columns, b);
        a.m = m - at;
        a.columns = (int)(end - at);
        a.reflectors = (int)(std::min(end, w) - at);
        a.blocks = (int)((a.m + c.rows - 1) / c.rows);
        a.rows = (int)c.rows;
        a.parts = panel_parts(a.columns);
        a.q = q + at + at * m;
        a.ldq = m;
        a.r = r + at + at * b;
        a.ldr = b;
        a.s = s + at + at * w;
        a.lds = w;
        a.sums = memory;
        a.row = row;
        a.words = words;
        a.told = orr_stall_record();
        st = launch_resident(
            panel_kernel<T>,
            {dim3((unsigned)a.blocks), dim3(panel_threads), panel_bytes<T>(c.rows, a.columns)},
            stream, a);
        if (st == ORR_OK)
            st = above(stream, at, end - at, q + at * m, m, r + at * b, b);
        if (st == ORR_OK && (at > 0 || end < b))
            st = carry_on(stream, m, b, at, end, q, s, y);
    }
    return st == ORR_OK ? above(stream, w, b - end, q + end * m, m, r + end * b, b) : st;
}

template <class T>
static orr_status panel(orr_stream stream, int64_t m, int64_t b, void *q, void *r, void *s)
{
    int64_t processors = 0;
    size_t room = 0;
    if (m <= 0 || b <= 0)
        return ORR_OK;
    if (!device_room(&processors, &room))
        return ORR_E_DEVICE;
    const cut c = cut_of<T>(m, b, processors, room);
    if (c.columns == 0)
        return ORR_E_ARG;
    const int64_t pieces = (std::min(m, b) + c.columns - 1) / c.columns;
    const int64_t elements = 2 * c.blocks * (c.columns + 1) + 2 * c.columns + c.columns * b;
    T *const memory = (T *)stream_alloc(
        stream, (size_t)elements * sizeof(T) + (size_t)(pieces * (c.blocks + 1)) * sizeof(int));
    if (!memory)
        return ORR_E_NOMEM;
    const orr_status st =
        factor(stream, m, b, c, (T *)q, (T *)r, (T *)s, memory, (int *)(memory + elements));
    stream_free(stream, memory);
    return st;
}

extern "C" {
orr_panel_fn *const orr_panel_cuda[ORR_NTYPES] = ORR_FOUR(panel);
}
