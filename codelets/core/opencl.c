/* A second memory node without a GPU, for tests: StarPU's OpenCL worker on the CPU (PoCL)
 * has buffers of its own. They are mapped, and the CPU kernel runs on the mapping, so
 * that transfers, coherency, eviction and placement are those of a real device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/task.h"

#ifdef ORR_OPENCL_ON_CPU
#include <starpu_opencl.h>
#include <stddef.h>

/* Codelets use vectors, matrices and variables. All three begin with these members. */
struct common {
    enum starpu_data_interface_id id;
    uintptr_t ptr, dev_handle;
    size_t offset;
};
#define SAME_PLACE(type, member)                                                                   \
    _Static_assert(offsetof(struct common, member) == offsetof(struct type, member), #type)
SAME_PLACE(starpu_vector_interface, ptr);
SAME_PLACE(starpu_vector_interface, dev_handle);
SAME_PLACE(starpu_vector_interface, offset);
SAME_PLACE(starpu_matrix_interface, offset);
SAME_PLACE(starpu_variable_interface, offset);

union any_interface {
    struct common common;
    struct starpu_vector_interface vector;
    struct starpu_matrix_interface matrix;
    struct starpu_variable_interface variable;
};

/* Copies an interface; returns the bytes that it spans on its node. */
static size_t copy_interface(union any_interface *to, const void *from)
{
    switch (((const struct common *)from)->id) {
    case STARPU_VECTOR_INTERFACE_ID:
        to->vector = *(const struct starpu_vector_interface *)from;
        return (size_t)to->vector.nx * to->vector.elemsize;
    case STARPU_MATRIX_INTERFACE_ID:
        to->matrix = *(const struct starpu_matrix_interface *)from;
        if (to->matrix.nx == 0 || to->matrix.ny == 0)
            return 0;
        return ((size_t)(to->matrix.ny - 1) * to->matrix.ld + to->matrix.nx) * to->matrix.elemsize;
    default:
        to->variable = *(const struct starpu_variable_interface *)from;
        to->variable.dev_handle = to->variable.ptr; /* StarPU keeps a variable's there */
        return to->variable.elemsize;
    }
}

void orr_opencl_map_and_run(void (*cpu)(void **, void *), void **buf, void *arg)
{
    struct orr_request *r = ((struct orr_task *)arg)->req;
    struct starpu_task *task = starpu_task_get_current();
    unsigned n = STARPU_TASK_GET_NBUFFERS(task), mapped = 0;
    union any_interface host[n + 1]; /* STARPU_NMAXBUFS, or more named one by one */
    void *host_buf[n + 1];
    size_t bytes[n + 1];
    cl_command_queue queue;
    starpu_opencl_get_queue(starpu_worker_get_devid(starpu_worker_get_id()), &queue);

    for (; mapped < n; mapped++) {
        union any_interface *h = &host[mapped];
        bytes[mapped] = copy_interface(h, buf[mapped]);
        host_buf[mapped] = h;
        if (bytes[mapped] == 0)
            continue;
        cl_int err;
        h->common.ptr = (uintptr_t)clEnqueueMapBuffer(queue, (cl_mem)h->common.dev_handle, CL_TRUE,
                                                      CL_MAP_READ | CL_MAP_WRITE, h->common.offset,
                                                      bytes[mapped], 0, NULL, NULL, &err);
        if (err != CL_SUCCESS)
            break;
    }
    if (mapped == n)
        cpu(host_buf, arg);
    else
        orr_request_fail(r, ORR_E_DEVICE, task->cl->name);
    while (mapped-- > 0)
        if (bytes[mapped])
            clEnqueueUnmapMemObject(queue, (cl_mem)host[mapped].common.dev_handle,
                                    (void *)host[mapped].common.ptr, 0, NULL, NULL);
    clFinish(queue);
}
#endif
