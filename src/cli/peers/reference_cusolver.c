/* cuSOLVER's eigensolvers of batches on the same matrices.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/peers/reference.h"

#ifdef ORR_WITH_CUDA

#include "src/cli/peers/cusolver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- One call ------------------------------------------------------------------------- */

/* A batch on the device. */
struct device {
    orr_type type;
    int n, batch;
    cusolverEigMode_t vectors;
    cublasFillMode_t uplo;
    cusolverDnHandle_t handle;
    void *a, *w, *work, *host_work;
    int *info;
};

static int syevj(struct device *d, syevjInfo_t params, int *words, int size_only)
{
#define CASE(type_, letter, element, real)                                                         \
    case type_:                                                                                    \
        return size_only                                                                           \
                   ? cusolver.cusolverDn##letter##evjBatched_bufferSize(                           \
                         d->handle, d->vectors, d->uplo, d->n, (element *)d->a, d->n,              \
                         (real *)d->w, words, params, d->batch)                                    \
                   : cusolver.cusolverDn##letter##evjBatched(                                      \
                         d->handle, d->vectors, d->uplo, d->n, (element *)d->a, d->n,              \
                         (real *)d->w, (element *)d->work, *words, d->info, params, d->batch)
    switch (d->type) {
        CASE(ORR_S, Ssy, float, float);
        CASE(ORR_D, Dsy, double, double);
        CASE(ORR_C, Che, cuComplex, float);
    default: CASE(ORR_Z, Zhe, cuDoubleComplex, double);
    }
}

static int xsyev(struct device *d, cusolverDnParams_t params, size_t *bytes, int size_only)
{
    static const cudaDataType element[ORR_NTYPES] = {
        [ORR_S] = CUDA_R_32F, [ORR_D] = CUDA_R_64F, [ORR_C] = CUDA_C_32F, [ORR_Z] = CUDA_C_64F};
#if CUSOLVER_VERSION < 11701
    (void)d, (void)params, (void)bytes, (void)size_only, (void)element;
    return CUSOLVER_STATUS_NOT_SUPPORTED;
#else
    const cudaDataType a = element[d->type], w = element[orr_type_real(d->type)];
    return size_only
               ? cusolver.cusolverDnXsyevBatched_bufferSize(d->handle, params, d->vectors, d->uplo,
                                                            d->n, a, d->a, d->n, w, d->w, a,
                                                            &bytes[0], &bytes[1], d->batch)
               : cusolver.cusolverDnXsyevBatched(d->handle, params, d->vectors, d->uplo, d->n, a,
                                                 d->a, d->n, w, d->w, a, d->work, bytes[0],
                                                 d->host_work, bytes[1], d->info, d->batch);
#endif
}

static int room(struct device *d, size_t device, size_t host)
{
    d->host_work = malloc(host + 1);
    return d->host_work && cusolver.cudaMalloc(&d->work, device + 1) == cudaSuccess;
}

/* Seconds from host memory to host memory, as Orrery's are; NAN if it failed. */
static double timed(struct device *d, cli_stack *s, void *a, void *w, int any)
{
    const size_t bytes = stack_bytes(s), values = stack_w_bytes(s);
    syevjInfo_t jacobi = NULL;
    cusolverDnParams_t params = NULL;
    int words = 0;
    size_t need[2] = {0, 0};
    double seconds = NAN;
    int bad = any ? cusolver.cusolverDnCreateParams(&params)
                  : cusolver.cusolverDnCreateSyevjInfo(&jacobi);
    if (!bad)
        bad = any ? xsyev(d, params, need, 1) : syevj(d, jacobi, &words, 1);
    if (!bad && room(d, any ? need[0] : (size_t)words * orr_type_size(s->type), need[1]) &&
        cusolver.cudaDeviceSynchronize() == cudaSuccess) {
        const double start = cli_now();
        bad = cusolver.cudaMemcpy(d->a, a, bytes, cudaMemcpyHostToDevice) != cudaSuccess;
        if (!bad)
            bad = any ? xsyev(d, params, need, 0) : syevj(d, jacobi, &words, 0);
        bad |= d->vectors == CUSOLVER_EIG_MODE_VECTOR &&
               cusolver.cudaMemcpy(a, d->a, bytes, cudaMemcpyDeviceToHost) != cudaSuccess;
        bad |= cusolver.cudaMemcpy(w, d->w, values, cudaMemcpyDeviceToHost) != cudaSuccess;
        seconds = bad ? NAN : cli_now() - start;
    }
    cusolver.cudaFree(d->work);
    free(d->host_work);
    d->work = d->host_work = NULL;
    if (jacobi)
        cusolver.cusolverDnDestroySyevjInfo(jacobi);
    if (params)
        cusolver.cusolverDnDestroyParams(params);
    return seconds;
}

double reference_cusolver(cli_stack *s, void *a, void *w, char jobz, char uplo, int any,
                          const unsigned char *skip)
{
    struct device d = {.type = s->type,
                       .n = (int)s->n_max,
                       .batch = (int)s->batch,
                       .vectors = CUSOLVER_EIG_MODE_NOVECTOR,
                       .uplo = uplo == 'U' ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER};
    if (jobz == 'V')
        d.vectors = CUSOLVER_EIG_MODE_VECTOR;
    const size_t matrix = (size_t)(s->n_max * s->n_max) * orr_type_size(s->type);
    double seconds = NAN;
    if (s->n_min != s->n_max || s->n_max == 0)
        return NAN;
    for (int64_t k = 0; k < s->batch; k++)
        if (skip[k]) /* not finite: nobody knows what a solver does then */
            memset((char *)a + (size_t)k * matrix, 0, matrix);
    if (cusolver.cusolverDnCreate(&d.handle) != CUSOLVER_STATUS_SUCCESS)
        return NAN;
    if (cusolver.cudaMalloc(&d.a, stack_room(s)) == cudaSuccess &&
        cusolver.cudaMalloc(&d.w, stack_w_bytes(s)) == cudaSuccess &&
        cusolver.cudaMalloc((void **)&d.info, (size_t)s->batch * sizeof *d.info) == cudaSuccess)
        seconds = timed(&d, s, a, w, any);
    cusolver.cudaFree(d.a);
    cusolver.cudaFree(d.w);
    cusolver.cudaFree(d.info);
    cusolver.cusolverDnDestroy(d.handle);
    return seconds;
}

#else

double reference_cusolver(cli_stack *s, void *a, void *w, char jobz, char uplo, int any,
                          const unsigned char *skip)
{
    (void)s, (void)a, (void)w, (void)jobz, (void)uplo, (void)any, (void)skip;
    return 0; /* never called: open has refused */
}

#endif
