/* The StarPU task that a thread is running, as the stand-in sees it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_VGPU_TASK_H
#define ORR_VGPU_TASK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vgpu_buffer {
    const void *p;
    int reads_only;
};
enum { vgpu_most_buffers = 1024 };
struct vgpu_task {
    const char *codelet, *model; /* model: the symbol of its performance model, or "" */
    unsigned implementation;
    void *stream;     /* that the worker would have it use */
    unsigned buffers; /* more than vgpu_most_buffers: not listed */
    struct vgpu_buffer buffer[vgpu_most_buffers];
};

/* 0: this thread runs no task, or the program has no StarPU. */
int vgpu_task_now(struct vgpu_task *);

/* From now on workers of StarPU sleep a little each time they have looked for work: polling, they
 * would keep the processors from the emulated kernels. 0: the program has no StarPU. */
int vgpu_rest_between_polls(void);

#ifdef __cplusplus
}
#endif
#endif
