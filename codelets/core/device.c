/* See device.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/device.h"

#include <starpu.h>
#include <stdatomic.h>

#ifdef ORR_WITH_CUDA
#include <cuda_runtime_api.h>

#include "kernels/code.h"
#include "kernels/cublas.h"

static int attribute(enum cudaDeviceAttr a, int device, int unknown)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, a, device) == cudaSuccess)
        return value;
    (void)cudaGetLastError();
    return unknown;
}

static int capability_of(int device)
{
    return 10 * attribute(cudaDevAttrComputeCapabilityMajor, device, 0) +
           attribute(cudaDevAttrComputeCapabilityMinor, device, 0);
}

/* without: becomes a device that there is no code for. */
static void begin(void *without)
{
    if (!orr_cuda_has_code())
        atomic_store((atomic_int *)without, starpu_worker_get_devid(starpu_worker_get_id()));
    orr_cublas_begin(starpu_cuda_get_local_stream());
}
static void end(void *unused)
{
    (void)unused;
    orr_cublas_end();
}
static void on_each_device(void (*f)(void *), void *arg)
{
    if (starpu_cuda_worker_get_count() > 0)
        starpu_execute_on_each_worker(f, arg, STARPU_CUDA);
}

int orr_device_begin(int *capability)
{
    atomic_int without = -1;
    on_each_device(begin, &without);
    const int device = atomic_load(&without);
    *capability = device < 0 ? 0 : capability_of(device);
    return device;
}
void orr_device_end(void) { on_each_device(end, NULL); }
void orr_device_forget(void) { (void)cudaGetLastError(); }

static int fine(cudaError_t e)
{
    if (e != cudaSuccess)
        orr_device_forget();
    return e == cudaSuccess;
}

int orr_device_of(const void *memory)
{
    struct cudaPointerAttributes what;
    if (!memory || starpu_cuda_worker_get_count() == 0)
        return STARPU_MAIN_RAM;
    if (!fine(cudaPointerGetAttributes(&what, memory)) || what.type != cudaMemoryTypeDevice)
        return STARPU_MAIN_RAM;
    for (unsigned w = 0; w < starpu_worker_get_count(); w++)
        if (starpu_worker_get_type((int)w) == STARPU_CUDA_WORKER &&
            starpu_worker_get_devid((int)w) == what.device)
            return (int)starpu_worker_get_memory_node(w);
    return -1;
}

orr_status orr_device_do(const void *memory, orr_status (*work)(orr_stream, void *), void *arg)
{
    struct cudaPointerAttributes what;
    int before;
    if (!fine(cudaGetDevice(&before)) || !fine(cudaPointerGetAttributes(&what, memory)) ||
        !fine(cudaSetDevice(what.device)))
        return ORR_E_DEVICE;
    orr_status st = work(NULL, arg);
    if (!fine(cudaStreamSynchronize(NULL)) || !fine(cudaSetDevice(before)))
        st = ORR_E_DEVICE;
    return st;
}

void *orr_device_alloc(size_t bytes)
{
    void *p = NULL;
    return fine(cudaMalloc(&p, bytes)) ? p : NULL;
}

void orr_device_free(void *p) { (void)fine(cudaFree(p)); }

int orr_device_copy(void *to, const void *from, size_t bytes)
{
    return fine(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}
#else
int orr_device_of(const void *memory)
{
    (void)memory;
    return STARPU_MAIN_RAM;
}
orr_status orr_device_do(const void *memory, orr_status (*work)(orr_stream, void *), void *arg)
{
    (void)memory, (void)work, (void)arg;
    return ORR_E_DEVICE;
}
void *orr_device_alloc(size_t bytes)
{
    (void)bytes;
    return NULL;
}
void orr_device_free(void *p) { (void)p; }
int orr_device_copy(void *to, const void *from, size_t bytes)
{
    (void)to, (void)from, (void)bytes;
    return 0;
}
int orr_device_begin(int *capability)
{
    *capability = 0;
    return -1;
}
void orr_device_end(void) {}
void orr_device_forget(void) {}
#endif

struct orr_device orr_device_look(void)
{
    struct orr_device least = {1, 0, 0};
#ifdef ORR_WITH_CUDA
    int seen = 0;
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        if (starpu_worker_get_type((int)w) != STARPU_CUDA_WORKER)
            continue;
        const int d = starpu_worker_get_devid((int)w);
        struct orr_device one = {attribute(cudaDevAttrMultiProcessorCount, d, 1), capability_of(d),
                                 attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, d, 0)};
        const int shared = seen && least.shared < one.shared ? least.shared : one.shared;
        if (!seen++ || one.processors < least.processors)
            least = one;
        least.shared = shared;
    }
#endif
    return least;
}
