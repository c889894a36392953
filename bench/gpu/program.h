/* What every measurement on a GPU has: options, device memory, timed runs, records.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_BENCH_PROGRAM_H
#define ORR_BENCH_PROGRAM_H

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>
#include <string>
#include <vector>

typedef std::complex<double> zz;

static inline void need(bool ok, const char *what)
{
    if (ok)
        return;
    std::fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    std::exit(6);
}

/* From and to memory of the host or the device; waits. */
static inline void move_bytes(void *to, const void *from, size_t bytes)
{
    need(cudaMemcpy(to, from, bytes, cudaMemcpyDefault) == cudaSuccess, "copy");
}

struct memory {
    void *p = nullptr;
    size_t bytes;
    explicit memory(size_t bytes_) : bytes(bytes_)
    {
        need(cudaMalloc(&p, bytes + 64) == cudaSuccess, "malloc");
    }
    memory(const void *from, size_t bytes_) : memory(bytes_) { move_bytes(p, from, bytes); }
    memory(const memory &) = delete;
    memory &operator=(const memory &) = delete;
    ~memory() { cudaFree(p); }
    /* NaN: what others left there is not taken for a result. */
    void spoil() const { need(cudaMemset(p, 0xff, bytes) == cudaSuccess, "memset"); }
};

/* f(T{}) for each letter of s, d, c, z. */
template <typename F> void for_each_type(const std::string &letters, F f)
{
    for (const char letter : letters) {
        if (letter == 's')
            f(float{});
        if (letter == 'd')
            f(double{});
        if (letter == 'c')
            f(std::complex<float>{});
        if (letter == 'z')
            f(zz{});
    }
}

/* ---- Options --------------------------------------------------------------------------------- */

/* An option and what becomes of its value; false: it is no such value. */
struct option {
    std::string key;
    std::function<bool(const std::string &)> take;
};

/* Numbers from 1 on, with commas between them. */
static inline bool numbers(const std::string &s, std::vector<int> *list)
{
    list->clear();
    for (const char *at = s.c_str(); *at;) {
        char *end;
        const long x = std::strtol(at, &end, 10);
        if (end == at || x < 1 || (*end && *end != ','))
            return false;
        list->push_back((int)x);
        at = *end ? end + 1 : end;
    }
    return !list->empty();
}

static inline option list_option(const char *key, std::vector<int> *list)
{
    return {key, [list](const std::string &s) { return numbers(s, list); }};
}
static inline option number_option(const char *key, int *x)
{
    return {key, [x](const std::string &s) {
                std::vector<int> list;
                const bool good = numbers(s, &list) && list.size() == 1;
                *x = good ? list[0] : *x;
                return good;
            }};
}
static inline option text_option(const char *key, std::string *text)
{
    return {key, [text](const std::string &s) { return *text = s, !s.empty(); }};
}

/* A program that has been started: leaves with 2 and its usage if an option is not in the table,
 * 77 without a device, 3 if --json names no file that can be written. */
struct program {
    std::string command;
    FILE *file = stdout;

    program(int argc, char **argv, const char *usage, std::vector<option> table)
    {
        std::string name;
        table.push_back(text_option("--json", &name));
        for (int i = 0; i < argc; i++)
            command += (i ? " " : "") + std::string(argv[i]);
        for (int i = 1; i < argc; i += 2) {
            const auto found = std::find_if(table.begin(), table.end(),
                                            [&](const option &o) { return o.key == argv[i]; });
            if (found == table.end() || i + 1 == argc || !found->take(argv[i + 1])) {
                std::fprintf(stderr, "%s: '%s'?\nusage: %s %s [--json FILE]\n", argv[0], argv[i],
                             argv[0], usage);
                std::exit(2);
            }
        }
        int devices = 0;
        if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
            std::fprintf(stderr, "%s: no CUDA device\n", argv[0]);
            std::exit(77);
        }
        if (!name.empty() && name != "-" && !(file = std::fopen(name.c_str(), "w"))) {
            std::perror(name.c_str());
            std::exit(3);
        }
    }
    program(const program &) = delete;
    program &operator=(const program &) = delete;
    ~program()
    {
        if (file != stdout)
            std::fclose(file);
    }
};

