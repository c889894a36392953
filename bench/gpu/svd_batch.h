/* The square Gaussian matrices that gpu_gesvj and gpu_svd_peers decompose.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_BENCH_SVD_BATCH_H
#define ORR_BENCH_SVD_BATCH_H

#include <random>

#include "program.h"

/* How many of order n, unless told: about 2^22 entries, a device's worth of thread blocks. */
static inline int svd_count(int n, int told)
{
    return told > 0 ? told : std::clamp((1 << 22) / (n * n), 16, 8000);
}

/* Who takes one after the other is timed on the first ones only. */
static inline int svd_looped(int count) { return std::min(count, 64); }

/* In device memory, with room for U, V and S; a is what a solver may destroy. R: T's real type. */
template <class T, class R> struct svd_batch {
    int n, count;
    size_t square;
    std::vector<T> host;
    memory input, a, u, v, s;

    svd_batch(int n_, int count_)
        : n(n_), count(count_), square((size_t)n_ * (size_t)n_), host(square * (size_t)count_),
          input(bytes()), a(bytes()), u(bytes()), v(bytes()),
          s((size_t)n_ * (size_t)count_ * sizeof(R))
    {
        std::mt19937_64 random(1);
        std::normal_distribution<double> normal;
        R *const parts = (R *)host.data();
        for (size_t e = 0; e < bytes() / sizeof(R); e++)
            parts[e] = (R)normal(random);
        move_bytes(input.p, host.data(), bytes());
    }
    size_t bytes() const { return host.size() * sizeof(T); }
    T *at(const memory &m, int k) const { return (T *)m.p + (size_t)k * square; }
    R *values(int k) const { return (R *)s.p + (size_t)k * (size_t)n; }
    void reset() const
    {
        move_bytes(a.p, input.p, bytes());
        for (const memory *const result : {&u, &v, &s})
            result->spoil();
    }
};

#endif
