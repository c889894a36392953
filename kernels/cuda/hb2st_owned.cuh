/* orr_hb2st_owned_cuda: task T(g,m) of hb2st by thread blocks that own columns.
 *
 * In hb2st_chase.cuh a block stays with its sweep, and the band moves through it; two sweeps
 * that follow each other closely are in two blocks, which meet in the L2 cache at every
 * half-step. Here a block keeps C columns in shared memory and the sweeps move:
 *
 *              block k-1             block k               block k+1
 *     columns  ...........|bbbbbbb|  interior   |bbbbbbb|  ...........
 *                          head of k             tail of k, head of k+1
 *
 * A block runs the hops that end in its columns, a warp per sweep, the next sweep for whoever is
 * free, and its warps follow each other through words in shared memory: the zig-zag of the
 * first sweeps, which is the critical path, stays inside. Hops reach up to b columns into the
 * block before, so the b columns before a boundary belong to two blocks. They live in the
 * band, in global memory: a half-step that needs some of their entries reads them first and
 * writes them back. Between blocks pass besides: the pending reflector, through the carry, and
 *
 *     word of sweep s    2t      the hops before t are done, hop t is to be run by the next block
 *                        2t+1, 2t+2   the next block has done D and O of its first hop t
 *
 * All blocks must be resident at once: the launch asks for that, or is refused.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HB2ST_OWNED_CUH
#define ORR_CUDA_HB2ST_OWNED_CUH

#include "kernels/cuda/hb2st_chase.cuh"

namespace orr
{

constexpr int owned_ring = 32; /* more than warps */
/* As many as have registers enough. */
template <class T> constexpr int owned_most_warps = sizeof(T) > 8 ? 12 : 16;

template <class T> struct owned_task {
    chase_task<T> task;
    int64_t base, columns, C; /* columns base .. base+columns-1, C to a block */
    int blocks, warps;
    orr_stall *told;

    static constexpr int stalls = ORR_STALL_HB2ST_OWNED;
    __device__ int *ticket() const { return task.words; } /* nobody else's */
    __device__ const int *first_word() const { return task.first_word(); }
    __device__ int64_t words_apart() const { return 1; }
    __device__ int64_t first_sweep() const { return task.first_sweep(); }
};

template <class T> size_t owned_bytes(int64_t b, int64_t C, int warps)
{
    return owned_ring * sizeof(long long) + 64 +
           ((size_t)((C + b) * 2 * b) + (size_t)warps * hop_vectors<T>::elements((int)b, 1)) *
               sizeof(T);
}

/* For at most `most_blocks` blocks of `room` bytes; blocks = 0: it does not fit. */
template <class T>
owned_task<T> owned_plan(const chase_task<T> &a, int64_t most_blocks, size_t room)
{
    const orr_hb2st_shape &s = a.shape;
    owned_task<T> o = {a, 0, 0, 0, 0, 0, a.told};
    o.base = a.m > 0 ? (a.m - 1) * s.D : 0;
    o.columns = orr_hb2st_least((a.m + 1) * s.D, s.n) - o.base;
    const int64_t share = (o.columns + most_blocks - 1) / most_blocks;
    o.C = share > 2 * s.b ? share : 2 * s.b;
    o.warps = (int)orr_hb2st_least(2 * o.C / (3 * s.b) + 2, owned_most_warps<T>);
    o.blocks = (int)((o.columns + o.C - 1) / o.C);
    if (owned_bytes<T>(s.b, o.C, o.warps) > room)
        o.blocks = 0;
    return o;
}

/* One warp's view of its block. */
template <class T> struct owner {
    const owned_task<T> &o;
    T *columns; /* the diagonal entry of column `from`, 2b entries to a column */
    volatile long long *ring;
    hop_vectors<T> w;
    int k;

    ORR_DEV int *word(const owner &me, int64_t i) { return me.o.task.words + chase_first_word + i; }
    __device__ int64_t from() const { return o.base + k * o.C - o.task.shape.b; }
    __device__ bool is_border(int64_t j) const
    {
        const int64_t c = j - (o.base + k * o.C);
        return (c < 0 && k > 0) || (c >= o.C - o.task.shape.b && k + 1 < o.blocks);
    }
    __device__ T *inside(int64_t j) const { return columns + (j - from()) * 2 * o.task.shape.b; }
    /* The hops of sweep s, which are t0 .. t1-1 in this launch, that block q ends with. */
    __device__ int64_t end_of(int64_t s, int64_t q, int64_t t0, int64_t t1) const
    {
        if (q < 0)
            return t0;
        const int64_t bound = o.base + (q + 1) * o.C - 1 - s;
        const int64_t t = bound < 0 ? 0 : bound / o.task.shape.b;
        return q + 1 == o.blocks || t > t1 ? t1 : t < t0 ? t0 : t;
    }
};

