/* Bodies of the merges of heev_merge that are apart, for one real type: what a device does. See
 * heev_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static orr_status FN(orr_heev_arrange_apart_cpu)(orr_stream stream, const orr_heev_merge *m,
                                                 int half, const orr_merge_columns *have,
                                                 const void *told, const int32_t *index, void *q2)
{
    const int64_t rows = half ? m->n - m->n1 : m->n1;
    const struct FN(arrangement) a = {.n = m->n,
                                      .rows = rows,
                                      .first = half ? m->n1 : 0,
                                      .columns = rows,
                                      .entries = rows,
                                      .from = half ? m->upper : 0,
                                      .kept = m->both + (half ? m->lower : m->upper),
                                      .k = m->k,
                                      .have = have,
                                      .own = -1,
                                      .told = told,
                                      .index = index,
                                      .x2 = q2};
    (void)stream;
    FN(arrange_half)(&a);
    return ORR_OK;
}

static orr_status FN(orr_heev_secular_apart_cpu)(orr_stream stream, const orr_heev_merge *m,
                                                 int64_t first, int64_t count, const void *told,
                                                 void *q, int64_t ldq, void *part_, void *root)
{
    const T *pole = (const T *)told + ORR_MERGE_POLES * m->n,
            *z = (const T *)told + ORR_MERGE_ZK * m->n;
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
                                                 void *q_, int64_t ldq, void *work, void *ends)
{
    const int64_t n = m->n, n1 = m->n1, n2 = n - n1, k = m->k, last = FN(last)(m, first, count);
    const int64_t upper = m->upper + m->both, lower = m->both + m->lower;
    const T *above = q2[0], *below = q2[1];
    T *q = q_, *s = work;
    (void)stream;
    for (int64_t j = 0; j < last - first; j++)
        FN(column)(0, k, weight, index + ORR_MERGE_AT * n, q + j * ldq, s + j * k);
    if (last > first) {
        FN(half_of_columns)(n1, last - first, upper, above, n1, s, k, q, ldq);
        FN(half_of_columns)(n2, last - first, lower, below, n2, s + m->upper, k, q + n1, ldq);
    }
    for (int64_t j = first > k ? first : k; j < first + count; j++) {
        T *to = q + (j - first) * ldq;
        memcpy(to, above + (upper + j - k) * n1, (size_t)n1 * sizeof *q);
        memcpy(to + n1, below + (lower + j - k) * n2, (size_t)n2 * sizeof *q);
    }
    if (ends)
        FN(ends)(n, count, q, ldq, ends);
    return ORR_OK;
}
