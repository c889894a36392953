/* vectors_place on a device: columns of pieces in another order, or rows of one matrix, with phases or
 * without, against the entries that they are by definition, the same bits; zeros below them, and what lies
 * behind is not touched.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/vectors.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "device.h"
#include "scalars.h"

struct problem {
    int64_t n, rows, lde; /* of the vectors, of e */
    int64_t width;        /* of a piece */
    int64_t first, k;
};
enum way { IN_ORDER, AS_THEY_STAND, BY_ROWS };

template <class T> static void test(const problem &p, way way, bool phases)
{
    using R = decltype(std::abs(T()));
    const std::string what =
        std::string("type ") + "sdcz"[traits<T>::type] + ", n " + std::to_string(p.n) + " of " +
        std::to_string(p.rows) + ", pieces of " + std::to_string(p.width) + ", from " +
        std::to_string(p.first) + ", way " + std::to_string(way) + (phases ? ", phases" : "");
    std::mt19937 random((unsigned)(7 * p.n + p.width));
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<R> s((size_t)(p.n * p.n));
    for (R &x : s)
        x = (R)uniform(random);
    std::vector<T> phase((size_t)p.n);
    for (T &x : phase)
        x = traits<T>::from(std::polar(1.0, uniform(random)));
    std::vector<int32_t> order((size_t)p.n);
    std::iota(order.begin(), order.end(), 1);
    std::shuffle(order.begin(), order.end(), random);
    const T before = traits<T>::from(zz(7, 0));

    const int64_t width = way == BY_ROWS ? p.n : p.width;
    std::vector<std::unique_ptr<device_array<R>>> pieces;
    orr_vectors x = {};
    x.width = width;
    for (int64_t c = 0, i = 0; c < p.n; c += width, i++) {
        const std::vector<R> piece(s.begin() + c * p.n, s.begin() + std::min(c + width, p.n) * p.n);
        pieces.push_back(std::make_unique<device_array<R>>(piece));
        x.at[i] = pieces.back()->get();
    }
    device_array<int32_t> at(order);
    device_array<T> by(phase), e(std::vector<T>((size_t)(p.lde * p.k), before));
    const orr_vectors_columns columns = {p.n, p.rows, p.first, p.k, way == BY_ROWS};
    CHECK(orr_vectors_place_cuda[traits<T>::type](
              nullptr, &columns, way == IN_ORDER ? at.get() : nullptr, &x,
              phases ? by.get() : nullptr, e.get(), p.lde) == ORR_OK,
          "%s", what.c_str());
    const std::string error = device_error();
    CHECK(error.empty(), "%s: %s", what.c_str(), error.c_str());
    const std::vector<T> got = e.host();
    int64_t wrong = 0;
    for (int64_t c = 0; c < p.k; c++)
        for (int64_t i = 0; i < p.lde; i++) {
            const int64_t j = way == IN_ORDER ? order[(size_t)(p.first + c)] - 1 : p.first + c;
            const T value =
                i >= p.n ? T(0)
                         : T(way == BY_ROWS ? s[(size_t)(i * p.n + j)] : s[(size_t)(j * p.n + i)]);
            const T want = i >= p.rows         ? before
                           : phases && i < p.n ? phase[(size_t)i] * value
                                               : value;
            wrong += !(got[(size_t)(c * p.lde + i)] == want);
        }
    CHECK(wrong == 0, "%s: %d entries", what.c_str(), (int)wrong);
}

template <class T> static void test_type()
{
    static const problem problems[] = {
        {1, 1, 1, 1, 0, 1},      {5, 5, 5, 5, 0, 5},      {5, 8, 9, 2, 1, 3},
        {37, 37, 40, 10, 0, 37}, {37, 50, 50, 37, 30, 7}, {300, 301, 310, 64, 100, 200},
        {9, 9, 9, 1, 3, 0},      {0, 4, 5, 1, 0, 0},
    };
    for (const problem &p : problems)
        for (const way way : {IN_ORDER, AS_THEY_STAND, BY_ROWS})
            for (const bool phases : {false, true})
                if (way != BY_ROWS || p.n > 0)
                    test<T>(p, way, phases);
}

static void body()
{
    test_type<float>();
    test_type<double>();
    test_type<std::complex<float>>();
    test_type<zz>();
}

int main() { return device_main(body); }
