/* gesvj on a device: pairs of blocks and bundles of matrices, four types, orders and rows with
 * padding and without, in every interleaving with bitwise equal results.
 *
 *   pairs        |X0 J - X|_F <= 20 n eps |X0|_F, |J'J - I|_F <= 20 n eps, where X and J are what
 *                angle and rotate made of X0 and I until nothing rotated; X's columns orthogonal
 *                to 2 tol, lengths descending; gram the scalar products
 *   bundle       start and finish on the CPU, all pairs of the rounds of several matrices on the
 *                device, which converge and leave at different sweeps: each as by itself, to the
 *                last bit; residual and orthogonality as the CPU kernel measures them, <= 20
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <algorithm>
#include <memory>

#include "gesvj_cases.h"

/* ---- A pair ------------------------------------------------------------------------------- */

/* Both blocks in one array, so that the CPU sees the columns in a row. */
template <class T> struct pair_case {
    orr_gesvj_args g = {};
    int64_t rows, order;
    std::vector<T> x, j, h;
    std::vector<char> rotation;
    orr_gesvj_seen seen = {-1, -1, -1};

    pair_case(int64_t rows_, int nb, family f) : rows(rows_), order(2 * nb)
    {
        g.m = g.n = rows; /* X is square if it comes from a QR */
        g.nb = nb;
        g.precondition = 1;
        x = make_matrix<T>(f, rows, order, rows);
        for (size_t e = (size_t)(rows * (order - 3)); e < x.size(); e++)
            x[e] = 0; /* padding, as in the last block */
        j = make_matrix<T>(IDENTITY, order, order, order);
        h.resize((size_t)(order * order));
        rotation.resize((size_t)orr_gesvj_rotation_bytes(nb, (int64_t)sizeof(T)), 0);
    }
};

/* Pairs on the device. what: 'a' angle, 'g' gram, 'x' and 'j' rotate. */
template <class T> struct pairs_on_device {
    struct arrays {
        device_array<T> x, j, h;
        device_array<char> rotation;
        device_array<orr_gesvj_seen> seen;
        explicit arrays(const pair_case<T> &c)
            : x(c.x), j(c.j), h(c.h), rotation(c.rotation), seen({c.seen})
        {
        }
    };
    const orr_gesvj_args g;
    const int64_t rows, order;
    std::vector<std::unique_ptr<arrays>> all;

    explicit pairs_on_device(const std::vector<pair_case<T>> &cases)
        : g(cases[0].g), rows(cases[0].rows), order(cases[0].order)
    {
        for (const pair_case<T> &c : cases)
            all.emplace_back(new arrays(c));
    }
    void run(char what, int full, const std::string &where)
    {
        const orr_type t = traits<T>::type;
        std::vector<orr_gesvj_pointers> p;
        for (auto &a : all) {
            T *const x = what == 'j' ? a->j.get() : a->x.get();
            const int64_t half = order / 2 * (what == 'j' ? order : rows);
            p.push_back({x, x + half, a->h.get(), a->rotation.get(), a->seen.get()});
        }
        const orr_gesvj_list list = {(int64_t)p.size(), 2, 0, p.data()};
        const orr_status s =
            what == 'a' ? orr_gesvj_angle_cuda[t](nullptr, &g, full, &list)
            : what == 'g'
                ? orr_gesvj_gram_cuda[t](nullptr, &g, full, &list)
                : orr_gesvj_rotate_cuda[t](nullptr, &g, what == 'j' ? order : rows, &list);
        CHECK(s == ORR_OK, "%s: launch of %c", where.c_str(), what);
        const std::string error = device_error();
        CHECK(error.empty(), "%s: %s", where.c_str(), error.c_str());
    }
    std::vector<pair_case<T>> back(const std::vector<pair_case<T>> &cases)
    {
        std::vector<pair_case<T>> out = cases;
        for (size_t i = 0; i < all.size(); i++) {
            out[i].x = all[i]->x.host();
            out[i].j = all[i]->j.host();
            out[i].h = all[i]->h.host();
            out[i].rotation = all[i]->rotation.host();
            out[i].seen = all[i]->seen.host()[0];
        }
        return out;
    }
};

