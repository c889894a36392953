/* he2hb on a device: the tasks of kernels/cpu/he2hb.inc.c with cuBLAS in the place of BLAS, call by
 * call, and panel.cuh in the place of LAPACK. Only panels in their tiles are found on a CPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/blas.h"
#include "kernels/cuda/he2hb.cuh"
#include "kernels/cuda/join.cuh"
#include "kernels/cuda/pieces.cuh"
#include "kernels/cuda/stream_memory.h"
#include "kernels/panel.h"

using namespace orr;

template <class T>
static orr_status largest(orr_stream stream, int64_t m, int64_t n, int part, const void *a,
                          int64_t lda, void *largest)
{
    return launch(he2hb_largest_kernel<T>, copy_shape(n * copy_threads), stream, m, n, part,
                  (const T *)a, lda, (real_of<T> *)largest);
}

template <class T>
static orr_status load(orr_stream stream, const orr_he2hb_loading *x, const void *from, int64_t ldf,
                       void *to, int64_t ldt)
{
    const int64_t down = (x->rows + load_side - 1) / load_side;
    const int64_t across = (x->columns + load_side - 1) / load_side;
    return launch(he2hb_load_kernel<T>, copy_shape(down * across * copy_threads), stream, *x,
                  (const T *)from, ldf, (T *)to, ldt);
}

template <class T>
static orr_status move(orr_stream stream, const orr_he2hb_step *s, int64_t i, orr_he2hb_tile t,
                       orr_he2hb_tile q, int back)
{
    const int64_t from = orr_he2hb_piece_from(s, i), rows = orr_he2hb_to(s, i) - from;
    const int64_t width = orr_he2hb_panel_width(s);
    T *const x = (T *)t.a + orr_he2hb_inside(s) * t.ld + from, *const y = (T *)q.a + from;
    return back ? copy<T>(stream, rows, width, y, q.ld, x, t.ld)
                : copy<T>(stream, rows, width, x, t.ld, y, q.ld);
}

/* found: R, whose rows begin where the step does, or null. */
template <class T>
static orr_status fill_band(orr_stream stream, const orr_he2hb_step *s, const orr_he2hb_tile *q,
                            const T *found, T *ab)
{
    const int64_t begin = s->k * s->b, j = orr_he2hb_column(s);
    he2hb_columns<T> x = {};
    x.here = (const T *)q[0].a;
    x.ld_here = q[0].ld;
    x.first = orr_he2hb_inside(s);
    x.r = found;
    x.ldr = s->b;
    x.row = orr_he2hb_row(s) - j * s->tile;
    x.columns = orr_he2hb_panel_width(s);
    x.rows = s->n - j * s->tile;
    x.b = s->b;
    x.tile = s->tile;
    const int64_t last = orr_least(x.first + x.columns - 1 + s->b, x.rows - 1);
    if (!found && last >= s->tile) {
        x.below = (const T *)q[1].a;
        x.ld_below = q[1].ld;
    }
    return launch(he2hb_band_kernel<T>, copy_shape(x.columns * (s->b + 1)), stream, x,
                  ab + begin * (s->b + 1));
}

template <class T>
static orr_status panel_apart(orr_stream stream, const orr_he2hb_step *s, const orr_he2hb_tile *q,
                              void *ab, void *S, void *V)
{
    const int64_t m = s->n - orr_he2hb_row(s), first = orr_he2hb_first(s), b = s->b;
    if (!S)
        return fill_band<T>(stream, s, q, nullptr, (T *)ab);
    T *const r = (T *)stream_alloc(stream, (size_t)((V ? b : b + m) * b) * sizeof(T));
    T *const v = V ? (T *)V : r + b * b;
    if (!r)
        return ORR_E_NOMEM;
    const auto piece = [&](int64_t t) {
        const int64_t i = first + t, from = orr_he2hb_from(s, i), rows = orr_he2hb_to(s, i) - from;
        const orr_he2hb_tile &x = q[i - orr_he2hb_column(s)];
        return panel_piece<T>{(T *)x.a + from, x.ld, i * s->tile + from - orr_he2hb_row(s), rows};
    };
    const int64_t count = orr_he2hb_tiles(s) - first;
    orr_status st = gather<T>(stream, count, false, b, piece, v, m);
    if (st == ORR_OK)
        st = orr_panel_cuda[orr_type_of<T>](stream, m, b, v, r, S);
    if (st == ORR_OK)
        st = scatter<T>(stream, count, b, piece, v, m);
    if (st == ORR_OK)
        st = fill_band(stream, s, q, r, (T *)ab);
    stream_free(stream, r);
    return st;
}

