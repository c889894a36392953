/* See device.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/device.h"

#include <starpu.h>

#ifdef ORR_WITH_CUDA
#include <cuda_runtime_api.h>

static int attribute(enum cudaDeviceAttr a, int device, int unknown)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, a, device) == cudaSuccess)
        return value;
    (void)cudaGetLastError();
    return unknown;
}
#endif

struct orr_device orr_device_look(void)
{
    struct orr_device least = {1, 0};
#ifdef ORR_WITH_CUDA
    int seen = 0;
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        if (starpu_worker_get_type((int)w) != STARPU_CUDA_WORKER)
            continue;
        const int d = starpu_worker_get_devid((int)w);
        const struct orr_device one = {
            attribute(cudaDevAttrMultiProcessorCount, d, 1),
            10 * attribute(cudaDevAttrComputeCapabilityMajor, d, 0) +
                attribute(cudaDevAttrComputeCapabilityMinor, d, 0)};
        if (!seen++ || one.processors < least.processors)
            least = one;
    }
#endif
    return least;
}
