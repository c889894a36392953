/* A stand-in for the few entry points of cuBLAS that kernels/cuda/blas.h calls, for the emulator:
 * BLAS on the host computes them. Pointers are host pointers there, and streams have no meaning.
 *
 * As cuBLAS does it refuses leading dimensions that are too small, a product of trmm that overlaps
 * its argument without being the same, and calls without a handle; and, of its own, a batch whose
 * results meet. While launches are only listed
 * (simt::instead_of_run) nothing is computed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SIMT_CUBLAS_H
#define ORR_SIMT_CUBLAS_H

#include <algorithm>
#include <complex>

#include "simt.h"

typedef std::complex<float> cuComplex;
typedef std::complex<double> cuDoubleComplex;
typedef struct CUstream_st *cudaStream_t;
typedef struct cublasContext *cublasHandle_t;

enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS,
    CUBLAS_STATUS_NOT_INITIALIZED,
    CUBLAS_STATUS_INVALID_VALUE = 7
};
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };

namespace stand_in
{

inline cublasStatus_t create(cublasHandle_t *h)
{
    *h = (cublasHandle_t) new int;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t set_stream(cublasHandle_t h, cudaStream_t)
{
    return h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
inline cublasStatus_t destroy(cublasHandle_t h)
{
    delete (int *)h;
    return h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

inline const char *letter(cublasOperation_t t)
{
    return t == CUBLAS_OP_N ? "N" : t == CUBLAS_OP_T ? "T" : "C";
}
inline const char *letter(cublasSideMode_t s) { return s == CUBLAS_SIDE_LEFT ? "L" : "R"; }
inline const char *letter(cublasFillMode_t u) { return u == CUBLAS_FILL_MODE_LOWER ? "L" : "U"; }
inline const char *letter(cublasDiagType_t d) { return d == CUBLAS_DIAG_UNIT ? "U" : "N"; }

inline bool holds(int ld, int rows) { return ld >= std::max(1, rows); }

template <class F> cublasStatus_t answer(cublasHandle_t h, bool legal, F compute)
{
    if (!h)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!legal)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!simt::instead_of_run)
        compute();
    return CUBLAS_STATUS_SUCCESS;
}

template <class T, auto Blas>
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                    int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta,
                    T *c, int ldc)
{
    const bool legal = m >= 0 && n >= 0 && k >= 0 && holds(lda, ta == CUBLAS_OP_N ? m : k) &&
                       holds(ldb, tb == CUBLAS_OP_N ? k : n) && holds(ldc, m);
    return answer(h, legal, [=] {
        Blas(letter(ta), letter(tb), &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc);
    });
}

/* Entries of two C of a batch would be one: windows of one matrix may lie between each other. */
inline bool batch_meets(int m, int n, int64_t ldc, int64_t stride, int count)
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
    const bool legal = m >= 0 && n >= 0 && k >= 0 && count >= 0 &&
                       holds(lda, ta == CUBLAS_OP_N ? m : k) &&
                       holds(ldb, tb == CUBLAS_OP_N ? k : n) && holds(ldc, m) &&
                       !batch_meets(m, n, ldc, stride_c, count);
    return answer(h, legal, [=] {
        for (int i = 0; i < count; i++)
            Blas(letter(ta), letter(tb), &m, &n, &k, alpha, a + i * stride_a, &lda,
                 b + i * stride_b, &ldb, beta, c + i * stride_c, &ldc);
    });
}

template <class T, auto Blas>
cublasStatus_t symm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,
                    const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c,
                    int ldc)
{
    const bool legal = m >= 0 && n >= 0 && holds(lda, side == CUBLAS_SIDE_LEFT ? m : n) &&
                       holds(ldb, m) && holds(ldc, m);
    return answer(h, legal, [=] {
        Blas(letter(side), letter(uplo), &m, &n, alpha, a, &lda, b, &ldb, beta, c, &ldc);
    });
}

template <class T, class R, auto Blas>
cublasStatus_t syr2k(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t t, int n, int k,
                     const T *alpha, const T *a, int lda, const T *b, int ldb, const R *beta, T *c,
                     int ldc)
{
    const int rows = t == CUBLAS_OP_N ? n : k;
    const bool legal = n >= 0 && k >= 0 && holds(lda, rows) && holds(ldb, rows) && holds(ldc, n);
    return answer(h, legal, [=] {
        Blas(letter(uplo), letter(t), &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc);
    });
}

/* BLAS's B becomes the product. */
template <class T, auto Blas>
cublasStatus_t trmm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t t, cublasDiagType_t diag, int m, int n, const T *alpha,
                    const T *a, int lda, const T *b, int ldb, T *c, int ldc)
{
    const bool legal = m >= 0 && n >= 0 && holds(lda, side == CUBLAS_SIDE_LEFT ? m : n) &&
                       holds(ldb, m) && holds(ldc, m) && (b != c || ldb == ldc);
    return answer(h, legal, [=] {
        for (int64_t j = 0; j < n && b != c; j++)
            std::copy(b + j * ldb, b + j * ldb + m, c + j * ldc);
        Blas(letter(side), letter(uplo), letter(t), letter(diag), &m, &n, alpha, a, &lda, c, &ldc);
    });
}

