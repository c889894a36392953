/* hb2st_apply on a device, in all forms: diamonds of reflectors against the same reflectors
 * applied one at a time in double precision. Orders that are no multiple of anything, groups and diamonds of
 * other sizes than the band, last diamonds that are short, few sweeps, one column, more than one strip of columns
 * for each processor, bands too wide for the kernel; some reflectors are I, with numbers that must not matter.
 *
 *   product   |E - H .. H E0|_F / (eps sqrt(n) |E0|_F)                                      <= 4
 *   orders    the same bits in every interleaving of thread blocks
 *   outside   the first rows, rows from n on, and elements behind E, are not touched
 *   unit      columns of the unit matrix, or of a diagonal one, are those of the CPU kernel, from the first
 *             on and backwards, and what lies between them stays
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "apply_harness.h"
#include "kernels/cuda/resident.h"
#include "kernels/hb2st_apply.h"

struct problem {
    int64_t n, b, G;   /* G: sweeps of a group of the reduction */
    int64_t g, groups; /* that are applied */
    int64_t sweeps, k; /* of the reduction; columns */
    struct {
        int64_t sweeps, at_once;
    } by;
};

template <class T> struct reflectors {
    orr_hb2st_shape a = {};
    std::vector<T> v;

    explicit reflectors(const problem &p)
    {
        std::mt19937 random((unsigned)(100 * p.n + p.b));
        a.n = p.n;
        a.b = p.b;
        a.G = p.G;
        a.sweeps = std::min(p.sweeps, orr_hb2st_sweeps(traits<T>::is_complex, p.n, p.b));
        v.resize((size_t)orr_hb2st_v_offset(&a, a.sweeps) + 1);
        for (int64_t s = 0, count = 0; s < a.sweeps; s++)
            for (int64_t t = 0; t < orr_hb2st_hops(&a, s); t++, count++)
                draw_reflector(random, count, length(s, t), length(s, t), at(s, t));
    }
    T *at(int64_t s, int64_t t)
    {
        return &v[(size_t)(orr_hb2st_v_offset(&a, s) + (a.b == 1 ? 0 : t * a.b))];
    }
    int64_t length(int64_t s, int64_t t) const { return orr_least(a.b, a.n - 1 - s - t * a.b); }

    /* One reflector after the other on a column. */
    void apply(const problem &p, bool adjoint, std::vector<zz> &x)
    {
        const int64_t s0 = p.g * a.G, s1 = orr_least((p.g + p.groups) * a.G, a.sweeps);
        for (int64_t i = s0; i < s1; i++) {
            const int64_t s = adjoint ? i : s0 + s1 - 1 - i;
            for (int64_t t = 0; t < orr_hb2st_hops(&a, s); t++)
                apply_reflector(at(s, t), length(s, t), adjoint,
                                &x[(size_t)(s + 1 + (a.b == 1 ? 0 : t * a.b))]);
        }
    }
};

template <class T>
static void test_way(const problem &p, reflectors<T> &q, const std::vector<const void *> &groups,
                     orr_hb2st_form form, bool adjoint, bool all_orders)
{
    static const char *const names[ORR_HB2ST_FORMS] = {"products", "fused", "held"};
    const int64_t lde = p.n + 3;
    const std::string name =
        std::string("type ") + "sdcz"[traits<T>::type] + ", n " + std::to_string(p.n) + ", b " +
        std::to_string(p.b) + ", G " + std::to_string(p.G) + ", groups " + std::to_string(p.g) +
        " + " + std::to_string(p.groups) + ", k " + std::to_string(p.k) + ", diamonds " +
        std::to_string(p.by.sweeps) + " x " + std::to_string(p.by.at_once) + ", " + names[form] +
        (adjoint ? ", adjoint" : "");
    const orr_hb2st_blocking by = {p.by.sweeps, p.by.at_once, form};
    test_product(
        name, draw_columns<T>(lde, p.k), p.n, lde, p.k, p.g * p.G + 1, p.n,
        orr_hb2st_apply_work(&q.a, &by, p.k), all_orders,
        [&](T *e, T *work) {
            return orr_hb2st_apply_cuda[traits<T>::type](
                nullptr, &q.a, p.g, p.groups, groups.data(), adjoint, p.k, e, lde, &by, work);
        },
        [&](std::vector<zz> &x) { q.apply(p, adjoint, x); });
}

