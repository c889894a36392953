/* Start and finish of gesvj on a device, several matrices at a time, four types, both with leading
 * dimensions of their own, with and without pivoted QR; sweeps on the CPU. In every interleaving
 * with bitwise equal results.
 *
 *   start     head and norm as on the CPU; the pivoting rule, |r_kk|^2 >= (1 - 40 n eps) times the
 *             sum of |r_ij|^2 over i = k..j, for all j > k; P is a permutation; padding of X is zero
 *   results   residual and orthogonality as the CPU kernel measures them, <= 20, also where one end
 *             is the CPU's; values to 20 n eps |A| of the CPU's, to 50 n eps of each if graded; each
 *             matrix as by itself, and s, U, V alone as together, to the last bit; no gap is written
 *   groups    the same bits however many thread blocks share a matrix, have one after the other,
 *             or keep columns in shared memory; a device without room for them is refused
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <memory>

#include "gesvj_cases.h"
#include "tests/larger.h"

enum { ON_CPU, ON_DEVICE };

/* A matrix from start to finish. X and J are a row of blocks each. */
template <class T> struct matrix {
    typedef typename traits<T>::real R;
    orr_gesvj_args g = {};
    orr_gesvj_shape s;
    family f;
    std::vector<T> a, factors, x, j, u, v;
    std::vector<R> values;
    std::vector<int32_t> head;
    std::vector<orr_matrix_info> info;
    bool settled = false;
    int sweeps = 0;
    double off = 0;

    matrix(family f_, int64_t m, int64_t n, int nb, int precondition, int left = 1, int right = 1)
        : f(f_)
    {
        g.m = m;
        g.n = n;
        g.count = 1;
        g.ld = m + 1;
        g.ldu = m + 2;
        g.ldv = n + 3;
        g.left = left;
        g.right = right;
        g.nb = nb;
        g.precondition = precondition;
        s = orr_gesvj_shape_of(&g);
        const T gap = traits<T>::from(12345);
        a = make_matrix<T>(f, m, n, g.ld);
        factors.resize((size_t)orr_gesvj_factors(&g), gap);
        head.resize((size_t)(ORR_GESVJ_PIVOTS + s.small), 77);
        x.resize((size_t)(s.blocks * s.rows * nb), gap);
        j.resize((size_t)(s.accumulate ? s.blocks * s.small * nb : 0), gap);
        u.resize((size_t)(g.ldu * s.small), gap);
        v.resize((size_t)(g.ldv * s.small), gap);
        values.resize((size_t)s.small + 1, 12345);
        info.resize(1);
    }
    std::vector<void *> blocks(std::vector<T> &of, int64_t rows) const
    {
        std::vector<void *> b;
        for (int64_t i = 0; i < s.blocks && !of.empty(); i++)
            b.push_back(of.data() + i * rows * g.nb);
        return b;
    }
    void start_on_cpu()
    {
        CHECK(orr_gesvj_start_cpu[traits<T>::type](
                  &g, a.data(), factors.data(), head.data(), blocks(x, s.rows).data(),
                  s.accumulate ? blocks(j, s.small).data() : nullptr, info.data()) == ORR_OK,
              "start on the CPU");
    }
    void sweep()
    {
        const orr_type t = traits<T>::type;
        const std::vector<void *> X = blocks(x, s.rows), J = blocks(j, s.small);
        std::vector<char> rotation((size_t)orr_gesvj_rotation_bytes(g.nb, (int64_t)sizeof(T)));
        bool over = !head[ORR_GESVJ_FINITE];
        for (; !over && sweeps < 30; sweeps++) {
            orr_gesvj_seen seen = {0, 0, 0};
            for (int64_t r = 0; r < s.blocks - 1; r++)
                for (int64_t i = 0; i < s.blocks / 2; i++) {
                    int64_t p, q;
                    orr_gesvj_pairing(s.blocks, r, i, &p, &q);
                    orr_gesvj_angle_cpu[t](&g, r == 0, X[(size_t)p], X[(size_t)q], rotation.data(),
                                           &seen);
                    orr_gesvj_rotate_cpu[t](&g, s.rows, rotation.data(), X[(size_t)p],
                                            X[(size_t)q]);
                    if (head[ORR_GESVJ_ACCUMULATES])
                        orr_gesvj_rotate_cpu[t](&g, s.small, rotation.data(), J[(size_t)p],
                                                J[(size_t)q]);
                }
            over = settled || seen.rotated == 0;
            settled = settled || orr_gesvj_settled(&seen, s.small, orr_gesvj_tolerance(t, &g));
            off = seen.off;
        }
    }
    void finish_on_cpu()
    {
        CHECK(orr_gesvj_finish_cpu[traits<T>::type](
                  &g, factors.data(), head.data(), blocks(x, s.rows).data(),
                  s.accumulate ? blocks(j, s.small).data() : nullptr, values.data(), u.data(),
                  v.data()) == ORR_OK,
              "finish on the CPU");
    }
};

