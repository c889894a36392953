/* powm_spmv on a device against the CPU kernels: every format, kind of values and type.
 *
 *   y            of a step, product, PageRank: |y - y_CPU| <= 4 eps (|y| + sum |a||x|)
 *   sums         |s - s_CPU| <= 1e-12 of the sum of all fields (1e-5 where y is single)
 *   order        the same bits in every order of blocks and threads
 *   state        not RUN: y untouched, sums zero
 *   steps        1, 2, 3 and 7 in one call: the vectors of so many calls, bit for bit, and their
 *                scalars within 1e-9, also where the iteration ends among them or before
 *
 * x comes in parts, of which one that no row needs is missing. Matrices: short and long rows, empty
 * ones, fewer rows than a block of threads, one, more than all blocks of a launch have threads, a
 * row longer than what a warp holds, diagonals. SPDX-License-Identifier: BSD-3-Clause */
#include <cfloat>
#include <complex>
#include <random>
#include <string>

#include "device.h"
#include "kernels/powm_combine.h"

typedef std::complex<double> zz;

static const char *const format_name[] = {"auto", "csr", "ell", "gpu-ell", "sell", "bsr", "merge"};
static const size_t element[] = {4, 8, 8, 16};

static bool is_complex(int t) { return t == ORR_C || t == ORR_Z; }

static void put(int t, void *a, int64_t i, zz v)
{
    switch (t) {
    case ORR_S: ((float *)a)[i] = (float)v.real(); break;
    case ORR_D: ((double *)a)[i] = v.real(); break;
    case ORR_C:
        ((std::complex<float> *)a)[i] = std::complex<float>((float)v.real(), (float)v.imag());
        break;
    default: ((zz *)a)[i] = v;
    }
}

static zz get(int t, const void *a, int64_t i)
{
    switch (t) {
    case ORR_S: return ((const float *)a)[i];
    case ORR_D: return ((const double *)a)[i];
    case ORR_C: {
        const std::complex<float> x = ((const std::complex<float> *)a)[i];
        return zz(x.real(), x.imag());
    }
    default: return ((const zz *)a)[i];
    }
}

typedef std::vector<unsigned char> bytes;

/* Rows first .. first+rows-1 of a matrix with cols columns; columns in `gap` stay empty. */
struct matrix {
    orr_powm_rows r;
    std::vector<int64_t> ptr;
    std::vector<int32_t> index;
    std::vector<double> val;
};

enum { PARTS = 4 };
static int64_t part_at[PARTS + 1] = {0, 37, 90, 211, 400}; /* part 1 is needed by no row */

static void stretch_parts(int64_t by)
{
    const int64_t at[] = {0, 37, 90, 211, 400};
    for (int i = 0; i <= PARTS; i++)
        part_at[i] = by * at[i];
}

/* Calls of one stream share it. */
static orr_powm_memory memory;

static matrix make_matrix(int shape, int t, int kind, int64_t rows, std::mt19937 &random)
{
    std::uniform_real_distribution<double> uniform(-1, 1);
    const int64_t cols = part_at[PARTS];
    matrix m;
    m.ptr.push_back(0);
    for (int64_t i = 0; i < rows; i++) {
        if (shape == 3) { /* the neighbours of a point on a grid 7 wide: pieces of diagonals */
            const int64_t at[] = {i - 7, i % 7 ? i - 1 : -1, i, i % 7 < 6 ? i + 1 : -1, i + 7};
            for (int64_t j : at)
                if (j >= 0 && j < rows) {
                    m.index.push_back((int32_t)(part_at[2] + j));
                    for (int w = 0; w < 1 + is_complex(t); w++)
                        m.val.push_back((double)(float)uniform(random));
                }
            m.ptr.push_back((int64_t)m.index.size());
            continue;
        }
        int64_t n = shape == 0   ? (int64_t)(random() % 7)
                    : shape == 1 ? i % 41
                    : shape == 4 ? i % 3
                                 : 2;
        if (shape == 2 && i % 50 == 3)
            n = 300;
        if (shape == 4 && i % 1000 == 700)
            n = 2000;
        if (shape == 5)
            n = 0;
        std::vector<bool> has((size_t)cols);
        for (int64_t k = 0; k < n; k++)
            has[random() % (size_t)cols] = true;
        for (int64_t j = 0; j < cols; j++)
            if (has[(size_t)j] && (j < part_at[1] || j >= part_at[2])) {
                m.index.push_back((int32_t)j);
                for (int w = 0; w < 1 + is_complex(t); w++)
                    m.val.push_back(kind == ORR_VALUES_FULL ? uniform(random)
                                                            : (double)(float)uniform(random));
            }
        m.ptr.push_back((int64_t)m.index.size());
    }
    if (t == ORR_S || t == ORR_C)
        for (double &v : m.val)
            v = (float)v;
    m.r = {};
    m.r.first = 100;
    m.r.rows = rows;
    m.r.cols = cols;
    m.r.complex_values = is_complex(t);
    m.r.value = 0.75;
    return m;
}

