/* Householder QR of a panel on a device (kernels/panel.h): one launch, thread blocks that are all
 * resident and have its rows in shared memory, and for each column
 *
 *     meet     every block's sums of A(i,k)' A(i,j) over its rows i below j, for all columns k; from
 *              them, in the same order and so with the same bits, each block has the norm of
 *              column j, its reflector's products with the columns behind it, and V'v, which S wants
 *     pass     each block takes the reflector off its rows, and forms the sums of column j + 1
 *
 * so blocks wait for each other once to a column. Row j is told with the sums, by the block that has
 * it. A(:,j) stays as it is until the end, V(:,j) = scale[j] A(:,j); block 0 also makes R. While blocks
 * would wait for the others they make S.
 *
 * How blocks tell each other is a parameter: through memory, any number of them and S by block 0 (`panel_apart`, below), or as
 * a cluster (panel_cluster.cuh).
 *
 * Columns are scaled by powers of two, which neither V nor S feels: each by its largest entry when the
 * panel comes, and once more where what is left of it has become so small that squares would lose
 * digits (then blocks meet once more).
 *
 * In shared memory rows are `columns | 1` apart: lanes are at columns of a row when they compute, and
 * at rows of a column when they load.
 *
 * Source: C. Bischof, C. Van Loan, SIAM J. Sci. Stat. Comput. 8(1), s2-s13, 1987 (I - V S V');
 * R. Schreiber, C. Van Loan, 10(1), 53-57, 1989; LAPACK's larfg, larft.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_PANEL_CUH
#define ORR_CUDA_PANEL_CUH

#include "kernels/cuda/chase.cuh"

namespace orr
{

constexpr int panel_threads = 256, panel_warps = panel_threads / 32;
constexpr int panel_groups = 4, panel_most_columns = 32 * panel_groups; /* 32 columns to a group */
constexpr int64_t panel_least_rows = 128; /* of a block, if there is another */

template <class T> struct panel_task {
    int64_t m;
    int columns, reflectors, blocks;
    int rows, parts; /* rows: of a block; parts: entries of `across` */
    T *q;
    int64_t ldq;
    T *r;
    int64_t ldr;
    T *s;
    int64_t lds;
    T *sums;    /* [2][blocks][columns + 1] */
    T *row;     /* [2][columns] */
    int *words; /* [blocks] zero: how often each has come to meet the others */
    orr_stall *told;

    static constexpr int stalls = ORR_STALL_PANEL;
    __device__ int *ticket() const { return words + blocks; } /* nobody takes one */
    __device__ const int *first_word() const { return words; }
    __device__ int64_t words_apart() const { return 1; }
    __device__ int64_t first_sweep() const { return 0; }
};

/* Of sums over warps, or over parts of the blocks. */
inline int panel_parts(int columns)
{
    const int n = columns + 1, parts = panel_threads / n;
    return (parts > panel_warps ? parts : panel_warps) * n;
}
template <class T, template <class> class Others>
size_t panel_bytes(int64_t rows, int columns, int blocks)
{
    return ((size_t)Others<T>::elements(columns, blocks) + (size_t)rows * (size_t)(columns | 1) +
            (size_t)panel_parts(columns) + 5 * (size_t)columns + 1) *
               sizeof(T) +
           (size_t)columns * sizeof(int);
}

template <class R> ORR_DEV R panel_larger(R x, R y) { return y > x ? y : x; }

/* Blocks that tell each other through memory. Two halves are enough: who tells its next sums has met the
 * others, so they have read the sums before. */
