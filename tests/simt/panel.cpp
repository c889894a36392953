/* Householder QR of panels on a device (kernels/panel.h), four types, by blocks that tell each other through
 * memory and by a cluster, against nothing but itself, in double precision:
 *
 *   panel          |A - (I - V S V') (R; 0)|_F  <= 4 (m + b) eps |A|_F, each column for itself
 *   orthogonality  |Q'Q - I|_F                  <= 4 (m + b) eps, of the first w columns of Q
 *   shape          V and S have their ones and zeros, the diagonal of R is real; a column without
 *                  anything to clear has no reflector
 *   signs          R(j,j) is not of the sign of what it was
 *   alike          both forms have the same bits where their blocks have the same rows
 *   scale          a panel times a power of two has the same V and S, and R times it, bit for bit
 *
 * and that orders do not change a bit: more columns than a launch has room for, more rows than a
 * block has, sides that nothing divides, columns of zeros, equal ones, of sizes far apart, denormal.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "stage1_harness.h"

#include "kernels/panel.h"

/* What a panel is made of. */
enum kind {
    RANDOM,
    ZERO, /* every third column */
    ALL_ZERO,
    EQUAL,    /* columns in pairs */
    APART,    /* columns of sizes far apart */
    STEPS,    /* rows, from one to nothing */
    TRIANGLE, /* nothing to clear */
    HUGE_ONE,
    TINY,
    DENORMAL,
    KINDS
};
static const char *const kind_name[KINDS] = {"random", "zero columns", "zeros",    "equal columns",
                                             "apart",  "steps",        "triangle", "huge",
                                             "tiny",   "denormal"};

template <class T> static std::vector<T> make_panel(int64_t m, int64_t b, kind of)
{
    typedef typename traits<T>::real R;
    const int range = std::numeric_limits<R>::max_exponent; /* 128 or 1024 */
    std::vector<T> a = random_matrix<T>(m, b, false);
    for (int64_t j = 0; j < b; j++)
        for (int64_t i = 0; i < m; i++) {
            T &x = a[(size_t)(i + j * m)];
            int exponent = 0;
            bool keep = true;
            if (of == ZERO)
                keep = j % 3 != 1;
            else if (of == ALL_ZERO)
                keep = false;
            else if (of == TRIANGLE)
                keep = i <= j;
            else if (of == APART)
                exponent = (int)(j % 7 - 3) * range / 4;
            else if (of == STEPS)
                exponent = -(int)std::min<int64_t>((i + j) * 3, range - 30);
            else if (of == HUGE_ONE)
                exponent = range - 20;
            else if (of == TINY)
                exponent = 25 - range;
            else if (of == DENORMAL)
                exponent = -range - (sizeof(R) == 4 ? 12 : 40);
            if (of == EQUAL && j % 2 == 1)
                x = a[(size_t)(i + (j - 1) * m)];
            else
                x = keep ? (T)(x * (R)std::ldexp(1., exponent / 2) *
                               (R)std::ldexp(1., exponent - exponent / 2))
                         : T(0);
        }
    return a;
}

constexpr double most_panel = 4;

static const struct form {
    const char *name;
    orr_panel_fn *const *panel;
    orr_panel_cut_fn *const *cut;
} forms[] = {{"apart", orr_panel_cuda_apart, orr_panel_cuda_apart_cut},
             {"cluster", orr_panel_cuda_cluster, orr_panel_cuda_cluster_cut}};

template <class T> struct found {
    std::vector<T> q, r, s;
};

template <class T>
static found<T> find(const form &by, const std::vector<T> &a, int64_t m, int64_t b,
                     const std::string &what)
{
    const int64_t w = std::min(m, b);
    device_array<T> q(a), r(std::vector<T>((size_t)(b * b), T(7)));
    device_array<T> s(std::vector<T>((size_t)(w * w), not_a_number<T>()));
    CHECK(by.panel[traits<T>::type](nullptr, m, b, q.get(), r.get(), s.get()) == ORR_OK, "%s",
          what.c_str());
    const std::string error = device_error();
    CHECK(error.empty(), "%s: %s", what.c_str(), error.c_str());
    return {q.host(), r.host(), s.host()};
}

