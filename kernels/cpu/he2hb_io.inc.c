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

/* The power of two that a matrix with this largest component is to be multiplied by. */
static double FN(scale_for)(R top)
{
    /* a quarter of the exponents on either side */
    const int range = sizeof(R) == sizeof(float) ? 24 : 200;
    const int most = sizeof(R) == sizeof(float) ? 126 : 1022;
    int exponent = 0;
    if (top > 0)
        frexp((double)top, &exponent);
    exponent = exponent > most ? most : exponent < -most ? -most : exponent;
    return exponent > range || exponent < -range ? ldexp(1.0, -exponent) : 1;
}

static void FN(orr_he2hb_judge_cpu)(int64_t n, const void *largest_, orr_he2hb_screened *out)
{
    const R *largest = largest_;
    R top = 0;
    *out = (orr_he2hb_screened){.row = -1, .column = -1, .scale = 1};
    for (int64_t j = 0; j < n; j++) {
        if (!isfinite(largest[j])) {
            out->column = j;
            return;
        }
        top = largest[j] > top ? largest[j] : top;
    }
    out->scale = FN(scale_for)(top);
}

/* The first row of the triangle's column j that is not finite; -1: there is none. */
static int64_t FN(orr_he2hb_bad_row_cpu)(int64_t n, int64_t j, int upper, const void *column_)
{
    const T *column = column_;
    const int64_t first = FN(first_row)(j, upper), count = FN(row_count)(n, j, upper);
    const int bad = !isfinite(REAL(column[j]));
    if (bad && !upper)
        return j;
    for (int64_t i = first; i < first + count; i++)
        if (!(FN(largest_part)(column + i, 1) < (R)INFINITY))
            return i;
    return bad ? j : -1;
}

static void FN(orr_he2hb_largest_cpu)(int64_t n, int upper, const void *a, int64_t lda,
                                      int64_t first, int64_t count, void *largest)
{
    for (int64_t j = first; j < first + count && j < n; j++) {
        const T *column = (const T *)a + j * lda;
        const R diagonal = RABS(REAL(column[j]));
        const R off =
            FN(largest_part)(column + FN(first_row)(j, upper), FN(row_count)(n, j, upper));
        ((R *)largest)[j] = diagonal >= off || diagonal != diagonal ? diagonal : off;
    }
}

/* What is below the diagonal, from above it, in squares of whole cache lines: rows that are a power of
 * two apart have few lines of the cache for all of them. */
static void FN(from_above)(const orr_he2hb_loading *x, const T *from, int64_t ldf, T *to,
                           int64_t ldt)
{
    const int64_t line = 64 / (int64_t)sizeof *to;
    const R s = (R)x->scale;
    for (int64_t cc = 0; cc < x->columns; cc += line)
        for (int64_t rr = 0; rr < x->rows; rr += line)
            for (int64_t c = cc; c < orr_least(cc + line, x->columns); c++)
                for (int64_t r = x->diagonal && rr <= c ? c + 1 : rr;
                     r < orr_least(rr + line, x->rows); r++)
                    to[c * ldt + r] = CONJ(from[r * ldf + c]) * s;
}

static void FN(orr_he2hb_load_cpu)(const orr_he2hb_loading *x, const void *from_, int64_t ldf,
                                   void *to_, int64_t ldt)
{
    const R s = (R)x->scale;
    const T *const from = from_;
    T *const to = to_;
    const int stays = from == to && s == 1;
    if (x->upper)
        FN(from_above)(x, from, ldf, to, ldt);
    for (int64_t c = 0; c < x->columns; c++) {
        for (int64_t r = x->diagonal ? c + 1 : 0; !x->upper && !stays && r < x->rows; r++)
            to[c * ldt + r] = from[c * ldf + r] * s;
        if (x->diagonal)
            to[c * ldt + c] = REAL(from[c * ldf + c]) * s;
    }
}