static void point(matrix &m, int kind)
{
    m.r.ptr = m.ptr.data();
    m.r.index = m.index.data();
    m.r.val = kind == ORR_VALUES_PATTERN ? nullptr : m.val.data();
}

/* A device has no business with what belongs to the host: all of it in device_array. */
struct device_x {
    std::vector<device_array<unsigned char> *> part;
    std::vector<const void *> at;
    std::vector<int64_t> first, count;
    orr_powm_pieces pieces;
    device_x(const bytes &x, size_t size, bool whole)
    {
        for (int p = 0; p < (whole ? 1 : PARTS); p++) {
            const int64_t from = part_at[p], to = whole ? part_at[PARTS] : part_at[p + 1];
            if (p == 1)
                continue;
            part.push_back(new device_array<unsigned char>(
                bytes(x.begin() + from * (int64_t)size, x.begin() + to * (int64_t)size)));
            at.push_back(part.back()->get());
            first.push_back(from);
            count.push_back(to - from);
        }
        pieces = {(int64_t)at.size(), at.data(), first.data(), count.data()};
    }
    ~device_x()
    {
        for (auto *p : part)
            delete p;
    }
};

struct trial {
    int t;
    std::string what;
    orr_powm_block head;
    bytes block, x, y, d, p;  /* y: before the step */
    std::vector<double> size; /* sum |a||x| of each row */
};

static void compare(const trial &c, const char *name, const bytes &have, const bytes &want)
{
    const double eps = c.t == ORR_S || c.t == ORR_C ? FLT_EPSILON : 16 * DBL_EPSILON;
    for (int64_t i = 0; i < c.head.rows; i++) {
        const zz a = get(c.t, have.data(), i), b = get(c.t, want.data(), i);
        const double room = 4 * eps * (std::abs(b) + c.size[(size_t)i]);
        if (!(std::abs(a - b) <= room)) {
            CHECK(false, "%s %s: row %lld is %g%+gi, not %g%+gi", c.what.c_str(), name,
                  (long long)i, a.real(), a.imag(), b.real(), b.imag());
            return;
        }
    }
}

static void compare(const trial &c, const char *name, const orr_powm_partial &have,
                    const orr_powm_partial &want)
{
    const double *a = (const double *)&have, *b = (const double *)&want;
    const int n = (int)(sizeof want / 8);
    double all = 0;
    for (int f = 0; f < n; f++)
        all += std::isfinite(b[f]) ? std::fabs(b[f]) : 0;
    const double room = (c.t == ORR_S || c.t == ORR_C ? 1e-5 : 1e-12) * all;
    for (int f = 0; f < n; f++)
        CHECK(a[f] == b[f] || std::fabs(a[f] - b[f]) <= room, "%s %s: field %d is %g, not %g",
              c.what.c_str(), name, f, a[f], b[f]);
}

/* The sums of a device must not depend on the order; kept from the first one. */
template <class T>
static void same_in_all_orders(const trial &c, const char *name, const T &now, T &first, bool &have)
{
    if (have)
        CHECK(std::memcmp(&now, &first, sizeof now) == 0, "%s %s: depends on the order",
              c.what.c_str(), name);
    first = now;
    have = true;
}

