/* orr_hb2st_apply_cuda_fused: the diamonds of hb2st_apply.cuh applied by one kernel for each `at_once` groups of
 * sweeps, in which a thread block has some columns of X to itself and goes from diamond to diamond.
 *
 * Of these columns shared memory keeps the rows that a diamond (j,t) spans, its window. For Q it slides down,
 * from hop to hop, and begins at the top again with group j - 1; for Q' it slides up. So each entry of X is read
 * and written once for a group of sweeps:
 *
 *     window of (j,t)     |xxxxxxxx|            rows that leave are stored when they are done, and
 *     window of (j,t+1)       |xxxxxxxx|        those that enter take their place, while the kernel computes
 *
 * Rows are counted in tiles of 8 from the first one of X, and a tile's place is its number modulo the tiles of a
 * window. A warp has 16 or 32 columns, and computes the transposed matrices by tensor cores, in double precision
 * whatever the type (tensor.cuh):
 *
 *     W.' := X.' conj(V)      W of all sweeps in registers, X and V tile by tile
 *     X.' := X.' - W.' (V S).'     tile by tile; X is a sum, then leaves or goes back to its place
 *
 * A lane reads only what it has itself put into the window. V and (V S)' are for all warps: they come in steps of
 * some tiles of rows, three of which shared memory has, one read and two on their way. What is zero of them is
 * neither fetched nor multiplied, by squares of 8 x 8.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HB2ST_FUSED_CUH
#define ORR_CUDA_HB2ST_FUSED_CUH

#include <algorithm>

#include "kernels/cuda/hb2st_apply.cuh"
#include "kernels/cuda/tensor.cuh"

namespace orr
{

enum {
    FUSED_TILE = 8,       /* rows, and sweeps */
    FUSED_WARPS = 4,      /* that have columns, at most, one for each quarter of a processor */
    FUSED_SQUARES = 8,    /* of a tile of rows, side by side: ORR_HB2ST_MOST_DIAMOND sweeps */
    FUSED_STEP_TILES = 4, /* tiles of rows of a step, at most */
    FUSED_STEPS = 3       /* in shared memory */
};

/* Diamonds whose first row is anywhere in a tile: V begins with the rows above it. Their sweeps are a multiple
 * of FUSED_TILE. */
template <class T> struct fused_diamonds : apply_diamonds<T> {
    int64_t tiles;

    __host__ __device__ int64_t rows() const { return FUSED_TILE * tiles; }
    __device__ int64_t above(int64_t d) const
    {
        return d % this->hops * this->shape.b % FUSED_TILE;
    }
};

/* Squares from .. end-1 of a tile of rows. */
struct fused_range {
    int from, end;
};

template <class T> struct fused_work {
    /* As many factors are loaded before they are used. */
    static constexpr int together = scalar<T>::is_complex ? 2 : 4;

    orr_hb2st_shape shape;
    int64_t from;         /* the first sweep */
    int64_t groups, hops; /* groups of w sweeps; hops of the first one, later ones have fewer */
    const T *V, *SV;      /* of each diamond: V, and (V S)' or (V S')' */
    T *x; /* the row where the first sweep's reflectors begin, which begins a tile */
    int64_t ldx, k;
    int b, w, tiles;       /* tiles: of a window */
    int step_tiles, steps; /* a product has so many steps of so many tiles, the last one of fewer */
    int adjoint;
    double minus; /* -1; a compiler that knew would turn X again for every product */

    __device__ int hops_of(int j) const
    {
        return (int)orr_hb2st_hops(&shape, from + (int64_t)j * w);
    }
    /* Squares of a tile of rows in a step. */
    __host__ __device__ int across() const
    {
        return (w + FUSED_TILE * together - 1) / (FUSED_TILE * together) * together;
    }
    __host__ __device__ int step_size() const { return step_tiles * across() * tensor_square; }
    /* Of a warp with 16 m columns. */
    __host__ __device__ int window_size(int m) const { return tiles * 2 * m * tensor_square; }
    /* Tile number o of a window in the order in which they are worked on: those that leave first. */
    __device__ int tile(int o) const { return adjoint ? tiles - 1 - o : o; }
    /* Where V, or V S or V S', is not zero in this tile; in row `above` the first reflector begins. */
    __device__ fused_range squares(int i, int above, bool second) const
    {
        const int all = w / FUSED_TILE, behind = FUSED_TILE * i - above - b - (FUSED_TILE - 2);
        const int from_V = behind > 0 ? (behind + FUSED_TILE - 1) / FUSED_TILE : 0;
        const int end_V = i + (FUSED_TILE - 1 - above) / FUSED_TILE + 1;
        return {second && adjoint && from_V < all ? 0 : from_V,
                (second && !adjoint) || end_V > all ? all : end_V};
    }
};

