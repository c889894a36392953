/* orr_hb2st_chase_cuda: task T(g,m) of hb2st in one launch, from a group of a few sweeps to the
 * whole reduction (kernels/hb2st_chase.h).
 *
 * A thread block takes a sweep by ticket and runs its hops. Hop t has half-steps 2t (D) and
 * 2t+1 (O); half-step h of a sweep follows half-step h+2 of the sweep before, and nothing else.
 * What the window of hop t, columns J(s,t), needs of the sweep before arrives in three parts:
 *
 *     half-steps done                      columns of J(s,t)
 *                                        first .. last but one      last
 *     2t+2  (before O of hop t-1)     all of them, read ahead
 *     2t+3  (before D of hop t)                                 all but the last entry
 *     2t+4  (before O of hop t)                                 the last entry
 *
 * so the window of the next hop comes into shared memory while O of this one computes, and the
 * product A v is formed before D is waited for. Windows that do not fit are worked on where they are.
 *
 * A flag that a sweep sets is seen by the next one a microsecond later, and half of that is to make
 * sure that what was written before is there; it would be most of a half-step. So two warps of a
 * block do nothing else, and the rest, the crew, does not wait for memory:
 *
 *     crew        multiply | x, y, f ; rank_two > | read ahead; below >      (A v | D > | O >)
 *     receiver    the last column | its last entry, and the last of y and f |
 *     sender                                    > 2t+1                > 2t+2; keeps the reflector
 *
 * At | the crew meets the receiver, at > the sender, at ; itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HB2ST_CHASE_CUH
#define ORR_CUDA_HB2ST_CHASE_CUH

#include <algorithm>

#include "kernels/cuda/hb2st_hop.cuh"
#include "kernels/hb2st_chase.h"

namespace orr
{

template <class T> struct chase_task {
    orr_hb2st_shape shape;
    int64_t g, m;
    T *h0, *h1; /* A(j,j) of the first column of either block */
    T *carry, *v;
    int *words;
    int windows; /* in shared memory: 0, 1 or 2 */
    orr_stall *told;

    static constexpr int stalls = ORR_STALL_HB2ST_CHASE;
    __device__ int *ticket() const { return words; }
    __device__ const int *first_word() const { return words + chase_first_word; }
    __device__ int64_t words_apart() const { return 1; }
    __device__ int64_t first_sweep() const { return g * shape.G; }
    __device__ T *diagonal(int64_t j) const
    {
        const int64_t c = j - m * shape.D;
        return c < 0 ? h0 + (c + shape.D) * shape.ldh : h1 + c * shape.ldh;
    }
    /* Where the reflector of hop t is kept; NULL: nowhere. */
    __device__ T *packed(int64_t s, int64_t t) const
    {
        return v ? v + orr_hb2st_v_offset(&shape, s) - orr_hb2st_v_offset(&shape, g * shape.G) +
                       t * shape.b
                 : nullptr;
    }
};

constexpr size_t hb2st_chase_room =
    159 * 1024; /* of shared memory is used, where there is as much */
constexpr int hb2st_chase_blocks = 1024;
constexpr int hb2st_chase_helpers = 64; /* threads: the receiver and the sender */

/* Threads of the crew. */
constexpr int hb2st_chase_threads(int64_t b)
{
    return b <= 8 ? 32 : b <= 16 ? 128 : b <= 32 ? 256 : 512;
}

template <class T> size_t hb2st_window_bytes(int64_t b) { return (size_t)(2 * b * b) * sizeof(T); }
template <class T> size_t hb2st_vector_bytes(int64_t b)
{
    return hop_vectors<T>::elements((int)b, hb2st_chase_threads(b) / 32) * sizeof(T);
}

/* The most windows that fit in the shared memory of a block; -1: not even the vectors. */
template <class T> int hb2st_chase_windows(int64_t b, size_t room)
{
    const size_t left = std::min(room, hb2st_chase_room), vectors = hb2st_vector_bytes<T>(b);
    return left < vectors ? -1
                          : (int)std::min<size_t>((left - vectors) / hb2st_window_bytes<T>(b), 2);
}