static orr_powm_partial partial_of(device_array<unsigned char> &a)
{
    orr_powm_partial s;
    const bytes b = a.host();
    std::memcpy(&s, b.data(), sizeof s);
    return s;
}

static bytes of(const void *p, size_t n)
{
    return bytes((const unsigned char *)p, (const unsigned char *)p + n);
}

static orr_powm_there there(const trial &c, device_array<unsigned char> &block)
{
    return {nullptr, &c.head, block.get(), &memory};
}

static void try_step(const trial &c, device_array<unsigned char> &block, const device_x &x,
                     int ritz, int state)
{
    orr_powm_scalars before = {};
    before.state = state;
    before.next[0] = 0.5;
    before.next[1] = 2;
    const double im = is_complex(c.t) ? 0.25 : 0;
    const double theta[2] = {0.3, im}, shift[2] = {-0.2, -im}, p[2] = {0.7, im}, q[2] = {0.1, im};
    std::memcpy(before.theta, theta, sizeof theta);
    std::memcpy(before.shift, shift, sizeof shift);
    std::memcpy(before.p, p, sizeof p);
    std::memcpy(before.q, q, sizeof q);
    const orr_powm_step_args g = orr_powm_next_step(&before, ritz);
    bytes want = c.y;
    orr_powm_partial sums = {}, first = {};
    bool have = false;
    if (state == ORR_POWM_RUN)
        orr_powm_step_cpu[c.t](&g, c.block.data(), c.x.data(), want.data(), &sums);
    for_each_order([&](const char *order) {
        device_array<unsigned char> y(c.y), s(bytes(sizeof sums, 0x5a));
        device_array<unsigned char> scalars(of(&before, sizeof before));
        const orr_powm_there on = there(c, block);
        const orr_status st = orr_powm_step_cuda[c.t](&on, ritz, scalars.get(), &x.pieces, y.get(),
                                                      (orr_powm_partial *)s.get());
        const std::string e = device_error();
        CHECK(st == ORR_OK && e.empty(), "%s %s: %d %s", c.what.c_str(), order, st, e.c_str());
        compare(c, "step", y.host(), want);
        compare(c, "step", partial_of(s), sums);
        same_in_all_orders(c, "step", partial_of(s), first, have);
        if (state != ORR_POWM_RUN)
            CHECK(y.host() == c.y, "%s: a step behind the last changed y", c.what.c_str());
    });
}

static void try_product(const trial &c, device_array<unsigned char> &block, const device_x &x)
{
    bytes want = c.y;
    orr_powm_product_cpu[c.t](0.37, c.block.data(), c.x.data(), want.data());
    for_each_order([&](const char *order) {
        device_array<unsigned char> y(bytes(c.y.size(), 0xff)); /* NaN */
        const orr_powm_there on = there(c, block);
        const orr_status st = orr_powm_product_cuda[c.t](&on, 0.37, &x.pieces, y.get());
        const std::string e = device_error();
        CHECK(st == ORR_OK && e.empty(), "%s %s: %d %s", c.what.c_str(), order, st, e.c_str());
        compare(c, "product", y.host(), want);
    });
}

static void try_residual(const trial &c, device_array<unsigned char> &block, const device_x &x,
                         int with_z)
{
    const orr_powm_residual_args g = {0.3, -0.4, !is_complex(c.t) && !with_z, 0};
    orr_powm_partial want = {}, first = {};
    bool have = false;
    orr_powm_residual_cpu[c.t](&g, c.block.data(), c.x.data(), with_z ? c.p.data() : nullptr,
                               &want);
    for_each_order([&](const char *order) {
        device_array<unsigned char> s(bytes(sizeof want, 0x5a)), z(c.p);
        const orr_powm_there on = there(c, block);
        const orr_status st = orr_powm_residual_cuda[c.t](
            &on, &g, &x.pieces, with_z ? z.get() : nullptr, (orr_powm_partial *)s.get());
        const std::string e = device_error();
        CHECK(st == ORR_OK && e.empty(), "%s %s: %d %s", c.what.c_str(), order, st, e.c_str());
        compare(c, "residual", partial_of(s), want);
        same_in_all_orders(c, "residual", partial_of(s), first, have);
    });
}

