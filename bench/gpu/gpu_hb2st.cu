/* gpu_hb2st: a Hermitian band to tridiagonal form on one GPU, all sweeps in one launch
 * (kernels/hb2st_chase.h).
 *
 *   gpu_hb2st [--type s,d,c,z] [--n 4096,8192,...] [--b 32,64] [--method chase,numbered] [--runs R]
 *             [--json FILE]
 *
 * One JSON object per (type, n, b, method) on stdout or in FILE, with the keys of docs and
 * `orrery --json`. Random bands, values only; the band is restored between runs, outside the
 * clock. `check`: `trace` and `frobenius` are the relative changes of these two invariants over
 * n eps, and `values`, for n <= 2048, the largest error of an eigenvalue over n eps |A|_F, LAPACK's
 * dsbtrd (zhbtrd) and dsterf being the reference. `ref`: what ?sbtrd (?hbtrd) of the same type
 * takes on one CPU core. gflops counts 6 n^2 b operations (24 n^2 b if complex). An object with
 * status "refused" says that the bandwidth is above the kernel's.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cfloat>
#include <chrono>
#include <cmath>
#include <random>

#include "kernels/hb2st_chase.h"
#include "program.h"

typedef std::complex<float> cc;

extern "C" {
#define BTRD(name, T, R)                                                                           \
    void name(const char *, const char *, const int *, const int *, T *, const int *, R *, R *,    \
              T *, const int *, T *, int *)
BTRD(ssbtrd_, float, float);
BTRD(dsbtrd_, double, double);
BTRD(chbtrd_, cc, float);
BTRD(zhbtrd_, zz, double);
void dsterf_(const int *, double *, double *, int *);
}

struct settings {
    std::string types = "d,s", methods = "chase,numbered";
    std::vector<int> orders = {4096, 8192, 16384, 32768}, bands = {32, 64};
    int runs = 5;
};

/* Wide: the type in double precision, in which the reference is computed. */
template <class T> struct kind;
template <> struct kind<float> {
    typedef float real;
    typedef double wide;
    static constexpr orr_type type = ORR_S;
    static constexpr const char *name = "lapack ssbtrd";
    static constexpr auto btrd = ssbtrd_;
    static float from(double re, double) { return (float)re; }
};
template <> struct kind<double> {
    typedef double real, wide;
    static constexpr orr_type type = ORR_D;
    static constexpr const char *name = "lapack dsbtrd";
    static constexpr auto btrd = dsbtrd_;
    static double from(double re, double) { return re; }
};
template <> struct kind<cc> {
    typedef float real;
    typedef zz wide;
    static constexpr orr_type type = ORR_C;
    static constexpr const char *name = "lapack chbtrd";
    static constexpr auto btrd = chbtrd_;
    static cc from(double re, double im) { return {(float)re, (float)im}; }
};
template <> struct kind<zz> {
    typedef double real;
    typedef zz wide;
    static constexpr orr_type type = ORR_Z;
    static constexpr const char *name = "lapack zhbtrd";
    static constexpr auto btrd = zhbtrd_;
    static zz from(double re, double im) { return {re, im}; }
};

/* A random band, as our kernels and as LAPACK keep it, and its invariants. */
template <class T> struct problem {
    orr_hb2st_shape a = {};
    std::vector<T> h, ab;
    double trace = 0, norm = 0;

    problem(int n, int b)
    {
        a.n = a.D = n;
        a.b = b;
        a.ldh = orr_hb2st_ldh(sizeof(T), b);
        a.lead = orr_hb2st_lead(sizeof(T));
        a.sweeps = a.G = orr_hb2st_sweeps(is_complex(), n, b);
        h.resize((size_t)(a.lead + a.D * a.ldh));
        ab.resize((size_t)n * (size_t)(b + 1));
        std::mt19937_64 random(1);
        std::normal_distribution<double> normal;
        double square = 0;
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k <= b && j + k < n; k++) {
                const double re = normal(random), im = k && is_complex() ? normal(random) : 0;
                const T x = kind<T>::from(re, im);
                h[at(j, k)] = ab[(size_t)(j * (b + 1) + k)] = x;
                trace += k == 0 ? std::real(x) : 0;
                square += (k ? 2 : 1) * std::norm((zz)x);
            }
        norm = std::sqrt(square);
    }
    static bool is_complex() { return sizeof(T) != sizeof(typename kind<T>::real); }
    size_t at(int64_t j, int64_t k) const { return (size_t)(a.lead + j * a.ldh + k); }
    size_t bytes() const { return h.size() * sizeof(T); }
};