template <class T, auto Blas>
cublasStatus_t trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t t, cublasDiagType_t diag, int m, int n, const T *alpha,
                    const T *a, int lda, T *b, int ldb)
{
    const bool legal =
        m >= 0 && n >= 0 && holds(lda, side == CUBLAS_SIDE_LEFT ? m : n) && holds(ldb, m);
    return answer(h, legal, [=] {
        Blas(letter(side), letter(uplo), letter(t), letter(diag), &m, &n, alpha, a, &lda, b, &ldb);
    });
}

} // namespace stand_in

extern "C" {
#define ORR_BLAS(T, R, gemm, symm, syr2k, trmm, trsm)                                              \
    void gemm(const char *, const char *, const int *, const int *, const int *, const T *,        \
              const T *, const int *, const T *, const int *, const T *, T *, const int *);        \
    void symm(const char *, const char *, const int *, const int *, const T *, const T *,          \
              const int *, const T *, const int *, const T *, T *, const int *);                   \
    void syr2k(const char *, const char *, const int *, const int *, const T *, const T *,         \
               const int *, const T *, const int *, const R *, T *, const int *);                  \
    void trmm(const char *, const char *, const char *, const char *, const int *, const int *,    \
              const T *, const T *, const int *, T *, const int *);                                \
    void trsm(const char *, const char *, const char *, const char *, const int *, const int *,    \
              const T *, const T *, const int *, T *, const int *)
ORR_BLAS(float, float, sgemm_, ssymm_, ssyr2k_, strmm_, strsm_);
ORR_BLAS(double, double, dgemm_, dsymm_, dsyr2k_, dtrmm_, dtrsm_);
ORR_BLAS(cuComplex, float, cgemm_, chemm_, cher2k_, ctrmm_, ctrsm_);
ORR_BLAS(cuDoubleComplex, double, zgemm_, zhemm_, zher2k_, ztrmm_, ztrsm_);
#undef ORR_BLAS
}

constexpr auto cublasCreate = stand_in::create;
constexpr auto cublasSetStream = stand_in::set_stream;
constexpr auto cublasDestroy = stand_in::destroy;

constexpr auto cublasSgemm = stand_in::gemm<float, sgemm_>;
constexpr auto cublasDgemm = stand_in::gemm<double, dgemm_>;
constexpr auto cublasCgemm = stand_in::gemm<cuComplex, cgemm_>;
constexpr auto cublasZgemm = stand_in::gemm<cuDoubleComplex, zgemm_>;

constexpr auto cublasSgemmStridedBatched = stand_in::gemm_batch<float, sgemm_>;
constexpr auto cublasDgemmStridedBatched = stand_in::gemm_batch<double, dgemm_>;
constexpr auto cublasCgemmStridedBatched = stand_in::gemm_batch<cuComplex, cgemm_>;
constexpr auto cublasZgemmStridedBatched = stand_in::gemm_batch<cuDoubleComplex, zgemm_>;

constexpr auto cublasSsymm = stand_in::symm<float, ssymm_>;
constexpr auto cublasDsymm = stand_in::symm<double, dsymm_>;
constexpr auto cublasChemm = stand_in::symm<cuComplex, chemm_>;
constexpr auto cublasZhemm = stand_in::symm<cuDoubleComplex, zhemm_>;

constexpr auto cublasSsyr2k = stand_in::syr2k<float, float, ssyr2k_>;
constexpr auto cublasDsyr2k = stand_in::syr2k<double, double, dsyr2k_>;
constexpr auto cublasCher2k = stand_in::syr2k<cuComplex, float, cher2k_>;
constexpr auto cublasZher2k = stand_in::syr2k<cuDoubleComplex, double, zher2k_>;

constexpr auto cublasStrmm = stand_in::trmm<float, strmm_>;
constexpr auto cublasDtrmm = stand_in::trmm<double, dtrmm_>;
constexpr auto cublasCtrmm = stand_in::trmm<cuComplex, ctrmm_>;
constexpr auto cublasZtrmm = stand_in::trmm<cuDoubleComplex, ztrmm_>;

constexpr auto cublasStrsm = stand_in::trsm<float, strsm_>;
constexpr auto cublasDtrsm = stand_in::trsm<double, dtrsm_>;
constexpr auto cublasCtrsm = stand_in::trsm<cuComplex, ctrsm_>;
constexpr auto cublasZtrsm = stand_in::trsm<cuDoubleComplex, ztrsm_>;

#endif
