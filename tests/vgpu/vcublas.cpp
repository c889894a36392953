/* libcublas for virtual devices: the calls of kernels/cuda/blas.h and of StarPU, by BLAS in the
 * process of the device, in the order of the handle's stream.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "vgpu.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <cublas_v2.h>

struct cublasContext {
    int device;
    cudaStream_t stream;
};

extern "C" {
#define BLAS(T, R, gemm, symm, syr2k, trmm, trsm)                                                  \
    void gemm(const char *, const char *, const int *, const int *, const int *, const T *,        \
              const T *, const int *, const T *, const int *, const T *, T *, const int *);        \
    void symm(const char *, const char *, const int *, const int *, const T *, const T *,          \
              const int *, const T *, const int *, const T *, T *, const int *);                   \
    void syr2k(const char *, const char *, const int *, const int *, const T *, const T *,         \
               const int *, const T *, const int *, const R *, T *, const int *);                  \
    void trmm(const char *, const char *, const char *, const char *, const int *, const int *,    \
              const T *, const T *, const int *, T *, const int *);                                \
    void trsm(const char *, const char *, const char *, const char *, const int *, const int *,    \
              const T *, const T *, const int *, T *, const int *);
BLAS(float, float, sgemm_, ssymm_, ssyr2k_, strmm_, strsm_)
BLAS(double, double, dgemm_, dsymm_, dsyr2k_, dtrmm_, dtrsm_)
BLAS(cuComplex, float, cgemm_, chemm_, cher2k_, ctrmm_, ctrsm_)
BLAS(cuDoubleComplex, double, zgemm_, zhemm_, zher2k_, ztrmm_, ztrsm_)
}

namespace
{

const char *letter(cublasOperation_t t)
{
    return t == CUBLAS_OP_N ? "N" : t == CUBLAS_OP_T ? "T" : "C";
}
const char *letter(cublasSideMode_t s) { return s == CUBLAS_SIDE_LEFT ? "L" : "R"; }
const char *letter(cublasFillMode_t u) { return u == CUBLAS_FILL_MODE_LOWER ? "L" : "U"; }
const char *letter(cublasDiagType_t d) { return d == CUBLAS_DIAG_UNIT ? "U" : "N"; }
bool holds(int ld, int rows) { return ld >= std::max(1, rows); }

/* F is a lambda without references: its bytes are the arguments. */
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

template <class T, auto Blas>
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                    int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta,
                    T *c, int ldc)
{
    const T al = *alpha, be = *beta;
    return answer(h,
                  m >= 0 && n >= 0 && k >= 0 && holds(lda, ta == CUBLAS_OP_N ? m : k) &&
                      holds(ldb, tb == CUBLAS_OP_N ? k : n) && holds(ldc, m),
                  "gemm", [=] {
                      Blas(letter(ta), letter(tb), &m, &n, &k, &al, a, &lda, b, &ldb, &be, c, &ldc);
                  });
}
/* Entries of two C of a batch would be one: windows of one matrix may lie between each other. */
bool batch_meets(int m, int n, int64_t ldc, int64_t stride, int count)
{
    bool meets = false;
    for (int64_t k = 1; k < count && m > 0 && n > 0; k++) {
        const int64_t column = k * stride / ldc, row = k * stride % ldc;
        meets = meets || stride < 0 || (column < n && row < m) || (column + 1 < n && ldc - row < m);
    }
    return meets;
}

template <class T, auto Blas>
cublasStatus_t gemm_batch(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                          int n, int k, const T *alpha, const T *a, int lda, long long stride_a,
                          const T *b, int ldb, long long stride_b, const T *beta, T *c, int ldc,
                          long long stride_c, int count)
{
    const T al = *alpha, be = *beta;
    const bool legal = m >= 0 && n >= 0 && k >= 0 && count >= 0 &&
                       holds(lda, ta == CUBLAS_OP_N ? m : k) &&
                       holds(ldb, tb == CUBLAS_OP_N ? k : n) && holds(ldc, m);
    if (legal && batch_meets(m, n, ldc, stride_c, count)) {
        vgpu_defect("gemmStridedBatched: C of %d by %d, %lld apart with ld %d, meet", m, n,
                    stride_c, ldc);
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    return answer(h, legal, "gemm", [=] {
        for (int i = 0; i < count; i++)
            Blas(letter(ta), letter(tb), &m, &n, &k, &al, a + i * stride_a, &lda, b + i * stride_b,
                 &ldb, &be, c + i * stride_c, &ldc);
    });
}
template <class T, auto Blas>
cublasStatus_t symm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,
                    const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c,
                    int ldc)
{
    const T al = *alpha, be = *beta;
    return answer(h,
                  m >= 0 && n >= 0 && holds(lda, side == CUBLAS_SIDE_LEFT ? m : n) &&
                      holds(ldb, m) && holds(ldc, m),
                  "symm", [=] {
                      Blas(letter(side), letter(uplo), &m, &n, &al, a, &lda, b, &ldb, &be, c, &ldc);
                  });
}
template <class T, class R, auto Blas>
cublasStatus_t syr2k(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t t, int n, int k,
                     const T *alpha, const T *a, int lda, const T *b, int ldb, const R *beta, T *c,
                     int ldc)
{
    const int rows = t == CUBLAS_OP_N ? n : k;
    const T al = *alpha;
    const R be = *beta;
    return answer(
        h, n >= 0 && k >= 0 && holds(lda, rows) && holds(ldb, rows) && holds(ldc, n), "syr2k",
        [=] { Blas(letter(uplo), letter(t), &n, &k, &al, a, &lda, b, &ldb, &be, c, &ldc); });
}
template <class T, auto Blas>
cublasStatus_t trmm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t t, cublasDiagType_t diag, int m, int n, const T *alpha,
                    const T *a, int lda, const T *b, int ldb, T *c, int ldc)
{
    const T al = *alpha;
    return answer(h,
                  m >= 0 && n >= 0 && holds(lda, side == CUBLAS_SIDE_LEFT ? m : n) &&
                      holds(ldb, m) && holds(ldc, m) && (b != c || ldb == ldc),
                  "trmm", [=] {
                      for (int64_t j = 0; j < n && b != c; j++)
                          std::copy(b + j * ldb, b + j * ldb + m, c + j * ldc);
                      Blas(letter(side), letter(uplo), letter(t), letter(diag), &m, &n, &al, a,
                           &lda, c, &ldc);
                  });
}