/* By LAPACK, in type S; returns seconds. */
template <class S, class T>
static double tridiagonal(const problem<T> &p, std::vector<double> *d, std::vector<double> *e)
{
    typedef typename kind<S>::real R;
    const int n = (int)p.a.n, b = (int)p.a.b, ldab = b + 1, one = 1;
    int info = 0;
    std::vector<S> ab(p.ab.begin(), p.ab.end()), work((size_t)n);
    std::vector<R> diagonal((size_t)n), beside((size_t)n);
    const double begin = now();
    kind<S>::btrd("N", "L", &n, &b, ab.data(), &ldab, diagonal.data(), beside.data(), work.data(),
                  &one, work.data(), &info);
    const double seconds = now() - begin;
    need(info == 0, "LAPACK's reduction");
    d->assign(diagonal.begin(), diagonal.end());
    e->assign(beside.begin(), beside.end());
    return seconds;
}

/* LAPACK's eigenvalues and its time; nothing above n = 2048, where it takes long. */
struct reference {
    std::vector<double> values;
    double seconds = 0;
};

template <class T> static reference refer(const problem<T> &p)
{
    reference r;
    std::vector<double> e;
    const int n = (int)p.a.n;
    int info = 0;
    if (n > 2048)
        return r;
    r.seconds = tridiagonal<T>(p, &r.values, &e);
    if (sizeof(typename kind<T>::real) == 4)
        (void)tridiagonal<typename kind<T>::wide>(p, &r.values, &e);
    dsterf_(&n, r.values.data(), e.data(), &info);
    need(info == 0, "dsterf");
    return r;
}

struct figures {
    double trace = 0, frobenius = 0, values = -1; /* -1: no reference */
    bool good = false;
};

template <class T>
static figures judge(const problem<T> &p, const std::vector<T> &out, const reference &r)
{
    const int n = (int)p.a.n;
    const double eps = sizeof(typename kind<T>::real) == 4 ? FLT_EPSILON : DBL_EPSILON;
    const double unit = n * eps * p.norm;
    std::vector<double> d((size_t)n), e((size_t)n);
    double trace = 0, square = 0;
    for (int64_t j = 0; j < n; j++) {
        const double x = d[(size_t)j] = std::real(out[p.at(j, 0)]);
        const double y = e[(size_t)j] = j + 1 < n ? std::real(out[p.at(j, 1)]) : 0;
        trace += x;
        square += x * x + 2 * y * y;
    }
    figures f;
    f.trace = std::fabs(trace - p.trace) / unit;
    f.frobenius = std::fabs(std::sqrt(square) - p.norm) / unit;
    f.good = f.trace <= 20 && f.frobenius <= 20;
    if (r.values.empty())
        return f;
    int info = 0;
    dsterf_(&n, d.data(), e.data(), &info);
    f.values = 0;
    for (int i = 0; i < n; i++)
        f.values = worse(f.values, std::fabs(d[(size_t)i] - r.values[(size_t)i]) / unit);
    f.good = f.good && info == 0 && f.values <= 20;
    return f;
}

static std::string number(const char *format, double x, bool known)
{
    return known ? json_number(x, format) : "null";
}

