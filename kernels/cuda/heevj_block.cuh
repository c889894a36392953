/* orr_heevj_block_*_cuda: one-sided block Jacobi, sweep by sweep (kernels/heevj_block.h).
 *
 * A sweep is np/nb - 1 rounds, a kernel each; in a round a thread block has one pair (p,q) of
 * one active matrix to itself and fuses what the pair needs (Huang, Liu, Zhao 2023, 3.2):
 *
 *      rows of [Qp Qq], [Gp Gq]  --tiles, double buffered-->  H = [Qp Qq]' [Gp Gq]
 *      H  --Jacobi in shared memory (heevj_core.cuh), sorted-->  J
 *      the same tiles once more, times J, written back in place
 *
 * The grid is made for all matrices of the chunk, because only the device knows how many are
 * active: surplus blocks read one number and leave. Pairs whose H is diagonal to tolerance
 * leave after the first pass.
 *
 * "Diagonal" means |h_ij| <= 4 tol |A|_F: G = A Q carries errors of eps |A|_F, in every column,
 * so a test relative to the diagonal could not be met. The norm is measured at the start of a
 * sweep, and kept in info.residual until its end.
 *
 * The tiles are multiplied with ordinary multiply-adds. Double-precision tensor cores would
 * double the peak of that part, but need each product split by real and imaginary part into
 * m8n8k4 fragments, by inline assembly that no emulator runs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HEEVJ_BLOCK_CUH
#define ORR_CUDA_HEEVJ_BLOCK_CUH

#include "kernels/cuda/heevj_jacobi.cuh"
#include "kernels/heevj_block.h"
#include "kernels/heevj_block_nb.h"

namespace orr
{

/* Sweeps over H per pair. A second one saves outer sweeps only where n is large; H is nearly
 * diagonal after the first few outer sweeps anyway. */
constexpr int heevj_inner_sweeps = 1;

template <class T> struct heevj_tiles {
    static constexpr int nb = ORR_HEEVJ_NB, width = 2 * nb, threads = 128;
    static constexpr int rows = sizeof(T) == 16 ? 16 : 32; /* per tile */
    static constexpr int ld = rows + 1, ldj = width + 1;   /* against bank conflicts */
    static constexpr int tile = width * ld;                /* elements, of G or of Q */
    static constexpr int blocks = nb * (width - 2) / 2;    /* of the plan of H */
    static constexpr size_t tiles_bytes = 4 * tile * sizeof(T);

    static __host__ __device__ size_t plan_bytes() { return sizeof(plan_entry) * blocks; }
    static __host__ __device__ size_t j_bytes()
    {
        return jacobi_memory<T>::round16(sizeof(T) * width * ldj);
    }
    static size_t bytes()
    {
        const size_t work = jacobi_memory<T>::bytes(round_robin(width), width * width, threads);
        return plan_bytes() + j_bytes() + (work > tiles_bytes ? work : tiles_bytes);
    }
};

constexpr int heevj_matrix_threads = 256; /* of the kernels with a block per matrix */

inline shape heevj_block_per_matrix(const orr_heevj_args &a, size_t shared = 0)
{
    return {dim3((unsigned)a.count), dim3(heevj_matrix_threads), shared};
}
template <class T> shape heevj_block_round_shape(const orr_heevj_args &a)
{
    const int64_t pairs = orr_heevj_block_round_up(a.n) / ORR_HEEVJ_NB / 2;
    return {dim3((unsigned)(a.count * pairs)), dim3(heevj_tiles<T>::threads),
            heevj_tiles<T>::bytes()};
}
template <class T> shape heevj_block_finish_shape(const orr_heevj_args &a)
{
    const size_t np =
        (size_t)((a.n + 2 * ORR_HEEVJ_NB - 1) / (2 * ORR_HEEVJ_NB)) * 2 * ORR_HEEVJ_NB;
    return heevj_block_per_matrix(a, np * (sizeof(double) + 2 * sizeof(int)));
}

/* The place of this thread among those with keep, and how many there are. */
ORR_DEV int block_rank(bool keep, int *total)
{
    ORR_SHARED(int, warps, heevj_matrix_threads / 32);
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const unsigned votes = __ballot_sync(0xffffffffu, keep);
    if (lane == 0)
        warps[warp] = __popc(votes);
    __syncthreads();
    int before = __popc(votes & ((1u << lane) - 1));
    *total = 0;
    for (int i = 0; i < heevj_matrix_threads / 32; i++) {
        before += i < warp ? warps[i] : 0;
        *total += warps[i];
    }
    __syncthreads();
    return before;
}

