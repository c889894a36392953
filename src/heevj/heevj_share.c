/* How CPUs and devices share a batch of heevj: by measured rates (src/core/share.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/core/share.h"
#include "src/heevj/heevj.h"

static const int64_t BLOCKS = 8; /* of threads, for each processor of a device */

/* ---- Rates until they are measured ---------------------------------------------------------- */

/* Matrices a second on one processor, of order 32 by Jacobi and of order 128 by lanes, by data sheets
 * and instructions counted in machine code (docs/gpu-status.md): none of it was measured. */
static const struct device_class {
    int capability;
    double jacobi[ORR_NTYPES], lanes[ORR_NTYPES];
} classes[] = {{80,
                {[ORR_S] = 50e3, [ORR_D] = 25e3, [ORR_C] = 17e3, [ORR_Z] = 8e3},
                {[ORR_S] = 2e3, [ORR_D] = 1.2e3, [ORR_C] = 1.5e3, [ORR_Z] = 0.7e3}},
               {86,
                {[ORR_S] = 50e3, [ORR_D] = 2e3, [ORR_C] = 17e3, [ORR_Z] = 0.6e3},
                {[ORR_S] = 2e3, [ORR_D] = 0.2e3, [ORR_C] = 1.5e3, [ORR_Z] = 0.1e3}},
               {90,
                {[ORR_S] = 80e3, [ORR_D] = 45e3, [ORR_C] = 28e3, [ORR_Z] = 15e3},
                {[ORR_S] = 3e3, [ORR_D] = 2.2e3, [ORR_C] = 2.2e3, [ORR_Z] = 1.5e3}},
               {120,
                {[ORR_S] = 80e3, [ORR_D] = 2e3, [ORR_C] = 28e3, [ORR_Z] = 0.6e3},
                {[ORR_S] = 3e3, [ORR_D] = 0.2e3, [ORR_C] = 2.2e3, [ORR_Z] = 0.1e3}}};

/* Of all devices together, matrices a second; 0: it does not say what it is. */
static double device_rate(const struct orr_heevj *h, const struct orr_heevj_bucket *b)
{
    const struct device_class *c = NULL;
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
        if (h->ctx->device.capability >= classes[k].capability)
            c = &classes[k];
    if (!c || b->on_device == ORR_METHOD_AUTO)
        return 0;
    const int lanes = b->on_device == ORR_METHOD_LANES;
    const double n = (double)(b->n > 8 ? b->n : 8) / (lanes ? 128 : 32);
    return (lanes ? c->lanes : c->jacobi)[h->A.type] / (n * n * n) * h->ctx->device.processors *
           (h->ctx->info.cuda + h->ctx->info.opencl);
}

static double cpu_rate(const struct orr_heevj *h, const struct orr_heevj_bucket *b)
{
    return b->seconds > 0 ? h->ctx->info.cpu / b->seconds : 0;
}

int64_t orr_heevj_device_chunk(const struct orr_heevj *h, const struct orr_heevj_bucket *b)
{
    /* holds so many at most; by lanes, one */
    const int64_t a_block = b->n <= 4 ? 16 : b->n <= 8 ? 8 : b->n <= 64 ? 2 : 1;
    const int64_t count = BLOCKS * h->ctx->device.processors * a_block;
    const int64_t room = orr_heevj_device_room(h, b);
    return count < room ? count : room;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

struct batch {
    struct orr_heevj *h;
    struct orr_heevj_bucket *b;
    int64_t begin; /* matrices before are not shared */
};

static struct orr_heevj_way way_of(const struct orr_heevj_bucket *b, int kind)
{
    return kind == ORR_SHARE_CPU
               ? (struct orr_heevj_way){.method = b->method, .where = ORR_ON_CPU}
               : (struct orr_heevj_way){.method = b->on_device ? b->on_device : ORR_METHOD_BLOCK,
                                        .where = ORR_ON_ACCELERATOR};
}

static void submit(void *arg, int kind, int64_t first, int64_t count, void (*solved)(void *),
                   void *piece)
{
    const struct batch *x = arg;
    struct orr_heevj_way way = way_of(x->b, kind);
    way.solved = solved;
    way.arg = piece;
    atomic_fetch_add(&x->b->chunks, 1);
    orr_heevj_submit_chunk(x->h, x->b, x->begin + first, count, &way);
}

void orr_heevj_share(struct orr_heevj *h, struct orr_heevj_bucket *b, int64_t chunk)
{
    const orr_context_info *node = &h->ctx->info;
    const int64_t devices = node->cuda + node->opencl;
    const int64_t least = b->on_device ? orr_heevj_device_chunk(h, b) : 0;
    const int64_t first = b->count / ORR_SHARE_FIRST;
    const struct orr_share_kind kinds[ORR_SHARE_KINDS] = {
        [ORR_SHARE_DEVICE] = {.pieces = ORR_SHARE_PER_WORKER * devices,
                              .most = orr_heevj_device_room(h, b),
                              .least = least,
                              .first = first > least ? first : least,
                              .rate = device_rate(h, b)},
        [ORR_SHARE_CPU] = {.pieces = ORR_SHARE_PER_WORKER * (int64_t)node->cpu,
                           .most = INT64_MAX,
                           .first = chunk,
                           .workers = node->cpu,
                           .rate = cpu_rate(h, b),
                           .seconds = ORR_SHARE_CPU_SECONDS}};
    const struct batch x = {.h = h, .b = b, .begin = b->next};
    b->next = b->first + b->count;
    orr_share_batch(h->req, "heevj", h->o.chunk, kinds, b->next - x.begin, submit, &x, sizeof x);
}

void orr_heevj_share_plan(struct orr_heevj *h, struct orr_heevj_bucket *b, int64_t chunk)
{
    const double device = device_rate(h, b), cpu = cpu_rate(h, b);
    const double part = device > 0 && cpu > 0 ? device / (device + cpu) : 0.5;
    const int64_t end = b->first + b->count, least = orr_heevj_device_chunk(h, b);
    const int64_t pieces = ORR_SHARE_PER_WORKER * (h->ctx->info.cuda + h->ctx->info.opencl);
    const int64_t for_device = (int64_t)(part * (double)b->count),
                  room = orr_heevj_device_room(h, b);
    int64_t size[ORR_SHARE_KINDS] = {
        [ORR_SHARE_DEVICE] = for_device / pieces, [ORR_SHARE_CPU] = chunk};
    if (size[ORR_SHARE_DEVICE] < least)
        size[ORR_SHARE_DEVICE] = least;
    if (size[ORR_SHARE_DEVICE] > room)
        size[ORR_SHARE_DEVICE] = room;
    if (h->o.chunk)
        size[ORR_SHARE_DEVICE] = h->o.chunk;
    orr_plan_note(h->req,
                  "CPUs and devices as guessed rates divide the batch; a run measures them");
    while (b->next < end) {
        const int kind = b->next - b->first < for_device ? ORR_SHARE_DEVICE : ORR_SHARE_CPU;
        const struct orr_heevj_way way = way_of(b, kind);
        const int64_t left = end - b->next, count = left < size[kind] ? left : size[kind];
        orr_heevj_submit_chunk(h, b, b->next, count, &way);
        b->next += count;
        b->chunks++;
    }
}
