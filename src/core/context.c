/* A context: StarPU started the way a library should start it, or borrowed.
 *
 * StarPU is one per process, and so is the count of who needs its workers running: idle
 * workers poll at 100 %, so they are paused while no operation is in flight (only where
 * Orrery started StarPU; a StarPU that was already running is its owner's to pause).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "codelets/core/numbers.h"
#include "schedulers/schedulers.h"
#include "src/core/blas.h"
#include "src/core/internal.h"
#include "src/core/ranks.h"
#include "src/models/internal.h"

#ifdef ORR_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

/* ---- Pausing: the one thing that is per process, as StarPU is ------------------------- */

static struct {
    pthread_mutex_t lock;
    int contexts;        /* open */
    int owned;           /* StarPU was started by the first of them */
    int active;          /* operations in flight */
    int changing;        /* StarPU is being started or stopped */
    int forked;          /* this is the child of a process in which StarPU ran */
    char temporary[512]; /* directory of StarPU's files, to be removed; "": none */
    void (*tell)(const char *what, void *arg); /* of orr_on_wait */
    void *tell_arg;
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

/* ---- Environment that starpu_init reads; put back afterwards ----------------------------- */

struct env {
    const char *name;
    char *old;
    int changed;
};

static void env_set(struct env *e, const char *name, const char *value)
{
    const char *old = getenv(name);
    e->name = name;
    e->old = old ? strdup(old) : NULL;
    e->changed = 1;
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void env_set_default(struct env *e, const char *name, const char *value)
{
    if (!getenv(name))
        env_set(e, name, value);
}

static void env_restore(struct env *e)
{
    if (!e->changed)
        return;
    if (e->old)
        setenv(e->name, e->old, 1);
    else
        unsetenv(e->name);
    free(e->old);
    *e = (struct env){0};
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

/* Work stealing keeps a chunk where its data is; with a device the models decide. */
static const char *default_policy(const struct starpu_conf *conf)
{
#ifdef ORR_WITH_CUDA
    if (conf->ncuda != 0) {
        int devices = 0;
        if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0)
            return "dmdas";
    }
#endif
    return conf->nopencl > 0 ? "dmdas" : "lws";
}

/* Where there are fewer cores than threads a worker that polls keeps others from running: the
 * chosen policy, but a worker that it has no task for sleeps a little. One per process, as StarPU
 * is. */
static struct starpu_sched_policy considerate;
static struct starpu_task *(*pop_of_policy)(unsigned);

static struct starpu_task *pop_or_sleep(unsigned ctx)
{
    const struct timespec nap = {.tv_nsec = 20000};
    struct starpu_task *task = pop_of_policy(ctx);
    if (task)
        return task;
    nanosleep(&nap, NULL);
    return NULL;
}

static struct starpu_sched_policy *make_considerate(const struct starpu_sched_policy *p)
{
    considerate = *p;
    pop_of_policy = p->pop_task;
    considerate.pop_task = pop_or_sleep;
    return &considerate;
}

static void remove_temporary(void)
{
    if (process.temporary[0])
        orr_remove_tree(process.temporary);
    process.temporary[0] = 0;
}

/* Models are learnt where somebody asks for it; else those of this machine are used, if any. */
static orr_status choose_models(orr_context *c, const orr_context_opts *o)
{
    struct orr_models_use use = {0};
    const char *calibrate = getenv("STARPU_CALIBRATE");
    const int learn = o->calibrate || (calibrate && atoi(calibrate) > 0);
    const orr_status st = orr_models_choose(o->model_dir, learn, &use);
    memcpy(c->info.model_dir, use.dir, sizeof use.dir);
    memcpy(c->info.model_source, use.source, sizeof use.source);
    memcpy(c->info.model_machine, use.machine, sizeof use.machine);
    if (o->message)
        memcpy(o->message, use.note, sizeof use.note);
    if (use.temporary)
        memcpy(process.temporary, use.dir, sizeof use.dir);
    if (st != ORR_OK)
        remove_temporary();
    return st;
}

/* A file of ours alone: one that another user put there could be locked for ever. */
static int open_lock(const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()))
        return fd;
    close(fd);
    return -1;
}

