/* ge2gb on a device: the tasks of kernels/cpu/ge2gb.inc.c with cuBLAS in the place of BLAS, call by
 * call, and panel.cuh in the place of LAPACK.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/blas.h"
#include "kernels/cuda/join.cuh"
#include "kernels/cuda/pieces.cuh"
#include "kernels/cuda/square.cuh"
#include "kernels/cuda/stream_memory.h"
#include "kernels/ge2gb.h"
#include "kernels/panel.h"

using namespace orr;

/* A square of `load_side` for each block, by turns. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    ge2gb_load_kernel(orr_ge2gb_copy x, const T *from, int64_t ld_from, T *to, int64_t ld_to)
{
    typedef real_of<T> R;
    ORR_SHARED(T, square, load_side * load_ld);
    const R scale = (R)x.scale;
    const int64_t down = (x.rows + load_side - 1) / load_side;
    const int64_t squares = down * ((x.columns + load_side - 1) / load_side);
    const int c0 = threadIdx.x / load_side, r = threadIdx.x % load_side;
    for (int64_t k = blockIdx.x; k < squares; k += gridDim.x) {
        const int64_t row = k % down * load_side, column = k / down * load_side;
        load_square<T>(from, ld_from, x.adjoint != 0, row, column, x.rows, x.columns, square);
        for (int c = c0; c < load_side; c += copy_threads / load_side) {
            const int64_t i = row + r, j = column + c;
            if (i >= x.rows || j >= x.columns)
                continue;
            const T y = square[c * load_ld + r];
            to[i + j * ld_to] =
                i - j > x.below ? make<T>(0) : make<T>(real(y) * scale, imag(y) * scale);
        }
        __syncthreads();
    }
}

template <class T>
static orr_status load(orr_stream stream, const orr_ge2gb_copy *x, orr_ge2gb_tile from,
                       orr_ge2gb_tile to)
{
    const int64_t squares =
        ((x->rows + load_side - 1) / load_side) * ((x->columns + load_side - 1) / load_side);
    return launch(ge2gb_load_kernel<T>, copy_shape(squares * copy_threads), stream, *x,
                  (const T *)from.a, from.ld, (T *)to.a, to.ld);
}

template <class T>
static orr_status move(orr_stream stream, const orr_ge2gb_step *s, int64_t t, orr_ge2gb_tile tile,
                       orr_ge2gb_tile q_, int back)
{
    const orr_ge2gb_part p = orr_ge2gb_along(s, t);
    const int64_t width = orr_ge2gb_panel_width(s), inside = orr_ge2gb_inside(s);
    const int64_t rows = s->right ? width : p.to - p.from;
    const int64_t columns = s->right ? p.to - p.from : width;
    T *const a = (T *)tile.a + (s->right ? inside + p.from * tile.ld : p.from + inside * tile.ld);
    T *const q = (T *)q_.a;
    return back ? copy<T>(stream, rows, columns, q, q_.ld, a, tile.ld)
                : copy<T>(stream, rows, columns, a, tile.ld, q, q_.ld);
}

/* R or L, the upper triangle of r with `rows` rows, by rows of the band from the step's on, or where
 * the panel was; right: of L the conjugate transpose is in r. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    ge2gb_triangle_kernel(const T *r, int64_t ldr, int64_t rows, int64_t columns, bool right,
                          T *band, int64_t b, T *place, int64_t ld)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < rows * columns;
         e += step) {
        const int64_t i = e % rows, c = e / rows;
        if (i > c)
            continue;
        const T x = r[i + c * ldr];
        if (!band)
            place[right ? c + i * ld : i + c * ld] = right ? conj(x) : x;
        else if (right)
            band[b + i - c + c * (b + 1)] = x;
        else
            band[c - i + i * (b + 1)] = conj(x);
    }
}

template <class T>
static orr_status triangle(orr_stream stream, const orr_ge2gb_step *s, const T *r, int64_t ldr,
                           const orr_ge2gb_tile &place, T *ab)
{
    const int64_t width = orr_ge2gb_panel_width(s);
    const int64_t rows = orr_least(orr_ge2gb_rows(s), width);
    return launch(ge2gb_triangle_kernel<T>, copy_shape(rows * width), stream, r, ldr, rows, width,
                  s->right != 0, ab ? ab + s->k * s->b * (s->b + 1) : nullptr, s->b, (T *)place.a,
                  place.ld);
}

template <class T>
static orr_status panel(orr_stream stream, const orr_ge2gb_step *s, const orr_ge2gb_tile *panel_,
                        const orr_ge2gb_found *to)
{
    const int64_t m = orr_ge2gb_rows(s), width = orr_ge2gb_panel_width(s), w = orr_ge2gb_width(s);
    const int64_t first = orr_ge2gb_first(s), count = orr_ge2gb_tiles(s) - first;
    const auto along = [&](int64_t t) { return orr_ge2gb_along(s, first + t); };
    const auto at = [&](int64_t t) {
        return (first + t) * s->tile + along(t).from - orr_ge2gb_row(s);
    };
    T *const memory = (T *)stream_alloc(stream, (size_t)((m + width) * width) * sizeof(T));
    if (!memory)
        return ORR_E_NOMEM;
    T *const q = memory, *const r = memory + m * width;
    orr_status st = gather<T>(
        stream, count, s->right != 0, width,
        [&](int64_t t) {
            return panel_piece<T>{(T *)panel_[t].a, panel_[t].ld, at(t),
                                  along(t).to - along(t).from};
        },
        q, m);
    if (st == ORR_OK && to->s)
        st = orr_panel_cuda[orr_type_of<T>](stream, m, width, q, r, to->s);
    if (st == ORR_OK)
        st = triangle<T>(stream, s, to->s ? r : q, to->s ? width : m, panel_[0], (T *)to->ab);
    if (st == ORR_OK && to->v)
        st = copy<T>(stream, m, w, q, m, (T *)to->v, m);
    if (st == ORR_OK && to->s && to->part)
        st = scatter<T>(
            stream, count, w,
            [&](int64_t t) {
                const int64_t rows = along(t).to - along(t).from;
                return panel_piece<T>{(T *)to->part[t], rows, at(t), rows};
            },
            q, m);
    stream_free(stream, memory);
    return st;
}

template <class T>
static orr_status product(orr_stream stream, const orr_ge2gb_step *s, int64_t t, int64_t count,
                          const int64_t *list, int begins, const orr_ge2gb_tile *line,
                          const orr_ge2gb_tile *v_, const void *s_, orr_ge2gb_tile y_)
{
    const int64_t w = orr_ge2gb_width(s);
    const orr_ge2gb_part c = orr_ge2gb_beside(s, t);
    const int64_t beside = c.to - c.from;
    T *const y = (T *)y_.a;
    blas<T> on(stream);
    for (int64_t k = 0; k < count; k++) {
        const orr_ge2gb_part p = orr_ge2gb_along(s, list[k]);
        const T *const v = (const T *)v_[k].a;
        const T *const a = (const T *)line[k].a;
        const int64_t ld = line[k].ld, length = p.to - p.from;
        const real_of<T> beta = k > 0 || !begins;
        if (s->right)
            on.multiply('N', 'N', beside, w, length, 1, a + c.from + p.from * ld, ld, v, v_[k].ld,
                        beta, y, y_.ld);
        else
            on.multiply('C', 'N', w, beside, length, 1, v, v_[k].ld, a + p.from + c.from * ld, ld,
                        beta, y, y_.ld);
    }
    if (!s_)
        return on.status;
    if (s->right)
        on.times_triangle('R', 'N', beside, w, (const T *)s_, w, y, y_.ld);
    else
        on.times_triangle('L', 'C', w, beside, (const T *)s_, w, y, y_.ld);
    return on.status;
}

template <class T>
static orr_status update(orr_stream stream, const orr_ge2gb_step *s, int64_t i, int64_t j,
                         orr_ge2gb_tile t, orr_ge2gb_tile v_, orr_ge2gb_tile y_)
{
    const int64_t w = orr_ge2gb_width(s);
    const orr_ge2gb_part r = s->right ? orr_ge2gb_beside(s, i) : orr_ge2gb_along(s, i);
    const orr_ge2gb_part c = s->right ? orr_ge2gb_along(s, j) : orr_ge2gb_beside(s, j);
    T *const a = (T *)t.a + r.from + c.from * t.ld;
    const T *const v = (const T *)v_.a, *const y = (const T *)y_.a;
    blas<T> on(stream);
    if (s->right)
        on.multiply('N', 'C', r.to - r.from, c.to - c.from, w, -1, y, y_.ld, v, v_.ld, 1, a, t.ld);
    else
        on.multiply('N', 'N', r.to - r.from, c.to - c.from, w, -1, v, v_.ld, y, y_.ld, 1, a, t.ld);
    return on.status;
}

/* V of each of the steps that are joined. */
template <class T> struct ge2gb_parts {
    const T *v[ORR_JOINED_STEPS];
    int64_t rows[ORR_JOINED_STEPS];
};

