/* Merges of divide and conquer of heev and gesvd whose vectors are on a device; see kernels/heev_merge.h
 * and kernels/gesvd_merge.h. Columns are copied, rotated on the way, by a thread for each row; a warp
 * finds a root; a block makes a column of coefficients. Products are cuBLAS's: of vectors that have
 * entries in the upper rows, in the lower ones, or in both.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_MERGE_CUH
#define ORR_CUDA_MERGE_CUH

#include <algorithm>

#include "kernels/cuda/blas.h"
#include "kernels/cuda/copy.cuh"
#include "kernels/cuda/secular.cuh"
#include "kernels/merge.h"

namespace orr
{

constexpr int merge_threads = 256, merge_warps = merge_threads / 32;
constexpr int64_t merge_most_blocks = 4096;

/* ---- Columns of the halves ------------------------------------------------------------------------ */

/* A vector of its own beside those of a half: `unit` is where it is 1, or -1, and it is `scale` times
 * `vector` where that is not NULL. */
template <class T> struct merge_special {
    int64_t column, unit;
    const T *vector;
    T scale;
};

/* The rows of one half, of the vectors of one side. */
template <class T> struct merge_arrange_task {
    int64_t n, rows, first, columns,
        entries;           /* of the halves' columns, those that have entries there */
    int64_t from, kept, k; /* arranged columns from .. from+kept-1 have some */
    orr_merge_columns have;
    merge_special<T> own;
    const T *c, *s;
    const int32_t *to, *next, *led;
    T *q2;

    ORR_MEMBER T entry(int64_t column, int64_t row) const
    {
        const int64_t i = column - first;
        if (column == own.column)
            return own.vector ? own.scale * own.vector[row] : row == own.unit ? (T)1 : (T)0;
        if (i < 0 || i >= columns || row >= entries)
            return 0;
        const T *part = (const T *)have.part[i / have.width];
        return part[i % have.width * have.ld[i / have.width] + row];
    }
    ORR_MEMBER void put(int64_t column, int64_t row, T x) const
    {
        const int64_t j = to[column];
        if (j >= k)
            q2[(kept + j - k) * rows + row] = x;
        else if (j >= from && j < from + kept)
            q2[(j - from) * rows + row] = x;
    }
};

/* A column, and those that are rotated after each other beginning with it. */
template <class T>
__global__ void __launch_bounds__(merge_threads) merge_arrange_kernel(merge_arrange_task<T> a)
{
    const int64_t pieces = (a.rows + blockDim.x - 1) / blockDim.x;
    for (int64_t item = blockIdx.x; item < a.n * pieces; item += gridDim.x) {
        const int64_t row = item % pieces * blockDim.x + threadIdx.x;
        int64_t i = item / pieces;
        if (row >= a.rows || a.led[i])
            continue;
        T x = a.entry(i, row);
        for (int64_t j = a.next[i]; j >= 0; i = j, j = a.next[i]) {
            const T y = a.entry(j, row), c = a.c[i], s = a.s[i];
            a.put(i, row, c * x + s * y);
            x = c * y - s * x;
        }
        a.put(i, row, x);
    }
}

template <class T> orr_status merge_arrange(orr_stream stream, const merge_arrange_task<T> &a)
{
    const int64_t blocks = a.n * ((a.rows + merge_threads - 1) / merge_threads);
    if (blocks == 0)
        return ORR_OK;
    return launch(merge_arrange_kernel<T>,
                  {dim3((unsigned)std::min(blocks, merge_most_blocks)), dim3(merge_threads), 0},
                  stream, a);
}

/* ---- Roots ---------------------------------------------------------------------------------------- */

/* Roots first .. first+count-1, all less than k, and their distances to the poles; two: there, too, or
 * NULL. */
template <class T, bool Squares>
__global__ void __launch_bounds__(merge_threads)
    merge_root_kernel(secular<T, Squares> f, int64_t first, int64_t count, T *delta, int64_t ld,
                      T *two, int64_t ld_two, T *value)
{
    const int64_t j = (int64_t)blockIdx.x * merge_warps + threadIdx.x / 32;
    if (j >= count)
        return;
    const secular_root<T, Squares> x = find_root(f, first + j);
    const T eta = x.ahead();
    for (int64_t i = warp_team::lane(); i < f.k; i += 32) {
        const T d = x.distance(f.pole[i], eta);
        delta[j * ld + i] = d;
        if (two)
            two[j * ld_two + i] = d;
    }
    if (warp_team::lane() == 0)
        value[j] = x.origin + eta;
}

