/* What the merges of divide and conquer of heev and gesvd share, for one real type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* max |entry| of a tridiagonal or bidiagonal matrix. */
static T FN(largest)(int64_t n, const T *d, const T *e)
{
    T top = 0;
    for (int64_t i = 0; i < n; i++) {
        top = RABS(d[i]) > top ? RABS(d[i]) : top;
        if (i + 1 < n)
            top = RABS(e[i]) > top ? RABS(e[i]) : top;
    }
    return top;
}

/* What z would have to be for the roots to be exact (Gu and Eisenstat): the root of the product of
 * the factors in `part`, a row of n for each part, with the sign of z. */
static void FN(weigh)(int64_t k, int64_t n, const T *part, int64_t parts, const T *z, T *weight)
{
    for (int64_t i = 0; i < k; i++) {
        T product = part[i];
        for (int64_t p = 1; p < parts; p++)
            product *= part[p * n + i];
        const T x = SQRT(RABS(product));
        weight[i] = z[i] < 0 ? -x : x;
    }
}

/* c := a s, or zero if nothing is between. */
static void FN(half_of_columns)(int64_t rows, int64_t columns, int64_t inner, const T *a,
                                int64_t lda, const T *s, int64_t lds, T *c, int64_t ldc)
{
    const int32_t rows_ = (int32_t)rows, columns_ = (int32_t)columns, inner_ = (int32_t)inner;
    const int32_t lda_ = (int32_t)lda, lds_ = (int32_t)lds, ldc_ = (int32_t)ldc;
    const T one = 1, zero = 0;
    if (inner > 0 && !FN(orr_thin)(0, 0, rows, columns, inner, 1, a, lda, s, lds, 0, c, ldc))
        LAPACK(gemm_)("N", "N", &rows_, &columns_, &inner_, &one, a, &lda_, s, &lds_, &zero, c,
                      &ldc_);
    for (int64_t j = 0; j < columns && inner == 0; j++)
        memset(c + j * ldc, 0, (size_t)rows * sizeof *c);
}
