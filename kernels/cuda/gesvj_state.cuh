/* What start and finish of gesvj on a device share (kernels/gesvj.h): the matrices of a launch,
 * their memory, sums over warps and blocks. The grid is (tiles of a matrix) x (matrices).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_GESVJ_STATE_CUH
#define ORR_CUDA_GESVJ_STATE_CUH

#include "kernels/cuda/chase.cuh"
#include "kernels/cuda/gesvj_pair.cuh"

namespace orr
{

constexpr int gesvj_panel = 32; /* columns of a block of reflectors */
constexpr int gesvj_parts = 64; /* of the search for the largest component */
constexpr int gesvj_warps = gesvj_threads / 32;

/* By value: the argument of a kernel has 4 KB. */
struct gesvj_members {
    static constexpr int64_t most = 36;
    orr_gesvj_args g;
    char *work;
    int64_t each; /* bytes of it */
    orr_gesvj_member of[most];
};

/* Lengths below are not told from zero: their squares are out of range. */
template <class R> ORR_DEV double gesvj_least()
{
    return 2 * std::sqrt((double)machine<R>::safmin / (double)machine<R>::eps);
}

/* Thread blocks that factor a matrix together (gesvj_qr.cuh), at most. */
constexpr int gesvj_most_group = 128;
constexpr int64_t gesvj_least_columns = 8; /* of each, if there is another */
__host__ __device__ inline int64_t gesvj_blocks_for(int64_t columns)
{
    const int64_t blocks = (columns + gesvj_least_columns - 1) / gesvj_least_columns;
    return blocks < gesvj_most_group ? blocks : gesvj_most_group;
}

/* What one of them offers the others, besides a column. */
template <class T> struct gesvj_offer {
    T scale, tau;
    real_of<T> norm; /* -1: nothing */
    int32_t column;
};

/* A matrix's part of `work`, which begins at `at`. */
template <class T> struct gesvj_room {
    typedef real_of<T> R;
    T *M;                               /* big x small */
    T *F, *tau;                         /* triangles of the panels, small */
    double *length, *rows, *sum, *part; /* columns of X, small, small, parts */
    int32_t *rank, *count;              /* columns of X, 1 */
    /* of a group of thread blocks; two halves: [2][blocks][big], [2][blocks], [blocks + 1] */
    T *offered;
    gesvj_offer<T> *offers;
    int *words;
    int64_t bytes;

    template <class V> static __host__ __device__ V *take(uintptr_t &at, int64_t count)
    {
        V *const here = (V *)at;
        at += ((uintptr_t)count * sizeof(V) + 63) / 64 * 64;
        return here;
    }
    __host__ __device__ gesvj_room(const orr_gesvj_args &g, uintptr_t at)
    {
        const orr_gesvj_shape s = orr_gesvj_shape_of(&g);
        const int64_t n = s.small, columns = s.blocks * g.nb;
        const int64_t panels = (n + gesvj_panel - 1) / gesvj_panel, blocks = gesvj_blocks_for(n);
        const uintptr_t begin = at;
        M = take<T>(at, s.big * n);
        F = take<T>(at, panels * gesvj_panel * gesvj_panel);
        tau = take<T>(at, n);
        length = take<double>(at, columns);
        rows = take<double>(at, n);
        sum = take<double>(at, n);
        part = take<double>(at, gesvj_parts);
        rank = take<int32_t>(at, columns);
        count = take<int32_t>(at, 1);
        offered = take<T>(at, 2 * blocks * s.big);
        offers = take<gesvj_offer<T>>(at, 2 * blocks);
        words = take<int>(at, blocks + 1);
        bytes = (int64_t)(at - begin);
    }
};

/* A matrix with reflectors below its diagonal, or one that they are applied to. */
enum gesvj_which {
    GESVJ_FIRST,  /* Q of B P = Q R */
    GESVJ_SECOND, /* Q2 of R' = Q2 L' */
    GESVJ_COPY,   /* M: the columns of W that have a length, where some do not */
    GESVJ_LEFT,   /* the vectors on B's left */
    GESVJ_MIDDLE, /* M: what becomes of those on its right */
    GESVJ_J
};
template <class T> struct gesvj_operand {
    T *x, *tau;
    int64_t ld, rows, columns;
};

