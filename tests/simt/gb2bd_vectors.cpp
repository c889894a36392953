/* Singular vectors of gb2bd on a device: band QR, chase with its reflectors kept, and their
 * products, for m x n bands with kl sub- and ku superdiagonals, five types, every interleaving
 * of thread blocks. U = Q L and V = R as in src/band/gb2bd_vectors.c; B is still complex here.
 *
 *   residual       |A - U B V'|_F / (m eps |A|_F)                            <= 20
 *   orthogonality  |U'U - I|_F and |V'V - I|_F over m eps of the type of U   <= 20
 *   bits           U, V and B the same in all orders, and however the work is cut into tasks
 *                  (half precision rounds at the end of a task: only whole stages); B also
 *                  without reflectors kept
 *   mixed          tasks by turns on the CPU and in the emulator, residual and orthogonality
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "device.h"
#include "gb2bd_numbers.h"
#include "kernels/hb2st_apply.h"
#include "scalars.h"

enum family { RANDOM, ZERO, DIAGONAL, BLOCKS, ONE_ROW, TINY_ROWS, NFAMILIES };
static const char *const family_name[] = {"random", "zero",    "diagonal",
                                          "blocks", "one row", "tiny rows"};

static bool is_complex(orr_type t) { return t == ORR_C || t == ORR_Z; }
static orr_type vector_type(orr_type t) { return t == ORR_H ? ORR_S : t; }
static size_t vector_bytes(orr_type t, int64_t elements)
{
    return (size_t)(elements * (is_complex(t) ? 2 : 1)) * real_size[vector_type(t)];
}

/* Dense, column major, in double precision. */
struct dense {
    int64_t m, n;
    std::vector<zz> a;
    dense(int64_t m_, int64_t n_) : m(m_), n(n_), a((size_t)(m_ * n_)) {}
    zz &at(int64_t i, int64_t j) { return a[(size_t)(j * m + i)]; }
    zz at(int64_t i, int64_t j) const { return a[(size_t)(j * m + i)]; }
    double norm() const
    {
        double sum = 0;
        for (const zz &x : a)
            sum += std::norm(x);
        return std::sqrt(sum);
    }
};

/* x y' */
static dense times_adjoint(const dense &x, const dense &y)
{
    dense z(x.m, y.m);
    for (int64_t j = 0; j < y.m; j++)
        for (int64_t k = 0; k < x.n; k++)
            for (int64_t i = 0; i < x.m; i++)
                z.at(i, j) += x.at(i, k) * std::conj(y.at(j, k));
    return z;
}
static double departure(const dense &x)
{
    double sum = 0;
    for (int64_t i = 0; i < x.n; i++)
        for (int64_t j = 0; j < x.n; j++) {
            zz s = -(double)(i == j);
            for (int64_t k = 0; k < x.m; k++)
                s += std::conj(x.at(k, i)) * x.at(k, j);
            sum += std::norm(s);
        }
    return std::sqrt(sum);
}

struct problem {
    orr_type t;
    int64_t m, n, kl, ku;
    bytes ab;
    dense a;
    orr_gb2bd_source source() const
    {
        orr_gb2bd_source s = {};
        s.ab = ab.data();
        s.m = m;
        s.n = n;
        s.kl = kl;
        s.ku = ku;
        s.ldab = kl + ku + 1;
        s.scale = 1;
        return s;
    }
};

static problem make_problem(orr_type t, family f, int64_t m, int64_t n, int64_t kl, int64_t ku)
{
    const int64_t ld = kl + ku + 1, parts = is_complex(t) ? 2 : 1;
    problem p = {t, m, n, kl, ku, room_for((size_t)(n * ld * parts) * real_size[t]), dense(m, n)};
    std::mt19937 random((unsigned)(1000 * n + 10 * kl + ku));
    std::uniform_real_distribution<double> uniform(-1, 1);
    const double tiny = t == ORR_H ? 1e-3 : real_size[t] == 4 ? 1e-30 : 1e-200;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = std::max<int64_t>(0, j - ku); i <= std::min(m - 1, j + kl); i++) {
            double x[2] = {uniform(random), uniform(random)};
            const bool keep = f == ZERO       ? false
                              : f == DIAGONAL ? i == j
                              : f == BLOCKS   ? i / ld == j / ld
                              : f == ONE_ROW  ? i == m / 2
                                              : true;
            const double by = !keep ? 0 : f == TINY_ROWS && i % 3 == 0 ? tiny : 1;
            const int64_t at = (j * ld + ku + i - j) * parts;
            for (int64_t part = 0; part < parts; part++) {
                put(t, p.ab.data(), at + part, x[part] * by);
                x[part] = get(t, p.ab.data(), at + part);
            }
            p.a.at(i, j) = zz(x[0], parts == 2 ? x[1] : 0);
        }
    return p;
}

