/* The time of a chase task goes with the size that its model goes by (codelets/core/submit.h). Seconds
 * per unit of it are those of all runs that StarPU's model of the codelet knows with this
 * bandwidth, over all their sizes; if there are none, those of other bandwidths; or what the
 * model's curve says. Without a model there are estimates, of CPUs and of CUDA devices by their class. A
 * model is read once, so that the same call plans the same as long as the context lives.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/band/band_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "codelets/band/hb2st.h"
#include "codelets/core/least.h"
#include "codelets/core/numbers.h"
#include "codelets/core/processor.h"
#include "src/core/internal.h"

enum {
    LEAST_RUNS = 10, /* as StarPU wants them, before it believes a mean */
    CLASSES = 160    /* of hops that a task may have */
};

/* Seconds per unit of size on one core, of hb2st and gb2bd: with AVX-512, a Zen 5 at 4.2 GHz, and where its
 * vectors are halved a Zen 4 at 3.7; without, a Zen 3 with AVX2 (docs/algorithms/hb2st.md). */
enum { WHOLE, HALVED, NONE };
static const double estimated[3][2][ORR_H + 1] = {
    [WHOLE] = {{[ORR_S] = 0.18e-9, [ORR_D] = 0.26e-9, [ORR_C] = 0.115e-9, [ORR_Z] = 0.2e-9},
               {[ORR_S] = 0.17e-9,
                [ORR_D] = 0.185e-9,
                [ORR_C] = 0.12e-9,
                [ORR_Z] = 0.165e-9,
                [ORR_H] = 0.22e-9}},
    [HALVED] = {{[ORR_S] = 0.21e-9, [ORR_D] = 0.375e-9, [ORR_C] = 0.15e-9, [ORR_Z] = 0.285e-9},
                {[ORR_S] = 0.165e-9,
                 [ORR_D] = 0.3e-9,
                 [ORR_C] = 0.125e-9,
                 [ORR_Z] = 0.235e-9,
                 [ORR_H] = 0.25e-9}},
    [NONE] =
        {{[ORR_S] = 0.5e-9, [ORR_D] = 0.75e-9, [ORR_C] = 0.34e-9, [ORR_Z] = 0.74e-9},
         {[ORR_S] = 0.38e-9, [ORR_D] = 0.62e-9, [ORR_C] = 0.35e-9, [ORR_Z] = 0.54e-9, [ORR_H] = 0.5e-9}},
};

/* A CUDA device that has all sweeps of a band: each begins `after` seconds behind the one before, and
 * where more could run than fit, a hop ends every `hop` seconds. Of hb2st and gb2bd on an H200, b = 32, d as
 * measured, and hb2st in s and z (docs/gpu-status.md); c and the others of gb2bd are reasoning. */
static const struct device_pace {
    double after, hop;
} on_h200[2][ORR_H + 1] = {{[ORR_S] = {3.8e-6, 10e-9},
                            [ORR_D] = {5.1e-6, 13.7e-9},
                            [ORR_C] = {6e-6, 20e-9},
                            [ORR_Z] = {9e-6, 34e-9}},
                           {[ORR_S] = {11.5e-6, 34e-9},
                            [ORR_D] = {12.6e-6, 38e-9},
                            [ORR_C] = {14e-6, 60e-9},
                            [ORR_Z] = {20e-6, 100e-9},
                            [ORR_H] = {11.5e-6, 34e-9}}};
enum { H200 = 90, H200_PROCESSORS = 132, H200_BAND = 32 };

/* Most of many workers find nothing to do, and look for it in each other's queues: with 16 (a Xeon,
 * n = 2048, b = 64) a task took 20 us of the whole run. */
double orr_band_overhead(int gb2bd, int workers)
{
    enum { FEW = 4 };
    const double many = workers > FEW ? 1 + (double)(workers - FEW) / 3 : 1;
    return (gb2bd ? 2.5e-6 : 4e-6) * (workers > 1 ? 1.4 : 1) * many;
}

/* ---- Models in memory ------------------------------------------------------------------------ */

struct shape {
    uint32_t key;
    double size, seconds; /* of all its runs */
};

/* The model of one codelet, type and kind of worker. */
struct part {
    int gb2bd;
    orr_type type;
    orr_kind kind;
    struct shape *shape; /* ascending keys */
    size_t shapes;
    double a, b, c, from, to; /* a size^b + c microseconds; to = 0: there is no curve */
    struct part *next;
};

struct models {
    starpu_pthread_mutex_t lock;
    struct part *first;
};

static void *models_make(void)
{
    struct models *m = calloc(1, sizeof *m);
    if (m)
        STARPU_PTHREAD_MUTEX_INIT(&m->lock, NULL);
    return m;
}

