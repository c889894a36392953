/* What the devices of this run are: for plans that are shaped for them. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_DEVICE_H
#define ORR_CODELETS_DEVICE_H

#include <stddef.h>

#include "kernels/kernel.h"

/* Of several the smallest; 1 and 0 where the device does not say (OpenCL, or none). */
struct orr_device {
    int processors;
    int capability; /* 90: sm_90 */
    int shared;     /* bytes of shared memory that a thread block may have, on any of them */
};
struct orr_device orr_device_look(void);

/* What every CUDA worker needs before its first task and not after its last one; StarPU must not be paused. Returns -1,
 * or a device for which the library has no code; *capability: its own. */
int orr_device_begin(int *capability);
void orr_device_end(void);
/* StarPU's number of the memory that an array is in: 0 is main memory, as is what only seems to be
 * on a device; -1: of a device that has no worker. */
int orr_device_of(const void *memory);
/* Work on the device that `memory` is in, on its default stream, done when it returns. The calling
 * thread's device is as before then. */
orr_status orr_device_do(const void *memory, orr_status (*work)(orr_stream, void *), void *arg);
void *orr_device_alloc(size_t bytes); /* within such work; NULL: there is no such memory left */
void orr_device_free(void *);
/* Between the memory of any device and main memory, either way, done when it returns. 0: it failed. */
int orr_device_copy(void *to, const void *from, size_t bytes);
/* This thread's last error of CUDA is dealt with. */
void orr_device_forget(void);

#endif
