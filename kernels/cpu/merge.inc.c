/* What the merges of heev and gesvd share, for one real type; see merge.h. heev_merge.c and gesvd_merge.c
 * include it before their own.
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

/* The block of these rows and columns, of a side. */
static T *FN(block)(const orr_merge_tree *t, int side, int64_t first)
{
    return (T *)t->x[side] + first * (t->ld + 1);
}

/* ---- Deflation --------------------------------------------------------------------------------- */

/* Which columns have the values of both halves in ascending order. */
static void FN(sort_halves)(orr_merge_tree *t, const orr_merge *m)
{
    const int32_t n1 = (int32_t)m->n1, n2 = (int32_t)(m->n - m->cut), up = 1;
    const T *value = (const T *)t->value + m->first;
    const int32_t *order = t->order + m->first;
    T *pole = (T *)t->pole + m->first;
    int32_t *from = t->from + m->first, *chosen = t->chosen + m->first;
    int32_t *column = t->column + m->first;
    for (int64_t i = 0; i < n1 + n2; i++) {
        from[i] = (int32_t)(i < n1 ? order[i] - 1 : order[i - n1 + m->cut] - 1 + m->cut);
        pole[i] = value[from[i]] / (T)m->norm;
    }
    LAPACK(lamrg_)(&n1, &n2, pole, &up, &up, chosen);
    for (int64_t i = 0; i < n1 + n2; i++)
        column[i] = from[chosen[i] - 1];
}

/* To a device: nothing is rotated yet; column i is with column j; deflation ends. */
static void FN(tell_none)(const orr_merge_tree *t, const orr_merge *m)
{
    const int64_t n = m->n;
    int32_t *index = t->index + orr_merge_index(m);
    for (int64_t i = 0; i < n; i++) {
        index[ORR_MERGE_NEXT * n + i] = -1;
        index[ORR_MERGE_LED * n + i] = 0;
    }
}

static void FN(tell_rotation)(const orr_merge_tree *t, const orr_merge *m, int64_t i, int64_t j,
                              T c, T s)
{
    const int64_t n = m->n;
    T *told = (T *)t->told + orr_merge_told(m);
    int32_t *index = t->index + orr_merge_index(m);
    told[ORR_MERGE_COS * n + i] = c;
    told[ORR_MERGE_SIN * n + i] = s;
    index[ORR_MERGE_NEXT * n + i] = (int32_t)j;
    index[ORR_MERGE_LED * n + j] = 1;
}

static void FN(tell)(const orr_merge_tree *t, const orr_merge *m)
{
    const size_t kept = (size_t)m->k * sizeof(T);
    T *told = (T *)t->told + orr_merge_told(m);
    int32_t *index = t->index + orr_merge_index(m);
    memcpy(told + ORR_MERGE_POLES * m->n, (const T *)t->pole + m->first, kept);
    memcpy(told + ORR_MERGE_ZK * m->n, (const T *)t->zk + m->first, kept);
    for (int64_t to = 0; to < m->n; to++) {
        index[ORR_MERGE_AT * m->n + to] = t->row[m->first + to];
        index[ORR_MERGE_TO * m->n + t->from[m->first + to]] = (int32_t)to;
    }
}

/* The first and the last of `rows` entries of each column. */
static void FN(ends)(int64_t rows, int64_t columns, const T *q, int64_t ldq, T *ends)
{
    for (int64_t j = 0; j < columns; j++) {
        ends[2 * j] = q[j * ldq];
        ends[2 * j + 1] = q[j * ldq + rows - 1];
    }
}

static void FN(ends_of)(orr_merge_tree *t, int64_t first, int64_t n)
{
    const int side = t->sides - 1;
    const int64_t rows = orr_merge_rows(t, first, n, side);
    FN(ends)(rows, rows, FN(block)(t, side, first), t->ld, (T *)t->ends + 2 * first);
}

/* ---- Columns ----------------------------------------------------------------------------------- */

static int64_t FN(last)(const orr_merge *m, int64_t first, int64_t count)
{
    return first + count < m->k ? first + count : m->k;
}

/* Where the vectors that are deflated are, of `rows` rows. */
static T *FN(gone)(const orr_merge_tree *t, const orr_merge *m, int side, int64_t rows)
{
    return (T *)t->x2[side] + orr_merge_arranged(t, m) + (m->upper + m->both) * m->cut +
           (m->k - m->upper) * (rows - m->cut);
}

static void FN(arrange)(orr_merge_tree *t, const orr_merge *m, int64_t first, int64_t count)
{
    const int64_t kept = m->upper + m->both, cut = m->cut, k = m->k;
    for (int side = 0; side < t->sides; side++) {
        const int64_t rows = orr_merge_rows(t, m->first, m->n, side), under = rows - cut;
        T *above = (T *)t->x2[side] + orr_merge_arranged(t, m), *below = above + kept * cut;
        T *gone = FN(gone)(t, m, side, rows);
        for (int64_t to = first; to < first + count && to < m->n; to++) {
            const T *from = FN(block)(t, side, m->first) + t->from[m->first + to] * t->ld;
            if (to < kept)
                memcpy(above + to * cut, from, (size_t)cut * sizeof *from);
            if (to >= m->upper && to < k)
                memcpy(below + (to - m->upper) * under, from + cut, (size_t)under * sizeof *from);
            if (to >= k)
                memcpy(gone + (to - k) * rows, from, (size_t)rows * sizeof *from);
        }
    }
}

