/* hb2st_fused.cuh for bands and groups of sweeps that are known when this is compiled, where the registers of a warp
 * have room for the window of a strip: its tiles stay there from diamond to diamond, and shared memory has only
 * squares of V and (V S)'.
 *
 * B and S are tiles of the band and of a group's sweeps. Diamonds begin at a tile, so the same squares are never
 * zero. They are those of tile o, in the order in which tiles leave, and sweeps q, for Q' from the last ones on:
 *
 *     o  0  x . . .      B = 2, S = 4, product 0, V' X: o - B <= q <= o
 *        1  x x . .      product 1, (V S) W: also q > o
 *        2  x x x .
 *        3  . x x x      A step is FUSED_STEP_TILES of these rows, in one product. Loops over squares are unrolled, and
 *        4  . . x x      nothing is decided in them: a square is a load, some squares ahead, and a product or, if
 *        5  . . . x      complex, two. One warp should do for the tensor cores of its quarter.
 *
 * Tile o of a diamond is tile o - B of the next one, and stays in its registers. Hops go through some phases: in
 * phase p tile o is where tile o + p B, modulo B + S, is in phase 0.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HB2ST_FUSED_HELD_CUH
#define ORR_CUDA_HB2ST_FUSED_HELD_CUH

#include "kernels/cuda/hb2st_fused.cuh"

namespace orr
{

enum {
    HELD_STEPS = 6, /* in shared memory */
    HELD_THREADS = 32 * (FUSED_WARPS + 1),
    HELD_BARRIER = 1
};

/* The band is known: hops are counted without a division. */
template <class T, int B> struct held_work : fused_work<T> {
    __device__ int hops_of(int j) const
    {
        orr_hb2st_shape known = this->shape;
        known.b = FUSED_TILE * B;
        return (int)orr_hb2st_hops(&known, this->from + (int64_t)j * this->w);
    }
};

/* Of a step, at most. */
template <int S> constexpr int held_squares = FUSED_STEP_TILES *S;

/* use(n, o, q) for squares n = 0 .. of the step that begins with tile `first`, in the order in which they lie in
 * shared memory; how many there are. In product 1 some tiles take turns: their sums wait for what was added last. */
template <class T, int B, int S, class F>
ORR_DEV int held_each(int first, int product, const F &use)
{
    constexpr int together = FUSED_STEP_TILES / strip<T>::parts;
    int n = 0;
    ORR_UNROLL
    for (int k = 0; k < held_squares<S>; k++) {
        const int turn = k % (together * S);
        const int o = first + (product == 0 ? k / S : (k - turn) / S + turn % together);
        const int q = product == 0 ? k % S : turn / together;
        if (q >= o - B && (product == 1 || q <= o))
            use(n++, o, q);
    }
    return n;
}

/* All squares come, by one warp. It meets the others where a step begins: then its squares are there, and those of the
 * step before may be overwritten. Others also meet it where a step behind the last one would begin. */
template <class T, int B, int S, bool ADJOINT>
ORR_DEV void held_fetch(const held_work<T, B> &a, T *steps)
{
    constexpr int tiles = B + S, rows = FUSED_TILE * tiles, w = FUSED_TILE * S;
    const int lane = (int)threadIdx.x % 32, g = lane / 4, k = 2 * (lane % 4);
    const T *const V = in_global(a.V) + g * rows + k, *const SV = in_global(a.SV) + g * w + k;
    int fetched = 0, begun = 0, slot = 0;
    for (fused_place at(a); at.there(a); at.next_diamond(a)) {
        const int64_t diamond = (at.j * a.hops + at.t) * rows * w;
        ORR_UNROLL
        for (int product = 0; product < 2; product++) {
            ORR_UNROLL
            for (int first = 0; first < tiles; first += FUSED_STEP_TILES) {
                if (fetched >= HELD_STEPS - 1) {
                    copy_wait<HELD_STEPS - 2>();
                    sync_some(HELD_BARRIER, HELD_THREADS);
                    begun++;
                }
                T *const squares = steps + slot * held_squares<S> * tensor_square;
                held_each<T, B, S>(first, product, [&](int n, int o, int q) {
                    const int i = ADJOINT ? tiles - 1 - o : o, p = ADJOINT ? S - 1 - q : q;
                    copy_pair_async(squares + n * tensor_square, lane,
                                    product == 0 ? V + diamond + FUSED_TILE * (p * rows + i)
                                                 : SV + diamond + FUSED_TILE * (i * w + p));
                });
                copy_commit();
                fetched++;
                slot = (slot + 1) % HELD_STEPS;
            }
        }
    }
    copy_wait<0>();
    for (; begun <= fetched; begun++)
        sync_some(HELD_BARRIER, HELD_THREADS);
}

