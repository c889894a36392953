/* See band_width.h. The graph is replayed for a list of D, with what a task takes by the models of this run
 * (src/band/band_model.c), and the fastest is taken.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/band/band_width.h"

#include <math.h>

#include "codelets/core/least.h"
#include "src/band/band_plan.h"

enum {
    ALIGNMENT = 16, /* of blocks: a row or column then begins at a cache line in all of them */
    WIDEST = 768    /* a band that is not wider may be one block, one task */
};

/* From the widest on: a narrower one must be faster. */
static const int64_t widths[] = {WIDEST, 640, 576, 512, 448, 416, 384, 352, 320, 256, 192, 128};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* Those that a glance finds within this factor of its best are replayed, as long as that costs no
 * more than this part of the run; REPLAY: seconds per task. */
static const double NEAR = 1.15, WORTH = 0.009, REPLAY = 15e-9;

/* Loading and storing, seconds per element of a block. */
static const double COPY = 0.25e-9;

/* ---- Blocks and groups ------------------------------------------------------------------------ */

int64_t orr_band_aligned(int64_t D) { return (D + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

int64_t orr_band_columns_for(const struct orr_band *p, int64_t G, int64_t b)
{
    return G * (b - 1) + !p->kernel.gb2bd;
}

static int64_t sweeps_in(const struct orr_band *p, int64_t D, int64_t b)
{
    return p->kernel.gb2bd ? D / (b - 1) : orr_plan_most_sweeps(D, b);
}

int64_t orr_band_blocks(const struct orr_band *p, int64_t D) { return (p->w.n + D - 1) / D; }

/* A block that is everything is one task: in hb2st, and on a device. */
static int64_t group_of(const struct orr_band *p, int64_t D, const struct orr_wave_stage *s)
{
    const int one = D >= p->w.n && (!p->kernel.gb2bd || p->w.split > 0);
    return orr_most(orr_least(one ? s->sweeps : sweeps_in(p, D, s->b), p->most_G), 1);
}

/* ---- Seconds of one choice ------------------------------------------------------------------- */

static double move_seconds(const struct orr_band *p, int64_t D)
{
    const size_t bytes = (size_t)(D * p->height) * orr_type_size(p->kernel.type);
    const double us =
        p->node < 0 ? 0 : starpu_transfer_predict(STARPU_MAIN_RAM, (unsigned)p->node, bytes);
    return isfinite(us) && us > 0 ? 1e-6 * us : 0;
}

void orr_band_cut(struct orr_band *p, int64_t D, int64_t split)
{
    p->w.D = D;
    p->w.split = split;
    p->w.move = split > 0 ? move_seconds(p, D) : 0;
    p->w.stage = p->stage;
    for (int64_t k = 0; k < p->w.stages; k++)
        p->stage[k].G = group_of(p, D, &p->stage[k]);
}

static double copy_seconds(const struct orr_band *p)
{
    const int64_t blocks = orr_band_blocks(p, p->w.D);
    const int64_t workers = orr_most(orr_least(p->w.workers[ORR_WAVE_CPU], blocks), 1);
    return 2 / (double)workers *
           (COPY * (double)(p->w.n * p->height) + p->w.overhead * (double)blocks);
}

/* ---- Memory of a device ---------------------------------------------------------------------- */

/* What a buffer of a task has, in elements or reals, and their size. */
struct buffer {
    int64_t count;
    size_t size;
};

/* The reflectors of the first G sweeps. */
static int64_t kept_by(const struct orr_band *p, int64_t G)
{
    return p->kernel.vectors ? G * (p->w.n - 1) - G * (G - 1) / 2 : 0;
}

/* A block, the reflectors under way, those that are kept. Stages are cut already. */
static void buffers_of(const struct orr_band *p, int64_t D, struct buffer x[3])
{
    int64_t G = 1;
    for (int64_t k = 0; k < p->w.stages; k++)
        G = orr_most(G, p->stage[k].G);
    if (p->gb2bd) {
        struct orr_gb2bd r = *p->gb2bd;
        r.D = orr_band_aligned(D >= p->w.n ? orr_most(D, r.rows) : D);
        x[0] = (struct buffer){orr_gb2bd_block_reals(&r), orr_gb2bd_band_real(r.type)};
        x[1] = (struct buffer){G * orr_gb2bd_carry_reals(&r), orr_gb2bd_carry_real(r.type)};
        x[2] = (struct buffer){kept_by(p, G), orr_type_size(orr_gb2bd_vector_type(r.type))};
    } else {
        struct orr_hb2st r = *p->hb2st;
        const size_t size = orr_type_size(r.type);
        r.D = D;
        r.G = G;
        x[0] = (struct buffer){orr_hb2st_block_length(&r), size};
        x[1] = (struct buffer){orr_hb2st_carry_length(&r), size};
        x[2] = (struct buffer){kept_by(p, G), size};
    }
}

/* StarPU counts in 32 bits. */
int orr_band_fits(const struct orr_band *p, int64_t D)
{
    const int64_t times[] = {D < p->w.n ? 2 : 1, 1, p->kernel.gb2bd ? 2 : 1};
    struct buffer x[3];
    double bytes = 0;
    buffers_of(p, D, x);
    for (int k = 0; k < 3; k++) {
        if (x[k].count > UINT32_MAX)
            return 0;
        bytes += (double)times[k] * (double)x[k].count * (double)x[k].size;
    }
    return bytes <= (double)orr_accelerator_room();
}

/* The widest blocks that a device has room for; all in one at best. */
static int64_t device_width(struct orr_band *p)
{
    const int64_t narrow = orr_band_aligned(p->least_D);
    int64_t D = orr_most(p->w.n, 1);
    for (;; D = orr_most(orr_band_aligned(D / 2), narrow)) {
        orr_band_cut(p, D, orr_band_blocks(p, D));
        if (D <= narrow || orr_band_fits(p, D))
            return D;
    }
}

/* ---- The best D ------------------------------------------------------------------------------ */

/* D for columns as wide as this, cut to what their sweeps need. */
static int64_t narrowed(const struct orr_band *p, int64_t width)
{
    const int64_t b = p->stage[0].b;
    const int64_t G = orr_least(sweeps_in(p, orr_most(width, p->least_D), b), p->most_G);
    return orr_band_aligned(orr_most(orr_band_columns_for(p, G, b), p->least_D));
}

/* A column is passed by the sweeps that begin left of it, so the first x n columns are x^2 of the
 * work: a device with the part r of all speed gets the first sqrt(r) n; half, if nobody knows. */
static double fair_part(const struct orr_band *p)
{
    double speed[ORR_WAVE_KINDS] = {0, 0};
    const int known = p->source[ORR_WAVE_DEVICE] > ORR_PACE_ESTIMATE;
    for (int kind = 0; kind < ORR_WAVE_KINDS && p->w.stages && known; kind++)
        speed[kind] = p->w.workers[kind] / p->stage[0].hop[kind];
    const double part = speed[ORR_WAVE_DEVICE] / (speed[ORR_WAVE_CPU] + speed[ORR_WAVE_DEVICE]);
    return sqrt(isfinite(part) ? part : 0.25);
}

int64_t orr_band_split(const struct orr_band *p, int64_t D, enum orr_band_where where)
{
    const int64_t blocks = orr_band_blocks(p, D);
    const int64_t columns = p->columns ? p->columns : (int64_t)(fair_part(p) * (double)p->w.n);
    return where == ORR_BAND_CPUS      ? 0
           : where == ORR_BAND_DEVICES ? blocks
                                       : orr_least((columns + D / 2) / D, blocks);
}

/* All widths there are, and what a glance says of each. Returns how many. */
static int look(struct orr_band *p, enum orr_band_where where, struct orr_band_choice c[WIDTHS + 1])
{
    int count = 0;
    const int64_t only = p->D ? p->D : where == ORR_BAND_DEVICES ? device_width(p) : 0;
    for (int i = -1; i < WIDTHS; i++) {
        const int64_t narrow = i < 0 ? p->w.n : narrowed(p, widths[i]);
        const int64_t D = only ? only : narrow;
        if (only ? i >= 0 : i < 0 ? D > orr_most(WIDEST, p->least_D) : D >= p->w.n)
            continue;
        if (count && c[count - 1].D == D)
            continue;
        orr_band_cut(p, D, orr_band_split(p, D, where));
        const struct orr_wave_rough rough = orr_wave_estimate(&p->w);
        c[count++] = (struct orr_band_choice){D, rough.seconds, rough.tasks};
    }
    return count;
}

/* Keeps those that may be best. */
static int keep_near(struct orr_band_choice *c, int count)
{
    double best = INFINITY;
    int kept = 0;
    for (int i = 0; i < count; i++)
        best = fmin(best, c[i].seconds);
    for (int i = 0; i < count; i++)
        if (c[i].seconds <= best * NEAR)
            c[kept++] = c[i];
    return kept;
}

static void replay(struct orr_band *p, enum orr_band_where where, struct orr_band_choice *c)
{
    orr_band_cut(p, c->D, orr_band_split(p, c->D, where));
    const double seconds = orr_wave_seconds(&p->w);
    if (seconds >= 0)
        c->seconds = seconds;
}

static int worth_replaying(const struct orr_band_choice *c, int count)
{
    double tasks = 0;
    for (int i = 0; i < count; i++)
        tasks += c[i].tasks;
    return tasks * REPLAY <= WORTH * c[0].seconds;
}

struct orr_band_choice orr_band_best_width(struct orr_band *p, enum orr_band_where where)
{
    struct orr_band_choice c[WIDTHS + 1] = {{.D = orr_most(p->D ? p->D : p->w.n, 1)}}, *best = c;
    if (p->w.stages == 0)
        orr_band_cut(p, c->D, orr_band_split(p, c->D, where));
    const int count = p->w.stages ? keep_near(c, look(p, where, c)) : 1;
    if (worth_replaying(c, count))
        for (int i = 0; i < count; i++)
            replay(p, where, &c[i]);
    for (int i = 1; i < count; i++)
        if (c[i].seconds < best->seconds * (1 - ORR_BAND_EQUAL))
            best = &c[i];
    orr_band_cut(p, best->D, orr_band_split(p, best->D, where));
    best->seconds += copy_seconds(p);
    return *best;
}
