/* Matrices in the caches of a core whose real and imaginary parts stand apart, rows across lanes, and
 * their products; for one scalar type and one instruction set. After lanes_elements.inc.c and
 * lanes_householder.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#undef PARTS
#undef FEW
#undef ROWS
#define PARTS (1 + IS_COMPLEX)
#define FEW   ((LANE_BYTES == 64 ? 8 : 4) / PARTS) /* columns at a time: registers have their sums */
#define ROWS  (IS_COMPLEX && LANE_BYTES < 64 ? 2 : 3) /* vectors of rows, likewise */

/* Columns lie PARTS ld numbers apart, imaginary parts ld behind the real ones; ld is a multiple of
 * LANES, and what is between a matrix's last row and the next such multiple is zero. */
typedef struct {
    R *at;
    int64_t ld, vectors; /* of a column */
} VN(columns);

LANES_INLINE R *VN(column)(const VN(columns) *x, int64_t j) { return x->at + PARTS * j * x->ld; }

LANES_INLINE VN(columns) VN(from)(const VN(columns) *x, int64_t j)
{
    return (VN(columns)){VN(column)(x, j), x->ld, x->vectors};
}

LANES_INLINE T VN(entry)(const VN(columns) *x, int64_t i, int64_t j)
{
    const R *a = VN(column)(x, j);
#if IS_COMPLEX
    return a[i] + I * a[x->ld + i];
#else
    return a[i];
#endif
}

LANES_INLINE void VN(set_entry)(const VN(columns) *x, int64_t i, int64_t j, T value)
{
    R *a = VN(column)(x, j);
    a[i] = REAL(value);
#if IS_COMPLEX
    a[x->ld + i] = IMAG(value);
#endif
}

LANES_INLINE E VN(spread)(T x)
{
    E e = {.re = VN(splat)(REAL(x))};
#if IS_COMPLEX
    e.im = VN(splat)(IMAG(x));
#endif
    return e;
}

LANES_INLINE T VN(sum_of)(E x)
{
#if IS_COMPLEX
    return VN(total)(x.re) + I * VN(total)(x.im);
#else
    return VN(total)(x.re);
#endif
}

static void VN(clear)(const VN(columns) *x, int64_t n)
{
    memset(x->at, 0, sizeof(R) * (size_t)(PARTS * n * x->ld));
}

/* g(i,j) := x_i' y_j */
LANES_INLINE void VN(dots)(const VN(columns) *x, int64_t i, const int nx, const VN(columns) *y,
                           int64_t j, const int ny, const VN(columns) *g)
{
    const R *a = VN(column)(x, i), *b = VN(column)(y, j);
    E sum[2 * FEW];
    UNROLL for (int c = 0; c < nx * ny; c++) sum[c] = (E){.re = VN(splat)(0)};
    for (int64_t k = 0; k < x->vectors; k++)
        UNROLL for (int d = 0; d < ny; d++)
        {
            const E t = VN(get)(b + PARTS * d * y->ld, y->ld, k);
            UNROLL for (int c = 0; c < nx; c++) sum[d * nx + c] =
                VN(maddc)(sum[d * nx + c], VN(get)(a + PARTS * c * x->ld, x->ld, k), t);
        }
    UNROLL for (int d = 0; d < ny; d++) UNROLL for (int c = 0; c < nx; c++)
        VN(set_entry)(g, i + c, j + d, VN(sum_of)(sum[d * nx + c]));
}

/* y_j += sign sum_i x_i w(i,j) */
LANES_INLINE void VN(sums)(const VN(columns) *x, int64_t i, const int nx, const VN(columns) *y,
                           int64_t j, const int ny, const VN(columns) *w, R sign)
{
    const R *a = VN(column)(x, i);
    R *b = VN(column)(y, j);
    E f[2 * FEW];
    UNROLL for (int d = 0; d < ny; d++) UNROLL for (int c = 0; c < nx; c++) f[d * nx + c] =
        VN(spread)(sign * VN(entry)(w, i + c, j + d));
    for (int64_t k = 0; k < y->vectors; k++)
        UNROLL for (int d = 0; d < ny; d++)
        {
            E t = VN(get)(b + PARTS * d * y->ld, y->ld, k);
            UNROLL for (int c = 0; c < nx; c++) t =
                VN(madd)(t, VN(get)(a + PARTS * c * x->ld, x->ld, k), f[d * nx + c]);
            VN(put)(b + PARTS * d * y->ld, y->ld, k, t);
        }
}

/* do_(i, ni, j, nj) for all nx columns of one and all ny of the other, FEW and two at a time: the first
 * cache has those of the one for all of the other. */
