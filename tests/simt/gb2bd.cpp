/* gb2bd on a device against its CPU kernels: bands that are awkward for windows and lanes, one or
 * several stages, five types, every interleaving of thread blocks.
 *
 *   values    |s - s_CPU| <= 20 n eps max s     singular values of the bidiagonal matrix (dbdsqr)
 *   zeros     nothing is left beside the two diagonals, to the bit
 *   bits      the same in all orders, and however a stage is cut into tasks (half precision
 *             rounds at the end of a task: only whole stages); by kernels for one width and for any
 *   mixed     tasks by turns on the CPU and in the emulator hand their reflectors over
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "device.h"
#include "gb2bd_numbers.h"

extern "C" void dbdsqr_(const char *, const int *, const int *, const int *, const int *, double *,
                        double *, double *, const int *, double *, const int *, double *,
                        const int *, double *, int *);

enum family {
    RANDOM,
    ZERO,
    DIAGONAL,
    BIDIAGONAL,
    BLOCKS,
    ONES_IN_THE_CORNER,
    TINY_ROWS,
    NFAMILIES
};
static const char *const family_name[] = {
    "random", "zero", "diagonal", "bidiagonal", "b x b blocks", "ones in the corner", "tiny rows"};
struct problem {
    orr_type t;
    int64_t n, b, tw;
    bytes ab; /* LAPACK's upper band */
    orr_gb2bd_source source() const
    {
        orr_gb2bd_source s = {};
        s.ab = ab.data();
        s.m = s.n = n;
        s.ku = b;
        s.ldab = b + 1;
        s.scale = 1;
        return s;
    }
};

static problem make_problem(orr_type t, family f, int64_t n, int64_t b, int64_t tw)
{
    const int parts = t == ORR_C || t == ORR_Z ? 2 : 1;
    problem p = {t, n, b, tw, room_for((size_t)(n * (b + 1) * parts) * real_size[t])};
    std::mt19937 random((unsigned)(1000 * n + b));
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = std::max<int64_t>(0, j - b); i <= j; i++)
            for (int part = 0; part < parts; part++) {
                double x = uniform(random);
                switch (f) {
                case ZERO: x = 0; break;
                case DIAGONAL: x = i == j ? x : 0; break;
                case BIDIAGONAL: x = j <= i + 1 ? x : 0; break;
                case BLOCKS: x = i / b == j / b ? x : 0; break;
                case ONES_IN_THE_CORNER: x = j <= b ? part == 0 : 0; break;
                case TINY_ROWS:
                    x *= i % 3 ? 1 : t == ORR_H ? 1e-3 : real_size[t] == 4 ? 1e-30 : 1e-200;
                    break;
                default: break;
                }
                put(t, p.ab.data(), (j * (b + 1) + b + i - j) * parts + part, x);
            }
    return p;
}

/* The band in blocks of D rows, through all stages. */
struct reduction {
    const problem &p;
    orr_gb2bd_band band;
    int64_t D, G, blocks;
    bytes h, carry;
    std::vector<double> d, e;

    reduction(const problem &p_, int64_t D_, int64_t G_)
        : p(p_), band(orr_gb2bd_layout(p_.t, p_.n, p_.n, 0, p_.b, p_.tw)), D(D_ > 0 ? D_ : p_.n),
          G(G_ > 0 ? G_ : std::max<int64_t>(p_.n, 1)), blocks((p_.n + D - 1) / D),
          h(room_for((size_t)blocks * block_bytes())),
          carry(room_for((size_t)(G * carry_reals()) * (p_.t == ORR_H ? 4 : real_size[p_.t]))),
          d((size_t)p_.n), e((size_t)p_.n)
    {
        const orr_gb2bd_source source = p.source();
        for (int64_t m = 0; m < blocks; m++)
            orr_gb2bd_load_cpu[p.t](&band, &source, m * D, D, block(h.data(), m));
        std::memset(carry.data(), 0x5a, carry.size() * sizeof carry[0]);
    }
    size_t block_bytes() const { return (size_t)(D * band.ld) * real_size[p.t]; }
    int64_t carry_reals() const { return orr_gb2bd_carry(p.t, p.tw); }
    void *block(double *base, int64_t m) const { return (char *)base + (size_t)m * block_bytes(); }

