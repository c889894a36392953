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
 * window. A warp has one or two strips, of 16 columns or 8 complex ones, and computes the transposed matrices by
 * tensor cores, in double precision whatever the type (tensor.cuh):
 *
 *     W.' := X.' conj(V)      W of all sweeps in registers, X and V tile by tile
 *     X.' := X.' - W.' (V S).'     tile by tile; X is a sum, then leaves or goes back to its place
 *
 * A lane reads only what it has itself put into the window. V and (V S)' are for all warps: they come in steps of
 * some tiles of rows, three of which shared memory has, one read and two on their way. What is zero of them is
 * neither fetched nor multiplied, by squares of 8 x 8. For some bands hb2st_fused_held.cuh does it with less to decide.
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
    FUSED_STRIPS = 2,     /* of a warp, at most */
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
    static constexpr int together = sizeof(T) == 16 ? 1 : scalar<T>::is_complex ? 2 : 4;

    orr_hb2st_shape shape;
    int64_t from;         /* the first sweep */
    int64_t groups, hops; /* groups of w sweeps; hops of the first one, later ones have fewer */
    const T *V, *SV;      /* of each diamond: V, and -(V S)' or -(V S')' */
    T *x; /* the row where the first sweep's reflectors begin, which begins a tile */
    int64_t ldx, eight, k; /* eight: 8 ldx; k: columns, with zeros behind them */
    int b, w, tiles;       /* tiles: of a window */
    int step_tiles, steps; /* a product has so many steps of so many tiles, the last one of fewer */
    int adjoint;
    int along;     /* 1, or -1: from a tile to the one that is worked on next */
    uint32_t zero; /* of turned() */

    __host__ __device__ int64_t strips() const
    {
        return (k + strip<T>::columns - 1) / strip<T>::columns;
    }
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
    /* Of a warp with m strips. */
    __host__ __device__ int window_size(int m) const
    {
        return tiles * strip<T>::squares * m * tensor_square;
    }
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

    template <class Work> ORR_MEMBER explicit fused_place(const Work &a)
    {
        begin(a, a.adjoint ? 0 : (int)a.groups - 1);
    }
    template <class Work> ORR_MEMBER void begin(const Work &a, int group)
    {
        j = group;
        hops = a.hops_of(j);
        t = a.adjoint ? hops - 1 : 0;
        step = 0;
    }
    template <class Work> ORR_MEMBER bool there(const Work &a) const
    {
        return j >= 0 && j < a.groups;
    }
    template <class Work> ORR_MEMBER bool begins_group(const Work &a) const
    {
        return step == 0 && t == (a.adjoint ? hops - 1 : 0);
    }
    template <class Work> ORR_MEMBER bool last_hop(const Work &a) const
    {
        return t == (a.adjoint ? 0 : hops - 1);
    }
    template <class Work> ORR_MEMBER int row(const Work &a) const { return j * a.w + t * a.b; }
    template <class Work> ORR_MEMBER bool second(const Work &a) const { return step >= a.steps; }
    /* The first tile of the step, in the order in which they are worked on. */
    template <class Work> ORR_MEMBER int first(const Work &a) const
    {
        return (second(a) ? step - a.steps : step) * a.step_tiles;
    }
    template <class Work> ORR_MEMBER void next_group(const Work &a)
    {
        begin(a, a.adjoint ? j + 1 : j - 1);
    }
    template <class Work> ORR_MEMBER void go_on(const Work &a)
    {
        if (++step == 2 * a.steps)
            next_diamond(a);
    }
    template <class Work> ORR_MEMBER void next_diamond(const Work &a)
    {
        if (last_hop(a)) {
            next_group(a);
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

/* A lane's first rows in the strips that begin with this column: 4g + t has column g of each eight. */
template <class T> ORR_DEV T *fused_lane(const fused_work<T> &a, int64_t column, int lane)
{
    return in_global(a.x) + (column + lane / 4) * a.ldx + 2 * (lane % 4);
}
/* What it has of a strip's tile, in memory. */
template <class T> ORR_DEV four_of fused_load(const fused_work<T> &a, const T *x)
{
    strip_pairs<T> pairs;
    ORR_UNROLL
    for (int h = 0; h < strip<T>::squares; h++)
        pairs.of[h] = *(const tensor_pair<T> *)(x + h * a.eight);
    return numbers_of(pairs);
}
template <class T> ORR_DEV void fused_store(const fused_work<T> &a, T *x, const four_of &y)
{
    const strip_pairs<T> pairs = pairs_of<T>(y);
    ORR_UNROLL
    for (int h = 0; h < strip<T>::squares; h++)
        *(tensor_pair<T> *)(x + h * a.eight) = pairs.of[h];
}

/* The window of M strips. */
template <class T, int M> struct fused_window {
    static constexpr int squares = M * strip<T>::squares;
    T *at;
    int lane;

    ORR_MEMBER T *square(int place, int h) const
    {
        return at + (place * squares + h) * tensor_square;
    }
    ORR_MEMBER void fetch(int place, const T *x, int64_t eight) const
    {
        ORR_UNROLL
        for (int h = 0; h < squares; h++)
            copy_pair_async(square(place, h), lane, x + h * eight);
    }
    ORR_MEMBER void load(int place, strip_pairs<T> (&x)[M]) const
    {
        ORR_UNROLL
        for (int h = 0; h < squares; h++)
            x[h / strip<T>::squares].of[h % strip<T>::squares] = load_pair(square(place, h), lane);
    }
    ORR_MEMBER void keep(int place, int m, const four_of &y) const
    {
        const strip_pairs<T> pairs = pairs_of<T>(y);
        ORR_UNROLL
        for (int h = 0; h < strip<T>::squares; h++)
            store_pair(square(place, m * strip<T>::squares + h), lane, pairs.of[h]);
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

template <int M> ORR_DEV void fused_clear(four_of (&W)[M][FUSED_SQUARES])
{
    ORR_UNROLL
    for (int m = 0; m < M; m++) {
        ORR_UNROLL
        for (int q = 0; q < FUSED_SQUARES; q++)
            W[m][q] = {};
    }
}

/* A step of a warp. */
template <class T, int M>
ORR_DEV void fused_step(const fused_work<T> &a, const fused_place &at, T *x,
                        const fused_window<T, M> &window, const T *squares,
                        four_of (&W)[M][FUSED_SQUARES])
{
    const bool second = at.second(a), last = at.last_hop(a);
    const int row = at.row(a), top = row / FUSED_TILE, above = row % FUSED_TILE;
    const int next = (row + a.along * a.b) / FUSED_TILE;
    const int leave = last ? a.tiles : a.along * (next - top);
    const int first = at.first(a), end = (int)orr_least(first + a.step_tiles, a.tiles);
    int place = (top + a.tile(first)) % a.tiles;
    if (at.step == 0)
        fused_clear(W);
    constexpr bool early = M == 1 || sizeof(T) < 16; /* registers have room for the next tile */
    strip_pairs<T> coming[M];
    window.load(place, coming);
    for (int o = first; o < end; o++) {
        const int i = a.tile(o), tile = top + i, beside = place + a.along;
        const int next_place = beside < 0 ? a.tiles - 1 : beside == a.tiles ? 0 : beside;
        const fused_range r = a.squares(i, above, second);
        four_of now[M];
        ORR_UNROLL
        for (int m = 0; m < M; m++)
            now[m] = numbers_of(coming[m]);
        if (early && o + 1 < end)
            window.load(next_place, coming);
        if (!second) {
            tensor_left<T> left[M];
            ORR_UNROLL
            for (int m = 0; m < M; m++)
                left[m] = left_of<T>(now[m], a.zero);
            fused_squares(r, squares, window.lane, [&](int q, const tensor_factor<T> &v) {
                ORR_UNROLL
                for (int m = 0; m < M; m++)
                    add_product(W[m][q], left[m], v);
            });
        } else {
            tensor_sum<T> sums[M];
            ORR_UNROLL
            for (int m = 0; m < M; m++)
                sums[m] = sum_of<T>(now[m]);
            fused_squares(r, squares, window.lane, [&](int q, const tensor_factor<T> &v) {
                ORR_UNROLL
                for (int m = 0; m < M; m++)
                    add_product(sums[m], W[m][q], v);
            });
            ORR_UNROLL
            for (int m = 0; m < M; m++) {
                if (o >= leave)
                    window.keep(place, m, total(sums[m]));
                else
                    fused_store(a, x + FUSED_TILE * tile + m * strip<T>::squares * a.eight,
                                total(sums[m]));
            }
            if (o < leave && !last)
                window.fetch(place, x + FUSED_TILE * (tile + a.tiles * a.along), a.eight);
        }
        if (!early && o + 1 < end)
            window.load(next_place, coming);
        squares += a.across() * tensor_square;
        place = next_place;
    }
    if (at.step + 1 == a.steps) {
        ORR_UNROLL
        for (int m = 0; m < M; m++) {
            ORR_UNROLL
            for (int q = 0; q < FUSED_SQUARES; q++)
                W[m][q] = turned(W[m][q], a.zero);
        }
    }
}

/* The last warp fetches squares, the others compute. Behind the barrier of a step its squares are there, and those
 * of the step before may be overwritten. X that enters in a step is used two steps later at the earliest, a
 * product having two at least. */
template <class T, int M>
__global__ void __launch_bounds__(32 * (FUSED_WARPS + 1), 1) hb2st_fused_kernel(fused_work<T> a)
{
    ORR_DYN_SHARED(shared);
    const int warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32 - 1;
    const int lane = (int)threadIdx.x % 32;
    const int64_t column = ((int64_t)blockIdx.x * warps + warp) * strip<T>::columns * M;
    const bool fetches = warp == warps, computes = !fetches && column < a.k;
    const int window = a.window_size(M), size = a.step_size();
    T *const windows = (T *)shared, *const steps = windows + warps * window;
    const fused_window<T, M> mine = {windows + warp * window, lane};
    T *const x = fused_lane(a, column, lane);
    four_of W[M][FUSED_SQUARES];
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
                mine.fetch((top + i) % a.tiles, x + FUSED_TILE * (top + i), a.eight);
            copy_commit();
            copy_wait<0>();
        }
        copy_wait<FUSED_STEPS - 2>();
        __syncthreads();
        if (fetches) {
            fused_fetch(a, ahead, steps + (slot + FUSED_STEPS - 1) % FUSED_STEPS * size);
            ahead.go_on(a);
        } else if (computes) {
            fused_step(a, at, x, mine, steps + slot * size, W);
        }
        copy_commit();
    }
}

/* How a launch is cut. 0 thread blocks: the window of a strip has no room in shared memory. */
struct fused_cut {
    int m; /* strips of a warp */
    shape blocks;
};

/* Strips of a thread block of at most so many: as few as leave no processor without. */
template <class T> int64_t fused_strips(const fused_work<T> &a, int64_t processors, int64_t most)
{
    const int64_t all = a.strips(), rounds = (all + processors * most - 1) / (processors * most);
    return (all + processors * rounds - 1) / (processors * rounds);
}

/* As many columns to a block as fit. */
template <class T> fused_cut fused_shape(fused_work<T> &a, int64_t processors, size_t room)
{
    const auto bytes = [&](int64_t strips) {
        return sizeof(T) * (size_t)(strips * a.window_size(1) + FUSED_STEPS * a.step_size());
    };
    int64_t most = FUSED_WARPS * FUSED_STRIPS;
    a.step_tiles = 1;
    while (most > 0 && bytes(most) > room)
        most--;
    if (most == 0)
        return {1, {dim3(0), dim3(0), 0}};
    int64_t strips = fused_strips(a, processors, most);
    const int m = strips > FUSED_WARPS ? FUSED_STRIPS : 1;
    if (strips % m != 0)
        strips += strips < most ? 1 : -1;
    a.step_tiles = std::min<int>(FUSED_STEP_TILES, a.tiles / 2);
    while (bytes(strips) > room)
        a.step_tiles--;
    a.steps = (a.tiles + a.step_tiles - 1) / a.step_tiles;
    return {m,
            {dim3((unsigned)((a.strips() + strips - 1) / strips)),
             dim3((unsigned)(32 * (strips / m + 1))), bytes(strips)}};
}

template <class T>
orr_status launch_fused(orr_stream stream, const fused_cut &cut, const fused_work<T> &a)
{
    return launch(cut.m == 1 ? hb2st_fused_kernel<T, 1> : hb2st_fused_kernel<T, FUSED_STRIPS>,
                  cut.blocks, stream, a);
}

} // namespace orr

#endif
