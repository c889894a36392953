/* Launchers and tables of hb2st_apply.cuh, hb2st_fused.cuh and hb2st_fused_held.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/hb2st_fused_held.cuh"
#include "kernels/cuda/resident.h"

using namespace orr;

/* Where everything is, on a device. */
template <class T> struct workspace {
    T *X, *W, *V, *VS, *S;
    int64_t ldx, k; /* of X: columns */

    workspace(const orr_hb2st_shape &s, const orr_hb2st_blocking &by, int64_t columns, void *work)
        : X((T *)work), ldx(orr_hb2st_apply_rows(&s, &by)), k(columns)
    {
        const int64_t w = by.sweeps, all = by.at_once * ((s.n + s.b - 1) / s.b);
        W = X + orr_hb2st_apply_lines(ldx * k);
        V = W + orr_hb2st_apply_lines(by.at_once * w * k);
        VS = V + orr_hb2st_apply_lines(all * (s.b + w) * w);
        S = VS + orr_hb2st_apply_lines(all * (s.b + w) * w);
    }
};

/* The diamonds (j,t) of one t - j; x: the row of X where the first sweep's reflectors begin. */
template <class T>
static void apply_wave(blas<T> &on, const apply_diamonds<T> &a, int64_t groups, int64_t wave,
                       const workspace<T> &m, T *x)
{
    const int64_t w = a.width, b = a.shape.b, rows = b + w, of = rows * w, next = (a.hops + 1) * of;
    const int64_t ahead = wave - (groups - 1), j = std::max<int64_t>(0, -ahead), t = j + ahead;
    int64_t count = groups - j; /* of the last ones some have no such hop */
    while (count > 0 && t + count - 1 >= orr_hb2st_hops(&a.shape, a.from + (j + count - 1) * w))
        count--;
    const T *const V = m.V + (j * a.hops + t) * of, *const VS = m.VS + (j * a.hops + t) * of;
    T *const window = x + j * w + t * b;
    on.multiply_batch('C', 'N', w, m.k, rows, 1, V, rows, next, window, m.ldx, rows, 0, m.W, w,
                      w * m.k, count);
    on.multiply_batch('N', 'N', rows, m.k, w, -1, VS, rows, next, m.W, w, w * m.k, 1, window, m.ldx,
                      rows, count);
}

template <class T>
static orr_status apply_products(orr_stream stream, apply_diamonds<T> a, int adjoint, int64_t k,
                                 T *e, int64_t lde, const orr_hb2st_blocking &by, void *work)
{
    const workspace<T> m(a.shape, by, k, work);
    const int64_t s0 = a.from, s1 = a.end, rows = a.shape.n - 1 - s0;
    const int64_t step = by.at_once * by.sweeps, steps = (s1 - s0 + step - 1) / step;
    blas<T> on(stream);
    a.width = (int)by.sweeps;
    a.V = m.V;
    a.S = m.S;
    e += s0 + 1;
    orr_status st = launch(hb2st_take_kernel<T>, apply_take_shape(m.ldx, k), stream, rows, k,
                           (const T *)e, lde, k, m.X, m.ldx);
    for (int64_t i = 0; i < steps && st == ORR_OK && on.status == ORR_OK; i++) {
        a.from = s0 + (adjoint ? i : steps - 1 - i) * step;
        a.end = orr_least(a.from + step, s1);
        a.hops = orr_hb2st_hops(&a.shape, a.from);
        const int64_t groups = (a.end - a.from + by.sweeps - 1) / by.sweeps;
        const int64_t waves = a.hops + groups - 1;
        st = make_diamonds(stream, on, a, groups * a.hops, adjoint, m.VS);
        for (int64_t wave = 0; wave < waves && st == ORR_OK; wave++)
            apply_wave(on, a, groups, adjoint ? waves - 1 - wave : wave, m, m.X + a.from - s0);
    }
    if (st == ORR_OK)
        st = copy(stream, rows, k, (const T *)m.X, m.ldx, e, lde);
    return st == ORR_OK ? on.status : st;
}

