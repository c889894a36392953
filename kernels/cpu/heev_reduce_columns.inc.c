/* y += A v by a few columns of a lower triangle and their reflection, each entry read once; for one
 * scalar type and one instruction set. See heev_reduce.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#undef V
#undef LANES
#undef K
#define V     VN(entries)
#define LANES ((int64_t)(LANE_BYTES / sizeof(R)))
/* Columns at a time: as many sums as registers hold. */
#define K ((LANE_BYTES == 64 ? 8 : 4) / (1 + IS_COMPLEX))
typedef R V __attribute__((vector_size(LANE_BYTES), aligned(sizeof(R))));

#if !IS_COMPLEX

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
#else
/* (re, im) of every entry: (im, re). */
LANES_INLINE V VN(turned)(V x)
{
    typedef LANE_INT whole __attribute__((vector_size(LANE_BYTES)));
    whole other;
    for (int l = 0; l < LANES; l++)
        other[l] = l ^ 1;
    return __builtin_shuffle(x, other);
}

/* The same, y += A x, z += A' v. A product of two entries is two of vectors: with one factor's real parts
 * alone and with its imaginary parts alone, or with the other factor as it is and turned. What is turned,
 * and signs, are put right once for K columns or once for all rows. */
LANES_INLINE void VN(below)(int64_t m, const T *a, int64_t lda, const T *x, const T *v, T *y, T *z)
{
    const R *re = (const R *)a;
    V real[K], turned[K], sign;
    T rest[K];
    int64_t i = 0;
    for (int l = 0; l < LANES; l++)
        sign[l] = l % 2 ? 1 : -1;
    for (int j = 0; j < K; j++) {
        real[j] = turned[j] = (V){0};
        rest[j] = 0;
    }
    for (; 2 * i + LANES <= 2 * m; i += LANES / 2) {
        const V vi = *(const V *)(v + i), vt = VN(turned)(vi);
        V y_real = *(const V *)(y + i), y_turned = (V){0};
        _Pragma("GCC unroll 8") for (int j = 0; j < K; j++)
        {
            const V aij = *(const V *)(re + 2 * (j * lda + i));
            y_real = LANE(fma)(aij, REAL(x[j]) - (V){0}, y_real);
            y_turned = LANE(fma)(aij, IMAG(x[j]) - (V){0}, y_turned);
            real[j] = LANE(fma)(aij, vi, real[j]);
            turned[j] = LANE(fma)(aij, vt, turned[j]);
        }
        *(V *)(y + i) = LANE(fma)(sign, VN(turned)(y_turned), y_real);
    }
    for (; i < m; i++)
        for (int j = 0; j < K; j++) {
            y[i] += a[j * lda + i] * x[j];
            rest[j] += CONJ(a[j * lda + i]) * v[i];
        }
    for (int j = 0; j < K; j++) {
        R sum[2] = {0, 0};
        for (int l = 0; l < LANES; l++)
            sum[0] += real[j][l], sum[1] -= sign[l] * turned[j][l];
        ((R *)(z + j))[0] += REAL(rest[j]) + sum[0];
        ((R *)(z + j))[1] += IMAG(rest[j]) + sum[1];
    }
}
#endif

/* Columns from .. to-1 of A, n x n. */
static void VN(multiply_columns)(int64_t n, int64_t from, int64_t to, const T *A, const T *v, T *y)
{
    for (int64_t c = from; c < to;) {
        const int64_t count = c + K <= to && c + K <= n ? K : 1;
        for (int64_t j = c; j < c + count; j++) {
            const T *a = A + j * n;
            T sum = REAL(a[j]) * v[j];
            for (int64_t i = j + 1; i < (count == K ? c + K : n); i++) {
                y[i] += a[i] * v[j];
                sum += CONJ(a[i]) * v[i];
            }
            y[j] += sum;
        }
        if (count == K)
            VN(below)(n - c - K, A + c * n + c + K, n, v + c, v + c + K, y + c + K, y + c);
        c += count;
    }
}
