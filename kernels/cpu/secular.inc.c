/* Body of secular for one instruction set (lanes.h) and real type. x is a root's value, or its square;
 * `squares`: so are the poles, of the numbers in `pole`. It is counted from a pole: x = that + tau.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

typedef T VN(secular_lanes) __attribute__((vector_size(LANE_BYTES)));

/* A pole, of number d, less the one of number `origin`; of lanes or of one. */
#define POLE_LESS(d, origin) (squares ? ((d) - (origin)) * ((d) + (origin)) : (d) - (origin))

/* sum of z[i]^2 / (pole - x) over from <= i < end, and its slope */
LANES_INLINE void VN(side)(int squares, int64_t from, int64_t end, const T *pole, const T *z,
                           T origin, T tau, T *sum, T *slope)
{
    enum { LANES = LANE_BYTES / sizeof(T), AHEAD = 2 };
    VN(secular_lanes) sums[AHEAD] = {{0}}, slopes[AHEAD] = {{0}};
    int64_t i = from;
    for (; i + AHEAD * LANES <= end; i += AHEAD * LANES)
        UNROLL for (int u = 0; u < AHEAD; u++)
        {
            VN(secular_lanes) d, x;
            memcpy(&d, pole + i + u * LANES, sizeof d);
            memcpy(&x, z + i + u * LANES, sizeof x);
            const VN(secular_lanes) t = x / (POLE_LESS(d, origin) - tau);
            sums[u] = LANE(fma)(x, t, sums[u]);
            slopes[u] = LANE(fma)(t, t, slopes[u]);
        }
    *sum = *slope = 0;
    for (; i < end; i++) {
        const T t = z[i] / (POLE_LESS(pole[i], origin) - tau);
        *sum += z[i] * t;
        *slope += t * t;
    }
    for (int u = 0; u < AHEAD; u++)
        for (int l = 0; l < LANES; l++) {
            *sum += sums[u][l];
            *slope += slopes[u][l];
        }
}

/* The root of c eta^2 - a eta + b that is the smaller one, without cancellation. */
LANES_INLINE T VN(smaller)(T a, T b, T c)
{
    const T disc = SQRT(RABS(a * a - 4 * b * c));
    if (c == 0)
        return b / a;
    return a <= 0 ? (a - disc) / (2 * c) : 2 * b / (a + disc);
}

/* Root j: the number of the nearer pole, and tau. Returns 0 if it did not converge. */
LANES_INLINE int VN(find)(int squares, int64_t k, int64_t j, const T *pole, const T *z, T rho,
                          T *nearer, T *distance)
{
    const T gap = POLE_LESS(pole[j + 1], pole[j]), half = gap / 2, least = 1 / rho;
    const T z0 = z[j] * z[j], z1 = z[j + 1] * z[j + 1];
    T below, above, slope0, slope1;

    /* which half it is in, and where it would be if the other poles' sum were what it is in the middle */
    VN(side)(squares, 0, j + 1, pole, z, pole[j], half, &below, &slope0);
    VN(side)(squares, j + 1, k, pole, z, pole[j], half, &above, &slope1);
    const T middle = least + below + above, c0 = middle + (z0 - z1) / half;
    const int left = middle > 0;
    const T origin = left ? pole[j] : pole[j + 1];
    T lo = left ? 0 : -half, hi = left ? half : 0;
    T tau = left ? VN(smaller)(c0 * gap + z0 + z1, z0 * gap, c0)
                 : VN(smaller)(-(c0 * gap - z0 - z1), -z1 * gap, c0);
    T before = 0;
    int fixed = 1; /* the nearer pole keeps its own weight */

    for (int step = 0; step < MOST_STEPS; step++) {
        if (!(tau > lo && tau < hi))
            tau = lo + (hi - lo) / 2;
        if (!(tau > lo && tau < hi))
            return 0;
        VN(side)(squares, 0, j + 1, pole, z, origin, tau, &below, &slope0);
        VN(side)(squares, j + 1, k, pole, z, origin, tau, &above, &slope1);
        const T w = least + below + above, slope = slope0 + slope1;
        const T d0 = (left ? 0 : -gap) - tau, d1 = (left ? gap : 0) - tau;
        T eta = 0;
        if (!isfinite(slope)) /* whether w is small enough cannot be told */
            return 0;
        if (RABS(w) > EPS * (8 * (above - below) + least + RABS(tau) * slope)) {
            *(w < 0 ? &lo : &hi) = tau;
            if (step > 0 && RABS(w) > before / 10)
                fixed = !fixed;
            before = RABS(w);
            const T c = !fixed ? w - d0 * slope0 - d1 * slope1
                        : left ? w - d1 * slope + gap * (z0 / d0 / d0)
                               : w - d0 * slope - gap * (z1 / d1 / d1);
            eta = VN(smaller)((d0 + d1) * w - d0 * d1 * slope, d0 * d1 * w, c);
            if (!(w * eta < 0))
                eta = -w / slope;
        }
        if (tau + eta == tau) {
            *nearer = origin;
            *distance = tau;
            return 1;
        }
        tau += eta;
    }
    return 0;
}

