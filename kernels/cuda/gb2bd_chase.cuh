/* orr_gb2bd_chase_cuda: a group of sweeps of gb2bd in one launch (kernels/gb2bd.h), up to all
 * sweeps of a stage.
 *
 * A thread block takes a sweep by ticket (chase.cuh). Step t has two half-steps:
 *
 *     2t     columns J(t) of the window's rows times H(v_t); u_t from the first column of rows
 *            J(t); H(u_t) times the columns of rows J(t) before J(t+1)
 *     2t+1   H(u_t) times columns J(t+1); v_{t+1} from the first of these rows, the others
 *            times H(v_{t+1})
 *
 * and half-step h of a sweep follows half-step h+2 of the sweep before. Only the last row of a
 * window is touched by those two, and of that row half-step 2t+3 of the sweep before touches
 * at most the last entry; so the rows before are read ahead while the step before computes.
 * Windows are brought to shared memory (real and imaginary parts together); those that do not
 * fit are worked on where they are.
 *
 * The words through which sweeps follow each other are in the head of the carries. Reflectors
 * that are kept are written in the half-step that makes them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_GB2BD_CHASE_CUH
#define ORR_CUDA_GB2BD_CHASE_CUH

#include <algorithm>

#include "kernels/cuda/gb2bd_rows.cuh"

namespace orr
{

constexpr int gb2bd_head = 16, gb2bd_word = 8; /* reals before v in a carry; where the word is */
constexpr size_t gb2bd_room = 159 * 1024; /* of shared memory is used, where there is as much */
constexpr int gb2bd_blocks = 1024;

constexpr __host__ __device__ int gb2bd_threads(int64_t b)
{
    return b <= 8 ? 32 : b <= 16 ? 64 : b <= 32 ? 128 : 256;
}

template <class T> struct gb2bd_task : gb2bd_rows<T> {
    typedef real_of<T> R;
    using gb2bd_rows<T>::g;
    R *carry;
    int64_t each; /* reals of a carry */
    int lanes;    /* v in a carry begins at 16 + (its first column modulo this) */
    int windows;  /* in shared memory: 0, 1 or 2 */
    orr_stall *told;

    static constexpr int stalls = ORR_STALL_GB2BD_CHASE;
    __device__ const int *first_word() const { return word(0); }
    __device__ int64_t words_apart() const { return each * (int64_t)(sizeof(R) / sizeof(int)); }
    __device__ int64_t first_sweep() const { return g.sweep; }

    __device__ R *carry_of(int64_t i) const { return carry + i * each; }
    __device__ int *word(int64_t i) const { return (int *)(carry_of(i) + gb2bd_word); }
    __device__ int *ticket() const { return word(0) + 1; }
    /* Steps of sweep s with s+tb <= limit. */
    __device__ int64_t steps(int64_t s, int64_t limit) const
    {
        return limit < s ? 0 : (limit - s) / g.b + 1;
    }
};

/* The rows and columns of step t >= 1 of sweep s. */
struct gb2bd_window {
    int64_t i0, j0, j1, k0, k1; /* rows i0..j1; J(t) = j0..j1; J(t+1) = k0..k1, if any */
    bool full;                  /* not cut off at the end: row j1 is the last one */

    __device__ gb2bd_window(const orr_gb2bd_args &g, int64_t s, int64_t t)
    {
        const int64_t end = g.band.n - 1;
        j0 = s + t * g.b - g.tw;
        i0 = j0 + g.tw - g.b + 1;
        j1 = j0 + g.tw < end ? j0 + g.tw : end;
        k0 = j0 + g.b;
        k1 = k0 + g.tw < end ? k0 + g.tw : end;
        full = j0 + g.tw <= end;
    }
};

/* Its sizes, some known to the compiler. Rows and columns of a window count from row i0 and column
 * j0: row `above` is row j0, and J(t+1) begins with column b. */
