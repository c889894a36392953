/* Bodies of the merges of gesvd_merge that are apart, for one real type: what a device does. See
 * gesvd_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static orr_status FN(arrange_apart)(orr_stream stream, const orr_merge *m, int side, int64_t rows,
                                    const orr_merge_columns have[2], const void *const extra[2],
                                    const void *told, const int32_t *index, void *const x2[2],
                                    void *last_, void *corner)
{
    const int64_t upper = m->cut, n2 = m->n - upper;
    const T c = (T)m->join[0], s = (T)m->join[1];
    T *last = last_;
    (void)stream;
    for (int half = 0; half < 2; half++) {
        const int64_t vectors = half ? n2 : m->n1, those = half ? rows - upper : upper;
        const struct FN(arrangement) a = {.n = m->n,
                                          .rows = those,
                                          .first = half ? upper : 0,
                                          .columns = vectors,
                                          .entries = side == 0 ? vectors : those,
                                          .from = half ? m->upper : 0,
                                          .kept = half ? m->k - m->upper : m->upper + m->both,
                                          .k = m->k,
                                          .have = &have[half],
                                          .own = m->n1,
                                          .unit = side == 0 && half == 0 ? m->n1 : -1,
                                          .vector = extra[half],
                                          .scale = half ? s : c,
                                          .told = told,
                                          .index = index,
                                          .x2 = x2[half]};
        FN(arrange_half)(&a);
    }
    for (int64_t i = 0; i < rows && last; i++)
        last[i] = i < upper ? -s * ((const T *)extra[0])[i] : c * ((const T *)extra[1])[i - upper];
    if (last)
        FN(ends)(rows, 1, last, rows, corner);
    return ORR_OK;
}

static orr_status FN(secular_apart)(orr_stream stream, const orr_merge *m, int64_t first,
                                    int64_t count, const void *told, void *const x[2],
                                    const int64_t ldx[2], void *part_, void *value)
{
    const T *pole = (const T *)told + ORR_MERGE_POLES * m->n;
    const T *z = (const T *)told + ORR_MERGE_ZK * m->n;
    const int64_t k = m->k;
    T *part = part_, *minus = malloc((size_t)(2 * k) * sizeof *minus), *plus = minus + k;
    int found = 1;
    (void)stream;
    if (!minus)
        return ORR_E_NOMEM;
    FN(ones)(k, part);
    for (int64_t j = 0; j < count && first + j < k && found; j++) {
        found = FN(root)(k, first + j, pole, z, (T)m->rho, minus, plus, (T *)value + j, part);
        for (int64_t i = 0; i < k; i++)
            for (int side = 0; side < 2; side++)
                ((T *)x[side])[j * ldx[side] + i] = minus[i] * plus[i];
    }
    free(minus);
    return found ? ORR_OK : ORR_NOCONV;
}
