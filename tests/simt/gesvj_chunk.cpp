/* gesvj of whole small matrices on a device, four types, orders and rows with padding and without, in every
 * interleaving with bitwise equal results; residual and orthogonality as the CPU kernel measures them, <= 20,
 * values to 20 n eps |A| of the CPU's, to 50 n eps of each if graded.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gesvj_cases.h"

template <class T> struct whole_case {
    typedef typename traits<T>::real R;
    orr_gesvj_args g = {};
    int64_t k;
    std::vector<family> families;
    std::vector<T> a, u, v;
    std::vector<R> s;
    std::vector<orr_matrix_info> info;

    whole_case(int64_t m, int64_t n, const std::vector<family> &f) : k(std::min(m, n)), families(f)
    {
        g.m = m;
        g.n = n;
        g.count = (int64_t)f.size();
        g.ld = m + 1;
        g.stride = g.ld * n + 2;
        g.lds = k + 1;
        g.ldu = m + 2;
        g.strideu = g.ldu * k + 1;
        g.ldv = n + 1;
        g.stridev = g.ldv * k;
        g.left = g.right = 1;
        g.nb = 16;
        g.precondition = 1;
        a.assign((size_t)(g.stride * g.count), traits<T>::from(12345));
        for (size_t l = 0; l < f.size(); l++) {
            const std::vector<T> one = make_matrix<T>(f[l], m, n, g.ld);
            std::copy(one.begin(), one.end(), a.begin() + (std::ptrdiff_t)(l * (size_t)g.stride));
        }
        u.assign((size_t)(g.strideu * g.count), traits<T>::from(12345));
        v.assign((size_t)(g.stridev * g.count), traits<T>::from(12345));
        s.assign((size_t)(g.lds * g.count), 12345);
        info.resize(f.size());
    }
    orr_status run()
    {
        const orr_type t = traits<T>::type;
        device_array<T> da(a), du(u), dv(v);
        device_array<R> ds(s);
        device_array<orr_matrix_info> di(info);
        device_array<char> work(std::vector<char>((size_t)orr_gesvj_cuda_work(t, &g)));
        const orr_status status =
            orr_gesvj_cuda[t](nullptr, &g, da.get(), ds.get(), g.left ? du.get() : nullptr,
                              g.right ? dv.get() : nullptr, work.get(), di.get());
        u = du.host();
        v = dv.host();
        s = ds.host();
        info = di.host();
        return status;
    }
    template <class X>
    void check_gaps(const std::string &where, const std::vector<X> &x, int64_t stride, int64_t rows,
                    int64_t ld, int64_t columns, X gap) const
    {
        for (int64_t e = 0; e < (int64_t)x.size(); e++)
            if (e % stride / ld >= columns || e % stride % ld >= rows)
                CHECK(x[(size_t)e] == gap, "%s: padding was written", where.c_str());
    }
    void check(const std::string &where)
    {
        check_gaps<T>(where, u, g.strideu, g.m, g.ldu, k, traits<T>::from(12345));
        check_gaps<T>(where, v, g.stridev, g.n, g.ldv, k, traits<T>::from(12345));
        check_gaps<R>(where, s, g.lds, k, k + 1, 1, (R)12345);
        orr_gesvj_check_cpu[traits<T>::type](&g, a.data(), s.data(), u.data(), v.data(),
                                             info.data());
        whole_case cpu = *this;
        orr_gesvj_cpu[traits<T>::type](&cpu.g, a.data(), cpu.s.data(), cpu.u.data(), cpu.v.data(),
                                       cpu.info.data());
        for (size_t l = 0; l < families.size(); l++)
            check_one(where + ", " + family_name[families[l]], l, cpu);
    }
    void check_one(const std::string &where, size_t l, const whole_case &cpu)
    {
        const orr_matrix_info &i = info[l];
        const R *const mine = &s[l * (size_t)g.lds], *const other = &cpu.s[l * (size_t)g.lds];
        CHECK(i.status == cpu.info[l].status && i.method == ORR_METHOD_JACOBI && i.device == 1,
              "%s: status %d", where.c_str(), i.status);
        if (families[l] == NOT_FINITE) {
            CHECK(std::isnan(mine[0]) && std::isnan(mine[k - 1]) && i.norm != i.norm, "%s: not NaN",
                  where.c_str());
            return;
        }
        const double unit = (double)std::max(g.m, g.n) * eps_of<T>();
        CHECK(std::fabs(i.norm - cpu.info[l].norm) <= unit * i.norm, "%s: norm %g", where.c_str(),
              i.norm);
        CHECK(i.residual <= 20 && i.orthogonality <= 20, "%s: residual %g, orthogonality %g",
              where.c_str(), i.residual, i.orthogonality);
        for (int64_t j = 0; j < k; j++) {
            const double slack = families[l] == GRADED && g.m >= g.n ? 50 * unit * (double)other[j]
                                                                     : 20 * unit * (double)other[0];
            CHECK(std::fabs((double)mine[j] - (double)other[j]) <= slack,
                  "%s: s(%d) = %g, on the CPU %g", where.c_str(), (int)j, (double)mine[j],
                  (double)other[j]);
            CHECK(mine[j] >= 0 && (j == 0 || mine[j - 1] >= mine[j]), "%s: s is not descending",
                  where.c_str());
        }
        residual = std::max(residual, i.residual);
        orthogonality = std::max(orthogonality, i.orthogonality);
        sweeps = std::max(sweeps, (int)i.sweeps);
    }
    double residual = 0, orthogonality = 0;
    int sweeps = 0;
};

template <class T> static void test_whole(int64_t m, int64_t n, const std::vector<family> &families)
{
    const std::string what = "whole, type " + std::to_string(traits<T>::type) + ", " +
                             std::to_string(m) + " x " + std::to_string(n);
    const whole_case<T> input(m, n, families);
    whole_case<T> first = input;
    int runs = 0;
    for_some_orders(want_long() || (m > 8 && n > 8 && n < 32), [&](const char *order) {
        whole_case<T> c = input;
        CHECK(c.run() == ORR_OK, "%s, %s: launch", what.c_str(), order);
        const std::string error = device_error();
        CHECK(error.empty(), "%s, %s: %s", what.c_str(), order, error.c_str());
        if (runs++ == 0)
            first = c;
        CHECK(same_bits(c.s, first.s) && same_bits(c.u, first.u) && same_bits(c.v, first.v) &&
                  same_bits(c.info, first.info),
              "%s: %s differs", what.c_str(), order);
    });
    for (int part = 0; part < 3; part++) { /* values, U, V alone */
        whole_case<T> c = input;
        c.g.left = part == 1;
        c.g.right = part == 2;
        CHECK(c.run() == ORR_OK && same_bits(c.s, first.s) &&
                  same_bits(c.u, part == 1 ? first.u : input.u) &&
                  same_bits(c.v, part == 2 ? first.v : input.v),
              "%s: part %d differs", what.c_str(), part);
    }
    first.check(what);
    std::printf("%s: residual %.2f, orthogonality %.2f, %d sweeps\n", what.c_str(), first.residual,
                first.orthogonality, first.sweeps);
    if (std::min(m, n) >= 5) {
        whole_case<T> one(m, n, {RANDOM});
        one.g.max_sweeps = 1;
        CHECK(one.run() == ORR_OK && one.info[0].status == ORR_NOCONV && one.info[0].sweeps == 1,
              "%s: max_sweeps 1: status %d, sweeps %d", what.c_str(), one.info[0].status,
              one.info[0].sweeps);
    }
}

