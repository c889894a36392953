/* orr_hb2st_chase_cuda_numbered: a whole reduction as in hb2st_chase.cuh, but sweeps follow each other
 * without flags and fences: the data say themselves whose they are.
 *
 * The band is kept in words of 64 bits: 32 bits of data and, above them, how many sweeps have been
 * through the entry. Sweep s reads each entry of its windows when its number is s, and writes each once,
 * with number s + 1, whether it has changed it or not. So who waits for the sweep before polls the entries
 * that it wants: one journey to the L2 cache and back, where fence, flag, poll and load are more.
 *
 * A word is read and written as a whole, and all that an entry says is in its own words, so nothing
 * depends on the order in which words arrive. Nobody writes an entry before he has read what was written
 * last, which orders the writes of one entry. Both are promises of the PTX memory model.
 *
 *       columns J(s,t)
 *     +-------------+
 *     | \         # |   b rows     #   the sweep before left it in D of its hop t+1
 *     |     A     \ |              *   and this one in O
 *     +-------------+
 *     |     B     # |   b rows     0   zeros: entries that have left the windows in the first
 *     | 0 ... 0   * |                  column of one, and come back
 *     +-------------+              all the others: in hop t
 *
 * A crew computes. The other warps, receivers, bring windows to shared memory:
 *
 *     crew                 | reflector | multiply | x, y, f ; rank_two |         below         |
 *     receivers   column s |    all but # *       |    #    | *, and the last of y and f | the next
 *
 * At | all meet, at ; the crew. For b = 32 the crew is half as large as that of hb2st_chase.cuh, so that
 * more blocks fit a processor; the bits are the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HB2ST_NUMBERED_CUH
#define ORR_CUDA_HB2ST_NUMBERED_CUH

#include "kernels/cuda/hb2st_chase.cuh"

namespace orr
{

/* A scalar and its number, in each word. */
template <class T> struct alignas(sizeof(T) > 4 ? 16 : 8) numbered {
    static constexpr int words = (int)sizeof(T) / 4;
    uint64_t word[words];

    ORR_DEV numbered of(T x, unsigned number)
    {
        uint32_t part[words];
        numbered n;
        memcpy(part, &x, sizeof x);
        ORR_UNROLL
        for (int k = 0; k < words; k++)
            n.word[k] = (uint64_t)number << 32 | part[k];
        return n;
    }
    ORR_MEMBER bool has(unsigned number) const
    {
        bool all = true;
        ORR_UNROLL
        for (int k = 0; k < words; k++)
            all = all && (uint32_t)(word[k] >> 32) == number;
        return all;
    }
    ORR_MEMBER T value() const
    {
        uint32_t part[words];
        T x;
        ORR_UNROLL
        for (int k = 0; k < words; k++)
            part[k] = (uint32_t)word[k];
        memcpy(&x, part, sizeof x);
        return x;
    }
};

/* A window that is written with the number `done`. */
template <class T, int LD = 0> struct numbered_view {
    struct place {
        numbered<T> *p;
        unsigned done;
        ORR_MEMBER void operator=(T x) const { st_relaxed(p->word, numbered<T>::of(x, done).word); }
    };
    static constexpr bool every = true;
    numbered<T> *p;
    number<LD> ld;
    unsigned done;
    ORR_DEV place at(const numbered_view &a, int i, int c)
    {
        return {a.p + (i + c * a.ld), a.done};
    }
};

template <class T> struct numbered_task : chase_task<T> {
    numbered<T> *entries;

    static constexpr int stalls = ORR_STALL_HB2ST_NUMBERED;
    __device__ int64_t first_sweep() const { return 0; }
    __device__ T *packed(int64_t s, int64_t t) const
    {
        return this->v ? this->v + orr_hb2st_v_offset(&this->shape, s) + t * this->shape.b
                       : nullptr;
    }
    __host__ __device__ int64_t column() const { return 2 * this->shape.b; }
};

