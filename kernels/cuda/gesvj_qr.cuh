/* QR of the matrices of a bundle, with column pivoting or without, in one launch (kernels/gesvj.h). Thread
 * blocks are all resident, and divided into groups. A group has one matrix after the other, block r
 * of its G blocks columns r, r + G, .. of it: as many as there is room for in shared memory, the others
 * in global memory. Y is a column as it is stored, V the reflectors that it still waits for. In step k
 *
 *     meet       every block has offered a reflector, of the longest of its columns (without pivoting: of
 *                column k, who has it). The longest of all is taken: v, tau; who made it puts it
 *                into column k of the result
 *     products   v'Y, v'V
 *     rows       f_k := tau' (v'Y - v'V f);  row k of R := Y(k,:) - V(k,:) f;  the lengths of what is left
 *     update     Y := Y - V f, if V has eight columns by now
 *     offer      of the longest column  y - V f  and its reflector
 *
 * so blocks wait for each other once to a step: a column is made ready before anybody knows whether it
 * comes next. A length is taken off what R's rows take away, and measured where that has cost half
 * the digits. Every number comes from one warp or one whole block, in the same order whatever G is.
 *
 * Source: G. Quintana-Orti, X. Sun, C. Bischof, SIAM J. Sci. Comput. 19(5), 1486-1494, 1998; LAPACK's
 * laqps, which forms row k of R in the same way.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_GESVJ_QR_CUH
#define ORR_CUDA_GESVJ_QR_CUH

#include "kernels/cuda/gesvj_state.cuh"

namespace orr
{

constexpr int gesvj_qr_delay = 8; /* reflectors that columns wait for */

struct gesvj_qr_task {
    gesvj_members all;
    int which;           /* GESVJ_FIRST, and then GESVJ_SECOND; or GESVJ_COPY */
    int matrices, group; /* blocks of a group */
    int own, kept;       /* columns of a block; of them, in shared memory: at most */
    orr_stall *told;
};

template <class T> struct alignas(16) gesvj_delayed {
    T f[gesvj_qr_delay];
};

/* A column and its length. */
template <class R> struct gesvj_longest {
    R norm;
    int column;
};
/* Shared memory of a block without its columns. */
template <class T> __host__ __device__ size_t gesvj_qr_state_bytes(int64_t own)
{
    return (size_t)own * (sizeof(gesvj_delayed<T>) + sizeof(T) + 2 * sizeof(real_of<T>)) +
           2 * gesvj_qr_delay * sizeof(T) + gesvj_most_group * sizeof(gesvj_longest<real_of<T>>) +
           ((size_t)own * sizeof(int) + 15) / 16 * 16;
}

/* The longer one, of equal ones the first. */
template <class R> ORR_DEV gesvj_longest<R> longer(gesvj_longest<R> a, gesvj_longest<R> b)
{
    return b.norm > a.norm || (b.norm == a.norm && b.column < a.column) ? b : a;
}
template <class R> ORR_DEV gesvj_longest<R> warp_longest(gesvj_longest<R> x)
{
    ORR_UNROLL
    for (int far = 16; far > 0; far /= 2)
        x = longer(x, gesvj_longest<R>{from_lane_xor(x.norm, far),
                                       __shfl_xor_sync(0xffffffffu, x.column, far)});
    return x;
}

/* Where the blocks of a group meet, for give_up(). */
struct gesvj_meeting {
    orr_stall *told;
    int *words; /* [blocks] how often each has come, zero at first */
    int blocks, first;

    static constexpr int stalls = ORR_STALL_GESVJ_QR;
    __device__ int *ticket() const { return words + blocks; } /* nobody takes one */
    __device__ const int *first_word() const { return words; }
    __device__ int64_t words_apart() const { return 1; }
    __device__ int64_t first_sweep() const { return first; }
};