template <class T>
static void record(FILE *file, const std::string &origin, const char *method, const problem<T> &p,
                   const outcome &o, int runs, const figures &f, const reference &r)
{
    const double n = (double)p.a.n;
    const double flops = 6.0 * (p.is_complex() ? 4 : 1) * n * n * (double)p.a.b;
    outcome lapack;
    lapack.median = lapack.min = lapack.max = r.seconds;
    std::string ref;
    if (r.seconds > 0 && o.ok)
        ref = std::string("{\"name\":\"") + kind<T>::name +
              "\",\"threads\":1,\"seconds\":" + json_seconds(lapack, 1) +
              ",\"ratio\":" + number("%.4g", r.seconds / o.median, true) + "}";
    std::fprintf(file,
                 "{\"algo\":\"hb2st\",\"method\":\"%s\",\"type\":\"%c\",\"n\":%d,\"m\":null,"
                 "\"band\":%d,\"batch\":1,\"sched\":null,\"workers\":{\"cpu\":0,\"cuda\":1},"
                 "\"seconds\":%s,\"gflops\":%s,\"status\":\"%s\",\"sweeps\":null,"
                 "\"check\":{\"trace\":%s,\"frobenius\":%s,\"values\":%s},\"ref\":[%s],"
                 "\"bound\":{\"latency_hops\":%.0f},\"plan\":{},\"provenance\":%s}\n",
                 method, "sdcz"[kind<T>::type], (int)p.a.n, (int)p.a.b,
                 o.ok ? json_seconds(o, runs).c_str() : "null",
                 number("%.5g", flops / o.median / 1e9, o.ok).c_str(),
                 !o.ok    ? "refused"
                 : f.good ? "ok"
                          : "failed",
                 number("%.4g", f.trace, o.ok).c_str(), number("%.4g", f.frobenius, o.ok).c_str(),
                 number("%.4g", f.values, f.values != -1).c_str(), ref.c_str(), 1.5 * n,
                 origin.c_str());
    std::fflush(file);
}

/* How sweeps follow each other. */
struct way {
    const char *method;
    orr_hb2st_chase_cuda_fn *const *chase;
    int64_t (*scratch)(orr_type, const orr_hb2st_shape *);
};
static const way ways[] = {
    {"chase", orr_hb2st_chase_cuda,
     [](orr_type, const orr_hb2st_shape *a) { return orr_hb2st_chase_cuda_scratch(a); }},
    {"numbered", orr_hb2st_chase_cuda_numbered, orr_hb2st_chase_cuda_numbered_scratch},
};

template <class T>
static void bench_one(const settings &set, FILE *file, const std::string &origin, const way &by,
                      const problem<T> &p, const reference &r)
{
    memory input(p.h.data(), p.bytes()), band(p.bytes());
    memory carry((size_t)(p.a.G * (p.a.b + 1)) * sizeof(T));
    memory scratch((size_t)by.scratch(kind<T>::type, &p.a));
    const outcome o = timed(
        set.runs, [&] { move_bytes(band.p, input.p, p.bytes()); },
        [&] {
            return by.chase[kind<T>::type](nullptr, &p.a, 0, 0, nullptr, band.p, carry.p, nullptr,
                                           scratch.p) == ORR_OK;
        });
    figures f;
    std::vector<T> out(p.h.size());
    if (o.ok) {
        move_bytes(out.data(), band.p, p.bytes());
        f = judge(p, out, r);
    }
    record(file, origin, by.method, p, o, set.runs, f, r);
}

template <class T> static void bench(const settings &set, FILE *file, const std::string &origin)
{
    for (const int n : set.orders)
        for (const int b : set.bands) {
            if (b < 2 || b >= n)
                continue;
            const problem<T> p(n, b);
            const reference r = refer(p);
            for (const way &by : ways)
                if (("," + set.methods + ",").find("," + std::string(by.method) + ",") !=
                    std::string::npos)
                    bench_one<T>(set, file, origin, by, p, r);
        }
}

int main(int argc, char **argv)
{
    settings set;
    const program run(argc, argv,
                      "[--type s,d,c,z] [--n 4096,8192] [--b 32,64] [--method chase,numbered] "
                      "[--runs R]",
                      {text_option("--type", &set.types), list_option("--n", &set.orders),
                       list_option("--b", &set.bands), text_option("--method", &set.methods),
                       number_option("--runs", &set.runs)});
    const std::string origin = provenance_of(run.command, "");
    for_each_type(set.types, [&](auto zero) { bench<decltype(zero)>(set, run.file, origin); });
    return 0;
}
