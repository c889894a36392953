/* Body of hb2st_apply for one scalar type and one instruction set, b >= 8; see hb2st_apply.inc.c
 * for the order. A step is hop t of at most AT_ONCE sweeps: their window of about b + AT_ONCE rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "reflectors.inc.c"

static orr_status VN(apply)(const orr_hb2st_shape *a, int64_t g, int64_t groups,
                            const void *const *v, int adjoint, int64_t k, void *e, int64_t lde)
{
    const int64_t b = a->b, s0 = g * a->G, s1 = orr_least((g + groups) * a->G, a->sweeps);
    const int64_t batches = (s1 - s0 + AT_ONCE - 1) / AT_ONCE;
    VN(panel) p;
    if (s0 >= s1 || k == 0)
        return ORR_OK;
    if (!VN(panel_open)(&p, a->n, b, k, e, lde))
        return ORR_E_NOMEM;
    for (int64_t i = 0; i < batches; i++) {
        const int64_t s = s0 + (adjoint ? i : batches - 1 - i) * AT_ONCE;
        const int64_t hops = orr_hb2st_hops(a, s), count = orr_least(AT_ONCE, s1 - s);
        for (int64_t hop = 0; hop < hops; hop++) {
            const int64_t t = adjoint ? hops - 1 - hop : hop;
            VN(reflector) x[AT_ONCE];
            for (int64_t c = 0; c < count; c++) {
                x[c].rows = 0;
                if (t < orr_hb2st_hops(a, s + c)) { /* the later sweeps are shorter */
                    x[c].v = FN(packed)(a, g, v, s + c) + t * b;
                    x[c].tau = x[c].v[0];
                    x[c].rows = orr_least(b, a->n - (s + c + 1 + t * b));
                }
            }
            VN(panel_step)(&p, adjoint, s + 1 + t * b, count, x, adjoint ? -b : b);
        }
    }
    VN(panel_close)(&p);
    return ORR_OK;
}
