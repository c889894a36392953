/* See task.h. The symbols of StarPU are weak: the stand-in also serves programs without it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "task.h"

#pragma weak starpu_task_get_current
#pragma weak starpu_task_get_implementation
#pragma weak starpu_cuda_get_local_stream
#pragma weak starpu_progression_hook_register
#include <starpu.h>
#include <unistd.h>

static const void *pointer(const void *interface)
{
    const enum starpu_data_interface_id *id = interface;
    switch (*id) {
    case STARPU_VECTOR_INTERFACE_ID: return (void *)((struct starpu_vector_interface *)id)->ptr;
    case STARPU_MATRIX_INTERFACE_ID: return (void *)((struct starpu_matrix_interface *)id)->ptr;
    case STARPU_BLOCK_INTERFACE_ID: return (void *)((struct starpu_block_interface *)id)->ptr;
    case STARPU_VARIABLE_INTERFACE_ID: return (void *)((struct starpu_variable_interface *)id)->ptr;
    default: return NULL;
    }
}

int vgpu_task_now(struct vgpu_task *t)
{
    struct starpu_task *task = starpu_task_get_current ? starpu_task_get_current() : NULL;
    if (!task || !task->cl)
        return 0;
    void **interfaces = task->dyn_interfaces ? task->dyn_interfaces : task->interfaces;
    t->codelet = task->cl->name ? task->cl->name : "?";
    t->model = task->cl->model && task->cl->model->symbol ? task->cl->model->symbol : "";
    t->implementation = starpu_task_get_implementation(task);
    t->stream = starpu_cuda_get_local_stream();
    t->buffers = STARPU_TASK_GET_NBUFFERS(task);
    for (unsigned i = 0; i < t->buffers && t->buffers <= vgpu_most_buffers; i++)
        t->buffer[i] = (struct vgpu_buffer){pointer(interfaces[i]),
                                            !(STARPU_TASK_GET_MODE(task, i) & STARPU_W) &&
                                                !(STARPU_TASK_GET_MODE(task, i) & STARPU_SCRATCH)};
    return 1;
}

static unsigned rest(void *none)
{
    (void)none;
    usleep(50);
    return 1; /* the worker may block, too */
}

int vgpu_rest_between_polls(void)
{
    return starpu_progression_hook_register && starpu_progression_hook_register(rest, NULL) >= 0;
}
