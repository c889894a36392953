/* What becomes of a batch of gesvj: where its matrices are solved, which are one task and which a graph of their
 * own, in blocks of how many columns, and how many small ones are a chunk.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/least.h"
#include "src/gesvj/gesvj.h"

enum {
    EIGEN_K = 1024,  /* up to here sweeps begin with eigenvectors, which are one task */
    WHOLE_K = 64,    /* up to here a matrix is one task */
    ALONE_K = 16,    /* up to here even one by itself is best solved as a lane of vectors */
    MOST_LANES = 16, /* from so many in a batch on all sizes up to WHOLE_K are */
    BLOCKS = 8       /* of threads, for each processor of a device */
};

/* Long against the cost of a task; a device takes hundreds of matrices at a time. */
static const double chunk_seconds[] = {
    [ORR_ON_CPU] = 2e-3, [ORR_ANYWHERE] = 2e-2, [ORR_ON_ACCELERATOR] = 2e-1};

/* ---- Where, and how ------------------------------------------------------------------------- */

/* auto without accelerators, or with blocks that are too wide for them, is cpu. */
orr_place orr_gesvj_place(const orr_gesvj_opts *o, orr_type type, struct orr_gesvj_places *w)
{
    static const struct orr_gesvj_places table[ORR_NPLACES] = {
        [ORR_PLACE_AUTO] = {.whole = ORR_ANYWHERE, .angle = ORR_ANYWHERE, .update = ORR_ANYWHERE},
        [ORR_PLACE_CPU] = {.whole = ORR_ON_CPU, .angle = ORR_ON_CPU, .update = ORR_ON_CPU},
        [ORR_PLACE_GPU] = {.whole = ORR_ON_ACCELERATOR,
                           .angle = ORR_ON_ACCELERATOR,
                           .update = ORR_ON_ACCELERATOR},
        [ORR_PLACE_PIPELINE] = {.angle = ORR_ON_ACCELERATOR, .update = ORR_ON_CPU, .staged = 1},
        [ORR_PLACE_MIRROR] = {.angle = ORR_ON_CPU,
                              .update = ORR_ON_ACCELERATOR,
                              .apart = 1,
                              .staged = 1},
    };
    orr_place p = o->place;
    if (p == ORR_PLACE_AUTO &&
        (orr_gesvj_accelerators() == 0 || o->block > orr_gesvj_accelerator_max_nb(type)))
        p = ORR_PLACE_CPU;
    *w = table[p];
    return p;
}

/* Of 32 columns, because the H of a pair then fits the L1 cache of a CPU and a thread block of most
 * devices. Where the blocks of a pair are far longer, wide ones pass over them less often. */
static int choose_block(const struct orr_gesvj *g, int64_t k)
{
    if (k <= WHOLE_K)
        return 16;
    if (g->o.block)
        return g->o.block;
    if (g->place != ORR_PLACE_CPU)
        return (int)orr_least(32, orr_gesvj_accelerator_max_nb(g->A.type));
    return k >= 2048 && k / 128 >= g->ctx->info.cpu ? 64 : 32;
}

/* Eigenvectors take a CPU as long as all else that is one task there. A device would wait for them,
 * so where one takes part nobody uses them: results do not depend on who gets a matrix. */
static int precondition(const struct orr_gesvj *g, int64_t k)
{
    if (g->o.precondition != 0)
        return g->o.precondition > 0;
    return k > WHOLE_K && k <= EIGEN_K && g->place == ORR_PLACE_CPU ? 2 : 1;
}

/* From the shape and the batch, not the chunk: results do not depend on the workers. */
static int by_lanes(const struct orr_gesvj *g, int64_t k)
{
    return k <= ALONE_K || (k <= WHOLE_K && !g->A.as && g->A.batch >= MOST_LANES);
}

int orr_gesvj_is_whole(const struct orr_gesvj *g, int64_t k)
{
    return !g->where.staged && k <= WHOLE_K;
}

/* ---- Seconds, and room ---------------------------------------------------------------------- */

/* Ten sweeps of 12 big small^2 operations. */
static double chunk_work(const struct orr_gesvj *g, int64_t m, int64_t n)
{
    return 120 * (orr_is_complex(g->A.type) ? 4.0 : 1.0) * (double)m * (double)n *
           (double)orr_least(m, n);
}

/* On a CPU, as was measured for d (AVX-512): 5 us and 1.7 ns m n min(m, n), as lanes of vectors 1.2 ns. */
static double seconds_of_one(const struct orr_gesvj *g, int64_t m, int64_t n)
{
    const double work = chunk_work(g, m, n);
    return by_lanes(g, orr_least(m, n)) ? work / 1e11 : 5e-6 + work / 7e10;
}

int orr_gesvj_is_small(const struct orr_gesvj *g)
{
    const int64_t shapes = g->A.as ? g->A.batch : orr_least(g->A.batch, 1);
    double seconds = 0;
    for (int64_t i = 0; i < shapes && seconds <= ORR_HERE_SECONDS; i++) {
        const struct orr_view a = orr_view_of(&g->A, i, 0);
        if (g->A_on || g->U_on || g->V_on || g->where.whole != ORR_ON_CPU || g->where.staged ||
            orr_least(a.m, a.n) > WHOLE_K)
            return 0;
        seconds += seconds_of_one(g, a.m, a.n) * (double)(g->A.batch / shapes);
    }
    return seconds <= ORR_HERE_SECONDS;
}

/* The widest array of a task counts elements in 32 bits; a device has two matrices of its own for
 * each. */