/* v, rows x columns := them, b columns to each, which begin in the row of its first one. */
template <class T>
__global__ void __launch_bounds__(copy_threads)
    ge2gb_joined_kernel(ge2gb_parts<T> part, int64_t b, int64_t rows, int64_t columns, T *v)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < rows * columns;
         e += step) {
        const int64_t p = e / rows / b, i = e % rows - p * b, length = part.rows[p];
        const T *const from = in_global(part.v[p]) + (e / rows - p * b) * length;
        v[e] = i >= 0 && i < length ? from[i] : make<T>(0);
    }
}

template <class T>
static orr_status joined_v(orr_stream stream, const orr_ge2gb_step *s, const void *const *part,
                           T *v)
{
    const int64_t rows = orr_ge2gb_rows(s), w = orr_ge2gb_width(s);
    ge2gb_parts<T> all = {};
    for (int64_t k = 0; k <= s->more; k++) {
        orr_ge2gb_step one = *s;
        one.k += k;
        one.more = 0;
        all.v[k] = (const T *)part[k];
        all.rows[k] = orr_ge2gb_rows(&one);
    }
    return launch(ge2gb_joined_kernel<T>, copy_shape(rows * w), stream, all, s->b, rows, w, v);
}

template <class T>
static orr_status join(orr_stream stream, const orr_ge2gb_step *s, const void *const *v_,
                       const void *const *part, void *joined)
{
    const int64_t w = orr_ge2gb_width(s), rows = orr_ge2gb_rows(s);
    T *const v = (T *)stream_alloc(stream, (size_t)((rows + w) * w) * sizeof(T));
    T *const vv = v + rows * w;
    if (!v)
        return ORR_E_NOMEM;
    blas<T> on(stream);
    orr_status st = joined_v(stream, s, v_, v);
    on.multiply('C', 'N', w, w, rows, 1, v, rows, v, rows, 0, vv, w);
    if (st == ORR_OK)
        st = join_parts(stream, on, part, s->b, w, vv, (T *)joined);
    stream_free(stream, v);
    return st;
}

