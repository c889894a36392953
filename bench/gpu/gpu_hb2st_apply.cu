/* gpu_hb2st_apply: the reflectors of bulge chasing applied to all columns of a square matrix on one GPU, by products
 * of cuBLAS and by kernels for many groups of sweeps (kernels/hb2st_apply.h).
 *
 *   gpu_hb2st_apply [--type s,d,c,z] [--n 8192,16384] [--b 64] [--sweeps 64] [--runs R] [--json FILE]
 *
 * One JSON object per (type, n, b) for products, in diamonds as src/band/hb2st_product.c chooses them for a device
 * alone, then `fused` with diamonds of each of `sweeps` and, where that is another form, `held`; their `ref` is the
 * products. Random reflectors, the
 * matrix in device memory. `check`, of 64 columns: `difference` from the products and `norm`, the change of their norm,
 * both over sqrt(n) eps |E|, and of the first one `single`, the difference from single reflectors on the CPU; the
 * product with the adjoint is timed as `adjoint` and must give E back: `back`. gflops counts 2 n^3 operations, the
 * least (8 n^3 if complex).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cmath>
#include <limits>
#include <random>

#include "kernels/hb2st_apply.h"
#include "kinds.h"
#include "program.h"

struct settings {
    std::string types = "d";
    std::vector<int> orders = {8192, 16384}, bands = {64}, sweeps = {64};
    int runs = 3;
};

template <class T> static T number(double re, double im)
{
    if constexpr (is_complex<T>)
        return T((typename kind<T>::real)re, (typename kind<T>::real)im);
    else
        return (T)re;
}

constexpr int some_columns = 64; /* that are different, and that are looked at */

/* All reflectors of one group; E, whose column c is that of c modulo some_columns. */
template <class T> struct problem {
    orr_hb2st_shape a = {};
    int64_t n;
    std::vector<T> v, columns;

    problem(int n_, int b) : n(n_)
    {
        a.n = n;
        a.b = b;
        a.sweeps = a.G = orr_hb2st_sweeps(is_complex<T>, n, b);
        v.resize((size_t)orr_hb2st_v_offset(&a, a.sweeps) + 1);
        columns.resize((size_t)(n * some_columns));
        std::mt19937_64 random(1);
        std::uniform_real_distribution<double> uniform(-1, 1);
        std::vector<T> table(1 << 16);
        for (T &x : table)
            x = number<T>(uniform(random), uniform(random));
        for (size_t i = 0; i < columns.size(); i++)
            columns[i] = table[i * 7 % (table.size() - 1)];
        size_t at = 0;
        for (int64_t s = 0; s < a.sweeps; s++)
            for (int64_t first = s + 1; first < n; first += b) {
                double square = 1;
                T *const y = &v[at];
                const int64_t length = orr_least(b, n - first);
                for (int64_t i = 1; i < length; i++) {
                    y[i] = table[(at + (size_t)i) * 11 % (table.size() - 1)];
                    square += std::norm(y[i]);
                }
                y[0] = number<T>(2 / square, 0);
                at += (size_t)length;
            }
    }
    size_t bytes() const { return (size_t)(n * n) * sizeof(T); }
};

/* Of the columns c n / some_columns: each is in another strip, and has other numbers. */
template <class T> static std::vector<T> look(const problem<T> &p, const memory &e)
{
    std::vector<T> some(p.columns.size());
    for (int64_t c = 0; c < some_columns; c++)
        move_bytes(&some[(size_t)(c * p.n)],
                   (const T *)e.p + (c * (p.n / some_columns) + c) % p.n * p.n,
                   (size_t)p.n * sizeof(T));
    return some;
}

/* |x - y|_F over the entries of y, |x|_F with no y. */
template <class T, class U> static double distance(const std::vector<T> &x, const std::vector<U> &y)
{
    double sum = 0;
    for (size_t i = 0; i < (y.empty() ? x.size() : y.size()); i++)
        sum += std::norm((zz)x[i] - (y.empty() ? zz(0) : (zz)y[i]));
    return std::sqrt(sum);
}

