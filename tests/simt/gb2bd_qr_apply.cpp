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
#include "apply_harness.h"
#include "kernels/gb2bd.h"

struct problem {
    int64_t rows, kl, first, count, k;
};

template <class T> struct reflectors {
    const problem &p;
    std::vector<T> u;

    explicit reflectors(const problem &p_) : p(p_), u((size_t)(p.count * (p.kl + 1)))
    {
        std::mt19937 random((unsigned)(100 * p.rows + p.kl));
        for (int64_t j = 0; j < p.count; j++)
            draw_reflector(random, j, p.kl + 1, length(j), &u[(size_t)(j * (p.kl + 1))]);
    }
    int64_t length(int64_t j) const { return std::min<int64_t>(p.kl + 1, p.rows - p.first - j); }

    /* One reflector after the other on a column, the last one first. */
    void apply(std::vector<zz> &x) const
    {
        for (int64_t j = p.count - 1; j >= 0; j--)
            apply_reflector(&u[(size_t)(j * (p.kl + 1))], length(j), false,
                            &x[(size_t)(p.first + j)]);
    }
};

template <class T> static void test(const problem &p, bool all_orders)
{
    const reflectors<T> q(p);
    const int64_t lde = p.rows + 3;
    const std::string name = std::string("type ") + "sdcz"[traits<T>::type] + ", rows " +
                             std::to_string(p.rows) + ", kl " + std::to_string(p.kl) +
                             ", columns " + std::to_string(p.first) + " + " +
                             std::to_string(p.count) + ", k " + std::to_string(p.k);
    device_array<T> u(q.u);
    test_product(
        name, draw_columns<T>(lde, p.k), p.rows, lde, p.k, p.first,
        std::min(p.rows, p.first + p.count + p.kl), orr_gb2bd_qr_apply_work(p.kl, p.count, p.k),
        all_orders,
        [&](T *e, T *work) {
            return orr_gb2bd_qr_apply_cuda[traits<T>::type](nullptr, p.rows, p.kl, p.first, p.count,
                                                            u.get(), p.k, e, lde, work);
        },
        [&](std::vector<zz> &x) { q.apply(x); });
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
    print_worst<T>();
}

static void body()
{
    test_type<float>();
    test_type<double>();
    test_type<std::complex<float>>();
    test_type<zz>();
}

int main() { return device_main(body); }