template <int B, int Above, int M> struct gb2bd_sizes {
    number<B> b;
    number<Above> above;
    number<M> m, next; /* columns of J(t) and of J(t+1), if not 0 or less */
};
/* work(the sizes); those of a window that is not cut off are all known where B is. */
template <int B, int Tw, class Work>
ORR_DEV void on_sizes(const gb2bd_window &p, const orr_gb2bd_args &g, Work work)
{
    const int b = (int)g.b, tw = (int)g.tw;
    const int m = (int)(p.j1 - p.j0) + 1, next = (int)(p.k1 - p.k0) + 1;
    if constexpr (B > 0) {
        if (m == Tw + 1 && next == Tw + 1)
            return work(gb2bd_sizes<B, B - Tw - 1, Tw + 1>{B, B - Tw - 1, Tw + 1, Tw + 1});
    }
    work(gb2bd_sizes<0, 0, 0>{b, b - tw - 1, m, next});
}

/* ---- A window in shared memory and one in the band ------------------------------------- */

/* Rows before J(t) have columns J(t) only. */
template <class T, int B = 0, int Tw = 0> struct staged_view {
    T *upper, *lower;
    number<B ? B - Tw - 1 : 0> above;
    number<B ? (Tw + 1) | 1 : 0> ld_upper;
    number<B ? (B + Tw + 1) | 1 : 0> ld_lower;

    static __host__ __device__ size_t elements(int64_t b, int64_t tw)
    {
        return (size_t)((b - tw - 1) * ((tw + 1) | 1) + (tw + 1) * ((b + tw + 1) | 1));
    }
    __device__ staged_view(T *memory, int b, int tw)
        : upper(memory), above(b - tw - 1), ld_upper((tw + 1) | 1), ld_lower((b + tw + 1) | 1)
    {
        lower = memory + above * ld_upper;
    }
    __device__ T *at(int i, int j) const
    {
        return i < above ? upper + i * ld_upper + j : lower + (i - above) * ld_lower + j;
    }
    __device__ T get(int i, int j) const { return *at(i, j); }
    __device__ void put(int i, int j, T x) const { *at(i, j) = x; }
};
template <class T> struct band_view {
    const gb2bd_task<T> &a;
    int64_t i0, j0;
    __device__ T get(int i, int j) const { return a.get(i0 + i, j0 + j); }
    __device__ void put(int i, int j, T x) const { a.put(i0 + i, j0 + j, x); }
};

/* ---- Arithmetic ---------------------------------------------------------------------- */

/* Rows from .. to-1, columns j .. j+m-1: a -= tau (a v') v. A warp takes some rows together. */
template <class Team, class View, class M, class T>
ORR_DEV void from_the_right(Team team, const View &a, int from, int to, int j, M m, const T *v,
                            real_of<T> tau)
{
    constexpr int batch = 4;
    const int warps = team.warps();
    for (int first = from + team.warp(); first < to; first += batch * warps) {
        T dot[batch];
        ORR_UNROLL
        for (int k = 0; k < batch; k++) {
            const int i = first + k * warps;
            dot[k] = make<T>(0);
            ORR_UNROLL_BY(M::unroll)
            for (int c = team.lane(); i < to && c < m; c += 32)
                dot[k] = mad_conj(v[c], a.get(i, j + c), dot[k]);
        }
        ORR_UNROLL
        for (int k = 0; k < batch; k++)
            dot[k] = warp_sum(dot[k]);
        ORR_UNROLL
        for (int k = 0; k < batch; k++) {
            const int i = first + k * warps;
            const T x = make<T>(-tau * real(dot[k]), -tau * imag(dot[k]));
            ORR_UNROLL_BY(M::unroll)
            for (int c = team.lane(); i < to && c < m; c += 32)
                a.put(i, j + c, mad(x, v[c], a.get(i, j + c)));
        }
    }
}

/* Columns from .. to-1 of rows i .. i+m-1: column -= tau u (u' column). A warp takes 8 columns, of
 * which each lane has a quarter of the rows. */
