/* Does races.cpp find accesses that nothing orders, though in the emulator they come out right?
 * Kernels with one planted defect each; their repaired twins must pass in every order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cstdio>
#include <string>
#include <vector>

#include "device.h"
#include "kernels/cuda/cluster.cuh"

using namespace orr;

/* ---- Within a block ------------------------------------------------------------------------- */

enum within { RIGHT, NO_SYNCTHREADS, NO_SYNCWARP, SHUFFLE_FOR_SYNCWARP, NO_COPY_WAIT, COPY_EARLY };

template <within Case> __global__ void shared_memory(const float *in, float *out)
{
    ORR_SHARED(float, x, 64);
    ORR_SHARED(float, y, 64);
    const unsigned t = threadIdx.x;
    x[t] = (float)t;
    if (Case != NO_SYNCTHREADS)
        __syncthreads();
    const float far = x[(t + 32) % 64];
    y[t] = far;
    if (Case == SHUFFLE_FOR_SYNCWARP)
        (void)__shfl_sync(0xffffffffu, t, 0);
    else if (Case != NO_SYNCWARP)
        __syncwarp();
    const float near = y[t ^ 1];
    if (Case != COPY_EARLY)
        __syncthreads(); /* x has been read by all */
    copy_async<4>(x + t, in + t);
    copy_commit();
    if (Case != NO_COPY_WAIT)
        copy_wait<0>();
    __syncthreads();
    out[blockIdx.x * 64 + t] = near + x[63 - t];
}

/* Warp 0 hands numbers to warp 1; Bug: which meets another warp. */
template <bool Bug> __global__ void some_warps(int *out)
{
    ORR_SHARED(int, x, 32);
    const int t = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    if (warp == 0)
        x[t] = t;
    if (Bug && warp > 0)
        sync_some(2, 64);
    else if (warp < 2)
        sync_some(1, Bug ? 32 : 64);
    if (warp == 1)
        out[t] = x[t];
}

/* ---- Between blocks: block b hands 32 numbers to block b+1 ------------------------------------
 */

enum between {
    CORRECT,
    NO_RELEASE,  /* a volatile store alone */
    NO_ACQUIRE,  /* a volatile load alone */
    BLOCK_FENCE, /* a fence for the block only */
    NO_BARRIER_AFTER /* thread 0 has acquired, the others have not */,
    NO_BARRIER_BEFORE, /* thread 0 releases before the others have stored */
    FENCES             /* correct: volatile accesses with fences on both sides */
};

template <between Case> __global__ void chain(volatile int *done, int *data)
{
    const int b = (int)blockIdx.x, t = (int)threadIdx.x;
    if (b > 0) {
        if (t == 0 || Case == NO_BARRIER_AFTER) {
            const bool plain = Case == NO_ACQUIRE || Case == FENCES;
            if (t == 0)
                while ((plain ? done[b - 1] : ld_acquire((const int *)done + b - 1)) == 0)
                    ORR_SPIN_YIELD();
            if (Case == FENCES)
                __threadfence();
        }
        if (Case != NO_BARRIER_AFTER)
            __syncthreads();
        else
            (void)__shfl_sync(0xffffffffu, t, 0);
    }
    data[b * 32 + t] = 1 + (b > 0 ? data[(b - 1) * 32 + (t + 1) % 32] : 0);
    if (Case != NO_BARRIER_BEFORE)
        __syncthreads();
    else
        (void)__shfl_sync(0xffffffffu, t, 0);
    if (t == 0) {
        if (Case == BLOCK_FENCE)
            __threadfence_block();
        if (Case == FENCES)
            __threadfence();
        if (Case == NO_RELEASE || Case == BLOCK_FENCE || Case == FENCES)
            done[b] = 1;
        else
            st_release((int *)done + b, 1);
    }
}

/* ---- Within a cluster: block r reads what block r + 1 tells, twice ---------------------------- */

enum in_cluster {
    IN_TURN,
    NO_BARRIER,  /* reads what is perhaps not told yet */
    OVERWRITTEN, /* tells the next where the last may still be read */
    WAITS_ONLY_FOR_ITS_BLOCK,
    ENDS_EARLY /* what it told may still be read */
};

