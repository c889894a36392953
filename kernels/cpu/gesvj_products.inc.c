/* Products with a pair of blocks of gesvj, for one real type and instruction set: [p q] G in
 * place, and inner products of columns. BLAS does neither in place, and libraries that do
 * not know the processor use half of its vectors.
 *
 * Loops over what is in registers are unrolled by name: at -O2 it would live in memory.
 *
 * After gesvj_pair.inc.c. SPDX-License-Identifier: BSD-3-Clause */

/* ---- [p q] := [p q] G ---------------------------------------------------------------- */

/* Vectors of rows by columns that are summed up in registers. */
#undef TILE_V
#undef TILE_C
#define TILE_V 3
#define TILE_C (LANE_BYTES == 64 ? 8 : 4)

/* TILE_C columns of a panel of TILE_V vectors of rows. */
LANES_INLINE void VN(tile)(int64_t order, const R *panel, const R *G, V acc[TILE_V][8])
{
    for (int v = 0; v < TILE_V; v++)
        for (int c = 0; c < TILE_C; c++)
            acc[v][c] = VN(splat)(0);
    for (int64_t l = 0; l < order; l++) {
        V x[TILE_V];
#pragma GCC unroll 8
        for (int v = 0; v < TILE_V; v++)
            x[v] = VN(load)(panel + (l * TILE_V + v) * LANES);
#pragma GCC unroll 8
        for (int c = 0; c < TILE_C; c++) {
            const V g = VN(splat)(G[c * order + l]);
#pragma GCC unroll 8
            for (int v = 0; v < TILE_V; v++)
                acc[v][c] = VN(fma)(x[v], g, acc[v][c]);
        }
    }
}

LANES_INLINE void VN(multiply_order)(int64_t order, int64_t rows, const R *G, R *p, R *q, R *panel)
{
    const int64_t height = TILE_V * LANES, nb = order / 2;
    for (int64_t first = 0; first < rows; first += height) {
        const int64_t here = rows - first < height ? rows - first : height;
        const size_t bytes = sizeof(R) * (size_t)here;
        for (int64_t l = 0; l < order; l++) {
            const R *from = (l < nb ? p + l * rows : q + (l - nb) * rows) + first;
            R *to = panel + l * height;
            if (here == height) {
                for (int v = 0; v < TILE_V; v++)
                    VN(store)(to + v * LANES, VN(load)(from + v * LANES));
            } else {
                memset(to, 0, sizeof(R) * (size_t)height);
                memcpy(to, from, bytes);
            }
        }
        for (int64_t j = 0; j < order; j += TILE_C) {
            V acc[TILE_V][8];
            VN(tile)(order, panel, G + j * order, acc);
            for (int c = 0; c < TILE_C; c++) {
                const int64_t l = j + c;
                R *to = (l < nb ? p + l * rows : q + (l - nb) * rows) + first;
                R column[3 * LANE_BYTES / sizeof(R)];
                if (here == height) {
                    for (int v = 0; v < TILE_V; v++)
                        VN(store)(to + v * LANES, acc[v][c]);
                } else {
                    for (int v = 0; v < TILE_V; v++)
                        VN(store)(column + v * LANES, acc[v][c]);
                    memcpy(to, column, bytes);
                }
            }
        }
    }
}

/* The order as a constant, so that the tile's addresses are. */
static void VN(multiply)(int64_t order, int64_t rows, const R *G, R *p, R *q, R *panel)
{
    if (order == 32)
        VN(multiply_order)(32, rows, G, p, q, panel);
    else if (order == 64)
        VN(multiply_order)(64, rows, G, p, q, panel);
    else
        VN(multiply_order)(128, rows, G, p, q, panel);
}

/* ---- X'Y ------------------------------------------------------------------------------- */

#undef DOT_N
#define DOT_N (LANE_BYTES == 64 ? 4 : 2)