/* A warp's factors, one after the other; some are loaded ahead, also of the next step, behind its barrier. */
template <class T, int S> struct held_factors {
    static constexpr int ahead = strip<T>::parts == 1 ? 3 : 1;
    const T *steps, *step; /* in shared memory */
    int slot, lane;
    tensor_pair<T> coming[ahead];

    ORR_MEMBER void begin_step()
    {
        sync_some(HELD_BARRIER, HELD_THREADS);
        slot = (slot + 1) % HELD_STEPS;
        step = steps + slot * held_squares<S> * tensor_square;
    }
    ORR_MEMBER held_factors(const T *steps_, int lane_)
        : steps(steps_), slot(HELD_STEPS - 1), lane(lane_)
    {
        begin_step();
        ORR_UNROLL
        for (int i = 0; i < ahead; i++)
            coming[i] = load_pair(step + i * tensor_square, lane);
    }
    /* Number n of a step of `all` squares. */
    ORR_MEMBER tensor_factor<T> take(int n, int all)
    {
        const tensor_factor<T> factor = factor_of(coming[0]);
        const int next = n + ahead;
        ORR_UNROLL
        for (int i = 0; i + 1 < ahead; i++)
            coming[i] = coming[i + 1];
        if (next == all)
            begin_step();
        coming[ahead - 1] =
            load_pair(step + (next < all ? next : next - all) * tensor_square, lane);
        return factor;
    }
};

/* A diamond's two products on a warp's strip, of which phase PHASE has tile o in X[(o + PHASE B) % (B + S)]. tile: the
 * row of tiles of tile 0; then of the next diamond's. x: this lane's first rows of X. */
template <class T, int B, int S, int PHASE>
ORR_DEV void held_hop(const fused_work<T> &a, T *x, int &tile, bool last,
                      held_factors<T, S> &factors, four_of (&X)[B + S])
{
    constexpr int tiles = B + S;
    const auto held = [](int o) { return (o + PHASE * B) % tiles; };
    const auto nothing = [](int, int, int) {};
    four_of W[S] = {};
    ORR_UNROLL
    for (int first = 0; first < tiles; first += FUSED_STEP_TILES) {
        const int all = held_each<T, B, S>(first, 0, nothing);
        tensor_left<T> left;
        held_each<T, B, S>(first, 0, [&](int n, int o, int q) {
            if (q == 0 || q == o - B)
                left = left_of<T>(X[held(o)], a.zero);
            add_product(W[q], left, factors.take(n, all));
        });
    }
    ORR_UNROLL
    for (int q = 0; q < S; q++)
        W[q] = turned(W[q], a.zero);
    ORR_UNROLL
    for (int first = 0; first < tiles; first += FUSED_STEP_TILES) {
        const int all = held_each<T, B, S>(first, 1, nothing);
        tensor_sum<T> sums[FUSED_STEP_TILES];
        held_each<T, B, S>(first, 1, [&](int n, int o, int q) {
            tensor_sum<T> &sum = sums[o - first];
            if (q == 0 || q == o - B)
                sum = sum_of<T>(X[held(o)]);
            add_product(sum, W[q], factors.take(n, all));
            if (q == S - 1)
                X[held(o)] = total(sum);
        });
        if (first < B || last) {
            T *leave = x + FUSED_TILE * (first < B ? tile : tile + (first - B) * a.along);
            ORR_UNROLL
            for (int o = first; o < first + FUSED_STEP_TILES; o++, leave += FUSED_TILE * a.along)
                fused_store(a, leave, X[held(o)]);
        }
        if (first < B && !last) {
            T *enter = x + FUSED_TILE * (tile + tiles * a.along);
            ORR_UNROLL
            for (int o = first; o < first + FUSED_STEP_TILES; o++, enter += FUSED_TILE * a.along)
                X[held(o)] = fused_load(a, enter);
        }
        if (first < B)
            tile += FUSED_STEP_TILES * a.along;
    }
}