/* Those of several matrices on the device, and back. */
template <class T> struct on_device {
    typedef typename traits<T>::real R;
    std::vector<matrix<T>> &of;
    std::vector<std::unique_ptr<device_array<T>>> a, factors, x, j, u, v;
    std::vector<std::unique_ptr<device_array<R>>> values;
    std::vector<std::unique_ptr<device_array<int32_t>>> head;
    std::vector<std::unique_ptr<device_array<orr_matrix_info>>> info;
    std::vector<orr_gesvj_member> member;

    template <class V>
    static V *put(std::vector<std::unique_ptr<device_array<V>>> &to, const std::vector<V> &x)
    {
        to.emplace_back(new device_array<V>(x));
        return to.back()->get();
    }
    explicit on_device(std::vector<matrix<T>> &matrices) : of(matrices)
    {
        for (matrix<T> &m : of) {
            orr_gesvj_member d = {};
            d.a = put(a, m.a);
            d.factors = put(factors, m.factors);
            d.X = put(x, m.x);
            d.J = put(j, m.j);
            d.head = put(head, m.head);
            d.info = put(info, m.info);
            d.s = put(values, m.values);
            d.u = put(u, m.u);
            d.v = put(v, m.v);
            d.J = m.s.accumulate ? d.J : nullptr;
            d.u = m.g.left ? d.u : nullptr;
            d.v = m.g.right ? d.v : nullptr;
            d.status = m.settled ? ORR_OK : ORR_NOCONV;
            d.sweeps = m.sweeps;
            d.off = m.off;
            member.push_back(d);
        }
    }
    void run(orr_gesvj_ends_cuda_fn *const *what, const std::string &where)
    {
        const orr_type t = traits<T>::type;
        const int64_t each = orr_gesvj_cuda_member_work(t, &of[0].g);
        /* as it may be: full of NaN */
        device_array<char> work(std::vector<char>((size_t)each * of.size(), (char)0xff));
        CHECK(what[t](nullptr, &of[0].g, (int64_t)of.size(), member.data(), work.get()) == ORR_OK,
              "%s: launch", where.c_str());
        const std::string error = device_error();
        CHECK(error.empty(), "%s: %s", where.c_str(), error.c_str());
        for (size_t k = 0; k < of.size(); k++) {
            of[k].factors = factors[k]->host();
            of[k].x = x[k]->host();
            of[k].j = j[k]->host();
            of[k].head = head[k]->host();
            of[k].info = info[k]->host();
            of[k].values = values[k]->host();
            of[k].u = u[k]->host();
            of[k].v = v[k]->host();
        }
    }
};

template <class T>
static void start(std::vector<matrix<T>> &all, int place, const std::string &where)
{
    if (place == ON_DEVICE)
        on_device<T>(all).run(orr_gesvj_start_cuda, where);
    for (matrix<T> &m : all) {
        if (place == ON_CPU)
            m.start_on_cpu();
        m.sweep();
    }
}