template <class T> shape hb2st_chase_launch_shape(const chase_task<T> &a)
{
    const orr_hb2st_shape &s = a.shape;
    const int64_t sweeps = orr_least(s.G, s.sweeps - a.g * s.G);
    /* Sweeps are 3/2 hops apart: more blocks than this would only wait. */
    const int64_t columns = orr_least(s.n, 2 * s.D), useful = columns * 2 / (3 * s.b) + 2;
    const int64_t blocks = std::min({sweeps, useful, (int64_t)hb2st_chase_blocks});
    return {dim3((unsigned)blocks),
            dim3((unsigned)(hb2st_chase_threads(s.b) + hb2st_chase_helpers)),
            hb2st_vector_bytes<T>(s.b) + (size_t)a.windows * hb2st_window_bytes<T>(s.b)};
}

/* The reflector v to memory, tau in place of its leading 1. */
template <class T, class Team> ORR_DEV void keep(Team team, const T *v, int count, T tau, T *packed)
{
    if (packed)
        for (int i = team.rank(); i < count; i += team.size())
            packed[i] = i == 0 ? tau : v[i];
}

/* H(s,0) from column s, where it is, to v; f is for this. Ends with v seen by the team. */
template <class T, class Team>
ORR_DEV T first_reflector(Team team, T *column, int count, T *f, T *v)
{
    for (int i = team.rank(); i < count; i += team.size())
        f[i] = column[i];
    team.sync();
    const householder<T> h = make_householder(team, f, count, true);
    for (int i = team.rank(); i < count; i += team.size()) {
        v[i] = entry_of_v(h, f, i);
        column[i] = i == 0 ? h.beta : make<T>(0);
    }
    team.sync();
    return h.tau;
}

/* ---- A block's threads ------------------------------------------------------------------ */

enum chase_barrier { WITHIN_CREW = 1, WITH_RECEIVER, WITH_SENDER };

/* All warps but the last ones, the helpers; Warps = 0: however many these are. */
template <int Warps, int Helpers = hb2st_chase_helpers> struct chase_crew {
    ORR_DEV int warps() { return Warps ? Warps : ((int)blockDim.x - Helpers) / 32; }
    ORR_DEV int size() { return 32 * warps(); }
    ORR_DEV int rank() { return (int)(threadIdx.x % (Warps ? 32u * Warps : 1024u)); }
    ORR_DEV int lane() { return (int)(threadIdx.x % 32u); }
    ORR_DEV int warp() { return rank() / 32; }
    ORR_DEV void sync() { sync_some(WITHIN_CREW, size()); }
};

/* Between the crew and one of the two other warps. */
ORR_DEV void meet(chase_barrier who) { sync_some(who, (int)blockDim.x - 32); }

/* ---- A sweep ---------------------------------------------------------------------------- */

/* Warps of the crew, 0 for any b. Its sums are in parts for so many, also where a crew is smaller. */
constexpr int hb2st_warps(int b) { return b ? hb2st_chase_threads(b) / 32 : 0; }

