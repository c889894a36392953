/* The tasks of ge2gb on a device, panels on the CPU: reductions and back-transformations, four
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

    reduction(const std::vector<T> &matrix, int64_t m, int64_t n, int64_t b, int64_t tile)
        : s{m, n, b, tile, 0, 0}, tile_rows((m + tile - 1) / tile),
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
    int64_t end_across() const { return s.right ? tile_rows : tile_columns; }
    int64_t side_across() const { return s.right ? s.m : s.n; }
};

/* The functions of one processor. */
struct functions {
    orr_ge2gb_move_fn *const *move;
    orr_ge2gb_product_fn *const *product;
    orr_ge2gb_update_fn *const *update;
    orr_ge2gb_apply_fn *const *apply;
};
static const functions cpu = {orr_ge2gb_move_cpu, orr_ge2gb_product_cpu, orr_ge2gb_update_cpu,
                              orr_ge2gb_apply_cpu};
static const functions cuda = {orr_ge2gb_move_cuda, orr_ge2gb_product_cuda, orr_ge2gb_update_cuda,
                               orr_ge2gb_apply_cuda};

template <class T>
static void find_panel(reduction<T> &r, compared<T, functions> &on, const std::string &what)
{
    const orr_type t = traits<T>::type;
    const int64_t first = orr_ge2gb_first(&r.s), own = orr_ge2gb_panel_tile(&r.s);
    const auto move = [&](int64_t i, int back) {
        on.task(r.all, what + " move", [&](const functions &f, T *base) {
            return f.move[t](nullptr, &r.s, i, r.along(base, i, own), base + r.q[(size_t)i], back);
        });
    };
    for (int64_t i = first; i < orr_ge2gb_tiles(&r.s); i++)
        move(i, 0);
    T *const base = r.all.data();
    std::vector<orr_ge2gb_tile> pieces;
    for (int64_t i = first; i < orr_ge2gb_tiles(&r.s); i++)
        pieces.push_back({base + r.q[(size_t)i], orr_ge2gb_q_ld(&r.s)});
    CHECK(orr_ge2gb_panel_cpu[t](&r.s, pieces.data(), r.V(base), r.S(base)) == ORR_OK, "%s: panel",
          what.c_str());
    move(first, 1);
}

template <class T>
static void one_side(reduction<T> &r, compared<T, functions> &on, const std::string &what)
{
    const orr_type t = traits<T>::type;
    const int64_t first = orr_ge2gb_first(&r.s), end = orr_ge2gb_tiles(&r.s);
    const int64_t across = orr_ge2gb_across(&r.s);
    find_panel(r, on, what);
    const int64_t half = (first + end + 1) / 2, pieces[] = {first, half, end}; /* of two owners */
    for (int64_t c = across / r.s.tile; across < r.side_across() && c < r.end_across(); c++)
        for (int k = 0; k < 2 && pieces[k] < end; k++)
            on.task(r.all, what + " product", [&](const functions &f, T *base) {
                std::vector<orr_ge2gb_tile> line;
                for (int64_t i = pieces[k]; i < pieces[k + 1]; i++)
                    line.push_back(r.along(base, i, c));
                return f.product[t](nullptr, &r.s, c, pieces[k], pieces[k + 1], line.data(),
                                    r.V(base), r.S(base), base + r.y[(size_t)c]);
            });
    for (int64_t c = across / r.s.tile; across < r.side_across() && c < r.end_across(); c++)
        for (int64_t i = first; i < end; i++)
            on.task(r.all, what + " update", [&](const functions &f, T *base) {
                return f.update[t](nullptr, &r.s, r.s.right ? c : i, r.s.right ? i : c,
                                   r.along(base, i, c), r.V(base), base + r.y[(size_t)c]);
            });
}

/* The reflectors of one side applied to the unit matrix. */
template <class T>
static dense make_q(reduction<T> &r, compared<T, functions> &on, int side, const std::string &what)
{
    const orr_type t = traits<T>::type;
    const int64_t n = side == RIGHT ? r.s.n : r.s.m, lde = n + 3, before = (int64_t)r.all.size();
    std::vector<T> all = r.all, e = unit_matrix<T>(n, lde);
    all.insert(all.end(), e.begin(), e.end());
    for (int64_t k = r.steps[side] - 1; k >= 0; k--) {
        r.at(side, k);
        on.task(all, what + " apply", [&](const functions &f, T *base) {
            return f.apply[t](nullptr, &r.s, r.V(base), r.S(base), n, base + before, lde);
        });
    }
    return dense_of(all.data() + before, n, n, lde);
}

template <class T> static dense band_of(reduction<T> &r)
{
    dense band(r.s.m, r.s.n);
    for (int64_t j = 0; j < r.s.n; j++)
        for (int64_t i = std::max<int64_t>(0, j - r.s.b); i <= j; i++)
            band(i, j) = traits<T>::widen(*r.entry(i, j));
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
        if (!first.empty()) {
            CHECK(!std::memcmp(first.data(), r.all.data(), first.size() * sizeof(T)),
                  "%s: the result depends on the order", what.c_str());
            return;
        }
        first = r.all;
        const dense q = make_q(r, on, LEFT, what), p = make_q(r, on, RIGHT, what);
        const double residual =
            distance<T>(product_of(product_of(q, band_of(r), false), p, true), a);
        const double orthogonality = std::max(departure<T>(q), departure<T>(p));
        verdict(what, on.worst, residual, orthogonality);
    });
}

template <class T> static void all_sizes()
{
    static const int64_t shape[][4] = {{3, 3, 2, 16},   {17, 16, 2, 4},  {33, 33, 8, 16},
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

int main()
{
    return device_main(body);
}