enum where { CPU, DEVICE, MIXED };

/* One reduction with everything that it makes; D rows to a block, G sweeps to a group (0: all). */
struct reduction {
    const problem &p;
    int64_t rows, low, b, D, G, blocks;
    orr_gb2bd_band band;
    orr_hb2st_shape shape; /* of the reflectors */
    bytes h, carry, q, u, v;
    int turn = 0;

    reduction(const problem &p_, int64_t D_, int64_t G_) : p(p_)
    {
        low = std::min(p.kl, p.m - 1);
        b = std::min(p.kl + p.ku, p.n - 1);
        rows = std::min(p.m, p.n + low);
        D = D_ > 0 ? std::max({D_, low, b - 1}) : rows;
        G = G_ > 0 ? std::min(G_, D / std::max<int64_t>(b - 1, 1)) : p.n;
        blocks = (rows + D - 1) / D;
        band = orr_gb2bd_layout(p.t, p.n, rows, low, b, std::max<int64_t>(b - 1, 0));
        shape = {};
        shape.n = p.n;
        shape.b = b;
        shape.G = G;
        shape.sweeps = b > 1 ? p.n - 2 : 0;
        h = room_for((size_t)(blocks * D * band.ld) * real_size[p.t]);
        carry = room_for((size_t)(G * orr_gb2bd_carry(p.t, b)) * real_size[vector_type(p.t)]);
        q = room_for(vector_bytes(p.t, p.n * (low + 1)));
        u = v = room_for(vector_bytes(p.t, p.n * p.n / 2 + p.n));
        const orr_gb2bd_source source = p.source();
        for (int64_t m = 0; m < blocks; m++)
            orr_gb2bd_load_cpu[p.t](&band, &source, m * D, D, block(h.data(), m));
    }
    char *block(void *base, int64_t m) const
    {
        return m < blocks ? (char *)base + (size_t)(m * D * band.ld) * real_size[p.t] : nullptr;
    }
    bool cpu(where w) { return w == CPU || (w == MIXED && turn++ % 2); }

    void run(where w, const std::string &name, bool kept = true)
    {
        device_array<double> dh(h), dc(carry), dq(q), du(u), dv(v);
        const int64_t squares = (p.n + D - 1) / D; /* blocks with columns */
        for (int64_t m = 0; low > 0 && m < squares; m++) {
            orr_gb2bd_args a = {};
            a.band = band;
            a.first = a.sweep = m * D;
            a.count = D;
            a.sweeps = std::min(D, p.n - m * D);
            a.b = low;
            a.tw = b - low;
            a.u = kept ? (char *)dq.get() + vector_bytes(p.t, a.sweep * (low + 1)) : nullptr;
            auto *const f = cpu(w) ? orr_gb2bd_qr_cpu[p.t] : nullptr;
            char *const top = block(dh.get(), m), *const bottom = block(dh.get(), m + 1);
            CHECK((f ? f(&a, top, bottom, nullptr)
                     : orr_gb2bd_qr_cuda[p.t](nullptr, &a, top, bottom, nullptr)) == ORR_OK,
                  "%s: qr", name.c_str());
        }
        for (int64_t s = 0; b > 1 && s < p.n - 2; s += G)
            for (int64_t m = 0; m < squares; m++) {
                orr_gb2bd_args a = {};
                a.band = band;
                a.first = m > 0 ? (m - 1) * D : 0;
                a.count = D;
                a.b = b;
                a.tw = b - 1;
                a.sweep = s;
                a.sweeps = std::min(G, p.n - 2 - s);
                a.from = m * D - 1;
                a.to = m + 1 < squares ? (m + 1) * D - 1 : INT64_MAX / 2;
                a.u = kept ? group(du.get(), s) : nullptr;
                a.v = kept ? group(dv.get(), s) : nullptr;
                char *const top = block(dh.get(), m > 0 ? m - 1 : 0);
                char *const bottom = m > 0 ? block(dh.get(), m) : nullptr;
                auto *const f = cpu(w) ? orr_gb2bd_chase_cpu[p.t] : nullptr;
                CHECK((f ? f(&a, top, bottom, dc.get())
                         : orr_gb2bd_chase_cuda[p.t](nullptr, &a, top, bottom, dc.get())) == ORR_OK,
                      "%s: chase", name.c_str());
            }
        const std::string error = device_error();
        CHECK(error.empty(), "%s: %s", name.c_str(), error.c_str());
        h = dh.host();
        q = dq.host();
        u = du.host();
        v = dv.host();
    }
    char *group(void *base, int64_t s) const
    {
        return (char *)base + vector_bytes(p.t, orr_hb2st_v_offset(&shape, s));
    }

