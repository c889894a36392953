/* What device code needs beyond the language, under nvcc and under the emulator of tests/simt.
 *
 * ORR_DYN_SHARED(p)        unsigned char *p: the dynamic shared memory of the block
 * ORR_SHARED(T, p, count)  T *p: an array in static shared memory
 * ORR_SPIN_YIELD()         goes in every loop that waits for another block or warp, and
 * stop_watch               too: over() says when to give up; ORR_TRAP() ends the kernel
 * ORR_UNROLL, ORR_UNROLL_BY(n)   before a loop; all of it, or n steps
 * ld_acquire, st_release   progress flags between blocks
 * ld_relaxed, st_relaxed   1, 2 or 4 words of 64 bits between blocks, aligned to 16 bytes where there are
 *                          more than one: each is whole, and nothing orders them
 * sync_some(id, threads)   a barrier of so many threads of a block, in whole warps; id = 1 .. 15
 * in_global(p)             p, and the compiler knows that it points to global memory
 * copy_async, copy_commit, copy_wait<groups left>   global to shared, 4, 8 or 16 bytes
 * read_once, read_only     of 4, 8 or 16 bytes of global memory: nobody will read them again; the
 *                          kernel does not write them
 *
 * and launch(), the one place where a kernel is started, and has_code(), whether the device can run it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_DEVICE_CUH
#define ORR_CUDA_DEVICE_CUH

/* The emulator of a kernel alone has no CUDA runtime; virtual devices do (tests/vgpu). */
#if defined(ORR_SIMT) && !defined(ORR_VGPU)
#define ORR_NO_RUNTIME
#endif

#ifdef ORR_SIMT
#include "simt.h"
#define ORR_DYN_SHARED(p) unsigned char *const p = (unsigned char *)simt::dynamic_shared()
#define ORR_SHARED(T, p, count)                                                                    \
    T *const p = (T *)simt::static_shared(__FILE__, __LINE__, sizeof(T) * (count))
#define ORR_SPIN_YIELD() simt::spin_yield(__FILE__, __LINE__)
#define ORR_TRAP()       simt::trap(__FILE__, __LINE__)
#define ORR_UNROLL
#define ORR_UNROLL_BY(n)
#else
#include <cuda_runtime.h>
#define ORR_DYN_SHARED(p)       extern __shared__ __align__(16) unsigned char p[]
#define ORR_SHARED(T, p, count) __shared__ T p[count]
#define ORR_SPIN_YIELD()        ((void)0)
#define ORR_TRAP()              __trap()
#define ORR_PRAGMA(x)           _Pragma(#x)
#define ORR_UNROLL              ORR_PRAGMA(unroll)
#define ORR_UNROLL_BY(n)        ORR_PRAGMA(unroll n)
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/kernel.h"

namespace orr
{

#ifndef ORR_NO_RUNTIME
/* 1: the call went well. Its error is not left behind for the program, which would look for its cause. */
inline bool went_well(cudaError_t e)
{
    if (e != cudaSuccess)
        (void)cudaGetLastError();
    return e == cudaSuccess;
}
#endif

/* The shape of a launch: a function of the arguments, the same on a device and in a test. */
struct shape {
    dim3 grid, block;
    size_t shared;        /* bytes of dynamic shared memory */
    unsigned cluster = 1; /* blocks along x that start together (cluster.cuh) */
};

#ifdef ORR_SIMT

struct stop_watch {
    size_t turns = 0;
    bool over() { return ++turns > simt::config.most_turns; }
};

template <class T> SIMT_UNSEEN T ld_acquire(const T *p)
{
    if (simt::observed)
        simt::observed->acquire(p);
    return *(const volatile T *)p;
}
template <class T> SIMT_UNSEEN void st_release(T *p, T x)
{
    if (simt::observed)
        simt::observed->release(p);
    *(volatile T *)p = x;
}
template <int Count> void ld_relaxed(const uint64_t *p, uint64_t (&x)[Count])
{
    for (int k = 0; k < Count; k++)
        x[k] = *(const volatile uint64_t *)(p + k);
}
template <int Count> void st_relaxed(uint64_t *p, const uint64_t (&x)[Count])
{
    for (int k = 0; k < Count; k++)
        *(volatile uint64_t *)(p + k) = x[k];
}
template <class T> T *in_global(T *p) { return p; }
template <int Bytes> void copy_async(void *shared, const void *global)
{
    simt::copy_later(shared, global, Bytes);
}
inline void sync_some(int id, int threads, const char *file = __builtin_FILE(),
                      int line = __builtin_LINE())
{
    simt::sync_some(id, (unsigned)threads, file, line);
}
template <class T> T read_once(const T *p) { return *p; }
template <class T> T read_only(const T *p) { return *p; }
inline void copy_commit() { simt::copy_commit(); }
template <int Left> void copy_wait() { simt::copy_wait(Left); }

template <class... P, class... A>
orr_status launch(void (*kernel)(P...), const shape &s, [[maybe_unused]] orr_stream stream,
                  A... args)
{
#ifdef ORR_VGPU
    return vgpu::start(kernel, s.grid, s.block, s.shared, s.cluster, (cudaStream_t)stream,
                       args...) == cudaSuccess
               ? ORR_OK
               : ORR_E_DEVICE;
#else
    if (simt::instead_of_run) {
        simt::instead_of_run((const void *)kernel, s.grid, s.block, s.shared, s.cluster);
        return ORR_OK;
    }
    const std::string what =
        simt::run(s.grid, s.block, s.shared, s.cluster, simt::config, [&] { kernel(args...); });
    if (!what.empty() && simt::defect.empty())
        simt::defect = what;
    return what.empty() ? ORR_OK : ORR_E_DEVICE;
#endif
}

template <class... P> bool has_code(void (*)(P...))
{
#ifdef ORR_VGPU
    return vgpu_capability() >= 80;
#else
    return true;
#endif
}

#else

/* Of 2 seconds. The clock is far away: it is read now and then, its lower half, which comes round
 * every 4.3 seconds. */
struct stop_watch {
    unsigned turns = 0, begun = 0;
    __device__ __forceinline__ bool over()
    {
        unsigned now;
        if (++turns % 1024 != 0)
            return false;
        asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now));
        if (turns == 1024)
            begun = now;
        return now - begun > 2000000000u;
    }
};