template <class T> struct panel_apart {
    const panel_task<T> &a;

    static __host__ __device__ int elements(int, int) { return 0; } /* of shared memory */
    __device__ __forceinline__ panel_apart(const panel_task<T> &task, T *) : a(task) {}
    /* Where this block tells its sums, and a row. */
    __device__ __forceinline__ T *sums(int half) const
    {
        return a.sums + ((int64_t)half * a.blocks + blockIdx.x) * (a.columns + 1);
    }
    __device__ __forceinline__ T *row(int half) const { return a.row + half * a.columns; }
    /* What block g has told there, and what the block that has row j has. */
    __device__ __forceinline__ T sum_of(int half, int g, int k) const
    {
        return a.sums[((int64_t)half * a.blocks + g) * (a.columns + 1) + k];
    }
    __device__ __forceinline__ T row_of(int half, int, int k) const { return row(half)[k]; }
    /* All that this block has told so far, `met` times, is there; the others have told as much. */
    __device__ __forceinline__ void come(int met) const
    {
        publish(block_team<>(), a.words + blockIdx.x, met);
    }
    __device__ __forceinline__ void wait(int met) const
    {
        bool late = false;
        for (int g = (int)threadIdx.x; g < a.blocks; g += panel_threads) {
            stop_watch watch;
            int seen = 0;
            while ((seen = ld_acquire(a.words + g)) < met && !late) {
                ORR_SPIN_YIELD();
                late = watch.over();
            }
            if (late)
                give_up(a, a.words + g, met, seen);
        }
        if (__syncthreads_or(late))
            ORR_TRAP();
    }
    /* The row of S that this thread makes, and where; a.reflectors: none. */
    __device__ __forceinline__ int row_of_s() const
    {
        return blockIdx.x == 0 ? (int)threadIdx.x : a.reflectors;
    }
    __device__ __forceinline__ T &s(int i, int j) const { return a.s[i + j * a.lds]; }
    /* The end: S goes to its place; others may read what this block has told until leave() is over. */
    __device__ __forceinline__ void store() const {}
    __device__ __forceinline__ void leave() const {}
};

