/* A pair of column blocks of gesvj on a device (kernels/gesvj.h): gram, angle, rotate.
 *
 *      [Xp Xq]  --tiles of rows-->  H = [Xp Xq]' [Xp Xq]
 *      H  --Jacobi in shared memory (heevj_core.cuh), sorted-->  G        one thread block a pair
 *      [Xp Xq] := [Xp Xq] G                                               one per tile of rows
 *
 * angle fuses the first two. The rounds of Jacobi follow one another, so a pair takes its time
 * however large the device is; therefore the pairs of a round are launched together, and those of
 * several matrices with them.
 *
 * Threads as 16 x 16 hold rows ti + 16 a and columns tj + 16 b of a product in registers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_GESVJ_PAIR_CUH
#define ORR_CUDA_GESVJ_PAIR_CUH

#include "kernels/cuda/heevj_core.cuh"
#include "kernels/gesvj.h"

namespace orr
{

constexpr int gesvj_threads = 256, gesvj_side = 16;
constexpr int gesvj_inner_sweeps = 2; /* over H, as on CPUs */
constexpr int gesvj_max_order =
    64; /* in double complex, 145 KB of shared memory, which not every device has */

/* Sets of pairs of one launch (kernels/gesvj.h: orr_gesvj_list). By value: they are the kernel's
 * argument, which has 4 KB, and nobody has to free them. */
struct gesvj_list {
    static constexpr int64_t most = 64;
    int64_t blocks, round;
    orr_gesvj_pointers set[most];

    /* What thread block b has, and the bytes of an element. */
    __device__ orr_gesvj_pointers pair(int64_t b, int64_t rows, int nb, size_t element) const
    {
        const int64_t each = blocks / 2;
        return orr_gesvj_pair_of(&set[b / each], blocks, round, b % each, rows, nb,
                                 (int64_t)element);
    }
};

template <class T, int Order> struct gesvj_tile {
    static constexpr int rows = Order / 2, ld = rows + 1; /* odd, against bank conflicts */
    static constexpr int elements = Order * ld;
    static constexpr int across = Order / gesvj_side; /* columns of a product per thread */
    static constexpr int down = rows / gesvj_side;    /* rows of it */
    static constexpr int blocks = Order / 2 * (Order / 2 - 1) / 2; /* of the plan of H */

    static __host__ __device__ size_t plan_bytes() { return sizeof(plan_entry) * blocks; }
    static __host__ __device__ size_t evd_bytes()
    {
        return plan_bytes() +
               jacobi_memory<T>::bytes(round_robin(Order), Order * Order, gesvj_threads);
    }
    /* Behind a tile of a panel: G, its columns one apart from a multiple of the banks. */
    static __host__ __device__ size_t rotate_bytes()
    {
        return jacobi_memory<T>::round16(sizeof(T) * elements) + sizeof(T) * Order * (Order + 1);
    }
};

/* Of H, where a block may have so many bytes of shared memory. */
inline int64_t gesvj_largest_order(orr_type type, int64_t shared)
{
    constexpr int64_t besides = 8 * 1024; /* static memory, at most */
    static size_t (*const bytes[ORR_NTYPES])() = {
        gesvj_tile<float, 64>::evd_bytes, gesvj_tile<double, 64>::evd_bytes,
        gesvj_tile<complex<float>, 64>::evd_bytes, gesvj_tile<complex<double>, 64>::evd_bytes};
    return (int64_t)bytes[type]() + besides <= shared ? gesvj_max_order : gesvj_max_order / 2;
}

/* Rotates what is above tol relative to both columns' lengths. Where the square of a length has
 * lost digits nothing can be said, and nothing is done. Keeps the largest sine. */
template <class R> struct gram_rule {
    R tol, sine;

    __device__ R ratio(R size, R app, R aqq, bool) const
    {
        constexpr R least = machine<R>::safmin / machine<R>::eps;
        return app > least && aqq > least ? size / std::sqrt(app) / std::sqrt(aqq) : (R)0;
    }
    __device__ bool rotates(R size, R app, R aqq, bool relative) const
    {
        return ratio(size, app, aqq, relative) > tol;
    }
    template <class T> __device__ void rotated(const rotation<T> &r)
    {
        sine = std::fmax(sine, std::sqrt(r.beta * (2 - r.beta))); /* beta = 1 - cosine */
    }
};

/* store(i, j, h) for the lower triangle of [..]'[..] of the columns that load(row, column)
 * reads. tile: shared memory, gesvj_tile::elements. */
