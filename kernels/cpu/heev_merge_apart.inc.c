/* Bodies of the merges of heev_merge that are apart, for one real type: what a device does. See
 * heev_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static orr_status FN(arrange_apart)(orr_stream stream, const orr_merge *m, int half,
                                    const orr_merge_columns *have, const void *told,
                                    const int32_t *index, void *x2)
{
    const int64_t rows = half ? m->n - m->cut : m->cut;
    const struct FN(arrangement) a = {.n = m->n,
                                      .rows = rows,
                                      .first = half ? m->cut : 0,
                                      .columns = rows,
                                      .entries = rows,
                                      .from = half ? m->upper : 0,
                                      .kept = half ? m->k - m->upper : m->upper + m->both,
                                      .k = m->k,
                                      .have = have,
                                      .own = -1,
                                      .told = told,
                                      .index = index,
                                      .x2 = x2};
    (void)stream;
    FN(arrange_half)(&a);
    return ORR_OK;
}

static orr_status FN(secular_apart)(orr_stream stream, const orr_merge *m, int64_t first,
                                    int64_t count, const void *told, void *const x[2],
                                    const int64_t ldx[2], void *part_, void *root)
{
    const T *pole = (const T *)told + ORR_MERGE_POLES * m->n;
    const T *z = (const T *)told + ORR_MERGE_ZK * m->n;
    const int64_t k = m->k, last = FN(last)(m, first, count);
    T *part = part_;
    (void)stream;
    FN(ones)(k, part);
    for (int64_t j = first; j < last; j++) {
        T *delta = (T *)x[0] + (j - first) * ldx[0];
        if (!FN(root)(k, j, pole, z, (T)m->rho, delta, (T *)root + j - first, part))
            return ORR_NOCONV;
        for (int64_t i = 0; i < k && k <= 2; i++) { /* z are the weights, delta the column */
            delta[i] = z[i] / delta[i];
            part[i] = j == 0 ? z[i] * z[i] : part[i];
        }
    }
    return ORR_OK;
}
