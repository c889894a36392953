/* How hb2st and gb2bd cut a band: D columns (gb2bd: rows) to a block, G sweeps to a group.
 *
 * Wide blocks make few tasks, which cost the runtime little; narrow ones make more of them run side
 * by side: n / (4 D) on average. So the graph is replayed for a list of D, with what a task takes
 * by the models of this run (src/band/band_model.c), and the fastest is taken. G is as D allows: smaller
 * groups make more tasks of the same graph.
 *
 * On a device a task is a launch, in which sweeps run side by side already: it gets all of them in
 * one task (of a stage), or blocks as wide as its memory allows. Where the models know the speed of
 * devices, CPUs alone, devices alone, and the columns divided between both are compared.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/band/band_model.h"
#include "src/band/band_plan.h"

#include <math.h>
#include <stdio.h>

#include "codelets/core/least.h"
#include "codelets/core/numbers.h"
#include "src/band/band_wave.h"

enum {
    ALIGNMENT = 16, /* of blocks: a row or column then begins at a cache line in all of them */
    WIDEST = 768,   /* a band that is not wider may be one block, one task */
    LOADED = 512    /* of a band that is only loaded and stored */
};

/* From the widest on: a narrower one must be faster by this part. */
static const int64_t widths[] = {WIDEST, 640, 576, 512, 448, 416, 384, 352, 320, 256, 192, 128};
enum { WIDTHS = sizeof widths / sizeof *widths };
static const double GAIN = 0.005;

/* Those that a glance finds within this factor of its best are replayed, as long as that costs no
 * more than this part of the run; REPLAY: seconds per task. */
static const double NEAR = 1.15, WORTH = 0.009, REPLAY = 15e-9;

/* Loading and storing, seconds per element of a block. */
static const double COPY = 0.25e-9;

