/* Body of ge2gb_apply for one scalar type and one instruction set: the reflectors of consecutive steps are
 * consecutive, and tau of each is on the diagonal of S.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "reflectors_long.inc.c"

static orr_status VN(apply)(orr_stream stream, const orr_ge2gb_step *of, const void *const *v,
                            const void *const *s, int joined, int64_t c, void *e, int64_t lde,
                            void *work)
{
    const int64_t count = orr_ge2gb_width(of), first = orr_ge2gb_row(of);
    int64_t most = 0;
    VN(reflector) *h = malloc((size_t)count * sizeof *h + 1);
    (void)stream;
    (void)work;
    if (!h)
        return ORR_E_NOMEM;
    for (int64_t k = 0; k <= of->more; k++) {
        orr_ge2gb_step one = *of;
        one.k += k;
        one.more = 0;
        const int64_t rows = orr_ge2gb_rows(&one), w = orr_ge2gb_width(&one), at = k * of->b;
        const T *S = joined ? (const T *)s[0] + at * (count + 1) : s[k], *columns = v[k];
        for (int64_t i = 0; i < w; i++)
            h[at + i] = (VN(reflector)){.v = columns + i * (rows + 1),
                                        .tau = S[i * ((joined ? count : w) + 1)],
                                        .rows = rows - i};
        most = orr_most(most, at + rows);
    }
    const orr_status st = VN(apply_long)(most, count, h, c, (T *)e + first, lde, NULL, NULL);
    free(h);
    return st;
}
