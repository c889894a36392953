/* Merges of gesvd's divide and conquer on a device, parts of odd widths, all orders of threads, of the
 * last rows and of others, which have one column more.
 *
 *   secular    |1/rho + sum z^2 / distance| within what rounding and the last step leave of it, in long
 *              double; factors of the distances as they are, to a few roundings each
 *   merge      |B V - U S|, |B'U - V S|, |U'U - I|, |V'V - I| <= 20 n eps; |values - CPU's| <= 20 eps
 *
 * Numbers that nobody may read are NaN.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "merge_cases.h"

#include "kernels/gesvd_merge.h"

/* ---- Roots ---------------------------------------------------------------------------------------- */

template <class T>
static void check_roots(const equation<T> &f, int64_t first, int64_t count,
                        const std::vector<T> &delta, const std::vector<T> &value,
                        const std::vector<T> &part, const std::string &what)
{
    const double eps = eps_of<T>();
    for (int64_t j = first; j < first + count; j++) {
        const T *d = &delta[(size_t)((j - first) * f.k)];
        const bool last = j == f.k - 1;
        const int64_t near = last || std::fabs(d[j]) < std::fabs(d[j + 1]) ? j : j + 1;
        long double sum = 1 / (long double)f.rho, size = sum, slope = 0;
        for (int64_t i = 0; i < f.k; i++) {
            const long double t = f.z(i) / (long double)d[i];
            sum += f.z(i) * t;
            size += std::fabs(f.z(i) * t);
            slope += t * t;
        }
        const long double bound =
            (8 + (long double)f.k / 8) * size + 4 * std::fabs((long double)d[near]) * slope;
        CHECK(d[j] < 0 && (last || d[j + 1] > 0), "%s: root %d is not between its poles",
              what.c_str(), (int)j);
        CHECK(std::fabs(sum) <= eps * bound, "%s: root %d leaves %g of the bound", what.c_str(),
              (int)j, (double)(std::fabs(sum) / bound / eps));
        const T x = value[(size_t)(j - first)];
        CHECK(x >= f.pole(j) && (last || x <= f.pole(j + 1)), "%s: value %d is %g", what.c_str(),
              (int)j, (double)x);
    }
    for (int64_t i = 0; i < f.k; i++) {
        long double product = 1;
        for (int64_t j = first; j < first + count; j++) {
            const long double p = f.pole(i), q = f.pole(i <= j && j + 1 < f.k ? j + 1 : j);
            const long double d = delta[(size_t)(i + (j - first) * f.k)];
            product *= j == f.k - 1 ? d : d / ((p - q) * (p + q));
        }
        CHECK(std::fabs(part[(size_t)i] - product) <=
                  6 * (double)(count + 10) * eps * std::fabs(product),
              "%s: factor %d is %g, not %g", what.c_str(), (int)i, (double)part[(size_t)i],
              (double)product);
    }
}

template <class T> static void roots(poles kind, int64_t k, int64_t width)
{
    const equation<T> f = make_equation<T>(kind, k, true);
    orr_merge m = orr_merge_of(2, 0, k);
    m.k = k;
    m.rho = (double)f.rho;
    for (int64_t first = 0; first < k; first += width) {
        const int64_t count = std::min(width, k - first), ld[2] = {k, k};
        const std::string what = std::string(sizeof(T) == 4 ? "s " : "d ") + poles_name[kind] +
                                 ", k " + std::to_string(k) + ", from " + std::to_string(first);
        std::vector<T> seen;
        for_some_orders(thorough(), [&](const char *order) {
            const std::vector<T> none((size_t)(k * count), nothing<T>());
            device_array<T> told(f.told), u(none), v(none), root(none);
            device_array<T> part(std::vector<T>((size_t)k, nothing<T>()));
            void *const x[2] = {u.get(), v.get()};
            CHECK(orr_gesvd_secular_apart_cuda[traits<T>::type](nullptr, &m, first, count,
                                                                told.get(), x, ld, part.get(),
                                                                root.get()) == ORR_OK,
                  "%s, %s", what.c_str(), order);
            const std::string error = device_error();
            CHECK(error.empty(), "%s, %s: %s", what.c_str(), order, error.c_str());
            const std::vector<T> delta = u.host();
            CHECK(delta == v.host(), "%s, %s: two sides", what.c_str(), order);
            CHECK(seen.empty() || seen == delta, "%s, %s: other bits", what.c_str(), order);
            if (seen.empty())
                check_roots(f, first, count, delta, root.host(), part.host(), what);
            seen = delta;
        });
    }
}

