/* The tasks of he2hb on a device: reductions and back-transformations, four
 * types, bands and tiles that do not divide the order. In the emulator products are those of
 * the stand-in for cuBLAS (cublas_v2.h).
 *
 *   each task      |device - CPU|_F  <= 20 n eps |CPU|_F over all it may write, gaps unchanged
 *   residual       |A - Q B Q'|_F    <= 20 n eps |A|_F     B the band, Q by the device's apply
 *   orthogonality  |Q'Q - I|_F       <= 20 n eps
 *
 * What nobody may read (above the diagonal, rows before a step) is NaN.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "stage1_harness.h"

#include "kernels/he2hb.h"

/* A reduction: all its pieces one after the other, so that a task's memory is one array. */
template <class T> struct reduction {
    orr_he2hb_step s;
    int64_t tiles, steps;
    std::vector<T> all;
    std::vector<int64_t> a, ld, x, p, vp, q; /* where tiles, X, P, N and Q begin */
    int64_t sk, m, s_length, band, v;        /* band: LAPACK's, from the panels; v: all of V */

    static int64_t at(int64_t i, int64_t j) { return i * (i + 1) / 2 + j; }

    reduction(const std::vector<T> &matrix, int64_t n, int64_t b, int64_t tile)
        : s{n, b, tile, 0, 0}, tiles(orr_he2hb_tiles(&s)), steps(n > 2 ? (n - 2) / b : 0)
    {
        int64_t length = 0;
        const auto take = [&](int64_t count) {
            length += count;
            return length - count;
        };
        for (int64_t i = 0; i < tiles; i++)
            for (int64_t j = 0; j <= i; j++) {
                ld.push_back(tile + (i + 2 * j) % 3);
                a.push_back(take(ld.back() * tile));
            }
        for (int64_t i = 0; i < tiles; i++) {
            x.push_back(take(3 * b * tile));
            p.push_back(take(b * tile));
            vp.push_back(take(b * b));
            q.push_back(take(b * (tile + 1)));
        }
        s_length = 2 * b * b;
        sk = take(std::max<int64_t>(steps, 1) * s_length);
        m = take(b * b);
        band = take((b + 1) * n);
        v = take(b * n);
        all.assign((size_t)length, not_a_number<T>());
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = j; i < n; i++)
                *entry(i, j) = matrix[(size_t)(i + j * n)];
    }
    T *entry(int64_t i, int64_t j)
    {
        const int64_t k = at(i / s.tile, j / s.tile);
        return &all[(size_t)(a[(size_t)k] + i % s.tile + j % s.tile * ld[(size_t)k])];
    }
    orr_he2hb_tile tile_of(T *base, int64_t i, int64_t j) const
    {
        const size_t k = (size_t)(j <= i ? at(i, j) : at(j, i));
        return {base + a[k], ld[k]};
    }
    T *S(T *base) const { return base + sk + s.k * s_length; }
    orr_he2hb_tile P(T *base, int64_t i) const
    {
        return {base + p[(size_t)i], orr_he2hb_to(&s, i) - orr_he2hb_from(&s, i)};
    }
    std::vector<void *> pieces(T *base, const std::vector<int64_t> &of, int64_t from = -1) const
    {
        std::vector<void *> list;
        for (int64_t i = from < 0 ? orr_he2hb_first(&s) : from; i < tiles; i++)
            list.push_back(base + of[(size_t)i]);
        return list;
    }
    std::vector<orr_he2hb_tile> line(T *base, int64_t i, int64_t from = -1) const
    {
        std::vector<orr_he2hb_tile> list;
        for (int64_t j = from < 0 ? orr_he2hb_first(&s) : from; j < tiles; j++)
            list.push_back(tile_of(base, i, j));
        return list;
    }
    std::vector<orr_he2hb_tile> panel_tiles(T *base, int64_t from = -1) const
    {
        return line(base, orr_he2hb_column(&s),
                    from); /* the lower triangle has them by rows, too */
    }
    bool apart() const { return s.k % 2 == 0; } /* else the panel is found in its tiles */
    std::vector<orr_he2hb_tile> panel_columns(T *base, int64_t from) const
    {
        std::vector<orr_he2hb_tile> list;
        if (apart())
            for (void *at : pieces(base, q, from))
                list.push_back({at, s.tile + 1});
        else
            for (const orr_he2hb_tile &t : panel_tiles(base, from))
                list.push_back({(T *)t.a + orr_he2hb_inside(&s) * t.ld, t.ld});
        return list;
    }
};

