/* Products of matrices in device memory by cuBLAS, one spelling for four types. In the emulator of
 * tests/simt a stand-in for cuBLAS computes them on the host.
 *
 * A handle belongs to a thread, a device and a stream (kernels/cublas.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_BLAS_H
#define ORR_CUDA_BLAS_H

#include <cublas_v2.h>

#include <vector>

#include "kernels/cuda/scalar.cuh"

namespace orr
{

struct blas_handles {
    struct one {
        int device;
        orr_stream stream;
        cublasHandle_t handle;
    };
    std::vector<one> made;
    void drop()
    {
        for (const one &x : made)
            (void)cublasDestroy(x.handle);
        made.clear();
    }
    ~blas_handles() { drop(); }
};

inline blas_handles &handles_of_thread()
{
    static thread_local blas_handles mine;
    return mine;
}

inline int blas_device()
{
    int device = 0;
#ifndef ORR_NO_RUNTIME
    (void)cudaGetDevice(&device);
#endif
    return device;
}

/* NULL: cuBLAS does not start. */
inline cublasHandle_t blas_handle(orr_stream stream)
{
    blas_handles &mine = handles_of_thread();
    const int device = blas_device();
    for (const blas_handles::one &x : mine.made)
        if (x.device == device && x.stream == stream)
            return x.handle;
    cublasHandle_t handle = nullptr;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        return nullptr;
    if (cublasSetStream(handle, (cudaStream_t)stream) != CUBLAS_STATUS_SUCCESS) {
        (void)cublasDestroy(handle);
        return nullptr;
    }
    mine.made.push_back({device, stream, handle});
    return handle;
}

/* The routines of a type, the Hermitian ones where it is complex, and what cuBLAS calls it. */
template <class T> struct blas_of;
template <> struct blas_of<float> {
    typedef float number;
    static constexpr auto gemm = cublasSgemm;
    static constexpr auto gemm_batch = cublasSgemmStridedBatched;
    static constexpr auto hemm = cublasSsymm;
    static constexpr auto her2k = cublasSsyr2k;
    static constexpr auto trmm = cublasStrmm;
    static constexpr auto trsm = cublasStrsm;
    static constexpr cublasOperation_t adjoint = CUBLAS_OP_T;
};
template <> struct blas_of<double> {
    typedef double number;
    static constexpr auto gemm = cublasDgemm;
    static constexpr auto gemm_batch = cublasDgemmStridedBatched;
    static constexpr auto hemm = cublasDsymm;
    static constexpr auto her2k = cublasDsyr2k;
    static constexpr auto trmm = cublasDtrmm;
    static constexpr auto trsm = cublasDtrsm;
    static constexpr cublasOperation_t adjoint = CUBLAS_OP_T;
};
template <> struct blas_of<complex<float>> {
    typedef cuComplex number;
    static constexpr auto gemm = cublasCgemm;
    static constexpr auto gemm_batch = cublasCgemmStridedBatched;
    static constexpr auto hemm = cublasChemm;
    static constexpr auto her2k = cublasCher2k;
    static constexpr auto trmm = cublasCtrmm;
    static constexpr auto trsm = cublasCtrsm;
    static constexpr cublasOperation_t adjoint = CUBLAS_OP_C;
};
template <> struct blas_of<complex<double>> {
    typedef cuDoubleComplex number;
    static constexpr auto gemm = cublasZgemm;
    static constexpr auto gemm_batch = cublasZgemmStridedBatched;
    static constexpr auto hemm = cublasZhemm;
    static constexpr auto her2k = cublasZher2k;
    static constexpr auto trmm = cublasZtrmm;
    static constexpr auto trsm = cublasZtrsm;
    static constexpr cublasOperation_t adjoint = CUBLAS_OP_C;
};

