/* Body of thin.c for one real type and one instruction set; see thin.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lanes_transpose.inc.c"
#undef V
#undef LOOSE
#undef LANES
typedef R VN(vec) __attribute__((vector_size(LANE_BYTES)));
typedef R VN(loose) __attribute__((vector_size(LANE_BYTES), aligned(sizeof(R))));
#define V     VN(vec)
#define LOOSE VN(loose)
#define LANES ((int64_t)(LANE_BYTES / sizeof(R)))

/* ---- C := alpha A op(B) + beta C ------------------------------------------------------------- */

/* Of nv vectors of rows and nr columns; a: those vectors of one term after the other. Term p of column
 * j is b[p along + j across]. */
LANES_INLINE void VN(rows_times)(const int nv, const int nr, int64_t k, const R *a, const R *b,
                                 int64_t along, int64_t across, V sum[COLUMNS][VECTORS])
{
    UNROLL for (int j = 0; j < nr; j++) UNROLL for (int i = 0; i < nv; i++) sum[j][i] = (V){0};
    const R *b3 = b + 3 * across, *b6 = b + 6 * across;
    HIDE(b3);
    HIDE(b6);
    for (int64_t p = 0; p < k; p++, a += nv * LANES, b += along, b3 += along, b6 += along) {
        V x[VECTORS];
        UNROLL for (int i = 0; i < nv; i++)
        {
            x[i] = *(const V *)(a + i * LANES);
            IN_REGISTER(x[i]);
        }
        UNROLL for (int j = 0; j < nr; j++)
        {
            const R *y = j < 3   ? b + j * across
                         : j < 6 ? b3 + (j - 3) * across
                                 : b6 + (j - 6) * across;
            V y_ = *y - (V){0};
            IN_REGISTER(y_);
            UNROLL for (int i = 0; i < nv; i++) sum[j][i] = LANE(fma)(y_, x[i], sum[j][i]);
        }
    }
}

LANES_INLINE void VN(leave)(const int nv, const int nr, R alpha, R beta, R *c, int64_t ldc,
                            V sum[COLUMNS][VECTORS])
{
    const V factor = alpha - (V){0}, keep = beta - (V){0};
    UNROLL for (int j = 0; j < nr; j++) UNROLL for (int i = 0; i < nv; i++)
    {
        LOOSE *to = (LOOSE *)(c + j * ldc + i * LANES);
        const V x = factor * sum[j][i];
        *to = beta == 0 ? (LOOSE)x : (LOOSE)LANE(fma)(keep, (V)*to, x);
    }
}

LANES_INLINE void VN(some_columns)(const int nv, const int nr, int64_t rows, int64_t k, R alpha,
                                   const R *a, const R *b, int64_t along, int64_t across, R beta,
                                   R *c, int64_t ldc)
{
    V sum[COLUMNS][VECTORS];
    /* C comes while the sums are made: also the line that the last number is in, if rows do not begin
     * where lines do */
    UNROLL for (int j = 0; j < nr; j++)
    {
        UNROLL for (int i = 0; i < nv; i++) __builtin_prefetch(c + j * ldc + i * LANES, 1);
        __builtin_prefetch(c + j * ldc + nv * LANES - 1, 1);
    }
    VN(rows_times)(nv, nr, k, a, b, along, across, sum);
    if (rows == nv * LANES) {
        VN(leave)(nv, nr, alpha, beta, c, ldc, sum);
        return;
    }
    R own[COLUMNS * VECTORS * LANES] __attribute__((aligned(64)));
    const int64_t ld = nv * LANES;
    for (int j = 0; j < nr; j++)
        for (int64_t i = 0; i < ld; i++)
            own[j * ld + i] = i < rows && beta != 0 ? c[j * ldc + i] : 0;
    VN(leave)(nv, nr, alpha, beta, own, ld, sum);
    for (int j = 0; j < nr; j++)
        for (int64_t i = 0; i < rows; i++)
            c[j * ldc + i] = own[j * ld + i];
}

