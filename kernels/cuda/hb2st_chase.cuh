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
 * so the window of the next hop comes into shared memory while O of this one computes, and only
 * one column has to be waited for. Windows that do not fit are worked on where they are.
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

constexpr size_t hb2st_chase_room = 160 * 1024; /* shared memory that sm_80 has */
constexpr int hb2st_chase_blocks = 1024;

inline int hb2st_chase_threads(int64_t b)
{
    return b <= 8 ? 32 : b <= 16 ? 128 : b <= 32 ? 256 : 512;
}

template <class T> size_t hb2st_window_bytes(int64_t b) { return (size_t)(2 * b * b) * sizeof(T); }
template <class T> size_t hb2st_vector_bytes(int64_t b)
{
    return hop_vectors<T>::elements((int)b, hb2st_chase_threads(b) / 32) * sizeof(T);
}

/* The most windows that fit. */
template <class T> int hb2st_chase_windows(int64_t b)
{
    const size_t left = hb2st_chase_room - 1024, vectors = hb2st_vector_bytes<T>(b);
    return left < vectors ? -1
                          : (int)std::min<size_t>((left - vectors) / hb2st_window_bytes<T>(b), 2);
}

template <class T> shape hb2st_chase_launch_shape(const chase_task<T> &a)
{
    const orr_hb2st_shape &s = a.shape;
    const int64_t sweeps = orr_hb2st_least(s.G, s.sweeps - a.g * s.G);
    /* Sweeps are 3/2 hops apart: more blocks than this would only wait. */
    const int64_t columns = orr_hb2st_least(s.n, 2 * s.D), useful = columns * 2 / (3 * s.b) + 2;
    const int64_t blocks = std::min({sweeps, useful, (int64_t)hb2st_chase_blocks});
    return {dim3((unsigned)blocks), dim3((unsigned)hb2st_chase_threads(s.b)),
            hb2st_vector_bytes<T>(s.b) + (size_t)a.windows * hb2st_window_bytes<T>(s.b)};
}

/* Columns from .. to-1 of hop t's window, rows up to `end` of it, to shared memory. */
template <class T, class Team>
ORR_DEV void read_columns(Team team, const chase_task<T> &a, int64_t j, flat_view<T> to, int from,
                          int count, int end)
{
    for (int c = from + team.warp(); c < from + count; c += team.warps()) {
        const T *column = a.diagonal(j + c) - c;
        for (int i = c + team.lane(); i < end; i += 32)
            copy_async<sizeof(T)>(&to.at(to, i, c), column + i);
    }
}

/* Rows `above` .. end-1, at and below the diagonal, of all columns back to the band. */
template <class T, class Team>
ORR_DEV void write_rows(Team team, const chase_task<T> &a, int64_t j, flat_view<T> from, int count,
                        int above, int end)
{
    for (int c = team.warp(); c < count; c += team.warps()) {
        T *column = a.diagonal(j + c) - c;
        for (int i = (above > c ? above : c) + team.lane(); i < end; i += 32)
            column[i] = from.at(from, i, c);
    }
}

/* The reflector in w.v to memory, tau in place of its leading 1 or behind it. */
template <class T, class Team>
ORR_DEV void keep(Team team, const hop_vectors<T> &w, int count, T tau, T *packed)
{
    if (packed)
        for (int i = team.rank(); i < count; i += team.size())
            packed[i] = i == 0 ? tau : w.v[i];
}

/* H(s,0) from column s, where it is; ends with w.v seen by the team. */
template <class T, class Team>
ORR_DEV T first_reflector(Team team, T *column, int count, const hop_vectors<T> &w)
{
    for (int i = team.rank(); i < count; i += team.size())
        w.f[i] = column[i];
    team.sync();
    const householder<T> h = make_householder(w.f, count, true);
    for (int i = team.rank(); i < count; i += team.size()) {
        w.v[i] = entry_of_v(h, w.f, i);
        column[i] = i == 0 ? h.beta : make<T>(0);
    }
    team.sync();
    return h.tau;
}