/* Distances of these poles, and factors of all but pole j. */
LANES_INLINE void VN(spread)(int64_t from, int64_t end, const T *pole, T pj, T origin, T tau,
                             T *delta, T *part)
{
    enum { LANES = LANE_BYTES / sizeof(T) };
    int64_t i = from;
    for (; i + LANES <= end; i += LANES) {
        VN(secular_lanes) d, p;
        memcpy(&d, pole + i, sizeof d);
        memcpy(&p, part + i, sizeof p);
        const VN(secular_lanes) x = (d - origin) - tau, y = p * (x / (d - pj));
        memcpy(delta + i, &x, sizeof x);
        memcpy(part + i, &y, sizeof y);
    }
    for (; i < end; i++) {
        delta[i] = (pole[i] - origin) - tau;
        part[i] *= delta[i] / (pole[i] - pj);
    }
}

static int VN(secular)(int64_t k, int64_t j, const T *pole, const T *z, T rho, T *delta, T *value,
                       T *part)
{
    T origin, tau;
    if (!VN(find)(0, k, j, pole, z, rho, &origin, &tau))
        return 0;
    VN(spread)(0, j, pole, pole[j], origin, tau, delta, part);
    VN(spread)(j + 1, k, pole, pole[j], origin, tau, delta, part);
    delta[j] = (pole[j] - origin) - tau;
    part[j] *= delta[j];
    *value = origin + tau;
    return 1;
}

/* The value is origin + eta; p: the pole of their factors. */
LANES_INLINE void VN(spread_squares)(int64_t from, int64_t end, const T *pole, T p, T origin, T eta,
                                     T *minus, T *plus, T *part)
{
    enum { LANES = LANE_BYTES / sizeof(T) };
    int64_t i = from;
    for (; i + LANES <= end; i += LANES) {
        VN(secular_lanes) d, f;
        memcpy(&d, pole + i, sizeof d);
        memcpy(&f, part + i, sizeof f);
        const VN(secular_lanes) x = (d - origin) - eta, y = (d + origin) + eta;
        f *= x * y / ((d - p) * (d + p));
        memcpy(minus + i, &x, sizeof x);
        memcpy(plus + i, &y, sizeof y);
        memcpy(part + i, &f, sizeof f);
    }
    for (; i < end; i++) {
        minus[i] = (pole[i] - origin) - eta;
        plus[i] = (pole[i] + origin) + eta;
        part[i] *= minus[i] * plus[i] / ((pole[i] - p) * (pole[i] + p));
    }
}

static int VN(secular_squares)(int64_t k, int64_t j, const T *pole, const T *z, T rho, T *minus,
                               T *plus, T *value, T *part)
{
    T origin, tau;
    if (!VN(find)(1, k, j, pole, z, rho, &origin, &tau))
        return 0;
    const T eta = tau / (origin + SQRT(origin * origin + tau));
    VN(spread_squares)(0, j + 1, pole, pole[j + 1], origin, eta, minus, plus, part);
    VN(spread_squares)(j + 1, k, pole, pole[j], origin, eta, minus, plus, part);
    *value = origin + eta;
    return 1;
}

#undef POLE_LESS