/* A step of diamond (j,t), the first ones of W := V'X, as many then of X := X - (V S) W. */
struct fused_place {
    int j, t, step, hops; /* hops: of group j */

    template <class T> ORR_MEMBER explicit fused_place(const fused_work<T> &a)
    {
        begin(a, a.adjoint ? 0 : (int)a.groups - 1);
    }
    template <class T> ORR_MEMBER void begin(const fused_work<T> &a, int group)
    {
        j = group;
        hops = a.hops_of(j);
        t = a.adjoint ? hops - 1 : 0;
        step = 0;
    }
    template <class T> ORR_MEMBER bool there(const fused_work<T> &a) const
    {
        return j >= 0 && j < a.groups;
    }
    template <class T> ORR_MEMBER bool begins_group(const fused_work<T> &a) const
    {
        return step == 0 && t == (a.adjoint ? hops - 1 : 0);
    }
    template <class T> ORR_MEMBER bool last_hop(const fused_work<T> &a) const
    {
        return t == (a.adjoint ? 0 : hops - 1);
    }
    template <class T> ORR_MEMBER int row(const fused_work<T> &a) const
    {
        return j * a.w + t * a.b;
    }
    template <class T> ORR_MEMBER bool second(const fused_work<T> &a) const
    {
        return step >= a.steps;
    }
    /* The first tile of the step, in the order in which they are worked on. */
    template <class T> ORR_MEMBER int first(const fused_work<T> &a) const
    {
        return (second(a) ? step - a.steps : step) * a.step_tiles;
    }
    template <class T> ORR_MEMBER void go_on(const fused_work<T> &a)
    {
        if (++step < 2 * a.steps)
            return;
        if (last_hop(a)) {
            begin(a, a.adjoint ? j + 1 : j - 1);
        } else {
            step = 0;
            t += a.adjoint ? -1 : 1;
        }
    }
};

/* A step's squares of V or (V S)' begin to come, by one warp. Row g of a square is a sweep of V, or a row of V S. */
template <class T>
ORR_DEV void fused_fetch(const fused_work<T> &a, const fused_place &at, T *squares)
{
    if (!at.there(a))
        return;
    const int lane = (int)threadIdx.x % 32, g = lane / 4, k = 2 * (lane % 4);
    const bool second = at.second(a);
    const int above = at.row(a) % FUSED_TILE, rows = FUSED_TILE * a.tiles;
    const int first = at.first(a), end = (int)orr_least(first + a.step_tiles, a.tiles);
    const T *const diamond = in_global(second ? a.SV : a.V) + (at.j * a.hops + at.t) * rows * a.w;
    const int down = FUSED_TILE * (second ? a.w : 1), right = FUSED_TILE * (second ? 1 : rows);
    const T *const mine = diamond + g * (second ? a.w : rows) + k;
    for (int o = first; o < end; o++, squares += a.across() * tensor_square) {
        const int i = a.tile(o);
        const fused_range r = a.squares(i, above, second);
        const T *from = mine + i * down + r.from * right;
        for (int q = r.from; q < r.end; q++, from += right)
            copy_pair_async(squares + q * tensor_square, lane, from);
    }
}

/* A warp's 16 M columns, a square for 8 of them and a tile; this lane has one column of each square. x points to its
 * first rows in the first one. */
template <class T, int M> struct fused_columns {
    T *window, *x;
    int64_t eight; /* elements from a column to that of the next square */
    int64_t left;  /* columns from the first one of this lane on */
    int lane;

    ORR_MEMBER T *place(int tile) const { return window + 2 * M * tensor_square * tile; }
    ORR_MEMBER void fetch(int to, int tile) const
    {
        ORR_UNROLL
        for (int h = 0; h < 2 * M; h++)
            if (8 * h < left)
                copy_pair_async(place(to) + h * tensor_square, lane,
                                x + FUSED_TILE * tile + h * eight);
    }
    ORR_MEMBER void keep(int to, const tensor<T> (&y)[M]) const
    {
        ORR_UNROLL
        for (int h = 0; h < 2 * M; h++)
            store_pair(place(to) + h * tensor_square, lane, pair_of(y[h / 2], h % 2));
    }
    ORR_MEMBER void store(int tile, const tensor<T> (&y)[M]) const
    {
        ORR_UNROLL
        for (int h = 0; h < 2 * M; h++)
            if (8 * h < left)
                *(tensor_pair<T> *)(x + FUSED_TILE * tile + h * eight) = pair_of(y[h / 2], h % 2);
    }
};