LANES_INLINE void VN(all_columns)(const int nv, int64_t rows, int64_t n, int64_t k, R alpha,
                                  const R *a, const R *b, int64_t along, int64_t across, R beta,
                                  R *c, int64_t ldc)
{
    int64_t j = 0;
    for (; j + COLUMNS <= n; j += COLUMNS)
        VN(some_columns)(nv, COLUMNS, rows, k, alpha, a, b + j * across, along, across, beta,
                         c + j * ldc, ldc);
    for (; j < n; j++)
        VN(some_columns)(nv, 1, rows, k, alpha, a, b + j * across, along, across, beta, c + j * ldc,
                         ldc);
}

/* nv vectors of rows of A, with zeros behind the last row, one term after the other. */
LANES_INLINE void VN(pack)(const int nv, int64_t rows, int64_t terms, const R *a, int64_t lda,
                           R *to)
{
    for (int64_t t = 0; t < terms && rows == nv * LANES; t++, a += lda, to += nv * LANES)
        UNROLL for (int i = 0; i < nv; i++) * (V *)(to + i * LANES) =
            (V) * (const LOOSE *)(a + i * LANES);
    for (int64_t t = 0; t < terms && rows < nv * LANES; t++, a += lda, to += nv * LANES)
        for (int64_t i = 0; i < nv * LANES; i++)
            to[i] = i < rows ? a[i] : 0;
}

/* Rows of C, nv vectors or a part of the last one. */
LANES_INLINE void VN(some_rows)(const int nv, int64_t rows, int64_t n, int64_t k, R alpha,
                                const R *a, int64_t lda, const R *b, int64_t along, int64_t across,
                                R beta, R *c, int64_t ldc)
{
    R own[TERMS * VECTORS * LANES] __attribute__((aligned(64)));
    for (int64_t p = 0; p < k; p += TERMS) {
        const int64_t terms = k - p < TERMS ? k - p : TERMS;
        VN(pack)(nv, rows, terms, a + p * lda, lda, own);
        VN(all_columns)(nv, rows, n, terms, alpha, own, b + p * along, along, across,
                        p > 0 ? 1 : beta, c, ldc);
    }
}

static void VN(by_rows)(int64_t m, int64_t n, int64_t k, R alpha, const R *a, int64_t lda,
                        const R *b, int64_t along, int64_t across, R beta, R *c, int64_t ldc)
{
    for (int64_t i = 0; i < m; i += VECTORS * LANES) {
        const int64_t rows = m - i < VECTORS * LANES ? m - i : VECTORS * LANES;
        if (rows > 2 * LANES)
            VN(some_rows)(VECTORS, rows, n, k, alpha, a + i, lda, b, along, across, beta, c + i,
                          ldc);
        else if (rows > LANES)
            VN(some_rows)(2, rows, n, k, alpha, a + i, lda, b, along, across, beta, c + i, ldc);
        else
            VN(some_rows)(1, rows, n, k, alpha, a + i, lda, b, along, across, beta, c + i, ldc);
    }
}

/* ---- C := alpha A'B + beta C ------------------------------------------------------------------ */

/* Four sums of lanes. */
LANES_INLINE QUAD VN(four_sums)(const V *x)
{
    QUAD y[4];
    UNROLL for (int i = 0; i < 4; i++)
    {
        const QUAD *part = (const QUAD *)&x[i];
        y[i] = part[0];
        UNROLL for (int l = 1; l < LANES / 4; l++) y[i] += part[l];
    }
    const QUAD low = __builtin_shufflevector(y[0], y[1], 0, 4, 2, 6) +
                     __builtin_shufflevector(y[0], y[1], 1, 5, 3, 7);
    const QUAD high = __builtin_shufflevector(y[2], y[3], 0, 4, 2, 6) +
                      __builtin_shufflevector(y[2], y[3], 1, 5, 3, 7);
    return __builtin_shufflevector(low, high, 0, 1, 4, 5) +
           __builtin_shufflevector(low, high, 2, 3, 6, 7);
}