/* The functions of one processor. */
struct functions {
    orr_he2hb_move_fn *const *move;
    orr_he2hb_panel_apart_fn *const *panel;
    orr_he2hb_spread_fn *const *spread;
    orr_he2hb_product_fn *const *product;
    orr_he2hb_middle_fn *const *middle;
    orr_he2hb_factor_fn *const *factor;
    orr_he2hb_update_fn *const *update;
    orr_he2hb_join_fn *const *join;
    orr_he2hb_apply_fn *const *apply;
};
static const functions cpu = {
    orr_he2hb_move_cpu,    orr_he2hb_panel_apart_cpu, orr_he2hb_spread_cpu,
    orr_he2hb_product_cpu, orr_he2hb_middle_cpu,      orr_he2hb_factor_cpu,
    orr_he2hb_update_cpu,  orr_he2hb_join_cpu,        orr_he2hb_apply_cpu};
static const functions cuda = {
    orr_he2hb_move_cuda,    orr_he2hb_panel_apart_cuda, orr_he2hb_spread_cuda,
    orr_he2hb_product_cuda, orr_he2hb_middle_cuda,      orr_he2hb_factor_cuda,
    orr_he2hb_update_cuda,  orr_he2hb_join_cuda,        orr_he2hb_apply_cuda};

/* The panel into the band, and its reflectors into the tiles; of every other step out of the tiles before,
 * and back. S has their first rows, too, as that of a panel on a CPU. */
template <class T>
static void find_panel(reduction<T> &r, compared<T, functions> &on, const std::string &what)
{
    const orr_type t = traits<T>::type;
    const int64_t column = orr_he2hb_column(&r.s), first = orr_he2hb_first(&r.s);
    const bool finds = r.s.k < r.steps;
    const int64_t end = finds ? r.tiles : std::min((r.s.k + 2) * r.s.b, r.s.n - 1) / r.s.tile + 1;
    const auto move = [&](int64_t i, int back) {
        on.task(r.all, what + " move", [&](const functions &f, T *base) {
            return f.move[t](nullptr, &r.s, i, r.tile_of(base, i, column),
                             {base + r.q[(size_t)i], r.s.tile + 1}, back);
        });
    };
    for (int64_t i = column; r.apart() && i < end; i++)
        move(i, 0);
    on.task(r.all, what + " panel", [&](const functions &f, T *at) {
        return f.panel[t](nullptr, &r.s, r.panel_columns(at, column).data(), at + r.band,
                          finds ? r.S(at) : nullptr, finds ? at + r.v : nullptr);
    });
    T *const base = r.all.data();
    const int64_t w = orr_he2hb_width(&r.s);
    const std::vector<orr_he2hb_tile> v = r.panel_columns(base, first);
    for (int64_t c = 0; finds && c < w; c++)
        std::copy_n((T *)v[0].a + orr_he2hb_from(&r.s, first) + c * v[0].ld, w,
                    r.S(base) + w * w + c * w);
    for (int64_t i = first; finds && r.apart() && i < end; i++)
        move(i, 1);
}

template <class T>
static void step(reduction<T> &r, compared<T, functions> &on, const std::string &what)
{
    const orr_type t = traits<T>::type;
    const int64_t first = orr_he2hb_first(&r.s);
    find_panel(r, on, what);
    const int64_t pieces[] = {first, (first + r.tiles + 1) / 2, r.tiles}; /* as if of two owners */
    for (int k = 0; k < 2; k++)
        on.task(r.all, what + " spread", [&](const functions &f, T *base) {
            return f.spread[t](nullptr, &r.s, pieces[k], pieces[k + 1] - pieces[k],
                               r.panel_columns(base, pieces[k]).data(),
                               r.pieces(base, r.x, pieces[k]).data());
        });
    for (int64_t i = first; i < r.tiles; i++)
        for (int k = 0; k < 2; k++) {
            std::vector<int64_t> list; /* every other term, and then the rest */
            for (int64_t j = first + k; j < r.tiles; j += 2)
                list.push_back(j);
            on.task(r.all, what + " product", [&](const functions &f, T *base) {
                std::vector<orr_he2hb_tile> row;
                std::vector<void *> x;
                for (const int64_t j : list) {
                    row.push_back(r.tile_of(base, i, j));
                    x.push_back(base + r.x[(size_t)j]);
                }
                return f.product[t](nullptr, &r.s, i, (int64_t)list.size(), list.data(), k == 0,
                                    row.data(), x.data(), k ? base + r.x[(size_t)i] : nullptr,
                                    r.S(base), r.P(base, i), base + r.vp[(size_t)i]);
            });
        }
    on.task(r.all, what + " middle", [&](const functions &f, T *base) {
        return f.middle[t](nullptr, &r.s, r.pieces(base, r.vp).data(), r.S(base), base + r.m);
    });
    for (int64_t i = first; i < r.tiles; i++)
        on.task(r.all, what + " factor", [&](const functions &f, T *base) {
            return f.factor[t](nullptr, &r.s, i, r.P(base, i), base + r.m, base + r.x[(size_t)i]);
        });
    for (int64_t j = first; j < r.tiles; j++) {
        const int64_t from = orr_he2hb_from(&r.s, j), to = orr_he2hb_to(&r.s, j);
        const int64_t cut[] = {from, std::min(from + r.s.b, to),
                               to}; /* as if before a panel, and then */
        for (int64_t i = j; i < r.tiles; i++)
            for (int c = 0; c < 2 && cut[c] < cut[c + 1]; c++)
                on.task(r.all, what + " update", [&](const functions &f, T *base) {
                    return f.update[t](nullptr, &r.s, i, j, cut[c], cut[c + 1],
                                       r.tile_of(base, i, j), base + r.x[(size_t)i],
                                       base + r.x[(size_t)j]);
                });
    }
}