/* Hops t0 .. t1-1 of sweep s; B: the bandwidth, 0: any. */
template <int B, class T, class Crew = chase_crew<hb2st_warps(B)>> struct chase_sweep {
    typedef T type;
    static constexpr int warps = hb2st_warps(B);
    typedef Crew crew_team;
    typedef flat_view<T, B ? 2 * B - 1 : 0> staged_view;

    const chase_task<T> &a;
    int64_t s;
    int t0, t1;
    int size;  /* columns behind column s */
    int first; /* column s+1 as one of block m; or one of the block before, less D */
    number<B> b;
    hop_vectors<T, B, warps> w;
    T *windows;

    __device__ chase_sweep(const chase_task<T> &a_, int64_t s_, int t0_, int t1_, T *shared)
        : a(a_), s(s_), t0(t0_), t1(t1_), size((int)(a_.shape.n - 1 - s_)),
          first((int)(s_ + 1 - a_.m * a_.shape.D)), b((int)a_.shape.b),
          w(shared, b, warps_of_sums()), windows(shared + w.elements(b, warps_of_sums()))
    {
    }
    ORR_DEV int warps_of_sums() { return warps ? warps : crew_team::warps(); }
    ORR_DEV void meet(chase_barrier who) { orr::meet(who); }
    __device__ int *word() const { return a.words + chase_first_word + (s - a.first_sweep()); }
    __device__ T *carry() const { return a.carry + (s - a.first_sweep()) * (b + 1); }
    /* Columns of hop t, 0 or less: there is none; and rows below its diagonal block. */
    __device__ int columns(int t) const { return size - t * b < b ? size - t * b : (int)b; }
    __device__ int rows(int t) const { return columns(t) < b ? 0 : columns(t + 1); }
    __device__ split_view<T> band(int t) const
    {
        const int64_t ldh = a.shape.ldh;
        const int j = first + t * b, cut = j < 0 ? -j : 0;
        T *const p = a.h1 + j * ldh;
        return {cut > 0 ? a.h0 + (j + a.shape.D) * ldh : p, p, (int)ldh - 1, cut};
    }
    __device__ staged_view window(int t) const
    {
        return {windows + (a.windows > 1 && t % 2 ? 2 * b * b : 0), 2 * b - 1};
    }
    /* The window of hop t is not read before hop t-1 is done. */
    __device__ bool begins_alone(int t) const { return t == t0 || a.windows == 1; }

    /* work(the window in the band, its columns, the rows below its diagonal block): for a window that
     * is not cut off, and lies in one block, with numbers known to the compiler. */
    template <class Work> __device__ void on_window(int t, Work work) const
    {
        const split_view<T> there = band(t);
        const int m = columns(t), below = rows(t);
        if constexpr (B > 0) {
            const int ld = (int)orr_hb2st_ldh(sizeof(T), B) - 1;
            if (m == B && below == B && (there.cut == 0 || there.cut >= B))
                return work(flat_view<T>{there.cut ? there.p0 : there.p1, ld}, b, b);
        }
        work(there, number<0>(m), number<0>(below));
    }
};

/* The columns of hop t's window that are read ahead: all but the last one. */
template <class Sweep> ORR_DEV void read_ahead(const Sweep &p, int t)
{
    const typename Sweep::crew_team team;
    const auto to = p.window(t);
    p.on_window(t, [&](const auto &from, auto m, auto rows) {
        for (int k = 0; k * team.warps() < m; k++) {
            const int c = team.warp() + k * team.warps();
            ORR_UNROLL_BY(decltype(m)::unroll)
            for (int i = c / 32 * 32 + team.lane(); c < m - 1 && i < m + rows; i += 32)
                if (i >= c)
                    copy_async<sizeof(from.at(from, i, c))>(&to.at(to, i, c), &from.at(from, i, c));
        }
    });
    copy_commit();
}

