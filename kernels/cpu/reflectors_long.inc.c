/* E := H_0 H_1 .. E of reflectors that reach down to where E ends, or a set of them does; reflector i
 * begins in row i. A step is AT_ONCE of them on STRIPS strips of columns, which stay in a cache
 * meanwhile. For one scalar type and one instruction set.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "reflectors.inc.c"

/* E: n x k. stop, told `whose` before each step: leave the rest? NULL: never. */
static orr_status VN(apply_long)(int64_t n, int64_t count, const VN(reflector) *h, int64_t k, T *e,
                                 int64_t lde, int (*stop)(const void *), const void *whose)
{
    enum { STRIPS = 10 };
    const int64_t most = STRIPS * NV * LANES;
    int stopped = 0;
    for (int64_t c = 0; c < k && count > 0 && !stopped; c += most) {
        VN(panel) p;
        if (!VN(panel_open)(&p, n, n, k - c < most ? k - c : most, e + c * lde, lde))
            return ORR_E_NOMEM;
        for (int64_t s = (count - 1) / AT_ONCE * AT_ONCE; s >= 0 && !stopped; s -= AT_ONCE) {
            const int64_t left = count - s < AT_ONCE ? count - s : AT_ONCE;
            VN(reflector) x[AT_ONCE];
            memcpy(x, h + s, (size_t)left * sizeof *x);
            p.length = n - s;
            stopped = stop && stop(whose);
            if (!stopped)
                VN(panel_step)(&p, 0, s, left, x, 0);
        }
        VN(panel_close)(&p);
    }
    return ORR_OK;
}
