/* gpu_ondevice: heev and gesvd of one large matrix whose arrays are in the device's memory, beside the same from main
 * memory. Peers that PyTorch calls have their arrays there, too.
 *
 *   gpu_ondevice [--algo heev,gesvd] [--n 8192] [--runs R] [--json FILE]
 *
 * Two JSON objects per (algo, n, values or vectors), `method` main and device; the `ref` of the second is the first.
 * d, square, uniform numbers, place gpu, restored between runs outside the clock. `check`: `residual`, of four columns
 * |A v - s u| over n eps |A|_F, and `values`, the largest difference from those of main memory in that unit; above 10
 * the status is "failed".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cfloat>
#include <cmath>
#include <random>

#include "orrery/orrery.h"
#include "program.h"

struct settings {
    std::string algos = "heev,gesvd";
    std::vector<int> orders = {8192};
    int runs = 3;
};

/* An array of `count` numbers in main memory or on the device; none if count is 0. */
struct place {
    std::vector<double> main;
    memory device;
    double *p;
    place(bool there, size_t count)
        : main(there ? 0 : count), device(there ? count * sizeof(double) : 0),
          p(count == 0 ? nullptr
            : there    ? (double *)device.p
                       : main.data())
    {
    }
    size_t bytes() const { return main.size() * sizeof(double) + device.bytes; }
    void fill(const void *from) const { move_bytes(p, from, p ? bytes() : 0); }
    std::vector<double> home() const
    {
        std::vector<double> x(bytes() / sizeof(double));
        move_bytes(x.data(), p, bytes());
        return x;
    }
};

static std::vector<double> numbers(bool symmetric, size_t n)
{
    std::vector<double> a(n * n);
    std::mt19937_64 random(1);
    for (size_t j = 0; j < n; j++)
        for (size_t i = symmetric ? j : 0; i < n; i++) {
            a[i + j * n] = (double)(random() >> 11) * 0x1p-52 - 1;
            if (symmetric)
                a[j + i * n] = a[i + j * n];
        }
    return a;
}

struct solved {
    outcome o;
    std::vector<double> values;
    orr_report report = {};
};

/* Of columns 0, n/4, n/2 and 3n/4: |A v - s u|_2, at most. */
static double residual(const std::vector<double> &a, const std::vector<double> &s,
                       const std::vector<double> &u, const std::vector<double> &v, size_t n)
{
    double worst = 0;
    for (size_t k = 0; k < n; k += (n + 3) / 4) {
        std::vector<double> r(n);
        double square = 0;
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                r[i] += a[i + j * n] * v[j + k * n];
        for (size_t i = 0; i < n; i++)
            square += (r[i] - s[k] * u[i + k * n]) * (r[i] - s[k] * u[i + k * n]);
        worst = worse(worst, std::sqrt(square));
    }
    return worst;
}

static solved measure(orr_context *ctx, const settings &set, bool heev, bool vectors, bool there,
                      const std::vector<double> &a, size_t n)
{
    const std::vector<double> nothing(n * n, NAN);
    const place A(there, n * n), s(there, n), u(there, vectors ? n * n : 0);
    const place v(there, vectors && !heev ? n * n : 0);
    const int64_t ld = (int64_t)n;
    std::vector<double> seconds;
    solved x;
    for (int run = -1; run < set.runs; run++) {
        A.fill(a.data());
        for (const place *const result : {&s, &u, &v})
            result->fill(nothing.data());
        orr_heev_opts ho = {};
        orr_gesvd_opts go = {};
        ho.place = go.place = ORR_PLACE_GPU;
        const double begin = now();
        const orr_status st =
            heev ? orr_heev(ctx, ORR_D, 'L', ld, A.p, ld, s.p, u.p, ld, &ho, &x.report)
                 : orr_gesvd(ctx, ORR_D, ld, ld, A.p, ld, s.p, u.p, ld, v.p, ld, &go, &x.report);
        if (run >= 0)
            seconds.push_back(now() - begin);
        if (st != ORR_OK) {
            std::fprintf(stderr, "%s\n", x.report.message);
            return x;
        }
    }
    summarise(seconds, &x.o);
    x.values = s.home();
    if (vectors)
        x.o.residual = residual(a, x.values, u.home(), heev ? u.home() : v.home(), n);
    return x;
}

static void bench(orr_context *ctx, const settings &set, const program &run, bool heev, size_t n)
{
    const std::string origin = provenance_of(run.command, "");
    const std::vector<double> a = numbers(heev, n);
    double norm = 0;
    for (const double x : a)
        norm += x * x;
    const double unit = (double)n * DBL_EPSILON * std::sqrt(norm);
    for (const bool vectors : {false, true}) {
        solved first;
        for (const bool there : {false, true}) {
            solved x = measure(ctx, set, heev, vectors, there, a, n);
            double values = 0;
            for (size_t i = 0; i < first.values.size() && x.o.ok; i++)
                values = worse(values, std::fabs(x.values[i] - first.values[i]) / unit);
            x.o.residual /= unit;
            const bool good = x.o.ok && x.o.residual <= 10 && values <= 10;
            std::fprintf(
                run.file,
                "{\"algo\":\"%s\",\"method\":\"%s\",\"type\":\"d\",\"n\":%zu,\"m\":null,"
                "\"band\":null,\"batch\":1,\"jobz\":\"%c\",\"sched\":null,"
                "\"workers\":{\"cuda\":1},\"seconds\":%s,\"status\":\"%s\","
                "\"sweeps\":null,\"check\":{\"residual\":%s,\"values\":%s},"
                "\"ref\":[%s],\"plan\":{%s},\"provenance\":%s}\n",
                heev ? "heev" : "gesvd", there ? "device" : "main", n, vectors ? 'V' : 'N',
                x.o.ok ? json_seconds(x.o, set.runs).c_str() : "null", good ? "ok" : "failed",
                json_number(x.o.residual).c_str(), json_number(values).c_str(),
                first.o.ok && x.o.ok ? json_ref("main memory", first.o, x.o, set.runs).c_str() : "",
                x.report.plan, origin.c_str());
            std::fflush(run.file);
            if (!there)
                first = x;
        }
    }
}

int main(int argc, char **argv)
{
    settings set;
    const program run(argc, argv, "[--algo heev,gesvd] [--n 8192] [--runs R]",
                      {text_option("--algo", &set.algos), list_option("--n", &set.orders),
                       number_option("--runs", &set.runs)});
    char message[512] = "";
    orr_context_opts o = {};
    orr_context *ctx = nullptr;
    o.message = message;
    const orr_status st = orr_open(&o, &ctx);
    if (st != ORR_OK) {
        std::fprintf(stderr, "%s %s\n", orr_strerror(st), message);
        return 6;
    }
    for (const char *algo : {"heev", "gesvd"})
        for (const int n : set.orders)
            if (set.algos.find(algo) != std::string::npos)
                bench(ctx, set, run, algo[0] == 'h', (size_t)n);
    orr_close(ctx);
    return 0;
}