static void try_rank(const trial &c, device_array<unsigned char> &block, const device_x &x,
                     int dangling, int personal)
{
    orr_powm_scalars before = {};
    before.mass = 0.9;
    before.dangling = 0.3;
    const orr_pagerank_rule rule = {0.85, dangling, personal, 77};
    const orr_pagerank_step_args g = orr_pagerank_next_step(&rule, &before);
    bytes want = c.y;
    orr_powm_partial sums = {}, first = {};
    bool have = false;
    orr_pagerank_step_cpu[c.t](&g, c.block.data(), c.x.data(), c.d.data(),
                               personal ? c.p.data() : nullptr, want.data(), &sums);
    for_each_order([&](const char *order) {
        device_array<unsigned char> y(bytes(c.y.size(), 0xff)), s(bytes(sizeof sums, 0x5a));
        device_array<unsigned char> scalars(of(&before, sizeof before)), d(c.d), p(c.p);
        const orr_powm_there on = there(c, block);
        const orr_status st = orr_pagerank_step_cuda[c.t](&on, &rule, scalars.get(), &x.pieces,
                                                          d.get(), personal ? p.get() : nullptr,
                                                          y.get(), (orr_powm_partial *)s.get());
        const std::string e = device_error();
        CHECK(st == ORR_OK && e.empty(), "%s %s: %d %s", c.what.c_str(), order, st, e.c_str());
        compare(c, "pagerank", y.host(), want);
        orr_powm_partial have_now = partial_of(s);
        have_now.low = have_now.high = 0; /* the CPU leaves them at 0 */
        compare(c, "pagerank", have_now, sums);
        same_in_all_orders(c, "pagerank", have_now, first, have);
    });
}

static void try_block(const matrix &m, int t, const orr_powm_form &form, int shape,
                      std::mt19937 &random)
{
    std::uniform_real_distribution<double> uniform(-1, 1);
    trial c;
    c.t = t;
    c.what = std::string(format_name[form.format]) + " " + "sdcz"[t] + " values " +
             std::to_string(form.values) + " shape " + std::to_string(shape);
    if (orr_powm_plan(&m.r, (orr_type)t, &form, &c.head) != ORR_OK) {
        CHECK(false, "%s: no plan", c.what.c_str());
        return;
    }
    void *aligned = std::aligned_alloc(64, (size_t)c.head.bytes);
    orr_powm_pack(&m.r, &c.head, aligned);
    c.block = of(aligned, (size_t)c.head.bytes);
    std::free(aligned);
    const int64_t cols = m.r.cols, rows = m.r.rows;
    c.x.resize((size_t)(cols + ORR_POWM_PAD) * element[t]);
    for (bytes *v : {&c.y, &c.d, &c.p})
        v->resize((size_t)rows * element[t]);
    for (int64_t i = 0; i < cols; i++)
        put(t, c.x.data(), i, zz(1.5 + uniform(random), uniform(random)));
    for (int64_t i = 0; i < rows; i++) {
        put(t, c.y.data(), i, zz(uniform(random), uniform(random)));
        put(t, c.d.data(), i, i % 5 == 3 ? -1.0 : 1.0 + (double)(i % 4));
        put(t, c.p.data(), i, 1 + uniform(random) / 2);
    }
    for (int64_t i = 0; i < rows; i++) {
        double s = 1;
        for (int64_t k = m.ptr[(size_t)i]; k < m.ptr[(size_t)i + 1]; k++)
            s += 2 * std::abs(get(t, c.x.data(), m.index[(size_t)k]));
        c.size.push_back(s);
    }
    device_array<unsigned char> block(c.block);
    const bool own = m.r.first + rows <= part_at[1] || m.r.first >= part_at[2]; /* not in part 1 */
    const device_x x(c.x, element[t], !own), whole(c.x, element[t], true);
    try_step(c, block, x, 0, ORR_POWM_RUN);
    try_step(c, block, whole, 1, ORR_POWM_RUN);
    try_step(c, block, x, 1, ORR_POWM_CONVERGED);
    try_product(c, block, x);
    try_residual(c, block, x, 0);
    if (is_complex(t))
        return;
    try_residual(c, block, x, 1);
    for (int dangling = 0; dangling < 3; dangling++)
        try_rank(c, block, x, dangling, dangling != 1);
}

