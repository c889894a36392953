/* powm_spmv on a device: what the kernels of all formats (powm_formats.cuh) share, and the vector
 * work of a step in the same pass (kernels/powm_spmv.h has formats and contracts).
 *
 * One thread has the sum of a row at the end and does with it what the step wants
 * (row_done); what it accumulates is summed over the warp, the block and, by a second kernel,
 * over the blocks, always in the same order. Formats that cannot have the sum in one pass
 * (merge, long rows) store it and a kernel over the rows follows.
 *
 * Step arguments are made on the device by `prepare`, from scalars of earlier steps.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_POWM_SPMV_CUH
#define ORR_CUDA_POWM_SPMV_CUH

#include "kernels/cuda/scalar.cuh"
#include "kernels/powm_scalars.h"

namespace orr
{

constexpr int powm_threads = 256, powm_warps = powm_threads / 32, powm_most_blocks = 1024;
/* Blocks that a processor shall hold, as many as go without spilling. */
template <class T> constexpr int powm_resident = scalar<T>::is_complex ? 2 : 4;
constexpr int powm_fields = (int)(sizeof(orr_powm_partial) / sizeof(double));

enum powm_kind { POWM_STORE, POWM_PRODUCT, POWM_STEP, POWM_RESIDUAL, POWM_RANK };

/* Made by `prepare`. */
struct powm_scratch {
    orr_powm_step_args step;
    orr_pagerank_step_args rank;
    int32_t run;
};

template <class T> struct widened {
    typedef double type;
};
template <class R> struct widened<complex<R>> {
    typedef complex<double> type;
};
template <class T> using acc_of = typename widened<T>::type;

struct powm_task {
    orr_powm_block b;
    const char *block;
    const void *x, *z, *d, *p;
    void *y, *acc, *carry;
    powm_scratch *scratch;
    double *sums; /* powm_fields of each block of threads */
    double scale;
    orr_powm_residual_args residual;
    int32_t kind, sub; /* sub: threads of a row */
};

