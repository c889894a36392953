/* Bodies of the merges of gesvd_merge that are apart, for one real type: what a device does. See
 * gesvd_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static orr_status FN(orr_gesvd_arrange_apart_cpu)(orr_stream stream, const orr_gesvd_merge *m,
                                                  int side, int64_t rows,
                                                  const orr_merge_columns have[2],
                                                  const void *const extra[2], const void *told,
                                                  const int32_t *index, void *const x2[2],
                                                  void *last_, void *corner)
{
    const int64_t upper = m->n1 + 1, n2 = m->n - upper;
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
                                          .kept = half ? m->k - m->upper : m->upper + 1 + m->both,
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

static orr_status FN(orr_gesvd_secular_apart_cpu)(orr_stream stream, const orr_gesvd_merge *m,
                                                  int64_t first, int64_t count, const void *told,
                                                  void *const x[2], const int64_t ldx[2],
                                                  void *part_, void *value)
{
    const T *pole = (const T *)told + ORR_MERGE_POLES * m->n;
    const T *z = (const T *)told + ORR_MERGE_ZK * m->n;
    const int64_t k = m->k;
    T *part = part_, *minus = malloc((size_t)(2 * k) * sizeof *minus), *plus = minus + k;
    int found = 1;
    (void)stream;
    if (!minus)
        return ORR_E_NOMEM;
    for (int64_t i = 0; i < k; i++)
        part[i] = 1;
    for (int64_t j = 0; j < count && first + j < k && found; j++) {
        found = FN(root)(k, first + j, pole, z, (T)m->rho, minus, plus, (T *)value + j, part);
        for (int64_t i = 0; i < k; i++)
            for (int side = 0; side < 2; side++)
                ((T *)x[side])[j * ldx[side] + i] = minus[i] * plus[i];
    }
    free(minus);
    return found ? ORR_OK : ORR_NOCONV;
}

/* A column of X or of Y, its rows as the vectors are arranged; delta: of the squares. */
static void FN(column_of_side)(int side, int64_t k, const T *pole, const T *weight,
                               const int32_t *at, const T *delta, T *s)
{
    double sum = 0;
    for (int64_t i = 0; i < k; i++) {
        const int64_t row = at[i];
        const T y = weight[row] / delta[row];
        s[i] = side == 1 ? y : row > 0 ? pole[row] * y : -1;
        sum += (double)s[i] * s[i];
    }
    const T scale = (T)(1 / sqrt(sum));
    for (int64_t i = 0; i < k; i++)
        s[i] *= scale;
}

static orr_status FN(orr_gesvd_product_apart_cpu)(orr_stream stream, const orr_gesvd_merge *m,
                                                  int side, int64_t rows, int64_t first,
                                                  int64_t count, const void *told,
                                                  const int32_t *index, const void *weight,
                                                  const void *const x2[2], void *x_, int64_t ldx,
                                                  void *work, void *ends)
{
    const int64_t k = m->k, upper = m->n1 + 1, below = rows - upper;
    const int64_t kept = m->upper + 1 + m->both, last = first + count < k ? first + count : k;
    const T *pole = (const T *)told + ORR_MERGE_POLES * m->n, *above = x2[0], *under = x2[1];
    T *x = x_, *s = work;
    (void)stream;
    for (int64_t j = 0; j < last - first; j++)
        FN(column_of_side)(side, k, pole, weight, index + ORR_MERGE_AT * m->n, x + j * ldx,
                           s + j * k);
    if (last > first) {
        FN(half_of_columns)(upper, last - first, kept, above, upper, s, k, x, ldx);
        FN(half_of_columns)(below, last - first, k - m->upper, under, below, s + m->upper, k,
                            x + upper, ldx);
    }
    for (int64_t j = first > k ? first : k; j < first + count; j++) {
        T *to = x + (j - first) * ldx;
        memcpy(to, above + (kept + j - k) * upper, (size_t)upper * sizeof *x);
        memcpy(to + upper, under + (j - m->upper) * below, (size_t)below * sizeof *x);
    }
    if (ends)
        FN(ends)(rows, count, x, ldx, ends);
    return ORR_OK;
}
