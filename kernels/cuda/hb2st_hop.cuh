/* The two halves of a hop of hb2st on columns that a team of threads can reach, wherever they
 * are (kernels/hb2st_chase.h says what a hop is; the sums are not in the order of the CPU's).
 *
 *   (D)   w = tau A v, A -= v w' + w v'    on the lower triangle
 *   (O)   y = B v, then column by column x = v+' (column - y a), column -= y a + v+ x
 *
 * Lanes are rows and warps are columns. What every warp needs (norms, inner products of two
 * vectors) every warp computes: that takes fewer barriers than asking another one.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HB2ST_HOP_CUH
#define ORR_CUDA_HB2ST_HOP_CUH

#include "kernels/cuda/chase.cuh"

namespace orr
{

/* Entry (i,c) of a window, counted from the first entry of the diagonal block. */
template <class T> struct flat_view {
    T *p;
    int64_t ld;
    ORR_DEV T &at(const flat_view &a, int i, int c) { return a.p[i + c * a.ld]; }
};
/* The same in two memories: columns before `cut` in the first. */
template <class T> struct split_view {
    T *p0, *p1;
    int64_t ld;
    int cut;
    ORR_DEV T &at(const split_view &a, int i, int c)
    {
        return (c < a.cut ? a.p0 : a.p1)[i + c * a.ld];
    }
};

/* Vectors of a team, in shared memory. */
template <class T> struct hop_vectors {
    T *v, *next; /* the reflector of this hop and of the next one */
    T *x, *f;
    T *part; /* `parts` partial sums of a vector */
    int parts, room;

    /* How many parts make work for that many warps. */
    static __host__ __device__ int parts_for(int b, int warps)
    {
        const int groups = (b + 31) / 32;
        return groups < warps ? warps / groups : 1;
    }
    static __host__ __device__ size_t elements(int b, int warps)
    {
        return (size_t)(4 + parts_for(b, warps)) * (size_t)b;
    }
    ORR_DEV hop_vectors place(T *memory, int b, int warps)
    {
        return {
            memory, memory + b, memory + 2 * b, memory + 3 * b, memory + 4 * b, parts_for(b, warps),
            b};
    }
};

/* H = I - tau v v' with H' f = beta e1:  v = (1, scale 2^-exponent f_1, ...) */
template <class T> struct householder {
    T tau, scale, beta;
    int exponent;
};

template <class T> ORR_DEV T entry_of_v(const householder<T> &h, const T *f, int i)
{
    if (i == 0)
        return make<T>(1);
    return times(h.exponent ? scale2(f[i], -h.exponent) : f[i], h.scale);
}

