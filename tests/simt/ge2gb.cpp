/* The tasks of ge2gb on a device: reductions and back-transformations, four
 * types, square and tall, bands and tiles that do not divide the sides. In the emulator products
 * are those of the stand-in for cuBLAS (cublas_v2.h).
 *
 *   each task      |device - CPU|_F  <= 20 m eps |CPU|_F over all it may write, gaps unchanged
 *   residual       |A - Q B P'|_F    <= 20 m eps |A|_F    B the band; Q, P by the device
 *   orthogonality  |Q Q' - I|_F      <= 20 m eps, likewise P
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "stage1_harness.h"

#include "kernels/ge2gb.h"

enum { LEFT, RIGHT };

/* A reduction: all its pieces one after the other, so that a task's memory is one array. */
template <class T> struct reduction {
    orr_ge2gb_step s;
    int64_t tile_rows, tile_columns, steps[2];
    std::vector<T> all;
    std::vector<int64_t> a, ld, y, q, v[2], sk[2]; /* where they begin */
    int64_t band;                                  /* by rows, which panels fill */

    reduction(const std::vector<T> &matrix, int64_t m, int64_t n, int64_t b, int64_t tile)
        : s{m, n, b, tile, 0, 0, 0, 0}, tile_rows((m + tile - 1) / tile),
          tile_columns((n + tile - 1) / tile)
    {
        const int64_t columns = std::min(n, m - 1);
        steps[LEFT] = columns > 0 ? (columns + b - 1) / b : 0;
        steps[RIGHT] = n > 2 ? (n - 2) / b : 0;
        int64_t length = 0;
        const auto take = [&](int64_t count) {
            length += count;
            return length - count;
        };
        for (int64_t i = 0; i < tile_rows; i++)
            for (int64_t j = 0; j < tile_columns; j++) {
                ld.push_back(tile + (i + 2 * j) % 3);
                a.push_back(take(ld.back() * tile));
            }
        for (int64_t t = 0; t < std::max(tile_rows, tile_columns); t++) {
            y.push_back(take(b * tile));
            q.push_back(take(b * tile));
        }
        for (int side = 0; side < 2; side++)
            for (int64_t k = 0; k < steps[side]; k++) {
                at(side, k);
                v[side].push_back(take(orr_ge2gb_rows(&s) * orr_ge2gb_width(&s)));
                sk[side].push_back(take(b * b));
            }
        band = take((b + 1) * n);
        all.assign((size_t)length, not_a_number<T>());
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++)
                *entry(i, j) = matrix[(size_t)(i + j * m)];
    }
    void at(int side, int64_t k)
    {
        s.right = side;
        s.k = k;
    }
    size_t number(int64_t i, int64_t j) const { return (size_t)(i * tile_columns + j); }
    T *entry(int64_t i, int64_t j)
    {
        const size_t k = number(i / s.tile, j / s.tile);
        return &all[(size_t)(a[k] + i % s.tile + j % s.tile * ld[k])];
    }
    orr_ge2gb_tile tile_of(T *base, int64_t i, int64_t j) const
    {
        return {base + a[number(i, j)], ld[number(i, j)]};
    }
    /* Tile t of those along V in column (left) or row (right) `across`. */
    orr_ge2gb_tile along(T *base, int64_t t, int64_t across) const
    {
        return s.right ? tile_of(base, across, t) : tile_of(base, t, across);
    }
    T *V(T *base) const { return base + v[s.right][(size_t)s.k]; }
    T *S(T *base) const { return base + sk[s.right][(size_t)s.k]; }
    int64_t rows_along(int64_t t) const
    {
        return orr_ge2gb_along(&s, t).to - orr_ge2gb_along(&s, t).from;
    }
    /* Q(t), and V(t), which is in its place from the right. */
    orr_ge2gb_tile Q(T *base, int64_t t) const
    {
        return {base + q[(size_t)t], s.right ? orr_ge2gb_panel_width(&s) : rows_along(t)};
    }
    orr_ge2gb_tile V(T *base, int64_t t) const
    {
        if (s.right)
            return {base + q[(size_t)t], rows_along(t)};
        const int64_t at = t * s.tile + orr_ge2gb_along(&s, t).from - orr_ge2gb_row(&s);
        return {V(base) + at, orr_ge2gb_rows(&s)};
    }
    orr_ge2gb_tile Y(T *base, int64_t t) const
    {
        const orr_ge2gb_part p = orr_ge2gb_beside(&s, t);
        return {base + y[(size_t)t], s.right ? p.to - p.from : orr_ge2gb_width(&s)};
    }
    T in_band(int64_t i, int64_t j) const
    {
        const T x = all[(size_t)(band + j - i + i * (s.b + 1))];
        return traits<T>::from(std::conj(traits<T>::widen(x)));
    }
    int64_t end_across() const { return s.right ? tile_rows : tile_columns; }
    int64_t side_across() const { return s.right ? s.m : s.n; }
};