template <class Team, class View, class M, class T>
ORR_DEV void from_the_left(Team team, const View &a, int from, int to, int i, M m,
                           const gb2bd_reflector<T> &h, const T *f)
{
    constexpr int columns = 8;
    const int rows = (m + 3) / 4, first = team.lane() / columns * rows;
    for (int j0 = from + columns * team.warp(); j0 < to; j0 += columns * team.warps()) {
        const int j = j0 + team.lane() % columns;
        T sum = make<T>(0);
        if (j < to)
            for (int k = 0; k < rows; k++)
                if (first + k < m)
                    sum = mad_conj(entry_of_v(h, f, first + k), a.get(i + first + k, j), sum);
        ORR_UNROLL
        for (int d = columns; d < 32; d *= 2)
            sum = plus(sum, from_lane_xor(sum, d));
        sum = make<T>(-h.tau * real(sum), -h.tau * imag(sum));
        if (j < to)
            for (int k = 0; k < rows; k++)
                if (first + k < m)
                    a.put(i + first + k, j,
                          mad(entry_of_v(h, f, first + k), sum, a.get(i + first + k, j)));
    }
}

template <class T> struct gb2bd_vectors {
    T *v, *next, *column, *row; /* tw+1 entries each */
};

/* Half-step 2t; returns u_t, of which w.column is the rest. `behind` columns end before J(t+1). */
template <class Team, class View, class Sizes, class T>
ORR_DEV gb2bd_reflector<T> first_half(Team team, const View &a, const Sizes &z, int behind,
                                      real_of<T> tau, const gb2bd_vectors<T> &w)
{
    const auto m = z.m;
    if (tau != 0)
        from_the_right(team, a, 0, z.above + m, 0, m, w.v, tau);
    team.sync();
    for (int k = team.rank(); k < m; k += team.size())
        w.column[k] = a.get(z.above + k, 0);
    team.sync();
    const gb2bd_reflector<T> h = make_gb2bd_reflector(w.column, m);
    for (int k = team.rank(); k < m; k += team.size())
        a.put(z.above + k, 0, k == 0 ? h.beta : make<T>(0));
    if (h.tau != 0)
        from_the_left(team, a, 1, behind, z.above, m, h, w.column);
    team.sync();
    return h;
}

/* Half-step 2t+1. v and next are exchanged, tau becomes that of v_{t+1}. */
template <class Team, class View, class Sizes, class T>
ORR_DEV void second_half(Team team, const View &a, const Sizes &z, const gb2bd_reflector<T> &u,
                         real_of<T> &tau, gb2bd_vectors<T> &w)
{
    const auto count = z.next;
    if (count <= 0)
        return;
    if (u.tau != 0)
        from_the_left(team, a, z.b, z.b + count, z.above, z.m, u, w.column);
    team.sync();
    if (count < 2)
        return;
    for (int k = team.rank(); k < count; k += team.size())
        w.row[k] = a.get(z.above, z.b + k);
    team.sync();
    const gb2bd_reflector<T> h = make_gb2bd_reflector(w.row, count);
    for (int k = team.rank(); k < count; k += team.size()) {
        a.put(z.above, z.b + k, k == 0 ? h.beta : make<T>(0));
        w.next[k] = entry_of_v(h, w.row, k);
    }
    team.sync();
    tau = h.tau;
    T *const v = w.v;
    w.v = w.next;
    w.next = v;
    if (tau != 0)
        from_the_right(team, a, z.above + 1, z.above + z.m, z.b, count, w.v, tau);
    team.sync();
}

/* ---- Windows to and from shared memory ----------------------------------------------- */

/* Columns from .. to-1 of row i. */
template <class T, class View>
ORR_DEV void copy_row(const gb2bd_task<T> &a, const View &w, const gb2bd_window &p, int i, int from,
                      int to, int lane)
{
    typedef real_of<T> R;
    const R *row = a.row(p.i0 + i) + p.j0;
    for (int j = from + lane; j < to; j += 32) {
        R *const at = (R *)w.at(i, j);
        copy_async<sizeof(R)>(at, row + j);
        if (scalar<T>::is_complex)
            copy_async<sizeof(R)>(at + 1, row + a.g.band.plane + j);
    }
}

