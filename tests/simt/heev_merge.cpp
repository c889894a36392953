/* Merges of heev's divide and conquer on a device, parts of odd widths, all orders of threads.
 *
 *   secular    |1/rho + sum z^2 / distance| within what rounding and the last step leave of it, in long
 *              double, as in tests/kernels/secular.c; distances to 4 eps, factors to 40 eps
 *   arrange    |q2 - CPU's|            <= 16 eps: rotated as there
 *   product    |T Q - Q D|, |Q'Q - I|  <= 20 n eps; |values - CPU's| <= 20 eps
 *
 * Numbers that nobody may read are NaN.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "merge_cases.h"

#include "kernels/heev_merge.h"

/* ---- Roots ---------------------------------------------------------------------------------------- */

/* Of a root, its distances to the poles as they were found. */
template <class T>
static void check_root(const equation<T> &f, int64_t j, const T *delta, T value,
                       const std::string &what)
{
    const bool last = j == f.k - 1;
    const double eps = eps_of<T>();
    const int64_t near = last || std::fabs(delta[j]) < std::fabs(delta[j + 1]) ? j : j + 1;
    CHECK(delta[j] < 0 && (last || delta[j + 1] > 0), "%s: root %d is not between its poles",
          what.c_str(), (int)j);
    CHECK(std::fabs(value - (f.pole(near) - delta[near])) <= 2 * eps * std::fabs(value),
          "%s: value %d", what.c_str(), (int)j);
    long double sum = 1 / (long double)f.rho, size = sum, slope = 0;
    for (int64_t i = 0; i < f.k; i++) {
        const long double d = (long double)f.pole(i) - f.pole(near) + delta[near];
        const long double t = f.z(i) / d;
        CHECK(std::fabs(delta[i] - d) <= 4 * eps * std::fabs(d), "%s: root %d, pole %d: %g, not %g",
              what.c_str(), (int)j, (int)i, (double)delta[i], (double)d);
        sum += f.z(i) * t;
        size += std::fabs(f.z(i) * t);
        slope += t * t;
    }
    const long double bound =
        (8 + (long double)f.k / 8) * size + 4 * std::fabs((long double)delta[near]) * slope;
    CHECK(std::fabs(sum) <= eps * bound, "%s: root %d leaves %g of the bound", what.c_str(), (int)j,
          (double)(std::fabs(sum) / bound / eps));
}

/* The factors of columns first .. first+count-1. */
template <class T>
static void check_factors(const equation<T> &f, int64_t first, int64_t count, const T *delta,
                          const T *part, const std::string &what)
{
    for (int64_t i = 0; i < f.k; i++) {
        long double product = 1;
        for (int64_t j = first; j < first + count; j++) {
            const long double d = delta[i + (j - first) * f.k];
            product *= i == j ? d : d / ((long double)f.pole(i) - f.pole(j));
        }
        const double most = 4 * (double)(count + 10) * eps_of<T>();
        CHECK(std::fabs(part[i] - product) <= most * std::fabs(product),
              "%s: factor %d is %g, not %g", what.c_str(), (int)i, (double)part[i],
              (double)product);
    }
}

template <class T> static void roots(poles kind, int64_t k, int64_t width)
{
    const equation<T> f = make_equation<T>(kind, k, false);
    const orr_type type = traits<T>::type;
    orr_merge m = orr_merge_of(1, 0, k);
    m.k = k;
    m.rho = (double)f.rho;
    for (int64_t first = 0; first < k; first += width) {
        const int64_t count = std::min(width, k - first);
        std::vector<T> seen;
        const std::string what = std::string(sizeof(T) == 4 ? "s " : "d ") + poles_name[kind] +
                                 ", k " + std::to_string(k) + ", from " + std::to_string(first);
        for_some_orders(thorough(), [&](const char *order) {
            device_array<T> told(f.told);
            device_array<T> q(std::vector<T>((size_t)(k * count), nothing<T>()));
            device_array<T> part(std::vector<T>((size_t)k, nothing<T>()));
            device_array<T> root(std::vector<T>((size_t)count, nothing<T>()));
            void *const x[2] = {q.get(), nullptr};
            const int64_t ld[2] = {k, 0};
            CHECK(orr_heev_secular_apart_cuda[type](nullptr, &m, first, count, told.get(), x, ld,
                                                    part.get(), root.get()) == ORR_OK,
                  "%s, %s", what.c_str(), order);
            const std::string error = device_error();
            CHECK(error.empty(), "%s, %s: %s", what.c_str(), order, error.c_str());
            const std::vector<T> delta = q.host(), factor = part.host(), value = root.host();
            if (!seen.empty()) {
                CHECK(seen == delta, "%s, %s: other bits", what.c_str(), order);
                return;
            }
            seen = delta;
            for (int64_t j = 0; j < count; j++)
                check_root(f, first + j, &delta[(size_t)(j * k)], value[(size_t)j], what);
            check_factors(f, first, count, delta.data(), factor.data(), what);
        });
    }
}