/* V, S and R where they should be, nothing elsewhere. */
template <class T>
static void look_at(const found<T> &x, const std::vector<T> &a, int64_t m, int64_t b, kind of,
                    const std::string &what)
{
    const int64_t w = std::min(m, b);
    int64_t bad = 0;
    for (int64_t j = 0; j < b; j++)
        for (int64_t i = 0; i < m; i++)
            if (i <= j || j >= w)
                bad += x.q[(size_t)(i + j * m)] != T(i == j && j < w);
    for (int64_t j = 0; j < w; j++)
        for (int64_t i = j + 1; i < w; i++)
            bad += x.s[(size_t)(i + j * w)] != T(0);
    for (int64_t j = 0; j < b; j++)
        for (int64_t i = 0; i < b; i++)
            if (i > j || i >= w)
                bad += x.r[(size_t)(i + j * b)] != T(7);
    for (int64_t j = 0; j < w; j++) {
        const zz d = traits<T>::widen(x.r[(size_t)(j + j * b)]);
        bad += d.imag() != 0;
        bad += of == ALL_ZERO && (d != 0. || x.s[(size_t)(j + j * w)] != T(0));
        bad += of == TRIANGLE && !traits<T>::is_complex &&
               (x.r[(size_t)(j + j * b)] != a[(size_t)(j + j * m)] ||
                x.s[(size_t)(j + j * w)] != T(0));
    }
    CHECK(bad == 0, "%s: %lld entries of V, S or R", what.c_str(), (long long)bad);
    /* the first column's sign */
    const double was = traits<T>::widen(a[0]).real(), is = traits<T>::widen(x.r[0]).real();
    CHECK(of == TRIANGLE || (m == 1 && !traits<T>::is_complex) || was * is <= 0, "%s: %g is %g",
          what.c_str(), was, is);
}

/* The largest of the columns' residuals, and the departure from orthogonality, over (m + b) eps. */
template <class T>
static void measure(const found<T> &x, const std::vector<T> &a, int64_t m, int64_t b,
                    const std::string &what)
{
    typedef typename traits<T>::real R;
    const int64_t w = std::min(m, b);
    const dense v = dense_of(x.q.data(), m, w, m), s = dense_of(x.s.data(), w, w, w);
    const double unit = (double)(m + b) * eps_of<T>();
    const double least = (double)(m + b) * (double)std::numeric_limits<R>::denorm_min();
    /* Q E = E - V (S (V' E)) with the first w unit vectors */
    const auto times_q = [&](dense e) {
        dense y(w, e.n), z(w, e.n);
        for (int64_t c = 0; c < e.n; c++)
            for (int64_t k = 0; k < w; k++)
                for (int64_t i = 0; i < m; i++)
                    y(k, c) += std::conj(v(i, k)) * e(i, c);
        z = product_of(s, y, false);
        for (int64_t c = 0; c < e.n; c++)
            for (int64_t k = 0; k < w; k++)
                for (int64_t i = 0; i < m; i++)
                    e(i, c) -= v(i, k) * z(k, c);
        return e;
    };
    dense unit_vectors(m, w), r(m, b);
    for (int64_t k = 0; k < w; k++)
        unit_vectors(k, k) = 1;
    const dense q = times_q(unit_vectors);
    double residual = 0, departure = 0;
    for (int64_t j = 0; j < b; j++) {
        double size = 0, error = 0, most = 0;
        for (int64_t i = 0; i < m; i++)
            most = std::max(most, std::abs(traits<T>::widen(a[(size_t)(i + j * m)])));
        most = most > 0 ? most : 1;
        dense column(m, 1);
        for (int64_t i = 0; i <= std::min(j, w - 1); i++) {
            const zz d = traits<T>::widen(x.r[(size_t)(i + j * b)]) / most;
            for (int64_t l = 0; l < m; l++)
                column(l, 0) += q(l, i) * d;
        }
        for (int64_t i = 0; i < m; i++) {
            const zz y = traits<T>::widen(a[(size_t)(i + j * m)]) / most;
            size += std::norm(y);
            error += std::norm(column(i, 0) - y);
        }
        const double off = (std::sqrt(error) - least / most) / std::sqrt(size > 0 ? size : 1);
        if (!(off / unit <= residual)) /* NaN, too */
            residual = off / unit;
    }
    for (int64_t j = 0; j < w; j++)
        for (int64_t i = 0; i < w; i++) {
            zz sum = 0;
            for (int64_t l = 0; l < m; l++)
                sum += std::conj(q(l, i)) * q(l, j);
            departure += std::norm(sum - (i == j ? 1. : 0.));
        }
    departure = std::sqrt(departure) / unit;
    CHECK(residual <= most_panel && departure <= most_panel, "%s: panel %g, orthogonality %g",
          what.c_str(), residual, departure);
    std::printf("%s: panel %.2f, orthogonality %.2f (limit %g)\n", what.c_str(), residual,
                departure, most_panel);
}

