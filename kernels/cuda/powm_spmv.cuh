/* powm_spmv on a device: what the kernels of all formats (powm_formats.cuh) share, and the vector
 * work of a step in the same pass (kernels/powm_spmv.h has formats and contracts).
 *
 * One thread has the sum of a row at the end and does with it what the step wants (row_done).
 * What it accumulates lies in shared memory, in a column of its own: while entries are gathered it
 * costs no registers, so that the product alone says how many loads are under way. A block adds its
 * columns at the end, and a second kernel those of all blocks, always in the same order. Formats
 * that cannot have the sum in one pass (merge) store it and a kernel over the rows follows.
 *
 * Step arguments are made by each block from scalars of earlier steps.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_POWM_SPMV_CUH
#define ORR_CUDA_POWM_SPMV_CUH

#include "kernels/cuda/scalar.cuh"
#include "kernels/powm_combine.h"

namespace orr
{

/* A processor holds powm_resident blocks, and a launch has as many as all processors hold. */
constexpr int powm_threads = 256, powm_warps = powm_threads / 32, powm_resident = 4;

enum powm_kind { POWM_PRODUCT, POWM_STEP, POWM_RESIDUAL, POWM_RANK };

/* Entries of a thread whose loads are under way at a time. */
template <class T> constexpr int powm_entries = scalar<T>::is_complex ? 4 : 8;

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
    const orr_powm_scalars *before; /* NULL: there is no state, all is to be done */
    double *sums;                   /* [sum][block of threads] */
    orr_powm_partial *out;          /* NULL: only scalars are wanted */
    const orr_powm_scalars *last;   /* of the step before, ... */
    orr_powm_scalars *next;         /* ... and of this one; NULL: somebody else makes them */
    double scale;
    orr_powm_residual_args residual;
    orr_pagerank_rule rank;
    orr_powm_combine_args combine;
    int32_t kind, ritz;
    int32_t sub, tile; /* merge: threads of a row; csr: rows of a warp, at most 32 */
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

template <class P> ORR_DEV const P *array(const powm_task &t, int64_t at)
{
    return (const P *)(t.block + at);
}

/* No entry, or padding, which points behind the last column: 0. */
template <class T> ORR_DEV acc_of<T> entry_of(const powm_task &t, int32_t j)
{
    return (uint32_t)j < (uint32_t)t.b.cols ? widen(read_only((const T *)t.x + j)) : acc_of<T>();
}

/* The value of an entry, on its way. V: how values are stored; void: not at all. */
template <class T, class V> struct value {
    V v = V();
    ORR_MEMBER void load(const powm_task &t, int64_t array_at, int64_t k)
    {
        v = read_once(array<V>(t, array_at) + k);
    }
    ORR_MEMBER acc_of<T> times(acc_of<T> x) const { return product(widen(v), x); }
    ORR_MEMBER acc_of<T> plus(acc_of<T> x, acc_of<T> sum) const { return mad(widen(v), x, sum); }
};
template <class T> struct value<T, void> {
    ORR_MEMBER void load(const powm_task &, int64_t, int64_t) {}
    ORR_MEMBER acc_of<T> times(acc_of<T> x) const { return x; }
    ORR_MEMBER acc_of<T> plus(acc_of<T> x, acc_of<T> sum) const { return add(sum, x); }
};

ORR_DEV double from_lane(double x, int lane) { return __shfl_sync(0xffffffffu, x, lane); }
ORR_DEV complex<double> from_lane(complex<double> x, int lane)
{
    return {from_lane(x.re, lane), from_lane(x.im, lane)};
}
ORR_DEV double from_lane_above(double x, int d) { return __shfl_down_sync(0xffffffffu, x, d); }
ORR_DEV complex<double> from_lane_above(complex<double> x, int d)
{
    return {from_lane_above(x.re, d), from_lane_above(x.im, d)};
}

/* ---- Sums ---------------------------------------------------------------------------------- */

/* Where each sum of a step is; complex ones are two. */
template <class T> struct sum_of {
    static constexpr int parts = scalar<T>::is_complex ? 2 : 1;
    enum {
        XX,
        YY,
        R1,
        XY,
        STEP = XY + parts, /* so many of a step, ... */
        WW = STEP,
        EE,
        R2,
        WE,
        WG = WE + parts,
        EG = WG + parts,
        RITZ = EG + parts, /* ... with Ritz values, ... */
        LOW = STEP,
        HIGH,
        RESIDUAL, /* ... of a residual, ... */
        CHANGE = 0,
        MASS,
        DANGLING,
        RANK /* ... of a step of PageRank */
    };
};
constexpr int powm_most_sums = sum_of<complex<double>>::RITZ;

