/* Eigenvalues of a symmetric tridiagonal T whose largest entry is of order 1, by QL without roots (Pal,
 * Walker, Kahan); for one real type and one instruction set.
 *
 * An entry e of T counts as zero if |e| <= eps/2 (|d_i| + |d_i+1|) + 4 eps sqrt(|T|_F^2 / n).
 *
 * Sources: as of heevj_lanes.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#undef IS_SINGLE
#undef TINY_PAIR
#undef LEAST_P
#undef LEAST_FLOOR
#define IS_SINGLE (sizeof(R) == sizeof(float))

/* The square of a pair below this is nothing beside 1; then the least p of QL without roots, and what an
 * entry that counts as zero may always be. */
#define TINY_PAIR   ((R)(IS_SINGLE ? 0x1p-110 : 0x1p-960))
#define LEAST_P     ((R)(IS_SINGLE ? 0x1p-90 : 0x1p-600))
#define LEAST_FLOOR ((R)(IS_SINGLE ? 0x1p-45 : 0x1p-300))

static R VN(floor_of)(int64_t n, const R *d, const R *e)
{
    R sum = d[n - 1] * d[n - 1];
    for (int64_t i = 0; i < n - 1; i++)
        sum += d[i] * d[i] + 2 * e[i] * e[i];
    const R floor = 4 * EPS * SQRT(sum / (R)n);
    return floor > LEAST_FLOOR ? floor : LEAST_FLOOR;
}

LANES_INLINE R VN(negligible)(R floor, R d0, R d1)
{
    return EPS / 2 * (RABS(d0) + RABS(d1)) + floor;
}

LANES_INLINE R VN(wilkinson)(R d0, R d1, R e)
{
    const R h = (d1 - d0) / (e + e), root = SQRT(h * h + 1);
    return d0 - e / (h + (h < 0 ? -root : root));
}

/* d becomes the eigenvalues, from squares of e, which are destroyed. 0: it does not converge. */
static int VN(find_values)(int64_t n, R floor, R *d, R *e2)
{
    int64_t sweeps = 0;
    for (int64_t lo = 0; lo < n;) {
        int64_t hi = lo;
        for (; hi < n - 1; hi++) {
            const R least = VN(negligible)(floor, d[hi], d[hi + 1]);
            if (e2[hi] <= least * least)
                break;
        }
        if (hi == lo) {
            lo++;
            continue;
        }
        if (sweeps++ == SWEEPS * n)
            return 0;
        const R shift = VN(wilkinson)(d[lo], d[lo + 1], SQRT(e2[lo]));
        R g = d[hi] - shift, p = g * g, c = 1, s = 0;
        for (int64_t i = hi - 1; i >= lo; i--) {
            const R p0 = p > LEAST_P ? p : LEAST_P; /* 0: an exact shift */
            const R e = e2[i], r = p0 + e, inverse = 1 / r, ratio = r * (1 / p0);
            e2[i + 1] = s * r; /* of the last one 0: it is negligible */
            s = e * inverse;
            const R c1 = p0 * inverse, g1 = c1 * (d[i] - shift) - s * g;
            p = p0 > p ? c * e : g1 * g1 * ratio;
            d[i + 1] = g + (d[i] - g1);
            g = g1, c = c1;
        }
        d[lo] = shift + g, e2[lo] = s * p;
    }
    return 1;
}
