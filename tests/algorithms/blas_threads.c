/* blas_threads [NAME]: every BLAS that is loaded has one thread while operations are in flight, whatever
 * contexts they belong to, and then as many as before; also after one that was refused, failed or was
 * cancelled. NAME: the one that must be there, else the test is skipped.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "orrery/orrery.h"

static const struct {
    const char *name, *get, *set;
    int wide;
} known[] = {{"openblas", "openblas_get_num_threads", "openblas_set_num_threads", 0},
             {"mkl", "MKL_Get_Max_Threads", "MKL_Set_Num_Threads", 0},
             {"blis", "bli_thread_get_num_threads", "bli_thread_set_num_threads", 1},
             {"flexiblas", "flexiblas_get_num_threads", "flexiblas_set_num_threads", 0}};
enum { KNOWN = sizeof known / sizeof *known };

static int64_t threads(int k)
{
    int (*get)(void);
    int64_t (*wide)(void);
    *(void **)&get = *(void **)&wide = dlsym(RTLD_DEFAULT, known[k].get);
    return !get ? -1 : known[k].wide ? wide() : get();
}

static void set(int k, int count)
{
    void (*f)(int);
    void (*wide)(int64_t);
    *(void **)&f = *(void **)&wide = dlsym(RTLD_DEFAULT, known[k].set);
    if (f && known[k].wide)
        wide(count);
    else if (f)
        f(count);
}

static int64_t before[KNOWN];
static int openmp; /* OpenBLAS asks OpenMP and nobody else */

/* All that are there have one, or what they had before. */
static int all_have(int one)
{
    int good = 1;
    for (int k = 0; k < KNOWN; k++)
        good &= threads(k) == (one && before[k] > 0 ? 1 : before[k]) || (k == 0 && openmp);
    return good;
}

/* Threads of an OpenMP region that this thread would begin; -1: there is no OpenMP. */
static int regions(void)
{
    int (*most)(void);
    *(void **)&most = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    return most ? most() : -1;
}

static atomic_int wrong, seen;
static orr_context *cancelled;

/* In a task: also what OpenMP would begin here, where OpenBLAS looks at it. */
static void look(int64_t done, int64_t total, void *arg)
{
    (void)done, (void)total, (void)arg;
    atomic_fetch_add(&seen, 1);
    if (!all_have(1) || (openmp && regions() != 1))
        atomic_fetch_add(&wrong, 1);
    if (cancelled)
        orr_cancel(cancelled);
}

enum { BATCH = 40, N = 24 };

static orr_status solve(orr_context *c, int spoilt)
{
    static _Thread_local double a[BATCH * N * N], w[BATCH * N];
    const orr_batch A = {.type = ORR_D, .batch = BATCH, .m = N, .n = N, .a = a};
    const orr_batch W = {.type = ORR_D, .batch = BATCH, .m = N, .n = 1, .a = w};
    for (int i = 0; i < BATCH * N * N; i++)
        a[i] = 1.0 / (1 + i % 31);
    if (spoilt)
        a[5] = NAN;
    return orr_heevj(c, &A, &W, &(orr_heevj_opts){.progress = look, .chunk = 4}, NULL, NULL);
}

static void *many(void *context)
{
    for (int i = 0; i < 30; i++)
        if (solve(context, 0) != ORR_OK)
            atomic_fetch_add(&wrong, 1);
    return NULL;
}

int main(int argc, char **argv)
{
    orr_context *one, *other;
    double w[2];
    int (*parallel)(void);
    *(void **)&parallel = dlsym(RTLD_DEFAULT, "openblas_get_parallel");
    openmp = parallel && parallel() == 2;
    printf("OpenBLAS by OpenMP: %d, %d threads of it\n", openmp, regions());
    for (int k = 0; k < KNOWN; k++) {
        printf("%s: %lld threads\n", known[k].name, (long long)threads(k));
        if (argc > 1 && strcmp(argv[1], known[k].name) == 0 && threads(k) < 0) {
            printf("skipped: no %s is loaded\n", known[k].name);
            return 77;
        }
        set(k, 2);
        before[k] = threads(k);
        CHECK(before[k] == 2 || before[k] == -1, "the test cannot set them");
    }
    const int regions_before = regions();
    CHECK(orr_open(NULL, &one) == ORR_OK);
    CHECK(all_have(0), "between operations");
    CHECK(solve(one, 0) == ORR_OK && all_have(0), "after an operation");
    CHECK(orr_open(NULL, &other) == ORR_OK);
    CHECK(orr_heev(one, ORR_D, 'L', -1, w, 1, w, NULL, 1, NULL, NULL) == ORR_E_ARG);
    CHECK(solve(other, 1) == ORR_NONFINITE && all_have(0), "after NaN");
    cancelled = one;
    CHECK(solve(one, 0) == ORR_E_CANCELLED && all_have(0), "after a cancelled one");
    cancelled = NULL;

    pthread_t t[3];
    orr_context *of[3] = {one, other, one};
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&t[i], NULL, many, of[i]) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    CHECK(all_have(0), "after operations of two contexts at once");
    orr_close(one);
    CHECK(solve(other, 0) == ORR_OK && all_have(0), "one context closed");
    orr_close(other);
    CHECK(all_have(0), "all closed");
    CHECK(regions() == regions_before, "OpenMP has %d threads, not %d", regions(), regions_before);
    CHECK(wrong == 0 && seen > 100, "%d of %d looks within tasks", (int)wrong, (int)seen);
    return checked();
}