template <class T> constexpr __host__ __device__ int powm_sums(int kind, int ritz)
{
    return kind == POWM_STEP       ? ritz ? sum_of<T>::RITZ : sum_of<T>::STEP
           : kind == POWM_RESIDUAL ? sum_of<T>::RESIDUAL
           : kind == POWM_RANK     ? sum_of<T>::RANK
                                   : 0;
}

ORR_DEV double joined(bool low, bool high, double a, double b)
{
    return low ? (b < a ? b : a) : high ? (b > a ? b : a) : a + b;
}

/* What a block of threads has of a step: its arguments, and a column of sums for each thread. */
struct powm_args {
    orr_powm_step_args step;
    orr_pagerank_step_args rank;
    int32_t run;
};
struct powm_work {
    const powm_args *args;
    double *mine;
    ORR_MEMBER void add(int sum, double a) { mine[sum * powm_threads] += a; }
    ORR_MEMBER void add_pair(int sum, double a) { add(sum, a); }
    ORR_MEMBER void add_pair(int sum, complex<double> a)
    {
        add(sum, a.re);
        add(sum + 1, a.im);
    }
};

ORR_DEV bool running(const powm_task &t) { return !t.before || t.before->state == ORR_POWM_RUN; }

/* All threads of the block. work.args->run: there is something to do. */
template <class T> ORR_DEV powm_work begin(const powm_task &t)
{
    ORR_SHARED(powm_args, args, 1);
    ORR_DYN_SHARED(columns);
    powm_work w = {args, (double *)columns + (int)threadIdx.x};
    const int sums = powm_sums<T>(t.kind, t.ritz);
    for (int f = 0; f < sums; f++)
        w.mine[f * powm_threads] = 0;
    if (t.kind == POWM_RESIDUAL) {
        w.mine[sum_of<T>::LOW * powm_threads] = INFINITY;
        w.mine[sum_of<T>::HIGH * powm_threads] = -INFINITY;
    }
    if (threadIdx.x == 0) {
        args->run = running(t);
        if (t.before && t.kind == POWM_RANK)
            args->rank = orr_pagerank_next_step(&t.rank, t.before);
        else if (t.before)
            args->step = orr_powm_next_step(t.before, t.ritz);
    }
    __syncthreads();
    return w;
}

/* All threads of the block. */
template <class T> ORR_DEV void end(const powm_task &t)
{
    ORR_DYN_SHARED(columns);
    const int lane = (int)threadIdx.x % 32, sums = powm_sums<T>(t.kind, t.ritz);
    __syncthreads();
    for (int f = (int)threadIdx.x / 32; f < sums; f += powm_warps) {
        const bool low = t.kind == POWM_RESIDUAL && f == sum_of<T>::LOW;
        const bool high = t.kind == POWM_RESIDUAL && f == sum_of<T>::HIGH;
        const double *column = (const double *)columns + f * powm_threads + lane;
        double v = column[0];
        for (int i = 32; i < powm_threads; i += 32)
            v = joined(low, high, v, column[i]);
        for (int d = 16; d > 0; d /= 2)
            v = joined(low, high, v, from_lane_above(v, d));
        if (lane == 0)
            t.sums[(int64_t)f * gridDim.x + blockIdx.x] = v;
    }
}

/* ---- The end of a row ---------------------------------------------------------------------- */

template <class T>
ORR_DEV void step_done(const powm_task &t, int64_t r, acc_of<T> sum, powm_work &s)
{
    typedef acc_of<T> A;
    typedef pair_as<A> P;
    typedef sum_of<T> S;
    const orr_powm_step_args &g = s.args->step;
    T *const y = (T *)t.y;
    const T yi = narrowed<T>::from(scaled(g.scale * t.scale, sum));
    const A u = widen(read_only((const T *)t.x + t.b.first + r)), v = widen(yi);
    const A theta = P::from(g.theta), f = subtract(v, product(theta, u));
    s.add(S::XX, square(u));
    s.add(S::YY, square(v));
    s.add_pair(S::XY, product(conj(u), v));
    s.add(S::R1, square(f));
    if (t.ritz) {
        const A w = widen(y[r]), e = subtract(u, product(P::from(g.before), w));
        const A h = subtract(f, product(theta, e));
        s.add(S::WW, square(w));
        s.add(S::EE, square(e));
        s.add_pair(S::WE, product(conj(w), e));
        s.add_pair(S::WG, product(conj(w), h));
        s.add_pair(S::EG, product(conj(e), h));
        s.add(S::R2,
              square(subtract(subtract(h, product(P::from(g.P), e)), product(P::from(g.Q), w))));
    }
    y[r] = yi;
}