/* Hops t0 .. t1-1 of sweep s; Staged: windows are brought to shared memory. */
template <bool Staged, class T>
ORR_DEV void chase_sweep(const chase_task<T> &a, int64_t s, int64_t t0, int64_t t1, T *shared)
{
    const block_team team;
    const int64_t n = a.shape.n, hops = orr_hb2st_hops(&a.shape, s), i = s - a.g * a.shape.G;
    const int b = (int)a.shape.b, half = 2 * (int)t0;
    int *const mine = a.words + chase_first_word + i;
    T *const carry = a.carry + i * (b + 1);
    int seen = i > 0 ? 0 : chase_done;

    hop_vectors<T> w = hop_vectors<T>::place(shared, b, team.warps());
    T *const windows = shared + hop_vectors<T>::elements(b, team.warps());
    flat_view<T> now = {windows, 2 * b - 1};
    flat_view<T> ahead = {windows + (a.windows > 1 ? 2 * b * b : 0), 2 * b - 1};

    T tau;
    await(team, a, mine - 1, half + 2, seen);
    if (t0 == 0) {
        const int count = (int)orr_hb2st_least(b, n - 1 - s);
        tau = first_reflector(team, a.diagonal(s) + 1, count, w);
        keep(team, w, count, tau, a.packed(s, 0));
    } else {
        for (int k = team.rank(); k < b && s + 1 + t0 * b + k < n; k += team.size())
            w.v[k] = carry[k];
        tau = carry[b];
    }
    for (int64_t t = t0; t < t1; t++) {
        const int64_t j = s + 1 + t * b;
        const int m = (int)orr_hb2st_least(b, n - j), rows = (int)orr_hb2st_least(b, n - j - m);
        const int end = m + rows; /* rows of the window */
        const bool last = t + 1 == hops;
        split_view<T> there = {};
        if (Staged) {
            if (t == t0 || a.windows == 1)
                read_columns(team, a, j, now, 0, m - 1, end);
        } else {
            const int64_t cut = a.m * a.shape.D - j;
            there.cut = cut > 0 ? (int)orr_hb2st_least(cut, m) : 0;
            there.ld = a.shape.ldh - 1;
            there.p0 = there.cut > 0 ? a.diagonal(j) : nullptr;
            there.p1 =
                there.cut < m ? a.diagonal(j + there.cut) - there.cut * a.shape.ldh : nullptr;
        }

        await(team, a, mine - 1, 2 * (int)t + 3, seen);
        if (Staged) {
            read_columns(team, a, j, now, m - 1, 1, last ? end : end - 1);
            copy_commit();
            copy_wait<0>();
        }
        team.sync();
        if (!is_zero(tau)) {
            if (Staged) {
                both_sides(team, now, m, tau, w);
                write_rows(team, a, j, now, m, 0, m);
            } else {
                both_sides(team, there, m, tau, w);
            }
        }
        if (last)
            break;
        publish(team, mine, 2 * (int)t + 1);

        await(team, a, mine - 1, 2 * (int)t + 4, seen);
        if (Staged) {
            if (team.rank() == 0)
                copy_async<sizeof(T)>(&now.at(now, end - 1, m - 1), a.diagonal(j + m - 1) + rows);
            copy_commit();
            if (a.windows > 1 && t + 1 < t1) {
                const int64_t left = n - j - m;
                read_columns(team, a, j + m, ahead, 0, rows - 1, (int)orr_hb2st_least(2 * b, left));
            }
            copy_commit();
            copy_wait<1>();
            team.sync();
            block_below(team, now, m, rows, m, tau, w);
            write_rows(team, a, j, now, m, m, end);
            if (a.windows > 1) {
                const flat_view<T> x = now;
                now = ahead;
                ahead = x;
            }
        } else {
            block_below(team, there, m, rows, m, tau, w);
        }
        keep(team, w, rows, tau, a.packed(s, t + 1));
        publish(team, mine, 2 * (int)t + 2);
    }
    if (t1 < hops) {
        const int64_t left = n - (s + 1 + t1 * b);
        for (int k = team.rank(); k < b && k < left; k += team.size())
            carry[k] = w.v[k];
        if (team.rank() == 0)
            carry[b] = tau;
    }
    /* What the next sweep does in this launch asks for no more than this. */
    publish(team, mine, chase_done);
}

/* Up to b = 32 a processor shall hold 3 blocks: sweeps in flight, not registers, are the limit. */
template <bool Staged, int Threads, class T>
__global__ void __launch_bounds__(Threads, Threads > 256   ? 1
                                           : sizeof(T) > 8 ? 2
                                                           : 3) hb2st_chase_kernel(chase_task<T> a)
{
    ORR_DYN_SHARED(shared);
    ORR_SHARED(int, turn, 1);
    const int64_t first = a.g * a.shape.G;
    const int64_t sweeps = orr_hb2st_least(a.shape.G, a.shape.sweeps - first);
    for (;;) {
        const int64_t s = first + chase_take(a.words, turn);
        if (s >= first + sweeps)
            return;
        const int64_t t0 = a.m > 0 ? orr_hb2st_done(&a.shape, s, a.m - 1) : 0;
        const int64_t t1 = orr_hb2st_done(&a.shape, s, a.m);
        if (t0 < t1)
            chase_sweep<Staged>(a, s, t0, t1, (T *)shared);
        else
            publish(block_team(), a.words + chase_first_word + (s - first), chase_done);
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
