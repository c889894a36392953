/* What heev_bisect.inc.c and gesvd_bisect.inc.c share for one instruction set (lanes.h), in double
 * precision: GROUP points at once, one per lane. BISECTED: the type of what they count values of.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#undef V
#undef I
#undef LANES
#undef GROUP
typedef R VN(vec) __attribute__((vector_size(LANE_BYTES), aligned(sizeof(R))));
typedef LANE_INT VN(ivec) __attribute__((vector_size(LANE_BYTES), aligned(sizeof(R))));
#define V     VN(vec)
#define I     VN(ivec)
#define LANES (LANE_BYTES / 8)
#define GROUP (LANES * AHEAD)

/* At every point x[i]: how many values are below it, and the function, p 2^power. */
LANES_INLINE void VN(minors)(BISECTED *t, const double *x, double *p, int64_t *power,
                             int64_t *below);

/* Values first .. first+GROUP-1 into w. */
static orr_status VN(group)(BISECTED *t, int64_t first, double *w);

/* Both are brought to order 1, and sum has the powers. */
LANES_INLINE void VN(rescale)(V *p0, V *p1, I *sum)
{
    const I exponent = (I){0} + (0x7ffLL << 52);
    UNROLL for (int u = 0; u < AHEAD; u++)
    {
        const I a = (I)p0[u] & exponent, b = (I)p1[u] & exponent;
        const I top = a ^ ((a ^ b) & (b > a));
        const V scale = (V)(((I){0} + (0x7feLL << 52)) - top);
        p0[u] *= scale;
        p1[u] *= scale;
        sum[u] += (top >> 52) - 1023;
    }
}

/* Brackets for the values first .. first+GROUP-1 from points all over their common one, twice. */
static void VN(multisection)(BISECTED *t, int64_t first, bracket *b)
{
    double x[GROUP], p[GROUP];
    int64_t power[GROUP], below[GROUP];
    for (int pass = 0; pass < 2; pass++) {
        const double lo = b[0].lo, hi = b[GROUP - 1].hi;
        for (int i = 0; i < GROUP; i++)
            x[i] = lo + (hi - lo) * (i + 1) / (GROUP + 1);
        VN(minors)(t, x, p, power, below);
        for (int v = 0; v < GROUP; v++)
            for (int i = 0; i < GROUP; i++)
                if (x[i] > b[v].lo && x[i] < b[v].hi)
                    narrow(&b[v], first + v, x[i], p[i], power[i], below[i]);
    }
}

/* Values first .. first+count-1 into w. Groups begin at multiples of GROUP whatever is asked for:
 * a value does not depend on the range it is part of. */
static orr_status VN(bisect)(BISECTED *t, int64_t first, int64_t count, double *w)
{
    double found[GROUP];
    for (int64_t g = first / GROUP * GROUP; g < first + count; g += GROUP) {
        const orr_status st = VN(group)(t, g, found);
        if (st != ORR_OK)
            return st;
        for (int64_t i = g; i < g + GROUP; i++)
            if (i >= first && i < first + count)
                w[i - first] = found[i - g];
    }
    return ORR_OK;
}