template <class T> static void test_type(bool big)
{
    std::vector<family> all;
    for (int f = 0; f < NFAMILIES; f++)
        all.push_back((family)f);
    for (const int64_t n : {1, 2, 5})
        test_whole<T>(n, n, all);
    test_whole<T>(9, 5, all);
    test_whole<T>(5, 11, {RANDOM, GRADED, HALF_RANK});
    if (big)
        test_whole<T>(21, 17, all);
    test_whole<T>(17, 40, {RANDOM, EQUAL});
    if (big)
        test_whole<T>(33, 40, {RANDOM, HALF_RANK});
    if (want_long())
        for (const int64_t n : {8, 16, 31, 32, 33, 48, 63, 64})
            for (const int64_t m : {n, 3 * n + 1, n / 2})
                test_whole<T>(m, n, all);
}

static void body()
{
    const bool big = want_long() || !slow_build;
    test_type<float>(big);
    test_type<double>(big);
    test_type<std::complex<float>>(want_long());
    test_type<zz>(want_long());

    whole_case<double> wide(70, 66, {RANDOM});
    CHECK(orr_gesvj_cuda[ORR_D](nullptr, &wide.g, nullptr, nullptr, nullptr, nullptr, nullptr,
                                nullptr) == ORR_E_ARG,
          "order 66 was taken");
    whole_case<double> empty(0, 5, {});
    CHECK(orr_gesvj_cuda[ORR_D](nullptr, &empty.g, nullptr, nullptr, nullptr, nullptr, nullptr,
                                nullptr) == ORR_OK,
          "count 0");
}

int main() { return device_main(body); }
