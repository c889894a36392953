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

/* ---- Merges that are apart: columns of the halves, as a device copies and rotates them ---------- */

/* The rows of one half, of the vectors of one side. */
struct FN(arrangement) {
    int64_t n, rows, first, columns,
        entries;           /* of the halves' columns, those that have entries there */
    int64_t from, kept, k; /* arranged columns from .. from+kept-1 have some */
    const orr_merge_columns *have;
    int64_t own, unit; /* a column besides: -1, or which, and where it is 1; or it is ... */
    const T *vector;   /* ... this, times `scale` */
    T scale;
    const T *told;
    const int32_t *index;
    T *x2;
};

static T FN(entry)(const struct FN(arrangement) *a, int64_t column, int64_t row)
{
    const int64_t i = column - a->first;
    if (column == a->own)
        return a->vector ? a->scale * a->vector[row] : row == a->unit ? (T)1 : (T)0;
    if (i < 0 || i >= a->columns || row >= a->entries)
        return 0;
    const int64_t part = i / a->have->width;
    return ((const T *)a->have->part[part])[i % a->have->width * a->have->ld[part] + row];
}

static void FN(put)(const struct FN(arrangement) *a, int64_t column, int64_t row, T x)
{
    const int64_t to = a->index[ORR_MERGE_TO * a->n + column];
    if (to >= a->k)
        a->x2[(a->kept + to - a->k) * a->rows + row] = x;
    else if (to >= a->from && to < a->from + a->kept)
        a->x2[(to - a->from) * a->rows + row] = x;
}

static void FN(arrange_half)(const struct FN(arrangement) *a)
{
    const T *cosine = a->told + ORR_MERGE_COS * a->n, *sine = a->told + ORR_MERGE_SIN * a->n;
    const int32_t *next = a->index + ORR_MERGE_NEXT * a->n;
    for (int64_t lead = 0; lead < a->n; lead++)
        for (int64_t row = 0; row < a->rows && !a->index[ORR_MERGE_LED * a->n + lead]; row++) {
            int64_t i = lead;
            T x = FN(entry)(a, i, row);
            for (int64_t j = next[i]; j >= 0; i = j, j = next[i]) {
                const T y = FN(entry)(a, j, row), c = cosine[i], s = sine[i];
                FN(put)(a, i, row, c * x + s * y);
                x = c * y - s * x;
            }
            FN(put)(a, i, row, x);
        }
}

/* Nothing is rotated yet; column i is with column j. */
static void FN(tell_none)(int64_t n, int32_t *index)
{
    for (int64_t i = 0; i < n; i++) {
        index[ORR_MERGE_NEXT * n + i] = -1;
        index[ORR_MERGE_LED * n + i] = 0;
    }
}

static void FN(tell_rotation)(int64_t n, int64_t i, int64_t j, T c, T s, T *told, int32_t *index)
{
    told[ORR_MERGE_COS * n + i] = c;
    told[ORR_MERGE_SIN * n + i] = s;
    index[ORR_MERGE_NEXT * n + i] = (int32_t)j;
    index[ORR_MERGE_LED * n + j] = 1;
}

/* The first and the last of `rows` entries of each column. */
static void FN(ends)(int64_t rows, int64_t columns, const T *q, int64_t ldq, T *ends)
{
    for (int64_t j = 0; j < columns; j++) {
        ends[2 * j] = q[j * ldq];
        ends[2 * j + 1] = q[j * ldq + rows - 1];
    }
}
