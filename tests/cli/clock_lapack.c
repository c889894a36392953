/* Libraries that `--ref FILE.so` meets, for tests/cli/clock.py:
 *   clock_slow     dsyevd_ and dgbbrd_ that compute nothing; every second call of them sleeps
 *   clock_names    names of 64-bit integers only
 *   clock_wide     64-bit integers under the plain names
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>
#include <time.h>

#if defined(CLOCK_NAMES)

void dsyevd_64_(void);
void dsyevd_64_(void) {}

#elif defined(CLOCK_WIDE)

void dsyevd_(void);
void dsyevd_(void) {}

int64_t idamax_(const int64_t *n, const double *x, const int64_t *step);
int64_t idamax_(const int64_t *n, const double *x, const int64_t *step)
{
    int64_t best = 0;
    for (int64_t k = 0; k < *n; k++)
        best = x[k * *step] > x[best * *step] ? k : best;
    return *n < 1 ? 0 : best + 1;
}

#else

static void every_second_sleeps(void)
{
    static int calls;
    const struct timespec nap = {.tv_nsec = 200 * 1000 * 1000};
    if (calls++ % 2)
        nanosleep(&nap, NULL);
}

const char *openblas_get_config(void);
const char *openblas_get_config(void) { return "clock for tests 7"; }

void ilaver_(int *major, int *minor, int *patch);
void ilaver_(int *major, int *minor, int *patch) { *major = 3, *minor = 1, *patch = 4; }

/* lwork -1 asks for sizes. */
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info)
{
    (void)jobz, (void)uplo, (void)n, (void)a, (void)lda, (void)w, (void)liwork;
    *info = 0;
    if (*lwork >= 0) {
        every_second_sleeps();
        return;
    }
    work[0] = 1;
    iwork[0] = 1;
}

void dgbbrd_(void);
void dgbbrd_(void) { every_second_sleeps(); }

#endif