/* For each square of a tile in r: use(q, factor), the factors of some squares being loaded together. */
template <class T, class F>
ORR_DEV void fused_squares(const fused_range &r, const T *squares, int lane, const F &use)
{
    constexpr int together = fused_work<T>::together;
    ORR_UNROLL
    for (int first = 0; first < FUSED_SQUARES; first += together) {
        if (first >= r.end || first + together <= r.from)
            continue;
        tensor_factor<T> factor[together];
        ORR_UNROLL
        for (int q = 0; q < together; q++)
            factor[q] = load_factor(squares + (first + q) * tensor_square, lane);
        ORR_UNROLL
        for (int q = 0; q < together; q++)
            if (first + q >= r.from && first + q < r.end)
                use(first + q, factor[q]);
    }
}

template <class T, int M>
ORR_DEV void fused_load(const fused_columns<T, M> &c, int place, tensor<T> (&x)[M])
{
    ORR_UNROLL
    for (int m = 0; m < M; m++)
        x[m] = load_tensor(c.place(place) + 2 * m * tensor_square, c.lane);
}

template <class T, int M> ORR_DEV void fused_clear(tensor<T> (&W)[M][FUSED_SQUARES])
{
    ORR_UNROLL
    for (int m = 0; m < M; m++) {
        ORR_UNROLL
        for (int q = 0; q < FUSED_SQUARES; q++)
            W[m][q] = {};
    }
}

/* A step of a warp. The first product makes -V'X, so that the second one is a sum, too. */
template <class T, int M>
ORR_DEV void fused_step(const fused_work<T> &a, const fused_place &at, const fused_columns<T, M> &c,
                        const T *squares, tensor<T> (&W)[M][FUSED_SQUARES])
{
    const bool second = at.second(a), last = at.last_hop(a);
    const int row = at.row(a), top = row / FUSED_TILE, above = row % FUSED_TILE;
    const int next = (a.adjoint ? row - a.b : row + a.b) / FUSED_TILE;
    const int leave = last ? a.tiles : a.adjoint ? top - next : next - top;
    const int first = at.first(a), end = (int)orr_least(first + a.step_tiles, a.tiles);
    int place = (top + a.tile(first)) % a.tiles;
    if (at.step == 0)
        fused_clear(W);
    tensor<T> coming[M];
    fused_load(c, place, coming);
    for (int o = first; o < end; o++) {
        const int i = a.tile(o), tile = top + i, beside = a.adjoint ? place - 1 : place + 1;
        const int next_place = beside < 0 ? a.tiles - 1 : beside == a.tiles ? 0 : beside;
        const fused_range r = a.squares(i, above, second);
        tensor<T> x[M];
        ORR_UNROLL
        for (int m = 0; m < M; m++)
            x[m] = coming[m];
        if (o + 1 < end)
            fused_load(c, next_place, coming);
        if (!second) {
            ORR_UNROLL
            for (int m = 0; m < M; m++)
                x[m] = turned(a.minus, x[m]);
            fused_squares(r, squares, c.lane, [&](int q, const tensor_factor<T> &v) {
                ORR_UNROLL
                for (int m = 0; m < M; m++)
                    add_product(W[m][q], x[m], v);
            });
        } else {
            constexpr bool alone = M == 1 && !scalar<T>::is_complex;
            tensor<T> odd = {}; /* a second sum, where each product would wait for the one before */
            fused_squares(r, squares, c.lane, [&](int q, const tensor_factor<T> &v) {
                ORR_UNROLL
                for (int m = 0; m < M; m++)
                    add_product(alone && q % 2 ? odd : x[m], W[m][q], v);
            });
            if (alone)
                x[0] = sum(x[0], odd);
            if (o >= leave) {
                c.keep(place, x);
            } else {
                c.store(tile, x);
                if (!last)
                    c.fetch(place, a.adjoint ? tile - a.tiles : tile + a.tiles);
            }
        }
        squares += a.across() * tensor_square;
        place = next_place;
    }
    if (at.step + 1 == a.steps) {
        ORR_UNROLL
        for (int m = 0; m < M; m++) {
            ORR_UNROLL
            for (int q = 0; q < FUSED_SQUARES; q++)
                W[m][q] = turned(1, W[m][q]);
        }
    }
}

