/* A hop of hb2st in pieces that a team of threads can do, wherever the window's columns are
 * (kernels/hb2st_chase.h says what a hop is; the sums are not in the order of the CPU's).
 *
 *         m columns
 *     +-------------+
 *     | \           |  m rows      (D)   x = tau A v, w = x + alpha v, A -= v w' + w v'
 *     |     A     \ |
 *     +-------------+
 *     |     B       |  `rows`      (O)   y = B v, then column by column
 *     +-------------+                    z = v+' (column - y a), column -= y a + v+ z
 *
 *     multiply      v times the window's rows, but for what the last column adds
 *     row_product   of one row, with the last column
 *     rank_two      the rest of (D)      below        the rest of (O)
 *
 * The last column comes last, as the sweep before leaves it last. Lanes are rows and warps are
 * columns. What every warp needs (norms, inner products of two vectors) every warp computes: that
 * takes fewer barriers than asking another one. Whether the compiler knows a size or not, the sums are
 * the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HB2ST_HOP_CUH
#define ORR_CUDA_HB2ST_HOP_CUH

#include "kernels/cuda/chase.cuh"

namespace orr
{

/* Entry (i,c) of a window, counted from the first entry of the diagonal block; LD = 0: any. Every: each
 * entry is to be written once, and as soon as it is known, whether a hop has changed it or not; but not
 * the zeros below beta. */
template <class T, int LD = 0> struct flat_view {
    static constexpr bool every = false;
    T *p;
    number<LD> ld;
    ORR_DEV T &at(const flat_view &a, int i, int c) { return a.p[i + c * a.ld]; }
};
/* The same in two memories: columns before `cut` in the first. */
template <class T> struct split_view {
    static constexpr bool every = false;
    T *p0, *p1;
    int ld, cut;
    ORR_DEV T &at(const split_view &a, int i, int c)
    {
        return (c < a.cut ? a.p0 : a.p1)[i + c * a.ld];
    }
};

/* Vectors of a team, in shared memory; B = 0: any b, Warps = 0: any team. */
template <class T, int B = 0, int Warps = 0> struct hop_vectors {
    /* How many parts make work for that many warps. */
    static constexpr __host__ __device__ int parts_for(int b, int warps)
    {
        const int groups = (b + 31) / 32;
        return groups < warps ? warps / groups : 1;
    }
    static __host__ __device__ size_t elements(int b, int warps)
    {
        return (size_t)(5 + 2 * parts_for(b, warps)) * (size_t)b + 1;
    }
    T *memory;
    number<B> b;
    number<B ? parts_for(B, Warps) : 0> parts;

    __device__ hop_vectors(T *memory_, int b_, int warps)
        : memory(memory_), b(b_), parts(parts_for(b_, warps))
    {
    }
    __device__ T *v(int64_t hop) const { return memory + (hop % 2 ? (int)b : 0); }
    __device__ T *xy() const { return memory + 2 * b; } /* x, and behind it y */
    __device__ T *f() const { return memory + 4 * b; }  /* B's first column less y tau */
    __device__ T *part() const { return memory + 5 * b; }
    __device__ T *tau() const { return memory + (5 + 2 * parts) * b; }
};

/* H = I - tau v v' with H' f = beta e1:  v = (1, scale 2^-exponent f_1, ...) */
template <class T> struct householder {
    T tau, scale, beta;
    int exponent;
};

/* When f has been scaled. */
template <class T> ORR_DEV T entry_of_v(const householder<T> &h, const T *f, int i)
{
    return i == 0 ? make<T>(1) : times(f[i], h.scale);
}

