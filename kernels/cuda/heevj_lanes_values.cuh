/* Eigenvalues of a tridiagonal matrix by bisection, a thread for each; heevj_lanes.cuh says for what.
 *
 * T falls into blocks where an e is negligible. In each of them thread j counts the values below x,
 * which are the changes of sign in the leading minors
 *
 *      p_i = (d_i - x) p_i-1 - e_i-1^2 p_i-2
 *
 * and halves the interval that has value j: a product is all that one minor waits for, so that this
 * takes less time than the shifts of QL one after the other. All of it is in double precision.
 *
 * As shifts the values are told in descending order of |v_1|, the first entry of the eigenvector. QL with
 * exact shifts changes the first entries of those that are left by a common factor only; so if the
 * largest is taken each time it is not small, and one sweep leaves an e of a few eps |T|. In ascending
 * order, say, no sweep would. With D+ and D- the pivots of T - x from above and from below,
 *
 *      v_1^2 / v_r^2 = product of e_i^2 / D+_i^2 for i < r,
 *
 * and v_r is large where |D+_r + D-_r - (d_r - x)| is least, so this is taken for v_1^2.
 *
 * Sources: J. H. Wilkinson, The Algebraic Eigenvalue Problem, 1965, section 5-39; K. V. Fernando, On
 * computing an eigenvector of a tridiagonal matrix I, SIAM J. Matrix Anal. Appl. 18, 1997.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HEEVJ_LANES_VALUES_CUH
#define ORR_CUDA_HEEVJ_LANES_VALUES_CUH

#include "kernels/cuda/heevj_lanes_ql.cuh"

namespace orr
{

constexpr int lanes_values_most = 512; /* threads; 64 registers for each */

/* Row i of T - x is e_i-1, d_i - x, e_i; before is e_i-1^2, zero where a block begins. */
struct alignas(16) lanes_row {
    double d, before;
};

template <class R> shape lanes_values_shape(const orr_heevj_args &g)
{
    return {dim3((unsigned)g.count), dim3((unsigned)((g.n + 31) / 32 * 32)),
            (sizeof(lanes_row) + sizeof(double)) * (size_t)g.n};
}

/* Halvings of an interval that is up to 2 sqrt(n) times as long as |T|. */
template <class R> __host__ __device__ constexpr int lanes_halvings()
{
    return sizeof(R) == sizeof(float) ? 34 : 58;
}

ORR_DEV int64_t lanes_bits(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof x);
    return bits;
}

/* 2^e with 2^e <= |x| < 2^(e+1), x normal, and the other way round. */
ORR_DEV int lanes_exponent(double x) { return (int)(lanes_bits(x) >> 52 & 0x7ff) - 1023; }
ORR_DEV double lanes_power(int e)
{
    const int64_t bits = (int64_t)(e + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The last two minors, and how many signs have changed. */
struct lanes_minors {
    double p, before;
    int changes;

    __device__ void step(lanes_row row, double x)
    {
        const double next = std::fma(row.d - x, p, -(row.before * before));
        changes += (lanes_bits(next) ^ lanes_bits(p)) < 0;
        before = p;
        p = next;
    }

    /* To order 1. */
    __device__ void rescale()
    {
        const double most = std::fabs(p) > std::fabs(before) ? p : before;
        const double scale = lanes_power(-lanes_exponent(most));
        p *= scale;
        before *= scale;
    }
};

/* Values of rows first..last of T that are below x. */
ORR_DEV int lanes_below(const lanes_row *T, int first, int last, double x)
{
    constexpr int together = 8; /* minors that stay in range */
    lanes_minors m = {1, 0, 0};
    int i = first;
    for (; i + together <= last + 1; i += together) {
        ORR_UNROLL
        for (int b = 0; b < together; b++)
            m.step(T[i + b], x);
        m.rescale();
    }
    for (; i <= last; i++)
        m.step(T[i], x);
    return m.changes;
}

/* Of v_1^2 = 2^k (1 + f), 0 <= f < 1, the sum k + f. pivots: n of this thread, `step` apart. */
ORR_DEV double lanes_first_entry(const lanes_row *T, int first, int last, double x, double *pivots,
                                 int step)
{
    constexpr double tiny = 0x1p-400;
    double over = 0; /* e^2 by the pivot before */
    for (int i = last; i >= first; i--) {
        const double D = T[i].d - x - over, pivot = std::fabs(D) < tiny ? tiny : D;
        pivots[i * step] = pivot;
        over = T[i].before * inverse(pivot);
    }
    double least = DBL_MAX, size = 1, found = 0;
    int k = 0;
    over = 0;
    for (int i = first; i <= last; i++) {
        const double twist = std::fabs(pivots[i * step] - over);
        found = twist < least ? k + (size - 1) : found;
        least = twist < least ? twist : least;
        const double D = T[i].d - x - over, by = inverse(std::fabs(D) < tiny ? tiny : D);
        over = i < last ? T[i + 1].before * by : 0;
        size *= std::fabs(over * by);
        const int e = lanes_exponent(size);
        k += e;
        size *= lanes_power(-e);
    }
    return found;
}

template <class T>
__global__ void __launch_bounds__(lanes_values_most, 2)
    heevj_lanes_values_kernel(orr_heevj_args g, orr_heevj_rounds rounds, unsigned char *work)
{
    typedef real_of<T> R;
    ORR_DYN_SHARED(shared);
    const int n = (int)g.n, j = (int)threadIdx.x;
    const lanes_memory<T> m = lanes_memory_of<T>(work, g, rounds, blockIdx.x);
    if (m.state->over)
        return;
    lanes_row *const row = (lanes_row *)shared;
    double *const entry = (double *)(row + n);
    const double e = j > 0 && j < n ? (double)m.e[j - 1] : 0;
    if (j < n)
        row[j] = {(double)m.d[j], e * e};
    __syncthreads();
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum = std::fma(row[i].d, row[i].d, std::fma(2.0, row[i].before, sum));
    const R floor = lanes_floor((R)sum, n);
    const bool cut =
        j > 0 && j < n &&
        std::fabs(e) <= std::fma(machine<R>::eps / 2,
                                 std::fabs((R)row[j].d) + std::fabs((R)row[j - 1].d), floor);
    __syncthreads();
    if (cut) {
        row[j].before = 0;
        m.e[j - 1] = 0;
    }
    __syncthreads();
    int first = j, last = j;
    while (j < n && first > 0 && row[first].before != 0)
        first--;
    while (j < n && last < n - 1 && row[last + 1].before != 0)
        last++;
    const bool alone = first == last;
    double high = alone ? 0 : sum * inverse_root(sum) * (1 + 0x1p-20), low = -high; /* |T|_F */
    double x = alone && j < n ? row[j].d : 0;
    for (int step = 0; step < lanes_halvings<R>() && !alone; step++) {
        if (lanes_below(row, first, last, x) <= j - first)
            low = x;
        else
            high = x;
        x = low + (high - low) / 2;
    }
    if (!g.vectors) {
        if (j < n)
            m.d[j] = (R)x;
        return;
    }
    if (j < n)
        entry[j] = lanes_first_entry(row, first, last, x, m.pivots + j, m.ldz);
    __syncthreads();
    int rank = first;
    for (int i = first; i <= last && j < n; i++)
        rank += entry[i] > entry[j] || (entry[i] == entry[j] && i < j);
    if (j < n)
        m.values[rank] = (R)x;
}

} // namespace orr

#endif