/* Lane l of the result: l & step ? b[l] + b[l - step] : a[l] + a[l + step]. */
#if !defined(__clang__)
LANES_INLINE V VN(fold)(V a, V b, int step)
{
    const MASK lane = VN(lane_numbers)();
    const MASK of_b = (lane & step) != 0;
    const MASK stay = lane + (of_b & (LANE_INT)LANES);
    const MASK come = lane + step + (of_b & (LANE_INT)(LANES - 2 * step));
    return __builtin_shuffle(a, b, stay) + __builtin_shuffle(a, b, come);
}

LANES_INLINE void VN(fold_level)(V *x, int step)
{
    if (2 * step > LANES)
        return;
#pragma GCC unroll 8
    for (int i = 0; i < step; i++)
        x[i] = VN(fold)(x[i], x[i + step], step);
}
#endif

/* sums[k] := the sum of acc[k]'s lanes, 16 of them, by folding pairs of vectors: a sum
 * lane by lane would cost more than the products do. */
LANES_INLINE void VN(sum_lanes)(const V *acc, R *sums)
{
#if !defined(__clang__)
    for (int first = 0; first < 16; first += LANES) {
        V x[LANE_BYTES / sizeof(R)];
        memcpy(x, acc + first, sizeof x);
        VN(fold_level)(x, 8);
        VN(fold_level)(x, 4);
        VN(fold_level)(x, 2);
        VN(fold_level)(x, 1);
        VN(store)(sums + first, x[0]);
    }
#else
    for (int k = 0; k < 16; k++) {
        sums[k] = 0;
        for (int l = 0; l < LANES; l++)
            sums[k] += acc[k][l];
    }
#endif
}

/* H(j,i) := x(:,j)' y(:,i), DOT_N columns of each, H with leading dimension ld. */
LANES_INLINE void VN(dots)(int64_t rows, const R *x, const R *y, R *H, int64_t ld)
{
    V acc[4][4] = {{{0}}};
    int64_t r = 0;
    for (; r + LANES <= rows; r += LANES) {
        V a[4];
#pragma GCC unroll 4
        for (int j = 0; j < DOT_N; j++)
            a[j] = VN(load)(x + j * rows + r);
#pragma GCC unroll 4
        for (int i = 0; i < DOT_N; i++) {
            const V b = VN(load)(y + i * rows + r);
#pragma GCC unroll 4
            for (int j = 0; j < DOT_N; j++)
                acc[i][j] = VN(fma)(a[j], b, acc[i][j]);
        }
    }
    R sums[4 * 4];
    VN(sum_lanes)(&acc[0][0], sums);
    for (int i = 0; i < DOT_N; i++)
        for (int j = 0; j < DOT_N; j++) {
            R rest = 0;
            for (int64_t t = r; t < rows; t++)
                rest += x[j * rows + t] * y[i * rows + t];
            H[i * ld + j] = sums[4 * i + j] + rest;
        }
}

/* H(j,j) := the square of column j's length. */
static void VN(lengths)(int64_t nb, int64_t rows, const R *x, R *H, int64_t ld)
{
    for (int64_t j = 0; j < nb; j++, x += rows) {
        V sum[2] = {VN(splat)(0), VN(splat)(0)};
        int64_t r = 0;
        for (; r + 2 * LANES <= rows; r += 2 * LANES)
            for (int v = 0; v < 2; v++) {
                const V a = VN(load)(x + r + v * LANES);
                sum[v] = VN(fma)(a, a, sum[v]);
            }
        R part[LANE_BYTES / sizeof(R)], all = 0;
        VN(store)(part, sum[0] + sum[1]);
        for (; r < rows; r++)
            all += x[r] * x[r];
        for (int64_t lane = 0; lane < LANES; lane++)
            all += part[lane];
        H[j * ld + j] = all;
    }
}

static void VN(products)(int64_t nb, int64_t rows, const R *x, const R *y, R *H, int64_t ld)
{
    for (int64_t i = 0; i < nb; i += DOT_N)
        for (int64_t j = 0; j < nb; j += DOT_N)
            VN(dots)(rows, x + j * rows, y + i * rows, H + i * ld + j, ld);
}