/* By a warp; real_beta: also where nothing is to be annihilated, beta shall be real. */
template <class T> ORR_DEV householder<T> householder_of(const T *f, int m, bool real_beta)
{
    typedef real_of<T> R;
    const R tiny = machine<R>::safmin / (machine<R>::eps * machine<R>::eps);
    const int lane = (int)(threadIdx.x % 32u);
    T alpha = f[0];
    int exponent = 0;
    R tail = 0;
    for (int i = lane; i < m; i += 32)
        tail = i > 0 ? mad_square(f[i], tail) : tail;
    tail = warp_sum(tail);
    if (!(tail > tiny)) { /* zero, or squares that underflow: scale the column to order 1 */
        R top = 0;
        for (int i = lane; i < m; i += 32)
            top = i > 0 && max_part(f[i]) > top ? max_part(f[i]) : top;
        top = warp_max(top);
        if (top == 0 && !(scalar<T>::is_complex && real_beta && imag(alpha) != 0))
            return {make<T>(0), make<T>(0), alpha, 0};
        top = max_part(alpha) > top ? max_part(alpha) : top;
        (void)std::frexp(top, &exponent);
        alpha = scale2(alpha, -exponent);
        tail = 0;
        for (int i = lane; i < m; i += 32)
            tail = i > 0 ? mad_square(scale2(f[i], -exponent), tail) : tail;
        tail = warp_sum(tail);
    }
    const R norm = std::sqrt(mad_square(alpha, tail));
    const R beta = real(alpha) > 0 ? -norm : norm;
    householder<T> h;
    h.tau = make<T>((beta - real(alpha)) / beta, -imag(alpha) / beta);
    /* 1 / (alpha - beta): the real parts have equal signs, no cancellation */
    const R re = real(alpha) - beta, im = imag(alpha), inverse = (R)1 / (re * re + im * im);
    h.scale = make<T>(re * inverse, -im * inverse);
    h.beta = make<T>(exponent ? scale2(beta, exponent) : beta);
    h.exponent = exponent;
    return h;
}

/* By each warp of a team; a tiny f is scaled. */
template <class Team, class T>
ORR_DEV householder<T> make_householder(Team team, T *f, int m, bool real_beta)
{
    const householder<T> h = householder_of(f, m, real_beta);
    if (h.exponent) {
        team.sync();
        for (int i = team.rank(); i < m; i += team.size())
            f[i] = scale2(f[i], -h.exponent);
        team.sync();
    }
    return h;
}

/* part := rows from .. to-1 of the window times v, without what is stored in the last column: columns
 * c = p, p + parts, ... in part p. Above the diagonal is what is below it. */
template <class Team, class View, class T, int B, int W, class From, class To, class M>
ORR_DEV void multiply(Team team, const View &a, From from, To to, M m, const T *v,
                      const hop_vectors<T, B, W> &w)
{
    const int items = (to - from + 31) / 32 * w.parts;
    ORR_UNROLL_BY(M::unroll)
    for (int k = 0; k * team.warps() < items; k++) {
        const int item = team.warp() + k * team.warps(), p = item % w.parts;
        const int i = from + item / w.parts * 32 + team.lane();
        if (item >= items || i >= to)
            continue;
        T sum = make<T>(0);
        ORR_UNROLL_BY(M::unroll > 1 ? M::unroll : scalar<T>::is_complex ? 1 : 4)
        for (int l = 0; l * w.parts < m; l++) {
            const int c = p + l * w.parts;
            if (c < m - 1 || (c < m && i < c)) {
                const T x = View::at(a, c <= i ? i : c, c <= i ? c : i);
                sum = mad(c <= i ? x : conj(x), v[c], sum);
            }
        }
        w.part()[p * 2 * w.b + i] = sum;
    }
}

template <class T, int B, int W> ORR_DEV T sum_of_parts(const hop_vectors<T, B, W> &w, int i)
{
    T sum = w.part()[i];
    for (int p = 1; p < w.parts; p++)
        sum = plus(sum, w.part()[p * 2 * w.b + i]);
    return sum;
}

/* Row i of the window times v. */
template <class View, class T, int B, int W, class M>
ORR_DEV T row_product(const View &a, int i, M m, const T *v, const hop_vectors<T, B, W> &w)
{
    const T sum = sum_of_parts(w, i);
    return i < m - 1 ? sum : mad(View::at(a, i, m - 1), v[m - 1], sum);
}

