/* What the devices of this run are: for plans that are shaped for them. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_DEVICE_H
#define ORR_CODELETS_DEVICE_H

/* Of several the smallest; 1 and 0 where the device does not say (OpenCL, or none). */
struct orr_device {
    int processors;
    int capability; /* 90: sm_90 */
};
struct orr_device orr_device_look(void);

/* What every CUDA worker needs before its first task and not after its last one; StarPU must not be paused. */
void orr_device_begin(void);
void orr_device_end(void);
/* This thread's last error of CUDA is dealt with. */
void orr_device_forget(void);

#endif