__device__ __forceinline__ int ld_acquire(const int *p)
{
    int x;
    asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}
__device__ __forceinline__ void st_release(int *p, int x)
{
    asm volatile("st.release.gpu.global.b32 [%0], %1;" : : "l"(p), "r"(x) : "memory");
}

__device__ __forceinline__ void ld_relaxed(const uint64_t *p, uint64_t (&x)[1])
{
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(x[0]) : "l"(p));
}
__device__ __forceinline__ void st_relaxed(uint64_t *p, const uint64_t (&x)[1])
{
    asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" : : "l"(p), "l"(x[0]));
}
/* Each element of a vector is an operation of its own (PTX manual, memory consistency model). */
template <int Count>
__device__ __forceinline__ void ld_relaxed(const uint64_t *p, uint64_t (&x)[Count])
{
    ORR_UNROLL
    for (int k = 0; k < Count; k += 2)
        asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"
                     : "=l"(x[k]), "=l"(x[k + 1])
                     : "l"(p + k));
}
template <int Count>
__device__ __forceinline__ void st_relaxed(uint64_t *p, const uint64_t (&x)[Count])
{
    ORR_UNROLL
    for (int k = 0; k < Count; k += 2)
        asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};"
                     :
                     : "l"(p + k), "l"(x[k]), "l"(x[k + 1]));
}

__device__ __forceinline__ void sync_some(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

template <class T> __device__ __forceinline__ T *in_global(T *p)
{
    __builtin_assume(__isGlobal(p));
    return p;
}

template <int Bytes> __device__ __forceinline__ void copy_async(void *shared, const void *global)
{
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp.async copies 4, 8 or 16 bytes");
    const unsigned to = (unsigned)__cvta_generic_to_shared(shared);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 :
                 : "r"(to), "l"(global), "n"(Bytes)
                 : "memory");
}
__device__ __forceinline__ void copy_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int Left> __device__ __forceinline__ void copy_wait()
{
    asm volatile("cp.async.wait_group %0;" : : "n"(Left) : "memory");
}

/* A word that one instruction moves. */
template <size_t Bytes> struct word;
template <> struct word<4> {
    typedef unsigned type;
};
template <> struct word<8> {
    typedef uint2 type;
};
template <> struct word<16> {
    typedef uint4 type;
};
template <class T> __device__ __forceinline__ T read_once(const T *p)
{
    const auto w = __ldcs((const typename word<sizeof(T)>::type *)p);
    T x;
    memcpy(&x, &w, sizeof x);
    return x;
}
template <class T> __device__ __forceinline__ T read_only(const T *p)
{
    const auto w = __ldg((const typename word<sizeof(T)>::type *)p);
    T x;
    memcpy(&x, &w, sizeof x);
    return x;
}

constexpr size_t shared_asked = 32 * 1024; /* scripts/gpu-audit knows it */

/* How CUDA is told of clusters; more than 8 blocks are a kernel's wish. */
struct cluster_launch {
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = {};
    bool ok;

    template <class... P> cluster_launch(void (*kernel)(P...), const shape &s, orr_stream stream)
    {
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = s.cluster;
        cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
        config.gridDim = s.grid;
        config.blockDim = s.block;
        config.dynamicSmemBytes = s.shared;
        config.stream = (cudaStream_t)stream;
        config.attrs = &cluster;
        config.numAttrs = 1;
        ok = went_well(cudaFuncSetAttribute((const void *)kernel,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            (int)s.shared)) &&
             went_well(cudaFuncSetAttribute((const void *)kernel,
                                            cudaFuncAttributeNonPortableClusterSizeAllowed,
                                            s.cluster > 8));
    }
    cluster_launch(const cluster_launch &) = delete;
    cluster_launch &operator=(const cluster_launch &) = delete;
};

template <class... P, class... A>
orr_status launch(void (*kernel)(P...), const shape &s, orr_stream stream, A... args)
{
    if (s.cluster > 1) {
        const cluster_launch how(kernel, s, stream);
        return how.ok && went_well(cudaLaunchKernelEx(&how.config, kernel, args...)) ? ORR_OK
                                                                                     : ORR_E_DEVICE;
    }
    /* Above 48 KiB, static arrays included, a kernel has to ask; the attribute is per device, so
     * ask every time. */
    if (s.shared > shared_asked &&
        !went_well(cudaFuncSetAttribute(
            (const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)s.shared)))
        return ORR_E_DEVICE;
    /* Not <<<>>>, which tells an error by cudaGetLastError alone: others of this thread are there, too, such as an
     * allocation that StarPU tried in vain. */
    cudaLaunchConfig_t plain = {};
    plain.gridDim = s.grid;
    plain.blockDim = s.block;
    plain.dynamicSmemBytes = s.shared;
    plain.stream = (cudaStream_t)stream;
    return went_well(cudaLaunchKernelEx(&plain, kernel, args...)) ? ORR_OK : ORR_E_DEVICE;
}

template <class... P> bool has_code(void (*kernel)(P...))
{
    cudaFuncAttributes unused;
    return went_well(cudaFuncGetAttributes(&unused, (const void *)kernel));
}

#endif

} // namespace orr

#endif
