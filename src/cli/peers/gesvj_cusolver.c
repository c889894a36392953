/* cuSOLVER's three singular value decompositions that `gesvj` is compared with, on one device:
 * gesvd and gesvdj matrix by matrix, gesvdjBatched all at once up to 32 x 32.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/data/gesvj_data.h"

#include <math.h>

const char *const svd_cusolver_routine[SVD_CUSOLVER_ROUTINES] = {"gesvd", "gesvdj",
                                                                 "gesvdjBatched"};

int svd_cusolver_takes(const svd_data *d, int routine)
{
    return d->k > 0 && (routine != SVD_CUSOLVER_GESVDJ_BATCHED || (d->m <= 32 && d->n <= 32));
}

#ifdef ORR_WITH_CUDA

#include "src/cli/peers/cusolver.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The matrices on the device, column major, rows >= columns. U and V have room for squares, which
 * gesvdjBatched writes. */
struct device {
    orr_type type;
    int routine, vectors, rows, columns, count;
    size_t element, real;
    cusolverDnHandle_t handle;
    gesvdjInfo_t params;
    char *a, *s, *u, *v, *work;
    int *info, words;
};

/* The size of `work`. */
static cusolverStatus_t size_of(struct device *d)
{
    const cusolverEigMode_t job =
        d->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const int m = d->rows, n = d->columns;
    const void *a = d->a, *s = d->s, *u = d->u, *v = d->v;
#define SIZE(t)                                                                                    \
    (d->routine == SVD_CUSOLVER_GESVD                                                              \
         ? cusolver.cusolverDn##t##gesvd_bufferSize(d->handle, m, n, &d->words)                    \
     : d->routine == SVD_CUSOLVER_GESVDJ                                                           \
         ? cusolver.cusolverDn##t##gesvdj_bufferSize(d->handle, job, 1, m, n, a, m, s, u, m, v, n, \
                                                     &d->words, d->params)                         \
         : cusolver.cusolverDn##t##gesvdjBatched_bufferSize(d->handle, job, m, n, a, m, s, u, m,   \
                                                            v, n, &d->words, d->params, d->count))
    switch (d->type) {
    case ORR_S: return SIZE(S);
    case ORR_D: return SIZE(D);
    case ORR_C: return SIZE(C);
    default: return SIZE(Z);
    }
}

/* Matrix l, or all of them where that is what the routine does. */
static cusolverStatus_t solve(struct device *d, size_t l)
{
    const cusolverEigMode_t job =
        d->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const int m = d->rows, n = d->columns;
    const size_t big = (size_t)m, small = (size_t)n;
    const signed char some = d->vectors ? 'S' : 'N';
    void *a = d->a + l * big * small * d->element, *s = d->s + l * small * d->real;
    void *u = d->u + l * big * big * d->element, *v = d->v + l * small * small * d->element;
    void *work = d->work;
    int *info = d->info + l;
#define SOLVE(t)                                                                                   \
    (d->routine == SVD_CUSOLVER_GESVD                                                              \
         ? cusolver.cusolverDn##t##gesvd(d->handle, some, some, m, n, a, m, s, u, m, v, n, work,   \
                                         d->words, NULL, info)                                     \
     : d->routine == SVD_CUSOLVER_GESVDJ                                                           \
         ? cusolver.cusolverDn##t##gesvdj(d->handle, job, 1, m, n, a, m, s, u, m, v, n, work,      \
                                          d->words, info, d->params)                               \
         : cusolver.cusolverDn##t##gesvdjBatched(d->handle, job, m, n, a, m, s, u, m, v, n, work,  \
                                                 d->words, info, d->params, d->count))
    switch (d->type) {
    case ORR_S: return SOLVE(S);
    case ORR_D: return SOLVE(D);
    case ORR_C: return SOLVE(C);
    default: return SOLVE(Z);
    }
}