template <class T, auto Blas>
cublasStatus_t trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t t, cublasDiagType_t diag, int m, int n, const T *alpha,
                    const T *a, int lda, T *b, int ldb)
{
    const T al = *alpha;
    return answer(h,
                  m >= 0 && n >= 0 && holds(lda, side == CUBLAS_SIDE_LEFT ? m : n) && holds(ldb, m),
                  "trsm", [=] {
                      Blas(letter(side), letter(uplo), letter(t), letter(diag), &m, &n, &al, a,
                           &lda, b, &ldb);
                  });
}

} // namespace

extern "C" {
cublasStatus_t cublasCreate_v2(cublasHandle_t *h)
{
    *h = new cublasContext{0, nullptr};
    cudaGetDevice(&(*h)->device);
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
        return gemm<T, f>(h, ta, tb, m, n, k, al, a, lda, b, ldb, be, c, ldc);                     \
    }
#define GEMM_BATCH(X, T, f)                                                                        \
    cublasStatus_t cublas##X##gemmStridedBatched(                                                  \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,         \
        const T *al, const T *a, int lda, long long sa, const T *b, int ldb, long long sb,         \
        const T *be, T *c, int ldc, long long sc, int count)                                       \
    {                                                                                              \
        return gemm_batch<T, f>(h, ta, tb, m, n, k, al, a, lda, sa, b, ldb, sb, be, c, ldc, sc,    \
                                count);                                                            \
    }
#define SYMM(X, T, f)                                                                              \
    cublasStatus_t cublas##X##_v2(cublasHandle_t h, cublasSideMode_t s, cublasFillMode_t u, int m, \
                                  int n, const T *al, const T *a, int lda, const T *b, int ldb,    \
                                  const T *be, T *c, int ldc)                                      \
    {                                                                                              \
        return symm<T, f>(h, s, u, m, n, al, a, lda, b, ldb, be, c, ldc);                          \
    }
#define SYR2K(X, T, R, f)                                                                          \
    cublasStatus_t cublas##X##_v2(cublasHandle_t h, cublasFillMode_t u, cublasOperation_t t,       \
                                  int n, int k, const T *al, const T *a, int lda, const T *b,      \
                                  int ldb, const R *be, T *c, int ldc)                             \
    {                                                                                              \
        return syr2k<T, R, f>(h, u, t, n, k, al, a, lda, b, ldb, be, c, ldc);                      \
    }
#define TRMM(X, T, f)                                                                              \
    cublasStatus_t cublas##X##trmm_v2(cublasHandle_t h, cublasSideMode_t s, cublasFillMode_t u,    \
                                      cublasOperation_t t, cublasDiagType_t d, int m, int n,       \
                                      const T *al, const T *a, int lda, const T *b, int ldb, T *c, \
                                      int ldc)                                                     \
    {                                                                                              \
        return trmm<T, f>(h, s, u, t, d, m, n, al, a, lda, b, ldb, c, ldc);                        \
    }
#define TRSM(X, T, f)                                                                              \
    cublasStatus_t cublas##X##trsm_v2(cublasHandle_t h, cublasSideMode_t s, cublasFillMode_t u,    \
                                      cublasOperation_t t, cublasDiagType_t d, int m, int n,       \
                                      const T *al, const T *a, int lda, T *b, int ldb)             \
    {                                                                                              \
        return trsm<T, f>(h, s, u, t, d, m, n, al, a, lda, b, ldb);                                \
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
