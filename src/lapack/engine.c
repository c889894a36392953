/* liborrery, loaded and started when a call is first taken over, kept until the process ends.
 *
 * Its own calls of LAPACK must not come back here. It is loaded so that it finds LAPACK before it
 * finds this library (RTLD_DEEPBIND); what a LAPACK that was loaded before calls of its own is told
 * by the thread: one that is within a call, or StarPU's.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_DEEPBIND */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/lapack/shim.h"

/* What is used of it, in the types of its header. */
struct api {
    __typeof__(&orr_open) open;
    __typeof__(&orr_close) close;
    __typeof__(&orr_heev) heev;
    __typeof__(&orr_hegv) hegv;
    __typeof__(&orr_gesvd) gesvd;
    __typeof__(&orr_hb2st) hb2st;
    __typeof__(&orr_hbev) hbev;
    __typeof__(&orr_sterf) sterf;
    __typeof__(&orr_gb2bd) gb2bd;
    __typeof__(&orr_strerror) strerror;
    int (*worker)(void); /* of StarPU: -1 in other threads */
    void (*factor[4])(const char *, const int32_t *, void *, const int32_t *, int32_t *, void *,
                      const int32_t *, int32_t *,
                      size_t); /* of the LAPACK that it is linked with */
};

static struct {
    pthread_mutex_t lock;
    atomic_int pid;  /* of the process that began to start it; 0: none yet */
    atomic_int open; /* there is a context */
    int tried;
    char failure[ORR_WHY];
    struct api api;
    orr_context *context;
    int calls;             /* under way */
    atomic_llong deferred; /* nanoseconds of calls before it was started */
} engine = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local int depth, deferred; /* deferred: LAPACK does a call until Orrery is started */

int orr_inside(void)
{
    return depth > 0 || (atomic_load_explicit(&engine.open, memory_order_acquire) &&
                         engine.api.worker && engine.api.worker() >= 0);
}

/* ---- Loading --------------------------------------------------------------------------------- */

static void *need(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol && !engine.failure[0])
        snprintf(engine.failure, sizeof engine.failure, "liborrery has no %s", name);
    return symbol;
}

/* OpenBLAS of Debian 12 does not know newer processors and takes SSE for them: it is told, unless
 * somebody else did so. It looks when it is loaded. */
const char *orr_core_type(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return "SKYLAKEX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "HASWELL";
#endif
    return NULL;
}