/* The functions of one processor. */
struct functions {
    orr_ge2gb_move_fn *const *move;
    orr_ge2gb_panel_fn *const *panel;
    orr_ge2gb_product_fn *const *product;
    orr_ge2gb_update_fn *const *update;
    orr_ge2gb_join_fn *const *join;
    orr_ge2gb_apply_fn *const *apply;
};
static const functions cpu = {orr_ge2gb_move_cpu,   orr_ge2gb_panel_cpu, orr_ge2gb_product_cpu,
                              orr_ge2gb_update_cpu, orr_ge2gb_join_cpu,  orr_ge2gb_apply_cpu};
static const functions cuda = {orr_ge2gb_move_cuda,   orr_ge2gb_panel_cuda, orr_ge2gb_product_cuda,
                               orr_ge2gb_update_cuda, orr_ge2gb_join_cuda,  orr_ge2gb_apply_cuda};

/* R or L where it was found is what goes into the band. */
template <class T> static void same_triangle(reduction<T> &r, T *base, const std::string &what)
{
    const int64_t row = orr_ge2gb_row(&r.s), beside = r.s.k * r.s.b, right = r.s.right;
    int64_t i = 0; /* row of R */
    for (int64_t t = orr_ge2gb_first(&r.s); t < orr_ge2gb_tiles(&r.s); t++)
        for (int64_t k = 0; k < r.rows_along(t); k++, i++)
            for (int64_t c = i; c < orr_ge2gb_panel_width(&r.s); c++) {
                const orr_ge2gb_tile q = r.Q(base, t);
                const T *x = (const T *)q.a + (right ? c + k * q.ld : k + c * q.ld);
                const T y = right ? r.in_band(beside + c, row + i) : r.in_band(row + i, beside + c);
                CHECK(*x == y, "%s: (%lld, %lld) of R", what.c_str(), (long long)i, (long long)c);
            }
}

template <class T>
static void find_panel(reduction<T> &r, compared<T, functions> &on, const std::string &what)
{
    const orr_type t = traits<T>::type;
    const int64_t first = orr_ge2gb_first(&r.s), own = orr_ge2gb_panel_tile(&r.s);
    const bool finds = r.s.k < r.steps[r.s.right];
    const auto move = [&](int64_t i, int back) {
        on.task(r.all, what + " move", [&](const functions &f, T *base) {
            return f.move[t](nullptr, &r.s, i, r.along(base, i, own), r.Q(base, i), back);
        });
    };
    for (int64_t i = first; i < orr_ge2gb_tiles(&r.s); i++)
        move(i, 0);
    const auto find = [&](std::vector<T> &all, bool apart) {
        on.task(all, what + " panel", [&](const functions &f, T *base) {
            std::vector<orr_ge2gb_tile> pieces;
            std::vector<void *> part;
            for (int64_t i = first; i < orr_ge2gb_tiles(&r.s); i++) {
                pieces.push_back(r.Q(base, i));
                part.push_back(pieces.back().a);
            }
            const orr_ge2gb_found to = {finds ? r.V(base) : nullptr, finds ? r.S(base) : nullptr,
                                        apart && r.s.right ? part.data() : nullptr,
                                        apart ? base + r.band : nullptr};
            return f.panel[t](nullptr, &r.s, pieces.data(), &to);
        });
    };
    std::vector<T> in_place = r.all;
    if (finds)
        find(in_place, false);
    find(r.all, true);
    if (finds)
        same_triangle(r, in_place.data(), what);
    if (!r.s.right)
        move(first, 1);
}