/* Calls on one stream until one fails: `status` is ORR_OK or ORR_E_DEVICE. */
template <class T> class blas
{
    typedef typename blas_of<T>::number number;
    typedef real_of<T> R;
    cublasHandle_t handle;

    static cublasOperation_t operation(char t)
    {
        return t == 'N' ? CUBLAS_OP_N : blas_of<T>::adjoint;
    }
    static cublasSideMode_t side_of(char side)
    {
        return side == 'L' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
    }
    template <class F, class... A> void call(F routine, A... arguments)
    {
        if (status == ORR_OK && routine(handle, arguments...) != CUBLAS_STATUS_SUCCESS)
            status = ORR_E_DEVICE;
    }
    static const number *of(const T *p) { return (const number *)p; }
    static number *of(T *p) { return (number *)p; }
    static T scalar_of(R x)
    {
        if constexpr (scalar<T>::is_complex)
            return {x, 0};
        else
            return x;
    }

  public:
    orr_status status;

    explicit blas(orr_stream stream)
        : handle(blas_handle(stream)), status(handle ? ORR_OK : ORR_E_DEVICE)
    {
    }

    /* C := alpha op(A) op(B) + beta C, m x n, k products for each entry; op by 'N' or 'C'. */
    void multiply(char ta, char tb, int64_t m, int64_t n, int64_t k, R alpha, const T *a,
                  int64_t lda, const T *b, int64_t ldb, R beta, T *c, int64_t ldc)
    {
        const T al = scalar_of(alpha), be = scalar_of(beta);
        if (m > 0 && n > 0)
            call(blas_of<T>::gemm, operation(ta), operation(tb), (int)m, (int)n, (int)k, of(&al),
                 of(a), (int)lda, of(b), (int)ldb, of(&be), of(c), (int)ldc);
    }
    /* `count` such products in one launch, the matrices of one so many elements behind those of the one
     * before; the entries of C are apart. */
    void multiply_batch(char ta, char tb, int64_t m, int64_t n, int64_t k, R alpha, const T *a,
                        int64_t lda, int64_t stride_a, const T *b, int64_t ldb, int64_t stride_b,
                        R beta, T *c, int64_t ldc, int64_t stride_c, int64_t count)
    {
        const T al = scalar_of(alpha), be = scalar_of(beta);
        if (m > 0 && n > 0 && count > 0)
            call(blas_of<T>::gemm_batch, operation(ta), operation(tb), (int)m, (int)n, (int)k,
                 of(&al), of(a), (int)lda, (long long)stride_a, of(b), (int)ldb,
                 (long long)stride_b, of(&be), of(c), (int)ldc, (long long)stride_c, (int)count);
    }
    /* C := alpha A B + beta C, or alpha B A + beta C with side 'R', C m x n; A Hermitian, its lower
     * triangle. */
    void multiply_hermitian(char side, int64_t m, int64_t n, R alpha, const T *a, int64_t lda,
                            const T *b, int64_t ldb, R beta, T *c, int64_t ldc)
    {
        const T al = scalar_of(alpha), be = scalar_of(beta);
        if (m > 0 && n > 0)
            call(blas_of<T>::hemm, side_of(side), CUBLAS_FILL_MODE_LOWER, (int)m, (int)n, of(&al),
                 of(a), (int)lda, of(b), (int)ldb, of(&be), of(c), (int)ldc);
    }
    /* C := C + alpha (A B' + B A'), or alpha (A' B + B' A) with trans 'C', the lower triangle of
     * order n; k: the other side of A and B. */
    void update_hermitian(char trans, int64_t n, int64_t k, R alpha, const T *a, int64_t lda,
                          const T *b, int64_t ldb, T *c, int64_t ldc)
    {
        const T al = scalar_of(alpha);
        const R one = 1;
        if (n > 0)
            call(blas_of<T>::her2k, CUBLAS_FILL_MODE_LOWER, operation(trans), (int)n, (int)k,
                 of(&al), of(a), (int)lda, of(b), (int)ldb, &one, of(c), (int)ldc);
    }
    /* B := op(L) B, or B op(L) with side 'R', B m x n, L lower triangular. */
    void times_lower(char side, char t, int64_t m, int64_t n, const T *l, int64_t ldl, T *b,
                     int64_t ldb)
    {
        const T one = scalar_of(1);
        if (m > 0 && n > 0)
            call(blas_of<T>::trmm, side_of(side), CUBLAS_FILL_MODE_LOWER, operation(t),
                 CUBLAS_DIAG_NON_UNIT, (int)m, (int)n, of(&one), of(l), (int)ldl, (const number *)b,
                 (int)ldb, of(b), (int)ldb);
    }
    /* The same with the inverse of op(L). */
    void solve_lower(char side, char t, int64_t m, int64_t n, const T *l, int64_t ldl, T *b,
                     int64_t ldb)
    {
        const T one = scalar_of(1);
        if (m > 0 && n > 0)
            call(blas_of<T>::trsm, side_of(side), CUBLAS_FILL_MODE_LOWER, operation(t),
                 CUBLAS_DIAG_NON_UNIT, (int)m, (int)n, of(&one), of(l), (int)ldl, of(b), (int)ldb);
    }
    /* B := B op(S), or op(S) B with side 'L'; B m x n, S upper triangular of order w. */
    void times_triangle(char side, char t, int64_t m, int64_t n, const T *s, int64_t w, T *b,
                        int64_t ldb)
    {
        const T one = scalar_of(1);
        if (m > 0 && n > 0)
            call(blas_of<T>::trmm, side_of(side), CUBLAS_FILL_MODE_UPPER, operation(t),
                 CUBLAS_DIAG_NON_UNIT, (int)m, (int)n, of(&one), of(s), (int)w, (const number *)b,
                 (int)ldb, of(b), (int)ldb);
    }
};

} // namespace orr

/* The functions of a table by orr_type. */
#define ORR_FOUR(f)                                                                                \
    {                                                                                              \
        f<float>, f<double>, f<complex<float>>, f<complex<double>>                                 \
    }

#endif