template <class T>
static void finish(std::vector<matrix<T>> &all, int place, const std::string &where)
{
    if (place == ON_DEVICE)
        on_device<T>(all).run(orr_gesvj_finish_cuda, where);
    for (matrix<T> &m : all)
        if (place == ON_CPU)
            m.finish_on_cpu();
}

/* ---- What must hold ----------------------------------------------------------------------------
 */

/* After the start, before sweeps; cpu: the same there. */
template <class T>
static void check_start(const matrix<T> &m, const matrix<T> &cpu, const std::string &where)
{
    const int64_t n = m.s.small;
    CHECK(m.head[ORR_GESVJ_FINITE] == cpu.head[ORR_GESVJ_FINITE] &&
              m.info[0].status == cpu.info[0].status && m.info[0].method == cpu.info[0].method,
          "%s: status %d", where.c_str(), m.info[0].status);
    if (!m.head[ORR_GESVJ_FINITE])
        return;
    CHECK(m.head[ORR_GESVJ_SHIFT] == cpu.head[ORR_GESVJ_SHIFT], "%s: shift %d", where.c_str(),
          m.head[ORR_GESVJ_SHIFT]);
    CHECK(std::fabs(m.info[0].norm - cpu.info[0].norm) <= 1e-6 * cpu.info[0].norm, "%s: norm %g",
          where.c_str(), m.info[0].norm);
    std::vector<int> seen((size_t)n);
    for (int64_t i = 0; i < n; i++) {
        const int64_t p = m.head[(size_t)(ORR_GESVJ_PIVOTS + i)] - 1;
        CHECK(p >= 0 && p < n && !seen[(size_t)p]++, "%s: pivot %d is %d", where.c_str(), (int)i,
              (int)p);
    }
    for (int64_t e = n * m.s.rows; e < (int64_t)m.x.size(); e++)
        CHECK(traits<T>::widen(m.x[(size_t)e]) == 0.0, "%s: padding of X", where.c_str());
    const double slack = 40 * (double)m.s.big * eps_of<T>();
    const auto r = [&](int64_t i, int64_t j) {
        return std::abs(traits<T>::widen(m.factors[(size_t)(j * m.s.big + i)]));
    };
    const double top = m.g.precondition ? r(0, 0) : 0;
    for (int64_t j = 0; j < n && m.g.precondition; j++) {
        double sum = 0;
        for (int64_t k = j; k >= 0; k--) {
            sum += r(k, j) * r(k, j);
            /* Behind what has rank, rounding chooses. */
            CHECK(r(k, k) * r(k, k) >= (1 - slack) * sum || sum <= slack * slack * top * top,
                  "%s: column %d would have been a longer pivot than %d: %g, %g", where.c_str(),
                  (int)j, (int)k, std::sqrt(sum), r(k, k));
        }
    }
}

template <class T, class V>
static void check_gaps(const std::vector<V> &x, int64_t rows, int64_t ld, const std::string &where)
{
    for (size_t e = 0; e < x.size(); e++)
        if ((int64_t)e % ld >= rows)
            CHECK(x[e] == traits<T>::from(12345), "%s: a gap was written", where.c_str());
}