/* Matrix number k of a launch. */
template <class T> struct gesvj_here {
    const orr_gesvj_args &g;
    const orr_gesvj_shape s;
    const orr_gesvj_member &m;
    const gesvj_room<T> r;
    const int64_t n;

    __device__ gesvj_here(const gesvj_members &all, unsigned k)
        : g(all.g), s(orr_gesvj_shape_of(&all.g)), m(all.of[k]),
          r(all.g, (uintptr_t)(all.work + (int64_t)k * all.each)), n(s.small)
    {
    }
    __device__ bool finite() const { return m.head[ORR_GESVJ_FINITE] != 0; }
    /* By one thread block, before a group of them meets in another launch. */
    __device__ void clear_words() const
    {
        for (int64_t b = threadIdx.x; b <= gesvj_blocks_for(n); b += gesvj_threads)
            r.words[b] = 0;
    }
    __device__ bool accumulates() const { return m.head[ORR_GESVJ_ACCUMULATES] != 0; }
    /* B after loading, and its reflectors. */
    __device__ T *first() const { return g.precondition ? (T *)m.factors : r.M; }
    __device__ T *second() const { return first() + (s.big + 1) * n; }
    __device__ T *left() const { return (T *)(s.transposed ? m.v : m.u); }
    __device__ T *right() const { return (T *)(s.transposed ? m.u : m.v); }
    __device__ int64_t ld_left() const { return s.transposed ? g.ldv : g.ldu; }
    __device__ int64_t ld_right() const { return s.transposed ? g.ldu : g.ldv; }
    __device__ gesvj_operand<T> operand(int which) const
    {
        switch (which) {
        case GESVJ_FIRST: return {first(), first() + s.big * n, s.big, s.big, n};
        case GESVJ_SECOND: return {second(), second() + n * n, n, n, n};
        case GESVJ_COPY: return {r.M, r.tau, s.rows, s.rows, *r.count < n ? *r.count : 0};
        case GESVJ_LEFT: return {left(), nullptr, ld_left(), s.big, n};
        case GESVJ_MIDDLE: return {r.M, nullptr, n, n, n};
        default: return {(T *)m.J, nullptr, n, n, n};
        }
    }
};

/* ---- Sums and maxima --------------------------------------------------------------------------
 */

/* Of the threads of a block, of what combine(x, y) makes; all get it. Two barriers. */
template <class F> ORR_DEV double gesvj_block(double x, F combine)
{
    ORR_SHARED(double, part, gesvj_warps);
    for (int far = 16; far > 0; far /= 2)
        x = combine(x, from_lane_xor(x, far));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    x = part[0];
    for (int w = 1; w < gesvj_warps; w++)
        x = combine(x, part[w]);
    __syncthreads();
    return x;
}
ORR_DEV double gesvj_block_sum(double x)
{
    return gesvj_block(x, [](double a, double b) { return a + b; });
}
/* NaN if one is. */
ORR_DEV double gesvj_block_max(double x)
{
    return gesvj_block(x, [](double a, double b) { return a != a || a > b ? a : b; });
}

template <class T> ORR_DEV double square_of(T x)
{
    const double re = (double)real(x), im = (double)imag(x);
    return std::fma(re, re, im * im);
}

/* The length of get(0..rows), by a warp, scaled so that neither long nor short ones lose anything;
 * get is called twice. All lanes get it. */
template <class Get> ORR_DEV double gesvj_length(int64_t rows, Get get)
{
    const int lane = (int)threadIdx.x % 32;
    double most = 0, sum = 0;
    for (int64_t i = lane; i < rows; i += 32)
        most = std::fmax(most, (double)max_part(get(i)));
    most = warp_max(most);
    int e = 0;
    if (most > 0)
        (void)std::frexp(most, &e);
    for (int64_t i = lane; i < rows; i += 32) {
        const auto x = get(i);
        const double re = std::ldexp((double)real(x), -e), im = std::ldexp((double)imag(x), -e);
        sum = std::fma(re, re, std::fma(im, im, sum));
    }
    return std::ldexp(std::sqrt(warp_sum(sum)), e);
}

} // namespace orr

#endif
