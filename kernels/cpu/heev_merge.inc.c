/* Bodies of heev_merge for one real type; see heev_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the off-diagonal entry behind row i is of T of norm 1; none is behind the last row. */
static T FN(beside)(const orr_merge_tree *t, int64_t i, T norm, const T *e)
{
    return i >= 0 && i < t->n - 1 ? e[i] / norm : 0;
}

static T FN(norm)(const orr_merge_tree *t, const T *d, const T *e)
{
    const T top = FN(largest)(t->n, d, e);
    return top > 0 ? top : 1;
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

/* Its columns are zero above and below: merges rely on it. */
static orr_status FN(leaf)(orr_merge_tree *t, int64_t first, int64_t n, const void *d_,
                           const void *e_, void *part)
{
    const T *d = d_, *e = e_, norm = FN(norm)(t, d, e);
    const int32_t n_ = (int32_t)n, ld = (int32_t)t->ld, liwork = 3 + 5 * n_;
    const int64_t lwork = 1 + 4 * n + n * n;
    const int32_t lwork_ = (int32_t)lwork;
    int32_t info = 0;
    (void)part;
    T *q = FN(block)(t, 0, first), *values = (T *)t->value + first;
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
            memset((T *)t->x[0] + (first + i) * t->n, 0, (size_t)t->n * sizeof *q);
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

/* If values i and j of neighbours are equal to within the tolerance: 1, and entry i of z is zero. */
static int FN(rotate)(orr_merge_tree *t, const orr_merge *m, int64_t i, int64_t j, T tolerance)
{
    const int32_t n = (int32_t)m->n, one = 1;
    T *q = FN(block)(t, 0, m->first), *d = (T *)t->value + m->first, *z = (T *)t->z + m->first;
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
        FN(tell_rotation)(t, m, i, j, c, s);
    else
        LAPACK(rot_)(&n, q + i * t->ld, &one, q + j * t->ld, &one, &c, &s);
    const T di = d[i] * (c * c) + d[j] * (s * s);
    d[j] = d[i] * (s * s) + d[j] * (c * c);
    d[i] = di;
    return 1;
}

/* The values that are kept ascending, from the front, the others descending, from the back. */
static void FN(choose)(orr_merge_tree *t, orr_merge *m, T tolerance)
{
    const int64_t n = m->n;
    T *d = (T *)t->value + m->first, *z = (T *)t->z + m->first;
    T *pole = (T *)t->pole + m->first, *zk = (T *)t->zk + m->first;
    const int32_t *column = t->column + m->first;
    int32_t *chosen = t->chosen + m->first, *type = t->type + m->first;
    int64_t k = 0, end = n, before = -1;
    for (int64_t j = 0; j <= n; j++) {
        const int64_t i = j < n ? column[j] : -1;
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
            pole[k] = d[before];
            zk[k] = z[before];
            chosen[k++] = (int32_t)before;
        }
        before = i;
    }
    m->k = k;
}

/* Columns by what they have entries in. */
static void FN(group)(orr_merge_tree *t, orr_merge *m)
{
    const int64_t n = m->n;
    int64_t count[TYPES] = {0}, next[TYPES] = {0};
    T *d = (T *)t->value + m->first, *z = (T *)t->z + m->first;
    int32_t *from = t->from + m->first, *row = t->row + m->first;
    const int32_t *chosen = t->chosen + m->first, *type = t->type + m->first;
    for (int64_t j = 0; j < n; j++)
        count[type[j]]++;
    for (int i = 1; i < TYPES; i++)
        next[i] = next[i - 1] + count[i - 1];
    for (int64_t j = 0; j < n; j++) {
        const int64_t to = next[type[chosen[j]]]++;
        row[to] = (int32_t)j;
        from[to] = chosen[j];
        z[to] = d[chosen[j]];
    }
    memcpy(d + m->k, z + m->k, (size_t)(n - m->k) * sizeof *d);
    m->upper = count[UPPER];
    m->both = count[BOTH];
}

static void FN(deflate)(orr_merge_tree *t, orr_merge *m, const void *d_, const void *e_)
{
    const int64_t n = m->n, n1 = m->n1;
    const T norm = FN(norm)(t, d_, e_), half = 1 / SQRT((T)2);
    const T rho = FN(beside)(t, m->first + n1 - 1, norm, e_);
    const T *ends = (const T *)t->ends + 2 * m->first, *d = (const T *)t->value + m->first;
    T *z = (T *)t->z + m->first, largest = 0, of_z = 0;
    int32_t *type = t->type + m->first;
    FN(sort_halves)(t, m);
    if (m->apart)
        FN(tell_none)(t, m);
    for (int64_t i = 0; i < n; i++) { /* the last row of Q1, the first of Q2 */
        const T x = m->apart ? ends[2 * i + (i < n1)]
                             : FN(block)(t, 0, m->first)[i * t->ld + n1 - (i < n1)];
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
        memcpy(t->chosen + m->first, t->column + m->first, (size_t)n * sizeof *t->chosen);
        m->k = 0;
    } else {
        FN(choose)(t, m, tolerance);
    }
    FN(group)(t, m);
    if (m->apart)
        FN(tell)(t, m);
}

/* ---- Columns --------------------------------------------------------------------------------- */

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

static orr_status FN(secular)(orr_merge_tree *t, const orr_merge *m, int64_t first, int64_t count,
                              void *part)
{
    const T *pole = (const T *)t->pole + m->first, *zk = (const T *)t->zk + m->first;
    T *value = (T *)t->value + m->first, *q = FN(block)(t, 0, m->first);
    FN(ones)(m->k, part);
    FN(put_back)(t, m, first, count);
    for (int64_t j = first; j < FN(last)(m, first, count); j++)
        if (!FN(root)(m->k, j, pole, zk, (T)m->rho, q + j * t->ld, value + j, part))
            return ORR_NOCONV;
    return ORR_OK;
}

static orr_status FN(coefficients)(orr_merge_tree *t, const orr_merge *m, int64_t first,
                                   int64_t count)
{
    const int64_t k = m->k, last = FN(last)(m, first, count);
    const int32_t *row = t->row + m->first;
    if (last <= first)
        return ORR_OK;
    T *s = malloc((size_t)k * sizeof *s);
    if (!s)
        return ORR_E_NOMEM;
    for (int64_t j = first; j < last; j++) {
        T *delta = FN(block)(t, 0, m->first) + j * t->ld;
        if (k > 2)
            FN(column)(k, (const T *)t->weight + m->first, NULL, row, delta, s);
        for (int64_t i = 0; i < k && k <= 2; i++) /* `secular` has made the column */
            s[i] = delta[row[i]];
        if (k <= 2)
            FN(make_unit)(k, s);
        memcpy(delta, s, (size_t)k * sizeof *s);
    }
    free(s);
    return ORR_OK;
}

static void FN(order)(orr_merge_tree *t, double scale, const void *d, const void *e, void *w_)
{
    const T norm = FN(norm)(t, d, e), *value = t->value;
    T *w = w_;
    for (int64_t i = 0; i < t->n; i++)
        w[i] = value[t->order[i] - 1] * norm * (T)(1 / scale) + (T)0; /* no -0 */
}