template <class T>
ORR_DEV void residual_done(const powm_task &t, int64_t r, acc_of<T> sum, powm_work &s)
{
    typedef acc_of<T> A;
    typedef sum_of<T> S;
    const orr_powm_residual_args &g = t.residual;
    const T *z = (const T *)t.z;
    const A v = scaled(t.scale, sum);
    const A u = z && g.theta == 0 ? A() : widen(read_only((const T *)t.x + t.b.first + r));
    const double shift[2] = {g.theta, g.omega};
    A f = subtract(v, product(pair_as<A>::from(shift), u));
    if (!scalar<T>::is_complex && z)
        f = add(f, scaled(g.omega, widen(z[r])));
    s.add(S::XX, square(u));
    s.add_pair(S::XY, product(conj(u), v));
    s.add(S::R1, square(f));
    if (g.bounds) {
        const double ratio = real(v) / real(u);
        double *const low = s.mine + S::LOW * powm_threads, *const high = low + powm_threads;
        *low = ratio < *low ? ratio : *low;
        *high = ratio > *high ? ratio : *high;
    }
}

template <class T> ORR_DEV void rank_done(const powm_task &t, int64_t r, double sum, powm_work &s)
{
    typedef sum_of<T> S;
    const orr_pagerank_step_args &g = s.args->rank;
    const double d = ((const T *)t.d)[r], degree = std::fabs(d);
    const double x =
        g.alpha * t.scale * sum + g.constant + (t.p ? g.personal * (double)((const T *)t.p)[r] : 0);
    const double was = degree * (double)read_only((const T *)t.x + t.b.first + r);
    s.add(S::CHANGE, std::fabs(x - was));
    s.add(S::MASS, x);
    s.add(S::DANGLING, d < 0 ? x : 0);
    ((T *)t.y)[r] = (T)(x / degree);
}
template <class T> ORR_DEV void rank_done(const powm_task &, int64_t, complex<double>, powm_work &)
{
}

template <class T> ORR_DEV void row_done(const powm_task &t, int64_t r, acc_of<T> sum, powm_work &s)
{
    switch (t.kind) {
    case POWM_PRODUCT: ((T *)t.y)[r] = narrowed<T>::from(scaled(t.scale, sum)); break;
    case POWM_STEP: step_done<T>(t, r, sum, s); break;
    case POWM_RESIDUAL: residual_done<T>(t, r, sum, s); break;
    default: rank_done<T>(t, r, sum, s);
    }
}

/* ---- Sums of all blocks -------------------------------------------------------------------- */

template <class A> ORR_DEV void number(double to[2], const double *total);
template <> void number<double>(double to[2], const double *total) { to[0] = total[0]; }
template <> void number<complex<double>>(double to[2], const double *total)
{
    to[0] = total[0];
    to[1] = total[1];
}

template <class A> ORR_DEV orr_powm_partial partial_of(const powm_task &t, const double *total)
{
    typedef sum_of<A> S;
    orr_powm_partial s = {};
    if (t.kind == POWM_RANK) {
        s.change = total[S::CHANGE];
        s.mass = total[S::MASS];
        s.dangling = total[S::DANGLING];
        return s;
    }
    s.xx = total[S::XX];
    s.yy = total[S::YY];
    s.r1 = total[S::R1];
    number<A>(s.xy, total + S::XY);
    s.low = t.kind == POWM_RESIDUAL ? total[S::LOW] : INFINITY;
    s.high = t.kind == POWM_RESIDUAL ? total[S::HIGH] : -INFINITY;
    if (t.kind == POWM_STEP && t.ritz) {
        s.ww = total[S::WW];
        s.ee = total[S::EE];
        s.r2 = total[S::R2];
        number<A>(s.we, total + S::WE);
        number<A>(s.wg, total + S::WG);
        number<A>(s.eg, total + S::EG);
    }
    return s;
}

/* A warp for each sum. A: double or complex<double>. */
template <class A>
__global__ void __launch_bounds__(32 * powm_most_sums) powm_join_kernel(powm_task t, int blocks)
{
    ORR_SHARED(double, total, powm_most_sums);
    ORR_SHARED(orr_powm_partial, s, 1);
    const int f = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const bool low = t.kind == POWM_RESIDUAL && f == sum_of<A>::LOW;
    const bool high = t.kind == POWM_RESIDUAL && f == sum_of<A>::HIGH;
    double v = low ? INFINITY : high ? -INFINITY : 0;
    ORR_UNROLL_BY(8)
    for (int b = lane; b < blocks; b += 32)
        v = joined(low, high, v, t.sums[(int64_t)f * blocks + b]);
    for (int d = 16; d > 0; d /= 2)
        v = joined(low, high, v, from_lane_above(v, d));
    if (lane == 0)
        total[f] = v;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    *s = running(t) ? partial_of<A>(t, total) : orr_powm_partial();
    if (t.out)
        *t.out = *s;
    if (t.next)
        orr_powm_combine_sums(&t.combine, s, t.last, t.next);
}

} // namespace orr

#endif