template <class T>
static orr_status spread(orr_stream stream, const orr_he2hb_step *s, int64_t from, int64_t count,
                         const orr_he2hb_tile *q, void *const *x)
{
    const int64_t w = orr_he2hb_width(s);
    for (int64_t done = 0; done < count; done += he2hb_most_parts) {
        he2hb_spreads<T> some = {};
        some.count = (int)std::min<int64_t>(count - done, he2hb_most_parts);
        for (int i = 0; i < some.count; i++) {
            const int64_t tile = from + done + i;
            some.piece[i] = {(const T *)q[done + i].a, q[done + i].ld, (T *)x[done + i],
                             (int)orr_he2hb_from(s, tile), (int)orr_he2hb_to(s, tile)};
        }
        shape sh = copy_shape(w * s->tile);
        sh.grid.y = (unsigned)some.count;
        const orr_status st = launch(he2hb_spread_kernel<T>, sh, stream, some, w, s->tile);
        if (st != ORR_OK)
            return st;
    }
    return ORR_OK;
}

template <class T>
static orr_status product(orr_stream stream, const orr_he2hb_step *s, int64_t i, int64_t count,
                          const int64_t *list, int begins, const orr_he2hb_tile *row,
                          const void *const *x, const void *own, const void *s_, orr_he2hb_tile p_,
                          void *n)
{
    const int64_t w = orr_he2hb_width(s), ldp = p_.ld;
    const int64_t from = orr_he2hb_from(s, i), rows = orr_he2hb_to(s, i) - from;
    T *const p = (T *)p_.a;
    blas<T> on(stream);
    for (int64_t k = 0; k < count; k++) {
        const orr_he2hb_tile *t = &row[k];
        const int64_t j = list[k];
        const int64_t from_j = orr_he2hb_from(s, j), rows_j = orr_he2hb_to(s, j) - from_j;
        const T *v = (const T *)x[k] + from_j, *a = (const T *)t->a;
        const real_of<T> beta = !(begins && k == 0);
        if (j < i)
            on.multiply('N', 'N', rows, w, rows_j, 1, a + from + from_j * t->ld, t->ld, v, s->tile,
                        beta, p, ldp);
        else if (j > i)
            on.multiply('C', 'N', rows, w, rows_j, 1, a + from_j + from * t->ld, t->ld, v, s->tile,
                        beta, p, ldp);
        else
            on.multiply_hermitian('L', rows, w, 1, a + from * (t->ld + 1), t->ld, v, s->tile, beta,
                                  p, ldp);
    }
    if (!own)
        return on.status;
    on.times_triangle('R', 'N', rows, w, (const T *)s_, w, p, ldp);
    on.multiply('C', 'N', w, w, rows, 1, (const T *)own + from, s->tile, p, ldp, 0, (T *)n, w);
    return on.status;
}