/* Hop t by the crew; returns the next tau. Ahead: reads the next window meanwhile. */
template <bool Ahead, class Sweep, class View, class Band, class T, class M, class Rows>
ORR_DEV T crew_hop(const Sweep &p, int t, const View &a, const Band &band, M m, Rows rows, T tau)
{
    const typename Sweep::crew_team team;
    const T *const v = p.w.v(t);
    T *const x = p.w.xy(), *const f = p.w.f();
    const bool is_identity = is_zero(tau);
    if (!is_identity)
        multiply(team, a, number<0>(0), m + rows, m, v, p.w);
    Sweep::meet(WITH_RECEIVER);
    for (int i = team.rank(); i < m + (rows > 0 ? rows - 1 : 0); i += team.size()) {
        const T sum = is_identity ? make<T>(0) : row_product(a, i, m, v, p.w);
        x[i] = i < m ? times(tau, sum) : sum;
        if (i >= m)
            f[i - m] = mad(negative(sum), tau, View::at(a, i, 0));
    }
    team.sync();
    if (Band::every || !is_identity)
        rank_two(team, a, band, m, tau, v, x);
    Sweep::meet(WITH_SENDER);
    if (rows == 0)
        return tau;

    Sweep::meet(WITH_RECEIVER);
    if constexpr (Ahead)
        if (t + 1 < p.t1 && !p.begins_alone(t + 1))
            read_ahead(p, t + 1);
    tau = below(team, a, band, m, rows, tau, v, x + m, f, p.w.v(t + 1)).tau;
    if (team.rank() == 0)
        *p.w.tau() = tau;
    copy_wait<0>();
    Sweep::meet(WITH_SENDER);
    return tau;
}

template <bool Staged, class Sweep> ORR_DEV void crew_sweep(const Sweep &p)
{
    typedef typename Sweep::type T;
    const typename Sweep::crew_team team;
    const auto &a = p.a;
    T *const v = p.w.v(p.t0);
    T tau;
    meet(WITH_RECEIVER);
    if (p.t0 == 0) {
        const int count = (int)orr_least(p.b, a.shape.n - 1 - p.s);
        tau = first_reflector(team, a.diagonal(p.s) + 1, count, p.w.f(), v);
        keep(team, v, count, tau, a.packed(p.s, 0));
    } else {
        for (int k = team.rank(); k < p.columns(p.t0); k += team.size())
            v[k] = p.carry()[k];
        tau = p.carry()[p.b];
    }
    if (team.rank() == 0)
        *p.w.tau() = tau;
    for (int t = p.t0; t < p.t1; t++) {
        if (p.begins_alone(t)) {
            if (Staged)
                read_ahead(p, t);
            copy_wait<0>();
            meet(WITH_RECEIVER);
        }
        p.on_window(t, [&](const auto &band, auto m, auto rows) {
            if constexpr (Staged)
                tau = crew_hop<Staged>(p, t, p.window(t), band, m, rows, tau);
            else
                tau = crew_hop<Staged>(p, t, band, band, m, rows, tau);
        });
    }
    const int left = p.columns(p.t1); /* 0 or less: this was the last hop */
    for (int k = team.rank(); k < left; k += team.size())
        p.carry()[k] = p.w.v(p.t1)[k];
    if (team.rank() == 0 && left > 0)
        p.carry()[p.b] = tau;
    meet(WITH_SENDER);
}

/* The last row's product, y before its last entry is known, and entry of f. */
template <class Sweep, class T>
ORR_DEV void end_last_row(const Sweep &p, int t, T y, T corner, T first)
{
    const int m = p.columns(t), rows = p.rows(t);
    const T tau = *p.w.tau();
    if (!is_zero(tau))
        y = mad(corner, p.w.v(t)[m - 1], y);
    p.w.xy()[m + rows - 1] = y;
    p.w.f()[rows - 1] = mad(negative(y), tau, first);
}

