/* See dense_plan.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/dense/dense_plan.h"

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t most(int64_t x, int64_t y) { return x > y ? x : y; }

/* Rows of a tile, a multiple of b near `wanted` and at least 16. */
static int64_t tile_of(int64_t wanted, int64_t b)
{
    const int64_t T = most((wanted + b / 2) / b, 1) * b;
    return most(T, (16 + b - 1) / b * b);
}

/* ---- heev ------------------------------------------------------------------------------------ */

enum {
    HEEV_MOST_TILE = 384,  /* as fast as products become: n = 1000 to 4000, two workers */
    HEEV_LEAST_TILE = 128, /* an update of such a tile takes more than 100 us */
    HEEV_ROWS = 3          /* tile rows for every worker, within these bounds */
};

/* Below these orders a direct reduction is faster than two stages: measured on two cores with AVX-512
 * and OpenBLAS, first with one CPU worker, then with two, in s, d, c, z (docs/algorithms/heev.md).
 * Accelerators, if there are any, get what was measured with one task against two stages. */
enum { VALUES, SOME, ALL, JOBS };
static const int16_t heev_below[3][JOBS][ORR_NTYPES] = {
    {[VALUES] = {850, 750, 550, 250}, [SOME] = {850, 750, 550, 250}, [ALL] = {1400, 850, 1300, 500}},
    {[VALUES] = {550, 440, 320, 200}, [SOME] = {550, 420, 400, 220}, [ALL] = {1800, 1400, 1500, 600}},
    {[VALUES] = {550, 440, 320, 200}, [SOME] = {550, 420, 400, 220}, [ALL] = {420, 280, 330, 160}},
};

int64_t orr_heev_direct_below(const orr_context *ctx, orr_type type, int64_t n, int vectors,
                              const orr_heev_opts *o)
{
    const int some = (o->il && o->iu - o->il + 1 < n) || orr_heev_has_interval(o);
    const int job = !vectors ? VALUES : some ? SOME : ALL;
    const int several = ctx->info.cpu > 1;
    return heev_below[several && orr_place_devices(ctx, o->place) ? 2 : several][job][type];
}

int orr_heev_is_direct(const orr_context *ctx, orr_type type, int64_t n, int vectors,
                       const orr_heev_opts *o)
{
    if (o->method != ORR_DENSE_AUTO || o->band || o->place == ORR_PLACE_GPU)
        return o->method == ORR_DENSE_LAPACK;
    return n < orr_heev_direct_below(ctx, type, n, vectors, o);
}

/* The second stage works 6 n^2 b, so the band is narrow where the first one is short. */
static int64_t choose_band(int64_t n) { return n < 1500 ? 32 : n < 3000 ? 48 : 64; }

void orr_heev_shape(const orr_context *ctx, const orr_heev_opts *o, struct orr_he2hb *r)
{
    const int64_t workers = most(ctx->info.cpu, 1);
    r->b = most(least(o->band ? o->band : choose_band(r->n), r->n - 1), 1);
    r->T = o->tile;
    if (!r->T || r->T % r->b)
        r->T = tile_of(
            orr_place_devices(ctx, o->place)
                ? orr_place_tile(r->n, orr_type_size(r->type))
                : least(most(r->n / (HEEV_ROWS * workers), HEEV_LEAST_TILE), HEEV_MOST_TILE),
            r->b);
}

/* ---- gesvd ----------------------------------------------------------------------------------- */

/* Square matrices of less are faster in one task than in two stages: measured as in heev. */
static const int16_t gesvd_below[2][2][ORR_NTYPES] = {
    /* values, vectors */
    {{330, 300, 320, 250}, {750, 700, 720, 500}},
    {{280, 200, 280, 180}, {420, 350, 350, 280}},
};

int64_t orr_gesvd_direct_below(const orr_context *ctx, orr_type type, int vectors)
{
    return gesvd_below[ctx->info.cpu > 1][vectors][type];
}

int orr_gesvd_asks(const orr_gesvd_opts *o)
{
    return o->method != ORR_DENSE_AUTO || o->band || o->qr || o->place == ORR_PLACE_GPU;
}

int orr_gesvd_is_direct(const orr_context *ctx, orr_type type, int64_t m, int64_t n, int vectors,
                        const orr_gesvd_opts *o)
{
    const int64_t limit = orr_gesvd_direct_below(ctx, type, vectors);
    if (orr_gesvd_asks(o))
        return o->method == ORR_DENSE_LAPACK;
    /* four times as tall as wide: at the same longer side, and of values at the same area */
    return vectors ? m < limit : m * n < limit * limit;
}

/* By operations: 4 m n^2 - 4/3 n^3 against 2 m n^2 + 2 n^3. */
int orr_gesvd_has_qr(const orr_gesvd_opts *o, int64_t m, int64_t n)
{
    return o->qr ? o->qr > 0 && m > n : 3 * m > 5 * n;
}

enum {
    GESVD_BAND = 64,
    GESVD_LEAST_BAND = 32,
    GESVD_MOST_TILE = 256,
    GESVD_LEAST_TILE = 192, /* an update of such a tile takes more than 100 us */
    GESVD_ROWS = 8          /* tile rows for every worker, within these bounds */
};

void orr_gesvd_shape(const orr_context *ctx, const orr_gesvd_opts *o, int64_t m, int64_t n,
                     int triangle, struct orr_ge2gb *r)
{
    const int64_t workers = most(ctx->info.cpu, 1);
    r->b = o->band ? o->band : n < 1024 ? GESVD_LEAST_BAND : GESVD_BAND;
    r->b = most(least(r->b, n - 1), 1);
    r->T = o->tile;
    if (!r->T || r->T % r->b)
        r->T = tile_of(
            orr_place_devices(ctx, o->place)
                ? orr_place_tile(m, orr_type_size(r->type))
                : least(most(n / (GESVD_ROWS * workers), GESVD_LEAST_TILE), GESVD_MOST_TILE),
            r->b);
    /* a triangle has no second stage that a wide band would burden */
    if (triangle && !o->band && n > GESVD_BAND && r->T % GESVD_BAND == 0)
        r->b = GESVD_BAND;
}