static orr_gesvj_seen record_of(const std::vector<char> &rotation)
{
    orr_gesvj_seen r;
    std::memcpy(&r, rotation.data(), sizeof r);
    return r;
}

/* What the first angle saw, against the CPU's. */
template <class T>
static void check_record(const pair_case<T> &c, const pair_case<T> &before,
                         const std::string &where)
{
    std::vector<char> rotation = before.rotation;
    orr_gesvj_seen all = {0, 0, 0};
    const T *const x = before.x.data();
    orr_gesvj_angle_cpu[traits<T>::type](&c.g, 1, x, x + c.rows * c.order / 2, rotation.data(),
                                         &all);
    const orr_gesvj_seen mine = record_of(c.rotation), cpu = record_of(rotation);
    const double slack = 20 * (double)(c.rows + 1) * eps_of<T>();
    CHECK(std::fabs(mine.off - cpu.off) <= slack, "%s: off %.17g, on the CPU %.17g", where.c_str(),
          mine.off, cpu.off);
    CHECK(mine.rotated == cpu.rotated || cpu.off <= 2 * slack, "%s: rotated %d", where.c_str(),
          (int)mine.rotated);
    CHECK(c.seen.off == mine.off && c.seen.sine == mine.sine && c.seen.rotated == mine.rotated,
          "%s: seen is not the first record", where.c_str());
    CHECK(mine.sine >= 0 && mine.sine <= std::sqrt(0.5) + 1e-6, "%s: sine %g", where.c_str(),
          mine.sine);
}

template <class T>
static void check_gram(const pair_case<T> &c, const pair_case<T> &before, int full,
                       const std::string &where)
{
    for (int64_t j = 0; j < c.order; j++)
        for (int64_t i = j; i < c.order; i++) {
            const T *const x = &before.x[(size_t)(i * c.rows)], *const y =
                                                                    &before.x[(size_t)(j * c.rows)];
            const bool zero = !full && i != j && i / (c.order / 2) == j / (c.order / 2);
            const zz expected = zero ? 0 : dot(c.rows, x, y);
            const double scale = std::sqrt(dot(c.rows, x, x).real() * dot(c.rows, y, y).real());
            const double error =
                std::abs(traits<T>::widen(c.h[(size_t)(j * c.order + i)]) - expected);
            CHECK(error <= 4 * (double)c.rows * eps_of<T>() * scale, "%s: H(%d,%d) is off by %g",
                  where.c_str(), (int)i, (int)j, error);
        }
}