/* ---- Merges --------------------------------------------------------------------------------------- */

enum matrix { RANDOM, ONES, GLUED, ALONE, STEEP, SINGULAR, MATRICES };
static const char *const matrix_name[MATRICES] = {"random", "ones",  "glued",
                                                  "alone",  "steep", "singular"};

/* B, and a tree whose two halves are done; rows below are there if it has one column more. */
template <class T> struct problem {
    int64_t n, whole;
    std::vector<T> d, e, x[2], x2[2], part;
    T largest;
    orr_merge_tree t;
    orr_merge m;

    problem(matrix kind, int64_t rows, bool more, bool apart)
        : n(rows), whole(n + more), d((size_t)whole), e((size_t)whole), part((size_t)(n + 1)),
          largest(0), m(orr_merge_of(2, 0, n))
    {
        const orr_type type = traits<T>::type;
        state = 5 + (uint64_t)n;
        for (int64_t i = 0; i < whole; i++) {
            double a = uniform(), b = uniform();
            switch (kind) {
            case ONES: a = 1, b = i == m.n1 ? 0.5 : 0; break;
            case GLUED:
                a = std::fabs((double)(i % 11) - 5) + 1, b = i % 11 == 10 ? 1e-12 : 1;
                break;
            case ALONE: b = i == m.n1 || i == m.n1 - 1 ? 0 : b; break;
            case STEEP: a = std::pow(0.8, (double)i), b = a / 3; break;
            case SINGULAR: a = i % 7 == 3 ? 0 : 1, b = 1; break;
            default: break;
            }
            d[(size_t)i] = (T)a;
            e[(size_t)i] = i + 1 < whole ? (T)b : T(0);
            largest = std::max({largest, (T)std::fabs(d[(size_t)i]), (T)std::fabs(e[(size_t)i])});
        }
        CHECK(orr_merge_tree_make(&t, 2, whole, sizeof(T)), "no memory");
        for (int side = 0; side < 2; side++) {
            x[side].assign((size_t)(whole * whole), T(0));
            x2[side].assign((size_t)(whole * whole), T(0));
            t.x[side] = x[side].data();
            t.x2[side] = x2[side].data();
        }
        m.apart = apart;
        for (int half = 0; half < 2; half++) {
            const int64_t first = half ? m.cut : 0, those = half ? n - m.cut : m.n1;
            CHECK(orr_gesvd_tree_cpu[type](&t, first, those, d.data(), e.data(), part.data()) ==
                      ORR_OK,
                  "a half failed");
            orr_gesvd_ends_cpu[type](&t, first, those);
        }
        orr_gesvd_deflate_cpu[type](&t, &m, d.data(), e.data());
    }
    ~problem() { orr_merge_tree_free(&t); }
    problem(const problem &) = delete;
    problem &operator=(const problem &) = delete;

    int64_t rows(int side) const { return orr_merge_rows(&t, 0, n, side); }
    T value(int64_t j) const { return ((const T *)t.value)[j]; }
    /* Entries of B as the solver takes it: no diagonal entry is zero. */
    double diagonal(int64_t i) const
    {
        const double a = (double)(d[(size_t)i] / largest), least = eps_of<T>() / 2;
        return std::fabs(a) >= least ? a : a < 0 ? -least : least;
    }
    double beside(int64_t i) const { return (double)(e[(size_t)i] / largest); }
};

template <class T> static void finish_on_cpu(problem<T> &p)
{
    const orr_type type = traits<T>::type;
    std::vector<T> part((size_t)p.n);
    orr_gesvd_arrange_cpu[type](&p.t, &p.m, 0, p.n);
    CHECK(orr_gesvd_secular_cpu[type](&p.t, &p.m, 0, p.n, part.data()) == ORR_OK &&
              orr_gesvd_weigh_cpu[type](&p.t, &p.m, part.data(), 1) == ORR_OK,
          "a CPU failed");
}

/* Columns of both sides, n of each, and behind those of V the vector that is orthogonal to them. */
template <class T> struct merged {
    std::vector<T> x[2], ends, corner;
};

/* Rows and columns of a half, of a side; with V's vector that is orthogonal to the others. */
template <class T> static std::vector<T> half_of(const problem<T> &p, int side, int half)
{
    const int64_t first = half ? p.m.cut : 0, those = half ? p.n - p.m.cut : p.m.n1;
    const int64_t rows = orr_merge_rows(&p.t, first, those, side);
    std::vector<T> block((size_t)(rows * (those + 1)), nothing<T>());
    for (int64_t j = 0; j < those + (rows > those); j++)
        for (int64_t i = 0; i < rows; i++)
            block[(size_t)(i + j * rows)] = p.x[side][(size_t)(first + i + (first + j) * p.whole)];
    return block;
}

