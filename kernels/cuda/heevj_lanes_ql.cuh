/* QL of a tridiagonal matrix by one thread, in which order 33 and above have what is left of
 * heevj_lanes_waves.cuh only; heevj_lanes.cuh says for what.
 *
 * Every step hangs on the one before, by a root or divisions, and a warp with one matrix is as fast
 * as one with many: matrices are spread over the processors first, and share warps when there are
 * more of them.
 *
 * An entry e of T counts as zero if |e| <= eps/2 (|d_i| + |d_i+1|) + 4 eps sqrt(|T|_F^2 / n).
 *
 * Sources: J. H. Wilkinson, C. Reinsch, Handbook for Automatic Computation II, 1971 (tql);
 * B. N. Parlett, The Symmetric Eigenvalue Problem, 1980, section 8-15 (Pal, Walker, Kahan).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HEEVJ_LANES_QL_CUH
#define ORR_CUDA_HEEVJ_LANES_QL_CUH

#include "kernels/cuda/heevj_lanes.cuh"

namespace orr
{

constexpr int64_t lanes_ql_warps =
    16 * 132; /* that an H200 goes through at once about as fast as through one */

/* Threads of a block, that is matrices: one as long as there is a warp for each, and no more than
 * shared memory holds. */
template <class R> int lanes_ql_threads(const orr_heevj_args &g)
{
    const int64_t room = 96 * 1024, each = 2 * (int64_t)sizeof(R) * g.n;
    int64_t threads = (g.count + lanes_ql_warps - 1) / lanes_ql_warps;
    threads = threads > 32 ? 32 : threads;
    return (int)(threads * each > room ? room / each : threads);
}
template <class R> shape lanes_ql_shape(const orr_heevj_args &g)
{
    const int threads = lanes_ql_threads<R>(g);
    return {dim3((unsigned)((g.count + threads - 1) / threads)), dim3((unsigned)threads),
            2 * sizeof(R) * (size_t)(g.n * threads)};
}

/* What QL is for: eigenvalues to serve as shifts, eigenvalues to be told, or rotations. */
enum lanes_purpose { LANES_SHIFTS, LANES_VALUES, LANES_ROTATIONS };

/* What a sweep of QL with rotations carries from row to row: d before it was turned. */
template <class R> struct lanes_rotation {
    R d, g, p, s, c;

    __device__ void begin(R d_hi, R shift)
    {
        d = d_hi;
        g = d_hi - shift;
        p = 0;
        s = c = 1;
    }

    /* Turns rows i and i+1; row i is di, ei. Row i+1 becomes dnew, enew. */
    __device__ turn<R> step(R di, R ei, R *dnew, R *enew)
    {
        constexpr R tiny = sizeof(R) == sizeof(float) ? (R)0x1p-110 : (R)0x1p-960;
        const R f = s * ei, b = c * ei, t = std::fma(f, f, g * g);
        const bool nil = t < tiny;
        const R inverse = inverse_root(nil ? (R)1 : t);
        c = nil ? (R)1 : g * inverse;
        s = nil ? (R)0 : f * inverse;
        *enew = nil ? (R)0 : t * inverse;
        const R h = d - p, z = std::fma(c + c, b, (di - h) * s);
        p = s * z;
        g = std::fma(c, z, -b);
        *dnew = h + p;
        d = di;
        return {c, s};
    }
};

/* An e below is zero, whatever its neighbours; squares is |T|_F^2. */
template <class R> ORR_DEV R lanes_floor(R squares, int n)
{
    constexpr R least = sizeof(R) == sizeof(float) ? (R)0x1p-45 : (R)0x1p-300;
    return std::fmax(4 * machine<R>::eps * std::sqrt(squares / (R)n), least);
}

/* A tridiagonal matrix whose entries stand `step` apart, and the block that QL works on: entries
 * lo to hi, no e between them negligible. Without roots e is e^2. */
