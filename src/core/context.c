/* A context: StarPU started (start.c), or borrowed.
 *
 * StarPU is one per process, and so is the count of who needs its workers running: idle
 * workers poll at 100 %, so they are paused while no operation is in flight (only where
 * Orrery started StarPU; a StarPU that was already running is its owner's to pause).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/numbers.h"
#include "orrery/models.h"
#include "schedulers/schedulers.h"
#include "src/core/blas.h"
#include "src/core/ranks.h"
#include "src/core/start.h"

#ifdef ORR_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

/* ---- Pausing: the one thing that is per process, as StarPU is ------------------------- */

static struct {
    pthread_mutex_t lock;
    int contexts;               /* open */
    int owned;                  /* StarPU was started by the first of them */
    int active;                 /* operations in flight */
    int changing;               /* StarPU is being started or stopped */
    int forked;                 /* this is the child of a process in which StarPU ran */
    struct orr_start_wait wait; /* of orr_on_wait */
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A child has StarPU's data and locks as they were, and none of its threads: it would wait for
 * ever. Another thread of the parent may hold our lock. */
static void in_child(void)
{
    process.forked |= process.changing || starpu_is_initialized();
    pthread_mutex_init(&process.lock, NULL);
}

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

int orr_forked(void) { return process.forked; }

orr_status orr_barred(void)
{
    if (process.forked)
        return ORR_E_NOWORKER;
    return starpu_worker_get_id() < 0 ? ORR_OK : ORR_E_ARG;
}

void orr_context_enter(orr_context *c)
{
    (void)c;
    pthread_mutex_lock(&process.lock);
    if (process.active++ == 0 && process.owned)
        starpu_resume();
    pthread_mutex_unlock(&process.lock);
}

void orr_context_leave(orr_context *c)
{
    (void)c;
    pthread_mutex_lock(&process.lock);
    if (--process.active == 0 && process.owned)
        starpu_pause();
    pthread_mutex_unlock(&process.lock);
}

void orr_versions(orr_context_info *info)
{
    int major, minor, release;
    starpu_get_version(&major, &minor, &release);
    snprintf(info->starpu, sizeof info->starpu, "%d.%d.%d", major, minor, release);
    info->has_cuda = 0;
    info->cuda_version[0] = 0;
#ifdef ORR_WITH_CUDA
    info->has_cuda = 1;
    snprintf(info->cuda_version, sizeof info->cuda_version, "%d.%d", CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10);
#endif
    orr_ranks_library(info->mpi, sizeof info->mpi);
    orr_blas_name(info->blas, sizeof info->blas);
}

/* ---- Policies -------------------------------------------------------------------------------- */

int orr_policy(int index, orr_policy_info *out)
{
    struct starpu_sched_policy *const *list = orr_sched_policies;
    if (index < 0 || !out)
        return 0;
    int own = 1, i = index;
    for (; own || *list; list++) {
        if (!*list) { /* the end of ours; StarPU's begin */
            own = 0;
            list = starpu_sched_get_predefined_policies();
            if (!*list)
                return 0;
        }
        if (i-- == 0) {
            const char *about = (*list)->policy_description;
            *out =
                (orr_policy_info){.name = (*list)->policy_name,
                                  .about = about ? about : "",
                                  .refused = own ? NULL : orr_sched_refused((*list)->policy_name),
                                  .own = own};
            return 1;
        }
    }
    return 0;
}

/* ---- Open and close ------------------------------------------------------------------------- */

void orr_on_wait(void (*tell)(const char *what, void *arg), void *arg)
{
    pthread_mutex_lock(&process.lock);
    process.wait = (struct orr_start_wait){.tell = tell, .arg = arg};
    pthread_mutex_unlock(&process.lock);
}

/* A StarPU that was just started. On a device without code every task would fail. */
static orr_status begin_on_devices(const orr_context_opts *o)
{
    int capability;
    const int device = orr_device_begin(&capability);
    if (device < 0)
        return ORR_OK;
    orr_device_end();
    starpu_shutdown();
    orr_start_clean();
    if (o->message)
        snprintf(
            o->message, ORR_MESSAGE,
            "CUDA device %d has compute capability %d.%d, for which the library was not "
            "compiled (8.0 is the least): leave it out by CUDA_VISIBLE_DEVICES, or all devices "
            "by cudas = -1, --cudas 0",
            device, capability / 10, capability % 10);
    return ORR_E_DEVICE;
}

static orr_status open_locked(orr_context *c, const orr_context_opts *o,
                              struct orr_ranks_place place)
{
    if (process.contexts == 0)
        process.owned = !starpu_is_initialized();
    orr_blas_look();
    orr_status st = ORR_OK;
    if (!starpu_is_initialized()) {
        st = orr_start(c, o, place, &process.wait);
        c->info.owned = 1;
        if (st == ORR_OK && orr_blas_asks_threads() && starpu_cpu_worker_get_count() > 0) {
            orr_blas_alone();
            starpu_execute_on_each_worker(orr_blas_thread_alone, NULL, STARPU_CPU);
            orr_blas_restore();
        }
        if (st == ORR_OK)
            st = begin_on_devices(o);
        if (st == ORR_OK && process.active == 0)
            starpu_pause();
    } else if (starpu_init(NULL) != 0) { /* StarPU counts: it now outlives its first owner */
        st = ORR_E_NOWORKER;
    } else {
        snprintf(c->info.sched, sizeof c->info.sched, "%s",
                 starpu_sched_ctx_get_sched_policy(0)->policy_name);
    }
    if (st == ORR_OK)
        process.contexts++;
    return st;
}

static void close_locked(void)
{
    if (--process.contexts == 0 && process.owned) {
        starpu_resume(); /* a paused StarPU cannot shut down */
        orr_device_end();
    }
    starpu_shutdown();
    if (!starpu_is_initialized())
        orr_start_clean();
}

/* Together with the other ranks. */
static orr_status join_locked(orr_context *c, const orr_context_opts *o)
{
    const struct orr_ranks_place place = orr_ranks_place(o->mpi_comm);
    orr_status st = open_locked(c, o, place);
    const int started = st == ORR_OK;
    c->info.ranks = 1;
    st = orr_ranks_open(c, o->mpi_comm, place.crowded, st, o->message);
    if (st != ORR_OK && started) {
        orr_ranks_close(c);
        close_locked();
    }
    return st;
}

orr_status orr_open(const orr_context_opts *opts, orr_context **out)
{
    if (!out)
        return ORR_E_ARG;
    *out = NULL;
    orr_context_opts o = opts ? *opts : (orr_context_opts){0};
    if (process.forked) {
        if (o.message)
            snprintf(o.message, ORR_MESSAGE, "%s", orr_why(ORR_E_NOWORKER));
        return ORR_E_NOWORKER;
    }
    orr_context *c = calloc(1, sizeof *c);
    struct orr_trace *trace = o.trace ? calloc(1, sizeof *trace) : NULL;
    struct orr_samples *samples = o.samples ? calloc(1, sizeof *samples) : NULL;
    if (!c || (o.trace && !trace) || (o.samples && !samples)) {
        free(c);
        free(trace);
        free(samples);
        return ORR_E_NOMEM;
    }
    pthread_mutex_lock(&process.lock);
    process.changing = 1;
    const locale_t locale = orr_numbers_begin();
    orr_status st = join_locked(c, &o);
    orr_numbers_end(locale);
    process.changing = 0;
    pthread_mutex_unlock(&process.lock);
    if (st != ORR_OK) {
        free(trace);
        free(samples);
        free(c);
        return st;
    }

    c->in_flight = o.in_flight > 0 ? o.in_flight : 1000;
    c->info.cpu = (int)starpu_cpu_worker_get_count();
    c->info.cuda = (int)starpu_cuda_worker_get_count();
    c->info.opencl = (int)starpu_opencl_worker_get_count();
    c->info.max_cpus = STARPU_MAXCPUS;
    orr_versions(&c->info);
    pthread_mutex_init(&c->kept_lock, NULL);
    c->device = orr_device_look();
    if (trace || samples)
        c->profiling_was = starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    if (trace) {
        STARPU_PTHREAD_MUTEX_INIT(&trace->lock, NULL);
        trace->analysed = -1;
    }
    if (samples) {
        STARPU_PTHREAD_MUTEX_INIT(&samples->lock, NULL);
        samples->predict = o.samples > 1;
    }
    c->trace = trace;
    c->recording = trace != NULL;
    c->samples = samples;
    *out = c;
    return ORR_OK;
}

void orr_close(orr_context *c)
{
    if (!c || process.forked)
        return;
    if (c->trace || c->samples)
        starpu_profiling_status_set(c->profiling_was);
    if (c->samples) {
        STARPU_PTHREAD_MUTEX_DESTROY(&c->samples->lock);
        free(c->samples->sample);
        free(c->samples);
    }
    if (c->trace) {
        STARPU_PTHREAD_MUTEX_DESTROY(&c->trace->lock);
        free(c->trace->record);
        free(c->trace->access);
        free(c->last);
        free(c->trace);
    }
    orr_context_forget(c);
    orr_spare_drop(&c->spare);
    pthread_mutex_destroy(&c->kept_lock);
    orr_planner_free(c->planner);
    orr_ranks_close(c);
    pthread_mutex_lock(&process.lock);
    process.changing = 1;
    const locale_t locale = orr_numbers_begin();
    close_locked();
    orr_numbers_end(locale);
    process.changing = 0;
    pthread_mutex_unlock(&process.lock);
    free(c);
}

void orr_context_query(orr_context *c, orr_context_info *out)
{
    if (out)
        *out = c ? c->info : (orr_context_info){0};
}

const char *orr_progress_stage(void)
{
    const struct starpu_task *task = starpu_is_initialized() ? starpu_task_get_current() : NULL;
    return task && task->cl && task->cl->name ? task->cl->name : "";
}

int orr_device_stall(char *text, size_t room) { return orr_device_stalled(text, room); }

/* ---- Plans ------------------------------------------------------------------------------------ */

orr_status orr_plan_begin(orr_context *c)
{
    if (!c || c->planner)
        return ORR_E_ARG;
    c->planned[0] = 0;
    c->planner = orr_planner_make();
    return c->planner ? ORR_OK : ORR_E_NOMEM;
}

void orr_plan_end(orr_context *c, orr_plan *plan)
{
    if (!c || !c->planner)
        return;
    if (plan) {
        orr_planner_result(c->planner, plan);
        memcpy(plan->plan, c->planned, sizeof plan->plan);
    }
    orr_planner_free(c->planner);
    c->planner = NULL;
}

/* ---- Cancelling --------------------------------------------------------------------------------- */

unsigned orr_context_entered(orr_context *c) { return c ? atomic_load(&c->cancels) : 0; }

void orr_cancel(orr_context *c)
{
    if (c)
        atomic_fetch_add(&c->cancels, 1);
}