template <class T> static merged<T> merge(problem<T> &p, int64_t width, const std::string &what)
{
    const orr_type type = traits<T>::type;
    const int64_t n = p.n, upper = p.m.cut, parts = (n + width - 1) / width;
    const bool more = p.rows(1) > n;
    const orr_merge *const m = &p.m;
    const T *const told_ = (const T *)p.t.told;
    merged<T> found;
    device_array<T> told(std::vector<T>(told_, told_ + ORR_MERGE_TOLD * n));
    device_array<int32_t> index(std::vector<int32_t>(p.t.index, p.t.index + ORR_MERGE_INDEX * n));
    const auto empty = [&](int64_t count) { return std::vector<T>((size_t)count, nothing<T>()); };
    device_array<T> u(empty(n * n)), v(empty(p.rows(1) * (n + 1))), corner(empty(2));
    device_array<T> u0(empty(upper * n)), u1(empty((n - upper) * n)), v0(empty(upper * n)),
        v1(empty((p.rows(1) - upper) * n)), ends(empty(2 * n));
    void *const x[2] = {u.get(), v.get()};
    void *const x2[2][2] = {{u0.get(), u1.get()}, {v0.get(), v1.get()}};
    T *const last = v.get() + n * p.rows(1);
    for (int side = 0; side < 2; side++) {
        device_array<T> above(half_of(p, side, 0)), below(half_of(p, side, 1));
        T *const from[2] = {above.get(), below.get()};
        const void *extra[2] = {nullptr, nullptr};
        orr_merge_columns have[2] = {};
        for (int half = 0; half < 2; half++) {
            const int64_t those = half ? n - upper : m->n1;
            const int64_t rows = orr_merge_rows(&p.t, half ? upper : 0, those, side);
            have[half].width = width;
            for (int64_t k = 0; k * width < those; k++) {
                have[half].part[k] = from[half] + k * width * rows;
                have[half].ld[k] = rows;
            }
            if (side == 1 && rows > those)
                extra[half] = from[half] + those * rows;
        }
        CHECK(orr_gesvd_arrange_apart_cuda[type](
                  nullptr, m, side, p.rows(side), have, extra, told.get(), index.get(), x2[side],
                  side == 1 && more ? last : nullptr, corner.get()) == ORR_OK,
              "%s", what.c_str());
        CHECK(device_error().empty(), "%s: arrange", what.c_str());
    }
    std::vector<T> all((size_t)((parts + 1) * n));
    for (int64_t k = 0; k < parts; k++) {
        const int64_t first = k * width, count = std::min(width, n - first);
        const int64_t ld[2] = {n, p.rows(1)};
        void *const to[2] = {u.get() + first * ld[0], v.get() + first * ld[1]};
        device_array<T> part(empty(n)), root(empty(count));
        CHECK(orr_gesvd_secular_apart_cuda[type](nullptr, m, first, count, told.get(), to, ld,
                                                 part.get(), root.get()) == ORR_OK,
              "%s", what.c_str());
        const std::vector<T> a = part.host(), b = root.host();
        std::copy(a.begin(), a.end(), &all[(size_t)(k * n)]);
        std::copy(b.begin(), b.end(), &all[(size_t)(parts * n + first)]);
    }
    CHECK(orr_gesvd_weigh_cpu[type](&p.t, m, all.data(), parts) == ORR_OK, "%s: a root is NaN",
          what.c_str());
    device_array<T> weight(std::vector<T>((const T *)p.t.weight, (const T *)p.t.weight + n));
    for (int side = 0; side < 2; side++)
        for (int64_t first = 0; first < n; first += width) {
            const int64_t count = std::min(width, n - first);
            const void *const from[2] = {x2[side][0], x2[side][1]};
            device_array<T> work(empty(n * count));
            CHECK(orr_gesvd_product_apart_cuda[type](
                      nullptr, m, side, p.rows(side), first, count, told.get(), index.get(),
                      weight.get(), from, (T *)x[side] + first * p.rows(side), p.rows(side),
                      work.get(), side == 1 ? ends.get() + 2 * first : nullptr) == ORR_OK,
                  "%s", what.c_str());
        }
    found.x[0] = u.host();
    found.x[1] = v.host();
    found.ends = ends.host();
    found.corner = corner.host();
    return found;
}