void orr_on_wait(void (*tell)(const char *what, void *arg), void *arg)
{
    pthread_mutex_lock(&process.lock);
    process.tell = tell;
    process.tell_arg = arg;
    pthread_mutex_unlock(&process.lock);
}

/* Who has the lock may be of a container whose processes have no number here. */
static void tell_wait(int fd, const char *path)
{
    char what[700];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int known = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0;
    if (!process.tell)
        return;
    if (known)
        snprintf(what, sizeof what, "waiting for process %ld, which has locked %s",
                 (long)lock.l_pid, path);
    else
        snprintf(what, sizeof what, "waiting for the process that has locked %s", path);
    process.tell(what, process.tell_arg);
}

/* Processes of a user start StarPU one after another: where it is started for the first time it
 * writes files, and dies of those that another process has only half written. Returns a
 * descriptor to close, or -1: after a minute, or without a place for the lock, it goes on. */
static int start_lock(const char *model_dir)
{
    char path[600];
    snprintf(path, sizeof path, "/tmp/orrery-start-%lu.lock", (unsigned long)geteuid());
    int fd = open_lock(path);
    if (fd < 0) {
        snprintf(path, sizeof path, "%s/orrery-start.lock", model_dir);
        fd = open_lock(path);
    }
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int tries = 0; fd >= 0 && tries < 6000; tries++) {
        if (lockf(fd, F_TLOCK, 0) == 0 || (errno != EACCES && errno != EAGAIN))
            break;
        if (tries == 200)
            tell_wait(fd, path);
        nanosleep(&pause, NULL);
    }
    return fd;
}

enum { MAX_PUT = 16 }; /* variables that start_starpu changes */

/* A number of workers that the caller asks for wins over a variable; StarPU would let the variable
 * win. */
static struct env *env_overrule(struct env *e, const orr_context_opts *o)
{
    /* clang-format off */
    const struct { int asked; const char *name; } workers[] = {
        {o->cpus, "STARPU_NCPU"}, {o->cpus, "STARPU_NCPUS"}, /* since 1.4 */
        {o->cudas, "STARPU_NCUDA"}, {o->opencls, "STARPU_NOPENCL"},
    };
    /* clang-format on */
    for (size_t k = 0; k < sizeof workers / sizeof *workers; k++)
        if (workers[k].asked)
            env_set(e++, workers[k].name, NULL);
    return e;
}

/* StarPU would make as many workers as the machine has devices, whatever STARPU_WORKERS_CUDAID names:
 * several for one, of which it starts a single one. */
static struct env *env_name_cudas(struct env *e, struct starpu_conf *conf)
{
    const int named = orr_environment_cudas(conf->workers_cuda_gpuid);
    if (named == 0)
        return e;
    conf->use_explicit_workers_cuda_gpuid = 1;
    if (conf->ncuda < 0 || conf->ncuda > named)
        conf->ncuda = named;
    env_set(e++, "STARPU_WORKERS_CUDAID", NULL);
    env_set(e++, "STARPU_NCUDA", NULL);
    return e;
}

/* Slurm tells how many processors a task is to use, and may bind the task to none of them. 0: not
 * told, or the process has no more. */
static int batch_cpus(void)
{
    const char *told = getenv("SLURM_CPUS_PER_TASK");
    char *end = NULL;
    const long cpus = told ? strtol(told, &end, 10) : 0;
    return told && end != told && !*end && cpus > 0 && cpus < omp_get_num_procs() ? (int)cpus : 0;
}

static int worker_count(int option) { return option > 0 ? option : option < 0 ? 0 : -1; }

static orr_status start_starpu(orr_context *c, const orr_context_opts *o,
                               struct orr_ranks_place place)
{
    orr_status st = orr_environment_wrong(o->message);
    if (st == ORR_OK)
        st = choose_models(c, o);
    if (st != ORR_OK)
        return st;
    const char *env_sched = getenv("STARPU_SCHED");
    struct env put[MAX_PUT] = {{0}}, *e = put;
    struct starpu_conf conf;