/* X = X0 J, J unitary, X's columns orthogonal and descending. */
template <class T>
static void check_solved(const pair_case<T> &c, const pair_case<T> &before,
                         const std::string &where)
{
    const int64_t rows = c.rows, order = c.order;
    const double unit = 20 * (double)order * eps_of<T>();
    const double tol = orr_gesvj_tolerance(traits<T>::type, &c.g);
    double error = 0, norm = 0, departure = 0;
    for (int64_t j = 0; j < order; j++) {
        for (int64_t i = 0; i < rows; i++) {
            zz sum = -traits<T>::widen(c.x[(size_t)(j * rows + i)]);
            norm += std::norm(traits<T>::widen(before.x[(size_t)(j * rows + i)]));
            for (int64_t l = 0; l < order; l++)
                sum += traits<T>::widen(before.x[(size_t)(l * rows + i)]) *
                       traits<T>::widen(c.j[(size_t)(j * order + l)]);
            error += std::norm(sum);
        }
        for (int64_t i = 0; i < order; i++)
            departure +=
                std::norm(dot(order, &c.j[(size_t)(i * order)], &c.j[(size_t)(j * order)]) -
                          (i == j ? 1.0 : 0.0));
    }
    CHECK(std::sqrt(error) <= unit * std::sqrt(norm), "%s: |X0 J - X| = %g", where.c_str(),
          std::sqrt(error));
    CHECK(std::sqrt(departure) <= unit, "%s: |J'J - I| = %g", where.c_str(), std::sqrt(departure));
    for (int64_t j = 0; j < order; j++)
        for (int64_t i = 0; i < j; i++) {
            const T *const x = &c.x[(size_t)(i * rows)], *const y = &c.x[(size_t)(j * rows)];
            const double xx = dot(rows, x, x).real(), yy = dot(rows, y, y).real();
            /* What rounding left of a column of zeros has no direction. */
            if (yy <= unit * unit * norm)
                continue;
            CHECK(std::abs(dot(rows, x, y)) <= 2 * tol * std::sqrt(xx) * std::sqrt(yy),
                  "%s: columns %d and %d: cosine %g", where.c_str(), (int)i, (int)j,
                  std::abs(dot(rows, x, y)) / std::sqrt(xx * yy));
            CHECK(xx * (1 + unit) >= yy, "%s: columns %d and %d are not descending", where.c_str(),
                  (int)i, (int)j);
        }
}

template <class T> static void test_pairs(int64_t rows, int nb, const std::vector<family> &families)
{
    std::vector<pair_case<T>> input;
    for (const family f : families)
        input.emplace_back(rows, nb, f);
    const std::string what = "pairs, type " + std::to_string(traits<T>::type) + ", rows " +
                             std::to_string(rows) + ", nb " + std::to_string(nb);
    std::vector<pair_case<T>> first;
    const bool many = families.size() > 32 && !thorough(); /* of one kind */
    for_some_orders(!many, [&](const char *order) {
        const std::string where = what + ", " + order;
        pairs_on_device<T> device(input);
        device.run('a', 1, where);
        const std::vector<pair_case<T>> angles = device.back(input);
        device.run('x', 1, where);
        device.run('j', 1, where);
        const std::vector<pair_case<T>> rotated = device.back(input);
        if (first.empty()) {
            first = rotated;
            for (size_t i = 0; i < input.size(); i++)
                check_record(angles[i], input[i], where + ", " + family_name[families[i]]);
            if (many)
                return;
            for (int more = 0; more < 12; more++)
                for (const char stage : {'a', 'x', 'j'})
                    device.run(stage, 0 == more % 2, where);
            device.run('a', 1, where);
            const std::vector<pair_case<T>> end = device.back(input);
            for (size_t i = 0; i < input.size(); i++) {
                const std::string which = where + ", " + family_name[families[i]];
                /* What rounding leaves of dependent columns goes on shrinking. */
                const bool dependent = families[i] == EQUAL || rows < input[i].order - 3;
                CHECK(dependent || end[i].seen.rotated == 0, "%s: still rotates, off %g",
                      which.c_str(), end[i].seen.off);
                check_solved(end[i], input[i], which);
            }
        }
        for (size_t i = 0; i < input.size(); i++)
            CHECK(same_bits(rotated[i].x, first[i].x) && same_bits(rotated[i].j, first[i].j) &&
                      same_bits(rotated[i].rotation, first[i].rotation),
                  "%s: %s differs", where.c_str(), family_name[families[i]]);

        /* The Gram matrix alone; and after a first round, `seen` is joined. */
        for (const int full : {1, 0}) {
            pairs_on_device<T> again(input);
            again.run('g', full, where);
            again.run('a', 1, where);
            again.run('a', 0, where);
            const std::vector<pair_case<T>> two = again.back(input);
            for (size_t i = 0; i < input.size(); i++) {
                const std::string which = where + ", " + family_name[families[i]];
                check_gram(two[i], input[i], full, which);
                CHECK(two[i].seen.rotated == record_of(two[i].rotation).rotated +
                                                 record_of(angles[i].rotation).rotated &&
                          two[i].seen.off >= record_of(angles[i].rotation).off,
                      "%s: seen was not joined", which.c_str());
            }
        }
    });
    std::printf("%s: ok\n", what.c_str());
}

