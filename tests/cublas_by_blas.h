/* The calls of cuBLAS that kernels/cuda/blas.h makes, by BLAS on the host, for both stand-ins: the
 * emulator's (simt/cublas_v2.h) and that of virtual devices (vgpu/vcublas.cpp).
 *
 * As cuBLAS does they refuse leading dimensions that are too small and a product of trmm that overlaps
 * its argument without being the same; and, of their own, a batch whose results meet. Who includes
 * this has cuBLAS's types, and defines what is declared first.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUBLAS_BY_BLAS_H
#define ORR_CUBLAS_BY_BLAS_H

#include <algorithm>
#include <cstdint>

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

namespace by_blas
{

/* Calls `compute` now or later if the arguments are legal. It holds no references: its bytes are the
 * arguments. */
template <class F> cublasStatus_t answer(cublasHandle_t, bool legal, const char *what, F compute);
/* Told of a batch of m by n whose results meet, before it is refused. */
void batch_meets(int m, int n, long long stride, int ld);

inline const char *letter(cublasOperation_t t)
{
    return t == CUBLAS_OP_N ? "N" : t == CUBLAS_OP_T ? "T" : "C";
}
inline const char *letter(cublasSideMode_t s) { return s == CUBLAS_SIDE_LEFT ? "L" : "R"; }
inline const char *letter(cublasFillMode_t u) { return u == CUBLAS_FILL_MODE_LOWER ? "L" : "U"; }
inline const char *letter(cublasDiagType_t d) { return d == CUBLAS_DIAG_UNIT ? "U" : "N"; }

inline bool holds(int ld, int rows) { return ld >= std::max(1, rows); }

template <class T, auto Blas>
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                    int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta,
                    T *c, int ldc)
{
    const T al = *alpha, be = *beta;
    const bool legal = m >= 0 && n >= 0 && k >= 0 && holds(lda, ta == CUBLAS_OP_N ? m : k) &&
                       holds(ldb, tb == CUBLAS_OP_N ? k : n) && holds(ldc, m);
    return answer(h, legal, "gemm", [=] {
        Blas(letter(ta), letter(tb), &m, &n, &k, &al, a, &lda, b, &ldb, &be, c, &ldc);
    });
}

/* Entries of two C of a batch would be one: windows of one matrix may lie between each other. */
inline bool meets(int m, int n, int64_t ldc, int64_t stride, int count)
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
    if (legal && meets(m, n, ldc, stride_c, count)) {
        batch_meets(m, n, stride_c, ldc);
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
    const bool legal = m >= 0 && n >= 0 && holds(lda, side == CUBLAS_SIDE_LEFT ? m : n) &&
                       holds(ldb, m) && holds(ldc, m);
    return answer(h, legal, "symm", [=] {
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
    const bool legal = n >= 0 && k >= 0 && holds(lda, rows) && holds(ldb, rows) && holds(ldc, n);
    return answer(h, legal, "syr2k", [=] {
        Blas(letter(uplo), letter(t), &n, &k, &al, a, &lda, b, &ldb, &be, c, &ldc);
    });
}

/* BLAS's B becomes the product. */
template <class T, auto Blas>
cublasStatus_t trmm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t t, cublasDiagType_t diag, int m, int n, const T *alpha,
                    const T *a, int lda, const T *b, int ldb, T *c, int ldc)
{
    const T al = *alpha;
    const bool legal = m >= 0 && n >= 0 && holds(lda, side == CUBLAS_SIDE_LEFT ? m : n) &&
                       holds(ldb, m) && holds(ldc, m) && (b != c || ldb == ldc);
    return answer(h, legal, "trmm", [=] {
        for (int64_t j = 0; j < n && b != c; j++)
            std::copy(b + j * ldb, b + j * ldb + m, c + j * ldc);
        Blas(letter(side), letter(uplo), letter(t), letter(diag), &m, &n, &al, a, &lda, c, &ldc);
    });
}

template <class T, auto Blas>
cublasStatus_t trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t t, cublasDiagType_t diag, int m, int n, const T *alpha,
                    const T *a, int lda, T *b, int ldb)
{
    const T al = *alpha;
    const bool legal =
        m >= 0 && n >= 0 && holds(lda, side == CUBLAS_SIDE_LEFT ? m : n) && holds(ldb, m);
    return answer(h, legal, "trsm", [=] {
        Blas(letter(side), letter(uplo), letter(t), letter(diag), &m, &n, &al, a, &lda, b, &ldb);
    });
}

} // namespace by_blas

#endif
