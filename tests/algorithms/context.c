/* Opening and closing: owned, borrowed, nested, repeated, refused; the trace.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "orrery/models.h"
#include "orrery/orrery.h"
#include "orrery/sparse.h"
#include "orrery/trace.h"
#include "check.h"

/* [[2,1],[1,2]] has the eigenvalues 1 and 3. */
static int works(orr_context *c)
{
    double a[4] = {2, 1, 1, 2}, w[2] = {0, 0};
    orr_batch A = {.type = ORR_D, .batch = 1, .m = 2, .n = 2, .a = a};
    orr_batch W = {.type = ORR_D, .batch = 1, .m = 2, .n = 1, .a = w};
    orr_report rep;
    orr_status st = orr_heevj(c, &A, &W, NULL, NULL, &rep);
    return st == ORR_OK && rep.tasks >= 1 && rep.seconds > 0 && w[0] > 0.999999 &&
           w[0] < 1.000001 && w[1] > 2.999999 && w[1] < 3.000001;
}

static void repeated(void)
{
    for (int i = 0; i < 10; i++) {
        orr_context *c;
        CHECK(orr_open(NULL, &c) == ORR_OK);
        CHECK(works(c));
        orr_close(c);
    }
    CHECK(!starpu_is_initialized());
    orr_close(NULL);
}

static void nested(void)
{
    orr_context *a, *b;
    orr_context_info info, other;
    CHECK(orr_open(NULL, &a) == ORR_OK);
    CHECK(orr_open(NULL, &b) == ORR_OK);
    orr_context_query(a, &info);
    CHECK(info.owned && info.cpu >= 1);
    orr_context_query(b, &other);
    CHECK(!other.owned && info.sched[0] && strcmp(other.sched, info.sched) == 0);
    CHECK(works(b) && works(a));
    orr_close(a); /* the first one goes; StarPU stays for the second */
    CHECK(works(b));
    orr_close(b);
    CHECK(!starpu_is_initialized());
}

static void borrowed(void)
{
    struct starpu_conf conf;
    orr_context *c;
    starpu_conf_init(&conf);
    conf.nopencl = 0;
    CHECK(starpu_init(&conf) == 0);
    CHECK(orr_open(NULL, &c) == ORR_OK);
    CHECK(works(c));
    orr_close(c);
    CHECK(starpu_is_initialized()); /* still its owner's */
    starpu_shutdown();
    CHECK(!starpu_is_initialized());
}

static void refused(void)
{
    orr_context *c = NULL;
    CHECK(orr_open(&(orr_context_opts){.sched = "no-such-policy"}, &c) == ORR_E_SCHED);
    CHECK(c == NULL && !starpu_is_initialized());
    CHECK(orr_open(&(orr_context_opts){.cpus = -1, .cudas = -1}, &c) == ORR_E_NOWORKER);
    CHECK(c == NULL);
    setenv("STARPU_SCHED", "mis-spelt", 1);
    CHECK(orr_open(NULL, &c) == ORR_E_SCHED); /* StarPU itself would run another policy */
    CHECK(strcmp(getenv("STARPU_SCHED"), "mis-spelt") == 0); /* the environment is put back */
    char many[16];
    unsetenv("STARPU_SCHED");
    snprintf(many, sizeof many, "%d", STARPU_NMAXWORKERS); /* and a CPU's */
    setenv("STARPU_NWORKER_PER_CUDA", many, 1);
    CHECK(orr_open(NULL, &c) == ORR_E_ARG);
    unsetenv("STARPU_NWORKER_PER_CUDA");
    setenv("STARPU_SCHED", "prio", 1);
    orr_context_info info;
    CHECK(orr_open(NULL, &c) == ORR_OK);
    orr_context_query(c, &info);
    CHECK(strcmp(info.sched, "prio") == 0);
    CHECK(works(c));
    orr_close(c);
    unsetenv("STARPU_SCHED");
}

