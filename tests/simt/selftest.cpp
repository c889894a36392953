/* Does the emulator catch what it says it catches? Kernels with one planted defect each, and
 * their repaired twins, which must pass in every order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cmath>
#include <string>
#include <vector>

#include "device.h"
#include "kernels/cuda/cluster.cuh"

using namespace orr;

/* ---- races: the output depends on the order ---------------------------------------------- */

template <bool Bug> __global__ void neighbour(float *out)
{
    ORR_SHARED(float, x, 64);
    const unsigned t = threadIdx.x;
    x[t] = (float)t;
    if (!Bug)
        __syncthreads();
    out[blockIdx.x * 64 + t] = x[(t + 1) % 64];
}

template <bool Bug> __global__ void warp_neighbour(float *out)
{
    ORR_SHARED(float, x, 64);
    const unsigned t = threadIdx.x;
    x[t] = (float)t;
    __syncthreads();
    const float mine = x[t ^ 1];
    if (!Bug)
        __syncwarp();
    x[t] = mine * 2;
    __syncthreads();
    out[blockIdx.x * 64 + t] = x[t];
}

template <bool Bug> __global__ void asynchronous(const float *in, float *out)
{
    ORR_SHARED(float, x, 64);
    copy_async<4>(x + threadIdx.x, in + threadIdx.x);
    copy_commit();
    if (!Bug)
        copy_wait<0>();
    out[blockIdx.x * 64 + threadIdx.x] = x[threadIdx.x];
}

/* Does the output of launch(out) change with the order, or contain NaN? */
template <class F> static bool depends_on_order(F go)
{
    std::vector<float> first;
    bool differs = false;
    for_each_order([&](const char *order) {
        std::vector<float> out(128, -1);
        CHECK(go(out.data()) == ORR_OK, "%s: %s", order, simt::defect.c_str());
        for (const float x : out)
            differs = differs || std::isnan(x);
        if (first.empty())
            first = out;
        differs = differs || first != out;
    });
    return differs;
}

/* ---- barriers ------------------------------------------------------------------------------ */

template <int Bug> __global__ void barriers(int *out)
{
    if (Bug == 1 && threadIdx.x == 5)
        return; /* exits while the others wait */
    if (Bug == 2 && threadIdx.x >= 32)
        __syncthreads(); /* one place */
    else
        __syncthreads(); /* another */
    const int all = __syncthreads_count(threadIdx.x % 2 == 0);
    if (Bug == 3 && threadIdx.x == 7)
        return; /* a lane that the next vote names */
    const unsigned votes = __ballot_sync(Bug == 4 ? 0xffffu : 0xffffffffu, threadIdx.x & 1);
    out[threadIdx.x] = all + (int)(votes & 1);
}

/* Two of three warps. */
template <int Bug> __global__ void some_barriers(int *out)
{
    ORR_SHARED(int, x, 64);
    const int t = (int)threadIdx.x;
    if (t >= 64)
        return;
    x[t] = t;
    if (t < 32)
        sync_some(1, Bug == 1 ? 96 : Bug == 2 ? 40 : 64);
    else
        sync_some(1, Bug == 1 ? 96 : Bug == 3 ? 32 : 64);
    out[t] = x[63 - t];
}

/* ---- shared memory ------------------------------------------------------------------------- */

template <bool Bug> __global__ void bounds(float *out)
{
    ORR_DYN_SHARED(p);
    float *const x = (float *)p;
    x[threadIdx.x + (Bug && threadIdx.x == 63 ? 1 : 0)] = 1;
    __syncthreads();
    out[threadIdx.x] = x[threadIdx.x];
}

/* ---- blocks that wait for blocks ----------------------------------------------------------- */

enum waiting { CORRECT, LOST, NOT_RESIDENT };

/* Block b waits for block b-1 (NOT_RESIDENT: for the last one). */
template <waiting Case> __global__ void chain(int *done, int *out)
{
    const int b = (int)blockIdx.x;
    const int other = Case == NOT_RESIDENT ? (b == 0 ? (int)gridDim.x - 1 : -1) : b - 1;
    if (threadIdx.x == 0 && other >= 0)
        while (ld_acquire(done + other) == 0)
            ORR_SPIN_YIELD();
    __syncthreads();
    if (threadIdx.x == 0) {
        out[b] = 1 + (other >= 0 ? out[other] : 0);
        __threadfence();
        if (Case != LOST || b != 2)
            st_release(done + b, 1);
    }
}

/* ---- clusters: block r reads what block r + 1 has ------------------------------------------------ */

enum cluster_case {
    RING,
    NOT_YET,   /* read before the others are there */
    GONE,      /* the other may have ended */
    MISSES,    /* a warp does not come */
    EXITS,     /* a thread leaves instead */
    TWICE,     /* come twice, wait once */
    UNBIDDEN,  /* wait without having come */
    NO_WAIT,   /* leave without having waited */
    NO_RANK,   /* a block that the cluster has not */
    NOT_SHARED /* what is not in shared memory */
};