/* The largest entry of X'X - I. */
template <class T> static double angle(const std::vector<T> &x, int64_t rows, int64_t columns)
{
    double worst = 0;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i <= j; i++) {
            double dot = i == j ? -1 : 0;
            for (int64_t k = 0; k < rows; k++)
                dot += (double)x[(size_t)(k + i * rows)] * x[(size_t)(k + j * rows)];
            worst = std::fabs(dot) <= worst ? worst : std::fabs(dot);
        }
    return worst;
}

template <class T>
static void check_vectors(const problem<T> &p, const merged<T> &x, const std::string &what)
{
    const int64_t n = p.n, rows = p.rows(1);
    const bool more = rows > n;
    double residual = 0;
    const auto far = [&](double r) {
        residual = std::fabs(r) <= residual ? residual : std::fabs(r);
    };
    for (int64_t j = 0; j < n + more; j++) {
        const T *v = &x.x[1][(size_t)(j * rows)], *u = j < n ? &x.x[0][(size_t)(j * n)] : nullptr;
        const double s = u ? (double)p.value(j) : 0;
        for (int64_t i = 0; i < n; i++)
            far(p.diagonal(i) * v[i] + (i + 1 < rows ? p.beside(i) * v[i + 1] : 0) -
                (u ? s * u[i] : 0));
        for (int64_t i = 0; i < rows && u; i++)
            far((i < n ? p.diagonal(i) * u[i] : 0) + (i > 0 ? p.beside(i - 1) * u[i - 1] : 0) -
                s * v[i]);
        const std::vector<T> &ends = u ? x.ends : x.corner;
        const size_t at = u ? (size_t)(2 * j) : 0;
        CHECK(ends[at] == v[0] && ends[at + 1] == v[rows - 1], "%s: ends of column %d",
              what.c_str(), (int)j);
    }
    const double unit = (double)n * eps_of<T>();
    const double left = angle(x.x[0], n, n), right = angle(x.x[1], rows, n + more);
    CHECK(residual <= 20 * unit, "%s: residual %g n eps", what.c_str(), residual / unit);
    CHECK(left <= 20 * unit, "%s: U orthogonal to %g n eps", what.c_str(), left / unit);
    CHECK(right <= 20 * unit, "%s: V orthogonal to %g n eps", what.c_str(), right / unit);
}

template <class T> static void whole(matrix kind, int64_t n, bool more, int64_t width)
{
    const std::string what = std::string(sizeof(T) == 4 ? "s " : "d ") + matrix_name[kind] +
                             ", n " + std::to_string(n) + (more ? ", a column more" : "");
    std::vector<T> seen[2];
    for_some_orders(thorough(), [&](const char *order) {
        problem<T> p(kind, n, more, true);
        const merged<T> x = merge(p, width, what);
        const std::string error = device_error();
        CHECK(error.empty(), "%s, %s: %s", what.c_str(), order, error.c_str());
        for (int side = 0; side < 2; side++) {
            const size_t end = (size_t)(n * p.rows(side));
            const std::vector<T> bits(x.x[side].begin(), x.x[side].begin() + (long)end);
            CHECK(seen[side].empty() || seen[side] == bits, "%s, %s: other bits", what.c_str(),
                  order);
            seen[side] = bits;
        }
        problem<T> cpu(kind, n, more, false);
        CHECK(p.m.k == cpu.m.k, "%s: %d columns are kept, not %d", what.c_str(), (int)p.m.k,
              (int)cpu.m.k);
        finish_on_cpu(cpu);
        for (int64_t j = 0; j < n; j++)
            CHECK(std::fabs(p.value(j) - cpu.value(j)) <= 20 * eps_of<T>(), "%s: value %d is %g",
                  what.c_str(), (int)j, (double)p.value(j));
        check_vectors(p, x, what);
    });
}

template <class T> static void all()
{
    state = 17;
    for (int kind = 0; kind < KINDS; kind++)
        for (const int64_t k : {1, 2, 3, 33, 200})
            if (k <= 33 || want_long() || (kind <= CLOSE && !slow_build))
                roots<T>((poles)kind, k, k < 33 ? k : k / 2 + 1);
    for (int kind = 0; kind < MATRICES; kind++)
        for (const int64_t n : {3, 5, 57, 130})
            for (int more = 0; more < 2; more++)
                if (n <= 57 || want_long() || (kind == RANDOM && !slow_build))
                    whole<T>((matrix)kind, n, more, n < 10 ? n : n / 3 + 1);
}

static void body()
{
    all<float>();
    all<double>();
}

int main() { return device_main(body); }