#define TILES_OF(do_, i, ni)                                                                       \
    do {                                                                                           \
        int64_t j = 0;                                                                             \
        for (; j + 2 <= ny; j += 2)                                                                \
            do_(i, ni, j, 2);                                                                      \
        if (j < ny)                                                                                \
            do_(i, ni, j, 1);                                                                      \
    } while (0)
#define TILES(do_)                                                                                 \
    do {                                                                                           \
        int64_t i = 0;                                                                             \
        for (; i + FEW <= nx; i += FEW)                                                            \
            TILES_OF(do_, i, FEW);                                                                 \
        if (FEW > 4 && i + 4 <= nx) {                                                              \
            TILES_OF(do_, i, 4);                                                                   \
            i += 4;                                                                                \
        }                                                                                          \
        if (FEW > 2 && i + 2 <= nx) {                                                              \
            TILES_OF(do_, i, 2);                                                                   \
            i += 2;                                                                                \
        }                                                                                          \
        if (i < nx)                                                                                \
            TILES_OF(do_, i, 1);                                                                   \
    } while (0)

/* g := X' Y of nx and ny columns. */
static void VN(cross)(const VN(columns) *x, int64_t nx, const VN(columns) *y, int64_t ny,
                      const VN(columns) *g)
{
#define DOTS(i, ni, j, nj) VN(dots)(x, i, ni, y, j, nj, g)
    TILES(DOTS);
#undef DOTS
}

/* Y += sign X W; the rows of Y. */
static void VN(add)(R sign, const VN(columns) *x, int64_t nx, const VN(columns) *w,
                    const VN(columns) *y, int64_t ny)
{
#define SUMS(i, ni, j, nj) VN(sums)(x, i, ni, y, j, nj, w, sign)
    TILES(SUMS);
#undef SUMS
}

/* Vectors i .. i+rows-1 of y_j := sign sum_k x_k w(k,j): sums stay in registers. */
LANES_INLINE void VN(strip)(const VN(columns) *x, int64_t nx, int64_t i, const int rows,
                            const VN(columns) *w, const VN(columns) *y, int64_t j, const int ny,
                            R sign)
{
    const R *a = x->at, *f = VN(column)(w, j);
    R *b = VN(column)(y, j);
    E sum[ROWS * FEW];
    UNROLL for (int c = 0; c < rows * ny; c++) sum[c] = (E){.re = VN(splat)(0)};
    for (int64_t k = 0; k < nx; k++, a += PARTS * x->ld) {
        E t[ROWS];
        UNROLL for (int r = 0; r < rows; r++) t[r] = VN(get)(a, x->ld, i + r);
        UNROLL for (int d = 0; d < ny; d++)
        {
            E g = {.re = VN(splat)(f[PARTS * d * w->ld + k])};
#if IS_COMPLEX
            g.im = VN(splat)(f[PARTS * d * w->ld + w->ld + k]);
#endif
            UNROLL for (int r = 0; r < rows; r++) sum[d * rows + r] =
                VN(madd)(sum[d * rows + r], t[r], g);
        }
    }
    UNROLL for (int d = 0; d < ny; d++) UNROLL for (int r = 0; r < rows; r++)
        VN(put)(b + PARTS * d * y->ld, y->ld, i + r, VN(times)(sum[d * rows + r], VN(splat)(sign)));
}

LANES_INLINE void VN(strips)(R sign, const VN(columns) *x, int64_t nx, int64_t i, const int rows,
                             const VN(columns) *w, const VN(columns) *y, int64_t ny)
{
    int64_t j = 0;
    for (; j + FEW <= ny; j += FEW)
        VN(strip)(x, nx, i, rows, w, y, j, FEW, sign);
    if (FEW > 4 && j + 4 <= ny) {
        VN(strip)(x, nx, i, rows, w, y, j, 4, sign);
        j += 4;
    }
    if (FEW > 2 && j + 2 <= ny) {
        VN(strip)(x, nx, i, rows, w, y, j, 2, sign);
        j += 2;
    }
    if (j < ny)
        VN(strip)(x, nx, i, rows, w, y, j, 1, sign);
}

/* Y := sign X W, some rows at a time: those of X stay in the first cache. */
static void VN(multiply)(R sign, const VN(columns) *x, int64_t nx, const VN(columns) *w,
                         const VN(columns) *y, int64_t ny)
{
    int64_t i = 0;
    for (; i + ROWS <= y->vectors; i += ROWS)
        VN(strips)(sign, x, nx, i, ROWS, w, y, ny);
    for (; i < y->vectors; i++)
        VN(strips)(sign, x, nx, i, 1, w, y, ny);
}

#undef TILES
#undef TILES_OF