/* held: also the form in registers, which is another one where those of real types have 64 sweeps, of complex ones 32 */
template <class T> static void test(const problem &p, bool all_orders, bool held = false)
{
    reflectors<T> q(p);
    std::vector<const void *> groups;
    device_array<T> dv(q.v);
    for (int64_t i = 0; i < p.groups; i++)
        groups.push_back(dv.get() + orr_hb2st_v_offset(&q.a, (p.g + i) * p.G));
    for (const auto form : {ORR_HB2ST_PRODUCTS, ORR_HB2ST_FUSED, ORR_HB2ST_HELD})
        for (const bool adjoint : {false, true})
            if (form != ORR_HB2ST_HELD || held)
                test_way<T>(p, q, groups, form, adjoint, all_orders);
}

/* Some more than 64 for each processor: a warp of the fused kernel has 32 then. How many it has depends on how many
 * processors there are, and so do the last bits. */
static int64_t many_columns()
{
    int64_t processors = 0;
    size_t room = 0;
    CHECK(orr::device_room(&processors, &room), "no device");
    return 64 * processors + 6;
}

template <class T> static void test_unit()
{
    const int64_t n = 131;
    const std::vector<T> diagonal = draw_columns<T>(n, 1);
    device_array<T> there(diagonal);
    for (const int64_t lde : {n, n + 3})
        for (const int64_t k : {int64_t(1), int64_t(40), n})
            for (const int64_t step : {1, -1})
                for (const bool ones : {true, false}) {
                    const int64_t first = step > 0 ? n - k : n - 1;
                    std::vector<T> want((size_t)(lde * k), T(7));
                    device_array<T> e(want);
                    orr_hb2st_unit_cpu[traits<T>::type](
                        n, first, step, ones ? nullptr : diagonal.data(), k, want.data(), lde);
                    CHECK(orr_hb2st_unit_cuda[traits<T>::type](nullptr, n, first, step,
                                                               ones ? nullptr : there.get(), k,
                                                               e.get(), lde) == ORR_OK,
                          "unit");
                    const std::string error = device_error();
                    CHECK(error.empty() && e.host() == want,
                          "unit, type %c, lde %d, k %d, step %d, %s: %s", "sdcz"[traits<T>::type],
                          (int)lde, (int)k, (int)step, ones ? "ones" : "diagonal", error.c_str());
                }
}