/* It ends, and tells. */
template <class T> static void no_numbers()
{
    const int64_t k = 40;
    equation<T> f = make_equation<T>(EVEN, k, false);
    orr_merge m = orr_merge_of(1, 0, k);
    m.k = k;
    m.rho = 1;
    f.told[(size_t)(k + 7)] = nothing<T>();
    device_array<T> told(f.told), q(std::vector<T>((size_t)(k * k), T(0)));
    device_array<T> part(std::vector<T>((size_t)k, T(0))), root(std::vector<T>((size_t)k, T(0)));
    void *const x[2] = {q.get(), nullptr};
    const int64_t ld[2] = {k, 0};
    CHECK(orr_heev_secular_apart_cuda[traits<T>::type](nullptr, &m, 0, k, told.get(), x, ld,
                                                       part.get(), root.get()) == ORR_OK,
          "NaN");
    CHECK(device_error().empty(), "NaN");
    for (const T y : root.host())
        CHECK(y != y, "a root of NaN is %g", (double)y);
}

/* ---- Merges --------------------------------------------------------------------------------------- */

enum matrix { RANDOM, LAPLACE, WILKINSON, GLUED, ONES, APART, WEAK, ZERO, MATRICES };
static const char *const matrix_name[MATRICES] = {"random",    "laplace", "wilkinson",      "glued",
                                                  "one value", "apart",   "weakly coupled", "zero"};

/* T, and a tree whose two halves are done. */
template <class T> struct problem {
    int64_t n;
    std::vector<T> d, e, q, q2;
    T norm;
    orr_merge_tree t;
    orr_merge m;

    problem(matrix kind, int64_t rows, bool apart)
        : n(rows), d((size_t)n), e((size_t)n), q((size_t)(n * n)), q2((size_t)(n * n)), norm(0),
          m(orr_merge_of(1, 0, n))
    {
        const orr_type type = traits<T>::type;
        state = 11 + (uint64_t)n;
        for (int64_t i = 0; i < n; i++) {
            const bool torn = i == n / 2 - 1;
            double x = uniform(), y = uniform();
            switch (kind) {
            case LAPLACE: x = 2, y = -1; break;
            case WILKINSON: x = std::fabs((double)i - 0.5 * (double)(n - 1)), y = 1; break;
            case GLUED: x = std::fabs((double)(i % 11) - 5), y = i % 11 == 10 ? 1e-12 : 1; break;
            case ONES: x = 1, y = torn ? 0.5 : 0; break;
            case APART: y = torn ? 0 : y; break;
            case WEAK: y = torn ? -1e-9 : y; break;
            case ZERO: x = y = 0; break;
            default: break;
            }
            d[(size_t)i] = (T)x;
            e[(size_t)i] = i + 1 < n ? (T)y : T(0);
            norm = std::max({norm, (T)std::fabs(d[(size_t)i]), (T)std::fabs(e[(size_t)i])});
        }
        norm = norm > 0 ? norm : T(1);
        CHECK(orr_merge_tree_make(&t, 1, n, sizeof(T)), "no memory");
        t.x[0] = q.data();
        t.x2[0] = q2.data();
        m.apart = apart;
        CHECK(orr_heev_leaf_cpu[type](&t, 0, m.n1, d.data(), e.data(), nullptr) == ORR_OK &&
                  orr_heev_leaf_cpu[type](&t, m.n1, n - m.n1, d.data(), e.data(), nullptr) ==
                      ORR_OK,
              "a half failed");
        orr_heev_ends_cpu[type](&t, 0, m.n1);
        orr_heev_ends_cpu[type](&t, m.n1, n - m.n1);
    }
    ~problem() { orr_merge_tree_free(&t); }
    problem(const problem &) = delete;
    problem &operator=(const problem &) = delete;
    T value(int64_t j) const { return ((const T *)t.value)[j]; }
    /* Entry of T of norm 1. */
    double entry(const std::vector<T> &x, int64_t i) const
    {
        return i < 0 ? 0 : (double)(x[(size_t)i] / norm);
    }
};

/* The CPU's kernels, up to what products are made of; then all. */
template <class T> static void arrange_on_cpu(problem<T> &p)
{
    const orr_type type = traits<T>::type;
    orr_heev_deflate_cpu[type](&p.t, &p.m, p.d.data(), p.e.data());
    orr_heev_arrange_cpu[type](&p.t, &p.m, 0, p.n);
}