/* (D) and (O) on a window in place; v and tau of hop t become those of hop t+1. */
template <class View, class T>
ORR_DEV void both_sides(const View &a, int m, int64_t t, T tau, const hop_vectors<T> &w)
{
    const warp_team team;
    const T *const v = w.v(t);
    multiply(team, a, 0, m, number<0>(m), v, w);
    team.sync();
    for (int i = team.rank(); i < m; i += team.size())
        w.xy()[i] = times(tau, row_product(a, i, m, v, w));
    team.sync();
    rank_two(team, a, a, number<0>(m), tau, v, w.xy());
    team.sync();
}
template <class View, class T>
ORR_DEV T block_below(const View &a, int m, int rows, int64_t t, T tau, const hop_vectors<T> &w)
{
    const warp_team team;
    const T *const v = w.v(t);
    const bool is_identity = is_zero(tau);
    if (!is_identity)
        multiply(team, a, m, m + rows, number<0>(m), v, w);
    team.sync();
    for (int i = team.rank(); i < rows; i += team.size()) {
        const T y = is_identity ? make<T>(0) : row_product(a, m + i, m, v, w);
        w.xy()[m + i] = y;
        w.f()[i] = mad(negative(y), tau, View::at(a, m + i, 0));
    }
    team.sync();
    const T next =
        below(team, a, a, number<0>(m), number<0>(rows), tau, v, w.xy() + m, w.f(), w.v(t + 1)).tau;
    team.sync();
    return next;
}

/* Entries of the border columns of a window, rows `above` .. end-1 at and below the diagonal:
 * from the band (Read) or to it. */
template <bool Read, class T>
ORR_DEV void exchange(const owner<T> &me, int64_t j, int count, int above, int end)
{
    const warp_team team;
    if (Read)
        team.sync();
    for (int c = 0; c < count; c++) {
        if (!me.is_border(j + c))
            continue;
        T *outside = me.o.task.diagonal(j + c) - c, *here = me.inside(j + c) - c;
        for (int i = (above > c ? above : c) + team.lane(); i < end; i += 32)
            if (Read)
                here[i] = outside[i];
            else
                outside[i] = here[i];
    }
    team.sync();
}

/* Progress inside the block: sweep i in the upper half, so that the words can be used again. */
template <class T> ORR_DEV void tell(const owner<T> &me, int64_t i, int done)
{
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        __threadfence_block();
        me.ring[i % owned_ring] = (long long)i << 32 | done;
    }
}
template <class T> ORR_DEV void listen(const owner<T> &me, int64_t i, int need)
{
    if (threadIdx.x % 32 == 0) {
        stop_watch watch;
        long long seen;
        while ((seen = me.ring[i % owned_ring]) < ((long long)i << 32 | need)) {
            ORR_SPIN_YIELD();
            if (watch.over()) {
                give_up(me.o, me.o.first_word() + i, need, seen >> 32 == i ? (int)seen : 0);
                break;
            }
        }
        __threadfence_block();
    }
    __syncwarp();
}

/* The hops of the sweep before: in this launch starts .. stops-1, of which this block has those
 * before `ends`. */
struct predecessor {
    int64_t starts, stops, ends;
};

/* Waits until half-step h of sweep i, here, may begin. */
template <class T>
ORR_DEV void follow(const owner<T> &me, int64_t i, int h, const predecessor &p, int &seen)
{
    const int64_t hop = (h + 2) / 2;
    if (p.starts == p.stops || hop < p.starts)
        return;
    if (hop < p.ends || p.ends == p.stops)
        listen(me, i - 1, h + 3);
    else
        await(warp_team(), me.o, owner<T>::word(me, i - 1), h + 3, seen);
}