/* The same by hb2st_fused.cuh or hb2st_fused_held.cuh; by products where a window has no room. */
template <class T>
static orr_status apply_fused(orr_stream stream, apply_diamonds<T> all, int adjoint, int64_t k,
                              T *e, int64_t lde, const orr_hb2st_blocking &by, void *work)
{
    int64_t processors = 0;
    size_t room = 0;
    fused_diamonds<T> a = {all, orr_hb2st_fused_tiles(&all.shape, &by)};
    const int64_t s0 = a.from, s1 = a.end, n = a.shape.n, b = a.shape.b, rows = n - 1 - s0;
    const int64_t w = orr_hb2st_fused_sweeps(&by), of = a.rows() * w;
    const int64_t step = by.at_once * w, steps = (s1 - s0 + step - 1) / step;
    const int64_t diamonds = by.at_once * ((n + b - 1) / b);
    const int64_t columns = orr_hb2st_fused_columns(k);
    fused_work<T> f = {};
    f.shape = a.shape;
    f.ldx = orr_hb2st_fused_rows(&a.shape, &by);
    f.eight = 8 * f.ldx;
    f.k = k;
    f.b = (int)b;
    f.w = a.width = (int)w;
    f.tiles = (int)a.tiles;
    f.adjoint = adjoint;
    f.along = adjoint ? -1 : 1;
    if (!device_room(&processors, &room))
        return ORR_E_DEVICE;
    const bool held = by.form == ORR_HB2ST_HELD && held_fits(f, room);
    const fused_cut cut = held ? held_shape(f) : fused_shape(f, processors, room);
    if (cut.blocks.grid.x == 0)
        return apply_products(stream, all, adjoint, k, e, lde, by, work);

    T *const X = (T *)work, *const SV = X + orr_hb2st_apply_lines(f.ldx * columns);
    a.V = SV + orr_hb2st_apply_lines(diamonds * of);
    a.S = a.V + orr_hb2st_apply_lines(diamonds * of);
    f.V = a.V;
    f.SV = SV;
    e += s0 + 1;
    blas<T> on(stream);
    orr_status st = launch(hb2st_take_kernel<T>, apply_take_shape(f.ldx, columns), stream, rows, k,
                           (const T *)e, lde, columns, X, f.ldx);
    for (int64_t i = 0; i < steps && st == ORR_OK && on.status == ORR_OK; i++) {
        a.from = f.from = s0 + (adjoint ? i : steps - 1 - i) * step;
        a.end = orr_least(a.from + step, s1);
        a.hops = f.hops = orr_hb2st_hops(&a.shape, a.from);
        f.groups = (a.end - a.from + w - 1) / w;
        f.x = X + a.from - s0;
        st = factor_diamonds(stream, on, a, f.groups * a.hops);
        on.multiply_batch(adjoint ? 'N' : 'C', 'C', w, a.rows(), w, -1, a.S, w, w * w, a.V,
                          a.rows(), of, 0, SV, w, of, f.groups * a.hops);
        if (st == ORR_OK && on.status == ORR_OK)
            st = held ? launch_held(stream, cut, f) : launch_fused(stream, cut, f);
    }
    if (st == ORR_OK)
        st = copy(stream, rows, k, (const T *)X, f.ldx, e, lde);
    return st == ORR_OK ? on.status : st;
}

template <class T>
static orr_status hb2st_apply(orr_stream stream, const orr_hb2st_shape *shape, int64_t g,
                              int64_t groups, const void *const *v, int adjoint, int64_t k, void *e,
                              int64_t lde, const orr_hb2st_blocking *by, void *work)
{
    const int64_t s0 = g * shape->G, s1 = orr_least((g + groups) * shape->G, shape->sweeps);
    if (s0 >= s1 || k == 0)
        return ORR_OK;
    if (groups > ORR_HB2ST_MOST_GROUPS)
        return ORR_E_ARG;
    apply_diamonds<T> a = {};
    a.shape = *shape;
    a.g = g;
    a.from = s0;
    a.end = s1;
    for (int64_t i = 0; i < groups; i++)
        a.v[i] = (const T *)v[i];
    if (shape->b == 1)
        return launch(hb2st_apply_phases_kernel<T>,
                      {dim3((unsigned)std::min<int64_t>(k, 1024)), dim3(128), 0}, stream, a,
                      adjoint, k, (T *)e, lde);
    if (by->sweeps < 1 || by->sweeps > ORR_HB2ST_MOST_DIAMOND || by->at_once < 1)
        return ORR_E_ARG;
    return (by->form == ORR_HB2ST_PRODUCTS ? apply_products<T> : apply_fused<T>)(stream, a, adjoint,
                                                                                 k, (T *)e, lde,
                                                                                 *by, work);
}

template <class T>
static orr_status hb2st_unit(orr_stream stream, int64_t n, int64_t first, int64_t step,
                             const void *diagonal, int64_t k, void *e, int64_t lde)
{
    return launch(hb2st_unit_kernel<T>, copy_shape(n * k), stream, n, first, step,
                  (const T *)diagonal, k, (T *)e, lde);
}

extern "C" {
orr_hb2st_apply_cuda_fn *const orr_hb2st_apply_cuda[ORR_NTYPES] = ORR_FOUR(hb2st_apply);
orr_hb2st_unit_cuda_fn *const orr_hb2st_unit_cuda[ORR_NTYPES] = ORR_FOUR(hb2st_unit);
}