template <class T, int Order, class Load, class Store>
ORR_DEV void gesvj_products(int64_t rows, T *tile, Load load, Store store)
{
    typedef gesvj_tile<T, Order> S;
    const int ti = (int)threadIdx.x % gesvj_side, tj = (int)threadIdx.x / gesvj_side;
    T h[S::across][S::across];
    ORR_UNROLL
    for (int e = 0; e < S::across * S::across; e++)
        h[e / S::across][e % S::across] = make<T>(0);
    for (int64_t first = 0; first < rows; first += S::rows) {
        for (int e = (int)threadIdx.x; e < S::rows * Order; e += gesvj_threads) {
            const int r = e % S::rows, c = e / S::rows;
            tile[c * S::ld + r] = first + r < rows ? load(first + r, c) : make<T>(0);
        }
        __syncthreads();
        ORR_UNROLL_BY(4)
        for (int r = 0; r < S::rows; r++) {
            ORR_UNROLL
            for (int a = 0; a < S::across; a++) {
                const T x = tile[(ti + gesvj_side * a) * S::ld + r];
                ORR_UNROLL
                for (int b = 0; b <= a; b++)
                    h[a][b] = mad_conj(x, tile[(tj + gesvj_side * b) * S::ld + r], h[a][b]);
            }
        }
        __syncthreads();
    }
    ORR_UNROLL
    for (int a = 0; a < S::across; a++) {
        ORR_UNROLL
        for (int b = 0; b <= a; b++) {
            const int i = ti + gesvj_side * a, j = tj + gesvj_side * b;
            if (i >= j)
                store(i, j, h[a][b]);
        }
    }
}

/* store(row, column, (panel G)(row, column)) for rows first .. first + tile rows of a panel that
 * load(row, column) reads: all of them are read before one is stored. */
template <class T, int Order, class Load, class Store>
ORR_DEV void gesvj_rotate_rows(int64_t first, int64_t rows, T *tile, const T *G, int ldg, Load load,
                               Store store)
{
    typedef gesvj_tile<T, Order> S;
    const int ti = (int)threadIdx.x % gesvj_side, tj = (int)threadIdx.x / gesvj_side;
    T x[S::down][S::across];
    ORR_UNROLL
    for (int e = 0; e < S::down * S::across; e++)
        x[e / S::across][e % S::across] = make<T>(0);
    for (int e = (int)threadIdx.x; e < S::rows * Order; e += gesvj_threads) {
        const int r = e % S::rows, c = e / S::rows;
        tile[c * S::ld + r] = first + r < rows ? load(first + r, c) : make<T>(0);
    }
    __syncthreads();
    ORR_UNROLL_BY(4)
    for (int l = 0; l < Order; l++) {
        ORR_UNROLL
        for (int a = 0; a < S::down; a++) {
            const T p = tile[l * S::ld + ti + gesvj_side * a];
            ORR_UNROLL
            for (int b = 0; b < S::across; b++)
                x[a][b] = mad(p, G[(tj + gesvj_side * b) * ldg + l], x[a][b]);
        }
    }
    ORR_UNROLL
    for (int a = 0; a < S::down; a++) {
        const int64_t r = first + ti + gesvj_side * a;
        ORR_UNROLL
        for (int b = 0; b < S::across; b++)
            if (r < rows)
                store(r, tj + gesvj_side * b, x[a][b]);
    }
    __syncthreads();
}

/* The eigenvectors of the H that was put into w, as columns of w.v that belong in the order
 * w.rank, unless nothing is above tol. Everybody gets the record. Columns from `columns` on are
 * padding and stay behind the others. */
template <class T, int Order>
ORR_DEV orr_gesvj_seen gesvj_evd(const jacobi_memory<T> &w, const round_robin &o,
                                 const plan_entry *plan, int columns, real_of<T> tol)
{
    typedef real_of<T> R;
    const team<gesvj_threads> me;
    gram_rule<R> rule = {tol, 0};
    if (me.rank() == 0)
        *w.indefinite = 0;
    __syncthreads(); /* H, and the plan */
    orr_gesvj_seen seen;
    seen.off = (double)off_diagonal(me, w, o, 0, rule, plan);
    seen.rotated = seen.off > (double)tol;
    seen.sine = 0;
    if (!seen.rotated)
        return seen;
    shared_vectors<T, team<gesvj_threads>> vectors(me, w.v, Order, o);
    int now;
    (void)jacobi_sweeps(me, w, o, plan, vectors, rule, gesvj_inner_sweeps, true, &now);
    w.scratch[me.rank()] = rule.sine;
    sort_diagonal(me, w, o, now, columns, true); /* ends with a barrier */
    R sine = 0;
    for (int i = 0; i < gesvj_threads; i++)
        sine = std::fmax(sine, w.scratch[i]);
    seen.sine = (double)sine;
    return seen;
}