template <class T>
static orr_status middle(orr_stream stream, const orr_he2hb_step *s, const void *const *n,
                         const void *s_, void *m_)
{
    const int64_t w = orr_he2hb_width(s), count = orr_he2hb_tiles(s) - orr_he2hb_first(s);
    T *const m = (T *)m_;
    for (int64_t done = 0; done < count; done += he2hb_most_parts) {
        he2hb_parts<T> some = {};
        some.count = (int)std::min<int64_t>(count - done, he2hb_most_parts);
        for (int i = 0; i < some.count; i++)
            some.part[i] = (const T *)n[done + i];
        const orr_status st =
            launch(he2hb_sum_kernel<T>, copy_shape(w * w), stream, some, w * w, done > 0, m);
        if (st != ORR_OK)
            return st;
    }
    blas<T> on(stream);
    on.times_triangle('L', 'C', w, w, (const T *)s_, w, m, w);
    return on.status;
}

template <class T>
static orr_status factor(orr_stream stream, const orr_he2hb_step *s, int64_t i, orr_he2hb_tile p,
                         const void *m, void *x_)
{
    const int64_t w = orr_he2hb_width(s);
    const int64_t from = orr_he2hb_from(s, i), rows = orr_he2hb_to(s, i) - from;
    T *const x = (T *)x_ + from, *const W = x + w * s->tile;
    const orr_status st = copy(stream, rows, w, (const T *)p.a, p.ld, W, s->tile);
    if (st != ORR_OK)
        return st;
    blas<T> on(stream);
    on.multiply('N', 'N', rows, w, w, 1, x, s->tile, (const T *)m, w, 1, W, s->tile);
    return on.status;
}

template <class T>
static orr_status update(orr_stream stream, const orr_he2hb_step *s, int64_t i, int64_t j,
                         int64_t from, int64_t to, orr_he2hb_tile t, const void *xi, const void *xj)
{
    const int64_t w = orr_he2hb_width(s), columns = to - from;
    const int64_t top = i == j ? to : orr_he2hb_from(s, i), rows = orr_he2hb_to(s, i) - top;
    const T *const v = (const T *)xi + top, *const wv = (const T *)xj + from + w * s->tile;
    T *const a = (T *)t.a + from * t.ld;
    blas<T> on(stream);
    if (i == j)
        on.update_hermitian('N', columns, w, -1, (const T *)xi + from, s->tile, wv, s->tile,
                            a + from, t.ld);
    if (rows > 0)
        on.multiply('N', 'C', rows, columns, 2 * w, -1, v, s->tile, wv, s->tile, 1, a + top, t.ld);
    return on.status;
}

/* of(rows, v, ld, at): V below its first w rows by tiles, so many rows from row `at` of the matrix on. */
template <class T, class Of>
static void each_below(const orr_he2hb_step *s, const orr_he2hb_tile *column, Of of)
{
    const int64_t first = orr_he2hb_first(s), end = orr_he2hb_row(s) + orr_he2hb_width(s);
    for (int64_t i = first; i < orr_he2hb_tiles(s); i++) {
        const orr_he2hb_tile &t = column[i - first];
        const int64_t from = std::max<int64_t>(end - i * s->tile, 0);
        if (from < orr_he2hb_to(s, i))
            of(orr_he2hb_to(s, i) - from, (const T *)t.a + orr_he2hb_inside(s) * t.ld + from, t.ld,
               i * s->tile + from);
    }
}

/* The first w rows of V, from its tiles. */
template <class T>
static orr_status take_top(orr_stream stream, const orr_he2hb_step *s, const orr_he2hb_tile *column,
                           T *top)
{
    const int64_t row = orr_he2hb_row(s), w = orr_he2hb_width(s), first = orr_he2hb_first(s);
    const orr_status st = gather<T>(
        stream, (row + w - 1) / s->tile - first + 1, false, w,
        [&](int64_t t) {
            const int64_t from = orr_he2hb_from(s, first + t);
            const int64_t at = (first + t) * s->tile + from - row;
            const int64_t rows = orr_least(orr_he2hb_to(s, first + t) - from, w - at);
            T *const a = (T *)column[t].a + orr_he2hb_inside(s) * column[t].ld + from;
            return panel_piece<T>{a, column[t].ld, at, rows};
        },
        top, w);
    return st == ORR_OK ? launch(he2hb_lower_kernel<T>, copy_shape(w * w), stream, w, top) : st;
}