static void *load(void)
{
    const char *core = getenv("OPENBLAS_CORETYPE") ? NULL : orr_core_type();
    if (core)
        setenv("OPENBLAS_CORETYPE", core, 1);
    void *library = dlopen("liborrery.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (core)
        unsetenv("OPENBLAS_CORETYPE");
    if (!library)
        snprintf(engine.failure, sizeof engine.failure, "%s", dlerror());
    return library;
}

static void look_up(void *library)
{
    struct api *api = &engine.api;
    *(void **)&api->open = need(library, "orr_open");
    *(void **)&api->close = need(library, "orr_close");
    *(void **)&api->heev = need(library, "orr_heev");
    *(void **)&api->hegv = need(library, "orr_hegv");
    *(void **)&api->gesvd = need(library, "orr_gesvd");
    *(void **)&api->hb2st = need(library, "orr_hb2st");
    *(void **)&api->hbev = need(library, "orr_hbev");
    *(void **)&api->sterf = need(library, "orr_sterf");
    *(void **)&api->gb2bd = need(library, "orr_gb2bd");
    *(void **)&api->strerror = need(library, "orr_strerror");
    *(void **)&api->worker = need(library, "starpu_worker_get_id");
    *(void **)&api->factor[ORR_S] = need(library, "ssytrf_");
    *(void **)&api->factor[ORR_D] = need(library, "dsytrf_");
    *(void **)&api->factor[ORR_C] = need(library, "chetrf_");
    *(void **)&api->factor[ORR_Z] = need(library, "zhetrf_");
}

/* ---- Starting -------------------------------------------------------------------------------- */

/* As many workers as LAPACK would have threads. 0: all. */
static int workers(void)
{
    static const char *const variables[] = {"OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                                            "OMP_NUM_THREADS"};
    if (getenv("STARPU_NCPU") || getenv("STARPU_NCPUS"))
        return 0;
    for (size_t k = 0; k < sizeof variables / sizeof *variables; k++) {
        const char *value = getenv(variables[k]);
        const int count = value ? atoi(value) : 0;
        if (count > 0)
            return count < sysconf(_SC_NPROCESSORS_ONLN) ? count : 0;
    }
    return 0;
}

static void at_exit(void)
{
    if (engine.pid != getpid())
        return;
    pthread_mutex_lock(&engine.lock);
    if (engine.context && engine.calls == 0)
        engine.api.close(engine.context);
    engine.context = NULL;
    pthread_mutex_unlock(&engine.lock);
}

static void start(void)
{
    void *library = load();
    if (library)
        look_up(library);
    if (engine.failure[0])
        return;
    const orr_context_opts o = {.cpus = workers()};
    const orr_status st = engine.api.open(&o, &engine.context);
    if (st != ORR_OK) {
        snprintf(engine.failure, sizeof engine.failure, "orr_open: %s", engine.api.strerror(st));
        return;
    }
    atexit(at_exit);
    atomic_store_explicit(&engine.open, 1, memory_order_release);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* A program may use StarPU, or liborrery, by itself: a task that waits for tasks waits for ever. */
static int in_foreign_task(void)
{
    int (*worker)(void);
    *(void **)&worker = dlsym(RTLD_DEFAULT, "starpu_worker_get_id");
    void *library = worker ? NULL : dlopen("liborrery.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        *(void **)&worker = dlsym(library, "starpu_worker_get_id");
        dlclose(library); /* it stays loaded, as it was */
    }
    return worker && worker() >= 0;
}

/* Starting takes some 60 ms, what is taken over gains a fifth of LAPACK's time or so. */
static int pays(struct orr_call *c, double seconds)
{
    if (engine.pid != 0 || orr_asked(c->routine))
        return 1;
    if (deferred) /* what LAPACK calls is in the estimate of the call that was passed on */
        return 0;
    const long long ns = seconds < 1e6 ? (long long)(1e9 * seconds) : (long long)1e15;
    if (1e-9 * (double)(atomic_fetch_add(&engine.deferred, ns) + ns) >= orr_worth_starting())
        return 1;
    c->deferred = deferred = 1;
    return 0;
}

void orr_deferred_end(void) { deferred = 0; }

const char *orr_begin(struct orr_call *c, double seconds)
{
    int nobody = 0;
    if (!atomic_load_explicit(&engine.open, memory_order_acquire) && in_foreign_task())
        return "called by a task of StarPU";
    if (!pays(c, seconds))
        return "starting Orrery would take longer";
    if (!atomic_compare_exchange_strong(&engine.pid, &nobody, getpid()) && nobody != getpid())
        return "forked from a process where Orrery runs";
    depth++;
    pthread_mutex_lock(&engine.lock);
    if (!engine.tried)
        start();
    engine.tried = 1;
    const int ready = engine.context != NULL;
    engine.calls += ready;
    pthread_mutex_unlock(&engine.lock);
    if (ready)
        return NULL;
    depth--;
    return engine.failure[0] ? engine.failure : "the process ends";
}

void orr_end(void)
{
    pthread_mutex_lock(&engine.lock);
    engine.calls--;
    pthread_mutex_unlock(&engine.lock);
    depth--;
}

orr_status orr_do_heev(orr_type type, char uplo, int64_t n, void *a, int64_t lda, void *w, void *z,
                       int64_t ldz, struct orr_part *part)
{
    int64_t found[2] = {0};
    const orr_heev_opts o = {
        .il = part->il, .iu = part->iu, .vl = part->vl, .vu = part->vu, .found = found};
    const orr_status st =
        engine.api.heev(engine.context, type, uplo, n, a, lda, w, z, ldz, &o, NULL);
    part->count = found[1] - found[0] + 1;
    return st;
}

orr_status orr_do_hegv(orr_type type, int itype, char uplo, int64_t n, void *a, int64_t lda,
                       void *b, int64_t ldb, void *w, void *z, int64_t ldz, struct orr_part *part)
{
    int64_t found[2] = {0};
    const orr_hegv_opts o = {
        .problem = itype,
        .heev = {.il = part->il, .iu = part->iu, .vl = part->vl, .vu = part->vu, .found = found}};
    const orr_status st =
        engine.api.hegv(engine.context, type, uplo, n, a, lda, b, ldb, w, z, ldz, &o, NULL);
    part->count = found[1] - found[0] + 1;
    return st;
}

orr_status orr_do_gesvd(orr_type type, int64_t m, int64_t n, void *a, int64_t lda, void *s, void *u,
                        int64_t ldu, void *v, int64_t ldv)
{
    return engine.api.gesvd(engine.context, type, m, n, a, lda, s, u, ldu, v, ldv, NULL, NULL);
}

orr_status orr_do_hb2st(orr_type type, char uplo, int64_t n, int64_t kd, const void *ab,
                        int64_t ldab, void *d, void *e, void *q, int64_t ldq)
{
    const orr_hb2st_opts o = {.vect = q ? 'Q' : 'N', .q = q, .ldq = ldq};
    return engine.api.hb2st(engine.context, type, uplo, n, kd, ab, ldab, d, e, &o, NULL);
}

orr_status orr_do_hbev(orr_type type, char uplo, int64_t n, int64_t kd, const void *ab,
                       int64_t ldab, void *w, void *z, int64_t ldz)
{
    return engine.api.hbev(engine.context, type, uplo, n, kd, ab, ldab, w, z, ldz, NULL, NULL);
}

orr_status orr_do_sterf(orr_type type, int64_t n, const void *d, const void *e, void *w)
{
    return engine.api.sterf(engine.context, type, n, d, e, w, NULL, NULL);
}

orr_status orr_do_gb2bd(orr_type type, int64_t m, int64_t n, int64_t kl, int64_t ku, const void *ab,
                        int64_t ldab, void *d, void *e)
{
    return engine.api.gb2bd(engine.context, type, m, n, kl, ku, ab, ldab, d, e, NULL, NULL);
}

int orr_do_factor(orr_type type, int64_t n, void *a, int32_t *pivot)
{
    enum { BLOCK = 64 };
    const int32_t n_ = (int32_t)n, length = n > INT32_MAX / BLOCK ? INT32_MAX : BLOCK * n_;
    int32_t info;
    void *work =
        malloc(((size_t)length + (size_t)n) * orr_bytes(type)); /* likewise a column more */
    if (work)
        engine.api.factor[type]("L", &n_, a, &n_, pivot, work, &length, &info, 1);
    free(work);
    return work != NULL;
}

const char *orr_said(orr_status st) { return engine.api.strerror(st); }