template <class T> static void test_type()
{
    enum { ALL = 1 << 20 };
    static const problem problems[] = {
        {2, 1, 2, 0, 1, ALL, 1, {1, 1}},      {9, 1, 3, 0, 3, ALL, 4, {1, 1}},
        {3, 2, 4, 0, 1, ALL, 1, {16, 1}},     {7, 2, 2, 0, 3, ALL, 3, {1, 1}},
        {29, 3, 40, 0, 1, ALL, 5, {16, 3}},   {41, 5, 41, 0, 1, ALL, 7, {5, 8}},
        {41, 5, 3, 2, 7, ALL, 2, {4, 1}},     {45, 7, 45, 0, 1, ALL, 1, {7, 2}},
        {45, 44, 45, 0, 1, ALL, 4, {16, 2}},  {64, 8, 64, 0, 1, ALL, 9, {8, 3}},
        {66, 16, 20, 1, 2, ALL, 3, {4, 4}},   {83, 16, 83, 0, 1, ALL, 6, {16, 64}},
        {97, 32, 97, 0, 1, ALL, 33, {32, 2}}, {90, 12, 5, 0, 2, 3, 4, {12, 2}},
        {70, 9, 90, 0, 1, 1, 2, {9, 1}},      {101, 10, 101, 0, 1, ALL, 3, {64, 1}},
        {130, 6, 1, 3, 117, ALL, 2, {6, 5}},
    };
    for (const problem &p : problems)
        if (!slow_build || p.n < 50 || want_long())
            test<T>(p, want_long() || p.n == 41);
    for (const int64_t sweeps : {64, 32}) {
        const bool held = sweeps == (traits<T>::is_complex ? 32 : 64);
        test<T>({165, 32, 165, 0, 1, 70, 19, {sweeps, 2}}, want_long(), held);
        if (!slow_build || want_long())
            test<T>({290, 64, 290, 0, 1, 70, 67, {sweeps, 1}}, false, held);
    }
    test<T>({37, 8, 37, 0, 1, slow_build ? 9 : ALL, many_columns(), {8, 2}}, false);
    if (!slow_build || want_long())
        test<T>({950, 900, 950, 0, 1, 3, 2, {8, 1}}, false);
    if (want_long())
        test<T>({300, 64, 300, 0, 1, ALL, 70, {64, 2}}, false);
    print_worst<T>();
    test_unit<T>();
    const orr_hb2st_blocking wrong[] = {
        {0, 1, ORR_HB2ST_PRODUCTS}, {65, 1, ORR_HB2ST_HELD}, {1, 0, ORR_HB2ST_FUSED}};
    orr_hb2st_shape a = {};
    a.n = 9;
    a.b = a.G = 3;
    a.sweeps = 7;
    const void *v[1] = {&a};
    T e[9] = {};
    for (const orr_hb2st_blocking &by : wrong)
        CHECK(orr_hb2st_apply_cuda[traits<T>::type](nullptr, &a, 0, 1, v, 0, 1, e, 9, &by,
                                                    nullptr) == ORR_E_ARG,
              "diamonds %d x %d", (int)by.sweeps, (int)by.at_once);
}

/* As measured (docs/gpu-status.md): one thread block to each processor, nearly full. */
static void test_form()
{
    static const struct {
        orr_type type;
        int64_t b, sweeps, k;
        orr_hb2st_form want;
    } cases[] = {
        {ORR_D, 64, 64, 8192, ORR_HB2ST_PRODUCTS},  {ORR_D, 64, 64, 16384, ORR_HB2ST_FUSED},
        {ORR_D, 64, 64, 14783, ORR_HB2ST_PRODUCTS}, {ORR_D, 64, 64, 14784, ORR_HB2ST_FUSED},
        {ORR_D, 64, 64, 16897, ORR_HB2ST_PRODUCTS}, {ORR_D, 64, 64, 32768, ORR_HB2ST_FUSED},
        {ORR_Z, 64, 64, 8192, ORR_HB2ST_FUSED},     {ORR_Z, 64, 64, 4096, ORR_HB2ST_PRODUCTS},
        {ORR_Z, 64, 32, 8192, ORR_HB2ST_PRODUCTS},  {ORR_D, 32, 32, 16384, ORR_HB2ST_PRODUCTS},
        {ORR_S, 64, 64, 16384, ORR_HB2ST_PRODUCTS}, {ORR_C, 64, 64, 8192, ORR_HB2ST_PRODUCTS},
    };
    for (const auto &c : cases) { /* on an H200 */
        orr_hb2st_shape a = {};
        a.n = c.k;
        a.b = c.b;
        CHECK(orr_hb2st_apply_form(c.type, &a, c.sweeps, c.k, 132, 90) == c.want,
              "form, type %c, b %d, k %d", "sdcz"[c.type], (int)c.b, (int)c.k);
        CHECK(orr_hb2st_apply_form(c.type, &a, c.sweeps, c.k, 132, 80) == ORR_HB2ST_PRODUCTS,
              "form on an A100");
    }
}

static void body()
{
    test_form();
    test_type<float>();
    test_type<double>();
    test_type<std::complex<float>>();
    test_type<zz>();
}

int main() { return device_main(body); }
