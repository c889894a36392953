/* E := Q E, Q = H_0 H_1 .. of the reflectors that heev_reduce leaves, for one scalar type and one
 * instruction set: reflector s has the rows from s + 1 to the last one. A step is AT_ONCE of them on
 * STRIPS strips of columns, which stay in a cache meanwhile.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "reflectors.inc.c"

static orr_status VN(back)(const orr_heev_reduction *g, int64_t k, void *e, int64_t lde)
{
    enum { STRIPS = 10 };
    const int64_t reflectors = g->n - 1, most = STRIPS * NV * LANES;
    if (reflectors < 1)
        return ORR_OK;
    for (int64_t c = 0; c < k; c += most) {
        VN(panel) p;
        if (!VN(panel_open)(&p, g->n, reflectors, k - c < most ? k - c : most, (T *)e + c * lde,
                            lde))
            return ORR_E_NOMEM;
        for (int64_t s = (reflectors - 1) / AT_ONCE * AT_ONCE; s >= 0; s -= AT_ONCE) {
            if (g->stopped && g->stopped(g->whose)) {
                k = 0;
                break;
            }
            const int64_t left = reflectors - s, count = left < AT_ONCE ? left : AT_ONCE;
            const T *v[AT_ONCE];
            for (int64_t i = 0; i < count; i++)
                v[i] = (const T *)g->b + (s + i) * (g->ld + 1) + 1;
            p.length = left;
            VN(panel_step)(&p, 0, s + 1, count, v, 0);
        }
        VN(panel_close)(&p);
    }
    return ORR_OK;
}