template <class R> struct lanes_tridiagonal {
    R *d, *e;
    int n, step;
    int lo, hi;
    R floor; /* an e below is zero */

    __device__ R &at_d(int i) const { return d[i * step]; }
    __device__ R &at_e(int i) const { return e[i * step]; }

    /* Squares, for values that are only shifts: negligible is e^2 / gap; a wrong guess of the gap
     * costs a sweep, not accuracy. */
    template <lanes_purpose What> __device__ bool negligible(R x, R d0, R d1) const
    {
        if (What == LANES_SHIFTS)
            return x <= floor * std::fma((R)0.125, std::fabs(d0 - d1), floor);
        const R most = std::fma(machine<R>::eps / 2, std::fabs(d0) + std::fabs(d1), floor);
        return What == LANES_VALUES ? x <= most * most : std::fabs(x) <= most;
    }

    /* The next block of more than one entry, from `first` on; false: there is none. */
    template <lanes_purpose What> __device__ bool find_block(int first)
    {
        for (lo = first; lo < n - 1; lo = hi + 1) {
            for (hi = lo; hi < n - 1; hi++)
                if (negligible<What>(at_e(hi), at_d(hi), at_d(hi + 1)))
                    break;
            if (hi > lo)
                return true;
        }
        return false;
    }

    /* After a sweep. split: the first e that became negligible, but that at lo; hi if none did. */
    template <lanes_purpose What> __device__ bool shrink(int split)
    {
        lo += negligible<What>(at_e(lo), at_d(lo), at_d(lo + 1));
        hi = split;
        return lo < hi || find_block<What>(hi + 1);
    }

    /* A shift, of which digits may be wrong. */
    __device__ R wilkinson(R e_lo) const
    {
        const R h = (at_d(lo + 1) - at_d(lo)) * inverse(e_lo + e_lo);
        const R square = std::fma(h, h, (R)1), root = square * inverse_root(square);
        return at_d(lo) - e_lo * inverse(h + (h < 0 ? -root : root));
    }

    /* A sweep of QL without roots. Returns `split`. */
    template <lanes_purpose What> __device__ int sweep_squares()
    {
        constexpr R least = sizeof(R) == sizeof(float) ? (R)0x1p-90 : (R)0x1p-600;
        const R shift = wilkinson(std::sqrt(at_e(lo)));
        int split = hi;
        R g = at_d(hi) - shift, p = g * g, s = 0, c = 1, above = 0;
        R next_d = at_d(hi - 1), next_e = at_e(hi - 1);
        for (int i = hi - 1; i >= lo; i--) {
            const R di = next_d, ei = next_e, p0 = p > least ? p : least;
            const int next = i > lo ? i - 1 : lo;
            next_d = at_d(next);
            next_e = at_e(next);
            const R r = p0 + ei, by_r = inverse(r), enew = s * r;
            const R g1 = std::fma(-(ei * by_r), g, p0 * by_r * (di - shift));
            const R dnew = g + (di - g1);
            p = p0 > p ? c * ei : g1 * g1 * (r * inverse(p0)); /* p = 0: an exact shift */
            s = ei * by_r;
            c = p0 * by_r;
            g = g1;
            at_d(i + 1) = dnew;
            if (i + 1 < hi) {
                at_e(i + 1) = enew;
                split = negligible<What>(enew, dnew, above) ? i + 1 : split;
            }
            above = dnew;
        }
        at_d(lo) = shift + g;
        at_e(lo) = s * p;
        return split;
    }

    /* A sweep whose rotations go to list[lo ... hi-1]. Returns `split`. */
    __device__ int sweep_rotations(R shift, turn<R> *list)
    {
        int split = hi;
        lanes_rotation<R> chain;
        chain.begin(at_d(hi), shift);
        R above = 0, next_d = at_d(hi - 1), next_e = at_e(hi - 1);
        for (int i = hi - 1; i >= lo; i--) {
            const R di = next_d, ei = next_e;
            const int next = i > lo ? i - 1 : lo;
            next_d = at_d(next);
            next_e = at_e(next);
            R dnew, enew;
            list[i] = chain.step(di, ei, &dnew, &enew);
            at_d(i + 1) = dnew;
            if (i + 1 < hi) {
                at_e(i + 1) = enew;
                split = negligible<LANES_ROTATIONS>(enew, dnew, above) ? i + 1 : split;
            }
            above = dnew;
        }
        at_d(lo) = chain.d - chain.p;
        at_e(lo) = chain.g;
        return split;
    }

    /* Eigenvalues to d, e^2 is destroyed. false: not within so many steps. */
    template <lanes_purpose What> __device__ bool find_values(int64_t most)
    {
        bool more = find_block<What>(0);
        for (; more && most >= hi - lo; most -= hi - lo)
            more = shrink<What>(sweep_squares<What>());
        return !more;
    }
};