/* A group: its hops, on columns that are read before the first one. */
template <class T, int B, int S>
ORR_DEV void held_group(const held_work<T, B> &a, T *x, const fused_place &at,
                        held_factors<T, S> &factors)
{
    constexpr int phases = B == S ? 2 : 3;
    static_assert(phases * B % (B + S) == 0, "phase 0 follows the last one");
    four_of X[B + S];
    int tile = at.row(a) / FUSED_TILE + a.tile(0), hops = at.hops;
    T *enter = x + FUSED_TILE * tile;
    ORR_UNROLL
    for (int o = 0; o < B + S; o++, enter += FUSED_TILE * a.along)
        X[o] = fused_load(a, enter);
    do {
        held_hop<T, B, S, 0>(a, x, tile, --hops == 0, factors, X);
        if (hops > 0)
            held_hop<T, B, S, 1>(a, x, tile, --hops == 0, factors, X);
        if constexpr (phases == 3)
            if (hops > 0)
                held_hop<T, B, S, 2>(a, x, tile, --hops == 0, factors, X);
    } while (hops > 0);
}

/* The last warp fetches squares, the others compute. */
template <class T, int B, int S>
__global__ void __launch_bounds__(HELD_THREADS, 1) hb2st_fused_held_kernel(held_work<T, B> a)
{
    ORR_DYN_SHARED(shared);
    const int warp = (int)threadIdx.x / 32;
    if (warp == FUSED_WARPS) {
        if (a.adjoint)
            held_fetch<T, B, S, true>(a, (T *)shared);
        else
            held_fetch<T, B, S, false>(a, (T *)shared);
        return;
    }
    const int lane = (int)threadIdx.x % 32;
    T *const x =
        fused_lane(a, ((int64_t)blockIdx.x * FUSED_WARPS + warp) * strip<T>::columns, lane);
    held_factors<T, S> factors((const T *)shared, lane);
    for (fused_place at(a); at.there(a); at.next_group(a))
        held_group<T, B, S>(a, x, at, factors);
}

/* Tiles of sweeps: of complex types the registers have room for no more. */
template <class T> constexpr int held_sweeps = 8 / strip<T>::parts;
template <class T>
constexpr size_t held_bytes = HELD_STEPS *held_squares<held_sweeps<T>> *tensor_square * sizeof(T);

template <class T> bool held_fits(const fused_work<T> &a, size_t room)
{
    return (a.b == 32 || a.b == 64) && a.w == FUSED_TILE * held_sweeps<T> && held_bytes<T> <= room;
}

/* A strip to a warp; of the last ones those columns of the copy of E that are zero. */
template <class T> fused_cut held_shape(const fused_work<T> &a)
{
    return {1,
            {dim3((unsigned)((a.strips() + FUSED_WARPS - 1) / FUSED_WARPS)), dim3(HELD_THREADS),
             held_bytes<T>}};
}

template <class T>
orr_status launch_held(orr_stream stream, const fused_cut &cut, const fused_work<T> &a)
{
    constexpr int S = held_sweeps<T>;
    if (a.b == 32)
        return launch(hb2st_fused_held_kernel<T, 4, S>, cut.blocks, stream, held_work<T, 4>{a});
    return launch(hb2st_fused_held_kernel<T, 8, S>, cut.blocks, stream, held_work<T, 8>{a});
}

} // namespace orr

#endif