/* ---- Several steps in one call ------------------------------------------------------------- */

/* A square matrix with an empty row, and one of all columns. */
static matrix make_square(int t, int kind, int64_t n, std::mt19937 &random)
{
    std::uniform_real_distribution<double> uniform(0.5, 1);
    matrix m;
    m.ptr.push_back(0);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++)
            if (i == n / 2 || (i != n / 3 && (i + 3 * j) % 7 == 0)) {
                m.index.push_back((int32_t)j);
                for (int w = 0; w < 1 + is_complex(t); w++)
                    m.val.push_back((double)(float)uniform(random));
            }
        m.ptr.push_back((int64_t)m.index.size());
    }
    m.r = {};
    m.r.rows = m.r.cols = n;
    m.r.complex_values = is_complex(t);
    m.r.value = 0.75;
    point(m, kind);
    return m;
}

static bool near(const orr_powm_scalars &a, const orr_powm_scalars &b)
{
    const double *p = &a.used, *q = &b.used; /* all behind are doubles but for has_ritz */
    const size_t from = offsetof(orr_powm_scalars, used), no = offsetof(orr_powm_scalars, has_ritz);
    bool same = a.step == b.step && a.state == b.state && a.by_ritz == b.by_ritz &&
                a.has_ritz == b.has_ritz;
    for (size_t i = 0; i < (sizeof a - from) / 8; i++)
        same = same && (i == (no - from) / 8 || p[i] == q[i] ||
                        std::fabs(p[i] - q[i]) <= 1e-9 * (1 + std::fabs(q[i])));
    return same;
}

/* Vectors and scalars of a run on a device; s: of the last step and of the one before. */
struct walker {
    bytes x[2];
    orr_powm_scalars s[2];
};

struct walk {
    int t;
    bool rank;
    orr_powm_block head;
    bytes block, d;
    orr_powm_combine_args rule;
    orr_pagerank_rule jump;
};

static walker one_by_one(const walk &c, device_array<unsigned char> &block, walker w, int count)
{
    const orr_powm_there on = {nullptr, &c.head, block.get(), &memory};
    device_array<unsigned char> x0(w.x[0]), x1(w.x[1]), d(c.d);
    void *const x[2] = {x0.get(), x1.get()};
    for (int i = 0; i < count; i++) {
        device_array<unsigned char> scalars(of(&w.s[c.rank ? 0 : 1], sizeof w.s[0]));
        device_array<unsigned char> sums(bytes(sizeof(orr_powm_partial)));
        const void *at[1] = {x[i % 2]};
        const int64_t first[1] = {0};
        const orr_powm_pieces whole = {1, at, first, &c.head.cols};
        orr_powm_partial *const s = (orr_powm_partial *)sums.get();
        const orr_status st = c.rank
                                  ? orr_pagerank_step_cuda[c.t](&on, &c.jump, scalars.get(), &whole,
                                                                d.get(), nullptr, x[(i + 1) % 2], s)
                                  : orr_powm_step_cuda[c.t](&on, c.rule.ritz, scalars.get(), &whole,
                                                            x[(i + 1) % 2], s);
        CHECK(st == ORR_OK && device_error().empty(), "a step: %d", st);
        const orr_powm_partial part = partial_of(sums), *const parts[1] = {&part};
        const orr_powm_scalars last = w.s[0];
        orr_powm_combine(&c.rule, parts, 1, &last, &w.s[0]);
        w.s[1] = last;
    }
    w.x[0] = x0.host();
    w.x[1] = x1.host();
    return w;
}

