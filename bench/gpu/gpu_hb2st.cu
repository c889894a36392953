/* gpu_hb2st: a Hermitian band to tridiagonal form on one GPU, all sweeps in one launch, by both
 * kernels of kernels/hb2st_chase.h.
 *
 *   gpu_hb2st [--type s,d,c,z] [--n 4096,8192,...] [--b 32,64] [--runs R] [--json FILE]
 *
 * One JSON object per (type, n, b, method) on stdout or in FILE, with the keys of docs and
 * `orrery --json`. Random bands, values only; the band is restored between runs, outside the
 * clock. `check`: `trace` and `frobenius` are the relative changes of these two invariants over
 * n eps, and `values`, for n <= 2048, the largest error of an eigenvalue over n eps |A|_F, LAPACK's
 * dsbtrd and dsterf (zhbtrd) being the reference, whose time is in `ref`. gflops counts 6 n^2 b
 * operations (24 n^2 b if complex). An object with status "refused" says that the band does not
 * fit into the shared memory of the device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <random>
#include <string>
#include <vector>

#include "kernels/hb2st_chase.h"

typedef std::complex<double> zz;

extern "C" {
void zhbtrd_(const char *, const char *, const int *, const int *, zz *, const int *, double *,
             double *, zz *, const int *, zz *, int *);
void dsterf_(const int *, double *, double *, int *);
}

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    std::fprintf(stderr, "gpu_hb2st: %s failed: %s\n", what,
                 cudaGetErrorString(cudaGetLastError()));
    std::exit(6);
}

struct memory {
    void *p = nullptr;
    explicit memory(size_t bytes) { need(cudaMalloc(&p, bytes + 64) == cudaSuccess, "malloc"); }
    memory(const memory &) = delete;
    memory &operator=(const memory &) = delete;
    ~memory() { cudaFree(p); }
};

struct settings {
    std::string types = "d,s", file;
    std::vector<int> orders = {4096, 8192, 16384, 32768}, bands = {32, 64};
    int runs = 5;
};

template <class T> struct kind;
template <> struct kind<float> {
    typedef float real;
    static constexpr orr_type type = ORR_S;
    static float from(double re, double) { return (float)re; }
};
template <> struct kind<double> {
    typedef double real;
    static constexpr orr_type type = ORR_D;
    static double from(double re, double) { return re; }
};
template <> struct kind<std::complex<float>> {
    typedef float real;
    static constexpr orr_type type = ORR_C;
    static std::complex<float> from(double re, double im) { return {(float)re, (float)im}; }
};
template <> struct kind<zz> {
    typedef double real;
    static constexpr orr_type type = ORR_Z;
    static zz from(double re, double im) { return {re, im}; }
};

static std::string seconds_of(std::vector<double> t)
{
    char s[200];
    std::sort(t.begin(), t.end());
    std::snprintf(s, sizeof s, "{\"median\":%.6g,\"min\":%.6g,\"max\":%.6g,\"runs\":%d}",
                  t[t.size() / 2], t.front(), t.back(), (int)t.size());
    return s;
}

template <class T> void bench(const settings &set, FILE *file, const std::string &origin)
{
    typedef typename kind<T>::real R;
    const orr_type type = kind<T>::type;
    const bool is_complex = sizeof(T) != sizeof(R);
    const double eps = sizeof(R) == 4 ? FLT_EPSILON : DBL_EPSILON;
    for (const int n : set.orders)
        for (const int b : set.bands) {
            if (b >= n || b < 2)
                continue;
            orr_hb2st_shape a = {};
            a.n = a.D = n;
            a.b = b;
            a.ldh = orr_hb2st_ldh(sizeof(T), b);
            a.lead = orr_hb2st_lead(sizeof(T));
            a.sweeps = a.G = orr_hb2st_sweeps(is_complex, n, b);
            const size_t entries = (size_t)(a.lead + a.D * a.ldh);
            std::vector<T> h(entries);
            std::vector<zz> ab((size_t)n * (b + 1)); /* for LAPACK */
            std::mt19937_64 random(1);
            std::normal_distribution<double> normal;
            double trace = 0, square = 0;
            for (int64_t j = 0; j < n; j++)
                for (int64_t k = 0; k <= b && j + k < n; k++) {
                    const double re = normal(random), im = k && is_complex ? normal(random) : 0;
                    const T x = kind<T>::from(re, im);
                    h[(size_t)(a.lead + j * a.ldh + k)] = x;
                    ab[(size_t)(j * (b + 1) + k)] = (zz)x;
                    trace += k == 0 ? std::real(x) : 0;
                    square += (k ? 2 : 1) * std::norm((zz)x);
                }
            const double norm = std::sqrt(square);

            std::vector<double> reference((size_t)n), off((size_t)n);
            double lapack = 0;
            if (n <= 2048) {
                std::vector<zz> work((size_t)n);
                const int ldab = b + 1, one = 1;
                int info = 0;
                const auto begin = std::chrono::steady_clock::now();
                zhbtrd_("N", "L", &n, &b, ab.data(), &ldab, reference.data(), off.data(),
                        work.data(), &one, work.data(), &info);
                lapack =
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
                dsterf_(&n, reference.data(), off.data(), &info);
                need(info == 0, "dsterf");
            }

            memory input(entries * sizeof(T)), band(entries * sizeof(T));
            memory carry((size_t)(a.G * (b + 1)) * sizeof(T));
            memory scratch((size_t)orr_hb2st_chase_cuda_scratch(&a));
            need(cudaMemcpy(input.p, h.data(), entries * sizeof(T), cudaMemcpyHostToDevice) ==
                     cudaSuccess,
                 "copy");
            cudaEvent_t begin, end;
            need(cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess,
                 "event");
            for (const bool owned : {false, true}) {
                orr_hb2st_chase_cuda_fn *const run =
                    owned ? orr_hb2st_owned_cuda[type] : orr_hb2st_chase_cuda[type];
                std::vector<double> seconds;
                orr_status st = ORR_OK;
                for (int r = -1; r < set.runs && st == ORR_OK; r++) {
                    float ms = 0;
                    need(cudaMemcpy(band.p, input.p, entries * sizeof(T),
                                    cudaMemcpyDeviceToDevice) == cudaSuccess,
                         "copy");
                    need(cudaEventRecord(begin) == cudaSuccess, "event");
                    st = run(nullptr, &a, 0, 0, nullptr, band.p, carry.p, nullptr, scratch.p);
                    need(cudaEventRecord(end) == cudaSuccess &&
                             cudaEventSynchronize(end) == cudaSuccess &&
                             cudaEventElapsedTime(&ms, begin, end) == cudaSuccess,
                         "kernel");
                    if (r >= 0 && st == ORR_OK)
                        seconds.push_back(ms / 1e3);
                }
                const char *name = owned ? "owned" : "chase";
                char head[300];
                std::snprintf(head, sizeof head,
                              "{\"algo\":\"hb2st\",\"method\":\"%s\",\"type\":\"%c\",\"n\":%d,"
                              "\"m\":null,\"band\":%d,\"batch\":1,\"sched\":null,"
                              "\"workers\":{\"cpu\":0,\"cuda\":1}",
                              name, "sdcz"[type], n, b);
                if (seconds.empty()) {
                    std::fprintf(file,
                                 "%s,\"seconds\":null,\"gflops\":null,\"status\":\"refused\","
                                 "\"sweeps\":null,\"check\":{},\"ref\":[],\"bound\":{},\"plan\":{},"
                                 "\"provenance\":%s}\n",
                                 head, origin.c_str());
                    continue;
                }
                std::vector<T> out(entries);
                need(cudaMemcpy(out.data(), band.p, entries * sizeof(T), cudaMemcpyDeviceToHost) ==
                         cudaSuccess,
                     "copy");
                double trace_now = 0, square_now = 0;
                std::vector<double> d((size_t)n), e((size_t)n);
                for (int64_t j = 0; j < n; j++) {
                    d[(size_t)j] = std::real(out[(size_t)(a.lead + j * a.ldh)]);
                    e[(size_t)j] = std::real(out[(size_t)(a.lead + j * a.ldh + 1)]);
                    trace_now += d[(size_t)j];
                    square_now += d[(size_t)j] * d[(size_t)j] +
                                  (j + 1 < n ? 2 * e[(size_t)j] * e[(size_t)j] : 0);
                }
                const double unit = n * eps;
                const double by_trace = std::fabs(trace_now - trace) / (unit * norm);
                const double by_norm = std::fabs(std::sqrt(square_now) - norm) / (unit * norm);
                std::string values = "null", ref;
                bool ok = by_trace <= 20 && by_norm <= 20;
                std::sort(seconds.begin(), seconds.end());
                const double median = seconds[seconds.size() / 2];
                if (lapack > 0) {
                    int info = 0;
                    double worst = 0;
                    char text[200];
                    dsterf_(&n, d.data(), e.data(), &info);
                    for (int i = 0; i < n; i++) {
                        const double x = std::fabs(d[(size_t)i] - reference[(size_t)i]);
                        worst = x > worst || x != x ? x : worst;
                    }
                    ok = ok && info == 0 && worst <= 20 * unit * norm;
                    std::snprintf(text, sizeof text, "%.4g", worst / (unit * norm));
                    values = text;
                    std::snprintf(text, sizeof text,
                                  "{\"name\":\"lapack zhbtrd\",\"threads\":1,\"seconds\":"
                                  "{\"median\":%.6g,\"min\":%.6g,\"max\":%.6g,\"runs\":1},"
                                  "\"ratio\":%.4g}",
                                  lapack, lapack, lapack, lapack / median);
                    ref = text;
                }
                const double flops = 6.0 * (is_complex ? 4 : 1) * n * (double)n * b;
                std::fprintf(file,
                             "%s,\"seconds\":%s,\"gflops\":%.5g,\"status\":\"%s\",\"sweeps\":null,"
                             "\"check\":{\"trace\":%.4g,\"frobenius\":%.4g,\"values\":%s},"
                             "\"ref\":[%s],\"bound\":{\"latency_hops\":%.0f},\"plan\":{},"
                             "\"provenance\":%s}\n",
                             head, seconds_of(seconds).c_str(), flops / median / 1e9,
                             ok ? "ok" : "failed", by_trace, by_norm, values.c_str(), ref.c_str(),
                             1.5 * n, origin.c_str());
                std::fflush(file);
            }
            cudaEventDestroy(begin);
            cudaEventDestroy(end);
        }
}

