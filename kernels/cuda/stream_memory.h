/* Memory that a launcher takes and gives back in the order of its stream.
 *
 * On a device it comes from the device's pool, which is told to keep what is given back: a pool
 * returns everything to the driver at the next synchronisation otherwise, and the next task waits
 * for it to be mapped again.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_STREAM_MEMORY_H
#define ORR_CUDA_STREAM_MEMORY_H

#include "kernels/cuda/device.cuh"

#ifdef ORR_NO_RUNTIME
#include <cstdlib>
#include <cstring>
#else
#include <atomic>
#endif

namespace orr
{

#ifdef ORR_NO_RUNTIME

inline void *stream_alloc(orr_stream, size_t bytes)
{
    void *p = std::malloc(bytes);
    if (p) /* what is read before it is written is NaN */
        std::memset(p, 0xff, bytes);
    return p;
}
inline void stream_free(orr_stream, void *p) { std::free(p); }

#else

/* Once per device; one that has no pool is refused by cudaMallocAsync. */
inline void keep_freed_memory()
{
    static std::atomic<uint64_t> told{0};
    uint64_t most = (uint64_t)1 << 30;
    int device = 0;
    cudaMemPool_t pool;
    if (cudaGetDevice(&device) != cudaSuccess ||
        (told.fetch_or((uint64_t)1 << device % 64) >> device % 64 & 1))
        return;
    if (went_well(cudaDeviceGetDefaultMemPool(&pool, device)))
        (void)went_well(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most));
}

/* NULL: there is no such memory left. */
inline void *stream_alloc(orr_stream stream, size_t bytes)
{
    void *p = nullptr;
    keep_freed_memory();
    return went_well(cudaMallocAsync(&p, bytes, (cudaStream_t)stream)) ? p : nullptr;
}
inline void stream_free(orr_stream stream, void *p)
{
    if (p)
        (void)went_well(cudaFreeAsync(p, (cudaStream_t)stream));
}

#endif

} // namespace orr

#endif
