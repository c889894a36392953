/* What bulge chasing on a device shares (hb2st_chase.cuh, gb2bd_chase.cuh): teams of threads,
 * arithmetic of scalars, and the words through which sweeps follow each other.
 *
 * Thread blocks take sweeps by ticket, so the first unfinished sweep is always held by a block
 * that runs: nobody waits for ever, whether or not all blocks are resident and whatever else
 * the device does. Sweep i says how many half-steps it has done; the next one waits for that. Who has
 * waited for 2 seconds all the same ends the kernel, and says who it is.
 *
 *   writer   stores; barrier; thread 0: release               (publish)
 *   reader   thread 0: acquire until it is enough; barrier; loads      (await)
 *
 * The words are in memory that the caller lends; the launcher clears them on the stream, before
 * the kernel, so that nothing of an earlier launch, finished or failed, is left in them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_CHASE_CUH
#define ORR_CUDA_CHASE_CUH

#include "kernels/cuda/scalar.cuh"
#include "kernels/stall.h"

namespace orr
{

/* A number that the compiler knows; number<0> is told when the kernel runs. Loops over lanes are
 * unrolled `unroll` times: unknown ones have few steps, and registers are scarce. */
template <int N> struct number {
    static constexpr int unroll = N;
    __host__ __device__ constexpr number(int) {}
    __host__ __device__ constexpr operator int() const { return N; }
};
template <> struct number<0> {
    static constexpr int unroll = 1;
    int n;
    __host__ __device__ constexpr number(int n_) : n(n_) {}
    __host__ __device__ constexpr operator int() const { return n; }
};

/* ---- Teams --------------------------------------------------------------------------------
 * Remainders are of unsigned numbers: then the compiler knows that a lane is not negative, and that
 * a loop over 32 rows is none. */

/* Warps = 0: however many there are. */
template <int Warps = 0> struct block_team {
    ORR_DEV int rank() { return (int)(threadIdx.x % (Warps ? 32u * Warps : 1024u)); }
    ORR_DEV int size() { return Warps ? 32 * Warps : (int)blockDim.x; }
    ORR_DEV int lane() { return (int)(threadIdx.x % 32u); }
    ORR_DEV int warp() { return rank() / 32; }
    ORR_DEV int warps() { return size() / 32; }
    ORR_DEV void sync() { __syncthreads(); }
};

struct warp_team {
    ORR_DEV int rank() { return (int)(threadIdx.x % 32u); }
    ORR_DEV int size() { return 32; }
    ORR_DEV int lane() { return (int)(threadIdx.x % 32u); }
    ORR_DEV int warp() { return 0; }
    ORR_DEV int warps() { return 1; }
    ORR_DEV void sync() { __syncwarp(); }
};

/* Sums over a warp; every lane gets the same bits. */
ORR_DEV float warp_sum(float x)
{
    ORR_UNROLL
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}
ORR_DEV double warp_sum(double x)
{
    ORR_UNROLL
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}
template <class R> ORR_DEV complex<R> warp_sum(complex<R> x)
{
    return {warp_sum(x.re), warp_sum(x.im)};
}
/* What the lane has whose number differs in these bits. */
ORR_DEV float from_lane_xor(float x, int d) { return __shfl_xor_sync(0xffffffffu, x, d); }
ORR_DEV double from_lane_xor(double x, int d) { return __shfl_xor_sync(0xffffffffu, x, d); }
template <class R> ORR_DEV complex<R> from_lane_xor(complex<R> x, int d)
{
    return {from_lane_xor(x.re, d), from_lane_xor(x.im, d)};
}
template <class R> ORR_DEV R warp_max(R x)
{
    ORR_UNROLL
    for (int d = 16; d > 0; d /= 2) {
        const R y = __shfl_xor_sync(0xffffffffu, x, d);
        x = y > x ? y : x;
    }
    return x;
}

/* ---- Scalars ------------------------------------------------------------------------------ */

template <class T> ORR_DEV T plus(T a, T b)
{
    return make<T>(real(a) + real(b), imag(a) + imag(b));
}
template <class T> ORR_DEV T minus(T a, T b)
{
    return make<T>(real(a) - real(b), imag(a) - imag(b));
}
template <class T> ORR_DEV T times(T a, T b) { return mad(a, b, make<T>(0)); }
template <class T> ORR_DEV T negative(T a) { return make<T>(-real(a), -imag(a)); }
template <class T> ORR_DEV bool is_zero(T a) { return real(a) == 0 && imag(a) == 0; }
/* |a|^2 + c */
template <class T> ORR_DEV real_of<T> mad_square(T a, real_of<T> c)
{
    c = std::fma(real(a), real(a), c);
    return scalar<T>::is_complex ? std::fma(imag(a), imag(a), c) : c;
}

/* ---- Tickets and progress ------------------------------------------------------------------ */

constexpr int chase_done = 0x7fffffff, chase_stalled = 0x40000000; /* a word; a ticket */

/* Words: the ticket, then one per sweep; in lines of their own. */
constexpr int chase_first_word = 32;
inline int64_t chase_words(int64_t sweeps) { return chase_first_word + sweeps; }

template <class Word> __global__ void chase_clear_kernel(Word *words, int64_t count)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * blockDim.x)
        words[i] = 0;
}
inline shape chase_clear_shape(int64_t count)
{
    return {dim3((unsigned)(count < 64 * 256 ? (count + 255) / 256 : 64)), dim3(256), 0};
}

/* Waited too long: the first one says so, and nobody gets a ticket any more, which ends the kernel
 * (chase_take). Task is what the kernel was started with: `told` is the record of kernels/stall.h or
 * NULL, `stalls` the kernel's number there; word `flag` is first_sweep() + (flag - first_word()) /
 * words_apart(). To trap or to divide here would cost the loops around it registers. */
template <class Task>
__device__ __forceinline__ void give_up(const Task &a, const int *flag, int need, int seen)
{
    if (a.told && atomicCAS(&a.told->taken, 0, 1) == 0) {
        a.told->block = (int)blockIdx.x;
        a.told->need = need;
        a.told->seen = seen;
        a.told->offset = flag - a.first_word();
        a.told->apart = a.words_apart();
        a.told->first = a.first_sweep();
        a.told->kernel = Task::stalls;
        __threadfence_system();
    }
    atomicMax(a.ticket(), chase_stalled);
}

/* Returns when *flag >= need, or with seen = chase_done when that took too long; `seen` is what
 * thread 0 saw last. Everybody must call it. */
template <class Team, class Task>
ORR_DEV void await(Team team, const Task &a, const int *flag, int need, int &seen)
{
    if (team.rank() == 0) {
        stop_watch watch;
        while (seen < need) {
            seen = ld_acquire(flag);
            if (seen < need)
                ORR_SPIN_YIELD();
            if (seen < need && watch.over()) {
                give_up(a, flag, need, seen);
                seen = chase_done;
            }
        }
    }
    team.sync();
}

/* A release orders what the thread has seen as well, so what the team wrote before the barrier; a
 * fence in front of it would make everybody behind wait for memory twice. */
template <class Team> ORR_DEV void publish(Team team, int *flag, int value)
{
    team.sync();
    if (team.rank() == 0)
        st_release(flag, value);
}

/* The next sweep of a thread block. */
ORR_DEV int chase_take(int *words, int *shared_word)
{
    __syncthreads(); /* the word has been read by all since the last time */
    if (threadIdx.x == 0)
        *shared_word = atomicAdd(words, 1);
    __syncthreads();
    if (*shared_word >= chase_stalled)
        ORR_TRAP();
    return *shared_word;
}

} // namespace orr

#endif
