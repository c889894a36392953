/* Body of heev_place for one scalar type T (real type R); see heev.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static orr_status FN(orr_heev_place_cpu)(orr_stream stream, int64_t n, const int32_t *order,
                                         int64_t first, int64_t k, const orr_heev_pieces *pieces,
                                         void *e_, int64_t lde)
{
    T *e = e_;
    (void)stream;
    for (int64_t c = 0; c < k; c++) {
        const int64_t j = order ? order[first + c] - 1 : first + c;
        const R *s = (const R *)pieces->at[j / pieces->width] + j % pieces->width * n;
        for (int64_t i = 0; i < n; i++)
            e[c * lde + i] = s[i];
    }
    return ORR_OK;
}