template <class T> static void finish_on_cpu(problem<T> &p)
{
    const orr_type type = traits<T>::type;
    std::vector<T> part((size_t)p.n);
    CHECK(orr_heev_secular_cpu[type](&p.t, &p.m, 0, p.n, part.data()) == ORR_OK &&
              orr_heev_weigh_cpu[type](&p.t, &p.m, part.data(), 1) == ORR_OK &&
              orr_heev_coefficients_cpu[type](&p.t, &p.m, 0, p.n) == ORR_OK &&
              orr_heev_product_cpu[type](&p.t, &p.m, 0, 0, p.n) == ORR_OK,
          "a CPU failed");
}

/* The halves' columns, in parts of this width; then q2 of each half. */
template <class T> static std::vector<T> arranged(const problem<T> &p, int half, int64_t width)
{
    const int64_t n1 = p.m.n1, rows = half ? p.n - n1 : n1, from = half ? n1 : 0;
    std::vector<T> block((size_t)(rows * rows));
    for (int64_t j = 0; j < rows; j++)
        for (int64_t i = 0; i < rows; i++)
            block[(size_t)(i + j * rows)] = p.q[(size_t)(from + i + (from + j) * p.n)];
    device_array<T> q(block), q2(std::vector<T>((size_t)(rows * p.n), nothing<T>()));
    device_array<T> told(
        std::vector<T>((const T *)p.t.told, (const T *)p.t.told + ORR_MERGE_TOLD * p.n));
    device_array<int32_t> index(std::vector<int32_t>(p.t.index, p.t.index + ORR_MERGE_INDEX * p.n));
    orr_merge_columns have = {};
    have.width = width;
    for (int64_t k = 0; k * width < rows; k++) {
        have.part[k] = q.get() + k * width * rows;
        have.ld[k] = rows;
    }
    CHECK(orr_heev_arrange_apart_cuda[traits<T>::type](nullptr, &p.m, half, &have, told.get(),
                                                       index.get(), q2.get()) == ORR_OK,
          "arrange");
    return q2.host();
}

template <class T>
static void check_arranged(const problem<T> &cpu, const std::vector<T> q2[2],
                           const std::string &what)
{
    const orr_merge &m = cpu.m;
    const int64_t n1 = m.n1, n2 = cpu.n - n1, upper = m.upper + m.both, lower = m.k - m.upper;
    const T *above = cpu.q2.data(), *below = above + upper * n1, *gone = below + lower * n2;
    double worst = 0;
    const auto apart = [&](T x, T y) {
        const double far = std::fabs((double)x - (double)y);
        worst = far <= worst ? worst : far; /* NaN, too */
    };
    for (int64_t k = 0; k < upper * n1; k++)
        apart(q2[0][(size_t)k], above[k]);
    for (int64_t k = 0; k < lower * n2; k++)
        apart(q2[1][(size_t)k], below[k]);
    for (int64_t j = 0; j < cpu.n - m.k; j++)
        for (int64_t i = 0; i < cpu.n; i++)
            apart(i < n1 ? q2[0][(size_t)((upper + j) * n1 + i)]
                         : q2[1][(size_t)((lower + j) * n2 + i - n1)],
                  gone[j * cpu.n + i]);
    CHECK(worst <= 16 * eps_of<T>(), "%s: arranged columns are %g eps from the CPU's", what.c_str(),
          worst / eps_of<T>());
}

/* Secular, weigh and product of all parts: q and the ends of its columns. */
template <class T> struct merged {
    std::vector<T> q, ends;
};

template <class T>
static merged<T> merge(problem<T> &p, const std::vector<T> q2_[2], int64_t width,
                       const std::string &what)
{
    const orr_type type = traits<T>::type;
    const int64_t n = p.n, parts = (n + width - 1) / width;
    const orr_merge *m = &p.m;
    std::vector<T> found((size_t)((parts + 1) * n));
    device_array<T> told(
        std::vector<T>((const T *)p.t.told, (const T *)p.t.told + ORR_MERGE_TOLD * n));
    device_array<int32_t> index(std::vector<int32_t>(p.t.index, p.t.index + ORR_MERGE_INDEX * n));
    device_array<T> q(std::vector<T>((size_t)(n * n), nothing<T>()));
    device_array<T> ends(std::vector<T>((size_t)(2 * n), nothing<T>()));
    for (int64_t k = 0; k < parts; k++) {
        const int64_t first = k * width, count = std::min(width, n - first);
        device_array<T> part(std::vector<T>((size_t)n, nothing<T>()));
        device_array<T> root(std::vector<T>((size_t)count, nothing<T>()));
        void *const to[2] = {q.get() + first * n, nullptr};
        const int64_t ld[2] = {n, 0};
        CHECK(orr_heev_secular_apart_cuda[type](nullptr, m, first, count, told.get(), to, ld,
                                                part.get(), root.get()) == ORR_OK,
              "%s", what.c_str());
        const std::vector<T> x = part.host(), y = root.host();
        std::copy(x.begin(), x.end(), &found[(size_t)(k * n)]);
        std::copy(y.begin(), y.end(), &found[(size_t)(parts * n + first)]);
    }
    CHECK(orr_heev_weigh_cpu[type](&p.t, m, found.data(), parts) == ORR_OK, "%s: a root is NaN",
          what.c_str());
    device_array<T> weight(std::vector<T>((const T *)p.t.weight, (const T *)p.t.weight + n));
    device_array<T> above(q2_[0]), below(q2_[1]);
    const void *const q2[2] = {above.get(), below.get()};
    for (int64_t first = 0; first < n; first += width) {
        const int64_t count = std::min(width, n - first);
        device_array<T> work(std::vector<T>((size_t)(n * count), nothing<T>()));
        CHECK(orr_heev_product_apart_cuda[type](nullptr, m, 0, n, first, count, told.get(),
                                                index.get(), weight.get(), q2, q.get() + first * n,
                                                n, work.get(), ends.get() + 2 * first) == ORR_OK,
              "%s", what.c_str());
    }
    return {q.host(), ends.host()};
}

