/* Products and block reflectors I - V S V' for one scalar type T (real type R), by BLAS and
 * LAPACK.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* C := alpha op(A) op(B) + beta C */
static void FN(multiply)(const char *ta, const char *tb, int64_t m, int64_t n, int64_t k, R alpha,
                         const T *a, int64_t lda, const T *b, int64_t ldb, R beta, T *c,
                         int64_t ldc)
{
    const int32_t m_ = (int32_t)m, n_ = (int32_t)n, k_ = (int32_t)k;
    const int32_t a_ = (int32_t)lda, b_ = (int32_t)ldb, c_ = (int32_t)ldc;
    const T al = alpha, be = beta;
    LAPACK(gemm_)(ta, tb, &m_, &n_, &k_, &al, a, &a_, b, &b_, &be, c, &c_);
}

/* B := B S, or S' B or S B with S on the left; S upper triangular of order w. */
static void FN(times_triangle)(const char *side, const char *trans, int64_t m, int64_t n,
                               const T *s, int64_t w, T *b, int64_t ldb)
{
    const int32_t m_ = (int32_t)m, n_ = (int32_t)n, w_ = (int32_t)w, b_ = (int32_t)ldb;
    const T one = 1;
    LAPACK(trmm_)(side, "U", trans, "N", &m_, &n_, &one, s, &w_, b, &b_);
}

/* q, m x b without gaps, = Q R: R and V in its place. S: of the w = min(m, b) reflectors, zeros
 * below. Behind q there is room for 65 b numbers. */
static void FN(factor_panel)(int64_t m, int64_t b, T *q, T *S)
{
    const int64_t w = m < b ? m : b;
    const int32_t m_ = (int32_t)m, b_ = (int32_t)b, w_ = (int32_t)w, lwork = 64 * b_;
    T *tau = q + m * b;
    int32_t info;
    LAPACK(geqrf_)(&m_, &b_, q, &m_, tau, tau + b, &lwork, &info);
    memset(S, 0, (size_t)(w * w) * sizeof *S);
    LAPACK(larft_)("F", "C", &m_, &w_, q, &m_, tau, S, &w_);
}

/* The first w columns of q as factor_panel leaves it: V with its ones and zeros. */
static void FN(whole_reflectors)(int64_t m, int64_t w, T *q)
{
    for (int64_t c = 0; c < w; c++)
        for (int64_t r = 0; r <= c; r++)
            q[c * m + r] = r == c;
}
