/* cuSOLVER's functions, for what runs it on the same matrices. Its libraries are opened only when
 * somebody asks: they are larger than everything else together, and a node without them loses
 * nothing. Include where ORR_WITH_CUDA is defined.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_CUSOLVER_H
#define ORR_CLI_CUSOLVER_H

#include <cuda_runtime_api.h>
#include <cusolverDn.h>

/* Every function that is called, with the prototype of its header. */
/* clang-format off */
#define CUSOLVER_RUNTIME(X)                                                                        \
    X(cudaGetDeviceCount) X(cudaGetErrorString) X(cudaMalloc) X(cudaFree) X(cudaMemcpy)            \
    X(cudaDeviceSynchronize)
#define CUSOLVER_TYPE(X, ev, t)                                                                    \
    X(cusolverDn##ev##evjBatched_bufferSize) X(cusolverDn##ev##evjBatched)                         \
    X(cusolverDn##t##gesvd_bufferSize) X(cusolverDn##t##gesvd)                                     \
    X(cusolverDn##t##gesvdj_bufferSize) X(cusolverDn##t##gesvdj)                                   \
    X(cusolverDn##t##gesvdjBatched_bufferSize) X(cusolverDn##t##gesvdjBatched)
#if CUSOLVER_VERSION >= 11701 /* CUDA 12.6 */
#define CUSOLVER_XSYEV(X) X(cusolverDnXsyevBatched_bufferSize) X(cusolverDnXsyevBatched)
#else
#define CUSOLVER_XSYEV(X)
#endif
#define CUSOLVER_SOLVER(X)                                                                         \
    X(cusolverDnCreate) X(cusolverDnDestroy) X(cusolverDnCreateSyevjInfo)                          \
    X(cusolverDnDestroySyevjInfo) X(cusolverDnCreateGesvdjInfo) X(cusolverDnDestroyGesvdjInfo)     \
    X(cusolverDnCreateParams) X(cusolverDnDestroyParams)                                           \
    CUSOLVER_XSYEV(X)                                                                              \
    CUSOLVER_TYPE(X, Ssy, S) CUSOLVER_TYPE(X, Dsy, D)                                              \
    CUSOLVER_TYPE(X, Che, C) CUSOLVER_TYPE(X, Zhe, Z)
/* clang-format on */

#define CUSOLVER_DECLARE(f) __typeof__(f) *f;
struct cusolver_functions {
    CUSOLVER_RUNTIME(CUSOLVER_DECLARE)
    CUSOLVER_SOLVER(CUSOLVER_DECLARE)
};
/* Filled by reference_cusolver_open. */
extern struct cusolver_functions cusolver;

#endif