/* Rows from .. to-1 of a window, all columns. */
template <class Team, class T, class View, class Sizes>
ORR_DEV void copy_rows(Team team, const gb2bd_task<T> &a, const View &w, const gb2bd_window &p,
                       const Sizes &z, int from, int to, bool but_corner)
{
    const int wide = z.b + z.next > z.m ? z.b + z.next : (int)z.m;
    for (int i = from + team.warp(); i < to; i += team.warps())
        copy_row(a, w, p, i, 0,
                 i < z.above                 ? (int)z.m
                 : but_corner && i == to - 1 ? wide - 1
                                             : wide,
                 team.lane());
}

/* Rows from .. to-1, columns j .. end-1, back to the band. */
template <class Team, class T, class View>
ORR_DEV void write_back(Team team, const gb2bd_task<T> &a, const View &w, const gb2bd_window &p,
                        int from, int to, int j, int end)
{
    for (int i = from + team.warp(); i < to; i += team.warps())
        for (int c = j + team.lane(); c < end; c += 32)
            a.put(p.i0 + i, p.j0 + c, w.get(i, c));
}

/* ---- Sweeps -------------------------------------------------------------------------- */

/* The rest of a carry must be zero around v: CPUs read whole vectors. */
template <class Team, class T>
ORR_DEV void store_carry(Team team, const gb2bd_task<T> &a, real_of<T> *carry, int64_t j0,
                         const T *v, int count, real_of<T> tau)
{
    const int64_t planes = scalar<T>::is_complex ? 2 : 1, plane = (a.each - gb2bd_head) / planes;
    const int64_t shift = j0 % a.lanes;
    for (int64_t k = team.rank(); k < plane; k += team.size()) {
        const bool inside = k >= shift && k < shift + count;
        const T x = inside ? v[k - shift] : make<T>(0);
        carry[gb2bd_head + k] = real(x);
        if (scalar<T>::is_complex)
            carry[gb2bd_head + plane + k] = imag(x);
    }
    if (team.rank() == 0)
        carry[0] = tau;
}

/* A J(t) of one column has no reflector: tau = 0, written before the places of others. */
template <class T> ORR_DEV void keep_none(const gb2bd_task<T> &a, int64_t s)
{
    const int64_t at = orr_gb2bd_kept(&a.g, s, a.g.band.n - 1);
    if (threadIdx.x == 0 && a.g.u)
        ((T *)a.g.u)[at] = make<T>(0);
    if (threadIdx.x == 0 && a.g.v)
        ((T *)a.g.v)[at] = make<T>(0);
}

/* u_t is made of a column, v_t of a row, whose adjoint is kept. */
template <class Team, class T>
ORR_DEV void keep_u(Team team, const gb2bd_task<T> &a, int64_t s, const gb2bd_window &p,
                    const gb2bd_reflector<T> &h, const T *f)
{
    if (!a.g.u)
        return;
    T *const to = (T *)a.g.u + orr_gb2bd_kept(&a.g, s, p.j0);
    for (int k = team.rank(); k <= p.j1 - p.j0; k += team.size())
        to[k] = k == 0 ? make<T>(h.tau) : entry_of_v(h, f, k);
}
template <class Team, class T>
ORR_DEV void keep_v(Team team, const gb2bd_task<T> &a, int64_t s, int64_t k0, int64_t k1,
                    const T *v, real_of<T> tau)
{
    if (!a.g.v || k1 <= k0)
        return;
    T *const to = (T *)a.g.v + orr_gb2bd_kept(&a.g, s, k0);
    for (int k = team.rank(); k <= k1 - k0; k += team.size())
        to[k] = k == 0 ? make<T>(tau) : conj(v[k]);
}

