/* See trace.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/trace.h"

#include <stdlib.h>

#include "codelets/core/request.h"

_Static_assert((int)ORR_ACCESS_RW == STARPU_RW && (int)ORR_ACCESS_SCRATCH == STARPU_SCRATCH &&
                   (int)ORR_ACCESS_REDUX == STARPU_REDUX &&
                   (int)ORR_ACCESS_COMMUTE == STARPU_COMMUTE &&
                   (int)ORR_ACCESS_SSEND == STARPU_SSEND &&
                   (int)ORR_ACCESS_LOCALITY == STARPU_LOCALITY,
               "codelets/access.h has StarPU's values");

enum { MOST_RECORDS = 1 << 22 }; /* about half a gigabyte */

/* Room for one more of `size` bytes; 0: memory ran out, nothing changed. */
static int grow(void **array, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room)
        return 1;
    size_t more = *room ? 2 * *room : 1024;
    while (more < needed)
        more *= 2;
    void *p = realloc(*array, more * size);
    if (!p)
        return 0;
    *array = p;
    *room = more;
    return 1;
}

static double microseconds(const struct timespec *t)
{
    return 1e6 * (double)t->tv_sec + 1e-3 * (double)t->tv_nsec;
}

/* An address serves many handles, one after the other: each gets a number of its own. */
static uint64_t identity(struct orr_trace *tr, starpu_data_handle_t h)
{
    uintptr_t id = (uintptr_t)starpu_data_get_user_data(h);
    if (!id) {
        id = (uintptr_t)++tr->handles;
        starpu_data_set_user_data(h, (void *)id);
    }
    return (uint64_t)id;
}

static size_t keep_data(struct orr_trace *tr, struct starpu_task *task)
{
    const unsigned n = STARPU_TASK_GET_NBUFFERS(task);
    const size_t first = tr->accesses;
    if (!grow((void **)&tr->access, &tr->access_room, first + n, sizeof *tr->access))
        return ORR_TRACE_LOST;
    for (unsigned i = 0; i < n; i++)
        tr->access[tr->accesses++] = (struct orr_trace_access){
            .data = identity(tr, STARPU_TASK_GET_HANDLE(task, i)),
            .mode = (int)STARPU_TASK_GET_MODE(task, i),
            .bytes = starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i)),
        };
    return first;
}

void orr_trace_data(void *unused)
{
    (void)unused;
    struct starpu_task *task = starpu_task_get_current();
    struct orr_task *t = task->cl_arg;
    struct orr_trace *tr = t->req->trace;
    STARPU_PTHREAD_MUTEX_LOCK(&tr->lock);
    t->accesses = tr->count < MOST_RECORDS ? keep_data(tr, task) : ORR_TRACE_LOST;
    STARPU_PTHREAD_MUTEX_UNLOCK(&tr->lock);
}

static void keep(struct orr_trace *tr, const struct orr_trace_record *rec)
{
    if (rec->first == ORR_TRACE_LOST || tr->count >= MOST_RECORDS ||
        !grow((void **)&tr->record, &tr->room, tr->count + 1, sizeof *tr->record))
        tr->lost++;
    else {
        tr->record[tr->count] = *rec;
        tr->record[tr->count++].run = tr->run;
    }
}

static int is_sync(const struct starpu_codelet *c, unsigned impl, int worker)
{
    const enum starpu_worker_archtype type = starpu_worker_get_type(worker);
    return type == STARPU_CUDA_WORKER     ? !(c->cuda_flags[impl] & STARPU_CUDA_ASYNC)
           : type == STARPU_OPENCL_WORKER ? !(c->opencl_flags[impl] & STARPU_OPENCL_ASYNC)
                                          : 0;
}

void orr_trace_add(struct orr_trace *tr, struct starpu_task *task, const struct orr_task *t)
{
    const struct starpu_profiling_task_info *p = task->profiling_info;
    if (!p)
        return;
    struct starpu_perfmodel *model = task->cl->model;
    struct starpu_perfmodel_arch *arch =
        starpu_worker_get_perf_archtype(p->workerid, STARPU_NMAX_SCHED_CTXS);
    const unsigned impl = starpu_task_get_implementation(task);
    struct orr_trace_record rec = {
        .name = task->cl->name,
        .worker = p->workerid,
        .impl = (int)impl,
        .number = t->number,
        .symbol = model ? model->symbol : NULL,
        .footprint = model ? starpu_task_footprint(model, task, arch, impl) : 0,
        .priority = task->priority,
        .cpu_only = t->cpu_only != 0,
        .accel_only = t->accel_only != 0,
        .owner = t->owner,
        .cuda = task->cl->cuda_flags[0] != 0,
        .sync = is_sync(task->cl, impl, p->workerid),
        .parts = t->parts,
        .tag = t->tag,
        .row = t->first,
        .span = t->span,
        .group = t->group,
        .first = t->accesses,
        .accesses = STARPU_TASK_GET_NBUFFERS(task),
        .submit = microseconds(&p->submit_time),
        .ready = microseconds(&p->push_start_time),
        .acquire = microseconds(&p->acquire_data_start_time),
        .acquired = microseconds(&p->acquire_data_end_time),
        .start = microseconds(&p->start_time),
        .end = microseconds(&p->end_time),
    };
    STARPU_PTHREAD_MUTEX_LOCK(&tr->lock);
    keep(tr, &rec);
    STARPU_PTHREAD_MUTEX_UNLOCK(&tr->lock);
}
