/* simt: CUDA device code on the host, one fiber per thread, for tests.
 *
 * kernels/cuda compiled with -DORR_SIMT sees this header in place of CUDA. A launch keeps
 * several blocks resident and interleaves them in the order that simt::config names. A thread
 * runs until it waits: at a barrier, in a warp collective, or in a spin loop that calls
 * ORR_SPIN_YIELD(). What it finds wrong (divergent barrier, deadlock, spinning for ever, write
 * past shared memory, illegal launch shape) ends the launch and is returned as text.
 *
 * Races show as results that differ between orders; every store is visible at once. That nothing
 * relies on it is checked by races.cpp: see docs/simt.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SIMT_H
#define ORR_SIMT_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#ifndef SIMT_CUDA_TYPES
struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
#endif

/* Set by the scheduler whenever it resumes a thread. */
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)

namespace simt
{

enum class order {
    friendly,   /* blocks and threads ascending, round robin */
    reverse,    /* blocks and threads descending */
    random,     /* whoever the seed says, at every step */
    adversarial /* one block as far as it gets, then the next; released warps run ahead; a
                   block that spins is resumed many times before the one it waits for */
};

struct options {
    order how = order::friendly;
    unsigned seed = 1;
    unsigned resident = 4;           /* blocks resident at once */
    bool clusters = true;            /* as from compute capability 9.0 on */
    bool ascending_dispatch = false; /* start blocks in ascending order whatever `how` says */
    bool eager_copies = false;       /* copy_async copies at once; else when it is waited for */
    bool poison_guards = true;       /* under ASan report the access itself, not its trace */
    size_t max_shared = 227 * 1024;  /* per block, of sm_90 */
    size_t stack = 0;                /* bytes per thread; 0: 64 KiB, 256 KiB under ASan */
    size_t most_turns = SIZE_MAX;    /* of a loop that waits, before it gives up */
};

/* What run() does, and the first defect that any launch met since the last clear. */
extern options config;
extern std::string defect;

/* If set, orr::launch() calls it in place of run(): kernel, grid, block, dynamic shared memory, blocks of
 * a cluster. */
extern std::function<void(const void *, dim3, dim3, size_t, unsigned)> instead_of_run;

/* Told what orders the accesses of a launch's threads (races.cpp); NULL: nobody is. */
struct observer {
    virtual void launch_ends() = 0;
    virtual void block_starts(unsigned block, unsigned threads, const void *shared, size_t) = 0;
    virtual void block_ends(unsigned block, const void *shared, size_t) = 0;
    /* These threads of a block wait for each other. */
    virtual void barrier(unsigned block, const std::vector<unsigned> &threads) = 0;
    virtual void fence(bool all) = 0; /* false: for the block only */
    virtual void release(const void *) = 0;
    virtual void acquire(const void *) = 0;
    virtual void atomic(const void *, size_t) = 0;
    virtual void copy(void *dst, const void *src, size_t, bool done) = 0; /* else it begins */
    /* A thread comes to the barrier of its cluster; all of these blocks have; a thread goes on. */
    virtual void cluster_arrives() = 0;
    virtual void cluster_meets(const std::vector<unsigned> &blocks) = 0;
    virtual void cluster_goes_on() = 0;
};
extern observer *observed;
#define SIMT_UNSEEN __attribute__((no_sanitize_thread)) /* tells the observer itself */

/* Runs body() once per thread; so many blocks along x are a cluster and start together. Returns "" or
 * what was wrong. */
std::string run(dim3 grid, dim3 block, size_t shared, unsigned cluster, const options &,
                std::function<void()> body);

/* The largest cluster that this many resident blocks hold, a power of two; 16 on an H100. */
unsigned most_cluster(const options &);

/* ---- what device code calls ------------------------------------------------------------- */

void *dynamic_shared();
void *static_shared(const char *file, int line, size_t bytes);
void spin_yield(const char *file, int line);
[[noreturn]] void trap(const char *file, int line); /* the launch ends, and says where */

enum class barrier { plain, all, any, count };
int syncthreads(barrier, int predicate, const char *file, int line);
void sync_some(int id, unsigned threads, const char *file, int line); /* bar.sync id, threads */

/* The number of a block in its cluster; the barrier of all threads of a cluster, in two halves; and where
 * another block of it has the dynamic shared memory that is at p here. */
unsigned cluster_rank();
void cluster_arrive(const char *file, int line);
void cluster_wait(const char *file, int line);
const void *cluster_address(const void *p, size_t bytes, unsigned rank, const char *file, int line);

enum class warp_op { sync, shfl, up, down, bxor, ballot };
struct value {
    unsigned char bytes[16];
};
/* One warp collective of the lanes in mask; `arg` is the lane, delta or predicate. */
value collective(warp_op, unsigned mask, value mine, int arg, int width, const char *file,
                 int line);

template <class T>
T shuffle(warp_op op, unsigned mask, T x, int arg, int width, const char *file, int line)
{
    static_assert(sizeof(T) <= sizeof(value), "shuffle of at most 16 bytes");
    value v = {};
    std::memcpy(v.bytes, &x, sizeof x);
    v = collective(op, mask, v, arg, width, file, line);
    std::memcpy(&x, v.bytes, sizeof x);
    return x;
}

inline unsigned ballot(unsigned mask, int predicate, const char *file, int line)
{
    value v = collective(warp_op::ballot, mask, value{}, predicate, 32, file, line);
    unsigned bits;
    std::memcpy(&bits, v.bytes, sizeof bits);
    return bits;
}

/* cp.async: the copy happens at the wait, so code that reads too early reads poison. */
void copy_later(void *dst, const void *src, size_t bytes);
void copy_commit();
void copy_wait(int groups_left);

template <class T, class Op> SIMT_UNSEEN T atomic(T *p, Op op)
{
    if (observed)
        observed->atomic(p, sizeof *p);
    T old = *p;
    *p = op(old);
    return old;
}

} // namespace simt

