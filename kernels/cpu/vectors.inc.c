/* Body of vectors_place for one scalar type T (real type R); see vectors.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static orr_status FN(orr_vectors_place_cpu)(orr_stream stream, const orr_vectors_columns *p,
                                            const int32_t *order, const orr_vectors *x,
                                            const void *phase_, void *e_, int64_t lde)
{
    const T *phase = phase_;
    (void)stream;
    for (int64_t c = 0; c < p->k; c++) {
        const int64_t j = order ? order[p->first + c] - 1 : p->first + c;
        const int64_t step = p->by_rows ? p->n : 1;
        const R *from = p->by_rows ? (const R *)x->at[0] + j
                                   : (const R *)x->at[j / x->width] + j % x->width * p->n;
        T *e = (T *)e_ + c * lde;
        for (int64_t i = 0; i < p->n; i++)
            e[i] = phase ? phase[i] * from[i * step] : from[i * step];
        for (int64_t i = p->n; i < p->rows; i++)
            e[i] = 0;
    }
    return ORR_OK;
}