/* Q times the first column: one reflector after the other, the last one that was made first. */
template <class T> static std::vector<zz> single(const problem<T> &p)
{
    const int64_t n = p.n, b = p.a.b;
    std::vector<zz> x(p.columns.begin(), p.columns.begin() + n);
    const T *y = &p.v[p.v.size() - 1];
    for (int64_t s = p.a.sweeps - 1; s >= 0; s--)
        for (int64_t first = s + 1 + (n - 2 - s) / b * b; first > s; first -= b) {
            const int64_t length = orr_least(b, n - first);
            zz *const at = &x[(size_t)first];
            y -= length;
            zz product = at[0];
            for (int64_t i = 1; i < length; i++)
                product += std::conj((zz)y[i]) * at[i];
            product *= std::real(y[0]);
            at[0] -= product;
            for (int64_t i = 1; i < length; i++)
                at[i] -= product * (zz)y[i];
        }
    return x;
}

static const char *name_of(orr_hb2st_form form)
{
    static const char *const names[ORR_HB2ST_FORMS] = {"products", "fused", "held"};
    return names[form];
}

struct figures {
    outcome there, back;
    double difference = 0, norm = 0, single = 0, again = 0;
    bool good = false;
};

/* first: what becomes of the first column; products: what they made of the columns that are looked at, or nothing
 * yet. */
template <class T>
static figures measure(const settings &set, const problem<T> &p, const memory &start,
                       const memory &v, const memory &e, const orr_hb2st_blocking &by,
                       const std::vector<zz> &first, std::vector<T> *products)
{
    figures f;
    const void *const group[] = {v.p};
    const memory work((size_t)orr_hb2st_apply_work(&p.a, &by, p.n) * sizeof(T));
    const auto apply = [&](int adjoint) {
        return orr_hb2st_apply_cuda[kind<T>::type](nullptr, &p.a, 0, 1, group, adjoint, p.n, e.p,
                                                   p.n, &by, work.p) == ORR_OK;
    };
    const auto restore = [&] { move_bytes(e.p, start.p, p.bytes()); };
    f.back = timed(set.runs, restore, [&] { return apply(1); });
    f.there = timed(set.runs, restore, [&] { return apply(0); });
    if (!f.there.ok || !f.back.ok)
        return f;
    const std::vector<T> before = look(p, start), made = look(p, e);
    const double size = distance(before, std::vector<T>());
    const double unit =
        size * std::sqrt((double)p.n) * std::numeric_limits<typename kind<T>::real>::epsilon();
    if (products->empty())
        *products = made;
    f.difference = distance(made, *products) / unit;
    f.norm = std::fabs(distance(made, std::vector<T>()) - size) / unit;
    f.single = distance(made, first) / unit * std::sqrt((double)some_columns);
    need(apply(1), "the adjoint");
    f.again = distance(look(p, e), before) / unit;
    f.good = f.difference <= 10 && f.norm <= 10 && f.single <= 10 && f.again <= 10;
    return f;
}

