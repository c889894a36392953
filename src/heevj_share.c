/* How CPUs and devices share a batch of heevj: by measured rates (src/share.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/heevj.h"
#include "src/share.h"

enum {
    PER_WORKER = 2,       /* pieces that a worker holds: one runs, one waits */
    FIRST_FOR_DEVICE = 32 /* its first piece is this part of the batch */
};
enum { DEVICE, CPU };
static const double CPU_SECONDS = 2e-3; /* of a piece, or one matrix */

struct batch {
    struct orr_heevj *h;
    struct orr_heevj_bucket *b;
    int64_t begin; /* matrices before are not shared */
    struct orr_share *share;
};

struct piece {
    struct batch *batch;
    int kind;
    int64_t count;
};

static void on_piece(void *arg)
{
    const struct piece p = *(struct piece *)arg;
    free(arg);
    orr_share_done(p.batch->share, p.kind, p.count);
}

static void hand(void *arg, int kind, int64_t first, int64_t count)
{
    static const struct orr_heevj_way ways[ORR_SHARE_KINDS] = {
        [DEVICE] = {.method = ORR_METHOD_BLOCK, .where = ORR_ON_ACCELERATOR},
        [CPU] = {.method = ORR_METHOD_LAPACK, .where = ORR_ON_CPU}};
    struct batch *x = arg;
    struct piece *p = malloc(sizeof *p);
    if (!p) {
        orr_request_fail(x->h->req, ORR_E_NOMEM, "heevj");
        orr_share_done(x->share, kind, count);
        return;
    }
    *p = (struct piece){x, kind, count};
    struct orr_heevj_way way = ways[kind];
    way.solved = on_piece;
    way.arg = p;
    atomic_fetch_add(&x->b->chunks, 1);
    orr_heevj_submit_chunk(x->h, x->b, x->begin + first, count, &way);
}

void orr_heevj_share(struct orr_heevj *h, struct orr_heevj_bucket *b, int64_t chunk)
{
    const orr_context_info *node = &h->ctx->info;
    const int64_t devices = node->cuda + node->opencl;
    const struct orr_share_kind kinds[ORR_SHARE_KINDS] = {
        [DEVICE] = {.pieces = PER_WORKER * devices,
                    .most = orr_heevj_device_room(h, b),
                    .first = b->count / FIRST_FOR_DEVICE},
        [CPU] = {.pieces = PER_WORKER * (int64_t)node->cpu,
                 .most = INT64_MAX,
                 .first = chunk,
                 .workers = node->cpu,
                 .seconds = CPU_SECONDS}};
    struct batch *x = malloc(sizeof *x);
    if (x) {
        *x = (struct batch){.h = h, .b = b, .begin = b->next};
        x->share = orr_share_open(h->req, h->o.chunk, kinds, hand, free, x);
    }
    if (!x || !x->share) {
        orr_request_fail(h->req, ORR_E_NOMEM, "heevj");
        free(x);
        return;
    }
    b->next = b->first + b->count;
    orr_share_add(x->share, b->next - x->begin);
    orr_share_close(x->share);
}