/* The shared memory of a block that solves an H. */
template <class T, int Order> struct gesvj_work {
    const round_robin order;
    plan_entry *const plan;
    const jacobi_memory<T> w;

    __device__ explicit gesvj_work(unsigned char *shared)
        : order(Order), plan((plan_entry *)shared),
          w(shared + gesvj_tile<T, Order>::plan_bytes(), order, Order * Order, gesvj_threads)
    {
        for (int b = (int)threadIdx.x; b < order.blocks; b += gesvj_threads)
            plan[b] = order.plan(b);
    }
};

/* Column c of a pair, of `rows` rows. */
template <class T, int Order>
ORR_DEV T *gesvj_column(const orr_gesvj_pointers &x, int64_t rows, int c)
{
    return c < Order / 2 ? (T *)x.xp + c * rows : (T *)x.xq + (c - Order / 2) * rows;
}

/* 1: both are columns of one block, which is diagonal but for a sweep's first round. */
template <int Order> ORR_DEV bool gesvj_known_zero(int full, int i, int j)
{
    return !full && i != j && i / (Order / 2) == j / (Order / 2);
}

template <class T, int Order>
__global__ void __launch_bounds__(gesvj_threads, 1)
    gesvj_gram_kernel(gesvj_list list, int64_t rows, int full)
{
    ORR_DYN_SHARED(shared);
    const orr_gesvj_pointers x = list.pair(blockIdx.x, rows, Order / 2, sizeof(T));
    gesvj_products<T, Order>(
        rows, (T *)shared, [&](int64_t r, int c) { return gesvj_column<T, Order>(x, rows, c)[r]; },
        [&](int i, int j, T h) {
            ((T *)x.H)[j * Order + i] = gesvj_known_zero<Order>(full, i, j) ? make<T>(0) : h;
        });
}

template <class T, int Order>
__global__ void __launch_bounds__(gesvj_threads, 1)
    gesvj_angle_kernel(gesvj_list list, int64_t rows, int full, real_of<T> tol)
{
    ORR_DYN_SHARED(shared);
    const orr_gesvj_pointers x = list.pair(blockIdx.x, rows, Order / 2, sizeof(T));
    const gesvj_work<T, Order> work(shared);
    const jacobi_memory<T> &w = work.w;
    gesvj_products<T, Order>(
        rows, w.v, [&](int64_t r, int c) { return gesvj_column<T, Order>(x, rows, c)[r]; },
        [&](int i, int j, T h) {
            put(w, work.order, i, j, gesvj_known_zero<Order>(full, i, j) ? make<T>(0) : h);
        });
    const orr_gesvj_seen seen = gesvj_evd<T, Order>(w, work.order, work.plan, Order, tol);
    T *const G = (T *)((char *)x.rotation + ORR_GESVJ_G_OFFSET);
    for (int e = (int)threadIdx.x; seen.rotated && e < Order * Order; e += gesvj_threads)
        G[w.rank[e / Order] * Order + e % Order] = w.v[e];
    if (threadIdx.x == 0) {
        orr_gesvj_seen all;
        all.off = all.sine = 0;
        all.rotated = 0;
        if (!full)
            all = *x.seen;
        orr_gesvj_join(&all, &seen);
        *x.seen = all;
        *(orr_gesvj_seen *)x.rotation = seen;
    }
}

template <class T, int Order> __host__ __device__ unsigned gesvj_tiles(int64_t rows)
{
    return (unsigned)((rows + gesvj_tile<T, Order>::rows - 1) / gesvj_tile<T, Order>::rows);
}

/* Blocks: the tiles of rows of the first pair, of the second, ... */
template <class T, int Order>
__global__ void __launch_bounds__(gesvj_threads, 1)
    gesvj_rotate_kernel(gesvj_list list, int64_t rows)
{
    typedef gesvj_tile<T, Order> S;
    ORR_DYN_SHARED(shared);
    const unsigned tiles = gesvj_tiles<T, Order>(rows), tile_number = blockIdx.x % tiles;
    const orr_gesvj_pointers x = list.pair(blockIdx.x / tiles, rows, Order / 2, sizeof(T));
    if (!((const orr_gesvj_seen *)x.rotation)->rotated)
        return;
    const T *const from = (const T *)((const char *)x.rotation + ORR_GESVJ_G_OFFSET);
    T *const tile = (T *)shared;
    T *const G = (T *)(shared + jacobi_memory<T>::round16(sizeof(T) * S::elements));
    for (int e = (int)threadIdx.x; e < Order * Order; e += gesvj_threads)
        G[e / Order * (Order + 1) + e % Order] = from[e];
    gesvj_rotate_rows<T, Order>(
        (int64_t)tile_number * S::rows, rows, tile, G, Order + 1,
        [&](int64_t r, int c) { return gesvj_column<T, Order>(x, rows, c)[r]; },
        [&](int64_t r, int c, T y) { gesvj_column<T, Order>(x, rows, c)[r] = y; });
}

} // namespace orr

#endif