static int64_t aligned(int64_t D) { return (D + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

int64_t orr_plan_most_sweeps(int64_t D, int64_t b) { return b > 1 ? (D - b) / (b - 1) + 1 : D; }

/* ---- What is planned ------------------------------------------------------------------------- */

enum where { CPUS, DEVICES, BOTH };

/* One band on this node. */
struct band {
    struct orr_wave w;                           /* but D, split and move */
    struct orr_wave_stage *stage;                /* w.stage; but G */
    enum orr_pace_source source[ORR_WAVE_KINDS]; /* the least certain of all stages */
    struct orr_band_kernel kernel;               /* of the first stage */
    const struct orr_hb2st *hb2st;               /* what is reduced: one of the two */
    const struct orr_gb2bd *gb2bd;
    int node;           /* the memory of a device; -1: none may do it */
    int64_t height;     /* elements of a column, about */
    int64_t least_D, D; /* D: the caller's, or 0 */
    int64_t most_G;     /* the caller's, or INT64_MAX */
    int64_t columns;    /* the caller's split, or 0 */
};

/* What G sweeps need: hb2st (G-1)(b-1) + b columns, gb2bd G(b-1) rows. */
static int64_t columns_for(const struct band *p, int64_t G, int64_t b)
{
    return G * (b - 1) + !p->kernel.gb2bd;
}

static int64_t sweeps_in(const struct band *p, int64_t D, int64_t b)
{
    return p->kernel.gb2bd ? D / (b - 1) : orr_plan_most_sweeps(D, b);
}

static int64_t blocks_of(const struct band *p, int64_t D) { return (p->w.n + D - 1) / D; }

/* A block that is everything is one task: in hb2st, and on a device. */
static int64_t group_of(const struct band *p, int64_t D, const struct orr_wave_stage *s)
{
    const int one = D >= p->w.n && (!p->kernel.gb2bd || p->w.split > 0);
    return orr_most(orr_least(one ? s->sweeps : sweeps_in(p, D, s->b), p->most_G), 1);
}

static orr_kind device_kind(const orr_context *ctx)
{
    return ctx->info.cuda > 0 ? ORR_KIND_CUDA : ORR_KIND_OPENCL;
}

static int node_of_device(const orr_context *ctx)
{
    const int worker = starpu_worker_get_by_type(
        ctx->info.cuda > 0 ? STARPU_CUDA_WORKER : STARPU_OPENCL_WORKER, 0);
    return worker < 0 ? -1 : (int)starpu_worker_get_memory_node((unsigned)worker);
}

static struct band band_on(const orr_context *ctx, const struct orr_band_kernel *kernel, int64_t n)
{
    const int cpus = (int)orr_most(ctx->info.cpu, 1);
    const int device = ctx->info.cuda > 0 ? ctx->info.cuda : ctx->info.opencl;
    return (struct band){.w = {.n = n,
                               .rest = device == 0 && !kernel->vectors && kernel->type != ORR_H,
                               .overhead = orr_band_overhead(kernel->gb2bd, cpus),
                               .workers = {[ORR_WAVE_CPU] = cpus, [ORR_WAVE_DEVICE] = device}},
                         .source = {ORR_PACE_SHAPES, device ? ORR_PACE_SHAPES : ORR_PACE_UNKNOWN},
                         .kernel = *kernel,
                         .node = device ? node_of_device(ctx) : -1,
                         .most_G = INT64_MAX};
}

static void set_pace(struct band *p, int kind, struct orr_wave_stage *s, struct orr_pace pace)
{
    s->hop[kind] = pace.hop;
    if (pace.source < p->source[kind])
        p->source[kind] = pace.source;
}

static void add_stage(struct band *p, orr_context *ctx, const struct orr_band_kernel *kernel,
                      int64_t sweeps)
{
    struct orr_wave_stage *s = &p->stage[p->w.stages++];
    *s = (struct orr_wave_stage){.b = kernel->b, .sweeps = sweeps};
    set_pace(p, ORR_WAVE_CPU, s, orr_band_pace(ctx, ORR_KIND_CPU, kernel));
    if (p->node >= 0)
        set_pace(p, ORR_WAVE_DEVICE, s, orr_band_pace(ctx, device_kind(ctx), kernel));
}

/* ---- Seconds of one choice ------------------------------------------------------------------- */

static double move_seconds(const struct band *p, int64_t D)
{
    const size_t bytes = (size_t)(D * p->height) * orr_type_size(p->kernel.type);
    const double us =
        p->node < 0 ? 0 : starpu_transfer_predict(STARPU_MAIN_RAM, (unsigned)p->node, bytes);
    return isfinite(us) && us > 0 ? 1e-6 * us : 0;
}

static void cut(struct band *p, int64_t D, int64_t split)
{
    p->w.D = D;
    p->w.split = split;
    p->w.move = split > 0 ? move_seconds(p, D) : 0;
    p->w.stage = p->stage;
    for (int64_t k = 0; k < p->w.stages; k++)
        p->stage[k].G = group_of(p, D, &p->stage[k]);
}

static double copy_seconds(const struct band *p)
{
    const int64_t blocks = blocks_of(p, p->w.D);
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
static int64_t kept_by(const struct band *p, int64_t G)
{
    return p->kernel.vectors ? G * (p->w.n - 1) - G * (G - 1) / 2 : 0;
}

/* A block, the reflectors under way, those that are kept. Stages are cut already. */
static void buffers_of(const struct band *p, int64_t D, struct buffer x[3])
{
    int64_t G = 1;
    for (int64_t k = 0; k < p->w.stages; k++)
        G = orr_most(G, p->stage[k].G);
    if (p->gb2bd) {
        struct orr_gb2bd r = *p->gb2bd;
        r.D = aligned(D >= p->w.n ? orr_most(D, r.rows) : D);
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

/* 1: the tasks of the plan that was cut last may run on a device. StarPU counts in 32 bits. */
static int fits(const struct band *p, int64_t D)
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
static int64_t device_width(struct band *p)
{
    const int64_t narrow = aligned(p->least_D);
    int64_t D = orr_most(p->w.n, 1);
    for (;; D = orr_most(aligned(D / 2), narrow)) {
        cut(p, D, blocks_of(p, D));
        if (D <= narrow || fits(p, D))
            return D;
    }
}

/* ---- The best D ------------------------------------------------------------------------------ */

/* D for columns as wide as this, cut to what their sweeps need. */
static int64_t narrowed(const struct band *p, int64_t width)
{
    const int64_t b = p->stage[0].b;
    const int64_t G = orr_least(sweeps_in(p, orr_most(width, p->least_D), b), p->most_G);
    return aligned(orr_most(columns_for(p, G, b), p->least_D));
}

/* A column is passed by the sweeps that begin left of it, so the first x n columns are x^2 of the
 * work: a device with the part r of all speed gets the first sqrt(r) n; half, if nobody knows. */
static double fair_part(const struct band *p)
{
    double speed[ORR_WAVE_KINDS] = {0, 0};
    const int known = p->source[ORR_WAVE_DEVICE] > ORR_PACE_ESTIMATE;
    for (int kind = 0; kind < ORR_WAVE_KINDS && p->w.stages && known; kind++)
        speed[kind] = p->w.workers[kind] / p->stage[0].hop[kind];
    const double part = speed[ORR_WAVE_DEVICE] / (speed[ORR_WAVE_CPU] + speed[ORR_WAVE_DEVICE]);
    return sqrt(isfinite(part) ? part : 0.25);
}

/* Blocks of the device. */
static int64_t split_of(const struct band *p, int64_t D, enum where where)
{
    const int64_t blocks = blocks_of(p, D);
    const int64_t columns = p->columns ? p->columns : (int64_t)(fair_part(p) * (double)p->w.n);
    return where == CPUS ? 0 : where == DEVICES ? blocks : orr_least((columns + D / 2) / D, blocks);
}

struct choice {
    int64_t D;
    double seconds, tasks;
};

/* All widths there are, and what a glance says of each. Returns how many. */
static int look(struct band *p, enum where where, struct choice c[WIDTHS + 1])
{
    int count = 0;
    const int64_t only = p->D ? p->D : where == DEVICES ? device_width(p) : 0;
    for (int i = -1; i < WIDTHS; i++) {
        const int64_t narrow = i < 0 ? p->w.n : narrowed(p, widths[i]);
        const int64_t D = only ? only : narrow;
        if (only ? i >= 0 : i < 0 ? D > orr_most(WIDEST, p->least_D) : D >= p->w.n)
            continue;
        if (count && c[count - 1].D == D)
            continue;
        cut(p, D, split_of(p, D, where));
        const struct orr_wave_rough rough = orr_wave_estimate(&p->w);
        c[count++] = (struct choice){D, rough.seconds, rough.tasks};
    }
    return count;
}

/* Keeps those that may be best. */
static int keep_near(struct choice *c, int count)
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

static void replay(struct band *p, enum where where, struct choice *c)
{
    cut(p, c->D, split_of(p, c->D, where));
    const double seconds = orr_wave_seconds(&p->w);
    if (seconds >= 0)
        c->seconds = seconds;
}

static int worth_replaying(const struct choice *c, int count)
{
    double tasks = 0;
    for (int i = 0; i < count; i++)
        tasks += c[i].tasks;
    return tasks * REPLAY <= WORTH * c[0].seconds;
}

/* The widest of those that are fastest. */
static struct choice best_width(struct band *p, enum where where)
{
    struct choice c[WIDTHS + 1] = {{.D = orr_most(p->D ? p->D : p->w.n, 1)}}, *best = c;
    if (p->w.stages == 0)
        cut(p, c->D, split_of(p, c->D, where));
    const int count = p->w.stages ? keep_near(c, look(p, where, c)) : 1;
    if (worth_replaying(c, count))
        for (int i = 0; i < count; i++)
            replay(p, where, &c[i]);
    for (int i = 1; i < count; i++)
        if (c[i].seconds < best->seconds * (1 - GAIN))
            best = &c[i];
    cut(p, best->D, split_of(p, best->D, where));
    best->seconds += copy_seconds(p);
    return *best;
}

/* ---- Where ----------------------------------------------------------------------------------- */

/* CPUs, devices, or the columns divided between both: whichever is fastest. A split that leaves CPUs
 * nothing is devices alone at a width that is not theirs, for blocks that are too large there at
 * theirs. What is estimated of a device is all sweeps in one launch, so there is then no split. Returns
 * its D. */
static int64_t compare_places(struct band *p, struct orr_band_plan *plan)
{
    static const orr_place place[] = {ORR_PLACE_CPU, ORR_PLACE_GPU, ORR_PLACE_SPLIT};
    struct choice best = {0, INFINITY, 0};
    const int last = p->source[ORR_WAVE_DEVICE] == ORR_PACE_ESTIMATE ? DEVICES : BOTH;
    for (int where = CPUS; where <= last; where++) {
        const struct choice c = best_width(p, (enum where)where);
        if (where != CPUS && p->w.stages > 0 && !fits(p, c.D))
            continue;
        const int64_t split = split_of(p, c.D, (enum where)where);
        plan->compared[where] = c.seconds;
        if (where == BOTH && split == blocks_of(p, c.D) && plan->compared[DEVICES] >= 0)
            continue;
        if (best.D && c.seconds >= best.seconds * (1 - GAIN))
            continue;
        best = c;
        plan->place = place[where];
        plan->split = split;
    }
    plan->seconds = best.seconds;
    return best.D;
}

/* As the caller wants it. What is divided is cut as CPUs would have it if the speed of the devices
 * is not known; a device alone needs none. */
static int64_t keep_place(struct band *p, struct orr_band_plan *plan)
{
    const int known = p->source[ORR_WAVE_DEVICE] > ORR_PACE_ESTIMATE;
    const enum where wanted = plan->place == ORR_PLACE_GPU     ? DEVICES
                              : plan->place == ORR_PLACE_SPLIT ? BOTH
                                                               : CPUS;
    const int as_wanted = known || (wanted == DEVICES && p->node >= 0);
    const struct choice best = best_width(p, as_wanted ? wanted : CPUS);
    plan->split = split_of(p, best.D, wanted);
    if (plan->place == ORR_PLACE_CPU || (known && wanted != CPUS) ||
        (as_wanted && p->source[ORR_WAVE_DEVICE] == ORR_PACE_ESTIMATE))
        plan->seconds = best.seconds;
    return best.D;
}

static void name_source(const struct band *p, struct orr_band_plan *plan)
{
    char cpu[60], device[60];
    orr_pace_name(&p->kernel, p->source[ORR_WAVE_CPU], cpu, sizeof cpu);
    orr_pace_name(&p->kernel, p->source[ORR_WAVE_DEVICE], device, sizeof device);
    if (p->w.stages == 0)
        snprintf(plan->from, sizeof plan->from, "nothing to chase");
    else if (plan->place == ORR_PLACE_CPU && plan->compared[0] < 0)
        snprintf(plan->from, sizeof plan->from, "%s", cpu);
    else if (plan->place == ORR_PLACE_GPU && plan->compared[0] < 0)
        snprintf(plan->from, sizeof plan->from, "%s", device);
    else
        snprintf(plan->from, sizeof plan->from, "cpu: %s; device: %s", cpu, device);
}

/* Fills the plan, and G of the stages in p. Returns D. */
static int64_t choose(struct band *p, orr_place place, const orr_context *ctx,
                      struct orr_band_plan *plan)
{
    const int chosen = place == ORR_PLACE_AUTO;
    *plan = (struct orr_band_plan){.place = place, .seconds = -1, .compared = {-1, -1, -1}};
    if (place == ORR_PLACE_CPU && ctx->info.cpu == 0)
        plan->place = ORR_PLACE_AUTO;
    if (chosen && p->node < 0)
        plan->place = ORR_PLACE_CPU;
    const int64_t D = chosen && p->node >= 0 && ctx->info.cpu > 0 &&
                              p->source[ORR_WAVE_DEVICE] != ORR_PACE_UNKNOWN
                          ? compare_places(p, plan)
                          : keep_place(p, plan);
    cut(p, D, plan->split);
    name_source(p, plan);
    return D;
}

enum orr_where orr_plan_where(const struct orr_band_plan *plan, int64_t m)
{
    if (plan->place == ORR_PLACE_AUTO)
        return ORR_ANYWHERE;
    if (plan->place == ORR_PLACE_SPLIT)
        return m < plan->split ? ORR_ON_ACCELERATOR : ORR_ON_CPU;
    return plan->place == ORR_PLACE_GPU ? ORR_ON_ACCELERATOR : ORR_ON_CPU;
}

int orr_plan_print(const struct orr_band_plan *plan, char *text, size_t room)
{
    static const char *const places[ORR_PLACE_SPLIT + 1] = {[ORR_PLACE_AUTO] = "scheduler",
                                                            [ORR_PLACE_CPU] = "cpu",
                                                            [ORR_PLACE_GPU] = "gpu",
                                                            [ORR_PLACE_SPLIT] = "split"};
    static const char *const compared[] = {"cpu_seconds", "gpu_seconds", "split_seconds"};
    const locale_t locale = orr_numbers_begin();
    int at =
        snprintf(text, room, ",\"place\":\"%s\",\"from\":\"%s\"", places[plan->place], plan->from);
    if (plan->seconds >= 0)
        at += snprintf(text + at, room - (size_t)at, ",\"predicted\":%.4g", plan->seconds);
    for (int k = 0; k < 3; k++)
        if (plan->compared[k] >= 0)
            at += snprintf(text + at, room - (size_t)at, ",\"%s\":%.4g", compared[k],
                           plan->compared[k]);
    if (plan->place == ORR_PLACE_SPLIT)
        at += snprintf(text + at, room - (size_t)at, ",\"split\":%lld", (long long)plan->split);
    orr_numbers_end(locale);
    return at;
}

/* ---- The two algorithms ---------------------------------------------------------------------- */

const char *orr_plan_hb2st(struct orr_hb2st *r, const orr_hb2st_opts *o, orr_context *ctx,
                           struct orr_band_plan *plan)
{
    const int64_t b = r->b;
    const struct orr_band_kernel kernel = {.type = r->type,
                                           .n = r->n,
                                           .b = b,
                                           .tw = b - 1,
                                           .vectors = o->vect == 'Q' || o->vect == 'V'};
    struct orr_wave_stage stage;
    struct band p = band_on(ctx, &kernel, r->n);
    p.stage = &stage;
    p.hb2st = r;
    p.columns = orr_least(o->split, r->n);
    p.height = 2 * b;
    p.least_D = 2 * b;
    if (b > 1)
        p.D = o->D || !o->G ? o->D : aligned(columns_for(&p, orr_least(o->G, r->n), b));
    p.D = orr_least(p.D, orr_most(r->n, 1));
    p.most_G = o->G ? o->G : INT64_MAX;
    if (o->D && o->D < r->n && b > 1) {
        if (o->D < b)
            return "D, columns of a block, is less than the bandwidth";
        if (o->G > orr_plan_most_sweeps(o->D, b))
            return "D, columns of a block, is less than (G-1)(b-1) + b, which G sweeps of bandwidth b need";
    }
    if (orr_hb2st_cpu_only(r->type, b))
        p.node = -1;
    r->processors = ctx->device.processors;
    if (b > 1 && r->sweeps > 0)
        add_stage(&p, ctx, &kernel, r->sweeps);
    r->D = orr_least(choose(&p, o->place, ctx, plan), orr_most(r->n, 1));
    r->G = p.w.stages ? stage.G : orr_most(r->sweeps, 1);
    if (plan->place == ORR_PLACE_CPU)
        r->processors = 0;
    return NULL;
}

void orr_plan_gb2bd(struct orr_gb2bd *r, struct orr_band_stage *stage, int64_t stages,
                    const orr_gb2bd_opts *o, orr_context *ctx, struct orr_band_plan *plan)
{
    struct orr_wave_stage wave[ORR_MOST_STAGES];
    struct orr_band_kernel kernel = {
        .gb2bd = 1, .type = r->type, .n = r->order, .b = r->b, .tw = r->tw, .vectors = o->u || o->v};
    struct band p = band_on(ctx, &kernel, r->order);
    p.stage = wave;
    p.gb2bd = r;
    p.height = r->b + 2 * r->tw;
    const int64_t sweeps = orr_least(o->sweeps, orr_most(r->order, 1));
    p.least_D = orr_most(orr_most(orr_most(3, sweeps) * (r->b - 1), r->low), 1);
    p.most_G = sweeps ? sweeps : INT64_MAX;
    p.columns = orr_least(o->split, r->order);
    if (o->rows)
        p.D = aligned(
            orr_most(orr_most(orr_least(o->rows, r->rows), orr_most(sweeps, 1) * (r->b - 1)),
                     orr_most(r->low, 1)));
    else if (stages == 0)
        p.D = aligned(orr_most(LOADED, r->low));
    for (int64_t k = 0; k < stages; k++) {
        kernel.b = stage[k].b;
        kernel.tw = stage[k].tw;
        add_stage(&p, ctx, &kernel, orr_most(r->order - 1 - (kernel.b - kernel.tw), 0));
    }
    /* Of a narrow matrix one block may be lower than a reflector of qr is long. */
    r->D = aligned(orr_most(choose(&p, o->place, ctx, plan), r->low));
    if (plan->place == ORR_PLACE_GPU && r->D >= r->order && !o->rows)
        r->D =
            aligned(orr_most(r->D, r->rows)); /* rows beyond, which qr empties, in the same block */
    for (int64_t k = 0; k < stages; k++)
        stage[k].G = wave[k].G;
}

int orr_plan_small(const orr_context *ctx, orr_type type, double operations)
{
    const double few = 5e6; /* half a millisecond; measured on two cores of a Zen 3 */
    const int is_complex = orr_type_real(type) != type;
    return ctx->info.cpu > 0 && ctx->info.cuda + ctx->info.opencl == 0 &&
           (is_complex ? 4 : 1) * operations <= few;
}