template <class T>
static orr_status join(orr_stream stream, const orr_he2hb_step *s, const orr_he2hb_tile *column,
                       const void *const *part, void *joined)
{
    const int64_t w = orr_he2hb_width(s);
    T *const S = (T *)joined, *const top = S + w * w;
    T *const vv = (T *)stream_alloc(stream, (size_t)(w * w) * sizeof(T));
    if (!vv)
        return ORR_E_NOMEM;
    blas<T> on(stream);
    orr_status st = take_top(stream, s, column, top);
    on.multiply('C', 'N', w, w, w, 1, top, w, top, w, 0, vv, w);
    each_below<T>(s, column, [&](int64_t rows, const T *v, int64_t ld, int64_t) {
        on.multiply('C', 'N', w, w, rows, 1, v, ld, v, ld, 1, vv, w);
    });
    if (st == ORR_OK)
        st = join_parts(stream, on, part, s->b, w, vv, S);
    stream_free(stream, vv);
    return st;
}

/* E := E - V (S (V' E)); S by a product, which is as fast as those with V. */
template <class T>
static orr_status apply(orr_stream stream, const orr_he2hb_step *s, const orr_he2hb_tile *column,
                        const void *s_, int64_t c, void *e, int64_t lde, void *work)
{
    const int64_t w = orr_he2hb_width(s);
    const T *const S = (const T *)s_, *const top = S + w * w;
    T *const y = (T *)work, *const sy = y + w * c, *const all = (T *)e;
    T *const beside = all + orr_he2hb_row(s);
    blas<T> on(stream);
    on.multiply('C', 'N', w, c, w, 1, top, w, beside, lde, 0, y, w);
    each_below<T>(s, column, [&](int64_t rows, const T *v, int64_t ld, int64_t at) {
        on.multiply('C', 'N', w, c, rows, 1, v, ld, all + at, lde, 1, y, w);
    });
    on.multiply('N', 'N', w, c, w, 1, S, w, y, w, 0, sy, w);
    on.multiply('N', 'N', w, c, w, -1, top, w, sy, w, 1, beside, lde);
    each_below<T>(s, column, [&](int64_t rows, const T *v, int64_t ld, int64_t at) {
        on.multiply('N', 'N', rows, c, w, -1, v, ld, sy, w, 1, all + at, lde);
    });
    return on.status;
}

extern "C" {
orr_he2hb_move_fn *const orr_he2hb_move_cuda[ORR_NTYPES] = ORR_FOUR(move);
orr_he2hb_panel_apart_fn *const orr_he2hb_panel_apart_cuda[ORR_NTYPES] = ORR_FOUR(panel_apart);
orr_he2hb_spread_fn *const orr_he2hb_spread_cuda[ORR_NTYPES] = ORR_FOUR(spread);
orr_he2hb_product_fn *const orr_he2hb_product_cuda[ORR_NTYPES] = ORR_FOUR(product);
orr_he2hb_middle_fn *const orr_he2hb_middle_cuda[ORR_NTYPES] = ORR_FOUR(middle);
orr_he2hb_factor_fn *const orr_he2hb_factor_cuda[ORR_NTYPES] = ORR_FOUR(factor);
orr_he2hb_update_fn *const orr_he2hb_update_cuda[ORR_NTYPES] = ORR_FOUR(update);
orr_he2hb_largest_fn *const orr_he2hb_largest_cuda[ORR_NTYPES] = ORR_FOUR(largest);
orr_he2hb_load_there_fn *const orr_he2hb_load_cuda[ORR_NTYPES] = ORR_FOUR(load);
orr_he2hb_join_fn *const orr_he2hb_join_cuda[ORR_NTYPES] = ORR_FOUR(join);
orr_he2hb_apply_fn *const orr_he2hb_apply_cuda[ORR_NTYPES] = ORR_FOUR(apply);
}