template <class T> ORR_DEV void owned_sweep(owner<T> &me, int64_t i)
{
    const warp_team team;
    const chase_task<T> &a = me.o.task;
    const int64_t s = a.g * a.shape.G + i, n = a.shape.n, hops = orr_hb2st_hops(&a.shape, s);
    const int64_t t0 = a.m > 0 ? orr_hb2st_done(&a.shape, s, a.m - 1) : 0;
    const int64_t t1 = orr_hb2st_done(&a.shape, s, a.m);
    const int64_t begin = me.end_of(s, me.k - 1, t0, t1), end = me.end_of(s, me.k, t0, t1);
    const int b = (int)a.shape.b;
    if (begin >= end) /* nobody here waits for it; and words are used again only in turn */
        return;
    predecessor before = {0, 0, 0};
    if (i > 0) {
        before.starts = a.m > 0 ? orr_hb2st_done(&a.shape, s - 1, a.m - 1) : 0;
        before.stops = orr_hb2st_done(&a.shape, s - 1, a.m);
        before.ends = me.end_of(s - 1, me.k, before.starts, before.stops);
    }
    int *const word = owner<T>::word(me, i);
    T *const carry = a.carry + i * (b + 1);
    int seen = 0, arrived = 0;
    T tau;
    if (begin > t0)
        await(team, me.o, word, 2 * (int)begin, arrived);
    if (begin == 0) {
        const int count = (int)orr_hb2st_least(b, n - 1 - s);
        follow(me, i, -1, before, seen);
        exchange<true>(me, s, 1, 1, count + 1);
        tau = first_reflector(team, me.inside(s) + 1, count, me.w.f(), me.w.v(0));
        exchange<false>(me, s, 1, 1, count + 1);
        keep(team, me.w.v(0), count, tau, a.packed(s, 0));
    } else {
        for (int c = team.lane(); c < b && s + 1 + begin * b + c < n; c += 32)
            me.w.v(begin)[c] = carry[c];
        tau = carry[b];
        team.sync();
    }
    tell(me, i, 2 * (int)begin);
    for (int64_t t = begin; t < end; t++) {
        const int64_t j = s + 1 + t * b;
        const int m = (int)orr_hb2st_least(b, n - j), rows = (int)orr_hb2st_least(b, n - j - m);
        const flat_view<T> here = {me.inside(j), 2 * b - 1};
        const bool tell_before = t == begin && me.k > 0; /* the block before waits for this hop */

        follow(me, i, 2 * (int)t, before, seen);
        if (!is_zero(tau)) {
            exchange<true>(me, j, m, 0, m);
            both_sides(here, m, t, tau, me.w);
            exchange<false>(me, j, m, 0, m);
        }
        if (t + 1 == hops)
            break;
        tell(me, i, 2 * (int)t + 1);
        if (tell_before)
            publish(team, word, 2 * (int)t + 1);

        follow(me, i, 2 * (int)t + 1, before, seen);
        exchange<true>(me, j, m, m, m + rows);
        tau = block_below(here, m, rows, t, tau, me.w);
        exchange<false>(me, j, m, m, m + rows);
        keep(team, me.w.v(t + 1), rows, tau, a.packed(s, t + 1));
        tell(me, i, 2 * (int)t + 2);
        if (tell_before && t + 1 < end) /* else it would call the next block: after the carry */
            publish(team, word, 2 * (int)t + 2);
    }
    if (end < hops) {
        const int64_t left = n - (s + 1 + end * b);
        for (int c = team.lane(); c < b && c < left; c += 32)
            carry[c] = me.w.v(end)[c];
        if (team.lane() == 0)
            carry[b] = tau;
    }
    publish(team, word, end == t1 ? chase_done : 2 * (int)end);
    if (end == t1)
        tell(me, i, chase_done);
}

template <class T>
__global__ void __launch_bounds__(owned_most_warps<T> * 32) hb2st_owned_kernel(owned_task<T> o)
{
    ORR_DYN_SHARED(shared);
    ORR_SHARED(int, turn, 1);
    const orr_hb2st_shape &shape = o.task.shape;
    const int b = (int)shape.b, warp = (int)threadIdx.x / 32;
    T *const vectors = (T *)(shared + owned_ring * sizeof(long long));
    const size_t each = hop_vectors<T>::elements(b, 1);
    owner<T> me = {o, vectors + (size_t)o.warps * each, (volatile long long *)shared,
                   hop_vectors<T>(vectors + (size_t)warp * each, b, 1), (int)blockIdx.x};

    /* The interior comes in; borders come when they are needed. */
    const int64_t first = o.base + me.k * o.C;
    const int64_t last = orr_hb2st_least(first + o.C, o.base + o.columns);
    for (int64_t j = first + warp; j < last; j += o.warps)
        if (!me.is_border(j))
            for (int i = (int)threadIdx.x % 32; i < 2 * b; i += 32)
                me.inside(j)[i] = o.task.diagonal(j)[i];
    for (int i = (int)threadIdx.x; i < owned_ring; i += (int)blockDim.x)
        me.ring[i] = -1;
    if (threadIdx.x == 0)
        *turn = 0;
    __syncthreads();

    const int64_t sweeps = orr_hb2st_least(shape.G, shape.sweeps - o.task.g * shape.G);
    for (;;) {
        int i = 0;
        if (threadIdx.x % 32 == 0)
            i = atomicAdd(turn, 1);
        i = __shfl_sync(0xffffffffu, i, 0);
        if (i >= sweeps)
            break;
        owned_sweep(me, i);
    }
    __syncthreads();
    if (ld_acquire(o.ticket()) >= chase_stalled)
        ORR_TRAP();
    for (int64_t j = first + warp; j < last; j += o.warps)
        if (!me.is_border(j))
            for (int i = (int)threadIdx.x % 32; i < 2 * b; i += 32)
                o.task.diagonal(j)[i] = me.inside(j)[i];
}

} // namespace orr

#endif