    /* The products of reflectors applied to the unit matrix: U (with Q in front) or V. */
    dense product(where w, bytes &reflectors, bool left, const std::string &name)
    {
        const orr_type t = vector_type(p.t);
        const int64_t m = left ? p.m : p.n, lde = m + 1, parts = is_complex(t) ? 2 : 1;
        bytes e = room_for(vector_bytes(t, lde * p.n));
        for (int64_t j = 0; j < p.n; j++)
            put(t, e.data(), (j * lde + j) * parts, 1);
        const orr_hb2st_blocking by = {4, 3, ORR_HB2ST_PRODUCTS};
        const bytes room = room_for(vector_bytes(t, orr_hb2st_apply_work(&shape, &by, p.n)));
        device_array<double> de(e), dr(reflectors), dq(q), work(room);
        for (int64_t g = orr_hb2st_groups(&shape) - 1; g >= 0; g--) {
            const void *const some = group(dr.get(), g * G);
            auto *const f = cpu(w) ? orr_hb2st_apply_cpu[t] : nullptr;
            CHECK((f ? f(&shape, g, 1, &some, 0, p.n, de.get(), lde)
                     : orr_hb2st_apply_cuda[t](nullptr, &shape, g, 1, &some, 0, p.n, de.get(), lde,
                                               &by, work.get())) == ORR_OK,
                  "%s: apply", name.c_str());
        }
        for (int64_t at = left && low > 0 ? (p.n - 1) / D * D : -1; at >= 0; at -= D) {
            const void *const some = (char *)dq.get() + vector_bytes(t, at * (low + 1));
            const int64_t count = std::min(D, p.n - at);
            device_array<double> space(
                room_for(vector_bytes(t, orr_gb2bd_qr_apply_work(low, count, p.n))));
            auto *const f = cpu(w) ? orr_gb2bd_qr_apply_cpu[t] : nullptr;
            CHECK((f ? f(rows, low, at, count, some, p.n, de.get(), lde)
                     : orr_gb2bd_qr_apply_cuda[t](nullptr, rows, low, at, count, some, p.n,
                                                  de.get(), lde, space.get())) == ORR_OK,
                  "%s: qr_apply", name.c_str());
        }
        const std::string error = device_error();
        CHECK(error.empty(), "%s: %s", name.c_str(), error.c_str());
        e = de.host();
        dense x(m, p.n);
        for (int64_t j = 0; j < p.n; j++)
            for (int64_t i = 0; i < m; i++) {
                const int64_t at = (j * lde + i) * parts;
                x.at(i, j) = zz(get(t, e.data(), at), parts == 2 ? get(t, e.data(), at + 1) : 0);
            }
        return x;
    }

