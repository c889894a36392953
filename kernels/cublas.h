/* cuBLAS's handles of the calling thread, which is a worker of StarPU. They are made on time because
 * that takes some 100 ms, and dropped on time because a handle must not outlive its stream.
 * Without these calls the first product makes one, and the end of the thread drops it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_CUBLAS_H
#define ORR_KERNELS_CUBLAS_H

#ifdef __cplusplus
extern "C" {
#endif

void orr_cublas_begin(void *stream); /* a cudaStream_t of the current device */
void orr_cublas_end(void);

#ifdef __cplusplus
}
#endif
#endif