#define __syncthreads()        ((void)simt::syncthreads(simt::barrier::plain, 0, __FILE__, __LINE__))
#define __syncthreads_and(p)   simt::syncthreads(simt::barrier::all, (p), __FILE__, __LINE__)
#define __syncthreads_or(p)    simt::syncthreads(simt::barrier::any, (p), __FILE__, __LINE__)
#define __syncthreads_count(p) simt::syncthreads(simt::barrier::count, (p), __FILE__, __LINE__)

#define SIMT_FULL_ 0xffffffffu
#define __syncwarp(...)                                                                            \
    ((void)simt::collective(simt::warp_op::sync, simt::mask_or_full(__VA_ARGS__), simt::value{},   \
                            0, 32, __FILE__, __LINE__))
namespace simt
{
constexpr unsigned mask_or_full(unsigned mask = SIMT_FULL_) { return mask; }
constexpr int width_or_32(int width = 32) { return width; }
} // namespace simt
#define __shfl_sync(m, x, lane, ...)                                                               \
    simt::shuffle(simt::warp_op::shfl, m, x, lane, simt::width_or_32(__VA_ARGS__), __FILE__,       \
                  __LINE__)
#define __shfl_up_sync(m, x, d, ...)                                                               \
    simt::shuffle(simt::warp_op::up, m, x, d, simt::width_or_32(__VA_ARGS__), __FILE__, __LINE__)
#define __shfl_down_sync(m, x, d, ...)                                                             \
    simt::shuffle(simt::warp_op::down, m, x, d, simt::width_or_32(__VA_ARGS__), __FILE__, __LINE__)
#define __shfl_xor_sync(m, x, l, ...)                                                              \
    simt::shuffle(simt::warp_op::bxor, m, x, l, simt::width_or_32(__VA_ARGS__), __FILE__, __LINE__)
#define __ballot_sync(m, p) simt::ballot(m, p, __FILE__, __LINE__)
#define __any_sync(m, p)    (simt::ballot(m, p, __FILE__, __LINE__) != 0)
#define __all_sync(m, p)    (simt::ballot(m, p, __FILE__, __LINE__) == (m))

template <class T> T atomicAdd(T *p, T x)
{
    return simt::atomic(p, [x](T a) { return T(a + x); });
}
template <class T> T atomicMax(T *p, T x)
{
    return simt::atomic(p, [x](T a) { return std::max(a, x); });
}
template <class T> T atomicMin(T *p, T x)
{
    return simt::atomic(p, [x](T a) { return std::min(a, x); });
}
template <class T> T atomicOr(T *p, T x)
{
    return simt::atomic(p, [x](T a) { return T(a | x); });
}
template <class T> T atomicAnd(T *p, T x)
{
    return simt::atomic(p, [x](T a) { return T(a & x); });
}
template <class T> T atomicExch(T *p, T x)
{
    return simt::atomic(p, [x](T) { return x; });
}
template <class T> T atomicCAS(T *p, T expected, T x)
{
    return simt::atomic(p, [=](T a) { return a == expected ? x : a; });
}

inline void __threadfence()
{
    if (simt::observed)
        simt::observed->fence(true);
    __asm__ volatile("" ::: "memory");
}
inline void __threadfence_block()
{
    if (simt::observed)
        simt::observed->fence(false);
    __asm__ volatile("" ::: "memory");
}
inline void __threadfence_system()
{
    if (simt::observed)
        simt::observed->fence(true);
    __asm__ volatile("" ::: "memory");
}
template <class T> T __ldg(const T *p) { return *p; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline long long __double_as_longlong(double x)
{
    long long r;
    std::memcpy(&r, &x, sizeof r);
    return r;
}

#endif
