/* How CPUs and devices share a batch of heevj: by measured rates (src/core/share.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "codelets/core/least.h"
#include "src/core/share.h"
#include "src/heevj/heevj.h"

static const double DEVICE_SECONDS = 1e-3; /* of a device's piece, long against a launch */
/* Up to this order the QL of one matrix takes an eighth of it at most, by estimate, however many others there
 * are: above, pieces grow as n^2. */
static const double LONG_QL = 32;
enum {
    DEVICE_PIECES = 4, /* that a device holds: of one the kernels run, others are copied */
    BLOCKS = 8,        /* of threads, that a piece has at least for each processor of a device */
    LARGE = 128        /* above, half as many: each is long */
};

/* ---- Rates until they are measured ---------------------------------------------------------- */

/* Matrices a second on one processor, z, with vectors, kernels alone (docs/gpu-status.md): Jacobi of an H100,
 * lanes of an H200. */
struct point {
    double n, rate;
};
static const struct point measured_jacobi[] = {{4, 1.73e6},  {8, 381e3},   {16, 46.1e3},
                                               {24, 11.5e3}, {32, 8.17e3}, {48, 1.17e3},
                                               {64, 764}},
                          measured_lanes[] = {{8, 590e3},   {16, 238e3},  {24, 89.4e3},
                                              {32, 59.5e3}, {33, 15.7e3}, {64, 6.23e3},
                                              {128, 907},   {512, 10.1}};

/* What other types and devices do in that time: those of sm_90 as measured, others by data sheets and
 * instructions counted in machine code. */
static const struct device_class {
    int capability;
    double jacobi[ORR_NTYPES], lanes[ORR_NTYPES];
} classes[] = {{80,
                {[ORR_S] = 3.3, [ORR_D] = 1.7, [ORR_C] = 1.1, [ORR_Z] = 0.53},
                {[ORR_S] = 1.3, [ORR_D] = 0.8, [ORR_C] = 1, [ORR_Z] = 0.47}},
               {86,
                {[ORR_S] = 3.3, [ORR_D] = 0.13, [ORR_C] = 1.1, [ORR_Z] = 0.04},
                {[ORR_S] = 1.3, [ORR_D] = 0.13, [ORR_C] = 1, [ORR_Z] = 0.07}},
               {90,
                {[ORR_S] = 3.3, [ORR_D] = 1.9, [ORR_C] = 2.1, [ORR_Z] = 1},
                {[ORR_S] = 2.1, [ORR_D] = 1.3, [ORR_C] = 1.5, [ORR_Z] = 1}},
               {120,
                {[ORR_S] = 5.3, [ORR_D] = 0.13, [ORR_C] = 1.9, [ORR_Z] = 0.04},
                {[ORR_S] = 2, [ORR_D] = 0.13, [ORR_C] = 1.5, [ORR_Z] = 0.07}}};

/* Between two points by a power of n, that of the nearest two outside; no faster than the first. */
static double rate_at(const struct point *p, size_t points, double n)
{
    size_t k = 1;
    while (k < points - 1 && p[k].n < n)
        k++;
    const double power = log(p[k].rate / p[k - 1].rate) / log(p[k].n / p[k - 1].n);
    return p[k].rate * pow(fmax(n, p[0].n) / p[k].n, power);
}

/* Of one device, matrices a second; 0: it does not say what it is. */
static double rate_of_one(const struct orr_heevj *h, const struct orr_heevj_bucket *b)
{
    const struct device_class *c = NULL;
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
        if (h->ctx->device.capability >= classes[k].capability)
            c = &classes[k];
    if (!c || b->on_device == ORR_METHOD_AUTO)
        return 0;
    const double n = (double)b->n, processors = h->ctx->device.processors;
    if (b->on_device == ORR_METHOD_LANES)
        return c->lanes[h->A.type] * processors *
               rate_at(measured_lanes, sizeof measured_lanes / sizeof *measured_lanes, n);
    return c->jacobi[h->A.type] * processors *
           rate_at(measured_jacobi, sizeof measured_jacobi / sizeof *measured_jacobi, n);
}

