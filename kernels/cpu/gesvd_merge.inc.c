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
static void FN(unit)(const orr_merge_tree *t, int side, int64_t first, int64_t columns)
{
    if (t->ld == t->n)
        memset((T *)t->x[side] + first * t->n, 0, (size_t)(columns * t->n) * sizeof(T));
    for (int64_t i = 0; i < columns; i++)
        FN(block)(t, side, first)[i * (t->ld + 1)] = 1;
}

static orr_status FN(leaf)(orr_merge_tree *t, int64_t first, int64_t n, T largest, const T *d,
                           const T *e)
{
    const int64_t columns = orr_merge_rows(t, first, n, 1);
    const int32_t n_ = (int32_t)n, columns_ = (int32_t)columns, ld = (int32_t)t->ld, none = 0;
    const int32_t more = columns_ - n_, one = 1;
    T *u = FN(block)(t, 0, first), *v = FN(block)(t, 1, first);
    T *value = (T *)t->value + first, off[ORR_GESVD_LEAF], work[4 * ORR_GESVD_LEAF], unused;
    int32_t info = 0;
    FN(unit)(t, 0, first, columns);
    FN(unit)(t, 1, first, columns);
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
static T FN(corner)(const orr_merge_tree *t, const orr_merge *m, int64_t c)
{
    const int below = c > m->n1;
    if (m->apart)
        return ((const T *)t->ends)[2 * (m->first + c) + !below];
    return FN(block)(t, 1, m->first)[c * t->ld + m->n1 + below];
}

/* Values of both halves ascending, with their type and their entry of z. */
static void FN(begin)(orr_merge_tree *t, const orr_merge *m, T alpha, T beta)
{
    const T *value = (const T *)t->value + m->first;
    const int32_t *column = t->column + m->first;
    T *sorted = (T *)t->sorted + m->first, *z = (T *)t->z + m->first;
    int32_t *type = t->type + m->first;
    FN(sort_halves)(t, m);
    for (int64_t i = 0; i < m->n - 1; i++) {
        const int32_t c = column[i];
        sorted[i] = value[c] / (T)m->norm;
        type[i] = c < m->n1 ? UPPER : LOWER;
        z[i] = (c < m->n1 ? alpha : beta) * FN(corner)(t, m, c);
    }
}

/* Makes entry i of z zero by a rotation with entry j. */
static void FN(rotate)(orr_merge_tree *t, const orr_merge *m, int64_t i, int64_t j)
{
    const int32_t *column = t->column + m->first, one = 1, rows = (int32_t)m->n;
    const int32_t columns = (int32_t)orr_merge_rows(t, m->first, m->n, 1);
    T *u = FN(block)(t, 0, m->first), *v = FN(block)(t, 1, m->first);
    T *z = (T *)t->z + m->first;
    const T tau = (T)hypot((double)z[i], (double)z[j]), c = z[j] / tau, s = -z[i] / tau;
    int32_t *type = t->type + m->first;
    z[j] = tau;
    z[i] = 0;
    if (type[i] != type[j])
        type[j] = BOTH;
    if (m->apart) {
        FN(tell_rotation)(t, m, column[i], column[j], c, s);
        return;
    }
    LAPACK(rot_)(&rows, u + column[i] * t->ld, &one, u + column[j] * t->ld, &one, &c, &s);
    LAPACK(rot_)(&columns, v + column[i] * t->ld, &one, v + column[j] * t->ld, &one, &c, &s);
}

/* chosen: of the values that are kept, from entry 1 on, and behind them the others. Returns how many
 * are kept, and one. */
static int64_t FN(choose)(orr_merge_tree *t, const orr_merge *m, T tolerance)
{
    const T *z = (const T *)t->z + m->first, *sorted = (const T *)t->sorted + m->first;
    int32_t *chosen = t->chosen + m->first;
    int64_t k = 1, end = m->n, before = -1;
    for (int64_t i = 0; i < m->n - 1; i++) {
        if (RABS(z[i]) <= tolerance) {
            chosen[--end] = (int32_t)i;
            continue;
        }
        if (before >= 0 && sorted[i] - sorted[before] <= tolerance) {
            FN(rotate)(t, m, before, i);
            chosen[--end] = (int32_t)before;
        } else if (before >= 0) {
            chosen[k++] = (int32_t)before;
        }
        before = i;
    }
    if (before >= 0)
        chosen[k++] = (int32_t)before;
    return k;
}

/* What the two vectors that are orthogonal to all others become: the one that z sees, column n1, and the
 * last one. z1, z2: their entries of z. Returns its entry of z. */
static T FN(join)(orr_merge_tree *t, orr_merge *m, T z1, T z2, T tolerance)
{
    const int64_t n = m->n, n1 = m->n1, columns = orr_merge_rows(t, m->first, n, 1), ld = t->ld;
    const T length = (T)hypot((double)z1, (double)z2);
    const T c = length > tolerance ? z1 / length : 1, s = length > tolerance ? z2 / length : 0;
    m->join[0] = columns > n ? (double)c : 1;
    m->join[1] = columns > n ? (double)s : 0;
    if (!m->apart && columns > n) {
        T *v = FN(block)(t, 1, m->first), *middle = v + n1 * ld, *last = v + n * ld;
        for (int64_t i = 0; i < columns; i++) {
            const T x = middle[i], y = last[i];
            middle[i] = i <= n1 ? c * x : s * y;
            last[i] = i <= n1 ? -s * x : c * y;
        }
    }
    return length <= tolerance ? tolerance : columns > n ? length : z1;
}

/* Columns by what they have entries in; that of the joined vector, value 0, is the first of both. */
static void FN(group)(orr_merge_tree *t, orr_merge *m)
{
    const int64_t first = m->first;
    const int32_t *chosen = t->chosen + first, *column = t->column + first, *type = t->type + first;
    int32_t *from = t->from + first, *row = t->row + first;
    int64_t count[3] = {[BOTH] = 1};
    for (int64_t i = 1; i < m->k; i++)
        count[type[chosen[i]]]++;
    m->upper = count[UPPER];
    m->both = count[BOTH];
    int64_t next[] = {[UPPER] = 0, [BOTH] = m->upper + 1, [LOWER] = m->upper + m->both};
    from[m->upper] = (int32_t)m->n1;
    row[m->upper] = 0;
    for (int64_t i = 1; i < m->n; i++) {
        const int64_t to = i < m->k ? next[type[chosen[i]]]++ : i;
        from[to] = column[chosen[i]];
        row[to] = (int32_t)i;
    }
}

static void FN(deflate)(orr_merge_tree *t, orr_merge *m, const void *d_, const void *e_)
{
    const T *d = d_, *e = e_, largest = FN(largest)(t->n, d, e);
    const int64_t first = m->first, n = m->n, n1 = m->n1;
    T alpha = FN(diagonal)(d[first + n1], largest), beta = FN(scaled)(e[first + n1], largest);
    T *value = (T *)t->value + first, *pole = (T *)t->pole + first, *zk = (T *)t->zk + first;
    const T *sorted = (const T *)t->sorted + first, *z = (const T *)t->z + first;
    const int32_t *chosen = t->chosen + first;
    const int more = orr_merge_rows(t, first, n, 1) > n;
    T norm = RABS(alpha) > RABS(beta) ? RABS(alpha) : RABS(beta), top;
    for (int64_t i = 0; i < n; i++)
        norm = i != n1 && value[i] > norm ? value[i] : norm;
    m->norm = norm;
    alpha /= norm;
    beta /= norm;
    FN(begin)(t, m, alpha, beta);
    if (m->apart)
        FN(tell_none)(t, m);
    top = RABS(alpha) > RABS(beta) ? RABS(alpha) : RABS(beta);
    top = sorted[n - 2] > top ? sorted[n - 2] : top;
    const T tolerance = 4 * EPS * top;
    m->k = FN(choose)(t, m, tolerance);
    FN(group)(t, m);

    pole[0] = 0;
    zk[0] = FN(join)(t, m, alpha * FN(corner)(t, m, n1), more ? beta * FN(corner)(t, m, n) : 0,
                     tolerance);
    for (int64_t i = 1; i < m->k; i++) {
        pole[i] = sorted[chosen[i]];
        zk[i] = z[chosen[i]];
    }
    if (m->k > 1 && pole[1] <= tolerance / 2)
        pole[1] = tolerance / 2;
    for (int64_t i = m->k; i < n; i++)
        value[i] = sorted[chosen[i]];
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
static orr_status FN(secular)(orr_merge_tree *t, const orr_merge *m, int64_t first, int64_t count,
                              void *part)
{
    const T *pole = (const T *)t->pole + m->first, *z = (const T *)t->zk + m->first;
    const int64_t ld = t->ld;
    T *value = (T *)t->value + m->first;
    T *u = FN(block)(t, 0, m->first), *v = FN(block)(t, 1, m->first);
    FN(ones)(m->k, part);
    FN(put_back)(t, m, first, count);
    for (int64_t j = first; j < FN(last)(m, first, count); j++)
        if (!FN(root)(m->k, j, pole, z, (T)m->rho, u + j * ld, v + j * ld, value + j, part))
            return ORR_NOCONV;
    return ORR_OK;
}

/* Roots of squares may be out of order by a rounding. */
static orr_status FN(weigh_and_sort)(orr_merge_tree *t, const orr_merge *m, const void *part,
                                     int64_t parts)
{
    const orr_status st = FN(weigh)(t, m, part, parts);
    if (st == ORR_OK)
        FN(sort)(m->n, (const T *)t->value + m->first, t->order + m->first);
    return st;
}

static orr_status FN(coefficients)(orr_merge_tree *t, const orr_merge *m, int64_t first,
                                   int64_t count)
{
    const T *pole = (const T *)t->pole + m->first, *weight = (const T *)t->weight + m->first;
    const int32_t *row = t->row + m->first;
    const int64_t k = m->k, last = FN(last)(m, first, count);
    if (last <= first)
        return ORR_OK;
    T *delta = malloc((size_t)k * sizeof *delta);
    if (!delta)
        return ORR_E_NOMEM;
    for (int64_t j = first; j < last; j++) {
        T *minus = FN(block)(t, 0, m->first) + j * t->ld;
        T *plus = FN(block)(t, 1, m->first) + j * t->ld;
        for (int64_t i = 0; i < k; i++)
            delta[i] = minus[i] * plus[i]; /* of the squares */
        if (k > 1) {
            FN(column)(k, weight, pole, row, delta, minus);
            FN(column)(k, weight, NULL, row, delta, plus);
        } else {
            minus[0] = weight[0] < 0 ? -1 : 1;
            plus[0] = 1;
        }
    }
    free(delta);
    return ORR_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static orr_status FN(tree)(orr_merge_tree *t, int64_t first, int64_t n, const void *d,
                           const void *e, void *part)
{
    if (n <= ORR_GESVD_LEAF)
        return FN(leaf)(t, first, n, FN(largest)(t->n, d, e), d, e);
    orr_merge m = orr_merge_of(2, first, n);
    orr_status st = FN(tree)(t, first, m.n1, d, e, part);
    if (st == ORR_OK)
        st = FN(tree)(t, first + m.cut, n - m.cut, d, e, part);
    if (st != ORR_OK)
        return st;
    FN(deflate)(t, &m, d, e);
    FN(arrange)(t, &m, 0, n);
    st = FN(secular)(t, &m, 0, n, part);
    if (st != ORR_OK)
        return st;
    st = FN(weigh_and_sort)(t, &m, part, 1);
    if (st == ORR_OK)
        st = FN(coefficients)(t, &m, 0, n);
    for (int side = 0; side < 2 && st == ORR_OK; side++)
        st = FN(product)(t, &m, side, 0, n);
    return st;
}

static void FN(order)(orr_merge_tree *t, double scale, const void *d, const void *e, void *s_)
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
