/* gpu_facts: what a device can do at best, for floors: scripts/gpu-report divides by it.
 *
 *   gpu_facts
 *
 * One JSON object per fact on stdout, {"fact":NAME,"value":X,"unit":U,"machine":DEVICE}:
 *
 *   copy           bytes per second of a copy in device memory, read and written
 *   shared         bytes per second that all processors together read from shared memory
 *   from_host, to_host     over the bus, pinned memory
 *   from_pageable, to_pageable     over the bus, memory of malloc
 *   pin, unpin             bytes per second of page-locking memory of malloc, and of undoing it
 *   pin_large, unpin_large     the same in pages of 2 MiB, where the machine has them on request
 *   gemm_s .. gemm_z       operations per second of cuBLAS, order 8192 (a complex one is 8 n^3), on
 *                          random numbers: zeros take less power, and run faster
 *   launch         seconds per empty kernel of a long row of them
 *   barrier        seconds of __syncthreads, 256 threads
 *   handover       seconds from a release in one thread block to its acquire in another
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <chrono>
#include <cstdio>
#include <cstring>
#include <cublas_v2.h>
#include <sys/mman.h>

#include "kernels/cuda/device.cuh"
#include "program.h"

static std::string machine;

static void fact(const char *name, double value, const char *unit)
{
    std::printf("{\"fact\":\"%s\",\"value\":%.6g,\"unit\":\"%s\",\"machine\":\"%s\"}\n", name,
                value, unit, machine.c_str());
    std::fflush(stdout);
}

static double median(const std::function<bool()> &go)
{
    const outcome o = timed(
        9, [] {}, go);
    need(o.ok, "a call");
    return o.median;
}

static void copies()
{
    const size_t bytes = (size_t)1 << 30;
    memory a(bytes), b(bytes);
    void *host = nullptr;
    need(cudaMallocHost(&host, bytes) == cudaSuccess, "pinned memory");
    const auto speed = [&](void *to, const void *from, double passes) {
        return passes * (double)bytes / median([&] {
                   return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault) == cudaSuccess;
               });
    };
    fact("copy", speed(b.p, a.p, 2), "B/s");
    fact("from_host", speed(a.p, host, 1), "B/s");
    fact("to_host", speed(host, a.p, 1), "B/s");
    cudaFreeHost(host);
}

static double seconds_of(const std::function<void()> &go)
{
    const double begin = now();
    go();
    return now() - begin;
}

/* Memory that has been written to. */
static void locks(bool large)
{
    const size_t bytes = (size_t)1 << 30, page = (size_t)2 << 20;
    void *const host = std::aligned_alloc(page, bytes);
    need(host != nullptr, "memory");
    if (large)
        (void)madvise(host, bytes, MADV_HUGEPAGE);
    std::memset(host, 1, bytes);
    if (!large) {
        memory device(bytes);
        fact("from_pageable",
             (double)bytes / median([&] {
                 return cudaMemcpy(device.p, host, bytes, cudaMemcpyDefault) == cudaSuccess;
             }),
             "B/s");
        fact("to_pageable",
             (double)bytes / median([&] {
                 return cudaMemcpy(host, device.p, bytes, cudaMemcpyDefault) == cudaSuccess;
             }),
             "B/s");
    }
    const double in = seconds_of([&] {
        need(cudaHostRegister(host, bytes, cudaHostRegisterPortable) == cudaSuccess, "page-lock");
    });
    const double out =
        seconds_of([&] { need(cudaHostUnregister(host) == cudaSuccess, "page-lock"); });
    fact(large ? "pin_large" : "pin", (double)bytes / in, "B/s");
    fact(large ? "unpin_large" : "unpin", (double)bytes / out, "B/s");
    std::free(host);
}

/* Numbers between 1/2 and 1, the same as floats, as doubles and as their complex pairs. */
template <class R> __global__ void fill(R *x, size_t count)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        unsigned k = (unsigned)i * 2654435761u;
        k = (k ^ k >> 15) * 2246822519u;
        x[i] = (R)0.5 + (R)(k ^ k >> 13) * (R)0x1p-33;
    }
}