template <class T>
__global__ void __launch_bounds__(heevj_matrix_threads)
    heevj_block_start_kernel(orr_heevj_args args, const T *a, T *G, T *Q, double *scale,
                             orr_matrix_info *info)
{
    typedef real_of<T> R;
    ORR_SHARED(R, scratch, heevj_matrix_threads);
    const team<heevj_matrix_threads> me;
    const int n = (int)args.n, np = (int)orr_heevj_block_round_up(n);
    const int64_t k = blockIdx.x;
    a += k * args.stride;
    G += k * np * np;
    Q += k * np * np;
    bool finite;
    const int e =
        clamp_exponent<R>(screen(me, a, n, args.ld, args.upper != 0, true, scratch, &finite));
    double squares = 0;
    for (int j = 0; finite && j < np; j++)
        for (int i = me.rank(); i < np; i += heevj_matrix_threads) {
            T x = make<T>(0);
            if (i < n && j < n) {
                const bool stored = args.upper ? i <= j : i >= j;
                x = scale2(stored ? a[j * args.ld + i] : conj(a[i * args.ld + j]), -e);
                if (i == j)
                    x = make<T>(real(x));
                const double re = (double)real(x), im = (double)imag(x);
                squares = std::fma(re, re, std::fma(im, im, squares));
            }
            G[(int64_t)j * np + i] = x;
            Q[(int64_t)j * np + i] = make<T>(i == j);
        }
    squares = block_sum<heevj_matrix_threads>(squares);
    if (me.rank() == 0) {
        const double nan = quiet_nan<double>();
        orr_matrix_info out;
        out.status = finite ? ORR_OK : ORR_NONFINITE;
        out.sweeps = 0;
        out.method = ORR_METHOD_BLOCK;
        out.device = 1;
        out.off = finite ? 0 : nan;
        out.residual = out.orthogonality = nan;
        out.norm = finite ? std::ldexp(std::sqrt(squares), e) : nan;
        info[k] = out;
        scale[k] = finite ? std::ldexp(1.0, -e) : 0;
    }
}

/* One block: the active list of a fresh chunk. */
static __global__ void __launch_bounds__(heevj_matrix_threads)
    heevj_block_list_kernel(orr_heevj_args args, const double *scale, int32_t *active)
{
    const int count = (int)args.count;
    int kept = 0;
    for (int first = 0; first < count; first += heevj_matrix_threads) {
        const int k = first + (int)threadIdx.x;
        const bool keep = k < count && args.n > 0 && scale[k] != 0;
        int total;
        const int place = block_rank(keep, &total);
        if (keep)
            active[2 + kept + place] = k;
        if (k < count)
            active[2 + count + k] = 0;
        kept += total;
    }
    if (threadIdx.x == 0) {
        active[0] = kept;
        active[1] = 0;
    }
}

/* One block: drops who is done. Entries only move to the front, behind where they are read. */
static __global__ void __launch_bounds__(heevj_matrix_threads)
    heevj_block_compact_kernel(orr_heevj_args args, int32_t *active, orr_matrix_info *info)
{
    const int count = (int)args.count, listed = active[0], done = active[1] + 1;
    const int limit = args.max_sweeps > 0 ? args.max_sweeps : heevj_default_sweeps;
    int kept = 0;
    for (int first = 0; first < listed; first += heevj_matrix_threads) {
        const int i = first + (int)threadIdx.x;
        const int k = i < listed ? active[2 + i] : 0;
        const bool rotated = i < listed && active[2 + count + k] != 0;
        const bool keep = rotated && done < limit;
        if (rotated && !keep)
            info[k].status = ORR_NOCONV;
        int total;
        const int place = block_rank(keep, &total); /* a barrier: all have read their entry */
        if (keep)
            active[2 + kept + place] = k;
        kept += total;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        active[0] = kept;
        active[1] = done;
    }
}

