/* Bodies of heev_merge for one real type; see heev_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static orr_status FN(orr_heev_half_cpu)(orr_heev_merge *m, int which, const void *d_,
                                        const void *e_)
{
    const T *d = d_, *e = e_, top = FN(largest)(m->n, d, e), norm = top > 0 ? top : 1;
    const T rho = e[m->n1 - 1] / norm;
    const int64_t first = which ? m->n1 : 0, count = which ? m->n - m->n1 : m->n1;
    const int32_t n_ = (int32_t)count, ld = (int32_t)m->n, liwork = 3 + 5 * n_;
    const int64_t lwork = 1 + 4 * count + count * count;
    const int32_t lwork_ = (int32_t)lwork;
    int32_t info = 0;
    T *q = (T *)m->q + first * m->n, *values = (T *)m->d + first;
    T *work = malloc((size_t)(lwork + count) * sizeof *work);
    int32_t *iwork = malloc((size_t)liwork * sizeof *iwork);
    if (!work || !iwork) {
        free(work);
        free(iwork);
        return ORR_E_NOMEM;
    }
    T *off = work + lwork;
    for (int64_t i = 0; i < count; i++) {
        values[i] = d[first + i] / norm;
        off[i] = i + 1 < count ? e[first + i] / norm : 0;
        memset(q + i * m->n, 0, (size_t)m->n * sizeof *q);
    }
    values[which ? 0 : count - 1] -= RABS(rho);
    LAPACK(stedc_)("I", &n_, values, off, q + first, &ld, work, &lwork_, iwork, &liwork, &info);
    free(work);
    free(iwork);
    if (!which) {
        m->norm = norm;
        m->rho = rho;
    }
    return info == 0 ? ORR_OK : ORR_NOCONV;
}

/* ---- Deflation, as in laed2, which counts the entries of q2 in 32 bits ------------------------- */

/* Nothing couples the halves: their vectors in the order of the values. */
static void FN(interleave)(orr_heev_merge *m, const int32_t *sorted)
{
    const int64_t n = m->n;
    T *q = m->q, *q2 = m->q2, *d = m->d, *value = m->poles;
    for (int64_t j = 0; j < n; j++) {
        memcpy(q2 + j * n, q + (sorted[j] - 1) * n, (size_t)n * sizeof *q);
        value[j] = d[sorted[j] - 1];
    }
    memcpy(q, q2, (size_t)(n * n) * sizeof *q);
    memcpy(d, value, (size_t)n * sizeof *d);
    m->k = 0;
}

static T FN(length)(T x, T y)
{
    const T large = RABS(x) > RABS(y) ? RABS(x) : RABS(y),
            small = RABS(x) > RABS(y) ? RABS(y) : RABS(x);
    return small == 0 ? large : large * SQRT(1 + (small / large) * (small / large));
}

/* If values i and j of neighbours are equal to within the tolerance: 1, and entry i of z is zero. */
static int FN(rotate)(orr_heev_merge *m, int64_t i, int64_t j, T tolerance, int32_t *type)
{
    const int32_t n = (int32_t)m->n, one = 1;
    T *q = m->q, *d = m->d, *z = m->z;
    const T tau = FN(length)(z[j], z[i]), c = z[j] / tau, s = -z[i] / tau;
    if (!(RABS((d[j] - d[i]) * c * s) <= tolerance))
        return 0;
    z[j] = tau;
    z[i] = 0;
    if (type[j] != type[i])
        type[j] = BOTH;
    type[i] = GONE;
    LAPACK(rot_)(&n, q + i * m->n, &one, q + j * m->n, &one, &c, &s);
    const T di = d[i] * (c * c) + d[j] * (s * s);
    d[j] = d[i] * (s * s) + d[j] * (c * c);
    d[i] = di;
    return 1;
}