static void products()
{
    const int n = 8192;
    const double flops = 2.0 * n * n * n;
    const size_t reals = (size_t)n * n * 2;
    memory a(reals * 8), b(reals * 8), c(reals * 8);
    const auto all = [&](auto *type) {
        typedef std::remove_pointer_t<decltype(type)> R;
        for (memory *m : {&a, &b, &c})
            fill<<<1024, 256>>>((R *)m->p, reals);
        need(cudaDeviceSynchronize() == cudaSuccess, "fill");
    };
    cublasHandle_t h;
    need(cublasCreate(&h) == CUBLAS_STATUS_SUCCESS, "cublas");
    const cublasOperation_t N = CUBLAS_OP_N;
    const float s = 1;
    const double d = 1;
    const cuComplex cs = {1, 0};
    const cuDoubleComplex zs = {1, 0};
    all((float *)nullptr);
    fact("gemm_s", flops / median([&] {
                       return cublasSgemm(h, N, N, n, n, n, &s, (float *)a.p, n, (float *)b.p, n,
                                          &s, (float *)c.p, n) == CUBLAS_STATUS_SUCCESS;
                   }),
         "flop/s");
    fact("gemm_c", 4 * flops / median([&] {
                       return cublasCgemm(h, N, N, n, n, n, &cs, (cuComplex *)a.p, n,
                                          (cuComplex *)b.p, n, &cs, (cuComplex *)c.p,
                                          n) == CUBLAS_STATUS_SUCCESS;
                   }),
         "flop/s");
    all((double *)nullptr);
    fact("gemm_d", flops / median([&] {
                       return cublasDgemm(h, N, N, n, n, n, &d, (double *)a.p, n, (double *)b.p, n,
                                          &d, (double *)c.p, n) == CUBLAS_STATUS_SUCCESS;
                   }),
         "flop/s");
    fact("gemm_z", 4 * flops / median([&] {
                       return cublasZgemm(h, N, N, n, n, n, &zs, (cuDoubleComplex *)a.p, n,
                                          (cuDoubleComplex *)b.p, n, &zs, (cuDoubleComplex *)c.p,
                                          n) == CUBLAS_STATUS_SUCCESS;
                   }),
         "flop/s");
    cublasDestroy(h);
}

__global__ void nothing() {}

__global__ void barriers(int count)
{
    for (int i = 0; i < count; i++)
        __syncthreads();
}

/* Every thread reads 16 bytes at a time, without conflicts. */
__global__ void read_shared(int count, float4 *out)
{
    __shared__ float4 all[1024];
    const int me = (int)threadIdx.x;
    all[me] = make_float4((float)me, 1, 2, 3);
    __syncthreads();
    float4 sum = {};
    for (int i = 0; i < count; i++) {
        const float4 x = all[(me + 32 * i) % 1024];
        sum.x += x.x;
        sum.y += x.y;
        sum.z += x.z;
        sum.w += x.w;
    }
    if (sum.x < 0) /* never: the reads are wanted */
        out[me] = sum;
}

static void shared_memory()
{
    const int count = 20000;
    cudaDeviceProp device;
    memory out(1024 * sizeof(float4));
    need(cudaGetDeviceProperties(&device, 0) == cudaSuccess, "device");
    const int blocks = 2 * device.multiProcessorCount;
    const double seconds = median([&] {
        read_shared<<<blocks, 1024>>>(count, (float4 *)out.p);
        return cudaPeekAtLastError() == cudaSuccess;
    });
    fact("shared", (double)blocks * 1024 * sizeof(float4) * count / seconds, "B/s");
}

/* Two blocks take turns: block b answers 2i + b with 2i + b + 1. */
__global__ void turns(int *word, int count)
{
    for (int i = 0; i < count; i++) {
        const int mine = 2 * i + (int)blockIdx.x;
        while (orr::ld_acquire(word) != mine)
            ;
        orr::st_release(word, mine + 1);
    }
}

static void latencies()
{
    const int count = 10000;
    fact("launch", median([&] {
                       for (int i = 0; i < count; i++)
                           nothing<<<1, 32>>>();
                       return cudaPeekAtLastError() == cudaSuccess;
                   }) / count,
         "s");
    fact("barrier", median([&] {
                        barriers<<<1, 256>>>(count);
                        return cudaPeekAtLastError() == cudaSuccess;
                    }) / count,
         "s");
    memory word(sizeof(int));
    const outcome both = timed(
        9, [&] { need(cudaMemset(word.p, 0, sizeof(int)) == cudaSuccess, "memset"); },
        [&] {
            turns<<<2, 1>>>((int *)word.p, count);
            return cudaPeekAtLastError() == cudaSuccess;
        });
    need(both.ok, "handover");
    fact("handover", both.median / (2.0 * count), "s");
}

int main()
{
    int devices = 0;
    cudaDeviceProp device;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "gpu_facts: no CUDA device\n");
        return 77;
    }
    need(cudaGetDeviceProperties(&device, 0) == cudaSuccess, "device");
    machine = device.name;
    copies();
    locks(false);
    locks(true);
    latencies();
    shared_memory();
    products();
    return 0;
}
