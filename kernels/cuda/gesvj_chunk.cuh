/* orr_gesvj_cuda: small matrices, a thread block each, start to finish (kernels/gesvj.h).
 *
 *   start     X := 2^shift B, J := I, in the matrix's part of `work`
 *   sweeps    H := X'X;  H G = G diag, sorted;  X := X G, J := J G    (gesvj_pair.cuh)
 *   finish    lengths of X's columns, sorted; W: the columns normalised, and completed to an
 *             orthonormal set where a length is zero;  B = W diag(sigma) J'
 *
 * One pair of blocks is the whole matrix. H is formed anew in every sweep, from what is more
 * orthogonal each time, so that forming it costs no accuracy. There is no pivoted QR first: a
 * block would do it a column at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_GESVJ_CHUNK_CUH
#define ORR_CUDA_GESVJ_CHUNK_CUH

#include "kernels/cuda/gesvj_pair.cuh"

namespace orr
{

constexpr int gesvj_default_sweeps = 30;

/* Where the largest component is brought. In single precision sums of squares of many numbers of
 * this size are in range, and so are those of the smallest ones that can matter, as on CPUs. In
 * double precision lower: what rounding leaves of a column that depends on others shrinks by eps
 * per sweep, until its square is out of range; here after 2^200 of the largest component. */
template <class R> struct gesvj_top {
    static constexpr int exponent = sizeof(R) == 4 ? 40 : -285;
};

/* Elements of `work` per matrix: X and J. */
static __host__ __device__ inline int64_t gesvj_chunk_work(const orr_gesvj_shape &s)
{
    return s.big * s.small + s.small * s.small;
}

/* B(i,j) of a matrix whose first element is *a. */
template <class T>
ORR_DEV T gesvj_entry(const orr_gesvj_args &g, bool transposed, const T *a, int64_t i, int64_t j)
{
    return transposed ? conj(a[i * g.ld + j]) : a[j * g.ld + i];
}

/* Largest component of B; NaN if one is not finite. Everybody gets it. */
template <class T>
ORR_DEV real_of<T> gesvj_largest(const orr_gesvj_args &g, const orr_gesvj_shape &s, const T *a,
                                 real_of<T> *scratch)
{
    typedef real_of<T> R;
    constexpr R huge = sizeof(R) == 4 ? (R)FLT_MAX : (R)DBL_MAX;
    R most = 0;
    for (int64_t e = threadIdx.x; e < s.big * s.small; e += gesvj_threads) {
        const R part = max_part(gesvj_entry(g, s.transposed, a, e % s.big, e / s.big));
        most = most != most || most > part ? most : part;
    }
    scratch[threadIdx.x] = most;
    __syncthreads();
    for (int i = 0; i < gesvj_threads; i++)
        most = most != most || most > scratch[i] ? most : scratch[i];
    __syncthreads();
    return most <= huge ? most : quiet_nan<R>();
}

/* X := 2^shift B, J := I. Returns |X|_F. */
template <class T>
ORR_DEV double gesvj_load(const orr_gesvj_args &g, const orr_gesvj_shape &s, const T *a, int shift,
                          T *X, T *J)
{
    constexpr int top = gesvj_top<real_of<T>>::exponent;
    double squares = 0;
    for (int64_t e = threadIdx.x; e < s.big * s.small; e += gesvj_threads) {
        const T x = scale2(gesvj_entry(g, s.transposed, a, e % s.big, e / s.big), shift);
        const double re = std::ldexp((double)real(x), -top);
        const double im = std::ldexp((double)imag(x), -top);
        squares = std::fma(re, re, std::fma(im, im, squares));
        X[e] = x;
    }
    for (int64_t e = threadIdx.x; e < s.small * s.small; e += gesvj_threads)
        J[e] = make<T>(e % s.small == e / s.small);
    return std::ldexp(std::sqrt(block_sum<gesvj_threads>(squares)), top);
}

/* M := M G for M of `columns` columns, the columns going to where they belong. */
template <class T, int Order>
ORR_DEV void gesvj_rotate_all(const jacobi_memory<T> &w, int64_t rows, int columns, T *M)
{
    typedef gesvj_tile<T, Order> S;
    for (int64_t first = 0; first < rows; first += S::rows)
        gesvj_rotate_rows<T, Order>(
            first, rows, w.x(0), w.v, Order,
            [&](int64_t r, int c) { return c < columns ? M[c * rows + r] : make<T>(0); },
            [&](int64_t r, int c, T x) {
                if (w.rank[c] < columns)
                    M[w.rank[c] * rows + r] = x;
            });
}

/* Lengths of X's columns, in double and scaled so that neither long nor short ones lose
 * anything; a warp per column. */