/* (D) but for x: A := H' A H, from one view to another. */
template <class Team, class View, class To, class T, class M>
ORR_DEV void rank_two(Team team, const View &a, const To &to, M m, T tau, const T *v, const T *x)
{
    typedef real_of<T> R;
    T dot = make<T>(0);
    ORR_UNROLL_BY(M::unroll)
    for (int i = team.lane(); i < m; i += 32)
        dot = mad_conj(x[i], v[i], dot);
    dot = warp_sum(dot);
    const T alpha = times(make<T>((R)-0.5 * real(tau), (R)-0.5 * imag(tau)), dot);
    ORR_UNROLL_BY(M::unroll)
    for (int i = team.lane(); i < m; i += 32) {
        const T vi = negative(v[i]), wi = negative(mad(alpha, v[i], x[i]));
        ORR_UNROLL_BY(M::unroll)
        for (int k = 0; k * team.warps() < m; k++) {
            const int c = team.warp() + k * team.warps();
            if (c > i)
                break;
            const T vc = conj(v[c]), wc = conj(mad(alpha, v[c], x[c]));
            const T r = mad(vi, wc, mad(wi, vc, View::at(a, i, c)));
            To::at(to, i, c) = i == c ? make<T>(real(r)) : r;
        }
    }
}

/* (O) but for y and f: the rows below A, from one view to another; the new reflector, whose vector is
 * written to `next`. */
template <class Team, class View, class To, class T, class M, class Rows>
ORR_DEV householder<T> below(Team team, const View &a, const To &to, M m, Rows rows, T tau,
                             const T *v, const T *y, T *f, T *next)
{
    const householder<T> h = make_householder(team, f, rows, false);
    if (To::every && team.rank() == 0)
        To::at(to, m, 0) = h.beta;
    T vy = make<T>(0);
    ORR_UNROLL_BY(Rows::unroll)
    for (int i = team.lane(); i < rows; i += 32)
        vy = mad_conj(entry_of_v(h, f, i), y[i], vy);
    vy = warp_sum(vy);
    if (To::every || !is_zero(tau) || !is_zero(h.tau)) {
        /* The last warps first: warp 0 has the first column. Some columns at a time, whose sums go
         * through the warp together. */
        constexpr int batch = scalar<T>::is_complex ? 2 : 4; /* registers are scarce */
        const int warps = team.warps(), mine = warps - team.warp();
        for (int done = 0; done < m; done += batch * warps) {
            T dot[batch];
            ORR_UNROLL
            for (int k = 0; k < batch; k++) {
                const int c = done + mine + k * warps;
                dot[k] = make<T>(0);
                ORR_UNROLL_BY(Rows::unroll)
                for (int i = team.lane(); c < m && i < rows; i += 32)
                    dot[k] = mad_conj(entry_of_v(h, f, i), View::at(a, m + i, c), dot[k]);
            }
            ORR_UNROLL
            for (int k = 0; k < batch; k++)
                dot[k] = warp_sum(dot[k]);
            ORR_UNROLL
            for (int k = 0; k < batch; k++) {
                const int c = done + mine + k * warps;
                if (c >= m)
                    break;
                const T ac = times(tau, conj(v[c]));
                const T z = times(conj(h.tau), minus(dot[k], times(vy, ac)));
                ORR_UNROLL_BY(Rows::unroll)
                for (int i = team.lane(); i < rows; i += 32)
                    To::at(to, m + i, c) = mad(negative(entry_of_v(h, f, i)), z,
                                               mad(negative(y[i]), ac, View::at(a, m + i, c)));
            }
        }
    }
    if (team.warp() == 0) {
        ORR_UNROLL_BY(Rows::unroll)
        for (int i = team.lane(); i < rows; i += 32) {
            if (!To::every)
                To::at(to, m + i, 0) = i == 0 ? h.beta : make<T>(0);
            next[i] = entry_of_v(h, f, i);
        }
    }
    return h;
}

} // namespace orr

#endif