template <cluster_case Case> __global__ void ring(float *out)
{
    ORR_DYN_SHARED(p);
    float *const x = (float *)p;
    const unsigned t = threadIdx.x;
    const int next = Case == NO_RANK ? 4 : (cluster_rank() + 1) % 4;
    x[t] = (float)(64 * blockIdx.x + t);
    if (Case == EXITS && t == 5)
        return;
    if (Case != NOT_YET && Case != UNBIDDEN && !(Case == MISSES && t >= 32))
        cluster_arrive();
    if (Case == TWICE)
        cluster_arrive();
    if (Case != NOT_YET && !(Case == MISSES && t >= 32))
        cluster_wait();
    if (Case == MISSES)
        __syncthreads();
    out[64 * blockIdx.x + t] = ld_cluster((Case == NOT_SHARED ? out : x) + 63 - t, next);
    if (Case == GONE)
        return;
    cluster_arrive();
    if (Case != NO_WAIT)
        cluster_wait();
}

/* ---- collectives and atomics --------------------------------------------------------------- */

__global__ void collectives(int *out, int *sum)
{
    const int t = (int)threadIdx.x;
    int bad = 0;
    bad |= __shfl_sync(0xffffffffu, t, 3) != 3;
    bad |= __shfl_sync(0xffffffffu, t, 1, 8) != t / 8 * 8 + 1;
    bad |= __shfl_xor_sync(0xffffffffu, t, 5) != (t ^ 5);
    bad |= __shfl_up_sync(0xffffffffu, t, 2) != (t < 2 ? t : t - 2);
    bad |= __shfl_down_sync(0xffffffffu, t, 2, 16) != (t % 16 < 14 ? t + 2 : t);
    bad |= __ballot_sync(0xffffffffu, t < 4) != 15u;
    bad |= !__any_sync(0xffffffffu, t == 31) || __all_sync(0xffffffffu, t == 31);
    if (t < 16) /* a part of the warp on its own */
        bad |= __shfl_xor_sync(0x0000ffffu, (double)t, 1) != (double)(t ^ 1);
    bad |= __syncthreads_or(t == 40) != 0 || __syncthreads_and(t < 32) == 0;
    out[t] = bad;
    atomicAdd(sum, t);
    atomicMax(sum + 1, t);
}

template <class F> static void expect(const char *what, const char *text, F go)
{
    simt::defect.clear();
    const orr_status s = go();
    const bool found = s == ORR_E_DEVICE && simt::defect.find(text) != std::string::npos;
    CHECK(found, "%s: not caught (%s)", what, simt::defect.c_str());
    if (found)
        std::printf("%-28s caught: %s\n", what, simt::defect.c_str());
    simt::defect.clear();
}

template <class F> static void pass(const char *what, F go)
{
    for_each_order([&](const char *order) {
        simt::defect.clear();
        const orr_status s = go();
        CHECK(s == ORR_OK, "%s, %s: %s", what, order, simt::defect.c_str());
    });
}