ORR_DEV double widen(float x) { return x; }
ORR_DEV double widen(double x) { return x; }
template <class R> ORR_DEV complex<double> widen(complex<R> x) { return {x.re, x.im}; }
ORR_DEV double add(double a, double b) { return a + b; }
ORR_DEV complex<double> add(complex<double> a, complex<double> b)
{
    return {a.re + b.re, a.im + b.im};
}
ORR_DEV double subtract(double a, double b) { return a - b; }
ORR_DEV complex<double> subtract(complex<double> a, complex<double> b)
{
    return {a.re - b.re, a.im - b.im};
}
ORR_DEV double product(double a, double b) { return a * b; }
ORR_DEV complex<double> product(complex<double> a, complex<double> b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
ORR_DEV double scaled(double s, double a) { return s * a; }
ORR_DEV complex<double> scaled(double s, complex<double> a) { return {s * a.re, s * a.im}; }
ORR_DEV double square(double a) { return a * a; }
ORR_DEV double square(complex<double> a) { return a.re * a.re + a.im * a.im; }
template <class T> struct narrowed {
    ORR_DEV T from(double x) { return (T)x; }
};
template <class R> struct narrowed<complex<R>> {
    ORR_DEV complex<R> from(complex<double> x) { return {(R)x.re, (R)x.im}; }
};
template <class A> struct pair_as;
template <> struct pair_as<double> {
    ORR_DEV double from(const double v[2]) { return v[0]; }
};
template <> struct pair_as<complex<double>> {
    ORR_DEV complex<double> from(const double v[2]) { return {v[0], v[1]}; }
};
template <class A> ORR_DEV void add_to(double to[2], A a)
{
    to[0] += real(a);
    to[1] += imag(a);
}

template <class P> ORR_DEV const P *array(const powm_task &t, int64_t at)
{
    return (const P *)(t.block + at);
}

/* Padding points behind the last column. */
template <class T> ORR_DEV acc_of<T> entry_of(const powm_task &t, int32_t j)
{
    return j < t.b.cols ? widen(((const T *)t.x)[j]) : acc_of<T>();
}

/* sum + value k times x_j. V: how values are stored; void: not at all. */
template <class T, class V> struct slot {
    ORR_DEV acc_of<T> plus(const powm_task &t, int64_t k, int32_t j, acc_of<T> sum)
    {
        return mad(widen(array<V>(t, t.b.val)[k]), entry_of<T>(t, j), sum);
    }
};
template <class T> struct slot<T, void> {
    ORR_DEV acc_of<T> plus(const powm_task &t, int64_t, int32_t j, acc_of<T> sum)
    {
        return add(sum, entry_of<T>(t, j));
    }
};

ORR_DEV double from_lane_above(double x, int d) { return __shfl_down_sync(0xffffffffu, x, d); }
ORR_DEV complex<double> from_lane_above(complex<double> x, int d)
{
    return {from_lane_above(x.re, d), from_lane_above(x.im, d)};
}

/* ---- The end of a row ---------------------------------------------------------------------- */

template <class T>
ORR_DEV void step_done(const powm_task &t, int64_t r, acc_of<T> sum, orr_powm_partial &s)
{
    typedef acc_of<T> A;
    typedef pair_as<A> P;
    const orr_powm_step_args &g = t.scratch->step;
    T *const y = (T *)t.y;
    const T yi = narrowed<T>::from(scaled(g.scale * t.scale, sum));
    const A u = widen(((const T *)t.x)[t.b.first + r]), v = widen(yi);
    const A theta = P::from(g.theta), f = subtract(v, product(theta, u));
    s.xx += square(u);
    s.yy += square(v);
    add_to(s.xy, product(conj(u), v));
    s.r1 += square(f);
    if (g.ritz) {
        const A w = widen(y[r]), e = subtract(u, product(P::from(g.before), w));
        const A h = subtract(f, product(theta, e));
        s.ww += square(w);
        s.ee += square(e);
        add_to(s.we, product(conj(w), e));
        add_to(s.wg, product(conj(w), h));
        add_to(s.eg, product(conj(e), h));
        s.r2 += square(subtract(subtract(h, product(P::from(g.P), e)), product(P::from(g.Q), w)));
    }
    y[r] = yi;
}

template <class T>
ORR_DEV void residual_done(const powm_task &t, int64_t r, acc_of<T> sum, orr_powm_partial &s)
{
    typedef acc_of<T> A;
    const orr_powm_residual_args &g = t.residual;
    const T *z = (const T *)t.z;
    const A v = scaled(t.scale, sum);
    const A u = z && g.theta == 0 ? A() : widen(((const T *)t.x)[t.b.first + r]);
    const double shift[2] = {g.theta, g.omega};
    A f = subtract(v, product(pair_as<A>::from(shift), u));
    if (!scalar<T>::is_complex && z)
        f = add(f, scaled(g.omega, widen(z[r])));
    s.xx += square(u);
    add_to(s.xy, product(conj(u), v));
    s.r1 += square(f);
    if (g.bounds) {
        const double ratio = real(v) / real(u);
        s.low = ratio < s.low ? ratio : s.low;
        s.high = ratio > s.high ? ratio : s.high;
    }
}

template <class T>
ORR_DEV void rank_done(const powm_task &t, int64_t r, double sum, orr_powm_partial &s)
{
    const orr_pagerank_step_args &g = t.scratch->rank;
    const double d = ((const T *)t.d)[r], degree = std::fabs(d);
    const double x =
        g.alpha * t.scale * sum + g.constant + (t.p ? g.personal * (double)((const T *)t.p)[r] : 0);
    s.change += std::fabs(x - degree * (double)((const T *)t.x)[t.b.first + r]);
    s.mass += x;
    s.dangling += d < 0 ? x : 0;
    ((T *)t.y)[r] = (T)(x / degree);
}
template <class T>
ORR_DEV void rank_done(const powm_task &, int64_t, complex<double>, orr_powm_partial &)
{
}

template <class T>
ORR_DEV void row_done(const powm_task &t, int64_t r, acc_of<T> sum, orr_powm_partial &s)
{
    switch (t.kind) {
    case POWM_STORE: ((acc_of<T> *)t.acc)[r] = sum; break;
    case POWM_PRODUCT: ((T *)t.y)[r] = narrowed<T>::from(scaled(t.scale, sum)); break;
    case POWM_STEP: step_done<T>(t, r, sum, s); break;
    case POWM_RESIDUAL: residual_done<T>(t, r, sum, s); break;
    default: rank_done<T>(t, r, sum, s);
    }
}

/* ---- Sums over threads --------------------------------------------------------------------- */

ORR_DEV double joined(int field, double a, double b)
{
    constexpr int low = offsetof(orr_powm_partial, low) / 8;
    constexpr int high = offsetof(orr_powm_partial, high) / 8;
    return field == low ? (b < a ? b : a) : field == high ? (b > a ? b : a) : a + b;
}

ORR_DEV orr_powm_partial nothing()
{
    orr_powm_partial s = {};
    s.low = INFINITY;
    s.high = -INFINITY;
    return s;
}

/* All threads of the block. */
ORR_DEV void join_block(const powm_task &t, const orr_powm_partial &s)
{
    ORR_SHARED(double, of_warp, powm_warps *powm_fields);
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const double *mine = (const double *)&s;
    if (!t.sums)
        return;
    ORR_UNROLL
    for (int f = 0; f < powm_fields; f++) {
        double v = mine[f];
        ORR_UNROLL
        for (int d = 16; d > 0; d /= 2)
            v = joined(f, v, from_lane_above(v, d));
        if (lane == 0)
            of_warp[warp * powm_fields + f] = v;
    }
    __syncthreads();
    if ((int)threadIdx.x < powm_fields) {
        double v = of_warp[threadIdx.x];
        for (int w = 1; w < powm_warps; w++)
            v = joined((int)threadIdx.x, v, of_warp[w * powm_fields + (int)threadIdx.x]);
        t.sums[(int64_t)blockIdx.x * powm_fields + (int)threadIdx.x] = v;
    }
}

/* A warp for each field: there are up to a thousand blocks, and a sum of them one after the other
 * would take longer than many a product. */
static __global__ void __launch_bounds__(32)
    powm_join_kernel(const powm_scratch *scratch, const double *sums, int blocks,
                     orr_powm_partial *out)
{
    const orr_powm_partial none = nothing();
    const int f = (int)blockIdx.x, lane = (int)threadIdx.x;
    double v = ((const double *)&none)[f];
    ORR_UNROLL_BY(8)
    for (int b = lane; b < blocks; b += 32)
        v = joined(f, v, sums[(int64_t)b * powm_fields + f]);
    ORR_UNROLL
    for (int d = 16; d > 0; d /= 2)
        v = joined(f, v, from_lane_above(v, d));
    if (lane == 0)
        ((double *)out)[f] = scratch->run ? v : 0;
}

/* ---- Arguments ----------------------------------------------------------------------------- */

/* See orr_powm_next_step. */
ORR_DEV orr_powm_step_args next_step(const orr_powm_scalars &b, int ritz)
{
    typedef complex<double> Z;
    typedef pair_as<Z> from;
    orr_powm_step_args g = {};
    const double one = b.next[1], two = b.next[0] * b.next[1];
    const Z theta = from::from(b.theta), shift = from::from(b.shift);
    const Z d = subtract(shift, theta), p0 = from::from(b.p);
    const Z p = add(p0, scaled(2, d));
    const Z q = subtract(subtract(from::from(b.q), product(d, p0)), product(d, d));
    g.scale = one;
    g.ritz = ritz;
    add_to(g.theta, scaled(one, theta));
    add_to(g.before, scaled(b.next[0], theta));
    add_to(g.P, scaled(one, p));
    add_to(g.Q, scaled(two, q));
    return g;
}

static __global__ void powm_prepare_kernel(powm_scratch *s, const orr_powm_scalars *before,
                                           int ritz, orr_pagerank_rule rule, int rank)
{
    s->run = before ? before->state == ORR_POWM_RUN : 1;
    if (before && rank)
        s->rank = orr_pagerank_next_step(&rule, before);
    else if (before)
        s->step = next_step(*before, ritz);
}

} // namespace orr

#endif