template <class T>
static void record(FILE *file, const std::string &origin, const problem<T> &p,
                   const orr_hb2st_blocking &by, const figures &f, const figures *products,
                   int runs)
{
    const double n = (double)p.n, least = (is_complex<T> ? 8.0 : 2.0) * n * n * n;
    const bool ok = f.there.ok && f.back.ok;
    std::string check = "null", rate = "null", ref;
    if (ok) {
        check = "{\"difference\":" + json_number(f.difference) +
                ",\"norm\":" + json_number(f.norm) + ",\"single\":" + json_number(f.single) +
                ",\"back\":" + json_number(f.again) + "}";
        rate = json_number(least / f.there.median / 1e9, "%.5g");
    }
    if (ok && products && products->there.ok)
        ref = "{\"name\":\"products\",\"seconds\":" + json_seconds(products->there, runs) +
              ",\"ratio\":" + json_number(products->there.median / f.there.median) + "}";
    std::fprintf(file,
                 "{\"algo\":\"hb2st_apply\",\"method\":\"%s\",\"type\":\"%c\",\"n\":%d,\"m\":null,"
                 "\"band\":%d,\"batch\":1,\"sched\":null,\"workers\":{\"cpu\":0,\"cuda\":1},"
                 "\"seconds\":%s,\"adjoint\":%s,\"gflops\":%s,\"status\":\"%s\",\"sweeps\":null,"
                 "\"check\":%s,\"ref\":[%s],\"plan\":{\"sweeps\":%d,\"at_once\":%d},"
                 "\"provenance\":%s}\n",
                 name_of(by.form), "sdcz"[kind<T>::type], (int)p.n, (int)p.a.b,
                 ok ? json_seconds(f.there, runs).c_str() : "null",
                 ok ? json_seconds(f.back, runs).c_str() : "null", rate.c_str(),
                 !ok      ? "refused"
                 : f.good ? "ok"
                          : "failed",
                 check.c_str(), ref.c_str(), (int)by.sweeps, (int)by.at_once, origin.c_str());
    std::fflush(file);
}

template <class T>
static void bench_one(const settings &set, FILE *file, const std::string &origin, int n, int b)
{
    const problem<T> p(n, b);
    const memory v(p.v.data(), p.v.size() * sizeof(T)), start(p.bytes()), e(p.bytes());
    for (int64_t c = 0; c < n; c += some_columns)
        move_bytes((T *)start.p + c * p.n, p.columns.data(),
                   (size_t)(orr_least(some_columns, n - c) * p.n) * sizeof(T));
    cudaDeviceProp device;
    need(cudaGetDeviceProperties(&device, 0) == cudaSuccess, "device");
    const int64_t side = 2048 * (int64_t)device.multiProcessorCount;
    const auto diamonds = [&](int64_t sweeps, orr_hb2st_form form) {
        const int64_t all = (p.a.sweeps + sweeps - 1) / sweeps;
        return orr_hb2st_blocking{sweeps, std::min(std::max<int64_t>(side / n, 1), all), form};
    };
    const std::vector<zz> column = single(p);
    std::vector<T> made;
    const orr_hb2st_blocking products =
        diamonds(std::min(std::max(b, 16), (int)ORR_HB2ST_MOST_DIAMOND), ORR_HB2ST_PRODUCTS);
    const figures first = measure(set, p, start, v, e, products, column, &made);
    record(file, origin, p, products, first, nullptr, set.runs);
    for (const int sweeps : set.sweeps)
        for (const auto form : {ORR_HB2ST_FUSED, ORR_HB2ST_HELD})
            if (form == ORR_HB2ST_FUSED ||
                ((b == 32 || b == 64) && sweeps == (is_complex<T> ? 32 : 64))) {
                const orr_hb2st_blocking by = diamonds(sweeps, form);
                record(file, origin, p, by, measure(set, p, start, v, e, by, column, &made), &first,
                       set.runs);
            }
}

template <class T> static void bench(const settings &set, FILE *file, const std::string &origin)
{
    for (const int n : set.orders)
        for (const int b : set.bands)
            if (b >= 2 && b < n)
                bench_one<T>(set, file, origin, n, b);
}

int main(int argc, char **argv)
{
    settings set;
    const program run(argc, argv,
                      "[--type s,d,c,z] [--n 8192,16384] [--b 64] [--sweeps 64] [--runs R]",
                      {text_option("--type", &set.types), list_option("--n", &set.orders),
                       list_option("--b", &set.bands), list_option("--sweeps", &set.sweeps),
                       number_option("--runs", &set.runs)});
    const std::string origin = provenance_of(run.command, "");
    for_each_type(set.types, [&](auto zero) { bench<decltype(zero)>(set, run.file, origin); });
    return 0;
}
