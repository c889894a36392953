/* Secular equations for the tests of merges on a device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_MERGE_CASES_H
#define ORR_TESTS_MERGE_CASES_H

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "device.h"
#include "kernels/merge.h"
#include "scalars.h"

static uint64_t state;

/* In (-1, 1), as tests/numbers.h. */
static double uniform()
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (double)(int64_t)(state * 0x2545F4914F6CDD1Dull) * 0x1p-63;
}

template <class T> static T nothing() { return std::numeric_limits<T>::quiet_NaN(); }
template <class T> static double eps_of() { return (double)std::numeric_limits<T>::epsilon(); }

enum poles { EVEN, CLOSE, GRADED, TINY, FALLING, PAIRS, NEGATIVE, KINDS };
static const char *const poles_name[KINDS] = {"even",    "close", "graded",  "tiny z",
                                              "falling", "pairs", "negative"};

template <class T> struct equation {
    int64_t k;
    T rho;
    std::vector<T> told; /* poles, z, and what is for columns */
    T pole(int64_t i) const { return told[(size_t)i]; }
    T z(int64_t i) const { return told[(size_t)(k + i)]; }
};

/* Poles apart as after a deflation, |z| = 1. Of squares the first is 0, and none is below. */
template <class T> static equation<T> make_equation(poles kind, int64_t k, bool squares)
{
    const double eps = eps_of<T>();
    equation<T> f = {k, (T)(kind == TINY ? 1e-3 : kind == FALLING ? 10 : 1), {}};
    std::vector<double> z((size_t)k);
    double at = kind == NEGATIVE && !squares ? -1 : 0, length = 0;
    f.told.assign((size_t)(ORR_MERGE_TOLD * k), nothing<T>());
    for (int64_t i = 0; i < k; i++) {
        const double u = 0.5 + 0.5 * std::fabs(uniform()), v = uniform();
        const bool close = kind == CLOSE || (kind == PAIRS && i % 2);
        at += close            ? 20 * eps * u
              : kind == GRADED ? std::pow(eps, (double)(k - i) / (double)k) * u
                               : u / (double)k;
        f.told[(size_t)i] = (T)(squares && i == 0 ? 0 : kind == CLOSE ? 1 + at : at);
        z[(size_t)i] = kind == TINY && i % 3 ? v * 10 * eps
                       : kind == FALLING     ? std::pow(eps, (double)i / (double)k) * u
                                             : v;
        if (std::fabs(z[(size_t)i]) < 10 * eps)
            z[(size_t)i] = 10 * eps;
        length += z[(size_t)i] * z[(size_t)i];
    }
    for (int64_t i = 0; i < k; i++)
        f.told[(size_t)(k + i)] = (T)(z[(size_t)i] / std::sqrt(length));
    return f;
}

#endif
