/* orr_heevj_jacobi_cuda against LAPACK (heevj_harness.h): all orders that are special for its
 * teams and its Round-Robin table, four types, both triangles, values only and vectors, in
 * every interleaving, with bitwise equal results. Graded definite matrices: every eigenvalue to
 * 10 n eps of itself, by the inertia of A - x in long double.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "heevj_harness.h"

template <class T> static void test_order(orr_type type, int n, bool vectors, bool upper)
{
    std::vector<family> families;
    for (int f = 0; f < NFAMILIES; f++)
        families.push_back((family)f);
    const heevj_solver solve = [&](const orr_heevj_args *args, void *a, void *w,
                                   orr_matrix_info *info) {
        return orr_heevj_jacobi_cuda[type](nullptr, args, a, w, info);
    };
    const std::string where = "type " + std::to_string(type) + ", n " + std::to_string(n) +
                              (vectors ? ", vectors" : ", values") + (upper ? ", upper" : "");
    const heevj_case<T> input(n, families, vectors, upper);
    heevj_case<T> first = input;
    bool have_first = false;
    for_each_order([&](const char *order) {
        if (have_first && n > 17 && (slow_build || vectors != upper) && !want_long())
            return;
        heevj_case<T> c = input;
        CHECK(c.run(solve) == ORR_OK, "%s, %s: launch", where.c_str(), order);
        const std::string error = device_error();
        CHECK(error.empty(), "%s, %s: %s", where.c_str(), order, error.c_str());
        if (!have_first) {
            first = c;
            c.check(where, ORR_METHOD_JACOBI);
            std::printf("%s: residual %.2f, orthogonality %.2f (n eps |A|), %d sweeps\n",
                        where.c_str(), c.worst_residual, c.worst_orthogonality, c.most_sweeps);
        }
        CHECK(c.same_bits(first), "%s: %s differs", where.c_str(), order);
        have_first = true;
    });

    /* Alone, the last matrix gives the same bits as among the others. */
    heevj_case<T> alone = input;
    alone.args.count = 1;
    const size_t last = families.size() - 1;
    std::rotate(alone.a.begin(), alone.a.begin() + (std::ptrdiff_t)(last * input.args.stride),
                alone.a.end());
    CHECK(alone.run(solve) == ORR_OK, "%s: alone", where.c_str());
    CHECK(!std::memcmp(alone.a.data(), &first.a[last * (size_t)input.args.stride],
                       sizeof(T) * (size_t)input.args.stride) &&
              !std::memcmp(alone.w.data(), &first.w[last * (size_t)input.args.ldw],
                           sizeof(alone.w[0]) * (size_t)n),
          "%s: differs alone", where.c_str());

    if (n >= 3) {
        heevj_case<T> one(n, {RANDOM}, vectors, upper);
        one.args.max_sweeps = 1;
        CHECK(one.run(solve) == ORR_OK, "%s: one sweep", where.c_str());
        CHECK(one.info[0].status == ORR_NOCONV && one.info[0].sweeps == 1 && one.info[0].off > 0,
              "%s: max_sweeps 1: status %d, sweeps %d", where.c_str(), one.info[0].status,
              one.info[0].sweeps);
    }
}

/* How many eigenvalues of A are below x: the negative pivots of A - x. */
static int below(int n, const std::vector<zz> &a, long double x)
{
    typedef std::complex<long double> wide;
    std::vector<wide> s(a.begin(), a.end());
    int count = 0;
    for (int k = 0; k < n; k++) {
        const long double pivot = s[(size_t)(k * n + k)].real() - x;
        count += pivot < 0;
        for (int j = k + 1; j < n; j++)
            for (int i = j; i < n; i++)
                s[(size_t)(j * n + i)] -=
                    s[(size_t)(k * n + i)] * std::conj(s[(size_t)(k * n + j)]) / pivot;
    }
    return count;
}

/* D B D with B near the identity, its entries 392 decades apart, 38 in single precision. */
template <class T> static void test_graded(orr_type type, int n)
{
    typedef typename traits<T>::real R;
    const long double decades = sizeof(R) == 4 ? 9.5L : 98;
    const std::string where = "graded, type " + std::to_string(type) + ", n " + std::to_string(n);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    std::vector<T> a((size_t)(n * n));
    std::vector<zz> full((size_t)(n * n));
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            const long double d = std::pow(10.0L, decades * (2 - 2.0L * (i + j) / (n - 1)));
            const zz b = i == j ? zz(1) : zz(uniform(random), uniform(random)) / (double)n;
            a[(size_t)(j * n + i)] = traits<T>::from(b * (double)d);
            full[(size_t)(j * n + i)] = traits<T>::widen(a[(size_t)(j * n + i)]);
        }
    device_array<T> da(a);
    device_array<R> dw(std::vector<R>((size_t)n));
    device_array<orr_matrix_info> di(std::vector<orr_matrix_info>(1));
    orr_heevj_args args = {};
    args.n = args.ld = args.ldw = n;
    args.stride = n * n;
    args.count = args.vectors = 1;
    CHECK(orr_heevj_jacobi_cuda[type](nullptr, &args, da.get(), dw.get(), di.get()) == ORR_OK,
          "%s: launch", where.c_str());
    const std::vector<R> w = dw.host();
    CHECK(di.host()[0].status == ORR_OK, "%s: status %d", where.c_str(), di.host()[0].status);
    const long double unit = 10.0L * n * std::numeric_limits<R>::epsilon();
    for (int i = 0; i < n; i++)
        CHECK(below(n, full, w[(size_t)i] * (1 - unit)) <= i &&
                  below(n, full, w[(size_t)i] * (1 + unit)) > i,
              "%s: value %d, %g", where.c_str(), i, (double)w[(size_t)i]);
}

static void body()
{
    std::vector<int> orders = {1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32};
    if (slow_build && !want_long())
        orders = {1, 2, 3, 5, 8, 17};
    if (want_long())
        orders.insert(orders.end(), {6, 7, 10, 15, 24, 33, 45, 64});
    for (const int n : orders)
        for (int mode = 0; mode < 4; mode++) {
            const bool vectors = mode & 1, upper = mode & 2;
            if (n > 8 && mode != 1 && mode != (n % 4) && !want_long())
                continue;
            test_order<float>(ORR_S, n, vectors, upper);
            test_order<double>(ORR_D, n, vectors, upper);
            test_order<std::complex<float>>(ORR_C, n, vectors, upper);
            test_order<zz>(ORR_Z, n, vectors, upper);
        }
    for (const int n : {3, 7, 17}) {
        test_graded<float>(ORR_S, n);
        test_graded<double>(ORR_D, n);
        test_graded<std::complex<float>>(ORR_C, n);
        test_graded<zz>(ORR_Z, n);
    }
    heevj_case<double> empty(0, {}, true, false);
    CHECK(orr_heevj_jacobi_cuda[ORR_D](nullptr, &empty.args, nullptr, nullptr, nullptr) == ORR_OK,
          "count 0");
    CHECK(orr_heevj_cuda_max_n(ORR_Z, 1) >= 32, "max_n");
}

int main() { return device_main(body); }
