/* One test source, two machines. Compiled by g++ with -DORR_SIMT the launchers run the kernels
 * in the emulator; compiled by nvcc they run them on a device, and without one the test is
 * skipped (exit 77).
 *
 *   int main() { return device_main(body); }     body: void(void), calls CHECK
 *   device_array<T> x(host_vector);  x.get()     the device pointer;  x.host(): a copy back
 *   for_each_order([&](const char *name) {...})  every interleaving of the emulator
 *   for_some_orders(all, ...)                    or two of them, in turn, if not `all`
 *   CHECK(condition, "printf format", ...)       counts and prints failures
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_DEVICE_H
#define ORR_TESTS_DEVICE_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef ORR_SIMT
#include "simt.h"
#else
#include <cuda_runtime.h>
#endif

static int failures;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition) && failures++ < 20) {                                                     \
            std::printf("%s:%d: ", __FILE__, __LINE__);                                            \
            std::printf(__VA_ARGS__);                                                              \
            std::printf("   [failed: %s]\n", #condition);                                          \
        }                                                                                          \
    } while (0)

/* Runs the heavier part of a test. */
static inline bool want_long()
{
    const char *s = std::getenv("ORR_TEST_LONG");
    return s && *s == '1';
}

#ifdef ORR_SIMT

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool slow_build = true;
#else
constexpr bool slow_build = false;
#endif

/* Every run of every case: long tests, those that watch every access, and devices, which are fast. */
static inline bool thorough() { return slow_build || want_long(); }

template <class T> class device_array
{
    std::vector<T> data;

  public:
    explicit device_array(const std::vector<T> &v) : data(v) {}
    T *get() { return data.data(); }
    std::vector<T> host() { return data; }
};

/* "" or what the emulator found since the last call. */
static inline std::string device_error()
{
    std::string s;
    s.swap(simt::defect);
    return s;
}

template <class F> void for_each_order(F f)
{
    static const struct {
        simt::order how;
        unsigned seed, resident;
        const char *name;
    } orders[] = {{simt::order::friendly, 1, 4, "friendly"},
                  {simt::order::reverse, 1, 3, "reverse"},
                  {simt::order::random, 7, 4, "random"},
                  {simt::order::adversarial, 3, 2, "adversarial"}};
    for (const auto &o : orders) {
        simt::config = simt::options();
        simt::config.how = o.how;
        simt::config.seed = o.seed;
        simt::config.resident = o.resident;
        /* Reading too early is seen either way: what has not arrived, what was not ready. */
        simt::config.eager_copies = o.how == simt::order::adversarial;
        f(o.name);
    }
    simt::config = simt::options();
}

/* The first order and one of the others in turn, for cases of which there are many. */
template <class F> void for_some_orders(bool all, F f)
{
    static int turn;
    const int other = 1 + turn++ % 3;
    int i = 0;
    for_each_order([&](const char *order) {
        if (all || slow_build || i == 0 || i == other)
            f(order);
        i++;
    });
}

template <class F> int device_main(F body)
{
    body();
    if (failures)
        std::printf("%d failures\n", failures);
    return failures != 0;
}

#else

constexpr bool slow_build = false;
static inline bool thorough() { return true; }

template <class T> class device_array
{
    T *data = nullptr;
    size_t count;

  public:
    explicit device_array(const std::vector<T> &v) : count(v.size())
    {
        if (cudaMalloc((void **)&data, (count + 1) * sizeof(T)) != cudaSuccess ||
            cudaMemcpy(data, v.data(), count * sizeof(T), cudaMemcpyHostToDevice) != cudaSuccess)
            std::printf("no device memory\n"), std::exit(1);
    }
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    ~device_array() { cudaFree(data); }
    T *get() { return data; }
    std::vector<T> host()
    {
        std::vector<T> v(count);
        if (cudaMemcpy(v.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess)
            std::printf("copy from the device failed: %s\n",
                        cudaGetErrorString(cudaGetLastError())),
                std::exit(1);
        return v;
    }
};

static inline std::string device_error()
{
    const cudaError_t e = cudaDeviceSynchronize();
    return e == cudaSuccess ? "" : cudaGetErrorString(e);
}

/* A device has one order; twice, to see that the result does not change. */
template <class F> void for_each_order(F f)
{
    f("device");
    f("device, again");
}

template <class F> void for_some_orders(bool, F f) { for_each_order(f); }

template <class F> int device_main(F body)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("skipped: no CUDA device\n");
        return 77;
    }
    body();
    if (failures)
        std::printf("%d failures\n", failures);
    return failures != 0;
}

#endif
#endif