/* Before the rounds of a sweep: flags and the norm, |G|_F = |A|_F as Q is unitary. */
template <class T>
__global__ void __launch_bounds__(heevj_matrix_threads)
    heevj_block_begin_kernel(orr_heevj_args args, const T *G, int32_t *active,
                             orr_matrix_info *info)
{
    if ((int)blockIdx.x >= active[0])
        return;
    const int k = active[2 + blockIdx.x];
    const int64_t np = orr_heevj_block_round_up(args.n);
    G += (int64_t)k * np * np;
    double squares = 0;
    for (int64_t e = threadIdx.x; e < np * np; e += heevj_matrix_threads) {
        const double re = (double)real(G[e]), im = (double)imag(G[e]);
        squares = std::fma(re, re, std::fma(im, im, squares));
    }
    squares = block_sum<heevj_matrix_threads>(squares);
    if (threadIdx.x == 0) {
        info[k].off = 0;
        info[k].residual = std::sqrt(squares);
        active[2 + args.count + k] = 0;
    }
}

/* After them: who rotated counts a sweep. */
static __global__ void heevj_block_end_kernel(orr_heevj_args args, const int32_t *active,
                                              orr_matrix_info *info)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= active[0])
        return;
    const int k = active[2 + i];
    info[k].residual = quiet_nan<double>();
    if (active[2 + args.count + k])
        info[k].sweeps = active[1] + 1;
}

/* The two column blocks of pair `pair` in round `round`, p < q. */
ORR_DEV void heevj_block_pair(int blocks, int round, int pair, int *p, int *q)
{
    const int ring = blocks - 1, a = (round + pair) % ring;
    const int b = pair == 0 ? ring : (round - pair + ring) % ring;
    *p = a < b ? a : b;
    *q = a < b ? b : a;
}

/* Starts the copies of tile `t` of [Gp Gq] and [Qp Qq] into buffer[0] and buffer[tile]. */
template <class T>
ORR_DEV void load_tile(T *buffer, const T *G, const T *Q, int np, int p, int q, int t)
{
    typedef heevj_tiles<T> S;
    for (int e = (int)threadIdx.x; e < S::rows * S::width; e += S::threads) {
        const int r = e % S::rows, c = e / S::rows;
        const int column = c < S::nb ? p * S::nb + c : q * S::nb + c - S::nb;
        const int64_t from = (int64_t)column * np + t * S::rows + r;
        copy_async<(int)sizeof(T)>(buffer + c * S::ld + r, G + from);
        copy_async<(int)sizeof(T)>(buffer + S::tile + c * S::ld + r, Q + from);
    }
}

/* step(buffer, t) for every tile, the next one being on its way meanwhile. */
template <class T, class Step>
ORR_DEV void for_each_tile(T *tiles, const T *G, const T *Q, int np, int p, int q, Step step)
{
    typedef heevj_tiles<T> S;
    const int count = np / S::rows;
    load_tile(tiles, G, Q, np, p, q, 0);
    copy_commit();
    for (int t = 0; t < count; t++) {
        if (t + 1 < count)
            load_tile(tiles + (t + 1) % 2 * 2 * S::tile, G, Q, np, p, q, t + 1);
        copy_commit();
        copy_wait<1>();
        __syncthreads();
        step((const T *)(tiles + t % 2 * 2 * S::tile), t);
        __syncthreads();
    }
}

/* J's columns sorted by descending diagonal; those of padding stay where they are. */
template <class T>
ORR_DEV void heevj_block_sort(const jacobi_memory<T> &w, const round_robin &o, int now,
                              unsigned padding)
{
    typedef heevj_tiles<T> S;
    const int j = (int)threadIdx.x;
    if (j < S::width && (padding >> j & 1))
        w.rank[j] = j;
    else if (j < S::width) {
        int before = 0, slot = 0;
        const real_of<T> dj = w.d(now)[o.position(j)];
        for (int i = 0; i < S::width; i++) {
            const real_of<T> di = w.d(now)[o.position(i)];
            before += !(padding >> i & 1) && (di > dj || (di == dj && i < j));
        }
        /* The slot that `before` slots that are not padding precede. */
        while ((padding >> slot & 1) || before > 0) {
            before -= !(padding >> slot & 1);
            slot++;
        }
        w.rank[j] = slot;
    }
    __syncthreads();
}