/* ---- Bundles: all sweeps on the device, start and finish on the CPU ---------------------------
 */

/* A matrix as start leaves it, and what becomes of it. X and J are a row of blocks each. */
template <class T> struct graph_case {
    typedef typename traits<T>::real R;
    orr_gesvj_args g = {};
    orr_gesvj_shape s;
    std::vector<T> a, factors, x, j, u, v;
    std::vector<R> values;
    std::vector<int32_t> head;
    orr_matrix_info info = {};
    bool settled = false, over = false;
    int sweeps = 0;

    graph_case(family f, int64_t m, int64_t n, int nb, int precondition)
    {
        g.m = m;
        g.n = n;
        g.count = 1;
        g.ld = g.ldu = m;
        g.ldv = n;
        g.left = g.right = 1;
        g.nb = nb;
        g.precondition = precondition;
        s = orr_gesvj_shape_of(&g);
        a = make_matrix<T>(f, m, n, m);
        factors.resize((size_t)orr_gesvj_factors(&g));
        head.resize((size_t)(ORR_GESVJ_PIVOTS + s.small));
        x.resize((size_t)(s.blocks * s.rows * nb));
        j.resize((size_t)(s.blocks * s.small * nb));
        u.resize((size_t)(m * s.small));
        v.resize((size_t)(n * s.small));
        values.resize((size_t)s.small);
    }
    bool accumulates() const { return head[ORR_GESVJ_ACCUMULATES] != 0; }
    std::vector<void *> blocks(std::vector<T> &of, int64_t rows) const
    {
        std::vector<void *> b;
        for (int64_t i = 0; i < s.blocks; i++)
            b.push_back(of.data() + i * rows * g.nb);
        return b;
    }
    orr_status start()
    {
        return orr_gesvj_start_cpu[traits<T>::type](&g, a.data(), factors.data(), head.data(),
                                                    blocks(x, s.rows).data(),
                                                    blocks(j, s.small).data(), &info);
    }
    orr_status finish()
    {
        const orr_status st = orr_gesvj_finish_cpu[traits<T>::type](
            &g, factors.data(), head.data(), blocks(x, s.rows).data(), blocks(j, s.small).data(),
            values.data(), u.data(), v.data());
        if (info.status == ORR_OK)
            orr_gesvj_check_cpu[traits<T>::type](&g, a.data(), values.data(), u.data(), v.data(),
                                                 &info);
        return st;
    }
};

/* Sweeps of all matrices together until each has converged and left; those with NaN never come in.
 * `late` of them come in one sweep after the others. */
