/* Roots of secular equations on a device: those of kernels/cpu/secular.inc.c, a warp for each, whose
 * lanes make the sums over the poles together. There is no LAPACK that the rest could be left to: the
 * last root is found here, too, as laed4 does it, and steps that take too many become bisections, which
 * end when nothing is left between the ends.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_SECULAR_CUH
#define ORR_CUDA_SECULAR_CUH

#include "kernels/cuda/chase.cuh"

namespace orr
{

/* 1/rho + sum over i of z[i]^2 / (pole[i] - x) = 0, k poles, ascending; or, `Squares`, of pole[i]^2 - x,
 * where a root is the square root of x. */
template <class T, bool Squares> struct secular {
    int64_t k;
    const T *pole, *z;
    T rho;

    ORR_MEMBER T less(T p, T origin) const
    {
        return Squares ? (p - origin) * (p + origin) : p - origin;
    }
};

/* x is counted from a pole, or from its square; or tau is NaN. */
template <class T, bool Squares> struct secular_root {
    T origin, tau;

    /* The root less the origin. */
    ORR_MEMBER T ahead() const
    {
        return Squares ? tau / (origin + std::sqrt(origin * origin + tau)) : tau;
    }
    /* From a pole, or its square, to x; by what `ahead` says. */
    ORR_MEMBER T distance(T pole, T eta) const
    {
        return Squares ? ((pole - origin) - eta) * ((pole + origin) + eta) : (pole - origin) - eta;
    }
};

/* A sum over poles, and its slope. */
template <class T> struct secular_sum {
    T value, slope;
};

constexpr int secular_most_steps = 24;

/* Over from <= i < end, at origin + tau; every lane gets the same bits. */
template <class T, bool Q>
ORR_DEV secular_sum<T> side(const secular<T, Q> &f, int64_t from, int64_t end, T origin, T tau)
{
    secular_sum<T> s = {0, 0};
    ORR_UNROLL_BY(4)
    for (int64_t i = from + warp_team::lane(); i < end; i += 32) {
        const T t = f.z[i] / (f.less(f.pole[i], origin) - tau);
        s.value = mad(f.z[i], t, s.value);
        s.slope = mad(t, t, s.slope);
    }
    return {warp_sum(s.value), warp_sum(s.slope)};
}

/* The root of c eta^2 - a eta + b that is the smaller one, without cancellation. */
template <class T> ORR_DEV T smaller(T a, T b, T c)
{
    const T disc = std::sqrt(std::fabs(a * a - 4 * b * c));
    if (c == 0)
        return b / a;
    return a <= 0 ? (a - disc) / (2 * c) : 2 * b / (a + disc);
}

/* The larger one, c >= 0. */
template <class T> ORR_DEV T larger(T a, T b, T c)
{
    const T disc = std::sqrt(std::fabs(a * a - 4 * b * c));
    if (c == 0)
        return b / a;
    return a >= 0 ? (a + disc) / (2 * c) : 2 * b / (a - disc);
}

/* Where the search is: the root is between lo and hi, counted from `origin`. */
template <class T> struct secular_search {
    T origin, lo, hi, tau;
    T ahead[2]; /* the two poles next to it, from there */
    T own[2];   /* their weights */
    bool left;  /* the first of them is nearer, and is the origin */
};

/* The half of the gap that root j < k - 1 is in, and where in it the root would be if the other poles'
 * sum were what it is in the middle. */
template <class T, bool Q>
ORR_DEV secular_search<T> begin_between(const secular<T, Q> &f, int64_t j)
{
    const T gap = f.less(f.pole[j + 1], f.pole[j]), half = gap / 2;
    const T z0 = f.z[j] * f.z[j], z1 = f.z[j + 1] * f.z[j + 1];
    const T middle = 1 / f.rho + side(f, 0, j + 1, f.pole[j], half).value +
                     side(f, j + 1, f.k, f.pole[j], half).value;
    const T c = middle + (z0 - z1) / half;
    if (middle > 0)
        return {f.pole[j], 0,        half, smaller(c * gap + z0 + z1, z0 * gap, c),
                {0, gap},  {z0, z1}, true};
    return {f.pole[j + 1], -half,    0,    smaller(-(c * gap - z0 - z1), -z1 * gap, c),
            {-gap, 0},     {z0, z1}, false};
}