template <class T>
static void check_end(matrix<T> m, const matrix<T> &cpu, int device, const std::string &where)
{
    const int64_t n = m.s.small;
    check_gaps<T>(m.u, m.g.m, m.g.ldu, where);
    check_gaps<T>(m.v, m.g.n, m.g.ldv, where);
    CHECK(m.values[(size_t)n] == 12345, "%s: s is too long", where.c_str());
    if (m.f == NOT_FINITE) {
        CHECK(m.info[0].status == ORR_NONFINITE && std::isnan(m.values[0]) &&
                  std::isnan(m.values[(size_t)n - 1]) &&
                  std::isnan(std::abs(traits<T>::widen(m.u[0]))) &&
                  std::isnan(std::abs(traits<T>::widen(m.v[0]))),
              "%s: not NaN", where.c_str());
        return;
    }
    CHECK(!device || (m.info[0].status == ORR_OK && m.info[0].sweeps == m.sweeps &&
                      m.info[0].device == 1 && m.info[0].off == m.off),
          "%s: status %d, sweeps %d of %d", where.c_str(), m.info[0].status, m.info[0].sweeps,
          m.sweeps);
    orr_gesvj_check_cpu[traits<T>::type](&m.g, m.a.data(), m.values.data(), m.u.data(), m.v.data(),
                                         m.info.data());
    CHECK(m.info[0].residual <= 20 && m.info[0].orthogonality <= 20 && m.sweeps <= 14,
          "%s: %d sweeps, residual %g, orthogonality %g", where.c_str(), m.sweeps,
          m.info[0].residual, m.info[0].orthogonality);
    const double unit = (double)std::max(m.g.m, m.g.n) * eps_of<T>();
    for (int64_t i = 0; i < n; i++) {
        const double mine = (double)m.values[(size_t)i], other = (double)cpu.values[(size_t)i];
        const double slack =
            m.f == GRADED && m.g.m >= m.g.n ? 50 * unit * other : 20 * unit * (double)cpu.values[0];
        CHECK(std::fabs(mine - other) <= slack, "%s: s(%d) = %g, on the CPU %g", where.c_str(),
              (int)i, mine, other);
        CHECK(mine >= 0 && (i == 0 || (double)m.values[(size_t)i - 1] >= mine),
              "%s: s is not descending", where.c_str());
    }
}

template <class T> static bool same_start(const matrix<T> &a, const matrix<T> &b)
{
    return !a.head[ORR_GESVJ_FINITE] || /* nothing else is written then */
           (same_bits(a.x, b.x) && same_bits(a.head, b.head) && same_bits(a.factors, b.factors) &&
            same_bits(a.info, b.info) && (!a.head[ORR_GESVJ_ACCUMULATES] || same_bits(a.j, b.j)));
}

