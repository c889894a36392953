/* Body of heev_back for one scalar type and one instruction set: reflector s has the rows from s + 1 to the
 * last one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "reflectors_long.inc.c"

static orr_status VN(back)(const orr_heev_reduction *g, int64_t k, void *e, int64_t lde)
{
    const int64_t count = g->n - 1;
    VN(reflector) *h = malloc((size_t)count * sizeof *h + 1);
    if (!h)
        return ORR_E_NOMEM;
    for (int64_t s = 0; s < count; s++) {
        const T *v = (const T *)g->b + s * (g->ld + 1) + 1;
        h[s] = (VN(reflector)){.v = v, .tau = v[0], .rows = count - s};
    }
    const orr_status st = VN(apply_long)(count, count, h, k, (T *)e + 1, lde, g->stopped, g->whose);
    free(h);
    return st;
}
