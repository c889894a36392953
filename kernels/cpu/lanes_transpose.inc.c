/* Columns become rows, and rows columns, for one scalar type and one instruction set.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#undef QUAD
#undef LOOSE_QUAD
typedef R VN(quad) __attribute__((vector_size(4 * sizeof(R))));
typedef R VN(loose_quad) __attribute__((vector_size(4 * sizeof(R)), aligned(sizeof(R))));
#define QUAD       VN(quad)
#define LOOSE_QUAD VN(loose_quad)

/* 4 x 4 numbers: columns become rows. */
LANES_INLINE void VN(transpose)(const R *a0, const R *a1, const R *a2, const R *a3, R *b,
                                int64_t ldb)
{
    const QUAD x[4] = {*(const LOOSE_QUAD *)a0, *(const LOOSE_QUAD *)a1, *(const LOOSE_QUAD *)a2,
                       *(const LOOSE_QUAD *)a3};
    QUAD y[4];
    y[0] = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
    y[1] = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    y[2] = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
    y[3] = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    *(LOOSE_QUAD *)b = __builtin_shufflevector(y[0], y[2], 0, 1, 4, 5);
    *(LOOSE_QUAD *)(b + ldb) = __builtin_shufflevector(y[1], y[3], 0, 1, 4, 5);
    *(LOOSE_QUAD *)(b + 2 * ldb) = __builtin_shufflevector(y[0], y[2], 2, 3, 6, 7);
    *(LOOSE_QUAD *)(b + 3 * ldb) = __builtin_shufflevector(y[1], y[3], 2, 3, 6, 7);
}

/* `have` columns of n numbers -> rows of w numbers, zeros behind them. */
LANES_INLINE void VN(rows_from_columns)(int64_t n, int64_t have, const R *from, int64_t ld, R *to,
                                        int64_t w)
{
    int64_t j = 0;
    for (; j + 4 <= have; j += 4) {
        const R *y = from + j * ld;
        int64_t r = 0;
        for (; r + 4 <= n; r += 4)
            VN(transpose)(y + r, y + ld + r, y + 2 * ld + r, y + 3 * ld + r, to + r * w + j, w);
        for (; r < n; r++)
            for (int64_t l = j; l < j + 4; l++)
                to[r * w + l] = from[l * ld + r];
    }
    for (; j < w; j++)
        for (int64_t r = 0; r < n; r++)
            to[r * w + j] = j < have ? from[j * ld + r] : 0;
}

/* And back. */
LANES_INLINE void VN(columns_from_rows)(int64_t n, int64_t have, const R *from, int64_t w, R *to,
                                        int64_t ld)
{
    int64_t j = 0;
    for (; j + 4 <= have; j += 4) {
        const R *y = from + j;
        int64_t r = 0;
        for (; r + 4 <= n; r += 4)
            VN(transpose)(y + r * w, y + (r + 1) * w, y + (r + 2) * w, y + (r + 3) * w,
                          to + j * ld + r, ld);
        for (; r < n; r++)
            for (int64_t l = j; l < j + 4; l++)
                to[l * ld + r] = from[r * w + l];
    }
    for (; j < have; j++)
        for (int64_t r = 0; r < n; r++)
            to[j * ld + r] = from[r * w + j];
}
