/* How long the CPU kernels behind heevj take per matrix, on one thread.
 *
 *   kernels_heevj [TYPES [MATRICES [N...]]]      e.g.  kernels_heevj zd 64 4 8 16 32
 *
 * Random Hermitian matrices with vectors. The kernels are timed in turn, round after
 * round, so that they share the machine's good and bad moments; the figure is the
 * median over the rounds, in microseconds per matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/heevj.h"

void openblas_set_num_threads(int);
#pragma weak openblas_set_num_threads

enum { ROUNDS = 15 };

static const struct {
    const char *name;
    orr_heevj_fn *const *kernel;
} method[] = {
    {"jacobi", orr_heevj_jacobi_cpu},
    {"block", orr_heevj_block_cpu},
    {"lapack", orr_heevj_lapack_cpu},
};
enum { METHODS = sizeof method / sizeof *method };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Uniform in [-1, 1]: any triangle of it is a Hermitian matrix. */
static void fill(orr_type type, size_t entries, void *a)
{
    const int single = type == ORR_S || type == ORR_C, parts = type >= ORR_C ? 2 : 1;
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < entries * (size_t)parts; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const double x = (double)(state >> 11) * 0x1p-52 - 1;
        if (single)
            ((float *)a)[i] = (float)x;
        else
            ((double *)a)[i] = x;
    }
}

/* Seconds per matrix; all matrices are solved, enough times to be measurable. */
static int bench(orr_type type, int64_t n, int64_t count)
{
    static const size_t size[] = {4, 8, 8, 16};
    const size_t bytes = size[type] * (size_t)(n * n * count);
    void *input = malloc(bytes), *a = malloc(bytes), *w = malloc(size[type] * (size_t)(n * count));
    orr_matrix_info *info = malloc(sizeof *info * (size_t)count);
    if (!input || !a || !w || !info)
        return 1;
    fill(type, (size_t)(n * n * count), input);
    const orr_heevj_args args = {
        .n = n, .count = count, .ld = n, .stride = n * n, .ldw = n, .vectors = 1};
    double time[METHODS][ROUNDS], sweeps = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int m = 0; m < METHODS; m++) {
            memcpy(a, input, bytes);
            const double start = now();
            if (method[m].kernel[type](&args, a, w, info) != ORR_OK)
                return 1;
            time[m][round] = (now() - start) / (double)count;
            if (m == 0 && round == 0)
                for (int64_t k = 0; k < count; k++)
                    sweeps += (double)info[k].sweeps / (double)count;
        }
    printf("%c %4d %6d ", "sdcz"[type], (int)n, (int)count);
    for (int m = 0; m < METHODS; m++) {
        qsort(time[m], ROUNDS, sizeof(double), ascending);
        printf(" %10.2f", 1e6 * time[m][ROUNDS / 2]);
    }
    printf(" %8.2f %7.1f\n", time[METHODS - 1][ROUNDS / 2] / time[0][ROUNDS / 2], sweeps);
    fflush(stdout);
    free(input), free(a), free(w), free(info);
    return 0;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {2, 4, 8, 12, 16, 20, 24, 32, 48, 64, 128};
    const char *types = argc > 1 ? argv[1] : "zd";
    const int64_t wanted = argc > 2 ? atoll(argv[2]) : 0;
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    printf("median microseconds per matrix, one thread, vectors; ratio = lapack / jacobi\n"
           "t    n  count      jacobi      block     lapack    ratio  sweeps\n");
    for (const char *t = types; *t; t++) {
        const char *at = strchr("sdcz", *t);
        if (!at) {
            fprintf(stderr, "kernels_heevj: types are letters of sdcz, not '%c'\n", *t);
            return 2;
        }
        const int given = argc > 3 ? argc - 3 : (int)(sizeof sizes / sizeof *sizes);
        for (int i = 0; i < given; i++) {
            const int64_t n = argc > 3 ? atoll(argv[3 + i]) : sizes[i];
            int64_t count = wanted ? wanted : 400000 / (n * n * n) / 8 * 8;
            count = count < 16 ? 16 : count > 4096 ? 4096 : count;
            if (bench((orr_type)(at - "sdcz"), n, count))
                return 1;
        }
    }
    return 0;
}
