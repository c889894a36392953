/* Matrices for the tests of gesvj on a device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SIMT_GESVJ_CASES_H
#define ORR_SIMT_GESVJ_CASES_H

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "device.h"
#include "kernels/gesvj.h"
#include "scalars.h"

enum family {
    RANDOM,
    ZERO,
    IDENTITY,
    EQUAL,
    GRADED,
    HALF_RANK,
    NOT_FINITE,
    HUGE_ENTRIES,
    TINY,
    HILBERT,
    NFAMILIES
};
static const char *const family_name[] = {"random", "zero",     "identity", "equal columns",
                                          "graded", "rank n/2", "NaN",      "huge",
                                          "tiny",   "Hilbert"};

template <class T> constexpr double eps_of()
{
    return sizeof(typename traits<T>::real) == 4 ? (double)FLT_EPSILON : DBL_EPSILON;
}

/* m x n, leading dimension ld, the gaps 12345. */
template <class T> std::vector<T> make_matrix(family f, int64_t m, int64_t n, int64_t ld)
{
    std::mt19937 random((unsigned)(1000 * m + n));
    std::normal_distribution<double> normal;
    const bool single = sizeof(typename traits<T>::real) == 4;
    std::vector<T> a((size_t)(ld * n), traits<T>::from(12345));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            zz x(normal(random), traits<T>::is_complex ? normal(random) : 0);
            switch (f) {
            case ZERO: x = 0; break;
            case IDENTITY: x = i == j; break;
            case EQUAL: x = zz(1 + (double)i, traits<T>::is_complex); break;
            case GRADED: /* columns over twelve decades */
                x *= std::pow(10.0, -12.0 * (double)j / (double)std::max(n - 1, (int64_t)1));
                break;
            case HALF_RANK: x = j > n / 2 ? zz(0) : x; break;
            case HUGE_ENTRIES: x *= single ? 0x1p120 : 0x1p1000; break;
            case TINY: x *= single ? 0x1p-120 : 0x1p-1000; break;
            case HILBERT: /* what is left of columns loses its digits at every step */
                x = 1.0 / (double)(i + j + 1);
                break;
            default: break;
            }
            a[(size_t)(j * ld + i)] = traits<T>::from(x);
        }
    if (f == NOT_FINITE && m * n > 0)
        a[(size_t)((n - 1) * ld + m - 1)] =
            traits<T>::from(std::numeric_limits<double>::quiet_NaN());
    return a;
}

template <class T> zz dot(int64_t rows, const T *x, const T *y)
{
    zz sum = 0;
    for (int64_t i = 0; i < rows; i++)
        sum += std::conj(traits<T>::widen(x[i])) * traits<T>::widen(y[i]);
    return sum;
}

template <class V> bool same_bits(const V &a, const V &b)
{
    return a.size() == b.size() && !std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]);
}

#endif