/* Q: the reflectors of all steps applied to the unit matrix, at most `together` of them joined. */
template <class T>
static dense make_q(reduction<T> &r, compared<T, functions> &on, int64_t together,
                    const std::string &what)
{
    const orr_type t = traits<T>::type;
    const int64_t n = r.s.n, lde = n + 3, before = (int64_t)r.all.size();
    std::vector<T> all = r.all, e = unit_matrix<T>(n, lde);
    all.insert(all.end(), e.begin(), e.end());
    const int64_t joined = (int64_t)all.size(), of_column = r.s.tile / r.s.b;
    for (int64_t end = r.steps; end > 0; end = r.s.k) {
        r.s.k = end - 1; /* then the first one */
        r.s.more = std::min(together - 1, r.s.k % of_column);
        r.s.k -= r.s.more;
        const int64_t w = orr_he2hb_width(&r.s);
        all.resize((size_t)joined);
        all.resize((size_t)(joined + 2 * w * w), not_a_number<T>());
        on.task(all, what + " join", [&](const functions &f, T *base) {
            std::vector<const void *> s;
            for (int64_t k = 0; k <= r.s.more; k++)
                s.push_back(r.S(base) + k * r.s_length);
            return f.join[t](nullptr, &r.s, r.panel_tiles(base).data(), s.data(), base + joined);
        });
        device_array<T> work(std::vector<T>((size_t)orr_he2hb_apply_work(&r.s, n)));
        const bool alone = r.s.more == 0 && r.s.k % 2; /* S as the panel left it */
        on.task(all, what + " apply", [&](const functions &f, T *base) {
            return f.apply[t](nullptr, &r.s, r.panel_tiles(base).data(),
                              alone ? r.S(base) : base + joined, n, base + before, lde, work.get());
        });
    }
    r.s.more = 0;
    return dense_of(all.data() + before, n, n, lde);
}

template <class T> static dense band_of(reduction<T> &r)
{
    dense band(r.s.n, r.s.n);
    for (int64_t j = 0; j < r.s.n; j++)
        for (int64_t i = j; i < std::min(j + r.s.b + 1, r.s.n); i++) {
            band(i, j) = traits<T>::widen(r.all[(size_t)(r.band + i - j + j * (r.s.b + 1))]);
            band(j, i) = std::conj(band(i, j));
        }
    return band;
}

template <class T> static void reduce(int64_t n, int64_t b, int64_t tile)
{
    const std::vector<T> matrix = random_matrix<T>(n, n, true);
    const dense a = dense_of(matrix.data(), n, n, n);
    std::vector<T> first;
    for_each_order([&](const char *order) {
        const std::string what = std::string("type ") + "sdcz"[traits<T>::type] + " n " +
                                 std::to_string(n) + " b " + std::to_string(b) + " tile " +
                                 std::to_string(tile) + " " + order;
        reduction<T> r(matrix, n, b, tile);
        compared<T, functions> on = {cpu, cuda, n, first.empty()};
        for (r.s.k = 0; r.s.k < r.steps; r.s.k++)
            step(r, on, what);
        for (; r.s.k * b < n; r.s.k++)
            find_panel(r, on, what + " rest");
        if (!is_first(first, r.all, what))
            return;
        for (const int64_t together : {1, 2, 3}) {
            const dense q = make_q(r, on, together, what);
            const double residual =
                distance<T>(product_of(product_of(q, band_of(r), false), q, true), a);
            verdict(what + " by " + std::to_string(together), on.worst, residual, departure<T>(q));
        }
    });
}