static walker at_once(const walk &c, device_array<unsigned char> &block, walker w, int count)
{
    const orr_powm_there on = {nullptr, &c.head, block.get(), &memory};
    device_array<unsigned char> x0(w.x[0]), x1(w.x[1]), d(c.d);
    device_array<unsigned char> before(of(w.s, sizeof w.s)), out(bytes(sizeof w.s, 0x5a));
    void *const x[2] = {x0.get(), x1.get()};
    const orr_powm_scalars *const from = (const orr_powm_scalars *)before.get();
    orr_powm_scalars *const to = (orr_powm_scalars *)out.get();
    const orr_status st = c.rank ? orr_pagerank_steps_cuda[c.t](&on, &c.jump, &c.rule, count, from,
                                                                d.get(), nullptr, x, to)
                                 : orr_powm_steps_cuda[c.t](&on, &c.rule, count, from, x, to);
    const std::string e = device_error();
    CHECK(st == ORR_OK && e.empty(), "steps: %d %s", st, e.c_str());
    const bytes s = out.host();
    std::memcpy(w.s, s.data(), sizeof w.s);
    w.x[0] = x0.host();
    w.x[1] = x1.host();
    return w;
}

static void try_steps(int t, orr_format format, int kind, int64_t n, bool rank,
                      std::mt19937 &random)
{
    const matrix m = make_square(t, kind, n, random);
    orr_powm_form form = {};
    form.format = format;
    form.values = kind;
    form.long_row = format == ORR_FORMAT_SELL && n > 20 ? 20 : 0;
    walk c = {};
    c.t = t;
    c.rank = rank;
    if (orr_powm_plan(&m.r, (orr_type)t, &form, &c.head) != ORR_OK)
        return; /* pattern in bsr and ell becomes full; too much padding does not come about */
    void *aligned = std::aligned_alloc(64, (size_t)c.head.bytes);
    orr_powm_pack(&m.r, &c.head, aligned);
    c.block = of(aligned, (size_t)c.head.bytes);
    std::free(aligned);
    walker begin;
    orr_powm_scalars_start(&begin.s[0], 30);
    begin.s[1] = begin.s[0];
    c.d.resize((size_t)n * element[t]);
    for (bytes &x : begin.x)
        x.resize((size_t)n * element[t]);
    for (int64_t i = 0; i < n; i++) {
        put(t, begin.x[0].data(), i, zz(1, 0.5 * (double)(i % 3)));
        put(t, begin.x[1].data(), i, 7);
        put(t, c.d.data(), i, i % 5 == 3 ? -1.0 : 1.0 + (double)(i % 4));
    }
    c.jump = {0.85, 0, 0, n};
    device_array<unsigned char> block(c.block);
    for (const int count : {1, 2, 3, 7})
        for (int when = 0; when < 3; when++) { /* 0: never good enough, 1: soon, 2: before */
            c.rule = {when == 1 ? 1e300 : -1.0, count != 2, rank, when == 1 ? 1 : 0};
            begin.s[0].state = begin.s[1].state = when == 2 ? ORR_POWM_CONVERGED : ORR_POWM_RUN;
            const walker want = one_by_one(c, block, begin, count);
            for_each_order([&](const char *order) {
                const walker have = at_once(c, block, begin, count);
                const std::string what = std::string(format_name[format]) + " " + "sdcz"[t] +
                                         " values " + std::to_string(kind) + " n " +
                                         std::to_string(n) + (rank ? " pagerank " : " steps ") +
                                         std::to_string(count) + " case " + std::to_string(when);
                CHECK(have.x[0] == want.x[0] && have.x[1] == want.x[1], "%s %s: other vectors",
                      what.c_str(), order);
                CHECK(near(have.s[0], want.s[0]) && (rank || near(have.s[1], want.s[1])),
                      "%s %s: step %lld state %d theta %g residual %g, not %lld %d %g %g",
                      what.c_str(), order, (long long)have.s[0].step, have.s[0].state,
                      have.s[0].theta[0], have.s[0].residual, (long long)want.s[0].step,
                      want.s[0].state, want.s[0].theta[0], want.s[0].residual);
            });
            CHECK(when != 2 || want.x[1] == begin.x[1], "a step behind the last");
        }
}

