/* order[0..n) := the permutation that makes d descending, NaN last; stable, so that equal
 * values keep their columns' order. Insertion: n is small or n^3 dwarfs it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
static inline void FN(descending)(int64_t n, const R *d, int64_t *order)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t k = i;
        for (; k > 0 && d[i] == d[i] && !(d[order[k - 1]] >= d[i]); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}