template <class T>
static bool same(const std::vector<T> &x, const std::vector<T> &y, double scale = 1)
{
    typedef typename traits<T>::real R;
    for (size_t k = 0; k < x.size(); k++)
        if (!(x[k] * (R)scale == y[k]))
            return false;
    return true;
}

/* resident: more or fewer blocks are another sum. */
template <class T>
static void panel(const form &by, int64_t m, int64_t b, kind of, [[maybe_unused]] unsigned resident)
{
    const std::vector<T> a = make_panel<T>(m, b, of);
    found<T> first;
    for_each_order([&](const char *order) {
#ifdef ORR_SIMT
        simt::config.resident = resident;
#endif
        const std::string what =
            std::string(by.name) + " type " + "sdcz"[traits<T>::type] + " " + std::to_string(m) +
            " x " + std::to_string(b) + " " + kind_name[of] + " in " +
            std::to_string(by.cut[traits<T>::type](m, b).blocks) + ", " + order;
        const found<T> x = find(by, a, m, b, what);
        if (!first.q.empty()) {
            CHECK(same(x.q, first.q) && same(x.r, first.r) && same(x.s, first.s),
                  "%s: the result depends on the order", what.c_str());
            return;
        }
        first = x;
        look_at(x, a, m, b, of, what);
        measure(x, a, m, b, what);
    });
}

/* Sizes do not matter: the same V and S. */
template <class T> static void scaled(const form &by, int64_t m, int64_t b)
{
    typedef typename traits<T>::real R;
    const int range = std::numeric_limits<R>::max_exponent;
    const std::vector<T> a = make_panel<T>(m, b, RANDOM);
    const found<T> x = find(by, a, m, b, "scale");
    for (const int exponent : {range - 20, 60 - range}) {
        std::vector<T> more = a;
        for (T &y : more)
            y *= (R)std::ldexp(1., exponent);
        const found<T> z = find(by, more, m, b, "scale");
        std::vector<T> r = x.r, other = z.r;
        for (int64_t j = 0; j < b; j++) /* what is not of R */
            for (int64_t i = 0; i < b; i++)
                if (i > j || i >= m)
                    r[(size_t)(i + j * b)] = other[(size_t)(i + j * b)] = T(0);
        CHECK(same(x.q, z.q) && same(x.s, z.s) && same(r, other, std::ldexp(1., exponent)),
              "%s type %c %lld x %lld times 2^%d", by.name, "sdcz"[traits<T>::type], (long long)m,
              (long long)b, exponent);
    }
}

/* NaN and Inf come out as NaN, and nobody waits for ever. */
template <class T> static void not_finite(const form &by)
{
    typedef typename traits<T>::real R;
    for (const R x : {(R)NAN, (R)INFINITY}) {
        std::vector<T> a = make_panel<T>(300, 6, RANDOM);
        a[2 * 300 + 200] = T(x);
        const found<T> y = find(by, a, 300, 6, "not finite");
        int64_t bad = 0;
        for (size_t i = 0; i < 300; i++)
            bad += y.q[2 * 300 + i] != y.q[2 * 300 + i];
        CHECK(bad > 0, "%s type %c: %g is lost", by.name, "sdcz"[traits<T>::type], (double)x);
    }
}

/* Where blocks have the same rows nothing differs. */
template <class T> static void alike(int64_t m, int64_t b)
{
#ifdef ORR_SIMT
    const orr_type type = traits<T>::type;
    const std::string what = std::string("alike type ") + "sdcz"[type];
    simt::config.resident = 16;
    const orr_panel_cut x = forms[0].cut[type](m, b), y = forms[1].cut[type](m, b);
    CHECK(x.rows == y.rows && x.blocks == y.blocks && x.launches == y.launches,
          "%s: %lld and %lld rows", what.c_str(), (long long)x.rows, (long long)y.rows);
    for (const kind of : {RANDOM, ZERO, STEPS}) {
        const std::vector<T> a = make_panel<T>(m, b, of);
        const found<T> f = find(forms[0], a, m, b, what), g = find(forms[1], a, m, b, what);
        CHECK(same(f.q, g.q) && same(f.r, g.r) && same(f.s, g.s), "%s %s: the forms differ",
              what.c_str(), kind_name[of]);
    }
    simt::config = simt::options();
#else
    (void)m, (void)b;
#endif
}