    zz entry(int64_t i, int64_t j) const
    {
        const char *x = (const char *)h.data();
        const int64_t at = i * band.ld + band.low + j - i;
        return zz(get(p.t, x, at), is_complex(p.t) ? get(p.t, x, at + band.plane) : 0);
    }
    /* Everything in the blocks but the two diagonals. */
    void check_zeros(const std::string &name) const
    {
        const int64_t plane = is_complex(p.t) ? band.plane : band.ld;
        for (int64_t i = 0; i < blocks * D; i++)
            for (int64_t k = 0; k < band.ld; k++) {
                const int64_t j = k % plane - band.low;
                const double x = get(p.t, h.data(), i * band.ld + k);
                CHECK((i < p.n && (j == 0 || j == 1)) || x == 0, "%s: row %d, column %d: %g",
                      name.c_str(), (int)i, (int)(i + j), x);
            }
    }
};

static double worst_residual[ORR_GB2BD_NTYPES], worst_orthogonality[ORR_GB2BD_NTYPES];

struct vectors {
    dense u, v;
};

static vectors check(reduction &r, where w, const std::string &name)
{
    const problem &p = r.p;
    vectors x = {r.product(w, r.u, true, name), r.product(w, r.v, false, name)};
    dense ub(p.m, p.n);
    for (int64_t j = 0; j < p.n; j++)
        for (int64_t i = 0; i < p.m; i++)
            ub.at(i, j) =
                x.u.at(i, j) * r.entry(j, j) + (j > 0 ? x.u.at(i, j - 1) * r.entry(j - 1, j) : 0);
    dense gap = times_adjoint(ub, x.v);
    for (size_t k = 0; k < gap.a.size(); k++)
        gap.a[k] -= p.a.a[k];
    const double norm = p.a.norm(), unit = (double)p.m * epsilon[p.t];
    const double residual = gap.norm() / (norm > 0 ? norm : 1) / unit;
    const double fine = (double)p.m * epsilon[vector_type(p.t)];
    const double left = departure(x.u) / fine, right = departure(x.v) / fine;
    const double orthogonality = right <= left ? left : right;
    CHECK(residual <= 20, "%s: |A - U B V'| = %.3g m eps |A|", name.c_str(), residual);
    CHECK(orthogonality <= 20, "%s: |U'U - I| = %.3g m eps", name.c_str(), orthogonality);
    worst_residual[p.t] = std::max(worst_residual[p.t], residual);
    worst_orthogonality[p.t] = std::max(worst_orthogonality[p.t], orthogonality);
    r.check_zeros(name);
    return x;
}

struct shape_of {
    int64_t m, n, kl, ku;
};

static void test(orr_type t, family f, const shape_of &s, int64_t D, int64_t G, bool all_orders)
{
    const std::string name = std::string("type ") + "sdczh"[t] + ", " + std::to_string(s.m) +
                             " x " + std::to_string(s.n) + ", kl " + std::to_string(s.kl) +
                             ", ku " + std::to_string(s.ku) + ", " + family_name[f];
    const problem p = make_problem(t, f, s.m, s.n, s.kl, s.ku);
    reduction first(p, 0, 0), plain(p, 0, 0), cut(p, D, G);
    first.run(DEVICE, name);
    const vectors x = check(first, DEVICE, name);
    plain.run(DEVICE, name, false);
    CHECK(plain.h == first.h, "%s: without reflectors differs", name.c_str());
    cut.run(DEVICE, name + ", cut");
    check(cut, DEVICE, name + ", cut");
    CHECK(t == ORR_H || (cut.u == first.u && cut.v == first.v && cut.q == first.q),
          "%s: reflectors of a cut stage differ", name.c_str());
#ifdef ORR_SIMT
    reduction mixed(p, D, G), other(p, D, G);
    mixed.run(MIXED, name + ", mixed");
    check(mixed, MIXED, name + ", mixed");
    other.turn = 1;
    other.run(MIXED, name + ", mixed, the CPU first");
    check(other, CPU, name + ", mixed, the CPU first");
#endif
    const auto again = [&](const std::string &order) {
        reduction r(p, 0, 0);
        r.run(DEVICE, name + ", " + order);
        CHECK(r.h == first.h, "%s, %s: B differs", name.c_str(), order.c_str());
        const vectors z = check(r, DEVICE, name + ", " + order);
        CHECK(x.u.a == z.u.a && x.v.a == z.v.a, "%s, %s: vectors differ", name.c_str(),
              order.c_str());
    };
    if (all_orders)
        for_each_order(again);
#ifdef ORR_SIMT
    if (all_orders) {
        simt::config.resident = 1;
        again("one block at a time");
        simt::config = simt::options();
    }
#endif
}

