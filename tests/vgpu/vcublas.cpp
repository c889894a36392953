/* libcublas for virtual devices: the calls of kernels/cuda/blas.h and of StarPU, by BLAS in the
 * process of the device, in the order of the handle's stream.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "vgpu.h"
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <cublas_v2.h>

struct cublasContext {
    int device;
    cudaStream_t stream;
};

#include "../cublas_by_blas.h"

namespace by_blas
{

template <class F> cublasStatus_t answer(cublasHandle_t h, bool legal, const char *what, F f)
{
    static_assert(std::is_trivially_copyable<F>::value, "bytes");
    if (!h)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!legal)
        return CUBLAS_STATUS_INVALID_VALUE;
    int now = 0;
    cudaGetDevice(&now);
    if (now != h->device) {
        vgpu_defect("%s: a handle of device %d while device %d is current", what, h->device, now);
        return CUBLAS_STATUS_ARCH_MISMATCH;
    }
    vgpu_function *run = [](void *p) -> const char * {
        (*(F *)p)();
        return nullptr;
    };
    return vgpu_launch(h->stream, run, &f, sizeof f, what, 0) == cudaSuccess
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_EXECUTION_FAILED;
}

void batch_meets(int m, int n, long long stride, int ld)
{
    vgpu_defect("gemmStridedBatched: C of %d by %d, %lld apart with ld %d, meet", m, n, stride, ld);
}

} // namespace by_blas

extern "C" {
cublasStatus_t cublasCreate_v2(cublasHandle_t *h)
{
    *h = new cublasContext{0, nullptr};
    cudaGetDevice(&(*h)->device);
    vgpu_count_handle();
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t h)
{
    if (h && h->stream && !vgpu_stream_lives(h->stream))
        vgpu_defect("cublasDestroy: the handle's stream was destroyed before");
    delete h;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t h, cudaStream_t s)
{
    if (!h)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    h->stream = s;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasInit(void) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasShutdown(void) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetKernelStream(cudaStream_t) { return CUBLAS_STATUS_SUCCESS; }

#define GEMM(X, T, f)                                                                              \
    cublasStatus_t cublas##X##gemm_v2(                                                             \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,         \
        const T *al, const T *a, int lda, const T *b, int ldb, const T *be, T *c, int ldc)         \
    {                                                                                              \
        return by_blas::gemm<T, f>(h, ta, tb, m, n, k, al, a, lda, b, ldb, be, c, ldc);            \
    }
#define GEMM_BATCH(X, T, f)                                                                        \
    cublasStatus_t cublas##X##gemmStridedBatched(                                                  \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,         \
        const T *al, const T *a, int lda, long long sa, const T *b, int ldb, long long sb,         \
        const T *be, T *c, int ldc, long long sc, int count)                                       \
    {                                                                                              \
        return by_blas::gemm_batch<T, f>(h, ta, tb, m, n, k, al, a, lda, sa, b, ldb, sb, be, c,    \
                                         ldc, sc, count);                                          \
    }
#define SYMM(X, T, f)                                                                              \
    cublasStatus_t cublas##X##_v2(cublasHandle_t h, cublasSideMode_t s, cublasFillMode_t u, int m, \
                                  int n, const T *al, const T *a, int lda, const T *b, int ldb,    \
                                  const T *be, T *c, int ldc)                                      \
    {                                                                                              \
        return by_blas::symm<T, f>(h, s, u, m, n, al, a, lda, b, ldb, be, c, ldc);                 \
    }
#define SYR2K(X, T, R, f)                                                                          \
    cublasStatus_t cublas##X##_v2(cublasHandle_t h, cublasFillMode_t u, cublasOperation_t t,       \
                                  int n, int k, const T *al, const T *a, int lda, const T *b,      \
                                  int ldb, const R *be, T *c, int ldc)                             \
    {                                                                                              \
        return by_blas::syr2k<T, R, f>(h, u, t, n, k, al, a, lda, b, ldb, be, c, ldc);             \
    }
#define TRMM(X, T, f)                                                                              \
    cublasStatus_t cublas##X##trmm_v2(cublasHandle_t h, cublasSideMode_t s, cublasFillMode_t u,    \
                                      cublasOperation_t t, cublasDiagType_t d, int m, int n,       \
                                      const T *al, const T *a, int lda, const T *b, int ldb, T *c, \
                                      int ldc)                                                     \
    {                                                                                              \
        return by_blas::trmm<T, f>(h, s, u, t, d, m, n, al, a, lda, b, ldb, c, ldc);               \
    }
#define TRSM(X, T, f)                                                                              \
    cublasStatus_t cublas##X##trsm_v2(cublasHandle_t h, cublasSideMode_t s, cublasFillMode_t u,    \
                                      cublasOperation_t t, cublasDiagType_t d, int m, int n,       \
                                      const T *al, const T *a, int lda, T *b, int ldb)             \
    {                                                                                              \
        return by_blas::trsm<T, f>(h, s, u, t, d, m, n, al, a, lda, b, ldb);                       \
    }
/* clang-format off */
GEMM(S, float, sgemm_) GEMM(D, double, dgemm_)
GEMM(C, cuComplex, cgemm_) GEMM(Z, cuDoubleComplex, zgemm_)
GEMM_BATCH(S, float, sgemm_) GEMM_BATCH(D, double, dgemm_)
GEMM_BATCH(C, cuComplex, cgemm_) GEMM_BATCH(Z, cuDoubleComplex, zgemm_)
SYMM(Ssymm, float, ssymm_) SYMM(Dsymm, double, dsymm_)
SYMM(Chemm, cuComplex, chemm_) SYMM(Zhemm, cuDoubleComplex, zhemm_)
SYR2K(Ssyr2k, float, float, ssyr2k_) SYR2K(Dsyr2k, double, double, dsyr2k_)
SYR2K(Cher2k, cuComplex, float, cher2k_) SYR2K(Zher2k, cuDoubleComplex, double, zher2k_)
TRMM(S, float, strmm_) TRMM(D, double, dtrmm_)
TRMM(C, cuComplex, ctrmm_) TRMM(Z, cuDoubleComplex, ztrmm_)
TRSM(S, float, strsm_) TRSM(D, double, dtrsm_)
TRSM(C, cuComplex, ctrsm_) TRSM(Z, cuDoubleComplex, ztrsm_)
/* clang-format on */
}
