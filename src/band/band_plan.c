/* How hb2st and gb2bd cut a band: D columns (gb2bd: rows) to a block, G sweeps to a group.
 *
 * Wide blocks make few tasks, which cost the runtime little; narrow ones make more of them run side
 * by side: n / (4 D) on average. So several D are tried (src/band/band_width.c). G is as D allows: smaller
 * groups make more tasks of the same graph.
 *
 * On a device a task is a launch, in which sweeps run side by side already: it gets all of them in
 * one task (of a stage), or blocks as wide as its memory allows. Where the models know the speed of
 * devices, CPUs alone, devices alone, and the columns divided between both are compared.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/band/band_plan.h"

#include <math.h>
#include <stdio.h>

#include "codelets/core/least.h"
#include "codelets/core/numbers.h"
#include "src/band/band_width.h"

/* Columns of a block of a band that is only loaded and stored; no reflector of qr is longer. */
enum { LOADED = 512 };

int64_t orr_plan_most_sweeps(int64_t D, int64_t b) { return b > 1 ? (D - b) / (b - 1) + 1 : D; }

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

static struct orr_band band_on(const orr_context *ctx, const struct orr_band_kernel *kernel,
                               int64_t n)
{
    const int cpus = (int)orr_most(ctx->info.cpu, 1);
    const int device = ctx->info.cuda > 0 ? ctx->info.cuda : ctx->info.opencl;
    return (struct orr_band){
        .w = {.n = n,
              .rest = device == 0 && !kernel->vectors && kernel->type != ORR_H,
              .overhead = orr_band_overhead(kernel->gb2bd, cpus),
              .workers = {[ORR_WAVE_CPU] = cpus, [ORR_WAVE_DEVICE] = device}},
        .source = {ORR_PACE_SHAPES, device ? ORR_PACE_SHAPES : ORR_PACE_UNKNOWN},
        .kernel = *kernel,
        .node = device ? node_of_device(ctx) : -1,
        .most_G = INT64_MAX};
}

static void set_pace(struct orr_band *p, int kind, struct orr_wave_stage *s, struct orr_pace pace)
{
    s->hop[kind] = pace.hop;
    if (pace.source < p->source[kind])
        p->source[kind] = pace.source;
}

static void add_stage(struct orr_band *p, orr_context *ctx, const struct orr_band_kernel *kernel,
                      int64_t sweeps)
{
    struct orr_wave_stage *s = &p->stage[p->w.stages++];
    *s = (struct orr_wave_stage){.b = kernel->b, .sweeps = sweeps};
    set_pace(p, ORR_WAVE_CPU, s, orr_band_pace(ctx, ORR_KIND_CPU, kernel));
    if (p->node >= 0)
        set_pace(p, ORR_WAVE_DEVICE, s, orr_band_pace(ctx, device_kind(ctx), kernel));
}

/* ---- Where ----------------------------------------------------------------------------------- */

/* CPUs, devices, or the columns divided between both: whichever is fastest. A split that leaves CPUs
 * nothing is devices alone at a width that is not theirs, for blocks that are too large there at
 * theirs. What is estimated of a device is all sweeps in one launch, so there is then no split. Returns
 * its D. */
static int64_t compare_places(struct orr_band *p, struct orr_band_plan *plan)
{
    static const orr_place place[] = {ORR_PLACE_CPU, ORR_PLACE_GPU, ORR_PLACE_SPLIT};
    struct orr_band_choice best = {0, INFINITY, 0};
    const int last =
        p->source[ORR_WAVE_DEVICE] == ORR_PACE_ESTIMATE ? ORR_BAND_DEVICES : ORR_BAND_BOTH;
    for (int where = ORR_BAND_CPUS; where <= last; where++) {
        const struct orr_band_choice c = orr_band_best_width(p, (enum orr_band_where)where);
        if (where != ORR_BAND_CPUS && p->w.stages > 0 && !orr_band_fits(p, c.D))
            continue;
        const int64_t split = orr_band_split(p, c.D, (enum orr_band_where)where);
        plan->compared[where] = c.seconds;
        if (where == ORR_BAND_BOTH && split == orr_band_blocks(p, c.D) &&
            plan->compared[ORR_BAND_DEVICES] >= 0)
            continue;
        if (best.D && c.seconds >= best.seconds * (1 - ORR_BAND_EQUAL))
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
static int64_t keep_place(struct orr_band *p, struct orr_band_plan *plan)
{
    const int known = p->source[ORR_WAVE_DEVICE] > ORR_PACE_ESTIMATE;
    const enum orr_band_where wanted = plan->place == ORR_PLACE_GPU     ? ORR_BAND_DEVICES
                                       : plan->place == ORR_PLACE_SPLIT ? ORR_BAND_BOTH
                                                                        : ORR_BAND_CPUS;
    const int as_wanted = known || (wanted == ORR_BAND_DEVICES && p->node >= 0);
    const struct orr_band_choice best = orr_band_best_width(p, as_wanted ? wanted : ORR_BAND_CPUS);
    plan->split = orr_band_split(p, best.D, wanted);
    if (plan->place == ORR_PLACE_CPU || (known && wanted != ORR_BAND_CPUS) ||
        (as_wanted && p->source[ORR_WAVE_DEVICE] == ORR_PACE_ESTIMATE))
        plan->seconds = best.seconds;
    return best.D;
}

static void name_source(const struct orr_band *p, struct orr_band_plan *plan)
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
static int64_t choose(struct orr_band *p, orr_place place, const orr_context *ctx,
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
    orr_band_cut(p, D, plan->split);
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
    struct orr_band p = band_on(ctx, &kernel, r->n);
    p.stage = &stage;
    p.hb2st = r;
    p.columns = orr_least(o->split, r->n);
    p.height = 2 * b;
    p.least_D = 2 * b;
    if (b > 1)
        p.D = o->D || !o->G ? o->D
                            : orr_band_aligned(orr_band_columns_for(&p, orr_least(o->G, r->n), b));
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
    struct orr_band p = band_on(ctx, &kernel, r->order);
    p.stage = wave;
    p.gb2bd = r;
    if (orr_gb2bd_cpu_only(r))
        p.node = -1;
    p.height = r->b + 2 * r->tw;
    const int64_t sweeps = orr_least(o->sweeps, orr_most(r->order, 1));
    p.least_D = orr_most(orr_most(orr_most(3, sweeps) * (r->b - 1), r->low), 1);
    p.most_G = sweeps ? sweeps : INT64_MAX;
    p.columns = orr_least(o->split, r->order);
    if (o->rows)
        p.D = orr_band_aligned(
            orr_most(orr_most(orr_least(o->rows, r->rows), orr_most(sweeps, 1) * (r->b - 1)),
                     orr_most(r->low, 1)));
    else if (stages == 0)
        p.D = LOADED;
    for (int64_t k = 0; k < stages; k++) {
        kernel.b = stage[k].b;
        kernel.tw = stage[k].tw;
        add_stage(&p, ctx, &kernel, orr_most(r->order - 1 - (kernel.b - kernel.tw), 0));
    }
    /* Of a narrow matrix one block may be lower than a reflector of qr is long. */
    r->D = orr_band_aligned(orr_most(choose(&p, o->place, ctx, plan), r->low));
    if (plan->place == ORR_PLACE_GPU && r->D >= r->order && !o->rows)
        r->D = orr_band_aligned(
            orr_most(r->D, r->rows)); /* rows beyond, which qr empties, in the same block */
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