/* E := E - V (S (V' E)); S by a product, which is as fast as those with V. */
template <class T>
static orr_status apply(orr_stream stream, const orr_ge2gb_step *s, const void *const *v_,
                        const void *const *S, int, int64_t c, void *e_, int64_t lde, void *work)
{
    const int64_t w = orr_ge2gb_width(s), rows = orr_ge2gb_rows(s);
    T *const e = (T *)e_ + orr_ge2gb_row(s), *const y = (T *)work, *const sy = y + w * c;
    T *const joined = sy + w * c;
    const T *const v = s->more ? joined : (const T *)v_[0];
    const orr_status st = s->more ? joined_v(stream, s, v_, joined) : ORR_OK;
    blas<T> on(stream);
    on.multiply('C', 'N', w, c, rows, 1, v, rows, e, lde, 0, y, w);
    on.multiply('N', 'N', w, c, w, 1, (const T *)S[0], w, y, w, 0, sy, w);
    on.multiply('N', 'N', rows, c, w, -1, v, rows, sy, w, 1, e, lde);
    return st == ORR_OK ? on.status : st;
}

extern "C" {
orr_ge2gb_load_fn *const orr_ge2gb_load_cuda[ORR_NTYPES] = ORR_FOUR(load);
orr_ge2gb_move_fn *const orr_ge2gb_move_cuda[ORR_NTYPES] = ORR_FOUR(move);
orr_ge2gb_panel_fn *const orr_ge2gb_panel_cuda[ORR_NTYPES] = ORR_FOUR(panel);
orr_ge2gb_product_fn *const orr_ge2gb_product_cuda[ORR_NTYPES] = ORR_FOUR(product);
orr_ge2gb_update_fn *const orr_ge2gb_update_cuda[ORR_NTYPES] = ORR_FOUR(update);
orr_ge2gb_join_fn *const orr_ge2gb_join_cuda[ORR_NTYPES] = ORR_FOUR(join);
orr_ge2gb_apply_fn *const orr_ge2gb_apply_cuda[ORR_NTYPES] = ORR_FOUR(apply);
}