int main()
{
    const shape two = {dim3(2), dim3(64), 0};
    std::vector<float> in(64, 2), f(128);
    std::vector<int> out(128), done(128);

    CHECK(depends_on_order([&](float *o) { return launch(neighbour<true>, two, nullptr, o); }),
          "missing __syncthreads: not caught");
    CHECK(!depends_on_order([&](float *o) { return launch(neighbour<false>, two, nullptr, o); }),
          "the repaired kernel differs");
    CHECK(depends_on_order([&](float *o) { return launch(warp_neighbour<true>, two, nullptr, o); }),
          "missing __syncwarp: not caught");
    CHECK(
        !depends_on_order([&](float *o) { return launch(warp_neighbour<false>, two, nullptr, o); }),
        "the repaired kernel differs");
    const float *const source = in.data();
    CHECK(depends_on_order(
              [&](float *o) { return launch(asynchronous<true>, two, nullptr, source, o); }),
          "missing wait for an asynchronous copy: not caught");
    CHECK(!depends_on_order(
              [&](float *o) { return launch(asynchronous<false>, two, nullptr, source, o); }),
          "the repaired kernel differs");

    expect("thread exits", "divergent barrier",
           [&] { return launch(barriers<1>, two, nullptr, out.data()); });
    expect("two barriers", "divergent barrier",
           [&] { return launch(barriers<2>, two, nullptr, out.data()); });
    expect("lane exits", "divergent warp",
           [&] { return launch(barriers<3>, two, nullptr, out.data()); });
    expect("lane not in its mask", "divergent warp",
           [&] { return launch(barriers<4>, two, nullptr, out.data()); });
    pass("barriers", [&] { return launch(barriers<0>, two, nullptr, out.data()); });
    const shape three_warps = {dim3(1), dim3(96), 0};
    expect("a warp misses at a barrier", "deadlock: nobody can run",
           [&] { return launch(some_barriers<1>, three_warps, nullptr, out.data()); });
    expect("a barrier of 40 threads", "illegal barrier",
           [&] { return launch(some_barriers<2>, three_warps, nullptr, out.data()); });
    expect("a barrier of 32 and of 64", "expects",
           [&] { return launch(some_barriers<3>, three_warps, nullptr, out.data()); });
    pass("barriers of some", [&] {
        const orr_status s = launch(some_barriers<0>, three_warps, nullptr, out.data());
        CHECK(out[0] == 63 && out[63] == 0, "barriers of some: %d %d", out[0], out[63]);
        return s;
    });

    const shape one = {dim3(1), dim3(64), 64 * sizeof(float)};
    simt::config.poison_guards = false; /* under ASan too: look at what was written */
    expect("write past shared memory", "write outside shared memory",
           [&] { return launch(bounds<true>, one, nullptr, f.data()); });
    simt::config = simt::options();
    pass("bounds", [&] { return launch(bounds<false>, one, nullptr, f.data()); });

    const shape five = {dim3(5), dim3(32), 0};
    const auto run_chain = [&](void (*kernel)(int *, int *), bool ascending) {
        simt::config.ascending_dispatch = ascending;
        std::fill(done.begin(), done.end(), 0);
        return launch(kernel, five, nullptr, done.data(), out.data());
    };
    pass("chain", [&] {
        const orr_status s = run_chain(chain<CORRECT>, true);
        CHECK(out[4] == 5, "chain: %d", out[4]);
        return s;
    });
    expect("lost wake-up", "deadlock: everybody who could run spins",
           [&] { return run_chain(chain<LOST>, true); });
    simt::config.resident = 1;
    expect("waits for a block not yet in", "4 blocks not started",
           [&] { return run_chain(chain<NOT_RESIDENT>, true); });
    simt::config = simt::options();

    expect("shared memory too large", "illegal launch", [&] {
        return launch(bounds<false>, shape{dim3(1), dim3(64), 300000}, nullptr, f.data());
    });
    expect("too many threads", "illegal launch", [&] {
        return launch(bounds<false>, shape{dim3(1), dim3(2048), 4096}, nullptr, f.data());
    });

    const shape clusters = {dim3(8), dim3(64), 64 * sizeof(float), 4};
    std::vector<float> from(512);
    const auto run_ring = [&](void (*kernel)(float *), simt::order how) {
        simt::config.how = how;
        return launch(kernel, clusters, nullptr, from.data());
    };
    pass("a cluster", [&] {
        simt::config.resident = 4 + simt::config.seed; /* 5, 5, 11, 7 */
        const orr_status s = launch(ring<RING>, clusters, nullptr, from.data());
        for (size_t i = 0; i < 512; i++)
            CHECK(from[i] == (float)((i / 256 * 256) + (i / 64 + 1) % 4 * 64 + 63 - i % 64),
                  "a cluster: %zu is %g", i, from[i]);
        return s;
    });
    expect("reads a block too early", "which has not begun",
           [&] { return run_ring(ring<NOT_YET>, simt::order::adversarial); });
    expect("reads a block too late", "which has ended",
           [&] { return run_ring(ring<GONE>, simt::order::adversarial); });
    expect("a warp misses a cluster's barrier", "deadlock: nobody can run",
           [&] { return run_ring(ring<MISSES>, simt::order::friendly); });
    expect("a thread of a cluster exits", "divergent barrier of a cluster",
           [&] { return run_ring(ring<EXITS>, simt::order::friendly); });
    expect("comes twice", "again before it has waited",
           [&] { return run_ring(ring<TWICE>, simt::order::friendly); });
    expect("waits unbidden", "to which it has not come",
           [&] { return run_ring(ring<UNBIDDEN>, simt::order::friendly); });
    expect("does not wait", "has come to a cluster's barrier and not waited",
           [&] { return run_ring(ring<NO_WAIT>, simt::order::friendly); });
    expect("another cluster's block", "of a cluster of 4",
           [&] { return run_ring(ring<NO_RANK>, simt::order::friendly); });
    expect("not shared memory", "not in its dynamic shared memory",
           [&] { return run_ring(ring<NOT_SHARED>, simt::order::friendly); });
    simt::config = simt::options();
    for (const unsigned cluster : {3u, 8u, 32u}) /* of 8 blocks; of 4 that are resident; ever */
        expect("a cluster too large", "illegal launch: clusters", [&] {
            return launch(ring<RING>, shape{dim3(8), dim3(64), 256, cluster}, nullptr, from.data());
        });
    simt::config.clusters = false;
    expect("no clusters", "illegal launch: clusters",
           [&] { return launch(ring<RING>, clusters, nullptr, from.data()); });
    simt::config = simt::options();

    int sum[2] = {};
    pass("collectives", [&] {
        sum[0] = sum[1] = 0;
        const orr_status s =
            launch(collectives, shape{dim3(1), dim3(32), 0}, nullptr, out.data(), &sum[0]);
        for (int t = 0; t < 32; t++)
            CHECK(out[(size_t)t] == 0, "collectives: lane %d", t);
        CHECK(sum[0] == 496 && sum[1] == 31, "atomics: %d %d", sum[0], sum[1]);
        return s;
    });
    if (failures)
        std::printf("%d failures\n", failures);
    return failures != 0;
}
