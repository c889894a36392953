/* StarPU started the way a library should start it: with the policy, the workers and the models that
 * were asked for, and the environment as it was.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "schedulers/schedulers.h"
#include "src/core/start.h"
#include "src/models/internal.h"

#ifdef ORR_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

/* ---- Variables that starpu_init reads; put back afterwards ------------------------------------- */

struct variables {
    int failed; /* for want of memory */
    int n;
    struct {
        const char *name;
        char *old;
    } was[16];
};

/* NULL: not there. */
static void put(struct variables *v, const char *name, const char *value)
{
    const char *old = getenv(name);
    char *copy = old ? strdup(old) : NULL;
    if ((old && !copy) || (value && setenv(name, value, 1) != 0)) {
        free(copy);
        v->failed = 1;
        return;
    }
    v->was[v->n].name = name;
    v->was[v->n++].old = copy;
    if (!value)
        unsetenv(name);
}

static void put_default(struct variables *v, const char *name, const char *value)
{
    if (!getenv(name))
        put(v, name, value);
}

static void put_back(struct variables *v)
{
    while (v->n > 0) {
        v->n--;
        if (v->was[v->n].old)
            v->failed |= setenv(v->was[v->n].name, v->was[v->n].old, 1) != 0;
        else
            unsetenv(v->was[v->n].name);
        free(v->was[v->n].old);
    }
}

/* A number of workers that the caller asks for wins over a variable; StarPU would let the variable
 * win. */
static void overrule(struct variables *v, const orr_context_opts *o)
{
    if (o->cpus) {
        put(v, "STARPU_NCPU", NULL);
        put(v, "STARPU_NCPUS", NULL); /* since 1.4 */
    }
    if (o->cudas)
        put(v, "STARPU_NCUDA", NULL);
    if (o->opencls)
        put(v, "STARPU_NOPENCL", NULL);
}

/* ---- Policy ------------------------------------------------------------------------------------- */

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

/* named: by the environment, or NULL. */
static orr_status choose_policy(orr_context *c, struct starpu_conf *conf, const char *asked,
                                const char *named, int crowded)
{
    const char *name = asked     ? asked
                       : named   ? named
                       : crowded ? "eager" /* lws: many times as long, measured */
                                 : default_policy(conf);
    snprintf(c->info.sched, sizeof c->info.sched, "%s", name);
    conf->sched_policy = orr_sched_find(name);
    if (conf->sched_policy && crowded)
        conf->sched_policy = make_considerate(conf->sched_policy);
    return conf->sched_policy ? ORR_OK : ORR_E_SCHED;
}

/* ---- Models ------------------------------------------------------------------------------------- */

static char temporary[512]; /* directory of StarPU's files, to be removed; "": none */

void orr_start_clean(void)
{
    if (temporary[0])
        orr_remove_tree(temporary);
    temporary[0] = 0;
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
        memcpy(temporary, use.dir, sizeof use.dir);
    return st;
}

/* ---- Workers ------------------------------------------------------------------------------------ */

/* StarPU would make as many workers as the machine has devices, whatever STARPU_WORKERS_CUDAID names:
 * several for one, of which it starts a single one. */
