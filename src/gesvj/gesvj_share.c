/* How CPUs and devices share a batch of small matrices of gesvj: by measured rates
 * (src/core/share.h). CPUs take a few milliseconds' worth at a time, devices what fills them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/core/share.h"
#include "src/gesvj/gesvj.h"

struct batch {
    struct orr_gesvj *g;
    int64_t at_once; /* matrices in a unit of the share: a CPU's lanes of vectors */
};

static void submit(void *arg, int kind, int64_t first, int64_t count, void (*solved)(void *),
                   void *piece)
{
    const struct batch *x = arg;
    const int64_t from = first * x->at_once, left = x->g->A.batch - from;
    const int64_t matrices = count * x->at_once < left ? count * x->at_once : left;
    orr_gesvj_submit_chunk(
        x->g, from, matrices,
        &(struct orr_gesvj_way){.where = kind == ORR_SHARE_CPU ? ORR_ON_CPU : ORR_ON_ACCELERATOR,
                                .solved = solved,
                                .arg = piece});
}

static int64_t units(const struct orr_gesvj_cut *c, int64_t matrices)
{
    return (matrices + c->at_once - 1) / c->at_once;
}

void orr_gesvj_share(struct orr_gesvj *g, const struct orr_gesvj_cut *c)
{
    const int64_t cpus = g->ctx->info.cpu, devices = orr_gesvj_accelerators();
    const int64_t all = units(c, g->A.batch), least = units(c, c->for_device);
    const int64_t part = all / ORR_SHARE_FIRST, most = c->most / c->at_once;
    const struct orr_share_kind kinds[ORR_SHARE_KINDS] = {
        [ORR_SHARE_DEVICE] = {.pieces = ORR_SHARE_PER_WORKER * devices,
                              .most = most > 1 ? most : 1,
                              .least = least,
                              .first = part > least ? part : least,
                              .rate = (double)devices * c->device / (double)c->at_once},
        [ORR_SHARE_CPU] = {.pieces = ORR_SHARE_PER_WORKER * cpus,
                           .most = INT64_MAX,
                           .first = units(c, c->for_cpu),
                           .rate = (double)cpus * c->cpu / (double)c->at_once,
                           .workers = cpus,
                           .seconds = ORR_SHARE_CPU_SECONDS}};
    const struct batch x = {.g = g, .at_once = c->at_once};
    orr_share_batch(g->req, "gesvj", units(c, g->o.chunk), kinds, all, submit, &x, sizeof x);
}
