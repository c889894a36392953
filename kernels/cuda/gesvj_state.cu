/* Launchers and tables of gesvj_start.cuh and gesvj_finish.cuh: which kernels, in which order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/gesvj_finish.cuh"
#include "kernels/cuda/gesvj_start.cuh"

using namespace orr;

/* Launches on the matrices of a group until one fails. */
template <class T> struct launches {
    orr_stream stream;
    gesvj_members all;
    unsigned matrices;
    orr_gesvj_shape s;
    orr_status status;

    /* f(...) with `tiles` blocks for every matrix. */
    template <class K, class... A>
    void run(K *f, int64_t tiles, size_t shared, const A &...arguments)
    {
        if (status == ORR_OK && tiles > 0)
            status = launch(f, {dim3((unsigned)tiles, matrices), dim3(gesvj_threads), shared},
                            stream, all, arguments...);
    }
    static int64_t by(int64_t count, int64_t size) { return (count + size - 1) / size; }
    int64_t panels() const { return by(s.small, gesvj_panel); }
    int64_t warps() const { return by(s.small, gesvj_warps); }                 /* for columns */
    int64_t all_warps() const { return by(s.blocks * all.g.nb, gesvj_warps); } /* of X */

    void triangle(int which, int64_t panel, int64_t count)
    {
        run(gesvj_triangle_kernel<T>, count, 2 * gesvj_tile_bytes<T>(), which, (int)panel);
    }
    void reflect(int of, int to, int64_t panel, int64_t from, bool adjoint)
    {
        run(gesvj_reflect_kernel<T>, by(s.small - from, gesvj_panel), 3 * gesvj_tile_bytes<T>(), of,
            to, (int)panel, from, adjoint);
    }
    /* The QR factorization of a matrix without pivoting. */
    void qr(int which)
    {
        for (int64_t p = 0; p < panels(); p++) {
            run(gesvj_panel_kernel<T>, 1, 0, which, (int)p);
            triangle(which, p, 1);
            if ((p + 1) * gesvj_panel < s.small)
                reflect(which, which, p, (p + 1) * gesvj_panel, true);
        }
    }
    /* C := Q C; F has the triangles of Q. */
    void apply(int of, int to)
    {
        for (int64_t p = panels() - 1; p >= 0; p--)
            reflect(of, to, p, 0, false);
    }
    void pivoted_qr()
    {
        for (int64_t k = 0; k < s.small; k++) {
            const int64_t first = k / gesvj_panel * gesvj_panel, end = first + gesvj_panel;
            run(gesvj_pivot_kernel<T>, 1, 0, k, first);
            run(gesvj_rows_kernel<T>, by(s.small - k - 1, gesvj_warps), 0, k, first);
            if (k + 1 == end && end < s.small) {
                const int64_t down = by(s.big - end, gesvj_square);
                run(gesvj_trailing_kernel<T>, down * by(s.small - end, gesvj_square),
                    gesvj_trailing_bytes<T>(), first, (int)down);
            }
        }
    }
    void start()
    {
        run(gesvj_largest_kernel<T>, gesvj_parts, 0);
        run(gesvj_load_kernel<T>, warps(), 0);
        if (all.g.precondition) {
            pivoted_qr();
            run(gesvj_flip_kernel<T>, warps(), 0);
            qr(GESVJ_SECOND);
        } else {
            run(gesvj_rank_kernel<T>, by(s.small, gesvj_threads), 0, s.small);
        }
        if (all.g.precondition && s.accumulate) {
            run(gesvj_row_lengths_kernel<T>, warps(), 0);
            run(gesvj_solve_kernel<T>, panels(), 2 * gesvj_tile_bytes<T>(), (int)GESVJ_J);
            run(gesvj_sums_kernel<T>, warps(), 0);
        }
        run(gesvj_decide_kernel<T>, 1, 0);
        run(gesvj_begin_kernel<T>, all_warps(), 0);
    }
    void finish_left()
    {
        qr(GESVJ_COPY);
        apply(GESVJ_COPY, GESVJ_LEFT);
        if (all.g.precondition) {
            triangle(GESVJ_FIRST, 0, panels());
            apply(GESVJ_FIRST, GESVJ_LEFT);
        }
    }
    void finish_right()
    {
        run(gesvj_gather_right_kernel<T>, all_warps(), 0);
        if (all.g.precondition) {
            run(gesvj_solve_kernel<T>, panels(), 2 * gesvj_tile_bytes<T>(), (int)GESVJ_MIDDLE);
            triangle(GESVJ_SECOND, 0, panels());
            apply(GESVJ_SECOND, GESVJ_MIDDLE);
        }
        run(gesvj_put_right_kernel<T>, warps(), 0);
    }
    void finish()
    {
        const int64_t columns = s.blocks * all.g.nb;
        run(gesvj_lengths_kernel<T>, all_warps(), 0);
        run(gesvj_rank_kernel<T>, by(columns, gesvj_threads), 0, columns);
        run(gesvj_gather_left_kernel<T>, all_warps(), 0);
        if (s.transposed ? all.g.right : all.g.left)
            finish_left();
        if (s.transposed ? all.g.left : all.g.right)
            finish_right();
    }
};

template <class T> static int64_t bytes_each(const orr_gesvj_args *g)
{
    return gesvj_room<T>(*g, 0).bytes;
}

template <class T>
static orr_status ends(orr_stream stream, const orr_gesvj_args *g, int64_t count,
                       const orr_gesvj_member *member, void *work, void (launches<T>::*what)())
{
    const orr_gesvj_shape s = orr_gesvj_shape_of(g);
    orr_status status = ORR_OK;
    for (int64_t first = 0; status == ORR_OK && s.small > 0 && first < count;
         first += gesvj_members::most) {
        launches<T> l = {stream, {}, 0, s, ORR_OK};
        l.all.g = *g;
        l.all.each = bytes_each<T>(g);
        l.all.work = (char *)work + first * l.all.each;
        for (; l.matrices < gesvj_members::most && first + l.matrices < count; l.matrices++)
            l.all.of[l.matrices] = member[first + l.matrices];
        (l.*what)();
        status = l.status;
    }
    return status;
}

template <class T>
static orr_status start(orr_stream stream, const orr_gesvj_args *g, int64_t count,
                        const orr_gesvj_member *member, void *work)
{
    return ends<T>(stream, g, count, member, work, &launches<T>::start);
}

template <class T>
static orr_status finish(orr_stream stream, const orr_gesvj_args *g, int64_t count,
                         const orr_gesvj_member *member, void *work)
{
    return ends<T>(stream, g, count, member, work, &launches<T>::finish);
}

extern "C" {
orr_gesvj_ends_cuda_fn *const orr_gesvj_start_cuda[ORR_NTYPES] = {
    start<float>,
    start<double>,
    start<complex<float>>,
    start<complex<double>>,
};
orr_gesvj_ends_cuda_fn *const orr_gesvj_finish_cuda[ORR_NTYPES] = {
    finish<float>,
    finish<double>,
    finish<complex<float>>,
    finish<complex<double>>,
};

int64_t orr_gesvj_cuda_member_work(orr_type type, const orr_gesvj_args *g)
{
    static int64_t (*const bytes[ORR_NTYPES])(const orr_gesvj_args *) = {
        bytes_each<float>, bytes_each<double>, bytes_each<complex<float>>,
        bytes_each<complex<double>>};
    return bytes[type](g);
}
}