#ifdef ORR_SIMT
/* The widest stage and the widest QR that any device takes, and one diagonal more, by launches that are not run. */
static void test_widest(orr_type t)
{
    size_t most = 0;
    simt::config.max_shared = 99 * 1024;
    simt::instead_of_run = [&](const void *, dim3, dim3, size_t shared, unsigned) {
        most = std::max(most, shared);
    };
    const auto chase = [&](int64_t tw) {
        orr_gb2bd_args a = {};
        a.b = tw + 1;
        a.tw = tw;
        a.band = orr_gb2bd_layout(t, 3 * tw, 3 * tw, 0, a.b, tw);
        a.count = 3 * tw;
        a.sweeps = 1;
        a.from = -1;
        a.to = INT64_MAX / 2;
        /* half precision takes memory first, of which this would be much */
        return orr_gb2bd_chase_cuda[t == ORR_H ? ORR_S : t](nullptr, &a, nullptr, nullptr, nullptr);
    };
    const auto qr = [&](int64_t kl) {
        orr_gb2bd_args a = {};
        a.b = a.tw = kl;
        a.band = orr_gb2bd_layout(t, 3 * kl, 3 * kl, kl, 2 * kl, 2 * kl - 1);
        a.count = 3 * kl;
        a.sweeps = 1;
        return orr_gb2bd_qr_cuda[t == ORR_H ? ORR_S : t](nullptr, &a, nullptr, nullptr, nullptr);
    };
    const int64_t tw = orr_gb2bd_chase_cuda_max_tw(t);
    int64_t kl = 1;
    while (orr_gb2bd_qr_cuda_fits(t, kl + 1, kl + 1))
        kl++;
    CHECK(chase(tw) == ORR_OK && chase(tw + 1) == ORR_E_ARG, "type %c: tw %d", "sdczh"[t], (int)tw);
    CHECK(qr(kl) == ORR_OK && qr(kl + 1) == ORR_E_ARG, "type %c: kl %d", "sdczh"[t], (int)kl);
    CHECK(most <= simt::config.max_shared, "type %c: %zu bytes", "sdczh"[t], most);
    simt::instead_of_run = nullptr;
    simt::config = simt::options();
}
#endif

static void body()
{
    const bool big = want_long(), slow = slow_build && !big;
    static const shape_of shapes[] = {
        {1, 1, 0, 0},   {2, 1, 1, 0},   {2, 2, 1, 0},   {3, 2, 1, 1},    {5, 4, 1, 0},
        {9, 1, 8, 0},   {60, 3, 9, 1},  {17, 17, 0, 5}, {23, 23, 1, 1},  {24, 19, 2, 3},
        {30, 30, 9, 0}, {33, 29, 8, 9}, {41, 40, 3, 1}, {29, 29, 28, 28}};
    for (int type = 0; type < ORR_GB2BD_NTYPES; type++) {
        const orr_type t = (orr_type)type;
        int count = type;
#ifdef ORR_SIMT
        test_widest(t);
#endif
        for (const shape_of &s : shapes)
            if (big || s.n < 18 || (slow ? s.kl == 8 : count++ % 2))
                test(t, RANDOM, s, 8, 2, big || (s.m == 24 && !slow));
        for (int f = 1; f < NFAMILIES; f++)
            if (big || f % 3 == type % 3)
                test(t, (family)f, {16, 15, 2, 3}, 16, 2, big);
        if (big)
            test(t, RANDOM, {150, 140, 33, 20}, 60, 1, true);
        if (t == ORR_D && !slow) /* more reflectors than fit in shared memory together */
            test(t, RANDOM, {270, 260, 1, 0}, 260, 1, false);
        std::printf("type %c: residual %.2f, orthogonality %.2f (limit 20)\n", "sdczh"[t],
                    worst_residual[t], worst_orthogonality[t]);
    }
}

int main() { return device_main(body); }
