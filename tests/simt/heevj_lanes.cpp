/* orr_heevj_lanes_cuda against LAPACK (heevj_harness.h): orders with tiles that are not full, four
 * types, both triangles, values only and vectors, in every interleaving with bitwise equal results;
 * a matrix alone; every kind of tests/matgen.c; lists that hold a few sweeps, or too few, below and above
 * the order from which sweeps go in waves; batches of 1, 3 and 65; the triangle in shared and in global
 * memory, with the same bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "heevj_harness.h"
extern "C" {
#include "../matgen.h"
}

static orr_status solve(orr_type type, const orr_heevj_args *args, const orr_heevj_rounds &rounds,
                        void *a, void *w, orr_matrix_info *info)
{
    const size_t bytes = (size_t)orr_heevj_lanes_cuda_work(type, args, &rounds);
    device_array<zz> work(std::vector<zz>(bytes / sizeof(zz) + 1, zz(NAN, NAN)));
    return orr_heevj_lanes_cuda[type](nullptr, args, &rounds, a, w, info, work.get());
}

static heevj_solver solver(orr_type type)
{
    return [=](const orr_heevj_args *args, void *a, void *w, orr_matrix_info *info) {
        return solve(type, args, orr_heevj_lanes_rounds(args->n), a, w, info);
    };
}

static std::string named(orr_type type, int n, bool vectors, bool upper)
{
    return "type " + std::to_string(type) + ", n " + std::to_string(n) +
           (vectors ? ", vectors" : ", values") + (upper ? ", upper" : "");
}

/* Matrix k of `all` is what it is alone. */
template <class T>
static void test_alone(const std::string &where, const heevj_solver &solve,
                       const heevj_case<T> &input, const heevj_case<T> &all, size_t k)
{
    heevj_case<T> alone = input;
    alone.args.count = 1;
    std::rotate(alone.a.begin(), alone.a.begin() + (std::ptrdiff_t)(k * input.args.stride),
                alone.a.end());
    CHECK(alone.run(solve) == ORR_OK, "%s: alone", where.c_str());
    CHECK(!std::memcmp(alone.a.data(), &all.a[k * (size_t)input.args.stride],
                       sizeof(T) * (size_t)(input.args.ld * input.args.n)) &&
              !std::memcmp(alone.w.data(), &all.w[k * (size_t)input.args.ldw],
                           sizeof(alone.w[0]) * (size_t)input.args.n) &&
              !std::memcmp(&alone.info[0], &all.info[k], sizeof all.info[0]),
          "%s: matrix %d differs alone", where.c_str(), (int)k);
}

template <class T>
static void test_order(orr_type type, int n, bool vectors, bool upper,
                       const std::vector<family> &families)
{
    const std::string where = named(type, n, vectors, upper);
    const heevj_case<T> input(n, families, vectors, upper);
    heevj_case<T> first = input;
    int runs = 0;
    for_each_order([&](const char *order) {
        if (runs > 0 && !want_long() && (slow_build ? runs > 1 : n > 33 && runs > 2))
            return;
        heevj_case<T> c = input;
        CHECK(c.run(solver(type)) == ORR_OK, "%s, %s: launch", where.c_str(), order);
        const std::string error = device_error();
        CHECK(error.empty(), "%s, %s: %s", where.c_str(), order, error.c_str());
        if (runs++ == 0) {
            first = c;
            c.check(where, ORR_METHOD_LANES);
            std::printf("%s: residual %.2f, orthogonality %.2f (n eps |A|)\n", where.c_str(),
                        c.worst_residual, c.worst_orthogonality);
        }
        CHECK(c.same_bits(first), "%s: %s differs", where.c_str(), order);
    });
    test_alone(where, solver(type), input, first, families.size() - 1);
}

