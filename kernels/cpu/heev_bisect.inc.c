/* Body of heev's bisection for one instruction set (lanes.h), in double precision: GROUP values
 * at once, one per lane; see heev_bisect.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#define BISECTED const orr_bisect
#include "bisect.inc.c"

/* The next row for all points: p_k-1 in `last` and p_k-2 in `p`, which becomes p_k. */
LANES_INLINE void VN(row)(double d, double e2, const V *at, V *p, const V *last, I *changes)
{
    const V d_ = d - (V){0}, e2_ = e2 - (V){0};
    UNROLL for (int u = 0; u < AHEAD; u++)
    {
        p[u] = LANE(fnma)(e2_, p[u], (d_ - at[u]) * last[u]);
        changes[u] += ((I)p[u] ^ (I)last[u]) >> 63;
    }
}

/* At every point x[i]: how many values are below it, and det(T - x) = p 2^power. Rows come in pairs,
 * so that no minor moves to another register; an odd one is the first.
 *
 * p_k = (d_k - x) p_k-1 - e_k-1^2 p_k-2 are the leading minors; as many signs change from one to
 * the next as there are values below x. Both last ones are brought to order 1 now and then. */
LANES_INLINE void VN(minors)(BISECTED *t, const double *x, double *p, int64_t *power,
                             int64_t *below)
{
    V at[AHEAD], p0[AHEAD], p1[AHEAD];
    I sum[AHEAD], changes[AHEAD];
    int64_t i = t->n % 2;
    memcpy(at, x, sizeof at);
    UNROLL for (int u = 0; u < AHEAD; u++)
    {
        p0[u] = (V){0};
        p1[u] = (V){0} + 1;
        sum[u] = changes[u] = (I){0};
        if (i) {
            p0[u] = p1[u];
            p1[u] = t->d[0] - at[u];
            changes[u] = (I)p1[u] >> 63;
        }
    }
    while (i < t->n) {
        const int64_t end = i + RESCALE < t->n ? i + RESCALE : t->n;
        for (; i < end; i += 2) {
            VN(row)(t->d[i], t->e2[i], at, p0, p1, changes);
            VN(row)(t->d[i + 1], t->e2[i + 1], at, p1, p0, changes);
        }
        VN(rescale)(p0, p1, sum);
    }
    UNROLL for (int u = 0; u < AHEAD; u++) changes[u] = -changes[u];
    memcpy(p, p1, sizeof p1);
    memcpy(power, sum, sizeof sum);
    memcpy(below, changes, sizeof changes);
}

static orr_status VN(group)(const orr_bisect *t, int64_t first, double *w)
{
    bracket b[GROUP];
    double x[GROUP], p[GROUP];
    int64_t power[GROUP], below[GROUP];
    for (int v = 0; v < GROUP; v++)
        b[v] = (bracket){.lo = -t->bound, .hi = t->bound, .below_lo = 0, .below_hi = t->n};
    VN(multisection)(t, first, b);
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        int done = 0;
        for (int v = 0; v < GROUP; v++) {
            x[v] = choose(&b[v], t->tol);
            done += b[v].hi - b[v].lo <= t->tol || first + v >= t->n;
        }
        if (done == GROUP) {
            for (int v = 0; v < GROUP; v++)
                w[v] = b[v].lo + (b[v].hi - b[v].lo) / 2;
            return ORR_OK;
        }
        VN(minors)(t, x, p, power, below);
        for (int v = 0; v < GROUP; v++)
            step_to(&b[v], first + v, x[v], p[v], power[v], below[v]);
    }
    return ORR_NOCONV;
}

#undef V
#undef I
#undef LANES
#undef GROUP
#undef BISECTED
