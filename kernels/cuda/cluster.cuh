/* Clusters: up to 16 thread blocks that a device starts together, whose threads have a barrier of their
 * own, and which read each other's shared memory; from compute capability 9.0 on.
 *
 * cluster_rank()                     the number of a block in its cluster
 * cluster_arrive, cluster_wait       the barrier, in halves: what a thread did before it arrived is there for all
 *                                    who have waited. Every thread calls both, in turn
 * ld_cluster(p, rank)                what block `rank` has at p of its dynamic shared memory. It must have begun and
 *                                    may not have ended: a barrier before the first and after the last
 *
 * In machine code an arrival is a fence for the device and an arrival, a wait ends with dropping what the L1
 * cache has, and ld_cluster is a load through a generic address: there is no other.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_CLUSTER_CUH
#define ORR_CUDA_CLUSTER_CUH

#include "kernels/cuda/device.cuh"

namespace orr
{

#ifdef ORR_SIMT

inline int cluster_rank() { return (int)simt::cluster_rank(); }
inline void cluster_arrive(const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    simt::cluster_arrive(file, line);
}
inline void cluster_wait(const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    simt::cluster_wait(file, line);
}
template <class T>
T ld_cluster(const T *p, int rank, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    return *(const T *)simt::cluster_address(p, sizeof *p, (unsigned)rank, file, line);
}

#else

/* Code for older devices is compiled, and never launched. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define ORR_CLUSTER_ASM(...) asm volatile(__VA_ARGS__)
#else
#define ORR_CLUSTER_ASM(...) ORR_TRAP()
#endif

__device__ __forceinline__ int cluster_rank()
{
    int rank = 0;
    ORR_CLUSTER_ASM("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ __forceinline__ void cluster_arrive()
{
    ORR_CLUSTER_ASM("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait()
{
    ORR_CLUSTER_ASM("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ unsigned in_cluster(const void *p, int rank)
{
    unsigned there = 0;
    ORR_CLUSTER_ASM("mapa.shared::cluster.u32 %0, %1, %2;"
                    : "=r"(there)
                    : "r"((unsigned)__cvta_generic_to_shared(p)), "r"(rank));
    return there;
}
__device__ __forceinline__ void ld_words(unsigned at, unsigned &x)
{
    ORR_CLUSTER_ASM("ld.shared::cluster.b32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
}
__device__ __forceinline__ void ld_words(unsigned at, uint2 &x)
{
    ORR_CLUSTER_ASM("ld.shared::cluster.v2.b32 {%0, %1}, [%2];"
                    : "=r"(x.x), "=r"(x.y)
                    : "r"(at)
                    : "memory");
}
__device__ __forceinline__ void ld_words(unsigned at, uint4 &x)
{
    ORR_CLUSTER_ASM("ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [%4];"
                    : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                    : "r"(at)
                    : "memory");
}
template <class T> __device__ __forceinline__ T ld_cluster(const T *p, int rank)
{
    typename word<sizeof(T)>::type w = {};
    ld_words(in_cluster(p, rank), w);
    T x;
    memcpy(&x, &w, sizeof x);
    return x;
}

#endif

} // namespace orr

#endif
