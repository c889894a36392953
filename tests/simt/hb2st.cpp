/* hb2st on a device against its CPU kernels (hb2st_harness.h): bands that are awkward for
 * windows, lanes and blocks, four types, every interleaving of thread blocks with bitwise equal
 * results, whole reductions in one launch and in many that share their scratch; kernels for one
 * bandwidth and for any give the same bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "hb2st_harness.h"

#include <utility>

/* More blocks than are resident; one at a time if `few`. */
template <class F> static void for_each_residence(F f)
{
    for_each_order(f);
#ifdef ORR_SIMT
    simt::config.resident = 1;
    f("one block at a time");
    simt::config = simt::options();
    simt::config.resident = 12;
    simt::config.how = simt::order::adversarial;
    simt::config.eager_copies = true;
    f("adversarial, 12 blocks");
    simt::config = simt::options();
#endif
}

struct split {
    int64_t D, G;
};

template <class T>
static void test_band(family f, int64_t n, int64_t b, const std::vector<split> &splits,
                      bool all_orders)
{
    const std::string name = std::string("type ") + "sdcz"[traits<T>::type] + ", n " +
                             std::to_string(n) + ", b " + std::to_string(b) + ", " + family_name[f];
    const std::vector<T> ab = make_band<T>(f, n, b);
    reduction<T> cpu(n, b, 0, 0, ab), first(n, b, 0, 0, ab);
    cpu.run_cpu();
    first.run_device(orr_hb2st_chase_cuda, true, name);
    first.check_values(cpu, ab, name);
    first.check_vectors(ab, name);
    std::printf("%s: residual %.2f, orthogonality %.2f, values %.2f (n eps |A|)\n", name.c_str(),
                first.residual, first.orthogonality, first.value_error);
    const bool by_number = b > 1 && !(sizeof(T) == 16 && b > 64); /* windows fit */
    const auto number = [&](const std::string &where) {
        if (!by_number)
            return;
        reduction<T> r(n, b, 0, 0, ab);
        r.run_device(orr_hb2st_chase_cuda_numbered, true, where);
        CHECK(r.same_bits(first), "%s differs", where.c_str());
    };
    bool again = false; /* the first order is that of the run above */
    if (all_orders)
        for_each_residence([&](const char *order) {
            number(name + ", by number, " + order);
            if (!std::exchange(again, true))
                return;
            reduction<T> r(n, b, 0, 0, ab);
            r.run_device(orr_hb2st_chase_cuda, true, name + ", " + order);
            CHECK(r.same_bits(first), "%s: %s differs", name.c_str(), order);
        });
    else
        number(name + ", by number");
    for (const split &s : splits) {
        reduction<T> r(n, b, s.D, s.G, ab);
        const std::string where =
            name + ", D " + std::to_string(s.D) + ", G " + std::to_string(s.G);
        r.run_device(orr_hb2st_chase_cuda, true, where);
        CHECK(r.same_bits(first), "%s differs", where.c_str());
        if (all_orders || thorough()) /* of the same reflectors: simt_hb2st_apply has more groups */
            r.check_apply(where);
    }
    const bool small = n <= 41 || thorough();
    if (!small && !splits.empty())
        return;
    /* Elsewhere it is the same kernel. */
    if (thorough() || b == 32 || b == 64) {
        reduction<T> any(n, b, 0, 0, ab);
        any.run_device(orr_hb2st_chase_cuda_any_b, true, name + ", for any b");
        CHECK(any.same_bits(first), "%s: the kernel for any b differs", name.c_str());
    }
    if (small)
        first.check_apply(name);
    reduction<T> values_only(n, b, 0, 0, ab);
    values_only.run_device(orr_hb2st_chase_cuda, false, name + ", values only");
    values_only.v = first.v;
    CHECK(values_only.same_bits(first), "%s: values only differs", name.c_str());
}

template <class T> static void test_type()
{
    const bool big = want_long(), slow = slow_build && !big;
    /* By default every case has one real and one complex type, in both precisions. */
    const auto mine = [&](int64_t which) { return thorough() || which % 2 == traits<T>::type % 2; };
    int64_t count = 0;
    for (const int64_t b : slow ? std::vector<int64_t>{2, 5} : std::vector<int64_t>{2, 3, 5, 8}) {
        for (const int64_t n : {b + 1, b + 2, 2 * b + 1, 4 * b + 3, (int64_t)41}) {
            const bool middle = n == 41 && b == 5 && !slow; /* all types, all orders */
            count++;
            if (slow ? n <= 4 * b + 3 : middle || mine(count))
                test_band<T>(RANDOM, n, b, {{2 * b + 1, 2}, {b, 1}}, big || middle);
        }
        count++;
    }
    for (int f = 0; f < NFAMILIES; f++) {
        if (mine(f))
            test_band<T>((family)f, 29, 4, {{9, 2}}, big);
        if (!slow && mine(f + 1))
            test_band<T>((family)f, 23, 3, {}, f == TINY_COLUMNS);
    }
    for (const int64_t b : {31, 33})
        if (big || (b % 3 == traits<T>::type % 3 && !slow_build))
            test_band<T>(RANDOM, big ? 5 * b + 7 : 2 * b + 7, b, {{2 * b, 2}}, big);
    /* Bands with kernels of their own: whole windows, and cut ones. One of them is read in time, the
     * other is too large for that. */
    for (const int64_t b : {32, 64})
        if (!slow || traits<T>::type == (b == 32 ? ORR_D : ORR_Z)) {
            /* D >= (G - 1)(b - 1) + b; of b + 3 columns, so that whole windows lie in two blocks. */
            const split two = {big ? 2 * b : b + 3, big ? 2 : 1};
            test_band<T>(RANDOM, big ? 5 * b + 7 : 2 * b + 7, b,
                         mine(b / 32) ? std::vector<split>{two} : std::vector<split>{}, big);
        }
    test_band<T>(RANDOM, 1, 0, {}, false);
    test_band<T>(RANDOM, 2, 1, {}, false);
    test_band<T>(RANDOM, 20, 1, {}, false);
    if (big) {
        test_band<T>(RANDOM, 150, 64, {{130, 2}}, true);
        test_band<T>(RANDOM, 400, 7, {{20, 3}, {64, 9}}, true);
    }
}

/* Windows that do not fit in shared memory, two at a time or at all. */
static void test_large_windows()
{
    test_band<zz>(RANDOM, 110, 64, {{66, 1}}, want_long());
    test_band<zz>(RANDOM, 100, 80, {}, want_long());
    if (want_long())
        test_band<double>(RANDOM, 190, 120, {{140, 1}}, true);
    CHECK(orr_hb2st_chase_cuda_max_b(ORR_Z) >= 512, "max_b");
}

static void body()
{
    test_type<float>();
    test_type<double>();
    test_type<std::complex<float>>();
    test_type<zz>();
    if (!slow_build || want_long())
        test_large_windows();
}

int main() { return device_main(body); }