static int64_t widest_of(const struct orr_gesvj *g)
{
    int64_t widest = 2 * g->A.stride;
    widest = g->left && g->U.stride > widest ? g->U.stride : widest;
    return g->right && g->V.stride > widest ? g->V.stride : widest;
}

struct orr_gesvj_chunk orr_gesvj_layout(const struct orr_gesvj *g, int64_t first, int64_t count)
{
    const struct orr_view a = orr_view_of(&g->A, first, 0);
    const int64_t k = orr_least(a.m, a.n);
    return (struct orr_gesvj_chunk){.type = g->A.type,
                                    .m = a.m,
                                    .n = a.n,
                                    .count = count,
                                    .left = g->left,
                                    .right = g->right,
                                    .nb = choose_block(g, k),
                                    .ld = a.ld,
                                    .stride = g->A.stride,
                                    .lds = g->s.stride,
                                    .ldu = g->left ? orr_view_of(&g->U, first, a.m).ld : 0,
                                    .strideu = g->U.stride,
                                    .ldv = g->right ? orr_view_of(&g->V, first, a.n).ld : 0,
                                    .stridev = g->V.stride,
                                    .precondition = precondition(g, k),
                                    .lanes = by_lanes(g, k),
                                    .max_sweeps = g->o.max_sweeps,
                                    .tol = g->o.tol,
                                    .tag = g->tag + first};
}

/* Matrices, each a thread block, that fill a device ... */
static int64_t device_chunk(const struct orr_gesvj *g)
{
    return BLOCKS * g->ctx->device.processors;
}

/* ... and those that it can hold, of a uniform batch. */
static int64_t device_room(struct orr_gesvj *g)
{
    if (g->room < 0) {
        const struct orr_gesvj_chunk c = orr_gesvj_layout(g, 0, 1);
        g->room = orr_gesvj_room_chunk(&c, g->A.batch);
    }
    return g->room;
}

/* ---- Chunks --------------------------------------------------------------------------------- */

/* As many as run for a while on a CPU, more for a device, but not so many that a worker sits idle at
 * the end. */
static int64_t fair_size(struct orr_gesvj *g, enum orr_where where, int64_t m, int64_t n,
                         int64_t left)
{
    const int64_t there = where == ORR_ON_ACCELERATOR ? orr_gesvj_accelerators() : g->ctx->info.cpu;
    const int64_t while_long = (int64_t)(chunk_seconds[where] / seconds_of_one(g, m, n));
    int64_t size = orr_least(while_long, left / (2 * orr_most(there, 1)));
    if (by_lanes(g, orr_least(m, n))) /* no lane in vain */
        size = (size + MOST_LANES - 1) / MOST_LANES * MOST_LANES;
    if (where == ORR_ON_ACCELERATOR)
        size = orr_least(orr_most(size, device_chunk(g)), device_room(g));
    return size;
}

static int64_t chunk_size(struct orr_gesvj *g, enum orr_where where, int64_t m, int64_t n,
                          int64_t left)
{
    const int64_t widest = widest_of(g);
    int64_t size = g->o.chunk ? g->o.chunk : g->req->here ? left : fair_size(g, where, m, n, left);
    if (widest > 0)
        size = orr_least(size, UINT32_MAX / widest);
    return orr_least(orr_most(size, 1), left);
}

int64_t orr_gesvj_chunk_size(struct orr_gesvj *g, int64_t first)
{
    return g->A.as ? 1 : chunk_size(g, g->where.whole, g->A.m, g->A.n, g->A.batch - first);
}

int orr_gesvj_is_shared(struct orr_gesvj *g)
{
    return g->where.whole == ORR_ANYWHERE && !g->where.staged && !g->A.as && !g->req->plan &&
           orr_least(g->A.m, g->A.n) > 0 && orr_least(g->A.m, g->A.n) <= WHOLE_K &&
           g->A.batch > 1 && g->ctx->info.cpu > 0 && device_room(g) > 0;
}

/* A processor of a device does 2e10 operations a second: a guess, until it has finished a piece. */
struct orr_gesvj_cut orr_gesvj_cut_of(struct orr_gesvj *g)
{
    const int64_t m = g->A.m, n = g->A.n, room = device_room(g), widest = widest_of(g);
    const int64_t most = orr_least(room, widest > 0 ? UINT32_MAX / widest : room);
    return (struct orr_gesvj_cut){.at_once = by_lanes(g, orr_least(m, n)) ? MOST_LANES : 1,
                                  .for_cpu = chunk_size(g, ORR_ON_CPU, m, n, g->A.batch),
                                  .for_device = orr_least(device_chunk(g), most),
                                  .most = most,
                                  .cpu = 1 / seconds_of_one(g, m, n),
                                  .device = 2e10 * g->ctx->device.processors / chunk_work(g, m, n)};
}

int orr_gesvj_fits(struct orr_gesvj *g, int64_t first)
{
    if (g->where.whole != ORR_ON_ACCELERATOR)
        return 1;
    if (!g->A.as)
        return device_room(g) > 0;
    const struct orr_gesvj_chunk c = orr_gesvj_layout(g, first, 1);
    return orr_gesvj_room_chunk(&c, 1) > 0;
}

int orr_gesvj_devices_can(struct orr_gesvj *g)
{
    const struct orr_gesvj_chunk c = orr_gesvj_layout(g, 0, 1);
    if (orr_least(c.m, c.n) <= WHOLE_K)
        return device_room(g) > 0;
    return orr_gesvj_room_whole(&c, 1) > 0 || orr_gesvj_room_pairs(&c, 0, ORR_GESVJ_MAX_PAIRS) > 0;
}