/* d and e, or e^2, of the matrix; returns |T|_F^2. Some at a time are on their way together. */
template <class T>
ORR_DEV real_of<T> lanes_fetch(const lanes_tridiagonal<real_of<T>> &t, const lanes_memory<T> &m,
                               bool squares)
{
    typedef real_of<T> R;
    constexpr int together = 8;
    R sum = 0;
    for (int first = 0; first < t.n; first += together) {
        R d[together], e[together];
        ORR_UNROLL
        for (int b = 0; b < together; b++) {
            d[b] = first + b < t.n ? m.d[first + b] : (R)0;
            e[b] = first + b < t.n - 1 ? m.e[first + b] : (R)0;
        }
        ORR_UNROLL
        for (int b = 0; b < together; b++) {
            if (first + b >= t.n)
                break;
            t.at_d(first + b) = d[b];
            t.at_e(first + b) = squares ? e[b] * e[b] : e[b];
            sum = std::fma(d[b], d[b], std::fma(2 * e[b], e[b], sum));
        }
    }
    return sum;
}

/* Fills the list, from where the last round left unless this is the first. shifts: for the first
 * sweep of each block; null: Wilkinson's for that as well. */
template <class T>
ORR_DEV void lanes_find_rotations(lanes_tridiagonal<real_of<T>> &t, const lanes_memory<T> &m,
                                  const orr_heevj_rounds &rounds, bool first_round, bool last_round,
                                  const real_of<T> *shifts, lanes_state *state)
{
    typedef real_of<T> R;
    bool more = true;
    int used = 0, sweeps = 0, tried = first_round ? -1 : state->tried;
    if (first_round) {
        more = t.template find_block<LANES_ROTATIONS>(0);
    } else {
        t.lo = state->lo;
        t.hi = state->hi;
    }
    while (more && used + t.hi - t.lo <= rounds.rotations && sweeps < rounds.sweeps) {
        const lanes_sweep sweep = {t.lo, t.hi, used - t.lo};
        const bool first = shifts && tried != t.lo;
        tried = t.lo;
        m.sweep[sweeps++] = sweep;
        used += t.hi - t.lo;
        const R shift = first ? shifts[t.lo] : t.wilkinson(t.at_e(t.lo));
        const int split = t.sweep_rotations(shift, m.list + sweep.at);
        more = t.template shrink<LANES_ROTATIONS>(split);
    }
    state->sweeps = sweeps;
    state->lo = t.lo;
    state->hi = t.hi;
    state->tried = tried;
    state->over = !more || last_round;
    state->failed = more && state->over;
}

template <class T>
__global__ void __launch_bounds__(32)
    heevj_lanes_ql_kernel(orr_heevj_args g, orr_heevj_rounds rounds, int round, unsigned char *work)
{
    typedef real_of<T> R;
    ORR_DYN_SHARED(shared);
    const int n = (int)g.n, step = (int)blockDim.x;
    const int64_t most = (int64_t)rounds.rotations * rounds.rounds; /* steps */
    const int64_t k = (int64_t)blockIdx.x * step + threadIdx.x;
    if (k >= g.count)
        return;
    const lanes_memory<T> m = lanes_memory_of<T>(work, g, rounds, k);
    if (m.state->over) {
        m.state->sweeps = 0;
        return;
    }
    lanes_tridiagonal<R> t = {
        (R *)shared + threadIdx.x, (R *)shared + n * step + threadIdx.x, n, step, 0, 0, 0};
    const R sum = lanes_fetch(t, m, round == 0);
    t.floor = lanes_floor(sum, n);
    if (round == 0 && g.vectors) {
        (void)t.template find_values<LANES_SHIFTS>(most);
        for (int i = 0; i < n; i++)
            m.values[i] = t.at_d(i);
        (void)lanes_fetch(t, m, false);
    } else if (round == 0) {
        m.state->failed = !t.template find_values<LANES_VALUES>(most);
    }
    if (g.vectors)
        lanes_find_rotations(t, m, rounds, round == 0, round == rounds.rounds - 1, m.values,
                             m.state);
    for (int i = 0; i < n; i++) {
        m.d[i] = t.at_d(i);
        if (i < n - 1)
            m.e[i] = t.at_e(i);
    }
}

} // namespace orr

#endif