/* Threads of the crew, and receivers; b: 0: any. */
constexpr int hb2st_numbered_crew(int64_t b) { return b == 32 ? 128 : hb2st_chase_threads(b); }
template <class T> constexpr int hb2st_receivers(int64_t b)
{
    return b == 64 && sizeof(T) <= 8 ? 256 : 128;
}

/* The band in scratch: the ticket, then the entries. */
constexpr int64_t hb2st_numbered_lead = chase_first_word * sizeof(int);
template <class T> int64_t hb2st_numbered_bytes(const orr_hb2st_shape &s)
{
    return hb2st_numbered_lead + s.n * 2 * s.b * (int64_t)sizeof(numbered<T>);
}

template <class T> shape hb2st_numbered_launch_shape(const numbered_task<T> &a)
{
    shape s = hb2st_chase_launch_shape(a);
    s.block = dim3((unsigned)(hb2st_numbered_crew(a.shape.b) + hb2st_receivers<T>(a.shape.b)));
    return s;
}

/* All threads of a block. */
ORR_DEV void meet_all() { sync_some(WITH_RECEIVER, (int)blockDim.x); }

/* Sweep s, all of it, by a crew and Receivers threads. */
template <int B, class T, int Crew, int Receivers>
struct numbered_sweep : chase_sweep<B, T, chase_crew<Crew / 32, Receivers>> {
    typedef chase_sweep<B, T, chase_crew<Crew / 32, Receivers>> base;
    typedef numbered_view<T, B ? 2 * B - 1 : 0> band_view;
    static constexpr int known_b = B, receivers = Receivers;

    const numbered_task<T> &a;

    __device__ numbered_sweep(const numbered_task<T> &a_, int64_t s_, T *shared)
        : base(a_, s_, 0, (int)orr_hb2st_hops(&a_.shape, s_), shared), a(a_)
    {
    }
    /* Column s. */
    __device__ numbered<T> *of_s() const { return a.entries + this->s * a.column(); }
    ORR_DEV void meet(chase_barrier who)
    {
        if (who == WITH_RECEIVER)
            meet_all();
    }
    /* Nobody is told that a window may be used again where there are two of them. */
    __device__ void meet_after_hop() const
    {
        if (a.windows == 1)
            meet_all();
    }
    __device__ band_view band(int t) const
    {
        return {of_s() + (1 + t * this->b) * a.column(), 2 * this->b - 1, (unsigned)this->s + 1};
    }
    /* As in chase_sweep. */
    template <class Work> __device__ void on_window(int t, Work work) const
    {
        const int m = this->columns(t), below = this->rows(t);
        if constexpr (B > 0)
            if (m == B && below == B)
                return work(band(t), this->b, this->b);
        work(band(t), number<0>(m), number<0>(below));
    }
};

template <class Sweep> ORR_DEV void crew_numbered(const Sweep &p)
{
    typedef typename Sweep::type T;
    const typename Sweep::crew_team team;
    const auto &a = p.a;
    T *const v = p.w.v(0);
    const int count = (int)orr_least(p.b, a.shape.n - 1 - p.s);
    meet_all();
    T tau = first_reflector(team, a.diagonal(p.s) + 1, count, p.w.f(), v);
    keep(team, v, count, tau, a.packed(p.s, 0));
    if (team.rank() == 0)
        *p.w.tau() = tau;
    for (int t = 0; t < p.t1; t++) {
        meet_all();
        p.on_window(t, [&](const auto &band, auto m, auto rows) {
            tau = crew_hop<false>(p, t, p.window(t), band, m, rows, tau);
        });
        p.meet_after_hop();
    }
}

/* Waits for those of Most entries that are there until `number` sweeps have been through them, and hands
 * them to to(k, entry); from(k): where entry k is. `need` and `seen` are half-steps of the sweep before;
 * chase_done: it was waited for too long. */