template <class T>
static void sweep_bundle(std::vector<graph_case<T>> &cases, size_t late, const std::string &where)
{
    const orr_type t = traits<T>::type;
    const orr_gesvj_args &g = cases[0].g;
    const orr_gesvj_shape &s = cases[0].s;
    const int64_t pairs = s.blocks / 2;
    const size_t bytes = (size_t)(pairs * orr_gesvj_rotation_bytes(g.nb, (int64_t)sizeof(T)));
    std::vector<std::unique_ptr<device_array<T>>> X, J;
    for (graph_case<T> &c : cases) {
        CHECK(c.start() == ORR_OK, "%s: start", where.c_str());
        c.over = !c.head[ORR_GESVJ_FINITE];
        X.emplace_back(new device_array<T>(c.x));
        J.emplace_back(new device_array<T>(c.j));
    }
    device_array<char> rotations(std::vector<char>(bytes * cases.size(), 77));
    device_array<orr_gesvj_seen> seen(
        std::vector<orr_gesvj_seen>((size_t)pairs * cases.size(), orr_gesvj_seen{9, 9, 9}));
    bool some = true;
    for (int step = 0; some && step < 30; step++) {
        std::vector<size_t> in;
        for (size_t k = 0; k < cases.size(); k++)
            if (!cases[k].over && (step > 0 || k >= late))
                in.push_back(k);
        some = step == 0 || !in.empty();
        for (int64_t r = 0; r < s.blocks - 1; r++) {
            std::vector<orr_gesvj_pointers> x, j;
            for (size_t i = 0; i < in.size(); i++) {
                char *const G = rotations.get() + i * bytes;
                T *const of[2] = {X[in[i]]->get(), J[in[i]]->get()};
                x.push_back({of[0], of[0] + s.rows * g.nb, nullptr, G, seen.get() + i * pairs});
                if (cases[in[i]].accumulates())
                    j.push_back({of[1], of[1] + s.small * g.nb, nullptr, G, nullptr});
            }
            const orr_gesvj_list lx = {(int64_t)x.size(), s.blocks, r, x.data()},
                                 lj = {(int64_t)j.size(), s.blocks, r, j.data()};
            CHECK(orr_gesvj_angle_cuda[t](nullptr, &g, r == 0, &lx) == ORR_OK &&
                      orr_gesvj_rotate_cuda[t](nullptr, &g, s.rows, &lx) == ORR_OK &&
                      orr_gesvj_rotate_cuda[t](nullptr, &g, s.small, &lj) == ORR_OK,
                  "%s: launch", where.c_str());
        }
        const std::vector<orr_gesvj_seen> found = seen.host();
        for (size_t i = 0; i < in.size(); i++) {
            graph_case<T> &c = cases[in[i]];
            orr_gesvj_seen all = {0, 0, 0};
            for (int64_t p = 0; p < pairs; p++)
                orr_gesvj_join(&all, &found[i * (size_t)pairs + (size_t)p]);
            c.sweeps++;
            c.over = c.settled || all.rotated == 0;
            c.settled = orr_gesvj_settled(&all, s.small, orr_gesvj_tolerance(t, &g));
        }
    }
    const std::string error = device_error();
    CHECK(error.empty() && !some, "%s: %s", where.c_str(), error.c_str());
    for (size_t k = 0; k < cases.size(); k++) {
        cases[k].x = X[k]->host();
        cases[k].j = J[k]->host();
        CHECK(cases[k].finish() == ORR_OK, "%s: finish", where.c_str());
    }
}

