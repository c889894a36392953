/* What the tests of the first stages on a device share: tasks run on both processors, and the
 * verdict on a factorization.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SIMT_STAGE1_HARNESS_H
#define ORR_SIMT_STAGE1_HARNESS_H

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "device.h"
#include "scalars.h"

constexpr double limit = 20;

template <class T> constexpr double eps_of()
{
    return sizeof(typename traits<T>::real) == 4 ? (double)FLT_EPSILON : DBL_EPSILON;
}

template <class T> T not_a_number()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return traits<T>::from(zz(nan, nan));
}

/* m x n, normally distributed entries; Hermitian: m = n. */
template <class T> std::vector<T> random_matrix(int64_t m, int64_t n, bool hermitian)
{
    std::mt19937 random((unsigned)(1000 * m + n));
    std::normal_distribution<double> normal;
    std::vector<T> a((size_t)(m * n));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = hermitian ? j : 0; i < m; i++) {
            const bool real = !traits<T>::is_complex || (hermitian && i == j);
            const double re = normal(random), im = real ? 0 : normal(random);
            a[(size_t)(i + j * m)] = traits<T>::from(zz(re, im));
            if (hermitian)
                a[(size_t)(j + i * m)] = traits<T>::from(zz(re, -im));
        }
    return a;
}

/* Runs tasks on a device, and the same on a CPU to compare with if `check`. F: the functions of a
 * processor; n: the order that errors are measured by. */
template <class T, class F> struct compared {
    F cpu, cuda;
    int64_t n;
    bool check;
    double worst = 0;

    /* all: the memory of the task; run(functions, its beginning). */
    template <class Run> void task(std::vector<T> &all, const std::string &what, Run run)
    {
        std::vector<T> expected = check ? all : std::vector<T>();
        if (check)
            CHECK(run(cpu, expected.data()) == ORR_OK, "%s on the CPU", what.c_str());
        device_array<T> on_device(all);
        CHECK(run(cuda, on_device.get()) == ORR_OK, "%s", what.c_str());
        const std::string error = device_error();
        CHECK(error.empty(), "%s: %s", what.c_str(), error.c_str());
        all = on_device.host();
        if (check)
            compare(all, expected, what);
    }

  private:
    void compare(const std::vector<T> &got, const std::vector<T> &expected, const std::string &what)
    {
        double size = 0, difference = 0;
        for (size_t k = 0; k < got.size(); k++) {
            const zz x = traits<T>::widen(got[k]), y = traits<T>::widen(expected[k]);
            const bool unwritten = std::isnan(y.real());
            size += unwritten ? 0 : std::norm(y);
            difference += unwritten && std::isnan(x.real()) ? 0 : std::norm(x - y);
        }
        const double e = size > 0 ? std::sqrt(difference / size) / (double)n / eps_of<T>() : 0;
        worst = std::max(worst, e);
        CHECK(e <= limit && difference == difference, "%s: %g n eps from the CPU's", what.c_str(),
              e);
    }
};

/* Column major, in double complex. */
struct dense {
    int64_t m, n;
    std::vector<zz> x;
    dense(int64_t m_, int64_t n_) : m(m_), n(n_), x((size_t)(m_ * n_)) {}
    zz &operator()(int64_t i, int64_t j) { return x[(size_t)(i + j * m)]; }
    const zz &operator()(int64_t i, int64_t j) const { return x[(size_t)(i + j * m)]; }
};

/* A B, or A B' */
inline dense product_of(const dense &a, const dense &b, bool adjoint)
{
    const int64_t n = adjoint ? b.m : b.n;
    dense c(a.m, n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < a.n; k++) {
            const zz by = adjoint ? std::conj(b(j, k)) : b(k, j);
            for (int64_t i = 0; i < a.m; i++)
                c(i, j) += a(i, k) * by;
        }
    return c;
}

template <class T> dense dense_of(const T *x, int64_t m, int64_t n, int64_t ld)
{
    dense d(m, n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            d(i, j) = traits<T>::widen(x[i + j * ld]);
    return d;
}

/* |a - b|_F / (n eps |b|_F) */
template <class T> double distance(const dense &a, const dense &b)
{
    double size = 0, difference = 0;
    for (size_t k = 0; k < a.x.size(); k++) {
        size += std::norm(b.x[k]);
        difference += std::norm(a.x[k] - b.x[k]);
    }
    return std::sqrt(difference / size) / (double)std::max(a.m, a.n) / eps_of<T>();
}

/* |Q Q' - I|_F / (n eps), Q square */
template <class T> double departure(const dense &q)
{
    const dense c = product_of(q, q, true);
    double sum = 0;
    for (int64_t j = 0; j < c.n; j++)
        for (int64_t i = 0; i < c.m; i++)
            sum += std::norm(c(i, j) - (i == j ? 1.0 : 0.0));
    return std::sqrt(sum) / (double)q.n / eps_of<T>();
}

/* What was computed in an order: keeps the first, with which all others agree bit for bit. */
template <class T>
bool is_first(std::vector<T> &first, const std::vector<T> &now, const std::string &what)
{
    if (first.empty()) {
        first = now;
        return true;
    }
    CHECK(!std::memcmp(first.data(), now.data(), first.size() * sizeof(T)),
          "%s: the result depends on the order", what.c_str());
    return false;
}

inline void verdict(const std::string &what, double tasks, double residual, double orthogonality)
{
    CHECK(residual <= limit && orthogonality <= limit, "%s: residual %g, orthogonality %g",
          what.c_str(), residual, orthogonality);
    std::printf("%s: tasks within %.2f, residual %.2f, orthogonality %.2f (limit %g)\n",
                what.c_str(), tasks, residual, orthogonality, limit);
}

/* The unit matrix of order n as a vector with leading dimension ld, gaps NaN. */
template <class T> std::vector<T> unit_matrix(int64_t n, int64_t ld)
{
    std::vector<T> e((size_t)(n * ld), not_a_number<T>());
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            e[(size_t)(i + j * ld)] = traits<T>::from(i == j);
    return e;
}

#endif
