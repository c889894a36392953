/* orr_heevj_block_*_cuda run from start to finish against LAPACK (heevj_harness.h): orders with
 * padding and without, four types, both triangles, in every interleaving with bitwise equal
 * results; early termination; max_sweeps.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "heevj_harness.h"
#include "kernels/heevj_block.h"
#include "kernels/heevj_block_nb.h"

template <class T>
static orr_status solve(orr_type type, const orr_heevj_args *args, void *a, void *w,
                        orr_matrix_info *info)
{
    const int64_t np = orr_heevj_block_round_up(args->n);
    device_array<T> G(std::vector<T>((size_t)(args->count * np * np)));
    device_array<T> Q(std::vector<T>((size_t)(args->count * np * np)));
    device_array<double> scale(std::vector<double>((size_t)args->count));
    device_array<int32_t> active(std::vector<int32_t>((size_t)orr_heevj_active_words(args->count)));
    orr_status s = orr_heevj_block_start_cuda[type](nullptr, args, a, G.get(), Q.get(), scale.get(),
                                                    active.get(), info);
    int sweeps = 0, before = (int)args->count;
    for (int left = active.host()[0]; s == ORR_OK && left > 0; sweeps++) {
        CHECK(left <= before, "the active list grew from %d to %d", before, left);
        before = left;
        s = orr_heevj_block_sweep_cuda[type](nullptr, args, G.get(), Q.get(), active.get(), info);
        if (s == ORR_OK)
            s = orr_heevj_block_compact_cuda[type](nullptr, args, active.get(), info);
        const std::vector<int32_t> list = active.host();
        left = list[0];
        CHECK(list[1] == sweeps + 1, "sweep count %d", list[1]);
        CHECK(std::is_sorted(list.begin() + 2, list.begin() + 2 + left), "active list");
    }
    if (s == ORR_OK)
        s = orr_heevj_block_finish_cuda[type](nullptr, args, G.get(), Q.get(), scale.get(), a, w,
                                              info);
    return s;
}

template <class T>
static void test_order(orr_type type, int n, bool vectors, bool upper,
                       const std::vector<family> &families)
{
    const heevj_solver solver = [&](const orr_heevj_args *args, void *a, void *w,
                                    orr_matrix_info *info) {
        return solve<T>(type, args, a, w, info);
    };
    const std::string where = "type " + std::to_string(type) + ", n " + std::to_string(n) +
                              (vectors ? ", vectors" : ", values") + (upper ? ", upper" : "");
    const heevj_case<T> input(n, families, vectors, upper);
    heevj_case<T> first = input;
    int runs = 0;
    for_each_order([&](const char *order) {
        if (runs > 0 && !want_long() && (slow_build ? runs > 1 : n > 33 && runs > 2))
            return;
        heevj_case<T> c = input;
        CHECK(c.run(solver) == ORR_OK, "%s, %s: launch", where.c_str(), order);
        const std::string error = device_error();
        CHECK(error.empty(), "%s, %s: %s", where.c_str(), order, error.c_str());
        if (runs++ == 0) {
            first = c;
            c.check(where, ORR_METHOD_BLOCK);
            std::printf("%s: residual %.2f, orthogonality %.2f (n eps |A|), %d sweeps\n",
                        where.c_str(), c.worst_residual, c.worst_orthogonality, c.most_sweeps);
        }
        CHECK(c.same_bits(first), "%s: %s differs", where.c_str(), order);
    });
    heevj_case<T> one(n, {RANDOM}, vectors, upper);
    one.args.max_sweeps = 1;
    CHECK(one.run(solver) == ORR_OK, "%s: one sweep", where.c_str());
    CHECK(n < 3 || (one.info[0].status == ORR_NOCONV && one.info[0].sweeps == 1),
          "%s: max_sweeps 1: status %d, sweeps %d", where.c_str(), one.info[0].status,
          one.info[0].sweeps);
}

static void body()
{
    std::vector<family> all;
    for (int f = 0; f < NFAMILIES; f++)
        all.push_back((family)f);
    const std::vector<family> few = {RANDOM, NOT_FINITE, GRADED, IDENTITY};
    const bool big = want_long() || !slow_build;
    const std::vector<family> &some = big ? all : few;

    test_order<float>(ORR_S, 33, true, false, some);
    test_order<double>(ORR_D, 33, true, true, some);
    test_order<std::complex<float>>(ORR_C, 33, true, true, few);
    test_order<zz>(ORR_Z, 33, true, false, few);
    test_order<zz>(ORR_Z, 3, true, true, few);
    test_order<double>(ORR_D, 1, true, false, few);
    if (big) {
        test_order<zz>(ORR_Z, 40, false, true, few);
        test_order<std::complex<float>>(ORR_C, 40, true, false, few);
        test_order<double>(ORR_D, 65, true, false, few);
        test_order<float>(ORR_S, 64, true, true, few);
    }
    if (want_long())
        for (const int n : {2, 16, 31, 32, 33, 40, 64, 65, 97})
            for (int mode = 0; mode < 4; mode++) {
                test_order<float>(ORR_S, n, mode & 1, mode & 2, all);
                test_order<double>(ORR_D, n, mode & 1, mode & 2, all);
                test_order<std::complex<float>>(ORR_C, n, mode & 1, mode & 2, all);
                test_order<zz>(ORR_Z, n, mode & 1, mode & 2, all);
            }
}

int main() { return device_main(body); }