template <int Most, class Sweep, class There, class From, class To>
ORR_DEV void take(const Sweep &p, unsigned number, int need, int &seen, There is_there, From from,
                  To to)
{
    typedef typename Sweep::type T;
    numbered<T> x[Most];
    ORR_UNROLL
    for (int k = 0; k < Most; k++)
        x[k] = numbered<T>::of(make<T>(0), is_there(k) ? number + 1 : number);
    stop_watch watch;
    for (bool all = false; !all;) {
        ORR_UNROLL
        for (int k = 0; k < Most; k++)
            if (!x[k].has(number))
                ld_relaxed(from(k)->word, x[k].word);
        all = true;
        ORR_UNROLL
        for (int k = 0; k < Most; k++)
            all = all && x[k].has(number);
        if (!all)
            ORR_SPIN_YIELD();
        if (!all && seen < chase_done && watch.over()) {
            give_up(p.a, p.a.first_word() + (p.s - 1), need, seen);
            seen = chase_done;
        }
        all = all || seen == chase_done;
    }
    seen = need > seen ? need : seen;
    ORR_UNROLL
    for (int k = 0; k < Most; k++)
        if (is_there(k))
            to(k, x[k].value());
}
template <class Sweep, class T, class To>
ORR_DEV void take_one(const Sweep &p, unsigned number, int need, int &seen, const numbered<T> *from,
                      To to)
{
    take<1>(
        p, number, need, seen, [](int) { return true; }, [&](int) { return from; },
        [&](int, T x) { to(x); });
}

/* The window of hop t but for its last column, by all receivers: some columns at a time of each warp. A new
 * last row is zero. */
template <class Sweep> ORR_DEV void take_window(const Sweep &p, int t, int warp, int &seen)
{
    typedef typename Sweep::type T;
    constexpr int warps = Sweep::receivers / 32, most = sizeof(T) > 8 ? 4 : 8, b = Sweep::known_b;
    constexpr int pieces = b ? 2 * b / 32 : 1, columns = b ? most / pieces : 1;
    const auto band = p.band(t);
    const auto window = p.window(t);
    const int m = p.columns(t), rows = p.rows(t), end = m + (rows == p.b ? rows - 1 : rows);
    for (int c0 = warp; c0 < m - 1; c0 += columns * warps)
        for (int d0 = warp_team::lane(); d0 < 2 * p.b; d0 += 32 * pieces) {
            const numbered<T> *const from = band.p + (c0 * (band.ld + 1) + d0);
            T *const to = &window.at(window, c0 + d0, c0);
            const auto column = [&](int k) { return k / pieces * warps; };
            const auto row = [&](int k) { return k % pieces * 32; };
            take<columns * pieces>(
                p, (unsigned)p.s, 2 * t + 2, seen,
                [&](int k) { return c0 + column(k) < m - 1 && c0 + column(k) + d0 + row(k) < end; },
                [&](int k) { return from + (column(k) * (band.ld + 1) + row(k)); },
                [&](int k, T x) { to[column(k) * (window.ld + 1) + row(k)] = x; });
        }
    if (rows == p.b && warp == warps - 1)
        for (int c = warp_team::lane(); c < m - 1; c += 32)
            window.at(window, end, c) = make<T>(0);
}

/* The last column of hop t's window but for its last entry, by warp 0. A new last row is of no interest, but
 * what was written there last has to be there before this sweep writes; warp 1 waits for that: column c
 * was the second one of a window for the last time in sweep s - b + c - 1, if there was one, which left its
 * number. In the first column nobody was there. */
template <class Sweep> ORR_DEV void take_edges(const Sweep &p, int t, int warp, int &seen)
{
    typedef typename Sweep::type T;
    const auto band = p.band(t);
    const auto window = p.window(t);
    const int m = p.columns(t), rows = p.rows(t), last = m + rows - 1, s = (int)p.s;
    const int count = warp > 0 ? (rows == p.b ? m - 1 : 0) : rows > 0 ? rows : 1;
    for (int k = warp_team::lane(); k < count; k += 32) {
        const int i = warp > 0 ? last : m - 1 + k, c = warp > 0 ? k : m - 1;
        const int left = c > 0 && s - p.b + c > 0 ? s - p.b + c : 0;
        take_one(p, (unsigned)(warp > 0 ? left : s), 2 * t + 3, seen, band.p + (i + c * band.ld),
                 [&](T x) {
                     if (warp == 0)
                         window.at(window, i, c) = x;
                 });
    }
}

