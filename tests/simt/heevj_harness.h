/* What the tests of Hermitian eigensolvers on a device share: a batch of hard matrices, and the
 * verdict on what came back.
 *
 *   residual       |A Q - Q L|_F <= 10 n eps |A|_F
 *   orthogonality  |Q'Q - I|_F   <= 10 n eps
 *   values         |w - w_LAPACK|_max <= 10 n eps |A|_F, ascending
 *
 * LAPACK's zheev in double complex is the reference for all four types. Every matrix is stored
 * with ld > n, canaries in the gaps, and NaN where the contract says nobody reads: the other
 * triangle and the imaginary part of the diagonal.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_HEEVJ_HARNESS_H
#define ORR_TESTS_HEEVJ_HARNESS_H

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "device.h"
#include "kernels/heevj.h"

typedef std::complex<double> zz;

extern "C" void zheev_(const char *jobz, const char *uplo, const int *n, zz *a, const int *lda,
                       double *w, zz *work, const int *lwork, double *rwork, int *info);

template <class T> struct traits {
    typedef T real;
    static constexpr bool is_complex = false;
    static T from(zz x) { return (T)x.real(); }
    static T corrupt_diagonal(T x) { return x; }
    static zz widen(T x) { return (double)x; }
};
template <class R> struct traits<std::complex<R>> {
    typedef R real;
    static constexpr bool is_complex = true;
    static std::complex<R> from(zz x) { return {(R)x.real(), (R)x.imag()}; }
    static std::complex<R> corrupt_diagonal(std::complex<R> x)
    {
        return {x.real(), std::numeric_limits<R>::quiet_NaN()};
    }
    static zz widen(std::complex<R> x) { return zz(x.real(), x.imag()); }
};

enum family {
    RANDOM,
    ZERO,
    IDENTITY,
    ONES,
    GRADED,
    NOT_FINITE,
    HUGE_ENTRIES,
    TINY,
    DENORMAL,
    PLUS_MINUS,
    DIAGONAL,
    INFINITE,
    RANDOM_AGAIN,
    NFAMILIES
};
static const char *const family_name[] = {
    "random", "zero",     "identity",   "ones",     "graded", "NaN",         "1e300",
    "1e-300", "denormal", "plus-minus", "diagonal", "Inf",    "random again"};

/* The full Hermitian matrix, column major, ld = n, entries about 1. */
template <class T> std::vector<zz> make_matrix(family f, int n, std::mt19937 &random)
{
    std::normal_distribution<double> normal;
    std::vector<zz> a((size_t)n * n);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            zz x(normal(random), i != j && traits<T>::is_complex ? normal(random) : 0);
            switch (f) {
            case ZERO: x = 0; break;
            case IDENTITY: x = i == j; break;
            case ONES: x = 1; break;
            case GRADED: /* positive definite, rows scaled down to 1e-9 (1e-18 in the corner) */
                x = (i == j ? 1.0 : 0.3 * x / (double)n) *
                    std::pow(10.0, -9.0 * (i + j) / std::max(n - 1, 1));
                break;
            case PLUS_MINUS: x = i == n - 1 - j ? zz(1) : zz(0); break;
            case DIAGONAL: x = i == j ? x : 0; break;
            default: break;
            }
            x = traits<T>::widen(traits<T>::from(x));
            a[(size_t)j * n + i] = x;
            a[(size_t)i * n + j] = std::conj(x);
        }
    return a;
}

template <class T> int family_exponent(family f)
{
    const bool single = sizeof(typename traits<T>::real) == 4;
    switch (f) {
    case HUGE_ENTRIES: return single ? 118 : 996;
    case TINY: return single ? -119 : -996;
    case DENORMAL: return single ? -138 : -1060;
    default: return 0;
    }
}

/* The solver under test: device pointers in, statuses out. */
typedef std::function<orr_status(const orr_heevj_args *, void *a, void *w, orr_matrix_info *)>
    heevj_solver;

