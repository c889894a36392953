/* Bodies of gesvd_merge for one real type; see gesvd_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* As bdsdc scales, and its diagonal. */
static T FN(scaled)(T x, T largest) { return largest > 0 ? x / largest : x; }
static T FN(diagonal)(T x, T largest)
{
    const T d = FN(scaled)(x, largest), least = EPS / 2;
    return RABS(d) >= least ? d : d < 0 ? -least : least;
}

/* The block of these rows. */
static T *FN(block)(const orr_gesvd_tree *t, void *x, int64_t first)
{
    return (T *)x + first * (t->ld + 1);
}

/* order: from 1, nearly ascending already. */
static void FN(sort)(int64_t n, const T *value, int32_t *order)
{
    for (int64_t i = 1; i < n; i++) {
        const int32_t x = order[i];
        int64_t j = i;
        for (; j > 0 && value[order[j - 1] - 1] > value[x - 1]; j--)
            order[j] = order[j - 1];
        order[j] = x;
    }
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

/* A unit matrix in rows and columns `first` on, zeros above and below. */
static void FN(unit)(const orr_gesvd_tree *t, void *x, int64_t first, int64_t columns)
{
    if (t->ld == t->n)
        memset((T *)x + first * t->n, 0, (size_t)(columns * t->n) * sizeof(T));
    for (int64_t i = 0; i < columns; i++)
        FN(block)(t, x, first)[i * (t->ld + 1)] = 1;
}

static orr_status FN(leaf)(orr_gesvd_tree *t, int64_t first, int64_t n, T largest, const T *d,
                           const T *e)
{
    const int64_t columns = orr_gesvd_rows(t, first, n, 1);
    const int32_t n_ = (int32_t)n, columns_ = (int32_t)columns, ld = (int32_t)t->ld, none = 0;
    const int32_t more = columns_ - n_, one = 1;
    T *u = FN(block)(t, t->x[0], first), *v = FN(block)(t, t->x[1], first);
    T *value = (T *)t->value + first, off[ORR_GESVD_LEAF], work[4 * ORR_GESVD_LEAF], unused;
    int32_t info = 0;
    FN(unit)(t, t->x[0], first, columns);
    FN(unit)(t, t->x[1], first, columns);
    for (int64_t i = 0; i < n; i++) {
        value[i] = FN(diagonal)(d[first + i], largest);
        off[i] = i + 1 < columns ? FN(scaled)(e[first + i], largest) : 0;
        t->order[first + i] = (int32_t)i + 1;
    }
    LAPACK(lasdq_)("U", &more, &n_, &columns_, &n_, &none, value, off, v, &ld, u, &ld, &unused,
                   &one, work, &info);
    for (int64_t j = 0; j < columns; j++) /* it has made the rows of V' */
        for (int64_t i = 0; i < j; i++) {
            const T x = v[j * t->ld + i];
            v[j * t->ld + i] = v[i * t->ld + j];
            v[i * t->ld + j] = x;
        }
    FN(sort)(n, value, t->order + first);
    return info == 0 ? ORR_OK : ORR_NOCONV;
}

/* ---- Deflation, as in lasd2 ------------------------------------------------------------------ */

/* Where the rows of V that alpha and beta belong to meet column c of the halves. */
static T FN(corner)(const orr_gesvd_tree *t, const orr_gesvd_merge *m, int64_t c)
{
    const int below = c > m->n1;
    if (m->apart)
        return ((const T *)t->ends)[2 * (m->first + c) + !below];
    return FN(block)(t, t->x[1], m->first)[c * t->ld + m->n1 + below];
}

/* Values of both halves ascending, with their column, its type and its entry of z. */
static void FN(sort_halves)(orr_gesvd_tree *t, const orr_gesvd_merge *m, T alpha, T beta)
{
    const int32_t n1 = (int32_t)m->n1, n2 = (int32_t)(m->n - m->n1 - 1), up = 1;
    const int64_t first = m->first;
    const T *value = (const T *)t->value + first;
    T *sorted = (T *)t->sorted + first, *z = (T *)t->z + first, *pole = (T *)t->pole + first;
    int32_t *index = t->index + first, *column = t->column + first, *type = t->type + first;
    int32_t *at = t->at + first;
    for (int64_t i = 0; i < n1 + n2; i++) {
        at[i] = i < n1 ? t->order[first + i] - 1 : t->order[first + i + 1] + n1;
        pole[i] = value[at[i]] / (T)m->norm;
    }
    LAPACK(lamrg_)(&n1, &n2, pole, &up, &up, index);
    for (int64_t i = 0; i < n1 + n2; i++) {
        const int32_t c = at[index[i] - 1];
        column[i] = c;
        sorted[i] = pole[index[i] - 1];
        type[i] = c < n1 ? UPPER : LOWER;
        z[i] = (c < n1 ? alpha : beta) * FN(corner)(t, m, c);
    }
}

/* Makes entry i of z zero by a rotation with entry j. */
static void FN(rotate)(orr_gesvd_tree *t, const orr_gesvd_merge *m, int64_t i, int64_t j)
{
    const int32_t *column = t->column + m->first, one = 1, rows = (int32_t)m->n;
    const int32_t columns = (int32_t)orr_gesvd_rows(t, m->first, m->n, 1);
    T *u = FN(block)(t, t->x[0], m->first), *v = FN(block)(t, t->x[1], m->first);
    T *z = (T *)t->z + m->first;
    const T tau = (T)hypot((double)z[i], (double)z[j]), c = z[j] / tau, s = -z[i] / tau;
    int32_t *type = t->type + m->first;
    z[j] = tau;
    z[i] = 0;
    if (type[i] != type[j])
        type[j] = BOTH;
    if (m->apart) {
        FN(tell_rotation)(m->n, column[i], column[j], c, s, (T *)t->told + orr_gesvd_told(m),
                          t->numbers + orr_gesvd_numbers(m));
        return;
    }
    LAPACK(rot_)(&rows, u + column[i] * t->ld, &one, u + column[j] * t->ld, &one, &c, &s);
    LAPACK(rot_)(&columns, v + column[i] * t->ld, &one, v + column[j] * t->ld, &one, &c, &s);
}

/* index: of the values that are kept, from entry 1 on, and behind them the others. Returns how many
 * are kept, and one. */
static int64_t FN(choose)(orr_gesvd_tree *t, const orr_gesvd_merge *m, T tolerance)
{
    const T *z = (const T *)t->z + m->first, *sorted = (const T *)t->sorted + m->first;
    int32_t *index = t->index + m->first;
    int64_t k = 1, end = m->n, before = -1;
    for (int64_t i = 0; i < m->n - 1; i++) {
        if (RABS(z[i]) <= tolerance) {
            index[--end] = (int32_t)i;
            continue;
        }
        if (before >= 0 && sorted[i] - sorted[before] <= tolerance) {
            FN(rotate)(t, m, before, i);
            index[--end] = (int32_t)before;
        } else if (before >= 0) {
            index[k++] = (int32_t)before;
        }
        before = i;
    }
    if (before >= 0)
        index[k++] = (int32_t)before;
    return k;
}

/* What the two vectors that are orthogonal to all others become: the one that z sees, in V2, and
 * the last one. z1, z2: their entries of z. Returns its entry of z. */
static T FN(join)(orr_gesvd_tree *t, orr_gesvd_merge *m, T z1, T z2, T tolerance)
{
    const int64_t n = m->n, n1 = m->n1, columns = orr_gesvd_rows(t, m->first, n, 1), ld = t->ld;
    const T length = (T)hypot((double)z1, (double)z2);
    const T c = length > tolerance ? z1 / length : 1, s = length > tolerance ? z2 / length : 0;
    m->join[0] = columns > n ? (double)c : 1;
    m->join[1] = columns > n ? (double)s : 0;
    if (!m->apart) {
        T *v = FN(block)(t, t->x[1], m->first), *last = v + (columns - 1) * ld;
        T *middle = v + n1 * ld, *to = FN(block)(t, t->x2[1], m->first) + m->upper * ld;
        for (int64_t i = 0; i <= n1; i++)
            to[i] = columns > n ? c * middle[i] : middle[i];
        for (int64_t i = n1 + 1; i < columns; i++)
            to[i] = columns > n ? s * last[i] : 0;
        for (int64_t i = 0; i < columns && columns > n; i++)
            last[i] = i <= n1 ? -s * middle[i] : c * last[i];
    }
    return length <= tolerance ? tolerance : columns > n ? length : z1;
}

/* at: the column of the halves that an arranged one is; row: its entry of pole and zk. */
static void FN(group)(orr_gesvd_tree *t, orr_gesvd_merge *m)
{
    const int64_t first = m->first;
    const int32_t *index = t->index + first, *column = t->column + first, *type = t->type + first;
    int32_t *at = t->at + first, *row = t->row + first;
    int64_t next[3] = {0, 0, 0};
    for (int64_t i = 1; i < m->k; i++)
        next[type[index[i]]]++;
    m->upper = next[UPPER];
    m->both = next[BOTH];
    next[UPPER] = 0;
    next[BOTH] = m->upper + 1;
    next[LOWER] = m->upper + 1 + m->both;
    at[m->upper] = (int32_t)m->n1;
    row[m->upper] = 0;
    for (int64_t i = 1; i < m->k; i++) {
        const int64_t to = next[type[index[i]]]++;
        at[to] = column[index[i]];
        row[to] = (int32_t)i;
    }
    for (int64_t i = m->k; i < m->n; i++)
        at[i] = column[index[i]];
}

/* As deflation ends. */
static void FN(tell)(orr_gesvd_tree *t, const orr_gesvd_merge *m)
{
    const size_t kept = (size_t)m->k * sizeof(T);
    T *told = (T *)t->told + orr_gesvd_told(m);
    int32_t *index = t->numbers + orr_gesvd_numbers(m);
    memcpy(told + ORR_MERGE_POLES * m->n, (const T *)t->pole + m->first, kept);
    memcpy(told + ORR_MERGE_ZK * m->n, (const T *)t->zk + m->first, kept);
    for (int64_t i = 0; i < m->n; i++) {
        index[ORR_MERGE_AT * m->n + i] = i < m->k ? t->row[m->first + i] : 0;
        index[ORR_MERGE_TO * m->n + t->at[m->first + i]] = (int32_t)i;
    }
}

static void FN(orr_gesvd_ends_cpu)(orr_gesvd_tree *t, int64_t first, int64_t n)
{
    const int64_t columns = orr_gesvd_rows(t, first, n, 1);
    FN(ends)(columns, columns, FN(block)(t, t->x[1], first), t->ld, (T *)t->ends + 2 * first);
}

static void FN(orr_gesvd_deflate_cpu)(orr_gesvd_tree *t, orr_gesvd_merge *m, const void *d_,
                                      const void *e_)
{
    const T *d = d_, *e = e_, largest = FN(largest)(t->n, d, e);
    const int64_t first = m->first, n = m->n, n1 = m->n1;
    T alpha = FN(diagonal)(d[first + n1], largest), beta = FN(scaled)(e[first + n1], largest);
    T *value = (T *)t->value + first, *pole = (T *)t->pole + first, *zk = (T *)t->zk + first;
    const T *sorted = (const T *)t->sorted + first, *z = (const T *)t->z + first;
    const int more = orr_gesvd_rows(t, first, n, 1) > n;
    T norm = RABS(alpha) > RABS(beta) ? RABS(alpha) : RABS(beta), top;
    for (int64_t i = 0; i < n; i++)
        norm = i != n1 && value[i] > norm ? value[i] : norm;
    m->norm = norm;
    alpha /= norm;
    beta /= norm;
    FN(sort_halves)(t, m, alpha, beta);
    if (m->apart)
        FN(tell_none)(n, t->numbers + orr_gesvd_numbers(m));
    top = RABS(alpha) > RABS(beta) ? RABS(alpha) : RABS(beta);
    top = sorted[n - 2] > top ? sorted[n - 2] : top;
    const T tolerance = 4 * EPS * top;
    m->k = FN(choose)(t, m, tolerance);
    FN(group)(t, m);

    pole[0] = 0;
    zk[0] = FN(join)(t, m, alpha * FN(corner)(t, m, n1), more ? beta * FN(corner)(t, m, n) : 0,
                     tolerance);
    for (int64_t i = 1; i < m->k; i++) {
        pole[i] = sorted[t->index[first + i]];
        zk[i] = z[t->index[first + i]];
    }
    if (m->k > 1 && pole[1] <= tolerance / 2)
        pole[1] = tolerance / 2;
    for (int64_t i = m->k; i < n; i++)
        value[i] = sorted[t->index[first + i]];
    if (!m->apart) {
        T *u2 = FN(block)(t, t->x2[0], first);
        memset(u2 + m->upper * t->ld, 0, (size_t)n * sizeof *u2);
        u2[m->upper * t->ld + n1] = 1;
    }

    double rho = 0;
    for (int64_t i = 0; i < m->k; i++)
        rho += (double)zk[i] * (double)zk[i];
    m->rho = rho;
    for (int64_t i = 0; i < m->k; i++)
        zk[i] /= (T)sqrt(rho);
    if (m->apart)
        FN(tell)(t, m);
}

/* ---- Columns --------------------------------------------------------------------------------- */

static void FN(copy)(const T *from, T *to, int64_t row, int64_t end)
{
    if (row < end)
        memcpy(to + row, from + row, (size_t)(end - row) * sizeof *to);
}

static void FN(orr_gesvd_arrange_cpu)(orr_gesvd_tree *t, const orr_gesvd_merge *m, int64_t first,
                                      int64_t count)
{
    const int64_t columns = orr_gesvd_rows(t, m->first, m->n, 1), ld = t->ld;
    const T *u = FN(block)(t, t->x[0], m->first), *v = FN(block)(t, t->x[1], m->first);
    T *u2 = FN(block)(t, t->x2[0], m->first), *v2 = FN(block)(t, t->x2[1], m->first);
    for (int64_t i = first; i < first + count && i < m->n; i++) {
        const int64_t from = t->at[m->first + i] * ld;
        const int64_t row = i > m->upper + m->both && i < m->k ? m->n1 + 1 : 0;
        if (i == m->upper) /* there since the deflation */
            continue;
        FN(copy)(u + from, u2 + i * ld, row, i < m->upper ? m->n1 + 1 : m->n);
        FN(copy)(v + from, v2 + i * ld, row, i < m->upper ? m->n1 + 1 : columns);
    }
}

/* Root j, its differences from the poles and sums with them, and its factors of the weights. Returns 0
 * if it did not converge. */
static int FN(root)(int64_t k, int64_t j, const T *pole, const T *z, T rho, T *minus, T *plus,
                    T *value, T *part)
{
    const int32_t k_ = (int32_t)k, j_ = (int32_t)j + 1;
    int32_t info = 0;
    if (k > 2 && j + 1 < k && FN(orr_secular_squares)(k, j, pole, z, rho, minus, plus, value, part))
        return 1;
    LAPACK(lasd4_)(&k_, &j_, pole, z, minus, &rho, value, plus, &info);
    if (info != 0)
        return 0;
    const T pj = pole[j], after = j + 1 < k ? pole[j + 1] : 0;
    for (int64_t i = 0; i < k && j + 1 == k; i++)
        part[i] *= minus[i] * plus[i];
    for (int64_t i = 0; i <= j && j + 1 < k; i++)
        part[i] *= minus[i] * plus[i] / ((pole[i] - after) * (pole[i] + after));
    for (int64_t i = j + 1; i < k; i++)
        part[i] *= minus[i] * plus[i] / ((pole[i] - pj) * (pole[i] + pj));
    return 1;
}

/* pole - root and pole + root of column j are left in columns j of U and V. */
static orr_status FN(orr_gesvd_secular_cpu)(orr_gesvd_tree *t, const orr_gesvd_merge *m,
                                            int64_t first, int64_t count, void *part_)
{
    const int64_t k = m->k, ld = t->ld, end = first + count < m->n ? first + count : m->n;
    const T *pole = (const T *)t->pole + m->first, *z = (const T *)t->zk + m->first;
    const T rho = (T)m->rho;
    T *part = part_, *value = (T *)t->value + m->first;
    T *u = FN(block)(t, t->x[0], m->first), *v = FN(block)(t, t->x[1], m->first);
    for (int64_t i = 0; i < k; i++)
        part[i] = 1;
    for (int64_t j = first; j < end && j < k; j++)
        if (!FN(root)(k, j, pole, z, rho, u + j * ld, v + j * ld, value + j, part))
            return ORR_NOCONV;
    const T *u2 = FN(block)(t, t->x2[0], m->first), *v2 = FN(block)(t, t->x2[1], m->first);
    for (int64_t j = first > k ? first : k; j < end; j++) { /* what is deflated */
        FN(copy)(u2 + j * ld, u + j * ld, 0, m->n);
        FN(copy)(v2 + j * ld, v + j * ld, 0, orr_gesvd_rows(t, m->first, m->n, 1));
    }
    return ORR_OK;
}

static orr_status FN(orr_gesvd_weigh_cpu)(orr_gesvd_tree *t, const orr_gesvd_merge *m,
                                          const void *part, int64_t parts)
{
    const int64_t first = m->first, n = m->n;
    const int32_t up = 1, down = -1, k = (int32_t)m->k, rest = (int32_t)(n - m->k);
    const T *root = (const T *)part + parts * n;
    T *value = (T *)t->value + first;
    for (int64_t j = 0; j < m->k && m->apart; j++) {
        if (!isfinite(root[j]))
            return ORR_NOCONV;
        value[j] = root[j];
    }
    FN(weigh)(m->k, n, part, parts, (const T *)t->zk + first, (T *)t->weight + first);
    for (int64_t i = 0; i < n; i++)
        value[i] *= (T)m->norm;
    LAPACK(lamrg_)(&k, &rest, value, &up, &down, t->order + first);
    FN(sort)(n, value, t->order + first);
    return ORR_OK;
}

/* Column j of X and Y, rows as arranged, in the place of what `secular` left. s: [2 k] */
static void FN(columns_of_M)(const orr_gesvd_tree *t, const orr_gesvd_merge *m, int64_t j, T *s)
{
    T *minus = FN(block)(t, t->x[0], m->first) + j * t->ld;
    T *plus = FN(block)(t, t->x[1], m->first) + j * t->ld;
    const T *pole = (const T *)t->pole + m->first, *weight = (const T *)t->weight + m->first;
    const int32_t *row = t->row + m->first;
    T *x = s, *y = s + m->k;
    double left = 0, right = 0;
    for (int64_t i = 0; i < m->k; i++) {
        const int32_t r = row[i];
        y[i] = m->k > 1 ? weight[r] / (minus[r] * plus[r]) : 1;
        x[i] = m->k == 1 ? (weight[0] < 0 ? -1 : 1) : r > 0 ? pole[r] * y[i] : -1;
        left += (double)x[i] * (double)x[i];
        right += (double)y[i] * (double)y[i];
    }
    const T scale_x = (T)(1 / sqrt(left)), scale_y = (T)(1 / sqrt(right));
    for (int64_t i = 0; i < m->k; i++) {
        minus[i] = x[i] * scale_x;
        plus[i] = y[i] * scale_y;
    }
}

static orr_status FN(orr_gesvd_coefficients_cpu)(orr_gesvd_tree *t, const orr_gesvd_merge *m,
                                                 int64_t first, int64_t count)
{
    const int64_t end = first + count < m->k ? first + count : m->k;
    if (end <= first)
        return ORR_OK;
    T *s = malloc((size_t)(2 * m->k) * sizeof *s);
    if (!s)
        return ORR_E_NOMEM;
    for (int64_t j = first; j < end; j++)
        FN(columns_of_M)(t, m, j, s);
    free(s);
    return ORR_OK;
}

/* The upper rows are n1 + 1. */
static orr_status FN(orr_gesvd_product_cpu)(orr_gesvd_tree *t, const orr_gesvd_merge *m, int side,
                                            int64_t first, int64_t count)
{
    const int64_t k = m->k, columns = (first + count < k ? first + count : k) - first, ld = t->ld;
    const int64_t upper = m->n1 + 1, rows = orr_gesvd_rows(t, m->first, m->n, side);
    const T *x2 = FN(block)(t, t->x2[side], m->first);
    T *x = FN(block)(t, t->x[side], m->first) + first * ld;
    if (columns <= 0)
        return ORR_OK;
    T *s = malloc((size_t)(k * columns) * sizeof *s);
    if (!s)
        return ORR_E_NOMEM;
    for (int64_t j = 0; j < columns; j++)
        memcpy(s + j * k, x + j * ld, (size_t)k * sizeof *s);
    FN(half_of_columns)(upper, columns, m->upper + 1 + m->both, x2, ld, s, k, x, ld);
    FN(half_of_columns)(rows - upper, columns, k - m->upper, x2 + upper + m->upper * ld, ld,
                        s + m->upper, k, x + upper, ld);
    free(s);
    return ORR_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static orr_status FN(orr_gesvd_tree_cpu)(orr_gesvd_tree *t, int64_t first, int64_t n, const void *d,
                                         const void *e, void *part)
{
    if (n <= ORR_GESVD_LEAF)
        return FN(leaf)(t, first, n, FN(largest)(t->n, d, e), d, e);
    orr_gesvd_merge m = orr_gesvd_merge_of(first, n);
    orr_status st = FN(orr_gesvd_tree_cpu)(t, first, m.n1, d, e, part);
    if (st == ORR_OK)
        st = FN(orr_gesvd_tree_cpu)(t, first + m.n1 + 1, n - m.n1 - 1, d, e, part);
    if (st != ORR_OK)
        return st;
    FN(orr_gesvd_deflate_cpu)(t, &m, d, e);
    FN(orr_gesvd_arrange_cpu)(t, &m, 0, n);
    st = FN(orr_gesvd_secular_cpu)(t, &m, 0, n, part);
    if (st != ORR_OK)
        return st;
    st = FN(orr_gesvd_weigh_cpu)(t, &m, part, 1);
    if (st == ORR_OK)
        st = FN(orr_gesvd_coefficients_cpu)(t, &m, 0, n);
    for (int side = 0; side < 2 && st == ORR_OK; side++)
        st = FN(orr_gesvd_product_cpu)(t, &m, side, 0, n);
    return st;
}

static void FN(orr_gesvd_order_cpu)(orr_gesvd_tree *t, double scale, const void *d, const void *e,
                                    void *s_)
{
    const T largest = FN(largest)(t->n, d, e), *value = t->value;
    T *s = s_;
    for (int64_t i = 0; i < t->n / 2; i++) {
        const int32_t x = t->order[i];
        t->order[i] = t->order[t->n - 1 - i];
        t->order[t->n - 1 - i] = x;
    }
    for (int64_t i = 0; i < t->n; i++) /* LAPACK makes -0 of a zero */
        s[i] = RABS(value[t->order[i] - 1]) * largest * (T)(1 / scale);
}