/* That entry, and what the crew wants with it, by a thread. */
template <class Sweep> ORR_DEV void take_corner(const Sweep &p, int t, int &seen)
{
    typedef typename Sweep::type T;
    const auto band = p.band(t);
    const auto window = p.window(t);
    const int c = p.columns(t) - 1, last = c + p.rows(t);
    const T y = is_zero(*p.w.tau()) ? make<T>(0) : sum_of_parts(p.w, last);
    take_one(p, (unsigned)p.s, 2 * t + 4, seen, band.p + (last + c * band.ld), [&](T corner) {
        window.at(window, last, c) = corner;
        end_last_row(p, t, y, corner, window.at(window, last, 0));
    });
}

/* Column s to where its diagonal and the reflector will be, by a warp. */
template <class Sweep> ORR_DEV void take_first(const Sweep &p, int &seen)
{
    typedef typename Sweep::type T;
    T *const column = p.a.diagonal(p.s);
    const int count = (int)orr_least(p.b, p.a.shape.n - 1 - p.s);
    for (int i = warp_team::lane(); i <= count; i += 32)
        take_one(p, (unsigned)p.s, 2, seen, p.of_s() + i, [&](T x) { column[i] = x; });
}

template <class Sweep> ORR_DEV void receive_numbered(const Sweep &p)
{
    const int warp = ((int)threadIdx.x - (int)blockDim.x + Sweep::receivers) / 32;
    int seen = 0;
    if (warp == 0)
        take_first(p, seen);
    meet_all();
    for (int t = 0; t < p.t1; t++) {
        const int m = p.columns(t);
        take_window(p, t, warp, seen);
        meet_all();
        if (warp < 2)
            take_edges(p, t, warp, seen);
        else if (warp == 2 && t > 0)
            keep(warp_team(), p.w.v(t), m, *p.w.tau(), p.a.packed(p.s, t));
        meet_all();
        if (p.rows(t) > 0) {
            if (warp == 0 && warp_team::lane() == 0)
                take_corner(p, t, seen);
            meet_all();
        }
        p.meet_after_hop();
    }
}

template <int Crew, int Receivers, int B, class T>
__global__ void __launch_bounds__(B ? Crew + Receivers : 512 + Receivers, B != 32         ? 1
                                                                          : sizeof(T) > 8 ? 2
                                                                                          : 4)
    hb2st_numbered_kernel(numbered_task<T> a)
{
    ORR_DYN_SHARED(shared);
    ORR_SHARED(int, turn, 1);
    for (;;) {
        const int64_t s = chase_take(a.words, turn);
        if (s >= a.shape.sweeps)
            return;
        const numbered_sweep<B, T, Crew, Receivers> sweep(a, s, (T *)shared);
        if (threadIdx.x < blockDim.x - Receivers)
            crew_numbered(sweep);
        else
            receive_numbered(sweep);
    }
}

/* Before: nobody has been at the entries. */
template <class T> __global__ void hb2st_number_kernel(numbered_task<T> a)
{
    const orr_hb2st_shape &s = a.shape;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *a.ticket() = 0;
    for (int64_t j = blockIdx.x; j < s.n; j += gridDim.x)
        for (int64_t k = threadIdx.x; k < a.column(); k += blockDim.x)
            a.entries[j * a.column() + k] =
                numbered<T>::of(k <= s.b && j + k < s.n ? a.diagonal(j)[k] : make<T>(0), 0);
}
template <class T> shape hb2st_number_shape(const numbered_task<T> &a)
{
    return {dim3((unsigned)orr_least(a.shape.n, 4096)), dim3(128), 0};
}

/* After: the last columns, of which nothing is left but d and e. */
template <class T> __global__ void hb2st_unnumber_kernel(numbered_task<T> a)
{
    const int64_t j = a.shape.sweeps + threadIdx.x / 2, k = threadIdx.x % 2;
    if (j + k < a.shape.n)
        a.diagonal(j)[k] = a.entries[j * a.column() + k].value();
}

} // namespace orr

#endif