/* The same of the last root, behind all poles; k > 1. */
template <class T, bool Q> ORR_DEV secular_search<T> begin_last(const secular<T, Q> &f)
{
    const int64_t k = f.k;
    const T origin = f.pole[k - 1], gap = -f.less(f.pole[k - 2], origin);
    const T z0 = f.z[k - 2] * f.z[k - 2], z1 = f.z[k - 1] * f.z[k - 1];
    T length = 0;
    for (int64_t i = warp_team::lane(); i < k; i += 32)
        length = mad(f.z[i], f.z[i], length);
    const T most = f.rho * warp_sum(length); /* roundings aside it is not behind that */
    const T c = 1 / f.rho + side(f, 0, k - 2, origin, most / 2).value;
    const T tau = c > 0 ? larger(z0 + z1 - c * gap, -z1 * gap, c) : most;
    return {origin, 0, 2 * most, tau, {-gap, 0}, {z0, z1}, false};
}

/* The step from s.tau, where the sums below and above are these; w: the whole function. */
template <class T>
ORR_DEV T step_between(const secular_search<T> &s, T w, secular_sum<T> below, secular_sum<T> above,
                       bool fixed)
{
    const T d0 = s.ahead[0] - s.tau, d1 = s.ahead[1] - s.tau, gap = s.ahead[1] - s.ahead[0];
    const T slope = below.slope + above.slope;
    const T c = !fixed   ? w - d0 * below.slope - d1 * above.slope
                : s.left ? w - d1 * slope + gap * (s.own[0] / d0 / d0)
                         : w - d0 * slope - gap * (s.own[1] / d1 / d1);
    return smaller((d0 + d1) * w - d0 * d1 * slope, d0 * d1 * w, c);
}

template <class T>
ORR_DEV T step_last(const secular_search<T> &s, T w, secular_sum<T> below, secular_sum<T> own)
{
    const T d0 = s.ahead[0] - s.tau, d1 = s.ahead[1] - s.tau;
    const T c = std::fabs(w - d0 * below.slope - d1 * own.slope);
    return larger((d0 + d1) * w - d0 * d1 * (below.slope + own.slope), d0 * d1 * w, c);
}

/* Root j, by all lanes of a warp. */
template <class T, bool Q> ORR_DEV secular_root<T, Q> find_root(const secular<T, Q> &f, int64_t j)
{
    constexpr T huge = sizeof(T) == 4 ? (T)FLT_MAX : (T)DBL_MAX;
    const bool last = j == f.k - 1;
    if (f.k == 1)
        return {f.pole[0], f.rho * f.z[0] * f.z[0]};
    secular_search<T> s = last ? begin_last(f) : begin_between(f, j);
    const T least = 1 / f.rho;
    const int64_t split = last ? j : j + 1; /* of poles that are one side from those of the other */
    T before = 0;
    bool fixed = true; /* the nearer pole keeps its own weight */
    for (int step = 0;; step++) {
        if (!(s.tau > s.lo && s.tau < s.hi))
            s.tau = s.lo + (s.hi - s.lo) / 2;
        if (!(s.tau > s.lo && s.tau < s.hi))
            return {s.origin, s.lo != 0 ? s.lo : s.hi};
        const secular_sum<T> below = side(f, 0, split, s.origin, s.tau);
        const secular_sum<T> above = side(f, split, f.k, s.origin, s.tau);
        const T w = least + below.value + above.value, slope = below.slope + above.slope;
        if (!(w == w))
            return {s.origin, w};
        const bool told = slope <= huge; /* else whether w is small enough is not */
        const T size = 8 * (std::fabs(below.value) + std::fabs(above.value));
        if (told && std::fabs(w) <= machine<T>::eps * (size + least + std::fabs(s.tau) * slope))
            return {s.origin, s.tau};
        (w < 0 ? s.lo : s.hi) = s.tau;
        if (!told || step >= secular_most_steps) {
            s.tau = s.lo + (s.hi - s.lo) / 2;
            continue;
        }
        if (step > 0 && std::fabs(w) > before / 10)
            fixed = !fixed;
        before = std::fabs(w);
        T eta = last ? step_last(s, w, below, above) : step_between(s, w, below, above, fixed);
        if (!(w * eta < 0))
            eta = -w / slope;
        if (s.tau + eta == s.tau)
            return {s.origin, s.tau};
        s.tau += eta;
    }
}

} // namespace orr

#endif