/* A block and its share of the panel. */
template <class T, template <class> class Others> struct panel_block {
    typedef real_of<T> R;
    /* Rows of a lane in flight. */
    static constexpr int batch = sizeof(T) > 8 ? 2 : 4;

    const panel_task<T> &a;
    const Others<T> others;
    T *tile;    /* [rows][ld] */
    T *across;  /* sums of warps or parts */
    T *sum;     /* [columns + 1] of all blocks; the last: the largest entry of the column below */
    T *row;     /* [columns] row j of the panel */
    T *minus;   /* [columns] column k gets minus[k] A(:,j); 0: it is done */
    T *scale;   /* [columns] */
    T *inner;   /* [columns] V'v */
    int *shift; /* [columns] of a power of two */
    int64_t first;
    int rows, n, ld, met;

    __device__ __forceinline__ panel_block(const panel_task<T> &task, unsigned char *memory)
        : a(task), others(task, (T *)memory), first((int64_t)blockIdx.x * task.rows),
          n(task.columns), ld(task.columns | 1), met(0)
    {
        rows = (int)(a.m - first < a.rows ? a.m - first : a.rows);
        tile = (T *)memory + Others<T>::elements(n, a.blocks);
        across = tile + (int64_t)a.rows * ld;
        sum = across + a.parts;
        row = sum + n + 1;
        minus = row + n;
        scale = minus + n;
        inner = scale + n;
        shift = (int *)(inner + n);
    }

    /* What all say of column k: sums, of the last one and of all before the first reflector the
     * largest. */
    __device__ __forceinline__ T join(T x, T y, int k, bool largest) const
    {
        return largest || k == n ? make<T>(panel_larger(real(x), real(y))) : plus(x, y);
    }

    /* `across` has this block's, by warps; j: the row that is told, by the block that has it, -1: none. */
    __device__ __forceinline__ void tell(int j, bool largest)
    {
        const int t = (int)threadIdx.x, half = met % 2;
        __syncthreads();
        if (t <= n) {
            T x = across[t];
            for (int w = 1; w < panel_warps; w++)
                x = join(x, across[w * (n + 1) + t], t, largest);
            others.sums(half)[t] = x;
        }
        if (t < n && j >= first && j < first + rows)
            others.row(half)[t] = tile[(int)(j - first) * ld + t];
        met++;
        others.come(met);
    }

    /* The sums of all blocks, and the row. */
    __device__ __forceinline__ void meet(int j, bool largest)
    {
        const int t = (int)threadIdx.x, parts = panel_threads / (n + 1);
        const int part = t / (n + 1), k = t % (n + 1), half = (met - 1) % 2;
        others.wait(met);
        if (part < parts) {
            T x = make<T>(0);
            ORR_UNROLL_BY(4)
            for (int g = part; g < a.blocks; g += parts)
                x = join(x, others.sum_of(half, g, k), k, largest);
            across[part * (n + 1) + k] = x;
        }
        if (t < n && j >= 0)
            row[t] = others.row_of(half, j, t);
        __syncthreads();
        if (t <= n) {
            T x = across[t];
            for (int p = 1; p < parts; p++)
                x = join(x, across[p * (n + 1) + t], t, largest);
            sum[t] = x;
        }
        __syncthreads();
    }

    /* The largest entries of columns; the panel comes. */
    __device__ __forceinline__ void load()
    {
        R most[panel_groups] = {};
        const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
        for (int e = (int)threadIdx.x; e < rows * n; e += panel_threads)
            tile[e % rows * ld + e / rows] = a.q[e / rows * a.ldq + first + e % rows];
        __syncthreads();
        for (int i = warp; i < rows; i += panel_warps)
            ORR_UNROLL
        for (int c = 0; c < panel_groups; c++)
            if (lane + 32 * c < n)
                most[c] = panel_larger(most[c], max_part(tile[i * ld + lane + 32 * c]));
        ORR_UNROLL
        for (int c = 0; c < panel_groups; c++)
            if (lane + 32 * c < n)
                across[warp * (n + 1) + lane + 32 * c] = make<T>(most[c]);
        if (lane == 0)
            across[warp * (n + 1) + n] = make<T>(0);
    }

    /* Powers of two that bring columns near one. */
    __device__ __forceinline__ void scale_columns()
    {
        constexpr R huge = sizeof(R) == 4 ? (R)FLT_MAX : (R)DBL_MAX;
        const int t = (int)threadIdx.x;
        if (t < n) {
            const R most = real(sum[t]);
            int exponent = 0;
            if (most > 0 && most <= huge)
                (void)std::frexp(most, &exponent);
            shift[t] = -exponent;
        }
        __syncthreads();
        for (int e = t; e < rows * n; e += panel_threads) {
            T &x = tile[e / n * ld + e % n];
            x = scale2(x, shift[e % n]);
        }
        __syncthreads();
    }

    /* Column j once more; nobody has added anything to what is above row j. */
    __device__ __forceinline__ void scale_column(int j, R most)
    {
        int exponent = 0;
        (void)std::frexp(most, &exponent);
        const int begin = j > first ? (int)(j - first) : 0;
        for (int i = begin + (int)threadIdx.x; i < rows; i += panel_threads)
            tile[i * ld + j] = scale2(tile[i * ld + j], -exponent);
        if (threadIdx.x == 0)
            shift[j] -= exponent;
        __syncthreads();
    }

    /* Takes minus[k] A(:,from) to every column k (from < 0: nothing), and forms the sums of column
     * j = `from` + 1, or j. */
    __device__ __forceinline__ void pass(int from, int j)
    {
        const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
        const int begin =
            j > first ? (int)(j - first) : 0; /* row j is of its block's, not summed */
        const bool takes = from >= 0;
        const int other = takes ? from : j;
        T sums[panel_groups], by[panel_groups];
        R most = 0;
        ORR_UNROLL
        for (int c = 0; c < panel_groups; c++) {
            sums[c] = make<T>(0);
            by[c] = takes && lane + 32 * c < n ? minus[lane + 32 * c] : make<T>(0);
        }
        const T by_j = takes ? minus[j] : make<T>(0);
        for (int i0 = begin + warp * batch; i0 < rows; i0 += panel_warps * batch) {
            T x[batch], v[batch];
            ORR_UNROLL
            for (int u = 0; u < batch; u++) {
                const int i = i0 + u;
                v[u] = i < rows && takes ? tile[i * ld + other] : make<T>(0);
                x[u] = i < rows ? mad(v[u], by_j, tile[i * ld + j]) : make<T>(0);
                x[u] = first + i > j ? x[u] : make<T>(0);
            }
            __syncwarp(); /* a lane has column j, and changes it */
            ORR_UNROLL
            for (int c = 0; c < panel_groups; c++) {
                const int k = lane + 32 * c;
                if (k >= n)
                    continue;
                ORR_UNROLL
                for (int u = 0; u < batch; u++) {
                    const int i = i0 + u;
                    if (i >= rows)
                        continue;
                    T y = tile[i * ld + k];
                    if (takes && k > from) {
                        y = mad(v[u], by[c], y);
                        tile[i * ld + k] = y;
                    }
                    sums[c] = mad_conj(y, x[u], sums[c]);
                    if (k == j)
                        most = panel_larger(most, max_part(x[u]));
                }
            }
        }
        ORR_UNROLL
        for (int c = 0; c < panel_groups; c++)
            if (lane + 32 * c < n)
                across[warp * (n + 1) + lane + 32 * c] = sums[c];
        if (lane == j % 32)
            across[warp * (n + 1) + n] = make<T>(most);
    }

    /* Column j of S, a thread to each row, which it alone reads and writes. */
    __device__ __forceinline__ void extend(int j, T tau) const
    {
        const int i = others.row_of_s();
        if (i >= a.reflectors)
            return;
        T x = i == j ? tau : make<T>(0);
        if (i < j) {
            T y = make<T>(0);
            ORR_UNROLL_BY(4)
            for (int l = i; l < j; l++)
                y = mad(others.s(i, l), inner[l], y);
            x = negative(times(tau, y));
        }
        others.s(i, j) = x;
    }

    /* The reflector of column j: tau; minus, scale and inner are set, and of R its row. */
    __device__ __forceinline__ T reflect(int j)
    {
        const int k = (int)threadIdx.x;
        const T alpha = row[j];
        const R largest = real(sum[n]);
        T tau = make<T>(0), by = make<T>(0);
        R beta = real(alpha);
        if (!(largest == 0 && imag(alpha) == 0)) {
            beta = -std::copysign(std::sqrt(mad_square(alpha, real(sum[j]))), real(alpha));
            tau = make<T>((beta - real(alpha)) / beta, -imag(alpha) / beta);
            const T d = make<T>(real(alpha) - beta, imag(alpha));
            const R square = mad_square(d, (R)0);
            by = scalar<T>::is_complex ? make<T>(real(d) / square, -imag(d) / square)
                                       : make<T>(1 / real(d));
        }
        if (k < n) {
            /* v' A(:,k), or of a column before it V(:,k)' v */
            const T product = mad_conj(by, conj(sum[k]), row[k]);
            const T h = times(conj(tau), product);
            minus[k] = k > j ? negative(times(by, h)) : make<T>(0);
            if (k < j)
                inner[k] = mad_conj(scale[k], mad(by, sum[k], conj(row[k])), make<T>(0));
            if (blockIdx.x == 0 && k >= j)
                a.r[j + k * a.ldr] =
                    scale2(k == j ? make<T>(beta) : plus(row[k], negative(h)), -shift[k]);
        }
        __syncthreads();
        if (k == j)
            scale[k] = by;
        return tau;
    }

    __device__ __forceinline__ void store() const
    {
        for (int e = (int)threadIdx.x; e < rows * n; e += panel_threads) {
            const int k = e / rows, i = e % rows;
            const int64_t at = first + i;
            T x = make<T>(at == k && k < a.reflectors);
            if (at > k)
                x = times(scale[k], tile[i * ld + k]);
            a.q[k * a.ldq + at] = x;
        }
    }
};