static void models_drop(void *arg)
{
    struct models *m = arg;
    while (m->first) {
        struct part *p = m->first;
        m->first = p->next;
        free(p->shape);
        free(p);
    }
    STARPU_PTHREAD_MUTEX_DESTROY(&m->lock);
    free(m);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void symbol_of(int gb2bd, orr_type type, char *symbol, size_t room)
{
    snprintf(symbol, room, "%s_chase_%c", gb2bd ? "gb2bd" : "hb2st", orr_type_letter(type));
}

static int by_key(const void *x, const void *y)
{
    const uint32_t a = ((const struct shape *)x)->key, b = ((const struct shape *)y)->key;
    return (a > b) - (a < b);
}

static void read_shapes(struct part *p, const struct starpu_perfmodel_per_arch *arch)
{
    const struct starpu_perfmodel_history_list *l;
    size_t count = 0;
    for (l = arch->list; l; l = l->next)
        count++;
    p->shape = malloc((count + 1) * sizeof *p->shape);
    for (l = arch->list; l && p->shape; l = l->next)
        if (l->entry->nsample >= LEAST_RUNS && l->entry->mean > 0 && l->entry->size > 0)
            p->shape[p->shapes++] =
                (struct shape){.key = l->entry->footprint,
                               .size = l->entry->nsample * (double)l->entry->size,
                               .seconds = 1e-6 * l->entry->sum};
    if (p->shape)
        qsort(p->shape, p->shapes, sizeof *p->shape, by_key);
}

static void read_curve(struct part *p, const struct starpu_perfmodel_regression_model *r)
{
    if (!r->nl_valid || r->maxx <= r->minx || !isfinite(r->a) || !isfinite(r->b) || !isfinite(r->c))
        return;
    p->a = r->a;
    p->b = r->b;
    p->c = r->c;
    p->from = (double)r->minx;
    p->to = (double)r->maxx;
}

static int worker_of(orr_kind kind)
{
    static const enum starpu_worker_archtype type[ORR_NKINDS] = {
        STARPU_CPU_WORKER, STARPU_CUDA_WORKER, STARPU_OPENCL_WORKER};
    return starpu_worker_get_by_type(type[kind], 0);
}

static void read_model(struct part *p)
{
    char symbol[32], path[4096];
    struct starpu_perfmodel model = {.type = STARPU_NL_REGRESSION_BASED};
    const int worker = worker_of(p->kind);
    symbol_of(p->gb2bd, p->type, symbol, sizeof symbol);
    starpu_perfmodel_get_model_path(symbol, path, sizeof path);
    if (worker < 0 || !path[0] || access(path, R_OK) != 0)
        return;
    const locale_t locale = orr_numbers_begin();
    const int failed = starpu_perfmodel_load_symbol(symbol, &model);
    orr_numbers_end(locale);
    if (failed)
        return;
    struct starpu_perfmodel_arch *arch =
        starpu_worker_get_perf_archtype(worker, STARPU_NMAX_SCHED_CTXS);
    const struct starpu_perfmodel_per_arch *part =
        starpu_perfmodel_get_model_per_arch(&model, arch, 0);
    if (part) {
        read_shapes(p, part);
        read_curve(p, &part->regression);
    }
    starpu_perfmodel_unload_model(&model);
}

/* Under the lock; NULL: no memory. */
static const struct part *part_of(struct models *m, orr_kind kind, const struct orr_band_kernel *k)
{
    struct part *p = m->first;
    while (p && (p->gb2bd != k->gb2bd || p->type != k->type || p->kind != kind))
        p = p->next;
    if (p || !(p = calloc(1, sizeof *p)))
        return p;
    p->gb2bd = k->gb2bd;
    p->type = k->type;
    p->kind = kind;
    p->next = m->first;
    m->first = p;
    read_model(p);
    return p;
}

/* ---- Seconds per unit ------------------------------------------------------------------------ */

static int64_t work_of(const struct orr_band_kernel *k)
{
    return k->gb2bd ? orr_gb2bd_step_work(k->type, k->b, k->tw) : orr_hb2st_hop_work(k->type, k->b);
}

static uint32_t key_of(const struct orr_band_kernel *k, int64_t work)
{
    return k->gb2bd ? orr_gb2bd_chase_key(k->b, k->tw, work, k->vectors)
                    : orr_hb2st_chase_key(k->b, work, k->vectors);
}

/* The next work that has a history of its own: four leading bits. */
static int64_t next_class(int64_t work)
{
    int64_t step = 1;
    while (work / step >= 16)
        step *= 2;
    return work + step;
}

/* 0: it knows nothing of them. */
static double of_bandwidth(const struct part *p, const struct orr_band_kernel *k)
{
    double size = 0, seconds = 0;
    int64_t work = work_of(k);
    for (int i = 0; p->shapes && i < CLASSES; i++, work = next_class(work)) {
        const struct shape wanted = {.key = key_of(k, work)};
        const struct shape *s = bsearch(&wanted, p->shape, p->shapes, sizeof *s, by_key);
        size += s ? s->size : 0;
        seconds += s ? s->seconds : 0;
    }
    return size > 0 ? seconds / size : 0;
}

static double of_all(const struct part *p)
{
    double size = 0, seconds = 0;
    for (size_t i = 0; i < p->shapes; i++) {
        size += p->shape[i].size;
        seconds += p->shape[i].seconds;
    }
    return size > 0 ? seconds / size : 0;
}

/* Of long tasks. */
static double of_curve(const struct part *p)
{
    const double us = p->to > 0 ? p->a * pow(p->to, p->b) + p->c : 0;
    return us > 0 ? 1e-6 * us / p->to : 0;
}

static struct orr_pace of_part(const struct part *p, const struct orr_band_kernel *k)
{
    const double known[] = {of_bandwidth(p, k), of_all(p), of_curve(p)};
    static const enum orr_pace_source source[] = {ORR_PACE_SHAPES, ORR_PACE_OTHERS, ORR_PACE_CURVE};
    for (int i = 0; i < 3; i++)
        if (known[i] > 0)
            return (struct orr_pace){known[i], source[i]};
    return (struct orr_pace){0, ORR_PACE_UNKNOWN};
}

/* Twice as wide a band, measured on an H200 (hb2st, d, b = 64): 1.43 and 3 times as long. In a narrower one sweeps
 * wait as long for each other. */
static struct device_pace wider(struct device_pace p, int64_t b)
{
    const double wide = (double)b / H200_BAND;
    return (struct device_pace){p.after * pow(fmax(wide, 1), 0.52), p.hop * pow(wide, 1.58)};
}

/* Seconds of a hop where a device has all of them, some n / 2b in each sweep; 0: it does not say what it is.
 * One whose processors are slower computes longer between two handovers. */
static double estimated_on_device(const orr_context *ctx, const struct orr_band_kernel *k)
{
    const struct orr_device *device = &ctx->device;
    if (!device->capability)
        return 0;
    const struct device_pace p = wider(on_h200[k->gb2bd][k->type], k->b);
    const double rate = orr_place_processor(device->capability, k->type);
    const double slower = orr_place_processor(H200, k->type) / rate;
    const double operations = (orr_is_complex(k->type) ? 48 : 12) * (double)(k->b * k->b);
    const double longer = fmax(1.5 * operations / rate * (1 - 1 / slower), 0);
    const double chain = (p.after + longer) * 2 * (double)k->b / (double)k->n;
    return fmax(chain, p.hop * slower * H200_PROCESSORS / device->processors);
}

struct orr_pace orr_band_pace(orr_context *ctx, orr_kind kind, const struct orr_band_kernel *k)
{
    static const struct orr_memory memory = {models_make, models_drop};
    struct models *m = orr_context_memory(ctx, &memory);
    struct orr_pace pace = {0, ORR_PACE_UNKNOWN};
    if (m) {
        STARPU_PTHREAD_MUTEX_LOCK(&m->lock);
        const struct part *p = part_of(m, kind, k);
        if (p)
            pace = of_part(p, k);
        STARPU_PTHREAD_MUTEX_UNLOCK(&m->lock);
    }
    if (pace.source == ORR_PACE_UNKNOWN && kind == ORR_KIND_CPU) {
        const int vectors = !orr_has_avx512() ? NONE : orr_halves_avx512() ? HALVED : WHOLE;
        const int late = !k->gb2bd && orr_hb2st_late(k->type, k->b);
        pace = (struct orr_pace){estimated[vectors][k->gb2bd][k->type] *
                                     (late ? ORR_HB2ST_LATE_TIME : 1),
                                 ORR_PACE_ESTIMATE};
    }
    if (pace.source == ORR_PACE_UNKNOWN && kind == ORR_KIND_CUDA) {
        const double hop = estimated_on_device(ctx, k);
        return (struct orr_pace){hop, hop > 0 ? ORR_PACE_ESTIMATE : ORR_PACE_UNKNOWN};
    }
    pace.hop *= (double)work_of(k);
    return pace;
}

void orr_pace_name(const struct orr_band_kernel *k, enum orr_pace_source source, char *name,
                   size_t room)
{
    static const char *const what[] = {
        [ORR_PACE_OTHERS] = ", other bandwidths", [ORR_PACE_CURVE] = ", curve", [ORR_PACE_SHAPES] = ""};
    char symbol[32];
    symbol_of(k->gb2bd, k->type, symbol, sizeof symbol);
    if (source == ORR_PACE_UNKNOWN)
        snprintf(name, room, "no model");
    else if (source == ORR_PACE_ESTIMATE)
        snprintf(name, room, "estimate");
    else
        snprintf(name, room, "model %s%s", symbol, what[source]);
}