/* What the caller asks for wins over StarPU's variables, which stay as they are. */
static void overruled(void)
{
    orr_context *c;
    orr_context_info info;
    char *before = getenv("STARPU_NCPU");
    char *saved = before ? strdup(before) : NULL;
    setenv("STARPU_NCPU", "2", 1);
    CHECK(orr_open(&(orr_context_opts){.cpus = 1}, &c) == ORR_OK);
    orr_context_query(c, &info);
    CHECK(info.cpu == 1);
    CHECK(strcmp(getenv("STARPU_NCPU"), "2") == 0);
    orr_close(c);
    setenv("STARPU_NCPU", "1", 1);
    CHECK(orr_open(NULL, &c) == ORR_OK);
    orr_context_query(c, &info);
    CHECK(info.cpu == 1);
    orr_close(c);
    if (saved)
        setenv("STARPU_NCPU", saved, 1);
    else
        unsetenv("STARPU_NCPU");
    free(saved);
}

static void traced(void)
{
    orr_context *c;
    CHECK(orr_open(&(orr_context_opts){.trace = 1}, &c) == ORR_OK);
    CHECK(works(c));
    CHECK(orr_trace_write(c, "trace.txt") == ORR_E_ARG);
    CHECK(orr_trace_write(c, "/no/such/directory/trace.csv") == ORR_E_FILE);
    CHECK(orr_trace_write(c, "context-trace.svg") == ORR_OK);
    CHECK(orr_trace_write(c, "context-trace.json") == ORR_OK);
    CHECK(orr_trace_write(c, "context-trace.html") == ORR_OK);
    CHECK(orr_trace_write(c, "context-trace.paje") == ORR_OK);
    CHECK(orr_trace_write(c, "context-trace.csv") == ORR_OK);
    FILE *f = fopen("context-trace.csv", "r");
    char line[256];
    int found = 0;
    while (f && fgets(line, sizeof line, f))
        found |= strncmp(line, "heevj_chunk,", 12) == 0;
    if (f)
        fclose(f);
    CHECK(found);
    orr_close(c);
    CHECK(orr_open(NULL, &c) == ORR_OK);
    CHECK(orr_trace_write(c, "context-trace.csv") == ORR_E_ARG); /* nothing was recorded */
    orr_close(c);
}

/* ---- Forks ---------------------------------------------------------------------------------- */

