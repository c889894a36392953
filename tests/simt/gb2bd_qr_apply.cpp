/* gb2bd_qr_apply on a device: products of groups of reflectors against the same reflectors applied one
 * at a time in double precision. Last groups that are short, more groups than are packed at a time,
 * reflectors that are cut off at the last row, one column; some reflectors are I, with numbers that must
 * not matter.
 *
 *   product   |E - H .. H E0|_F / (eps sqrt(n) |E0|_F)                                      <= 4
 *   orders    the same bits in every interleaving of thread blocks
 *   outside   rows before the first column, rows that no reflector reaches, and elements behind E, are
 *             not touched
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "device.h"
#include "kernels/gb2bd.h"
#include "scalars.h"

static const double LIMIT = 4;

struct problem {
    int64_t rows, kl, first, count, k;
};

template <class T> struct reflectors {
    const problem &p;
    std::vector<T> u;

    explicit reflectors(const problem &p_) : p(p_), u((size_t)(p.count * (p.kl + 1)))
    {
        std::mt19937 random((unsigned)(100 * p.rows + p.kl));
        std::uniform_real_distribution<double> uniform(-1, 1);
        for (int64_t j = 0; j < p.count; j++) {
            T *const v = &u[(size_t)(j * (p.kl + 1))];
            double sum = 1;
            for (int64_t i = 1; i <= p.kl; i++) {
                v[i] = traits<T>::from(zz(uniform(random), uniform(random)));
                sum += i < length(j) ? std::norm(traits<T>::widen(v[i])) : 0;
            }
            const zz turn = traits<T>::is_complex ? std::polar(1.0, uniform(random)) : 1;
            v[0] = traits<T>::from(j % 9 == 4 ? 0 : (1.0 + turn) / sum);
        }
    }
    int64_t length(int64_t j) const { return std::min<int64_t>(p.kl + 1, p.rows - p.first - j); }

    /* One reflector after the other on a column, the last one first. */
    void apply(std::vector<zz> &x) const
    {
        for (int64_t j = p.count - 1; j >= 0; j--) {
            const T *const v = &u[(size_t)(j * (p.kl + 1))];
            zz *const e = &x[(size_t)(p.first + j)];
            zz dot = e[0];
            for (int64_t i = 1; i < length(j); i++)
                dot += std::conj(traits<T>::widen(v[i])) * e[i];
            dot *= traits<T>::widen(v[0]);
            e[0] -= dot;
            for (int64_t i = 1; i < length(j); i++)
                e[i] -= traits<T>::widen(v[i]) * dot;
        }
    }
};

static double worst[ORR_NTYPES];

template <class T> static void test(const problem &p, bool all_orders)
{
    typedef typename traits<T>::real R;
    const reflectors<T> q(p);
    const int64_t lde = p.rows + 3, after = p.first + p.count + p.kl;
    const std::string name = std::string("type ") + "sdcz"[traits<T>::type] + ", rows " +
                             std::to_string(p.rows) + ", kl " + std::to_string(p.kl) +
                             ", columns " + std::to_string(p.first) + " + " +
                             std::to_string(p.count) + ", k " + std::to_string(p.k);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<T> start((size_t)(lde * p.k));
    for (T &x : start)
        x = traits<T>::from(zz(uniform(random), uniform(random)));
    device_array<T> u(q.u);
    const auto run = [&](const char *order) {
        const size_t size = (size_t)orr_gb2bd_qr_apply_work(p.kl, p.count, p.k);
        const T dirt = traits<T>::from(zz(std::numeric_limits<double>::quiet_NaN(), 0));
        device_array<T> e(start), work(std::vector<T>(size, dirt));
        CHECK(orr_gb2bd_qr_apply_cuda[traits<T>::type](nullptr, p.rows, p.kl, p.first, p.count,
                                                       u.get(), p.k, e.get(), lde,
                                                       work.get()) == ORR_OK,
              "%s, %s", name.c_str(), order);
        const std::string error = device_error();
        CHECK(error.empty(), "%s, %s: %s", name.c_str(), order, error.c_str());
        return e.host();
    };
    const std::vector<T> got = run("friendly");
    double difference = 0, size = 0;
    bool outside = true;
    for (int64_t c = 0; c < p.k; c++) {
        std::vector<zz> x((size_t)p.rows);
        for (int64_t i = 0; i < p.rows; i++)
            x[(size_t)i] = traits<T>::widen(start[(size_t)(c * lde + i)]);
        q.apply(x);
        for (int64_t i = 0; i < lde; i++) {
            const size_t at = (size_t)(c * lde + i);
            if (i < p.rows) {
                difference += std::norm(traits<T>::widen(got[at]) - x[(size_t)i]);
                size += std::norm(x[(size_t)i]);
            }
            if (i < p.first || i >= after || i >= p.rows)
                outside = outside && got[at] == start[at];
        }
    }
    const double figure = std::sqrt(difference / (size > 0 ? size * (double)p.rows : 1)) /
                          std::numeric_limits<R>::epsilon();
    CHECK(figure <= LIMIT && outside, "%s: %.3g eps sqrt(n) |E|, outside %d", name.c_str(), figure,
          outside);
    worst[traits<T>::type] =
        figure > worst[traits<T>::type] || figure != figure ? figure : worst[traits<T>::type];
    if (all_orders)
        for_each_order([&](const char *order) {
            CHECK(run(order) == got, "%s, %s: other bits", name.c_str(), order);
        });
}

template <class T> static void test_type()
{
    static const problem problems[] = {
        {1, 1, 0, 1, 1},    {2, 1, 0, 2, 3},      {9, 3, 0, 9, 4},      {20, 3, 5, 7, 2},
        {66, 1, 0, 65, 3},  {70, 5, 0, 70, 1},    {133, 40, 2, 128, 5}, {150, 64, 0, 86, 7},
        {90, 89, 0, 90, 3}, {300, 2, 30, 193, 4}, {200, 130, 0, 67, 2},
    };
    for (const problem &p : problems)
        if (!slow_build || p.rows < 100 || want_long())
            test<T>(p, want_long() || p.rows == 133);
    /* more groups than are packed at a time */
    const int64_t many = ORR_GB2BD_QR_WIDTH * ORR_GB2BD_QR_AT_ONCE;
    if (want_long() || (sizeof(T) == 8 && !slow_build && !traits<T>::is_complex))
        test<T>({many + 200, 2, 1, many + 100, 1}, false);
    std::printf("type %c: %.2f eps sqrt(n) |E| (limit %g)\n", "sdcz"[traits<T>::type],
                worst[traits<T>::type], LIMIT);
}

static void body()
{
    test_type<float>();
    test_type<double>();
    test_type<std::complex<float>>();
    test_type<zz>();
}

int main() { return device_main(body); }