static void body()
{
    std::mt19937 random(5);
    for (int t = 0; t < 4; t++)
        for (int shape = 0; shape < 3; shape++)
            for (int kind = 0; kind < ORR_NVALUES; kind++) {
                if (!want_long() && shape + kind + t % 2 == 2)
                    continue; /* each pair of them is met all the same */
                const int64_t rows = want_long() ? 301 : shape == 2 ? 60 : 33 + 8 * shape;
                matrix m = make_matrix(shape, t, kind, rows > 300 ? 300 : rows, random);
                point(m, kind);
                for (int f = ORR_FORMAT_CSR; f < ORR_FORMAT_TILES;
                     f++) { /* that is for CPUs only */
                    orr_powm_form form = {};
                    form.format = (orr_format)f;
                    form.values = kind;
                    form.long_row = f == ORR_FORMAT_SELL && shape == 2 ? 100 : 0;
                    try_block(m, t, form, shape, random);
                }
            }
    for (int t = 0; t < 4; t++)
        for (int kind = 0; kind < ORR_NVALUES; kind++) {
            matrix m = make_matrix(3, t, kind, want_long() ? 160 : 70, random);
            point(m, kind);
            orr_powm_form form = {};
            form.format = ORR_FORMAT_SELL;
            form.values = kind;
            try_block(m, t, form, 3, random);
        }
    for (int t = 0; t < 4; t++)
        for (int f = ORR_FORMAT_CSR; f < ORR_FORMAT_TILES; f++)
            for (const int64_t n : {1, 37}) {
                const int kind = (t + f) % ORR_NVALUES;
                try_steps(t, (orr_format)f, kind, n, false, random);
                if (!is_complex(t))
                    try_steps(t, (orr_format)f, kind, n, true, random);
            }
    /* one row, rows without entries; more rows than the blocks of a launch have threads, two of
       them longer than what a warp has room for */
    for (const int64_t rows : {1, 31, 2100}) {
        const int shape = rows == 1 ? 2 : rows == 31 ? 5 : 4;
        stretch_parts(shape == 4 ? 6 : 1);
        for (int f = ORR_FORMAT_CSR; f < ORR_FORMAT_TILES; f++) {
            const int t = shape == 4 ? ORR_D : f % 4;
            matrix m = make_matrix(shape, t, 0, rows, random);
            point(m, 0);
            m.r.first = 0;
            orr_powm_form form = {};
            form.format = (orr_format)f;
            form.long_row = f == ORR_FORMAT_SELL ? 40 : 0;
            if (shape != 4 ||
                (f != ORR_FORMAT_ELL && f != ORR_FORMAT_GPU_ELL)) /* too much padding */
                try_block(m, t, form, shape, random);
        }
    }
    stretch_parts(1);
    /* several pieces of merge, one row over more than one of them; a row for each warp of csr */
    for (int t = 0; t < 4; t++) {
        matrix m;
        m.ptr = {0};
        for (int i = 0; i < 40; i++) {
            const int n = i == 7 ? 9000 : i == 8 ? 4000 : i % 3;
            for (int k = 0; k < n; k++)
                m.index.push_back((int32_t)(part_at[2] + (i + k) % (part_at[PARTS] - part_at[2])));
            m.ptr.push_back((int64_t)m.index.size());
        }
        m.r = {};
        m.r.first = 300;
        m.r.rows = 40;
        m.r.cols = part_at[PARTS];
        m.r.value = -2;
        point(m, ORR_VALUES_PATTERN);
        for (const orr_format f : {ORR_FORMAT_MERGE, ORR_FORMAT_CSR, ORR_FORMAT_SELL}) {
            orr_powm_form form = {};
            form.format = f;
            form.values = ORR_VALUES_PATTERN;
            form.long_row = f == ORR_FORMAT_SELL ? 100 : 0;
            try_block(m, t, form, 9, random);
        }
    }
}

int main()
{
    const int failed = device_main(body);
    orr_powm_memory_end(&memory);
    return failed;
}
