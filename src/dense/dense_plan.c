/* See dense_plan.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/dense/dense_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"
#include "codelets/core/processor.h"
#include "codelets/dense/gesvd.h"
#include "src/models/orders.h"

/* Rows of a tile, a multiple of b near `wanted` and at least 16. */
static int64_t tile_of(int64_t wanted, int64_t b)
{
    return orr_most((wanted + b / 2) / b, (16 + b - 1) / b) * b;
}

/* Of a device no fewer, so that what is left over is not a row of tiles. */
static int64_t device_tile_of(int64_t wanted, int64_t b)
{
    return tile_of((wanted + b - 1) / b * b, b);
}

/* Tasks of all that an owner has of a step, or of a side of one. They are nothing for a CPU. */
static int has_whole(const orr_context *ctx, orr_place place, orr_type type,
                     const struct orr_owners *owners, int most_owners)
{
    return owners->count > 0 && owners->count <= most_owners && orr_place_alone(ctx, place, type);
}

/* ---- One stage or two ------------------------------------------------------------------------ */

/* Below which order a matrix is reduced directly. measured: by `orrery calibrate methods` on this
 * machine, in a file MACHINE.methods (src/models/orders.h) of lines
 *
 *     heev d V 2 = 3000         type; values N, vectors of a part P or of all V; one worker or more
 *     gesvd d N 1 = >300        directly up to 300; above, the built-in order counts
 */
struct limit {
    int64_t below;
    int measured;
    const char *wrong; /* about a malformed file, or "" */
};

enum { VALUES, SOME, ALL, JOBS };

static const char *wrong_key(const char *key)
{
    char name[6], type, job, workers, more;
    const int words = sscanf(key, "%5s %c %c %c%c", name, &type, &job, &workers, &more);
    const int heev = words > 0 && !strcmp(name, "heev");
    const int gesvd = words > 0 && !strcmp(name, "gesvd");
    if (!heev && !gesvd)
        return "neither heev nor gesvd";
    if (words != 4 || !strchr("sdcz", type))
        return "not TYPE, JOB and WORKERS";
    if (!strchr(heev ? "NPV" : "NV", job))
        return heev ? "no job: N, P or V" : "no job: N or V";
    return workers == '1' || workers == '2' ? NULL : "workers are 1, or 2 (and more)";
}

static void *find_orders(void)
{
    orr_orders *o = malloc(sizeof *o);
    char path[1024];
    if (o)
        orr_orders_find(".methods", wrong_key, NULL, o, path, sizeof path);
    return o;
}

static struct limit limit_of(const orr_context *ctx, const char *name, orr_type type, int job,
                             int64_t built_in)
{
    static const struct orr_memory measured = {find_orders, free};
    const orr_orders *o = orr_context_memory((orr_context *)ctx, &measured);
    const char workers = ctx->info.cpu > 1 ? '2' : '1';
    char key[ORR_ORDER_KEY];
    int beyond = 0;
    snprintf(key, sizeof key, "%s %c %c %c", name, orr_type_letter(type), "NPV"[job], workers);
    const int64_t order = o ? orr_orders_of(o, key, &beyond) : 0;
    if (!order || (beyond && order < built_in))
        return (struct limit){built_in, 0, o ? o->wrong : ""};
    return (struct limit){order + beyond, 1, ""};
}

static void tell_limit(int asked, struct limit limit, char from[ORR_FROM])
{
    if (asked)
        snprintf(from, ORR_FROM, "asked");
    else
        snprintf(from, ORR_FROM, "%s%s%s%s: lapack below %lld",
                 limit.measured ? "measured" : "built in", *limit.wrong ? " (" : "", limit.wrong,
                 *limit.wrong ? ")" : "", (long long)limit.below);
}

/* ---- heev ------------------------------------------------------------------------------------ */

enum {
    HEEV_MOST_TILE = 384,  /* as fast as products become: n = 1000 to 4000, two workers */
    HEEV_LEAST_TILE = 128, /* an update of such a tile takes more than 100 us */
    HEEV_ROWS = 3          /* tile rows for every worker, within these bounds */
};

/* Whose orders these CPUs get. */
enum { ZEN5, ZEN4, ZEN3, PROCESSORS }; /* as the tables stand */
static int like(void) { return !orr_has_avx512() ? ZEN3 : orr_halves_avx512() ? ZEN4 : ZEN5; }

/* Below these orders a direct reduction is faster than two stages, in s, d, c, z
 * (docs/algorithms/heev.md): with one CPU worker and with two. Accelerators get what was measured with one
 * task against two stages. */
