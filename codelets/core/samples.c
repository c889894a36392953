/* How long tasks took, for calibration: what StarPU itself would add to its history, kept one
 * by one instead, so that outliers can be told from measurements.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "codelets/core/submit.h"

static double microseconds_between(const struct timespec *from, const struct timespec *to)
{
    return 1e6 * (double)(to->tv_sec - from->tv_sec) + 1e-3 * (double)(to->tv_nsec - from->tv_nsec);
}

static int kind_of(enum starpu_worker_archtype type)
{
    return type == STARPU_CPU_WORKER    ? ORR_KIND_CPU
           : type == STARPU_CUDA_WORKER ? ORR_KIND_CUDA
                                        : ORR_KIND_OPENCL;
}

/* What StarPU takes for the size of a task whose model does not say. */
static double bytes_of(struct starpu_task *task)
{
    double bytes = 0;
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++)
        bytes += (double)starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i));
    return bytes;
}

void orr_sample_take(struct orr_samples *s, struct starpu_task *task)
{
    const struct starpu_profiling_task_info *p = task->profiling_info;
    struct starpu_perfmodel *model = task->cl->model;
    if (!p || !model)
        return;
    struct starpu_perfmodel_arch *arch =
        starpu_worker_get_perf_archtype(p->workerid, STARPU_NMAX_SCHED_CTXS);
    const unsigned impl = starpu_task_get_implementation(task);
    const orr_sample one = {
        .model = model->symbol,
        .kind = kind_of(arch->devices[0].type),
        .device = arch->devices[0].devid,
        .cores = arch->devices[0].ncores,
        .impl = (int32_t)impl,
        .key = starpu_task_footprint(model, task, arch, impl),
        .size = model->size_base ? (double)model->size_base(task, impl) : bytes_of(task),
        .us = microseconds_between(&p->start_time, &p->end_time),
        .predicted = s->predict ? starpu_task_expected_length(task, arch, impl) : NAN,
    };
    STARPU_PTHREAD_MUTEX_LOCK(&s->lock);
    if (s->count == s->room) {
        const size_t room = s->room ? 2 * s->room : 1024;
        orr_sample *more = realloc(s->sample, room * sizeof *more);
        if (more) {
            s->sample = more;
            s->room = room;
        }
    }
    if (s->count < s->room)
        s->sample[s->count++] = one;
    else
        s->lost++;
    STARPU_PTHREAD_MUTEX_UNLOCK(&s->lock);
}