/* Every kind of tests/matgen.c, one chunk. */
template <class T> static void test_kinds(orr_type type, int n, bool upper)
{
    const size_t kinds = (size_t)orr_matgen_kinds();
    heevj_case<T> c(n, std::vector<family>(kinds, RANDOM), true, upper);
    for (size_t k = 0; k < kinds; k++) {
        std::vector<T> a((size_t)(n * n));
        std::vector<double> w((size_t)n);
        (void)orr_matgen((int)k, type, n, 7, a.data(), n, w.data());
        double largest = 0;
        for (int e = 0; e < n * n; e++) {
            const zz x = traits<T>::widen(a[(size_t)e]);
            largest =
                std::max({largest, std::fabs(x.real()), e % n == e / n ? 0 : std::fabs(x.imag())});
        }
        int e = 0;
        (void)std::frexp(largest, &e);
        c.exponent[k] = e;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                const zz x = traits<T>::widen(a[(size_t)(j * n + i)]);
                c.full[k][(size_t)(j * n + i)] =
                    zz(std::ldexp(x.real(), -e), i == j ? 0 : std::ldexp(x.imag(), -e));
                if (upper ? i <= j : i >= j)
                    c.a[k * (size_t)c.args.stride + (size_t)(j * c.args.ld + i)] =
                        a[(size_t)(j * n + i)];
            }
    }
    const std::string where = "kinds, " + named(type, n, true, upper);
    const heevj_case<T> input = c;
    CHECK(c.run(solver(type)) == ORR_OK, "%s: launch", where.c_str());
    const std::string error = device_error();
    CHECK(error.empty(), "%s: %s", where.c_str(), error.c_str());
    c.check_gaps(where);
    for (size_t k = 0; k < kinds; k++)
        c.check_one(where + ", " + orr_matgen_name((int)k), k, ORR_METHOD_LANES, true);
    std::printf("%s: residual %.2f, orthogonality %.2f (n eps |A|)\n", where.c_str(),
                c.worst_residual, c.worst_orthogonality);
    for (const size_t k : {(size_t)3, kinds / 2, kinds - 1})
        test_alone(where, solver(type), input, c, k);
}

/* A list that is full after a few sweeps: many rounds; or too few of them. */
template <class T> static void test_rounds(orr_type type, int n)
{
    const std::string where = "rounds, " + named(type, n, true, false);
    const auto with = [&](orr_heevj_rounds rounds) -> heevj_solver {
        return [=](const orr_heevj_args *args, void *a, void *w, orr_matrix_info *info) {
            return solve(type, args, rounds, a, w, info);
        };
    };
    const heevj_case<T> input(n, {RANDOM, IDENTITY, NOT_FINITE, RANDOM_AGAIN}, true, false);
    for (const orr_heevj_rounds &rounds :
         {orr_heevj_rounds{3 * n, 4 * n, n}, orr_heevj_rounds{n * n, 5, n}}) {
        heevj_case<T> c = input;
        CHECK(c.run(with(rounds)) == ORR_OK, "%s: launch", where.c_str());
        const std::string error = device_error();
        CHECK(error.empty(), "%s: %s", where.c_str(), error.c_str());
        c.check(where, ORR_METHOD_LANES);
    }
    /* Above order 32 values are found by bisection, whatever there is of rotations. */
    for (const bool vectors : {true, false}) {
        if (!vectors && n > 32)
            continue;
        heevj_case<T> c(n, {RANDOM, IDENTITY, NOT_FINITE, RANDOM_AGAIN}, vectors, false);
        CHECK(c.run(with({n, 1, 1})) == ORR_OK, "%s: launch", where.c_str());
        CHECK(c.info[0].status == ORR_NOCONV && c.info[1].status == ORR_OK &&
                  c.info[2].status == ORR_NONFINITE && c.info[3].status == ORR_NOCONV,
              "%s: too few rotations: status %d %d %d %d", where.c_str(), c.info[0].status,
              c.info[1].status, c.info[2].status, c.info[3].status);
        c.check_gaps(where);
        CHECK(std::is_sorted(c.w.begin(), c.w.begin() + n), "%s: the best values so far",
              where.c_str());
    }
}

/* Above order 32 a value takes one sweep in general: with room for n of them in each of two rounds
 * Wilkinson's shifts alone would not be done. */
template <class T> static void test_sweeps(orr_type type, int n)
{
    const std::string where = "a sweep for each value, " + named(type, n, true, false);
    heevj_case<T> c(n, {RANDOM, RANDOM_AGAIN}, true, false);
    const orr_heevj_rounds rounds = {n * n, n, 2};
    CHECK(c.run([&](const orr_heevj_args *args, void *a, void *w, orr_matrix_info *info) {
        return solve(type, args, rounds, a, w, info);
    }) == ORR_OK,
          "%s: launch", where.c_str());
    c.check(where, ORR_METHOD_LANES);
}