/* B, Tw: the widths of this stage, 0: any. */
template <bool Staged, int B, int Tw, class T>
ORR_DEV void gb2bd_sweep(const gb2bd_task<T> &a, int64_t i, int64_t t0, int64_t t1, bool more,
                         T *shared)
{
    typedef real_of<T> R;
    const block_team<B ? gb2bd_threads(B) / 32 : 0> team;
    const orr_gb2bd_args &g = a.g;
    const int64_t s = g.sweep + i;
    const number<B> b((int)g.b);
    const int tw = B ? Tw : (int)g.tw, room = tw + 1;
    const bool corner = tw == b - 1; /* the sweep before comes to the last entry last */
    int *const mine = a.word(i);
    const int *const before = i > 0 ? a.word(i - 1) : nullptr;
    int seen = i > 0 ? 0 : chase_done;
    R *const carry = a.carry_of(i);
    gb2bd_vectors<T> w = {shared, shared + room, shared + 2 * room, shared + 3 * room};
    T *const windows = shared + 4 * room;
    typedef staged_view<T, B, Tw> view;
    const int size = (int)view::elements(b, tw);
    const auto window = [&](int64_t t) {
        return view(windows + (a.windows > 1 && t % 2 ? size : 0), b, tw);
    };

    R tau;
    if (t0 == 0) {
        const int64_t end = g.band.n - 1, k0 = s + b - tw;
        const int count = (int)((k0 + tw < end ? k0 + tw : end) - k0 + 1);
        keep_none(a, s);
        await(team, a, before, 4, seen);
        for (int k = team.rank(); k < count; k += team.size())
            w.row[k] = a.get(s, k0 + k);
        team.sync();
        const gb2bd_reflector<T> h = make_gb2bd_reflector(w.row, count);
        for (int k = team.rank(); k < count; k += team.size()) {
            a.put(s, k0 + k, k == 0 ? h.beta : make<T>(0));
            w.v[k] = entry_of_v(h, w.row, k);
        }
        tau = h.tau;
        publish(team, mine, 2);
        keep_v(team, a, s, k0, k0 + count - 1, w.v, tau);
        t0 = 1;
    } else {
        const gb2bd_window p(g, s, t0);
        const int64_t planes = scalar<T>::is_complex ? 2 : 1;
        const R *v = carry + gb2bd_head + p.j0 % a.lanes;
        for (int64_t k = team.rank(); k <= p.j1 - p.j0; k += team.size())
            w.v[k] = make<T>(v[k], v[k + (a.each - gb2bd_head) / planes * (planes - 1)]);
        tau = carry[0];
        await(team, a, before, 2 * (int)t0 + 2, seen);
    }
    for (int64_t t = t0; t < t1; t++) {
        const gb2bd_window p(g, s, t);
        const view now = window(t);
        on_sizes<B, Tw>(p, g, [&](auto z) {
            const int rows = z.above + z.m, ready = p.full ? rows - 1 : rows; /* read ahead */
            const int behind = z.next < 0 ? z.b + z.next : (int)z.b;
            const bool last_entry = corner && p.full && z.b + z.next > z.m;
            if (Staged && (t == t0 || a.windows == 1))
                copy_rows(team, a, now, p, z, 0, ready, false);
            await(team, a, before, 2 * (int)t + 3, seen);
            gb2bd_reflector<T> u;
            const band_view<T> band = {a, p.i0, p.j0};
            if (Staged) {
                copy_rows(team, a, now, p, z, ready, rows, last_entry);
                copy_commit();
                copy_wait<0>();
                team.sync();
                u = first_half(team, now, z, behind, tau, w);
                write_back(team, a, now, p, 0, z.above, 0, z.m);
                write_back(team, a, now, p, z.above, rows, 0, behind > z.m ? behind : (int)z.m);
            } else {
                u = first_half(team, band, z, behind, tau, w);
            }
            publish(team, mine, 2 * (int)t + 1);
            keep_u(team, a, s, p, u, w.column);

            await(team, a, before, 2 * (int)t + 4, seen);
            if (Staged) {
                if (last_entry && team.warp() == 0)
                    copy_row(a, now, p, rows - 1, z.b + z.next - 1, z.b + z.next, team.lane());
                copy_commit();
                if (a.windows > 1 && t + 1 < t1) {
                    const gb2bd_window q(g, s, t + 1);
                    on_sizes<B, Tw>(q, g, [&](auto y) {
                        copy_rows(team, a, window(t + 1), q, y, 0, y.above + y.m - (q.full ? 1 : 0),
                                  false);
                    });
                }
                copy_commit();
                copy_wait<1>();
                team.sync();
                second_half(team, now, z, u, tau, w);
                write_back(team, a, now, p, z.above, rows, z.b, z.b + z.next);
            } else {
                second_half(team, band, z, u, tau, w);
            }
        });
        publish(team, mine, 2 * (int)t + 2);
        keep_v(team, a, s, p.k0, p.k1, w.v, tau);
    }
    if (more) {
        const gb2bd_window p(g, s, t1);
        store_carry(team, a, carry, p.j0, w.v, (int)(p.j1 - p.j0 + 1), tau);
    }
    publish(team, mine, chase_done);
}