template <class T>
static void test(int64_t m, int64_t n, int nb, int precondition,
                 const std::vector<family> &families)
{
    const std::string what = "type " + std::to_string(traits<T>::type) + ", " + std::to_string(m) +
                             " x " + std::to_string(n) + ", nb " + std::to_string(nb) +
                             (precondition ? "" : ", no QR");
    std::vector<matrix<T>> input, cpu;
    for (const family f : families)
        input.emplace_back(f, m, n, nb, precondition);
    cpu = input;
    start(cpu, ON_CPU, what);
    std::vector<matrix<T>> mixed = cpu, first, begun;
    finish(cpu, ON_CPU, what);
    for_some_orders(want_long() || (m == 40 && !traits<T>::is_complex), [&](const char *order) {
        if (!first.empty() && slow_build && !want_long())
            return;
        const std::string where = what + ", " + order;
        std::vector<matrix<T>> now = input, before = input;
        on_device<T>(before).run(orr_gesvj_start_cuda, where);
        if (begun.empty())
            begun = before;
        for (size_t k = 0; k < now.size(); k++)
            CHECK(same_start(before[k], begun[k]), "%s: the start of %s differs", where.c_str(),
                  family_name[families[k]]);
        for (matrix<T> &x : before)
            x.sweep();
        finish(before, ON_DEVICE, where);
        if (first.empty())
            first = before;
        for (size_t k = 0; k < now.size(); k++)
            CHECK(same_bits(before[k].values, first[k].values) &&
                      same_bits(before[k].u, first[k].u) && same_bits(before[k].v, first[k].v),
                  "%s: the finish of %s differs", where.c_str(), family_name[families[k]]);
    });
    double residual = 0, orthogonality = 0;
    int most = 0, rotated = 0;
    for (size_t k = 0; k < input.size(); k++) {
        const std::string where = what + ", " + family_name[families[k]];
        check_start(begun[k], cpu[k], where);
        check_end(first[k], cpu[k], 1, where);
        matrix<T> judged = first[k];
        orr_gesvj_check_cpu[traits<T>::type](&judged.g, judged.a.data(), judged.values.data(),
                                             judged.u.data(), judged.v.data(), judged.info.data());
        residual = larger(residual, judged.info[0].residual);
        orthogonality = larger(orthogonality, judged.info[0].orthogonality);
        most = std::max(most, first[k].sweeps);
        rotated += first[k].head[ORR_GESVJ_ACCUMULATES];
    }
    std::printf("%s: residual %.2f, orthogonality %.2f, %d sweeps, %d of %d rotate J\n",
                what.c_str(), residual, orthogonality, most, rotated, (int)input.size());
    if ((slow_build && !want_long()) || (families.size() > 32 && !thorough()))
        return;
    /* One end on the CPU, the other on the device. */
    finish(mixed, ON_DEVICE, what);
    std::vector<matrix<T>> other = begun;
    for (matrix<T> &x : other)
        x.sweep();
    finish(other, ON_CPU, what);
    for (size_t k = 0; k < input.size(); k++) {
        check_end(mixed[k], cpu[k], 1, what + ", start on the CPU, " + family_name[families[k]]);
        check_end(other[k], cpu[k], 0, what + ", finish on the CPU, " + family_name[families[k]]);
    }
    /* The last one by itself, and values, U, V alone. */
    const bool parts = thorough() || m < 40 || traits<T>::is_complex;
    for (int part = 0; part < 4 && parts; part++) {
        std::vector<matrix<T>> one;
        one.emplace_back(families.back(), m, n, nb, precondition, part == 1 || part == 3,
                         part >= 2);
        start(one, ON_DEVICE, what);
        finish(one, ON_DEVICE, what);
        const matrix<T> &all = first.back(), &none = input.back();
        CHECK(same_bits(one[0].values, all.values) &&
                  same_bits(one[0].u, part == 1 || part == 3 ? all.u : none.u) &&
                  same_bits(one[0].v, part >= 2 ? all.v : none.v),
              "%s: part %d differs", what.c_str(), part);
    }
}

#ifdef ORR_SIMT
/* Shared memory in which every kernel of the two runs, but few columns are kept. */
template <class T> static size_t little_room() { return 3 * 32 * 33 * sizeof(T) + 2048; }

/* As many thread blocks as are said, all the time, with little shared memory or with all there is. */
template <class T>
static void test_groups(int64_t m, int64_t n, int precondition, const std::vector<family> &families)
{
    std::vector<matrix<T>> input, begun, ended, cpu;
    for (const family f : families)
        input.emplace_back(f, m, n, 16, precondition);
    cpu = input;
    for (matrix<T> &x : cpu)
        x.start_on_cpu();
    for (const unsigned resident : {7u, 1u, 2u, 5u})
        for (const size_t room : {simt::options().max_shared, little_room<T>()}) {
            /* By default one in turn, and both for the first. */
            const bool little = room == little_room<T>();
            if (!thorough() && resident != 7 && little != (resident != 2))
                continue;
            const std::string where =
                "type " + std::to_string(traits<T>::type) + ", " + std::to_string(m) + " x " +
                std::to_string(n) + ", " + std::to_string(families.size()) + " on " +
                std::to_string(resident) + " blocks of " + std::to_string(room) + " bytes";
            simt::config = simt::options();
            simt::config.how = simt::order::random;
            simt::config.seed = resident;
            simt::config.resident = resident;
            simt::config.max_shared = room;
            std::vector<matrix<T>> now = input;
            on_device<T>(now).run(orr_gesvj_start_cuda, where);
            if (begun.empty())
                begun = now;
            for (size_t k = 0; k < now.size(); k++) {
                check_start(now[k], cpu[k], where);
                CHECK(same_start(now[k], begun[k]), "%s: the start of %s differs", where.c_str(),
                      family_name[families[k]]);
                now[k].sweep();
            }
            on_device<T>(now).run(orr_gesvj_finish_cuda, where);
            if (ended.empty())
                ended = now;
            for (size_t k = 0; k < now.size(); k++)
                CHECK(same_bits(now[k].values, ended[k].values) &&
                          same_bits(now[k].u, ended[k].u) && same_bits(now[k].v, ended[k].v),
                      "%s: the finish of %s differs", where.c_str(), family_name[families[k]]);
        }
    simt::config = simt::options();
}