template <class T>
static void one_side(reduction<T> &r, compared<T, functions> &on, const std::string &what)
{
    const orr_type t = traits<T>::type;
    const int64_t first = orr_ge2gb_first(&r.s), end = orr_ge2gb_tiles(&r.s);
    const int64_t across = orr_ge2gb_across(&r.s);
    find_panel(r, on, what);
    for (int64_t c = across / r.s.tile; across < r.side_across() && c < r.end_across(); c++)
        for (int64_t k = 0; k < 2 && first + k < end; k++) { /* of two owners: every other tile */
            const bool last = k == 1 || first + 1 == end;
            on.task(r.all, what + " product", [&](const functions &f, T *base) {
                std::vector<orr_ge2gb_tile> line, v;
                std::vector<int64_t> list;
                for (int64_t i = first + k; i < end; i += 2) {
                    list.push_back(i);
                    line.push_back(r.along(base, i, c));
                    v.push_back(r.V(base, i));
                }
                return f.product[t](nullptr, &r.s, c, (int64_t)list.size(), list.data(), k == 0,
                                    line.data(), v.data(), last ? r.S(base) : nullptr,
                                    r.Y(base, c));
            });
        }
    for (int64_t c = across / r.s.tile; across < r.side_across() && c < r.end_across(); c++)
        for (int64_t i = first; i < end; i++)
            on.task(r.all, what + " update", [&](const functions &f, T *base) {
                return f.update[t](nullptr, &r.s, r.s.right ? c : i, r.s.right ? i : c,
                                   r.along(base, i, c), r.V(base, i), r.Y(base, c));
            });
}

/* The reflectors of one side applied to the unit matrix, at most `together` steps joined. */
template <class T>
static dense make_q(reduction<T> &r, compared<T, functions> &on, int side, int64_t together,
                    const std::string &what)
{
    const orr_type t = traits<T>::type;
    const int64_t n = side == RIGHT ? r.s.n : r.s.m, lde = n + 3, before = (int64_t)r.all.size();
    std::vector<T> all = r.all, e = unit_matrix<T>(n, lde);
    all.insert(all.end(), e.begin(), e.end());
    const int64_t joined = (int64_t)all.size();
    for (int64_t end = r.steps[side]; end > 0; end = r.s.k) {
        r.at(side, std::max<int64_t>(0, end - together));
        r.s.more = end - 1 - r.s.k;
        const int64_t w = orr_ge2gb_width(&r.s);
        const auto of_steps = [&](T *base, const std::vector<int64_t> &at) {
            std::vector<const void *> list;
            for (int64_t k = r.s.k; k < end; k++)
                list.push_back(base + at[(size_t)k]);
            return list;
        };
        all.resize((size_t)joined);
        all.resize((size_t)(joined + w * w), not_a_number<T>());
        on.task(all, what + " join", [&](const functions &f, T *base) {
            return f.join[t](nullptr, &r.s, of_steps(base, r.v[side]).data(),
                             of_steps(base, r.sk[side]).data(), base + joined);
        });
        device_array<T> work(std::vector<T>((size_t)orr_ge2gb_apply_work(&r.s, n)));
        on.task(all, what + " apply", [&](const functions &f, T *base) {
            const void *const s = base + joined;
            return f.apply[t](nullptr, &r.s, of_steps(base, r.v[side]).data(), &s, 1, n,
                              base + before, lde, work.get());
        });
    }
    r.s.more = 0;
    return dense_of(all.data() + before, n, n, lde);
}

template <class T> static dense band_of(reduction<T> &r)
{
    dense band(r.s.m, r.s.n);
    for (int64_t j = 0; j < r.s.n; j++)
        for (int64_t i = std::max<int64_t>(0, j - r.s.b); i <= j; i++)
            band(i, j) = traits<T>::widen(r.in_band(i, j));
    return band;
}

template <class T> static void reduce(int64_t m, int64_t n, int64_t b, int64_t tile)
{
    const std::vector<T> matrix = random_matrix<T>(m, n, false);
    const dense a = dense_of(matrix.data(), m, n, m);
    std::vector<T> first;
    for_each_order([&](const char *order) {
        const std::string what = std::string("type ") + "sdcz"[traits<T>::type] + " " +
                                 std::to_string(m) + " x " + std::to_string(n) + " b " +
                                 std::to_string(b) + " tile " + std::to_string(tile) + " " + order;
        reduction<T> r(matrix, m, n, b, tile);
        compared<T, functions> on = {cpu, cuda, m, first.empty()};
        for (int64_t k = 0; k < r.steps[LEFT]; k++)
            for (int side = 0; side < 2; side++)
                if (k < r.steps[side]) {
                    r.at(side, k);
                    one_side(r, on, what);
                }
        for (int side = 0; side < 2; side++)
            for (int64_t k = r.steps[side]; (k + side) * b < n; k++) {
                r.at(side, k);
                find_panel(r, on, what + " rest");
            }
        if (!is_first(first, r.all, what))
            return;
        for (const int64_t together : {1, 3}) {
            const dense q = make_q(r, on, LEFT, together, what);
            const dense p = make_q(r, on, RIGHT, together, what);
            const double residual =
                distance<T>(product_of(product_of(q, band_of(r), false), p, true), a);
            const double orthogonality = std::max(departure<T>(q), departure<T>(p));
            verdict(what + " by " + std::to_string(together), on.worst, residual, orthogonality);
        }
    });
}

