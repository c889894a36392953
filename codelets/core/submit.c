/* See submit.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/submit.h"

#include <errno.h>
#include <stdlib.h>

#include "codelets/core/buffers.h"
#include "codelets/core/room.h"
#ifdef ORR_WITH_CUDA
#include "kernels/stall.h"
#endif

/* Submitting these takes less than a millisecond. */
enum { TASKS_BEFORE_GO = 100 };

void *orr_task_args(struct orr_request *r, size_t size, enum orr_where where)
{
    if (orr_request_failed(r))
        return NULL;
    struct orr_task *t = calloc(1, size);
    if (!t) {
        orr_request_fail(r, ORR_E_NOMEM, "task");
        return NULL;
    }
    t->req = r;
    t->cpu_only = where == ORR_ON_CPU;
    t->accel_only = where == ORR_ON_ACCELERATOR           ? 1
                    : where == ORR_ON_ACCELERATOR_IF_FITS ? ORR_ACCEL_IF_FITS
                                                          : 0;
    return t;
}

int orr_buffers_make(struct orr_request *r, struct orr_buffers *b, int64_t room)
{
    *b = (struct orr_buffers){.d = malloc((size_t)room * sizeof *b->d)};
    if (!b->d)
        orr_request_fail(r, ORR_E_NOMEM, "task");
    return b->d != NULL;
}

starpu_data_handle_t orr_task_scratch(struct orr_request *r, const struct orr_task *t,
                                      int64_t elements, size_t element_size)
{
#ifdef ORR_WITH_CUDA
    return t->cpu_only || elements == 0 ? NULL : orr_request_temporary(r, elements, element_size);
#else
    (void)r, (void)t, (void)elements, (void)element_size;
    return NULL;
#endif
}

struct orr_request *orr_submit_begin(void *args)
{
    struct orr_task *t = args;
    struct orr_request *r = t->req;
    if (r->plan) {
        atomic_fetch_add(&r->tasks, 1);
        return r;
    }
    if (r->trace)
        t->number = atomic_fetch_add(&r->trace->submitted, 1);
    /* Only a thread of the user is made to wait: a worker that waited for tasks would
     * wait for itself. */
    if (starpu_worker_get_id() < 0 && atomic_load(&r->pending) > r->in_flight)
        orr_request_drain(r, r->in_flight - r->in_flight / 10);
    atomic_fetch_add(&r->pending, 1);
    if (atomic_fetch_add(&r->tasks, 1) == TASKS_BEFORE_GO)
        orr_request_go(r);
    return r;
}

void orr_run_here(void *args, void (*cpu)(void **, void *))
{
    const struct orr_task *t = args;
    atomic_fetch_add(&t->req->tasks, 1);
    cpu(NULL, args);
    orr_request_did(t->req, t->parts);
    free(args);
}

/* Nothing is scratch here: who reads or writes memory of StarPU's own makes it. What is held is not
 * acquired again, unless it was read only and is written now. */
static int hold(struct orr_request *r, struct starpu_task *task, unsigned i, void **buffer)
{
    const starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, i);
    const enum starpu_data_access_mode asked = STARPU_TASK_GET_MODE(task, i);
    const enum starpu_data_access_mode mode = asked == STARPU_SCRATCH ? STARPU_W : asked;
    struct orr_held *held = orr_request_held(r, handle);
    if (!held)
        return -ENOMEM;
    if (held->mode != STARPU_NONE && (mode & ~held->mode)) {
        starpu_data_release(handle);
        held->mode = STARPU_NONE;
    }
    if (held->mode == STARPU_NONE) {
        const int rc = starpu_data_acquire(handle, mode);
        if (rc != 0)
            return rc;
        held->mode = mode & STARPU_W ? STARPU_RW : STARPU_R;
    }
    *buffer = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
    return 0;
}

int orr_task_here(struct orr_request *r, struct starpu_task *task)
{
    if (!task)
        return -ENOMEM;
    const struct orr_task *t = task->cl_arg;
    const unsigned count = STARPU_TASK_GET_NBUFFERS(task);
    void *buffer[count + 1]; /* STARPU_NMAXBUFS, or more named one by one */
    int rc = 0, impl = 0;
    for (unsigned i = 0; i < count && rc == 0; i++)
        rc = hold(r, task, i, &buffer[i]);
    while (t->cpu_impls && !(t->cpu_impls >> impl & 1))
        impl++;
    if (rc == 0)
        task->cl->cpu_funcs[impl](buffer, task->cl_arg);
    if (!r->keeps_data || rc != 0)
        orr_request_let_go(r);
    if (rc == 0) {
        orr_request_did(r, t->parts);
        orr_request_release(r);
    }
    task->destroy = 0; /* StarPU will not: it was not submitted */
    starpu_task_destroy(task);
    return rc;
}

int orr_submit_end(struct orr_request *r, int rc, const struct starpu_codelet *cl)
{
    if (rc == 0)
        return 1;
    orr_request_fail(r, rc == -ENOMEM ? ORR_E_NOMEM : ORR_E_NOWORKER, cl->name);
    orr_request_release(r);
    return 0;
}

