/* Body of gesvd_place for one scalar type T (real type R); see gesvd.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static void FN(orr_gesvd_place_cpu)(const orr_gesvd_columns *p, const void *x_, const void *phase_,
                                    void *e_, int64_t lde)
{
    const R *x = x_;
    const T *phase = phase_;
    for (int64_t c = 0; c < p->k; c++) {
        const int64_t from = p->order ? p->order[p->first + c] - 1 : p->first + c;
        T *e = (T *)e_ + c * lde;
        for (int64_t i = 0; i < p->n; i++) {
            const R v = p->by_rows ? x[i * p->n + from] : x[from * p->n + i];
            e[i] = phase ? phase[i] * v : v;
        }
        for (int64_t i = p->n; i < p->rows; i++)
            e[i] = 0;
    }
}