template <class T, template <class> class Others>
ORR_DEV void factor_panel(const panel_task<T> &a, unsigned char *memory)
{
    typedef real_of<T> R;
    panel_block<T, Others> me(a, memory);
    me.load();
    me.tell(-1, true);
    me.meet(-1, true);
    me.scale_columns();
    T tau = make<T>(0);
    for (int from = -1, j = 0; j < a.reflectors;) {
        me.pass(from, j);
        me.tell(j, false);
        if (from >= 0)
            me.extend(from, tau);
        me.meet(j, false);
        const R most = panel_larger(real(me.sum[a.columns]), max_part(me.row[j]));
        if (most > 0 && most < machine<R>::tiny) {
            me.scale_column(j, most);
            from = -1;
            continue;
        }
        tau = me.reflect(j);
        from = j++;
    }
    me.extend(a.reflectors - 1, tau);
    __syncthreads();
    me.others.store();
    me.store();
    me.others.leave();
}

template <class T> __global__ void __launch_bounds__(panel_threads, 1) panel_kernel(panel_task<T> a)
{
    ORR_DYN_SHARED(memory);
    factor_panel<T, panel_apart>(a, memory);
}

/* ---- What a launcher does around it ---------------------------------------------------------- */

/* R's rows above a piece's own, out of q, where V has zeros. */
template <class T>
__global__ void __launch_bounds__(panel_threads)
    panel_above_kernel(int64_t rows, int64_t columns, T *q, int64_t ldq, T *r, int64_t ldr)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < rows * columns;
         e += step) {
        const int64_t i = e % rows, k = e / rows;
        r[i + k * ldr] = q[i + k * ldq];
        q[i + k * ldq] = make<T>(0);
    }
}

} // namespace orr

#endif