/* ---- Timed runs ------------------------------------------------------------------------------ */

/* Monotonic seconds. */
static inline double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

struct outcome {
    bool ok = false;
    int runs = 0; /* how many were timed */
    double median = 0, min = 0, max = 0, residual = 0, orthogonality = 0;
    int sweeps = -1;
};

/* The larger of two figures; NaN is the largest. */
static inline double worse(double x, double y) { return y > x || y != y ? y : x; }

static inline void summarise(std::vector<double> seconds, outcome *out)
{
    std::sort(seconds.begin(), seconds.end());
    out->ok = true;
    out->median = seconds[seconds.size() / 2];
    out->min = seconds.front();
    out->max = seconds.back();
    out->runs = (int)seconds.size();
}

constexpr double enough_seconds = 8; /* of runs: a slow one is not run as often */

/* Runs solve() once to warm up and then `runs` times, prepare() before each outside the clock; once
 * in any case. */
static inline outcome timed(int runs, const std::function<void()> &prepare,
                            const std::function<bool()> &solve)
{
    outcome out;
    cudaEvent_t begin, end;
    bool good = true;
    double spent = 0;
    need(cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess, "event");
    std::vector<double> seconds;
    for (int r = -1; r < runs && good && (r < 1 || spent < enough_seconds); r++) {
        prepare();
        float ms = 0;
        need(cudaEventRecord(begin) == cudaSuccess, "event");
        good = solve();
        need(cudaEventRecord(end) == cudaSuccess && cudaEventSynchronize(end) == cudaSuccess &&
                 cudaEventElapsedTime(&ms, begin, end) == cudaSuccess,
             "kernel");
        spent += ms / 1e3;
        if (r >= 0)
            seconds.push_back(ms / 1e3);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    if (good)
        summarise(seconds, &out);
    return out;
}

/* ---- Records --------------------------------------------------------------------------------- */

static inline std::string json_seconds(const outcome &o, int runs)
{
    char s[200];
    std::snprintf(s, sizeof s, "{\"median\":%.6g,\"min\":%.6g,\"max\":%.6g,\"runs\":%d}", o.median,
                  o.min, o.max, o.runs ? o.runs : runs);
    return s;
}

/* JSON has no NaN. */
static inline std::string json_number(double x, const char *format = "%.4g")
{
    char s[40];
    std::snprintf(s, sizeof s, format, x);
    return std::isfinite(x) ? s : "null";
}

static inline std::string json_check(const outcome &o)
{
    return "{\"residual\":" + json_number(o.residual) +
           ",\"orthogonality\":" + json_number(o.orthogonality) + ",\"values\":null}";
}

/* ratio: reference seconds / our seconds. */
static inline std::string json_ref(const std::string &name, const outcome &ref, const outcome &ours,
                                   int runs)
{
    if (!ref.ok)
        return "{\"name\":\"" + name + "\",\"seconds\":null,\"ratio\":null}";
    return "{\"name\":\"" + name + "\",\"seconds\":" + json_seconds(ref, runs) +
           ",\"ratio\":" + json_number(ref.median / ours.median) + ",\"check\":" + json_check(ref) +
           "}";
}

/* libraries: their versions, a space in front of each. */
static inline std::string provenance_of(const std::string &command, const std::string &libraries)
{
    cudaDeviceProp device;
    int runtime = 0;
    need(cudaGetDeviceProperties(&device, 0) == cudaSuccess, "device");
    cudaRuntimeGetVersion(&runtime);
    return std::string("{\"version\":\"") + ORR_VERSION +
           "\",\"git\":\"\",\"starpu\":\"\",\"blas\":\"\",\"cuda\":\"" + std::to_string(runtime) +
           libraries + "\",\"machine\":\"" + device.name + "\",\"command\":\"" + command +
           "\",\"seed\":1}";
}

#endif