    /* StarPU would let the variable win, and run another policy if it is misspelt. */
    char *named = env_sched ? strdup(env_sched) : NULL;
    env_set(e++, "STARPU_SCHED", NULL);
    e = env_overrule(e, o);
    env_set_default(e++, "STARPU_SILENT", "1");
    env_set_default(e++, "STARPU_WORKERS_GETBIND", "1"); /* honour taskset and cgroups */
    /* Nothing leaves a device before its memory is full: tiles are written in every step. */
    env_set_default(e++, "STARPU_MINIMUM_CLEAN_BUFFERS", "0");
    env_set_default(e++, "STARPU_TARGET_CLEAN_BUFFERS", "0");
    env_set(e++, "STARPU_PERF_MODEL_DIR", c->info.model_dir);
    /* Whatever else StarPU has to write. StarPU 1.4 would also read models there, beside those named. */
    const char *home = STARPU_MAJOR_VERSION == 1 && STARPU_MINOR_VERSION < 4 ? process.temporary
                                                                             : c->info.model_dir;
    if (home[0]) {
        env_set(e++, "STARPU_HOME", home);
        env_set(e++, "XDG_CACHE_HOME", home);
    }

    starpu_conf_init(&conf);
    if (o->cpus)
        conf.ncpus = worker_count(o->cpus);
    if (o->cudas)
        conf.ncuda = worker_count(o->cudas);
    if (o->opencls || !getenv("STARPU_NOPENCL"))
        conf.nopencl = o->opencls > 0 ? o->opencls : 0;
    e = env_name_cudas(e, &conf);
    conf.catch_signals = 0;
    const int batch = conf.ncpus == -1 ? batch_cpus() : 0;
    if (place.share && conf.ncpus == -1)
        conf.ncpus = place.share;
    if (batch && (conf.ncpus == -1 || batch < conf.ncpus))
        conf.ncpus = batch;
    if (place.share || batch) /* others may be there */
        env_set_default(e++, "STARPU_WORKERS_NOBIND", "1");
    if (!place.share && place.reserve && conf.reserve_ncpus <= 0)
        conf.reserve_ncpus = place.reserve;
    if (o->calibrate)
        conf.calibrate = 1;
    const char *name = o->sched        ? o->sched
                       : named         ? named
                       : place.crowded ? "eager" /* lws: many times as long, measured */
                                       : default_policy(&conf);
    conf.sched_policy = orr_sched_find(name);
    snprintf(c->info.sched, sizeof c->info.sched, "%s", name);
    if (conf.sched_policy && place.crowded)
        conf.sched_policy = make_considerate(conf.sched_policy);
    if (!conf.sched_policy)
        st = ORR_E_SCHED;
    if (st == ORR_OK) {
        const int lock = start_lock(c->info.model_dir);
        const int left = !o->cpus && !getenv("STARPU_NCPU") && !getenv("STARPU_NCPUS");
        int failed = starpu_init(&conf);
        if (!failed && left && starpu_cpu_worker_get_count() == 0) {
            /* Devices have every core, but most operations have tasks for CPUs only: one shares. */
            starpu_shutdown();
            conf.ncpus = 1;
            conf.reserve_ncpus = 0;
            failed = starpu_init(&conf);
        }
        if (failed)
            st = ORR_E_NOWORKER;
        if (lock >= 0)
            close(lock);
    }

    while (e > put)
        env_restore(--e);
    free(named);
    if (st != ORR_OK)
        remove_temporary();
    return st;
}

static orr_status open_locked(orr_context *c, const orr_context_opts *o,
                              struct orr_ranks_place place)
{
    if (process.contexts == 0)
        process.owned = !starpu_is_initialized();
    orr_blas_look();
    orr_status st = ORR_OK;
    if (!starpu_is_initialized()) {
        st = start_starpu(c, o, place);
        c->info.owned = 1;
        if (st == ORR_OK && orr_blas_asks_threads() && starpu_cpu_worker_get_count() > 0) {
            orr_blas_alone();
            starpu_execute_on_each_worker(orr_blas_thread_alone, NULL, STARPU_CPU);
            orr_blas_restore();
        }
        if (st == ORR_OK)
            orr_device_begin();
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
        process.owned = 0;
    }
    starpu_shutdown();
    if (!starpu_is_initialized())
        remove_temporary();
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