/* Of these columns those that are deflated, to where they stay. */
static void FN(put_back)(orr_merge_tree *t, const orr_merge *m, int64_t first, int64_t count)
{
    for (int side = 0; side < t->sides; side++) {
        const int64_t rows = orr_merge_rows(t, m->first, m->n, side);
        const T *gone = FN(gone)(t, m, side, rows);
        T *x = FN(block)(t, side, m->first);
        for (int64_t j = first > m->k ? first : m->k; j < first + count && j < m->n; j++)
            memcpy(x + j * t->ld, gone + (j - m->k) * rows, (size_t)rows * sizeof *x);
    }
}

static void FN(ones)(int64_t k, T *part)
{
    for (int64_t i = 0; i < k; i++)
        part[i] = 1;
}

/* What z would have to be for the roots to be exact (Gu and Eisenstat): the root of the product of
 * the factors in `part`, a row of n for each part, with the sign of z. */
static void FN(weights)(int64_t k, int64_t n, const T *part, int64_t parts, const T *z, T *weight)
{
    for (int64_t i = 0; i < k; i++) {
        T product = part[i];
        for (int64_t p = 1; p < parts; p++)
            product *= part[p * n + i];
        const T x = SQRT(RABS(product));
        weight[i] = z[i] < 0 ? -x : x;
    }
}

static orr_status FN(weigh)(orr_merge_tree *t, const orr_merge *m, const void *part, int64_t parts)
{
    const int32_t up = 1, down = -1, k = (int32_t)m->k, rest = (int32_t)(m->n - m->k);
    const T *root = (const T *)part + parts * m->n;
    T *value = (T *)t->value + m->first;
    int32_t *order = t->order + m->first;
    for (int64_t j = 0; j < k && m->apart; j++) {
        if (!isfinite(root[j]))
            return ORR_NOCONV;
        value[j] = root[j];
    }
    FN(weights)(k, m->n, part, parts, (const T *)t->zk + m->first, (T *)t->weight + m->first);
    for (int64_t i = 0; i < m->n; i++) {
        value[i] *= (T)m->norm;
        order[i] = (int32_t)i + 1;
    }
    if (k > 0)
        LAPACK(lamrg_)(&k, &rest, value, &up, &down, order);
    return ORR_OK;
}

static void FN(make_unit)(int64_t k, T *s)
{
    double sum = 0;
    for (int64_t i = 0; i < k; i++)
        sum += (double)s[i] * s[i];
    const T scale = (T)(1 / sqrt(sum));
    for (int64_t i = 0; i < k; i++)
        s[i] *= scale;
}

/* A column of S from its distances to the poles, its rows as the vectors are arranged. pole not NULL: of
 * U, weight times pole, and -1 for the first. */
static void FN(column)(int64_t k, const T *weight, const T *pole, const int32_t *row,
                       const T *delta, T *s)
{
    for (int64_t i = 0; i < k; i++) {
        const int64_t r = row[i];
        const T y = weight[r] / delta[r];
        s[i] = !pole ? y : r > 0 ? pole[r] * y : -1;
    }
    FN(make_unit)(k, s);
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

static orr_status FN(product)(orr_merge_tree *t, const orr_merge *m, int side, int64_t first,
                              int64_t count)
{
    const int64_t k = m->k, cut = m->cut, columns = FN(last)(m, first, count) - first;
    const int64_t kept = m->upper + m->both, under = orr_merge_rows(t, m->first, m->n, side) - cut;
    const T *above = (const T *)t->x2[side] + orr_merge_arranged(t, m), *below = above + kept * cut;
    T *x = FN(block)(t, side, m->first) + first * t->ld;
    if (columns <= 0)
        return ORR_OK;
    T *s = malloc((size_t)(k * columns) * sizeof *s);
    if (!s)
        return ORR_E_NOMEM;
    for (int64_t j = 0; j < columns; j++)
        memcpy(s + j * k, x + j * t->ld, (size_t)k * sizeof *x);
    FN(half_of_columns)(cut, columns, kept, above, cut, s, k, x, t->ld);
    FN(half_of_columns)(under, columns, k - m->upper, below, under, s + m->upper, k, x + cut,
                        t->ld);
    free(s);
    return ORR_OK;
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

static orr_status FN(product_apart)(orr_stream stream, const orr_merge *m, int side, int64_t rows,
                                    int64_t first, int64_t count, const void *told,
                                    const int32_t *index, const void *weight,
                                    const void *const x2[2], void *x_, int64_t ldx, void *work,
                                    void *ends)
{
    const int64_t k = m->k, cut = m->cut, under = rows - cut, last = FN(last)(m, first, count);
    const int64_t kept = m->upper + m->both, lower = k - m->upper;
    const T *pole = m->sides == 2 && side == 0 ? (const T *)told + ORR_MERGE_POLES * m->n : NULL;
    const T *above = x2[0], *below = x2[1];
    T *x = x_, *s = work;
    (void)stream;
    for (int64_t j = 0; j < last - first; j++)
        FN(column)(k, weight, pole, index + ORR_MERGE_AT * m->n, x + j * ldx, s + j * k);
    if (last > first) {
        FN(half_of_columns)(cut, last - first, kept, above, cut, s, k, x, ldx);
        FN(half_of_columns)(under, last - first, lower, below, under, s + m->upper, k, x + cut,
                            ldx);
    }
    for (int64_t j = first > k ? first : k; j < first + count; j++) {
        T *to = x + (j - first) * ldx;
        memcpy(to, above + (kept + j - k) * cut, (size_t)cut * sizeof *x);
        memcpy(to + cut, below + (lower + j - k) * under, (size_t)under * sizeof *x);
    }
    if (ends)
        FN(ends)(rows, count, x, ldx, ends);
    return ORR_OK;
}