/* Blocks that a processor shall hold: what is unrolled takes registers, of complex numbers more. */
template <int Threads, int B, class T>
constexpr int gb2bd_resident = (sizeof(T) > 8 || (B > 0 && scalar<T>::is_complex) ? 2 : 3) *
                               (256 / Threads);

/* Threads: the most. */
template <bool Staged, int Threads, int B, int Tw, class T>
__global__ void __launch_bounds__(Threads, gb2bd_resident<Threads, B, T>)
    gb2bd_chase_kernel(gb2bd_task<T> a)
{
    ORR_DYN_SHARED(shared);
    ORR_SHARED(int, turn, 1);
    const orr_gb2bd_args &g = a.g;
    for (;;) {
        const int64_t i = chase_take(a.ticket(), turn), s = g.sweep + i, lead = i * (g.b - 1);
        if (i >= g.sweeps)
            return;
        const int64_t all = a.steps(s, g.band.n - 2 + g.tw), stop = a.steps(s, g.to - lead);
        const int64_t t0 = a.steps(s, g.from - lead), t1 = stop < all ? stop : all;
        if (t0 < t1)
            gb2bd_sweep<Staged, B, Tw>(a, i, t0, t1, t1 < all, (T *)shared);
        else
            publish(block_team<>(), a.word(i), chase_done);
    }
}

template <class T> __global__ void gb2bd_clear_kernel(gb2bd_task<T> a)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < a.g.sweeps;
         i += (int64_t)gridDim.x * blockDim.x) {
        a.word(i)[0] = 0;
        a.word(i)[1] = 0;
    }
}

/* The most windows that fit in the shared memory of a block; -1: not even the vectors. */
template <class T> int gb2bd_windows(int64_t b, int64_t tw, size_t room)
{
    const size_t vectors = (size_t)(4 * (tw + 1)) * sizeof(T), left = std::min(room, gb2bd_room);
    const size_t window = staged_view<T>::elements(b, tw) * sizeof(T);
    return left < vectors ? -1 : (int)std::min<size_t>((left - vectors) / window, 2);
}

template <class T> shape gb2bd_launch_shape(const gb2bd_task<T> &a)
{
    const int64_t rows = std::min(a.g.band.n, a.g.count * (a.bottom ? 2 : 1));
    const int64_t useful = rows * 2 / (3 * a.g.b) + 2; /* sweeps are 3/2 steps apart */
    const size_t elements =
        (size_t)(4 * (a.g.tw + 1)) + (size_t)a.windows * staged_view<T>::elements(a.g.b, a.g.tw);
    return {dim3((unsigned)std::min({a.g.sweeps, useful, (int64_t)gb2bd_blocks})),
            dim3((unsigned)gb2bd_threads(a.g.b)), elements * sizeof(T)};
}

} // namespace orr

#endif
