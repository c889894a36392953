/* See blas.h. Looked up, not linked by name: any BLAS will do, and more than one may be there (MKL
 * preloaded before OpenBLAS, a BLIS below OpenBLAS's LAPACK).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/core/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *symbol(const char *name) { return dlsym(RTLD_DEFAULT, name); }

/* Their numbers are int, BLIS's are dim_t. */
static const struct library {
    const char *get, *set;
    int wide;
} libraries[] = {{"openblas_get_num_threads", "openblas_set_num_threads", 0},
                 {"MKL_Get_Max_Threads", "MKL_Set_Num_Threads", 0},
                 {"bli_thread_get_num_threads", "bli_thread_set_num_threads", 1},
                 {"flexiblas_get_num_threads", "flexiblas_set_num_threads", 0}};
enum { OPENBLAS, MKL, BLIS, LIBRARIES = sizeof libraries / sizeof *libraries };

static struct {
    void *get, *set;
    int64_t threads; /* before the first of nested calls */
} found[LIBRARIES];
static int nested;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int openblas_by_openmp(void)
{
    enum { OPENMP = 2 };
    int (*parallel)(void);
    *(void **)&parallel = symbol("openblas_get_parallel");
    return parallel && parallel() == OPENMP;
}

void orr_blas_look(void)
{
    pthread_mutex_lock(&lock);
    for (int k = 0; k < LIBRARIES && nested == 0; k++) {
        found[k].get = symbol(libraries[k].get);
        found[k].set = found[k].get ? symbol(libraries[k].set) : NULL;
        if (k == OPENBLAS && openblas_by_openmp())
            found[k].set = NULL;
    }
    pthread_mutex_unlock(&lock);
}

static int64_t get_threads(int k)
{
    int (*get)(void);
    int64_t (*get_wide)(void);
    *(void **)&get = *(void **)&get_wide = found[k].get;
    return libraries[k].wide ? get_wide() : get();
}

static void set_threads(int k, int64_t threads)
{
    void (*set)(int);
    void (*set_wide)(int64_t);
    *(void **)&set = *(void **)&set_wide = found[k].set;
    if (libraries[k].wide)
        set_wide(threads);
    else
        set((int)threads);
}

void orr_blas_alone(void)
{
    pthread_mutex_lock(&lock);
    for (int k = 0; k < LIBRARIES && nested == 0; k++)
        if (found[k].set) {
            found[k].threads = get_threads(k);
            set_threads(k, 1);
        }
    nested++;
    pthread_mutex_unlock(&lock);
}

void orr_blas_restore(void)
{
    pthread_mutex_lock(&lock);
    nested--;
    for (int k = 0; k < LIBRARIES && nested == 0; k++)
        if (found[k].set)
            set_threads(k, found[k].threads);
    pthread_mutex_unlock(&lock);
}

static int asks_openmp(void) { return openblas_by_openmp() || symbol("flexiblas_set_num_threads"); }

int orr_blas_asks_threads(void) { return asks_openmp() || found[BLIS].set; }

void orr_blas_thread_alone(void *unused)
{
    void (*set)(int);
    (void)unused;
    *(void **)&set = asks_openmp() ? symbol("omp_set_num_threads") : NULL;
    if (set)
        set(1);
    if (found[BLIS].set)
        set_threads(BLIS, 1);
}

void orr_blas_name(char *out, size_t room)
{
    char *(*config)(void);
    *(void **)&config = symbol("openblas_get_config");
    snprintf(out, room, "%s", config ? config() : "unknown");
}
