/* What the tests of hb2st on a device share: bands, runs of all tasks of a reduction on a CPU or
 * a device, and the verdict.
 *
 *   residual       |A - Q T Q'|_F <= 20 n eps |A|_F     Q from the reflectors, by the CPU kernel
 *   orthogonality  |Q'Q - I|_F    <= 20 n eps
 *   values         |w - w_CPU|    <= 20 n eps |A|_F     eigenvalues of T, by LAPACK's dsterf
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_HB2ST_HARNESS_H
#define ORR_TESTS_HB2ST_HARNESS_H

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
#include "scalars.h"
#include "kernels/hb2st_apply.h"
#include "kernels/hb2st_chase.h"
#include "kernels/hb2st_io.h"

extern "C" void dsterf_(const int *n, double *d, double *e, int *info);

enum family { RANDOM, ZERO, DIAGONAL, TRIDIAGONAL, BLOCKS, RANK_ONE, TINY_COLUMNS, NFAMILIES };
static const char *const family_name[] = {"random",      "zero",         "diagonal",
                                          "tridiagonal", "b x b blocks", "rank one in the corner",
                                          "tiny columns"};

/* Lower band, b+1 entries per column, entries about 1. */
template <class T> std::vector<T> make_band(family f, int64_t n, int64_t b)
{
    std::mt19937 random((unsigned)(1000 * n + b));
    std::normal_distribution<double> normal;
    std::vector<T> ab((size_t)(n * (b + 1)));
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k <= b && j + k < n; k++) {
            zz x(normal(random), k > 0 && traits<T>::is_complex ? normal(random) : 0);
            switch (f) {
            case ZERO: x = 0; break;
            case DIAGONAL: x = k == 0 ? x : 0; break;
            case TRIDIAGONAL: x = k <= 1 ? x : 0; break;
            case BLOCKS: x = j / b == (j + k) / b ? x : 0; break;
            case RANK_ONE: x = j + k <= b ? 1 : 0; break;
            case TINY_COLUMNS:
                if (j % 3 == 0 && k > 0)
                    x *= sizeof(typename traits<T>::real) == 4 ? 1e-30 : 1e-200;
                break;
            default: break;
            }
            ab[(size_t)(j * (b + 1) + k)] = traits<T>::from(x);
        }
    return ab;
}