/* A block and its columns of a matrix, of which it has a number: c of them is column rank + c G. */
template <class T> struct gesvj_qr_block {
    typedef real_of<T> R;

    const gesvj_meeting group;
    const int rank, most_kept;
    T *const halves;            /* [2][blocks][big] what is offered */
    gesvj_offer<T> *const more; /* [2][blocks] */
    const int64_t big;
    /* shared memory */
    gesvj_delayed<T> *F; /* [own] */
    T *tile;             /* [kept][rows] */
    T *dot;              /* [own] v'Y */
    T *aux, *row;        /* [delay] v'V, row k of V */
    R *norm, *exact;     /* [own] length of what is left; when it was measured, -1: should be */
    gesvj_longest<R> *offers; /* [most_group] */
    int *live;                /* [own] numbers of columns that are left: from 0, and from kept on */
    /* of the factorization */
    gesvj_operand<T> A;  /* the result */
    T *home;             /* of columns that are not kept, as far apart as those of A */
    int32_t *pivots;     /* NULL: no pivoting */
    int kept, near, far; /* near, far: columns left, kept or not */
    int met = 0;
    /* of the step */
    int64_t first; /* reflector */
    int waiting;   /* reflectors of V */
    const T *x;    /* the last one of them: v = scale x below row k, 1 in it */
    T scale;

    __device__ __forceinline__ gesvj_qr_block(const gesvj_qr_task &a, const gesvj_here<T> &h,
                                              unsigned char *memory)
        : group{a.told, h.r.words, a.group, (int)blockIdx.x / a.group * a.group},
          rank((int)blockIdx.x % a.group), most_kept(a.kept), halves(h.r.offered), more(h.r.offers),
          big(h.s.big)
    {
        F = (gesvj_delayed<T> *)memory;
        dot = (T *)(F + a.own);
        aux = dot + a.own;
        row = aux + gesvj_qr_delay;
        norm = (R *)(row + gesvj_qr_delay);
        exact = norm + a.own;
        offers = (gesvj_longest<R> *)(exact + a.own);
        live = (int *)(offers + gesvj_most_group);
        tile = (T *)(memory + gesvj_qr_state_bytes<T>(a.own));
    }

    __device__ __forceinline__ T *kept_column(int c) const { return tile + c * A.rows; }
    __device__ __forceinline__ T *far_column(int c) const
    {
        return in_global(home + (rank + (int64_t)c * group.blocks) * A.ld);
    }
    /* Where a column is, in whichever memory. */
    __device__ __forceinline__ T *column(int c) const
    {
        return c < kept ? kept_column(c) : far_column(c);
    }
    __device__ __forceinline__ int number(int q) const
    {
        return live[q < near ? q : kept + q - near];
    }
    /* Column k of the result: a reflector below row k, once it is done. */
    __device__ __forceinline__ T *done(int64_t k) const { return in_global(A.x + k * A.ld); }
    /* Entry i, from row k on, of y - V f for column c. */
    __device__ __forceinline__ T left(int c, int64_t i) const
    {
        T z = column(c)[i];
        for (int l = 0; l + 1 < waiting; l++)
            z = mad(negative(done(first + l)[i]), F[c].f[l], z);
        return waiting > 0 ? mad(negative(times(scale, x[i])), F[c].f[waiting - 1], z) : z;
    }
    __device__ __forceinline__ T *offered(int g) const
    {
        return in_global(halves + (int64_t)(met % 2 * group.blocks + g) * big);
    }
    __device__ __forceinline__ gesvj_offer<T> *offer_of(int g) const
    {
        return in_global(more + met % 2 * group.blocks + g);
    }

    /* ---- Meetings: two halves are enough: who comes to the next one has seen all of this one ---- */

    /* The column that is taken. */
    __device__ __forceinline__ int meet()
    {
        const int t = (int)threadIdx.x;
        bool late = false;
        if (t < group.blocks) {
            stop_watch watch;
            int seen = 0;
            while ((seen = ld_acquire(group.words + t)) < met && !late) {
                ORR_SPIN_YIELD();
                late = watch.over();
            }
            if (late)
                give_up(group, group.words + t, met, seen);
            offers[t] = {offer_of(t)->norm, offer_of(t)->column};
        }
        if (__syncthreads_or(late))
            ORR_TRAP();
        gesvj_longest<R> best = {-1, 0};
        for (int g = t % 32; g < group.blocks; g += 32)
            best = longer(best, offers[g]);
        return warp_longest(best).column;
    }

    /* The block has a column for step k: y - V f, from row k on, and its reflector. c < 0: it has none. */
    __device__ __forceinline__ void offer(int64_t k, int c)
    {
        ORR_SHARED(T, alpha, 1);
        const int t = (int)threadIdx.x;
        met++;
        T *const to = offered(rank);
        double squares = 0;
        for (int64_t i = k + t; c >= 0 && i < A.rows; i += gesvj_threads) {
            const T z = left(c, i);
            to[i] = z;
            if (i > k)
                squares += square_of(z);
            else
                *alpha = z;
        }
        squares = gesvj_block_sum(squares);
        if (t != 0)
            return;
        gesvj_offer<T> o = {make<T>(1), make<T>(0), -1, 0};
        if (c >= 0) {
            const T top = *alpha;
            const R length = (R)std::sqrt(squares + square_of(top));
            R beta = real(top);
            if ((double)length > gesvj_least<R>()) { /* H' x = beta e, H = I - tau v v' */
                beta = real(top) > 0 ? -length : length;
                const T d = make<T>(real(top) - beta, imag(top));
                const R square = mad_square(d, (R)0);
                o.tau = make<T>((beta - real(top)) / beta, -imag(top) / beta);
                o.scale = scalar<T>::is_complex ? make<T>(real(d) / square, -imag(d) / square)
                                                : make<T>(1 / real(d));
            }
            to[k] = (double)length > gesvj_least<R>() ? make<T>(beta) : top;
            o.norm = norm[c];
            o.column = rank + c * group.blocks;
        }
        *offer_of(rank) = o;
        st_release(group.words + rank, met);
    }

    /* ---- A step --------------------------------------------------------------------------------- */

    /* Column c of this block is column k of the result. */
    __device__ __forceinline__ void take(int64_t k, int c, T tau)
    {
        const int t = (int)threadIdx.x;
        T *const to = done(k);
        const T *const y = column(c);
        for (int64_t i = t; i < A.rows; i += gesvj_threads)
            to[i] = i < k ? y[i] : i == k ? x[i] : times(scale, x[i]);
        if (t == 0) {
            A.tau[k] = tau;
            if (pivots)
                pivots[k] = rank + c * group.blocks + 1;
        }
        int *const list = live + (c < kept ? 0 : kept);
        const int left = c < kept ? near : far;
        for (int q = t; q < left; q += gesvj_threads)
            if (list[q] == c)
                list[q] = list[left - 1];
        near -= c < kept;
        far -= c >= kept;
        __syncthreads();
    }

    /* v'y and v'z from row k on, by a warp. */
    __device__ __forceinline__ void product(int64_t k, const T *y, const T *z, T &of_y,
                                            T &of_z) const
    {
        T a = make<T>(0), b = make<T>(0);
        ORR_UNROLL_BY(4)
        for (int64_t i = k + 1 + (int)threadIdx.x % 32; i < A.rows; i += 32) {
            const T v = x[i];
            a = mad_conj(v, y[i], a);
            b = mad_conj(v, z[i], b);
        }
        of_y = mad_conj(scale, warp_sum(a), y[k]);
        of_z = mad_conj(scale, warp_sum(b), z[k]);
    }
    /* Two columns at a time; the columns of V are the last warps'. */
    __device__ __forceinline__ void products(int64_t k) const
    {
        const int warp = (int)threadIdx.x / 32, before = (int)(k - first);
        const bool leads = threadIdx.x % 32 == 0;
        T of_y, of_z;
        for (int q = 2 * warp; q < near; q += 2 * gesvj_warps) {
            const int c = live[q], d = live[q + 1 < near ? q + 1 : q];
            product(k, kept_column(c), kept_column(d), of_y, of_z);
            if (leads) {
                dot[c] = of_y;
                dot[d] = of_z;
            }
        }
        for (int q = 2 * ((warp + near / 2) % gesvj_warps); q < far; q += 2 * gesvj_warps) {
            const int c = live[kept + q], d = live[kept + (q + 1 < far ? q + 1 : q)];
            product(k, far_column(c), far_column(d), of_y, of_z);
            if (leads) {
                dot[c] = of_y;
                dot[d] = of_z;
            }
        }
        for (int q = 2 * (gesvj_warps - 1 - warp); q < before; q += 2 * gesvj_warps) {
            const int r = q + 1 < before ? q + 1 : q;
            const T *const y = done(first + q), *const z = done(first + r);
            product(k, y, z, of_y, of_z);
            if (leads) {
                row[q] = y[k];
                row[r] = z[k];
                aux[q] = of_y;
                aux[r] = of_z;
            }
        }
    }

    /* Takes `entry` of row k off the length of column c; false: it must be measured. */
    __device__ __forceinline__ bool shorten(int c, T entry) const
    {
        const R was = norm[c];
        if (!(was > 0))
            return true;
        const R ratio = std::sqrt(mad_square(entry, (R)0)) / was;
        const R less = std::fmax((R)0, (1 + ratio) * (1 - ratio)), since = was / exact[c];
        norm[c] = was * std::sqrt(less);
        return less * since * since > std::sqrt(machine<R>::eps);
    }
    /* A thread for each column. */
    __device__ __forceinline__ bool rows(int64_t k, T tau) const
    {
        const int before = (int)(k - first);
        bool lost = false;
        for (int q = (int)threadIdx.x; q < near + far; q += gesvj_threads) {
            const int c = number(q);
            T *const y = column(c);
            T product = dot[c], entry = y[k];
            for (int l = 0; l < before; l++) {
                const T f = negative(F[c].f[l]);
                product = mad(aux[l], f, product);
                entry = mad(row[l], f, entry);
            }
            product = times(conj(tau), product);
            F[c].f[before] = product;
            y[k] = entry = minus(entry, product);
            if (pivots && !shorten(c, entry)) {
                exact[c] = -1;
                lost = true;
            }
        }
        return lost;
    }

    /* The lengths that have lost their digits, of rows k + 1, ..; a warp for each. */
    __device__ __forceinline__ void measure(int64_t k) const
    {
        const int lane = (int)threadIdx.x % 32;
        for (int q = (int)threadIdx.x / 32; q < near + far; q += gesvj_warps) {
            const int c = number(q);
            if (exact[c] >= 0)
                continue;
            double squares = 0;
            for (int64_t i = k + 1 + lane; i < A.rows; i += 32)
                squares += square_of(left(c, i));
            squares = warp_sum(squares);
            __syncwarp();
            if (lane == 0)
                norm[c] = exact[c] = (R)std::sqrt(squares);
        }
    }

    /* y := y - v f, z := z - v g, of a row; both may be the same column. */
    __device__ __forceinline__ void off(const T *v, T *y, const gesvj_delayed<T> f, T *z,
                                        const gesvj_delayed<T> g) const
    {
        T a = *y, b = *z;
        ORR_UNROLL
        for (int l = 0; l < gesvj_qr_delay; l++) {
            a = mad(v[l], f.f[l], a);
            b = mad(v[l], g.f[l], b);
        }
        *y = a;
        *z = b;
    }
    /* A thread for each row below k. */
    __device__ __forceinline__ void update(int64_t k) const
    {
        for (int64_t i = k + 1 + (int)threadIdx.x; i < A.rows; i += gesvj_threads) {
            T v[gesvj_qr_delay];
            ORR_UNROLL
            for (int l = 0; l + 1 < gesvj_qr_delay; l++)
                v[l] = negative(done(first + l)[i]);
            v[gesvj_qr_delay - 1] = negative(times(scale, x[i]));
            ORR_UNROLL_BY(2)
            for (int q = 0; q < near; q += 2) {
                const int c = live[q], d = live[q + 1 < near ? q + 1 : q];
                off(v, kept_column(c) + i, F[c], kept_column(d) + i, F[d]);
            }
            ORR_UNROLL_BY(1)
            for (int q = 0; q < far; q += 2) {
                const int c = live[kept + q], d = live[kept + (q + 1 < far ? q + 1 : q)];
                off(v, far_column(c) + i, F[c], far_column(d) + i, F[d]);
            }
        }
    }

    /* Which column of this block may come in step k; -1: none. */
    __device__ __forceinline__ int next(int64_t k) const
    {
        ORR_SHARED(R, norms, gesvj_warps);
        ORR_SHARED(int, columns, gesvj_warps);
        if (!pivots || k >= A.columns) {
            __syncthreads();
            return k < A.columns && k % group.blocks == rank ? (int)(k / group.blocks) : -1;
        }
        const int t = (int)threadIdx.x;
        gesvj_longest<R> best = {-1, 0};
        for (int q = t; q < near + far; q += gesvj_threads)
            best = longer(best, gesvj_longest<R>{norm[number(q)], number(q)});
        best = warp_longest(best);
        if (t % 32 == 0) {
            norms[t / 32] = best.norm;
            columns[t / 32] = best.column;
        }
        __syncthreads();
        best = {norms[0], columns[0]};
        for (int w = 1; w < gesvj_warps; w++)
            best = longer(best, gesvj_longest<R>{norms[w], columns[w]});
        return near + far > 0 ? best.column : -1;
    }

    /* ---- A factorization ------------------------------------------------------------------------ */

    /* What is to be factored: of SECOND it is R'. */
    __device__ __forceinline__ void load(const gesvj_here<T> &here, int which)
    {
        const gesvj_operand<T> from = here.operand(which == GESVJ_SECOND ? GESVJ_FIRST : which);
        A = here.operand(which);
        home = which == GESVJ_FIRST ? here.r.M : A.x;
        pivots = which == GESVJ_FIRST ? here.m.head + ORR_GESVJ_PIVOTS : nullptr;
        const int64_t left = A.columns - rank + group.blocks - 1;
        const int own = left > 0 ? (int)(left / group.blocks) : 0;
        near = kept = own < most_kept ? own : most_kept;
        far = own - kept;
        first = waiting = 0;
        x = nullptr;
        scale = make<T>(0);
        __syncthreads(); /* nobody reads the columns before any more */
        for (int c = 0; c < own; c++) {
            const int64_t j = rank + (int64_t)c * group.blocks;
            T *const y = column(c);
            ORR_UNROLL_BY(1)
            for (int64_t i = threadIdx.x; i < A.rows; i += gesvj_threads)
                if (which != GESVJ_SECOND)
                    y[i] = in_global(from.x)[j * from.ld + i];
                else
                    y[i] = i < j ? make<T>(0) : conj(in_global(from.x)[i * from.ld + j]);
        }
        for (int c = (int)threadIdx.x; c < own; c += gesvj_threads) {
            live[c] = c;
            norm[c] = exact[c] = pivots ? (R)here.r.length[rank + c * group.blocks] : 1;
        }
        __syncthreads();
    }

    __device__ __forceinline__ void factor()
    {
        for (int64_t k = 0;; k++) {
            offer(k, next(k));
            const int column = meet(), g = column % group.blocks;
            if (k == A.columns)
                return; /* it is complete, and all know */
            x = offered(g);
            scale = offer_of(g)->scale;
            const T tau = offer_of(g)->tau;
            if (g == rank)
                take(k, column / group.blocks, tau);
            products(k);
            __syncthreads();
            const bool lost = rows(k, tau);
            waiting++;
            if (__syncthreads_or(lost)) {
                measure(k);
                __syncthreads();
            }
            if (waiting == gesvj_qr_delay) {
                update(k);
                waiting = 0;
                first = k + 1;
            }
        }
    }
};

template <class T>
__global__ void __launch_bounds__(gesvj_threads, 1) gesvj_qr_kernel(gesvj_qr_task a)
{
    ORR_DYN_SHARED(memory);
    const int groups = (int)gridDim.x / a.group;
    for (int k = (int)blockIdx.x / a.group; k < a.matrices; k += groups) {
        const gesvj_here<T> here(a.all, (unsigned)k);
        if (!here.finite())
            continue;
        gesvj_qr_block<T> me(a, here, memory);
        for (int which = a.which; which >= 0; which = which == GESVJ_FIRST ? GESVJ_SECOND : -1) {
            me.load(here, which);
            me.factor();
        }
    }
}

} // namespace orr

#endif
