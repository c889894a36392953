/* Body of heev_place for one scalar type T (real type R); see heev.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static void FN(orr_heev_place_cpu)(int64_t n, const int32_t *order, int64_t first, int64_t k,
                                   const void *s_, void *e_, int64_t lde)
{
    T *e = e_;
    for (int64_t c = 0; c < k; c++) {
        const R *s = (const R *)s_ + (order ? order[first + c] - 1 : first + c) * n;
        for (int64_t i = 0; i < n; i++)
            e[c * lde + i] = s[i];
    }
}
