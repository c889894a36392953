/* Virtual devices: what the stand-ins for libcudart and libcublas share with emulated launches.
 *
 * A device is a process, forked at the first call of the CUDA runtime, and memory mapped at one
 * address everywhere: usable in its own process, and by nobody else (docs/simt.md). Device code is
 * a function and at most vgpu_most bytes of arguments, copied when it is launched, as CUDA does.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_VGPU_H
#define ORR_VGPU_H

#include <cuda_runtime_api.h>
#include <stddef.h>

enum { vgpu_most = 4096 };

#ifdef __cplusplus
extern "C" {
#endif

/* Runs in the device's process. NULL, or what was wrong, in static memory. */
typedef const char *vgpu_function(void *arguments);

/* In the order of the stream. `what`, in static memory, names it in messages; blocks: of threads. */
cudaError_t vgpu_launch(cudaStream_t, vgpu_function *, const void *arguments, size_t bytes,
                        const char *what, size_t blocks);

/* The name of a function of the program, for messages; it stays valid. */
const char *vgpu_kernel_name(const void *function);
/* Bytes so far from the host to devices, or home. */
size_t vgpu_carried(int home);
/* The calling thread makes a handle of cuBLAS. */
void vgpu_count_handle(void);
int vgpu_processors(void);
int vgpu_capability(void);     /* 90: sm_90 */
size_t vgpu_most_shared(void); /* bytes of a thread block */
int vgpu_stream_lives(cudaStream_t);
void vgpu_defect(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