template <class T>
__global__ void __launch_bounds__(heevj_tiles<T>::threads)
    heevj_block_round_kernel(orr_heevj_args args, int round, T *G, T *Q, int32_t *active,
                             orr_matrix_info *info)
{
    typedef heevj_tiles<T> S;
    typedef real_of<T> R;
    const int np = (int)orr_heevj_block_round_up(args.n), blocks = np / S::nb;
    const int slot = (int)(blockIdx.x / (unsigned)(blocks / 2));
    if (slot >= active[0])
        return;
    const int k = active[2 + slot];
    G += (int64_t)k * np * np;
    Q += (int64_t)k * np * np;
    int p, q;
    heevj_block_pair(blocks, round, (int)(blockIdx.x % (unsigned)(blocks / 2)), &p, &q);

    ORR_DYN_SHARED(shared);
    ORR_SHARED(unsigned, padding, 1);
    plan_entry *const plan = (plan_entry *)shared;
    T *const J = (T *)(shared + S::plan_bytes());
    unsigned char *const work = shared + S::plan_bytes() + S::j_bytes();
    T *const tiles = (T *)work;
    const team<S::threads> me;
    const round_robin order(S::width);
    for (int b = me.rank(); b < order.blocks; b += S::threads)
        plan[b] = order.plan(b);
    if (me.rank() == 0)
        *padding = 0;
    __syncthreads();
    /* A column of Q is padding if it has an entry in the rows from n on. */
    for (int e = me.rank(); e < S::width * (np - (int)args.n); e += S::threads) {
        const int c = e % S::width, i = (int)args.n + e / S::width;
        const int column = c < S::nb ? p * S::nb + c : q * S::nb + c - S::nb;
        if (max_part(Q[(int64_t)column * np + i]) > 0)
            atomicOr(padding, 1u << c);
    }

    /* Threads as 16 x 8: rows ti + 16 a and columns tj + 8 b of a product. A warp covers
     * 8 x 4 of them, so that it reads 8 and 4 different elements at a time. */
    const int lane = me.rank() % 32, warp = me.rank() / 32;
    const int ti = lane % 8 + 8 * (warp % 2), tj = lane / 8 + 4 * (warp / 2);

    T h[2][4];
    ORR_UNROLL
    for (int e = 0; e < 8; e++)
        h[e / 4][e % 4] = make<T>(0);
    for_each_tile(tiles, (const T *)G, (const T *)Q, np, p, q, [&](const T *tile, int) {
        const T *const g = tile + tj * S::ld, *const v = tile + S::tile + ti * S::ld;
        ORR_UNROLL_BY(4)
        for (int r = 0; r < S::rows; r++) {
            ORR_UNROLL
            for (int a = 0; a < 2; a++) {
                ORR_UNROLL
                for (int b = 0; b < 4; b++)
                    h[a][b] = mad_conj(v[16 * a * S::ld + r], g[8 * b * S::ld + r], h[a][b]);
            }
        }
    });
    ORR_UNROLL
    for (int e = 0; e < 8; e++)
        J[(tj + 8 * (e % 4)) * S::ldj + ti + 16 * (e / 4)] = h[e / 4][e % 4];
    __syncthreads();

    /* The mean of h_ij and conj(h_ji): the rounding errors of both are not the same. */
    const jacobi_memory<T> w(work, order, S::width * S::width, S::threads);
    const R floor = 4 * (R)info[k].residual, tol = args.tol > 0 ? (R)args.tol : machine<R>::eps;
    R most = 0;
    for (int e = me.rank(); e < S::width * S::width; e += S::threads) {
        const int i = e % S::width, j = e / S::width;
        if (i < j)
            continue;
        const T x = J[j * S::ldj + i], y = conj(J[i * S::ldj + j]);
        const T mean = make<T>((real(x) + real(y)) / 2, (imag(x) + imag(y)) / 2);
        put(w, order, i, j, mean);
        T unit;
        if (i != j && max_part(mean) > 0)
            most = std::fmax(most, modulus(mean, unit));
    }
    shared_vectors<T, team<S::threads>> vectors(me, w.v, S::width, order);
    w.scratch[me.rank()] = most;
    __syncthreads();
    for (int c = 0; c < S::threads; c++)
        most = std::fmax(most, w.scratch[c]);
    if (me.rank() == 0 && floor > 0)
        atomicMax((unsigned long long *)&info[k].off,
                  (unsigned long long)__double_as_longlong((double)(most / floor)));
    if (!(most > tol * floor))
        return;
    if (me.rank() == 0)
        active[2 + args.count + k] = 1;

    hermitian_rule<R> rule = {tol, floor, tol * floor / 2};
    int now;
    (void)jacobi_sweeps(me, w, order, plan, vectors, rule, heevj_inner_sweeps, true, &now);
    heevj_block_sort(w, order, now, *padding);
    for (int e = me.rank(); e < S::width * S::width; e += S::threads)
        J[w.rank[e / S::width] * S::ldj + e % S::width] = w.v[e];
    __syncthreads(); /* the tiles overwrite w */

    constexpr int across = 2 * S::rows / 16; /* rows of a tile of G over one of Q, per thread */
    for_each_tile(tiles, (const T *)G, (const T *)Q, np, p, q, [&](const T *tile, int t) {
        T x[across][4];
        ORR_UNROLL
        for (int e = 0; e < 4 * across; e++)
            x[e / 4][e % 4] = make<T>(0);
        ORR_UNROLL_BY(4)
        for (int c = 0; c < S::width; c++) {
            ORR_UNROLL
            for (int a = 0; a < across; a++) {
                const int r = ti + 16 * a;
                const T y = tile[r < S::rows ? c * S::ld + r : S::tile + c * S::ld + r - S::rows];
                ORR_UNROLL
                for (int b = 0; b < 4; b++)
                    x[a][b] = mad(y, J[(tj + 8 * b) * S::ldj + c], x[a][b]);
            }
        }
        ORR_UNROLL
        for (int e = 0; e < 4 * across; e++) {
            const int r = ti + 16 * (e / 4), c = tj + 8 * (e % 4);
            const int column = c < S::nb ? p * S::nb + c : q * S::nb + c - S::nb;
            T *const to = (r < S::rows ? G + r : Q + r - S::rows) + t * S::rows;
            to[(int64_t)column * np] = x[e / 4][e % 4];
        }
    });
}