/* Of 300 columns a block has room for the coefficients of some 260. */
static void test_room(bool large)
{
    const auto start = [](unsigned resident) {
        simt::config.max_shared = little_room<float>();
        simt::config.resident = resident;
        std::vector<matrix<float>> x;
        x.emplace_back(RANDOM, 300, 300, 16, 1, 0, 0);
        x.emplace_back(GRADED, 300, 300, 16, 1, 0, 0);
        std::vector<matrix<float>> cpu = x;
        on_device<float> there(x);
        device_array<char> work(
            std::vector<char>(2 * (size_t)orr_gesvj_cuda_member_work(ORR_S, &x[0].g), (char)0xff));
        const orr_status st =
            orr_gesvj_start_cuda[ORR_S](nullptr, &x[0].g, 2, there.member.data(), work.get());
        simt::config = simt::options();
        return st;
    };
    CHECK(start(1) == ORR_E_ARG, "a device of one processor has no room for 300 columns");
    if (large)
        CHECK(start(2) == ORR_OK && device_error().empty(), "two have, one matrix at a time");
}
#endif

template <class T> static void test_type(bool most)
{
    const std::vector<family> hard = {NOT_FINITE, HILBERT, HALF_RANK, GRADED, RANDOM};
    std::vector<family> all;
    for (int f = NFAMILIES - 1; f >= 0; f--)
        all.push_back((family)f);
    test<T>(40, 37, 16, 1, thorough() && most ? all : hard);
    test<T>(1, 1, 16, 1, {RANDOM, ZERO, NOT_FINITE});
    test<T>(21, 19, 16, 0, {NOT_FINITE, ZERO, HALF_RANK, GRADED});
    if (most) {
        test<T>(33, 40, 16, 1, {GRADED, HALF_RANK, ZERO, IDENTITY, EQUAL, HUGE_ENTRIES, TINY});
        test<T>(70, 65, 32, 1, {EQUAL});
        test<T>(5, 33, 16, 1, {HILBERT, RANDOM});
    }
    if (want_long())
        for (const int64_t n : {31, 32, 33, 65, 96, 130})
            for (const int64_t m : {n, n + 1, 3 * n})
                for (const int precondition : {1, 0})
                    test<T>(m, n, 32, precondition, all);
}

static void body()
{
    test_type<float>(want_long() || !slow_build);
    test_type<zz>(want_long());
    if (want_long()) {
        test_type<double>(true);
        test_type<std::complex<float>>(true);
    }
    if (!slow_build) /* more than a launch takes */
        test<float>(4, 3, 16, 1, std::vector<family>(39, RANDOM));
#ifdef ORR_SIMT
    test_groups<float>(200, 21, 1, {HALF_RANK});
    test_groups<float>(21, 21, 1, {NOT_FINITE, GRADED});
    test_groups<float>(3, 17, 1, {ZERO, HUGE_ENTRIES, TINY});
    test_groups<float>(40, 1, 1, {RANDOM});
    test_room(want_long());
    if (!slow_build || want_long()) {
        test_groups<zz>(600, 9, 1, {RANDOM});
        test_groups<double>(260, 12, 0, {EQUAL, HILBERT});
    }
    if (want_long()) {
        test_groups<float>(130, 96, 1, {HILBERT, EQUAL, RANDOM});
        test_groups<std::complex<float>>(65, 64, 1, {GRADED, HALF_RANK});
    }
#endif
}

int main() { return device_main(body); }