    /* task(args, top, bottom, carry) for all tasks of all stages, in order of sweeps. */
    template <class F> void tasks(double *base, double *carries, F task) const
    {
        for (int64_t b = p.b; b > 1;) {
            const int64_t tw = std::min(p.tw, b - 1), sweeps = p.n - 1 - (b - tw);
            for (int64_t first = 0; first < sweeps; first += G)
                for (int64_t m = 0; m < blocks; m++) {
                    orr_gb2bd_args a = {};
                    a.band = band;
                    a.first = m > 0 ? (m - 1) * D : 0;
                    a.count = D;
                    a.b = b;
                    a.tw = tw;
                    a.sweep = first;
                    a.sweeps = std::min(G, sweeps - first);
                    a.from = m * D - 1;
                    a.to = m + 1 < blocks ? (m + 1) * D - 1 : INT64_MAX / 2;
                    task(a, block(base, m > 0 ? m - 1 : 0), m > 0 ? block(base, m) : nullptr,
                         carries);
                }
            b -= tw;
        }
    }
    void store()
    {
        std::vector<float> ds(d.size()), es(e.size());
        const bool single = p.t != ORR_D && p.t != ORR_Z;
        for (int64_t m = 0; m < blocks; m++)
            orr_gb2bd_store_cpu[p.t](&band, 1.0, 0, m * D, D, block(h.data(), m),
                                     single ? (void *)ds.data() : d.data(),
                                     single ? (void *)es.data() : e.data());
        if (single) {
            std::copy(ds.begin(), ds.end(), d.begin());
            std::copy(es.begin(), es.end(), e.begin());
        }
    }
    void run_cpu()
    {
        tasks(h.data(), carry.data(),
              [&](const orr_gb2bd_args &a, void *top, void *bottom, void *c) {
                  CHECK(orr_gb2bd_chase_cpu[p.t](&a, top, bottom, c) == ORR_OK, "CPU");
              });
        store();
    }
    void run_device(const std::string &where, bool mixed = false,
                    orr_gb2bd_cuda_fn *const *table = orr_gb2bd_chase_cuda)
    {
        device_array<double> dh(h), dc(carry);
        int turn = 0;
        tasks(dh.get(), dc.get(), [&](const orr_gb2bd_args &a, void *top, void *bottom, void *c) {
            const orr_status st = mixed && turn++ % 2 ? orr_gb2bd_chase_cpu[p.t](&a, top, bottom, c)
                                                      : table[p.t](nullptr, &a, top, bottom, c);
            CHECK(st == ORR_OK, "%s: launch", where.c_str());
        });
        const std::string error = device_error();
        CHECK(error.empty(), "%s: %s", where.c_str(), error.c_str());
        h = dh.host();
        store();
    }
    bool same_bits(const reduction &o) const
    {
        return !std::memcmp(d.data(), o.d.data(), d.size() * sizeof d[0]) &&
               !std::memcmp(e.data(), o.e.data(), e.size() * sizeof e[0]);
    }
    std::vector<double> values(const std::string &where) const
    {
        std::vector<double> s = d, off = e, work(8 * d.size() + 8);
        const int n = (int)p.n, zero = 0, one = 1;
        double none = 0;
        int info = 0;
        dbdsqr_("U", &n, &zero, &zero, &zero, s.data(), off.data(), &none, &one, &none, &one, &none,
                &one, work.data(), &info);
        CHECK(info == 0, "%s: dbdsqr %d", where.c_str(), info);
        return s;
    }
    double check(const reduction &cpu, const std::string &where) const
    {
        const std::vector<double> mine = values(where), theirs = cpu.values(where);
        double worst = 0;
        for (size_t i = 0; i < mine.size(); i++) {
            const double x = std::fabs(mine[i] - theirs[i]);
            worst = x > worst || x != x ? x : worst;
        }
        const double unit = (double)p.n * epsilon[p.t] * (theirs.empty() ? 0 : theirs[0]);
        CHECK(worst <= 20 * unit, "%s: |s - s_CPU| = %.3g > 20 n eps max s = %.3g", where.c_str(),
              worst, 20 * unit);
        const int parts = p.t == ORR_C || p.t == ORR_Z ? 2 : 1;
        const double *base = h.data();
        for (int64_t i = 0; i < p.n; i++)
            for (int64_t k = 0; k < band.ld; k++) {
                const int64_t j = k % (parts == 2 ? band.plane : band.ld) - band.low;
                const double x = get(p.t, block((double *)base, i / D), (i % D) * band.ld + k);
                CHECK(j == 0 || j == 1 || x == 0, "%s: row %d, column %d: %g", where.c_str(),
                      (int)i, (int)(i + j), x);
            }
        return unit > 0 ? worst / unit : 0;
    }
};

struct split {
    int64_t D, G;
};

