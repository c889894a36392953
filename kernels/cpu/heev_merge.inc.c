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

static void FN(orr_heev_deflate_cpu)(orr_heev_merge *m)
{
    const int32_t n_ = (int32_t)m->n, n1_ = (int32_t)m->n1;
    const T *q = m->q;
    T *z = m->z, rho = (T)m->rho;
    int32_t *index = m->order + m->n, info;
    for (int64_t i = 0; i < m->n; i++) {
        z[i] = q[i * m->n + m->n1 - (i < m->n1)]; /* the last row of Q1, the first of Q2 */
        m->order[i] = (int32_t)(i < m->n1 ? i : i - m->n1) + 1;
    }
    LAPACK(laed2_)(&m->k, &n_, &n1_, m->d, m->q, &n_, m->order, &rho, z, m->poles, m->zk, m->q2,
                   index, index + m->n, index + 2 * m->n, index + 3 * m->n, &info);
    m->rho = rho;
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

/* Column j of S, its rows as laed2 arranged the vectors. */
static void FN(column)(const orr_heev_merge *m, int64_t j, T *s)
{
    const T *delta = (const T *)m->q + j * m->n, *weight = m->weight;
    const int32_t *at = m->order + 2 * m->n;
    double sum = 0;
    for (int64_t i = 0; i < m->k; i++) {
        const int64_t row = at[i] - 1;
        s[i] = m->k > 2 ? weight[row] / delta[row] : delta[row]; /* laed4 has made those */
        sum += (double)s[i] * s[i];
    }
    for (int64_t i = 0; i < m->k; i++)
        s[i] /= (T)sqrt(sum);
}

static orr_status FN(orr_heev_columns_cpu)(orr_heev_merge *m, int64_t first, int64_t count)
{
    const int32_t *type = m->order + 4 * m->n; /* columns in one half, both, the other */
    const int64_t k = m->k, columns = FN(last)(m, first, count) - first;
    const int64_t upper = type[0] + type[1], lower = type[1] + type[2];
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
    FN(half_of_columns)(n - n1, columns, lower, q2 + n1 * upper, n - n1, s + type[0], k, q + n1, n);
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
