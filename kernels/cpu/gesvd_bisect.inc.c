/* Body of gesvd's bisection for one instruction set (lanes.h), in double precision: GROUP values at
 * once, one per lane; see gesvd_bisect.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define BISECTED orr_bidiagonal_lanes
#include "bisect.inc.c"

/* The function is the product of the pivots, v. */
LANES_INLINE void VN(minors)(BISECTED *t, const double *x, double *p, int64_t *power,
                             int64_t *below)
{
    V x2[AHEAD], v[AHEAD], u[AHEAD];
    I sum[AHEAD], changes[AHEAD];
    double lo = x[0], hi = x[0];
    for (int i = 1; i < GROUP; i++) {
        lo = x[i] < lo ? x[i] : lo;
        hi = x[i] > hi ? x[i] : hi;
    }
    set_scale(t, lo, hi);
    const V scale = ldexp(1, -t->power) - (V){0};
    memcpy(x2, x, sizeof x2);
    UNROLL for (int k = 0; k < AHEAD; k++)
    {
        x2[k] *= scale;
        x2[k] *= x2[k];
        v[k] = (V){0} + 1;
        u[k] = -x2[k];
        sum[k] = changes[k] = (I){0};
    }
    for (int64_t i = 0; i < t->n;) {
        const int64_t end = i + t->stride < t->n ? i + t->stride : t->n;
        for (; i < end; i++) {
            const V q = t->q[i] - (V){0}, e = t->e[i] - (V){0};
            UNROLL for (int k = 0; k < AHEAD; k++)
            {
                const V next = LANE(fma)(q, v[k], u[k]);
                changes[k] += ((I)next ^ (I)v[k]) >> 63;
                u[k] = LANE(fnma)(x2[k], next, e * u[k]);
                v[k] = next;
            }
        }
        VN(rescale)(v, u, sum);
    }
    UNROLL for (int k = 0; k < AHEAD; k++)
    {
        changes[k] = -changes[k];
        sum[k] += 2 * t->power * t->n;
    }
    memcpy(p, v, sizeof v);
    memcpy(power, sum, sizeof sum);
    memcpy(below, changes, sizeof changes);
}

/* Points that are far below the largest wait: what is larger is found first. */
static orr_status VN(group)(BISECTED *t, int64_t first, double *w)
{
    bracket b[GROUP];
    double x[GROUP], at[GROUP], p[GROUP];
    int64_t power[GROUP], below[GROUP];
    for (int v = 0; v < GROUP; v++)
        b[v] = (bracket){.lo = 0, .hi = 0.5, .below_lo = 0, .below_hi = t->n};
    VN(multisection)(t, first, b);
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        double largest = 0;
        for (int v = 0; v < GROUP; v++) {
            const double tol = t->tol * b[v].hi;
            const int done = first + v < t->zeros || first + v >= t->n ||
                             b[v].hi - b[v].lo <= tol || b[v].hi <= LEAST_X;
            x[v] = done ? 0 : next_point(&b[v], tol);
            largest = fmax(largest, x[v]);
        }
        if (largest == 0) {
            int tiny = 0;
            for (int v = 0; v < GROUP; v++) {
                const int zero = first + v < t->zeros;
                w[v] = zero ? 0 : b[v].lo + (b[v].hi - b[v].lo) / 2;
                tiny |= !zero && b[v].hi <= LEAST_X;
            }
            return tiny ? ORR_RANGE : ORR_OK;
        }
        for (int v = 0; v < GROUP; v++) /* a value that is found has no point of its own */
            at[v] = x[v] > 0 ? fmax(x[v], largest * APART) : largest;
        VN(minors)(t, at, p, power, below);
        for (int v = 0; v < GROUP; v++)
            if (x[v] > 0 && at[v] < b[v].hi)
                step_to(&b[v], first + v, at[v], p[v], power[v], below[v]);
    }
    return ORR_NOCONV;
}

#undef V
#undef I
#undef LANES
#undef GROUP
#undef BISECTED