template <class T>
__global__ void __launch_bounds__(heevj_matrix_threads)
    heevj_block_finish_kernel(orr_heevj_args args, const T *G, const T *Q, const double *scale,
                              T *a, real_of<T> *values)
{
    typedef real_of<T> R;
    ORR_DYN_SHARED(shared);
    const int n = (int)args.n, np = (int)orr_heevj_block_round_up(n);
    R *const d = (R *)shared;
    int *const rank = (int *)(shared + sizeof(double) * (size_t)np); /* -1: padding */
    int *const padded = rank + np;
    const int me = (int)threadIdx.x, lane = me % 32;
    const int64_t k = blockIdx.x;
    G += k * np * np;
    Q += k * np * np;
    a += k * args.stride;
    values += k * args.ldw;
    if (scale[k] == 0) {
        const R nan = quiet_nan<R>();
        for (int j = 0; j < n; j++)
            for (int i = me; i < n; i += heevj_matrix_threads)
                a[j * args.ld + i] = make<T>(nan, nan);
        for (int j = me; j < n; j += heevj_matrix_threads)
            values[j] = nan;
        return;
    }
    int e;
    (void)std::frexp(scale[k], &e); /* scale = 2^(e-1) */

    /* w_j = Re(q_j' g_j), a warp per column. */
    for (int j = me / 32; j < np; j += heevj_matrix_threads / 32) {
        const T *const q = Q + (int64_t)j * np, *const g = G + (int64_t)j * np;
        bool padding = false;
        for (int i = n + lane; i < np; i += 32)
            padding = padding || max_part(q[i]) > 0;
        R sum = 0;
        for (int i = lane; i < n; i += 32)
            sum = std::fma(real(q[i]), real(g[i]), std::fma(imag(q[i]), imag(g[i]), sum));
        for (int far = 16; far > 0; far /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, far);
        padding = __any_sync(0xffffffffu, padding);
        if (lane == 0) {
            d[j] = sum;
            padded[j] = padding;
        }
    }
    __syncthreads();
    for (int j = me; j < np; j += heevj_matrix_threads) {
        rank[j] = -1;
        if (padded[j])
            continue;
        int before = 0;
        for (int i = 0; i < np; i++)
            before += !padded[i] && (d[i] < d[j] || (d[i] == d[j] && i < j));
        rank[j] = before;
        values[before] = scale2(d[j], 1 - e) + (R)0;
    }
    __syncthreads();
    for (int j = 0; args.vectors && j < np; j++)
        for (int i = me; rank[j] >= 0 && i < n; i += heevj_matrix_threads)
            a[rank[j] * args.ld + i] = Q[(int64_t)j * np + i];
}

} // namespace orr

#endif