/* The values that are kept ascending, from the front, the others descending, from the back. */
static void FN(choose)(orr_heev_merge *m, const int32_t *sorted, T tolerance, int32_t *chosen,
                       int32_t *type)
{
    const int64_t n = m->n;
    T *d = m->d, *z = m->z, *poles = m->poles, *zk = m->zk;
    int64_t k = 0, end = n, before = -1;
    for (int64_t j = 0; j <= n; j++) {
        const int64_t i = j < n ? sorted[j] - 1 : -1;
        if (i >= 0 && (T)m->rho * RABS(z[i]) <= tolerance) {
            type[i] = GONE;
            chosen[--end] = (int32_t)i;
            continue;
        }
        if (before >= 0 && i >= 0 && FN(rotate)(m, before, i, tolerance, type)) {
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

/* Columns by what they have entries in, each without its zeros; at: which of the values they are. */
static void FN(arrange)(orr_heev_merge *m, const int32_t *chosen, int32_t *at, int32_t *type)
{
    const int64_t n = m->n, n1 = m->n1, n2 = n - n1, k = m->k;
    int64_t count[TYPES] = {0}, next[TYPES] = {0};
    T *q = m->q, *d = m->d, *z = m->z;
    for (int64_t j = 0; j < n; j++)
        count[type[j]]++;
    for (int t = 1; t < TYPES; t++)
        next[t] = next[t - 1] + count[t - 1];
    const int64_t upper = count[UPPER] + count[BOTH], lower = count[BOTH] + count[LOWER];
    T *q2 = m->q2, *below = q2 + upper * n1, *gone = below + lower * n2;
    for (int64_t j = 0; j < n; j++) {
        const int64_t i = chosen[j], to = next[type[i]]++;
        const T *from = q + i * n;
        at[to] = (int32_t)j;
        z[to] = d[i];
        if (to < upper)
            memcpy(q2 + to * n1, from, (size_t)n1 * sizeof *q);
        if (to >= count[UPPER] && to < k)
            memcpy(below + (to - count[UPPER]) * n2, from + n1, (size_t)n2 * sizeof *q);
        if (to >= k)
            memcpy(gone + (to - k) * n, from, (size_t)n * sizeof *q);
    }
    memcpy(q + k * n, gone, (size_t)((n - k) * n) * sizeof *q);
    memcpy(d + k, z + k, (size_t)(n - k) * sizeof *d);
    for (int t = 0; t < TYPES; t++)
        type[t] = (int32_t)count[t];
}

static void FN(orr_heev_deflate_cpu)(orr_heev_merge *m)
{
    const int64_t n = m->n, n1 = m->n1;
    const int32_t n1_ = (int32_t)n1, n2_ = (int32_t)(n - n1), up = 1;
    const T *q = m->q, *d = m->d, half = 1 / SQRT((T)2);
    T *z = m->z, largest = 0, of_z = 0;
    int32_t *sorted = m->order + n, *at = m->order + 2 * n, *chosen = m->order + 3 * n;
    int32_t *type = m->order + 4 * n;
    for (int64_t i = 0; i < n; i++) { /* the last row of Q1, the first of Q2 */
        const T x = q[i * n + n1 - (i < n1)];
        z[i] = (i >= n1 && m->rho < 0 ? -x : x) * half;
        of_z = RABS(z[i]) > of_z ? RABS(z[i]) : of_z;
        largest = RABS(d[i]) > largest ? RABS(d[i]) : largest;
        type[i] = i < n1 ? UPPER : LOWER;
    }
    m->rho = RABS(2 * (T)m->rho);
    LAPACK(lamrg_)(&n1_, &n2_, d, &up, &up, sorted);
    const T tolerance = 4 * EPS * (largest > of_z ? largest : of_z);
    if ((T)m->rho * of_z <= tolerance) {
        FN(interleave)(m, sorted);
        return;
    }
    FN(choose)(m, sorted, tolerance, chosen, type);
    FN(arrange)(m, chosen, at, type);
}

static int64_t FN(last)(const orr_heev_merge *m, int64_t first, int64_t count)
{
    return first + count < m->k ? first + count : m->k;
}

static orr_status FN(orr_heev_secular_cpu)(orr_heev_merge *m, int64_t first, int64_t count,
                                           void *part_)
{
    const T *pole = m->poles, rho = (T)m->rho;
    const int64_t k = m->k;
    T *part = part_, *d = m->d;
    for (int64_t i = 0; i < k; i++)
        part[i] = 1;
    for (int64_t j = first; j < FN(last)(m, first, count); j++) {
        const int32_t j_ = (int32_t)j + 1;
        int32_t info;
        T *delta = (T *)m->q + j * m->n;
        LAPACK(laed4_)(&m->k, &j_, pole, m->zk, delta, &rho, d + j, &info);
        if (info != 0)
            return ORR_NOCONV;
        const T pj = pole[j];
        for (int64_t i = 0; i < j; i++)
            part[i] *= delta[i] / (pole[i] - pj);
        part[j] *= delta[j];
        for (int64_t i = j + 1; i < k; i++)
            part[i] *= delta[i] / (pole[i] - pj);
    }
    return ORR_OK;
}

static void FN(orr_heev_weigh_cpu)(orr_heev_merge *m, const void *part, int64_t parts)
{
    FN(weigh)(m->k, m->n, part, parts, m->zk, m->weight);
}

/* Column j of S, its rows as the vectors are arranged. */
static void FN(column)(const orr_heev_merge *m, int64_t j, T *s)
{
    const T *delta = (const T *)m->q + j * m->n, *weight = m->weight;
    const int32_t *at = m->order + 2 * m->n;
    double sum = 0;
    for (int64_t i = 0; i < m->k; i++) {
        const int64_t row = at[i];
        s[i] = m->k > 2 ? weight[row] / delta[row] : delta[row]; /* laed4 has made those */
        sum += (double)s[i] * s[i];
    }
    for (int64_t i = 0; i < m->k; i++)
        s[i] /= (T)sqrt(sum);
}

static orr_status FN(orr_heev_columns_cpu)(orr_heev_merge *m, int64_t first, int64_t count)
{
    const int32_t *type = m->order + 4 * m->n; /* how many columns of each */
    const int64_t k = m->k, columns = FN(last)(m, first, count) - first;
    const int64_t upper = type[UPPER] + type[BOTH], lower = type[BOTH] + type[LOWER];
    if (columns <= 0)
        return ORR_OK;
    T *s = malloc((size_t)(k * columns) * sizeof *s), *q = (T *)m->q + first * m->n;
    const T *q2 = m->q2;
    if (!s)
        return ORR_E_NOMEM;
    for (int64_t j = 0; j < columns; j++)
        FN(column)(m, first + j, s + j * k);
    const int64_t n = m->n, n1 = m->n1;
    FN(half_of_columns)(n1, columns, upper, q2, n1, s, k, q, n);
    FN(half_of_columns)(n - n1, columns, lower, q2 + n1 * upper, n - n1, s + type[UPPER], k, q + n1,
                        n);
    free(s);
    return ORR_OK;
}

static void FN(orr_heev_order_cpu)(orr_heev_merge *m, double scale, void *w_)
{
    const int32_t up = 1, down = -1, rest = (int32_t)m->n - m->k;
    const T *d = m->d;
    T *w = w_;
    for (int64_t i = 0; i < m->n; i++)
        m->order[i] = (int32_t)i + 1;
    if (m->k > 0)
        LAPACK(lamrg_)(&m->k, &rest, d, &up, &down, m->order);
    for (int64_t i = 0; i < m->n; i++)
        w[i] = d[m->order[i] - 1] * (T)m->norm * (T)(1 / scale) + (T)0; /* no -0 */
}