template <class T> struct heevj_case {
    typedef typename traits<T>::real R;
    orr_heevj_args args = {};
    std::vector<std::vector<zz>> full; /* without the exponent */
    std::vector<int> exponent, kind;
    std::vector<T> a;
    std::vector<R> w;
    std::vector<orr_matrix_info> info;
    static constexpr double gap_value = 12345;

    heevj_case(int n, const std::vector<family> &families, bool vectors, bool upper)
    {
        args.n = n;
        args.count = (int64_t)families.size();
        args.ld = n + 3;
        args.stride = args.ld * n + 5;
        args.ldw = n + 2;
        args.vectors = vectors;
        args.upper = upper;
        a.assign((size_t)(args.stride * args.count), traits<T>::from(gap_value));
        w.assign((size_t)(args.ldw * args.count), (R)gap_value);
        info.resize(families.size());
        std::mt19937 random(1000 + n);
        for (size_t k = 0; k < families.size(); k++) {
            const family f = families[k];
            const int e = family_exponent<T>(f);
            std::vector<zz> m = make_matrix<T>(f, n, random);
            T *const ak = &a[k * (size_t)args.stride];
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++) {
                    const zz x = m[(size_t)j * n + i];
                    T y = traits<T>::from({std::ldexp(x.real(), e), std::ldexp(x.imag(), e)});
                    /* What was rounded to a denormal is the matrix. */
                    const zz back = traits<T>::widen(y);
                    m[(size_t)j * n + i] = {std::ldexp(back.real(), -e),
                                            std::ldexp(back.imag(), -e)};
                    if (i == j)
                        y = traits<T>::corrupt_diagonal(y);
                    if (upper ? i > j : i < j)
                        y = traits<T>::from(std::numeric_limits<double>::quiet_NaN());
                    ak[j * args.ld + i] = y;
                }
            const double bad = f == NOT_FINITE ? std::numeric_limits<double>::quiet_NaN()
                                               : std::numeric_limits<double>::infinity();
            if (f == NOT_FINITE || f == INFINITE)
                ak[upper ? (n - 1) * args.ld : n - 1] = traits<T>::from(bad);
            full.push_back(m);
            exponent.push_back(e);
            kind.push_back(f);
        }
    }

    orr_status run(const heevj_solver &solve)
    {
        device_array<T> da(a);
        device_array<R> dw(w);
        device_array<orr_matrix_info> di(info);
        const orr_status s = solve(&args, da.get(), dw.get(), di.get());
        a = da.host();
        w = dw.host();
        info = di.host();
        return s;
    }

    bool same_bits(const heevj_case &o) const
    {
        return !std::memcmp(a.data(), o.a.data(), a.size() * sizeof(T)) &&
               !std::memcmp(w.data(), o.w.data(), w.size() * sizeof(R)) &&
               !std::memcmp(info.data(), o.info.data(), info.size() * sizeof info[0]);
    }

    void check_gaps(const std::string &where) const
    {
        for (int64_t k = 0; k < args.count; k++) {
            bool ok = true;
            for (int64_t e = 0; e < args.stride; e++)
                if (e / args.ld >= args.n || e % args.ld >= args.n)
                    ok = ok && a[(size_t)(k * args.stride + e)] == traits<T>::from(gap_value);
            for (int64_t e = args.n; e < args.ldw; e++)
                ok = ok && w[(size_t)(k * args.ldw + e)] == (R)gap_value;
            CHECK(ok, "%s: matrix %d: written outside the n x n square", where.c_str(), (int)k);
        }
    }

    void check(const std::string &where, orr_method method, bool converges = true)
    {
        check_gaps(where);
        for (int64_t k = 0; k < args.count; k++)
            check_one(where + ", " + family_name[kind[(size_t)k]], (size_t)k, method, converges);
    }

    void check_one(const std::string &where, size_t k, orr_method method, bool converges)
    {
        const int n = (int)args.n;
        const char *name = where.c_str();
        const orr_matrix_info &i = info[k];
        const T *q = &a[k * (size_t)args.stride];
        const R *v = &w[k * (size_t)args.ldw];
        CHECK(i.method == method && i.device == 1, "%s: method %d", name, i.method);
        if (kind[k] == NOT_FINITE || kind[k] == INFINITE) {
            bool nan = true;
            for (int j = 0; j < n; j++) {
                nan = nan && std::isnan(v[j]);
                for (int r = 0; r < n; r++)
                    nan = nan && std::isnan(traits<T>::widen(q[j * args.ld + r]).real());
            }
            CHECK(i.status == ORR_NONFINITE && nan, "%s: status %d", name, i.status);
            return;
        }
        if (!converges)
            return;
        CHECK(i.status == ORR_OK, "%s: status %d after %d sweeps, off %g", name, i.status, i.sweeps,
              i.off);
        most_sweeps = std::max(most_sweeps, i.sweeps);
        const double eps = std::numeric_limits<R>::epsilon();
        const int e = exponent[k];
        const std::vector<zz> &m = full[k];
        double norm2 = 0;
        for (const zz &x : m)
            norm2 += std::norm(x);
        const double norm = std::sqrt(norm2), unit = 10 * n * eps;
        /* Eigenvalues that are denormal themselves are rounded to the grid of denormals. */
        const double grid = std::ldexp((double)std::numeric_limits<R>::denorm_min(), -e);
        CHECK(std::fabs(std::ldexp(i.norm, -e) - norm) <= unit * norm + grid, "%s: norm %g", name,
              i.norm);
        CHECK(method == ORR_METHOD_LANES ? std::isnan(i.off) : i.off >= 0 && i.off <= 100 * eps,
              "%s: off %g", name, i.off);

        std::vector<zz> lapack = m, work(64 * (size_t)n);
        std::vector<double> ref((size_t)n), rwork(3 * (size_t)n);
        const int lwork = (int)work.size();
        int bad = 0;
        zheev_("N", "L", &n, lapack.data(), &n, ref.data(), work.data(), &lwork, rwork.data(),
               &bad);
        std::vector<double> mine((size_t)n);
        double worst = 0;
        for (int j = 0; j < n; j++) {
            mine[(size_t)j] = std::ldexp((double)v[j], -e);
            worst = std::max(worst, std::fabs(mine[(size_t)j] - ref[(size_t)j]));
            CHECK(j == 0 || v[j - 1] <= v[j], "%s: values not ascending", name);
        }
        CHECK(worst <= unit * norm + grid, "%s: |w - w_LAPACK| = %.3g > 10 n eps |A| = %.3g", name,
              worst, unit * norm);
        if (!args.vectors)
            return;
        std::vector<zz> z((size_t)n * n);
        for (int j = 0; j < n; j++)
            for (int r = 0; r < n; r++)
                z[(size_t)(j * n + r)] = traits<T>::widen(q[j * args.ld + r]);
        double residual = 0, orthogonality = 0;
        for (int j = 0; j < n; j++)
            for (int r = 0; r < n; r++) {
                zz s = -z[(size_t)(j * n + r)] * mine[(size_t)j], g = r == j ? -1 : 0;
                for (int l = 0; l < n; l++) {
                    s += m[(size_t)(l * n + r)] * z[(size_t)(j * n + l)];
                    g += std::conj(z[(size_t)(r * n + l)]) * z[(size_t)(j * n + l)];
                }
                residual += std::norm(s);
                orthogonality += std::norm(g);
            }
        residual = std::sqrt(residual);
        orthogonality = std::sqrt(orthogonality);
        CHECK(residual <= unit * norm + n * grid, "%s: |AQ-QL| = %.3g > 10 n eps |A| = %.3g", name,
              residual, unit * norm);
        CHECK(orthogonality <= unit, "%s: |Q'Q-I| = %.3g > 10 n eps = %.3g", name, orthogonality,
              unit);
        if (norm > 0 && grid < eps * norm)
            worst_residual = std::max(worst_residual, residual / (n * eps * norm));
        worst_orthogonality = std::max(worst_orthogonality, orthogonality / (n * eps));
    }
    double worst_residual = 0, worst_orthogonality = 0;
    int most_sweeps = 0;
};

#endif