/* So little shared memory that a launch has few of the columns, or a block of a cluster few rows; and none of
 * it, or no clusters. */
template <class T> static void narrow(const form &by)
{
#ifdef ORR_SIMT
    const orr_type type = traits<T>::type;
    const bool cluster = by.panel == orr_panel_cuda_cluster;
    const std::string name = std::string(by.name) + " type " + "sdcz"[type];
    for (const kind of : {RANDOM, ZERO, STEPS}) {
        const std::string what = name + " in parts " + kind_name[of];
        const auto cut_in = [&](unsigned resident, size_t room, int64_t m, int64_t b,
                                int64_t launches, int64_t blocks) {
            simt::config.resident = resident;
            simt::config.max_shared = 1024 + room;
            const orr_panel_cut c = by.cut[type](m, b);
            CHECK(c.launches >= launches && c.blocks >= blocks, "%s: %lld launches of %lld blocks",
                  what.c_str(), (long long)c.launches, (long long)c.blocks);
            const std::vector<T> a = make_panel<T>(m, b, of);
            const found<T> x = find(by, a, m, b, what);
            look_at(x, a, m, b, of, what);
            measure(x, a, m, b, what);
        };
        cut_in(2, 150 * (cluster ? 8 : 11) * sizeof(T), 150, 22, 2, 2);
        cut_in(16, 800 * sizeof(T), 9, 22, 1, 1);
        if (cluster) { /* blocks without a row; and in parts as well */
            cut_in(16, 390 * sizeof(T), 9, 22, 1, 16);
            cut_in(16, 560 * sizeof(T), 40, 22, 2, 16);
        }
    }
    device_array<T> q(make_panel<T>(400, 3, RANDOM)), r(q.host()), s(q.host());
    const auto refused = [&](unsigned resident, size_t room) {
        simt::config.resident = resident;
        simt::config.max_shared = room;
        CHECK(by.cut[type](400, 3).launches == 0 &&
                  by.panel[type](nullptr, 400, 3, q.get(), r.get(), s.get()) == ORR_E_ARG,
              "%s: a panel that does not fit", name.c_str());
    };
    refused(1, 2048);
    if (cluster) {
        refused(1, 200 * 1024);
        simt::config.clusters = false;
        refused(16, 200 * 1024);
    }
    simt::config = simt::options();
#else
    (void)by;
#endif
}

template <class T> static void all_sizes(const form &by)
{
    static const struct {
        int64_t m, b;
    } shape[] = {{300, 17}, {1, 1}, {2, 1}, {1, 4}, {5, 9}, {33, 32}, {257, 1}, {140, 65}, {7, 3}};
    for (int k = 0; k < KINDS; k++) {
        panel<T>(by, 190, 9, (kind)k, 4);
        panel<T>(by, 21, 6, (kind)k, 4);
        panel<T>(by, 4, 6, (kind)k, 4);
    }
    for (const auto &x : shape)
        panel<T>(by, x.m, x.b, RANDOM, 4);
    panel<T>(by, 1025, 3, STEPS, 16); /* of a cluster 16 blocks, some of whom end early */
    for (int64_t b = 1; want_long() && b < 140; b += 1 + b / 3)
        for (const int64_t m : {b / 2 + 1, b, 3 * b + 1, 511 + b})
            panel<T>(by, m, b, (kind)(b % KINDS), b % 2 ? 4 : 16);
    scaled<T>(by, 150, 12);
    not_finite<T>(by);
    narrow<T>(by);
}

template <class T> static void both()
{
    for (const form &by : forms) {
        if (by.cut[traits<T>::type](1, 1).launches > 0)
            all_sizes<T>(by);
        else
            std::printf("%s: not on this device\n", by.name);
    }
    alike<T>(2050, 5);
}

static void body()
{
    both<float>();
    both<double>();
    both<std::complex<float>>();
    both<std::complex<double>>();
}

int main() { return device_main(body); }
