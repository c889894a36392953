/* Bodies of he2hb's look at the user's matrix for one scalar type; see he2hb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* Rows of column j in the triangle, without the diagonal: first .. first+count-1. */
static int64_t FN(first_row)(int64_t j, int upper) { return upper ? 0 : j + 1; }
static int64_t FN(row_count)(int64_t n, int64_t j, int upper) { return upper ? j : n - 1 - j; }

/* The largest |component|, or infinity if one is not finite. */
static R FN(largest_part)(const T *x, int64_t count)
{
    const R *v = (const R *)x;
    const R limit = sizeof(R) == sizeof(float) ? (R)FLT_MAX : (R)DBL_MAX;
    R top = 0;
    int bad = 0;
    for (int64_t i = 0; i < count * (1 + IS_COMPLEX); i++) {
        const R p = RABS(v[i]);
        bad |= !(p <= limit);
        top = p > top ? p : top;
    }
    return bad ? (R)INFINITY : top;
}

static void FN(orr_he2hb_screen_cpu)(int64_t n, int upper, const void *a_, int64_t lda,
                                     orr_he2hb_screened *out)
{
    const T *a = a_;
    R top = 0;
    *out = (orr_he2hb_screened){.row = -1, .column = -1, .scale = 1};
    for (int64_t j = 0; j < n; j++) {
        const T *column = a + j * lda;
        const int64_t first = FN(first_row)(j, upper), count = FN(row_count)(n, j, upper);
        const R diagonal = REAL(column[j]), off = FN(largest_part)(column + first, count);
        const int bad = !isfinite(diagonal);
        if (bad || !isfinite(off)) {
            int64_t i = 0;
            while (i < count && FN(largest_part)(column + first + i, 1) < (R)INFINITY)
                i++;
            out->column = j;
            out->row = bad && !upper ? j : i < count ? first + i : j;
            return;
        }
        top = RABS(diagonal) > top ? RABS(diagonal) : top;
        top = off > top ? off : top;
    }
    /* a quarter of the exponents on either side */
    const int range = sizeof(R) == sizeof(float) ? 24 : 200;
    int exponent = 0;
    if (top > 0)
        frexp((double)top, &exponent);
    const int most = sizeof(R) == sizeof(float) ? 126 : 1022;
    exponent = exponent > most ? most : exponent < -most ? -most : exponent;
    if (exponent > range || exponent < -range)
        out->scale = ldexp(1.0, -exponent);
}

static void FN(orr_he2hb_load_cpu)(int64_t n, int64_t tile, int64_t i, int64_t j, int upper,
                                   double scale, void *a_, int64_t lda)
{
    const R s = (R)scale;
    const int64_t r0 = i * tile, c0 = j * tile;
    const int64_t r1 = orr_he2hb_least(r0 + tile, n), c1 = orr_he2hb_least(c0 + tile, n);
    T *a = a_;
    for (int64_t c = c0; c < c1; c++) {
        const int64_t below = c + 1 > r0 ? c + 1 : r0;
        T *to = a + c * lda;
        if (i == j)
            to[c] = REAL(to[c]) * s;
        if (upper)
            for (int64_t r = below; r < r1; r++)
                to[r] = CONJ(a[r * lda + c]) * s;
        else if (s != 1)
            for (int64_t r = below; r < r1; r++)
                to[r] *= s;
    }
}
