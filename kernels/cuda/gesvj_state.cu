/* Launchers and tables of gesvj_start.cuh, gesvj_qr.cuh and gesvj_finish.cuh: which kernels, in which order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cuda/gesvj_finish.cuh"
#include "kernels/cuda/gesvj_qr.cuh"
#include "kernels/cuda/gesvj_start.cuh"

#include <algorithm>

#include "kernels/cuda/resident.h"

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

    void triangles(int of)
    {
        run(gesvj_triangle_kernel<T>, panels(), 2 * gesvj_tile_bytes<T>(), of);
    }
    /* C := Q C; F has the triangles of Q. */
    void apply(int of, int to)
    {
        run(gesvj_apply_kernel<T>, panels(), 3 * gesvj_tile_bytes<T>(), of, to);
    }
    /* Groups of thread blocks have a matrix each, or several one after the other: as large as the
     * device has room for, but no larger than columns occupy. */
    void qr(int which)
    {
        int64_t processors = 0;
        size_t room = 0;
        if (status == ORR_OK && !device_room(&processors, &room))
            status = ORR_E_DEVICE;
        if (status != ORR_OK)
            return;
        int64_t group = std::min(processors / matrices, gesvj_blocks_for(s.small));
        group = std::max<int64_t>(group, 1);
        while (group < processors && gesvj_qr_state_bytes<T>(by(s.small, group)) > room)
            group++;
        gesvj_qr_task a = {
            all, which, (int)matrices, (int)group, (int)by(s.small, group), 0, orr_stall_record()};
        const size_t state = gesvj_qr_state_bytes<T>(a.own), column = sizeof(T) * (size_t)s.big;
        if (state > room) {
            status = ORR_E_ARG;
            return;
        }
        a.kept = (int)std::min<size_t>((size_t)a.own, (room - state) / column);
        const int64_t groups = std::min<int64_t>(matrices, processors / group);
        status = launch_resident(gesvj_qr_kernel<T>,
                                 {dim3((unsigned)(groups * group)), dim3(gesvj_threads),
                                  state + (size_t)a.kept * column},
                                 stream, a);
    }
    void start()
    {
        run(gesvj_largest_kernel<T>, gesvj_parts, 0);
        run(gesvj_load_kernel<T>, warps(), 0);
        if (all.g.precondition) {
            qr(GESVJ_FIRST);
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
        triangles(GESVJ_COPY);
        apply(GESVJ_COPY, GESVJ_LEFT);
        if (all.g.precondition) {
            triangles(GESVJ_FIRST);
            apply(GESVJ_FIRST, GESVJ_LEFT);
        }
    }
    void finish_right()
    {
        run(gesvj_gather_right_kernel<T>, all_warps(), 0);
        if (all.g.precondition) {
            run(gesvj_solve_kernel<T>, panels(), 2 * gesvj_tile_bytes<T>(), (int)GESVJ_MIDDLE);
            triangles(GESVJ_SECOND);
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
    const int64_t times = launches<T>::by(count, gesvj_members::most);
    const int64_t at_once = times > 0 ? launches<T>::by(count, times) : 0;
    orr_status status = ORR_OK;
    for (int64_t first = 0; status == ORR_OK && s.small > 0 && first < count; first += at_once) {
        launches<T> l = {stream, {}, 0, s, ORR_OK};
        l.all.g = *g;
        l.all.each = bytes_each<T>(g);
        l.all.work = (char *)work + first * l.all.each;
        for (; l.matrices < at_once && first + l.matrices < count; l.matrices++)
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