/* What distance i of column j is divided by: the distance of two poles, or one. */
template <class T> ORR_DEV T merge_divisor(const secular<T, false> &f, int64_t i, int64_t j)
{
    return i == j ? (T)1 : f.less(f.pole[i], f.pole[j]);
}
template <class T> ORR_DEV T merge_divisor(const secular<T, true> &f, int64_t i, int64_t j)
{
    return j == f.k - 1 ? (T)1 : f.less(f.pole[i], f.pole[i <= j ? j + 1 : j]);
}

/* part[i]: the product over these columns of distance i over its divisor. A lane has a row; warps share
 * the columns. */
template <class T, bool Squares>
__global__ void __launch_bounds__(merge_threads)
    merge_factor_kernel(secular<T, Squares> f, int64_t first, int64_t count, const T *delta,
                        int64_t ld, T *part)
{
    ORR_SHARED(T, shared, merge_threads);
    const int lane = (int)threadIdx.x % 32;
    const int64_t i = (int64_t)blockIdx.x * 32 + lane;
    T product = 1;
    if (i < f.k) {
        ORR_UNROLL_BY(4)
        for (int64_t j = threadIdx.x / 32; j < count; j += merge_warps)
            product *= delta[j * ld + i] / merge_divisor(f, i, first + j);
    }
    shared[threadIdx.x] = product;
    __syncthreads();
    if (threadIdx.x < 32 && i < f.k) {
        for (int w = 1; w < merge_warps; w++)
            product *= shared[w * 32 + lane];
        part[i] = product;
    }
}

/* Of columns first .. first+count-1, all less than k; without columns factors are one. */
template <class T, bool Squares>
orr_status merge_roots(orr_stream stream, const secular<T, Squares> &f, int64_t first,
                       int64_t count, T *delta, int64_t ld, T *two, int64_t ld_two, T *part,
                       T *value)
{
    orr_status st = ORR_OK;
    if (count > 0)
        st = launch(
            merge_root_kernel<T, Squares>,
            {dim3((unsigned)((count + merge_warps - 1) / merge_warps)), dim3(merge_threads), 0},
            stream, f, first, count, delta, ld, two, ld_two, value);
    if (f.k > 0 && st == ORR_OK)
        st = launch(merge_factor_kernel<T, Squares>,
                    {dim3((unsigned)((f.k + 31) / 32)), dim3(merge_threads), 0}, stream, f, first,
                    count, (const T *)delta, ld, part);
    return st;
}

/* ---- Coefficients --------------------------------------------------------------------------------- */

/* s: a column for each of delta, its rows as the vectors are arranged, of norm 1: weight / delta. pole
 * not NULL: times the pole, and -1 for the first. */
template <class T>
__global__ void __launch_bounds__(merge_threads)
    merge_coefficients_kernel(int64_t k, const int32_t *at, const T *weight, const T *pole,
                              const T *delta, int64_t ld, T *s)
{
    ORR_SHARED(double, shared, merge_warps);
    const T *const from = delta + blockIdx.x * ld;
    T *const to = s + blockIdx.x * k;
    double sum = 0;
    ORR_UNROLL_BY(4)
    for (int64_t i = threadIdx.x; i < k; i += merge_threads) {
        const int64_t row = at[i];
        T x = weight[row] / from[row];
        if (pole)
            x = row > 0 ? pole[row] * x : (T)-1;
        to[i] = x;
        sum += (double)x * x;
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < merge_warps; w++)
        sum += shared[w];
    const T scale = (T)(1 / std::sqrt(sum));
    for (int64_t i = threadIdx.x; i < k; i += merge_threads)
        to[i] *= scale;
}

template <class T>
orr_status merge_coefficients(orr_stream stream, int64_t k, int64_t columns, const int32_t *at,
                              const T *weight, const T *pole, const T *delta, int64_t ld, T *s)
{
    return launch(merge_coefficients_kernel<T>, {dim3((unsigned)columns), dim3(merge_threads), 0},
                  stream, k, at, weight, pole, delta, ld, s);
}

/* ---- Vectors -------------------------------------------------------------------------------------- */

/* rows x inner of the vectors, and then those that are deflated; the coefficients of the former begin in
 * row `from`. */
template <class T> struct merge_half {
    int64_t rows, inner, from;
    const T *a;
};