/* The alarm ends a child that hangs. */
static int child(void (*test)(orr_context *), orr_context *c)
{
    int status = 1;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(120);
        test(c);
        fflush(NULL);
        _exit(checked());
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void opens(orr_context *unused)
{
    orr_context *c;
    (void)unused;
    CHECK(orr_open(NULL, &c) == ORR_OK);
    CHECK(works(c));
    orr_close(c);
}

/* The workers are the parent's: every call returns, and says so. */
static void lost(orr_context *c)
{
    char message[ORR_MESSAGE] = "";
    orr_context *other = NULL;
    CHECK(orr_open(&(orr_context_opts){.message = message}, &other) == ORR_E_NOWORKER);
    CHECK(other == NULL && strstr(message, "forked"));
    if (!c)
        return;
    double a[4] = {2, 1, 1, 2}, w[2], e[1], b[2] = {1, 2};
    const orr_batch A = {.type = ORR_D, .batch = 1, .m = 2, .n = 2, .a = a};
    const orr_batch W = {.type = ORR_D, .batch = 1, .m = 2, .n = 1, .a = w};
    const int64_t ptr[] = {0, 1, 2}, index[] = {0, 1};
    orr_report rep = {.status = ORR_OK};
    orr_request *req;
    orr_gesvj_stream *stream;
    orr_sparse *S;
    orr_analysis analysis;
    CHECK(orr_heevj(c, &A, &W, NULL, NULL, &rep) == ORR_E_NOWORKER);
    CHECK(rep.status == ORR_E_NOWORKER && strstr(rep.message, "forked"));
    CHECK(orr_submit_heevj(c, &A, &W, NULL, NULL, &req) == ORR_E_NOWORKER);
    CHECK(orr_gesvj(c, &A, &W, NULL, NULL, NULL, NULL, &rep) == ORR_E_NOWORKER);
    CHECK(orr_heev(c, ORR_D, 'L', 2, a, 2, w, NULL, 1, NULL, &rep) == ORR_E_NOWORKER);
    CHECK(orr_gesvd(c, ORR_D, 2, 2, a, 2, w, NULL, 2, NULL, 2, NULL, &rep) == ORR_E_NOWORKER);
    CHECK(orr_hb2st(c, ORR_D, 'L', 2, 0, b, 1, w, e, NULL, &rep) == ORR_E_NOWORKER);
    CHECK(orr_gb2bd(c, ORR_D, 2, 2, 0, 0, b, 1, w, e, NULL, &rep) == ORR_E_NOWORKER);
    CHECK(strstr(rep.message, "forked"));
    CHECK(orr_gesvj_stream_open(c, NULL, 0, NULL, NULL, &stream) == ORR_E_NOWORKER);
    CHECK(orr_sparse_from_csr(c, 2, 2, ptr, index, b, 0, NULL, &S, message) == ORR_E_NOWORKER);
    CHECK(orr_trace_write(c, "context-lost.csv") == ORR_E_NOWORKER);
    CHECK(orr_trace_analyse(c, &analysis) == ORR_E_NOWORKER);
    orr_close(c);
}

static void forked(void)
{
    orr_context *c;
    CHECK(child(opens, NULL)); /* before anything was opened */
    CHECK(orr_open(&(orr_context_opts){.trace = 1}, &c) == ORR_OK);
    CHECK(child(lost, c));
    CHECK(works(c)); /* the parent goes on */
    orr_close(c);
    CHECK(child(opens, NULL)); /* closed again */
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.nopencl = 0;
    CHECK(starpu_init(&conf) == 0); /* somebody else's */
    CHECK(child(lost, NULL));
    starpu_shutdown();
}

/* While another thread starts or stops StarPU: either answer, but an answer. */
static void opens_or_not(orr_context *unused)
{
    orr_context *c;
    (void)unused;
    const orr_status st = orr_open(NULL, &c);
    CHECK(st == ORR_OK || st == ORR_E_NOWORKER);
    if (st == ORR_OK)
        orr_close(c);
}

static atomic_int over;

static void *starts_and_stops(void *unused)
{
    orr_context *c;
    (void)unused;
    for (int i = 0; i < 6; i++)
        if (orr_open(NULL, &c) == ORR_OK)
            orr_close(c);
    atomic_store(&over, 1);
    return NULL;
}

static void forked_meanwhile(void)
{
#ifdef __SANITIZE_THREAD__ /* which ends a child that starts threads, had its parent several */
    return;
#endif
    pthread_t other;
    CHECK(pthread_create(&other, NULL, starts_and_stops, NULL) == 0);
    while (!atomic_load(&over)) {
        CHECK(child(opens_or_not, NULL));
        nanosleep(&(struct timespec){.tv_nsec = 7000000}, NULL);
    }
    pthread_join(other, NULL);
}

static void null_arguments(void)
{
    orr_context_info info = {.cpu = 7};
    orr_report rep;
    orr_sparse_info sparse = {.rows = 7};
    orr_context_query(NULL, &info);
    CHECK(info.cpu == 0);
    orr_sparse_query(NULL, &sparse);
    CHECK(sparse.rows == 0);
    CHECK(orr_wait(NULL, &rep) == ORR_E_ARG && rep.status == ORR_E_ARG && rep.message[0]);
    CHECK(orr_wait(NULL, NULL) == ORR_E_ARG);
    orr_trace_mark(NULL, 1);
    orr_trace_enable(NULL, 1);
    CHECK(orr_trace_analyse(NULL, NULL) == ORR_E_ARG);
    CHECK(orr_samples_take(NULL, NULL, NULL) == ORR_E_ARG);
}

int main(void)
{
    forked();
    forked_meanwhile();
    null_arguments();
    repeated();
    nested();
    borrowed();
    refused();
    overruled();
    traced();
    return checked();
}
