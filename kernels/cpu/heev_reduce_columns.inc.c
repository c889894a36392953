/* y += A v by a few columns of a lower triangle and their reflection, each entry read once; for one
 * real type and one instruction set. See heev_reduce.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#if !IS_COMPLEX
#undef V
#undef LANES
#undef K
#define V     VN(entries)
#define LANES ((int64_t)(LANE_BYTES / sizeof(R)))
#define K     (LANE_BYTES == 64 ? 8 : 4) /* columns at a time: as many sums as registers hold */
typedef R V __attribute__((vector_size(LANE_BYTES), aligned(sizeof(R))));

/* The m rows below the diagonal block of K columns: y += A x, z += A' v. */
LANES_INLINE void VN(below)(int64_t m, const R *a, int64_t lda, const R *x, const R *v, R *y, R *z)
{
    V sum[K];
    R rest[K];
    int64_t i = 0;
    for (int j = 0; j < K; j++) {
        sum[j] = (V){0};
        rest[j] = 0;
    }
    for (; i + LANES <= m; i += LANES) {
        const V vi = *(const V *)(v + i);
        V yi = *(const V *)(y + i);
        _Pragma("GCC unroll 8") for (int j = 0; j < K; j++)
        {
            const V aij = *(const V *)(a + j * lda + i);
            yi = LANE(fma)(aij, x[j] - (V){0}, yi);
            sum[j] = LANE(fma)(aij, vi, sum[j]);
        }
        *(V *)(y + i) = yi;
    }
    for (; i < m; i++)
        for (int j = 0; j < K; j++) {
            y[i] += a[j * lda + i] * x[j];
            rest[j] += a[j * lda + i] * v[i];
        }
    for (int j = 0; j < K; j++) {
        R s = rest[j];
        for (int l = 0; l < LANES; l++)
            s += sum[j][l];
        z[j] += s;
    }
}

/* Columns from .. to-1 of A, n x n. */
static void VN(multiply_columns)(int64_t n, int64_t from, int64_t to, const R *A, const R *v, R *y)
{
    for (int64_t c = from; c < to;) {
        const int64_t count = c + K <= to && c + K <= n ? K : 1;
        for (int64_t j = c; j < c + count; j++) {
            const R *a = A + j * n;
            R sum = a[j] * v[j];
            for (int64_t i = j + 1; i < (count == K ? c + K : n); i++) {
                y[i] += a[i] * v[j];
                sum += a[i] * v[i];
            }
            y[j] += sum;
        }
        if (count == K)
            VN(below)(n - c - K, A + c * n + c + K, n, v + c, v + c + K, y + c + K, y + c);
        c += count;
    }
}
#endif