/* More tile rows than a launch has room for: M of pieces that are not of a reduction. */
template <class T> static void many_pieces(int64_t tiles)
{
    const int64_t b = 3, tile = 3, n = (tiles + 1) * tile;
    const orr_he2hb_step s = {n, b, tile, 0, 0};
    const int64_t length = b * (tile + b), count = tiles;
    const std::vector<T> random = random_matrix<T>(length, count + 2, false);
    std::vector<T> all = random;
    compared<T, functions> on = {cpu, cuda, n, true};
    on.task(all, "middle of " + std::to_string(tiles), [&](const functions &f, T *base) {
        std::vector<void *> p;
        for (int64_t i = 0; i < count; i++)
            p.push_back(base + i * length);
        return f.middle[traits<T>::type](nullptr, &s, p.data(), base + count * length,
                                         base + (count + 1) * length);
    });
}

/* Tile (i,j) of `to` from the user's matrix. */
template <class T, class F>
static void load_tile(int64_t n, int64_t tile, int64_t i, int64_t j, int upper, double scale,
                      const T *from, int64_t ldf, T *to, int64_t ldt, F load)
{
    const orr_he2hb_loading x = {std::min(tile, n - i * tile), std::min(tile, n - j * tile), upper,
                                 i == j, scale};
    load(&x, from + (upper ? j * tile + i * tile * ldf : i * tile + j * tile * ldf), ldf,
         to + i * tile + j * tile * ldt, ldt);
}

/* A matrix that is on the device as a whole: its columns' largest components, and its lower triangle as
 * the CPU brings it into tiles, bit for bit, in its place and tile by tile apart. bad: an entry that is NaN, or -1. */
template <class T> static void whole(int64_t n, int upper, double scale, int64_t bad)
{
    typedef typename traits<T>::real R;
    const orr_type t = traits<T>::type;
    const int64_t lda = n + 3, tile = 7;
    const std::string what = std::string("type ") + "sdcz"[t] + " whole n " + std::to_string(n) +
                             (upper ? " upper" : " lower") + " scale " + std::to_string(scale);
    const std::vector<T> random = random_matrix<T>(n, n, false);
    std::vector<T> a((size_t)(lda * n), not_a_number<T>()); /* what nobody may read */
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            if (upper ? i <= j : i >= j)
                a[(size_t)(i + j * lda)] = random[(size_t)(i + j * n)];
    if (bad >= 0)
        a[(size_t)bad] = traits<T>::from(zz(std::numeric_limits<double>::infinity(), 1));
    orr_he2hb_screened want, got;
    std::vector<R> of_columns((size_t)n);
    for (int64_t j = 0; j < n; j += tile)
        orr_he2hb_largest_cpu[t](n, upper, a.data(), lda, j, tile, of_columns.data());
    orr_he2hb_judge_cpu[t](n, of_columns.data(), &want);
    if (want.column >= 0)
        want.row = orr_he2hb_bad_row_cpu[t](n, want.column, upper, &a[(size_t)(want.column * lda)]);
    std::vector<T> expected = a;
    for (int64_t j = 0; j * tile < n; j++)
        for (int64_t i = j; i * tile < n; i++)
            load_tile(n, tile, i, j, upper, scale, expected.data(), lda, expected.data(), lda,
                      [](const auto &...x) { orr_he2hb_load_cpu[traits<T>::type](x...); });
    for_each_order([&](const char *order) {
        device_array<T> on(a);
        device_array<R> largest(std::vector<R>((size_t)n, (R)-1));
        CHECK(orr_he2hb_largest_cuda[t](nullptr, n, n, upper, on.get(), lda, largest.get()) ==
                  ORR_OK,
              "%s %s", what.c_str(), order);
        orr_he2hb_judge_cpu[t](n, largest.host().data(), &got);
        if (got.column >= 0)
            got.row =
                orr_he2hb_bad_row_cpu[t](n, got.column, upper, &a[(size_t)(got.column * lda)]);
        CHECK(got.row == want.row && got.column == want.column && got.scale == want.scale,
              "%s %s: (%lld, %lld) x %g, want (%lld, %lld) x %g", what.c_str(), order,
              (long long)got.row, (long long)got.column, got.scale, (long long)want.row,
              (long long)want.column, want.scale);
        if (bad >= 0)
            return;
        device_array<T> apart(std::vector<T>((size_t)(lda * n), not_a_number<T>()));
        for (int64_t j = 0; j * tile < n; j++)
            for (int64_t i = j; i * tile < n; i++)
                load_tile(n, tile, i, j, upper, scale, on.get(), lda, apart.get(), lda,
                          [&](const auto &...x) {
                              CHECK(orr_he2hb_load_cuda[t](nullptr, x...) == ORR_OK, "%s %s",
                                    what.c_str(), order);
                          });
        const orr_he2hb_loading all = {n, n, upper, 1, scale};
        CHECK(orr_he2hb_load_cuda[t](nullptr, &all, on.get(), lda, on.get(), lda) == ORR_OK,
              "%s %s", what.c_str(), order);
        const std::vector<T> loaded = on.host(), tiles = apart.host();
        CHECK(!std::memcmp(loaded.data(), expected.data(), loaded.size() * sizeof(T)),
              "%s %s: not the CPU's", what.c_str(), order);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
                const size_t at = (size_t)(j * lda + i);
                CHECK(i < j ? tiles[at] != tiles[at]
                            : !std::memcmp(&tiles[at], &expected[at], sizeof(T)),
                      "%s %s: (%lld, %lld) of a tile apart is not the CPU's", what.c_str(), order,
                      (long long)i, (long long)j);
            }
    });
}