/* A tall matrix column major: as it is, or the transpose of a wide one, which has its values. */
static void load(const svd_data *d, char *to)
{
    const size_t size = orr_type_size(d->type);
    const int64_t one = d->m * d->n;
    if (d->n >= d->m) {
        memcpy(to, d->a, (size_t)(d->count * one) * size);
        return;
    }
    for (int64_t l = 0; l < d->count; l++)
        for (int64_t i = 0; i < d->m; i++)
            for (int64_t j = 0; j < d->n; j++)
                memcpy(to + (size_t)(l * one + j * d->m + i) * size,
                       (const char *)d->a + (size_t)(l * one + i * d->n + j) * size, size);
}

/* Seconds from host memory to host memory; NAN if it failed. back: room for what comes back. */
static double timed(struct device *d, const char *host, char *back)
{
    const size_t k = (size_t)d->count, m = (size_t)d->rows, n = (size_t)d->columns;
    const size_t calls = d->routine == SVD_CUSOLVER_GESVDJ_BATCHED ? 1 : k;
    const double start = cli_now();
    int bad = cusolver.cudaMemcpy(d->a, host, k * m * n * d->element, cudaMemcpyHostToDevice);
    for (size_t l = 0; l < calls && !bad; l++)
        bad = solve(d, l) != CUSOLVER_STATUS_SUCCESS;
    bad = bad || cusolver.cudaMemcpy(back, d->s, k * n * d->real, cudaMemcpyDeviceToHost);
    for (size_t l = 0; l < k && d->vectors && !bad; l++)
        bad = cusolver.cudaMemcpy(back, d->u + l * m * m * d->element, m * n * d->element,
                                  cudaMemcpyDeviceToHost) ||
              cusolver.cudaMemcpy(back, d->v + l * n * n * d->element, n * n * d->element,
                                  cudaMemcpyDeviceToHost);
    return bad || cusolver.cudaDeviceSynchronize() ? NAN : cli_now() - start;
}

static int room(void *pointer, size_t bytes)
{
    return cusolver.cudaMalloc(pointer, bytes + 1) == cudaSuccess;
}

double svd_cusolver(const svd_data *x, int routine)
{
    const size_t size = orr_type_size(x->type), real = orr_type_size(orr_type_real(x->type));
    const size_t m = (size_t)(x->m > x->n ? x->m : x->n), n = (size_t)x->k, k = (size_t)x->count;
    struct device d = {.type = x->type,
                       .routine = routine,
                       .vectors = x->x && x->y,
                       .rows = (int)m,
                       .columns = (int)n,
                       .count = (int)k,
                       .element = size,
                       .real = real};
    const size_t bytes = k * m * n * size,
                 largest = k * n * real > m * n * size ? k * n * real : m * n * size;
    char *host = malloc(bytes + 1), *back = malloc(largest + 1);
    double seconds = NAN;
    if (host && back && k <= INT_MAX &&
        cusolver.cusolverDnCreate(&d.handle) == CUSOLVER_STATUS_SUCCESS) {
        load(x, host);
        if (cusolver.cusolverDnCreateGesvdjInfo(&d.params) == CUSOLVER_STATUS_SUCCESS &&
            room(&d.a, bytes) && room(&d.s, k * n * real) && room(&d.u, k * m * m * size) &&
            room(&d.v, k * n * n * size) && room(&d.info, k * sizeof *d.info) &&
            size_of(&d) == CUSOLVER_STATUS_SUCCESS && room(&d.work, (size_t)d.words * size) &&
            cusolver.cudaDeviceSynchronize() == cudaSuccess)
            seconds = timed(&d, host, back);
        void *const memory[] = {d.a, d.s, d.u, d.v, d.info, d.work};
        for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
            cusolver.cudaFree(memory[i]);
        if (d.params)
            cusolver.cusolverDnDestroyGesvdjInfo(d.params);
        cusolver.cusolverDnDestroy(d.handle);
    }
    free(host);
    free(back);
    return seconds;
}

#else

double svd_cusolver(const svd_data *d, int routine)
{
    (void)d, (void)routine;
    return NAN; /* never called: reference_cusolver_open has refused */
}

#endif