static void name_cudas(struct variables *v, struct starpu_conf *conf)
{
    const int named = orr_environment_cudas(conf->workers_cuda_gpuid);
    if (named == 0)
        return;
    conf->use_explicit_workers_cuda_gpuid = 1;
    if (conf->ncuda < 0 || conf->ncuda > named)
        conf->ncuda = named;
    put(v, "STARPU_WORKERS_CUDAID", NULL);
    put(v, "STARPU_NCUDA", NULL);
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

static void choose_workers(struct variables *v, struct starpu_conf *conf, const orr_context_opts *o,
                           struct orr_ranks_place place)
{
    if (o->cpus)
        conf->ncpus = worker_count(o->cpus);
    if (o->cudas)
        conf->ncuda = worker_count(o->cudas);
    if (o->opencls || !getenv("STARPU_NOPENCL"))
        conf->nopencl = o->opencls > 0 ? o->opencls : 0;
    name_cudas(v, conf);
    const int batch = conf->ncpus == -1 ? batch_cpus() : 0;
    if (place.share && conf->ncpus == -1)
        conf->ncpus = place.share;
    if (batch && (conf->ncpus == -1 || batch < conf->ncpus))
        conf->ncpus = batch;
    if (place.share || batch) /* others may be there */
        put_default(v, "STARPU_WORKERS_NOBIND", "1");
    if (!place.share && place.reserve && conf->reserve_ncpus <= 0)
        conf->reserve_ncpus = place.reserve;
}

/* ---- Start -------------------------------------------------------------------------------------- */

/* cpus_left: how many CPU workers there are is left to StarPU. */
static orr_status start_workers(struct starpu_conf *conf, int cpus_left)
{
    int failed = starpu_init(conf);
    if (!failed && cpus_left && starpu_cpu_worker_get_count() == 0) {
        /* Devices have every core, but most operations have tasks for CPUs only: one shares. */
        starpu_shutdown();
        conf->ncpus = 1;
        conf->reserve_ncpus = 0;
        failed = starpu_init(conf);
    }
    return failed ? ORR_E_NOWORKER : ORR_OK;
}

static orr_status start(orr_context *c, const orr_context_opts *o, struct orr_ranks_place place,
                        const struct orr_start_wait *wait)
{
    struct variables v = {0};
    struct starpu_conf conf;

    /* StarPU would let the variable win, and run another policy if it is misspelt. */
    const char *sched = getenv("STARPU_SCHED");
    char *named = sched ? strdup(sched) : NULL;
    put(&v, "STARPU_SCHED", NULL);
    overrule(&v, o);
    put_default(&v, "STARPU_SILENT", "1");
    put_default(&v, "STARPU_WORKERS_GETBIND", "1"); /* honour taskset and cgroups */
    /* Nothing leaves a device before its memory is full: tiles are written in every step. */
    put_default(&v, "STARPU_MINIMUM_CLEAN_BUFFERS", "0");
    put_default(&v, "STARPU_TARGET_CLEAN_BUFFERS", "0");
    put(&v, "STARPU_PERF_MODEL_DIR", c->info.model_dir);
    /* Whatever else StarPU has to write. StarPU 1.4 would also read models there, beside those named. */
    const char *home =
        STARPU_MAJOR_VERSION == 1 && STARPU_MINOR_VERSION < 4 ? temporary : c->info.model_dir;
    if (home[0]) {
        put(&v, "STARPU_HOME", home);
        put(&v, "XDG_CACHE_HOME", home);
    }

    starpu_conf_init(&conf);
    choose_workers(&v, &conf, o, place);
    conf.catch_signals = 0;
    if (o->calibrate)
        conf.calibrate = 1;
    orr_status st = v.failed || (sched && !named)
                        ? ORR_E_NOMEM
                        : choose_policy(c, &conf, o->sched, named, place.crowded);
    if (st == ORR_OK) {
        const int cpus_left = !o->cpus && !getenv("STARPU_NCPU") && !getenv("STARPU_NCPUS");
        const int lock = orr_start_lock(c->info.model_dir, wait);
        orr_models_mend_bus(c->info.model_dir);
        st = start_workers(&conf, cpus_left);
        if (lock >= 0)
            close(lock);
    }
    put_back(&v);
    if (st == ORR_OK && v.failed) {
        starpu_shutdown();
        st = ORR_E_NOMEM;
    }
    free(named);
    return st;
}

orr_status orr_start(orr_context *c, const orr_context_opts *o, struct orr_ranks_place place,
                     const struct orr_start_wait *wait)
{
    orr_status st = orr_environment_wrong(o->message);
    if (st == ORR_OK)
        st = choose_models(c, o);
    if (st == ORR_OK)
        st = start(c, o, place, wait);
    if (st != ORR_OK)
        orr_start_clean();
    return st;
}
