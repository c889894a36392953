/* What hb2st_apply.cpp and gb2bd_qr_apply.cpp share: reflectors I - tau y y' stored as tau, y1, y2 .. with
 * y0 = 1, and products of them against the same reflectors applied one at a time in double precision.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SIMT_APPLY_HARNESS_H
#define ORR_SIMT_APPLY_HARNESS_H

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "device.h"
#include "scalars.h"

static const double LIMIT = 4;
static double worst[ORR_NTYPES];

/* `stored` numbers, of which the first `length` are the reflector; every ninth is I, with numbers that must
 * not matter. */
template <class T>
void draw_reflector(std::mt19937 &random, int64_t number, int64_t stored, int64_t length, T *v)
{
    std::uniform_real_distribution<double> uniform(-1, 1);
    double sum = 1;
    for (int64_t i = 1; i < stored; i++) {
        v[i] = traits<T>::from(zz(uniform(random), uniform(random)));
        sum += i < length ? std::norm(traits<T>::widen(v[i])) : 0;
    }
    const zz turn = traits<T>::is_complex ? std::polar(1.0, uniform(random)) : 1;
    v[0] = traits<T>::from(number % 9 == 4 ? 0 : (1.0 + turn) / sum);
}

template <class T> void apply_reflector(const T *v, int64_t length, bool adjoint, zz *e)
{
    const zz tau = traits<T>::widen(v[0]);
    zz dot = e[0];
    for (int64_t i = 1; i < length; i++)
        dot += std::conj(traits<T>::widen(v[i])) * e[i];
    dot *= adjoint ? std::conj(tau) : tau;
    e[0] -= dot;
    for (int64_t i = 1; i < length; i++)
        e[i] -= traits<T>::widen(v[i]) * dot;
}

template <class T> std::vector<T> draw_columns(int64_t lde, int64_t k)
{
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<T> columns((size_t)(lde * k));
    for (T &x : columns)
        x = traits<T>::from(zz(uniform(random), uniform(random)));
    return columns;
}

/* kernel(e, work): the product on the device, of k columns `start` with `rows` rows of lde, and a workspace of
 * so many numbers. apply(x): the reflectors on a column. Rows `first` .. `last` - 1 may change. */
template <class T, class K, class A>
void test_product(const std::string &name, const std::vector<T> &start, int64_t rows, int64_t lde,
                  int64_t k, int64_t first, int64_t last, int64_t workspace, bool all_orders,
                  const K &kernel, const A &apply)
{
    const auto run = [&](const char *order) {
        const T dirt = traits<T>::from(zz(std::numeric_limits<double>::quiet_NaN(), 0));
        device_array<T> e(start), work(std::vector<T>((size_t)workspace, dirt));
        CHECK(kernel(e.get(), work.get()) == ORR_OK, "%s, %s", name.c_str(), order);
        const std::string error = device_error();
        CHECK(error.empty(), "%s, %s: %s", name.c_str(), order, error.c_str());
        return e.host();
    };
    const std::vector<T> got = run("friendly");
    double difference = 0, size = 0;
    bool outside = true;
    for (int64_t c = 0; c < k; c++) {
        std::vector<zz> x((size_t)rows);
        for (int64_t i = 0; i < rows; i++)
            x[(size_t)i] = traits<T>::widen(start[(size_t)(c * lde + i)]);
        apply(x);
        for (int64_t i = 0; i < lde; i++) {
            const size_t at = (size_t)(c * lde + i);
            if (i < rows) {
                difference += std::norm(traits<T>::widen(got[at]) - x[(size_t)i]);
                size += std::norm(x[(size_t)i]);
            }
            if (i < first || i >= last)
                outside = outside && got[at] == start[at];
        }
    }
    const double figure = std::sqrt(difference / (size > 0 ? size * (double)rows : 1)) /
                          std::numeric_limits<typename traits<T>::real>::epsilon();
    CHECK(figure <= LIMIT && outside, "%s: %.3g eps sqrt(n) |E|, outside %d", name.c_str(), figure,
          outside);
    double &most = worst[traits<T>::type];
    most = figure > most || figure != figure ? figure : most;
    if (all_orders)
        for_each_order([&](const char *order) {
            CHECK(run(order) == got, "%s, %s: other bits", name.c_str(), order);
        });
}

template <class T> void print_worst()
{
    std::printf("type %c: %.2f eps sqrt(n) |E| (limit %g)\n", "sdcz"[traits<T>::type],
                worst[traits<T>::type], LIMIT);
}

#endif
