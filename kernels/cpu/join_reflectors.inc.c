/* Products, and the triangular factor of consecutive reflectors from those of a few, for one scalar type T
 * (real type R), by BLAS.
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
#if !IS_COMPLEX
    if (FN(orr_thin)(*ta != 'N', *tb != 'N', m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
        return;
#endif
    LAPACK(gemm_)(ta, tb, &m_, &n_, &k_, &al, a, &a_, b, &b_, &be, c, &c_);
}

/* Of reflectors from .. from+count-1 of q (`rows` rows, V below its diagonal, leading dimension ld) the block
 * S := -S1 (V1' V2) S2 above their own S2, between those before them and them. */
__attribute__((unused)) static void FN(join)(int32_t rows, int32_t ld, const T *q, int32_t from,
                                             int32_t count, T *S, int32_t lds)
{
    const int64_t end = from + count;
    const T one = 1, minus = -1, *v = q + (int64_t)from * ld;
    T *s = S + (int64_t)from * lds;
    for (int64_t c = 0; c < count; c++)
        for (int64_t r = 0; r < from; r++)
            s[c * lds + r] = CONJ(q[r * ld + from + c]);
    LAPACK(trmm_)("R", "L", "N", "U", &from, &count, &one, v + from, &ld, s, &lds);
    FN(multiply)("C", "N", from, count, rows - end, 1, q + end, ld, v + end, ld, 1, s, lds);
    LAPACK(trmm_)("R", "U", "N", "N", &from, &count, &minus, s + from, &lds, s, &lds);
    LAPACK(trmm_)("L", "U", "N", "N", &from, &count, &one, S, &lds, s, &lds);
}