void orr_cost_set(struct orr_task *t, double work, uint32_t shape)
{
    t->size[0] = t->size[1] = work > 1 ? (size_t)work : 1;
    t->key = shape;
}

void orr_cost_second(struct orr_task *t, double work) { t->size[1] = work > 1 ? (size_t)work : 1; }

uint32_t orr_cost_key(struct starpu_task *task)
{
    return ((const struct orr_task *)task->cl_arg)->key;
}

size_t orr_cost_size(struct starpu_task *task, unsigned impl)
{
    return ((const struct orr_task *)task->cl_arg)->size[impl > 0];
}

void orr_task_done(void *request)
{
    struct orr_request *r = request;
    struct starpu_task *task = starpu_task_get_current();
    const struct orr_task *t = task->cl_arg;
    if (r->trace)
        orr_trace_add(r->trace, task, t);
    if (r->samples && !t->idle && !orr_request_failed(r))
        orr_sample_take(r->samples, task);
    if (t->parts)
        orr_request_did(r, t->parts);
    orr_gate_open(t->opens);
    orr_request_release(r);
}

/* Of the worker's memory; INT64_MAX: it is main memory, or nobody knows. */
static int64_t memory_of(unsigned worker)
{
    unsigned node = starpu_worker_get_memory_node(worker);
    starpu_ssize_t total = node == STARPU_MAIN_RAM ? -1 : starpu_memory_get_total(node);
    return total < 0 ? INT64_MAX : total;
}

static int chunked(unsigned worker)
{
    return starpu_worker_get_type((int)worker) == STARPU_CUDA_WORKER;
}

int64_t orr_accelerator_room(void)
{
    int64_t least = INT64_MAX;
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        const int64_t total = memory_of(w);
        const int64_t room = total == INT64_MAX ? total : orr_room_bytes(total, chunked(w));
        least = room < least ? room : least;
    }
    return least;
}

size_t orr_buffer_bytes(int64_t elements, size_t element_size)
{
    starpu_data_handle_t h;
    if (elements > UINT32_MAX)
        return (size_t)elements * element_size;
    starpu_vector_data_register(&h, -1, 0, (uint32_t)elements, element_size);
    const size_t bytes = starpu_data_get_size(h);
    starpu_data_unregister_submit(h);
    return bytes;
}

int orr_accelerators_fit(const struct orr_need *need)
{
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        const int64_t total = memory_of(w);
        if (total != INT64_MAX && !orr_room_fits(total, chunked(w), need))
            return 0;
    }
    return 1;
}

static int fits(unsigned worker, struct starpu_task *task)
{
    const int64_t total = memory_of(worker);
    struct orr_need need = {0};
    if (total == INT64_MAX)
        return 1;
    unsigned n = STARPU_TASK_GET_NBUFFERS(task);
    for (unsigned i = 0; i < n; i++)
        orr_need_add(&need, starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i)));
    return orr_room_fits(total, chunked(worker), &need);
}

/* It goes on where its chain began, unless there is no room for it. */
static int at_home(unsigned worker, struct starpu_task *task, const struct orr_task *t)
{
    const int home = t->home ? atomic_load(&t->home->worker) : 0;
    return home == 0 || home == (int)worker + 1 || !fits((unsigned)home - 1, task);
}

/* Its data are in this worker's memory, or will be; or nowhere in particular. */
static int owned(unsigned worker, struct starpu_task *task, const struct orr_task *t)
{
    if (t->owner == 0 || (int)starpu_worker_get_memory_node(worker) == t->owner)
        return 1;
    for (unsigned w = 0; w < starpu_worker_get_count(); w++)
        if ((int)starpu_worker_get_memory_node(w) == t->owner)
            return !fits(w, task);
    return 1;
}

static int fits_accelerator(struct starpu_task *task)
{
    for (unsigned w = 0; w < starpu_worker_get_count(); w++)
        if (starpu_worker_get_type((int)w) != STARPU_CPU_WORKER && fits(w, task))
            return 1;
    return 0;
}

/* No CPU shall have it. */
static int for_accelerators(struct starpu_task *task, const struct orr_task *t)
{
    return t->accel_only == ORR_ACCEL_IF_FITS ? fits_accelerator(task) : t->accel_only != 0;
}

int orr_can_execute(unsigned worker, struct starpu_task *task, unsigned impl)
{
    const struct orr_task *t = task->cl_arg;
    const enum starpu_worker_archtype type = starpu_worker_get_type((int)worker);
    if (type == STARPU_CUDA_WORKER && t->cuda_impls != 0 && !(t->cuda_impls >> impl & 1))
        return 0;
    if (type == STARPU_CPU_WORKER)
        return (t->cpu_impls == 0 || (t->cpu_impls >> impl & 1)) && !for_accelerators(task, t);
    if (t->cpu_only || !at_home(worker, task, t) || !owned(worker, task, t))
        return 0;
    if (fits(worker, task))
        return 1;
    atomic_store(&t->req->too_large, task->cl->name);
    return 0;
}

int orr_device_stalled(char *text, size_t room)
{
#ifdef ORR_WITH_CUDA
    return orr_stall_text(text, room);
#else
    return (void)text, (void)room, 0;
#endif
}