/* Batches of other sizes; the bits of a matrix are the same in each. */
template <class T> static void test_batches(orr_type type, int n, bool vectors)
{
    const std::string where = "batches, " + named(type, n, vectors, false);
    std::vector<family> many(65, RANDOM);
    many[3] = GRADED, many[7] = NOT_FINITE, many[64] = ONES;
    const heevj_case<T> input(n, many, vectors, false);
    heevj_case<T> all = input;
    CHECK(all.run(solver(type)) == ORR_OK, "%s: launch", where.c_str());
    for (size_t k : {(size_t)0, (size_t)3, (size_t)7, (size_t)64})
        all.check_one(where, k, ORR_METHOD_LANES, true);
    for (const int64_t count : {1, 3}) {
        heevj_case<T> some = input;
        some.args.count = count;
        CHECK(some.run(solver(type)) == ORR_OK, "%s: launch", where.c_str());
        CHECK(!std::memcmp(some.a.data(), all.a.data(),
                           sizeof(T) * (size_t)(count * input.args.stride)) &&
                  !std::memcmp(some.w.data(), all.w.data(),
                               sizeof(some.w[0]) * (size_t)(count * input.args.ldw)),
              "%s: %d of them differ", where.c_str(), (int)count);
    }
}

#ifdef ORR_SIMT
/* On a device whose shared memory does not hold the triangle. */
template <class T>
static void test_global(orr_type type, int n, size_t room, bool vectors, bool upper)
{
    const std::string where = "global memory, " + named(type, n, vectors, upper);
    const heevj_case<T> input(n, {RANDOM, GRADED}, vectors, upper);
    heevj_case<T> in_shared = input, in_global = input;
    CHECK(in_shared.run(solver(type)) == ORR_OK, "%s: launch", where.c_str());
    simt::config.max_shared = room;
    CHECK(in_global.run(solver(type)) == ORR_OK, "%s: launch", where.c_str());
    simt::config = simt::options();
    const std::string error = device_error();
    CHECK(error.empty(), "%s: %s", where.c_str(), error.c_str());
    in_global.check(where, ORR_METHOD_LANES);
    CHECK(in_global.same_bits(in_shared), "%s: differs from shared memory", where.c_str());
}

/* On a device whose blocks have so little that they are smaller, or have fewer columns. */
template <class T> static void test_little(orr_type type, int n, size_t room)
{
    const std::string where = "little shared memory, " + named(type, n, true, false);
    heevj_case<T> c(n, {RANDOM}, true, false);
    simt::config.max_shared = room;
    const orr_status st = c.run(solver(type));
    simt::config = simt::options();
    CHECK(st == ORR_OK, "%s: launch", where.c_str());
    const std::string error = device_error();
    CHECK(error.empty(), "%s: %s", where.c_str(), error.c_str());
    c.check(where, ORR_METHOD_LANES);
}
#endif

/* Order n in one type, another for the next order, or in all of them. Five matrices: half warps and
 * warps of the last block have none. */
static void test_small(int n, bool all_types, const std::vector<family> &five)
{
    const bool vectors = n % 3 > 0, upper = n / 2 % 2;
    if (all_types || n % 4 == ORR_S)
        test_order<float>(ORR_S, n, vectors, upper, five);
    if (all_types || n % 4 == ORR_D)
        test_order<double>(ORR_D, n, vectors, !upper, five);
    if (all_types || n % 4 == ORR_C)
        test_order<std::complex<float>>(ORR_C, n, vectors, !upper, five);
    if (all_types || n % 4 == ORR_Z)
        test_order<zz>(ORR_Z, n, vectors, upper, five);
}