template <class T> ORR_DEV void gesvj_lengths(const orr_gesvj_shape &s, const T *X, double *length)
{
    const int lane = (int)threadIdx.x % 32;
    for (int64_t j = threadIdx.x / 32; j < s.small; j += gesvj_threads / 32) {
        const T *const x = X + j * s.big;
        double most = 0, sum = 0;
        for (int64_t i = lane; i < s.big; i += 32)
            most = std::fmax(most, (double)max_part(x[i]));
        for (int far = 16; far > 0; far /= 2)
            most = std::fmax(most, __shfl_xor_sync(0xffffffffu, most, far));
        int e = 0;
        if (most > 0)
            (void)std::frexp(most, &e);
        for (int64_t i = lane; i < s.big; i += 32) {
            const double re = std::ldexp((double)real(x[i]), -e);
            const double im = std::ldexp((double)imag(x[i]), -e);
            sum = std::fma(re, re, std::fma(im, im, sum));
        }
        for (int far = 16; far > 0; far /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, far);
        if (lane == 0)
            length[j] = std::ldexp(std::sqrt(sum), e);
    }
    __syncthreads();
}

/* rank[j]: where column j comes by descending length, equal ones in their order. */
ORR_DEV void gesvj_rank(int64_t columns, const double *length, int *rank)
{
    for (int64_t j = threadIdx.x; j < columns; j += gesvj_threads) {
        int before = 0;
        for (int64_t i = 0; i < columns; i++)
            before += length[i] > length[j] || (length[i] == length[j] && i < j);
        rank[j] = before;
    }
    __syncthreads();
}

/* The row where the first `columns` columns of W have least; the unit vector of that row is the
 * one farthest from their span. */
template <class T>
ORR_DEV int64_t gesvj_lightest_row(int64_t rows, int64_t columns, const T *W, int64_t ld,
                                   real_of<T> *scratch)
{
    typedef real_of<T> R;
    ORR_SHARED(int64_t, row, gesvj_threads);
    R least = 2 * (R)columns + 1;
    int64_t best = 0;
    for (int64_t i = threadIdx.x; i < rows; i += gesvj_threads) {
        R weight = 0;
        for (int64_t j = 0; j < columns; j++) {
            const T x = W[j * ld + i];
            weight = std::fma(real(x), real(x), std::fma(imag(x), imag(x), weight));
        }
        if (weight < least) {
            least = weight;
            best = i;
        }
    }
    scratch[threadIdx.x] = least;
    row[threadIdx.x] = best;
    __syncthreads();
    for (int t = 0; t < gesvj_threads; t++)
        if (scratch[t] < least || (scratch[t] == least && row[t] < best)) {
            least = scratch[t];
            best = row[t];
        }
    __syncthreads();
    return best;
}

/* Column c of W := a unit vector orthogonal to those before it, by Gram-Schmidt, twice. */
template <class T>
ORR_DEV void gesvj_complete(int64_t rows, int64_t c, T *W, int64_t ld, T *dots, real_of<T> *scratch)
{
    typedef real_of<T> R;
    const int64_t i0 = gesvj_lightest_row(rows, c, W, ld, scratch);
    const int lane = (int)threadIdx.x % 32;
    T *const x = W + c * ld;
    for (int64_t i = threadIdx.x; i < rows; i += gesvj_threads)
        x[i] = make<T>(i == i0);
    __syncthreads();
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t j = threadIdx.x / 32; j < c; j += gesvj_threads / 32) {
            T sum = make<T>(0);
            for (int64_t i = lane; i < rows; i += 32)
                sum = mad_conj(W[j * ld + i], x[i], sum);
            R re = real(sum), im = imag(sum);
            for (int far = 16; far > 0; far /= 2) {
                re += __shfl_xor_sync(0xffffffffu, re, far);
                im += __shfl_xor_sync(0xffffffffu, im, far);
            }
            if (lane == 0)
                dots[j] = make<T>(-re, -im);
        }
        __syncthreads();
        double squares = 0;
        for (int64_t i = threadIdx.x; i < rows; i += gesvj_threads) {
            T y = x[i];
            for (int64_t j = 0; j < c; j++)
                y = mad(W[j * ld + i], dots[j], y);
            x[i] = y;
            const double re = (double)real(y), im = (double)imag(y);
            squares = std::fma(re, re, std::fma(im, im, squares));
        }
        const R inverse = (R)(1 / std::sqrt(block_sum<gesvj_threads>(squares)));
        for (int64_t i = threadIdx.x; i < rows; i += gesvj_threads)
            x[i] = mad_real(inverse, x[i], make<T>(0));
        __syncthreads();
    }
}

/* W := columns of X by rank, normalised, those too short replaced. */
template <class T>
ORR_DEV void gesvj_put_normalised(const orr_gesvj_shape &s, const T *X, const double *length,
                                  const int *rank, T *W, int64_t ld, T *dots, real_of<T> *scratch)
{
    typedef real_of<T> R;
    /* Shorter ones were not made orthogonal: their squares are out of range. */
    const double least = 2 * std::sqrt((double)machine<R>::safmin / (double)machine<R>::eps);
    int64_t good = 0;
    for (int64_t j = 0; j < s.small; j++) {
        if (!(length[j] > least))
            continue;
        good++;
        const R inverse = (R)(1 / length[j]);
        for (int64_t i = threadIdx.x; i < s.big; i += gesvj_threads)
            W[rank[j] * ld + i] = mad_real(inverse, X[j * s.big + i], make<T>(0));
    }
    __syncthreads();
    for (int64_t c = good; c < s.small; c++)
        gesvj_complete(s.big, c, W, ld, dots, scratch);
}