/* C, 4 x nr. */
LANES_INLINE void VN(inner)(const int nr, int64_t k, R alpha, const R *a, int64_t lda, const R *b,
                            int64_t ldb, R beta, R *c, int64_t ldc)
{
    V sum[INNER][4];
    const R *a3 = a + 3 * lda, *b3 = b + 3 * ldb;
    const int64_t whole = k / LANES * LANES;
    HIDE(a3);
    HIDE(b3);
    UNROLL for (int j = 0; j < nr; j++) UNROLL for (int i = 0; i < 4; i++) sum[j][i] = (V){0};
    for (int64_t p = 0; p < whole; p += LANES) {
        V x[4];
        UNROLL for (int i = 0; i < 4; i++)
        {
            x[i] = *(const LOOSE *)((i < 3 ? a + i * lda : a3) + p);
            IN_REGISTER(x[i]);
        }
        UNROLL for (int j = 0; j < nr; j++)
        {
            V y = *(const LOOSE *)((j < 3 ? b + j * ldb : b3 + (j - 3) * ldb) + p);
            IN_REGISTER(y);
            UNROLL for (int i = 0; i < 4; i++) sum[j][i] = LANE(fma)(y, x[i], sum[j][i]);
        }
    }
    UNROLL for (int j = 0; j < nr; j++)
    {
        QUAD x = VN(four_sums)(sum[j]);
        for (int64_t p = whole; p < k; p++)
            x += (QUAD){a[p], a[lda + p], a[2 * lda + p], a3[p]} * b[j * ldb + p];
        LOOSE_QUAD *to = (LOOSE_QUAD *)(c + j * ldc);
        *to = (LOOSE_QUAD)(beta == 0 ? alpha * x : alpha * x + beta * (QUAD)*to);
    }
}

/* Rows and columns of C, at most 4 and INNER. */
static void VN(block)(int64_t rows, int64_t columns, int64_t k, R alpha, const R *a, int64_t lda,
                      const R *b, int64_t ldb, R beta, R *c, int64_t ldc)
{
    int64_t j = 0;
    if (rows == 4 && columns == INNER) {
        VN(inner)(INNER, k, alpha, a, lda, b, ldb, beta, c, ldc);
        return;
    }
    for (; rows == 4 && j + 2 <= columns; j += 2)
        VN(inner)(2, k, alpha, a, lda, b + j * ldb, ldb, beta, c + j * ldc, ldc);
    for (; rows == 4 && j < columns; j++)
        VN(inner)(1, k, alpha, a, lda, b + j * ldb, ldb, beta, c + j * ldc, ldc);
    for (; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) { /* one column of A four times */
            R x[4] = {beta == 0 ? 0 : c[j * ldc + i]};
            VN(inner)(1, k, alpha, a + i * lda, 0, b + j * ldb, ldb, beta, x, 4);
            c[j * ldc + i] = x[0];
        }
}

/* What the shorter side has is read once for every 4 or INNER columns of the longer one. */
static void VN(by_columns)(int64_t m, int64_t n, int64_t k, R alpha, const R *a, int64_t lda,
                           const R *b, int64_t ldb, R beta, R *c, int64_t ldc)
{
    const int64_t down = (m + 3) / 4, across = (n + INNER - 1) / INNER;
    for (int64_t l = 0; l < down * across; l++) {
        const int64_t i = 4 * (m > n ? l / across : l % down);
        const int64_t j = INNER * (m > n ? l % across : l / down);
        VN(block)(m - i < 4 ? m - i : 4, n - j < INNER ? n - j : INNER, k, alpha, a + i * lda, lda,
                  b + j * ldb, ldb, beta, c + i + j * ldc, ldc);
    }
}

static void VN(thin)(int ta, int tb, int64_t m, int64_t n, int64_t k, R alpha, const R *a,
                     int64_t lda, const R *b, int64_t ldb, R beta, R *c, int64_t ldc)
{
    if (ta)
        VN(by_columns)(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    else
        VN(by_rows)(m, n, k, alpha, a, lda, b, tb ? ldb : 1, tb ? 1 : ldb, beta, c, ldc);
}

int FN(orr_thin)(int ta, int tb, int64_t m, int64_t n, int64_t k, R alpha, const R *a, int64_t lda,
                 const R *b, int64_t ldb, R beta, R *c, int64_t ldc)
{
    if (!worth_it(ta, tb, m, n, k, LANES))
        return 0;
    VN(thin)(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    return 1;
}
