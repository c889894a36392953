/* How CPUs and devices share a batch of small matrices of gesvj: by measured rates
 * (src/core/share.h). CPUs take a few milliseconds' worth at a time, devices what fills them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/core/share.h"
#include "src/gesvj/gesvj.h"

enum {
    PER_WORKER = 2,       /* pieces that a worker holds: one runs, one waits */
    FIRST_FOR_DEVICE = 32 /* its first piece is this part of the batch */
};
enum { DEVICE, CPU };
static const double CPU_SECONDS = 2e-3; /* of a piece */

struct batch {
    struct orr_gesvj *g;
    int64_t at_once; /* matrices in a unit of the share: a CPU's lanes of vectors */
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
    struct batch *x = arg;
    struct piece *p = malloc(sizeof *p);
    if (!p) {
        orr_request_fail(x->g->req, ORR_E_NOMEM, "gesvj");
        orr_share_done(x->share, kind, count);
        return;
    }
    *p = (struct piece){x, kind, count};
    const int64_t from = first * x->at_once, left = x->g->A.batch - from;
    const int64_t matrices = count * x->at_once < left ? count * x->at_once : left;
    orr_gesvj_submit_chunk(
        x->g, from, matrices,
        &(struct orr_gesvj_way){
            .where = kind == CPU ? ORR_ON_CPU : ORR_ON_ACCELERATOR, .solved = on_piece, .arg = p});
}

static int64_t units(const struct orr_gesvj_cut *c, int64_t matrices)
{
    return (matrices + c->at_once - 1) / c->at_once;
}

void orr_gesvj_share(struct orr_gesvj *g, const struct orr_gesvj_cut *c)
{
    const int64_t cpus = g->ctx->info.cpu, devices = orr_gesvj_accelerators();
    const int64_t all = units(c, g->A.batch), least = units(c, c->for_device);
    const int64_t part = all / FIRST_FOR_DEVICE, most = c->most / c->at_once;
    const struct orr_share_kind kinds[ORR_SHARE_KINDS] = {
        [DEVICE] = {.pieces = PER_WORKER * devices,
                    .most = most > 1 ? most : 1,
                    .least = least,
                    .first = part > least ? part : least,
                    .rate = (double)devices * c->device / (double)c->at_once},
        [CPU] = {.pieces = PER_WORKER * cpus,
                 .most = INT64_MAX,
                 .first = units(c, c->for_cpu),
                 .rate = (double)cpus * c->cpu / (double)c->at_once,
                 .workers = cpus,
                 .seconds = CPU_SECONDS}};
    struct batch *x = malloc(sizeof *x);
    if (x) {
        *x = (struct batch){.g = g, .at_once = c->at_once};
        x->share = orr_share_open(g->req, units(c, g->o.chunk), kinds, hand, free, x);
    }
    if (!x || !x->share) {
        orr_request_fail(g->req, ORR_E_NOMEM, "gesvj");
        free(x);
        return;
    }
    orr_share_add(x->share, all);
    orr_share_close(x->share);
}