static std::string provenance(const std::string &command)
{
    cudaDeviceProp device;
    int runtime = 0;
    need(cudaGetDeviceProperties(&device, 0) == cudaSuccess, "device");
    cudaRuntimeGetVersion(&runtime);
    return std::string("{\"version\":\"") + ORR_VERSION +
           "\",\"git\":\"\",\"starpu\":\"\",\"blas\":\"\",\"cuda\":\"" + std::to_string(runtime) +
           "\",\"machine\":\"" + device.name + "\",\"command\":\"" + command + "\",\"seed\":1}";
}

static std::vector<int> numbers(const char *s)
{
    std::vector<int> list;
    for (; *s; s += std::strcspn(s, ","), s += *s == ',')
        list.push_back(std::max(1, std::atoi(s)));
    return list;
}

int main(int argc, char **argv)
{
    settings set;
    std::string command;
    for (int i = 0; i < argc; i++)
        command += (i ? " " : "") + std::string(argv[i]);
    for (int i = 1; i < argc; i += 2) {
        const std::string key = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
        if (key == "--type") {
            set.types = value;
        } else if (key == "--n") {
            set.orders = numbers(value.c_str());
        } else if (key == "--b") {
            set.bands = numbers(value.c_str());
        } else if (key == "--runs") {
            set.runs = std::max(1, std::atoi(value.c_str()));
        } else if (key == "--json") {
            set.file = value;
        } else {
            std::fprintf(stderr, "usage: gpu_hb2st [--type s,d,c,z] [--n 4096,8192] [--b 32,64] "
                                 "[--runs R] [--json FILE]\n");
            return 2;
        }
    }
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "gpu_hb2st: no CUDA device\n");
        return 77;
    }
    FILE *const file =
        set.file.empty() || set.file == "-" ? stdout : std::fopen(set.file.c_str(), "w");
    if (!file) {
        std::perror(set.file.c_str());
        return 3;
    }
    const std::string origin = provenance(command);
    for (const char type : set.types) {
        if (type == 's')
            bench<float>(set, file, origin);
        if (type == 'd')
            bench<double>(set, file, origin);
        if (type == 'c')
            bench<std::complex<float>>(set, file, origin);
        if (type == 'z')
            bench<zz>(set, file, origin);
    }
    if (file != stdout)
        std::fclose(file);
    return 0;
}