static const int16_t heev_below[PROCESSORS][2][JOBS][ORR_NTYPES] = {
    /* a Zen 5 */
    {
        {[VALUES] = {1340, 800, 1850, 1250},
         [SOME] = {2100, 1600, 1950, 1560},
         [ALL] = {5000, 4000, 4500, 3800}},
        {[VALUES] = {1800, 1090, 2300, 1600},
         [SOME] = {2900, 2100, 2900, 2300},
         [ALL] = {6500, 4700, 6000, 5000}},
    },
    /* a Zen 4 */
    {
        {[VALUES] = {840, 1290, 930, 310},
         [SOME] = {1400, 1790, 1880, 420},
         [ALL] = {4000, 3000, 3000, 2200}},
        {[VALUES] = {1480, 720, 580, 600},
         [SOME] = {1660, 1400, 1350, 1320},
         [ALL] = {7500, 6000, 5000, 4200}},
    },
    /* a Zen 3 */
    {
        {[VALUES] = {1580, 1360, 680, 257},
         [SOME] = {1880, 1610, 1620, 410},
         [ALL] = {3000, 3000, 3000, 2000}},
        {[VALUES] = {1270, 800, 670, 610},
         [SOME] = {1340, 1200, 1110, 820},
         [ALL] = {3100, 3000, 4000, 2400}},
    },
};
static const int16_t heev_beside[JOBS][ORR_NTYPES] = {
    [VALUES] = {550, 440, 320, 200}, [SOME] = {550, 420, 400, 220}, [ALL] = {420, 280, 330, 160}};

/* More workers than four have nothing to do in the direct reduction, but in two stages. By reasoning. */
static int64_t of_workers(int64_t below, int64_t workers)
{
    enum { SHARE = 4, LEAST = 400 };
    return workers <= SHARE ? below : orr_most(below * SHARE / workers, orr_least(below, LEAST));
}

static int heev_job(int64_t n, int vectors, const orr_heev_opts *o)
{
    const int some = (o->il && o->iu - o->il + 1 < n) || orr_heev_has_interval(o);
    return !vectors ? VALUES : some ? SOME : ALL;
}

static struct limit heev_limit(const orr_context *ctx, orr_type type, int64_t n, int vectors,
                               const orr_heev_opts *o)
{
    const int job = heev_job(n, vectors, o);
    if (orr_place_devices(ctx, o->place))
        return (struct limit){heev_beside[job][type], 0, ""};
    const int64_t below = heev_below[like()][ctx->info.cpu > 1][job][type];
    return limit_of(ctx, "heev", type, job, of_workers(below, ctx->info.cpu));
}

static int heev_asks(const orr_heev_opts *o)
{
    return o->method != ORR_DENSE_AUTO || o->band || o->place == ORR_PLACE_GPU;
}

int orr_heev_is_direct(const orr_context *ctx, orr_type type, int64_t n, int vectors,
                       const orr_heev_opts *o)
{
    if (heev_asks(o))
        return o->method == ORR_DENSE_LAPACK;
    return n < heev_limit(ctx, type, n, vectors, o).below;
}

void orr_heev_direct_from(const orr_context *ctx, orr_type type, int64_t n, int vectors,
                          const orr_heev_opts *o, char from[ORR_FROM])
{
    tell_limit(heev_asks(o), heev_limit(ctx, type, n, vectors, o), from);
}

/* From these orders on two workers or more are faster together than one is, which for values and all vectors has
 * a kernel of its own up to some order, kernels/cpu/heev_small.c. A Zen 4's and a Zen 3's are of a reduction
 * that called LAPACK more. */
static const int16_t heev_shared_from[PROCESSORS][JOBS][ORR_NTYPES] = {
    /* a Zen 5 */
    {[VALUES] = {330, 285, 350, 360}, [SOME] = {320, 240, 230, 200}, [ALL] = {192, 192, 192, 192}},
    /* a Zen 4 */
    {[VALUES] = {300, 300, 300, 300}, [SOME] = {224, 224, 160, 160}, [ALL] = {224, 224, 224, 224}},
    /* a Zen 3 */
    {[VALUES] = {300, 300, 300, 300}, [SOME] = {224, 224, 160, 160}, [ALL] = {224, 224, 224, 224}},
};

int orr_heev_is_shared(const orr_context *ctx, orr_type type, int64_t n, int vectors,
                       const orr_heev_opts *o)
{
    const int job = heev_job(n, vectors, o);
    return ctx->info.cpu > 1 && n >= heev_shared_from[like()][job][type];
}

/* The second stage works 6 n^2 b, so the band is narrow where the first one is short. */
static int64_t choose_band(int64_t n) { return n < 1500 ? 32 : n < 3000 ? 48 : 64; }