template <class T>
static void check_vectors(const problem<T> &p, const merged<T> &x, const std::string &what)
{
    const int64_t n = p.n;
    double residual = 0, angle = 0;
    for (int64_t j = 0; j < n; j++) {
        const T *v = &x.q[(size_t)(j * n)];
        for (int64_t i = 0; i < n; i++) {
            double r = (p.entry(p.d, i) - (double)p.value(j)) * v[i];
            r += i > 0 ? p.entry(p.e, i - 1) * v[i - 1] : 0;
            r += i + 1 < n ? p.entry(p.e, i) * v[i + 1] : 0;
            residual = std::fabs(r) <= residual ? residual : std::fabs(r);
            double dot = i == j ? -1 : 0;
            for (int64_t k = 0; k < n; k++)
                dot += (double)v[k] * x.q[(size_t)(k + i * n)];
            angle = std::fabs(dot) <= angle ? angle : std::fabs(dot);
        }
        CHECK(x.ends[(size_t)(2 * j)] == v[0] && x.ends[(size_t)(2 * j + 1)] == v[n - 1],
              "%s: ends of column %d", what.c_str(), (int)j);
    }
    const double unit = (double)n * eps_of<T>();
    CHECK(residual <= 20 * unit, "%s: residual %g n eps", what.c_str(), residual / unit);
    CHECK(angle <= 20 * unit, "%s: orthogonal to %g n eps", what.c_str(), angle / unit);
}

template <class T> static void whole(matrix kind, int64_t n, int64_t width)
{
    const std::string what =
        std::string(sizeof(T) == 4 ? "s " : "d ") + matrix_name[kind] + ", n " + std::to_string(n);
    problem<T> cpu(kind, n, false);
    std::vector<T> seen;
    arrange_on_cpu(cpu);
    for_some_orders(thorough(), [&](const char *order) {
        problem<T> p(kind, n, true);
        orr_heev_deflate_cpu[traits<T>::type](&p.t, &p.m, p.d.data(), p.e.data());
        CHECK(p.m.k == cpu.m.k, "%s: %d columns are kept, not %d", what.c_str(), (int)p.m.k,
              (int)cpu.m.k);
        const std::vector<T> q2[2] = {arranged(p, 0, width), arranged(p, 1, width)};
        if (seen.empty())
            check_arranged(cpu, q2, what);
        const merged<T> x = merge(p, q2, width, what);
        const std::string error = device_error();
        CHECK(error.empty(), "%s, %s: %s", what.c_str(), order, error.c_str());
        if (!seen.empty()) {
            CHECK(seen == x.q, "%s, %s: other bits", what.c_str(), order);
            return;
        }
        seen = x.q;
        check_vectors(p, x, what);
        finish_on_cpu(cpu);
        for (int64_t j = 0; j < n; j++)
            CHECK(std::fabs(p.value(j) - cpu.value(j)) <= 20 * eps_of<T>(), "%s: value %d is %g",
                  what.c_str(), (int)j, (double)p.value(j));
    });
}

template <class T> static void all()
{
    state = 17;
    for (int kind = 0; kind < KINDS; kind++)
        for (const int64_t k : {1, 2, 3, 33, 200})
            if (k <= 33 || want_long() || (kind <= CLOSE && !slow_build))
                roots<T>((poles)kind, k, k < 33 ? k : k / 2 + 1);
    no_numbers<T>();
    for (int kind = 0; kind < MATRICES; kind++)
        for (const int64_t n : {2, 3, 5, 57, 130})
            if (n <= 57 || want_long() || (kind == RANDOM && !slow_build))
                whole<T>((matrix)kind, n, n < 10 ? n : n / 3 + 1);
}

static void body()
{
    all<float>();
    all<double>();
}

int main() { return device_main(body); }