/* Each matrix of a bundle comes out as it does by itself, to the last bit, and right. */
template <class T>
static void test_bundle(int64_t m, int64_t n, int nb, int precondition,
                        const std::vector<family> &families)
{
    const std::string what = "bundle, type " + std::to_string(traits<T>::type) + ", " +
                             std::to_string(m) + " x " + std::to_string(n) + ", nb " +
                             std::to_string(nb) + ", matrices " + std::to_string(families.size());
    std::vector<graph_case<T>> input;
    for (const family f : families)
        input.emplace_back(f, m, n, nb, precondition);
    std::vector<graph_case<T>> first;
    double residual = 0, orthogonality = 0;
    int least = 30, most = 0, runs = 0;
    for_some_orders(want_long() || families.size() == 3, [&](const char *order) {
        if (runs++ > 0 && slow_build && !want_long())
            return;
        std::vector<graph_case<T>> bundle = input;
        sweep_bundle(bundle, first.empty() ? 0 : families.size() / 3, what + ", " + order);
        if (first.empty())
            first = bundle;
        for (size_t k = 0; k < bundle.size(); k++)
            CHECK(same_bits(bundle[k].x, first[k].x) &&
                      same_bits(bundle[k].values, first[k].values),
                  "%s, %s: matrix %d differs", what.c_str(), order, (int)k);
    });
    for (size_t k = 0; k < first.size(); k++) {
        const std::string where = what + ", " + family_name[families[k]];
        const graph_case<T> &c = first[k];
        if (families[k] == NOT_FINITE) {
            CHECK(c.sweeps == 0 && c.info.status == ORR_NONFINITE && std::isnan(c.values[0]),
                  "%s: %d sweeps", where.c_str(), c.sweeps);
            continue;
        }
        std::vector<graph_case<T>> alone = {input[k]};
        sweep_bundle(alone, 0, where);
        CHECK(c.sweeps == alone[0].sweeps && same_bits(c.x, alone[0].x) &&
                  same_bits(c.u, alone[0].u) && same_bits(c.v, alone[0].v),
              "%s: %d sweeps, by itself %d", where.c_str(), c.sweeps, alone[0].sweeps);
        CHECK(c.sweeps <= 14 && c.info.residual <= 20 && c.info.orthogonality <= 20,
              "%s: %d sweeps, residual %g, orthogonality %g", where.c_str(), c.sweeps,
              c.info.residual, c.info.orthogonality);
        residual = std::max(residual, c.info.residual);
        orthogonality = std::max(orthogonality, c.info.orthogonality);
        least = std::min(least, c.sweeps);
        most = std::max(most, c.sweeps);
    }
    std::printf("%s: %d to %d sweeps, residual %.2f, orthogonality %.2f\n", what.c_str(), least,
                most, residual, orthogonality);
}

/* ---- Everything ---------------------------------------------------------------------------------
 */

template <class T> static void test_type(bool big)
{
    const std::vector<family> pairs = {RANDOM, ZERO, EQUAL, GRADED, HALF_RANK};
    test_pairs<T>(33, 16, big ? pairs : std::vector<family>{RANDOM, GRADED});
    test_pairs<T>(1, 16, {RANDOM});
    if (big)
        test_pairs<T>(70, 32, {RANDOM, GRADED, EQUAL});
    test_bundle<T>(40, 97, 16, 1, {GRADED});
    test_bundle<T>(61, 37, 16, 1, {RANDOM, NOT_FINITE, IDENTITY});
    if (big)
        test_bundle<T>(75, 70, 32, 0, {GRADED});
    if (want_long())
        test_bundle<T>(70, 75, 32, 1, {HALF_RANK, GRADED, EQUAL, RANDOM, ZERO, HUGE_ENTRIES, TINY});
}

static void body()
{
    const bool big = want_long() || !slow_build;
    test_type<float>(big);
    test_type<double>(big);
    test_type<std::complex<float>>(want_long());
    test_type<zz>(want_long());
    if (big)
        test_pairs<zz>(65, 32, {RANDOM, EQUAL});               /* the largest in shared memory */
    test_pairs<float>(3, 16, std::vector<family>(67, RANDOM)); /* more than one launch takes */
    std::vector<family> many;
    for (int i = 0; i < 17; i++)
        many.push_back((family)(i % NFAMILIES));
    test_bundle<float>(49, 45, 16, 1, many);

    pair_case<double> c(5, 16, RANDOM);
    const orr_gesvj_list nothing = {0, 2, 0, nullptr};
    CHECK(orr_gesvj_angle_cuda[ORR_D](nullptr, &c.g, 1, &nothing) == ORR_OK, "an empty list");
    c.g.nb = 64;
    CHECK(orr_gesvj_angle_cuda[ORR_D](nullptr, &c.g, 1, &nothing) == ORR_E_ARG, "nb 64 was taken");
    for (int t = 0; t < ORR_NTYPES; t++)
        for (const int kib : {99, 163, 227}) {
            const int nb = orr_gesvj_cuda_max_nb((orr_type)t, kib * 1024);
            CHECK(nb == (t == ORR_Z && kib == 99 ? 16 : 32), "type %d, %d KiB: nb %d", t, kib, nb);
        }
}

int main() { return device_main(body); }
