/* A stand-in for the few entry points of cuBLAS that kernels/cuda/blas.h calls, for the emulator:
 * BLAS on the host computes them. Pointers are host pointers there, and streams have no meaning.
 *
 * Like cuBLAS it refuses calls without a handle, and what ../cublas_by_blas.h says. While launches
 * are only listed (simt::instead_of_run) nothing is computed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SIMT_CUBLAS_H
#define ORR_SIMT_CUBLAS_H

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

} // namespace stand_in

#include "../cublas_by_blas.h"

namespace by_blas
{

template <class F>
cublasStatus_t answer(cublasHandle_t h, bool legal, const char * /*what*/, F compute)
{
    if (!h)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!legal)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!simt::instead_of_run)
        compute();
    return CUBLAS_STATUS_SUCCESS;
}

inline void batch_meets(int, int, long long, int) {}

} // namespace by_blas

constexpr auto cublasCreate = stand_in::create;
constexpr auto cublasSetStream = stand_in::set_stream;
constexpr auto cublasDestroy = stand_in::destroy;

constexpr auto cublasSgemm = by_blas::gemm<float, sgemm_>;
constexpr auto cublasDgemm = by_blas::gemm<double, dgemm_>;
constexpr auto cublasCgemm = by_blas::gemm<cuComplex, cgemm_>;
constexpr auto cublasZgemm = by_blas::gemm<cuDoubleComplex, zgemm_>;

constexpr auto cublasSgemmStridedBatched = by_blas::gemm_batch<float, sgemm_>;
constexpr auto cublasDgemmStridedBatched = by_blas::gemm_batch<double, dgemm_>;
constexpr auto cublasCgemmStridedBatched = by_blas::gemm_batch<cuComplex, cgemm_>;
constexpr auto cublasZgemmStridedBatched = by_blas::gemm_batch<cuDoubleComplex, zgemm_>;

constexpr auto cublasSsymm = by_blas::symm<float, ssymm_>;
constexpr auto cublasDsymm = by_blas::symm<double, dsymm_>;
constexpr auto cublasChemm = by_blas::symm<cuComplex, chemm_>;
constexpr auto cublasZhemm = by_blas::symm<cuDoubleComplex, zhemm_>;

constexpr auto cublasSsyr2k = by_blas::syr2k<float, float, ssyr2k_>;
constexpr auto cublasDsyr2k = by_blas::syr2k<double, double, dsyr2k_>;
constexpr auto cublasCher2k = by_blas::syr2k<cuComplex, float, cher2k_>;
constexpr auto cublasZher2k = by_blas::syr2k<cuDoubleComplex, double, zher2k_>;

constexpr auto cublasStrmm = by_blas::trmm<float, strmm_>;
constexpr auto cublasDtrmm = by_blas::trmm<double, dtrmm_>;
constexpr auto cublasCtrmm = by_blas::trmm<cuComplex, ctrmm_>;
constexpr auto cublasZtrmm = by_blas::trmm<cuDoubleComplex, ztrmm_>;

constexpr auto cublasStrsm = by_blas::trsm<float, strsm_>;
constexpr auto cublasDtrsm = by_blas::trsm<double, dtrsm_>;
constexpr auto cublasCtrsm = by_blas::trsm<cuComplex, ctrsm_>;
constexpr auto cublasZtrsm = by_blas::trsm<cuDoubleComplex, ztrsm_>;

#endif