template <in_cluster Case> __global__ void tell(float *out)
{
    ORR_DYN_SHARED(p);
    float *const x = (float *)p;
    const int t = (int)threadIdx.x, next = (cluster_rank() + 1) % 4;
    float sum = 0;
    cluster_arrive(); /* all are there */
    cluster_wait();
    for (int round = 0; round < 3; round++) {
        float *const told = x + (Case == OVERWRITTEN ? 0 : round % 2) * 64;
        told[t] = (float)(round + t);
        if (Case == WAITS_ONLY_FOR_ITS_BLOCK)
            __syncthreads();
        else if (Case != NO_BARRIER) {
            cluster_arrive();
            cluster_wait();
        }
        sum += ld_cluster(told + 63 - t, next);
    }
    out[blockIdx.x * 64 + t] = sum;
    if (Case == ENDS_EARLY)
        return;
    cluster_arrive();
    cluster_wait();
}

/* ---- Words that many blocks change ----------------------------------------------------------- */

template <bool Bug> __global__ void counter(int *sum)
{
    if (Bug)
        *sum = *sum + 1;
    else
        atomicAdd(sum, 1);
}

template <class F> static void expect(const char *what, bool race, F go)
{
    bool found = false;
    for_each_order([&](const char *order) {
        simt::config.ascending_dispatch = true;
        simt::defect.clear();
        const bool failed = go() != ORR_OK;
        found = found || (failed && simt::defect.find("race: ") == 0);
        CHECK(race || !failed, "%s, %s: %s", what, order, simt::defect.c_str());
    });
    CHECK(found == race, "%s: not found", what);
    simt::defect.clear();
}

template <within Case> static void expect_within(const char *what)
{
    const std::vector<float> in(64, 2);
    std::vector<float> out(128);
    const float *const source = in.data();
    expect(what, Case != RIGHT, [&] {
        return launch(shared_memory<Case>, shape{dim3(2), dim3(64), 0}, nullptr, source,
                      out.data());
    });
}

template <between Case> static void expect_between(const char *what)
{
    std::vector<int> data(4 * 32);
    expect(what, Case != CORRECT && Case != FENCES, [&] {
        std::vector<int> done(4);
        volatile int *const words = done.data();
        const orr_status s =
            launch(chain<Case>, shape{dim3(4), dim3(32), 0}, nullptr, words, data.data());
        CHECK(s != ORR_OK || data[3 * 32] == 4, "%s: %d", what, data[3 * 32]);
        return s;
    });
}

template <in_cluster Case> static void expect_in_cluster(const char *what)
{
    std::vector<float> out(512);
    expect(what, Case != IN_TURN, [&] {
        simt::config.resident = 4 + simt::config.seed;
        return launch(tell<Case>, shape{dim3(8), dim3(64), 512, 4}, nullptr, out.data());
    });
}

int main()
{
    CHECK(simt::observed, "nobody watches");
    expect_within<RIGHT>("within a block");
    expect_within<NO_SYNCTHREADS>("missing __syncthreads");
    expect_within<NO_SYNCWARP>("missing __syncwarp");
    expect_within<SHUFFLE_FOR_SYNCWARP>("shuffle in place of __syncwarp");
    expect_within<NO_COPY_WAIT>("missing wait for a copy");
    expect_within<COPY_EARLY>("copy onto what is still read");
    expect_between<CORRECT>("between blocks");
    expect_between<FENCES>("fences");
    expect_between<NO_RELEASE>("missing release");
    expect_between<NO_ACQUIRE>("missing acquire");
    expect_between<BLOCK_FENCE>("a fence for the block only");
    expect_between<NO_BARRIER_AFTER>("missing barrier after the acquire");
    expect_between<NO_BARRIER_BEFORE>("missing barrier before the release");
    expect_in_cluster<IN_TURN>("in a cluster");
    expect_in_cluster<NO_BARRIER>("missing barrier of a cluster");
    expect_in_cluster<OVERWRITTEN>("told where the last is still read");
    expect_in_cluster<WAITS_ONLY_FOR_ITS_BLOCK>("a barrier of the block for one of the cluster");
    expect_in_cluster<ENDS_EARLY>("a block of a cluster ends early");
    std::vector<int> out(32);
    const shape three_warps = {dim3(1), dim3(96), 0};
    expect("some warps", false,
           [&] { return launch(some_warps<false>, three_warps, nullptr, out.data()); });
    expect("other warps", true,
           [&] { return launch(some_warps<true>, three_warps, nullptr, out.data()); });
    int sum = 0;
    const shape many = {dim3(4), dim3(32), 0};
    expect("atomic", false, [&] { return launch(counter<false>, many, nullptr, &sum); });
    expect("not atomic", true, [&] { return launch(counter<true>, many, nullptr, &sum); });
    if (failures)
        std::printf("%d failures\n", failures);
    return failures != 0;
}