static int64_t devices_of(const struct orr_heevj *h)
{
    return h->ctx->info.cuda + h->ctx->info.opencl;
}

static double device_rate(const struct orr_heevj *h, const struct orr_heevj_bucket *b)
{
    return rate_of_one(h, b) * (double)devices_of(h);
}

static double cpu_rate(const struct orr_heevj *h, const struct orr_heevj_bucket *b)
{
    return b->seconds > 0 ? h->ctx->info.cpu / b->seconds : 0;
}

/* Of a batch that CPUs and devices share, what is for devices. */
static double device_part(const struct orr_heevj *h, const struct orr_heevj_bucket *b)
{
    const double device = device_rate(h, b), cpu = cpu_rate(h, b);
    return device > 0 && cpu > 0 ? device / (device + cpu) : 0.5;
}

/* Pieces that devices hold; two each where nobody knows how long they take. */
static int64_t device_pieces(const struct orr_heevj *h, const struct orr_heevj_bucket *b)
{
    return devices_of(h) * (rate_of_one(h, b) > 0 ? DEVICE_PIECES : ORR_SHARE_PER_WORKER);
}

int64_t orr_heevj_device_chunk(const struct orr_heevj *h, const struct orr_heevj_bucket *b)
{
    const int lanes = b->on_device == ORR_METHOD_LANES;
    const double longer = lanes ? fmax(1, (double)b->n / LONG_QL) : 1;
    /* holds so many at most */
    const int64_t a_block = lanes ? 1 : b->n <= 4 ? 16 : b->n <= 8 ? 8 : b->n <= 64 ? 2 : 1;
    const int64_t blocks = BLOCKS / (lanes && b->n > LARGE ? 2 : 1) * h->ctx->device.processors;
    const double part = b->shared ? device_part(h, b) : 1;
    const int64_t piece = (int64_t)(part * (double)b->count) / (DEVICE_PIECES * devices_of(h));
    const double seconds = DEVICE_SECONDS * longer * longer;
    const int64_t count = orr_least((int64_t)(seconds * rate_of_one(h, b)), piece);
    const int64_t least = blocks * a_block;
    return orr_least(count > least ? count : least, orr_heevj_device_room(h, b));
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
    const int64_t least = b->on_device ? orr_heevj_device_chunk(h, b) : 0;
    const int64_t first = b->count / ORR_SHARE_FIRST;
    const struct orr_share_kind kinds[ORR_SHARE_KINDS] = {
        [ORR_SHARE_DEVICE] = {.pieces = device_pieces(h, b),
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
    const int64_t end = b->first + b->count, least = orr_heevj_device_chunk(h, b);
    const int64_t pieces = device_pieces(h, b),
                  for_device = (int64_t)(device_part(h, b) * (double)b->count),
                  room = orr_heevj_device_room(h, b);
    int64_t size[ORR_SHARE_KINDS] = {
        [ORR_SHARE_DEVICE] = (for_device + pieces - 1) / pieces, [ORR_SHARE_CPU] = chunk};
    if (size[ORR_SHARE_DEVICE] < least)
        size[ORR_SHARE_DEVICE] = least;
    if (size[ORR_SHARE_DEVICE] > room)
        size[ORR_SHARE_DEVICE] = room;
    if (h->o.chunk)
        size[ORR_SHARE_DEVICE] = h->o.chunk;
    orr_plan_note(h->req,
                  "CPUs and devices as guessed rates divide the batch; a run measures them");
    while (b->next < end) {
        const int64_t devices_left = b->first + for_device - b->next;
        const int kind = devices_left > 0 ? ORR_SHARE_DEVICE : ORR_SHARE_CPU;
        const struct orr_heevj_way way = way_of(b, kind);
        const int64_t left = kind == ORR_SHARE_DEVICE ? devices_left : end - b->next;
        const int64_t count = orr_least(left, size[kind]);
        orr_heevj_submit_chunk(h, b, b->next, count, &way);
        b->next += count;
        b->chunks++;
    }
}