/* The last warp fetches squares, the others compute. Behind the barrier of a step its squares are there, and those
 * of the step before may be overwritten. X that enters in a step is used two steps later at the earliest, a
 * product having two at least. */
template <class T, int M>
__global__ void __launch_bounds__(32 * (FUSED_WARPS + 1)) hb2st_fused_kernel(fused_work<T> a)
{
    ORR_DYN_SHARED(shared);
    const int warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32 - 1;
    const int lane = (int)threadIdx.x % 32, g = lane / 4;
    const int64_t column = ((int64_t)blockIdx.x * warps + warp) * 16 * M;
    const bool fetches = warp == warps, computes = !fetches && column < a.k;
    const int window = a.window_size(M), size = a.step_size();
    T *const windows = (T *)shared, *const steps = windows + warps * window;
    const fused_columns<T, M> mine = {windows + warp * window,
                                      in_global(a.x) + (column + g) * a.ldx + 2 * (lane % 4),
                                      8 * a.ldx, a.k - column - g, lane};
    tensor<T> W[M][FUSED_SQUARES];
    fused_place at(a), ahead = at;
    for (int s = 0; fetches && s < FUSED_STEPS - 1; s++, ahead.go_on(a)) {
        fused_fetch(a, ahead, steps + s * size);
        copy_commit();
    }
    for (int slot = 0; at.there(a); at.go_on(a), slot = (slot + 1) % FUSED_STEPS) {
        if (computes && at.begins_group(a)) {
            const int top = at.row(a) / FUSED_TILE;
            __threadfence_block(); /* behind what this lane stored for the group before */
            for (int i = 0; i < a.tiles; i++)
                mine.fetch((top + i) % a.tiles, top + i);
            copy_commit();
            copy_wait<0>();
        }
        copy_wait<FUSED_STEPS - 2>();
        __syncthreads();
        if (fetches) {
            fused_fetch(a, ahead, steps + (slot + FUSED_STEPS - 1) % FUSED_STEPS * size);
            ahead.go_on(a);
        } else if (computes) {
            fused_step(a, at, mine, steps + slot * size, W);
        }
        copy_commit();
    }
}

/* How a launch is cut. 0 thread blocks: a window of 16 columns has no room in shared memory. */
struct fused_cut {
    int m; /* a warp has 16 m columns */
    shape blocks;
};

/* As many columns to a block as fit, but as few as leave no processor without. */
template <class T> fused_cut fused_shape(fused_work<T> &a, int64_t processors, size_t room)
{
    const int most_m = scalar<T>::is_complex ? 1 : 2; /* by registers */
    const auto bytes = [&](int64_t strips) {
        return sizeof(T) * (size_t)(strips * a.window_size(1) + FUSED_STEPS * a.step_size());
    };
    int64_t most = FUSED_WARPS * most_m; /* strips of 16 columns, of a block */
    a.step_tiles = 1;
    while (most > 0 && bytes(most) > room)
        most--;
    if (most == 0)
        return {1, {dim3(0), dim3(0), 0}};
    const int64_t all = (a.k + 15) / 16,
                  rounds = (all + processors * most - 1) / (processors * most);
    int64_t strips = (all + processors * rounds - 1) / (processors * rounds);
    const int m = strips > FUSED_WARPS ? 2 : 1;
    if (strips % m != 0)
        strips += strips < most ? 1 : -1;
    a.step_tiles = std::min<int>(FUSED_STEP_TILES, a.tiles / 2);
    while (bytes(strips) > room)
        a.step_tiles--;
    a.steps = (a.tiles + a.step_tiles - 1) / a.step_tiles;
    return {m,
            {dim3((unsigned)((all + strips - 1) / strips)), dim3((unsigned)(32 * (strips / m + 1))),
             bytes(strips)}};
}

/* M = 2 for real types only. */
template <class T>
orr_status launch_fused(orr_stream stream, const fused_cut &cut, const fused_work<T> &a)
{
    if constexpr (!scalar<T>::is_complex)
        if (cut.m == 2)
            return launch(hb2st_fused_kernel<T, 2>, cut.blocks, stream, a);
    return launch(hb2st_fused_kernel<T, 1>, cut.blocks, stream, a);
}

} // namespace orr

#endif
