/* Bodies of heev_merge for one real type; see heev_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* The block of these rows and columns. */
static T *FN(block)(const orr_heev_tree *t, int64_t first)
{
    return (T *)t->q + first * (t->ld + 1);
}

/* What the off-diagonal entry behind row i is of T of norm 1; none is behind the last row. */
static T FN(beside)(const orr_heev_tree *t, int64_t i, T norm, const T *e)
{
    return i >= 0 && i < t->n - 1 ? e[i] / norm : 0;
}

static T FN(norm)(const orr_heev_tree *t, const T *d, const T *e)
{
    const T top = FN(largest)(t->n, d, e);
    return top > 0 ? top : 1;
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

/* Its columns are zero above and below: merges rely on it. */
static orr_status FN(orr_heev_leaf_cpu)(orr_heev_tree *t, int64_t first, int64_t n, const void *d_,
                                        const void *e_)
{
    const T *d = d_, *e = e_, norm = FN(norm)(t, d, e);
    const int32_t n_ = (int32_t)n, ld = (int32_t)t->ld, liwork = 3 + 5 * n_;
    const int64_t lwork = 1 + 4 * n + n * n;
    const int32_t lwork_ = (int32_t)lwork;
    int32_t info = 0;
    T *q = FN(block)(t, first), *values = (T *)t->d + first;
    T *work = malloc((size_t)(lwork + n) * sizeof *work);
    int32_t *iwork = malloc((size_t)liwork * sizeof *iwork);
    if (!work || !iwork) {
        free(work);
        free(iwork);
        return ORR_E_NOMEM;
    }
    T *off = work + lwork;
    for (int64_t i = 0; i < n; i++) {
        values[i] = d[first + i] / norm;
        off[i] = i + 1 < n ? e[first + i] / norm : 0;
        t->order[first + i] = (int32_t)i + 1;
        if (t->ld == t->n)
            memset((T *)t->q + (first + i) * t->n, 0, (size_t)t->n * sizeof *q);
    }
    values[0] -= RABS(FN(beside)(t, first - 1, norm, e));
    values[n - 1] -= RABS(FN(beside)(t, first + n - 1, norm, e));
    LAPACK(stedc_)("I", &n_, values, off, q, &ld, work, &lwork_, iwork, &liwork, &info);
    free(work);
    free(iwork);
    return info == 0 ? ORR_OK : ORR_NOCONV;
}

/* ---- Deflation, as in laed2, which counts the entries of q2 in 32 bits ------------------------- */

static T FN(length)(T x, T y)
{
    const T large = RABS(x) > RABS(y) ? RABS(x) : RABS(y),
            small = RABS(x) > RABS(y) ? RABS(y) : RABS(x);
    return small == 0 ? large : large * SQRT(1 + (small / large) * (small / large));
}

/* Which columns have the values of both halves in ascending order. */
static void FN(sort_halves)(orr_heev_tree *t, const orr_heev_merge *m, int32_t *at)
{
    const int32_t n1 = (int32_t)m->n1, n2 = (int32_t)(m->n - m->n1), up = 1;
    const T *d = (const T *)t->d + m->first;
    const int32_t *order = t->order + m->first;
    T *value = (T *)t->poles + m->first;
    int32_t *index = t->chosen + m->first, *sorted = t->sorted + m->first;
    for (int32_t i = 0; i < n1 + n2; i++) {
        at[i] = i < n1 ? order[i] - 1 : order[i] - 1 + n1;
        value[i] = d[at[i]];
    }
    LAPACK(lamrg_)(&n1, &n2, value, &up, &up, index);
    for (int32_t i = 0; i < n1 + n2; i++)
        sorted[i] = at[index[i] - 1];
}

/* If values i and j of neighbours are equal to within the tolerance: 1, and entry i of z is zero. */
static int FN(rotate)(orr_heev_tree *t, const orr_heev_merge *m, int64_t i, int64_t j, T tolerance)
{
    const int32_t n = (int32_t)m->n, one = 1;
    T *q = FN(block)(t, m->first), *d = (T *)t->d + m->first, *z = (T *)t->z + m->first;
    int32_t *type = t->type + m->first;
    const T tau = FN(length)(z[j], z[i]), c = z[j] / tau, s = -z[i] / tau;
    if (!(RABS((d[j] - d[i]) * c * s) <= tolerance))
        return 0;
    z[j] = tau;
    z[i] = 0;
    if (type[j] != type[i])
        type[j] = BOTH;
    type[i] = GONE;
    if (m->apart)
        FN(tell_rotation)(n, i, j, c, s, (T *)t->told + orr_heev_told(m),
                          t->index + orr_heev_index(m));
    else
        LAPACK(rot_)(&n, q + i * t->ld, &one, q + j * t->ld, &one, &c, &s);
    const T di = d[i] * (c * c) + d[j] * (s * s);
    d[j] = d[i] * (s * s) + d[j] * (c * c);
    d[i] = di;
    return 1;
}

/* The values that are kept ascending, from the front, the others descending, from the back. */
static void FN(choose)(orr_heev_tree *t, orr_heev_merge *m, T tolerance)
{
    const int64_t n = m->n;
    T *d = (T *)t->d + m->first, *z = (T *)t->z + m->first;
    T *poles = (T *)t->poles + m->first, *zk = (T *)t->zk + m->first;
    const int32_t *sorted = t->sorted + m->first;
    int32_t *chosen = t->chosen + m->first, *type = t->type + m->first;
    int64_t k = 0, end = n, before = -1;
    for (int64_t j = 0; j <= n; j++) {
        const int64_t i = j < n ? sorted[j] : -1;
        if (i >= 0 && (T)m->rho * RABS(z[i]) <= tolerance) {
            type[i] = GONE;
            chosen[--end] = (int32_t)i;
            continue;
        }
        if (before >= 0 && i >= 0 && FN(rotate)(t, m, before, i, tolerance)) {
            int64_t at = --end;
            for (; at + 1 < n && d[before] < d[chosen[at + 1]]; at++)
                chosen[at] = chosen[at + 1];
            chosen[at] = (int32_t)before;
        } else if (before >= 0) {
            poles[k] = d[before];
            zk[k] = z[before];
            chosen[k++] = (int32_t)before;
        }
        before = i;
    }
    m->k = (int32_t)k;
}

/* Columns by what they have entries in. chosen: the column of the halves that an arranged one is; at:
 * which of the values it is. */
static void FN(group)(orr_heev_tree *t, orr_heev_merge *m)
{
    const int64_t n = m->n;
    int64_t count[TYPES] = {0}, next[TYPES] = {0};
    T *d = (T *)t->d + m->first, *z = (T *)t->z + m->first;
    int32_t *at = t->at + m->first, *chosen = t->chosen + m->first;
    int32_t *from = t->sorted + m->first; /* nobody needs it any more */
    const int32_t *type = t->type + m->first;
    for (int64_t j = 0; j < n; j++)
        count[type[j]]++;
    for (int i = 1; i < TYPES; i++)
        next[i] = next[i - 1] + count[i - 1];
    for (int64_t j = 0; j < n; j++) {
        const int64_t to = next[type[chosen[j]]]++;
        at[to] = (int32_t)j;
        from[to] = chosen[j];
        z[to] = d[chosen[j]];
    }
    memcpy(chosen, from, (size_t)n * sizeof *chosen);
    memcpy(d + m->k, z + m->k, (size_t)(n - m->k) * sizeof *d);
    m->upper = count[UPPER];
    m->both = count[BOTH];
    m->lower = count[LOWER];
}

static void FN(tell)(orr_heev_tree *t, const orr_heev_merge *m)
{
    const size_t kept = (size_t)m->k * sizeof(T);
    T *told = (T *)t->told + orr_heev_told(m);
    int32_t *index = t->index + orr_heev_index(m);
    memcpy(told + ORR_MERGE_POLES * m->n, (const T *)t->poles + m->first, kept);
    memcpy(told + ORR_MERGE_ZK * m->n, (const T *)t->zk + m->first, kept);
    for (int64_t to = 0; to < m->n; to++) {
        index[ORR_MERGE_AT * m->n + to] = t->at[m->first + to];
        index[ORR_MERGE_TO * m->n + t->chosen[m->first + to]] = (int32_t)to;
    }
}

static void FN(orr_heev_ends_cpu)(orr_heev_tree *t, int64_t first, int64_t n)
{
    FN(ends)(n, n, FN(block)(t, first), t->ld, (T *)t->ends + 2 * first);
}

static void FN(orr_heev_deflate_cpu)(orr_heev_tree *t, orr_heev_merge *m, const void *d_,
                                     const void *e_)
{
    const int64_t n = m->n, n1 = m->n1;
    const T norm = FN(norm)(t, d_, e_), half = 1 / SQRT((T)2);
    const T rho = FN(beside)(t, m->first + n1 - 1, norm, e_);
    const T *ends = (const T *)t->ends + 2 * m->first, *d = (const T *)t->d + m->first;
    T *z = (T *)t->z + m->first, largest = 0, of_z = 0;
    int32_t *type = t->type + m->first;
    FN(sort_halves)(t, m, t->at + m->first);
    if (m->apart)
        FN(tell_none)(n, t->index + orr_heev_index(m));
    for (int64_t i = 0; i < n; i++) { /* the last row of Q1, the first of Q2 */
        const T x =
            m->apart ? ends[2 * i + (i < n1)] : FN(block)(t, m->first)[i * t->ld + n1 - (i < n1)];
        z[i] = (i >= n1 && rho < 0 ? -x : x) * half;
        of_z = RABS(z[i]) > of_z ? RABS(z[i]) : of_z;
        largest = RABS(d[i]) > largest ? RABS(d[i]) : largest;
        type[i] = i < n1 ? UPPER : LOWER;
    }
    m->rho = RABS(2 * rho);
    const T tolerance = 4 * EPS * (largest > of_z ? largest : of_z);
    if ((T)m->rho * of_z <= tolerance) { /* nothing couples the halves: all in ascending order */
        for (int64_t i = 0; i < n; i++)
            type[i] = GONE;
        memcpy(t->chosen + m->first, t->sorted + m->first, (size_t)n * sizeof *t->chosen);
        m->k = 0;
    } else {
        FN(choose)(t, m, tolerance);
    }
    FN(group)(t, m);
    if (m->apart)
        FN(tell)(t, m);
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* Where the vectors that are deflated are. */
static T *FN(gone)(const orr_heev_tree *t, const orr_heev_merge *m)
{
    return (T *)t->q2 + orr_heev_arranged(t, m) + (m->upper + m->both) * m->n1 +
           (m->both + m->lower) * (m->n - m->n1);
}

static void FN(orr_heev_arrange_cpu)(orr_heev_tree *t, const orr_heev_merge *m, int64_t first,
                                     int64_t count)
{
    const int64_t n = m->n, n1 = m->n1, n2 = n - n1, upper = m->upper + m->both, k = m->k;
    const int32_t *chosen = t->chosen + m->first;
    const T *q = FN(block)(t, m->first);
    T *above = (T *)t->q2 + orr_heev_arranged(t, m), *below = above + upper * n1;
    T *gone = FN(gone)(t, m);
    for (int64_t to = first; to < first + count && to < n; to++) {
        const T *from = q + chosen[to] * t->ld;
        if (to < upper)
            memcpy(above + to * n1, from, (size_t)n1 * sizeof *q);
        if (to >= m->upper && to < k)
            memcpy(below + (to - m->upper) * n2, from + n1, (size_t)n2 * sizeof *q);
        if (to >= k)
            memcpy(gone + (to - k) * n, from, (size_t)n * sizeof *q);
    }
}

static int64_t FN(last)(const orr_heev_merge *m, int64_t first, int64_t count)
{
    return first + count < m->k ? first + count : m->k;
}

/* Root j, its distances to the poles, and its factors of the weights; where k <= 2 column j of S in the
 * place of distances. Returns 0 if it did not converge. */
static int FN(root)(int64_t k, int64_t j, const T *pole, const T *z, T rho, T *delta, T *value,
                    T *part)
{
    const int32_t k_ = (int32_t)k, j_ = (int32_t)j + 1;
    int32_t info;
    if (k > 2 && j + 1 < k && FN(orr_secular)(k, j, pole, z, rho, delta, value, part))
        return 1;
    LAPACK(laed4_)(&k_, &j_, pole, z, delta, &rho, value, &info);
    if (info != 0)
        return 0;
    const T pj = pole[j];
    for (int64_t i = 0; i < j; i++)
        part[i] *= delta[i] / (pole[i] - pj);
    part[j] *= delta[j];
    for (int64_t i = j + 1; i < k; i++)
        part[i] *= delta[i] / (pole[i] - pj);
    return 1;
}

static orr_status FN(orr_heev_secular_cpu)(orr_heev_tree *t, const orr_heev_merge *m, int64_t first,
                                           int64_t count, void *part_)
{
    const T *pole = (const T *)t->poles + m->first, *zk = (const T *)t->zk + m->first;
    const T rho = (T)m->rho, *gone = FN(gone)(t, m);
    const int64_t k = m->k, n = m->n;
    T *part = part_, *d = (T *)t->d + m->first, *q = FN(block)(t, m->first);
    for (int64_t i = 0; i < k; i++)
        part[i] = 1;
    for (int64_t j = first > k ? first : k; j < first + count && j < n; j++)
        memcpy(q + j * t->ld, gone + (j - k) * n, (size_t)n * sizeof *q);
    for (int64_t j = first; j < FN(last)(m, first, count); j++)
        if (!FN(root)(k, j, pole, zk, rho, q + j * t->ld, d + j, part))
            return ORR_NOCONV;
    return ORR_OK;
}

static orr_status FN(orr_heev_weigh_cpu)(orr_heev_tree *t, const orr_heev_merge *m,
                                         const void *part, int64_t parts)
{
    const int32_t up = 1, down = -1, rest = (int32_t)m->n - m->k;
    const T *root = (const T *)part + parts * m->n;
    T *d = (T *)t->d + m->first;
    int32_t *order = t->order + m->first;
    for (int64_t j = 0; j < m->k && m->apart; j++) {
        if (!isfinite(root[j]))
            return ORR_NOCONV;
        d[j] = root[j];
    }
    FN(weigh)(m->k, m->n, part, parts, (const T *)t->zk + m->first, (T *)t->weight + m->first);
    for (int64_t i = 0; i < m->n; i++)
        order[i] = (int32_t)i + 1;
    if (m->k > 0)
        LAPACK(lamrg_)(&m->k, &rest, d, &up, &down, order);
    return ORR_OK;
}

/* A column of S, its rows as the vectors are arranged; made: `secular` has made it. */
static void FN(column)(int made, int64_t k, const T *weight, const int32_t *at, const T *delta,
                       T *s)
{
    double sum = 0;
    for (int64_t i = 0; i < k; i++) {
        const int64_t row = at[i];
        s[i] = made ? delta[row] : weight[row] / delta[row];
        sum += (double)s[i] * s[i];
    }
    const T scale = (T)(1 / sqrt(sum));
    for (int64_t i = 0; i < k; i++)
        s[i] *= scale;
}

static orr_status FN(orr_heev_coefficients_cpu)(orr_heev_tree *t, const orr_heev_merge *m,
                                                int64_t first, int64_t count)
{
    const int64_t last = FN(last)(m, first, count);
    if (last <= first)
        return ORR_OK;
    T *s = malloc((size_t)m->k * sizeof *s);
    if (!s)
        return ORR_E_NOMEM;
    for (int64_t j = first; j < last; j++) {
        T *delta = FN(block)(t, m->first) + j * t->ld;
        FN(column)(m->k <= 2, m->k, (const T *)t->weight + m->first, t->at + m->first, delta, s);
        memcpy(delta, s, (size_t)m->k * sizeof *s);
    }
    free(s);
    return ORR_OK;
}

static orr_status FN(orr_heev_product_cpu)(orr_heev_tree *t, const orr_heev_merge *m, int64_t first,
                                           int64_t count)
{
    const int64_t n = m->n, n1 = m->n1, k = m->k, columns = FN(last)(m, first, count) - first;
    const int64_t upper = m->upper + m->both, lower = m->both + m->lower;
    const T *q2 = (const T *)t->q2 + orr_heev_arranged(t, m);
    T *q = FN(block)(t, m->first) + first * t->ld;
    if (columns <= 0)
        return ORR_OK;
    T *s = malloc((size_t)(k * columns) * sizeof *s);
    if (!s)
        return ORR_E_NOMEM;
    for (int64_t j = 0; j < columns; j++)
        memcpy(s + j * k, q + j * t->ld, (size_t)k * sizeof *q);
    FN(half_of_columns)(n1, columns, upper, q2, n1, s, k, q, t->ld);
    FN(half_of_columns)(n - n1, columns, lower, q2 + n1 * upper, n - n1, s + m->upper, k, q + n1,
                        t->ld);
    free(s);
    return ORR_OK;
}

static void FN(orr_heev_order_cpu)(const orr_heev_tree *t, double scale, const void *d,
                                   const void *e, void *w_)
{
    const T norm = FN(norm)(t, d, e), *value = t->d;
    T *w = w_;
    for (int64_t i = 0; i < t->n; i++)
        w[i] = value[t->order[i] - 1] * norm * (T)(1 / scale) + (T)0; /* no -0 */
}
