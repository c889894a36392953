/* What the measurements on a GPU share: device memory, timed runs, records.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_BENCH_MEASURE_H
#define ORR_BENCH_MEASURE_H

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <cusolverDn.h>
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

struct memory {
    void *p = nullptr;
    explicit memory(size_t bytes) { need(cudaMalloc(&p, bytes + 16) == cudaSuccess, "malloc"); }
    memory(const memory &) = delete;
    memory &operator=(const memory &) = delete;
    ~memory() { cudaFree(p); }
};

struct outcome {
    bool ok = false;
    double median = 0, min = 0, max = 0, residual = 0, orthogonality = 0;
    int sweeps = -1;
};

/* Runs solve() once to warm up and then `runs` times, prepare() before each outside the clock. */
static inline outcome timed(int runs, const std::function<void()> &prepare,
                            const std::function<bool()> &solve)
{
    outcome out;
    cudaEvent_t begin, end;
    need(cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess, "event");
    std::vector<double> seconds;
    for (int r = -1; r < runs; r++) {
        prepare();
        need(cudaEventRecord(begin) == cudaSuccess, "event");
        if (!solve())
            return out;
        float ms = 0;
        need(cudaEventRecord(end) == cudaSuccess && cudaEventSynchronize(end) == cudaSuccess &&
                 cudaEventElapsedTime(&ms, begin, end) == cudaSuccess,
             "kernel");
        if (r >= 0)
            seconds.push_back(ms / 1e3);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(seconds.begin(), seconds.end());
    out.ok = true;
    out.median = seconds[seconds.size() / 2];
    out.min = seconds.front();
    out.max = seconds.back();
    return out;
}

static inline std::string json_seconds(const outcome &o, int runs)
{
    char s[200];
    std::snprintf(s, sizeof s, "{\"median\":%.6g,\"min\":%.6g,\"max\":%.6g,\"runs\":%d}", o.median,
                  o.min, o.max, runs);
    return s;
}

static inline std::string json_check(const outcome &o)
{
    char s[200];
    std::snprintf(s, sizeof s, "{\"residual\":%.4g,\"orthogonality\":%.4g,\"values\":null}",
                  o.residual, o.orthogonality);
    return s;
}

/* ratio: reference seconds / our seconds. */
static inline std::string json_ref(const std::string &name, const outcome &ref, const outcome &ours,
                                   int runs)
{
    if (!ref.ok)
        return "{\"name\":\"" + name + "\",\"seconds\":null,\"ratio\":null}";
    char ratio[40];
    std::snprintf(ratio, sizeof ratio, "%.4g", ref.median / ours.median);
    return "{\"name\":\"" + name + "\",\"seconds\":" + json_seconds(ref, runs) +
           ",\"ratio\":" + ratio + ",\"check\":" + json_check(ref) + "}";
}

static inline std::string provenance(const std::string &command)
{
    cudaDeviceProp device;
    int runtime = 0, solver[3] = {};
    need(cudaGetDeviceProperties(&device, 0) == cudaSuccess, "device");
    cudaRuntimeGetVersion(&runtime);
    cusolverGetProperty(MAJOR_VERSION, &solver[0]);
    cusolverGetProperty(MINOR_VERSION, &solver[1]);
    cusolverGetProperty(PATCH_LEVEL, &solver[2]);
    char s[600];
    std::snprintf(s, sizeof s,
                  "{\"version\":\"%s\",\"git\":\"\",\"starpu\":\"\",\"blas\":\"\",\"cuda\":\"%d "
                  "cusolver %d.%d.%d\",\"machine\":\"%s\",\"command\":\"%s\",\"seed\":1}",
                  ORR_VERSION, runtime, solver[0], solver[1], solver[2], device.name,
                  command.c_str());
    return s;
}

#endif