template <class T, int Order>
__global__ void __launch_bounds__(gesvj_threads, sizeof(T) * Order >= 1024 ? 1 : 2)
    gesvj_chunk_kernel(orr_gesvj_args g, real_of<T> tol, const T *a, real_of<T> *values, T *u, T *v,
                       T *work, orr_matrix_info *info)
{
    typedef real_of<T> R;
    ORR_DYN_SHARED(shared);
    ORR_SHARED(double, length, gesvj_max_order);
    ORR_SHARED(T, dots, gesvj_max_order);
    const gesvj_work<T, Order> own(shared);
    const jacobi_memory<T> &w = own.w;
    const orr_gesvj_shape s = orr_gesvj_shape_of(&g);
    const int64_t k = blockIdx.x;
    const R nan = quiet_nan<R>();
    a += k * g.stride;
    values += k * g.lds;
    u += g.left ? k * g.strideu : 0;
    v += g.right ? k * g.stridev : 0;
    T *const X = work + k * gesvj_chunk_work(s), *const J = X + s.big * s.small;

    orr_matrix_info out;
    out.status = ORR_OK;
    out.sweeps = 0;
    out.method = ORR_METHOD_JACOBI;
    out.device = 1;
    out.residual = out.orthogonality = quiet_nan<double>();
    const R top = gesvj_largest(g, s, a, w.scratch);
    if (top != top) {
        for (int64_t i = threadIdx.x; i < s.small; i += gesvj_threads)
            values[i] = nan;
        for (int64_t e = threadIdx.x; g.left && e < g.m * s.small; e += gesvj_threads)
            u[e / g.m * g.ldu + e % g.m] = make<T>(nan, nan);
        for (int64_t e = threadIdx.x; g.right && e < g.n * s.small; e += gesvj_threads)
            v[e / g.n * g.ldv + e % g.n] = make<T>(nan, nan);
        out.status = ORR_NONFINITE;
        out.off = out.norm = quiet_nan<double>();
        if (threadIdx.x == 0)
            info[k] = out;
        return;
    }
    int exponent = 0;
    if (top > 0)
        (void)std::frexp(top, &exponent);
    const int shift = top > 0 ? gesvj_top<R>::exponent - exponent : 0;
    out.norm = std::ldexp(gesvj_load(g, s, a, shift, X, J), -shift);

    const int limit = g.max_sweeps > 0 ? g.max_sweeps : gesvj_default_sweeps;
    bool settled = false, last = false;
    out.off = 0;
    for (int sweep = 0; sweep < limit && !last; sweep++) {
        last = settled; /* one more sweep, as the graph does */
        gesvj_products<T, Order>(
            s.big, w.v,
            [&](int64_t r, int c) { return c < s.small ? X[c * s.big + r] : make<T>(0); },
            [&](int i, int j, T h) { put(w, own.order, i, j, h); });
        const orr_gesvj_seen seen = gesvj_evd<T, Order>(w, own.order, own.plan, (int)s.small, tol);
        if (seen.rotated) {
            gesvj_rotate_all<T, Order>(w, s.big, (int)s.small, X);
            if (s.accumulate)
                gesvj_rotate_all<T, Order>(w, s.small, (int)s.small, J);
        }
        out.off = seen.off;
        out.sweeps += seen.rotated > 0;
        settled = settled || orr_gesvj_settled(&seen, s.small, (double)tol);
        last = last || !seen.rotated;
    }
    out.status = settled ? ORR_OK : ORR_NOCONV;

    gesvj_lengths(s, X, length);
    gesvj_rank(s.small, length, w.rank);
    for (int64_t j = threadIdx.x; j < s.small; j += gesvj_threads)
        values[w.rank[j]] = (R)std::ldexp(length[j], -shift);
    /* B = W diag(sigma) J' is A or A'. */
    T *const W = s.transposed ? v : u, *const right = s.transposed ? u : v;
    const int64_t ld_W = s.transposed ? g.ldv : g.ldu, ld_right = s.transposed ? g.ldu : g.ldv;
    if (s.transposed ? g.right : g.left)
        gesvj_put_normalised(s, X, length, w.rank, W, ld_W, dots, w.scratch);
    for (int64_t e = threadIdx.x; s.accumulate && e < s.small * s.small; e += gesvj_threads)
        right[w.rank[e / s.small] * ld_right + e % s.small] = J[e];
    if (threadIdx.x == 0)
        info[k] = out;
}

} // namespace orr

#endif