static void test_band(orr_type t, family f, int64_t n, int64_t b, int64_t tw,
                      const std::vector<split> &splits, bool all_orders)
{
    const std::string name = std::string("type ") + "sdczh"[t] + ", n " + std::to_string(n) +
                             ", b " + std::to_string(b) + ", tw " + std::to_string(tw) + ", " +
                             family_name[f];
    const problem p = make_problem(t, f, n, b, tw);
    reduction cpu(p, 0, 0), first(p, 0, 0);
    cpu.run_cpu();
    first.run_device(name);
    std::printf("%s: values %.2f (n eps max s)\n", name.c_str(), first.check(cpu, name));
    if (thorough() || ((b == 32 || b == 64) && splits.empty())) { /* elsewhere it is the same */
        reduction any(p, 0, 0);
        any.run_device(name + ", for any b", false, orr_gb2bd_chase_cuda_any_b);
        CHECK(any.same_bits(first), "%s: the kernel for any b differs", name.c_str());
    }
    bool again = false; /* the first order is that of the run above */
    if (all_orders)
        for_each_order([&](const char *order) {
            if (!std::exchange(again, true))
                return;
            reduction r(p, 0, 0);
            r.run_device(name + ", " + order);
            CHECK(r.same_bits(first), "%s: %s differs", name.c_str(), order);
        });
#ifdef ORR_SIMT
    if (all_orders) {
        simt::config.resident = 1;
        reduction alone(p, 0, 0);
        alone.run_device(name + ", one block at a time");
        CHECK(alone.same_bits(first), "%s: one block at a time differs", name.c_str());
        simt::config = simt::options();
    }
#endif
    for (const split &s : splits) {
        const std::string where =
            name + ", D " + std::to_string(s.D) + ", G " + std::to_string(s.G);
        reduction r(p, s.D, s.G);
        r.run_device(where);
        if (t == ORR_H)
            r.check(cpu, where);
        else
            CHECK(r.same_bits(first), "%s differs", where.c_str());
#ifdef ORR_SIMT
        reduction mixed(p, s.D, s.G);
        mixed.run_device(where + ", mixed", true);
        mixed.check(cpu, where + ", mixed");
#endif
    }
}

static void body()
{
    const bool big = want_long(), slow = slow_build && !big;
    for (int type = 0; type < ORR_GB2BD_NTYPES; type++) {
        const orr_type t = (orr_type)type;
        /* By default every case has one real and one complex type, in both precisions. */
        const auto mine = [&](int64_t which) { return thorough() || which % 2 == type % 2; };
        int64_t count = 0;
        for (const int64_t b :
             slow ? std::vector<int64_t>{2, 5} : std::vector<int64_t>{2, 3, 5, 8}) {
            for (const int64_t n : {b + 1, b + 2, 2 * b + 1, 4 * b + 3, (int64_t)41}) {
                const bool middle = n == 41 && b == 5 && !slow; /* all types, all orders */
                count++;
                if (slow ? n > 4 * b + 3 : !middle && !mine(count))
                    continue;
                for (const int64_t tw : {b - 1, b / 2})
                    if ((tw == b - 1 || n > 2 * b) && (big || n < 41 || b % 3 == 2))
                        test_band(t, RANDOM, n, b, tw, {{2 * b, 2}}, big || middle);
            }
            count++;
        }
        for (int f = 0; f < NFAMILIES; f++) {
            if (mine(f))
                test_band(t, (family)f, 29, 4, 3, {}, big);
            if (mine(f + 1))
                test_band(t, (family)f, 23, 6, 2, {{6, 1}}, big);
        }
        for (const int64_t b : {31, 33})
            if (big || (b % 3 == type % 3 && !slow_build))
                test_band(t, RANDOM, big ? 5 * b + 7 : 2 * b + 7, b, 16, {{2 * b, 2}}, big);
        const auto cut = [&](int64_t which, const split &s) {
            return mine(which) ? std::vector<split>{s} : std::vector<split>{};
        };
        /* Stages with kernels of their own: whole windows, and cut ones. Half precision has those
         * of single. */
        if (slow ? t == ORR_D : thorough() || t != ORR_H)
            test_band(t, RANDOM, big ? 167 : 71, 32, 31, cut(1, {64, 2}), big);
        if (slow ? t == ORR_Z : thorough() || t != ORR_H)
            test_band(t, RANDOM, big ? 327 : 135, 64, t == ORR_D || t == ORR_Z ? 32 : 63,
                      cut(2, {128, 2}), big);
        test_band(t, RANDOM, 1, 1, 1, {}, false);
        test_band(t, RANDOM, 2, 1, 1, {}, false);
        if (big)
            test_band(t, RANDOM, 300, 64, 16, {{150, 2}}, true);
    }
    if (slow)
        return;
    /* Windows that fit only once, or not at all. */
    test_band(ORR_D, RANDOM, 130, 80, 79, {}, big);
    test_band(ORR_Z, RANDOM, 120, 90, 89, {}, big);
}

int main() { return device_main(body); }