/* By a warp; real_beta: also where nothing is to be annihilated, beta shall be real. */
template <class T> ORR_DEV householder<T> make_householder(const T *f, int m, bool real_beta)
{
    typedef real_of<T> R;
    const R tiny = machine<R>::safmin / (machine<R>::eps * machine<R>::eps);
    const int lane = (int)threadIdx.x % 32;
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

/* part := the products of rows with v, columns c = p, p + parts, ... in part p. */
template <bool Hermitian, class Team, class View, class T>
ORR_DEV void multiply(Team team, View a, int below, int rows, int m, const hop_vectors<T> &w)
{
    const int groups = (rows + 31) / 32;
    for (int item = team.warp(); item < groups * w.parts; item += team.warps()) {
        const int p = item / groups, i = item % groups * 32 + team.lane();
        if (i >= rows)
            continue;
        T sum = make<T>(0);
        for (int c = p; c < m; c += w.parts)
            sum = !Hermitian || c <= i ? mad(View::at(a, below + i, c), w.v[c], sum)
                                       : mad_conj(View::at(a, c, i), w.v[c], sum);
        w.part[p * w.room + i] = sum;
    }
    team.sync();
}

template <class T> ORR_DEV T sum_of_parts(const hop_vectors<T> &w, int i)
{
    T sum = w.part[i];
    for (int p = 1; p < w.parts; p++)
        sum = plus(sum, w.part[p * w.room + i]);
    return sum;
}

/* (D): A := H' A H, A of order m. Ends with what it wrote seen by the team. */
template <class Team, class View, class T>
ORR_DEV void both_sides(Team team, View a, int m, T tau, const hop_vectors<T> &w)
{
    multiply<true>(team, a, 0, m, m, w);
    for (int i = team.rank(); i < m; i += team.size())
        w.x[i] = times(tau, sum_of_parts(w, i));
    team.sync();
    T dot = make<T>(0);
    for (int i = team.lane(); i < m; i += 32)
        dot = mad_conj(w.x[i], w.v[i], dot);
    dot = warp_sum(dot);
    typedef real_of<T> R;
    const T alpha = times(make<T>((R)-0.5 * real(tau), (R)-0.5 * imag(tau)), dot);
    for (int c = team.warp(); c < m; c += team.warps()) {
        const T vc = conj(w.v[c]), wc = conj(mad(alpha, w.v[c], w.x[c]));
        for (int i = c + team.lane(); i < m; i += 32) {
            const T v = w.v[i], x = mad(alpha, v, w.x[i]);
            const T r = mad(negative(v), wc, mad(negative(x), vc, View::at(a, i, c)));
            View::at(a, i, c) = i == c ? make<T>(real(r)) : r;
        }
    }
    team.sync();
}

/* (O): rows below .. below+rows-1 of m columns. w.v is exchanged with w.next, tau with the
 * new one. */
template <class Team, class View, class T>
ORR_DEV void block_below(Team team, View a, int below, int rows, int m, T &tau, hop_vectors<T> &w)
{
    const bool right = !is_zero(tau);
    if (right) {
        multiply<false>(team, a, below, rows, m, w);
    }
    for (int i = team.rank(); i < rows; i += team.size()) {
        const T y = right ? sum_of_parts(w, i) : make<T>(0);
        w.x[i] = y;
        /* v_0 = 1: the first column less y tau */
        w.f[i] = mad(negative(y), tau, View::at(a, below + i, 0));
    }
    team.sync();
    const householder<T> h = make_householder(w.f, rows, false);
    T vy = make<T>(0);
    for (int i = team.lane(); i < rows; i += 32)
        vy = mad_conj(entry_of_v(h, w.f, i), w.x[i], vy);
    vy = warp_sum(vy);
    if (team.warp() == 0)
        for (int i = team.lane(); i < rows; i += 32) {
            View::at(a, below + i, 0) = i == 0 ? h.beta : make<T>(0);
            w.next[i] = entry_of_v(h, w.f, i);
        }
    if (right || !is_zero(h.tau)) {
        /* The last warps first: warp 0 has had the first column. Some columns at a time, whose
         * sums go through the warp together. */
        constexpr int batch = 4;
        const int warps = team.warps();
        for (int first = 1 + (warps - 1 - team.warp()); first < m; first += batch * warps) {
            T dot[batch];
            ORR_UNROLL
            for (int k = 0; k < batch; k++) {
                const int c = first + k * warps;
                dot[k] = make<T>(0);
                for (int i = team.lane(); c < m && i < rows; i += 32)
                    dot[k] = mad_conj(entry_of_v(h, w.f, i), View::at(a, below + i, c), dot[k]);
            }
            ORR_UNROLL
            for (int k = 0; k < batch; k++)
                dot[k] = warp_sum(dot[k]);
            ORR_UNROLL
            for (int k = 0; k < batch; k++) {
                const int c = first + k * warps;
                if (c >= m)
                    break;
                const T ac = times(tau, conj(w.v[c]));
                const T x = times(conj(h.tau), minus(dot[k], times(vy, ac)));
                for (int i = team.lane(); i < rows; i += 32) {
                    T &b = View::at(a, below + i, c);
                    b = mad(negative(entry_of_v(h, w.f, i)), x, mad(negative(w.x[i]), ac, b));
                }
            }
        }
    }
    tau = h.tau;
    T *const v = w.v;
    w.v = w.next;
    w.next = v;
    team.sync();
}

} // namespace orr

#endif