/* A step of several owners takes as many turns as there are owners, and each is worth while for a tile of this
 * order: of 16384 rows on eight simulated devices the first stage took 239, 190 and 216 ms with eight, four and
 * two owners. They are a power of two, since others do not add terms in turn. */
enum { HEEV_SHARED_TILE = 2048, HEEV_COLUMNS = 2 };

static int64_t owners_for(const struct orr_he2hb *r)
{
    int64_t owners = 1;
    while (2 * owners <= r->owners.count && 2 * owners * HEEV_COLUMNS <= r->tiles)
        owners *= 2;
    return owners;
}

static void cut_into_tiles(const orr_context *ctx, const orr_heev_opts *o, int64_t device_tile,
                           struct orr_he2hb *r)
{
    const int64_t workers = orr_most(ctx->info.cpu, 1);
    const int64_t of_cores =
        orr_least(orr_most(r->n / (HEEV_ROWS * workers), HEEV_LEAST_TILE), HEEV_MOST_TILE);
    r->T = o->tile;
    if (!r->T || r->T % r->b)
        r->T = orr_place_devices(ctx, o->place) ? device_tile_of(device_tile, r->b)
                                                : tile_of(of_cores, r->b);
    orr_he2hb_shape_of(r);
}

/* By whole steps, with as many owners as that pays for. */
static int has_whole_steps(const orr_context *ctx, const orr_heev_opts *o, struct orr_he2hb *r)
{
    const size_t size = orr_type_size(r->type);
    if (!has_whole(ctx, o->place, r->type, &r->owners, ORR_MOST_OWNERS))
        return 0;
    cut_into_tiles(ctx, o, orr_place_tile(r->n, size, r->owners.count, HEEV_SHARED_TILE), r);
    orr_owners_limit(&r->owners, owners_for(r));
    cut_into_tiles(ctx, o, orr_place_tile(r->n, size, r->owners.count, HEEV_SHARED_TILE), r);
    return orr_he2hb_fits_whole(r);
}

void orr_heev_shape(const orr_context *ctx, const orr_heev_opts *o, struct orr_he2hb *r)
{
    const struct orr_owners all = r->owners;
    r->b = orr_most(orr_least(o->band ? o->band : choose_band(r->n), r->n - 1), 1);
    r->whole = has_whole_steps(ctx, o, r);
    if (r->whole) {
        r->where = ORR_ON_ACCELERATOR;
        return;
    }
    r->owners = all;
    cut_into_tiles(ctx, o, orr_place_tile(r->n, orr_type_size(r->type), orr_owners_look().count, 0),
                   r);
}

/* ---- gesvd ----------------------------------------------------------------------------------- */

/* Square matrices of less are faster in one task than in two stages: measured as in heev. */
static const int16_t gesvd_below[PROCESSORS][2][2][ORR_NTYPES] = {
    /* values, vectors */
    /* a Zen 5 */
    {
        {{870, 590, 960, 900}, {550, 330, 1500, 1200}},
        {{370, 290, 410, 336}, {480, 361, 480, 400}},
    },
    /* a Zen 4 */
    {
        {{296, 287, 450, 297}, {2240, 1470, 2200, 1700}},
        {{407, 299, 368, 286}, {404, 305, 350, 290}},
    },
    /* a Zen 3 */
    {
        {{390, 330, 290, 257}, {1590, 1210, 1700, 1400}},
        {{380, 280, 260, 257}, {380, 257, 280, 257}},
    },
};
static const int16_t gesvd_beside[2][ORR_NTYPES] = {{280, 200, 280, 180}, {420, 350, 350, 280}};

static struct limit gesvd_limit(const orr_context *ctx, orr_type type, int vectors,
                                const orr_gesvd_opts *o)
{
    if (orr_place_devices(ctx, o->place))
        return (struct limit){gesvd_beside[vectors][type], 0, ""};
    return limit_of(ctx, "gesvd", type, vectors ? ALL : VALUES,
                    gesvd_below[like()][ctx->info.cpu > 1][vectors][type]);
}

static int gesvd_asks(const orr_gesvd_opts *o)
{
    return o->method != ORR_DENSE_AUTO || o->band || o->qr || o->place == ORR_PLACE_GPU;
}

/* A matrix of few columns: parts of it that a cache has are read once, and not once for each column. What one
 * cache has as a whole is reduced directly. */
enum { FEW_COLUMNS = 200, TALL = 10, LEAST_TALL = 64 << 10 };

static int is_narrow(const orr_context *ctx, int64_t m, int64_t n, const orr_gesvd_opts *o)
{
    return !gesvd_asks(o) && !orr_place_devices(ctx, o->place) && n >= 1 && n <= FEW_COLUMNS &&
           m >= TALL * n;
}