/* A reduction's data, on the host. */
template <class T> struct reduction {
    typedef typename traits<T>::real R;
    orr_hb2st_shape a = {};
    std::vector<T> h, carry, v; /* all blocks, all carries, all reflectors */
    std::vector<R> d, e;

    reduction(int64_t n, int64_t b, int64_t D, int64_t G, const std::vector<T> &ab)
    {
        a.n = n;
        a.b = b;
        a.sweeps = orr_hb2st_sweeps(traits<T>::is_complex, n, b);
        a.D = D > 0 ? D : n;
        a.G = G > 0 ? G : std::max<int64_t>(a.sweeps, 1);
        a.ldh = orr_hb2st_ldh(sizeof(T), b);
        a.lead = orr_hb2st_lead(sizeof(T));
        h.resize((size_t)(block() * orr_hb2st_blocks(&a)));
        carry.assign((size_t)(a.G * (b + 1) * orr_hb2st_groups(&a)), traits<T>::from(12345));
        v.assign((size_t)orr_hb2st_v_offset(&a, a.sweeps), traits<T>::from(12345));
        d.resize((size_t)n);
        e.resize((size_t)n);
        const orr_hb2st_user user = {ab.data(), b + 1, b, 0, 0};
        for (int64_t m = 0; m < orr_hb2st_blocks(&a); m++)
            orr_hb2st_load_cpu[traits<T>::type](&a, m, &user, 1.0, &h[(size_t)(m * block())]);
    }
    int64_t block() const { return a.lead + a.D * a.ldh; }

    /* Calls task(g, m, h0, h1, carry, v) for every task, in order of sweeps. */
    template <class F> void tasks(T *hp, T *cp, T *vp, F task) const
    {
        for (int64_t g = 0; g < orr_hb2st_groups(&a); g++)
            for (int64_t m = 0; m < orr_hb2st_blocks(&a); m++)
                task(g, m, m > 0 ? hp + (m - 1) * block() : nullptr, hp + m * block(),
                     cp + g * a.G * (a.b + 1), vp ? vp + orr_hb2st_v_offset(&a, g * a.G) : nullptr);
    }
    void store()
    {
        for (int64_t m = 0; m < orr_hb2st_blocks(&a); m++)
            orr_hb2st_store_cpu[traits<T>::type](&a, m, &h[(size_t)(m * block())], 1.0, d.data(),
                                                 e.data());
    }
    void run_cpu()
    {
        tasks(h.data(), carry.data(), v.data(),
              [&](int64_t g, int64_t m, T *h0, T *h1, T *c, T *vg) {
                  CHECK(orr_hb2st_chase_cpu[traits<T>::type](&a, g, m, h0, h1, c, vg) == ORR_OK,
                        "CPU");
              });
        store();
    }
    /* By a table of launchers; one scratch for all launches, never cleared by us. */
    void run_device(orr_hb2st_chase_cuda_fn *const *table, bool vectors, const std::string &where)
    {
        const int64_t scratch = table == orr_hb2st_chase_cuda_numbered
                                    ? orr_hb2st_chase_cuda_numbered_scratch(traits<T>::type, &a)
                                    : orr_hb2st_chase_cuda_scratch(&a);
        device_array<T> dh(h), dc(carry), dv(v);
        device_array<int> words(std::vector<int>((size_t)scratch / sizeof(int) + 1, 0x5a5a5a5a));
        tasks(dh.get(), dc.get(), vectors ? dv.get() : nullptr,
              [&](int64_t g, int64_t m, T *h0, T *h1, T *c, T *vg) {
                  CHECK(table[traits<T>::type](nullptr, &a, g, m, h0, h1, c, vg, words.get()) ==
                            ORR_OK,
                        "%s: launch", where.c_str());
              });
        const std::string error = device_error();
        CHECK(error.empty(), "%s: %s", where.c_str(), error.c_str());
        h = dh.host();
        v = dv.host();
        store();
    }
    bool same_bits(const reduction &o) const
    {
        const auto same = [](const auto &x, const auto &y) {
            return x.empty() || !std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]);
        };
        return same(d, o.d) && same(e, o.e) && same(v, o.v);
    }
    std::vector<double> values(const std::string &where) const
    {
        std::vector<double> w(d.begin(), d.end()), off(e.begin(), e.end());
        const int n = (int)a.n;
        int info = 0;
        if (n > 0)
            dsterf_(&n, w.data(), off.data(), &info);
        CHECK(info == 0, "%s: dsterf %d", where.c_str(), info);
        return w;
    }
    double norm(const std::vector<T> &ab) const
    {
        double s = 0;
        for (int64_t j = 0; j < a.n; j++)
            for (int64_t k = 0; k <= a.b && j + k < a.n; k++)
                s += (k ? 2 : 1) * std::norm(traits<T>::widen(ab[(size_t)(j * (a.b + 1) + k)]));
        return std::sqrt(s);
    }

    double residual = 0, orthogonality = 0, value_error = 0;

    void check_values(const reduction &cpu, const std::vector<T> &ab, const std::string &where)
    {
        const double unit = (double)a.n * std::numeric_limits<R>::epsilon();
        const double size = norm(ab);
        const std::vector<double> mine = values(where), theirs = cpu.values(where);
        double worst = 0;
        for (size_t i = 0; i < mine.size(); i++) {
            const double x = std::fabs(mine[i] - theirs[i]);
            worst = x > worst || x != x ? x : worst;
        }
        CHECK(worst <= 20 * unit * size, "%s: |w - w_CPU| = %.3g > 20 n eps |A| = %.3g",
              where.c_str(), worst, 20 * unit * size);
        value_error = size > 0 ? worst / (unit * size) : 0;
        /* Nothing is left beside the diagonals. */
        for (int64_t m = 0; m < orr_hb2st_blocks(&a); m++)
            for (int64_t c = 0; c < orr_hb2st_block_columns(&a, m); c++)
                for (int64_t k = 0; k < a.ldh; k++) {
                    const zz x =
                        traits<T>::widen(h[(size_t)(m * block() + a.lead + c * a.ldh + k)]);
                    CHECK(k < 2 ? x.imag() == 0 : x == 0.0, "%s: column %d, offset %d: %g + %gi",
                          where.c_str(), (int)(m * a.D + c), (int)k, x.real(), x.imag());
                }
    }
    /* Q E and Q'E of some columns, by the device's kernel against the CPU's. */
    void check_apply(const std::string &where) const
    {
        const orr_hb2st_blocking by = {3, 2, ORR_HB2ST_PRODUCTS};
        const int64_t n = a.n, k = 3, lde = n + 2, groups = orr_hb2st_groups(&a);
        std::mt19937 random(7);
        std::normal_distribution<double> normal;
        std::vector<T> start((size_t)(lde * k));
        for (T &x : start)
            x = traits<T>::from(zz(normal(random), normal(random)));
        for (const int adjoint : {0, 1}) {
            std::vector<T> cpu = start;
            device_array<T> dv(v), de(start),
                work(std::vector<T>((size_t)orr_hb2st_apply_work(&a, &by, k)));
            for (int64_t step = 0; step < groups; step++) {
                const int64_t g = adjoint ? step : groups - 1 - step;
                const int64_t at = orr_hb2st_v_offset(&a, g * a.G);
                const void *host_v = v.data() + at, *device_v = dv.get() + at;
                CHECK(orr_hb2st_apply_cpu[traits<T>::type](&a, g, 1, &host_v, adjoint, k,
                                                           cpu.data(), lde) == ORR_OK,
                      "%s: apply", where.c_str());
                CHECK(orr_hb2st_apply_cuda[traits<T>::type](nullptr, &a, g, 1, &device_v, adjoint,
                                                            k, de.get(), lde, &by,
                                                            work.get()) == ORR_OK,
                      "%s: apply", where.c_str());
            }
            const std::string error = device_error();
            CHECK(error.empty(), "%s, apply: %s", where.c_str(), error.c_str());
            const std::vector<T> got = de.host();
            double worst = 0;
            bool gaps = true;
            for (int64_t c = 0; c < k; c++)
                for (int64_t i = 0; i < lde; i++) {
                    const size_t at = (size_t)(c * lde + i);
                    const double x =
                        std::abs(traits<T>::widen(got[at]) - traits<T>::widen(cpu[at]));
                    worst = x > worst || x != x ? x : worst;
                    gaps = gaps && (i < n || got[at] == start[at]);
                }
            CHECK(worst <= 20 * (double)n * std::numeric_limits<R>::epsilon() && gaps,
                  "%s, apply%s: |difference| = %.3g, gaps %d", where.c_str(),
                  adjoint ? " adjoint" : "", worst, gaps);
        }
    }
    void check_vectors(const std::vector<T> &ab, const std::string &where)
    {
        const int64_t n = a.n;
        const double unit = (double)n * std::numeric_limits<R>::epsilon(), size = norm(ab);
        std::vector<T> q((size_t)(n * n));
        orr_hb2st_unit_cpu[traits<T>::type](n, 0, 1, nullptr, n, q.data(), n);
        std::vector<const void *> groups;
        for (int64_t g = 0; g < orr_hb2st_groups(&a); g++)
            groups.push_back(v.data() + orr_hb2st_v_offset(&a, g * a.G));
        CHECK(orr_hb2st_apply_cpu[traits<T>::type](&a, 0, orr_hb2st_groups(&a), groups.data(), 0, n,
                                                   q.data(), n) == ORR_OK,
              "%s: apply", where.c_str());
        std::vector<zz> z(q.size()), full(q.size());
        for (size_t k = 0; k < q.size(); k++)
            z[k] = traits<T>::widen(q[k]);
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k <= a.b && j + k < n; k++) {
                const zz x = traits<T>::widen(ab[(size_t)(j * (a.b + 1) + k)]);
                full[(size_t)(j * n + j + k)] = x;
                full[(size_t)((j + k) * n + j)] = std::conj(x);
            }
        /* A Q - Q T, and Q'Q - I */
        double r = 0, o = 0;
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
                zz s = -z[(size_t)(j * n + i)] * (double)d[(size_t)j];
                if (j > 0)
                    s -= z[(size_t)((j - 1) * n + i)] * (double)e[(size_t)(j - 1)];
                if (j + 1 < n)
                    s -= z[(size_t)((j + 1) * n + i)] * (double)e[(size_t)j];
                for (int64_t l = std::max<int64_t>(0, i - a.b); l <= i + a.b && l < n; l++)
                    s += full[(size_t)(l * n + i)] * z[(size_t)(j * n + l)];
                r += std::norm(s);
                zz g = i == j ? -1 : 0;
                for (int64_t l = 0; l < n; l++)
                    g += std::conj(z[(size_t)(i * n + l)]) * z[(size_t)(j * n + l)];
                o += std::norm(g);
            }
        r = std::sqrt(r);
        o = std::sqrt(o);
        CHECK(r <= 20 * unit * size, "%s: |AQ - QT| = %.3g > 20 n eps |A| = %.3g", where.c_str(), r,
              20 * unit * size);
        CHECK(o <= 20 * unit, "%s: |Q'Q - I| = %.3g > 20 n eps = %.3g", where.c_str(), o,
              20 * unit);
        residual = size > 0 ? r / (unit * size) : 0;
        orthogonality = o / unit;
    }
};

#endif
