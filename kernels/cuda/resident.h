/* What a device has for thread blocks: processors, shared memory, and launches whose blocks are all there at
 * once, since they wait for each other, one to a processor.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_RESIDENT_H
#define ORR_CUDA_RESIDENT_H

#include "kernels/cuda/device.cuh"

namespace orr
{

/* The shared memory of a thread block on every device from compute capability 8.0 on: 8.6, 8.9 and 12.0
 * have 99 KiB, 8.0 has 163, 9.0 and 10.0 have 227. A KiB is for what kernels have besides. */
constexpr size_t least_room = 98 * 1024;

/* How many blocks there may be at once, and the shared memory of each. */
#ifdef ORR_NO_RUNTIME
inline bool device_room(int64_t *blocks, size_t *room)
{
    *blocks = simt::config.resident;
    *room = simt::config.max_shared - 1024;
    return true;
}
#else
inline bool device_room(int64_t *blocks, size_t *room)
{
    int device = 0, processors = 0, bytes = 0;
    if (!went_well(cudaGetDevice(&device)) ||
        !went_well(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device)) ||
        !went_well(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)))
        return false;
    *blocks = processors;
    *room = (size_t)bytes - 1024;
    return true;
}
#endif

/* How many blocks of this shape a cluster may have (cluster.cuh), a power of two up to 16; 1: the device has no
 * clusters. */
#ifdef ORR_SIMT
template <class... P> int most_cluster(void (*)(P...), const shape &)
{
    return (int)simt::most_cluster(simt::config);
}
#else
template <class... P> int most_cluster(void (*kernel)(P...), const shape &s)
{
    int device = 0, has = 0;
    if (!went_well(cudaGetDevice(&device)) ||
        !went_well(cudaDeviceGetAttribute(&has, cudaDevAttrClusterLaunch, device)) || !has)
        return 1;
    for (unsigned blocks = 16; blocks > 1; blocks /= 2) {
        const shape one = {dim3(blocks), s.block, s.shared, blocks};
        const cluster_launch how(kernel, one, nullptr);
        int clusters = 0;
        if (how.ok &&
            cudaOccupancyMaxActiveClusters(&clusters, kernel, &how.config) == cudaSuccess &&
            clusters > 0)
            return (int)blocks;
        (void)cudaGetLastError();
    }
    return 1;
}
#endif

/* They start together, or the launch fails. */
#ifdef ORR_SIMT
template <class A>
orr_status launch_resident(void (*kernel)(A), const shape &s, orr_stream stream, A argument)
{
    return launch(kernel, s, stream, argument);
}
#else
template <class A>
orr_status launch_resident(void (*kernel)(A), const shape &s, orr_stream stream, A argument)
{
    void *arguments[] = {&argument};
    return went_well(cudaFuncSetAttribute(
               (const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)s.shared)) &&
                   went_well(cudaLaunchCooperativeKernel((const void *)kernel, s.grid, s.block,
                                                         arguments, s.shared, (cudaStream_t)stream))
               ? ORR_OK
               : ORR_E_DEVICE;
}
#endif

} // namespace orr

#endif