static int has_parts(orr_type type, int64_t m, int64_t n)
{
    const int64_t row = n * (int64_t)orr_type_size(type);
    return m >= TALL * n && m >= (LEAST_TALL + row - 1) / row;
}

/* A part takes some 100 us, and has many times as many rows as columns; there are so many that all workers have
 * some. It depends on m and n only, as the results do. */
static int64_t count_parts(orr_type type, int64_t m, int64_t n)
{
    enum { BYTES = 1 << 19, WORK = 1 << 20, ROWS = 16, MOST = 64 };
    const int64_t of_bytes = BYTES / (n * (int64_t)orr_type_size(type));
    const int64_t of_work = WORK / (n * n * (orr_is_complex(type) ? 4 : 1));
    const int64_t rows = orr_most(orr_least(of_bytes, of_work), ROWS * n);
    return orr_most(orr_least(m / rows, MOST), 1);
}

void orr_gesvd_parts(orr_type type, int64_t m, int64_t n, int64_t parts[ORR_GESVD_LEVELS])
{
    memset(parts, 0, sizeof(int64_t) * ORR_GESVD_LEVELS);
    for (int level = 0; level + 1 < ORR_GESVD_LEVELS && has_parts(type, m, n); level++) {
        parts[level] = count_parts(type, m, n);
        m = parts[level] * n; /* their triangles */
    }
}

enum orr_gesvd_way orr_gesvd_way(const orr_context *ctx, orr_type type, int64_t m, int64_t n,
                                 int vectors, const orr_gesvd_opts *o)
{
    if (gesvd_asks(o))
        return o->method == ORR_DENSE_LAPACK ? ORR_GESVD_DIRECT : ORR_GESVD_STAGES;
    if (is_narrow(ctx, m, n, o))
        return has_parts(type, m, n) ? ORR_GESVD_TSQR : ORR_GESVD_DIRECT;
    /* four times as tall as wide: at the same longer side, with one worker at 0.6 of it, and of values
     * at the same area */
    const int64_t limit = gesvd_limit(ctx, type, vectors, o).below;
    const int sooner = ctx->info.cpu < 2 && m >= 2 * n;
    return (vectors ? m < (sooner ? 3 * limit / 5 : limit)
                    : (double)m * (double)n < (double)(limit * limit))
               ? ORR_GESVD_DIRECT
               : ORR_GESVD_STAGES;
}

void orr_gesvd_way_from(const orr_context *ctx, orr_type type, int64_t m, int64_t n, int vectors,
                        const orr_gesvd_opts *o, char from[ORR_FROM])
{
    if (is_narrow(ctx, m, n, o))
        snprintf(from, ORR_FROM, "built in: few columns");
    else
        tell_limit(gesvd_asks(o), gesvd_limit(ctx, type, vectors, o), from);
}

/* All pieces of a random matrix take a third of the one task's time, of a graded one many times as much,
 * both little beside the reduction: with one worker a loss would be as large as the gain
 * (docs/algorithms/gesvd.md). */
int orr_gesvd_has_pieces(const orr_context *ctx, int64_t n)
{
    enum { WORKERS = 2 };
    return ctx->info.cpu >= WORKERS && n > orr_gesvd_at_once(n);
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

void orr_gesvd_shape(const orr_context *ctx, const orr_gesvd_opts *o, int64_t m, int two_sided,
                     struct orr_ge2gb *r)
{
    const int64_t workers = orr_most(ctx->info.cpu, 1), n = r->n;
    r->b = o->band ? o->band : n < 1024 ? GESVD_LEAST_BAND : GESVD_BAND;
    r->b = orr_most(orr_least(r->b, n - 1), 1);
    const int64_t of_cores =
        orr_least(orr_most(n / (GESVD_ROWS * workers), GESVD_LEAST_TILE), GESVD_MOST_TILE);
    r->T = o->tile;
    if (!r->T || r->T % r->b)
        r->T =
            orr_place_devices(ctx, o->place)
                ? device_tile_of(
                      orr_place_tile(m, orr_type_size(r->type), orr_owners_look().count, 0), r->b)
                : tile_of(of_cores, r->b);
    if (!o->tile && two_sided)
        r->T = orr_most(r->T, tile_of(r->m / ORR_MOST_TILES, r->b));
    /* a triangle has no second stage that a wide band would burden */
    if (!two_sided && !o->band && n > GESVD_BAND && r->T % GESVD_BAND == 0)
        r->b = GESVD_BAND;
    orr_ge2gb_shape_of(r, two_sided);
    r->whole =
        two_sided && has_whole(ctx, o->place, r->type, &r->owners, 1) && orr_ge2gb_fits_whole(r);
    if (r->whole)
        r->where = ORR_ON_ACCELERATOR;
}