/* x: the upper rows and below them the lower ones; s: coefficients, k rows. */
template <class T>
orr_status merge_product(orr_stream stream, int64_t k, int64_t columns, const merge_half<T> &upper,
                         const merge_half<T> &lower, const T *s, T *x, int64_t ldx)
{
    blas<T> on(stream); /* without columns of a half its product is zero: beta is */
    on.multiply('N', 'N', upper.rows, columns, upper.inner, 1, upper.a, upper.rows, s + upper.from,
                k, 0, x, ldx);
    on.multiply('N', 'N', lower.rows, columns, lower.inner, 1, lower.a, lower.rows, s + lower.from,
                k, 0, x + upper.rows, ldx);
    return on.status;
}

/* So many vectors that are deflated, the first of them number `at`. */
template <class T>
orr_status merge_put_back(orr_stream stream, int64_t at, int64_t columns,
                          const merge_half<T> &upper, const merge_half<T> &lower, T *x, int64_t ldx)
{
    orr_status st = copy<T>(stream, upper.rows, columns, upper.a + (upper.inner + at) * upper.rows,
                            upper.rows, x, ldx);
    if (lower.rows > 0 && st == ORR_OK)
        st = copy<T>(stream, lower.rows, columns, lower.a + (lower.inner + at) * lower.rows,
                     lower.rows, x + upper.rows, ldx);
    return st;
}

/* The first and the last of `rows` entries of each column. */
template <class T>
__global__ void __launch_bounds__(merge_threads)
    merge_ends_kernel(int64_t rows, int64_t count, const T *q, int64_t ldq, T *ends)
{
    const int64_t j = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= count)
        return;
    ends[2 * j] = q[j * ldq];
    ends[2 * j + 1] = q[j * ldq + rows - 1];
}

template <class T>
orr_status merge_ends(orr_stream stream, int64_t rows, int64_t count, const T *q, int64_t ldq,
                      T *ends)
{
    return launch(
        merge_ends_kernel<T>,
        {dim3((unsigned)((count + merge_threads - 1) / merge_threads)), dim3(merge_threads), 0},
        stream, rows, count, q, ldq, ends);
}

/* Columns of a part that are kept. */
inline int64_t merge_kept(int64_t k, int64_t first, int64_t count)
{
    return std::max<int64_t>(0, std::min(first + count, k) - first);
}

/* ---- The pieces of kernels/merge.h ----------------------------------------------------------------- */

/* Rows of x2 of a half: the vectors that have entries there begin at arranged column `from`. */
template <class T>
merge_half<T> merge_half_of(const orr_merge *m, int64_t rows, int half, const void *x2)
{
    return {half ? rows - m->cut : m->cut, half ? m->k - m->upper : m->upper + m->both,
            half ? m->upper : 0, (const T *)x2};
}

template <class T, bool Squares>
orr_status merge_secular(orr_stream stream, const orr_merge *m, int64_t first, int64_t count,
                         const void *told_, void *const x[2], const int64_t ldx[2], void *part,
                         void *root)
{
    const T *const told = (const T *)told_;
    const secular<T, Squares> f = {m->k, told + ORR_MERGE_POLES * m->n, told + ORR_MERGE_ZK * m->n,
                                   (T)m->rho};
    return merge_roots<T, Squares>(stream, f, first, merge_kept(m->k, first, count), (T *)x[0],
                                   ldx[0], Squares ? (T *)x[1] : nullptr, Squares ? ldx[1] : 0,
                                   (T *)part, (T *)root);
}

template <class T>
orr_status merge_vectors(orr_stream stream, const orr_merge *m, int side, int64_t rows,
                         int64_t first, int64_t count, const void *told, const int32_t *index,
                         const void *weight, const void *const x2[2], void *x_, int64_t ldx,
                         void *work_, void *ends)
{
    const merge_half<T> upper = merge_half_of<T>(m, rows, 0, x2[0]),
                        lower = merge_half_of<T>(m, rows, 1, x2[1]);
    const int64_t k = m->k, columns = merge_kept(k, first, count);
    const T *const pole =
        m->sides == 2 && side == 0 ? (const T *)told + ORR_MERGE_POLES * m->n : nullptr;
    T *const x = (T *)x_, *const work = (T *)work_;
    orr_status st = ORR_OK;
    if (columns > 0)
        st = merge_coefficients<T>(stream, k, columns, index + ORR_MERGE_AT * m->n,
                                   (const T *)weight, pole, x, ldx, work);
    if (columns > 0 && st == ORR_OK)
        st = merge_product<T>(stream, k, columns, upper, lower, work, x, ldx);
    if (columns < count && st == ORR_OK)
        st = merge_put_back<T>(stream, first + columns - k, count - columns, upper, lower,
                               x + columns * ldx, ldx);
    return ends && st == ORR_OK ? merge_ends<T>(stream, rows, count, x, ldx, (T *)ends) : st;
}

} // namespace orr

#endif
