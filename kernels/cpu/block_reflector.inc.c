/* Products and block reflectors I - V S V' for one scalar type T (real type R), by BLAS and
 * LAPACK.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "join_reflectors.inc.c"

/* B := B S, or S' B or S B with S on the left; S upper triangular of order w. */
static void FN(times_triangle)(const char *side, const char *trans, int64_t m, int64_t n,
                               const T *s, int64_t w, T *b, int64_t ldb)
{
    const int32_t m_ = (int32_t)m, n_ = (int32_t)n, w_ = (int32_t)w, b_ = (int32_t)ldb;
    const T one = 1;
    LAPACK(trmm_)(side, "U", trans, "N", &m_, &n_, &one, s, &w_, b, &b_);
}

#if IS_COMPLEX
static void FN(factor)(int32_t m, int32_t b, int32_t w, T *q, T *S)
{
    const int32_t lwork = 64 * b;
    T *tau = q + (int64_t)m * b;
    int32_t info;
    LAPACK(geqrf_)(&m, &b, q, &m, tau, tau + b, &lwork, &info);
    LAPACK(larft_)("F", "C", &m, &w, q, &m, tau, S, &w);
}
#else
/* A few columns at a time: most of it are products of matrices, and twice as fast. Of complex ones
 * that are as thin they are not. */
static void FN(factor)(int32_t m, int32_t b, int32_t w, T *q, T *S)
{
    const int32_t few = w < 8 ? w : 8;
    T *own = q + (int64_t)m * b, *work = own + (int64_t)few * w; /* S of these columns */
    int32_t info;
    LAPACK(geqrt_)(&m, &b, &few, q, &m, own, &few, work, &info);
    for (int32_t from = 0; from < w; from += few) {
        const int32_t count = w - from < few ? w - from : few;
        for (int64_t c = from; c < from + count; c++)
            memcpy(S + c * w + from, own + c * few, (size_t)(c - from + 1) * sizeof *S);
        if (from > 0)
            FN(join)(m, m, q, from, count, S, w);
    }
}
#endif

/* q, m x b without gaps, = Q R: R and V in its place. S: of the w = min(m, b) reflectors, zeros
 * below. Behind q there is room for 65 b numbers. */
static void FN(factor_panel)(int64_t m, int64_t b, T *q, T *S)
{
    const int64_t w = m < b ? m : b;
    memset(S, 0, (size_t)(w * w) * sizeof *S);
    FN(factor)((int32_t)m, (int32_t)b, (int32_t)w, q, S);
}

/* S of V, m x w without gaps, from those of its parts of b columns. */
__attribute__((unused)) static void FN(join_parts)(int64_t m, int64_t w, int64_t b, const T *v,
                                                   const void *const *part, T *S)
{
    memset(S, 0, (size_t)(w * w) * sizeof *S);
    for (int64_t from = 0; from < w; from += b) {
        const int64_t count = w - from < b ? w - from : b;
        const T *s = part[from / b];
        for (int64_t c = 0; c < count; c++)
            memcpy(S + (from + c) * w + from, s + c * count, (size_t)count * sizeof *S);
        if (from > 0)
            FN(join)((int32_t)m, (int32_t)m, v, (int32_t)from, (int32_t)count, S, (int32_t)w);
    }
}

/* The first w columns of q as factor_panel leaves it: V with its ones and zeros. */
static void FN(whole_reflectors)(int64_t m, int64_t w, T *q)
{
    for (int64_t c = 0; c < w; c++)
        for (int64_t r = 0; r <= c; r++)
            q[c * m + r] = r == c;
}