/* The same of a matrix that is no triangle: all of every column. bad: an entry with a part that is
 * NaN, or -1. */
template <class T> static void rectangle(int64_t m, int64_t n, int64_t bad)
{
    typedef typename traits<T>::real R;
    const orr_type t = traits<T>::type;
    const int64_t lda = m + 3;
    const std::string what =
        std::string("type ") + "sdcz"[t] + " " + std::to_string(m) + " x " + std::to_string(n);
    const std::vector<T> random = random_matrix<T>(m, n, false);
    std::vector<T> a((size_t)(lda * n), not_a_number<T>());
    std::vector<R> want((size_t)n, 0);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const T x = a[(size_t)(i + j * lda)] = random[(size_t)(i + j * m)];
            const R most = (R)std::max(std::fabs(traits<T>::widen(x).real()),
                                       std::fabs(traits<T>::widen(x).imag()));
            want[(size_t)j] = std::max(want[(size_t)j], most);
        }
    if (bad >= 0) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        a[(size_t)bad] = traits<T>::from(traits<T>::is_complex ? zz(1, nan) : zz(nan, 0));
    }
    for_each_order([&](const char *order) {
        device_array<T> on(a);
        device_array<R> largest(std::vector<R>((size_t)n, (R)-1));
        CHECK(orr_he2hb_largest_cuda[t](nullptr, m, n, ORR_WHOLE, on.get(), lda, largest.get()) ==
                  ORR_OK,
              "%s %s", what.c_str(), order);
        const std::vector<R> got = largest.host();
        for (int64_t j = 0; j < n; j++)
            CHECK(bad >= 0 && j == bad / lda ? !std::isfinite(got[(size_t)j])
                                             : got[(size_t)j] == want[(size_t)j],
                  "%s %s: %g in column %lld", what.c_str(), order, (double)got[(size_t)j],
                  (long long)j);
    });
}

template <class T> static void all_whole()
{
    for (const int64_t m : {1, 5, 300})
        for (const int64_t n : {1, 7}) {
            rectangle<T>(m, n, -1);
            for (const int64_t i : {(int64_t)0, m - 1})
                rectangle<T>(m, n, i + (n - 1) * (m + 3));
        }
    for (const int64_t n : {1, 2, 31, 32, 33, 70})
        for (const int upper : {0, 1}) {
            whole<T>(n, upper, 1, -1);
            whole<T>(n, upper, 0x1p-30, -1);
            for (const int64_t i : {(int64_t)0, n / 2, n - 1}) /* on the diagonal, and beside it */
                whole<T>(n, upper, 1, i + (upper ? n - 1 : 0) * (n + 3));
        }
}

template <class T> static void all_sizes()
{
    all_whole<T>();
    static const int64_t shape[][3] = {{3, 2, 16},   {17, 2, 4},   {33, 8, 16}, {50, 7, 21},
                                       {48, 16, 16}, {65, 16, 48}, {41, 5, 5},  {66, 64, 64}};
    const int shapes = sizeof shape / sizeof *shape;
    for (int k = 0; k < shapes; k += slow_build ? 3 : 1)
        reduce<T>(shape[k][0], shape[k][1], shape[k][2]);
    for (int64_t n = 2; want_long() && n < 60; n++)
        reduce<T>(n, 2 + n % 7, (2 + n % 7) * (1 + n % 4));
    for (const int64_t tiles : {1, 63, 64, 65, 130})
        many_pieces<T>(tiles);
}

static void body()
{
    all_sizes<float>();
    all_sizes<double>();
    all_sizes<std::complex<float>>();
    all_sizes<std::complex<double>>();
}

int main() { return device_main(body); }