static void body()
{
    std::vector<family> all;
    for (int f = 0; f < NFAMILIES; f++)
        all.push_back((family)f);
    const std::vector<family> few = {RANDOM, NOT_FINITE, GRADED, IDENTITY, RANDOM_AGAIN};
    const bool big = want_long() || !slow_build;
    const std::vector<family> &some = big ? all : few;

    for (const int n : {1, 2, 3, 16, 17, 32}) {
        test_order<float>(ORR_S, n, true, n % 2, all);
        test_order<double>(ORR_D, n, true, n % 2 == 0, all);
        test_order<std::complex<float>>(ORR_C, n, true, n % 2 == 0, all);
        test_order<zz>(ORR_Z, n, true, n % 2, all);
        test_order<double>(ORR_D, n, false, true, few);
        test_order<zz>(ORR_Z, n, false, false, few);
    }
    for (int n = 4; n <= 40; n++)
        test_small(n, want_long(), few);
    for (const int n : {8, 15, 24})
        test_small(n, true, few);
    test_order<zz>(ORR_Z, 33, true, true, some);
    test_order<float>(ORR_S, 33, false, false, some);
    test_rounds<zz>(ORR_Z, 11);
    test_rounds<double>(ORR_D, 21);
    test_rounds<std::complex<float>>(ORR_C, 21);
    test_rounds<double>(ORR_D, 37);
    test_rounds<std::complex<float>>(ORR_C, 44);
    test_sweeps<double>(ORR_D, 70);
    test_sweeps<float>(ORR_S, 50);
    test_sweeps<zz>(ORR_Z, 40);
    test_batches<zz>(ORR_Z, 33, true);
    test_batches<float>(ORR_S, 35, false);
    if (big) {
        test_order<float>(ORR_S, 63, true, true, few);
        test_order<double>(ORR_D, 65, true, false, few);
        test_order<std::complex<float>>(ORR_C, 65, true, true, few);
        test_order<zz>(ORR_Z, 100, true, false, {RANDOM, NOT_FINITE, GRADED});
        test_order<double>(ORR_D, 130, true, true, {RANDOM});
        test_kinds<float>(ORR_S, 19, true);
        test_kinds<double>(ORR_D, 40, false);
        test_kinds<std::complex<float>>(ORR_C, 26, false);
        test_kinds<zz>(ORR_Z, 19, true);
        test_kinds<float>(ORR_S, 45, false);
        test_kinds<zz>(ORR_Z, 39, true);
    }
#ifdef ORR_SIMT
    test_global<zz>(ORR_Z, 40, 18 * 1024, false, false);
    test_little<zz>(ORR_Z, 70, 26 * 1024);
    if (big) {
        test_global<zz>(ORR_Z, 100, 90 * 1024, true, true);
        test_global<double>(ORR_D, 130, 75 * 1024, true, false);
        test_little<zz>(ORR_Z, 130, 45 * 1024);
    }
#endif
    if (want_long()) {
        for (const int n : {2, 5, 9, 16, 25, 31, 32, 33, 63, 64, 65, 100})
            for (int mode = 0; mode < 4; mode++) {
                test_order<float>(ORR_S, n, mode & 1, mode & 2, few);
                test_order<double>(ORR_D, n, mode & 1, mode & 2, few);
                test_order<std::complex<float>>(ORR_C, n, mode & 1, mode & 2, few);
                test_order<zz>(ORR_Z, n, mode & 1, mode & 2, few);
            }
        for (const int n : {3, 33, 65, 97}) {
            test_kinds<float>(ORR_S, n, false);
            test_kinds<double>(ORR_D, n, true);
            test_kinds<std::complex<float>>(ORR_C, n, true);
            test_kinds<zz>(ORR_Z, n, false);
        }
        test_order<double>(ORR_D, 257, true, false, {RANDOM});
        test_order<float>(ORR_S, 512, true, true, {RANDOM});
        test_order<zz>(ORR_Z, 512, true, true, {RANDOM});
#ifdef ORR_SIMT
        test_little<zz>(ORR_Z, 512, 99 * 1024);
        test_little<zz>(ORR_Z, 512, 163 * 1024);
        test_little<double>(ORR_D, 512, 99 * 1024);
#endif
    }

    heevj_case<double> empty(0, {}, true, false);
    CHECK(empty.run(solver(ORR_D)) == ORR_OK, "count 0");
    heevj_case<double> nothing(0, {ZERO, ZERO, ZERO, ZERO, ZERO}, true, false);
    CHECK(nothing.run(solver(ORR_D)) == ORR_OK, "n 0");
    for (const orr_matrix_info &info : nothing.info)
        CHECK(info.status == ORR_OK && info.method == ORR_METHOD_LANES, "n 0");
    orr_heevj_args large = {};
    large.n = ORR_HEEVJ_LANES_CUDA_MAX_N + 1;
    const orr_heevj_rounds rounds = orr_heevj_lanes_rounds(large.n);
    CHECK(orr_heevj_lanes_cuda[ORR_D](nullptr, &large, &rounds, nullptr, nullptr, nullptr,
                                      nullptr) == ORR_E_ARG,
          "n %d", (int)large.n);
}

int main() { return device_main(body); }
