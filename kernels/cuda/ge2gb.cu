/* ge2gb on a device: the tasks of kernels/cpu/ge2gb.inc.c with cuBLAS in the place of BLAS, call by
 * call. The panel is found on a CPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/blas.h"
#include "kernels/cuda/copy.cuh"
#include "kernels/cuda/stream_memory.h"
#include "kernels/ge2gb.h"

using namespace orr;

template <class T>
static orr_status move(orr_stream stream, const orr_ge2gb_step *s, int64_t t, orr_ge2gb_tile tile,
                       void *q_, int back)
{
    const orr_ge2gb_part p = orr_ge2gb_in_tile(s, t, orr_ge2gb_row(s), orr_ge2gb_end(s));
    const int64_t width = orr_ge2gb_panel_width(s), inside = orr_ge2gb_inside(s);
    const int64_t rows = s->right ? width : p.to - p.from, ldq = orr_ge2gb_q_ld(s);
    const int64_t columns = s->right ? p.to - p.from : width;
    T *const a = (T *)tile.a + (s->right ? inside + p.from * tile.ld : p.from + inside * tile.ld);
    T *const q = (T *)q_ + (s->right ? p.from * ldq : p.from);
    return back ? copy<T>(stream, rows, columns, q, ldq, a, tile.ld)
                : copy<T>(stream, rows, columns, a, tile.ld, q, ldq);
}

template <class T>
static orr_status product(orr_stream stream, const orr_ge2gb_step *s, int64_t t, int64_t from,
                          int64_t to, const orr_ge2gb_tile *line, const void *v_, const void *s_,
                          void *y_)
{
    const int64_t row = orr_ge2gb_row(s), first = orr_ge2gb_first(s), rows = orr_ge2gb_rows(s);
    const int64_t w = orr_ge2gb_width(s);
    const orr_ge2gb_part c = orr_ge2gb_in_tile(s, t, orr_ge2gb_across(s), s->right ? s->m : s->n);
    const int64_t count = c.to - c.from;
    T *const y = (T *)y_ + (s->right ? c.from : c.from * w);
    blas<T> on(stream);
    for (int64_t i = from; i < to; i++) {
        const orr_ge2gb_part p = orr_ge2gb_in_tile(s, i, row, orr_ge2gb_end(s));
        const T *const v = (const T *)v_ + i * s->tile + p.from - row;
        const T *const a = (const T *)line[i - from].a;
        const int64_t ld = line[i - from].ld, length = p.to - p.from;
        const real_of<T> beta = i > first;
        if (s->right)
            on.multiply('N', 'N', count, w, length, 1, a + c.from + p.from * ld, ld, v, rows, beta,
                        y, s->tile);
        else
            on.multiply('C', 'N', w, count, length, 1, v, rows, a + p.from + c.from * ld, ld, beta,
                        y, w);
    }
    if (to < orr_ge2gb_tiles(s))
        return on.status;
    if (s->right)
        on.times_triangle('R', 'N', count, w, (const T *)s_, w, y, s->tile);
    else
        on.times_triangle('L', 'C', w, count, (const T *)s_, w, y, w);
    return on.status;
}

template <class T>
static orr_status update(orr_stream stream, const orr_ge2gb_step *s, int64_t i, int64_t j,
                         orr_ge2gb_tile t, const void *v_, const void *y_)
{
    const int64_t row = orr_ge2gb_row(s), across = orr_ge2gb_across(s), rows = orr_ge2gb_rows(s);
    const int64_t w = orr_ge2gb_width(s);
    const orr_ge2gb_part r = orr_ge2gb_in_tile(s, i, s->right ? across : row, s->m);
    const orr_ge2gb_part c = orr_ge2gb_in_tile(s, j, s->right ? row : across, s->n);
    T *const a = (T *)t.a + r.from + c.from * t.ld;
    const T *const v = (const T *)v_, *const y = (const T *)y_;
    blas<T> on(stream);
    if (s->right)
        on.multiply('N', 'C', r.to - r.from, c.to - c.from, w, -1, y + r.from, s->tile,
                    v + j * s->tile + c.from - row, rows, 1, a, t.ld);
    else
        on.multiply('N', 'N', r.to - r.from, c.to - c.from, w, -1, v + i * s->tile + r.from - row,
                    rows, y + c.from * w, w, 1, a, t.ld);
    return on.status;
}

template <class T>
static orr_status apply(orr_stream stream, const orr_ge2gb_step *s, const void *v_, const void *S,
                        int64_t c, void *e_, int64_t lde)
{
    const int64_t w = orr_ge2gb_width(s), rows = orr_ge2gb_rows(s);
    const T *const v = (const T *)v_;
    T *const e = (T *)e_ + orr_ge2gb_row(s);
    if (c == 0)
        return ORR_OK;
    T *const y = (T *)stream_alloc(stream, (size_t)(w * c) * sizeof(T));
    if (!y)
        return ORR_E_NOMEM;
    blas<T> on(stream);
    on.multiply('C', 'N', w, c, rows, 1, v, rows, e, lde, 0, y, w);
    on.times_triangle('L', 'N', w, c, (const T *)S, w, y, w);
    on.multiply('N', 'N', rows, c, w, -1, v, rows, y, w, 1, e, lde);
    stream_free(stream, y);
    return on.status;
}

extern "C" {
orr_ge2gb_move_fn *const orr_ge2gb_move_cuda[ORR_NTYPES] = ORR_FOUR(move);
orr_ge2gb_product_fn *const orr_ge2gb_product_cuda[ORR_NTYPES] = ORR_FOUR(product);
orr_ge2gb_update_fn *const orr_ge2gb_update_cuda[ORR_NTYPES] = ORR_FOUR(update);
orr_ge2gb_apply_fn *const orr_ge2gb_apply_cuda[ORR_NTYPES] = ORR_FOUR(apply);
}