/* Tiles of a matrix that is on the device, as the CPU brings them there, bit for bit; in place without
 * the adjoint. below: as in orr_ge2gb_copy. */
template <class T>
static void load(int64_t rows, int64_t columns, int64_t below, int adjoint, double scale)
{
    const orr_type t = traits<T>::type;
    const int64_t from_rows = adjoint ? columns : rows, from_columns = adjoint ? rows : columns;
    const int64_t ld_from = from_rows + 3, ld = rows + 2;
    const orr_ge2gb_copy x = {rows, columns, below, adjoint, 0, scale};
    const std::string what = std::string("type ") + "sdcz"[t] + " load " + std::to_string(rows) +
                             " x " + std::to_string(columns) + " below " + std::to_string(below) +
                             (adjoint ? " adjoint" : "") + " scale " + std::to_string(scale);
    const std::vector<T> random = random_matrix<T>(from_rows, from_columns, false);
    std::vector<T> from((size_t)(ld_from * from_columns), not_a_number<T>());
    for (int64_t j = 0; j < from_columns; j++)
        for (int64_t i = 0; i < from_rows; i++)
            from[(size_t)(i + j * ld_from)] = random[(size_t)(i + j * from_rows)];
    std::vector<T> want((size_t)(ld * columns), not_a_number<T>()), apart = want;
    orr_ge2gb_load_cpu[t](nullptr, &x, {from.data(), ld_from}, {want.data(), ld});
    for_each_order([&](const char *order) {
        const auto same = [&](const std::vector<T> &got, int64_t ld_got) {
            for (int64_t j = 0; j < columns; j++)
                CHECK(!std::memcmp(&got[(size_t)(j * ld_got)], &want[(size_t)(j * ld)],
                                   (size_t)rows * sizeof(T)),
                      "%s %s: column %lld is not the CPU's", what.c_str(), order, (long long)j);
        };
        device_array<T> a(from), to(apart);
        CHECK(orr_ge2gb_load_cuda[t](nullptr, &x, {a.get(), ld_from}, {to.get(), ld}) == ORR_OK,
              "%s %s", what.c_str(), order);
        const std::vector<T> got = to.host();
        same(got, ld);
        for (size_t k = 0; k < got.size(); k++)
            CHECK((int64_t)k % ld < rows || std::isnan(traits<T>::widen(got[k]).real()),
                  "%s %s: wrote between columns", what.c_str(), order);
        if (adjoint)
            return;
        CHECK(orr_ge2gb_load_cuda[t](nullptr, &x, {a.get(), ld_from}, {a.get(), ld_from}) == ORR_OK,
              "%s %s in place", what.c_str(), order);
        same(a.host(), ld_from);
    });
}

template <class T> static void all_loads()
{
    static const int64_t shape[][2] = {{1, 1}, {1, 40}, {33, 1}, {32, 32}, {31, 65}, {70, 33}};
    for (const auto &s : shape)
        for (const int adjoint : {0, 1}) {
            load<T>(s[0], s[1], s[0], adjoint, 1);
            load<T>(s[0], s[1], s[0], adjoint, 0x1p-30);
            for (const int64_t below : {0, 7, -7, -70}) /* tiles on the diagonal, and beside it */
                load<T>(s[0], s[1], below, adjoint, 1);
        }
}

template <class T> static void all_sizes()
{
    all_loads<T>();
    static const int64_t shape[][4] = {{3, 3, 2, 16},   {17, 16, 2, 4},   {33, 33, 8, 16},
                                       {50, 29, 7, 21}, {48, 48, 16, 16}, {65, 63, 16, 48},
                                       {41, 11, 5, 5},  {66, 66, 32, 64}, {9, 1, 1, 4}};
    const int shapes = sizeof shape / sizeof *shape;
    for (int k = 0; k < shapes; k += slow_build ? 3 : 1)
        reduce<T>(shape[k][0], shape[k][1], shape[k][2], shape[k][3]);
    for (int64_t n = 2; want_long() && n < 50; n++)
        reduce<T>(n + n % 5, n, 2 + n % 7, (2 + n % 7) * (1 + n % 4));
}

static void body()
{
    all_sizes<float>();
    all_sizes<double>();
    all_sizes<std::complex<float>>();
    all_sizes<std::complex<double>>();
}

int main() { return device_main(body); }
