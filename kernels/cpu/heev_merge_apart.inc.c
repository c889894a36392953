/* Bodies of the merges of heev_merge that are apart, for one real type: what a device does. See
 * heev_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* A row of a half's columns; those of the other half are zero there. */
static T FN(entry)(const orr_heev_columns *have, int64_t columns, int64_t column, int64_t row)
{
    if (column < 0 || column >= columns)
        return 0;
    const int64_t part = column / have->width;
    return ((const T *)have->part[part])[column % have->width * have->ld[part] + row];
}

/* Arranged columns with entries in a half: from .. from+kept-1. */
struct FN(place) {
    int64_t rows, from, kept, k;
};

static void FN(put)(const struct FN(place) *p, int64_t to, int64_t row, T x, T *q2)
{
    if (to >= p->k)
        q2[(p->kept + to - p->k) * p->rows + row] = x;
    else if (to >= p->from && to < p->from + p->kept)
        q2[(to - p->from) * p->rows + row] = x;
}

static orr_status FN(orr_heev_arrange_apart_cpu)(orr_stream stream, const orr_heev_merge *m,
                                                 int half, const orr_heev_columns *have,
                                                 const void *told_, const int32_t *index, void *q2)
{
    const T *told = told_, *cosine = told + ORR_HEEV_COS * m->n, *sine = told + ORR_HEEV_SIN * m->n;
    const int32_t *to = index + ORR_HEEV_TO * m->n, *next = index + ORR_HEEV_NEXT * m->n;
    const int64_t first = half ? m->n1 : 0, rows = half ? m->n - m->n1 : m->n1;
    const struct FN(place) p = {rows, half ? m->upper : 0, m->both + (half ? m->lower : m->upper),
                                m->k};
    (void)stream;
    for (int64_t lead = 0; lead < m->n; lead++)
        for (int64_t row = 0; row < rows && !index[ORR_HEEV_LED * m->n + lead]; row++) {
            int64_t i = lead;
            T x = FN(entry)(have, rows, i - first, row);
            for (int64_t j = next[i]; j >= 0; i = j, j = next[i]) {
                const T y = FN(entry)(have, rows, j - first, row), c = cosine[i], s = sine[i];
                FN(put)(&p, to[i], row, c * x + s * y, q2);
                x = c * y - s * x;
            }
            FN(put)(&p, to[i], row, x, q2);
        }
    return ORR_OK;
}

static orr_status FN(orr_heev_secular_apart_cpu)(orr_stream stream, const orr_heev_merge *m,
                                                 int64_t first, int64_t count, const void *told,
                                                 void *q, int64_t ldq, void *part_, void *root)
{
    const T *pole = (const T *)told + ORR_HEEV_POLES * m->n,
            *z = (const T *)told + ORR_HEEV_ZK * m->n;
    const int64_t k = m->k, last = FN(last)(m, first, count);
    T *part = part_;
    (void)stream;
    for (int64_t i = 0; i < k; i++)
        part[i] = 1;
    for (int64_t j = first; j < last; j++) {
        T *delta = (T *)q + (j - first) * ldq;
        if (!FN(root)(k, j, pole, z, (T)m->rho, delta, (T *)root + j - first, part))
            return ORR_NOCONV;
        for (int64_t i = 0; i < k && k <= 2; i++) { /* z are the weights, delta the column */
            delta[i] = z[i] / delta[i];
            part[i] = j == 0 ? z[i] * z[i] : part[i];
        }
    }
    return ORR_OK;
}

static orr_status FN(orr_heev_product_apart_cpu)(orr_stream stream, const orr_heev_merge *m,
                                                 int64_t first, int64_t count, const int32_t *index,
                                                 const void *weight, const void *const q2[2],
                                                 void *q_, int64_t ldq, void *work, void *ends_)
{
    const int64_t n = m->n, n1 = m->n1, n2 = n - n1, k = m->k, last = FN(last)(m, first, count);
    const int64_t upper = m->upper + m->both, lower = m->both + m->lower;
    const T *above = q2[0], *below = q2[1];
    T *q = q_, *s = work, *ends = ends_;
    (void)stream;
    for (int64_t j = 0; j < last - first; j++)
        FN(column)(0, k, weight, index + ORR_HEEV_AT * n, q + j * ldq, s + j * k);
    if (last > first) {
        FN(half_of_columns)(n1, last - first, upper, above, n1, s, k, q, ldq);
        FN(half_of_columns)(n2, last - first, lower, below, n2, s + m->upper, k, q + n1, ldq);
    }
    for (int64_t j = first > k ? first : k; j < first + count; j++) {
        T *to = q + (j - first) * ldq;
        memcpy(to, above + (upper + j - k) * n1, (size_t)n1 * sizeof *q);
        memcpy(to + n1, below + (lower + j - k) * n2, (size_t)n2 * sizeof *q);
    }
    for (int64_t j = 0; j < count && ends; j++) {
        ends[2 * j] = q[j * ldq];
        ends[2 * j + 1] = q[j * ldq + n - 1];
    }
    return ORR_OK;
}