/* Waits for the sweep before, and brings what this one needs of it last. */
template <bool Staged, class Sweep> ORR_DEV void receive_sweep(const Sweep &p)
{
    typedef typename Sweep::type T;
    const warp_team team;
    const int *const before = p.word() - 1;
    int seen = p.s > p.a.first_sweep() ? 0 : chase_done;
    await(team, p.a, before, 2 * p.t0 + 2, seen);
    meet(WITH_RECEIVER);
    for (int t = p.t0; t < p.t1; t++) {
        const split_view<T> band = p.band(t);
        const auto window = p.window(t);
        const int m = p.columns(t), rows = p.rows(t), last = m + rows - 1;
        if (p.begins_alone(t))
            meet(WITH_RECEIVER);
        await(team, p.a, before, 2 * t + 3, seen);
        if (Staged) {
            for (int i = m - 1 + team.lane(); i < (rows > 0 ? last : m); i += 32)
                copy_async<sizeof(T)>(&window.at(window, i, m - 1), &band.at(band, i, m - 1));
            copy_commit();
            copy_wait<0>();
        }
        meet(WITH_RECEIVER);
        if (rows == 0)
            break;
        const T y = is_zero(*p.w.tau()) ? make<T>(0) : sum_of_parts(p.w, last);
        await(team, p.a, before, 2 * t + 4, seen);
        if (team.lane() == 0) {
            const T corner = band.at(band, last, m - 1);
            const T first = Staged ? window.at(window, last, 0) : band.at(band, last, 0);
            if (Staged)
                window.at(window, last, m - 1) = corner;
            end_last_row(p, t, y, corner, first);
        }
        meet(WITH_RECEIVER);
    }
}

/* Tells the next sweep how far this one is. */
template <class Sweep> ORR_DEV void send_sweep(const Sweep &p)
{
    const warp_team team;
    for (int t = p.t0; t < p.t1; t++) {
        const int rows = p.rows(t);
        meet(WITH_SENDER);
        publish(team, p.word(), 2 * t + 1);
        if (rows == 0)
            break;
        meet(WITH_SENDER);
        publish(team, p.word(), 2 * t + 2);
        keep(team, p.w.v(t + 1), rows, *p.w.tau(), p.a.packed(p.s, t + 1));
    }
    meet(WITH_SENDER);
    /* What the next sweep does in this launch asks for no more than this. */
    publish(team, p.word(), chase_done);
}

/* Crew: the most threads of it. Up to b = 32 a processor shall hold 3 blocks: sweeps in flight, not
 * registers, are the limit. */
template <bool Staged, int Crew, int B, class T>
__global__ void __launch_bounds__(Crew + hb2st_chase_helpers, Crew > 256      ? 1
                                                              : sizeof(T) > 8 ? 2
                                                                              : 3)
    hb2st_chase_kernel(chase_task<T> a)
{
    ORR_DYN_SHARED(shared);
    ORR_SHARED(int, turn, 1);
    const int64_t first = a.g * a.shape.G;
    const int64_t sweeps = orr_least(a.shape.G, a.shape.sweeps - first);
    const int warps_behind = (int)(blockDim.x - 1 - threadIdx.x) / 32;
    for (;;) {
        const int64_t s = first + chase_take(a.words, turn);
        if (s >= first + sweeps)
            return;
        const int t0 = a.m > 0 ? (int)orr_hb2st_done(&a.shape, s, a.m - 1) : 0;
        const int t1 = (int)orr_hb2st_done(&a.shape, s, a.m);
        const chase_sweep<B, T> sweep(a, s, t0, t1, (T *)shared);
        if (t0 >= t1)
            publish(block_team<>(), sweep.word(), chase_done);
        else if (warps_behind > 1)
            crew_sweep<Staged>(sweep);
        else if (warps_behind == 1)
            receive_sweep<Staged>(sweep);
        else
            send_sweep(sweep);
    }
}

/* b = 1, complex: sweep s is H = 1 - tau of length 1 on row s+1, which makes a(s+1,s) real and
 * multiplies a(s+2,s+1). A product of n phases, by one thread. */
template <class T> __global__ void hb2st_phases_kernel(chase_task<T> a)
{
    typedef real_of<T> R;
    T *const e = a.h1 + 1;
    T before = make<T>(1);
    for (int64_t s = 0; s < a.shape.sweeps; s++) {
        const T x = s == 0 ? e[0] : times(e[s * a.shape.ldh], before);
        T phase = make<T>(1);
        R size = 0;
        if (!is_zero(x))
            size = modulus(x, phase);
        e[s * a.shape.ldh] = make<T>(size);
        before = phase;
        if (a.v)
            a.v[s] = minus(make<T>(1), phase);
    }
}

} // namespace orr

#endif
